package ptxsim

import "fmt"

// Races on global memory within a program. For each byte that a program touches it is known who wrote it last
// and who read it since. Two accesses of which one writes must be ordered:
//
//	same thread                      by its own order
//	same warp                        by bar.warp.sync
//	same block                       by bar.sync, or an mbarrier
//	blocks of one cluster            by the cluster's barrier
//
// Programs are not compared with one another: the interpreter does that. Not reported are atomics among
// themselves, writes of the same value, and, unless Launch.Strict is set, writes of several threads by one
// store: those are left to chance in Triton too.
type globalRaces struct {
	gen    int32 // the cluster that runs
	seq    int64 // writes so far
	pages  map[uint64]*[pageSize]globalCell
	free   []*[pageSize]globalCell
	doubts []globalDoubt
	strict bool
	waited bool // a thread has waited for the launch before
}

const pageSize = 512

// stamp is a write: by whom, and when.
type stamp struct {
	gen    int32 // the cluster that ran
	thread int32 // the thread's number in the cluster
	time   int32
	at     int32 // the instruction
}

type globalCell struct {
	write   stamp
	readers *readers // since the last write, in the same cluster
	seq     int64    // number of the write
	run     int32    // how often the writer had run the instruction
	readGen int32    // the cluster of the readers
	atomic  bool     // the write was
	fences  int32    // fences of the writer before the write, for global memory; byCopy for a bulk copy

	bulks       int32 // bulk copies under way that write it
	mixed, once bool  // they are of different threads; one has landed
}

// globalDoubt is a byte that another thread has written as well: that is allowed if both wrote the same.
type globalDoubt struct {
	data     []byte
	old      byte
	addr     uint64
	other    stamp
	t        int32
	together bool // by one store
}

func newGlobalRaces(strict bool) *globalRaces {
	return &globalRaces{pages: map[uint64]*[pageSize]globalCell{}, strict: strict}
}

// begin forgets the accesses of an earlier program.
func (g *globalRaces) begin() {
	g.gen++
	for k, p := range g.pages {
		g.free = append(g.free, p)
		delete(g.pages, k)
	}
}

func (g *globalRaces) page(n uint64) *[pageSize]globalCell {
	p := g.pages[n]
	if p == nil {
		if k := len(g.free); k > 0 {
			p, g.free = g.free[k-1], g.free[:k-1]
		} else {
			p = new([pageSize]globalCell)
		}
		g.pages[n] = p
	}
	return p
}

// now returns the stamp of an access by a thread.
func (c *block) now(t int32) stamp {
	who := c.global(t)
	return stamp{c.globals.gen, who, c.cluster.clocks.now[who], int32(c.at)}
}

// ordered reports whether an earlier write comes before those of a thread now.
func (c *block) ordered(old, now stamp) bool {
	return old.gen != now.gen || c.cluster.clocks.before(old.thread, old.time, now.thread)
}

// readersOf returns who read a byte since its last write.
func (g *globalRaces) readersOf(x *globalCell) *readers {
	if x.readGen != g.gen {
		return nil
	}
	return x.readers
}

// touch notes an access to data, which lies at addr. Atomics are writes.
func (g *globalRaces) touch(c *block, t int32, addr uint64, data []byte, write, atomic bool) {
	c.depend(t, addr, len(data), write || atomic)
	now := c.now(t)
	var from, to *readers
	for i := range data {
		a := addr + uint64(i)
		x := &g.page(a / pageSize)[a%pageSize]
		if x.bulks > 0 && x.write.gen == g.gen {
			c.fail(t, "global byte %#x is being written by a bulk copy (%s), without a wait for its "+
				"group", a, c.m.where(x.write.at))
		}
		switch {
		case !write:
			if old := g.readersOf(x); to == nil || old != from {
				from, to = old, old.add(c.cluster.clocks, now.thread, now.at, false)
			}
			g.noteRead(c, t, a, x, now)
			x.readers, x.readGen = to, g.gen
		case atomic:
			g.noteAtomic(c, t, a, x, now)
		default:
			g.noteWrite(c, t, a, x, now, data[i:i+1])
		}
	}
}

