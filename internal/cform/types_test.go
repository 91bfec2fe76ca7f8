package cform

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// TestArgumentTypes: scalars have C's type of the same kind and size, where C has one, and are bits
// otherwise; pointers to what a kernel only reads are const.
func TestArgumentTypes(t *testing.T) {
	for dt := range dtype.All() {
		row, want := dt.Row(), "uint64_t "
		switch {
		case dt == dtype.Float32:
			want = "float "
		case dt == dtype.Float64:
			want = "double "
		case row.Kind == dtype.Signed:
			want = fmt.Sprintf("int%d_t ", row.Bits)
		case row.Kind == dtype.Unsigned:
			want = fmt.Sprintf("uint%d_t ", max(row.Bits, 8))
		}
		for _, c := range []struct {
			arg  code.SavedArg
			want string
		}{
			{code.SavedArg{Type: dt.String()}, want},
			{code.SavedArg{Type: dt.String(), Pointer: true}, "const void *"},
			{code.SavedArg{Type: dt.String(), Pointer: true, Stored: true}, "void *"},
		} {
			if got := cType(c.arg); got != c.want {
				t.Errorf("%+v: %q, want %q", c.arg, got, c.want)
			}
		}
	}
	if got := cType(code.SavedArg{Type: "tensordesc"}); got != "uint64_t " {
		t.Errorf("a type without a number is %q", got)
	}
}
