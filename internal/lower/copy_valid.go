package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// validity says which bytes a copy reads: none if none, an i1, is true, otherwise the first count, an i32.
// Without either it reads all.
type validity struct{ none, count string }

// validBytes returns which of the bytes that a copy moves, from register i on, a mask lets through: all or
// none, or those of the true elements, which come first.
func (l *lowering) validBytes(mask *ir.Value, i, vec, bytes int) validity {
	regs := l.regs(mask)
	if l.opts.MaskAlign == nil || l.opts.MaskAlign(mask) >= vec {
		return l.allOrNone(regs, i, bytes)
	}
	if limits, ok := l.limits(mask, i, vec); ok && vec > 2 { // two bits are counted with less
		return validity{count: l.bytesBelow(limits, regs[i], vec, bytes)}
	}
	n := "0"
	for _, r := range regs[i : i+vec] {
		n = l.add(n, l.val("select i1 %s, i32 %d, i32 0", r, bytes/vec))
	}
	return validity{count: n}
}

// allOrNone returns the validity of a copy by the mask of register i of regs. A count that all copies share
// costs nothing; many masks take fewer instructions as predicates.
func (l *lowering) allOrNone(regs []string, i, bytes int) validity {
	if slices.Max(regs) == slices.Min(regs) {
		return validity{count: l.val("select i1 %s, i32 %d, i32 0", regs[i], bytes)}
	}
	return validity{none: l.val("xor i1 %s, true", regs[i])}
}

// limit is a bound that numbers counting up from first stay below, as in `first + i < bound`, or in
// `first + i <= bound` if the bound is among them.
type limit struct {
	first, bound, typ string
	among             bool
}

// limits returns the comparisons that decide which of vec elements of a mask, from register i on, are true if
// the first one is. It finds none where all are as the first.
func (l *lowering) limits(mask *ir.Value, i, vec int) ([]limit, bool) {
	regs := l.regs(mask)[i : i+vec]
	if slices.Max(regs) == slices.Min(regs) || l.opts.MaskAlign(mask) >= vec {
		return nil, true
	}
	op := mask.Def()
	if op == nil {
		return nil, false
	}
	switch op.Def {
	case arith.AndI:
		left, ok := l.limits(op.Operand(0), i, vec)
		right, also := l.limits(op.Operand(1), i, vec)
		return append(left, right...), ok && also
	case tt.Broadcast, tt.ExpandDims:
		from := op.Operand(0)
		at := slices.Index(l.regs(from), regs[0])
		if at < 0 || at+vec > len(l.regs(from)) || !slices.Equal(l.regs(from)[at:at+vec], regs) {
			return nil, false
		}
		return l.limits(from, at, vec)
	case arith.CmpI:
		at := l.limitOf(op, i)
		known := l.opts.MaskPrefix(mask) >= vec && (at.typ == "i32" || at.typ == "i64")
		return []limit{at}, known
	}
	return nil, false
}

// limitOf returns the limit of a comparison, one of those for which MaskPrefix finds groups, at register i.
func (l *lowering) limitOf(op *ir.Op, i int) limit {
	count, bound := op.Operand(0), op.Operand(1)
	pred := op.IntOr("predicate", -1)
	if pred == arith.SGT || pred == arith.SGE {
		count, bound = bound, count
	}
	among := pred == arith.SLE || pred == arith.SGE
	return limit{l.regs(count)[i], l.regs(bound)[i], llvmType(count.Type), among}
}

// bytesBelow returns how many of the bytes of vec elements lie below all limits; none if first, whether the
// first element does, is false. If it does, bound - first is right as an unsigned number, even where it
// overflows as a signed one.
func (l *lowering) bytesBelow(limits []limit, first string, vec, bytes int) string {
	n := itoa(vec)
	for _, at := range limits {
		left := l.val("sub %s %s, %s", at.typ, at.bound, at.first)
		if at.among {
			n = l.fewest("i32", l.add(l.fewest(at.typ, left, itoa(vec-1)), "1"), n)
			continue
		}
		n = l.fewest(at.typ, left, n)
	}
	return l.val("select i1 %s, i32 %s, i32 0", first, l.mul(n, bytes/vec))
}

// fewest returns the smaller of an unsigned number of some type and an i32.
func (l *lowering) fewest(typ, a, b string) string {
	if typ == "i32" {
		return l.call("i32", "llvm.umin.i32", "i32 "+a, "i32 "+b)
	}
	if _, ok := constant(b); !ok {
		b = l.val("zext i32 %s to i64", b)
	}
	return l.val("trunc i64 %s to i32", l.call("i64", "llvm.umin.i64", "i64 "+a, "i64 "+b))
}
