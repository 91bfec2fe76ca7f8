package layouts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestLayoutsInferredOnce removes no conversion of a long chain of views, which all slices go through, and
// shows that the layout of each view is computed once for each layout of its result, not once for each
// slice. A sort is such a chain.
func TestLayoutsInferredOnce(t *testing.T) {
	const views, uses = 40, 20
	var b strings.Builder
	b.WriteString(`
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<1024x!tt.ptr<i32>, #b>, %q: tensor<1024x!tt.ptr<i32>, #b4>) {
    %v0 = tt.load %p : tensor<1024x!tt.ptr<i32>, #b>
`)
	for i := range views {
		fmt.Fprintf(&b, "%%w%d = tt.reshape %%v%d : tensor<1024xi32, #b> -> tensor<512x2xi32, #r>\n", i, i)
		fmt.Fprintf(&b, "%%v%d = tt.reshape %%w%d : tensor<512x2xi32, #r> -> tensor<1024xi32, #b>\n", i+1, i)
	}
	for i := range uses {
		fmt.Fprintf(&b, "%%s%d = arith.addi %%v%d, %%v%d : tensor<1024xi32, #b>\n", i, views-i, views)
		fmt.Fprintf(&b, "%%c%d = ttg.convert_layout %%s%d : tensor<1024xi32, #b> -> tensor<1024xi32, #b4>\n",
			i, i)
		fmt.Fprintf(&b, "tt.store %%q, %%c%d : tensor<1024x!tt.ptr<i32>, #b4>\n", i)
	}
	b.WriteString("tt.return\n}\n}\n")
	m := passtest.Parse(t, "chain.mlir", b.String())
	r := NewRematerializer(functions(m)[0])
	r.each(r.rematerialize)
	if n := len(r.srcs); n == 0 || n > 4*views+2*uses {
		t.Errorf("%d layouts, want a few for each of the %d views", n, 2*views)
	}
	for k, src := range r.srcs {
		if want := inferSrc(k.op, k.enc); src != want {
			t.Errorf("%v: %v, want %v", k.op, src, want)
		}
	}
}

// TestScanConvertedNarrow: addresses that come of a scan change their layout as numbers of 32 bits, before
// they become pointers; the scan is not computed again.
func TestScanConvertedNarrow(t *testing.T) {
	const text = `#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<f32>, %n: i32, %v: tensor<2048xf32, #c>) {
    %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #b>
    %k = tt.splat %n : i32 -> tensor<2048xi32, #b>
    %m = arith.cmpi slt, %i, %k : tensor<2048xi32, #b>
    %x = arith.extui %m : tensor<2048xi1, #b> to tensor<2048xi32, #b>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      tt.scan.return %t : i32
    }) : (tensor<2048xi32, #b>) -> tensor<2048xi32, #b>
    %d = arith.subi %s, %x : tensor<2048xi32, #b>
    %e = arith.extui %d : tensor<2048xi32, #b> to tensor<2048xi64, #b>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #b>
    %at = tt.addptr %q, %e : tensor<2048x!tt.ptr<f32>, #b>, tensor<2048xi64, #b>
    %to = ttg.convert_layout %at : tensor<2048x!tt.ptr<f32>, #b> -> tensor<2048x!tt.ptr<f32>, #c>
    tt.store %to, %v : tensor<2048x!tt.ptr<f32>, #c>
    tt.return
  }
}
`
	m := passtest.Parse(t, "scan.mlir", text)
	r := NewRematerializer(functions(m)[0])
	r.each(r.hoistOverGrowth)
	var converted []string
	scans := 0
	m.Op.Walk(func(op *ir.Op) bool {
		switch op.Def {
		case ttg.ConvertLayout:
			if op.Result(0).HasUses() {
				converted = append(converted, fmt.Sprint(ir.ElemOf(op.Result(0).Type)))
			}
		case tt.Scan:
			scans++
		}
		return true
	})
	if fmt.Sprint(converted) != "[i32]" || scans != 1 {
		t.Errorf("conversions of %v and %d scans, not of i32 and 1", converted, scans)
	}
}
