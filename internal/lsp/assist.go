package lsp

import (
	"regexp"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// inlayHint is text that an editor shows in a line without its being there.
type inlayHint struct {
	Position Position `json:"position"`
	Label    string   `json:"label"`
	Kind     int      `json:"kind"` // 1: a type
}

// inlays returns the types and shapes of variables behind their names, where they are assigned in a range.
func (d *document) inlays(in Range) []inlayHint {
	out := []inlayHint{}
	if d.tree == nil {
		return out
	}
	python.Inspect(d.tree, func(n python.Node) bool {
		a, ok := n.(*python.Assign)
		if !ok || len(a.Targets) != 1 {
			return true
		}
		name, ok := a.Targets[0].(*python.Name)
		if !ok {
			return true
		}
		_, end := offsets(d.tree, name.Span())
		at := d.lines.position(end)
		if at.Line < in.Start.Line || at.Line > in.End.Line {
			return true
		}
		from, to := offsets(d.tree, a.Value.Span())
		types := d.exactly(from, to)
		if len(types) > 0 && !strings.HasPrefix(types[0], "def ") && !strings.HasPrefix(types[0], "module ") {
			out = append(out, inlayHint{at, ": " + strings.Join(types, " or "), 1})
		}
		return true
	})
	return out
}

// codeAction is a change of the text that mends a diagnostic.
type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics"`
	IsPreferred bool          `json:"isPreferred"`
	Edit        workspaceEdit `json:"edit"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type textEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// meant matches the hint of a diagnostic that names what was probably meant.
var meant = regexp.MustCompile(`\nhint: did you mean ([\w.]+)\?`)

// actions returns what mends the diagnostics that touch a range.
func (d *document) actions(in Range) []codeAction {
	out := []codeAction{}
	for _, f := range d.faults {
		m := meant.FindStringSubmatch(f.Message)
		if m == nil || before(f.Range.End, in.Start) || before(in.End, f.Range.Start) {
			continue
		}
		start, end := d.lines.offset(f.Range.Start), d.lines.offset(f.Range.End)
		from, to, ok := misspelt(d.text[start:end], m[1])
		if !ok {
			continue
		}
		out = append(out, codeAction{Title: "Change to " + m[1], Kind: "quickfix", IsPreferred: true,
			Diagnostics: []diagnostic{f}, Edit: workspaceEdit{map[string][]textEdit{
				d.uri: {{d.lines.span(start+from, start+to), m[1]}}}}})
	}
	return out
}

func before(a, b Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

var dottedName = regexp.MustCompile(`^[A-Za-z_][\w.]*`)

// misspelt returns the part of an expression's text that a name takes the place of: the keyword of an
// argument, the last attribute of a value, or all of a name.
func misspelt(text, name string) (from, to int, ok bool) {
	word := dottedName.FindString(text)
	rest := strings.TrimSpace(text[len(word):])
	if word == "" || rest != "" && !strings.HasPrefix(rest, "=") {
		return 0, 0, false
	}
	if !strings.Contains(name, ".") {
		from = strings.LastIndexByte(word, '.') + 1
	}
	return from, len(word), true
}
