package ops

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// MatMulOption adds to a product, or says how it is computed.
type MatMulOption struct {
	bias, plus, norm *nereid.Tensor
	eps              float64 // of norm
	then, gate       *Fused  // gate is then of the first operand times the second one
	gated, fixed     bool
	dt               nereid.DType
	precision        string
}

// Bias adds a vector, one element for each column of the result, before Then.
func Bias(x *nereid.Tensor) MatMulOption { return MatMulOption{bias: x} }

// Then applies a formula to each element of the result: ops.Then(ops.Expr.GELU). Make it once: its kernels
// are found by it.
func Then(f func(x Expr) Expr) MatMulOption {
	y := f(Expr{&node{input: 0}})
	return MatMulOption{then: newFused("Then", []string{"x"}, y.n), gate: gateOf(y)}
}

// gateOf returns the op that multiplies a formula of its first operand by the second one.
func gateOf(x Expr) *Fused {
	return newFused("Gated", []string{"gate", "up"}, x.Mul(Expr{&node{input: 1}}).n)
}

// plainGate is gate without Then.
var plainGate = gateOf(Expr{&node{input: 0}})

// The activations that products are often followed by.
var (
	ThenGELU    = Then(Expr.GELU)
	ThenReLU    = Then(Expr.ReLU)
	ThenSiLU    = Then(Expr.SiLU)
	ThenSigmoid = Then(Expr.Sigmoid)
)

// Plus adds a tensor that is broadcast to the result, after Then: a residual.
func Plus(x *nereid.Tensor) MatMulOption { return MatMulOption{plus: x} }

// Norm divides the rows of the left operand by the root of the mean of their squares, as RMSNorm does, and
// multiplies them by a vector of weights first. Products of few rows with a Quantized matrix do so on their
// way; others are preceded by RMSNorm.
func Norm(weight *nereid.Tensor, eps float64) MatMulOption {
	return MatMulOption{norm: weight, eps: eps}
}

// Gated makes the result half as wide: its first half, after Then, times the second one. With ThenSiLU this
// is SwiGLU. It goes without Bias and Plus.
var Gated = MatMulOption{gated: true}

// FixedWeights is a promise that nothing writes to the right operand, nor to the weights of Norm, while
// work of the stream is under way: weights that were loaded once. A GPU may then read them before the op
// before this one has ended.
var FixedWeights = MatMulOption{fixed: true}

// As makes the result one of a type.
func As(dt nereid.DType) MatMulOption { return MatMulOption{dt: dt} }

// Products of fp32 are exact to fp32 unless an option says otherwise: TF32 rounds operands to 10 bits, TF32x3
// adds up three such products, of which the error is a little more than that of fp32. Both use tensor cores.
var (
	TF32   = MatMulOption{precision: "tf32"}
	TF32x3 = MatMulOption{precision: "tf32x3"}
)

// add adds options; of those that occur twice, the last one counts.
func (o *MatMulOption) add(list []MatMulOption) {
	for _, x := range list {
		if x.bias != nil {
			o.bias = x.bias
		}
		if x.plus != nil {
			o.plus = x.plus
		}
		if x.then != nil {
			o.then, o.gate = x.then, x.gate
		}
		if x.norm != nil {
			o.norm, o.eps = x.norm, x.eps
		}
		if x.dt != nereid.Invalid {
			o.dt = x.dt
		}
		if x.precision != "" {
			o.precision = x.precision
		}
		o.gated, o.fixed = o.gated || x.gated, o.fixed || x.fixed
	}
}

