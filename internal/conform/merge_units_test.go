package conform

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestMergedUnits launches merged programs with strides in block pointers, of columns, and in other places.
// The interpreter says what is right.
func TestMergedUnits(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	t.Setenv("NEREID_MERGE_PROGRAMS", "all")
	const head = "\n@triton.jit\ndef k(x, y, n, a: int, b: int):\n"
	for _, c := range unitCases {
		t.Run(c.name, func(t *testing.T) {
			dump := t.TempDir()
			k := kernelOf(t, head, c.body, nereid.With(nereid.Config{Dump: dump}))
			for _, strides := range [][2]int{{2, 1}, {1, 2}, {2, 3}, {1, 1}} {
				for _, grid := range []nereid.Grid{{8, 1, 1}, {3, 1, 1}} {
					args := []any{500, strides[0], strides[1], nereid.Options{NumWarps: 4}}
					x, y := numbers(f32, 8192), newArray(f32, 8192)
					want := leaves(t, k, judge, grid, x, y, args...)
					if got := leaves(t, k, dev, grid, x, y, args...); !bytes.Equal(want, got) {
						t.Errorf("grid %v, strides %v: results differ", grid, strides)
					}
				}
			}
			if wide := strings.Contains(onlyTTGIR(t, dump), "sizePerThread = "+c.wide); !wide {
				t.Errorf("the code for strides of 1 has no accesses of neighbours")
			}
		})
	}
}

// unitCases are kernels, and the elements that a thread has in a row if a and b are 1.
var unitCases = []struct{ name, body, wide string }{
	{"block pointers", `
p = tl.program_id(0).to(tl.int64)
i = (p * 256).to(tl.int32)
v = tl.load(tl.make_block_ptr(x, (n,), (a,), (i,), (256,), (0,)), boundary_check=(0,))
tl.store(tl.make_block_ptr(y, (n,), (b,), (i,), (256,), (0,)), v + 1, boundary_check=(0,))`, "[2]"},
	{"rows", `
r, i = tl.program_id(0) * 4 + tl.arange(0, 4)[:, None], tl.arange(0, 64)[None, :]
tl.store(y + r * 128 + i * b, tl.load(x + r * 128 + i * a))`, "[1, 2]"},
	{"a stride that is a value as well", `
i = tl.program_id(0) * 256 + tl.arange(0, 256)
tl.store(y + i * b, tl.load(x + i * a) * a + (b - 3))`, "[2]"},
	{"elements apart", `
i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
j = i * 7 % 2048
tl.store(y + j * b, tl.load(x + j * a))`, "[1]"},
}
