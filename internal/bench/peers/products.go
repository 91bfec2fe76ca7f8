package peers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
)

// blocks are sizes of blocks to try for a matrix product: M, N, K.
var blocks = [][3]int{{256, 256, 256}, {128, 256, 256}, {128, 128, 256}, {128, 128, 128}, {64, 256, 256},
	{256, 256, 512}, {256, 256, 1024}, {256, 512, 256}, {256, 512, 512}, {256, 512, 1024},
	{128, 512, 256}, {128, 512, 512}, {128, 512, 1024}, {256, 1024, 256}}

// launch is a launch with a description of its blocks.
type launch struct {
	run      func() error
	name     string
	programs int
}

// fastest returns the quickest of some launches. All take turns for a while, then the better half, and so on,
// since a machine may be slow for a while: a launch that had its whole time then would not be chosen.
func (s *Suite) fastest(all []launch) (best launch, err error) {
	const each = 5 * turn // for a launch, before half of them are left out
	trials := make([]trial, len(all))
	for i, l := range all {
		if err := l.run(); err != nil { // compiled
			return best, err
		}
		trials[i] = trial{launch: l, least: math.Inf(1)}
	}
	for len(trials) > 1 {
		for begin := time.Now(); ; {
			for i := range trials {
				if err := s.try(&trials[i]); err != nil {
					return best, err
				}
			}
			if time.Since(begin) >= each*time.Duration(len(trials)) {
				break
			}
		}
		slices.SortFunc(trials, func(a, b trial) int { return cmp.Compare(a.least, b.least) })
		trials = trials[:(len(trials)+1)/2]
	}
	return trials[0].launch, nil
}

// trial is a launch with the least cost of its runs.
type trial struct {
	launch
	least float64
}

// try runs a launch at least once, for a turn.
func (s *Suite) try(t *trial) error {
	run := timed(t.run)
	for begin := time.Now(); ; {
		took, err := run(1)
		if err != nil {
			return err
		}
		t.least = min(t.least, s.cost(took, t.programs))
		if time.Since(begin) >= turn {
			return nil
		}
	}
}

// cost returns the seconds that a run would take on a machine of its own. For a short run, of which there are
// many, that is what it takes by the clock: the least counts, and it includes the start of threads and the
// wait for the last. For a long one it is its processor time, if that is known, shared among the threads as
// evenly as whole programs allow.
func (s *Suite) cost(took clock, programs int) float64 {
	if took.cpu == 0 || took.wall < turn/2 {
		return took.wall.Seconds()
	}
	most := (programs + s.Threads - 1) / s.Threads // programs of the busiest thread
	return took.cpu.Seconds() * float64(most) / float64(programs)
}

