package lower

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// Every 8-bit format of MLIR's is converted to f32, from all 256 patterns, and back, with and without the
// hardware's conversions: infinities, NaN, subnormal numbers and negative zeros included.
func TestSmallFormats(t *testing.T) {
	for _, f := range num.MLIR {
		if f.Bits != 8 {
			continue
		}
		for _, capability := range []int{80, 90} {
			t.Run(fmt.Sprint(f.Name, "/", capability), func(t *testing.T) {
				enc := "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], " +
					"order = [0]}>"
				tensor := func(elem string) string { return fmt.Sprintf("tensor<256x%s, %s>", elem, enc) }
				body := "tt.func public @k(%x: !tt.ptr<i8>, %y: !tt.ptr<f32>, %z: !tt.ptr<i8>) {\n" +
					offsetsText("o", []int{256}, enc) + accessText("x", "o", "v", []int{256}, "i8",
					enc, false) +
					fmt.Sprintf("%%f = arith.bitcast %%v : %s to %s\n", tensor("i8"), tensor(f.Name)) +
					fmt.Sprintf("%%w = arith.extf %%f : %s to %s\n", tensor(f.Name), tensor("f32")) +
					accessText("y", "o", "w", []int{256}, "f32", enc, true) +
					fmt.Sprintf("%%b = arith.truncf %%w : %s to %s\n", tensor("f32"), tensor(f.Name)) +
					fmt.Sprintf("%%c = arith.bitcast %%b : %s to %s\n", tensor(f.Name), tensor("i8")) +
					accessText("z", "o", "c", []int{256}, "i8", enc, true) + "tt.return\n}\n"
				all, back := &buf{elem: ir.I8, n: 256, fill: func(i int) float64 {
					return float64(i)
				}}, &buf{elem: ir.Float(f), n: 256}
				runBothOn(t, capability, moduleText(4, body),
					launch{"k", [3]int{1, 1, 1}, []any{all, &buf{elem: ir.F32, n: 256}, back}}, 0)
			})
		}
	}
}
