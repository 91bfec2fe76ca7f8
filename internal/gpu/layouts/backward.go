package layouts

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// rematerialize removes a conversion by computing its operand a second time, in the wanted layout, if that is
// cheaper.
func (r *rematerializer) rematerialize(cvt *ir.Op) {
	enc := ttgir.EncodingOf(cvt.Result(0))
	if IsDotOperand(cvt.Result(0)) { // hoistDotOperands moves these
		return
	}
	if k := r.known[conversion{cvt.Operand(0), enc}]; k != nil && r.dom.Dominates(k, cvt) {
		r.replace(cvt, k)
		return
	}
	if s, ok := r.Cheaper(cvt); ok {
		r.rewrite(s, cvt, nil)
	}
}

// Cheaper returns what has to be computed anew so that a conversion's operand has the wanted layout, and
// whether that costs less than the conversion.
func (r *rematerializer) Cheaper(cvt *ir.Op) (*slice, bool) {
	s, ok := r.rematerializable(cvt.OperandUse(0), ttgir.EncodingOf(cvt.Result(0)), nil)
	if !ok {
		return nil, false
	}
	cost, ok := rematCost(s, cvt)
	// A conversion stores and loads at least 32 elements of at least 32 bits, at 8 units a byte each way, and
	// synchronizes, which doubles the cost. A unit is a thousandth of a cycle of a multiprocessor for the
	// whole tensor.
	return s, ok && cost <= 32*byteCount(cvt.Operand(0), 32, 32)
}

// rematCost estimates the cost of computing a slice again. Ops whose original becomes unused are free.
func rematCost(s *slice, cvt *ir.Op) (cost int64, ok bool) {
	ops := map[*ir.Op]bool{}
	var order []*ir.Op
	for _, v := range s.values {
		if def := v.Def(); def != nil && s.existing[v] == nil && !ops[def] {
			ops[def] = true
			order = append(order, def)
		}
	}
	single := singleUse{cvt: cvt, ops: ops, memo: map[*ir.Op]bool{}}
	for _, op := range order {
		if op.Def == tt.Scan {
			c, ok := scanAgain(op, s.layout[op.Result(0)], single.is(op))
			if !ok {
				return 0, false
			}
			cost += c
			continue
		}
		if single.is(op) {
			continue
		}
		c, ok := opCost(op)
		if !ok {
			return 0, false
		}
		cost += c
	}
	return cost, true
}

// scanAgain returns the cost of computing a scan in layout enc, in addition to the existing scan or, with
// instead, in its place. Scans that add floats must not be computed twice, for the reason given at
// reduceCost.
func scanAgain(op *ir.Op, enc ir.Attr, instead bool) (int64, bool) {
	cost, ok := scanCost(op, enc)
	if !ok || !instead && sumsFloats(op) {
		return 0, false
	}
	if instead {
		old, ok := scanCost(op, ttgir.EncodingOf(op.Operand(0)))
		return max(0, cost-old), ok
	}
	return cost, true
}

// scanCost returns the cost of a scan whose tensors have layout enc. A run is the registers of a thread
// that are contiguous along the axis. Each run takes log2(lanes along the axis) steps, and one more to add
// the prefix of the lanes before to each register. A step is a shuffle (a multiprocessor starts one per
// cycle), the scan's combine region and a select.
func scanCost(op *ir.Op, enc ir.Attr) (int64, bool) {
	const step = 1500
	axis := int(op.IntOr("axis", 0))
	t := ttgir.TensorOf(op.Operand(0))
	l, err := ttglayout.Of(t.WithEncoding(enc))
	if err != nil {
		return 0, false
	}
	lanes, first := 0, int(t.Shape[axis])
	for i := range l.InBits(layout.Lane) {
		if c := l.Basis(layout.Lane, i)[axis]; c != 0 {
			lanes++
			first = min(first, c)
		}
	}
	runs, inside := int64(1), false
	for i := range l.InBits(layout.Register) {
		b := l.Basis(layout.Register, i)
		switch {
		case b[axis] != 0 && b[axis] < first:
			inside = true
		case slices.ContainsFunc(b, func(c int) bool { return c != 0 }):
			runs *= 2
		}
	}
	if lanes > 0 && inside {
		lanes++
	}
	return step * runs * int64(lanes*l.InSize(layout.Warp)*op.NumOperands()), true
}

// sumsFloats reports whether the region of a reduction or scan adds or multiplies floats.
func sumsFloats(op *ir.Op) bool {
	for inner := range op.Ops() {
		if inner.Def == arith.AddF || inner.Def == arith.MulF {
			return true
		}
	}
	return false
}

// reduceCost returns the cost of a reduction: shuffles, and shared memory between warps. Float sums must not
// be computed twice, because another layout sums in another order and gives another result.
func reduceCost(op *ir.Op) (int64, bool) {
	axis := int(op.IntOr("axis", 0))
	t := ttgir.TensorOf(op.Operand(0))
	if ir.IsFloat(t.Elem) && t.Shape[axis] > 2 && sumsFloats(op) {
		return 0, false
	}
	l, err := ttglayout.Of(t)
	if err != nil {
		return 0, false
	}
	return int64(l.CountPerDim(layout.Lane)[axis] + 8*l.CountPerDim(layout.Warp)[axis]), true
}

// byteCount returns the size of a tensor, counting at least minElems elements of at least minBits bits.
func byteCount(v *ir.Value, minElems, minBits int64) int64 {
	elems, bits := int64(0), int64(0)
	if t := ttgir.TensorOf(v); t != nil {
		elems = t.NumElements()
		if ir.IsInt(t.Elem) || ir.IsFloat(t.Elem) {
			bits = int64(ir.BitWidth(t.Elem))
		}
	}
	return max(elems, minElems) * max(bits, minBits) / 8
}

// singleUse finds the ops of a slice that only the conversion depends on.
type singleUse struct {
	cvt  *ir.Op
	ops  map[*ir.Op]bool
	memo map[*ir.Op]bool
}

func (s *singleUse) is(op *ir.Op) bool {
	if known, ok := s.memo[op]; ok {
		return known
	}
	s.memo[op] = true // ends the recursion at a cycle
	ok := true
	for _, v := range op.Results() {
		for u := range v.Users() {
			if u != s.cvt && (!s.ops[u] || !s.is(u)) {
				ok = false
			}
		}
	}
	s.memo[op] = ok
	return ok
}
