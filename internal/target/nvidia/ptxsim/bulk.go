package ptxsim

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/target/interleave"
)

// Bulk copies move boxes of tensors, or rows of bytes, between global and shared memory, while the threads go
// on:
//
//   - a load is under way from its issue until a thread has found the phase of its mbarrier complete. Until
//     then nobody may touch the shared memory; from then on those who waited for the mbarrier, and who are
//     behind them;
//   - a store, or a reduction, reads shared memory until its thread waits for its group (wait_group.read),
//     which it must do before the block ends, and writes global memory until it waits for all of the group
//     (wait_group), or the kernel ends;
//   - what threads have stored must be shown to the copy by fence.proxy.async, whether it reads or overwrites
//     it.

// bulkLoad is a copy to shared memory.
type bulkLoad struct {
	block *block // whose memory it writes
	by    *block // clock of the thread that issued it
	t     int32
	at    int // the instruction
	to    uint64
	size  int
	phase int32 // phase of the mbarrier
	parts []globalPart
	seq   int64 // writes to global memory when it began
	moved bool
	// fetch reads the source; place returns the destination of each 16-byte chunk.
	fetch func() []byte
	place func(off int) uint64
}

// globalPart is a row of bytes in global memory.
type globalPart struct {
	addr uint64
	off  int // in the box
	data []byte
}

// parts returns the rows of memory that a box consists of. Stores end at units of 16 bytes, even if the
// tensor does not: a GPU (H200) then writes over what lies behind the tensor's row.
func (c *block) parts(t int32, m *TensorMap, at []int64, store bool) (out []globalPart) {
	m.rows(at, func(addr uint64, off, n int) {
		if store {
			n = (n + 15) &^ 15
		}
		out = append(out, c.part(t, addr, off, n))
	})
	return out
}

func (c *block) part(t int32, addr uint64, off, n int) globalPart {
	data, err := c.launch.Memory.At(addr, n)
	if err != nil {
		c.fail(t, "a bulk copy of %d bytes: %v", n, err)
	}
	return globalPart{addr, off, data}
}

// startLoad issues a copy to shared memory of l.block that the mbarrier waits for.
func (c *block) startLoad(l *bulkLoad, b *mbarrier) {
	l.by, l.at = c, c.at
	if l.to+uint64(l.size) > uint64(len(l.block.shared)) {
		c.fail(l.t, "shared address %#x of %d bytes is outside of %d", l.to, l.size, len(l.block.shared))
	}
	if r := l.block.races; r != nil {
		r.behind(c, l.t, int(l.to), l.size)
		r.shown(c, l.t, int(l.to), l.size)
		r.overtaken(c, l.t, int(l.to), l.size)
		r.touch(c, l.block, l.t, int(l.to), l.size, true)
		for i := int(l.to); i < int(l.to)+l.size; i++ {
			r.cells[i].async, r.cells[i].fences = l.t+1, byCopy
		}
	}
	b.checkShown(c, l.t)
	if c.globals != nil {
		for _, p := range l.parts {
			c.globals.fetch(c, l.t, p)
		}
		l.seq = c.globals.seq
	}
	if c.early() {
		l.move()
	}
	c.cluster.record.uses(c, l.t, b, interleave.Step{Kind: interleave.Issue, Bytes: int64(l.size)})
	b.issue(l, l.size)
}

// move moves the bytes of a copy.
func (l *bulkLoad) move() {
	if l.moved {
		return
	}
	l.moved = true
	data := l.fetch()
	for off := 0; off < len(data); off += 16 {
		copy(l.block.shared[l.place(off):][:16], data[off:])
	}
}

// land ends a copy whose phase of an mbarrier is complete.
func (l *bulkLoad) land(b *mbarrier) {
	if l.by.globals != nil {
		for _, p := range l.parts {
			l.by.globals.fetched(l, b, p)
		}
	}
	l.move()
	if r := l.block.races; r != nil {
		for i := int(l.to); i < int(l.to)+l.size; i++ {
			r.cells[i] = cell{writer: b.number + 1, wrote: l.phase, at: int32(l.at), fences: byCopy}
		}
	}
}

// bulkStore is a copy from shared memory.
type bulkStore struct {
	t     int32
	at    int
	from  uint64
	size  int
	place func(off int) uint64
	parts []globalPart
	merge func(old, new []byte) // of a reduction, else nil
	data  []byte                // once it is read
	ended bool                  // its thread has waited for the read
	added bool                  // a reduction was done
}

// bulkGroups are the stores of a thread: groups that were committed, the oldest first, and the open group.
type bulkGroups struct {
	groups [][]*bulkStore
	now    []*bulkStore
}

// startStore issues a copy from shared memory.
func (c *block) startStore(q *bulkStore) {
	q.at = c.at
	if q.from+uint64(q.size) > uint64(len(c.shared)) {
		c.fail(q.t, "shared address %#x of %d bytes is outside of %d", q.from, q.size, len(c.shared))
	}
	if r := c.races; r != nil {
		r.note(c, c, q.t, int(q.from), q.size, readsAsync)
		r.shown(c, q.t, int(q.from), q.size)
		for u := q.from >> 4; u < (q.from+uint64(q.size)+15)>>4; u++ {
			r.reading[u]++
		}
	}
	if c.globals != nil {
		for _, p := range q.parts {
			c.globals.bulk(c, q.t, p.addr, p.data, q.merge != nil)
		}
	}
	if c.early() {
		c.fill(q)
	}
	g := c.bulkOf(q.t)
	g.now = append(g.now, q)
}

