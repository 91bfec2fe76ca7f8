package lower

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestCopiesUnderWay: a store may not change what an asynchronous copy still reads, however many groups of
// copies came before and were waited for. Of three copies the store goes to the source of each in turn,
// behind a wait that leaves so many groups under way.
func TestCopiesUnderWay(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	const turned = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], " +
		"order = [0]}>"
	const typ, ptr = "tensor<512xi32, " + enc + ">", "tensor<512x!tt.ptr<i32>, " + enc + ">"
	const shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>"
	const mem = "!ttg.memdesc<512xi32, " + shared + ", #ttg.shared_memory, mutable>"
	for _, left := range []int{0, 1, 2} {
		for _, to := range []string{"x", "y", "z"} {
			body := "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>, " +
				"%out: !tt.ptr<i32>) {\n" + offsetsText("o", []int{512}, enc) +
				offsetsText("w", []int{512}, turned)
			last := ""
			for _, from := range []string{"x", "y", "z"} {
				body += fmt.Sprintf("%%m%[1]s = ttg.local_alloc : () -> %[2]s\n"+
					"%%%[1]ss = tt.splat %%%[1]s : !tt.ptr<i32> -> %[3]s\n"+
					"%%%[1]sp = tt.addptr %%%[1]ss, %%o : %[3]s, %[4]s\n"+
					"%%%[1]sc = ttg.async_copy_global_to_local %%%[1]sp, %%m%[1]s : %[3]s -> "+
					"<512xi32, %[5]s, #ttg.shared_memory, mutable>\n"+
					"%%%[1]st = ttg.async_commit_group tokens %%%[1]sc\n", from, mem, ptr, typ, shared)
				last = "%" + from + "t"
			}
			body += fmt.Sprintf("%%wait = ttg.async_wait %s {num = %d : i32}\n", last, left) +
				fmt.Sprintf("%%v = arith.muli %%w, %%w : tensor<512xi32, %s>\n", turned) +
				accessText(to, "w", "v", []int{512}, "i32", turned, true) +
				fmt.Sprintf("%%all = ttg.async_wait %s {num = 0 : i32}\n", last)
			for i, from := range []string{"x", "y", "z"} {
				body += fmt.Sprintf("%%l%[1]d = ttg.local_load %%m%[2]s : %[3]s -> %[4]s\n"+
					"%%k%[1]d = arith.constant dense<%[5]d> : %[4]s\n"+
					"%%f%[1]d = arith.addi %%o, %%k%[1]d : %[4]s\n", i, from, mem, typ, 512*i) +
					accessText("out", fmt.Sprint("f", i), fmt.Sprint("l", i), []int{512}, "i32", enc, true)
			}
			body += "tt.return\n}\n"
			l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 512, 1000), ints(ir.I32, 512, 1000),
				ints(ir.I32, 512, 1000), &buf{elem: ir.I32, n: 3 * 512}}}
			t.Run(fmt.Sprint(to, left), func(t *testing.T) { runBothOn(t, 80, moduleText(4, body), l, 0) })
		}
	}
}
