package lower

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestMatrices reads operands of mma from buffers, with ldmatrix where it can.
func TestMatrices(t *testing.T) {
	swizzled := func(vec, per, most int, order string) string {
		return fmt.Sprintf("#ttg.swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = [%s]}>",
			vec, per, most, order)
	}
	for _, c := range []struct {
		name       string
		elem       ir.Type
		rows, cols int
		warps      string
		shared     string
		operand    int
		want       string // "" is no ldmatrix
	}{
		{"a", ir.F16, 64, 64, "2, 2", swizzled(8, 1, 8, "1, 0"), 0, "x4.shared"},
		{"b", ir.F16, 64, 64, "2, 2", swizzled(8, 1, 8, "1, 0"), 1, "x4.trans.shared"},
		{"a transposed", ir.BF16, 32, 64, "4, 1", swizzled(8, 1, 4, "0, 1"), 0, "x4.trans.shared"},
		{"b transposed", ir.F16, 32, 64, "1, 4", swizzled(8, 2, 4, "0, 1"), 1, "x4.shared"},
		{"small b", ir.F16, 16, 8, "1, 1", swizzled(8, 1, 1, "1, 0"), 1, "x2.trans.shared"},
		{"plain", ir.F16, 32, 32, "2, 1", swizzled(1, 1, 1, "1, 0"), 0, "x4.shared"},
		{"rows in pieces", ir.F16, 32, 32, "2, 1", swizzled(4, 1, 8, "1, 0"), 0, ""},
		{"words", ir.F32, 32, 32, "2, 1", swizzled(4, 1, 8, "1, 0"), 0, "x4.shared"},
		{"words of b", ir.F32, 32, 32, "2, 1", swizzled(4, 1, 8, "0, 1"), 1, "x4.shared"},
		{"words transposed", ir.F32, 32, 32, "2, 1", swizzled(8, 1, 4, "1, 0"), 1, ""},
		{"bytes", ir.I8, 64, 64, "2, 2", swizzled(16, 2, 4, "1, 0"), 0, "x4.shared"},
		{"bytes of b", ir.I8, 64, 64, "2, 2", swizzled(16, 2, 4, "0, 1"), 1, "x4.shared"},
		{"bytes transposed", ir.I8, 64, 64, "2, 2", swizzled(8, 2, 8, "1, 0"), 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var wm, wn int
			fmt.Sscanf(c.warps, "%d, %d", &wm, &wn)
			shape, elem := []int{c.rows, c.cols}, fmt.Sprint(c.elem)
			blocked := fmt.Sprintf("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], "+
				"warpsPerCTA = [%d, 1], order = [1, 0]}>", wm*wn)
			width := max(1, 32/bitsOf(c.elem))
			dot := fmt.Sprintf("#ttg.dot_op<{opIdx = %d, parent = #ttg.nvidia_mma<{versionMajor = 2, "+
				"versionMinor = 0, warpsPerCTA = [%s], instrShape = [16, 8]}>, kWidth = %d}>", c.operand,
				c.warps, width)
			tensor := func(enc string) string {
				return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, elem), enc)
			}
			mem := fmt.Sprintf("!ttg.memdesc<%s, %s, #ttg.shared_memory>", shapeText(shape, elem), c.shared)
			text := moduleText(wm*wn, fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n",
				elem, elem)+
				offsetsText("o", shape, blocked)+accessText("x", "o", "v", shape, elem, blocked, false)+
				fmt.Sprintf("%%m = ttg.local_alloc %%v : (%s) -> %s\n%%d = ttg.local_load %%m : %s -> %s\n"+
					"%%w = ttg.convert_layout %%d : %s -> %s\n",
					tensor(blocked), mem, mem, tensor(dot), tensor(dot), tensor(blocked))+
				accessText("y", "o", "w", shape, elem, blocked, true)+"tt.return\n}\n")
			n := size(shape)
			runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{&buf{elem: c.elem, n: n, lo: -100, hi: 100},
				floats(c.elem, n)}}, 0)
			_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
			if c.want == "" && bytes.Contains(ptx, []byte("ldmatrix")) ||
				!bytes.Contains(ptx, []byte(c.want)) {
				t.Errorf("expected %q in\n%s", c.want, ptx)
			}
		})
	}
}
