package gomlx

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
	"github.com/pkg/errors"
)

// FusedSoftmax implements compute.FusedOps.
func (f *Function) FusedSoftmax(x compute.Value, axis int) (compute.Value, error) {
	in, err := f.values("FusedSoftmax", x)
	if err != nil {
		return nil, err
	}
	if s := in[0].shape; axis < 0 || axis >= s.Rank() || !isFloat(s.DType) {
		return nil, errors.Errorf("FusedSoftmax: axis %d of %s", axis, s)
	}
	return f.add(&node{op: compute.OpTypeFusedSoftmax, shape: in[0].shape, inputs: in, attr: axis,
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.FusedSoftmax(in[0], axis)
		})}), nil
}

func lowerSoftmax(l *lowering, n *node) error {
	in, out := l.slotOf[n.inputs[0]], l.slotOf[n]
	l.step(stepFunc(func(p *program) error {
		return ops.Softmax(p.b.ops.Into(p.vals[out]), p.vals[in], n.attr.(int)).Err()
	}), in, out)
	return nil
}

// layerNormAttr are the attributes of FusedLayerNorm: of rows and columns, with a weight and a bias.
type layerNormAttr struct {
	epsilon      float64
	weight, bias bool
}

// FusedLayerNorm implements compute.FusedOps.
func (f *Function) FusedLayerNorm(x compute.Value, axes []int, epsilon float64, gamma, beta compute.Value) (
	compute.Value, error) {
	list := []compute.Value{x}
	a := layerNormAttr{epsilon, gamma != nil, beta != nil}
	if a.weight {
		list = append(list, gamma)
	}
	if a.bias {
		list = append(list, beta)
	}
	in, err := f.values("FusedLayerNorm", list...)
	if err != nil {
		return nil, err
	}
	s := in[0].shape
	axes = positive(axes, in[0])
	slices.Sort(axes)
	for i, d := range axes { // the last ones
		if d != s.Rank()-len(axes)+i {
			return nil, missing("FusedLayerNorm over the axes %v of %s", axes, s)
		}
	}
	if !isFloat(s.DType) || len(axes) == 0 {
		return nil, missing("FusedLayerNorm of %s", s)
	}
	if anyDynamic(in) {
		return f.add(&node{op: compute.OpTypeFusedLayerNorm, shape: s, inputs: in, attr: []any{a, axes},
			again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
				var g, b compute.Value
				if a.weight {
					g = in[1]
				}
				if a.bias {
					b = in[len(in)-1]
				}
				return f.FusedLayerNorm(in[0], axes, epsilon, g, b)
			})}), nil
	}
	cols := product(s.Dimensions[axes[0]:])
	flat := []*node{f.reshape(in[0], shapes.Make(s.DType, product(s.Dimensions[:axes[0]]), cols))}
	for _, n := range in[1:] {
		if n.shape.Size() != cols {
			return nil, missing("FusedLayerNorm of %s with %s", s, n.shape)
		}
		flat = append(flat, f.reshape(n, shapes.Make(n.shape.DType, cols)))
	}
	y := f.add(&node{op: compute.OpTypeFusedLayerNorm, shape: flat[0].shape, inputs: flat, attr: a})
	return f.reshape(y, s), nil
}

func lowerLayerNorm(l *lowering, n *node) error {
	a, in, out := n.attr.(layerNormAttr), l.slotsOf(n.inputs), l.slotOf[n]
	l.step(stepFunc(func(p *program) error {
		var weight, bias any = 1.0, 0.0
		if a.weight {
			weight = p.vals[in[1]]
		}
		if a.bias {
			bias = p.vals[in[len(in)-1]]
		}
		return ops.LayerNorm(p.b.ops.Into(p.vals[out]), p.vals[in[0]], weight, bias, a.epsilon).Err()
	}), append(in, out)...)
	return nil
}

