package driver

import (
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Function is a kernel of a module, ready to be launched. Its fields describe the compiled code.
type Function struct {
	Registers          int // registers of each thread
	LocalBytes         int // local memory of each thread: spills and arrays
	SharedBytes        int // static, of each block
	ConstBytes         int
	MaxThreadsPerBlock int
	PTXVersion         int // 83 for 8.3
	BinaryVersion      int // 90 for sm_90

	ctx    *Context
	module *Module
	ref    functionRef
	name   string

	// Large is other code for launches with many blocks, or nil. It is set before the first launch.
	Large *Large
	// Other returns other code for a launch with that grid, or nil. The function may be nil, and is set
	// before the first launch.
	Other func(s *Stream, x, y, z uint32) *Ready
	found detour
}

// detour is the answer of Other to the last grid for which there was other code. Its sequence number is odd
// while somebody writes it, and changes with each writing.
type detour struct {
	seq   atomic.Uint64
	xy, z atomic.Uint64
	to    atomic.Pointer[Ready]
}

// other asks Other, unless it was asked about this grid before: repeated launches come here each time, since
// the last launch of their stream is one of the other code. That there is none may change.
func (f *Function) other(s *Stream, x, y, z uint32) *Ready {
	d, xy := &f.found, pair(x, y)
	seq := d.seq.Load()
	if d.xy.Load() == xy && d.z.Load() == uint64(z) && seq&1 == 0 {
		if to := d.to.Load(); d.seq.Load() == seq {
			return to
		}
	}
	to := f.Other(s, x, y, z)
	if to != nil && seq&1 == 0 && d.seq.CompareAndSwap(seq, seq+1) {
		d.xy.Store(xy)
		d.z.Store(uint64(z))
		d.to.Store(to)
		d.seq.Store(seq + 2)
	}
	return to
}

// Name returns the kernel's name.
func (f *Function) Name() string { return f.name }

// Context returns the context that the function is loaded in.
func (f *Function) Context() *Context { return f.ctx }

// Values of CUfunction_attribute.
const (
	attrMaxDynamicShared   = 8
	attrCarveout           = 9
	attrNonPortableCluster = 14
)

// Function returns a kernel of the module.
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{ctx: m.ctx, module: m, name: name}
	raw := &m.ctx.driver.raw
	err := m.ctx.do("cuModuleGetFunction", func() Result {
		return raw.moduleGetFunction(&f.ref, m.ref, name)
	})
	if err != nil {
		return nil, explain(err, "kernel %s", name)
	}
	for attribute, field := range []*int{
		&f.MaxThreadsPerBlock, &f.SharedBytes, &f.ConstBytes, &f.LocalBytes, &f.Registers, &f.PTXVersion,
		&f.BinaryVersion,
	} {
		var v int32
		err := m.ctx.do("cuFuncGetAttribute", func() Result {
			return raw.funcGetAttribute(&v, int32(attribute), f.ref)
		})
		if err != nil {
			return nil, explain(err, "kernel %s, attribute %d", name, attribute)
		}
		*field = int(v)
	}
	return f, nil
}

// defaultShared is the shared memory that a kernel may use without asking.
const defaultShared = 48 << 10

// AllowShared lets launches use that many bytes of dynamic shared memory. More than 48 KiB must be asked for,
// once.
func (f *Function) AllowShared(bytes int) error {
	device := f.ctx.device
	if most := device.SharedPerBlockOptin - f.SharedBytes; bytes > most {
		return diag.Refuse("shared memory", "kernel %s needs %d bytes, %s (%s) has %d for a block",
			f.name, bytes, device, device.Name, most).Instead("use smaller blocks or fewer stages")
	}
	if bytes+f.SharedBytes <= defaultShared {
		return nil
	}
	return f.set(attrMaxDynamicShared, bytes)
}

// PreferShared gives as much of the L1 cache as possible to shared memory.
func (f *Function) PreferShared() error {
	const preferShared = 1
	err := f.ctx.do("cuFuncSetCacheConfig", func() Result {
		return f.ctx.driver.raw.funcSetCacheConfig(f.ref, preferShared)
	})
	return explain(err, "kernel %s", f.name)
}

// SetCarveout sets the percentage of the L1 cache that should be shared memory; -1 leaves it to the driver.
func (f *Function) SetCarveout(percent int) error { return f.set(attrCarveout, percent) }

// AllowLargeClusters lets launches use clusters of more than 8 blocks, which not every GPU has.
func (f *Function) AllowLargeClusters() error { return f.set(attrNonPortableCluster, 1) }

func (f *Function) set(attribute int32, value int) error {
	err := f.ctx.do("cuFuncSetAttribute", func() Result {
		return f.ctx.driver.raw.funcSetAttribute(f.ref, attribute, int32(value))
	})
	return explain(err, "kernel %s, attribute %d = %d", f.name, attribute, value)
}

// BlocksPerSM returns how many blocks of that size fit on a multiprocessor at once.
func (f *Function) BlocksPerSM(threads, shared int) (int, error) {
	var n int32
	err := f.ctx.do("cuOccupancyMaxActiveBlocksPerMultiprocessor", func() Result {
		return f.ctx.driver.raw.maxActiveBlocks(&n, f.ref, int32(threads), uintptr(shared))
	})
	return int(n), explain(err, "kernel %s, %d threads, %d bytes of shared memory", f.name, threads, shared)
}