// fill reads the shared memory of a copy.
func (c *block) fill(q *bulkStore) {
	if q.data != nil {
		return
	}
	q.data = make([]byte, q.size)
	for off := 0; off < q.size; off += 16 {
		copy(q.data[off:], c.shared[q.place(off):][:16])
	}
}

// put writes the global memory of a copy, which it may do more than once, or reduces it, once.
func (q *bulkStore) put() {
	for _, p := range q.parts {
		q.putPart(p)
	}
	q.added = true
}

func (q *bulkStore) putPart(p globalPart) {
	from := q.data[p.off:][:len(p.data)]
	switch {
	case q.merge == nil:
		copy(p.data, from)
	case !q.added:
		q.merge(p.data, from)
	}
}

func (c *block) bulkOf(t int32) *bulkGroups {
	if c.bulks == nil {
		c.bulks = make([]bulkGroups, c.n)
	}
	return &c.bulks[t]
}

// read ends the reading of shared memory.
func (c *block) read(q *bulkStore) {
	if q.ended {
		return
	}
	c.fill(q)
	q.ended = true
	if r := c.races; r != nil {
		for u := q.from >> 4; u < (q.from+uint64(q.size)+15)>>4; u++ {
			r.reading[u]--
		}
		r.note(c, c, q.t, int(q.from), q.size, readsAsync)
	}
}

// write ends the writing of global memory.
func (c *block) write(q *bulkStore) {
	for _, p := range q.parts {
		if c.globals != nil && q.merge == nil {
			c.globals.landed(c, q.t, p.addr, p.data)
		}
		q.putPart(p)
		c.settle()
	}
}

// waitBulk waits until n groups of a thread are under way, or until all others have read what they store.
func (c *block) waitBulk(t int32, n int, readOnly bool) {
	if c.bulks == nil {
		return
	}
	g := &c.bulks[t]
	done := max(0, len(g.groups)-n)
	for _, group := range g.groups[:done] {
		for _, q := range group {
			c.read(q)
			if !readOnly {
				c.write(q)
			}
		}
	}
	if !readOnly {
		g.groups = g.groups[done:]
	}
}

// endBulk ends all copies when the threads have left.
func (c *block) endBulk() {
	for t := range c.bulks {
		g := &c.bulks[t]
		g.groups, g.now = append(g.groups, g.now), nil
		for _, q := range slices.Concat(g.groups...) {
			if !q.ended {
				c.at = q.at
				c.fail(q.t, "the block leaves while a bulk copy reads its shared memory, without a wait for "+
					"its group")
			}
		}
		c.waitBulk(int32(t), 0, false)
	}
	for _, b := range c.mbarriers {
		for _, l := range append(b.copies, b.landed...) {
			c.at = l.at
			c.fail(l.t, "the block leaves while a bulk copy is under way that nobody waited for")
		}
	}
}

// behind checks that thread t is behind the writes of bytes.
func (r *races) behind(c *block, t int32, addr, n int) {
	for i := addr; i < addr+n; i++ {
		if x := &r.cells[i]; x.async == 0 && x.writer != 0 && !r.clocks.before(x.writer-1, x.wrote,
			c.global(t)) {
			r.failWritten(c, t, i)
		}
	}
}

// overtaken checks that no copy to shared memory, which thread t issues, can overtake a read of the bytes by
// a thread: a fence.proxy.async lies between, of the reader, or of t behind the reader.
func (r *races) overtaken(c *block, t int32, addr, n int) {
	var last *readers
	for i := addr; i < addr+n; i++ {
		x := r.cells[i].readers
		if x == last {
			continue
		}
		r.checkReaders(c, t, i)
		for last = x; x != nil; x = x.before {
			if !x.async {
				r.fenced(c, t, i, x)
			}
		}
	}
}

// fenced checks that a fence.proxy.async lies between a read of byte i and a copy that thread t issues.
func (r *races) fenced(c *block, t int32, i int, x *readers) {
	who := c.global(t)
	of := &c.cluster.blocks[int(x.thread)/c.n].fences[int(x.thread)%c.n]
	if !of.after(r.clocks, x.thread, x.time, &c.fences[t], who) {
		c.failRace(t, x.thread, "shared byte %#x was read by %s (%s), and a bulk copy overwrites it: a "+
			"barrier does not keep the copy behind the read, which may be under way still; "+
			"fence.proxy.async of the reader, before the barrier, does", i, c.who(x.thread), c.m.where(x.at))
	}
}

// shown checks that what threads stored to shared memory was shown to bulk copies by fence.proxy.async:
// by the writer, or by the thread that issues the copy behind it.
func (r *races) shown(c *block, t int32, addr, n int) {
	for i := addr; i < addr+n; i++ {
		x := &r.cells[i]
		behind, ok := x.unshown(c.launch.CopyFences)
		if x.writer == 0 || !ok || int(x.writer-1) >= len(r.clocks.now) {
			continue
		}
		w := x.writer - 1
		of := &c.cluster.blocks[int(w)/c.n].fences[int(w)%c.n]
		if !of.since(r.clocks, w, x.wrote, behind, &c.fences[t], c.global(t)) {
			c.fail(t, "shared byte %#x was written by %s (%s), and no fence.proxy.async shows it to bulk "+
				"copies and products", i, c.who(w), c.m.where(x.at))
		}
	}
}
