package gpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestLayoutsInferredOnce removes no conversion of a long chain of views, which all slices go through, and shows
// that the layout of each view is computed once for each layout of its result, not once for each slice. A sort is
// such a chain.
func TestLayoutsInferredOnce(t *testing.T) {
	const views, uses = 40, 20
	var b strings.Builder
	b.WriteString(`#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<1024x!tt.ptr<i32>, #b>, %q: tensor<1024x!tt.ptr<i32>, #b4>) {
    %v0 = tt.load %p : tensor<1024x!tt.ptr<i32>, #b>
`)
	for i := range views {
		fmt.Fprintf(&b, "%%w%d = tt.reshape %%v%d : tensor<1024xi32, #b> -> tensor<512x2xi32, #r>\n", i, i)
		fmt.Fprintf(&b, "%%v%d = tt.reshape %%w%d : tensor<512x2xi32, #r> -> tensor<1024xi32, #b>\n", i+1, i)
	}
	for i := range uses {
		fmt.Fprintf(&b, "%%s%d = arith.addi %%v%d, %%v%d : tensor<1024xi32, #b>\n", i, views-i, views)
		fmt.Fprintf(&b, "%%c%d = ttg.convert_layout %%s%d : tensor<1024xi32, #b> -> tensor<1024xi32, #b4>\n", i, i)
		fmt.Fprintf(&b, "tt.store %%q, %%c%d : tensor<1024x!tt.ptr<i32>, #b4>\n", i)
	}
	b.WriteString("tt.return\n}\n}\n")
	m, err := ir.Parse(diag.NewFileSet(), "chain.mlir", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	r := newRematerializer(functions(m)[0])
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
