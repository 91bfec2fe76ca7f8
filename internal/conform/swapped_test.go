package conform

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const swappedPointers = header + `
@triton.jit
def turns(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p, q = x + i, y + i
    for k in range(n):
        tl.store(out + k * B + i, tl.load(p))
        p, q = q, p
    tl.store(q, tl.load(q) + 1000)

@triton.jit
def ahead(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p = x + i
    for k in range(n):
        tl.store(out + k * B + i, tl.load(p))
        p = y + k * B + i
    tl.store(p, tl.load(p) + 1000)

@triton.jit
def lone(x, y, out, n, B: tl.constexpr):
    p, q = x, y
    for k in range(n):
        for j in range(B):
            tl.store(out + k * B + j, tl.load(p + j))
        p, q = q, p
    tl.store(q + 3, 1000.0)
`

// TestSwappedPointers: pointers of a loop may come from another argument in each iteration, whatever offsets
// they have.
func TestSwappedPointers(t *testing.T) {
	m, err := nereid.Parse("swapped.py", []byte(swappedPointers), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"interp", "cpu", "sim:90", "sim:gfx942", "sim:gfx1100"} {
		s := txtest.Open(t, txtest.Device(t, device, nereid.OpenDevice).NewStream, t.Context())
		for _, kernel := range []string{"turns", "ahead", "lone"} {
			for _, n := range []int{0, 1, 2, 5} {
				if err := swapped(m, s, kernel, n); err != nil {
					t.Errorf("%s on %s, %d iterations: %v", kernel, device, n, err)
				}
			}
		}
	}
}

func swapped(m *nereid.Module, s *nereid.Stream, kernel string, n int) error {
	const block, most = 64, 5
	k, err := m.Kernel(kernel)
	if err != nil {
		return err
	}
	from := map[string][]float32{"x": make([]float32, block), "y": make([]float32, block*most),
		"out": make([]float32, block*most)}
	want := map[string][]float32{}
	for name, list := range from {
		for i := range list {
			list[i] = float32(i + 10000*int(name[0]-'w'))
		}
		want[name] = append([]float32(nil), list...)
	}
	expectSwapped(want, kernel, n, block)
	args := []any{nereid.FromSlice(from["x"]), nereid.FromSlice(from["y"]), nereid.FromSlice(from["out"]), n,
		block}
	if err := k.Launch(s, nereid.Grid{1}, args...); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	for name, list := range want {
		for i, v := range list {
			if got := from[name][i]; got != v {
				return fmt.Errorf("%s[%d] is %v, not %v", name, i, got, v)
			}
		}
	}
	return nil
}

// expectSwapped does in Go what the kernels do.
func expectSwapped(mem map[string][]float32, kernel string, n, block int) {
	p, q := mem["x"], mem["y"]
	for k := range n {
		copy(mem["out"][k*block:(k+1)*block], p[:block])
		if kernel == "ahead" {
			p = mem["y"][k*block:]
		} else {
			p, q = q, p
		}
	}
	switch kernel {
	case "turns":
		for i := range block {
			q[i] += 1000
		}
	case "ahead":
		for i := range block {
			p[i] += 1000
		}
	case "lone":
		q[3] = 1000
	}
}
