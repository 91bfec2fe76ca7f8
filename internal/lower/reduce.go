package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// inline lowers the only block of a region with args as the values of its arguments and returns the operands
// of its terminator.
func (l *lowering) inline(b *ir.Block, args []string) []string {
	for i, a := range b.Args() {
		l.setOne(a, args[i])
	}
	l.block_(b)
	term := b.Terminator()
	out := make([]string, term.NumOperands())
	for i := range out {
		out[i] = l.scalar(term.Operand(i))
	}
	return out
}

// combine applies the region of a reduction or scan to two sets of values.
func (l *lowering) combine(op *ir.Op, a, b []string) []string {
	return l.inline(op.Body(0), append(slices.Clone(a), b...))
}

// reduction reduces along an axis in three stages: the registers of a thread; the lanes of a warp, by
// shuffles; the warps, and the blocks of a cluster, through shared memory. The steps of each stage are read
// off the layout, so any layout works.
type reduction struct {
	l     *lowering
	op    *ir.Op
	axis  int
	ll    layout.Layout
	elems []ir.Type
	to    ir.Type // type of the first result, in the layout in which all are delivered
	dirs  directions
	acc   map[int][]string // partial results by canonical register
	keys  []int            // the canonical registers in order
}

func newReduction(l *lowering, op *ir.Op) *reduction {
	r := &reduction{l: l, op: op, axis: int(op.IntOr("axis", 0)), ll: l.layout(op, op.Operand(0).Type)}
	for i := range op.NumOperands() {
		r.elems = append(r.elems, ir.ElemOf(op.Operand(i).Type))
	}
	r.dirs = directionsAlong(r.ll, r.axis)
	clear := r.canonicalBits()
	for reg := range r.ll.InSize(layout.Register) {
		if reg&clear == 0 {
			r.keys = append(r.keys, reg)
		}
	}
	r.to = op.Result(0).Type
	if t := r.wanted(); t != nil && (r.needsShared() || r.sharesOutFor(t)) {
		r.to = t
	}
	return r
}

func lowerReduce(l *lowering, op *ir.Op) {
	r := newReduction(l, op)
	r.registers()
	shared, inRows := r.needsShared(), r.spreadOverLanes()
	r.lanes()
	switch {
	case shared && inRows:
		r.throughSharedInRows(r.warpSteps())
		return
	case shared:
		r.throughShared(r.warpSteps())
		return
	}
	shape := dropAxis(outShape(r.ll), r.axis)
	byCoords := map[int]int{}
	for _, k := range slices.Backward(r.keys) {
		byCoords[r.restOf(k, shape)] = k
	}
	r.finish(func(c []int) []string { return r.acc[byCoords[flat(c, shape)]] })
}

// needsShared reports whether partial results go through shared memory.
func (r *reduction) needsShared() bool { return len(r.warpSteps()) > 0 || !r.resultFits() }

// restOf returns the flat position, without the axis, of register reg in the first thread.
func (r *reduction) restOf(reg int, shape []int) int {
	return flat(dropAxis(registerCoords(r.ll, reg), r.axis), shape)
}

// warpSteps returns the steps that lead to other warps.
func (r *reduction) warpSteps() []step {
	return r.stepsWhere(func(s step) bool { return s.bit.warp != 0 })
}

// blockSteps returns the steps that lead to other blocks.
func (r *reduction) blockSteps() []step {
	return r.stepsWhere(func(s step) bool { return s.bit.block != 0 })
}

func (r *reduction) stepsWhere(leads func(step) bool) []step {
	return slices.DeleteFunc(slices.Clone(r.dirs.along), func(s step) bool { return !leads(s) })
}

// canonical returns the register that represents reg: reg without the bits of steps among registers.
func (r *reduction) canonical(reg int) int {
	for _, s := range r.dirs.registers() {
		if reg&s.bit.reg != 0 {
			reg ^= s.reg
		}
	}
	return reg
}

// canonicalBits returns the register bits that steps can clear.
func (r *reduction) canonicalBits() int {
	m := 0
	for _, list := range [][]step{r.dirs.along, r.dirs.same} {
		for _, s := range list {
			m |= s.bit.reg
		}
	}
	return m
}

