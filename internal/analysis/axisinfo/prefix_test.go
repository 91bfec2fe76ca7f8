package axisinfo_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestMaskPrefix: the true bits of a bound come first in a group of numbers that count up, whatever the
// bound; those of a lower bound do not.
func TestMaskPrefix(t *testing.T) {
	const text = `#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%n: i32, %k: i32, %p: tensor<1024xi1, #b>) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %two = arith.constant dense<2> : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %ks = tt.splat %k : i32 -> tensor<1024xi32, #b>
    %odd = arith.muli %i, %two : tensor<1024xi32, #b>
    %at = arith.addi %i, %ks : tensor<1024xi32, #b>
    %below = arith.cmpi slt, %at, %ns : tensor<1024xi32, #b>
    %above = arith.cmpi sge, %at, %ns : tensor<1024xi32, #b>
    %turned = arith.cmpi sgt, %ns, %at : tensor<1024xi32, #b>
    %unsigned = arith.cmpi ult, %at, %ns : tensor<1024xi32, #b>
    %strided = arith.cmpi slt, %odd, %ns : tensor<1024xi32, #b>
    %both = arith.andi %below, %turned : tensor<1024xi1, #b>
    %mixed = arith.andi %below, %p : tensor<1024xi1, #b>
    tt.return
  }
}`
	m, err := ir.Parse(diag.NewFileSet(), "k.ttgir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a := axisinfo.Module(m)
	want := map[string]int{"below": 1024, "above": 1, "turned": 1024, "unsigned": 1, "strided": 1,
		"both": 1024, "mixed": 1}
	for op := range m.Ops() {
		for _, r := range op.Results() {
			if n, ok := want[r.Name]; ok {
				if got := a.MaskPrefix(r); got != n {
					t.Errorf("%s: groups of %d, not %d", r.Name, got, n)
				}
				delete(want, r.Name)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
