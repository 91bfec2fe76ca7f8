package ptxsim

// races watches the shared memory of a block. For each byte it knows who wrote it last and who read it since.
type races struct {
	clocks *clocks
	cells  []cell
	doubts []doubt

	reading []uint16 // how many products and bulk copies under way read each 16 bytes
}

// doubt is a byte that two threads wrote: that is allowed if both wrote the same.
type doubt struct {
	at       int
	old      byte
	t, other int32
}

// settle resolves the doubts of an instruction whose writes are done: a racing write of the same value is
// no error.
func (r *races) settle(c *block) {
	for _, d := range r.doubts {
		if c.shared[d.at] != d.old {
			c.fail(d.t, "shared byte %#x was written by thread %d with another value, and no barrier lies "+
				"between", d.at, d.other)
		}
	}
	r.doubts = r.doubts[:0]
}

type cell struct {
	readers *readers
	writer  int32 // 1 + the thread of the cluster, or 1 + the number of the mbarrier that a copy completes on
	wrote   int32 // its time, or phase
	async   int32 // 1 + the thread whose asynchronous copy is under way
	at      int32 // the instruction of the write
	// fences is how many fences the writer had behind it; byCopy for a bulk copy, byAtomic for an atomic, and
	// byThreadCopy less the number for a copy of a thread (cp.async).
	fences int32
}

// What is in cell.fences where no thread stored.
const (
	byCopy       = -1
	byAtomic     = -2
	byThreadCopy = -3
)

// unshown returns how many fences the thread that wrote a byte through the generic proxy had behind it; false
// if the write needs no fence. Those of cp.async need one if copies do.
func (x *cell) unshown(copies bool) (fences int32, ok bool) {
	if x.fences <= byThreadCopy {
		return byThreadCopy - x.fences, copies
	}
	return x.fences, x.fences >= 0
}

// isMbarrier is in cell.async of the bytes of an mbarrier.
const isMbarrier = -1

// mark says of 8 bytes, which an instruction has written, that they are an mbarrier, or not any more.
func (r *races) mark(addr int, as int32) {
	for i := addr; i < addr+8; i++ {
		r.cells[i].async, r.cells[i].fences = as, byAtomic
	}
}

// forget makes memory of an mbarrier that nobody used: Triton leaves such behind.
func (r *races) forget(c, o *block, t int32, i int) {
	addr := uint64(i &^ 7)
	if o.mbarriers[addr].used {
		c.fail(t, "shared byte %#x is one of an mbarrier: mbarrier.inval makes it memory again", i)
	}
	delete(o.mbarriers, addr)
	r.mark(int(addr), 0)
}

func newRaces(n int, k *clocks) *races {
	return &races{clocks: k, cells: make([]cell, n), reading: make([]uint16, n/16+1)}
}

// global returns the number of a thread in the cluster.
func (c *block) global(t int32) int32 { return int32(c.rank*c.n) + t }

// access is how memory is touched.
type access uint8

const (
	reads access = iota
	writes
	readsAsync // through the async proxy
)

// touch notes an access by thread t of block c to shared memory of o, whose races these are: mostly its own.
func (r *races) touch(c, o *block, t int32, addr, n int, write bool) {
	how := reads
	if write {
		how = writes
	}
	r.note(c, o, t, addr, n, how)
}

func (r *races) note(c, o *block, t int32, addr, n int, how access) {
	who, write := c.global(t), how == writes
	if write && r.isRead(addr, n) {
		c.fail(t, "shared byte %#x is written while a product under way reads it, or a bulk copy", addr)
	}
	var from, to *readers
	for i := addr; i < addr+n; i++ {
		x := &r.cells[i]
		if x.async == isMbarrier {
			r.forget(c, o, t, i)
		}
		if x.async != 0 {
			c.fail(t, "shared byte %#x is being copied by thread %d (%s), without a wait",
				i, x.async-1, c.m.where(x.at))
		}
		if x.writer != 0 && !r.clocks.before(x.writer-1, x.wrote, who) {
			if !write || x.fences < 0 || !c.mine(x.writer-1) {
				r.failWritten(c, t, i)
			}
			r.doubts = append(r.doubts, doubt{i, o.shared[i], t, (x.writer - 1) % int32(c.n)})
		}
		if !write {
			if to == nil || x.readers != from {
				from, to = x.readers, x.readers.add(r.clocks, who, int32(c.at), how == readsAsync)
			}
			x.readers = to
			continue
		}
		r.checkReaders(c, t, i)
		r.write(c, t, x)
	}
}

// write notes that a thread writes a byte, which it may.
func (r *races) write(c *block, t int32, x *cell) {
	who := c.global(t)
	x.readers = nil
	x.writer, x.wrote, x.at, x.fences = who+1, r.clocks.now[who], int32(c.at), int32(len(c.fences[t].times))
}

// checkReaders looks for reads that do not come before a write of thread t.
func (r *races) checkReaders(c *block, t int32, i int) {
	if x := r.cells[i].readers.unordered(r.clocks, c.global(t)); x != nil {
		c.fail(t, "shared byte %#x was read by %s (%s), and no barrier%s lies between", i,
			c.who(x.thread), c.m.where(x.at), c.ofCluster(x.thread))
	}
}

// failWritten stops a thread that touches a byte whose writer it is not behind.
func (r *races) failWritten(c *block, t int32, i int) {
	x := &r.cells[i]
	if int(x.writer-1) >= len(r.clocks.now) {
		c.fail(t, "shared byte %#x was written by a bulk copy (%s), and the thread is not behind a "+
			"wait for its mbarrier", i, c.m.where(x.at))
	}
	c.fail(t, "shared byte %#x was written by %s (%s), and no barrier%s lies between", i,
		c.who(x.writer-1), c.m.where(x.at), c.ofCluster(x.writer-1))
}

// mine reports whether a thread of the cluster is one of the block's.
func (c *block) mine(thread int32) bool { return int(thread)/c.n == c.rank }

// who names a thread of the cluster.
func (c *block) who(thread int32) string {
	if c.mine(thread) {
		return sprintf("thread %d", int(thread)%c.n)
	}
	return sprintf("thread %d of block %d", int(thread)%c.n, int(thread)/c.n)
}

func (c *block) ofCluster(thread int32) string {
	if c.mine(thread) {
		return ""
	}
	return " of the cluster"
}

// start and end bracket an asynchronous write.
func (r *races) start(c *block, t int32, addr, n int) {
	r.touch(c, c, t, addr, n, true)
	for i := addr; i < addr+n; i++ {
		r.cells[i].async, r.cells[i].fences = t+1, byCopy
	}
}

func (r *races) end(c *block, t int32, addr, n int) {
	for i := addr; i < addr+n; i++ {
		r.cells[i].async = 0
	}
	r.touch(c, c, t, addr, n, true)
	for i := addr; i < addr+n; i++ {
		r.cells[i].fences = byThreadCopy - r.cells[i].fences
	}
}

// atomic notes an atomic access, which orders itself against other atomics.
func (r *races) atomic(c *block, t int32, addr, n int) {
	for i := addr; i < min(addr+n, len(r.cells)); i++ {
		x := &r.cells[i]
		if x.fences != byAtomic && x.writer != 0 && !r.clocks.before(x.writer-1, x.wrote, c.global(t)) {
			r.failWritten(c, t, i)
		}
		r.checkReaders(c, t, i)
		r.write(c, t, x)
		x.fences = byAtomic
	}
}