// registers combines the elements that a thread holds along the axis, in the order of the axis. Accumulators
// take turns in the order of the registers' numbers, so that values are consumed as they are loaded and few
// are alive at a time.
func (r *reduction) registers() {
	var steps []step
	for _, s := range r.dirs.along {
		if s.bit.reg != 0 {
			steps = append(steps, s)
		}
	}
	type turn struct{ acc, reg, when int }
	var turns []turn
	for _, reg := range r.keys {
		last := 0
		for _, g := range r.group(reg, steps) {
			last = max(last, g)
			turns = append(turns, turn{reg, g, last})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return a.when - b.when })
	n := r.chains(1 << len(steps))
	chains, at := map[int][][]string{}, map[int]int{}
	for _, t := range turns {
		vals := make([]string, len(r.elems))
		for k := range vals {
			vals[k] = r.l.regs(r.op.Operand(k))[t.reg]
		}
		i := at[t.acc] % n
		if at[t.acc]++; i == len(chains[t.acc]) {
			chains[t.acc] = append(chains[t.acc], vals)
		} else {
			chains[t.acc][i] = r.l.combine(r.op, chains[t.acc][i], vals)
		}
	}
	r.acc = map[int][]string{}
	for _, k := range r.keys {
		r.acc[k] = r.inPairs(chains[k])
	}
}

// chains returns how many partial results a thread has for n elements of a row: several in a reduction that
// is marked, if the order of elements makes no difference.
func (r *reduction) chains(n int) int {
	body := r.op.Body(0)
	single := len(r.elems) == 1 && body.First().Next() == body.Terminator()
	if !r.op.HasAttr(ttg.ChainsAttr) || !single || !body.First().Def.Has(ir.Commutative) ||
		!rules.Holds(r.l.rules, rules.ReduceChains, n) {
		return 1
	}
	return 4
}

// inPairs combines partial results, neighbours first.
func (r *reduction) inPairs(list [][]string) []string {
	for len(list) > 1 {
		var next [][]string
		for i := 0; i+1 < len(list); i += 2 {
			next = append(next, r.l.combine(r.op, list[i], list[i+1]))
		}
		list = append(next, list[len(list)&^1:]...)
	}
	return list[0]
}

// group returns the registers that are combined with reg, in the order of the axis.
func (r *reduction) group(reg int, steps []step) []int {
	group := make([]int, 1<<len(steps))
	for i := range group {
		group[i] = reg
		for k, s := range steps {
			if i>>k&1 != 0 {
				group[i] ^= s.reg
			}
		}
	}
	slices.SortFunc(group, func(a, b int) int {
		return registerCoords(r.ll, a)[r.axis] - registerCoords(r.ll, b)[r.axis]
	})
	return group
}

// lanes combines across a warp by butterfly shuffles. A step may change the register as well: the partner
// then sends that register.
func (r *reduction) lanes() {
	if r.lanesAtOnce() {
		return
	}
	steps := slices.Clone(r.dirs.along)
	slices.Reverse(steps)
	spreads := r.spreads()
	for _, s := range steps {
		if s.bit.lane == 0 || spreads && r.shareOut(s) {
			continue
		}
		next := map[int][]string{}
		for _, k := range r.keys {
			mine, send := r.acc[k], r.acc[r.canonical(k^s.reg)]
			theirs := make([]string, len(mine))
			for e, v := range send {
				theirs[e] = r.l.shuffleXor(v, r.elems[e], s.lane)
			}
			next[k] = r.l.combine(r.op, mine, theirs)
		}
		r.acc = next
	}
}

// lanesAtOnce combines across a warp by one instruction, if all lanes take part and there is one for the
// operation.
func (r *reduction) lanesAtOnce() bool {
	if len(r.elems) != 1 || r.elems[0] != ir.I32 && r.elems[0] != ir.I1 {
		return false
	}
	all := 0
	for _, s := range r.dirs.along {
		if s.bit.lane != 0 && s.reg != 0 {
			return false
		}
		all |= s.bit.lane
	}
	body := r.op.Body(0)
	term := body.Terminator()
	if all != r.l.lastLane() || term.NumOperands() != 1 || term.Operand(0).Def() != body.First() {
		return false
	}
	op := body.First()
	x, y := body.Arg(0), body.Arg(1)
	if op.NumOperands() != 2 || !(op.Operand(0) == x && op.Operand(1) == y || op.Operand(0) == y &&
		op.Operand(1) == x) {
		return false
	}
	for _, k := range r.keys {
		v, ok := r.l.vendor.reduceWarp(r.l, op.Def, r.elems[0], r.acc[k][0])
		if !ok {
			return false
		}
		r.acc[k] = []string{v}
	}
	return true
}

