// Command backend-c runs three kernels on the back ends of package target: on "c", which uses the host's
// memory, and on two devices of "c-device" at once, each with memory and a stream of its own. It
// compares them with the interpreter and prints the times of all. With arguments it is the command nereid
// with these back ends: "backend-c devices", "backend-c aot TABLE -o B.nrb --targets c-device".
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	_ "example.com/backend-c/target" // the devices "c", "c-device:0" and "c-device:1"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/cli"
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

// running is a sample on a device: its tensors there, and its stream.
type running struct {
	stream  *nereid.Stream
	launch  func() error
	out     []*nereid.Tensor
	tensors []*nereid.Tensor
}

// start makes the tensors of a sample on a device, and its kernel ready.
func (s sample) start(ctx context.Context, device string) (*running, error) {
	m, err := nereid.Load(kernels + s.file)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(s.kernel)
	if err != nil {
		return nil, err
	}
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		return nil, err
	}
	r := &running{}
	if r.stream, err = dev.NewStream(ctx); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i, n := range append(slices.Clone(s.in), s.out...) {
		x := make([]float32, n)
		for j := range x {
			if i < len(s.in) {
				x[j] = random.Float32()*4 - 2
			}
		}
		t, err := nereid.FromSlice(x).To(dev)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.tensors = append(r.tensors, t)
	}
	in, out := r.tensors[:len(s.in)], r.tensors[len(s.in):]
	r.out = out
	r.launch = func() error { return k.Launch(r.stream, s.grid, s.args(in, out)...) }
	return r, nil
}

// results waits for the stream and returns what the sample wrote.
func (r *running) results() (list [][]float32, err error) {
	if err := r.stream.Sync(); err != nil {
		return nil, err
	}
	for _, t := range r.out {
		x := make([]float32, t.Len())
		err = errors.Join(err, nereid.CopyTo(x, t))
		list = append(list, x)
	}
	return list, err
}

func (r *running) close() (err error) {
	for _, t := range r.tensors {
		err = errors.Join(err, t.Close())
	}
	return errors.Join(err, r.stream.Close())
}

// run launches a sample on devices, on all of them before it waits for any, and returns what each wrote and
// how long a second launch took.
func (s sample) run(ctx context.Context, devices ...string) (results [][][]float32, took time.Duration,
	err error) {
	var list []*running
	defer func() {
		for _, r := range list {
			err = errors.Join(err, r.close())
		}
	}()
	for _, name := range devices {
		r, err := s.start(ctx, name)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, r)
	}
	for range 2 { // the first compiles
		results = nil
		start := time.Now()
		for _, r := range list {
			if err := r.launch(); err != nil {
				return nil, 0, err
			}
		}
		for _, r := range list {
			if err := r.stream.Sync(); err != nil {
				return nil, 0, err
			}
		}
		took = time.Since(start)
		for _, r := range list {
			x, err := r.results()
			if err != nil {
				return nil, 0, err
			}
			results = append(results, x)
		}
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
	if len(os.Args) > 1 {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
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

// check runs a sample on all devices and says whether they agree.
func (s sample) check(ctx context.Context) (string, error) {
	want, slow, err := s.run(ctx, "interp")
	if err != nil {
		return err.Error(), err
	}
	line := fmt.Sprintf("right: interp %v", slow.Round(time.Microsecond))
	for _, devices := range [][]string{{"c"}, {"c-device:0", "c-device:1"}} {
		got, fast, err := s.run(ctx, devices...)
		if err != nil {
			return err.Error(), err
		}
		for i, name := range devices {
			if d := difference(got[i], want[0]); d > tolerance {
				err := fmt.Errorf("WRONG: %s differs from the interpreter by %.2g", name, d)
				return err.Error(), err
			}
		}
		line += fmt.Sprintf(", %s %v", strings.Join(devices, " and "), fast.Round(time.Microsecond))
	}
	return line, nil
}
