package ptxsim

import "fmt"

// Races on global memory within a program. For each byte that a program touches it is known who wrote it last
// and who read it since. Two accesses of which one writes must be ordered:
//
//	same thread                      by its own order
//	same warp                        by bar.warp.sync
//	same block                       by bar.sync
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
}

const pageSize = 512

// stamp is an access: by whom, and after how many barriers of each kind.
type stamp struct {
	gen, thread          int32 // the thread's number in the cluster
	block, warp, cluster int32 // barriers behind it
	at                   int32 // the instruction
}

type globalCell struct {
	write, read stamp
	seq         int64 // of the write
	run         int32 // how often the writer had run the instruction
	atomic      bool  // the write was
	readers     readers
}

// readers is the spread of the threads that read since the last write.
type readers uint8

const (
	oneReader readers = iota
	oneWarp
	oneBlock
	manyBlocks
)

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
	return stamp{c.globals.gen, int32(c.rank*c.n) + t, c.epoch, c.warpEpochs[t/32], c.cluster.epoch, int32(c.at)}
}

// ordered reports whether an earlier access comes before those of a thread now, by far as readers go.
func (c *block) ordered(old, now stamp, by readers) bool {
	switch n := int32(c.n); {
	case old.gen != now.gen, by == oneReader && old.thread == now.thread:
		return true
	case old.cluster < now.cluster:
		return true
	case by == manyBlocks || old.thread/n != now.thread/n:
		return false
	case old.block < now.block:
		return true
	case by == oneBlock || old.thread%n/32 != now.thread%n/32:
		return false
	default:
		return old.warp < now.warp
	}
}

// touch notes an access to data, which lies at addr. Atomics are writes.
func (g *globalRaces) touch(c *block, t int32, addr uint64, data []byte, write, atomic bool) {
	now := c.now(t)
	for i := range data {
		a := addr + uint64(i)
		x := &g.page(a / pageSize)[a%pageSize]
		switch {
		case !write:
			g.noteRead(c, t, a, x, now)
		case atomic:
			g.noteAtomic(c, t, a, x, now)
		default:
			g.noteWrite(c, t, a, x, now, data[i:i+1])
		}
	}
}

func (g *globalRaces) noteRead(c *block, t int32, addr uint64, x *globalCell, now stamp) {
	if !c.ordered(x.write, now, oneReader) && !(x.atomic && c.sameStore(x.write.at, now.at)) {
		c.failGlobal(t, addr, "was written", x.write)
	}
	spread := oneReader
	if !c.ordered(x.read, now, x.readers) {
		n := int32(c.n)
		switch {
		case x.read.thread/n != now.thread/n:
			spread = manyBlocks
		case x.read.thread%n/32 != now.thread%n/32:
			spread = oneBlock
		default:
			spread = oneWarp
		}
		spread = max(spread, x.readers)
	}
	x.read, x.readers = now, spread
}

func (g *globalRaces) checkReaders(c *block, t int32, addr uint64, x *globalCell, now stamp) {
	if !c.ordered(x.read, now, x.readers) {
		c.failGlobal(t, addr, "was read", x.read)
	}
}

func (g *globalRaces) noteWrite(c *block, t int32, addr uint64, x *globalCell, now stamp, data []byte) {
	run := c.runs(t)
	if !c.ordered(x.write, now, oneReader) {
		together := !x.atomic && c.sameStore(x.write.at, now.at) && (x.write.at != now.at || x.run == run)
		g.doubts = append(g.doubts, globalDoubt{data, data[0], addr, x.write, t, together})
	}
	g.checkReaders(c, t, addr, x, now)
	g.seq++
	x.write, x.run, x.seq, x.atomic = now, run, g.seq, false
}

func (g *globalRaces) noteAtomic(c *block, t int32, addr uint64, x *globalCell, now stamp) {
	if !x.atomic && !c.ordered(x.write, now, oneReader) {
		c.failGlobal(t, addr, "was written", x.write)
	}
	if !c.sameStore(x.read.at, now.at) { // atomics that no instruction does are loops which read, and try
		g.checkReaders(c, t, addr, x, now)
	}
	g.seq++
	x.write, x.seq, x.atomic = now, g.seq, true
}

// settle resolves the doubts of an instruction whose writes are done: a racing write of the same value is
// no error.
func (g *globalRaces) settle(c *block) {
	for _, d := range g.doubts {
		if d.data[0] != d.old && (!d.together || g.strict) {
			c.failGlobal(d.t, d.addr, "was written with another value", d.other)
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
			c.failGlobal(t, a, "was written while it was copied", x.write)
		}
	}
	g.touch(c, t, addr, data, false, false)
}

func (c *block) failGlobal(t int32, addr uint64, what string, by stamp) {
	n := int32(c.n)
	where := ""
	if len(c.cluster.blocks) > 1 {
		where = fmt.Sprintf(" of block %d", by.thread/n)
	}
	c.fail(t, "global byte %#x %s by thread %d%s (line %d), and no barrier lies between", addr, what, by.thread%n, where, c.m.code[by.at].line)
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

// meetWarp does bar.warp.sync: it orders the accesses of the warp's threads, if all are there.
func meetWarp(c *block, act []int32) {
	if c.warpEpochs == nil {
		return
	}
	w, alive := act[0]/32, 0
	for t := w * 32; t < min(w*32+32, int32(c.n)); t++ {
		if c.state[t] != exited {
			alive++
		}
	}
	if len(act) == alive {
		c.warpEpochs[w]++
	}
}
