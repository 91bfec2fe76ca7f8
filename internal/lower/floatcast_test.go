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

// TestIntsToBF16: integers beside the middle of two bf16 are rounded once.
func TestIntsToBF16(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	shape := []int{256}
	for _, elem := range []ir.Type{ir.I32, ir.I64} {
		name := fmt.Sprint(elem)
		body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<bf16>, %%z: !tt.ptr<bf16>) {\n",
			name) + offsetsText("o", shape, enc) + accessText("x", "o", "v", shape, name, enc, false)
		for out, op := range map[string]string{"y": "sitofp", "z": "uitofp"} {
			body += fmt.Sprintf("%%%s_v = arith.%s %%v : tensor<256x%s, %s> to tensor<256xbf16, %[4]s>\n",
				out, op, name, enc) + accessText(out, "o", out+"_v", shape, "bf16", enc, true)
		}
		x := &buf{elem: elem, n: 256, fill: func(i int) float64 {
			shift := 1 + i/8%(ir.BitWidth(elem)-9)
			if elem == ir.I64 {
				shift = min(shift, 44) // so that an f64 holds the number
			}
			v := float64((128+i%128*2/3)<<shift + 1<<(shift-1) + i%3 - 1)
			return v * float64(1-i/128*2)
		}}
		for _, capability := range []int{80, 90} {
			runBothOn(t, capability, moduleText(4, body+"tt.return\n}\n"), launch{"k", [3]int{1, 1, 1},
				[]any{x, &buf{elem: ir.BF16, n: 256}, &buf{elem: ir.BF16, n: 256}}}, 0)
		}
	}
}
