package driver

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Dim3 is the size of a grid, a block or a cluster.
type Dim3 struct{ X, Y, Z uint32 }

func (d Dim3) String() string { return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z) }

// Config says how to launch a kernel.
type Config struct {
	Grid, Block Dim3
	Shared      uint32 // bytes of dynamic shared memory
	Cluster     Dim3   // blocks that run together; zero means no cluster
	Cooperative bool   // the grid may synchronize
	Overlap     bool   // may begin before the previous kernel ends (programmatic stream serialization)
}

// Plain reports whether cuLaunchKernel, and so a Ready, can do the launch.
func (c *Config) Plain() bool { return c.Cluster.X == 0 && !c.Cooperative && !c.Overlap }

// Args holds the arguments of a kernel in memory that is reused for each launch. One goroutine uses it at a
// time. The driver copies the arguments when a launch is queued, so it is free again when Launch returns.
type Args struct {
	data   []byte
	params []unsafe.Pointer
	words  []uint64   // same memory as data, for NewWords
	frame  dl.Frame   // frame of the call
	ctx    [1]uintptr // argument of the call that makes the context current
	config launchConfig
	attrs  [3]launchAttribute
}

// paramAlign is the alignment of the arguments' memory: that of a tensor map, the most demanding one.
const paramAlign = 64

// NewArgs returns memory for parameters of these sizes in bytes.
func NewArgs(sizes ...int) *Args {
	a := &Args{params: make([]unsafe.Pointer, len(sizes))}
	total := 0
	offsets := make([]int, len(sizes))
	for i, size := range sizes {
		align := alignment(size)
		total = (total + align - 1) &^ (align - 1)
		offsets[i] = total
		total += size
	}
	block := make([]byte, total+paramAlign)
	skip := int(-uintptr(unsafe.Pointer(&block[0])) & (paramAlign - 1))
	a.data = block[skip : skip+total]
	for i, offset := range offsets {
		if sizes[i] > 0 {
			a.params[i] = unsafe.Pointer(&a.data[offset])
		}
	}
	return a
}

// NewWords returns memory for n parameters of up to 8 bytes, each in a word of its own. The driver reads as
// many of its low bytes as the parameter has.
func NewWords(n int) *Args {
	a := &Args{params: make([]unsafe.Pointer, n), words: make([]uint64, n)}
	for i := range a.words {
		a.params[i] = unsafe.Pointer(&a.words[i])
	}
	return a
}

// Words returns the parameters of NewWords.
func (a *Args) Words() []uint64 { return a.words }

// alignment returns the alignment of a value: the largest power of two up to its size, at most a tensor
// map's.
func alignment(size int) int {
	align := 1
	for align*2 <= size && align < paramAlign {
		align *= 2
	}
	return align
}

// Len returns the number of parameters.
func (a *Args) Len() int { return len(a.params) }

// Uint64 sets a parameter of 8 bytes: a pointer, an int64.
func (a *Args) Uint64(i int, v uint64) { *(*uint64)(a.params[i]) = v }

// Uint32 sets a parameter of 4 bytes.
func (a *Args) Uint32(i int, v uint32) { *(*uint32)(a.params[i]) = v }

// Uint16 sets a parameter of 2 bytes, including the bits of float16 and bfloat16.
func (a *Args) Uint16(i int, v uint16) { *(*uint16)(a.params[i]) = v }

// Uint8 sets a parameter of 1 byte.
func (a *Args) Uint8(i int, v uint8) { *(*uint8)(a.params[i]) = v }

// Float32 sets a parameter.
func (a *Args) Float32(i int, v float32) { a.Uint32(i, math.Float32bits(v)) }

// Float64 sets a parameter.
func (a *Args) Float64(i int, v float64) { a.Uint64(i, math.Float64bits(v)) }

// Pointer sets a parameter.
func (a *Args) Pointer(i int, p DevicePtr) { a.Uint64(i, uint64(p)) }

// Bytes sets a parameter of any size, such as a struct or a tensor map.
func (a *Args) Bytes(i int, v []byte) { copy(unsafe.Slice((*byte)(a.params[i]), len(v)), v) }

// Data returns all parameters packed, each aligned to its size.
func (a *Args) Data() []byte { return a.data }

// launchConfig is CUlaunchConfig.
type launchConfig struct {
	grid, block Dim3
	shared      uint32
	stream      streamRef
	attrs       *launchAttribute
	count       uint32
}

// launchAttribute is CUlaunchAttribute.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [64]byte
}

const (
	attrCooperative = 2
	attrCluster     = 4
	attrOverlap     = 6
)

// Launch queues a kernel on a stream. It returns when the kernel is queued; errors while it runs come out of
// a later call. A grid without blocks is no launch, as in Triton. Launch allocates nothing.
func (f *Function) Launch(s *Stream, c *Config, a *Args) error {
	if c.Grid.X == 0 || c.Grid.Y == 0 || c.Grid.Z == 0 {
		return nil
	}
	if xy, zShared := pair(c.Grid.X, c.Grid.Y), pair(c.Grid.Z, c.Shared); !s.last.is(f, xy, zShared) {
		if err := s.note(f, xy, zShared); err != nil {
			return err
		}
	}
	call, err := f.prepare(s, c, a)
	if err != nil {
		return err
	}
	// The thread may not have the context current, because goroutines move; the driver then returns an error.
	// With several devices in use the thread may also have another device's context, which the driver might
	// accept.
	if f.ctx.driver.contexts.Load() == 1 {
		r := a.call(call)
		if r == success {
			return nil
		}
		if r != ErrInvalidContext && r != ErrInvalidHandle {
			return f.failed(c, r)
		}
	}
	return f.launchCurrent(c, a, call)
}

