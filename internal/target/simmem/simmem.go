// Package simmem is the global memory of simulated devices: buffers that callers lend, at addresses that are
// checked.
package simmem

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/target"
)

// Memory is global memory: buffers that the caller lends. Several launches may use it at a time.
type Memory struct {
	mu      sync.Mutex // of changes
	buffers atomic.Pointer[[]Span]
	next    uint64
}

// Span is a buffer in memory.
type Span struct {
	Addr uint64
	Data []byte
}

// Base is where the first buffer lies.
const Base = 0x7f0000000000

// New returns empty memory.
func New() *Memory { return &Memory{next: Base} }

// Alloc lends a buffer and returns its address. Addresses around it belong to nobody.
func (m *Memory) Alloc(data []byte) uint64 { return m.AllocAt(data, 0) }

// AllocAt allocates like Alloc, at an address that is so many bytes, less than 256, above a multiple of
// 256.
func (m *Memory) AllocAt(data []byte, above uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.next + above
	list := append(slices.Clone(m.list()), Span{a, data})
	m.buffers.Store(&list)
	m.next += (uint64(len(data)) + above + 1<<20) &^ 0xff
	return a
}

// Free takes a buffer back.
func (m *Memory) Free(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(m.list()), func(b Span) bool { return b.Addr == addr })
	m.buffers.Store(&list)
}

// Spans returns the buffers.
func (m *Memory) Spans() []stray.Span {
	var out []stray.Span
	for _, b := range m.list() {
		out = append(out, stray.Span{Lo: b.Addr, Size: uint64(len(b.Data))})
	}
	return out
}

func (m *Memory) list() []Span {
	if p := m.buffers.Load(); p != nil {
		return *p
	}
	return nil
}

// below returns the last buffer that begins at or below an address.
func (m *Memory) below(addr uint64) (Span, bool) {
	list := m.list()
	i := sort.Search(len(list), func(i int) bool { return list[i].Addr > addr }) - 1
	if i < 0 {
		return Span{}, false
	}
	return list[i], true
}

// Near returns the buffer that an address is in or nearest to.
func (m *Memory) Near(addr uint64) (Span, bool) {
	list := m.list()
	i := sort.Search(len(list), func(i int) bool { return list[i].Addr > addr })
	switch {
	case len(list) == 0:
		return Span{}, false
	case i == 0:
		return list[0], true
	case i == len(list):
		return list[i-1], true
	}
	if end := list[i-1].Addr + uint64(len(list[i-1].Data)); addr < end || addr-end <= list[i].Addr-addr {
		return list[i-1], true
	}
	return list[i], true
}

// At returns n bytes at an address.
func (m *Memory) At(addr uint64, n int) ([]byte, error) {
	if b, ok := m.below(addr); ok {
		if data := b.At(addr, n); data != nil {
			return data, nil
		}
		return nil, fmt.Errorf("address %#x is %d bytes into a buffer of %d", addr, int64(addr-b.Addr),
			len(b.Data))
	}
	return nil, fmt.Errorf("address %#x is in no buffer", addr)
}

// At returns n bytes at an address, nil where the buffer does not have them.
func (b *Span) At(addr uint64, n int) []byte {
	off := addr - b.Addr
	if off > uint64(len(b.Data)) || n > len(b.Data)-int(off) {
		return nil
	}
	return b.Data[off : off+uint64(n)]
}

// Load reads a word of 1, 2, 4 or 8 bytes.
func Load(b []byte, n int) uint64 {
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

// Store writes a word of 1, 2, 4 or 8 bytes.
func Store(b []byte, v uint64, n int) {
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

// Buffer lends data to kernels as a device's buffer.
func (m *Memory) Buffer(data []byte) target.Buffer { return &buffer{m, m.Alloc(data), data} }

// buffer is memory that is lent.
type buffer struct {
	mem  *Memory
	addr uint64
	data []byte
}

// Narrow lends a part of the buffer at addresses of its own.
func (b *buffer) Narrow(lo, hi int) (target.Buffer, error) {
	data := b.data[lo:hi:hi]
	return &buffer{b.mem, b.mem.AllocAt(data, (b.addr+uint64(lo))%256), data}, nil
}

func (b *buffer) Addr() uint64 { return b.addr }
func (b *buffer) Size() int    { return len(b.data) }
func (b *buffer) Host() []byte { return b.data }

func (b *buffer) Close() error {
	b.mem.Free(b.addr)
	return nil
}

func (b *buffer) Read(at int, into []byte) error  { return device.ReadHost(b.data, at, into) }
func (b *buffer) Write(at int, from []byte) error { return device.WriteHost(b.data, at, from) }

// Stream is never busy: launches run in the calling goroutine.
type Stream struct{}

func (Stream) Sync() error  { return nil }
func (Stream) Close() error { return nil }
