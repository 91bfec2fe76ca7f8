package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestLimitReduction: products of a small kernel are computed from each other, those of a large one are not,
// since LLVM 22 would compare all of them.
func TestLimitReduction(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		if lib.version.Major < 22 || !lib.raw.knowsGate() {
			txtest.LeftOut(t, "LLVM %v has no gate for passes, or needs none", lib.version)
		}
		for _, row := range []struct {
			n       int
			reduced bool
		}{{300, true}, {330, false}} {
			ptx := string(compile(t, lib, products(row.n), Options{Target: nvptx(t, lib, "sm_90")}).Asm)
			if n := strings.Count(ptx, "mul.lo") + strings.Count(ptx, "mad.lo"); (n < row.n) != row.reduced {
				t.Errorf("%d products: %d multiplications", row.n, n)
			}
		}
	})
}

// products returns a kernel that stores (a+i)*b for n numbers i: a sum, a product and an address each.
func products(n int) string {
	var b strings.Builder
	b.WriteString("define ptx_kernel void @k(ptr addrspace(1) %p, i32 %a, i32 %b) {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%s%[1]d = add i32 %%a, %[2]d\n  %%m%[1]d = mul i32 %%s%[1]d, %%b\n"+
			"  %%g%[1]d = getelementptr i32, ptr addrspace(1) %%p, i32 %[1]d\n"+
			"  store i32 %%m%[1]d, ptr addrspace(1) %%g%[1]d\n", i, 2*i+1)
	}
	return b.String() + "  ret void\n}\n"
}
