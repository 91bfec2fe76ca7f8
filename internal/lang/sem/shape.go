package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

func broadcastFn(c *Call) object.Value {
	x, y := c.B.broadcastValues(c.device("input"), c.device("other"))
	return object.NewTuple(x, y)
}

func broadcastTo(c *Call) object.Value {
	return c.B.broadcastTo(c.device("input"), c.shape("shape", c.loose("shape")))
}

func trans(c *Call) object.Value {
	x, dims := c.device("input"), c.loose("dims")
	if len(dims) > 0 {
		return c.B.permute(x, c.ints("dims", dims))
	}
	return c.B.transpose(x)
}

func permute(c *Call) object.Value {
	return c.B.permute(c.device("input"), c.ints("dims", c.loose("dims")))
}

// transpose swaps the last two dimensions.
func (b *Builder) transpose(x *Tensor) *Tensor {
	n := len(ShapeOf(x.Type))
	if n < 2 {
		panic(bad(CodeShape, "tl.trans swaps the last two dimensions, but a value of type %s has fewer",
			x.Type))
	}
	dims := iota64(n)
	dims[n-2], dims[n-1] = dims[n-1], dims[n-2]
	return b.permute(x, dims)
}

func iota64(n int) []int64 {
	dims := make([]int64, n)
	for i := range dims {
		dims[i] = int64(i)
	}
	return dims
}

func (b *Builder) permute(x *Tensor, dims []int64) *Tensor {
	shape := ShapeOf(x.Type)
	if len(shape) != len(dims) {
		panic(bad(CodeShape, "the order %s does not permute the dimensions of a block of shape %s",
			plainShape(dims), plainShape(shape)))
	}
	if sorted := slices.Sorted(slices.Values(dims)); !slices.Equal(sorted, iota64(len(dims))) {
		panic(bad(CodeValue, "the order %s is no permutation: each of 0 to %d must occur once",
			plainShape(dims), len(dims)-1))
	}
	if len(dims) == 0 {
		panic(bad(CodeShape, "permute needs a block, not the scalar %s", x.Type))
	}
	out := make([]int64, len(dims))
	for i, d := range dims {
		out[i] = shape[d]
	}
	return b.opA(tt.Trans, Block(Scalar(x.Type), out...),
		[]ir.NamedAttr{ir.A("order", ir.DenseArray(ir.I32, dims...))}, x.V)
}

func reshapeFn(c *Call) object.Value {
	shape := c.shape("shape", c.loose("shape"))
	x := c.device("input")
	if len(shape) == 0 {
		return c.B.unsplat(x)
	}
	return c.B.reshape(x, shape, c.bool("can_reorder"))
}

func view(c *Call) object.Value {
	c.B.Opts.warn("view is an old name: write reshape with can_reorder=True")
	return c.B.reshape(c.device("input"), c.shape("shape", c.loose("shape")), true)
}

func (b *Builder) reshape(x *Tensor, shape []int64, reorder bool) *Tensor {
	bt, ok := x.Type.(*BlockType)
	if !ok {
		panic(bad(CodeShape, "reshape needs a block, not the scalar %s", x.Type))
	}
	t := Block(bt.Elem, shape...)
	if bt.Numel() != t.Numel() {
		panic(bad(CodeShape, "a reshape keeps the number of elements: %s has %d, %s has %d",
			plainShape(bt.Shape), bt.Numel(), plainShape(shape), Block(bt.Elem, shape...).Numel()))
	}
	var attrs []ir.NamedAttr
	if reorder {
		attrs = []ir.NamedAttr{ir.A("allow_reorder", ir.Unit)}
	}
	return b.opA(tt.Reshape, t, attrs, x.V)
}

func item(c *Call) object.Value { return c.B.unsplat(c.device("input")) }

// Unsplat returns the only element of a block; a scalar stays itself.
func (b *Builder) Unsplat(x *Tensor) (t *Tensor, err error) {
	defer guard(&err)
	return b.unsplat(x), nil
}

func (b *Builder) unsplat(x *Tensor) *Tensor {
	bt, ok := x.Type.(*BlockType)
	if !ok {
		return x
	}
	if bt.Numel() != 1 {
		panic(bad(CodeShape, "a block of one element is expected, to take its scalar, not %s", x.Type))
	}
	return b.op(tt.Unsplat, bt.Elem, x.V)
}

// wrapAxis counts a negative axis from the end.
func wrapAxis(axis int64, rank int) int {
	n := int64(rank)
	if axis < -n || axis >= n {
		panic(bad(CodeValue, "there is no axis %d: it must be between %d and %d", axis, -n, n-1).at("axis"))
	}
	if axis < 0 {
		axis += n
	}
	return int(axis)
}

func expandDimsFn(c *Call) object.Value {
	return c.B.expandAxes(c.tensor("input"), c.ints("axis", c.list("axis")))
}

// expandAxes inserts dimensions of size one; axes count in the result.
func (b *Builder) expandAxes(x *Tensor, axes []int64) *Tensor {
	rank := len(ShapeOf(x.Type)) + len(axes)
	at := make([]int, len(axes))
	for i, a := range axes {
		at[i] = wrapAxis(a, rank)
	}
	slices.Sort(at)
	if len(slices.Compact(slices.Clone(at))) != len(at) {
		panic(bad(CodeValue, "expand_dims is given an axis twice: counted from the front they are %v", at))
	}
	for _, a := range at {
		x = b.expandDims(x, a)
	}
	return x
}