// MatMul returns the products of the matrices in the last two dimensions of a and b; the dimensions before
// them are broadcast. A vector is a row on the left and a column on the right, and the result lacks its
// dimension.
//
//	y := ops.MatMul(s, x, w.Transpose(0, 1), ops.Bias(b), ops.ThenGELU)
//
// Operands meet in one type: a float, or i8. The accumulator is fp32 (fp64 for fp64, i32 for i8), the
// result of the type of the operands, of fp32 for fp8 and of i32 for i8, unless As or Into say otherwise.
func MatMul(s *Stream, a, b *nereid.Tensor, options ...MatMulOption) *nereid.Tensor {
	var o MatMulOption
	o.add(options)
	if o.norm != nil {
		a = RMSNorm(s.plain, a, o.norm, o.eps)
		o.norm = nil
	}
	if o.gated {
		return s.gated("MatMul", o, func(o MatMulOption) *nereid.Tensor { return MatMul(s.plain, a, b, o) })
	}
	c := s.begin("MatMul")
	c.in("a", a)
	c.in("b", b)
	c.optional("bias", o.bias)
	c.optional("plus", o.plus)
	c.attr(int(o.dt))
	c.attr(len(o.precision))
	if o.then != nil {
		c.attr(o.then.id)
	}
	return c.run(func(c *call) (*plan, error) {
		p := product{c: c, o: o}
		return p.plan()
	})
}

// gated makes of a product, whose columns are two halves, the one that Gated asks for.
func (s *Stream) gated(op string, o MatMulOption,
	product func(o MatMulOption) *nereid.Tensor) *nereid.Tensor {
	if err := o.gateAlone(op); err != nil {
		s.done()
		return failed(err)
	}
	h := product(MatMulOption{norm: o.norm, eps: o.eps, fixed: o.fixed, dt: o.dt, precision: o.precision})
	n := len(h.Shape)
	if h.Err() == nil && (n == 0 || h.Shape[n-1]%2 != 0) {
		h = failed(wrong(op, "", "the columns of %v are no two halves", h.Shape))
	}
	if h.Err() != nil {
		s.done()
		return h
	}
	gate, half := o.gate, h.Shape[n-1]/2
	if gate == nil {
		gate = plainGate
	}
	return s.apply(gate, h.Slice(n-1, 0, half, 1), h.Slice(n-1, half, 2*half, 1))
}

// gateAlone returns an error for options that Gated does not go with.
func (o *MatMulOption) gateAlone(op string) error {
	if o.gated && (o.bias != nil || o.plus != nil) {
		return wrong(op, "", "Gated goes without Bias and Plus")
	}
	return nil
}

// product plans a product.
type product struct {
	c       *call
	o       MatMulOption
	dt, acc nereid.DType // of operands and accumulator
	out     result
	m, n, k int
	// Strides, of a, b, out and plus: along rows and columns of the matrix, and along two dimensions of
	// matrices.
	row, col, batch, head [4]int
	batches, heads        int
	bias                  int // stride
}

func (p *product) plan() (*plan, error) {
	c := p.c
	out, err := p.begin()
	if err != nil || out.empty() {
		return out, err
	}
	st, err := p.step()
	if err != nil {
		return nil, err
	}
	st.slots = append([]slot{{0, 0}, {1, 1}, {2, c.n}}, p.optionSlots()...)
	out.steps = []step{st}
	return out, nil
}

// begin determines types and shapes, and returns a plan of no steps.
func (p *product) begin() (*plan, error) {
	if err := p.types(); err != nil {
		return nil, err
	}
	if err := p.shapes(); err != nil {
		return nil, err
	}
	return &plan{outs: []result{p.out}}, nil
}

// empty reports whether the results of a plan have no elements.
func (p *plan) empty() bool { return count(p.outs[0].shape) == 0 }

// types determines the types of operands, accumulator and result.
func (p *product) types() error {
	c := p.c
	p.dt = promote(c.ins[0].DType, c.ins[1].DType)
	switch {
	case p.dt == nereid.Int8:
		p.acc, p.out.dt = nereid.Int32, nereid.Int32
	case !p.dt.IsFloat():
		return wrong(c.op, "", "there are no products of %s and %s: cast them to a float or to i8",
			c.ins[0].DType, c.ins[1].DType)
	case p.dt == nereid.Float64:
		p.acc, p.out.dt = p.dt, p.dt
	case p.dt.Size() == 1:
		p.acc, p.out.dt = nereid.Float32, nereid.Float32
	default:
		p.acc, p.out.dt = nereid.Float32, p.dt
	}
	if then := p.o.then; then != nil {
		if then.err != nil {
			return then.err
		}
		ty, err := infer(then.roots, []nereid.DType{p.acc}, []*number{nil})
		if err != nil {
			return err
		}
		if len(reductions(then.roots)) > 0 {
			return wrong(c.op, "", "the formula of Then has a reduction")
		}
		if dt := ty[then.roots[0]]; dt != p.acc {
			p.out.dt = dt
		}
	}
	if p.o.dt != nereid.Invalid {
		p.out.dt = p.o.dt
	}
	p.out = c.outcome(p.out)
	return nil
}

