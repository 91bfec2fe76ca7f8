package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestReduceIntoLayout sums the rows of a matrix whose columns lie across lanes, and across two warps or not.
// Lanes share the rows out, and the sums come out of shared memory in the layout in which they are stored,
// without a second exchange.
func TestReduceIntoLayout(t *testing.T) {
	for warps, exchanges := range map[string]int{"2, 2": 16 + 8 + 4 + 2 + 1, "4, 1": 8 + 4 + 2 + 1 + 1} {
		t.Run(warps, func(t *testing.T) { reduceIntoLayout(t, warps, exchanges) })
	}
}

func reduceIntoLayout(t *testing.T, warps string, exchanges int) {
	enc := "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [" + warps + "], " +
		"order = [1, 0]}>"
	const line = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	slice := "#ttg.slice<{dim = 1, parent = " + enc + "}>"
	shape, rest := []int{64, 64}, []int{64}
	body := "tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" + offsetsText("o", shape, enc) +
		accessText("x", "o", "v", shape, "f32", enc, false) +
		fmt.Sprintf("%%w = \"tt.reduce\"(%%v) <{axis = 1 : i32}> %s : (tensor<64x64xf32, %s>) -> "+
			"tensor<64xf32, %s>\n", strings.ReplaceAll(combineText("sum", "f32"), "tt.RETURN",
			"tt.reduce.return"), enc, slice) +
		fmt.Sprintf("%%u = ttg.convert_layout %%w : tensor<64xf32, %s> -> tensor<64xf32, %s>\n", slice,
			line) +
		offsetsText("n", rest, line) + accessText("y", "n", "u", rest, "f32", line, true) + "tt.return\n}\n"
	l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.F32, 64*64, 9), ints(ir.F32, 64, 2)}}
	ptx := string(runBothOn(t, 90, moduleText(4, body), l, 4))
	for what, want := range map[string]int{
		"shfl.sync.bfly": exchanges, "st.shared": 1, "ld.shared": 1, "bar.sync": 1,
	} {
		if got := strings.Count(ptx, what); got != want {
			t.Errorf("%s: %d times, not %d", what, got, want)
		}
	}
}