// FusedDense implements compute.FusedOps.
func (f *Function) FusedDense(x, weight, bias compute.Value, o compute.DenseConfig) (compute.Value, error) {
	list := []compute.Value{x, weight}
	if bias != nil {
		list = append(list, bias)
	}
	in, err := f.values("FusedDense", list...)
	if err != nil {
		return nil, err
	}
	xs, ws := in[0].shape, in[1].shape
	if xs.Rank() < 1 || ws.Rank() < 2 || xs.DType != ws.DType || !isFloat(xs.DType) {
		return nil, missing("FusedDense of %s and %s", xs, ws)
	}
	wide := ws.Dimensions[1:]
	depth := ws.Dimensions[0]
	if o.WeightLayout == compute.DenseLayoutOutputsInput {
		wide, depth = ws.Dimensions[:ws.Rank()-1], ws.Dimensions[ws.Rank()-1]
	}
	if xs.Dimensions[xs.Rank()-1] != depth {
		return nil, errors.Errorf("FusedDense of %s and %s", xs, ws)
	}
	shape := xs.Clone()
	shape.Dimensions = append(slices.Clone(xs.Dimensions[:xs.Rank()-1]), wide...)
	if xs.AxisNames != nil {
		shape.AxisNames = append(slices.Clone(xs.AxisNames[:xs.Rank()-1]), make([]string, len(wide))...)
	}
	if anyDynamic(in) {
		return f.add(&node{op: compute.OpTypeFusedDense, shape: shape, inputs: in, attr: o,
			again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
				var b compute.Value
				if len(in) > 2 {
					b = in[2]
				}
				return f.FusedDense(in[0], in[1], b, o)
			})}), nil
	}
	cols := product(wide)
	a := f.reshape(in[0], shapes.Make(xs.DType, 1, product(xs.Dimensions[:xs.Rank()-1]), depth))
	w := f.reshape(in[1], shapes.Make(ws.DType, 1, depth, cols))
	if o.WeightLayout == compute.DenseLayoutOutputsInput {
		v, err := f.Transpose(f.reshape(in[1], shapes.Make(ws.DType, 1, cols, depth)), 0, 2, 1)
		if err != nil {
			return nil, err
		}
		w = v.(*node)
	}
	var b *node
	if bias != nil {
		if in[2].shape.Size() != cols {
			return nil, errors.Errorf("FusedDense: a bias of %s for %s", in[2].shape, shape)
		}
		b = f.reshape(in[2], shapes.Make(in[2].shape.DType, cols))
	}
	return f.reshape(f.matmul(a, w, b, o.Activation, xs.DType), shape), nil
}

// FusedAttentionQKVProjection implements compute.FusedOps.
func (f *Function) FusedAttentionQKVProjection(x, w, biasQ, biasK, biasV compute.Value, queryDim,
	keyDim int) (
	query, key, value compute.Value, err error) {
	in, err := f.values("FusedAttentionQKVProjection", x, w)
	if err != nil {
		return nil, nil, nil, err
	}
	if anyDynamic(in) {
		return nil, nil, nil, missing("FusedAttentionQKVProjection of dynamic axes")
	}
	y, err := f.DotGeneral(x, []int{1}, nil, w, []int{0}, nil, compute.DotGeneralConfig{})
	if err != nil {
		return nil, nil, nil, err
	}
	rows, at := in[0].shape.Dimensions[0], 0
	part := func(size int, bias compute.Value) (compute.Value, error) {
		v, err := f.Slice(y, []int{0, at}, []int{rows, at + size}, nil)
		at += size
		if err != nil || bias == nil {
			return v, err
		}
		b, err := f.BroadcastInDim(bias, shapes.Make(in[0].shape.DType, rows, size), []int{1})
		if err != nil {
			return nil, err
		}
		return f.Add(v, b)
	}
	if query, err = part(queryDim, biasQ); err != nil {
		return nil, nil, nil, err
	}
	if key, err = part(keyDim, biasK); err != nil {
		return nil, nil, nil, err
	}
	value, err = part(keyDim, biasV)
	return query, key, value, err
}

