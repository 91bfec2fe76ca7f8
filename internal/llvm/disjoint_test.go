package llvm

import (
	"fmt"
	"strings"
	"testing"
)

// TestDisjointSums: rows first | 8, first | 16 and so on that are multiplied by a stride cost one
// multiplication, as sums do; in a kernel with products of warp groups, each row keeps its own.
func TestDisjointSums(t *testing.T) {
	const rows = 4
	each(t, func(t *testing.T, lib *Lib) {
		if lib.raw.isDisjoint == nil {
			t.Skipf("LLVM %v does not mark ors of disjoint bits", lib.version)
		}
		for _, row := range []struct {
			asm  string
			more bool // than one multiplication
		}{{"", false}, {"wgmma.fence.sync.aligned;", true}} {
			opts := Options{Target: nvptx(t, lib, "sm_90a"), Level: O3}
			ptx := string(compile(t, lib, disjointRows(rows, row.asm), opts).Asm)
			if n := strings.Count(ptx, "mul.lo") + strings.Count(ptx, "mad.lo"); (n > 1) != row.more {
				t.Errorf("%q: %d multiplications of %d rows:\n%s", row.asm, n, rows, ptx)
			}
		}
	})
}

// disjointRows returns a kernel that stores row*stride for rows that a thread holds, after an instruction.
func disjointRows(n int, asm string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %%p, i32 %%stride) {
  call void asm sideeffect "%s", ""()
  %%lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %%first = and i32 %%lane, 7
`, asm)
	for i := range n {
		fmt.Fprintf(&b, "  %%r%[1]d = or disjoint i32 %%first, %[2]d\n"+
			"  %%m%[1]d = mul i32 %%r%[1]d, %%stride\n"+
			"  %%g%[1]d = getelementptr i32, ptr addrspace(1) %%p, i32 %[1]d\n"+
			"  store volatile i32 %%m%[1]d, ptr addrspace(1) %%g%[1]d\n", i, 8*(i+1))
	}
	return b.String() + "  ret void\n}\n"
}
