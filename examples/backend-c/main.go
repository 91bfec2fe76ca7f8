// Command backend-c runs three kernels on the back end of package target, compares them with the
// interpreter, and prints the times of both.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	_ "example.com/backend-c/target" // the device "c"
	"github.com/nereid-lang/nereid"
)

// kernels is the folder of Nereid's own kernels, seen from this one.
const kernels = "../../kernels/"

// sample is a launch of a kernel on data that fill makes: the first tensors are read, the last ones
// written.
type sample struct {
	name, file, kernel string
	grid               nereid.Grid
	in, out            []int // elements of each tensor
	args               func(in, out []*nereid.Tensor) []any
}

func vectorAdd(n, block int) sample {
	return sample{
		name: fmt.Sprintf("vector add of %d", n), file: "vector_add.py", kernel: "add_kernel",
		grid: nereid.Grid{nereid.Cdiv(n, block)}, in: []int{n, n}, out: []int{n},
		args: func(in, out []*nereid.Tensor) []any { return []any{in[0], in[1], out[0], n, block} },
	}
}

func softmax(rows, cols, block int) sample {
	return sample{
		name: fmt.Sprintf("softmax of %d x %d", rows, cols), file: "softmax.py", kernel: "softmax_kernel",
		grid: nereid.Grid{rows}, in: []int{rows * cols}, out: []int{rows * cols},
		args: func(in, out []*nereid.Tensor) []any { return []any{out[0], in[0], cols, cols, cols, block} },
	}
}

func layerNorm(rows, cols, block int) sample {
	return sample{
		name: fmt.Sprintf("layer norm of %d x %d", rows, cols), file: "layer_norm.py",
		kernel: "layer_norm_kernel", grid: nereid.Grid{rows}, in: []int{rows * cols, cols, cols},
		out: []int{rows * cols, rows, rows}, args: func(in, out []*nereid.Tensor) []any {
			return []any{in[0], out[0], in[1], in[2], out[1], out[2], cols, cols, float32(1e-5), block}
		},
	}
}

// run launches a sample on a device and returns what it wrote, and how long a second launch took.
func (s sample) run(ctx context.Context, device string) ([][]float32, time.Duration, error) {
	m, err := nereid.Load(kernels + s.file)
	if err != nil {
		return nil, 0, err
	}
	k, err := m.Kernel(s.kernel)
	if err != nil {
		return nil, 0, err
	}
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		return nil, 0, err
	}
	stream, err := dev.NewStream(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer stream.Close()
	random := rand.New(rand.NewPCG(1, 2))
	var in, out []*nereid.Tensor
	for _, n := range s.in {
		x := make([]float32, n)
		for i := range x {
			x[i] = random.Float32()*4 - 2
		}
		in = append(in, nereid.FromSlice(x))
	}
	var results [][]float32
	for _, n := range s.out {
		x := make([]float32, n)
		results, out = append(results, x), append(out, nereid.FromSlice(x))
	}
	var took time.Duration
	for range 2 { // the first compiles
		start := time.Now()
		if err := k.Launch(stream, s.grid, s.args(in, out)...); err != nil {
			return nil, 0, err
		}
		if err := stream.Sync(); err != nil {
			return nil, 0, err
		}
		took = time.Since(start)
	}
	return results, took, nil
}

// difference returns the largest difference between two results, relative to numbers above 1.
func difference(got, want [][]float32) (worst float64) {
	for i := range want {
		for j, w := range want[i] {
			d := math.Abs(float64(got[i][j])-float64(w)) / max(1, math.Abs(float64(w)))
			if math.IsNaN(d) {
				return math.Inf(1)
			}
			worst = max(worst, d)
		}
	}
	return worst
}

// tolerance allows for sums in another order and for another exp.
const tolerance = 1e-5

func main() {
	failed := false
	for _, s := range []sample{vectorAdd(100_000, 1024), softmax(64, 1000, 1024), layerNorm(64, 1000, 256)} {
		line, err := s.check(context.Background())
		fmt.Printf("%-28s %s\n", s.name, line)
		failed = failed || err != nil
	}
	if failed {
		os.Exit(1)
	}
}

// check runs a sample on both devices and says whether they agree.
func (s sample) check(ctx context.Context) (string, error) {
	want, slow, err := s.run(ctx, "interp")
	if err != nil {
		return err.Error(), err
	}
	got, fast, err := s.run(ctx, "c")
	if err != nil {
		return err.Error(), err
	}
	if d := difference(got, want); d > tolerance {
		err := fmt.Errorf("WRONG: differs from the interpreter by %.2g", d)
		return err.Error(), err
	}
	return fmt.Sprintf("right: interp %v, c %v", slow.Round(time.Microsecond), fast.Round(time.Microsecond)),
		nil
}
