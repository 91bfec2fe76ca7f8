package amd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target"
)

// productTypes are element types of products' operands, with that of the result.
var productTypes = map[string]string{"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64", "i8": "i32",
	"f8E4M3FN": "f32", "f8E5M2": "f32", "f8E4M3FNUZ": "f32"}

// TestProducts: for every chip, type and size of a product, the compiler chooses a matrix instruction that
// there is, or none: each becomes LLVM IR. Products of 16 bits use the matrix cores of chips that have some.
func TestProducts(t *testing.T) {
	for _, name := range chip.HIPNames() {
		row := chip.Of("hip", name)
		c := Compiler{Chip: name}
		for elem, sum := range productTypes {
			for _, size := range [][3]int{{16, 16, 16}, {32, 32, 16}, {16, 64, 64}} {
				m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(productText(size, elem, sum)))
				if err != nil {
					t.Fatal(err)
				}
				in := &target.Input{Module: m, Kernel: "k", Until: "llir",
					Options: target.Options{NumWarps: 4, NumStages: 1, NumCTAs: 1}}
				if _, err := c.CompileOnly(t.Context(), in); err != nil {
					t.Errorf("%s: %s, %v: %v", name, elem, size, err)
					continue
				}
				text := m.String()
				cores := strings.Contains(text, "#ttg.amd_mfma") || strings.Contains(text, "#ttg.amd_wmma")
				if has := row.MFMA > 0 || row.WMMA > 0; elem == "f16" && cores != has {
					t.Errorf("%s: %s, %v: matrix cores are used: %v", name, elem, size, cores)
				}
			}
		}
	}
}

// productText returns a kernel that multiplies two matrices of ones.
func productText(size [3]int, elem, sum string) string {
	one := "1"
	if !strings.HasPrefix(elem, "i") {
		one = "1.0"
	}
	m, n, k := size[0], size[1], size[2]
	return fmt.Sprintf(`tt.func public @k(%%p: !tt.ptr<%[5]s>, %%x: %[4]s) {
  %%a = tt.splat %%x : %[4]s -> tensor<%[1]dx%[3]dx%[4]s>
  %%b = arith.constant dense<%[6]s> : tensor<%[3]dx%[2]dx%[4]s>
  %%c = arith.constant dense<%[7]s> : tensor<%[1]dx%[2]dx%[5]s>
  %%d = tt.dot %%a, %%b, %%c : tensor<%[1]dx%[3]dx%[4]s> * tensor<%[3]dx%[2]dx%[4]s>
    -> tensor<%[1]dx%[2]dx%[5]s>
  %%s = tt.splat %%p : !tt.ptr<%[5]s> -> tensor<%[1]dx%[2]dx!tt.ptr<%[5]s>>
  tt.store %%s, %%d : tensor<%[1]dx%[2]dx!tt.ptr<%[5]s>>
  tt.return
}
`, m, n, k, elem, sum, one, strings.ReplaceAll(one, "1", "0"))
}
