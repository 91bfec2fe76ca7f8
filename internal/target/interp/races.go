package interp

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// raceTable remembers, for each byte of a buffer, in which interval it was stored last, counted from 1, and
// how atomics order the intervals of different programs.
type raceTable struct {
	mu        sync.Mutex
	owners    map[*Buffer][]uint32
	intervals []interval
	places    map[unsafe.Pointer]*releases
}

// interval is what a program does between two of its atomics: after so many of them.
type interval struct {
	program int64
	atomics int
}

// releases are the atomics on one place, in the order in which they were done.
type releases struct{ all []release }

// release is an atomic: whoever does a later one on its place comes after the interval that ends with it, and
// after what its program had come after.
type release struct {
	interval
	after *acquired
}

// acquired says that a program comes after the first upTo atomics on a place, and after those of before.
type acquired struct {
	place  *releases
	upTo   int
	before *acquired
}

// order is what a running program comes after, and its current interval.
type order struct {
	atomics  int
	after    *acquired
	interval uint32 // in raceTable.intervals, counted from 1; 0 if the program has stored nothing in it yet
}

// orders reports whether an atomic orders its program with others that do one on the same place: a lock, a
// counter. Atomics on tensors, which sum, are not taken for such.
func orders(op *ir.Op) bool {
	return ir.ShapeOf(op.Slot(0).Type) == nil && op.IntOr("sem", 0) != tt.SemRelaxed
}

// order notes an atomic on a place, where races are of interest.
func (a access) order(w *worker, place unsafe.Pointer) {
	if a.orders && w.opts.TrackRaces {
		w.ordered(place)
	}
}

// ordered notes an atomic on a place: what the program has stored comes before what others do after a later
// atomic there.
func (w *worker) ordered(place unsafe.Pointer) {
	t := &w.races
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.places[place]
	if r == nil {
		if t.places == nil {
			t.places = map[unsafe.Pointer]*releases{}
		}
		r = &releases{}
		t.places[place] = r
	}
	o := &w.order
	if n := len(r.all); o.interval == 0 && o.after != nil && o.after.place == r && o.after.upTo == n-1 &&
		r.all[n-1].program == w.id {
		return // a program that waits: nothing has happened since its last atomic
	}
	o.after = &acquired{r, len(r.all), o.after}
	r.all = append(r.all, release{interval{w.id, o.atomics}, o.after})
	o.atomics++
	o.interval = 0
}

// comesAfter reports whether atomics order what a program has done in an interval before a point of another
// program.
func (a *acquired) comesAfter(i interval) bool {
	upTo, seen := map[*releases]int{}, map[*acquired]bool{}
	for next := []*acquired{a}; len(next) > 0; {
		a, next = next[len(next)-1], next[:len(next)-1]
		for ; a != nil && !seen[a]; a = a.before {
			seen[a] = true
			from := upTo[a.place]
			for _, r := range a.place.all[min(from, a.upTo):a.upTo] {
				if r.program == i.program && r.atomics >= i.atomics {
					return true
				}
				next = append(next, r.after)
			}
			upTo[a.place] = max(from, a.upTo)
		}
	}
	return false
}

// checkRace stops the program at the first byte of a run that another program has stored, where nothing
// orders the two: at any byte of a load, at one that a store (bytes) changes.
func (w *worker) checkRace(b *Buffer, addr uint64, n int, bytes []byte, size, i int, shape []int64) {
	if bytes == nil && tt.IsVolatile(w.at.op) {
		return // a program that waits for another
	}
	t := &w.races
	t.mu.Lock()
	defer t.mu.Unlock()
	off := int(addr - b.addr)
	whole, at := b.whole()
	owners := t.owned(whole, bytes != nil)
	if owners == nil {
		return
	}
	owners = owners[at+off:]
	me := w.order.interval
	if bytes != nil {
		me = t.current(w)
	}
	var fine uint32 // an owner that the program comes after
	for k := range n {
		o := owners[k]
		if o != 0 && o != me && o != fine && (bytes == nil || b.data[off+k] != bytes[k]) {
			if from := t.intervals[o-1]; from.program != w.id && !w.order.after.comesAfter(from) {
				panic(w.race(b, bytes != nil, off+k/size*size, size, unravel(i+k/size, shape), from.program))
			}
			fine = o
		}
		if bytes != nil {
			owners[k] = me
		}
	}
}

// owned returns the owners of a buffer's bytes; nil if nobody has stored any, unless they are to be added.
func (t *raceTable) owned(b *Buffer, add bool) []uint32 {
	owners := t.owners[b]
	if owners == nil && add {
		if t.owners == nil {
			t.owners = map[*Buffer][]uint32{}
		}
		owners = make([]uint32, len(b.data))
		t.owners[b] = owners
	}
	return owners
}

// current returns the interval of a program that stores.
func (t *raceTable) current(w *worker) uint32 {
	if w.order.interval == 0 {
		t.intervals = append(t.intervals, interval{w.id, w.order.atomics})
		w.order.interval = uint32(len(t.intervals))
	}
	return w.order.interval
}

// race returns the fault of an access to what another program has stored.
func (w *worker) race(b *Buffer, store bool, off, size int, element []int, other int64) *Fault {
	what, verdict := "load", "which program %s has stored"
	if store {
		what, verdict = "store", "where program %s has stored another value"
	}
	by := tuple(w.gridIndex(other))
	e := w.newFault(fmt.Sprintf("race: %s of %d bytes at offset %d of %s, "+verdict, what, size, off,
		b.label(), by))
	e.Element, e.Race = element, by
	e.Access, e.Buffer = w.accessOf(b, what, b.addr+uint64(off), size), b.addr
	return e
}
