package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/layout"
)

// totals is a table in shared memory with the total of each block of each row, where a row is what a scan
// goes along. Blocks have the number of their place along the axis, also in a reverse scan.
type totals struct {
	s     *scan
	upper []step
	low   int   // bits of the coordinate within a block
	rows  []int // bits of the registers that lead to other rows
	own   []int // bits of the registers that lead to other rows or blocks
	wide  bool  // neighbours in the table are rows, not blocks

	loads []lazyLoad // by operand
}

// newTotals returns the table for blocks that are numbered by the bits of upper.
//
// Where the lanes of a warp hold different rows, neighbours are rows: the lanes then access consecutive
// words, and no two of them the same bank. Otherwise all lanes read the same words, and neighbours are
// blocks, so that one access reads several.
func newTotals(s *scan, upper []step) *totals {
	t := &totals{s: s, upper: upper, low: len(s.bits) - len(upper)}
	done := s.regs | maskOf(upper, regBit)
	for _, c := range s.copies {
		done |= c.bit.reg
	}
	for i := range s.ll.InBits(layout.Register) {
		if bit := 1 << i; bit&done == 0 {
			t.rows = append(t.rows, bit)
		}
	}
	t.own = slices.Clone(t.rows)
	for _, b := range upper {
		if b.bit.reg != 0 {
			t.own = append(t.own, b.bit.reg)
		}
	}
	for i := range s.ll.InBits(layout.Lane) {
		t.wide = t.wide || t.row(place{lane: 1 << i}) != 0
	}
	return t
}

// row returns the number of the row at p.
func (t *totals) row(p place) int {
	return flat(dropAxis(coords(t.s.ll, p), t.s.axis), dropAxis(outShape(t.s.ll), t.s.axis))
}

// numRows returns the number of rows.
func (t *totals) numRows() int { return 1 << (t.s.ll.TotalOutBits() - len(t.s.bits)) }

// at returns the offset of a row's total of a block.
func (t *totals) at(row, block int) int {
	if t.wide {
		return block*t.numRows() + row
	}
	return row<<len(t.upper) | block
}

// offsets returns the layout from registers, which have these images, and threads to offsets. threads says
// what a thread's place contributes.
func (t *totals) offsets(regs []int, threads func(p place) int) layout.Layout {
	return tableLayout(t.numRows()<<len(t.upper), regs, t.s.ll, threads)
}

// place returns the offset of the total of the block at p.
func (t *totals) place(p place) int { return t.at(t.row(p), coords(t.s.ll, p)[t.s.axis]>>t.low) }

// spread returns the register whose bits are those of i, in the order of bits.
func spread(i int, bits []int) int {
	r := 0
	for k, b := range bits {
		if i>>k&1 != 0 {
			r |= b
		}
	}
	return r
}

// store writes the totals of this thread's blocks; threads for which writer is false do not write.
func (t *totals) store(bases []int, writer string) {
	var images []int
	for _, bit := range t.own {
		images = append(images, t.place(place{reg: bit}))
	}
	cvt := t.offsets(images, t.place)
	for e, elem := range t.s.elems {
		regs := make([]string, 1<<len(t.own))
		for i := range regs {
			regs[i] = t.s.vals[t.s.end(spread(i, t.own))][e]
		}
		t.s.l.storeAll(scratchAt(bases[e], elem), cvt, regs, 0, writer)
	}
}

// open prepares reading: register i of a read has row i's low bits and the number of the block above them.
func (t *totals) open(bases []int) {
	var images []int
	for _, bit := range t.rows {
		images = append(images, t.at(t.row(place{reg: bit}), 0))
	}
	for i := range t.upper {
		images = append(images, t.at(0, 1<<i))
	}
	cvt := t.offsets(images, func(p place) int { return t.at(t.row(p), 0) })
	for e, elem := range t.s.elems {
		t.loads = append(t.loads, t.s.l.lazyLoad(scratchAt(bases[e], elem), cvt))
	}
}