// attentionAttr are the attributes of attention.
type attentionAttr struct {
	causal bool
	scale  float64
	layout compute.AttentionAxesLayout
}

// FusedScaledDotProductAttention implements compute.FusedOps. Without masks and biases it is one kernel;
// with them, a product, a softmax and another product.
func (f *Function) FusedScaledDotProductAttention(query, key, value compute.Value,
	layout compute.AttentionAxesLayout,
	o *compute.ScaledDotProductAttentionConfig) (compute.Value, []compute.Value, error) {
	if o == nil {
		o = &compute.ScaledDotProductAttentionConfig{}
	}
	in, err := f.values("FusedScaledDotProductAttention", query, key, value)
	if err != nil {
		return nil, nil, err
	}
	q, k := in[0].shape, in[1].shape
	for _, n := range in {
		if n.shape.Rank() != 4 || n.shape.DType != q.DType || !isFloat(q.DType) {
			return nil, nil, errors.Errorf("FusedScaledDotProductAttention of %s, %s, %s", q, k, in[2].shape)
		}
	}
	if o.QuerySeqLen != nil || o.KeyValueSeqLen != nil || anyDynamic(in) {
		return nil, nil, missing("FusedScaledDotProductAttention of sequences of several lengths")
	}
	scale := o.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(q.Dimensions[3]))
	}
	same := q.Dimensions[layout.SeqAxis()] == k.Dimensions[layout.SeqAxis()]
	if o.Mask == nil && o.Bias == nil && q.DType != dtypes.Float64 && (same || !o.Causal) &&
		k.Dimensions[3] == in[2].shape.Dimensions[3] && q.Dimensions[3] <= 256 {
		return f.add(&node{op: compute.OpTypeFusedScaledDotProductAttention, shape: q, inputs: in,
			attr: attentionAttr{o.Causal, scale, layout}}), nil, nil
	}
	out, err := f.plainAttention(in, layout, o, scale)
	return out, nil, err
}

func lowerAttention(l *lowering, n *node) error {
	a, in, out := n.attr.(attentionAttr), l.slotsOf(n.inputs), l.slotOf[n]
	l.step(stepFunc(func(p *program) error {
		list := make([]*nereid.Tensor, 4)
		for i, s := range append(slices.Clone(in), out) {
			list[i] = p.vals[s]
			if a.layout == compute.AttentionAxesLayoutBSHD {
				list[i] = list[i].Transpose(1, 2)
			}
		}
		return ops.Attention(p.b.ops.Into(list[3]), list[0], list[1], list[2],
			ops.AttentionOptions{Causal: a.causal, Scale: a.scale}).Err()
	}), append(in, out)...)
	return nil
}

