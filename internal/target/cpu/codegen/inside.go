package codegen

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Kernels compare an index with a bound, once as the mask of a load and again to choose. The first becomes a
// bound of the nest:
//
//	n = max(min(N - s, size), 0)     and     linalg.index + s < N
//
// If all lanes are inside the bounds, the second is known to be true.

// knows reports whether a comparison in a formula is true because all lanes are inside the nest's bounds.
func (n *nest) knows(cmp *ir.Op, idx []index) bool {
	if cmp.IntOr("predicate", -1) != arith.SLT {
		return false
	}
	dim, shift, ok := counted(cmp.Operand(0), cmp.Block())
	if !ok || dim >= len(idx) {
		return false
	}
	iv, ok := n.loopOf(idx[dim])
	if !ok {
		return false
	}
	for _, b := range n.bounds {
		if b.iv == iv && b.lo == "0" && b.of != nil && limits(b.of, cmp.Operand(1), shift) {
			return true
		}
	}
	return false
}

// counted splits a sum of an index and a scalar. The scalar, nil for none, must come from outside the block.
func counted(v *ir.Value, b *ir.Block) (dim int, shift *ir.Value, ok bool) {
	if op := v.DefBy(arith.AddI); op != nil && op.Block() == b {
		for i := range 2 {
			if d, s, ok := counted(op.Operand(i), b); ok && s == nil && op.Operand(1-i).Block() != b {
				return d, op.Operand(1 - i), true
			}
		}
		return 0, nil, false
	}
	if op := v.DefBy(arith.IndexCast); op != nil {
		v = op.Operand(0)
	}
	if op := v.DefBy(linalg.Index); op != nil && op.Block() == b {
		return int(op.IntOr("dim", 0)), nil, true
	}
	return 0, nil, false
}

// limits reports whether v, if positive, is at most top - shift.
func limits(v, top, shift *ir.Value) bool {
	op := v.Def()
	if op == nil {
		return false
	}
	switch op.Def {
	case arith.MaxSI: // maximum with zero, which a positive bound exceeds
		for i := range 2 {
			if k, ok := arith.IntOf(op.Operand(i)); ok && k <= 0 {
				return limits(op.Operand(1-i), top, shift)
			}
		}
	case arith.MinSI:
		return limits(op.Operand(0), top, shift) || limits(op.Operand(1), top, shift)
	case arith.SubI:
		return shift != nil && same(op.Operand(0), top) && same(op.Operand(1), shift)
	case arith.IndexCast:
		return shift == nil && same(v, top)
	}
	return false
}

// same reports whether index is v, possibly cast.
func same(index, v *ir.Value) bool {
	op := index.DefBy(arith.IndexCast)
	return index == v || op != nil && op.Operand(0) == v
}
