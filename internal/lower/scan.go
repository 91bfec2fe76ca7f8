package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// A scan goes up the bits of the coordinate along its axis. When the bits below some bit are done, each group
// of that many elements (a block, below) holds its own scan, and its last element is the block's total. Bits
// in registers are done block by block; bits in lanes by shuffles of the totals; from the first bit in warps
// on, the totals of all blocks go through shared memory. A reverse scan is the same with all bits of the
// coordinate inverted.

// scan is the state of a scan.
type scan struct {
	l       *lowering
	op      *ir.Op
	axis    int
	reverse bool
	ll      layout.Layout
	elems   []ir.Type
	vals    map[int][]string // values by register, without registers that hold copies
	bits    []step           // the step of each bit of the coordinate
	copies  []step           // steps to copies among registers

	regs, lanes int // masks of the register and lane bits that are done
}

// newScan returns a scan over layout ll; ok is false if the layout has to be changed first.
func newScan(l *lowering, op *ir.Op, ll layout.Layout) (s *scan, ok bool) {
	s = &scan{l: l, op: op, axis: int(op.IntOr("axis", 0)), ll: ll}
	if v, _ := op.Int("reverse"); v != 0 {
		s.reverse = true
	}
	for i := range op.NumOperands() {
		s.elems = append(s.elems, ir.ElemOf(op.Operand(i).Type))
	}
	d := directionsAlong(ll, s.axis)
	s.bits = make([]step, len(d.along))
	lastLane, warps := 0, false
	for _, x := range d.along {
		if x.block != 0 {
			return s, false // the axis is spread over blocks of the cluster
		}
		if x.place != x.bit || x.image&(x.image-1) != 0 {
			return s, false // a step that moves in several ways at once
		}
		s.bits[log2(x.image)] = x
	}
	for _, x := range s.bits {
		if x.lane != 0 && (x.lane < lastLane || warps) {
			return s, false // lanes out of order, or above warps
		}
		lastLane = max(lastLane, x.lane)
		warps = warps || x.warp != 0
	}
	for _, x := range d.same {
		if x.bit.reg != 0 {
			if x.place != x.bit {
				return s, false
			}
			s.copies = append(s.copies, x)
		}
	}
	return s, true
}

func lowerScan(l *lowering, op *ir.Op) {
	t := op.Operand(0).Type.(*ir.TensorType)
	from := l.layout(op, t)
	regs := make([][]string, op.NumOperands())
	for i := range regs {
		regs[i] = l.regs(op.Operand(i))
	}
	bases := l.alloc.scratch(op)
	s, ok := newScan(l, op, from)
	if !ok {
		s, _ = newScan(l, op, l.scanLayout(from, s.axis))
		for i := range regs {
			regs[i] = l.moveShared(regs[i], s.elems[i], from, s.ll, bases[0], i > 0, l.ownsInBlock(from))
		}
	}
	outs := s.run(regs, bases, !ok)
	for i, r := range op.Results() {
		if !ok {
			outs[i] = l.moveShared(outs[i], s.elems[i], s.ll, from, bases[0], true, l.ownsInBlock(s.ll))
		}
		l.set(r, outs[i])
	}
}

// scanLayout returns a layout that every scan can use: the bits of the axis come first, over lanes, then
// warps, then registers. The blocks of a cluster share the other dimensions as far as they have bits; else
// they repeat the work.
func (l *lowering) scanLayout(ll layout.Layout, axis int) layout.Layout {
	dims := ll.OutDims()
	var vectors [][]int
	add := func(d int) {
		for b := 1; b < dims[d].Size; b *= 2 {
			v := make([]int, len(dims))
			v[d] = b
			vectors = append(vectors, v)
		}
	}
	add(axis)
	along := len(vectors)
	for d := range dims {
		if d != axis {
			add(d)
		}
	}
	var blocks [][]int
	for range log2(l.ctas) {
		v := make([]int, len(dims))
		if last := len(vectors) - 1; last >= along {
			v, vectors = vectors[last], vectors[:last]
		}
		blocks = append(blocks, v)
	}
	take := func(n int) [][]int {
		out := make([][]int, n)
		for i := range out {
			if len(vectors) > 0 {
				out[i], vectors = vectors[0], vectors[1:]
			} else {
				out[i] = make([]int, len(dims))
			}
		}
		return out
	}
	lanes, warps := take(log2(l.vendor.lanes())), take(log2(l.program.warps))
	regs := take(len(vectors))
	return layout.Must(layout.New([]layout.Bases{{Name: layout.Register, Vectors: regs},
		{Name: layout.Lane, Vectors: lanes}, {Name: layout.Warp, Vectors: warps},
		{Name: layout.Block, Vectors: blocks}}, dims))
}

// scanScratch returns the sizes of the buffers for totals and for the change of layout.
func scanScratch(l *lowering, op *ir.Op) []int {
	t := op.Operand(0).Type.(*ir.TensorType)
	from := l.layout(op, t)
	s, ok := newScan(l, op, from)
	if !ok {
		s, _ = newScan(l, op, l.scanLayout(from, s.axis))
	}
	var out []int
	upper := s.upper()
	moved := 0
	if !ok {
		moved = l.movedBytes(from, s.ll, s.elems)
	}
	for i, e := range s.elems {
		n := 0
		if len(upper) > 0 {
			n = int(t.NumElements()) >> len(s.bits) << len(upper) * bitsOf(e) / 8
		}
		if l.ctas == 1 || i == 0 {
			n = max(n, moved)
		}
		if n > 0 {
			out = append(out, n)
		}
	}
	return out
}

