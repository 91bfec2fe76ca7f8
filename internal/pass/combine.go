package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Combine joins operations of Triton's dialect that do together what one of them can do alone.
//
//	%d = tt.dot %a, %b, %zero                      %d = tt.dot %a, %b, %c
//	%e = arith.addf %d, %c                  =>
//
//	%q = tt.addptr %p, %i : …, i64                 %k = arith.addi %i, %j : i64
//	%r = tt.addptr %q, %j : …, i64          =>     %r = tt.addptr %p, %k : …, i64
var Combine = Pass{
	Name: "triton-combine",
	Doc:  "join dot with add, addptr with addptr, masked load with select, and the like",
	Run: func(ctx *Context, m *ir.Module) error {
		Greedy(ctx, m.Op, combinePatterns, GreedyOptions{MergeBlocks: true, BottomUp: true})
		return nil
	},
}

var combinePatterns = NewPatterns([]Pattern{
	{arith.AddI, dotAdd},
	{arith.AddF, dotAdd},
	{arith.Select, selectMaskedLoad},
	{tt.AddPtr, addPtrTwice},
	{tt.Reduce, mulReduceToDot},
	{tt.Reshape, reshapeForReduce},
	{tt.Reshape, reshapedDescriptorLoad},
})

// dotAdd: a product with a zero accumulator, added to something, takes that as its accumulator.
func dotAdd(rw *Rewriter, op *ir.Op) bool {
	dot, other := op.Operand(1).DefBy(tt.Dot), op.Operand(0)
	if dot == nil {
		dot, other = op.Operand(0).DefBy(tt.Dot), op.Operand(1)
	}
	if dot == nil || !dot.Result(0).HasOneUse() || !isZero(dot.Operand(2)) {
		return false
	}
	if op.Def == arith.AddF && dot.IntOr("maxNumImpreciseAcc", 0) != 0 {
		return false
	}
	rw.SetOperand(dot, 2, other)
	dot.MoveBefore(op)
	rw.Replace(op, dot.Result(0))
	return true
}

// isZero reports whether v is zero, of either sign, in every element.
func isZero(v *ir.Value) bool {
	c := constfold.Of(v)
	if f, ok := constfold.Float(c); ok {
		return f.Value() == 0
	}
	return constfold.IsInt(c, 0)
}

// selectMaskedLoad: a select on the condition that masks a load is the load's other value.
func selectMaskedLoad(rw *Rewriter, op *ir.Op) bool {
	cond, load := op.Operand(0), op.Operand(1).DefBy(tt.Load)
	if load == nil || load.Slot(1) == nil || load.Effects() != ir.EffRead {
		return false
	}
	splat := load.Slot(1).DefBy(tt.Splat)
	if splat == nil || splat.Operand(0) != cond || !canMove(load, op) {
		return false
	}
	s := ir.State{Def: tt.Load, Results: op.ResultTypes(), Attrs: load.Attrs(), Segments: []int{1, 1, 1}}
	s.Operands = []*ir.Value{load.Slot(0), load.Slot(1), op.Operand(2)}
	rw.Replace(op, rw.Create(s).Result(0))
	return true
}

// canMove reports whether a load may be repeated at the place of a later op of its block: nothing between
// them writes.
func canMove(load, op *ir.Op) bool {
	const far = 256
	n := 0
	for o := load.Next(); o != op; o = o.Next() {
		if n++; o == nil || n > far || o.Effects()&^ir.EffRead != 0 {
			return false
		}
	}
	return true
}

// addPtrTwice: two moves of a pointer are one, by the sum, where that cannot overflow.
func addPtrTwice(rw *Rewriter, op *ir.Op) bool {
	inner := op.Operand(0).DefBy(tt.AddPtr)
	if inner == nil {
		return false
	}
	i, j := inner.Operand(1), op.Operand(1)
	if i.Type != j.Type || !sumFits(i, j) {
		return false
	}
	attrs := slices.DeleteFunc(slices.Clone(op.Attrs()), func(a ir.NamedAttr) bool {
		return !axisHints[a.Name]
	})
	sum := rw.Val(arith.AddI, i.Type, i, j)
	rw.Replace(op, rw.ValA(tt.AddPtr, op.Result(0).Type, attrs, inner.Operand(0), sum))
	return true
}

// axisHints are attributes that a frontend may leave on pointers and that stay true when two moves become
// one.
var axisHints = map[string]bool{"tt.divisibility": true, "tt.contiguity": true, "tt.constancy": true}

