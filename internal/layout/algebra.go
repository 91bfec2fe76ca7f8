package layout

import (
	"fmt"
	"math/bits"
	"slices"
)

// Rank is the dimension of the image: the number of independent basis vectors.
func (l Layout) Rank() int { return spanOf(l.cols).rank() }

// IsSurjective reports whether every output coordinate is reached.
func (l Layout) IsSurjective() bool { return l.Rank() == l.outs.total() }

// IsInjective reports whether no two inputs have the same image: nothing is replicated.
func (l Layout) IsInjective() bool { return l.Rank() == l.ins.total() }

// IsInvertible reports whether the layout is one to one.
func (l Layout) IsInvertible() bool { return l.ins.total() == l.outs.total() && l.IsSurjective() }

// IsZero reports whether everything maps to 0.
func (l Layout) IsZero() bool {
	return !slices.ContainsFunc(l.cols, func(c uint64) bool { return c != 0 })
}

// Product is the layouts multiplied from left to right; see Mul.
func Product(ls ...Layout) Layout {
	var p Layout
	for _, l := range ls {
		p = p.Mul(l)
	}
	return p
}

// Mul is the direct sum l × outer, with l in the lower bits: in each dimension, input or output, that both
// have, the bits of outer come above those of l. As a matrix it is l and outer on the diagonal. It builds
// big layouts of small ones:
//
//	Identity1D(4, lane, dim1).Mul(Identity1D(8, lane, dim0))   lanes 0..3 along dim1, then 8 rows of these
//
// The dimensions of the result come in the order of l, then of outer; the two must not contradict each other.
func (l Layout) Mul(outer Layout) Layout {
	ins, outs := merge(l.ins, outer.ins), merge(l.outs, outer.outs)
	p := Layout{ins: ins, outs: outs, cols: make([]uint64, 0, len(l.cols)+len(outer.cols))}
	low := placement(l.outs, outs, nil)
	high := placement(outer.outs, outs, l.outs)
	for _, a := range ins {
		if l.ins.has(a.name) {
			for _, c := range l.columns(a.name) {
				p.cols = append(p.cols, move(l.outs, low, c))
			}
		}
		if outer.ins.has(a.name) {
			for _, c := range outer.columns(a.name) {
				p.cols = append(p.cols, move(outer.outs, high, c))
			}
		}
	}
	if ins.total() > maxBits || outs.total() > maxBits {
		panic(fmt.Sprintf("layout: the product has more than %d bits:%s%s", maxBits, l, outer))
	}
	return p
}

// merge joins two lists of dimensions; those in both add their bits. The order is one that agrees with both
// lists; where they leave a choice, the first list's come first.
func merge(a, b space) space {
	var out space
	add := func(name string) {
		bits := 0
		for _, s := range []space{a, b} {
			if i, _ := s.find(name); i >= 0 {
				bits += s[i].bits
			}
		}
		out = append(out, axis{name, bits})
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && out.has(a[i].name):
			i++
		case j < len(b) && out.has(b[j].name):
			j++
		case i < len(a) && !b[j:].has(a[i].name): // only b's later dimensions could come before a[i]
			add(a[i].name)
		case j < len(b) && !a[i:].has(b[j].name):
			add(b[j].name)
		case a[i].name == b[j].name:
			add(a[i].name)
		default:
			panic(fmt.Sprintf("layout: dimensions %s and %s come in different orders", a, b))
		}
	}
	return out
}

// placement says for each dimension of from at which bit it starts in to, above the bits that below has
// there.
func placement(from, to, below space) []int {
	at := make([]int, len(from))
	for i, a := range from {
		j, start := to.find(a.name)
		if j < 0 {
			panic(fmt.Sprintf("layout: no dimension %q in %s", a.name, to))
		}
		if k, _ := below.find(a.name); k >= 0 {
			start += below[k].bits
		}
		at[i] = start
	}
	return at
}

// move repacks a vector of a space so that its dimensions start at the given bits.
func move(s space, at []int, v uint64) uint64 {
	out := uint64(0)
	for i, a := range s {
		out |= v & (1<<a.bits - 1) << at[i]
		v >>= a.bits
	}
	return out
}

// Compose is outer after l: x ↦ outer(l(x)). The outputs of l are the inputs of outer, in any order; those
// of l may be smaller.
func (l Layout) Compose(outer Layout) Layout {
	if !sameNames(l.OutNames(), outer.InNames()) {
		panic(fmt.Sprintf("layout: outputs of%s\nare not the inputs of%s", l, outer))
	}
	for _, a := range l.outs {
		if a.bits > outer.InBits(a.name) {
			panic(fmt.Sprintf("layout: %s is larger in%s\nthan in%s", a.name, l, outer))
		}
	}
	at := placement(l.outs, outer.ins, nil)
	c := Layout{ins: l.ins, outs: outer.outs, cols: make([]uint64, len(l.cols))}
	for i, v := range l.cols {
		c.cols[i] = outer.image(move(l.outs, at, v))
	}
	return c
}

