package conform

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestTileProducts: the operands of a wide product come by the copy engine, unless the tensor cores would
// need them transposed: only those of 16 bits may have their depth along either dimension. Sums are small
// enough to be exact in the 14 bits to which a GPU adds products of fp8.
func TestTileProducts(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	const rows, columns, depth, behind = 128, 256, 128, 1 << 16
	for _, c := range []struct {
		of    *dtype
		block int // along depth
		left  bool
		right bool // whether neighbours along depth are neighbours in memory
		maps  int
	}{
		{f16, 64, true, false, 2}, {bf16, 64, false, true, 2},
		{e4m3, 64, true, true, 2}, {e5m2, 128, true, true, 2}, {e4m3, 64, true, false, 0},
		{e5m2, 64, false, true, 0},
		{i8, 64, true, true, 2}, {i8, 64, false, false, 0},
		{f32, 32, true, true, 2}, {f32, 32, true, false, 0},
	} {
		name := fmt.Sprintf("%s, left %v, right %v", c.of.name, c.left, c.right)
		t.Run(name, func(t *testing.T) {
			out, sum := f32, "tl.float32"
			if c.of == i8 {
				out, sum = i32, "tl.int32"
			}
			a, b := "r[:, None] * s + k[None, :]", "k[:, None] + c[None, :] * s"
			if !c.left {
				a = "r[:, None] + k[None, :] * s"
			}
			if !c.right {
				b = "k[:, None] * s + c[None, :]"
			}
			dump := t.TempDir()
			k := kernelOf(t, "\n@triton.jit\ndef k(x, y, n, s, BLOCK: tl.constexpr):\n", fmt.Sprintf(`
r, c = tl.arange(0, %d), tl.arange(0, %d)
acc = tl.zeros((%[1]d, %[2]d), %[3]s)
for i in range(0, n, BLOCK):
    k = i + tl.arange(0, BLOCK)
    a = tl.load(x + %[4]s, mask=k[None, :] < n)
    b = tl.load(x + %[5]d + %[6]s, mask=k[:, None] < n)
    acc = tl.dot(a, b, acc, out_dtype=%[3]s)
tl.store(y + r[:, None] * %[2]d + c[None, :], acc)`, rows, columns, sum, a, behind, b),
				nereid.With(nereid.Config{Dump: dump}))
			x := newArray(c.of, 2*behind)
			for i := range x.len() {
				x.setFloat(i, float64(i*i/7%4))
			}
			run := func(dev *nereid.Device) []byte {
				return leaves(t, k, dev, nereid.Grid{1}, x, newArray(out, rows*columns),
					depth, max(rows, columns), c.block, nereid.Options{NumWarps: 8, NumStages: 3})
			}
			if !bytes.Equal(run(judge), run(dev)) {
				t.Error("results differ")
			}
			if got := mapsIn(t, dump); got != c.maps {
				t.Errorf("the kernel takes %d tensor maps, not %d", got, c.maps)
			}
		})
	}
}
