package lower

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// warpMove describes a conversion within warps, where lanes may need different registers of each other. All
// numbers are vectors over F2. The element in register r of lane d of the result lies in register A·r + B·d
// of lane C·r + D·d of the operand.
//
// A step t of the exchange gives lane d the element of its register t + F·d. It comes from lane C·t + M·d
// with M = C·F + D. F is chosen so that no lane has to send two registers in one step: lane s sends register
// A·t + W·(s + C·t), where W·M = A·F + B. For example, a bit of the registers that changes places with a
// bit of the lanes:
//
//	lane 0: a0 a1      sends a1 to lane 1      lane 0: a0 b0
//	lane 1: b0 b1      sends b0 to lane 0      lane 1: a1 b1
type warpMove struct {
	// of each bit of the result's registers and lanes: the place in the operand (A, C; B, D)
	regs, lanes []place
	packed      []int // registers of the result that count within a word, each a bit
	within      []int // registers of the operand, likewise
	// F: lanes whose bit `turn` is set take register t + by in step t; by is 0 for no lane
	turn, by int
	perm     []int      // M, for each bit of a lane
	picks    []laneSwap // W
}

// laneSwap says that lanes with a bit set send register r + by in place of r.
type laneSwap struct{ bit, by int }

// newWarpMove describes a conversion; ok is false if lanes would have to choose among too many registers.
func newWarpMove(cvt layout.Layout, elem ir.Type) (m warpMove, ok bool) {
	m = warpMove{regs: basesOf(cvt, layout.Register), lanes: basesOf(cvt, layout.Lane)}
	m.pack(elem)
	if !m.chooseTurn() {
		return m, false
	}
	var e echelon
	for j, p := range m.lanes {
		image, word := p.lane, m.word(p.reg)
		if m.by != 0 && j == m.turn {
			from := m.regs[log2(m.by)]
			image, word = image^from.lane, word^m.word(from.reg)
		}
		m.perm = append(m.perm, image)
		if _, rest, fresh := e.add(image, word); !fresh && rest != 0 {
			return m, false
		}
	}
	for _, r := range e {
		if r.tag != 0 {
			m.picks = append(m.picks, laneSwap{r.pivot, r.tag})
		}
	}
	return m, len(m.picks) <= 1
}

// basesOf returns where the bits of a dimension of the result lie in the operand.
func basesOf(cvt layout.Layout, in string) []place {
	if !cvt.HasIn(in) {
		return nil
	}
	out := make([]place, cvt.InBits(in))
	for i := range out {
		if cvt.HasOut(layout.Register) {
			out[i].reg = cvt.BasisAlong(in, i, layout.Register)
		}
		if cvt.HasOut(layout.Lane) {
			out[i].lane = cvt.BasisAlong(in, i, layout.Lane)
		}
	}
	return out
}

// pack chooses bits of registers that stay bits of registers of the same lane: words of their elements travel
// together.
func (m *warpMove) pack(elem ir.Type) {
	for k, p := range m.regs {
		if len(m.packed) == log2(max(1, 32/max(8, bitsOf(elem)))) {
			return
		}
		if p.lane != 0 || bits.OnesCount(uint(p.reg)) != 1 {
			continue
		}
		alone := true
		for other, q := range append(m.regs[:len(m.regs):len(m.regs)], m.lanes...) {
			alone = alone && (other == k || q.reg&p.reg == 0)
		}
		if alone {
			m.packed, m.within = append(m.packed, 1<<k), append(m.within, p.reg)
		}
	}
}

// word returns the number of the word of a register of the operand: its first register.
func (m *warpMove) word(reg int) int {
	for _, b := range m.within {
		reg &^= b
	}
	return reg
}

// chooseTurn chooses F. Lanes that differ by a vector of D's kernel would read one lane; where they need
// different registers of it, one takes another register first.
func (m *warpMove) chooseTurn() bool {
	var images, needs echelon
	var same, apart []int // lanes that read the same place, and lanes that need other registers of one lane
	var kernel []int
	for j, p := range m.lanes {
		if _, d, fresh := images.add(p.lane, 1<<j); !fresh {
			kernel = append(kernel, d)
		}
	}
	for _, d := range kernel {
		word := 0
		for j, p := range m.lanes {
			if d>>j&1 != 0 {
				word ^= m.word(p.reg)
			}
		}
		if _, d, fresh := needs.add(word, d); fresh {
			apart = append(apart, d)
		} else {
			same = append(same, d)
		}
	}
	switch len(apart) {
	case 0:
		return true
	case 1:
	default:
		return false
	}
	free := apart[0]
	for _, d := range same {
		free &^= d
	}
	for k, p := range m.regs {
		if _, _, fresh := images.add(p.lane, 0); fresh && free != 0 {
			m.by, m.turn = 1<<k, bits.TrailingZeros(uint(free))
			return true
		}
	}
	return false
}

