package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// blocks returns the inputs of a reduction or scan: one tensor or a tuple of them, all of one shape.
func (c *Call) blocks(name string) (xs []*Tensor, single bool) {
	vs, tuple := items(c.Named(name))
	if !tuple {
		vs = []object.Value{c.Named(name)}
	}
	for _, v := range vs {
		x, ok := v.(*Tensor)
		if !ok || !IsBlock(x.Type) {
			panic(bad(CodeType, "%s takes blocks, not %s", c.Fn.Name, describe(v)).at("input"))
		}
		xs = append(xs, x)
	}
	if len(xs) == 0 {
		panic(bad(CodeArgs, "%s takes at least one tensor", c.Fn.Name))
	}
	for _, x := range xs[1:] {
		if !slices.Equal(ShapeOf(x.Type), ShapeOf(xs[0].Type)) {
			panic(bad(CodeShape, "%s takes blocks of one shape, not of %s and %s", c.Fn.Name,
				plainShape(ShapeOf(xs[0].Type)), plainShape(ShapeOf(x.Type))))
		}
	}
	return xs, !tuple
}

// result returns one tensor where one went in, else a tuple.
func result(xs []*Tensor, single bool) object.Value {
	if single {
		return xs[0]
	}
	return tensorTuple(xs)
}

func reduce(c *Call) object.Value {
	xs, single := c.blocks("input")
	return result(c.reduce(xs, c.Named("axis"), c.Named("combine_fn"), c.bool("keep_dims")), single)
}

// reduce reduces along an axis, or all of them when that is None.
func (c *Call) reduce(xs []*Tensor, axis, fn object.Value, keepDims bool) []*Tensor {
	b := c.B
	rank := len(ShapeOf(xs[0].Type))
	at := 0
	all := isNone(axis)
	if all {
		for i, x := range xs {
			xs[i] = b.reshape(x, []int64{x.Type.(*BlockType).Numel()}, true)
		}
	} else {
		at = wrapAxis(c.axis(axis), rank)
	}
	out := c.reduceOp(xs, at, fn)
	if !keepDims {
		return out
	}
	for i, x := range out {
		if !all {
			out[i] = b.expandDims(x, at)
			continue
		}
		for range rank {
			out[i] = b.expandDims(out[i], 0)
		}
	}
	return out
}

func (c *Call) axis(v object.Value) int64 {
	n, ok := smallInt(v)
	if !ok {
		panic(bad(CodeConst, "the axis of %s must be known at compile time, but is %s", c.Fn.Name,
			describe(v)).at("axis"))
	}
	return n
}

func (c *Call) reduceOp(xs []*Tensor, axis int, fn object.Value) []*Tensor {
	shape := slices.Delete(slices.Clone(ShapeOf(xs[0].Type)), axis, axis+1)
	out := make([]*Tensor, len(xs))
	for i, x := range xs {
		out[i] = &Tensor{Type: Scalar(x.Type)}
		if len(shape) > 0 {
			out[i].Type = Block(Scalar(x.Type), shape...)
		}
	}
	c.combineOp(tt.Reduce, tt.ReduceReturn, xs, out, fn, ir.A("axis", ir.I32Attr(int64(axis))))
	return out
}

func scan(c *Call) object.Value {
	xs, single := c.blocks("input")
	axis := wrapAxis(c.axis(c.Named("axis")), len(ShapeOf(xs[0].Type)))
	out := make([]*Tensor, len(xs))
	for i, x := range xs {
		out[i] = &Tensor{Type: x.Type}
	}
	c.combineOp(tt.Scan, tt.ScanReturn, xs, out, c.Named("combine_fn"),
		ir.A("axis", ir.I32Attr(int64(axis))), ir.A("reverse", ir.BoolAttr(c.bool("reverse"))))
	return result(out, single)
}

