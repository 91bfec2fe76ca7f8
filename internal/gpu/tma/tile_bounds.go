package tma

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// bounds turns the mask of an access into sizes of a tile's dimensions.
func (t *tiler) bounds(p *tilePlan) bool {
	mask := maskOf(p.op)
	if mask == nil {
		return true
	}
	axes := []int{len(p.dims) - 2, len(p.dims) - 1}
	if p.swapped {
		slices.Reverse(axes)
	}
	return t.bound(p, mask, axes, map[string]bool{})
}

// maskOf returns the mask of a load or a store, nil if it has none.
func maskOf(op *ir.Op) *ir.Value {
	if op.Def == tt.Store {
		return op.Slot(2)
	}
	return op.Slot(1)
}

// bound reads a part of a mask. axes has the tile's dimension for each dimension of the mask. Parts in seen
// have been read.
func (t *tiler) bound(p *tilePlan, mask *ir.Value, axes []int, seen map[string]bool) bool {
	key := fmt.Sprintf("%p %v", mask, axes)
	if seen[key] {
		return true
	}
	seen[key] = true
	if n, ok := arith.IntOf(mask); ok {
		return n != 0
	}
	op := mask.Def()
	if op == nil {
		return false
	}
	switch op.Def {
	case arith.AndI:
		return t.bound(p, op.Operand(0), axes, seen) && t.bound(p, op.Operand(1), axes, seen)
	case tt.Broadcast:
		return t.bound(p, op.Operand(0), axes, seen)
	case tt.ExpandDims:
		at := int(op.IntOr("axis", 0))
		return t.bound(p, op.Operand(0), slices.Delete(slices.Clone(axes), at, at+1), seen)
	case arith.CmpI:
		return t.compared(p, op, axes)
	}
	return false
}

// compared reads a comparison of an index with a bound. With x the coordinate in the tensor, the upper bound
// is the size of the dimension; a lower one must be 0, which the copy engine checks in any case.
func (t *tiler) compared(p *tilePlan, op *ir.Op, axes []int) bool {
	room := t.room(op)
	if room == nil || len(room.Strides) != len(axes) {
		return false
	}
	dim, slope := -1, int64(0)
	for k := range axes {
		terms := t.addr.Terms(room.Strides[k])
		switch {
		case len(terms) == 0:
			continue
		case len(terms) > 1 || len(terms[0].Of) > 0 || dim >= 0:
			return false
		}
		dim, slope = axes[k], terms[0].Factor
	}
	if dim < 0 {
		return false
	}
	switch d := &p.dims[dim]; slope {
	case -1:
		return t.setSize(p, dim, room.Uniform)
	case 1: // c > -room, and with the coordinate x = at + c of the tensor: x > at - room
		last, ok := t.overLoops(d.at.Plus(-1, room.Uniform))
		d.above = ok && last.Equal(t.number(-1))
		return d.above
	}
	return false
}

// room returns what is more than 0 exactly where a comparison is true, nil if its operands have no form.
func (t *tiler) room(op *ir.Op) *address.Form {
	less, more := t.addr.Form(op.Operand(0)), t.addr.Form(op.Operand(1))
	if less == nil || more == nil {
		return nil
	}
	slack := int64(0)
	switch op.IntOr("predicate", -1) {
	case arith.SLT:
	case arith.SLE:
		slack = 1
	case arith.SGT:
		less, more = more, less
	case arith.SGE:
		less, more, slack = more, less, 1
	default:
		return nil
	}
	out := &address.Form{Uniform: more.Uniform.Plus(-1, less.Uniform).Plus(1, t.number(slack))}
	for k := range more.Strides {
		out.Strides = append(out.Strides, more.Strides[k].Plus(-1, less.Strides[k]))
	}
	return out
}

// number returns a constant as a linear expression.
func (t *tiler) number(n int64) address.Sum { return t.addr.Sum(address.Term{Factor: n}) }

// setSize sets the size of a dimension so that room is left from the tile's first element on. The size must
// be known at the launch.
func (t *tiler) setSize(p *tilePlan, dim int, room address.Sum) bool {
	d := &p.dims[dim]
	size, ok := t.overLoops(d.at.Plus(1, room))
	if !ok {
		return false
	}
	for _, term := range t.addr.Terms(size) {
		if slices.ContainsFunc(term.Of, func(s address.Symbol) bool { return t.argument(s) < 0 }) {
			return false
		}
	}
	if d.size != nil && !d.size.Equal(size) {
		return false
	}
	d.size = size
	return true
}

