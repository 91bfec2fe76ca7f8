package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Indices that do not run on where a tensor ends: they wrap around, or are 0 there. Neither is a tile in all
// launches. It is one where no block of indices crosses the end, which the host can see.

// wrap is the scalar that such a block of indices begins with.
type wrap struct {
	at  address.Sum // the index before the remainder or the selection
	arg int         // number of the argument with the end
	n   int64       // elements of the block; index and end are multiples of it
	// room is what is left from the block's first element to the last one before the end. It must not be
	// negative. It is nil for indices that wrap around.
	room *ir.Value
}

// suppose gives indices of n elements the form of a tile's:
//
//	(at + i) % m                    at % m + i
//	select(at + i < m, at + i, 0)   at + i
//
// That holds if at and m are multiples of n, and at is not negative, nor at least m for those of the second
// kind. The plans that use it demand so.
func (t *tiler) suppose() {
	t.wraps = map[*ir.Value]wrap{}
	for _, op := range slices.Collect(t.fn.Ops()) {
		switch op.Def {
		case arith.RemSI:
			t.supposeWrapped(op)
		case arith.Select:
			t.supposeSelected(op)
		}
	}
}

func (t *tiler) supposeWrapped(op *ir.Op) {
	m := t.addr.Form(op.Operand(1))
	if m == nil || len(m.Strides) != 1 || len(m.Strides[0]) > 0 {
		return
	}
	if w, end := t.wrapOf(op.Operand(0), m.Uniform); end != nil {
		b := ir.At(op)
		t.standFor(op, b.Val(arith.RemSI, ir.I32, t.emit(b, w.at), end), w)
	}
}

func (t *tiler) supposeSelected(op *ir.Op) {
	x, bound := t.selected(op)
	if x == nil {
		return
	}
	if w, end := t.wrapOf(x, bound); end != nil {
		b := ir.At(op)
		first := t.emit(b, w.at)
		last := b.Val(arith.SubI, ir.I32, end, arith.ConstInt(b, 1, ir.I32))
		w.room = b.Val(arith.SubI, ir.I32, last, first)
		// a value of its own, by which the supposition is found
		t.standFor(op, b.Val(arith.AddI, ir.I32, first, arith.ConstInt(b, 0, ir.I32)), w)
	}
}

// standFor makes the address analysis take the indices that op returns for those from a scalar on.
func (t *tiler) standFor(op *ir.Op, at *ir.Value, w wrap) {
	t.wraps[at] = w
	t.addr.Suppose(op.Result(0), at, 0)
}

// wrapOf describes a block of contiguous indices of which those at or behind end are replaced, as index % end
// does, and returns the kernel argument that is the end. The argument is nil if the copy engine cannot serve
// such a block.
func (t *tiler) wrapOf(index *ir.Value, end address.Sum) (w wrap, arg *ir.Value) {
	typ := ttgir.TensorOf(index)
	if typ == nil || typ.Rank() != 1 {
		return w, nil
	}
	n, x, ends := typ.Shape[0], t.addr.Form(index), t.addr.Terms(end)
	if x == nil || !x.Strides[0].Equal(t.number(1)) ||
		len(ends) != 1 || ends[0].Factor != 1 || len(ends[0].Of) != 1 {
		return w, nil
	}
	at, ok := t.overLoops(x.Uniform)
	w = wrap{at: at, arg: t.argument(ends[0].Of[0]), n: n}
	info := t.axes.Of(index)
	// an argument that is not specialized as a multiple of 16 is no multiple of n either
	hopeless := !ok || w.arg < 0 || !t.isNarrow(end) || t.divisor(ends[0].Of[0])%min(n, 16) != 0
	if hopeless || info.Contiguity[0] < n || info.Divisibility[0]%n != 0 || !t.isNarrow(at) {
		return w, nil
	}
	return w, ends[0].Of[0].Value
}

// selected returns the indices x and the end of an op that selects x where it is before the end, 0 elsewhere;
// nil for other ops.
func (t *tiler) selected(op *ir.Op) (x *ir.Value, end address.Sum) {
	typ, cmp := ttgir.TensorOf(op.Result(0)), op.Operand(0).DefBy(arith.CmpI)
	if typ == nil || typ.Rank() != 1 || !ir.IsInt(typ.Elem) || cmp == nil {
		return nil, nil
	}
	room := t.room(cmp)
	if room == nil || len(room.Strides) != 1 {
		return nil, nil
	}
	isZero := func(v *ir.Value) bool { n, ok := arith.IntOf(v); return ok && n == 0 }
	left, slope := room.Uniform, room.Strides[0]
	switch {
	case isZero(op.Operand(2)):
		x = op.Operand(1)
	case isZero(op.Operand(1)): // x where the comparison is false: 1 - room > 0
		x = op.Operand(2)
		left, slope = t.number(1).Plus(-1, left), address.Sum{}.Plus(-1, slope)
	default:
		return nil, nil
	}
	form := t.addr.Form(x)
	if form == nil || !slope.Equal(t.number(-1)) {
		return nil, nil
	}
	return x, form.Uniform.Plus(1, left)
}

// holds has the host check what is supposed of indices, and reports whether it can.
func (t *tiler) holds(p *tilePlan, w wrap) bool {
	p.multiples = addMultiple(p.multiples, tt.TileMultiple{Arg: w.arg, Of: w.n})
	return (w.room == nil || t.guard(p, w.room)) && t.isNatural(p, w.at)
}
