package interp

import "sync"

// Touch records which bytes of the memory allocated after Device.Track kernels load and store.
type Touch struct {
	byAddr map[uint64]*Touched
}

// Touched is what kernels did with one buffer.
type Touched struct {
	mu             sync.Mutex
	loaded, stored []byte // 1 for each byte

	// MaskedEnd and PlainEnd are the ends, in bytes, of accesses with a mask and without. PlainRun is the
	// most bytes that an access without a mask took at once.
	MaskedEnd, PlainEnd, PlainRun int
	// StoredAgain is the number of bytes that were stored more than once, counted each time.
	StoredAgain int
}

// Track records accesses to buffers that are allocated from now on, and returns the record.
func (d *Device) Track() *Touch {
	d.touch = &Touch{byAddr: map[uint64]*Touched{}}
	return d.touch
}

// At returns the record of the buffer at an address, or nil.
func (t *Touch) At(addr uint64) *Touched { return t.byAddr[addr] }

func (t *Touch) add(b *Buffer) {
	b.touched = &Touched{loaded: make([]byte, len(b.data)), stored: make([]byte, len(b.data))}
	t.byAddr[b.addr] = b.touched
}

// Bytes returns how many different bytes were loaded, and how many stored.
func (t *Touched) Bytes() (loaded, stored int) { return count(t.loaded), count(t.stored) }

func count(marks []byte) (n int) {
	for _, m := range marks {
		n += int(m)
	}
	return n
}

// note records an access of n bytes.
func (t *Touched) note(what string, off, n int, masked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if what != "store" {
		markWritten(t.loaded[off : off+n])
	}
	if what == "store" {
		t.StoredAgain += count(t.stored[off : off+n])
	}
	if what != "load" {
		markWritten(t.stored[off : off+n])
	}
	if masked {
		t.MaskedEnd = max(t.MaskedEnd, off+n)
		return
	}
	t.PlainEnd, t.PlainRun = max(t.PlainEnd, off+n), max(t.PlainRun, n)
}