// resultFits reports whether each thread already holds the partial results that the result's layout wants.
func (r *reduction) resultFits() bool {
	if len(r.blockSteps()) > 0 {
		return false
	}
	t, ok := r.to.(*ir.TensorType)
	if !ok {
		return true
	}
	to := r.l.layout(r.op, t)
	for _, u := range unitPlaces(r.ll) {
		if u.reg == 0 && !slices.Equal(dropAxis(coords(r.ll, u), r.axis), coords(to, u)) {
			return false
		}
	}
	shape := dropAxis(outShape(r.ll), r.axis)
	have := map[int]bool{}
	for _, k := range r.keys {
		have[r.restOf(k, shape)] = true
	}
	for reg := range to.InSize(layout.Register) {
		if !have[flat(registerCoords(to, reg), shape)] {
			return false
		}
	}
	return true
}

// throughShared writes each warp's partial results to shared memory; then every thread combines those of all
// warps for its elements of the result.
func (r *reduction) throughShared(warps []step) {
	l := r.l
	n := 1 << len(warps)
	at := r.places()
	place := l.warpField(warps)
	bases := l.alloc.scratch(r.op)
	writer := r.writers(warps)
	for _, k := range r.keys {
		off := at.write(k)
		if n > 1 {
			off = l.add(l.mul(off, n), place)
		}
		for e, v := range r.acc[k] {
			l.storeShared(v, r.elems[e], bases[e], off, writer)
		}
	}
	if blocks := r.sources(); blocks != nil {
		l.clusterBarrier()
		r.fromBlocks(*blocks, at, n, bases)
		l.clusterBarrier()
		return
	}
	l.barrier()
	var to layout.Layout
	if t, ok := r.to.(*ir.TensorType); ok {
		to = l.layout(r.op, t)
	}
	split := 1
	switch {
	case !sameInLanes(to):
	case n > 2 && r.isDear() && n < l.vendor.lanes() && len(ownBits(to)) > 1:
		r.byLanes(to, at, n, bases)
		return
	case n > 2 && r.isDear():
		split = min(n, l.vendor.lanes())
	case n >= 4 && rules.Holds(l.rules, rules.SplitPartials, n):
		split = 4
	}
	r.finishAt(func(reg int, c []int) []string {
		off := l.mul(at.read(reg, c), n)
		return r.gather(off, n, split, bases, "")
	})
}

// isDear reports whether a combination takes many instructions, as that of argmax or of Welford's variance
// does. Lanes then halve the number of partial results by shuffles instead of combining them one by one.
func (r *reduction) isDear() bool {
	n := 0
	for range r.op.Ops() {
		n++
	}
	return rules.Holds(r.l.rules, rules.DearCombination, n)
}

// places says where partial results lie in shared memory.
type places struct {
	write func(reg int) string               // offset of the partial result of a register of the operand
	read  func(reg int, coords []int) string // offset of the element for a register of the result
	size  int
}

// places returns row-major places of the result's elements; on a cluster, of those that the block holds.
func (r *reduction) places() places {
	l := r.l
	if l.ctas > 1 {
		return r.blockPlaces()
	}
	rest := r.ll.DropTensorDim(r.axis)
	shape := dropAxis(outShape(r.ll), r.axis)
	p := places{size: 1}
	for _, d := range shape {
		p.size *= d
	}
	p.write = func(reg int) string {
		return l.flatOffset(rest, dropAxis(registerCoords(r.ll, reg), r.axis), shape)
	}
	p.read = func(_ int, c []int) string {
		if len(c) == 0 {
			return "0"
		}
		return l.flatOffset(l.layout(r.op, r.to), c, shape)
	}
	return p
}

// gather combines n partial results from offset off in the shared memory of block rank ("" is this block).
// With split > 1 the lanes of a warp read a part each and exchange them by shuffles: reading all would need
// more registers at a point where the reduced values are still alive.
func (r *reduction) gather(off string, n, split int, bases []int, rank string) []string {
	l := r.l
	if split > 1 {
		off = l.add(off, l.mul(l.val("and i32 %s, %d", l.ids.lane, split-1), n/split))
	}
	var acc []string
	for w := range n / split {
		vals := make([]string, len(r.elems))
		at := l.add(off, fmt.Sprint(w))
		for e, t := range r.elems {
			vals[e] = l.loadFrom(t, bases[e], at, rank)
		}
		if acc == nil {
			acc = vals
		} else {
			acc = l.combine(r.op, acc, vals)
		}
	}
	for s := 1; s < split; s *= 2 {
		theirs := make([]string, len(acc))
		for e, v := range acc {
			theirs[e] = l.shuffleXor(v, r.elems[e], s)
		}
		acc = l.combine(r.op, acc, theirs)
	}
	return acc
}

