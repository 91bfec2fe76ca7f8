package lsp

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/nereid-lang/nereid/internal/frame"
	"github.com/nereid-lang/nereid/internal/python"
)

// Server answers an editor. Messages are handled one after the other; a document is compiled when no message
// waits, so that fast typing costs one compilation and not many.
type Server struct {
	Roots []string // more folders in which imports are found

	out     *frame.Writer
	docs    map[string]*document
	started bool
	ended   bool // by shutdown
}

// errExit ends a server that the editor has told to exit.
var errExit = errors.New("exit")

// Serve answers until the editor says exit or its end is closed. It returns an error if the editor went
// without a shutdown.
func (s *Server) Serve(in io.Reader, out io.Writer) error {
	s.out, s.docs = frame.NewWriter(out), map[string]*document{}
	messages := make(chan []byte, 64)
	failed := make(chan error, 1)
	go func() {
		defer close(messages)
		r := frame.NewReader(in)
		for {
			m, err := r.Next()
			if err != nil {
				failed <- err
				return
			}
			messages <- m
		}
	}()
	for data := range messages {
		if err := s.handle(data); err != nil {
			if errors.Is(err, errExit) && s.ended {
				return nil
			}
			return err
		}
		if len(messages) == 0 {
			if err := s.catchUp(); err != nil {
				return err
			}
		}
	}
	if err := <-failed; err != io.EOF {
		return err
	}
	if !s.ended {
		return errors.New("the editor went without a shutdown")
	}
	return nil
}

// catchUp compiles documents that changed, and says what is wrong with them.
func (s *Server) catchUp() error {
	for _, d := range s.docs {
		if !d.stale {
			continue
		}
		if err := s.refresh(d); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) refresh(d *document) error {
	s.analyse(d)
	faults := d.faults
	if faults == nil {
		faults = []diagnostic{}
	}
	return s.notify("textDocument/publishDiagnostics", published{d.uri, d.version, faults})
}

func (s *Server) notify(method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return s.out.Send(message{Version: "2.0", Method: method, Params: data})
}

// handle answers one message.
func (s *Server) handle(data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil { // the next message may be whole
		code := parseError
		if json.Valid(data) {
			code = invalidRequest
		}
		return s.out.Send(message{Version: "2.0", ID: &null, Error: &responseError{code, err.Error()}})
	}
	if m.Method == "" { // a response; the server asks nothing
		return nil
	}
	if m.Method == "exit" {
		return errExit
	}
	result, fault := s.answer(m.Method, m.Params)
	if m.ID == nil {
		return nil
	}
	return s.out.Send(message{Version: "2.0", ID: m.ID, Result: result, Error: fault})
}

// answer carries a message out. The result is for requests alone.
func (s *Server) answer(method string, params json.RawMessage) (any, *responseError) {
	var p documentParams
	if len(params) > 0 && strings.HasPrefix(method, "textDocument/") {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &responseError{invalidParams, err.Error()}
		}
	}
	switch method {
	case "initialize":
		s.started = true
		return capabilities, nil
	case "initialized", "$/cancelRequest", "$/setTrace", "workspace/didChangeConfiguration":
		return null, nil
	case "shutdown":
		s.ended = true
		return null, nil
	}
	if !s.started {
		return nil, &responseError{notInitialized, "initialize comes first"}
	}
	if s.ended {
		return nil, &responseError{invalidRequest, "nothing comes after shutdown but exit"}
	}
	switch method {
	case "textDocument/didOpen":
		t := p.TextDocument
		s.docs[t.URI] = &document{uri: t.URI, file: fileOf(t.URI), version: t.Version, text: t.Text,
			stale: true, analysis: &analysis{lines: newLines(t.Text)}}
		return null, nil
	case "textDocument/didClose":
		delete(s.docs, p.TextDocument.URI)
		return null, nil
	}
	d := s.docs[p.TextDocument.URI]
	if d == nil && strings.HasPrefix(method, "textDocument/") {
		return nil, &responseError{invalidParams, p.TextDocument.URI + " is not open"}
	}
	switch method {
	case "textDocument/didChange":
		for _, c := range p.ContentChanges {
			d.change(c.Range, c.Text)
		}
		d.version = p.TextDocument.Version
		return null, nil
	case "textDocument/didSave":
		d.stale, d.saved = true, true // what it imports may have changed
		return null, nil
	case "textDocument/completion":
		return s.complete(d, newLines(d.text).offset(p.Position)), nil
	case "textDocument/hover", "textDocument/definition", "textDocument/inlayHint", "textDocument/codeAction":
		return s.look(d, method, &p)
	}
	return nil, &responseError{methodNotFound, method}
}

