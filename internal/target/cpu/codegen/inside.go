package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Kernels compare an index with a bound, once as the mask of a load and again to choose. The first becomes a
// bound of the nest:
//
//	n = max(min(N - s, size), 0)     and     linalg.index + s < N
//
// If all lanes are inside the bounds, the second is known to be true. A comparison whose bound no load of the
// nest has becomes a bound of its own, so that most vectors are computed without a mask.

// holds reports whether a comparison in a formula is known to be true for all lanes.
func (g *gen) holds(cmp *ir.Op, idx []index) bool {
	n := g.nest
	if n == nil || n.lanes == 1 || n.along >= 0 || cmp.IntOr("predicate", -1) != arith.SLT {
		return false
	}
	if n.full && n.knows(cmp, idx) {
		return true
	}
	top := cmp.Operand(1)
	dim, shift, ok := counted(cmp.Operand(0), cmp.Block())
	if !ok || dim >= len(idx) || top.Block() == cmp.Block() || top.Type != ir.Type(ir.I32) {
		return false
	}
	if iv, ok := n.loopOf(idx[dim]); !ok || iv != "" { // bounds of outer loops are not worth a second loop
		return false
	}
	return n.covered(idx[dim], "0", g.countBelow(n, top, shift), nil)
}

// countBelow returns how many indices from zero on are less than top - shift, at least. It is computed before
// the inner loop. An index below it cannot overflow when shift is added.
func (g *gen) countBelow(n *nest, top, shift *ir.Value) string {
	key := [2]*ir.Value{top, shift}
	if s, ok := n.counts[key]; ok {
		return s
	}
	saved := g.scopes
	g.scopes = append(slices.Clone(saved[:n.depth]), &scope{map[*ir.Value]val{}, map[*ir.Value]*view{}})
	var count string
	n.before += g.capture(func() {
		count = g.cast("sext", g.scalar(top), ir.I64).s
		if shift != nil {
			count = g.sub(count, g.cast("sext", g.scalar(shift), ir.I64).s)
		}
		count = g.op("call i64 @llvm.smax.i64(i64 %s, i64 0)", count)
	})
	g.scopes = saved
	g.decls["llvm.smax.i64"] = "declare i64 @llvm.smax.i64(i64, i64)"
	n.counts[key] = count
	return count
}

// holdsAt reports whether a tensor, which is in a buffer, is a comparison that is known to be true at the
// indices.
func (g *gen) holdsAt(v *ir.Value, idx []index) bool {
	op := v.Def()
	if op == nil || g.nest == nil || ir.ElemOf(v.Type) != ir.Type(ir.I1) {
		return false
	}
	switch op.Def {
	case linalg.Broadcast:
		return g.holdsAt(op.Operand(0), unbroadcast(op, idx))
	case tensor.CollapseShape:
		return g.holdsAt(op.Operand(0), g.uncollapsed(op, idx))
	case linalg.Generic:
		cmp := op.Body(0).Last().Operand(v.Index()).DefBy(arith.CmpI)
		return cmp != nil && isTensorOp(op) && cmp.Block() == op.Body(0) && g.holds(cmp, idx)
	}
	return false
}

// knows reports whether an slt comparison in a formula is true because all lanes are inside the bounds of the
// nest's loads and stores.
func (n *nest) knows(cmp *ir.Op, idx []index) bool {
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
