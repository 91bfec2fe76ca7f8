package gcnsim

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// The order of accesses. Within a workgroup, barriers alone order the accesses of different waves: accesses
// behind the same barrier, of which one writes, are a race. Epochs count barriers. An access that is under
// way at a barrier belongs to the epochs on both sides.
//
// Workgroups are not compared with one another: the interpreter does that for programs.

// access is what an instruction does to memory.
type access uint8

const (
	reads access = iota
	writes
	atomics // not a race among themselves
)

// touch is an access to some of the bytes of a word.
type touch struct {
	epoch uint32
	at    uint32 // the step
	wave  int16
	mask  uint8 // mask of bytes
	how   access
}

// word holds the last accesses to 4 bytes: those of two waves to a byte suffice to find one that is not the
// wave that asks. Where waves touch different bytes of a word, there may be more than two: see shadow.crowd.
type word struct {
	writers, readers [2]touch
	value            uint32 // what the last write wrote
	crowded          bool
}

// conflict returns an access of the same epoch by another wave that n may not meet, nil for none.
func (s *shadow) conflict(x *word, n touch, value uint32) *touch {
	for i := range x.writers {
		if t := &x.writers[i]; s.clash(x, t, n, value) {
			return t
		}
	}
	for i := range x.readers {
		if t := &x.readers[i]; s.clash(x, t, n, value) {
			return t
		}
	}
	if x.crowded {
		for i := range s.crowd[x] {
			if t := &s.crowd[x][i]; s.clash(x, t, n, value) {
				return t
			}
		}
	}
	return nil
}

// clash reports whether n may not meet an earlier access.
func (s *shadow) clash(x *word, t *touch, n touch, value uint32) bool {
	if t.epoch != n.epoch || t.wave == n.wave || t.mask&n.mask == 0 {
		return false
	}
	switch {
	case t.how == reads || n.how == reads:
		return t.how != n.how
	case t.how == atomics && n.how == atomics:
		return false
	case t.how == atomics || n.how == atomics:
		return true
	}
	return !s.agrees(*t, n, (x.value^value)&spread(t.mask&n.mask) == 0)
}

// note keeps an access.
func (s *shadow) note(x *word, n touch, value uint32) {
	slots := &x.readers
	if n.how != reads {
		slots = &x.writers
		both := spread(n.mask)
		x.value = x.value&^both | value&both
	}
	a, b := &slots[0], &slots[1]
	switch {
	case a.epoch == n.epoch && a.wave == n.wave:
		a.join(n)
	case b.epoch == n.epoch && b.wave == n.wave:
		b.join(n)
	case a.epoch != n.epoch:
		*a = n
	case b.epoch != n.epoch:
		*b = n
	case n.mask&^(a.mask&b.mask) != 0: // else these two suffice
		s.crowd[x] = append(s.crowd[x], n)
		x.crowded = true
	}
}

// join adds an access of the same wave and epoch. A write stays one when an atomic follows.
func (t *touch) join(n touch) {
	if t.how < n.how {
		n.how, n.at = t.how, t.at
	}
	n.mask |= t.mask
	*t = n
}

// spread returns the bits of the bytes of a mask.
func spread(mask uint8) uint32 {
	m := uint32(mask)
	return (m&1 | m&2<<7 | m&4<<14 | m&8<<21) * 0xff
}

// shadow holds the words of a memory, in pages that appear when they are touched.
type shadow struct {
	name  string // name of the memory, in messages
	pages map[uint64]*page
	free  []*page
	last  uint64 // number and page of the last access
	page  *page
	// crowd holds accesses to some bytes of a word that the two that the word has room for do not cover.
	crowd map[*word][]touch
	// agrees reports whether two writes of different waves need no order: same says that the values agree.
	agrees func(a, b touch, same bool) bool
}

const (
	pageWords = 256
	pageBytes = 4 * pageWords
	maxPages  = 4096 // that are kept from one workgroup to the next
)

type page [pageWords]word