// look answers a question about the compiled document.
func (s *Server) look(d *document, method string, p *documentParams) (any, *responseError) {
	if d.stale {
		if err := s.refresh(d); err != nil {
			return nil, &responseError{invalidParams, err.Error()}
		}
	}
	switch method {
	case "textDocument/inlayHint":
		return d.inlays(p.Range), nil
	case "textDocument/codeAction":
		return d.actions(p.Range), nil
	}
	offset := d.lines.offset(p.Position)
	if method == "textDocument/hover" {
		if h, ok := d.hover(offset); ok {
			return h, nil
		}
		return null, nil
	}
	if l, ok := s.definition(d, offset); ok {
		return l, nil
	}
	return null, nil
}

// change replaces a part of the text, or all of it.
func (d *document) change(r *Range, text string) {
	d.stale = true
	if r == nil {
		d.text = text
		return
	}
	l := newLines(d.text)
	start, end := l.offset(r.Start), l.offset(r.End)
	d.text = d.text[:start] + text + d.text[max(start, end):]
}

// hover returns what is known of the expression at an offset.
func (d *document) hover(offset int) (hover, bool) {
	if d.tree != nil {
		if h, ok := d.bound(offset); ok {
			return h, true
		}
	}
	s, types := d.at(d.file, offset)
	if len(types) == 0 {
		return hover{}, false
	}
	return d.card(s.Start, s.End, strings.Join(types, " or "), s.Doc), true
}

// card is a hover over a part of the text.
func (d *document) card(start, end int, what, doc string) hover {
	text := "```python\n" + what + "\n```"
	if !strings.HasPrefix(what, "def ") && !strings.HasPrefix(what, "module ") {
		text = "```python\n" + strings.TrimSpace(d.text[start:end]) + ": " + what + "\n```"
	}
	if doc != "" {
		text += "\n\n" + doc
	}
	return hover{markup{"markdown", text}, d.lines.span(start, end)}
}

// bound returns the hover of a name that is being bound: a parameter, or the target of an assignment.
func (d *document) bound(offset int) (h hover, ok bool) {
	_, fn := nameAt(d.tree, offset)
	if fn == nil {
		return h, false
	}
	python.Inspect(fn, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Arg:
			start, _ := offsets(d.tree, n.Span())
			end := start + len(n.Arg)
			if t := d.args[fn.Name][n.Arg]; t != "" && start <= offset && offset <= end {
				h, ok = d.card(start, end, t, ""), true
			}
		case *python.Assign:
			for _, target := range n.Targets {
				name, isName := target.(*python.Name)
				if !isName {
					continue
				}
				start, end := offsets(d.tree, name.Span())
				if offset < start || offset > end {
					continue
				}
				from, to := offsets(d.tree, n.Value.Span())
				if types := d.exactly(from, to); len(types) > 0 {
					h, ok = d.card(start, end, strings.Join(types, " or "), ""), true
				}
			}
		}
		return !ok
	})
	return h, ok
}

// exactly returns what was seen of the expression between two offsets.
func (d *document) exactly(start, end int) (types []string) {
	for _, s := range d.seen {
		if s.Start == start && s.End == end && sameFile(s.File, d.file) {
			if len(types) == 0 || types[len(types)-1] != s.Type {
				types = append(types, s.Type)
			}
		}
	}
	return types
}
