package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// conversion describes how a tensor gets from one layout to another.
type conversion struct {
	from, to layout.Layout
	cvt      layout.Layout // maps a place of the result to the place of the operand with its element
	how      conversionKind
	move     warpMove     // if how is inWarp
	both     []conversion // if how is inWarpTwice
	own      bool         // every warp already holds its few elements, and no other warp holds them
	together int          // registers of the result that an instruction takes together
	pairs    bool         // elements are pairs of the tensor's bytes
	alike    bool         // threads that hold copies of an element hold the same bits
}

type conversionKind int

const (
	byRegisters conversionKind = iota // every thread already holds its elements
	byShuffles                        // every warp already holds its elements, lanes send the same register
	inWarp                            // every warp already holds its elements, lanes send different registers
	inWarpTwice                       // two such exchanges, one after the other
	byShared
)

// newConversion chooses the cheapest way from one layout to another.
func newConversion(s *rules.Set, from, to layout.Layout, elem ir.Type) conversion {
	c := conversion{from: from, to: to, how: byShared, together: 1}
	cvt, ok := to.TryInvertAndCompose(from)
	if !ok {
		return c
	}
	if cvt.HasIn(layout.Block) && cvt.InBits(layout.Block) > 0 {
		cvt = nearby(cvt, from)
	}
	c.cvt = cvt
	moves := func(out string, ins ...string) bool { // reports whether out depends on any of ins
		for _, in := range ins {
			if cvt.HasIn(in) && cvt.HasOut(out) && !cvt.SublayoutIsZero([]string{in}, []string{out}) {
				return true
			}
		}
		return false
	}
	keeps := func(dim string) bool {
		return !cvt.HasIn(dim) || !cvt.HasOut(dim) || cvt.SublayoutIsIdentity(dim)
	}
	if !keeps(layout.Block) || !keeps(layout.Warp) || moves(layout.Warp, layout.Register, layout.Lane) ||
		moves(layout.Register, layout.Warp) ||
		moves(layout.Lane, layout.Warp) || moves(layout.Block, layout.Register, layout.Lane, layout.Warp) ||
		moves(layout.Register, layout.Block) ||
		moves(layout.Lane, layout.Block) || moves(layout.Warp, layout.Block) {
		return c
	}
	if keeps(layout.Lane) && !moves(layout.Lane, layout.Register) && !moves(layout.Register, layout.Lane) {
		c.how = byRegisters
		return c
	}
	words := max(from.InSize(layout.Register), to.InSize(layout.Register)) * bitsOf(elem) / 32
	c.own = from.FreeVariablesIn(layout.Warp) == 0 && rules.Holds(s, rules.WarpWords, words)
	if !moves(layout.Register, layout.Lane) && rules.Holds(s, rules.MaxShuffles, c.shuffles(elem)) {
		c.how = byShuffles
		return c
	}
	registers := to.InSize(layout.Register)
	m, ok := newWarpMove(cvt, elem)
	if ok && rules.Holds(s, rules.MaxShuffles, m.steps(registers)*max(1, bitsOf(elem)/32)) {
		c.how, c.move = inWarp, m
	} else if rules.Holds(s, rules.MaxChoices, c.shuffles(elem)<<len(c.choices())) {
		c.how = byShuffles
	}
	return c
}

// twoExchanges returns a conversion within warps as two, if lanes exchange registers in both, c itself if
// there is no such way. Between them, a bit of the lanes and one of the registers have changed places.
func twoExchanges(s *rules.Set, c conversion, elem ir.Type) conversion {
	lanes, registers := c.to.Bases(layout.Lane), c.to.Bases(layout.Register)
	for i := range lanes {
		for k := range registers {
			l, r := slices.Clone(lanes), slices.Clone(registers)
			l[i], r[k] = r[k], l[i]
			mid := c.to.WithBases(layout.Lane, l).WithBases(layout.Register, r)
			x, y := newConversion(s, c.from, mid, elem), newConversion(s, mid, c.to, elem)
			if x.how == inWarp && y.how == inWarp {
				c.how, c.both = inWarpTwice, []conversion{x, y}
				return c
			}
		}
	}
	return c
}

// choices returns the lane bits that decide which register of the operand a lane needs.
func (c conversion) choices() (out []laneSwap) {
	for k, p := range basesOf(c.cvt, layout.Lane) {
		if p.reg != 0 {
			out = append(out, laneSwap{1 << k, p.reg})
		}
	}
	return out
}

