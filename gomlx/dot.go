package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// DotGeneral implements compute.StandardOps. It becomes a product of matrices in a batch: [batch, rows,
// depth] by [batch, depth, columns].
func (f *Function) DotGeneral(lhs compute.Value, lhsContracting, lhsBatch []int, rhs compute.Value,
	rhsContracting,
	rhsBatch []int, config compute.DotGeneralConfig) (compute.Value, error) {
	in, err := f.values("DotGeneral", lhs, rhs)
	if err != nil {
		return nil, err
	}
	x, y := in[0], in[1]
	lhsContracting, lhsBatch = positive(lhsContracting, x), positive(lhsBatch, x)
	rhsContracting, rhsBatch = positive(rhsContracting, y), positive(rhsBatch, y)
	shape, err := shapeinference.DotGeneral(x.shape, lhsContracting, lhsBatch, y.shape, rhsContracting,
		rhsBatch,
		config)
	if err != nil {
		return nil, err
	}
	if anyDynamic(in) {
		attr := []any{lhsContracting, lhsBatch, rhsContracting, rhsBatch, config}
		same := func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.DotGeneral(in[0], lhsContracting, lhsBatch, in[1], rhsContracting, rhsBatch, config)
		}
		n := &node{op: compute.OpTypeDot, shape: shape, inputs: in, attr: attr, again: again(same)}
		return f.add(n), nil
	}
	acc := config.AccumulatorDType
	if acc == dtypes.InvalidDType {
		acc = x.shape.DType
	}
	from, err := f.dotTypes(&x, &y, acc)
	if err != nil {
		return nil, err
	}
	a, err := f.arranged(x, lhsBatch, f.others(x, lhsBatch, lhsContracting), lhsContracting)
	if err != nil {
		return nil, err
	}
	b, err := f.arranged(y, rhsBatch, rhsContracting, f.others(y, rhsBatch, rhsContracting))
	if err != nil {
		return nil, err
	}
	c, err := f.dot(a, b, from, shape.DType)
	if err != nil {
		return nil, err
	}
	return f.reshape(c, shape), nil
}

// smallDot is up to how many products of numbers one program of the CPU adds up without blocks, if they are
// few for each sum.
const smallDot = 16384

// dot returns the products of matrices in a batch, by ops.MatMul if that has a kernel.
func (f *Function) dot(a, b *node, kernel bool, dt dtypes.DType) (*node, error) {
	d, e := a.shape.Dimensions, b.shape.Dimensions
	small := !f.builder.b.gpu && d[2] <= 16 && d[0]*d[1]*e[2]*pow2(d[2]) <= smallDot
	if kernel && !(small && isFloat(a.shape.DType)) {
		return f.matmul(a, b, nil, compute.ActivationNone, dt), nil
	}
	return f.plainDot(a, b, dt)
}

// dotTypes converts the operands of a product to one type, and reports whether ops.MatMul has a kernel
// for it.
func (f *Function) dotTypes(x, y **node, acc dtypes.DType) (bool, error) {
	dt := (*x).shape.DType
	if dt != (*y).shape.DType {
		dt = acc
	}
	if !isFloat(dt) || dt.Bits() < acc.Bits() && !(isFloat(acc) && acc.Bits() == 32) {
		dt = acc // what is accumulated in a wider type is multiplied in it
		if (*x).shape.DType == dtypes.Int8 && (*y).shape.DType == dtypes.Int8 && acc == dtypes.Int32 {
			return true, nil
		}
	}
	for _, n := range []**node{x, y} {
		v, err := f.ConvertDType(*n, dt)
		if err != nil {
			return false, err
		}
		*n = v.(*node)
	}
	return isFloat(dt), nil
}

func positive(axes []int, n *node) []int {
	out := slices.Clone(axes)
	for i := range out {
		if out[i] < 0 {
			out[i] += n.shape.Rank()
		}
	}
	return out
}

func (f *Function) others(n *node, lists ...[]int) (rest []int) {
	for d := range n.shape.Rank() {
		if !slices.ContainsFunc(lists, func(l []int) bool { return slices.Contains(l, d) }) {
			rest = append(rest, d)
		}
	}
	return rest
}

