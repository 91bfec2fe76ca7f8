package cpu_test

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// TestSharedOperand: programs that find the right operand packed by their neighbours compute what they would
// without, also if it has changed since the launch before.
func TestSharedOperand(t *testing.T) {
	dev, err := nereid.Open("cpu")
	if err != nil {
		t.Skip(err)
	}
	stream, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	m, err := nereid.LoadFS(kernels.Files, "matmul.py")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
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
