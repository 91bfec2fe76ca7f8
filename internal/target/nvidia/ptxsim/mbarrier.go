package ptxsim

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/target/interleave"
)

// mbarrier counts arrivals of threads and bytes of bulk copies, phase by phase. A phase is complete when all
// arrivals have come and the copies issued bring the bytes that were expected. Their bytes move when a thread
// first finds the phase complete, which is as late as they may.
type mbarrier struct {
	block  *block
	addr   uint64
	at     int32 // its mbarrier.init
	number int32

	count   int   // arrivals of a phase
	pending int   // those that are missing
	missed  int64 // bytes expected, less those of the copies issued
	phases  int32 // phases that are complete

	behind clock // what the arrivals of this phase have behind them
	done   clock // clock of the arrivals of the last complete phase
	copies []*bulkLoad
	landed []*bulkLoad // copies of complete phases whose bytes have not moved

	maker, made int32 // the thread that initialized it, and when
	shown       int32 // when that thread showed it to copies and other blocks by fence.mbarrier_init, or 0
	used        bool
}

// missing says what a phase waits for.
func (b *mbarrier) missing() string {
	text := fmt.Sprintf("the mbarrier at %#x (%s) is in phase %d", b.addr, b.block.m.where(b.at), b.phases)
	if b.pending > 0 {
		text += fmt.Sprintf(", %d of %d arrivals are missing", b.pending, b.count)
	}
	switch {
	case b.missed > 0:
		text += fmt.Sprintf(", %d bytes are expected that no copy brings", b.missed)
	case b.missed < 0:
		text += fmt.Sprintf(", copies bring %d bytes that are not expected", -b.missed)
	}
	return text
}

// mbarrierAt returns the mbarrier at an address of shared memory of the cluster, for use by a thread.
func (c *block) mbarrierAt(t int32, addr uint64) *mbarrier {
	o := c.blockAt(t, addr)
	addr &= 1<<rankShift - 1
	b := o.mbarriers[addr]
	if b == nil {
		c.fail(t, "there is no mbarrier at %#x", addr)
	}
	if c.races != nil && !c.cluster.clocks.before(b.maker, b.made, c.global(t)) {
		c.fail(t, "the mbarrier at %#x was initialized by %s (%s), and no barrier lies between",
			addr, c.who(b.maker), c.m.where(b.at))
	}
	b.used = true
	if o != c {
		b.checkShown(c, t)
	}
	return b
}

// showMbarriers does fence.mbarrier_init: copies and other blocks see the mbarriers that threads have made.
func (c *block) showMbarriers(act []int32) {
	if c.races == nil {
		return
	}
	for _, t := range act {
		who := c.global(t)
		for _, b := range c.barriers {
			if b.maker == who && b.shown == 0 {
				b.shown = c.cluster.clocks.now[who]
			}
		}
		c.cluster.clocks.now[who]++
	}
}

// checkShown checks that the initialization of an mbarrier is visible to the copy, or to the other block,
// that thread t passes it to: after mbarrier.init its thread must execute fence.mbarrier_init or
// fence.proxy.async, or t must execute fence.proxy.async.
func (b *mbarrier) checkShown(c *block, t int32) {
	if c.races == nil || c.launch.Lax {
		return
	}
	k, who := c.cluster.clocks, c.global(t)
	if b.shown != 0 && k.before(b.maker, b.shown+1, who) {
		return
	}
	of := &b.block.fences[int(b.maker)%c.n]
	if !of.after(k, b.maker, b.made, &c.fences[t], who) {
		c.fail(t, "the mbarrier at %#x was initialized by %s (%s), and no fence.mbarrier_init shows it to "+
			"copies and other blocks", b.addr, c.who(b.maker), c.m.where(b.at))
	}
}

// initMbarrier makes an mbarrier. One that was not used may be made anew.
func (c *block) initMbarrier(t int32, addr uint64, count int) {
	addr &= 1<<rankShift - 1
	switch {
	case addr%8 != 0 || addr+8 > uint64(len(c.shared)):
		c.fail(t, "an mbarrier at %#x of %d bytes of shared memory", addr, len(c.shared))
	case count < 1 || count >= 1<<20:
		c.fail(t, "an mbarrier of %d arrivals", count)
	}
	old := c.mbarriers[addr]
	if old != nil && (old.pending != old.count || old.missed != 0 || len(old.copies)+len(old.landed) > 0) {
		c.fail(t, "the mbarrier at %#x (%s) is in use, and is initialized again", addr, c.m.where(old.at))
	}
	b := &mbarrier{block: c, addr: addr, at: int32(c.at), count: count, pending: count}
	if c.races != nil {
		c.races.mark(int(addr), 0)
		c.races.touch(c, c, t, int(addr), 8, true)
		c.races.mark(int(addr), isMbarrier)
		b.number, b.maker = c.cluster.clocks.number(), c.global(t)
		b.made = c.cluster.clocks.now[b.maker]
	}
	if c.mbarriers == nil {
		c.mbarriers = map[uint64]*mbarrier{}
	}
	c.mbarriers[addr], c.barriers = b, append(c.barriers, b)
}

// dropMbarrier makes an mbarrier ordinary memory again.
func (c *block) dropMbarrier(t int32, addr uint64) {
	b := c.mbarrierAt(t, addr)
	if len(b.copies)+len(b.landed) > 0 {
		c.fail(t, "the mbarrier at %#x is dropped while copies are under way", b.addr)
	}
	for _, o := range c.waitsFor {
		if o == b {
			c.fail(t, "the mbarrier at %#x is dropped while threads wait for it", b.addr)
		}
	}
	if c.races != nil {
		c.races.mark(int(b.addr), 0)
		c.races.touch(c, c, t, int(b.addr), 8, true)
		c.races.mark(int(b.addr), 0)
	}
	delete(c.mbarriers, b.addr)
}

// arrive counts arrivals of a thread, which expects so many bytes of copies.
func (b *mbarrier) arrive(c *block, t int32, n int, bytes int64) {
	c.cluster.record.uses(c, t, b, interleave.Step{Kind: interleave.Arrive, N: n, Bytes: bytes})
	b.missed += bytes
	if n < 1 || n > b.pending {
		c.fail(t, "%d arrivals at the mbarrier at %#x, which waits for %d of %d",
			n, b.addr, b.pending, b.count)
	}
	b.pending -= n
	if c.races != nil {
		b.behind = joined(b.behind, c.cluster.clocks.release(c.global(t)))
	}
	b.settle()
}

// settle ends the phase if it is complete.
func (b *mbarrier) settle() {
	if b.pending > 0 || b.missed != 0 {
		return
	}
	b.phases++
	b.pending = b.count
	b.done, b.behind = b.behind.with(b.number, b.phases), nil
	b.landed, b.copies = append(b.landed, b.copies...), nil
	for t, o := range b.block.waitsFor {
		if o == b {
			b.block.waitsFor[t], b.block.state[t] = nil, running
		}
	}
}

// passed reports whether a phase is complete, and if so lets the thread see what lies behind it.
func (b *mbarrier) passed(c *block, t int32, complete bool) bool {
	if !complete {
		return false
	}
	for _, l := range b.landed {
		l.land(b)
	}
	b.landed = b.landed[:0]
	if c.races != nil {
		c.cluster.clocks.acquire(c.global(t), b.done)
	}
	return true
}

// issue counts a copy whose bytes the mbarrier waits for.
func (b *mbarrier) issue(l *bulkLoad, bytes int) {
	b.missed -= int64(bytes)
	b.copies = append(b.copies, l)
	l.phase = b.phases + 1
	b.settle()
}
