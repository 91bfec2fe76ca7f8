package lsp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestWrongMessages: a message that is no request is answered by an error, and the session goes on.
func TestWrongMessages(t *testing.T) {
	var in, out bytes.Buffer
	const hover = `{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover",` +
		`"params":{"textDocument":{"uri":"file:///k.py"},"position":{"line":%d,"character":%[2]d}}}`
	for _, text := range []string{
		`{"jsonrpc": `, `[1, 2]`, `{"jsonrpc":"2.0","id":1,"method":5}`, `null`,
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.py",` +
			`"version":1,"text":"x = (\n"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///k.py",` +
			`"version":2},"contentChanges":[{"text":"x","range":{"start":{"line":9,"character":-4},` +
			`"end":{"line":-1,"character":1000000000}}}]}}`,
		fmt.Sprintf(hover, 3, -1), fmt.Sprintf(hover, 4, 1000000000),
		`{"jsonrpc":"2.0","id":"five","method":"shutdown"}`, fmt.Sprintf(hover, 6, 0),
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err := (&Server{}).Serve(&in, &out); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"id":null,"error":{"code":-32700`, `"id":null,"error":{"code":-32600`,
		`"id":2,"result":{"capabilities"`, `"id":3,"result":null`, `"id":4,"result":null`,
		`"id":"five","result":null`, `"id":6,"error":{"code":-32600`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no answer has %s:\n%s", want, out.String())
		}
	}
}
