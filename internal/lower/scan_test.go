package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestScanShifts: a scan over lanes that follow each other, whichever bits of their numbers they are, shifts
// once for each bit, up or down, and the shift itself says which lanes have got something.
func TestScanShifts(t *testing.T) {
	for _, x := range []struct {
		threads string
		reverse bool
		want    string // of the last shift
	}{
		{"[1, 32]", false, ", 16, 0, -1;"},
		{"[1, 32]", true, ", 16, 31, -1;"},
		{"[8, 4]", false, ", 16, 0, -1;"},
		{"[4, 8]", true, ", 4, 6175, -1;"},
	} {
		enc := "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = " + x.threads +
			", warpsPerCTA = [1, 1], order = [1, 0]}>"
		shape, axis := []int{8, 32}, 1
		if x.threads == "[8, 4]" {
			axis = 0
		}
		in := "tensor<8x32xi32, " + enc + ">"
		text := moduleText(1, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n"+
			offsetsText("o", shape, enc)+accessText("x", "o", "v", shape, "i32", enc, false)+
			fmt.Sprintf("%%w = \"tt.scan\"(%%v) <{axis = %d : i32, reverse = %v}> ({\n"+
				"^bb0(%%a: i32, %%b: i32):\n%%s = arith.addi %%a, %%b : i32\ntt.scan.return %%s : i32\n"+
				"}) : (%s) -> %s\n", axis, x.reverse, in, in)+
			accessText("y", "o", "w", shape, "i32", enc, true)+"tt.return\n}\n")
		runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 256, 100), ints(ir.I32, 256, 2)}}, 0)
		_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
		way := map[bool]string{false: "shfl.sync.up", true: "shfl.sync.down"}[x.reverse]
		if !strings.Contains(string(ptx), way) || !strings.Contains(string(ptx), x.want) {
			t.Errorf("threads %s, reverse %v: no %s … %s in\n%s", x.threads, x.reverse, way, x.want, ptx)
		}
	}
}
