package ptxsim

import (
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// Memory is global memory.
type Memory = simmem.Memory

// NewMemory returns empty memory.
func NewMemory() *Memory { return simmem.New() }

// Where the windows of generic addresses begin.
const (
	globalBase = simmem.Base
	sharedBase = 1 << 56
	localBase  = 2 << 56
	moduleBase = 3 << 56
	paramBase  = 4 << 56
	windowMask = 0xff << 56
)

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

var spaces = map[string]space{"global": global, "shared": shared, "local": local, "const": constant,
	"shared::cta": shared, "shared::cluster": clusterShared}

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
			c.fail(t, "address %#x of the parameters, which have %d bytes and are not written", off,
				c.paramSize)
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
	b, err := c.launch.Memory.At(addr, n)
	if err != nil {
		c.failAccess(t, addr, n, write, err.Error())
	}
	if c.globals != nil {
		c.globals.touch(c, t, addr, b, write, false)
	}
	return b
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