// shuffles returns the number of shuffles that the conversion takes.
func (c conversion) shuffles(elem ir.Type) int {
	n := c.to.InSize(layout.Register)
	return n >> popcount(c.to.FreeVariablesIn(layout.Register)) * max(1, bitsOf(elem)/32)
}

func popcount(v int) int {
	n := 0
	for ; v != 0; v &= v - 1 {
		n++
	}
	return n
}

func lowerConvertLayout(l *lowering, op *ir.Op) {
	var room interval
	if b := l.alloc.buffers[op]; len(b) > 0 {
		room = b[0]
	}
	convert, c := l.convert, l.conversion(op)
	if c.pairs {
		convert = l.movePairs
	}
	l.set(op.Result(0), convert(l.regs(op.Operand(0)), ir.ElemOf(op.Result(0).Type), c, room))
}

// conversion returns what the layout conversion op does.
func (l *lowering) conversion(op *ir.Op) conversion {
	t := op.Result(0).Type.(*ir.TensorType)
	from, to := l.arrivesIn(op, op.Operand(0)), l.layout(op, t)
	c, ok := conversion{}, false
	if bitsOf(t.Elem) == 8 {
		c, ok = l.pairConversion(from, to)
	}
	if !ok {
		c = newConversion(l.rules, from, to, t.Elem)
		if c.how == byShared && op.HasAttr(ttg.ByLanesAttr) {
			c = twoExchanges(l.rules, c, t.Elem)
		}
	}
	switch ttg.Decode(t.Encoding).(type) {
	case ttg.DotOp, ttg.NvidiaMma: // four words
		c.together = max(1, 128/bitsOf(c.elem(t)))
	}
	c.alike = copiesAlike(op.Operand(0))
	return c
}

// convert returns the registers src in layout c.to. room is the shared memory that the operation has.
func (l *lowering) convert(src []string, elem ir.Type, c conversion, room interval) []string {
	switch c.how {
	case byRegisters:
		out := make([]string, c.to.InSize(layout.Register))
		for r := range out {
			out[r] = src[c.source(place{reg: r}).reg]
		}
		return out
	case byShuffles:
		return l.convertByShuffles(src, elem, c)
	case inWarp:
		return l.convertInWarp(src, elem, c.to.InSize(layout.Register), c.move)
	case inWarpTwice:
		return l.convert(l.convert(src, elem, c.both[0], room), elem, c.both[1], room)
	}
	if l.ctas == 1 && (room.hi-room.lo < c.bytes(elem) || l.staysInWarps(c)) {
		return l.moveInRounds(src, elem, c, room)
	}
	return l.moveShared(src, elem, c.from, c.to, room.lo, false, l.storer(c.from, elem, c.alike))
}

// storer returns the condition under which a thread stores elements in layout ll to shared memory, of which
// alike says that copies are the same bits. Lanes that hold the same store it at once: that takes no longer
// than a store by one of them. So do warps if it is little. A condition would become a branch, across which
// the assembler moves nothing: chunk_abc_bwd_kernel_K took 214 registers with one and takes 168 without.
func (l *lowering) storer(ll layout.Layout, elem ir.Type, alike bool) string {
	switch words := ll.InSize(layout.Register) * bitsOf(elem) / 32; {
	case alike && rules.Holds(l.rules, rules.RepeatedWords, words):
		return ""
	case alike:
		return l.ownsAmong(ll, []string{layout.Warp})
	}
	return l.ownsInBlock(ll)
}

// maxFollowed is the number of operations that copiesAlike looks at.
const maxFollowed = 64

// copiesAlike reports whether threads that hold copies of an element of v hold the same bits. They may not in
// results of reductions: with a*b + c*d as a product and a multiply-add, two lanes that exchange their parts
// round differently.
func copiesAlike(v *ir.Value) bool {
	todo, seen := []*ir.Value{v}, map[*ir.Op]bool{}
	for len(todo) > 0 {
		op := todo[0].Def()
		_, tensor := todo[0].Type.(*ir.TensorType)
		todo = todo[1:]
		if !tensor || seen[op] {
			continue
		}
		if op == nil || len(seen) == maxFollowed || !keepsAlike(op) {
			return false
		}
		seen[op] = true
		if op.Def != tt.Load {
			todo = append(todo, op.Operands()...)
		}
	}
	return true
}

