package lower

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestRoomAfterReturns: in a kernel that returns early from two places, a buffer's memory is free again
// behind its last use, although the block that returns stands before a block that branches to it.
func TestRoomAfterReturns(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	const mem = "!ttg.memdesc<1024xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, " +
		"order = [0]}>, #ttg.shared_memory>"
	through := func(from, to string) string {
		typ := fmt.Sprintf("tensor<1024xf32, %s>", enc)
		return fmt.Sprintf("%%m%s = ttg.local_alloc %%%[2]s : (%[3]s) -> %[4]s\n"+
			"%%%[1]s = ttg.local_load %%m%[1]s : %[4]s -> %[3]s\n", to, from, typ, mem)
	}
	body := "tt.func public @k(%x: !tt.ptr<f32>, %n: i32, %m: i32) {\n" +
		"%zero = arith.constant 0 : i32\n" +
		"%c = arith.cmpi slt, %n, %zero : i32\ncf.cond_br %c, ^bb1, ^bb2\n" +
		"^bb1:\ntt.return\n" +
		"^bb2:\n%e = arith.cmpi slt, %m, %zero : i32\ncf.cond_br %e, ^bb1, ^bb3\n" +
		"^bb3:\n" + offsetsText("o", []int{1024}, enc) +
		accessText("x", "o", "v", []int{1024}, "f32", enc, false) + through("v", "w") + through("w", "y") +
		accessText("x", "o", "y", []int{1024}, "f32", enc, true) + "tt.return\n}\n"
	k, ptx := compile(t, parseIR(t, "returns.ttgir", []byte(moduleText(4, body))), "k", 90)
	if k.Shared != 4096 {
		t.Errorf("two buffers, one after the other, take %d bytes, not 4096", k.Shared)
	}
	for _, n := range []int{-1, 1} {
		l := launch{"k", [3]int{1, 1, 1}, []any{floats(ir.F32, 1024), 1, n}}
		in, out := l.memory(1)
		onSim(t, ptx, k.Shared, l, out, false)
		if string(in[0]) != string(out[0]) {
			t.Errorf("m = %d: the copy differs", n)
		}
	}
}