// plainAttention is attention in steps.
func (f *Function) plainAttention(in []*node, layout compute.AttentionAxesLayout,
	o *compute.ScaledDotProductAttentionConfig, scale float64) (compute.Value, error) {
	var err error
	for i, n := range in {
		if layout == compute.AttentionAxesLayoutBSHD {
			if in[i], err = f.transposed(n, []int{0, 2, 1, 3}); err != nil {
				return nil, err
			}
		}
	}
	q, k, v := in[0], in[1], in[2]
	d, e := q.shape.Dimensions, k.shape.Dimensions
	if e[1] == 0 || d[1]%e[1] != 0 {
		return nil, errors.Errorf("FusedScaledDotProductAttention: %d heads for %d", d[1], e[1])
	}
	group := d[1] / e[1]
	grouped := f.reshape(q, shapes.Make(q.shape.DType, d[0], e[1], group, d[2], d[3]))
	full := compute.DotGeneralConfig{AccumulatorDType: dtypes.Float32, OutputDType: dtypes.Float32}
	dt := dtypes.Float32
	if q.shape.DType == dtypes.Float64 {
		full, dt = compute.DotGeneralConfig{}, dtypes.Float64
	}
	scores, err := f.DotGeneral(grouped, []int{4}, []int{0, 1}, k, []int{3}, []int{0, 1}, full)
	if err != nil {
		return nil, err
	}
	all := shapes.Make(dt, d[0], d[1], d[2], e[2])
	x := f.build().reshape(scores, all).mul(f.scalar(dt, scale))
	for _, extra := range []compute.Value{o.Bias, o.Mask} {
		if extra != nil {
			x = x.masked(extra, all)
		}
	}
	if o.Causal {
		x = x.causal(all)
	}
	p := x.then(func(v compute.Value) (compute.Value, error) { return f.FusedSoftmax(v, 3) })
	p = p.then(func(v compute.Value) (compute.Value, error) { return f.ConvertDType(v, q.shape.DType) })
	p = p.reshape(p.v, shapes.Make(q.shape.DType, d[0], e[1], group, d[2], e[2]))
	y := p.then(func(w compute.Value) (compute.Value, error) {
		return f.DotGeneral(w, []int{4}, []int{0, 1}, v, []int{2}, []int{0, 1}, compute.DotGeneralConfig{
			AccumulatorDType: full.AccumulatorDType, OutputDType: q.shape.DType})
	})
	y = y.reshape(y.v, shapes.Make(q.shape.DType, d[0], d[1], d[2], v.shape.Dimensions[3]))
	if layout == compute.AttentionAxesLayoutBSHD {
		y = y.then(func(v compute.Value) (compute.Value, error) { return f.Transpose(v, 0, 2, 1, 3) })
	}
	return y.v, y.err
}

// chain makes one operation after the other, until one fails.
type chain struct {
	f   *Function
	v   compute.Value
	err error
}

func (f *Function) build() chain { return chain{f: f} }

func (c chain) then(op func(v compute.Value) (compute.Value, error)) chain {
	if c.err == nil {
		c.v, c.err = op(c.v)
	}
	return c
}

func (c chain) reshape(v compute.Value, s shapes.Shape) chain {
	c.v = v
	return c.then(func(v compute.Value) (compute.Value, error) { return c.f.Reshape(v, s.Dimensions...) })
}

func (c chain) mul(y compute.Value) chain {
	return c.then(func(v compute.Value) (compute.Value, error) { return c.f.Mul(v, y) })
}

// masked adds a bias, or hides what a mask of bools does not have.
func (c chain) masked(mask compute.Value, all shapes.Shape) chain {
	return c.then(func(v compute.Value) (compute.Value, error) {
		in, err := c.f.values("mask", mask)
		if err != nil {
			return nil, err
		}
		m := in[0]
		var axes []int
		for d := range m.shape.Rank() {
			axes = append(axes, all.Rank()-m.shape.Rank()+d)
		}
		to := all.Clone()
		to.DType = m.shape.DType
		wide, err := c.f.BroadcastInDim(m, to, axes)
		if err != nil {
			return nil, err
		}
		if m.shape.DType == dtypes.Bool {
			return c.f.Where(wide, v, c.f.scalar(all.DType, math.Inf(-1)))
		}
		same, err := c.f.ConvertDType(wide, all.DType)
		if err != nil {
			return nil, err
		}
		return c.f.Add(v, same)
	})
}

// causal hides keys behind the place of a query.
func (c chain) causal(all shapes.Shape) chain {
	return c.then(func(v compute.Value) (compute.Value, error) {
		index := shapes.Make(dtypes.Int32, all.Dimensions...)
		rows, err := c.f.Iota(index, 2)
		if err != nil {
			return nil, err
		}
		cols, err := c.f.Iota(index, 3)
		if err != nil {
			return nil, err
		}
		seen, err := c.f.LessOrEqual(cols, rows)
		if err != nil {
			return nil, err
		}
		return c.f.Where(seen, v, c.f.scalar(all.DType, math.Inf(-1)))
	})
}