// movedBytes returns the memory for changing the layout to that of the scan and back.
func (l *lowering) movedBytes(from, to layout.Layout, elems []ir.Type) int {
	if l.ctas == 1 {
		return 8 << from.TotalOutBits()
	}
	n := 0
	for _, e := range elems {
		b := bitsOf(e)
		n = max(n, l.newExchange(from, to, b).size()*b/8, l.newExchange(to, from, b).size()*b/8)
	}
	return n
}

// upper returns the bits of the coordinate that go through shared memory: from the first warp bit on.
func (s *scan) upper() []step {
	for i, b := range s.bits {
		if b.warp != 0 {
			return s.bits[i:]
		}
	}
	return nil
}

// run scans regs, the registers of each operand. moved says that threads may still be reading the scratch
// memory.
func (s *scan) run(regs [][]string, bases []int, moved bool) [][]string {
	n := len(regs[0])
	copies := 0
	for _, c := range s.copies {
		copies |= c.bit.reg
	}
	s.vals = map[int][]string{}
	for r := range n {
		if r&copies == 0 {
			for _, x := range regs {
				s.vals[r] = append(s.vals[r], x[r])
			}
		}
	}
	upper := s.upper()
	for i := 0; i < len(s.bits)-len(upper); {
		j := i + 1
		for j < len(s.bits)-len(upper) && (s.bits[j].lane != 0) == (s.bits[i].lane != 0) {
			j++
		}
		if s.bits[i].lane != 0 {
			s.overLanes(s.bits[i:j])
		} else {
			s.overRegisters(s.bits[i:j])
		}
		i = j
	}
	if len(upper) > 0 {
		if moved {
			s.l.barrier()
		}
		s.throughShared(upper, bases)
	}
	outs := make([][]string, len(regs))
	for r := range n {
		for e, v := range s.vals[r&^copies] {
			outs[e] = append(outs[e], v)
		}
	}
	return outs
}

// sorted returns the registers of s.vals in order, so that the output is deterministic.
func (s *scan) sorted() []int {
	out := make([]int, 0, len(s.vals))
	for r := range s.vals {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// digit returns the bits, taken from get, of position n in a segment of bits; reverse scans count down.
func (s *scan) digit(bits []step, n int, get func(step) int) int {
	v := 0
	for i, b := range bits {
		if (n>>i&1 != 0) != s.reverse {
			v |= get(b)
		}
	}
	return v
}

func regBit(s step) int  { return s.bit.reg }
func laneBit(s step) int { return s.bit.lane }

func maskOf(bits []step, get func(step) int) int {
	m := 0
	for _, b := range bits {
		m |= get(b)
	}
	return m
}

// end returns the register that holds the last element of reg's block, as far as registers go.
func (s *scan) end(reg int) int {
	if s.reverse {
		return reg &^ s.regs
	}
	return reg | s.regs
}

// total returns the total of reg's block in every lane of the block.
func (s *scan) total(reg int) []string {
	vals := s.vals[s.end(reg)]
	if s.lanes == 0 {
		return vals
	}
	lane := ""
	if s.reverse {
		lane = s.l.val("and i32 %s, %d", s.l.ids.lane, ^s.lanes&s.l.lastLane())
	} else {
		lane = s.l.val("or i32 %s, %d", s.l.ids.lane, s.lanes)
	}
	return s.shuffle(vals, lane)
}

func (s *scan) shuffle(vals []string, lane string) []string {
	out := make([]string, len(vals))
	for i, v := range vals {
		out[i] = s.l.shuffleIdx(v, s.elems[i], lane)
	}
	return out
}

// choose returns a where cond is true, else b.
func (s *scan) choose(cond string, a, b []string) []string {
	out := make([]string, len(a))
	for i := range a {
		typ := llvmType(s.elems[i])
		out[i] = s.l.val("select i1 %s, %s %s, %s %s", cond, typ, a[i], typ, b[i])
	}
	return out
}

// overRegisters scans a segment of register bits, block after block.
func (s *scan) overRegisters(bits []step) {
	mask := maskOf(bits, regBit)
	for j := 1; j < 1<<len(bits); j++ {
		before, now := s.digit(bits, j-1, regBit), s.digit(bits, j, regBit)
		prefixes := map[int][]string{}
		for _, r := range s.sorted() {
			if r&mask != now {
				continue
			}
			key := s.end(r)&^mask | before
			if prefixes[key] == nil {
				prefixes[key] = s.total(key)
			}
			s.vals[r] = s.l.combine(s.op, prefixes[key], s.vals[r])
		}
	}
	s.regs |= mask
}

// overLanes scans a segment of lane bits: it scans the totals over lanes, then each lane adds its
// predecessor's.
func (s *scan) overLanes(bits []step) {
	mask := maskOf(bits, laneBit)
	runs := map[int][]int{} // registers by the last register of their block
	for _, r := range s.sorted() {
		runs[s.end(r)] = append(runs[s.end(r)], r)
	}
	w := s.joined(mask)
	for _, end := range s.sorted() {
		run := runs[end]
		if run == nil {
			continue
		}
		t := w.over(s.total(end), bits)
		if len(run) == 1 && s.lanes == 0 {
			s.vals[end] = t
			continue
		}
		prefix, has := w.before(t)
		for _, r := range run {
			if r == end && s.lanes == 0 {
				s.vals[r] = t
				continue
			}
			s.vals[r] = s.choose(has, s.l.combine(s.op, prefix, s.vals[r]), s.vals[r])
		}
	}
	s.lanes |= mask
}

func scanCrosses(l *lowering, op *ir.Op) bool {
	from := l.layout(op, op.Operand(0).Type)
	s, ok := newScan(l, op, from)
	if ok {
		return false
	}
	return l.newExchange(l.scanLayout(from, s.axis), from, bitsOf(s.elems[0])).crosses
}
