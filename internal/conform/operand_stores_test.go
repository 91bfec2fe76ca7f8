package conform

import (
	"bytes"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestOperandsKept multiplies matrices that were loaded before something changed the memory that they come
// from. Code that reads operands in place must not see the change.
func TestOperandsKept(t *testing.T) {
	judge, devices := interpreter(t), opened(t, "cpu")
	x := numbers(f32, 96*16)
	for _, rows := range []string{"i", "i % n", "(tl.program_id(0) * 16 + i) % n"} {
		for _, change := range []string{
			"tl.store(x + rows[:, None] * 16 + i[None, :], 2.0)",
			"tl.store(x + i, 3.0)",
			"tl.atomic_add(x + i, 4.0)",
			"if n > 3:\n    tl.store(x + i[:, None] * 16 + i[None, :], 5.0)",
			"for m in range(n):\n    tl.store(x + m * 16 + i, 6.0)",
		} {
			for _, product := range []string{"tl.dot(v, w", "tl.dot(w, v"} {
				k := kernelOf(t, "@triton.jit\ndef k(x, y, n):\n", "i = tl.arange(0, 16)\nrows = "+rows+`
w = (i[:, None] + 2 * i[None, :]).to(tl.float32)
v = tl.load(x + rows[:, None] * 16 + i[None, :])
`+change+"\nu = "+product+`, input_precision="ieee")
tl.store(y + i[:, None] * 16 + i[None, :], u)`)
				for _, n := range []int{16, 11} {
					want := leaves(t, k, judge, nereid.Grid{1}, x, newArray(f32, 256), n)
					for _, dev := range devices {
						got := leaves(t, k, dev, nereid.Grid{1}, x, newArray(f32, 256), n)
						if !bytes.Equal(got, want) {
							t.Errorf("%s, rows %s, n = %d on %s: after %s the product differs", product, rows,
								n, dev, change)
						}
					}
				}
			}
		}
	}
}
