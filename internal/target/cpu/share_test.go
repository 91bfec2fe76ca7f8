package cpu_test

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// matmulKernel returns the kernel of kernels/matmul.py and a stream to launch it on.
func matmulKernel(t *testing.T) (*nereid.Kernel, *nereid.Stream) {
	t.Helper()
	dev := hostCPU(t)
	stream := streamOf(t, dev)
	m, err := nereid.LoadFS(kernels.Files, "matmul.py")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
	return k, stream
}

// TestSharedOperand: programs that find the right operand packed by their neighbours compute what they would
// without, also if it has changed since the launch before.
func TestSharedOperand(t *testing.T) {
	k, stream := matmulKernel(t)
	const rows, cols, depth = 1040, 80, 70 // neither is a multiple of the blocks
	a, b, c := make([]float32, rows*depth), make([]float32, depth*cols), make([]float32, rows*cols)
	for i := range a {
		a[i] = float32(i%13 - 6)
	}
	for launch := range 4 {
		for i := range b {
			b[i] = float32((i+launch)%7 - 3)
		}
		grid := nereid.Grid{(rows + 15) / 16 * ((cols + 31) / 32)}
		x, y, z := nereid.FromSlice(a), nereid.FromSlice(b), nereid.FromSlice(c)
		if err := k.Launch(stream, grid, x, y, z, rows, cols, depth, depth, 1, cols, 1, cols, 1,
			16, 32, 32, 8, ""); err != nil {
			t.Fatal(err)
		}
		for i := range c {
			want := 0.0
			for l := range depth {
				want += float64(a[i/cols*depth+l]) * float64(b[l*cols+i%cols])
			}
			if math.Abs(float64(c[i])-want) > 1e-3 {
				t.Fatalf("launch %d: element %d is %v, want %v", launch, i, c[i], want)
			}
		}
	}
}

// TestNoRounds: a sum of no products is zero, also where an earlier program left its own sum in scratch.
func TestNoRounds(t *testing.T) {
	k, stream := matmulKernel(t)
	const n = 64
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = 1, 1
	}
	for _, depth := range []int{n, 0, n, 0} {
		x, y, z := nereid.FromSlice(a), nereid.FromSlice(b), nereid.FromSlice(c)
		if err := k.Launch(stream, nereid.Grid{4}, x, y, z, n, n, depth, n, 1, n, 1, n, 1,
			32, 32, 32, 8, ""); err != nil {
			t.Fatal(err)
		}
		for i, v := range c {
			if v != float32(depth) {
				t.Fatalf("depth %d: element %d is %v", depth, i, v)
			}
		}
	}
}
