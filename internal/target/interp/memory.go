package interp

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// Each buffer has the addresses [i<<regionBits, (i+1)<<regionBits) to itself, i from 1, and begins in their
// middle: an address that is off by less than half a terabyte still tells whose it was.
const (
	regionBits = 40
	regionMid  = 1 << (regionBits - 1)
	maxRegions = 1 << (62 - regionBits)
	alignment  = 256 // of the address of a buffer
)

// Memory is a virtual address space of buffers that the caller owns. Its methods may be called from several
// goroutines, but a buffer must not be freed while a kernel that may use it runs.
type Memory struct {
	mu   sync.Mutex
	bufs []*Buffer // buffers of region i at i-1
	free []*Buffer // oldest first, to be reused late

	locks [256]sync.Mutex // locks of atomics, of all kernels that run

	descs    map[uint64]*tensorRef // by handle
	lastDesc uint64
}

// Buffer is the caller's bytes at a virtual address.
type Buffer struct {
	name  string
	addr  uint64
	data  []byte
	freed bool

	written []byte // 1 for each byte that was written; nil when all count as written

	touched *Touched // nil unless accesses are recorded

	of *Buffer // the buffer that this is a part of, or nil
	at int     // where in it
}

// NewMemory returns an empty address space.
func NewMemory() *Memory { return &Memory{} }

// keepFreed is the number of freed regions that stay unused, so that a dangling pointer is likely to be seen.
const keepFreed = 256

// Alloc gives data an address, without copying it. The name is for messages. It is nil where there are no
// addresses left.
func (m *Memory) Alloc(data []byte, name string) *Buffer { return m.place(data, name, 0) }

// AllocPart gives bytes lo to hi of a buffer an address of their own, aligned as they are in the buffer: by
// it, no other bytes are reached.
func (m *Memory) AllocPart(b *Buffer, lo, hi int) *Buffer {
	p := m.place(b.data[lo:hi:hi], b.name, (b.addr+uint64(lo))%alignment)
	if p == nil {
		return nil
	}
	if b.written != nil {
		p.written = b.written[lo:hi:hi]
	}
	p.of, p.at = b, lo
	if b.of != nil {
		p.of, p.at = b.of, b.at+lo
	}
	return p
}

// whole returns the buffer that b is a part of, or b itself, and where in it b begins.
func (b *Buffer) whole() (*Buffer, int) {
	if b.of != nil {
		return b.of, b.at
	}
	return b, 0
}

// place gives data an address that is so many bytes above an aligned one.
func (m *Memory) place(data []byte, name string, above uint64) *Buffer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.free) > keepFreed {
		b := m.free[0]
		m.free = m.free[1:]
		nb := &Buffer{name: name, addr: b.addr&^(alignment-1) + above, data: data}
		m.replace(nb)
		return nb
	}
	if len(m.bufs) == maxRegions {
		return nil
	}
	b := &Buffer{name: name, addr: uint64(len(m.bufs)+1)<<regionBits + regionMid + above, data: data}
	m.bufs = append(m.bufs, b) // a running kernel keeps the table it began with, which ends before b
	return b
}

// AllocUninit allocates like Alloc, for bytes without a written value yet: with Options.TrackUninit a load
// of them is a fault.
func (m *Memory) AllocUninit(data []byte, name string) *Buffer {
	b := m.Alloc(data, name)
	if b != nil {
		b.written = make([]byte, len(data))
	}
	return b
}

// Free takes the buffer's address away: its use by kernels that begin later is a fault. Kernels that run keep
// the table and the buffers that they began with.
func (m *Memory) Free(b *Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bufs[b.addr>>regionBits-1] != b {
		return // freed before
	}
	gone := &Buffer{name: b.name, addr: b.addr, freed: true}
	m.replace(gone)
	m.free = append(m.free, gone)
}

// replace puts a buffer in the place of the one at its address, in a table of its own.
func (m *Memory) replace(b *Buffer) {
	m.bufs = slices.Clone(m.bufs)
	m.bufs[b.addr>>regionBits-1] = b
}

// Addr returns the buffer's address, which a kernel takes as a pointer; it is a multiple of 256.
func (b *Buffer) Addr() uint64 { return b.addr }

// Bytes returns the caller's bytes, which kernels read and write in place.
func (b *Buffer) Bytes() []byte { return b.data }
func (b *Buffer) Name() string  { return b.name }

// SetName names the buffer in messages. No kernel may be using it.
func (b *Buffer) SetName(name string) { b.name = name }

// label returns the buffer's name in messages.
func (b *Buffer) label() string {
	if b.name == "" {
		return "a buffer"
	}
	return fmt.Sprintf("buffer %q", b.name)
}

// MarkWritten says that a range of a buffer made by AllocUninit has been written.
func (b *Buffer) MarkWritten(off, n int) {
	if b.written != nil {
		markWritten(b.written[off : off+n])
	}
}

func markWritten(w []byte) {
	for i := range w {
		w[i] = 1
	}
}

// table returns the buffers of the moment.
func (m *Memory) table() []*Buffer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bufs
}

// find returns the buffer that owns an address, in or out of its bounds, or nil.
func find(table []*Buffer, addr uint64) *Buffer {
	i := addr >> regionBits
	if i == 0 || i > uint64(len(table)) {
		return nil
	}
	return table[i-1]
}

// holds reports whether n bytes at an address lie in the buffer.
func (b *Buffer) holds(addr, n uint64) bool {
	off := addr - b.addr
	return off < uint64(len(b.data)) && n <= uint64(len(b.data))-off
}

// at returns n elements of memory at an address, which must lie in the buffer.
func at[U any](b *Buffer, addr uint64, n int) []U {
	off := addr - b.addr
	return unsafe.Slice((*U)(unsafe.Pointer(&b.data[off])), n)
}

// explain returns the message for an access that the buffer does not hold.
func explain(table []*Buffer, what string, addr uint64, size int) string {
	switch b := find(table, addr); {
	case addr == 0:
		return fmt.Sprintf("%s of %d bytes at a null pointer", what, size)
	case b == nil:
		return fmt.Sprintf("%s of %d bytes at address %#x, where there is no buffer", what, size, addr)
	case b.freed:
		return fmt.Sprintf("%s of %d bytes at offset %d of %s, which was freed", what, size,
			int64(addr-b.addr), b.label())
	case addr%uint64(size) != 0:
		return fmt.Sprintf("misaligned %s of %d bytes at offset %d of %s (%d bytes)", what, size,
			int64(addr-b.addr), b.label(), len(b.data))
	default:
		return fmt.Sprintf("out of bounds %s of %d bytes at offset %d of %s (%d bytes)", what, size,
			int64(addr-b.addr), b.label(), len(b.data))
	}
}