// sameInLanes reports whether all lanes of a warp hold the same elements. The zero layout stands for a
// scalar, for which it is true.
func sameInLanes(ll layout.Layout) bool {
	if !slices.Contains(ll.InNames(), layout.Lane) {
		return true
	}
	for i := range ll.InBits(layout.Lane) {
		if slices.ContainsFunc(ll.Basis(layout.Lane, i), func(c int) bool { return c != 0 }) {
			return false
		}
	}
	return true
}

// writers returns the condition for writing partial results: true in one of the lanes and warps that hold the
// same ones.
func (r *reduction) writers(warps []step) string {
	var lane, warp int
	for _, list := range [][]step{r.dirs.along, r.dirs.same} {
		for _, s := range list {
			lane |= s.bit.lane
			warp |= s.bit.warp
		}
	}
	for _, s := range warps {
		warp &^= s.bit.warp
	}
	return r.l.both(r.l.zeroBits(r.l.ids.lane, lane), r.l.zeroBits(r.l.ids.warp, warp))
}

// zeroBits returns the condition that the bits of mask are zero in v, or "" if that is known.
func (l *lowering) zeroBits(v string, mask int) string {
	if mask == 0 || v == "0" {
		return ""
	}
	return l.val("icmp eq i32 %s, 0", l.val("and i32 %s, %d", v, mask))
}

// warpField returns the warp-number bits of steps as a number of their own.
func (l *lowering) warpField(steps []step) string {
	acc := "0"
	for i, s := range steps {
		bit := l.val("and i32 %s, %d", l.ids.warp, s.bit.warp)
		bit = l.val("lshr i32 %s, %d", bit, log2(s.bit.warp))
		if i > 0 {
			bit = l.val("shl i32 %s, %d", bit, i)
		}
		acc = l.or(acc, bit)
	}
	return acc
}

// flatOffset returns the row-major position of the element whose coordinates are coords, a register's part,
// plus the thread's part.
func (l *lowering) flatOffset(ll layout.Layout, coords, shape []int) string {
	acc := "0"
	for i, n := range shape {
		c := l.threadPart(ll, layout.TensorDim(i))
		switch {
		case c == "0":
			c = fmt.Sprint(coords[i])
		case coords[i] != 0:
			c = l.val("xor i32 %s, %d", c, coords[i])
		}
		if i == 0 {
			acc = c
			continue
		}
		acc = l.add(l.mul(acc, n), c)
	}
	return acc
}

// finish sets the results; get returns the values for the coordinates of a register.
func (r *reduction) finish(get func(coords []int) []string) {
	r.finishAt(func(_ int, c []int) []string { return get(c) })
}

// finishAt finishes like finish, with a get that also takes the register's number.
func (r *reduction) finishAt(get func(reg int, coords []int) []string) {
	l := r.l
	t := r.to
	if _, ok := t.(*ir.TensorType); !ok {
		vals := get(0, []int{})
		for e, res := range r.op.Results() {
			l.setOne(res, vals[e])
		}
		return
	}
	ll := l.layout(r.op, t)
	n := ll.InSize(layout.Register)
	outs := make([][]string, len(r.elems))
	done := map[int][]string{}
	shape := outShape(ll)
	for i := range n {
		c := registerCoords(ll, i)
		vals, ok := done[flat(c, shape)]
		if !ok {
			vals = get(i, c)
			done[flat(c, shape)] = vals
		}
		for e := range outs {
			outs[e] = append(outs[e], vals[e])
		}
	}
	for e, res := range r.op.Results() {
		l.set(res, outs[e])
	}
}

// reduceScratch returns buffers with a value for each element of the result and each warp along the axis.
func reduceScratch(l *lowering, op *ir.Op) []int {
	r := newReduction(l, op)
	if !r.needsShared() {
		return nil
	}
	n := r.places().size << len(r.warpSteps())
	var out []int
	for _, e := range r.elems {
		out = append(out, n*bitsOf(e)/8)
	}
	return out
}
