package python

import (
	"bytes"

	"github.com/nereid-lang/nereid/internal/diag"
)

// fstring311 gives the parts of an f-string the positions that CPython had for them before 3.12, when it
// read the expressions of an f-string apart from the rest:
//
//   - text and fields have the position of all literals that stand side by side,
//   - a format spec, and what is in it, has the position of the one literal it stands in,
//   - an expression has its own; but it was read in parentheses that stood in place of the braces, so a
//     tuple without parentheses of its own took those in.
type fstring311 struct {
	parent Node
	place  Range // of parent
}

// enter is called for each node on the way down; the state from before is restored on the way up.
func (f *fstring311) enter(n Node, file *diag.File) {
	s := n.Span()
	own := Range{s.Start, s.End}
	switch parent := f.parent.(type) {
	case *JoinedStr: // n is text or a field
	case *FormattedValue:
		switch spec, _ := n.(*JoinedStr); {
		case spec == nil || spec != parent.FormatSpec:
			f.place = withBraces(n, own, parent, file)
		case parent.literal.Start.IsValid(): // otherwise it is a spec in a spec, of the same literal
			f.place = parent.literal
		}
	default:
		f.place = own
	}
	f.parent = n
}

// withBraces returns the range of the expression n of a field: its own, or for a tuple without parentheses
// that of the field as far as the expression went.
func withBraces(n Node, own Range, field *FormattedValue, file *diag.File) Range {
	if _, ok := n.(*Tuple); !ok {
		return own
	}
	start, end := file.Offset(own.Start), file.Offset(own.End)
	if file.Src[start] == '(' && file.Src[end-1] == ')' {
		return own
	}
	rest := file.Src[end:]
	end += len(rest) - len(bytes.TrimLeft(rest, " \t\f\r\n"))
	return Range{field.Start, file.Pos(end + 1)}
}