func newShadow(name string, agrees func(a, b touch, same bool) bool) *shadow {
	return &shadow{name: name, pages: map[uint64]*page{}, crowd: map[*word][]touch{}, last: ^uint64(0),
		agrees: agrees}
}

// begin prepares for a workgroup. What is left of others is of older epochs.
func (s *shadow) begin() {
	clear(s.crowd)
	if len(s.pages) < maxPages {
		return
	}
	for k, p := range s.pages {
		s.free = append(s.free, p)
		delete(s.pages, k)
	}
	s.last, s.page = ^uint64(0), nil
}

func (s *shadow) at(addr uint64) *word {
	if n := addr / pageBytes; n != s.last {
		s.last, s.page = n, s.get(n)
	}
	return &s.page[addr%pageBytes/4]
}

func (s *shadow) get(n uint64) *page {
	p := s.pages[n]
	if p != nil {
		return p
	}
	if k := len(s.free); k > 0 {
		p, s.free = s.free[k-1], s.free[:k-1]
	} else {
		p = new(page)
	}
	s.pages[n] = p
	return p
}

// touch checks and notes an access of a lane; data are the bytes that a write writes.
func (s *shadow) touch(w *wave, lane int, addr uint64, size int, how access, data []byte) {
	n := touch{epoch: w.g.run.epoch, at: uint32(w.at), wave: int16(w.id), how: how}
	for at := addr &^ 3; at < addr+uint64(size); at += 4 {
		n.mask = maskOf(at, addr, size)
		x := s.at(at)
		value := uint32(0)
		if data != nil {
			value = valueOf(at, addr, data)
		}
		if t := s.conflict(x, n, value); t != nil {
			s.race(w, lane, at, t)
		}
		s.note(x, n, value)
	}
}

// again notes an access that is under way at a barrier once more, in the epoch that begins.
func (s *shadow) again(w *wave, from int, addr uint64, size int, how access, data []byte) {
	n := touch{epoch: w.g.run.epoch, at: uint32(from), wave: int16(w.id), how: how}
	for at := addr &^ 3; at < addr+uint64(size); at += 4 {
		n.mask = maskOf(at, addr, size)
		value := uint32(0)
		if data != nil {
			value = valueOf(at, addr, data)
		}
		s.note(s.at(at), n, value)
	}
}

// maskOf returns the bytes of the word at `at` that an access touches.
func maskOf(at, addr uint64, size int) uint8 {
	if at >= addr && at+4 <= addr+uint64(size) {
		return 15
	}
	mask := uint8(0)
	for i := range uint64(4) {
		if at+i >= addr && at+i < addr+uint64(size) {
			mask |= 1 << i
		}
	}
	return mask
}

// valueOf returns the bytes of a word that data, which are written at addr, have for it.
func valueOf(at, addr uint64, data []byte) uint32 {
	if i := int(at - addr); at >= addr && i+4 <= len(data) {
		return uint32(simmem.Load(data[i:], 4))
	}
	v := uint32(0)
	for i := range uint64(4) {
		if k := at + i - addr; at+i >= addr && k < uint64(len(data)) {
			v |= uint32(data[k]) << (8 * i)
		}
	}
	return v
}

var didWords = map[access]string{reads: "read", writes: "wrote", atomics: "had an atomic on"}

// race stops the wave at an access that no barrier orders behind another's.
func (s *shadow) race(w *wave, lane int, addr uint64, t *touch) {
	panic(&fault{lane: lane, race: true, other: int(t.at) + 1,
		msg: fmt.Sprintf("race on %s %#x: wave %d %s it at %s, and no barrier that both accesses have ended "+
			"at or begun behind lies between", s.name, addr, t.wave, didWords[t.how], w.where(int(t.at)))})
}

// where returns the place of a step: its line in the kernel's source and its address.
func (w *wave) where(step int) string {
	in := w.p.steps[step].in
	if m := w.g.run.m; m != nil {
		if p := m.Object.Place(in.Addr); p.Line > 0 {
			return fmt.Sprintf("%s:%d:%d (%s)", p.File, p.Line, p.Column, in)
		}
	}
	return fmt.Sprintf("%#x (%s)", in.Addr, in)
}
