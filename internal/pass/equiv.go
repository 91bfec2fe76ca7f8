package pass

import (
	"hash/maphash"

	"github.com/nereid-lang/nereid/internal/ir"
)

// seed is for hashes that never leave this process; their values have no influence on the output.
var seed = maphash.MakeSeed()

// opHash returns a hash that is equal for operations that computeSame would accept. The content of regions
// does not enter it.
func opHash(op *ir.Op) uint64 {
	h := mix(0, maphash.Comparable(seed, op.Def))
	if op.Def.Has(ir.Commutative) {
		sum := uint64(0) // the order must not matter
		for i := range op.NumOperands() {
			sum += maphash.Comparable(seed, op.Operand(i))
		}
		h = mix(h, sum)
	} else {
		for i := range op.NumOperands() {
			h = mix(h, maphash.Comparable(seed, op.Operand(i)))
		}
	}
	for _, a := range op.Attrs() {
		if !isDefault(op, a) {
			h = mix(h, maphash.Comparable(seed, a))
		}
	}
	for _, r := range op.Results() {
		h = mix(h, maphash.Comparable(seed, r.Type))
	}
	return h
}

func mix(h, x uint64) uint64 { return (h ^ x) * 0x9e3779b97f4a7c15 }

func isDefault(op *ir.Op, a ir.NamedAttr) bool {
	s := op.Def.AttrSlot(a.Name)
	return s != nil && s.Default == a.Attr
}

// equivalence compares operations for doing the same. pairs says which values inside a correspond to which
// inside b.
type equivalence struct {
	pairs map[*ir.Value]*ir.Value
	// equal, when set, is asked about values that are neither identical nor paired.
	equal func(a, b *ir.Value) bool
}

// sameOp reports whether a and b have the same kind, attributes, operands, result types and regions.
// Locations do not count.
func sameOp(a, b *ir.Op) bool {
	var e equivalence
	return e.op(a, b)
}

// SameKind reports whether a and b have the same kind, attributes and result types, and as many operands and
// regions.
func SameKind(a, b *ir.Op) bool {
	if a.Def != b.Def || a.NumOperands() != b.NumOperands() || a.NumResults() != b.NumResults() ||
		len(a.Regions()) != len(b.Regions()) || len(a.Successors()) != len(b.Successors()) {
		return false
	}
	for i, r := range a.Results() {
		if r.Type != b.Result(i).Type {
			return false
		}
	}
	return sameAttrs(a, b) && sameInts(a.Segments(), b.Segments()) &&
		sameInts(a.ResultSegments(), b.ResultSegments())
}

func (e *equivalence) op(a, b *ir.Op) bool {
	if !SameKind(a, b) {
		return false
	}
	for i, s := range a.Successors() {
		if s != b.Successors()[i] {
			return false
		}
	}
	if !e.operands(a, b) {
		return false
	}
	for i, r := range a.Regions() {
		if !e.region(r, b.Region(i)) {
			return false
		}
	}
	return true
}

func (e *equivalence) operands(a, b *ir.Op) bool {
	straight := true
	for i := range a.NumOperands() {
		if !e.value(a.Operand(i), b.Operand(i)) {
			straight = false
			break
		}
	}
	if straight {
		return true
	}
	return a.Def.Has(ir.Commutative) && a.NumOperands() == 2 &&
		e.value(a.Operand(0), b.Operand(1)) && e.value(a.Operand(1), b.Operand(0))
}

func (e *equivalence) value(a, b *ir.Value) bool {
	if a == b {
		return true
	}
	if w, ok := e.pairs[a]; ok {
		return w == b
	}
	return e.equal != nil && e.equal(a, b)
}

func (e *equivalence) pair(a, b *ir.Value) bool {
	if a.Type != b.Type {
		return false
	}
	if e.pairs == nil {
		e.pairs = map[*ir.Value]*ir.Value{}
	}
	e.pairs[a] = b
	return true
}

// region compares regions of one block each, or none; several blocks are taken to differ.
func (e *equivalence) region(a, b *ir.Region) bool {
	if a.Empty() || b.Empty() {
		return a.Empty() && b.Empty()
	}
	if a.First() != a.Last() || b.First() != b.Last() {
		return false
	}
	return e.block(a.First(), b.First())
}

func (e *equivalence) block(a, b *ir.Block) bool {
	if len(a.Args()) != len(b.Args()) {
		return false
	}
	for i, v := range a.Args() {
		if !e.pair(v, b.Arg(i)) {
			return false
		}
	}
	x, y := a.First(), b.First()
	for ; x != nil && y != nil; x, y = x.Next(), y.Next() {
		if !e.op(x, y) {
			return false
		}
		for i, r := range x.Results() {
			e.pair(r, y.Result(i))
		}
	}
	return x == nil && y == nil
}

// sameAttrs compares attributes; one that is absent equals one that has its default.
func sameAttrs(a, b *ir.Op) bool {
	x, y := a.Attrs(), b.Attrs()
	i, j := 0, 0
	for {
		for i < len(x) && isDefault(a, x[i]) {
			i++
		}
		for j < len(y) && isDefault(b, y[j]) {
			j++
		}
		if i == len(x) || j == len(y) {
			return i == len(x) && j == len(y)
		}
		if x[i] != y[j] {
			return false
		}
		i++
		j++
	}
}

func sameInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
