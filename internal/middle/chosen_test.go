package middle_test

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestChosenMasks: a comparison of a number that a mask chose, or that a mask is as a number, is that mask,
// its negation, or known, as the interpreter says, for every predicate and for numbers below, at and above.
func TestChosenMasks(t *testing.T) {
	d := cpu.New(txtest.LLVM(t, llvm.Load), cpu.Compiler{})
	for _, chosen := range []string{"select %c, %yes, %no : tensor<64xi1>, tensor<64xi32>",
		"extui %c : tensor<64xi1> to tensor<64xi32>", "extsi %c : tensor<64xi1> to tensor<64xi32>"} {
		for _, pred := range []string{"eq", "ne", "slt", "sle", "sgt", "sge"} {
			for _, with := range []int{-2, -1, 0, 1, 2, 3, 4} {
				t.Run(fmt.Sprint(chosen[:6], pred, with), func(t *testing.T) {
					r := newRandom(uint64(with + 2))
					l := launch{name: "chosen", text: fmt.Sprintf(chosenMask, with, chosen, pred),
						grid: [3]int{1, 1, 1}, args: []arg{filled(t, r, ir.F32, 64, "normal", ""),
							filled(t, r, ir.F32, 64, "zero", ""), {elem: ir.I32, bits: 23}}}
					compareCPU(t, d, l)
				})
			}
		}
	}
}

const chosenMask = `
tt.func public @chosen(%%x: !tt.ptr<f32>, %%y: !tt.ptr<f32>, %%n: i32) {
  %%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %%no = arith.constant dense<1> : tensor<64xi32>
  %%yes = arith.constant dense<3> : tensor<64xi32>
  %%with = arith.constant dense<%d> : tensor<64xi32>
  %%ns = tt.splat %%n : i32 -> tensor<64xi32>
  %%c = arith.cmpi slt, %%r, %%ns : tensor<64xi32>
  %%i = arith.%s
  %%m = arith.cmpi %s, %%i, %%with : tensor<64xi32>
  %%ps = tt.splat %%x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %%p = tt.addptr %%ps, %%r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %%qs = tt.splat %%y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %%q = tt.addptr %%qs, %%r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %%v = tt.load %%p : tensor<64x!tt.ptr<f32>>
  tt.store %%q, %%v, %%m : tensor<64x!tt.ptr<f32>>
  tt.return
}
`
