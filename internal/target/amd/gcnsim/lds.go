package gcnsim

import (
	"bytes"
	"fmt"
)

// MaxLDS is the size of a workgroup's local data share.
const MaxLDS = 64 << 10

// lds is the local data share of a workgroup, with what is needed to find races: for each byte, which wave
// wrote it last and which read it, and between which barriers.
type lds struct {
	data    []byte
	defined []bool
	write   []touch
	read    []touch
}

// touch is an access to a byte of LDS.
type touch struct {
	epoch uint32 // barriers before it
	wave  int32  // manyWaves for several
}

const manyWaves = -1

func newLDS(n int) *lds {
	return &lds{data: make([]byte, n), defined: make([]bool, n), write: make([]touch, n),
		read: make([]touch, n)}
}

// clear forgets what a workgroup left.
func (l *lds) clear() { clear(l.defined) }

// shared returns n bytes of LDS for a lane, aligned to align, and notes the access.
func (w *wave) shared(lane int, addr uint64, n, align int, write bool) []byte {
	w.checkShared(lane, addr, n, align)
	l := w.g.run.lds
	if !w.g.run.NoRaces {
		l.check(w, lane, int(addr), n, write)
		l.stamp(w, span{int(addr), n, write})
	}
	return l.data[addr:][:n]
}

// checkShared stops the wave at an access outside of LDS, or one that is not aligned.
func (w *wave) checkShared(lane int, addr uint64, n, align int) {
	l := w.g.run.lds
	if addr+uint64(n) > uint64(len(l.data)) {
		w.fail(lane, "LDS address %#x of %d bytes is outside of %d", addr, n, len(l.data))
	}
	if addr%uint64(align) != 0 {
		w.fail(lane, "LDS address %#x is not aligned to %d", addr, align)
	}
}

// write puts bytes into LDS for a lane. Several waves may write the same value.
func (w *wave) write(lane int, addr uint64, b []byte, align int) {
	l := w.g.run.lds
	w.checkShared(lane, addr, len(b), align)
	old := l.data[addr:][:len(b)]
	if !w.g.run.NoRaces {
		if !bytes.Equal(old, b) {
			l.check(w, lane, int(addr), len(b), true)
		}
		l.stamp(w, span{int(addr), len(b), true})
	}
	copy(old, b)
}

// check stops the wave at an access that conflicts with one of another wave since the last barrier.
func (l *lds) check(w *wave, lane, at, n int, write bool) {
	e, id := w.g.run.epoch, int32(w.id)
	for i := at; i < at+n; i++ {
		t, did := l.write[i], "wrote"
		if write && (t.epoch != e || t.wave == id) {
			t, did = l.read[i], "read"
		}
		if t.epoch == e && t.wave != id {
			panic(&fault{lane: lane, race: true,
				msg: fmt.Sprintf("race on LDS address %#x: wave %s %s it, and no barrier "+
					"lies between", i, waveName(t.wave), did)})
		}
	}
}

func waveName(id int32) string {
	if id == manyWaves {
		return "of several"
	}
	return fmt.Sprint(id)
}

// stamp notes an access.
func (l *lds) stamp(w *wave, s span) {
	e, id := w.g.run.epoch, int32(w.id)
	list := l.read
	if s.write {
		list = l.write
	}
	for i := s.at; i < s.at+s.n; i++ {
		t := &list[i]
		if t.epoch == e && t.wave != id {
			t.wave = manyWaves
			continue
		}
		*t = touch{e, id}
	}
}

// known reports whether all bytes were written with values.
func (l *lds) known(at uint64, n int) bool {
	for _, ok := range l.defined[at:][:n] {
		if !ok {
			return false
		}
	}
	return true
}

func (l *lds) define(at uint64, n int, ok bool) {
	for i := range n {
		l.defined[int(at)+i] = ok
	}
}
