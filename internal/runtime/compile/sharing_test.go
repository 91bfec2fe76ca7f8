package compile

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestSharingMatters: kernels with a loop of any kind may have code of their own for launches with few
// programs. Otherwise the key of such code would be that of the general code, which asks for it again.
func TestSharingMatters(t *testing.T) {
	const text = `tt.func @k(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  LOOP
  tt.return
}`
	for name, c := range map[string]struct {
		loop string
		want bool
	}{
		"none": {"", false},
		"for":  {"scf.for %i = %zero to %n step %one : i32 {\n}", true},
		"while": {`%r = scf.while (%i = %zero) : (i32) -> i32 {
  %more = arith.cmpi slt, %i, %n : i32
  scf.condition(%more) %i : i32
} do {
^bb0(%i: i32):
  %j = arith.addi %i, %one : i32
  scf.yield %j : i32
}`, true},
	} {
		m := passtest.Parse(t, name+".ttir", strings.Replace(text, "LOOP", c.loop, 1))
		if got := sharingMatters(m, 1); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
