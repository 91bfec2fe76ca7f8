package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Descriptor is a device value that describes a tensor in memory: an IR descriptor with the tensor's shape
// and strides.
type Descriptor struct {
	V              *ir.Value
	Type           *DescType
	Shape, Strides []*Tensor // int32 and int64 scalars
}

// TypeName returns the class name in the language.
func (*Descriptor) TypeName() string { return "tensor_descriptor" }

// indices returns scalars as i32 or i64 values of IR.
func (b *Builder) indices(vs []object.Value, wide bool) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = b.index(v, wide)
	}
	return out
}

func (b *Builder) index(v object.Value, wide bool) *ir.Value {
	t, want := Int32, "32 bit `offsets/block_shape`"
	if wide {
		t, want = Int64, "64 bit `shape/strides`"
	}
	if x, ok := v.(*Tensor); ok {
		return b.indexTensor(x, wide)
	}
	i, ok := integer(v)
	if !ok {
		panic(bad(CodeType, "unsupported element in shape/strides/offsets: %s", describe(v)))
	}
	if !fits(i, t) {
		panic(bad(CodeValue, "a block pointer has %s, which cannot hold %s", want, i))
	}
	return b.constInt(i.Int64(), t.ir)
}

func (b *Builder) indexTensor(x *Tensor, wide bool) *ir.Value {
	t := scalarType(x)
	if IsBlock(x.Type) || t == nil || !t.IsInt() {
		panic(bad(CodeType,
			"shape, strides and offsets of a block pointer are lists of scalar integers, but one is %s",
			x.Type))
	}
	if wide && t != Int64 {
		return b.intCast(x.V, ir.I64, t.IsSigned())
	}
	if !wide && t.Bits != 32 {
		panic(bad(CodeType, "offsets of a block pointer are int32, not %s", t).
			hint("cast with .to(tl.int32), or compute the pointers of a block yourself where 32 bits " +
				"are too few"))
	}
	return x.V
}

// blockBase returns the base of a block pointer.
func (c *Call) blockBase() *Tensor {
	base := c.device("base")
	if pt, ok := base.Type.(*PtrType); !ok || IsBlock(pt.Elem) {
		panic(bad(CodeType, "the base of a block pointer is a pointer to one element, not %s", base.Type))
	}
	return base
}

// blockOrder returns the order of a block pointer's dimensions.
func (c *Call) blockOrder() []int64 {
	order := c.ints("order", c.list("order"))
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, iota64(len(order))) {
		panic(bad(CodeValue, "order names each dimension from 0 to %d once, but is %s", len(order)-1,
			plainShape(order)))
	}
	return order
}

// checkRanks checks that the lists of a block pointer have an entry for each dimension.
func checkRanks(dims []int64, shape, strides, offsets, order int) {
	for _, n := range []int{shape, strides, offsets, order} {
		if n != len(dims) {
			panic(bad(CodeShape,
				"a block pointer has one entry for each dimension in every list: shape has %d, strides "+
					"%d, offsets %d, block_shape %d, order %d", shape, strides, offsets, len(dims), order))
		}
	}
}

func makeBlockPtr(c *Call) object.Value {
	b := c.B
	if b.has(triton.BlockPointersByHand) {
		return c.blockPointerByHand()
	}
	shape := b.indices(c.list("shape"), true)
	strides := b.indices(c.list("strides"), true)
	offsets := b.indices(c.list("offsets"), false)
	base := b.bytePointer(c.blockBase())
	dims := c.shape("block_shape", c.list("block_shape"))
	order := c.blockOrder()
	checkRanks(dims, len(shape), len(strides), len(offsets), len(order))
	t := Ptr(Block(pointee(base), dims...))
	op := b.Groups(tt.MakeTensorPtr, [][]*ir.Value{{base.V}, shape, strides, offsets}, []ir.Type{b.ir(t)},
		ir.A("order", ir.DenseArray(ir.I32, order...)))
	return &Tensor{op.Result(0), t}
}

// checkMove checks the number of offsets that a block pointer is moved by.
func checkMove(rank, offsets int) {
	if offsets != rank {
		panic(bad(CodeShape, "a block pointer of rank %d moves by %s, not %d", rank, Count(rank, "offset"),
			offsets).at("offsets"))
	}
}

func advance(c *Call) object.Value {
	if p, ok := c.Named("base").(*BlockPointer); ok {
		return p.moved(c)
	}
	base := c.device("base")
	if !IsBlockPtr(base.Type) {
		panic(bad(CodeType, "tl.advance moves a block pointer, not %s",
			base.Type).hint("add the offset to a plain pointer"))
	}
	offsets := c.B.indices(c.list("offsets"), false)
	checkMove(len(base.Type.(*PtrType).Elem.(*BlockType).Shape), len(offsets))
	return c.B.op(tt.Advance, base.Type, append([]*ir.Value{base.V}, offsets...)...)
}