// keepsAlike reports whether copies in an operation's results are alike if those in its operands are. What a
// volatile load reads may change between the loads of two threads.
func keepsAlike(op *ir.Op) bool {
	switch op.Def {
	case tt.Load:
		return !tt.IsVolatile(op)
	case ttg.LocalLoad:
		return true
	case tt.Reduce:
		return op.Operand(0).Type.(*ir.TensorType).Shape[op.IntOr("axis", 0)] == 1
	}
	return op.IsPure() && len(op.Regions()) == 0
}

// elem returns the type of what moves for elements of a tensor.
func (c conversion) elem(t *ir.TensorType) ir.Type {
	if c.pairs {
		return ir.I16
	}
	return t.Elem
}

// bytes returns the size of the tensor.
func (c conversion) bytes(elem ir.Type) int { return bitsOf(elem) / 8 << c.from.TotalOutBits() }

// source returns the place of the operand that holds the element of place p of the result.
func (c conversion) source(p place) place {
	in := make([]int, len(c.cvt.InDims()))
	for i, d := range c.cvt.InNames() {
		switch d {
		case layout.Register:
			in[i] = p.reg
		case layout.Lane:
			in[i] = p.lane
		case layout.Warp:
			in[i] = p.warp
		}
	}
	var out place
	for i, v := range c.cvt.Apply(in...) {
		switch c.cvt.OutNames()[i] {
		case layout.Register:
			out.reg = v
		case layout.Lane:
			out.lane = v
		case layout.Warp:
			out.warp = v
		}
	}
	return out
}

// convertByShuffles fetches each register from another lane. All lanes send the same register or, where lane
// bits decide which one a lane needs, one after the other.
func (l *lowering) convertByShuffles(src []string, elem ir.Type, c conversion) []string {
	lane := "0"
	if c.cvt.HasOut(layout.Lane) {
		lane = l.threadPart(c.cvt, layout.Lane)
	}
	fetch := func(p place) string { return l.shuffleIdx(src[p.reg], elem, l.xor(lane, itoa(p.lane))) }
	for _, s := range c.choices() {
		fetch = l.eitherOf(fetch, s, llvmType(elem))
	}
	out := make([]string, c.to.InSize(layout.Register))
	done := map[place]string{}
	for r := range out {
		p := c.source(place{reg: r})
		if done[p] == "" {
			done[p] = fetch(p)
		}
		out[r] = done[p]
	}
	return out
}

// eitherOf fetches from a place or, in lanes with the bit of s set, from the other register that s says.
func (l *lowering) eitherOf(fetch func(place) string, s laneSwap, typ string) func(place) string {
	second := l.atEntry(func() string {
		return l.val("icmp ne i32 %s, 0", l.val("and i32 %s, %d", l.in(layout.Lane), s.bit))
	})
	return func(p place) string {
		q := place{reg: p.reg ^ s.by, lane: p.lane}
		return l.val("select i1 %s, %s %s, %s %s", second, typ, fetch(q), typ, fetch(p))
	}
}

// moveShared converts registers between two layouts through shared memory. again says that threads may still
// be reading the buffer, owner which threads store.
func (l *lowering) moveShared(src []string, elem ir.Type, from, to layout.Layout, base int, again bool,
	owner string) []string {
	if l.ctas > 1 {
		return l.moveCluster(src, elem, from, to, base, again)
	}
	if again {
		l.barrier()
	}
	mem := swizzled(from, to, bitsOf(elem), nil, nil, l.port())
	b := scratchAt(base, elem)
	l.storeRows(b, from.InvertAndCompose(mem), src, from.FreeVariablesIn(layout.Register), owner)
	l.barrier()
	return l.loadRows(b, to.InvertAndCompose(mem))
}

// staysInWarps reports whether each warp exchanges its elements in a part of the memory that no other warp
// touches: then only its own threads have to meet.
func (l *lowering) staysInWarps(c conversion) bool {
	return c.own && l.ctas == 1 && l.warps > 1 && c.from.InSize(layout.Warp) == l.warps
}

