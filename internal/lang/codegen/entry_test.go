package codegen

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/signature"
)

// TestTypeWords: the words of types that a function under repr= is given name the type alone, whatever else
// the code is compiled for.
func TestTypeWords(t *testing.T) {
	for _, word := range []string{"*fp32", "*i8", "*bf16", "i32", "i64", "u32", "fp32"} {
		typ, err := signature.ParseType(word)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			a := signature.Arg{Type: typ, Div16: i&1 != 0, Small: i&2 != 0}
			if got := typeWord(&a); got != object.Value(object.Str(word)) {
				t.Errorf("%s is named %v", a.String(), got)
			}
		}
		one := signature.Arg{Tuple: true, Items: []signature.Arg{{Type: typ}, {Type: typ, Small: true}}}
		pair, ok := typeWord(&one).(*object.Tuple)
		if !ok || len(pair.Items) != 2 || pair.Items[1] != object.Value(object.Str(word)) {
			t.Errorf("a pair of %s: %v", word, typeWord(&one))
		}
	}
}
