package conform

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const edgeStores = header + `
@triton.jit
def put(x, M, N, S, r, c, R: tl.constexpr, C: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[S, 1], block_shape=[R, C])
    i = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    d.store([r, c], i.to(tl.float32))

@triton.jit
def add(x, M, N, S, r, c, R: tl.constexpr, C: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[S, 1], block_shape=[R, C])
    i = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    d.atomic_add([r, c], i.to(tl.float32))
`

// TestEdgesOfTensors: blocks that are larger than a tensor and begin anywhere around it change the tensor's
// elements and nothing beside or below them.
func TestEdgesOfTensors(t *testing.T) {
	m, err := nereid.Parse("edges.py", []byte(edgeStores), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"interp", "cpu", "sim:90", "sim:80"} {
		s := txtest.Open(t, txtest.Device(t, device, nereid.OpenDevice).NewStream, t.Context())
		for _, kernel := range []string{"put", "add"} {
			for _, r := range []int{-9, -3, 0, 2} {
				for _, c := range []int{-17, -4, 0, 5} {
					if err := storeAtEdge(m, s, kernel, r, c); err != nil {
						t.Errorf("%s on %s at %d, %d: %v", kernel, device, r, c, err)
					}
				}
			}
		}
	}
}

func storeAtEdge(m *nereid.Module, s *nereid.Stream, kernel string, r, c int) error {
	const rows, cols, stride, high, wide, all = 5, 12, 20, 16, 32, 12
	k, err := m.Kernel(kernel)
	if err != nil {
		return err
	}
	mem := make([]float32, all*stride)
	want := make([]float32, all*stride)
	for i := range mem {
		mem[i], want[i] = -1, -1
	}
	for i := range high {
		for j := range wide {
			if y, x := r+i, c+j; y >= 0 && y < rows && x >= 0 && x < cols {
				v := float32(i*wide + j)
				if kernel == "add" {
					v--
				}
				want[y*stride+x] = v
			}
		}
	}
	err = k.Launch(s, nereid.Grid{1}, nereid.FromSlice(mem), rows, cols, stride, r, c, high, wide)
	if err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	for i, v := range want {
		if mem[i] != v {
			return fmt.Errorf("row %d, column %d is %v, not %v", i/stride, i%stride, mem[i], v)
		}
	}
	return nil
}
