package conform

import (
	"bytes"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestOperandsKept multiplies matrices that were loaded before something changed the memory that they come
// from. Code that reads operands in place must not see the change. At each commit it is every other change.
func TestOperandsKept(t *testing.T) {
	judge, devices, chosen := interpreter(t), opened(t, "cpu"), txtest.Sample(t, 2)
	x := numbers(f32, 96*16)
	for i, rows := range []string{"i", "i % n", "(tl.program_id(0) * 16 + i) % n"} {
		for j, change := range []string{
			"tl.store(x + rows[:, None] * 16 + i[None, :], 2.0)",
			"tl.store(x + i, 3.0)",
			"tl.atomic_add(x + i, 4.0)",
			"if n > 3:\n    tl.store(x + i[:, None] * 16 + i[None, :], 5.0)",
			"for m in range(n):\n    tl.store(x + m * 16 + i, 6.0)",
		} {
			if !chosen(i + j) {
				continue
			}
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

// TestFloatOperands multiplies in TF32 what is converted in registers: tensor cores want its columns side by
// side in shared memory, and lanes store their parts of a row in different orders to reach different banks.
// With small whole numbers every sum is exact.
func TestFloatOperands(t *testing.T) {
	judge := interpreter(t)
	dev := opened(t, "sim:90")[0]
	for _, c := range []struct{ m, n, k, warps int }{
		{64, 64, 64, 4}, {64, 16, 32, 4}, {64, 128, 16, 4}, {64, 8, 128, 4}, {128, 32, 64, 8},
		{128, 256, 16, 8},
	} {
		for _, b := range []string{"kk[:, None] * N + j[None, :]", "j[None, :] * K + kk[:, None]"} {
			for _, dt := range []*dtype{f16, f32} {
				k := kernelOf(t, `@triton.jit
def k(x, out, y, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
`, `i, j, kk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
v = (tl.load(x + i[:, None] * K + kk[None, :]).to(tl.int32) % 7 - 3).to(tl.float32)
w = (tl.load(y + `+b+`).to(tl.int32) % 5 - 2).to(tl.float32)
tl.store(out + i[:, None] * N + j[None, :], tl.dot(v, w))`)
				run := func(dev *nereid.Device) []byte {
					return leaves(t, k, dev, nereid.Grid{1}, numbers(dt, c.m*c.k), newArray(f32, c.m*c.n),
						lend(t, dev, numbers(dt, c.k*c.n)), c.m, c.n, c.k, nereid.Options{NumWarps: c.warps})
				}
				if !bytes.Equal(run(dev), run(judge)) {
					t.Errorf("%+v, right operand at %s, %v: the product differs", c, b, dt)
				}
			}
		}
	}
}