// sumFits reports whether the sum of two offsets is sure not to overflow: they are as wide as a pointer, or
// constants.
func sumFits(i, j *ir.Value) bool {
	w := ir.BitWidth(ir.ElemOf(i.Type))
	if w == 64 {
		return true
	}
	x, ok1 := uniformInt(i)
	y, ok2 := uniformInt(j)
	if !ok1 || !ok2 {
		return false
	}
	return x+y == constfold.SignExtend(uint64(x+y), w)
}

// uniformInt returns the constant that v, or what it is a splat of, equals.
func uniformInt(v *ir.Value) (int64, bool) {
	if s := v.DefBy(tt.Splat); s != nil {
		v = s.Operand(0)
	}
	return constfold.IntOf(v)
}

// mulReduceToDot: sum(x[:, :, None] * y[None, :, :], 1) is dot(x, y). Triton makes the dot a tf32 one; here
// it keeps the precision that the program asks for.
func mulReduceToDot(rw *Rewriter, op *ir.Op) bool {
	if op.NumOperands() != 1 || !sumsFloats(op.Body(0)) || op.IntOr("axis", -1) != 1 {
		return false
	}
	mul := op.Operand(0).DefBy(arith.MulF)
	if mul == nil {
		return false
	}
	x, y := expandedBroadcast(mul.Operand(0), 2), expandedBroadcast(mul.Operand(1), 0)
	if x == nil || y == nil {
		return false
	}
	shape := ir.ShapeOf(mul.Operand(0).Type)
	elem := ir.ElemOf(x.Type)
	if shape[2] < 16 || shape[0] < 16 || elem != ir.F32 {
		return false
	}
	t := ir.Tensor([]int64{shape[0], shape[2]}, elem, nil)
	if t != op.Result(0).Type {
		return false
	}
	zero := rw.Const(constfold.FloatOfType(0, t), t)
	dot := rw.Op(tt.Dot, []*ir.Value{x, y, zero}, []ir.Type{t},
		ir.A("inputPrecision", ir.I32Attr(tt.PrecisionIEEE)), ir.A("maxNumImpreciseAcc", ir.I32Attr(0)))
	rw.Replace(op, dot.Result(0))
	return true
}

// sumsFloats reports whether a combine function is one addition of floats of up to 32 bits.
func sumsFloats(b *ir.Block) bool {
	add := b.First()
	return add.Def == arith.AddF && add.Next() == b.Last() && ir.BitWidth(add.Result(0).Type) <= 32
}

// expandedBroadcast returns x when v is broadcast(expand_dims(x, axis)), with x a matrix, and nil otherwise.
func expandedBroadcast(v *ir.Value, axis int64) *ir.Value {
	b := v.DefBy(tt.Broadcast)
	if b == nil {
		return nil
	}
	e := b.Operand(0).DefBy(tt.ExpandDims)
	if e == nil || e.IntOr("axis", -1) != axis || len(ir.ShapeOf(e.Operand(0).Type)) != 2 {
		return nil
	}
	return e.Operand(0)
}

// reshapeForReduce: the order of elements does not matter to a reduction over all of them, nor to a
// histogram. (It does to a reduction of pairs, such as argmax: the partners would part. Triton overlooks
// that.)
func reshapeForReduce(rw *Rewriter, op *ir.Op) bool {
	if op.HasAttr("allow_reorder") || len(ir.ShapeOf(op.Result(0).Type)) != 1 {
		return false
	}
	for u := range op.Result(0).Users() {
		if !(u.Def == tt.Reduce || u.Def == tt.Histogram) || u.NumOperands() != 1 {
			return false
		}
	}
	op.SetAttr("allow_reorder", ir.Unit)
	rw.Modified(op)
	return true
}

// reshapedDescriptorLoad: a descriptor load whose leading dimensions of size one are taken off loads without
// them.
func reshapedDescriptorLoad(rw *Rewriter, op *ir.Op) bool {
	load := op.Operand(0).DefBy(tt.DescLoad)
	if load == nil || !load.Result(0).HasOneUse() {
		return false
	}
	from, to := ir.ShapeOf(load.Result(0).Type), ir.ShapeOf(op.Result(0).Type)
	lead := len(from) - len(to)
	if lead <= 0 || !slices.Equal(from[lead:], to) {
		return false
	}
	for _, n := range from[:lead] {
		if n != 1 {
			return false
		}
	}
	load.Result(0).Type = op.Result(0).Type
	rw.Replace(op, load.Result(0))
	return true
}
