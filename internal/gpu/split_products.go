package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// A product with its left operand in registers must be complete before the next iteration writes these. Split along k into products of
// one instruction each, all but one of them are under way while the registers of the others are made.

// splitProducts splits those of a loop's overlapping products whose left operand is in registers.
func splitProducts(list []overlapping) []overlapping {
	var out []overlapping
	for _, o := range list {
		for _, op := range splitProduct(o.op) {
			out = append(out, overlapping{op, o.arg})
		}
	}
	return out
}

// splitProduct replaces a product by several, or leaves it alone.
func splitProduct(op *ir.Op) []*ir.Op {
	a, right := tensorOf(op.Operand(0)), op.Operand(1)
	mma, ok := ttg.As[ttg.NvidiaMma](encodingOf(op.Result(0)))
	if a == nil || !ok || len(mma.InstrShape) != 3 || a.Rank() != 2 {
		return []*ir.Op{op}
	}
	k := mma.InstrShape[2]
	n := int(a.Shape[1] / k)
	if n <= 1 {
		return []*ir.Op{op}
	}
	b := ir.At(op)
	lefts := splitLeft(b, op.Operand(0), n)
	if lefts == nil {
		return []*ir.Op{op}
	}
	acc, useAcc := op.Operand(2), op.Slot(3)
	imprecise := op.IntOr("maxNumImpreciseAcc", 0)
	var out []*ir.Op
	for i, left := range lefts {
		take := min(imprecise, k)
		imprecise -= take
		if take == k {
			take = 1 << 30 // no more sums than the whole product would have
		}
		dot := b.Groups(ttng.WarpGroupDot, [][]*ir.Value{{left}, {sliceRight(b, right, int64(i)*k, k)}, {acc}, {useAcc}}, op.ResultTypes(),
			ir.A("inputPrecision", op.Attr("inputPrecision")), ir.A("maxNumImpreciseAcc", ir.I32Attr(take)), ir.A("isAsync", ir.BoolAttr(true)))
		out = append(out, dot)
		acc, useAcc = dot.Result(0), arith.Const(b, ir.BoolAttr(true))
	}
	op.ReplaceWith(acc)
	return out
}

// splitLeft is n equal parts of a tensor along k, each in the tensor's own layout; nil if there is no layout on the way. No data
// moves: k, taken apart into twos and the rest, is turned so that the slowest two comes last, and the halves are taken.
func splitLeft(b *ir.Builder, v *ir.Value, n int) []*ir.Value {
	t := tensorOf(v)
	shape := []int64{t.Shape[0]}
	order := []int64{0}
	for m := 1; m < n; m *= 2 {
		shape = append(shape, 2)
	}
	shape = append(shape, t.Shape[1]/int64(n))
	for d := len(shape) - 1; d > 0; d-- {
		order = append(order, int64(d))
	}
	enc := ttglayout.Reshape(t.Encoding, t.Shape, shape)
	if enc == nil {
		return nil
	}
	turned := ttglayout.Trans(enc, shape, order)
	if turned == nil {
		return nil
	}
	parts := []*ir.Value{b.Val(tt.Reshape, ir.Tensor(shape, t.Elem, enc), v)}
	last := make([]int64, len(shape))
	for i, d := range order {
		last[i] = shape[d]
	}
	parts[0] = b.ValA(tt.Trans, ir.Tensor(last, t.Elem, turned), []ir.NamedAttr{ir.A("order", ir.DenseArray(ir.I32, order...))}, parts[0])
	for len(parts) < n {
		enc = ttglayout.Split(turned, last)
		if enc == nil {
			return nil
		}
		last, turned = slices.Clone(last[:len(last)-1]), enc
		half := ir.Tensor(last, t.Elem, turned)
		var next []*ir.Value
		for _, p := range parts {
			next = append(next, b.Op(tt.Split, []*ir.Value{p}, []ir.Type{half, half}).Results()...)
		}
		parts = next
	}
	for i, p := range parts {
		parts[i] = convert(b, p, t.Encoding)
	}
	return parts
}

// sliceRight is a part of a buffer along k.
func sliceRight(b *ir.Builder, v *ir.Value, at, k int64) *ir.Value {
	m, _ := ttg.MemDescOf(v.Type)
	m.AllocShape = m.Alloc()
	m.Shape, m.Mutable = []int64{k, m.Shape[1]}, false
	return b.ValA(ttg.MemDescSubslice, m.Type(), []ir.NamedAttr{ir.A("offsets", ir.DenseArray(ir.I32, at, 0))}, v)
}