// combineOp makes an operation whose region combines two groups of scalars with fn, and fills in the values
// of out.
func (c *Call) combineOp(def, ret *ir.OpDef, xs, out []*Tensor, fn object.Value, attrs ...ir.NamedAttr) {
	b := c.B
	types := make([]ir.Type, len(out))
	for i, x := range out {
		types[i] = b.ir(x.Type)
	}
	block := ir.NewBlock()
	op := b.Create(ir.State{Def: def, Operands: values(xs), Results: types, Attrs: attrs,
		Regions: []*ir.Region{ir.NewRegion(block)}})
	for i := range out {
		out[i].V = op.Result(i)
	}
	var args []object.Value
	for range 2 {
		for _, x := range xs {
			t := Scalar(x.Type)
			args = append(args, &Tensor{block.AddArg(t.IR(), ir.Unknown), t})
		}
	}
	results, _ := c.region(block, fn, args)
	if len(results) != len(xs) {
		panic(bad(CodeArgs, "the combine function of %s must return %d values, not %d", c.Fn.Name, len(xs),
			len(results)))
	}
	for i, r := range results {
		if want := Scalar(xs[i].Type); r.V.Type != want.IR() {
			panic(bad(CodeType, "the combine function of %s must return %s, not %s", c.Fn.Name, want, r.Type))
		}
	}
	c.end(block, ret, results)
}

// region calls fn at the start of a block. It returns the scalars that fn returns, and whether fn returned
// one scalar and no tuple. The insertion point stays where it was.
func (c *Call) region(block *ir.Block, fn object.Value, args []object.Value) (out []*Tensor, single bool) {
	b := c.B
	point, loc := b.Point(), b.Loc
	defer func() { b.SetPoint(point); b.Loc = loc }()
	b.ToStart(block)
	v, err := c.Gen.CallFunction(fn, args)
	check(err)
	vs, tuple := items(v)
	if !tuple {
		vs = []object.Value{v}
	}
	for _, v := range vs {
		x, ok := v.(*Tensor)
		if !ok || IsBlock(x.Type) {
			panic(bad(CodeType, "the function given to %s must return scalars, not %s", c.Fn.Name,
				describe(v)))
		}
		out = append(out, x)
	}
	return out, !tuple
}

// end puts the terminator at a block's end.
func (c *Call) end(block *ir.Block, ret *ir.OpDef, results []*Tensor) {
	b := c.B
	point := b.Point()
	b.ToEnd(block)
	b.Op(ret, values(results), nil)
	b.SetPoint(point)
}

// reduceWithIndices reduces values together with their positions.
func reduceWithIndices(c *Call) object.Value {
	b := c.B
	x := c.device("input")
	shape := ShapeOf(x.Type)
	if shape == nil {
		panic(bad(CodeType, "%s takes a block, not %s", c.Fn.Name, x.Type))
	}
	axis := c.axis(c.Named("axis"))
	at := wrapAxis(axis, len(shape))
	index := b.arange(0, shape[at])
	if len(shape) > 1 {
		axes := slices.Delete(iota64(len(shape)), at, at+1)
		index = b.broadcastTo(b.expandAxes(index, axes), shape)
	}
	return tensorTuple(c.reduce([]*Tensor{x, index}, object.MakeInt(axis), c.Named("combine_fn"),
		c.bool("keep_dims")))
}

func gather(c *Call) object.Value {
	src, index := c.device("src"), c.device("index")
	from, to := ShapeOf(src.Type), ShapeOf(index.Type)
	if t := scalarType(index); t == nil || !t.IsInt() {
		panic(bad(CodeType, "tl.gather takes integers for index, not %s", index.Type))
	}
	if len(from) == 0 || len(from) != len(to) {
		panic(bad(CodeShape,
			"tl.gather takes blocks with as many dimensions for src as for index, not shapes %s and %s",
			plainShape(from), plainShape(to)))
	}
	axis := wrapAxis(c.axis(c.Named("axis")), len(from))
	for d := range from {
		if d != axis && from[d] != to[d] {
			panic(bad(CodeShape,
				"src and index of tl.gather differ in dimension %d, which is not gathered: shapes %s and %s",
				d, plainShape(from), plainShape(to)))
		}
	}
	attrs := []ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(axis)))}
	return c.B.opA(tt.Gather, Block(Scalar(src.Type), to...), attrs, src.V, index.V)
}