// isNarrow reports whether all symbols of a sum are scalars of 32 bits that have values.
func (t *tiler) isNarrow(p address.Sum) bool {
	for _, term := range t.addr.Terms(p) {
		for _, s := range term.Of {
			if s.Value == nil || s.Value.Type != ir.Type(ir.I32) {
				return false
			}
		}
	}
	return true
}

// isNatural reports whether a coordinate is never negative. The plan notes the arguments that the host
// must check for that.
func (t *tiler) isNatural(p *tilePlan, at address.Sum) bool {
	natural := ir.Once(func(v *ir.Value, of func(*ir.Value) bool) bool { return t.natural(p, v, of) })
	for _, term := range t.lastFirst(t.addr.Terms(at)) {
		if term.Factor < 0 {
			return false
		}
		for _, s := range term.Of {
			if !natural(s.Value) {
				return false
			}
		}
	}
	return true
}

// lastFirst returns the terms of a sum without f*(count - 1 - id), for the number id of a program and the
// count of programs: LongestFirst numbers programs so, and none of them has a negative number.
func (t *tiler) lastFirst(terms []address.Term) []address.Term {
	constant := func(x address.Term) bool { return len(x.Of) == 0 }
	for i := range terms {
		id, f := programTerm(terms[i], tt.GetProgramID), -terms[i].Factor
		if id == nil || f <= 0 {
			continue
		}
		count := slices.IndexFunc(terms, func(x address.Term) bool {
			n := programTerm(x, tt.GetNumPrograms)
			return n != nil && n.IntOr("axis", 0) == id.IntOr("axis", 0) && x.Factor >= f
		})
		one := slices.IndexFunc(terms, constant)
		if count >= 0 && one >= 0 {
			terms = slices.Clone(terms)
			terms[i].Factor, terms[count].Factor = 0, terms[count].Factor-f
			terms[one].Factor += f
		}
	}
	return terms
}

// programTerm returns the op of a term that is a multiple of the number of a program, or of programs; nil for
// other terms.
func programTerm(x address.Term, def *ir.OpDef) *ir.Op {
	if len(x.Of) != 1 || x.Of[0].Value == nil {
		return nil
	}
	return x.Of[0].Value.DefBy(def)
}

// natural reports whether a scalar is never negative, as long as index arithmetic does not overflow. of is
// called for its operands.
func (t *tiler) natural(p *tilePlan, v *ir.Value, of func(*ir.Value) bool) bool {
	if n, ok := arith.IntOf(v); ok {
		return n >= 0
	}
	both := func(op *ir.Op) bool { return of(op.Operand(0)) && of(op.Operand(1)) }
	op := v.Def()
	if op == nil {
		return t.naturalArg(p, v, of)
	}
	if w, ok := t.wraps[v]; ok {
		return t.holds(p, w)
	}
	switch op.Def {
	case tt.GetProgramID, tt.GetNumPrograms:
		return true
	case arith.AddI, arith.MulI, arith.MinSI:
		return both(op)
	case arith.DivSI:
		return of(op.Operand(0)) &&
			(of(op.Operand(1)) || t.guard(p, op.Operand(1)))
	case arith.SubI:
		return ttgir.IsLastFirst(op)
	case arith.MaxSI:
		return of(op.Operand(0)) || of(op.Operand(1))
	case arith.RemSI, arith.ExtSI, arith.ShRSI: // these have the sign of the first operand
		return of(op.Operand(0))
	case arith.Select:
		return of(op.Operand(1)) && of(op.Operand(2))
	}
	return false
}

// naturalArg reports whether an argument of a block is never negative.
func (t *tiler) naturalArg(p *tilePlan, v *ir.Value, of func(*ir.Value) bool) bool {
	parent := v.Block().Parent()
	if parent != nil && parent.Def == scf.For && v.Index() == 0 { // steps are positive
		return of(scf.LowerBound(parent))
	}
	if i := t.argument(address.Symbol{Value: v}); i >= 0 {
		p.natural = append(p.natural, i)
		return true
	}
	return false
}

func addMultiple(list []tt.TileMultiple, m tt.TileMultiple) []tt.TileMultiple {
	if slices.Contains(list, m) {
		return list
	}
	return append(list, m)
}
