package lower

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/layout"
)

// The layout of shared memory while a tensor changes its layout. Any invertible map of bits is right; this
// one lets both sides use wide words without bank conflicts, as in "Linear Layouts: Robust Code Generation of
// Efficient Tensor Computation Using F2" (section on optimal swizzling):
//
//   - the lowest bits of an offset are bits that registers of both layouts hold, so that both access vectors;
//   - lanes conflict if they differ only in bits above those that select the bank. So the upper bits come
//     from outside the span of the lanes of either side: sums of a vector of one side's lanes and one of
//     the other's, and vectors that no lane holds.
//
// A conversion can go in rounds, which use the same memory one after another. Rounds differ in bits that are
// register bits in both layouts.

// subspace is a set of independent vectors over F2. reduced is the same space in a form that answers whether
// a vector depends on it.
type subspace struct {
	vectors []int
	reduced []int // sorted by highest bit, the highest first
}

func (s *subspace) rest(v int) int {
	for _, r := range s.reduced {
		if bits.Len(uint(v^r)) < bits.Len(uint(v)) {
			v ^= r
		}
	}
	return v
}

func (s *subspace) has(v int) bool { return s.rest(v) == 0 }

// add adds v unless it depends on the vectors that are there, and reports whether it did.
func (s *subspace) add(v int) bool {
	r := s.rest(v)
	if r == 0 {
		return false
	}
	i := 0
	for i < len(s.reduced) && s.reduced[i] > r {
		i++
	}
	s.reduced = append(s.reduced[:i], append([]int{r}, s.reduced[i:]...)...)
	s.vectors = append(s.vectors, v)
	return true
}

func spanned(lists ...[]int) *subspace {
	s := &subspace{}
	for _, l := range lists {
		for _, v := range l {
			s.add(v)
		}
	}
	return s
}

// flatBases returns the images of an input dimension's bits as numbers, the first output dimension lowest.
func flatBases(ll layout.Layout, in string) []int {
	if !ll.HasIn(in) {
		return nil
	}
	return ll.FlatBases(in)
}

// sides says how the two layouts of a conversion access shared memory.
type sides struct {
	vector             []int // lowest bits of an offset
	others             []int // register bits of both layouts that are neither in vector nor in a matrix
	fromLanes, toLanes []int // vectors of the lanes that access shared memory at the same time
}

// sharedPort says how the machine accesses shared memory.
type sharedPort struct {
	banks int
	rows  rowFinder // nil if conversions move no matrices
}

// rowFinder returns the bits of a row of 16 bytes that layout a holds spread over lanes, as instructions that
// move matrices do, and b in registers, and the bits of the matrix's rows. It returns nil if there is no such
// row or lanes of a hold copies.
type rowFinder func(a, b layout.Layout, elemBits int) (row, rows []int)

// port returns the machine's accesses to shared memory. The blocks of a cluster move no matrices.
func (g *program) port() sharedPort {
	if g.ctas > 1 {
		return sharedPort{banks: g.vendor.banks()}
	}
	return sharedPort{g.vendor.banks(), g.vendor.rowFinder()}
}

// sidesOf chooses the accesses. One side may move matrices, whose rows are spread over lanes, if the other
// side holds whole rows in registers. A load of matrices fills registers in their order. So does a load of
// rows if the lowest register bits count a row. Words need no matrices where both sides access vectors of
// four.
func sidesOf(from, to layout.Layout, elemBits int, port sharedPort) sides {
	to = to.TransposeOuts(from.OutNames()...)
	vector, others := commonRegs(from, to, elemBits)
	s := sides{vector: vector, others: others}
	if port.rows != nil && (elemBits < 32 || elemBits<<len(vector) < 128) {
		var row, rows []int
		if from.FreeVariablesIn(layout.Warp) == 0 { // otherwise one of several warps stores, behind a branch
			row, rows = port.rows(from, to, elemBits)
		}
		other, otherRows := port.rows(to, from, elemBits)
		switch {
		case row != nil && (other == nil || counts(flatBases(to, layout.Register), row)):
			s = sides{vector: row, fromLanes: rows, toLanes: port.phase(to, 128)}
		case other != nil:
			rows = otherRows
			s = sides{vector: other, fromLanes: port.phase(from, 128), toLanes: rows}
		}
		if s.toLanes != nil {
			for _, v := range append(vector, others...) {
				if !slices.Contains(s.vector, v) && !slices.Contains(rows, v) {
					s.others = append(s.others, v)
				}
			}
			return s
		}
	}
	vecBits := elemBits << len(vector)
	s.fromLanes, s.toLanes = port.phase(from, vecBits), port.phase(to, vecBits)
	return s
}

// counts reports whether the lowest of regs are the vectors of row, in any order.
func counts(regs, row []int) bool {
	return !slices.ContainsFunc(row, func(v int) bool { return !slices.Contains(regs[:len(row)], v) })
}

// commonRegs returns the register bits that both layouts have: up to 16 bytes for a vector, and the others.
func commonRegs(from, to layout.Layout, elemBits int) (vector, others []int) {
	toRegs := flatBases(to, layout.Register)
	s := &subspace{}
	for _, v := range flatBases(from, layout.Register) {
		if v == 0 || !slices.Contains(toRegs, v) {
			continue
		}
		if elemBits<<len(s.vectors) < 128 {
			s.add(v)
		} else {
			others = append(others, v)
		}
	}
	return s.vectors, others
}