func histogram(c *Call) object.Value {
	x, bins := c.device("input"), c.int("num_bins")
	if t := scalarType(x); len(ShapeOf(x.Type)) != 1 || t == nil || !t.IsInt() {
		panic(bad(CodeType, "histogram only supports 1D integer input, not %s", x.Type))
	} else if t.Bits != 32 && c.B.has(triton.Histogram32) {
		panic(bad(CodeType, "tl.histogram takes integers of 32 bits, not %s", t).hint("cast with .to(tl.int32)"))
	}
	operands := []*ir.Value{x.V}
	if mask := c.optTensor("mask"); mask != nil {
		mask = c.B.broadcastTo(mask, ShapeOf(x.Type))
		checkMask(x, mask)
		operands = append(operands, mask.V)
	}
	return c.B.op(tt.Histogram, Block(Int32, bins), operands...)
}

// mapElementwise applies a scalar function to each group of pack elements. It makes the region first, since
// only that tells the types of the results.
func mapElementwise(c *Call) object.Value {
	b := c.B
	vs, _ := items(c.Named("args"))
	pack := int(c.int("pack"))
	if pack < 1 || pack > maxNumel || len(vs) == 0 {
		panic(bad(CodeArgs, "map_elementwise takes at least one tensor and pack >= 1"))
	}
	block := ir.NewBlock()
	region := ir.NewRegion(block)
	var inputs []*Tensor
	var args []object.Value
	for _, v := range vs {
		x, ok := v.(*Tensor)
		if !ok {
			panic(bad(CodeType, "map_elementwise takes tensors, not %s", describe(v)))
		}
		inputs = append(inputs, x)
		for range pack {
			t := Scalar(x.Type)
			args = append(args, &Tensor{block.AddArg(b.ir(t), b.Loc), t})
		}
	}
	results, single := c.region(block, c.Named("scalar_fn"), args)
	c.end(block, tt.MapElementwiseReturn, results)
	inputs = b.broadcastAll(inputs...)
	if !IsBlock(inputs[0].Type) {
		panic(bad(CodeType,
			"map_elementwise takes at least one block, not only scalars").hint("call the function itself"))
	}
	return result(b.mapOp(region, inputs, unpacked(results, pack), pack), single)
}

// unpacked returns the types of a map's results: pack values of one type for each.
func unpacked(results []*Tensor, pack int) []Type {
	var types []Type
	for i, r := range results {
		if first := results[i/pack*pack]; r.Type != first.Type || len(results)%pack != 0 {
			panic(bad(CodeType,
				"the function of tl.map_elementwise returns %d values; %d in a row are one result, of "+
					"one type", len(results), pack))
		}
		if i%pack == 0 {
			types = append(types, r.Type)
		}
	}
	return types
}

// mapOp makes a tt.map_elementwise around a region.
func (b *Builder) mapOp(region *ir.Region, inputs []*Tensor, elems []Type, pack int) []*Tensor {
	out := make([]*Tensor, len(elems))
	types := make([]ir.Type, len(elems))
	for i, t := range elems {
		out[i] = &Tensor{Type: WithElem(inputs[0].Type, t)}
		types[i] = b.ir(out[i].Type)
	}
	op := b.Create(ir.State{Def: tt.MapElementwise, Operands: values(inputs), Results: types,
		Attrs: []ir.NamedAttr{ir.A("pack", ir.I32Attr(int64(pack)))}, Regions: []*ir.Region{region}})
	for i := range out {
		out[i].V = op.Result(i)
	}
	return out
}