// noteRead reports a race if the last write of the cell by another thread is not ordered before this read.
func (g *globalRaces) noteRead(c *block, t int32, addr uint64, x *globalCell, now stamp) {
	if !c.ordered(x.write, now) && !(x.atomic && c.sameStore(x.write.at, now.at)) {
		c.failGlobal(t, addr, "was written", x.write.thread, x.write.at)
	}
}

func (g *globalRaces) checkReaders(c *block, t int32, addr uint64, x *globalCell, now stamp) {
	if r := g.readersOf(x).unordered(c.cluster.clocks, now.thread); r != nil {
		c.failGlobal(t, addr, "was read", r.thread, r.at)
	}
}

func (g *globalRaces) noteWrite(c *block, t int32, addr uint64, x *globalCell, now stamp, data []byte) {
	run := c.runs(t)
	if !c.ordered(x.write, now) {
		together := !x.atomic && c.sameStore(x.write.at, now.at) && (x.write.at != now.at || x.run == run)
		g.doubts = append(g.doubts, globalDoubt{data, data[0], addr, x.write, t, together})
	}
	g.checkReaders(c, t, addr, x, now)
	g.seq++
	x.write, x.run, x.seq, x.atomic, x.bulks, x.readers = now, run, g.seq, false, 0, nil
	x.fences = int32(len(c.globalFences[t].times))
}

func (g *globalRaces) noteAtomic(c *block, t int32, addr uint64, x *globalCell, now stamp) {
	if !x.atomic && !c.ordered(x.write, now) {
		c.failGlobal(t, addr, "was written", x.write.thread, x.write.at)
	}
	// atomics that no instruction does are loops which read, and try
	if r := g.readersOf(x); r != nil && !c.sameStore(r.at, now.at) {
		g.checkReaders(c, t, addr, x, now)
	}
	g.seq++
	x.write, x.seq, x.atomic, x.bulks, x.readers = now, g.seq, true, 0, nil
	x.fences = int32(len(c.globalFences[t].times))
}

// settle resolves the doubts of an instruction whose writes are done: a racing write of the same value is
// no error.
func (g *globalRaces) settle(c *block) {
	for _, d := range g.doubts {
		if d.data[0] != d.old && (!d.together || g.strict) {
			c.failGlobal(d.t, d.addr, "was written with another value", d.other.thread, d.other.at)
		}
	}
	g.doubts = g.doubts[:0]
}

// copied notes the end of an asynchronous copy that began when seq writes were done: nobody may have written
// in between.
func (g *globalRaces) copied(c *block, t int32, addr uint64, data []byte, seq int64) {
	for i := range data {
		a := addr + uint64(i)
		if x := &g.page(a / pageSize)[a%pageSize]; x.write.gen == g.gen && x.seq > seq {
			c.failGlobal(t, a, "was written while it was copied", x.write.thread, x.write.at)
		}
	}
	g.touch(c, t, addr, data, false, false)
}

func (c *block) failGlobal(t int32, addr uint64, what string, thread, at int32) {
	n := int32(c.n)
	where := ""
	if int(thread) >= len(c.cluster.clocks.now) {
		c.fail(t, "global byte %#x %s by a bulk copy (%s), and the thread is not behind a wait for "+
			"its mbarrier", addr, what, c.m.where(at))
	}
	if len(c.cluster.blocks) > 1 {
		where = fmt.Sprintf(" of block %d", thread/n)
	}
	msg := fmt.Sprintf("global byte %#x %s by thread %d%s (%s), and no barrier lies between",
		addr, what, thread%n, where, c.m.where(at))
	panic(&fault{block: c, thread: t, msg: msg, race: true, other: thread % n,
		access: c.accessOf(addr, 1, true)})
}

// sameStore reports whether two instructions may be of one operation: they come from one place of the source.
func (c *block) sameStore(a, b int32) bool {
	return a == b || c.m.code[a].loc == c.m.code[b].loc && c.m.code[a].loc != ""
}

// runs returns how often a thread has run the instruction.
func (c *block) runs(t int32) int32 {
	if counts := c.counts[c.at]; counts != nil {
		return counts[t]
	}
	return 0
}

// count notes that threads come to an instruction that writes global memory, whether it is for them or not.
func (c *block) count(grp []int32) {
	counts := c.counts[c.at]
	if counts == nil {
		counts = make([]int32, c.n)
		c.counts[c.at] = counts
	}
	for _, t := range grp {
		counts[t]++
	}
}

