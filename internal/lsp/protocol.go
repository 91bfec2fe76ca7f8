package lsp

import "encoding/json"

// message is a request, a notification or a response.
type message struct {
	Version string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  any              `json:"result,omitempty"`
	Error   *responseError   `json:"error,omitempty"`
}

// null is a result that says that there is none; a response without a result would be no response.
var null = json.RawMessage("null")

type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error codes of the protocol.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	notInitialized = -32002
)

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

type documentParams struct {
	TextDocument   textDocument `json:"textDocument"`
	Position       Position     `json:"position"`
	Range          Range        `json:"range"`
	ContentChanges []struct {
		Text  string `json:"text"`
		Range *Range `json:"range"`
	} `json:"contentChanges"`
}

type diagnostic struct {
	Range    Range     `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

type published struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    Range  `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type completionItem struct {
	Label         string  `json:"label"`
	Kind          int     `json:"kind"`
	Detail        string  `json:"detail,omitempty"`
	Documentation *markup `json:"documentation,omitempty"`
}

// Kinds of completions.
const (
	kindFunction = 3
	kindVariable = 6
	kindModule   = 9
	kindConstant = 21
)

// capabilities is what the server says it can do.
var capabilities = map[string]any{
	"capabilities": map[string]any{
		"textDocumentSync":   map[string]any{"openClose": true, "change": 2, "save": true},
		"hoverProvider":      true,
		"definitionProvider": true,
		"inlayHintProvider":  true,
		"codeActionProvider": map[string]any{"codeActionKinds": []string{"quickfix"}},
		"completionProvider": map[string]any{"triggerCharacters": []string{"."}},
	},
	"serverInfo": map[string]any{"name": "nereid"},
}
