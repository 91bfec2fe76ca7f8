package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestDisjointSums: rows first | 8, first | 16 and so on that are multiplied by a stride cost one
// multiplication, as sums do; in a kernel with products of warp groups, and in 64 bits, each row keeps its
// own.
func TestDisjointSums(t *testing.T) {
	const rows = 4
	each(t, func(t *testing.T, lib *Lib) {
		if lib.raw.isDisjoint == nil {
			txtest.LeftOut(t, "LLVM %v does not mark ors of disjoint bits", lib.version)
		}
		for _, row := range []struct {
			bits int
			asm  string
			more bool // than one multiplication
		}{{32, "", false}, {32, "wgmma.fence.sync.aligned;", true}, {64, "", true}} {
			opts := Options{Target: nvptx(t, lib, "sm_90a"), Level: O3}
			ptx := string(compile(t, lib, disjointRows(rows, row.bits, row.asm), opts).Asm)
			if n := strings.Count(ptx, "mul.lo") + strings.Count(ptx, "mad.lo"); (n > 1) != row.more {
				t.Errorf("%d bits, %q: %d multiplications of %d rows:\n%s", row.bits, row.asm, n, rows, ptx)
			}
		}
	})
}

// disjointRows returns a kernel that stores row*stride for n rows, numbers of so many bits, after an
// instruction.
func disjointRows(n, bits int, asm string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "define ptx_kernel void @k(ptr addrspace(1) %%p, i%[1]d %%lane, i%[1]d %%stride) {\n"+
		"  call void asm sideeffect \"%[2]s\", \"\"()\n  %%first = and i%[1]d %%lane, 7\n", bits, asm)
	for i := range n {
		fmt.Fprintf(&b, "  %%r%[1]d = or disjoint i%[3]d %%first, %[2]d\n"+
			"  %%m%[1]d = mul i%[3]d %%r%[1]d, %%stride\n"+
			"  %%g%[1]d = getelementptr i64, ptr addrspace(1) %%p, i32 %[1]d\n"+
			"  store volatile i%[3]d %%m%[1]d, ptr addrspace(1) %%g%[1]d\n", i, 8*(i+1), bits)
	}
	return b.String() + "  ret void\n}\n"
}
