package gcnsim

// MaxLDS is the size of a workgroup's local data share.
const MaxLDS = 64 << 10

// lds is the local data share of a workgroup.
type lds struct {
	data     []byte
	defined  []bool
	accesses *shadow
}

func newLDS(n int) *lds {
	return &lds{data: make([]byte, n), defined: make([]bool, n),
		accesses: newShadow("LDS address", sameStore)}
}

// sameStore reports whether writes of two waves to a place of LDS need no order: one store of a value that
// both waves have.
func sameStore(a, b touch, same bool) bool { return same && a.at == b.at }

// clear forgets what a workgroup left.
func (l *lds) clear() {
	clear(l.defined)
	l.accesses.begin()
}

// shared returns the bytes of LDS of a lane's part of a transfer, at an address that is a multiple of align,
// and notes the access.
func (w *wave) shared(t *transfer, part, lane, align int) []byte {
	l, addr, n := w.g.run.lds, t.addr[part][lane], t.bytes
	if addr+uint64(n) > uint64(len(l.data)) {
		w.fail(lane, "LDS address %#x of %d bytes is outside of %d", addr, n, len(l.data))
	}
	if addr%uint64(align) != 0 {
		w.fail(lane, "LDS address %#x is not aligned to %d", addr, align)
	}
	t.space[lane] = inLDS
	if s := w.shadowOf(inLDS); s != nil {
		s.touch(w, lane, addr, n, t.how, t.stored(part, lane))
		if t.toLDS {
			w.checkMixed(&w.lgkm, lane, addr, n, t.how)
		} else if w.toLDS > 0 {
			w.checkMixed(&w.vm, lane, addr, n, t.how)
		}
	}
	return l.data[addr:][:n]
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
