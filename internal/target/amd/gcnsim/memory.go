package gcnsim

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/target/stray"
)

// Memory is global memory: buffers that the caller lends. Several launches may use it at a time.
type Memory struct {
	mu      sync.Mutex // of changes
	buffers atomic.Pointer[[]buffer]
	next    uint64
}

// buffer is a part of global memory.
type buffer struct {
	addr uint64
	data []byte
}

// Addresses of the windows that flat accesses see.
const (
	globalBase  = 0x7f0000000000
	sharedBase  = 1 << 48
	privateBase = 2 << 48
	windowSize  = 1 << 32
)

// NewMemory returns empty memory.
func NewMemory() *Memory { return &Memory{next: globalBase} }

// Alloc lends a buffer and returns its address. Addresses around it belong to nobody.
func (m *Memory) Alloc(data []byte) uint64 { return m.AllocAt(data, 0) }

// AllocAt allocates like Alloc, at an address that is so many bytes, less than 256, above a multiple of
// 256.
func (m *Memory) AllocAt(data []byte, above uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.next + above
	list := append(slices.Clone(m.list()), buffer{a, data})
	m.buffers.Store(&list)
	m.next += (uint64(len(data)) + above + 1<<20) &^ 0xff
	return a
}

// Free takes a buffer back.
func (m *Memory) Free(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(m.list()), func(b buffer) bool { return b.addr == addr })
	m.buffers.Store(&list)
}

func (m *Memory) list() []buffer {
	if p := m.buffers.Load(); p != nil {
		return *p
	}
	return nil
}

// near returns the buffer that an address is in or nearest to.
func (m *Memory) near(addr uint64) (buffer, bool) {
	list := m.list()
	i := sort.Search(len(list), func(i int) bool { return list[i].addr > addr })
	switch {
	case len(list) == 0:
		return buffer{}, false
	case i == 0:
		return list[0], true
	case i == len(list):
		return list[i-1], true
	}
	if end := list[i-1].addr + uint64(len(list[i-1].data)); addr < end || addr-end <= list[i].addr-addr {
		return list[i-1], true
	}
	return list[i], true
}

// holds returns n bytes at an address, nil where the buffer does not have them.
func (b *buffer) holds(addr uint64, n int) []byte {
	if off := addr - b.addr; off < uint64(len(b.data)) && n <= len(b.data)-int(off) {
		return b.data[off:][:n]
	}
	return nil
}

// global returns n bytes of global memory for a lane of the wave.
func (w *wave) global(lane int, addr uint64, n int, what string) []byte {
	if b := w.last.holds(addr, n); b != nil {
		return b
	}
	near, ok := w.g.run.Memory.near(addr)
	if b := near.holds(addr, n); ok && b != nil {
		w.last = near
		return b
	}
	w.stray(lane, addr, n, what, near)
	return nil
}

// stray stops the wave at an access outside of all buffers.
func (w *wave) stray(lane int, addr uint64, n int, what string, near buffer) {
	a := &stray.Access{What: what, Size: n, Word: -1, Offset: int64(addr - near.addr),
		Bytes: int64(len(near.data)),
		Null:  addr < 1<<20}
	name := "memory that no argument points to"
	for i, word := range w.g.run.Args {
		if near.data != nil && word-near.addr <= uint64(len(near.data)) {
			a.Word, name = i, argName(i)
		}
	}
	if a.Null {
		name = "a pointer"
	}
	panic(&fault{lane: lane, msg: a.Text(name), access: a})
}

func load(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func store(b []byte, v uint64, n int) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}
