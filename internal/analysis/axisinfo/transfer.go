package axisinfo

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// rules has functions that return the facts about an op's results, given those about its operands. An op
// without a rule has none.
var rules = map[*ir.OpDef]func(op *ir.Op, in []Info) Info{
	arith.ExtSI:       resized(signed),
	arith.ExtUI:       resized(func(v int64, w int) int64 { return int64(unsigned(v, w)) }),
	arith.TruncI:      resized(signed),
	tt.Bitcast:        same,
	ttg.ConvertLayout: same,
	ub.Poison:         func(op *ir.Op, _ []Info) Info { return anything(rankOf(op.Result(0).Type)) },
	arith.Constant:    constantOp,
	tt.MakeRange:      makeRange,
	tt.Splat:          splat,
	tt.Broadcast:      broadcast,
	tt.ExpandDims:     expandDims,
	tt.Trans:          trans,
	tt.Load:           load,
	tt.AddPtr: binary(binaryRule{value: addPtrValue, contiguity: addContiguity,
		divisibility: addDivisibility(addContiguity)}),
	arith.AddI: binary(binaryRule{value: folded(add), contiguity: addContiguity,
		divisibility: addDivisibility(addContiguity)}),
	arith.SubI: binary(binaryRule{value: folded(sub), contiguity: subContiguity,
		divisibility: addDivisibility(subContiguity)}),
	arith.MulI: binary(binaryRule{value: mulValue, contiguity: mulContiguity,
		divisibility: mulDivisibility}),
	arith.DivSI: binary(binaryRule{value: folded(divS), contiguity: ifOne,
		divisibility: divDivisibility, constancy: divConstancy}),
	arith.DivUI: binary(binaryRule{value: folded(divU), contiguity: ifOne,
		divisibility: divDivisibility, constancy: divConstancy}),
	arith.RemSI: binary(binaryRule{value: remValue(remS), contiguity: remContiguity,
		divisibility: remDivisibility, constancy: remConstancy}),
	arith.RemUI: binary(binaryRule{value: remValue(remU), contiguity: remContiguity,
		divisibility: remDivisibility, constancy: remConstancy}),
	arith.AndI: binary(binaryRule{value: folded(func(a, b int64, _ int) (int64, bool) {
		return a & b, true
	})}),
	arith.OrI: binary(binaryRule{value: folded(func(a, b int64, _ int) (int64, bool) {
		return a | b, true
	})}),
	arith.XOrI: binary(binaryRule{value: folded(func(a, b int64, _ int) (int64, bool) {
		return a ^ b, true
	})}),
	arith.ShLI: binary(binaryRule{value: folded(shl), contiguity: ifNotShifted,
		divisibility: shlDivisibility}),
	arith.ShRSI: binary(binaryRule{value: folded(shrS), contiguity: ifNotShifted,
		divisibility: shrDivisibility}),
	arith.ShRUI: binary(binaryRule{value: folded(shrU), contiguity: ifNotShifted,
		divisibility: shrDivisibility}),
	arith.MaxSI: extreme(func(a, b int64, _ int) (int64, bool) { return max(a, b), true }),
	arith.MinSI: extreme(func(a, b int64, _ int) (int64, bool) { return min(a, b), true }),
	arith.MaxUI: extreme(func(a, b int64, w int) (int64, bool) {
		return int64(max(unsigned(a, w), unsigned(b, w))), true
	}),
	arith.MinUI: extreme(func(a, b int64, w int) (int64, bool) {
		return int64(min(unsigned(a, w), unsigned(b, w))), true
	}),
	arith.CmpI:        compare,
	arith.Select:      selectOp,
	arith.IndexCast:   same,
	arith.IndexCastUI: same,
}

// rankOf returns the number of axes of a value.
func rankOf(t ir.Type) int {
	if tt.IsTensorPtr(t) {
		t = tt.Pointee(t)
	}
	if tensor, ok := t.(*ir.TensorType); ok {
		return tensor.Rank()
	}
	return 1
}

