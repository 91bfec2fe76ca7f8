package peers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// launcher is a launch of one of the project's kernels.
func (s *Suite) launcher(file, kernel string, grid nereid.Grid, args ...any) (func() error, error) {
	m, err := nereid.LoadFS(kernels.Files, file)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	return func() error {
		if err := k.Launch(s.stream, grid, args...); err != nil {
			return err
		}
		return s.stream.Sync()
	}, nil
}

func normal(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

func halves(seed uint64, n int) []nereid.BF16 {
	out := make([]nereid.BF16, n)
	for i, v := range normal(seed, n) {
		out[i] = nereid.ToBF16(float64(v))
	}
	return out
}

// same reports whether two results agree.
func same[T any](name string, a, b []T, value func(T) float64, tol float64) error {
	for i := range a {
		x, y := value(a[i]), value(b[i])
		if !(math.Abs(x-y) <= tol*(1+math.Abs(y))) {
			return fmt.Errorf("%s: element %d is %v, and %v elsewhere", name, i, x, y)
		}
	}
	return nil
}

func single(v float32) float64   { return float64(v) }
func half(v nereid.BF16) float64 { return v.Float() }
func clone[T any](x []T) []T     { return make([]T, len(x)) }
func once(f func()) func(n int) (clock, error) {
	return timed(func() error { f(); return nil })
}

// c adds the C program to the competitors, if there is one.
func (s *Suite) c(least float64, symbol string, args ...any) []competitor {
	if s.peer == nil {
		return nil
	}
	return []competitor{{name: "C", least: least, run: once(s.peer.call(symbol, args...))}}
}

// others are C, NumPy and PyTorch, which name a line by its kernel, type and sizes.
func (s *Suite) others(line string, c []competitor) []competitor {
	return slices.Concat(c, s.numpy.versus("NumPy", 3, line), s.torch.versus("PyTorch", 1, line))
}

func (s *Suite) vectorAdd(ctx context.Context) error {
	const n = 1 << 24
	x, y, out := normal(1, n), normal(2, n), make([]float32, n)
	theirs := clone(out)
	const block = 4096
	ours, err := s.launcher("vector_add.py", "add_kernel", nereid.Grid{n / block}, nereid.FromSlice(x),
		nereid.FromSlice(y), nereid.FromSlice(out), n, block)
	if err != nil {
		return err
	}
	l := &line{name: "vector add", what: "fp32 2^24", work: 12 * n, unit: "GB/s", ours: ours,
		peers: append(s.c(0.95, "peer_add", x, y, theirs, n),
			s.torch.versus("PyTorch", 0.95, "vector_add fp32 16777216")...)}
	if s.peer != nil {
		l.check = func() error { return same(l.name, out, theirs, single, 0) }
	}
	return s.compare(ctx, l)
}

func (s *Suite) softmax(ctx context.Context) error {
	const rows, cols = 4096, 1024
	x, out := normal(3, rows*cols), make([]float32, rows*cols)
	theirs := clone(out)
	ours, err := s.launcher("softmax.py", "softmax_kernel", nereid.Grid{rows},
		nereid.FromSlice(out, rows, cols), nereid.FromSlice(x, rows, cols), cols, cols, cols, cols)
	if err != nil {
		return err
	}
	l := &line{name: "softmax", what: "fp32 4096×1024", work: 8 * rows * cols, unit: "GB/s", ours: ours,
		peers: s.others("softmax fp32 4096 1024", s.c(1, "peer_softmax", x, theirs, rows, cols))}
	if s.peer != nil {
		l.check = func() error { return same(l.name, out, theirs, single, 1e-6) }
	}
	return s.compare(ctx, l)
}

func (s *Suite) layerNorm(ctx context.Context) error {
	const rows, cols = 4096, 1024
	x, w, b, out := normal(4, rows*cols), normal(5, cols), normal(6, cols), make([]float32, rows*cols)
	mean, rstd, theirs := make([]float32, rows), make([]float32, rows), clone(out)
	ours, err := s.launcher("layer_norm.py", "layer_norm_kernel", nereid.Grid{rows}, nereid.FromSlice(x),
		nereid.FromSlice(out), nereid.FromSlice(w), nereid.FromSlice(b), nereid.FromSlice(mean),
		nereid.FromSlice(rstd), cols, cols, 1e-5, cols)
	if err != nil {
		return err
	}
	l := &line{name: "layer norm", what: "fp32 4096×1024", work: 8 * rows * cols, unit: "GB/s", ours: ours,
		peers: s.others("layer_norm fp32 4096 1024", s.c(1, "peer_layer_norm", x, w, b, theirs, rows, cols))}
	if s.peer != nil {
		l.check = func() error { return same(l.name, out, theirs, single, 1e-5) }
	}
	return s.compare(ctx, l)
}

func (s *Suite) rmsNorm(ctx context.Context) error {
	const rows, cols = 4096, 4096
	x, w, out := halves(7, rows*cols), halves(8, cols), make([]nereid.BF16, rows*cols)
	theirs := clone(out)
	ours, err := s.launcher("llm.py", "rms_norm_kernel", nereid.Grid{rows}, nereid.FromSlice(x),
		nereid.FromSlice(w), nereid.FromSlice(out), cols, cols, 1e-6, cols)
	if err != nil {
		return err
	}
	l := &line{name: "rms norm", what: "bf16 4096×4096", work: 4 * rows * cols, unit: "GB/s", ours: ours,
		peers: s.others("rms_norm bf16 4096 4096", s.c(1, "peer_rms_norm", x, w, theirs, rows, cols))}
	if s.peer != nil {
		l.check = func() error { return same(l.name, out, theirs, half, 1e-2) }
	}
	return s.compare(ctx, l)
}

func (s *Suite) swiglu(ctx context.Context) error {
	const n = 4096 * 4096
	g, u, out := halves(9, n), halves(10, n), make([]nereid.BF16, n)
	theirs := clone(out)
	const block = 4096
	ours, err := s.launcher("llm.py", "swiglu_kernel", nereid.Grid{n / block}, nereid.FromSlice(g),
		nereid.FromSlice(u), nereid.FromSlice(out), n, block)
	if err != nil {
		return err
	}
	l := &line{name: "swiglu", what: "bf16 4096×4096", work: 6 * n, unit: "GB/s", ours: ours,
		peers: s.others("swiglu bf16 4096 4096", s.c(1, "peer_swiglu", g, u, theirs, n))}
	if s.peer != nil {
		l.check = func() error { return same(l.name, out, theirs, half, 1e-2) }
	}
	return s.compare(ctx, l)
}

// launch is what a launch of a small kernel costs the caller, and that it allocates nothing.
func (s *Suite) launch(context.Context) error {
	m, err := nereid.LoadFS(kernels.Files, "vector_add.py")
	if err != nil {
		return err
	}
	k, err := m.Kernel("add_kernel")
	if err != nil {
		return err
	}
	x, err := nereid.NewTensor(s.Device, nereid.Float32, 64)
	if err != nil {
		return err
	}
	args := []any{x, x, x, 64, 64}
	run := func(n int) error {
		for range n {
			if err := k.Launch(s.stream, nereid.Grid{1}, args...); err != nil {
				return err
			}
		}
		return nil
	}
	if err := run(100); err != nil {
		return err
	}
	const batch = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := run(batch); err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	var times []float64
	for start := time.Now(); time.Since(start) < s.Rep || len(times) < 7; {
		begin := time.Now()
		if err := run(batch); err != nil {
			return err
		}
		times = append(times, time.Since(begin).Seconds()/batch*1e6)
	}
	slices.Sort(times)
	us := times[len(times)/2]
	s.rows = append(s.rows, row{line: "launch", what: "64 elements, 1 program",
		ours: fmt.Sprintf("%.2f µs, %.1f allocations", us, float64(after.Mallocs-before.Mallocs)/batch),
		peer: "1 µs", ratios: ratios{clock: 1 / us, best: 1 / times[0]}, least: 1})
	return nil
}
