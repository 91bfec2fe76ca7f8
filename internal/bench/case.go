// Package bench holds the kernels of kernels/ with inputs, launch parameters and float64 references: what
// `nereid demo` shows, what `nereid bench` measures and what tests check devices with.
package bench

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// Case is a kernel with one set of inputs.
type Case struct {
	Name   string // "softmax fp32 1024x1024"
	File   string // below kernels/
	Kernel string
	Grid   nereid.Grid
	Args   []any // as Kernel.Launch takes them
	Out    *nereid.Tensor

	Bytes float64 // moved, for memory-bound kernels
	Flops float64 // done, for the others

	// Want is element i of the output in float64; Tol the largest error allowed, relative to Scale, or to
	// ScaleOf element i where outputs are of different sizes.
	Want    func(i int) float64
	Tol     float64
	Scale   float64
	ScaleOf func(i int) float64
}

// Load is the module of the case's kernel.
func (c *Case) Load() (*nereid.Kernel, error) {
	m, err := nereid.LoadFS(kernels.Files, c.File)
	if err != nil {
		return nil, err
	}
	return m.Kernel(c.Kernel)
}

// Check is the largest error of the output, relative to the case's scale, and an error when it is too
// large. It looks at up to n elements, spread over the output.
func (c *Case) Check(n int) (float64, error) {
	total := c.Out.Len()
	step := max(1, total/max(n, 1))
	worst := 0.0
	for i := 0; i < total; i += step {
		got, err := c.Out.At(i)
		if err != nil {
			return 0, err
		}
		want := c.Want(i)
		e := math.Abs(got-want) / c.scale(i)
		if math.IsNaN(got) != math.IsNaN(want) || e > c.Tol {
			return e, fmt.Errorf("%s: element %d is %v, expected %v", c.Name, i, got, want)
		}
		worst = max(worst, e)
	}
	return worst, nil
}

// scale is the size of output i, to which its error is relative.
func (c *Case) scale(i int) float64 {
	if c.ScaleOf != nil {
		return c.ScaleOf(i)
	}
	return c.Scale
}

