package ptxsim

import (
	"encoding/binary"
	"fmt"
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

type buffer struct {
	addr uint64
	data []byte
}

// Where the windows of generic addresses begin.
const (
	globalBase = 0x7f0000000000
	sharedBase = 1 << 56
	localBase  = 2 << 56
	moduleBase = 3 << 56
	paramBase  = 4 << 56
	windowMask = 0xff << 56
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

// Spans returns the buffers.
func (m *Memory) Spans() []stray.Span {
	var out []stray.Span
	for _, b := range m.list() {
		out = append(out, stray.Span{Lo: b.addr, Size: uint64(len(b.data))})
	}
	return out
}

func (m *Memory) list() []buffer {
	if p := m.buffers.Load(); p != nil {
		return *p
	}
	return nil
}

// below returns the last buffer that begins at or below an address.
func (m *Memory) below(addr uint64) (buffer, bool) {
	list := m.list()
	i := sort.Search(len(list), func(i int) bool { return list[i].addr > addr }) - 1
	if i < 0 {
		return buffer{}, false
	}
	return list[i], true
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

// at returns n bytes at an address.
func (m *Memory) at(addr uint64, n int) ([]byte, error) {
	if b, ok := m.below(addr); ok {
		if off := addr - b.addr; off+uint64(n) <= uint64(len(b.data)) {
			return b.data[off : off+uint64(n)], nil
		}
		return nil, fmt.Errorf("address %#x is %d bytes into a buffer of %d", addr, int64(addr-b.addr), len(b.data))
	}
	return nil, fmt.Errorf("address %#x is in no buffer", addr)
}

// space is an address space.
type space uint8

const (
	generic space = iota
	global
	shared
	local
	constant
	clusterShared // of any block of the cluster
)

var spaces = map[string]space{"global": global, "shared": shared, "local": local, "const": constant, "shared::cta": shared, "shared::cluster": clusterShared}

// bytes returns n bytes at an address of a space, for reading or writing by a thread. The address must be
// aligned to n.
func (c *block) bytes(sp space, t int32, addr uint64, n int, write bool) []byte {
	if n > 0 && addr%uint64(n) != 0 {
		c.fail(t, "address %#x is not aligned to %d", addr, n)
	}
	if sp == generic {
		switch addr & windowMask {
		case sharedBase:
			sp, addr = shared, addr&^windowMask
		case localBase:
			sp, addr = local, addr&^windowMask
		default:
			sp = global
		}
	}
	switch sp {
	case clusterShared:
		return c.clusterBytes(t, addr, n, write)
	case shared:
		if addr+uint64(n) > uint64(len(c.shared)) {
			c.fail(t, "shared address %#x of %d bytes is outside of %d", addr, n, len(c.shared))
		}
		if c.races != nil {
			c.races.touch(c, c, t, int(addr), n, write)
		}
		return c.shared[addr : addr+uint64(n)]
	case local:
		if addr+uint64(n) > uint64(c.localSize) {
			c.fail(t, "local address %#x of %d bytes is outside of %d", addr, n, c.localSize)
		}
		return c.local[int(t)*c.localSize:][addr : addr+uint64(n)]
	}
	if addr&windowMask == paramBase {
		off := addr &^ windowMask
		if write || off+uint64(n) > uint64(c.paramSize) {
			c.fail(t, "address %#x of the parameters, which have %d bytes and are not written", off, c.paramSize)
		}
		return c.params[int(t)*c.paramSize+int(off):][:n]
	}
	if addr&windowMask == moduleBase {
		off := addr &^ windowMask
		if off+uint64(n) > uint64(len(c.m.data)) {
			c.fail(t, "address %#x is outside of the module's data", addr)
		}
		return c.m.data[off : off+uint64(n)]
	}
	b, err := c.launch.Memory.at(addr, n)
	if err != nil {
		c.failAccess(t, addr, n, write, err.Error())
	}
	if c.globals != nil {
		c.globals.touch(c, t, addr, b, write, false)
	}
	return b
}

// load reads 1, 2, 4 or 8 bytes.
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

// store writes n bytes of v.
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

// settle looks at writes that are done.
func (c *block) settle() {
	if c.races != nil && len(c.races.doubts) > 0 {
		c.races.settle(c)
	}
	if c.globals != nil && len(c.globals.doubts) > 0 {
		c.globals.settle(c)
	}
}