// matmul compares products of square matrices of two types and four sizes.
func (s *Suite) matmul(ctx context.Context) error {
	blas := s.openBLAS()
	for _, n := range []int{512, 1024, 2048, 4096} {
		if err := s.matmulSingle(ctx, n, blas); err != nil {
			return err
		}
		if err := s.matmulHalf(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// products are launches of kernels/matmul.py on square matrices, with all blocks that divide them.
func (s *Suite) products(n int, a, b, c *nereid.Tensor) (all []launch, err error) {
	for _, size := range blocks {
		if size[0] > n || size[1] > n || size[2] > n {
			continue
		}
		grid := nereid.Grid{(n / size[0]) * (n / size[1])}
		run, err := s.launcher("matmul.py", "matmul_kernel", grid, a, b, c, n, n, n, n, 1, n, 1, n, 1,
			size[0], size[1], size[2], 8, "")
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%d³, blocks %d×%d×%d", n, size[0], size[1], size[2])
		all = append(all, launch{run, name, grid[0]})
	}
	return all, nil
}

// product is the line of a matrix product with the fastest blocks, without competitors.
func (s *Suite) product(n int, dtype string, a, b, c *nereid.Tensor) (*line, error) {
	all, err := s.products(n, a, b, c)
	if err != nil {
		return nil, err
	}
	best, err := s.fastest(all)
	if err != nil {
		return nil, err
	}
	work := 2 * float64(n) * float64(n) * float64(n)
	return &line{name: "matmul", what: dtype + " " + best.name, work: work, unit: "GFLOP/s",
		ours: best.run}, nil
}

func (s *Suite) matmulSingle(ctx context.Context, n int, blas *blas) error {
	a, b, out := normal(11, n*n), normal(12, n*n), make([]float32, n*n)
	theirs := clone(out)
	x, y, z := nereid.FromSlice(a, n, n), nereid.FromSlice(b, n, n), nereid.FromSlice(out, n, n)
	l, err := s.product(n, "fp32", x, y, z)
	if err != nil {
		return err
	}
	if blas != nil {
		multiply := once(func() { blas.multiply(n, a, b, theirs) })
		l.peers = []competitor{{name: "OpenBLAS", least: 0.9, run: multiply}}
		l.check = func() error { return same(l.name, out, theirs, single, 1e-3) }
	}
	name := fmt.Sprintf("matmul fp32 %d", n)
	if numpy := s.numpy.versus("NumPy's OpenBLAS", 0.9, name); numpy != nil {
		l.peers = append(l.peers, numpy...)
	}
	if blas != nil || s.numpy != nil { // whose threads wait in loops for longer
		l.rest = 100 * time.Millisecond
	}
	l.peers = append(l.peers, s.torch.versus("PyTorch", 0.9, name)...)
	return s.compare(ctx, l)
}

func (s *Suite) matmulHalf(ctx context.Context, n int) error {
	a, b, out := halves(13, n*n), halves(14, n*n), make([]nereid.BF16, n*n)
	x, y, z := nereid.FromSlice(a, n, n), nereid.FromSlice(b, n, n), nereid.FromSlice(out, n, n)
	l, err := s.product(n, "bf16", x, y, z)
	if err != nil {
		return err
	}
	l.peers = s.torch.versus("PyTorch", 0.8, fmt.Sprintf("matmul bf16 %d", n))
	return s.compare(ctx, l)
}

// attentionShape is a launch of kernels/attention.py for one sequence.
type attentionShape struct {
	heads, length, size int
	causal              bool
}

// attentionBlocks are sizes of blocks to try for attention: queries and keys.
var attentionBlocks = [][2]int{{64, 64}, {128, 64}, {128, 128}, {128, 256}, {256, 128}, {256, 256},
	{128, 512}, {256, 512}}

// attention compares attention with PyTorch's for three types.
func (s *Suite) attention(ctx context.Context) error {
	for _, shape := range []attentionShape{{8, 1024, 64, false}, {8, 1024, 64, true}, {8, 2048, 128, false}} {
		n := shape.heads * shape.length * shape.size
		single := [4]*nereid.Tensor{3: nereid.FromSlice(make([]float32, n))}
		half := [4]*nereid.Tensor{3: nereid.FromSlice(make([]nereid.BF16, n))}
		short := [4]*nereid.Tensor{3: nereid.FromSlice(make([]nereid.F16, n))}
		for i := range 3 {
			values := normal(uint64(15+i), n)
			single[i] = nereid.FromSlice(values)
			half[i] = nereid.FromSlice(convert(values, nereid.ToBF16))
			short[i] = nereid.FromSlice(convert(values, nereid.ToF16))
		}
		for _, c := range []struct {
			dtype string
			args  [4]*nereid.Tensor
		}{{"fp32", single}, {"bf16", half}, {"fp16", short}} {
			if err := s.attentionOf(ctx, shape, c.dtype, c.args); err != nil {
				return err
			}
		}
	}
	return nil
}

// convert rounds to a smaller type.
func convert[T any](values []float32, to func(float64) T) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = to(float64(v))
	}
	return out
}

func (s *Suite) attentionOf(ctx context.Context, a attentionShape, dtype string, t [4]*nereid.Tensor) error {
	lse := nereid.FromSlice(make([]float32, a.heads*a.length))
	head := a.length * a.size
	var all []launch
	for _, b := range attentionBlocks {
		grid := nereid.Grid{a.length / b[0], a.heads}
		run, err := s.launcher("attention.py", "attention_kernel", grid, t[0], t[1], t[2], t[3], lse,
			1/math.Sqrt(float64(a.size)), head, a.size, head, a.size, head, a.size, head, a.size, a.length,
			a.size, b[0], b[1], a.causal)
		if err != nil {
			return err
		}
		all = append(all, launch{run, fmt.Sprintf("blocks %d×%d", b[0], b[1]), grid[0] * grid[1]})
	}
	best, err := s.fastest(all)
	if err != nil {
		return err
	}
	work, kind := 4*float64(a.heads)*float64(a.length)*float64(a.length)*float64(a.size), "full"
	if a.causal {
		work, kind = work/2, "causal"
	}
	sizes := fmt.Sprintf("%s %d %d %d %s", dtype, a.heads, a.length, a.size, kind)
	l := &line{name: "attention", work: work, unit: "GFLOP/s", ours: best.run,
		what:  fmt.Sprintf("%s %d×%d×%d %s, %s", dtype, a.heads, a.length, a.size, kind, best.name),
		peers: s.torch.versus("PyTorch", 1, "attention "+sizes)}
	return s.compare(ctx, l)
}