// arranged returns a tensor of three dimensions, each of which has some axes of another one.
func (f *Function) arranged(n *node, groups ...[]int) (*node, error) {
	order := slices.Concat(groups...)
	v, err := f.transposed(n, order)
	if err != nil {
		return nil, err
	}
	dims := make([]int, len(groups))
	for i, g := range groups {
		dims[i] = product(pick(n.shape.Dimensions, g))
	}
	return f.reshape(v, shapes.Make(n.shape.DType, dims...)), nil
}

func (f *Function) transposed(n *node, order []int) (*node, error) {
	if slices.IsSorted(order) {
		return n, nil
	}
	v, err := f.Transpose(n, order...)
	if err != nil {
		return nil, err
	}
	return v.(*node), nil
}

// dotAttr are the attributes of a product of matrices.
type dotAttr struct {
	activation compute.ActivationType
	bias       bool
}

// matmul returns the node of a product that ops.MatMul computes, with a bias and an activation.
func (f *Function) matmul(a, b, bias *node, act compute.ActivationType, dt dtypes.DType) *node {
	d, e := a.shape.Dimensions, b.shape.Dimensions
	in := []*node{a, b}
	if bias != nil {
		in = append(in, bias)
	}
	return f.add(&node{op: compute.OpTypeDotGeneral, shape: shapes.Make(dt, d[0], d[1], e[2]), inputs: in,
		attr: dotAttr{act, bias != nil}})
}

// plainDot is a product of a type that ops.MatMul does not have: a sum of products, in that type.
func (f *Function) plainDot(a, b *node, dt dtypes.DType) (*node, error) {
	d, e := a.shape.Dimensions, b.shape.Dimensions
	full := shapes.Make(a.shape.DType, d[0], d[1], e[2], d[2])
	x, err := f.BroadcastInDim(a, full, []int{0, 1, 3})
	if err != nil {
		return nil, err
	}
	t, err := f.Transpose(b, 0, 2, 1)
	if err != nil {
		return nil, err
	}
	y, err := f.BroadcastInDim(t, full, []int{0, 2, 3})
	if err != nil {
		return nil, err
	}
	p, err := f.Mul(x, y)
	if err != nil {
		return nil, err
	}
	if isFloat(dt) && dt.Bits() > full.DType.Bits() { // the sum is rounded once
		if p, err = f.ConvertDType(p, dt); err != nil {
			return nil, err
		}
	}
	s, err := f.ReduceSum(p, 3)
	if err != nil {
		return nil, err
	}
	v, err := f.ConvertDType(s, dt)
	if err != nil {
		return nil, err
	}
	return v.(*node), nil
}

// view is a tensor whose elements lie in another one's memory, with strides.
type view struct {
	of            *node
	dims, strides []int
	offset        int // elements
}

// viewOf returns a node as a view of one that is computed: through transpositions, slices and such
// reshapes as strides allow.
func (l *lowering) viewOf(n *node) (view, bool) {
	switch {
	case n.shape.DType.Bits() < 8:
		return view{}, false
	case l.folded[n] != nil:
		return view{of: n, dims: n.shape.Dimensions, strides: contiguous(n.shape.Dimensions)}, true
	}
	switch n.op {
	case compute.OpTypeTranspose:
		v, ok := l.viewOf(n.inputs[0])
		order := n.attr.([]int)
		v.dims, v.strides = pick(v.dims, order), pick(v.strides, order)
		return v, ok
	case compute.OpTypeReshape:
		v, ok := l.viewOf(n.inputs[0])
		if !ok {
			return v, false
		}
		strides, ok := restride(v.dims, v.strides, n.shape.Dimensions)
		if !ok {
			return view{of: n, dims: n.shape.Dimensions, strides: contiguous(n.shape.Dimensions)}, true
		}
		v.dims, v.strides = n.shape.Dimensions, strides
		return v, true
	case compute.OpTypeSlice:
		v, ok := l.viewOf(n.inputs[0])
		a := n.attr.(sliceAttr)
		v.strides = slices.Clone(v.strides)
		for d := range a.starts {
			v.offset += a.starts[d] * v.strides[d]
			v.strides[d] *= a.strides[d]
		}
		v.dims = n.shape.Dimensions
		return v, ok
	}
	return view{of: n, dims: n.shape.Dimensions, strides: contiguous(n.shape.Dimensions)}, true
}