// shapeOf returns a value's shape; a scalar's is one element.
func shapeOf(t ir.Type) []int64 {
	if tensor, ok := t.(*ir.TensorType); ok {
		return tensor.Shape
	}
	return []int64{1}
}

// elemBytes returns how many bytes a pointer moves for one element, and 1 for other values: the unit of
// divisibility.
func elemBytes(t ir.Type) int64 {
	pointee, _, ok := tt.AsPtr(ir.ElemOf(t))
	if !ok {
		return 1
	}
	return max(1, int64(ir.BitWidth(ir.ElemOf(pointee))/8))
}

func same(op *ir.Op, in []Info) Info {
	if in[0].Rank() != rankOf(op.Result(0).Type) {
		return Info{}
	}
	return in[0]
}

func constantOp(op *ir.Op, _ []Info) Info {
	switch a := op.Attr("value").(type) {
	case *ir.IntegerAttr:
		return constant(a.Value, []int64{1})
	case *ir.DenseAttr:
		if !a.Splat {
			break
		}
		if v, ok := a.Elem(0).(*ir.IntegerAttr); ok {
			return constant(v.Value, shapeOf(a.Type))
		}
		out := unknown(rankOf(a.Type))
		out.Constancy = slices.Clone(shapeOf(a.Type))
		return out
	}
	return Info{}
}

// resized returns a rule that keeps the facts about the operand; a known value has its bits cut or extended.
func resized(extend func(v int64, width int) int64) func(op *ir.Op, in []Info) Info {
	return func(op *ir.Op, in []Info) Info {
		out := in[0]
		if out.Known {
			from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
			out.Value = ir.NormInt(extend(out.Value, ir.BitWidth(from)), to)
		}
		return out
	}
}

func makeRange(op *ir.Op, _ []Info) Info {
	start, end := op.IntOr("start", 0), op.IntOr("end", 0)
	// Triton counts the divisors of a start, 32 bits wide, up to 2^30.
	return Info{Contiguity: []int64{end - start}, Divisibility: []int64{min(pow2Divisor(start), 1<<30)},
		Constancy: []int64{1}}
}

func splat(op *ir.Op, in []Info) Info {
	shape := shapeOf(op.Result(0).Type)
	out := Info{Contiguity: repeat(1, len(shape)), Divisibility: repeat(in[0].Divisibility[0], len(shape)),
		Constancy: slices.Clone(shape)}
	out.Value, out.Known = in[0].Value, in[0].Known
	return out
}

func broadcast(op *ir.Op, in []Info) Info {
	from, to := shapeOf(op.Operand(0).Type), shapeOf(op.Result(0).Type)
	out := Info{Contiguity: slices.Clone(in[0].Contiguity), Divisibility: in[0].Divisibility,
		Constancy: slices.Clone(in[0].Constancy),
		Value:     in[0].Value, Known: in[0].Known}
	for d := range to {
		if from[d] == 1 {
			out.Contiguity[d], out.Constancy[d] = 1, to[d]
		}
	}
	return out
}

func expandDims(op *ir.Op, in []Info) Info {
	a := in[0]
	div := MaxDivisor
	if a.Known {
		div = pow2Divisor(a.Value)
	}
	for d := range a.Contiguity {
		if a.Known {
			break
		}
		if a.Contiguity[d] > 1 { // of a whole group only 1 is a divisor
			div = 1
		}
		div = gcd(div, a.Divisibility[d])
	}
	axis := int(op.IntOr("axis", 0))
	insert := func(v []int64, n int64) []int64 { return slices.Insert(slices.Clone(v), axis, n) }
	return Info{insert(a.Contiguity, 1), insert(a.Divisibility, div), insert(a.Constancy, 1), a.Value,
		a.Known}
}

