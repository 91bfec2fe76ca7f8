package ir

import (
	"io"

	"github.com/nereid-lang/nereid/internal/diag"
)

// PrintOptions choose among the forms of the text.
type PrintOptions struct {
	Locs    bool // print locations, as aliases (#loc3) where they are worth one
	Generic bool // print every op in MLIR's generic form, inherent attributes as properties <{...}>
}

// Print writes op, usually a module, as MLIR text. An operation inside another is written without aliases,
// with the names that its values have in the enclosing function.
func Print(w io.Writer, op *Op, opts PrintOptions) error {
	_, err := w.Write(appendText(op, opts))
	return err
}

// ParseOptions choose how text is read.
type ParseOptions struct {
	// an operation without loc(...) gets its place in the text as its location, as MLIR gives it
	TextLocs bool
}

// Parse reads a module. Text without an explicit `module` is wrapped in one. The error is a *diag.List.
func Parse(files *diag.FileSet, name string, src []byte) (*Module, error) {
	return ParseWith(files, name, src, ParseOptions{})
}

// ParseWith is like Parse, with options.
func ParseWith(files *diag.FileSet, name string, src []byte, opts ParseOptions) (*Module, error) {
	p := newParser(files, name, src)
	p.textLocs = opts.TextLocs
	m := p.topLevel()
	if err := p.finish(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseType and ParseAttr read one type or attribute.
func ParseType(src string) (Type, error) {
	p := newParser(diag.NewFileSet(), "<type>", []byte(src))
	t, ok := p.Type()
	if ok && p.tok.kind != tokEOF {
		p.expected("the end of the type")
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return t, nil
}

func ParseAttr(src string) (Attr, error) {
	p := newParser(diag.NewFileSet(), "<attribute>", []byte(src))
	a, ok := p.Attr(nil)
	if ok && p.tok.kind != tokEOF {
		p.expected("the end of the attribute")
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return a, nil
}