// total returns the total of block u, in the order of the scan, of row i of this thread.
func (t *totals) total(i, u int) []string {
	if t.s.reverse {
		u ^= 1<<len(t.upper) - 1
	}
	out := make([]string, len(t.loads))
	for e := range out {
		out[e] = t.loads[e].get(u<<len(t.rows) | i)
	}
	return out
}

// groups returns the rows of this thread, together those whose totals one access reads.
func (t *totals) groups() [][]int {
	var keys []int
	groups := map[int][]int{}
	for i := range 1 << len(t.rows) {
		k := t.loads[0].vector(i)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], i)
	}
	out := make([][]int, len(keys))
	for i, k := range keys {
		out[i] = groups[k]
	}
	return out
}

// throughShared scans the bits from the first warp bit on: the last element of each block writes its total,
// and each thread adds up the totals before its own blocks.
func (s *scan) throughShared(upper []step, bases []int) {
	l := s.l
	laneEnd := s.lanes
	if s.reverse {
		laneEnd = 0
	}
	writer := l.ownsInBlock(s.ll)
	if s.lanes != 0 {
		at := l.val("icmp eq i32 %s, %d", l.val("and i32 %s, %d", l.ids.lane, s.lanes), laneEnd)
		writer = l.both(writer, at)
	}
	t := newTotals(s, upper)
	t.store(bases, writer)
	l.barrier()
	t.open(bases)
	mine := make([]string, 1<<len(upper)) // condition that this thread's warp holds a block
	for u := range mine {
		mine[u] = s.isWarp(upper, u)
	}
	for _, group := range t.groups() {
		s.addTotals(t, group, mine)
	}
}

// addTotals adds to each block of a group of rows the sum of the totals before it. The rows advance together,
// block by block, so that few totals are alive at a time.
func (s *scan) addTotals(t *totals, group []int, mine []string) {
	last := map[int]int{} // last block by the bits of its registers
	for u := range mine {
		last[s.digit(t.upper, u, regBit)] = u
	}
	sums := map[int][]string{}
	prefixes := map[[2]int][]string{} // by row and bits of registers
	for u := range mine {
		reg := s.digit(t.upper, u, regBit)
		for _, i := range group {
			k := [2]int{i, reg}
			switch {
			case u == 0:
			case prefixes[k] == nil:
				prefixes[k] = sums[i]
			default:
				prefixes[k] = s.choose(mine[u], sums[i], prefixes[k])
			}
			if u == last[reg] {
				first := ""
				if reg == s.digit(t.upper, 0, regBit) {
					first = mine[0]
				}
				s.addPrefix(spread(i, t.rows)|reg, prefixes[k], first)
			}
			if u == len(mine)-1 {
				continue
			}
			if total := t.total(i, u); sums[i] == nil {
				sums[i] = total
			} else {
				sums[i] = s.l.combine(s.op, sums[i], total)
			}
		}
	}
}

// addPrefix adds prefix to the elements of the block that register r is in, except where the condition first
// holds. A prefix of nil is that of a block without predecessors.
func (s *scan) addPrefix(r int, prefix []string, first string) {
	if prefix == nil {
		return
	}
	for _, k := range s.sorted() {
		if k&^s.regs != r {
			continue
		}
		v := s.l.combine(s.op, prefix, s.vals[k])
		if first != "" {
			v = s.choose(first, s.vals[k], v)
		}
		s.vals[k] = v
	}
}

// isWarp returns the condition that this thread's warp holds block u.
func (s *scan) isWarp(upper []step, u int) string {
	mask := maskOf(upper, func(b step) int { return b.bit.warp })
	want := s.digit(upper, u, func(b step) int { return b.bit.warp })
	return s.l.val("icmp eq i32 %s, %d", s.l.val("and i32 %s, %d", s.l.ids.warp, mask), want)
}
