package lower

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestLoopTwice: threads meet in a loop whose iterations store over each other, if a stride is small; for
// launches with a large stride there is a loop without barriers.
func TestLoopTwice(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	const at, vec = "tensor<128x!tt.ptr<i32>, " + enc + ">", "tensor<128xi32, " + enc + ">"
	text := moduleText(4, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %s: i32, %n: i32) {\n"+
		offsetsText("o", []int{128}, enc)+`
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%zero = arith.constant dense<0> : `+vec+`
%xs = tt.splat %x : !tt.ptr<i32> -> `+at+`
%p = tt.addptr %xs, %o : `+at+`, `+vec+`
%ys = tt.splat %y : !tt.ptr<i32> -> `+at+`
%q = tt.addptr %ys, %o : `+at+`, `+vec+`
%ss = tt.splat %s : i32 -> `+vec+`
%sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %r = %p) -> (`+vec+`, `+at+`) : i32 {
  %v = tt.load %q : `+at+`
  %b = arith.addi %a, %v : `+vec+`
  tt.store %r, %b : `+at+`
  %next = tt.addptr %r, %ss : `+at+`, `+vec+`
  scf.yield %b, %next : `+vec+`, `+at+`
}
tt.store %q, %sum : `+at+`
tt.return
}
`)
	for _, stride := range []int{0, 1, 5, 127, 128, 200} {
		t.Run(fmt.Sprint(stride), func(t *testing.T) {
			runBoth(t, text, launch{"k", [3]int{1, 1, 1},
				[]any{ints(ir.I32, 2000, 100), ints(ir.I32, 128, 2), stride, 4}}, 0)
		})
	}
	_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	barriers, loads := bytes.Count(ptx, []byte("bar.sync")), bytes.Count(ptx, []byte("ld.global"))
	if barriers == 0 || loads < barriers+1 {
		t.Errorf("%d barriers for %d loads: no loop without\n%s", barriers, loads, ptx)
	}
}