// Bare returns a function that only calls the driver for a launch, to measure what Launch adds. It must not
// be used by several goroutines at once.
func (f *Function) Bare(s *Stream, c *Config, a *Args) (func() error, error) {
	call, err := f.prepare(s, c, a)
	if err != nil {
		return nil, err
	}
	if err := f.launchCurrent(c, a, call); err != nil {
		return nil, err
	}
	return func() error {
		if r := a.call(call); r != success {
			return f.launchCurrent(c, a, call)
		}
		return nil
	}, nil
}

// launchCurrent launches after making the context current.
func (f *Function) launchCurrent(c *Config, a *Args, call uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if f.ctx.driver.guest.Load() {
		before, err := f.ctx.enter()
		if err != nil {
			return err
		}
		defer f.ctx.leave(before)
	} else {
		a.ctx[0] = uintptr(f.ctx.ref)
		if r := Result(dl.Call(f.ctx.driver.raw.ctxSetCurrentAt, a.ctx[:]...)); r != success {
			return f.ctx.driver.check("cuCtxSetCurrent", r)
		}
	}
	if r := a.call(call); r != success {
		return f.failed(c, r)
	}
	return nil
}

// call calls the driver with the prepared frame.
func (a *Args) call(fn uintptr) Result {
	a.frame.Fn = fn
	r := Result(a.frame.Call())
	runtime.KeepAlive(a) // the frame holds addresses in it
	return r
}

// prepare fills the frame of the call and returns the function that takes it.
func (f *Function) prepare(s *Stream, c *Config, a *Args) (call uintptr, err error) {
	var params uintptr
	if len(a.params) > 0 {
		params = uintptr(unsafe.Pointer(&a.params[0]))
	}
	raw := &f.ctx.driver.raw
	if c.Plain() {
		a.frame.Args = [11]uintptr{
			uintptr(f.ref),
			uintptr(c.Grid.X), uintptr(c.Grid.Y), uintptr(c.Grid.Z),
			uintptr(c.Block.X), uintptr(c.Block.Y), uintptr(c.Block.Z),
			uintptr(c.Shared), uintptr(s.ref), params, 0,
		}
		return raw.launchKernel, nil
	}
	if raw.launchKernelEx == 0 {
		return 0, f.ctx.driver.unsupported("cuLaunchKernelEx")
	}
	a.describe(s, c)
	a.frame.Args = [11]uintptr{uintptr(unsafe.Pointer(&a.config)), uintptr(f.ref), params, 0}
	return raw.launchKernelEx, nil
}

// describe fills in the configuration for cuLaunchKernelEx.
func (a *Args) describe(s *Stream, c *Config) {
	a.config = launchConfig{grid: c.Grid, block: c.Block, shared: c.Shared, stream: s.ref, attrs: &a.attrs[0]}
	if c.Cluster.X != 0 {
		value := a.attribute(attrCluster)
		binary.NativeEndian.PutUint32(value[0:], c.Cluster.X)
		binary.NativeEndian.PutUint32(value[4:], max(1, c.Cluster.Y))
		binary.NativeEndian.PutUint32(value[8:], max(1, c.Cluster.Z))
	}
	if c.Cooperative {
		binary.NativeEndian.PutUint32(a.attribute(attrCooperative)[:], 1)
	}
	if c.Overlap {
		binary.NativeEndian.PutUint32(a.attribute(attrOverlap)[:], 1)
	}
}

// attribute appends a launch attribute and returns its value, all zeros, for the caller to set.
func (a *Args) attribute(id uint32) *[64]byte {
	attr := &a.attrs[a.config.count]
	*attr = launchAttribute{id: id}
	a.config.count++
	return &attr.value
}

// failed returns the error of a launch.
func (f *Function) failed(c *Config, r Result) error {
	call := "cuLaunchKernel"
	if !c.Plain() {
		call = "cuLaunchKernelEx"
	}
	return explain(f.ctx.driver.check(call, r), "%s", f.describeLaunch(c))
}

func (f *Function) describeLaunch(c *Config) string {
	text := fmt.Sprintf("kernel %s, grid %v, block %v, %d bytes of shared memory", f.name, c.Grid,
		c.Block, c.Shared)
	if c.Cluster.X != 0 {
		text += fmt.Sprintf(", cluster %v", c.Cluster)
	}
	if threads := uint64(c.Block.X) * uint64(c.Block.Y) * uint64(c.Block.Z); f.MaxThreadsPerBlock > 0 &&
		threads > uint64(f.MaxThreadsPerBlock) {
		text += fmt.Sprintf("; it can have at most %d threads in a block", f.MaxThreadsPerBlock)
	}
	return text
}

// Clusters returns how many clusters of a launch fit on the device at once; 0 means that it cannot be
// launched.
func (f *Function) Clusters(c *Config) (int, error) {
	raw := &f.ctx.driver.raw
	if raw.maxActiveClusters == nil {
		return 0, f.ctx.driver.unsupported("cuOccupancyMaxActiveClusters")
	}
	a := NewArgs()
	a.describe(f.ctx.null, c)
	var n int32
	err := f.ctx.do("cuOccupancyMaxActiveClusters", func() Result {
		return raw.maxActiveClusters(&n, f.ref, &a.config)
	})
	return int(n), explain(err, "%s", f.describeLaunch(c))
}
