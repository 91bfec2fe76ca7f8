package layouts

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestNeighbours: an op with a region is connected with what is in it, but not the reverse, unless its
// arguments are used there.
func TestNeighbours(t *testing.T) {
	const text = `
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
    "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<i32>, %c: i32, %n: i32) {
    %z = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %a = tt.load %z {width = 1 : i64} : tensor<128x!tt.ptr<i32>, #b>
    %k = arith.cmpi slt, %c, %n : i32
    scf.if %k {
      %y = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
      %b = tt.load %y {width = 2 : i64} : tensor<128x!tt.ptr<i32>, #b>
      tt.store %y, %b {width = 1 : i64} : tensor<128x!tt.ptr<i32>, #b>
    }
    %s = scf.for %i = %c to %n step %n iter_args(%x = %a) -> (tensor<128xi32, #b>) : i32 {
      %y = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
      %d = tt.load %y {width = 8 : i64} : tensor<128x!tt.ptr<i32>, #b>
      %e = arith.addi %d, %x : tensor<128xi32, #b>
      scf.if %k {
        %v = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
        %w = tt.load %v {width = 16 : i64} : tensor<128x!tt.ptr<i32>, #b>
        tt.store %v, %w {width = 4 : i64} : tensor<128x!tt.ptr<i32>, #b>
      }
      scf.yield %e : tensor<128xi32, #b>
    }
    tt.return
  }
}
`
	m := passtest.Parse(t, "nested.mlir", text)
	kind := func(op *ir.Op) (string, int64, bool) {
		return "access", op.IntOr("width", 0), op.Def == tt.Load || op.Def == tt.Store
	}
	n := newNeighbours(m, kind)
	// The first branch's condition is the second's too, and both are in one group with the loop's bounds.
	want := map[int64]int64{1: 16, 2: 2, 8: 16, 16: 16}
	for op := range m.Op.Ops() {
		if op.Def != tt.Load {
			continue
		}
		width := op.IntOr("width", 0)
		if got := n.widest(op, "access"); got != want[width] {
			t.Errorf("the load of width %d has neighbours of width %d, want %d", width, got, want[width])
		}
	}
}
