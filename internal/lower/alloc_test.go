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

// TestRoomInLoops: a buffer from before a loop, which each iteration reads, keeps its memory while the
// iteration has another one.
func TestRoomInLoops(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	const mem = "!ttg.memdesc<1024xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, " +
		"order = [0]}>, #ttg.shared_memory>"
	const typ = "tensor<1024xf32, " + enc + ">"
	inside := "%a = ttg.local_load %m : " + mem + " -> " + typ + "\n%b = arith.addf %a, %a : " + typ +
		"\n%l = ttg.local_alloc %b : (" + typ + ") -> " + mem + "\n%y = ttg.local_load %l : " + mem + " -> " +
		typ + "\n" + accessText("x", "o", "y", []int{1024}, "f32", enc, true)
	for name, loop := range map[string]string{
		"for": "scf.for %i = %zero to %n step %one : i32 {\n" + inside + "}\n",
		"while": "%r = scf.while (%i = %zero) : (i32) -> i32 {\n%c = arith.cmpi slt, %i, %n : i32\n" +
			"scf.condition(%c) %i : i32\n} do {\n^bb0(%j: i32):\n" + inside +
			"%k = arith.addi %j, %one : i32\nscf.yield %k : i32\n}\n",
	} {
		body := "tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {\n%zero = arith.constant 0 : i32\n" +
			"%one = arith.constant 1 : i32\n" + offsetsText("o", []int{1024}, enc) +
			accessText("x", "o", "v", []int{1024}, "f32", enc, false) +
			"%m = ttg.local_alloc %v : (" + typ + ") -> " + mem + "\n" + loop + "tt.return\n}\n"
		k, ptx := compile(t, parseIR(t, name+".ttgir", []byte(moduleText(4, body))), "k", 90)
		if k.Shared != 8192 {
			t.Errorf("%s: two buffers at a time take %d bytes, not 8192", name, k.Shared)
		}
		l := launch{"k", [3]int{1, 1, 1}, []any{floats(ir.F32, 1024), 3}}
		once, thrice := l.memory(1)
		onSim(t, ptx, k.Shared, l, thrice, false)
		l.args[1] = 1
		onSim(t, ptx, k.Shared, l, once, false)
		if string(once[0]) != string(thrice[0]) {
			t.Errorf("%s: three iterations leave something else than one", name)
		}
	}
}