// steps returns the number of words of a lane that have to be exchanged.
func (m *warpMove) steps(registers int) int { return registers >> len(m.packed) }

// echelon is a basis of vectors in reduced echelon form. Each has a tag, which is added wherever the vector
// is.
type echelon []echelonRow

type echelonRow struct{ v, tag, pivot int }

// add adds a vector, reduced by the others, unless it depends on them. It returns the reduced vector and tag.
func (e *echelon) add(v, tag int) (int, int, bool) {
	for _, r := range *e {
		if v>>r.pivot&1 != 0 {
			v, tag = v^r.v, tag^r.tag
		}
	}
	if v == 0 {
		return v, tag, false
	}
	row := echelonRow{v, tag, bits.TrailingZeros(uint(v))}
	for i, r := range *e {
		if r.v>>row.pivot&1 != 0 {
			(*e)[i].v, (*e)[i].tag = r.v^v, r.tag^tag
		}
	}
	*e = append(*e, row)
	return v, tag, true
}

// convertInWarp moves the registers src as m says.
func (l *lowering) convertInWarp(src []string, elem ir.Type, registers int, m warpMove) []string {
	a := newAccess(elem, 1<<len(m.packed))
	words := l.packWords(a, src, m)
	for _, p := range m.picks {
		words = l.swapped(words, a.wordType(), p)
	}
	steps := map[int]string{}
	done := m.fetcher(l, words, ir.Int(max(16, a.wordBits)))
	for t := range registers {
		if t&spread(-1, m.packed) == 0 {
			steps[t] = done(m.sent(t))
		}
	}
	if m.by != 0 {
		steps, m.packed = l.takeTurns(steps, a, m)
	}
	return l.unpackWords(a, steps, registers, m)
}

// fetcher returns the function that brings the word that a step sends, each once.
func (m *warpMove) fetcher(l *lowering, words map[int]string, t ir.Type) func(at place) string {
	done := map[place]string{}
	fetch := m.fetch(l, t)
	return func(at place) string {
		if done[at] == "" {
			done[at] = fetch(words[at.reg], at.lane)
		}
		return done[at]
	}
}

// fetch returns the function that brings a word from the lane of the first step, changed by xor.
func (m *warpMove) fetch(l *lowering, t ir.Type) func(word string, xor int) string {
	if m.isStill() {
		return func(word string, xor int) string { return l.fromXor(word, t, xor) }
	}
	from := "0"
	for _, f := range l.fieldsOf(l.ids.lane, m.perm) {
		from = l.xor(from, f)
	}
	bit, shared := m.shared()
	others := map[string]string{} // of each word, that of the lane with the other bit
	return func(word string, xor int) string {
		if !shared || xor&^(1<<bit) != 0 {
			return l.shuffleIdx(word, t, l.xor(from, itoa(xor)))
		}
		// Two lanes read one of the two: each has a word itself and fetches that of the other.
		if others[word] == "" {
			others[word] = l.shuffleXor(word, t, 1<<bit)
		}
		set, clear := others[word], word // for lanes with the bit and without it
		if xor != 0 {
			set, clear = clear, set
		}
		return l.val("select i1 %[1]s, %[2]s %[3]s, %[2]s %[4]s", l.laneHas(bit), t, set, clear)
	}
}

// fromXor returns the word of the lane whose number differs in bits.
func (l *lowering) fromXor(word string, t ir.Type, bits int) string {
	if bits == 0 {
		return word
	}
	return l.shuffleXor(word, t, bits)
}

// shared returns the only bit of a lane's number that does not matter in the first step.
func (m *warpMove) shared() (bit int, ok bool) {
	for j, v := range m.perm {
		switch {
		case v == 1<<j:
		case v == 0 && !ok:
			bit, ok = j, true
		default:
			return 0, false
		}
	}
	return bit, ok
}

