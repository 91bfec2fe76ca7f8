package middle

import (
	stdmath "math"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// reduceOps combine elements by a function of scalars.
var reduceOps = table{
	tt.Reduce:         convertReduce,
	tt.Scan:           convertScan,
	tt.MapElementwise: convertMap,
}

// function converts a region of op, a function of scalars, where the builder stands, and returns what it
// returns.
func (c *converter) function(op *ir.Op, args []*ir.Value) []*ir.Value {
	body := op.Body(0)
	if op.Region(0).NumBlocks() != 1 {
		c.failAt(op, "a region of several blocks is not supported")
		return args[:op.NumResults()]
	}
	for i, a := range body.Args() {
		c.vals[a] = args[i]
	}
	c.inner++
	loc := c.b.Loc
	for o := body.First(); o != body.Last() && c.err == nil; o = o.Next() {
		c.b.Loc = o.Loc
		c.op(o)
	}
	c.b.Loc = loc
	c.inner--
	if c.err != nil {
		return args[:op.NumResults()]
	}
	return c.valsOf(body.Last().Operands())
}

// convertReduce makes a linalg.reduce. It begins with the neutral element where the region is one operation
// that has one, and with the first elements along the axis otherwise.
func convertReduce(c *converter, op *ir.Op) {
	axis := int(op.IntOr("axis", 0))
	ins := c.valsOf(op.Operands())
	shape := ir.ShapeOf(ins[0].Type)
	left := slices.Delete(slices.Clone(shape), axis, axis+1)
	var inits []*ir.Value
	if c.opts.WidenSums && isSmallSum(op) && c.neutral(op) != nil {
		c.wideSum(op, ins[0], left, axis)
		return
	}
	if n := c.neutral(op); n != nil {
		inits = []*ir.Value{c.fill(c.scalarConst(n), ir.Tensor(left, ir.ElemOf(ins[0].Type), nil))}
	} else {
		for i, v := range ins {
			inits = append(inits, c.slice(v, plane(shape, axis, 0)))
			if shape[axis] > 1 {
				others := plane(shape, axis, 1)
				others.sizes[axis].Const, others.fixed = shape[axis]-1, nil
				ins[i] = c.slice(v, others)
			}
		}
	}
	results := inits
	if shape[axis] > 1 || c.neutral(op) != nil {
		results = c.reduce(op, ins, inits, axis)
	}
	for i, v := range op.Results() {
		if _, tensor := v.Type.(*ir.TensorType); tensor {
			c.setVal(v, results[i])
		} else {
			c.setVal(v, c.extract(results[i], nil))
		}
	}
}

// isSmallSum reports whether a reduction begins with an addition of floats of less than 32 bits.
func isSmallSum(op *ir.Op) bool {
	x := op.Body(0).First()
	return x.Def == arith.AddF && ir.IsFloat(x.Result(0).Type) && ir.BitWidth(x.Result(0).Type) < 32
}

// wideSum adds small floats in 32 bits and rounds the sums.
func (c *converter) wideSum(op *ir.Op, in *ir.Value, left []int64, axis int) {
	wide := ir.Tensor(left, ir.F32, nil)
	init := c.fill(c.scalarConst(ir.FloatOf(stdmath.Copysign(0, -1), ir.F32)), wide)
	block := ir.NewBlock(ir.ElemOf(in.Type), ir.F32)
	sum := c.b.Create(ir.State{
		Def: linalg.Reduce, Operands: []*ir.Value{in, init}, Results: []ir.Type{wide},
		Attrs:   []ir.NamedAttr{ir.A("dimensions", ir.DenseArray(ir.I64, int64(axis)))},
		Regions: []*ir.Region{ir.NewRegion(block)},
	})
	c.within(block, func() {
		x := c.b.Val(arith.ExtF, ir.F32, block.Args()[0])
		c.b.Op(linalg.Yield, []*ir.Value{c.b.Val(arith.AddF, ir.F32, block.Args()[1], x)}, nil)
	})
	elem := ir.ElemOf(in.Type)
	round := func(args []*ir.Value) *ir.Value { return c.b.Val(arith.TruncF, elem, args[0]) }
	if _, tensor := op.Result(0).Type.(*ir.TensorType); !tensor {
		c.setVal(op.Result(0), round([]*ir.Value{c.extract(sum.Result(0), nil)}))
		return
	}
	ins := []operand{{sum.Result(0), ir.IdentityMap(len(left))}}
	c.setVal(op.Result(0), c.generic(ins, ir.Tensor(left, elem, nil), round))
}

// reduce makes a linalg.reduce whose region is op's.
func (c *converter) reduce(op *ir.Op, ins, inits []*ir.Value, axis int) []*ir.Value {
	n := len(ins)
	block := ir.NewBlock()
	var types []ir.Type
	for _, v := range slices.Concat(ins, inits) {
		block.AddArg(ir.ElemOf(v.Type), nil)
	}
	for _, v := range inits {
		types = append(types, v.Type)
	}
	out := c.b.Create(ir.State{
		Def: linalg.Reduce, Operands: slices.Concat(ins, inits), Results: types,
		Attrs:   []ir.NamedAttr{ir.A("dimensions", ir.DenseArray(ir.I64, int64(axis)))},
		Regions: []*ir.Region{ir.NewRegion(block)},
	})
	c.within(block, func() {
		in, acc := block.Args()[:n], block.Args()[n:]
		c.b.Op(linalg.Yield, c.function(op, slices.Concat(acc, in)), nil)
	})
	return out.Results()
}

// neutralElements are, for an operation, the scalar that changes nothing.
var neutralElements = map[*ir.OpDef]func(t ir.Type) ir.Attr{
	arith.AddF:     float(stdmath.Copysign(0, -1)), // 0 would change -0
	arith.MulF:     float(1),
	arith.MaximumF: float(stdmath.Inf(-1)),
	arith.MinimumF: float(stdmath.Inf(1)),
	// these take the other operand; an infinity would hide that all are NaN
	arith.MaxNumF: float(stdmath.NaN()),
	arith.MinNumF: float(stdmath.NaN()),
	arith.AddI:    integer(func(int) int64 { return 0 }),
	arith.MulI:    integer(func(int) int64 { return 1 }),
	arith.OrI:     integer(func(int) int64 { return 0 }),
	arith.XOrI:    integer(func(int) int64 { return 0 }),
	arith.AndI:    integer(func(int) int64 { return -1 }),
	arith.MaxUI:   integer(func(int) int64 { return 0 }),
	arith.MinUI:   integer(func(int) int64 { return -1 }),
	arith.MaxSI:   integer(func(w int) int64 { return -1 << (w - 1) }),
	arith.MinSI:   integer(func(w int) int64 { return 1<<(w-1) - 1 }),
}

func float(v float64) func(t ir.Type) ir.Attr {
	return func(t ir.Type) ir.Attr {
		f := t.(*ir.FloatType)
		if v != v {
			return ir.FloatBits(f.Format.NaN(), f)
		}
		if a := ir.FloatOf(v, f); a.Value() == v {
			return a
		}
		return nil // a format without infinities
	}
}

func integer(v func(width int) int64) func(t ir.Type) ir.Attr {
	return func(t ir.Type) ir.Attr { return ir.IntAttr(v(ir.BitWidth(t)), t) }
}

// neutral returns the neutral element of a reduction by one operation on its two arguments, or nil.
func (c *converter) neutral(op *ir.Op) ir.Attr {
	x, ret := op.Body(0).First(), op.Body(0).Last()
	if op.NumOperands() != 1 || x.Next() != ret || ret.Operand(0).Def() != x || x.NumOperands() != 2 {
		return nil
	}
	args := op.Body(0).Args()
	if !(x.Operand(0) == args[0] && x.Operand(1) == args[1] || x.Operand(0) == args[1] &&
		x.Operand(1) == args[0]) {
		return nil
	}
	if f := neutralElements[x.Def]; f != nil {
		return f(x.Result(0).Type)
	}
	return nil
}

// nest writes loops over all indices of a shape but those along skip (-1 for none), and calls f with the
// indices, that one nil.
func (c *converter) nest(shape []int64, skip int, f func(at []*ir.Value)) {
	at := make([]*ir.Value, len(shape))
	var level func(d int)
	level = func(d int) {
		switch d {
		case len(shape):
			f(at)
		case skip:
			level(d + 1)
		default:
			c.forEach(c.index(0), c.index(shape[d]), func(i *ir.Value) {
				at[d] = i
				level(d + 1)
			})
		}
	}
	level(0)
}

// convertScan runs along the axis in a loop that carries what has been combined so far.
func convertScan(c *converter, op *ir.Op) {
	axis := int(op.IntOr("axis", 0))
	reverse := op.IntOr("reverse", 0) != 0
	ins := c.valsOf(op.Operands())
	shape := ir.ShapeOf(ins[0].Type)
	n := shape[axis]
	bufs := make([]*ir.Value, len(ins))
	for i, v := range ins {
		bufs[i] = c.alloc(shape, ir.ElemOf(v.Type))
	}
	c.nest(shape, axis, func(at []*ir.Value) {
		place := func(i *ir.Value) []*ir.Value {
			if reverse {
				i = c.b.Val(arith.SubI, ir.Index, c.index(n-1), i)
			}
			p := slices.Clone(at)
			p[axis] = i
			return p
		}
		write := func(vs, p []*ir.Value) {
			for i, v := range vs {
				c.b.Op(memref.Store, slices.Concat([]*ir.Value{v, bufs[i]}, p), nil)
			}
		}
		read := func(p []*ir.Value) []*ir.Value {
			out := make([]*ir.Value, len(ins))
			for i, v := range ins {
				out[i] = c.extract(v, p)
			}
			return out
		}
		start := place(c.index(0))
		first := read(start)
		write(first, start)
		loop := scf.NewFor(c.b, c.index(1), c.index(n), c.index(1), first)
		c.within(loop.Body(0), func() {
			p := place(scf.IV(loop))
			vs := c.function(op, slices.Concat(scf.IterArgs(loop), read(p)))
			write(vs, p)
			scf.MakeYield(c.b, vs...)
		})
	})
	for i, v := range op.Results() {
		c.setVal(v, c.toTensor(bufs[i]))
	}
}

// convertMap applies a function to groups of elements that follow one another. Groups of one are a loop nest
// of linalg.
func convertMap(c *converter, op *ir.Op) {
	pack := op.IntOr("pack", 1)
	if pack == 1 && !hasEffect(op) {
		c.mapped(op, op.Operands(), func(args []*ir.Value) []*ir.Value { return c.function(op, args) })
		return
	}
	var ins, bufs []*ir.Value
	for _, v := range op.Operands() {
		ins = append(ins, c.whole(v))
	}
	shape := ir.ShapeOf(ins[0].Type)
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	for i, v := range ins {
		ins[i] = c.reshape(v, []int64{n / pack, pack})
	}
	for _, v := range op.Results() {
		bufs = append(bufs, c.alloc([]int64{n / pack, pack}, ir.ElemOf(v.Type)))
	}
	c.forEach(c.index(0), c.index(n/pack), func(i *ir.Value) {
		var args []*ir.Value
		for _, v := range ins {
			for j := range pack {
				args = append(args, c.extract(v, []*ir.Value{i, c.index(j)}))
			}
		}
		for k, v := range c.function(op, args) {
			c.b.Op(memref.Store, []*ir.Value{v, bufs[k/int(pack)], i, c.index(int64(k) % pack)}, nil)
		}
	})
	for i, v := range op.Results() {
		c.setVal(v, c.reshape(c.toTensor(bufs[i]), shape))
	}
}
