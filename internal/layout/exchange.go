package layout

import (
	"fmt"
	"slices"
)

// Rounds is the name of the dimension that counts the rounds of an exchange.
const Rounds = "round"

// Banks of shared memory: so many, of so many bits each, are accessed at once.
const (
	bankCount = 32
	bankBits  = 32
	maxVector = 128 // bits that one thread moves with one instruction
)

// Exchange is the layout of shared memory for a conversion from src to dst, two layouts of one tensor: a
// map from (offset, round) to the tensor's coordinates, counted in elements of the given bits. In each
// round, the elements of that round are stored by src and loaded by dst; all rounds can use the same
// memory, since whatever tells rounds apart is a register bit in both layouts.
//
// Offsets are such that threads store and load vectors as wide as both layouts allow and, as far as
// possible, without bank conflicts: bit by bit, the offset's lowest bits are the elements of a vector, then
// come the banks, then the lines of all banks. The lines are a complement of what the threads of one access
// reach, for both layouts at once; over F2 there always is one, see section 5.4 of the paper.
//
// Neither layout may have registers that hold copies (see NonZero); lanes and warps may.
func Exchange(src, dst Layout, bits int) Layout {
	if !sameNames(src.OutNames(), dst.OutNames()) || src.TotalOutBits() != dst.TotalOutBits() {
		panic(fmt.Sprintf("layout: no conversion from%s\nto%s", src, dst))
	}
	x := newExchange(src, dst.TransposeOuts(src.OutNames()...), bits)
	x.fillBank()
	x.chooseLines()
	x.chooseBanks()
	return x.layout(src)
}

type exchange struct {
	dim                int // bits of the tensor
	bits               int // bits of an element
	from, to           side
	vector, bank, line []uint64
}

// side is a layout as an exchange sees it.
type side struct{ regs, lanes, warps []uint64 }

func sideOf(l Layout) side {
	s := side{regs: l.columns(Register), lanes: l.columns(Lane)}
	if l.HasIn(Warp) {
		s.warps = l.columns(Warp)
	}
	if slices.Contains(s.regs, 0) {
		panic(fmt.Sprintf("layout: registers with copies in%s", l))
	}
	return s
}

func newExchange(src, dst Layout, bits int) *exchange {
	x := &exchange{dim: src.TotalOutBits(), bits: bits, from: sideOf(src), to: sideOf(dst)}
	most := 0
	for 2<<most*bits <= maxVector {
		most++
	}
	for _, r := range x.from.regs {
		if len(x.vector) < most && slices.Contains(x.to.regs, r) {
			x.vector = append(x.vector, r)
		}
	}
	return x
}

// fillBank makes vectors that are narrower than a bank up to its width with elements that other warps have:
// then two threads of one access never meet in different parts of a bank's word. Best are those that are
// registers on one side, which widens the access there.
func (x *exchange) fillBank() {
	need := 0
	for 1<<(len(x.vector)+need)*x.bits < bankBits {
		need++
	}
	if need == 0 {
		return
	}
	fromRegs, toRegs := common(x.from.regs, x.to.warps), common(x.to.regs, x.from.warps)
	lists := [][]uint64{fromRegs, common(x.from.warps, x.to.warps), x.from.warps, x.to.warps}
	if len(toRegs) > len(fromRegs) || len(toRegs) == len(fromRegs) && len(toRegs) > 0 &&
		slices.Min(toRegs) < slices.Min(fromRegs) {
		lists[0] = toRegs
	}
	full := len(x.vector) + need
	for _, v := range slices.Concat(lists...) {
		if len(x.vector) < full && v != 0 && !slices.Contains(x.vector, v) && !inSpan(x.vector, v) {
			x.vector = append(x.vector, v)
		}
	}
}

func common(a, b []uint64) []uint64 {
	var out []uint64
	for _, v := range a {
		if v != 0 && slices.Contains(b, v) {
			out = append(out, v)
		}
	}
	return out
}

func inSpan(basis []uint64, v uint64) bool { _, ok := spanOf(basis).solve(v); return ok }

// chooseLines finds vectors that are independent of what one access reaches, on either side, together with
// the lines before. A unit vector, or the sum of two, will do while both sides leave room; after that,
// accesses of one side or both conflict.
func (x *exchange) chooseLines() {
	n := x.dim - len(x.vector) - x.bankDims()
	if n <= 0 {
		return
	}
	from, to := spanOf(slices.Concat(x.vector, x.tile(x.from))), spanOf(slices.Concat(x.vector, x.tile(x.to)))
	own := spanOf(x.vector)
	fits := func(s *span, v uint64) bool { _, in := s.solve(v); return !in }
	add := func(v uint64, ok bool) {
		if ok && len(x.line) < n && fits(own, v) {
			x.line = append(x.line, v)
			from.add(v)
			to.add(v)
			own.add(v)
		}
	}
	candidates := x.candidates()
	for _, v := range candidates {
		add(v, fits(from, v) && fits(to, v))
	}
	for _, v := range candidates {
		add(v, fits(from, v) || fits(to, v))
	}
	for _, v := range candidates {
		add(v, true)
	}
}

// bankDims is how many bits choose among the banks.
func (x *exchange) bankDims() int {
	n := 0
	for 2<<(n+len(x.vector))*x.bits <= bankCount*bankBits {
		n++
	}
	return min(n, x.dim-len(x.vector))
}

// tile is what the lanes of one access reach: with wider vectors, fewer lanes at a time fill all banks.
func (x *exchange) tile(s side) []uint64 {
	lanes := s.lanes
	for w := bankBits; w < 1<<len(x.vector)*x.bits && len(lanes) > 0; w *= 2 {
		lanes = lanes[:len(lanes)-1]
	}
	return lanes
}

// candidates are the unit vectors, then the sums of two.
func (x *exchange) candidates() []uint64 {
	var out []uint64
	for i := range x.dim {
		out = append(out, 1<<i)
	}
	for i := range x.dim {
		for j := range i {
			out = append(out, 1<<i|1<<j)
		}
	}
	return out
}

// chooseBanks completes the vectors so far to a basis; those that are registers on one side come first,
// next to the vector.
func (x *exchange) chooseBanks() {
	s := spanOf(slices.Concat(x.vector, x.line))
	for i := range x.dim {
		if v := uint64(1) << i; s.add(v) {
			x.bank = append(x.bank, v)
		}
	}
	regs := x.from.regs
	if len(common(x.bank, x.to.regs)) > len(common(x.bank, regs)) {
		regs = x.to.regs
	}
	slices.SortStableFunc(x.bank, func(a, b uint64) int {
		switch inA, inB := slices.Contains(regs, a), slices.Contains(regs, b); {
		case inA && !inB:
			return -1
		case inB && !inA:
			return 1
		}
		return 0
	})
}

// layout splits the rounds off: lines that are a register bit in both layouts.
func (x *exchange) layout(src Layout) Layout {
	offsets := slices.Concat(x.vector, x.bank)
	var rounds []uint64
	for _, v := range x.line {
		if slices.Contains(x.from.regs, v) && slices.Contains(x.to.regs, v) {
			rounds = append(rounds, v)
		} else {
			offsets = append(offsets, v)
		}
	}
	return Layout{
		ins:  space{{Offset, len(offsets)}, {Rounds, len(rounds)}},
		outs: src.outs,
		cols: slices.Concat(offsets, rounds),
	}
}