// restride returns the strides of a view in another shape, if there are any.
func restride(dims, strides, to []int) ([]int, bool) {
	var d, s []int // without axes of size 1, and with neighbours joined
	for i, n := range dims {
		if n == 1 {
			continue
		}
		if k := len(d) - 1; k >= 0 && s[k] == strides[i]*n {
			d[k] *= n
			s[k] = strides[i]
			continue
		}
		d, s = append(d, n), append(s, strides[i])
	}
	out, i, left := make([]int, len(to)), len(d)-1, 0
	step := 0
	for j := len(to) - 1; j >= 0; j-- {
		if to[j] == 1 {
			out[j] = 0
			continue
		}
		if left <= 1 {
			if i < 0 {
				return nil, false
			}
			left, step = d[i], s[i]
			i--
		}
		if left%to[j] != 0 {
			return nil, false
		}
		out[j] = step
		step *= to[j]
		left /= to[j]
	}
	return out, true
}

// takesViews reports whether a node's operand may be a view.
func takesViews(n *node, operand int) bool {
	switch n.op {
	case compute.OpTypeDotGeneral:
		return operand < 2
	}
	return false
}

// operandView returns how a step finds an operand that is a view, and its slot.
func (l *lowering) operandView(n *node) (func(p *program) *nereid.Tensor, int) {
	v, ok := l.viewOf(n)
	if !ok {
		v = view{of: n, dims: n.shape.Dimensions, strides: contiguous(n.shape.Dimensions)}
	}
	s := l.slotOf[v.of]
	bytes := v.offset * n.shape.DType.Bits() / 8
	return func(p *program) *nereid.Tensor {
		t := p.vals[s].Offset(bytes)
		t.Shape, t.Strides = v.dims, v.strides
		return t
	}, s
}

// activations are the formulas of products.
var activations = map[compute.ActivationType]ops.MatMulOption{
	compute.ActivationGelu: ops.ThenGELU,
	compute.ActivationRelu: ops.ThenReLU,
	compute.ActivationSilu: ops.ThenSiLU,
	compute.ActivationTanh: ops.Then(ops.Expr.Tanh),
	compute.ActivationHardSwish: ops.Then(func(x ops.Expr) ops.Expr {
		return x.Mul(x.Div(6.0).Add(0.5).Clamp(0.0, 1.0))
	}),
}

func lowerDot(l *lowering, n *node) error {
	a := n.attr.(dotAttr)
	d := n.inputs[0].shape.Dimensions
	out := l.slotOf[n]
	if product(d) == 0 || n.inputs[1].shape.Size() == 0 {
		return l.fillSlot(out, "0")
	}
	left, ls := l.operandView(n.inputs[0])
	right, rs := l.operandView(n.inputs[1])
	used := []int{ls, rs, out}
	bias := -1
	if a.bias {
		bias = l.slotOf[n.inputs[2]]
		used = append(used, bias)
	}
	options := make([]ops.MatMulOption, 0, 2)
	if act, ok := activations[a.activation]; ok {
		options = append(options, act)
	}
	single := d[0] == 1
	l.step(stepFunc(func(p *program) error {
		list := options
		if bias >= 0 {
			list = append(list, ops.Bias(p.vals[bias]))
		}
		x, y, z := left(p), right(p), p.vals[out]
		if single {
			x, y, z = matrix(x), matrix(y), matrix(z)
		}
		return ops.MatMul(p.b.ops.Into(z), x, y, list...).Err()
	}), used...)
	return nil
}

// matrix returns the only matrix of a batch.
func matrix(t *nereid.Tensor) *nereid.Tensor {
	v := t.Offset(0)
	v.Shape, v.Strides = t.Shape[1:], t.Strides[1:]
	return v
}