// Sublayout keeps the given dimensions: the block of the matrix in their rows and columns. Their order is
// l's.
func (l Layout) Sublayout(ins, outs []string) Layout {
	l.needAll(ins, l.ins)
	l.needAll(outs, l.outs)
	var s Layout
	at, bits := make([]int, len(l.outs)), 0
	for i, a := range l.outs {
		if slices.Contains(outs, a.name) {
			s.outs = append(s.outs, a)
			at[i] = bits
			bits += a.bits
		} else {
			at[i] = 64 // shifted out
		}
	}
	for _, a := range l.ins {
		if !slices.Contains(ins, a.name) {
			continue
		}
		s.ins = append(s.ins, a)
		for _, c := range l.columns(a.name) {
			s.cols = append(s.cols, move(l.outs, at, c))
		}
	}
	return s
}

func (l Layout) needAll(names []string, s space) {
	for _, n := range names {
		if !s.has(n) {
			panic(fmt.Sprintf("layout: no dimension %q among %s", n, s))
		}
	}
}

// SublayoutIsZero reports whether the given inputs do not move the given outputs.
func (l Layout) SublayoutIsZero(ins, outs []string) bool { return l.Sublayout(ins, outs).IsZero() }

// SublayoutIsIdentity reports whether the given dimensions, which are both inputs and outputs of the same
// sizes, map to themselves, counting only what goes from them to them.
func (l Layout) SublayoutIsIdentity(dims ...string) bool {
	for _, d := range dims {
		if l.InBits(d) != l.OutBits(d) {
			return false
		}
	}
	sub := l.Sublayout(dims, dims).TransposeOuts(l.Sublayout(dims, nil).InNames()...)
	for i, c := range sub.cols {
		if c != 1<<i {
			return false
		}
	}
	return true
}

// IsTrivialOver reports whether l is the identity on the given dimensions and nothing else goes into or out
// of them.
func (l Layout) IsTrivialOver(dims ...string) bool {
	for _, d := range dims {
		if !l.HasIn(d) || !l.HasOut(d) {
			return false
		}
	}
	restIn, restOut := without(l.InNames(), dims), without(l.OutNames(), dims)
	return l.SublayoutIsIdentity(dims...) && l.SublayoutIsZero(restIn, dims) &&
		l.SublayoutIsZero(dims, restOut)
}

func without(names, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(drop, n) })
}

// Quotient drops dimensions that l is trivial over, and reports whether it is.
func (l Layout) Quotient(dims ...string) (Layout, bool) {
	if !l.IsTrivialOver(dims...) {
		return Layout{}, false
	}
	return l.Sublayout(without(l.InNames(), dims), without(l.OutNames(), dims)), true
}

// DivideLeft finds q with l = b × q (see Mul), if there is one: b is the lower left corner of l in all
// dimensions that it has. A load can be vectorised by v when the identity of size v on (register, offset)
// divides it so.
func (l Layout) DivideLeft(b Layout) (q Layout, ok bool) { return l.divide(b, true) }

// DivideRight finds q with l = q × b, if there is one.
func (l Layout) DivideRight(b Layout) (q Layout, ok bool) { return l.divide(b, false) }

func (l Layout) divide(b Layout, left bool) (q Layout, ok bool) {
	if q.ins, ok = difference(l.ins, b.ins); !ok {
		return Layout{}, false
	}
	if q.outs, ok = difference(l.outs, b.outs); !ok {
		return Layout{}, false
	}
	low, high := b.outs, q.outs
	if !left {
		low, high = high, low
	}
	atLow, atHigh := placement(low, l.outs, nil), placement(high, l.outs, low)
	for _, a := range l.ins {
		cols := l.columns(a.name)
		skip := 0
		if left && b.ins.has(a.name) {
			skip = b.InBits(a.name)
		}
		n := q.InBits(a.name)
		at := atHigh
		if !left {
			at = atLow
		}
		for _, c := range cols[skip : skip+n] {
			v, ok := unmove(q.outs, at, c)
			if !ok {
				return Layout{}, false
			}
			q.cols = append(q.cols, v)
		}
		if !b.ins.has(a.name) {
			continue
		}
		at = atLow
		if !left {
			at = atHigh
			cols = cols[n:]
		}
		for i, c := range b.columns(a.name) {
			if move(b.outs, at, c) != cols[i] {
				return Layout{}, false
			}
		}
	}
	return q, true
}

// difference is the dimensions of a with the bits that b does not have of them.
func difference(a, b space) (space, bool) {
	out := slices.Clone(a)
	for _, d := range b {
		i, _ := out.find(d.name)
		if i < 0 || out[i].bits < d.bits {
			return nil, false
		}
		out[i].bits -= d.bits
	}
	return out, true
}

// unmove undoes move, and reports whether v has no other bits.
func unmove(s space, at []int, v uint64) (uint64, bool) {
	out, start := uint64(0), 0
	for i, a := range s {
		out |= v >> at[i] & (1<<a.bits - 1) << start
		start += a.bits
	}
	return out, move(s, at, out) == v
}

// NumConsecutive is the number of elements, from the first on, that the first input dimension and the first
// output dimension count through together, in blocks aligned to that number: how many registers in a row
// hold consecutive elements.
func (l Layout) NumConsecutive() int {
	if len(l.ins) == 0 || len(l.outs) == 0 {
		return 1
	}
	n := 0
	for n < l.ins[0].bits && l.cols[n] == 1<<n && n < l.outs[0].bits {
		n++
	}
	others := uint64(0)
	for _, c := range l.cols[n:] {
		others |= c & (1<<l.outs[0].bits - 1)
	}
	if others != 0 {
		n = min(n, bits.TrailingZeros64(others))
	}
	return 1 << n
}