// moveInRounds moves like moveShared, with memory for a part of the tensor. In each round all threads write
// the same registers, meet, and read the registers that the round fills.
func (l *lowering) moveInRounds(src []string, elem ir.Type, c conversion, room interval) []string {
	n := log2(c.bytes(elem) / (room.hi - room.lo))
	rounds, _ := roundBits(c.from, c.to, bitsOf(elem), c.together, l.port())
	rounds = rounds[len(rounds)-n:]
	meet := l.barrier
	var warps []int
	if l.staysInWarps(c) {
		warps = c.from.FlatBases(layout.Warp)
		meet = func() { l.vendor.meet(l, theWarp) }
	}
	mem := swizzled(c.from, c.to, bitsOf(elem), warps, rounds, l.port())
	b := scratchAt(room.lo, elem)
	store, load := splitRounds(c.from, mem, rounds), splitRounds(c.to, mem, rounds)
	owner := l.storer(c.from, elem, c.alike)
	out := make([]string, c.to.InSize(layout.Register))
	for round := range 1 << n {
		if round > 0 {
			meet()
		}
		var part []string
		for _, r := range store.regs(round) {
			part = append(part, src[r])
		}
		l.storeRows(b, store.cvt, part, store.cvt.FreeVariablesIn(layout.Register), owner)
		meet()
		got := l.loadRows(b, load.cvt)
		for i, r := range load.regs(round) {
			out[r] = got[i]
		}
	}
	return out
}

// roundSplit describes the registers of one side of a conversion in rounds.
type roundSplit struct {
	cvt    layout.Layout // maps the places of the first round to offsets
	within []int         // register bits that count within a round
	across []int         // register bits that count rounds
}

func splitRounds(ll, mem layout.Layout, rounds []int) roundSplit {
	var s roundSplit
	cvt := ll.InvertAndCompose(mem)
	first := mem.InBits(layout.Offset) - len(rounds)
	s.across = make([]int, len(rounds))
	var bases [][]int
	for k, v := range cvt.Bases(layout.Register) {
		if r := v[0] >> first; r != 0 {
			s.across[log2(r)] = k
			continue
		}
		s.within, bases = append(s.within, k), append(bases, v)
	}
	s.cvt = cvt.WithBases(layout.Register, bases)
	return s
}

// regs returns the registers of a round.
func (s roundSplit) regs(round int) []int {
	out := make([]int, 1<<len(s.within))
	for i := range out {
		for b, k := range s.within {
			out[i] |= i >> b & 1 << k
		}
		for b, k := range s.across {
			out[i] |= round >> b & 1 << k
		}
	}
	return out
}

// fewBytes returns the least memory that the conversion can work with or, while that is little, as much as
// keeps registers together.
func (c conversion) fewBytes(s *rules.Set, elem ir.Type, port sharedPort, warps int) int {
	rounds, near := roundBits(c.from, c.to, bitsOf(elem), c.together, port)
	bytes := c.bytes(elem) >> len(rounds)
	for ; near > 0 && rules.Holds(s, rules.RoundBytes, (2*bytes+warps-1)/warps); near-- {
		bytes *= 2
	}
	return bytes
}

func conversionScratch(l *lowering, op *ir.Op) []int {
	t, c := op.Operand(0).Type.(*ir.TensorType), l.conversion(op)
	if c.how != byShared {
		return nil
	}
	if l.ctas > 1 {
		return []int{l.newExchange(c.from, c.to, bitsOf(t)).size() * bitsOf(t) / 8}
	}
	return []int{c.fewBytes(l.rules, c.elem(t), l.port(), l.warps)}
}

// storeRows stores like storeAll, as matrices where the machine can: each lane holds another part of one.
func (l *lowering) storeRows(b smem, cvt layout.Layout, regs []string, free int, owner string) {
	whole := free == 0 && owner == "" && cvt.FreeVariablesIn(layout.Lane) == 0
	if whole && l.port().rows != nil && l.vendor.storeMatrices(l, b, cvt, regs) {
		return
	}
	l.storeAll(b, cvt, regs, free, owner)
}

// loadRows loads like loadAll, as matrices where the machine can.
func (l *lowering) loadRows(b smem, cvt layout.Layout) []string {
	if l.port().rows != nil {
		if regs, ok := l.vendor.loadMatrices(l, b, cvt); ok {
			return regs
		}
	}
	return l.loadAll(b, cvt)
}
