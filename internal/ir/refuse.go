package ir

import "github.com/nereid-lang/nereid/internal/diag"

// Refuse returns the refusal of an operation, with its place. The rest is the reason, as for fmt.Sprintf.
func Refuse(op *Op, format string, args ...any) *diag.Refusal {
	r := diag.Refuse(op.Name(), format, args...)
	if f := FileLocOf(op.Loc); f != nil {
		r.File, r.Line, r.Column = f.File, f.Line, f.Col+1
	}
	return r
}
