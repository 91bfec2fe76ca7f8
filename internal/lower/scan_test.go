package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestScanShifts: a scan over lanes that follow each other, whichever bits of their numbers they are, shifts
// once for each bit, up or down, and the shift itself says which lanes have got something. Many scans at a
// time do not.
func TestScanShifts(t *testing.T) {
	for _, x := range []struct {
		threads string
		shape   []int
		reverse bool
		want    string // of the last shift, "" if there is none
	}{
		{"[1, 32]", []int{4, 32}, false, ", 16, 0, -1;"},
		{"[1, 32]", []int{4, 32}, true, ", 16, 31, -1;"},
		{"[8, 4]", []int{8, 16}, false, ", 16, 0, -1;"},
		{"[4, 8]", []int{16, 8}, true, ", 4, 6175, -1;"},
		{"[1, 32]", []int{8, 32}, false, ""},
	} {
		enc := "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = " + x.threads +
			", warpsPerCTA = [1, 1], order = [1, 0]}>"
		shape, axis, n := x.shape, 1, x.shape[0]*x.shape[1]
		if x.threads == "[8, 4]" {
			axis = 0
		}
		in := fmt.Sprintf("tensor<%dx%dxi32, %s>", shape[0], shape[1], enc)
		text := moduleText(1, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n"+
			offsetsText("o", shape, enc)+accessText("x", "o", "v", shape, "i32", enc, false)+
			fmt.Sprintf("%%w = \"tt.scan\"(%%v) <{axis = %d : i32, reverse = %v}> ({\n"+
				"^bb0(%%a: i32, %%b: i32):\n%%s = arith.addi %%a, %%b : i32\ntt.scan.return %%s : i32\n"+
				"}) : (%s) -> %s\n", axis, x.reverse, in, in)+
			accessText("y", "o", "w", shape, "i32", enc, true)+"tt.return\n}\n")
		runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, n, 100), ints(ir.I32, n, 2)}}, 0)
		_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
		way := map[bool]string{false: "shfl.sync.up", true: "shfl.sync.down"}[x.reverse]
		if strings.Contains(string(ptx), way) != (x.want != "") || !strings.Contains(string(ptx), x.want) {
			t.Errorf("%v, threads %s, reverse %v: not %s … %q in\n%s",
				shape, x.threads, x.reverse, way, x.want, ptx)
		}
	}
}
