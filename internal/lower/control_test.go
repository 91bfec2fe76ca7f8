package lower

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestParts: a loop over a program's part of a whole number of parts has a known number of iterations, and
// programs beyond the last part have none. With a rest, the last part is shorter.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		whole, first int
		known        bool
	}{{32, 4, true}, {30, 4, false}, {32, 6, false}, {32, 8, true}} {
		t.Run(fmt.Sprint(test.whole, test.first), func(t *testing.T) {
			text := moduleText(4, fmt.Sprintf(`tt.func public @k(%%x: !tt.ptr<i32>) {
%%g = tt.get_program_id x : i32
%%by = arith.constant %d : i32
%%part = arith.constant 4 : i32
%%whole = arith.constant %d : i32
%%step = arith.constant 1 : i32
%%lo = arith.muli %%g, %%by : i32
%%next = arith.addi %%lo, %%part : i32
%%hi = arith.minsi %%next, %%whole : i32
scf.for %%i = %%lo to %%hi step %%step : i32 {
  %%p = tt.addptr %%x, %%i : !tt.ptr<i32>, i32
  tt.store %%p, %%g : !tt.ptr<i32>
}
tt.return
}
`, test.first, test.whole))
			for programs := 1; programs < 10; programs++ {
				runBoth(t, text, launch{"k", [3]int{programs, 1, 1}, []any{ints(ir.I32, 64, 100)}}, 0)
			}
			k, _ := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
			if got := bytes.Contains(k.IR, []byte(" = select i1 ")); got != test.known {
				t.Errorf("the number of iterations is known: %v, not %v\n%s", got, test.known, k.IR)
			}
		})
	}
}
