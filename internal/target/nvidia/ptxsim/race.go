package ptxsim

// races watches shared memory. For each byte it knows who wrote and who read it since the last barrier.
type races struct {
	epoch  int32
	since  int32 // the epoch that the last barrier of the cluster began
	cells  []cell
	others []otherCell // accesses of the cluster's other blocks; nil for a cluster of one
	doubts []doubt

	reading []uint16 // how many products under way read each 16 bytes
}

// otherCell is who of the other blocks read or wrote a byte, and in which epoch of the cluster, from 1 on:
// only the cluster's barrier orders them against anybody.
type otherCell struct{ readEpoch, writeEpoch int32 }

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
			c.fail(d.t, "shared byte %#x was written by thread %d with another value, and no barrier lies between", d.at, d.other)
		}
	}
	r.doubts = r.doubts[:0]
}

type cell struct {
	writeEpoch, readEpoch int32
	writer, reader        int32 // reader is several when more than one read
	async                 int32 // 1 + the thread whose asynchronous copy is under way
	line                  int32 // of the write
	fences                int32 // of the writer before the write; byCopy for an asynchronous copy
}

const several = -2

func newRaces(n int) *races {
	return &races{epoch: 1, cells: make([]cell, n), reading: make([]uint16, n/16+1)}
}

// barrier orders the accesses before it against the accesses after it.
func (r *races) barrier() { r.epoch++ }

func (r *races) touch(c *block, t int32, addr, n int, write bool) {
	if write && r.isRead(addr, n) {
		c.fail(t, "shared byte %#x is written while a product under way reads it", addr)
	}
	for i := addr; i < addr+n; i++ {
		x := &r.cells[i]
		if r.others != nil {
			r.checkOthers(c, t, i, write)
		}
		if x.async != 0 {
			c.fail(t, "shared byte %#x is being copied by thread %d, without a wait", i, x.async-1)
		}
		if x.writeEpoch == r.epoch && x.writer != t {
			if !write {
				c.fail(t, "shared byte %#x was written by thread %d (line %d), and no barrier lies between", i, x.writer, x.line)
			}
			r.doubts = append(r.doubts, doubt{i, c.shared[i], t, x.writer})
		}
		if !write {
			if x.readEpoch == r.epoch && x.reader != t {
				x.reader = several
			} else {
				x.reader = t
			}
			x.readEpoch = r.epoch
			continue
		}
		if x.readEpoch == r.epoch && x.reader != t {
			c.fail(t, "shared byte %#x was read by thread %d (%d: several), and no barrier lies between", i, x.reader, several)
		}
		x.writeEpoch, x.writer, x.line, x.fences = r.epoch, t, int32(c.m.code[c.at].line), c.fences[t].count
	}
}

// checkOthers looks for accesses of other blocks that no barrier of the cluster orders before this one.
func (r *races) checkOthers(c *block, t int32, i int, write bool) {
	now := c.cluster.epoch + 1
	if o := r.others[i]; o.writeEpoch == now || write && o.readEpoch == now {
		c.fail(t, "shared byte %#x was used by another block, and no barrier of the cluster lies between", i)
	}
}

// touchFrom records an access by a thread of another block.
func (r *races) touchFrom(c *block, t int32, addr, n int, write bool) {
	now := c.cluster.epoch + 1
	for i := addr; i < addr+n; i++ {
		x, o := &r.cells[i], &r.others[i]
		if x.async != 0 || x.writeEpoch >= r.since || write && x.readEpoch >= r.since {
			c.fail(t, "shared byte %#x was used by thread %d (line %d) of its own block, and no barrier of the cluster lies between", i, x.writer, x.line)
		}
		if o.writeEpoch == now || write && o.readEpoch == now {
			c.fail(t, "shared byte %#x was used by another block, and no barrier of the cluster lies between", i)
		}
		if write {
			o.writeEpoch = now
		} else {
			o.readEpoch = now
		}
	}
}

// start and end bracket an asynchronous write.
func (r *races) start(c *block, t int32, addr, n int) {
	r.touch(c, t, addr, n, true)
	for i := addr; i < addr+n; i++ {
		r.cells[i].async, r.cells[i].fences = t+1, byCopy
	}
}

func (r *races) end(c *block, t int32, addr, n int) {
	for i := addr; i < addr+n; i++ {
		r.cells[i].async = 0
	}
	r.touch(c, t, addr, n, true)
	for i := addr; i < addr+n; i++ {
		r.cells[i].fences = byCopy
	}
}

// atomic notes an atomic access, which orders itself against other atomics.
func (r *races) atomic(c *block, t int32, addr, n int) {
	for i := addr; i < min(addr+n, len(r.cells)); i++ {
		x := &r.cells[i]
		if x.writeEpoch == r.epoch && x.writer != t && x.writer != several {
			c.fail(t, "shared byte %#x was written by thread %d (line %d), and no barrier lies before this atomic", i, x.writer, x.line)
		}
		if x.readEpoch == r.epoch && x.reader != t {
			c.fail(t, "shared byte %#x was read by thread %d, and no barrier lies before this atomic", i, x.reader)
		}
		x.writeEpoch, x.writer, x.line = r.epoch, several, int32(c.m.code[c.at].line)
	}
}
