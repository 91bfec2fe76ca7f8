package tt

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Folders(map[*ir.OpDef]ir.FoldFunc{
	AddPtr:     foldAddPtr,
	Advance:    foldAdvance,
	Bitcast:    foldBitcast,
	Broadcast:  foldBroadcast,
	ExpandDims: foldView,
	FpToFp:     foldFpToFp,
	MakeRange:  foldMakeRange,
	Reshape:    foldReshape,
	Splat:      foldSplat,
	Trans:      foldTrans,
	Unsplat:    foldUnsplat,
})

func value(v *ir.Value) []ir.FoldResult { return []ir.FoldResult{{Value: v}} }

// constant is the fold result of an attribute, or of none.
func constant(a ir.Attr) []ir.FoldResult {
	if a == nil {
		return nil
	}
	return []ir.FoldResult{{Const: a}}
}

// foldAddPtr: addptr(p, 0) is p.
func foldAddPtr(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if constfold.IsInt(consts[1], 0) {
		return value(op.Operand(0))
	}
	return nil
}

// foldAdvance: advance(p, 0, …) is p.
func foldAdvance(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	for _, c := range consts[1:] {
		if !constfold.IsInt(c, 0) {
			return nil
		}
	}
	return value(op.Operand(0))
}

func foldBitcast(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.Operand(0).Type == op.Result(0).Type {
		return value(op.Operand(0))
	}
	return constant(constfold.Bitcast(op.Result(0).Type, consts[0]))
}

// foldBroadcast: a broadcast to the same type is nothing, of a splat constant a splat constant.
func foldBroadcast(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.Operand(0).Type == op.Result(0).Type {
		return value(op.Operand(0))
	}
	if d, ok := consts[0].(*ir.DenseAttr); ok && !d.Splat {
		return nil
	}
	return foldView(op, consts)
}

// foldView gives a constant its new shape.
func foldView(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if constfold.IsPoison(consts[0]) {
		return constant(consts[0])
	}
	return constant(constfold.Reshape(consts[0], op.Result(0).Type))
}

func foldReshape(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.Operand(0).Type == op.Result(0).Type && !op.HasAttr("allow_reorder") {
		return value(op.Operand(0))
	}
	return foldView(op, consts)
}

// foldFpToFp: a conversion to the same type is nothing; zeros keep their sign in any format, under any
// rounding.
func foldFpToFp(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if op.Operand(0).Type == op.Result(0).Type {
		return value(op.Operand(0))
	}
	if f, ok := constfold.Float(consts[0]); ok && f.Value() == 0 {
		return constant(constfold.FloatOfType(f.Value(), op.Result(0).Type))
	}
	return nil
}

// foldMakeRange: a range of one element is a constant.
func foldMakeRange(op *ir.Op, _ []ir.Attr) []ir.FoldResult {
	start, end := op.IntOr("start", 0), op.IntOr("end", 0)
	if start+1 != end {
		return nil
	}
	return constant(constfold.IntOfType(start, op.Result(0).Type))
}

func foldSplat(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	switch a := consts[0].(type) {
	case *ir.IntegerAttr, *ir.FloatAttr:
		return constant(ir.DenseSplat(op.Result(0).Type, a))
	default:
		if constfold.IsPoison(a) {
			return constant(a)
		}
	}
	return nil
}

// foldUnsplat: the only element of a splat, or of a constant.
func foldUnsplat(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	if s := op.Operand(0).DefBy(Splat); s != nil {
		return value(s.Operand(0))
	}
	return constant(constfold.Scalar(consts[0]))
}

// foldTrans: the identity is nothing, two transpositions are one, and a splat looks the same from all sides.
func foldTrans(op *ir.Op, consts []ir.Attr) []ir.FoldResult {
	order, ok := op.Attr("order").(*ir.DenseArrayAttr)
	if !ok {
		return nil
	}
	src := op.Operand(0)
	if src.Type == op.Result(0).Type && slices.IsSorted(order.Values) {
		return value(src)
	}
	if inner := src.DefBy(Trans); inner != nil {
		first := inner.Attr("order").(*ir.DenseArrayAttr)
		both := make([]int64, len(order.Values))
		for i, d := range order.Values {
			both[i] = first.Values[d]
		}
		op.SetAttr("order", ir.DenseArray(ir.I32, both...))
		op.SetOperand(0, inner.Operand(0))
		return value(op.Result(0))
	}
	if d, ok := consts[0].(*ir.DenseAttr); ok && d.Splat {
		return constant(constfold.Reshape(d, op.Result(0).Type))
	}
	return nil
}