func trans(op *ir.Op, in []Info) Info {
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	pick := func(v []int64) []int64 {
		out := make([]int64, len(order))
		for i, d := range order {
			out[i] = v[d]
		}
		return out
	}
	a := in[0]
	return Info{pick(a.Contiguity), pick(a.Divisibility), pick(a.Constancy), a.Value, a.Known}
}

// load returns the facts about a load: equal pointers under equal masks give equal values.
func load(op *ir.Op, in []Info) Info {
	out := unknown(in[0].Rank())
	for d := range out.Constancy {
		out.Constancy[d] = in[0].Constancy[d]
		for _, a := range in[1:] { // the mask, and what takes the place of masked elements
			if d < a.Rank() {
				out.Constancy[d] = gcd(out.Constancy[d], a.Constancy[d])
			}
		}
	}
	return out
}

// compare returns the facts about a comparison: besides equal operands, a group that counts up compares alike
// with a constant whose multiples bound the group.
func compare(op *ir.Op, in []Info) Info {
	tensor, ok := op.Result(0).Type.(*ir.TensorType)
	if !ok {
		return Info{}
	}
	a, b, p := in[0], in[1], op.IntOr("predicate", 0)
	if a.Known && b.Known {
		v := int64(0)
		w := ir.BitWidth(ir.ElemOf(op.Operand(0).Type))
		if arith.CmpIRows[p].Holds(constfold.Ints{X: signed(a.Value, w), Y: signed(b.Value, w),
			UX: unsigned(a.Value, w), UY: unsigned(b.Value, w), Width: w}) {
			v = 1
		}
		out := constant(v, tensor.Shape)
		out.Divisibility = repeat(1, tensor.Rank())
		return out
	}
	out := unknown(tensor.Rank())
	for d, n := range tensor.Shape {
		equal := gcd(a.Constancy[d], b.Constancy[d])
		divisor := gcd(a.Divisibility[d], b.Divisibility[d])
		switch p {
		case arith.SGT, arith.UGT, arith.SLE, arith.ULE: // 4 > [4, 5, 6, 7], 4 <= [4, 5, 6, 7]
			if a.Constancy[d] == n {
				equal = max(equal, gcd(b.Contiguity[d], divisor))
			}
		case arith.SLT, arith.ULT, arith.SGE, arith.UGE: // [4, 5, 6, 7] < 4, [4, 5, 6, 7] >= 4
			if b.Constancy[d] == n {
				equal = max(equal, gcd(a.Contiguity[d], divisor))
			}
		}
		out.Constancy[d] = equal
	}
	return out
}

func selectOp(op *ir.Op, in []Info) Info {
	cond, a, b := in[0], in[1], in[2]
	if cond.Known {
		if cond.Value == 0 {
			return b
		}
		return a
	}
	unit := elemBytes(op.Result(0).Type)
	out := pairwise(a, b, unit)
	if _, scalar := op.Operand(0).Type.(*ir.IntegerType); !scalar {
		for d := range out.Constancy {
			out.Constancy[d] = gcd(out.Constancy[d], cond.Constancy[d])
			if c := gcd(out.Contiguity[d], cond.Constancy[d]); c != out.Contiguity[d] {
				// Groups are cut where the condition changes, and begin inside the old ones.
				out.Contiguity[d] = c
				out.Divisibility[d] = gcd(out.Divisibility[d], mulDivisor(c, unit))
			}
		}
	}
	if a.Known && b.Known && a.Value == b.Value {
		out.Value, out.Known = a.Value, true
		out.Constancy = slices.Clone(shapeOf(op.Result(0).Type))
	}
	return out
}

// extreme returns the rule of max and min.
func extreme(fold foldFunc) func(op *ir.Op, in []Info) Info {
	return func(op *ir.Op, in []Info) Info {
		if v, ok := foldValues(op, in, fold); ok {
			return constant(v, shapeOf(op.Result(0).Type))
		}
		return pairwise(in[0], in[1], 1)
	}
}
