package python

import "github.com/nereid-lang/nereid/internal/diag"

// Parse reads a file. The text is added to files under the given name, without its byte order mark and
// decoded to UTF-8 where a coding comment asks for it. The error is a *diag.List, sorted; the module then
// holds what could be read, with BadExpr and BadStmt in it.
func Parse(files *diag.FileSet, name string, src []byte) (*Module, error) {
	p, err := newParser(files, name, src)
	if err != nil {
		return &Module{File: p.file, Range: p.whole()}, err
	}
	m := p.module()
	return m, p.err()
}

// ParseExpr reads one expression, as eval does: a string annotation, an entry of a signature. It may be
// starred, as in "*fp32", or a tuple without parentheses. White space and comments around it are ignored. The
// error is a *diag.List; the expression is then a BadExpr or holds one.
func ParseExpr(files *diag.FileSet, name string, src []byte) (Expr, error) {
	p, err := newParser(files, name, src)
	if err != nil {
		return &BadExpr{}, err
	}
	x := p.evalInput()
	return x, p.err()
}