// meet orders what threads of the block did before it against what they do after it.
func (c *block) meet(threads []int32) {
	if c.races == nil {
		return
	}
	var all [1024]int32
	list := all[:0]
	for _, t := range threads {
		list = append(list, c.global(t))
	}
	c.cluster.clocks.meet(list)
}

// fetch notes that a bulk copy begins to read.
func (g *globalRaces) fetch(c *block, t int32, p globalPart) {
	c.depend(t, p.addr, len(p.data), false)
	now := c.now(t)
	for i := range p.data {
		a := p.addr + uint64(i)
		x := &g.page(a / pageSize)[a%pageSize]
		if x.bulks > 0 && x.write.gen == g.gen {
			c.fail(t, "global byte %#x is being written by a bulk copy (%s), without a wait for its "+
				"group", a, c.m.where(x.write.at))
		}
		g.noteRead(c, t, a, x, now)
		g.shown(c, t, a, x)
	}
}

// shown checks that what a thread wrote was shown to bulk copies by fence.proxy.async: by the writer, or by
// the thread that issues the copy behind it.
func (g *globalRaces) shown(c *block, t int32, addr uint64, x *globalCell) {
	if x.write.gen != g.gen || x.fences < 0 {
		return
	}
	w := x.write.thread
	of := &c.cluster.blocks[int(w)/c.n].globalFences[int(w)%c.n]
	if !of.since(c.cluster.clocks, w, x.write.time, x.fences, &c.globalFences[t], c.global(t)) {
		c.fail(t, "global byte %#x was written by %s (%s), and no fence.proxy.async shows it to bulk "+
			"copies", addr, c.who(w), c.m.where(x.write.at))
	}
}

// fetched notes that a bulk copy has read: nobody may have written since its issue. Who is behind a wait for
// the mbarrier is behind the read.
func (g *globalRaces) fetched(l *bulkLoad, b *mbarrier, p globalPart) {
	var from, to *readers
	for i := range p.data {
		a := p.addr + uint64(i)
		x := &g.page(a / pageSize)[a%pageSize]
		if x.write.gen == g.gen && x.seq > l.seq {
			l.by.failGlobal(l.t, a, "was written while it was copied", x.write.thread, x.write.at)
		}
		if old := g.readersOf(x); to == nil || old != from {
			from, to = old, &readers{thread: b.number, time: l.phase, at: int32(l.at), before: old}
			if old != nil && old.thread == b.number { // an earlier phase
				to.before = old.before
			}
		}
		x.readers, x.readGen = to, g.gen
	}
}

// bulk notes that a bulk copy begins to write, or that a reduction, which is an atomic, does.
func (g *globalRaces) bulk(c *block, t int32, addr uint64, data []byte, reduce bool) {
	c.depend(t, addr, len(data), true)
	now := c.now(t)
	for i := range data {
		a := addr + uint64(i)
		x := &g.page(a / pageSize)[a%pageSize]
		g.shown(c, t, a, x)
		if reduce {
			g.noteAtomic(c, t, a, x, now)
			x.fences = byCopy
			continue
		}
		if x.write.gen != g.gen || x.bulks == 0 {
			x.bulks, x.mixed, x.once = 0, false, false
		}
		if !c.ordered(x.write, now) {
			if x.bulks == 0 {
				c.failGlobal(t, a, "was written", x.write.thread, x.write.at)
			}
			x.mixed = true // the values are compared when they land
		}
		g.checkReaders(c, t, a, x, now)
		g.seq++
		x.write, x.run, x.seq, x.atomic, x.readers, x.fences = now, 0, g.seq, false, nil, byCopy
		x.bulks++
	}
}

// landed notes that a bulk copy writes now. Copies by different threads must write the same.
func (g *globalRaces) landed(c *block, t int32, addr uint64, data []byte) {
	for i := range data {
		a := addr + uint64(i)
		x := &g.page(a / pageSize)[a%pageSize]
		if x.bulks--; x.mixed && x.once {
			g.doubts = append(g.doubts, globalDoubt{data[i : i+1], data[i], a, x.write, t, false})
		}
		x.once = x.mixed
		x.mixed = x.mixed && x.bulks > 0
		g.seq++
		x.seq = g.seq
	}
}