// matrices returns a tensor's shape and strides with two dimensions at least: a vector becomes a row, or a
// column.
func matrices(t *nereid.Tensor, column bool) (shape, strides []int) {
	shape, strides = slices.Clone(t.Shape), slices.Clone(core.Strides(t))
	switch {
	case len(shape) > 1:
	case column:
		shape, strides = append(shape, 1), append(strides, 0)
	default:
		shape, strides = append([]int{1}, shape...), append([]int{0}, strides...)
	}
	return shape, strides
}

// shapes determines sizes and strides.
func (p *product) shapes() error {
	c := p.c
	a, b := c.ins[0], c.ins[1]
	for i := range 2 {
		if len(c.ins[i].Shape) == 0 {
			return wrong(c.op, c.names[i], "it is a scalar")
		}
	}
	as, ast := matrices(a, false)
	bs, bst := matrices(b, true)
	na, nb := len(as)-2, len(bs)-2
	p.m, p.k, p.n = as[na], as[na+1], bs[nb+1]
	if bs[nb] != p.k {
		return wrong(c.op, "b", "it has %d rows, and a %d columns: shapes %v and %v", bs[nb], p.k, a.Shape,
			b.Shape)
	}
	outer, err := broadcast(as[:na], bs[:nb])
	if err != nil {
		return &Error{Op: c.op, Operand: "b", Err: err}
	}
	full := append(slices.Clone(outer), p.m, p.n)
	shape, rowless, colless := slices.Clone(full), len(a.Shape) == 1, len(b.Shape) == 1
	if colless {
		shape = shape[:len(shape)-1]
	}
	if rowless {
		shape = slices.Delete(shape, len(outer), len(outer)+1)
	}
	p.out.shape = shape
	ost := slices.Clone(c.outStrides(shape))
	if rowless {
		ost = slices.Insert(ost, len(outer), 0)
	}
	if colless {
		ost = append(ost, 0)
	}
	plus := make([]int, len(full))
	if p.o.plus != nil {
		if plus, err = p.plus(full); err != nil {
			return err
		}
	}
	if err := p.checkBias(); err != nil {
		return err
	}
	p.row, p.col = [4]int{ast[na], bst[nb], ost[len(outer)], plus[len(outer)]},
		[4]int{ast[na+1], bst[nb+1], ost[len(outer)+1], plus[len(outer)+1]}
	return p.outer(outer, space{sizes: outer, strides: [][]int{spreadTo(as[:na], ast[:na], len(outer)),
		spreadTo(bs[:nb], bst[:nb], len(outer)), ost[:len(outer)], plus[:len(outer)]}})
}

// plus returns the strides of the tensor of Plus along the dimensions of the result.
func (p *product) plus(full []int) ([]int, error) {
	t := p.o.plus
	common, err := broadcast(full, t.Shape)
	if err == nil && !slices.Equal(common, full) {
		err = fmt.Errorf("its shape %v does not fit the result's %v", t.Shape, full)
	}
	if err != nil {
		return nil, &Error{Op: p.c.op, Operand: "plus", Err: err}
	}
	return spread(t, full), nil
}

func (p *product) checkBias() error {
	t := p.o.bias
	if t == nil {
		return nil
	}
	if len(t.Shape) != 1 || t.Shape[0] != p.n {
		return wrong(p.c.op, "bias", "its shape is %v, and the result has %d columns", t.Shape, p.n)
	}
	p.bias = core.Strides(t)[0]
	return nil
}