func makeTensorDescriptor(c *Call) object.Value {
	shape, strides, dims := c.list("shape"), c.list("strides"), c.list("block_shape")
	base := c.device("base")
	pt, ok := base.Type.(*PtrType)
	if !ok || IsBlock(pt.Elem) {
		panic(bad(CodeType, "the base of a tensor descriptor is a pointer to one element, not %s", base.Type))
	}
	block := Block(pt.Elem, c.shape("block_shape", dims)...)
	checkDescriptor(block, len(shape), strides)
	if c.B.has(triton.AlignedStrides) {
		checkStrides(block.Elem.(*DType), strides)
	}
	d := &Descriptor{Type: Desc(block)}
	for _, v := range shape {
		d.Shape = append(d.Shape, c.B.makeScalar(v, Int32))
	}
	for _, v := range strides {
		d.Strides = append(d.Strides, c.B.makeScalar(v, Int64))
	}
	padding := paddings.get("padding option", c.str("padding_option"))
	if t, isNum := pt.Elem.(*DType); isNum && t.IsInt() && padding == tt.PadNaN {
		panic(bad(CodeValue, "integers have no NaN to pad with: pad a descriptor of %s with \"zero\"",
			pt.Elem))
	}
	var attrs []ir.NamedAttr
	if padding == tt.PadNaN {
		attrs = []ir.NamedAttr{ir.A("padding", ir.I32Attr(padding))}
	}
	groups := [][]*ir.Value{{base.V}, values(d.Shape), values(d.Strides)}
	d.V = c.B.Groups(tt.MakeTensorDesc, groups, []ir.Type{c.B.ir(d.Type)}, attrs...).Result(0)
	return d
}

// checkDescriptor checks the demands of TMA on a descriptor.
func checkDescriptor(block *BlockType, rank int, strides []object.Value) {
	elem, ok := block.Elem.(*DType)
	switch {
	case rank < 1 || rank > 5:
		panic(bad(CodeShape, "a tensor descriptor has 1 to 5 dimensions, not %d", rank))
	case len(strides) != rank:
		panic(bad(CodeShape, "a tensor descriptor of %d dimensions has as many strides, not %d", rank,
			len(strides)))
	case len(block.Shape) != rank:
		panic(bad(CodeShape,
			"the shape has %d dimensions and block_shape %d; they describe the same dimensions", rank,
			len(block.Shape)))
	case !ok:
		panic(bad(CodeType, "a descriptor describes numbers, not %s", block.Elem))
	}
	last, size := block.Shape[rank-1], int64(elem.Bits/8)
	if last*size < 16 {
		panic(bad(CodeShape,
			"a row of a descriptor's block has 16 bytes or more, but %d elements of %d bytes make %d",
			last, size, last*size))
	}
	if n, isInt := smallInt(strides[rank-1]); !isInt || n != 1 {
		panic(bad(CodeValue,
			"neighbours in the last dimension of a tensor descriptor lie side by side, but its stride is %s",
			describe(strides[rank-1])).
			hint("pass the constant 1 as the last stride"))
	}
}

// checkStrides refuses constant strides that TMA cannot have: those of all dimensions but the last.
func checkStrides(elem *DType, strides []object.Value) {
	for _, v := range strides[:len(strides)-1] {
		if n, ok := smallInt(v); ok && n*int64(elem.Bits/8)%16 != 0 {
			panic(bad(CodeValue, "strides of a tensor descriptor are multiples of 16 bytes, but %d elements of "+
				"%s are %d bytes", n, elem, n*int64(elem.Bits/8)).at("strides"))
		}
	}
}

func values(xs []*Tensor) []*ir.Value {
	vs := make([]*ir.Value, len(xs))
	for i, x := range xs {
		vs[i] = x.V
	}
	return vs
}

// descriptor returns an argument that must be a tensor descriptor.
func (c *Call) descriptor(name string) *Descriptor {
	d, ok := c.Named(name).(*Descriptor)
	if !ok {
		panic(c.wrong(name, "a tensor descriptor"))
	}
	return d
}

// offsets returns the indices of a descriptor operation.
func (c *Call) offsets(d *Descriptor) []*ir.Value {
	vs := c.list("offsets")
	if n := len(d.Type.Block.Shape); len(vs) != n {
		panic(bad(CodeShape, "a descriptor of rank %d takes %s, not %d", n, Count(n, "offset"),
			len(vs)).at("offsets"))
	}
	return c.B.indices(vs, false)
}

func descLoad(c *Call) object.Value {
	d := c.descriptor("desc")
	return c.B.op(tt.DescLoad, d.Type.Block, append([]*ir.Value{d.V}, c.offsets(d)...)...)
}

func descStore(c *Call) object.Value {
	d, x := c.descStoreArgs()
	x = c.B.castTo(x, d.Type.Block.Elem)
	c.B.Groups(tt.DescStore, [][]*ir.Value{{d.V}, {x.V}, c.offsets(d)}, nil)
	return object.None
}