// takeTurns gives the words of steps to the registers that they are for. Words of several elements exchange
// their halves on the way, since that takes no more instructions: it returns which registers count within a
// word then.
func (l *lowering) takeTurns(steps map[int]string, a access, m warpMove) (map[int]string, []int) {
	if a.wordBits != 32 || len(m.packed) == 0 {
		return l.swapped(steps, a.wordType(), laneSwap{m.turn, m.by}), m.packed
	}
	last := len(m.packed) - 1
	swap := l.laneHas(m.turn)
	out := make(map[int]string, len(steps))
	for _, t := range slices.Sorted(maps.Keys(steps)) {
		if t&m.by == 0 {
			out[t], out[t|m.packed[last]] = l.vendor.halves(l, steps[t], steps[t|m.by], swap)
		}
	}
	return out, append(slices.Clone(m.packed[:last]), m.by)
}

// laneHas returns whether a bit of the lane's number is set.
func (l *lowering) laneHas(bit int) string {
	return l.val("icmp ne i32 %s, 0", l.val("and i32 %s, %d", l.ids.lane, 1<<bit))
}

// plainHalves returns a word of the lower halves of two words, and one of the upper halves. If swap, b comes
// first.
func plainHalves(l *lowering, a, b, swap string) (lo, hi string) {
	first := l.val("select i1 %s, i32 %s, i32 %s", swap, b, a)
	second := l.val("select i1 %s, i32 %s, i32 %s", swap, a, b)
	lo = l.val("or disjoint i32 %s, %s", l.val("and i32 %s, 65535", first), l.val("shl i32 %s, 16", second))
	hi = l.val("or disjoint i32 %s, %s", l.val("lshr i32 %s, 16", first), l.val("and i32 %s, -65536", second))
	return lo, hi
}

// isStill reports whether, in steps that cross no lanes, each lane reads itself.
func (m *warpMove) isStill() bool {
	for j, v := range m.perm {
		if v != 1<<j {
			return false
		}
	}
	return true
}

// sent returns the word that lanes send in step t, after their picks, and what is added to the lane that it
// comes from.
func (m *warpMove) sent(t int) (at place) {
	for k, p := range m.regs {
		if t>>k&1 != 0 {
			at.reg, at.lane = at.reg^m.word(p.reg), at.lane^p.lane
		}
	}
	for _, p := range m.picks {
		if at.lane>>p.bit&1 != 0 {
			at.reg ^= p.by
		}
	}
	return at
}

// swapped returns words in which lanes with a bit have exchanged the words whose numbers differ by p.by.
func (l *lowering) swapped(words map[int]string, t string, p laneSwap) map[int]string {
	cond := l.laneHas(p.bit)
	out := make(map[int]string, len(words))
	for _, i := range slices.Sorted(maps.Keys(words)) {
		out[i] = l.val("select i1 %[1]s, %[2]s %[3]s, %[2]s %[4]s", cond, t, words[i^p.by], words[i])
	}
	return out
}

// packWords returns the words of the operand by their first registers.
func (l *lowering) packWords(a access, src []string, m warpMove) map[int]string {
	out := map[int]string{}
	for r := range src {
		if m.word(r) != r {
			continue
		}
		elems := make([]string, a.vec)
		for i := range elems {
			elems[i] = src[r^spread(i, m.within)]
		}
		out[r] = l.packPairs(a, elems)
	}
	return out
}

// packPairs packs the elements of a word; four bytes as two pairs, as conversions to 8 bits make them.
func (l *lowering) packPairs(a access, elems []string) string {
	if a.bits != 8 || a.vec != 4 {
		return l.pack(a, elems)[0]
	}
	halves := l.pack(newAccess(a.elem, 2), elems[:2])
	halves = append(halves, l.pack(newAccess(a.elem, 2), elems[2:])...)
	return l.pack(newAccess(ir.I16, 2), halves)[0]
}

// unpackWords returns the registers of the result from its words.
func (l *lowering) unpackWords(a access, words map[int]string, registers int, m warpMove) []string {
	out := make([]string, registers)
	for r := range registers {
		if words[r] == "" {
			continue
		}
		for i, v := range l.unpack(a, []string{words[r]}) {
			out[r^spread(i, m.packed)] = v
		}
	}
	return out
}