// spreadTo returns the strides of dimensions that are broadcast to rank dimensions.
func spreadTo(shape, strides []int, rank int) []int {
	out := make([]int, rank)
	for i, n := range shape {
		if n != 1 {
			out[rank-len(shape)+i] = strides[i]
		}
	}
	return out
}

// outer determines the strides along the matrices of a batch. If all are multiplied by the same b, they are
// rows of one matrix where their strides allow it.
func (p *product) outer(outer []int, s space) error {
	p.batches, p.heads = 1, 1
	if !slices.ContainsFunc(s.strides[1], func(n int) bool { return n != 0 }) {
		rows := space{sizes: append(slices.Clone(outer), p.m)}
		for i := range s.strides {
			rows.strides = append(rows.strides, append(slices.Clone(s.strides[i]), p.row[i]))
		}
		rows.strides[1][len(outer)] = 0 // rows of b are another dimension
		if x := rows.collapse(); len(x.sizes) <= 1 {
			p.m = count(x.sizes)
			for _, i := range []int{0, 2, 3} {
				if len(x.sizes) == 1 {
					p.row[i] = x.strides[i][0]
				}
			}
			return nil
		}
	}
	x := s.collapse()
	switch len(x.sizes) {
	case 0:
		return nil
	case 1:
		p.batches = x.sizes[0]
	case 2:
		p.batches, p.heads = x.sizes[0], x.sizes[1]
	default:
		return wrong(p.c.op, "", "the dimensions %v of matrices cannot be joined to two: copy an operand first",
			outer)
	}
	for i := range x.strides {
		p.batch[i] = x.strides[i][0]
		if len(x.sizes) == 2 {
			p.head[i] = x.strides[i][1]
		}
	}
	return nil
}

// step returns the launch.
func (p *product) step() (step, error) {
	name := "matmul_kernel"
	vector := p.m <= vectorRows && p.dt.IsFloat() && p.c.s.chip != interpChip
	strip, tiles := p.strip()
	switch {
	case vector:
		name = "matvec_kernel"
	case tiles > 0:
		name = "matmul_strip_kernel"
	}
	k, err := p.kernel(name)
	if err != nil {
		return step{}, err
	}
	batched := p.batches*p.heads > 1
	args := []any{nil, nil, nil, nil, nil, p.m, p.n, p.k, p.heads, p.row[0], p.col[0], p.row[1], p.col[1],
		p.row[2], p.col[2], p.bias, p.row[3], p.col[3]}
	for i := range 4 {
		args = append(args, p.batch[i], p.head[i])
	}
	if vector {
		t := vectorTile(p)
		args = append(args, t.n, t.k, p.acc, batched, nereid.Options{NumWarps: t.warps})
		return step{kernel: k, args: args, grid: nereid.Grid{nereid.Cdiv(p.n, t.n), p.m,
			p.batches * p.heads}}, nil
	}
	if tiles > 0 {
		args = append(args, strip.m, strip.n, strip.k, tiles, p.dt, p.acc, batched, strip.options())
		return step{kernel: k, args: args, grid: nereid.Grid{nereid.Cdiv(p.n, strip.n*tiles),
			nereid.Cdiv(p.m, strip.m), p.batches * p.heads}}, nil
	}
	t := p.tile()
	precision := p.o.precision
	if precision == "" || p.dt != nereid.Float32 {
		precision = "ieee"
	}
	args = append(args, t.m, t.n, t.k, p.groupRows(), p.dt, p.acc, precision, batched,
		t.options())
	return step{kernel: k, args: args, grid: nereid.Grid{nereid.Cdiv(p.m, t.m) * nereid.Cdiv(p.n, t.n),
		p.batches * p.heads}}, nil
}

// kernel returns a kernel of matmul.py, with the formula of Then as its epilogue.
func (p *product) kernel(name string) (*nereid.Kernel, error) {
	if p.o.then == nil {
		return p.c.s.lib.kernel("matmul.py", name)
	}
	return p.c.s.lib.withFunction("matmul.py", name, epilogueText, p.o.then.function("epilogue", p.acc))
}

// epilogueText is the function of kernels that the formula of Then replaces.
const epilogueText = "def epilogue(x):\n    return x\n"