// withoutOnce returns the images of all input bits of ll but those of less, leaving out one register bit for
// each vector of regs.
func withoutOnce(ll layout.Layout, regs []int, less ...string) []int {
	var out []int
	seen := map[int]bool{}
	for _, in := range ll.InNames() {
		if slices.Contains(less, in) {
			continue
		}
		for _, v := range ll.FlatBases(in) {
			if in == layout.Register && slices.Contains(regs, v) && !seen[v] {
				seen[v] = true
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// roundBits returns the vectors that can tell rounds apart: a single register bit of each side has a part in
// them and nothing else. The first near of them tell the first together registers of the result apart: in
// different rounds they arrive in registers that do not follow each other, and have to be moved.
func roundBits(from, to layout.Layout, elemBits, together int, port sharedPort) (out []int, near int) {
	to = to.TransposeOuts(from.OutNames()...)
	p := sidesOf(from, to, elemBits, port)
	s := spanned(p.vector, withoutOnce(from, p.others), withoutOnce(to, p.others))
	low := flatBases(to, layout.Register)
	low = low[:min(len(low), log2(together))]
	for _, v := range p.others {
		switch {
		case !s.add(v):
		case slices.Contains(low, v):
			out = slices.Insert(out, near, v)
			near++
		default:
			out = append(out, v)
		}
	}
	return out, near
}

// swizzled returns the layout of shared memory for a conversion: it maps offsets, in elements, to
// coordinates. The highest bits of an offset are the rounds, the next ones warps: the vectors of both
// layouts' warps, for a conversion in which each warp has a part of the memory to itself, or none.
func swizzled(from, to layout.Layout, elemBits int, warps, rounds []int, port sharedPort) layout.Layout {
	to = to.TransposeOuts(from.OutNames()...)
	space := units(from.TotalOutBits()) // coordinates that a round covers
	if len(warps) > 0 {
		space = spanned(withoutOnce(from, rounds, layout.Warp), withoutOnce(to, rounds, layout.Warp)).vectors
	} else if len(rounds) > 0 {
		space = spanned(withoutOnce(from, rounds), withoutOnce(to, rounds)).vectors
	}
	n := len(space)
	p := sidesOf(from, to, elemBits, port)
	s := spanned(p.vector) // bits of an offset so far
	if elemBits<<n <= 32*port.banks {
		s.addVector(elemBits, wider(from, to))
	}
	vecBits := elemBits << len(s.vectors)
	fromLanes, toLanes := p.fromLanes, p.toLanes
	both := spanned(fromLanes, toLanes)
	for _, v := range both.vectors { // lanes may share a word
		if elemBits<<len(s.vectors) >= 32 {
			break
		}
		s.add(v)
	}
	wordBits := max(32, vecBits)
	banks := log2(port.banks * 32 / wordBits)
	upper := upperBits(space, s, fromLanes, toLanes)
	want := max(0, n-len(s.vectors)-banks)
	if len(upper) > want {
		upper = upper[:want]
	}
	// The bits that select the bank: any vectors that complete the space.
	low := spanned(s.vectors, upper)
	var middle []int
	for _, list := range [][]int{fromLanes, toLanes, space} {
		for _, v := range list {
			if low.add(v) {
				middle = append(middle, v)
			}
		}
	}
	return offsetLayout(slices.Concat(s.vectors, middle, upper, warps, rounds), from)
}

// addVector adds register bits of a side that accesses memory without bank conflicts in any order, so that it
// accesses vectors, whatever the other side does.
func (s *subspace) addVector(elemBits int, regs []int) {
	for _, v := range regs {
		if elemBits<<len(s.vectors) < 128 {
			s.add(v)
		}
	}
}

// wider returns the register bits of the layout that has more of them.
func wider(from, to layout.Layout) []int {
	a, b := flatBases(from, layout.Register), flatBases(to, layout.Register)
	if len(spanned(a).vectors) >= len(spanned(b).vectors) {
		return a
	}
	return b
}

// phase returns the vectors of the lanes that access shared memory at the same time: the wider each access,
// the fewer lanes.
func (p sharedPort) phase(ll layout.Layout, vecBits int) []int {
	lanes := flatBases(ll, layout.Lane)
	n := log2(p.banks)
	for b := 32; b < vecBits; b *= 2 {
		n--
	}
	return lanes[:min(n, len(lanes))]
}

// upperBits returns vectors of space by which no two lanes of either side differ, independent of each other
// and of s.
func upperBits(space []int, s *subspace, a, b []int) []int {
	spanA, spanB := spanned(s.vectors, a), spanned(s.vectors, b)
	var onlyA, onlyB []int
	common := spanned(s.vectors)
	for _, v := range a {
		if spanB.has(v) {
			common.add(v)
		}
	}
	left, right := spanned(common.vectors), spanned(common.vectors)
	for _, v := range a {
		if !spanB.has(v) && left.add(v) {
			onlyA = append(onlyA, v)
		}
	}
	for _, v := range b {
		if !spanA.has(v) && right.add(v) {
			onlyB = append(onlyB, v)
		}
	}
	all := spanned(s.vectors, a, b)
	var out []int
	for _, v := range space {
		if all.add(v) {
			out = append(out, v)
		}
	}
	for i := range min(len(onlyA), len(onlyB)) {
		out = append(out, onlyA[i]^onlyB[i])
	}
	return out
}

func units(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 1 << i
	}
	return out
}

// offsetLayout returns the layout whose offset bits are vectors, flat over the outputs of like.
func offsetLayout(vectors []int, like layout.Layout) layout.Layout {
	dims := like.OutDims()
	rows := make([][]int, len(vectors))
	for i, v := range vectors {
		rows[i] = make([]int, len(dims))
		for d, dim := range dims {
			rows[i][d] = v & (dim.Size - 1)
			v >>= log2(dim.Size)
		}
	}
	return layout.Must(layout.New([]layout.Bases{{Name: layout.Offset, Vectors: rows}}, dims))
}