// IndexSlice returns x[...] with full slices, which keep a dimension, and None, which adds one.
func (b *Builder) IndexSlice(x *Tensor, index object.Value) (t *Tensor, err error) {
	defer guard(&err)
	list, ok := items(index)
	if !ok {
		list = []object.Value{index}
	}
	rank, colons := len(ShapeOf(x.Type)), 0
	for dim, v := range list {
		s, isSlice := v.(*object.Slice)
		switch {
		case isNone(v):
			rank := len(ShapeOf(x.Type))
			if dim > rank && rank > 0 {
				panic(bad(CodeShape, "too many indices for a tensor of type %s", x.Type))
			}
			x = b.expandDims(x, min(dim, rank)) // a scalar takes any index: s[:, None] has one dimension
		case isSlice && isNone(s.Lo) && isNone(s.Hi) && isNone(s.Step):
			if colons++; colons > rank && b.has(triton.StrictIndex) {
				panic(bad(CodeShape, "a tensor of rank %d is indexed by %d colons or more", rank, colons))
			}
		default:
			panic(bad(CodeType, "a tensor cannot be indexed by %s", describe(v)).
				hint("only : and None index a tensor; tl.gather picks elements, tl.split and tl.reshape " +
					"take a tensor apart"))
		}
	}
	return x, nil
}

// catAlong joins two blocks along a dimension, in order.
func (c *Call) catAlong() *Tensor {
	b := c.B
	x, y := c.device("input"), c.device("other")
	xs, ys := ShapeOf(x.Type), ShapeOf(y.Type)
	if len(xs) != len(ys) {
		panic(bad(CodeShape, "cat takes two tensors of one rank, not %s and %s", x.Type, y.Type))
	}
	dim := wrapAxis(c.int("dim"), len(xs))
	for i := range xs {
		if xs[i] != ys[i] && (i != dim || b.has(triton.SameShapeCat)) {
			panic(bad(CodeShape, "cat takes two tensors of one shape, not %s and %s", plainShape(xs),
				plainShape(ys)))
		}
	}
	joined := b.join(x, y)
	order := slices.Insert(iota64(len(xs)), dim, int64(len(xs)))
	shape := slices.Clone(xs)
	shape[dim] += ys[dim]
	return b.reshape(b.permute(joined, order), shape, false)
}

func cat(c *Call) object.Value {
	if c.takes("dim") && !c.bool("can_reorder") {
		return c.catAlong()
	}
	x, y := c.device("input"), c.device("other")
	xs, ys := ShapeOf(x.Type), ShapeOf(y.Type)
	switch {
	case !c.bool("can_reorder"):
		panic(bad(CodeValue,
			"tl.cat keeps no order of elements").hint("pass can_reorder=True, or use tl.join"))
	case len(xs) != 1 || len(ys) != 1:
		panic(bad(CodeShape, "cat takes two one-dimensional tensors, not %s and %s", x.Type, y.Type))
	case x.V.Type != y.V.Type:
		panic(bad(CodeType, "cat takes two tensors of one type, not %s and %s", x.Type, y.Type))
	}
	shape := []int64{xs[0] + ys[0]}
	checkShape(shape)
	return c.B.op(tt.Cat, Block(Scalar(x.Type), shape...), x.V, y.V)
}

func join(c *Call) object.Value { return c.B.join(c.device("a"), c.device("b")) }

// join puts two values together along a new last dimension. Scalars become blocks of one for a moment, since
// IR cannot join scalars.
func (b *Builder) join(x, y *Tensor) *Tensor {
	x, y = b.broadcastValues(x, y)
	if x.V.Type != y.V.Type {
		panic(bad(CodeType, "join takes two tensors of one type, not %s and %s", x.Type, y.Type))
	}
	scalars := !IsBlock(x.Type)
	if scalars {
		x, y = b.expandDims(x, 0), b.expandDims(y, 0)
	}
	shape := append(slices.Clone(ShapeOf(x.Type)), 2)
	checkShape(shape)
	out := b.op(tt.Join, Block(Scalar(x.Type), shape...), x.V, y.V)
	if scalars {
		return b.reshape(out, []int64{2}, false)
	}
	return out
}

func split(c *Call) object.Value {
	x := c.device("a")
	shape := ShapeOf(x.Type)
	if len(shape) == 0 || shape[len(shape)-1] != 2 {
		panic(bad(CodeShape, "split takes a tensor whose last dimension has size 2, not %s", x.Type))
	}
	if len(shape) > 1 {
		return tensorTuple(c.B.split(x))
	}
	parts := c.B.split(c.B.expandDims(x, 0))
	return object.NewTuple(c.B.unsplat(parts[0]), c.B.unsplat(parts[1]))
}

func (b *Builder) split(x *Tensor) []*Tensor {
	shape := ShapeOf(x.Type)
	t := Block(Scalar(x.Type), shape[:len(shape)-1]...)
	op := b.Op(tt.Split, []*ir.Value{x.V}, []ir.Type{t.IR(), t.IR()})
	return []*Tensor{{op.Result(0), t}, {op.Result(1), t}}
}

func castFn(c *Call) object.Value {
	x, to := c.tensor("input"), Scalar(c.dtype("dtype"))
	if c.bool("bitcast") {
		return c.B.bitcast(x, to)
	}
	return c.B.cast(x, to, parseRounding(c.str("fp_downcast_rounding")))
}