// random is n numbers, normally distributed, the same every time.
func random(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// halves is x rounded to fp16, as bits and as values.
func halves(x []float32) ([]nereid.F16, []float64) {
	h, v := make([]nereid.F16, len(x)), make([]float64, len(x))
	for i, f := range x {
		h[i] = nereid.ToF16(float64(f))
		v[i] = h[i].Float()
	}
	return h, v
}

// VectorAdd is out = x + y.
func VectorAdd(n int) *Case {
	x, y, out := random(1, n), random(2, n), make([]float32, n)
	c := &Case{
		Name: fmt.Sprintf("vector add fp32 %d", n), File: "vector_add.py", Kernel: "add_kernel",
		Grid: nereid.Grid{(n + 1023) / 1024}, Out: nereid.FromSlice(out), Bytes: float64(12 * n),
		Tol: 1e-6, Scale: 1, Want: func(i int) float64 { return float64(x[i]) + float64(y[i]) },
	}
	c.Args = []any{nereid.FromSlice(x), nereid.FromSlice(y), c.Out, n, 1024}
	return c
}

// Softmax is the softmax of each row.
func Softmax(rows, cols int) *Case {
	x, out := random(3, rows*cols), make([]float32, rows*cols)
	block := pow2(cols)
	c := &Case{
		Name: fmt.Sprintf("softmax fp32 %dx%d", rows, cols), File: "softmax.py", Kernel: "softmax_kernel",
		Grid: nereid.Grid{rows}, Out: nereid.FromSlice(out, rows, cols), Bytes: float64(8 * rows * cols),
		Tol: 1e-5, Scale: 1.0 / float64(cols),
	}
	c.Want = byRow(cols, func(row int) []float64 {
		v := floats(x[row*cols : (row+1)*cols])
		top, sum := math.Inf(-1), 0.0
		for _, f := range v {
			top = max(top, f)
		}
		for i, f := range v {
			v[i] = math.Exp(f - top)
			sum += v[i]
		}
		for i := range v {
			v[i] /= sum
		}
		return v
	})
	c.Args = []any{c.Out, nereid.FromSlice(x, rows, cols), cols, cols, cols, block,
		nereid.Options{NumWarps: warps(block)}}
	return c
}

// LayerNorm is the layer norm of each row in fp16.
func LayerNorm(rows, cols int) *Case {
	const eps = 1e-5
	x, xv := halves(random(4, rows*cols))
	w, wv := halves(random(5, cols))
	b, bv := halves(random(6, cols))
	out := make([]nereid.F16, rows*cols)
	mean, rstd := make([]float32, rows), make([]float32, rows)
	c := &Case{
		Name: fmt.Sprintf("layer norm fp16 %dx%d", rows, cols), File: "layer_norm.py",
		Kernel: "layer_norm_kernel", Grid: nereid.Grid{rows}, Out: nereid.FromSlice(out, rows, cols),
		Bytes: float64(4 * rows * cols), Tol: 2e-3, Scale: 4,
	}
	c.Want = byRow(cols, func(row int) []float64 {
		v := append([]float64(nil), xv[row*cols:(row+1)*cols]...)
		m, s := 0.0, 0.0
		for _, f := range v {
			m += f
		}
		m /= float64(cols)
		for _, f := range v {
			s += (f - m) * (f - m)
		}
		r := 1 / math.Sqrt(s/float64(cols)+eps)
		for i, f := range v {
			v[i] = (f-m)*r*wv[i] + bv[i]
		}
		return v
	})
	c.Args = []any{nereid.FromSlice(x, rows, cols), c.Out, nereid.FromSlice(w), nereid.FromSlice(b),
		nereid.FromSlice(mean), nereid.FromSlice(rstd), cols, cols, eps, min(4096, pow2(cols)),
		nereid.Options{NumWarps: 8}}
	return c
}

// Matmul is C = A @ B in fp16 with fp32 accumulation.
func Matmul(m, n, k int) *Case {
	a, av := halves(random(7, m*k))
	b, bv := halves(random(8, k*n))
	out := make([]nereid.F16, m*n)
	const bm, bn, bk = 64, 64, 32
	c := &Case{
		Name: fmt.Sprintf("matmul fp16 %dx%dx%d", m, n, k), File: "matmul.py", Kernel: "matmul_kernel",
		Grid: nereid.Grid{((m + bm - 1) / bm) * ((n + bn - 1) / bn)}, Out: nereid.FromSlice(out, m, n),
		Flops: 2 * float64(m) * float64(n) * float64(k), Tol: 2e-3, Scale: 4 * math.Sqrt(float64(k)),
	}
	c.Want = func(i int) float64 {
		row, col, s := i/n, i%n, 0.0
		for j := range k {
			s += av[row*k+j] * bv[j*n+col]
		}
		return s
	}
	c.Args = []any{nereid.FromSlice(a, m, k), nereid.FromSlice(b, k, n), c.Out, m, n, k, k, 1, n, 1, n, 1, bm,
		bn, bk, 8, ""}
	return c
}

// Attention is flash attention forward in fp16, heads of 64.
func Attention(heads, seq int, causal bool) *Case {
	const dim, bm, bn = 64, 64, 64
	q, qv := halves(random(9, heads*seq*dim))
	k, kv := halves(random(10, heads*seq*dim))
	v, vv := halves(random(11, heads*seq*dim))
	out, lse := make([]nereid.F16, heads*seq*dim), make([]float32, heads*seq)
	scale := 1 / math.Sqrt(dim)
	name := fmt.Sprintf("attention fp16 %d heads, %d", heads, seq)
	flops := 4 * float64(heads) * float64(seq) * float64(seq) * dim
	if causal {
		name += " causal"
		flops /= 2
	}
	c := &Case{
		Name: name, File: "attention.py", Kernel: "attention_kernel",
		Grid: nereid.Grid{(seq + bm - 1) / bm, heads}, Out: nereid.FromSlice(out, heads, seq, dim),
		Flops: flops, Tol: 4e-3, ScaleOf: func(i int) float64 { return attended(i/dim%seq, seq, causal) },
	}
	c.Want = byRow(dim, func(row int) []float64 { return attend(qv, kv, vv, row, seq, dim, scale, causal) })
	head, line := seq*dim, dim
	c.Args = []any{nereid.FromSlice(q), nereid.FromSlice(k), nereid.FromSlice(v), c.Out,
		nereid.FromSlice(lse), scale, head, line, head, line, head, line, head, line, seq, dim, bm, bn,
		causal, nereid.Options{NumWarps: 4}}
	return c
}

// attended is the size of an output of attention in row pos: a mean of as many normal numbers as the row
// sees, whose weights are exponentials of normal numbers.
func attended(pos, seq int, causal bool) float64 {
	if causal {
		seq = pos + 1
	}
	return math.Sqrt(min(1, math.E/float64(seq)))
}

// attend is one row of attention in float64.
func attend(q, k, v []float64, row, seq, dim int, scale float64, causal bool) []float64 {
	head, pos := row/seq, row%seq
	last := seq
	if causal {
		last = pos + 1
	}
	scores := make([]float64, last)
	top, sum := math.Inf(-1), 0.0
	for j := range scores {
		for d := range dim {
			scores[j] += q[row*dim+d] * k[(head*seq+j)*dim+d]
		}
		scores[j] *= scale
		top = max(top, scores[j])
	}
	out := make([]float64, dim)
	for j, s := range scores {
		p := math.Exp(s - top)
		sum += p
		for d := range dim {
			out[d] += p * v[(head*seq+j)*dim+d]
		}
	}
	for d := range out {
		out[d] /= sum
	}
	return out
}

// byRow gives elements from rows that are computed one at a time.
func byRow(cols int, row func(int) []float64) func(int) float64 {
	have, vals := -1, []float64(nil)
	return func(i int) float64 {
		if r := i / cols; r != have {
			have, vals = r, row(r)
		}
		return vals[i%cols]
	}
}

func floats(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, f := range x {
		out[i] = float64(f)
	}
	return out
}

func pow2(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

func warps(block int) int { return min(16, max(4, block/512)) }

// Demo are the cases that `make run` shows, small enough for the interpreter.
func Demo() []*Case {
	return []*Case{VectorAdd(1 << 20), Softmax(512, 1000), LayerNorm(256, 2000), Matmul(256, 256, 256),
		Attention(2, 256, true)}
}
