package gcnsim

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// space is a memory that an access goes to.
type space uint8

const (
	noSpace space = iota // registers of lanes, clocks and the like
	inGlobal
	inLDS
	inScratch
)

// transfer is an access that has begun: its addresses, and the data that it stores, are known and checked. It
// ends once, at a moment that the launch's Order picks between its beginning and the wait for it; then
// memory or registers change.
type transfer struct {
	end      func(w *wave, t *transfer) // moves the data, nil where there are none
	regs     []int                      // registers that it writes
	from     int                        // the step that began it
	anyOrder bool                       // it may overtake others of its queue, and be overtaken
	scalar   bool                       // it goes by the cache of scalars, which barriers keep in no order
	toLDS    bool                       // it loads from global memory to LDS; addr are those of LDS
	ended    bool
	queues   int // queues that hold it
	seq      int // position among the wave's transfers, in the order of their beginnings

	how   access
	space [lanes]space
	parts int // places of each lane
	bytes int // bytes of each place
	exec  uint64
	addr  [2][lanes]uint64
	mem   [2][lanes][]byte // nil: dropped
	data  [2][lanes][16]byte
	ok    [2][4]uint64 // lanes of each register of the data that hold values
}

// begin returns a transfer for the step that runs.
func (w *wave) begin(regs []int, end func(w *wave, t *transfer)) *transfer {
	r := w.g.run
	var t *transfer
	if n := len(r.spare); n > 0 {
		t, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		t = new(transfer)
	}
	w.begun++
	t.regs, t.end, t.from, t.seq = regs, end, w.at, w.begun
	t.anyOrder, t.scalar, t.toLDS, t.ended = false, false, false, false
	t.queues, t.parts, t.exec = 0, 0, 0
	return t
}

// finish ends a transfer. RDNA counts loads and stores apart, but a wave's own accesses to a place of memory
// stay in order: one of either kind ends behind the older ones of the other.
func (w *wave) finish(t *transfer) {
	if t.ended {
		return
	}
	if len(w.stores.items) > 0 && !t.anyOrder {
		w.finishOlder(t)
	}
	t.ended = true
	if t.end != nil {
		t.end(w, t)
	}
}

// finishOlder ends the accesses to vector memory that began before t, if t is one.
func (w *wave) finishOlder(t *transfer) {
	if !slices.Contains(w.vm.items, t) && !slices.Contains(w.stores.items, t) {
		return
	}
	older := slices.Concat(w.vm.items, w.stores.items)
	slices.SortFunc(older, func(a, b *transfer) int { return a.seq - b.seq })
	for _, o := range older {
		if o.seq < t.seq && !o.ended && !o.anyOrder {
			o.ended = true
			if o.end != nil {
				o.end(w, o)
			}
		}
	}
}

// release gives a transfer back that no queue holds any more.
func (w *wave) release(t *transfer) {
	if t.queues--; t.queues == 0 {
		if w.g.record != nil {
			w.g.record.ends(w, t)
		}
		w.g.run.spare = append(w.g.run.spare, t)
	}
}

// carryOver notes the accesses of a transfer that is under way at a barrier as accesses behind it, too.
// Accesses to global memory need it only where the waves of a workgroup do not share a cache, or if they are
// scalar loads.
func (w *wave) carryOver(t *transfer) {
	for part := range t.parts {
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			if t.mem[part][lane] == nil {
				continue
			}
			s := w.shadowOf(t.space[lane])
			if s == nil || t.space[lane] == inGlobal && !w.p.apart && !t.scalar {
				continue
			}
			var data []byte
			if t.how == writes {
				data = t.data[part][lane][:t.bytes]
			}
			s.again(w, t.from, t.addr[part][lane], t.bytes, t.how, data)
		}
	}
}

// shadowOf returns the accesses to a memory that waves share.
func (w *wave) shadowOf(s space) *shadow {
	switch {
	case w.g.run.NoRaces || s == inGlobal && w.g.run.NoGlobal:
		return nil
	case s == inGlobal:
		return w.g.run.accesses
	case s == inLDS:
		return w.g.run.lds.accesses
	}
	return nil
}

// overlaps reports whether a transfer touches bytes of LDS.
func (t *transfer) overlaps(addr uint64, n int) bool {
	for part := range t.parts {
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			a := t.addr[part][lane]
			if t.space[lane] == inLDS && a < addr+uint64(n) && addr < a+uint64(t.bytes) {
				return true
			}
		}
	}
	return false
}

// word returns 4 or 8 bytes of the data of a lane, from an offset.
func (t *transfer) word(lane, at, n int) uint64 { return simmem.Load(t.data[0][lane][at:], n) }