// descStoreArgs returns the descriptor and the value of its block's shape.
func (c *Call) descStoreArgs() (*Descriptor, *Tensor) {
	d, x := c.descriptor("desc"), c.device("value")
	if want, got := d.Type.Block.Shape, ShapeOf(x.Type); !slices.Equal(want, got) {
		panic(bad(CodeShape, "a descriptor of blocks of shape %s cannot store a value of shape %s",
			plainShape(want), plainShape(got)))
	}
	return d, x
}

// descReduces has the atomics of descriptors and the types that each takes.
var descReduces = map[string]struct {
	kind  int64
	types []*DType
}{
	"atomic_add": {tt.ReduceAdd, []*DType{Uint32, Int32, Uint64, Float32, Float16, BFloat16}},
	"atomic_min": {tt.ReduceMin, []*DType{Uint32, Int32, Uint64, Int64, Float16, BFloat16}},
	"atomic_max": {tt.ReduceMax, []*DType{Uint32, Int32, Uint64, Int64, Float16, BFloat16}},
	"atomic_and": {tt.ReduceAnd, []*DType{Uint32, Int32, Uint64, Int64}},
	"atomic_or":  {tt.ReduceOr, []*DType{Uint32, Int32, Uint64, Int64}},
	"atomic_xor": {tt.ReduceXor, []*DType{Uint32, Int32, Uint64, Int64}},
}

func descAtomic(c *Call) object.Value {
	d, x := c.descStoreArgs()
	row := descReduces[c.Fn.Name]
	elem, _ := d.Type.Block.Elem.(*DType)
	if !slices.Contains(row.types, elem) {
		panic(bad(CodeType, "%s of a descriptor does not support %s", c.Fn.Name, d.Type.Block.Elem))
	}
	if row.kind != tt.ReduceAdd && elem.IsFloating() && lacksTMA(c.B) {
		panic(bad(CodeTarget, "%s of 16-bit float types requires native tma support", c.Fn.Name))
	}
	if x.Type != d.Type.Block {
		panic(bad(CodeType, "value of type %s does not fit a descriptor of %s", x.Type,
			d.Type.Block).hint("cast it"))
	}
	c.B.Groups(tt.DescReduce, [][]*ir.Value{{d.V}, {x.V}, c.offsets(d)}, nil,
		ir.A("kind", ir.I32Attr(row.kind)))
	return object.None
}

// lacksTMA reports whether the target lacks TMA.
func lacksTMA(b *Builder) bool { return !b.Opts.Chip().TMA }

// rows checks the arguments of gather and scatter: a descriptor of single rows, and which rows.
func (c *Call) rows(what string, args []object.Value) (d *Descriptor, x *Tensor, y *ir.Value) {
	d = c.descriptor("desc")
	if len(args) != 2 {
		panic(bad(CodeArgs, "descriptor %s takes x offsets and one y offset, not %d arguments", what,
			len(args)))
	}
	x, ok := args[0].(*Tensor)
	shape := d.Type.Block.Shape
	switch {
	case len(shape) != 2 || shape[0] != 1:
		panic(bad(CodeShape, "descriptor %s takes a 2D descriptor whose block has 1 row, but got %s", what,
			plainShape(shape)))
	case !ok || len(ShapeOf(x.Type)) != 1 || scalarType(x) == nil || scalarType(x).Bits != 32 ||
		!scalarType(x).IsInt() || c.B.has(triton.NarrowRows) && !scalarType(x).IsSigned():
		panic(bad(CodeType, "descriptor %s takes x offsets in a 1D tensor of int32, not %s", what,
			describe(args[0])))
	case ShapeOf(x.Type)[0] < 8:
		panic(bad(CodeShape, "descriptor %s moves 8 rows or more, but there are x offsets for %s", what,
			plainShape(ShapeOf(x.Type))))
	}
	elem := d.Type.Block.Elem.(*DType)
	if elem.Bits > 32 {
		panic(bad(CodeType, "descriptor %s moves elements of 32 bits or less, not %s", what, elem).hint(
			"describe the memory as int32, with twice as many columns"))
	}
	if least := int64(32 / elem.Bits * 8); shape[1] < least {
		panic(bad(CodeShape,
			"descriptor %s moves rows of 32 bytes or more: of %s these are %d columns, but the block has %d",
			what, elem, least, shape[1]))
	}
	return d, x, c.B.index(args[1], false)
}

func descGather(c *Call) object.Value {
	vs, _ := items(c.Named("args"))
	d, x, y := c.rows("gather", vs)
	t := Block(d.Type.Block.Elem, ShapeOf(x.Type)[0], d.Type.Block.Shape[1])
	return c.B.op(tt.DescGather, t, d.V, x.V, y)
}

func descScatter(c *Call) object.Value {
	vs, _ := items(c.Named("args"))
	d, x, y := c.rows("scatter", vs)
	v := c.device("value")
	if want := Block(d.Type.Block.Elem, ShapeOf(x.Type)[0], d.Type.Block.Shape[1]); v.Type != want {
		panic(bad(CodeType, "descriptor scatter takes a value of type %s, not %s", want, v.Type))
	}
	c.B.Op(tt.DescScatter, []*ir.Value{d.V, x.V, y, v.V}, nil)
	return object.None
}
