package programs

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestMergedWarps: warps are halved while none of them has more than 16 elements of a tensor.
func TestMergedWarps(t *testing.T) {
	for _, c := range []struct{ elements, warps, want int }{
		{1024, 4, 4}, {128, 4, 4}, {64, 4, 2}, {32, 4, 1}, {16, 4, 1}, {8, 1, 1}, {128, 8, 4}, {256, 8, 8},
	} {
		text := fmt.Sprintf("tt.func @k() {\n%%r = tt.make_range {end = %d : i32, start = 0 : i32} : "+
			"tensor<%[1]dxi32>\ntt.return\n}\n", c.elements)
		m, err := ir.Parse(diag.NewFileSet(), "k.mlir", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := MergedWarps(m, c.warps); got != c.want {
			t.Errorf("%d elements, %d warps: %d, want %d", c.elements, c.warps, got, c.want)
		}
	}
}
