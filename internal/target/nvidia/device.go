package nvidia

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/target/stray"
)

// Device is an NVIDIA GPU.
type Device struct {
	Compiler
	dev  *driver.Device
	ctx  *driver.Context
	maps *mapTable

	memory  stray.Spans // buffers, for checked kernels
	records records     // for their launches

	assembler func() assembling // the same at each call
}

// Devices returns the GPUs of this machine, whether LLVM is installed or not. If there is none, the error
// says why.
func Devices() ([]target.Backend, error) {
	d, err := driver.Load()
	if err != nil {
		return nil, err
	}
	var out []target.Backend
	for _, dev := range d.Devices() {
		out = append(out, newDevice(d, dev))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the CUDA driver is here, but no GPU")
	}
	return out, nil
}

// DeviceOf returns the GPU of a context that somebody else made and keeps until release is called, by its
// CUcontext; 0 means the calling thread's current one. For a primary context, release is nil: the device of
// the same name that Devices returns uses it.
func DeviceOf(handle uintptr) (b target.Backend, release func(), err error) {
	d, err := driver.Load()
	if err != nil {
		return nil, nil, err
	}
	if handle == 0 {
		if handle, err = d.Current(); err == nil && handle == 0 {
			err = errors.New("the calling thread has no current CUDA context")
		}
		if err != nil {
			return nil, nil, err
		}
	}
	c, err := d.Foreign(handle)
	if err != nil {
		return nil, nil, err
	}
	x := newDevice(d, c.Device())
	if x.ctx = c; c.Primary() {
		return x, nil, nil
	}
	return x, func() { _ = c.Release() }, nil
}

func newDevice(d *driver.Driver, dev *driver.Device) *Device {
	c := Compiler{Capability: dev.Capability(), NoMaps: !d.HasTensorMaps()}
	assembler := sync.OnceValue(func() assembling { return assembles(d.Version()) })
	return &Device{Compiler: c, dev: dev, maps: &mapTable{}, assembler: assembler}
}

// BeGuest makes calls leave the current contexts of threads as they were; see driver.Driver.BeGuest.
func BeGuest() {
	if d, err := driver.Load(); err == nil {
		d.BeGuest()
	}
}

// Name returns "cuda:0" and the like.
func (d *Device) Name() string { return d.dev.String() }

// Kind returns the target in Triton's notation: all GPUs of an architecture share code.
func (d *Device) Kind() string { return d.Compiler.name() }

// Info returns a line about the GPU.
func (d *Device) Info() string {
	return fmt.Sprintf("%s, sm_%d, %d SMs, %d MiB", d.dev.Name, d.Capability, d.dev.SMs,
		d.dev.TotalMemory>>20)
}

// Model returns the GPU and the version of its driver.
func (d *Device) Model() (model, driver string) {
	return d.Info(), fmt.Sprintf("driver %d", d.dev.Driver().Version())
}

var contexts sync.Mutex

// context returns the GPU's context: the primary one, created when first needed, unless it has one of others.
func (d *Device) context() (*driver.Context, error) {
	contexts.Lock()
	defer contexts.Unlock()
	if d.ctx != nil {
		return d.ctx, nil
	}
	c, err := d.dev.Context()
	if err == nil {
		d.ctx = c
	}
	return c, err
}

// Compile compiles and loads a kernel. Only this needs LLVM: a machine without it runs kernels from the
// cache.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	if _, err := llvm.Load(); err != nil {
		return nil, fmt.Errorf("%s is not among the compiled kernels, and to compile it takes LLVM: %w",
			in.Kernel, err)
	}
	code, err := d.Compiler.Compile(ctx, in, d.assembler().maxPTX)
	if err != nil || code == nil {
		return nil, err
	}
	start := time.Now()
	k, err := d.load(ctx, code)
	if err != nil {
		return nil, err
	}
	in.Stages.Record("load", time.Since(start), nothing) // mostly the assembler
	return k, nil
}

// nothing returns the text of a stage that has none.
func nothing() []byte { return nil }

// load assembles and loads a kernel.
func (d *Device) load(ctx context.Context, code *Code) (target.Executable, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	assemble := byDriver(c, code.Name)
	if d.assembler().ptxas {
		assemble = d.byPtxas(ctx)
	}
	best, err := d.assembleBest(code, assemble)
	if err != nil {
		return nil, err
	}
	return d.loaded(code, best)
}

// loaded returns the kernel of assembled code.
func (d *Device) loaded(code *Code, made *assembled) (target.Executable, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	m := made.module
	if m == nil {
		if m, err = c.Load(made.cubin, driver.JITOptions{}); err != nil {
			return nil, err
		}
	}
	f, err := m.Function(code.Name)
	if err != nil {
		return nil, err
	}
	if code.Shared > 48<<10 {
		if err := f.AllowShared(code.Shared); err != nil {
			return nil, err
		}
	}
	if code.NumCTAs > portableCTAs {
		if err := f.AllowLargeClusters(); err != nil {
			return nil, err
		}
	}
	k := &kernel{code: code, made: made, module: m, fn: f, words: code.Words(), dev: d}
	if c := code.config([3]int{1, 1, 1}); c.Plain() && code.plain() && len(code.Params) <= driver.MaxReady {
		k.ready = f.Ready(c)
	}
	return k, nil
}

// Alloc returns zeroed device memory.
func (d *Device) Alloc(size int) (target.Buffer, error) {
	b, err := d.alloc(size)
	if err != nil {
		return nil, err
	}
	// Streams do not wait for the default stream: without waiting here, a kernel could run before its memory
	// is cleared.
	s := b.ctx.DefaultStream()
	if err := errors.Join(s.Fill(b.ptr, 0, 1, size), s.Synchronize()); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// alloc returns device memory with arbitrary contents.
func (d *Device) alloc(size int) (*buffer, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	p, err := c.Alloc(max(size, 1))
	if err != nil {
		return nil, err
	}
	return d.recorded(&buffer{ctx: c, ptr: p, size: size}), nil
}

// At returns a buffer of memory that somebody else has allocated on the GPU, and frees. At 0 there is none.
func (d *Device) At(addr uint64, size int) (target.Buffer, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	for _, p := range []uint64{addr, addr + uint64(max(size, 1)) - 1} {
		if addr == 0 && size == 0 {
			break
		}
		on, err := c.PointerDevice(driver.DevicePtr(p))
		if err != nil {
			return nil, err
		}
		if on != d.dev.Ordinal {
			return nil, fmt.Errorf("the address %#x is memory of cuda:%d, not of %s", p, on, d.Name())
		}
	}
	return d.recorded(&buffer{ctx: c, ptr: driver.DevicePtr(addr), size: size, foreign: true}), nil
}

// Wrap copies host memory to the device for the duration of a launch; Close copies it back.
func (d *Device) Wrap(data []byte) (target.Buffer, error) {
	b, err := d.alloc(len(data))
	if err != nil {
		return nil, err
	}
	if err := b.Write(0, data); err != nil {
		b.Close()
		return nil, err
	}
	return &mirror{b, data}, nil
}

// NewStream returns a CUDA stream.
func (d *Device) NewStream() (target.Stream, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	s, err := c.NewStream()
	if err != nil {
		return nil, err
	}
	return stream{s}, nil
}

// ExternalStream returns a stream for a CUstream that the caller owns.
func (d *Device) ExternalStream(handle uintptr) (target.Stream, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	return stream{c.ExternalStream(handle)}, nil
}

type stream struct{ s *driver.Stream }

func (s stream) Capturing() (bool, error) { return s.s.Capturing() }

// Capture records work as a CUDA graph.
func (s stream) Capture(f func() error) (target.Graph, error) {
	g, err := s.s.Capture(f)
	if err != nil {
		return nil, err
	}
	return graph{g}, nil
}

type graph struct{ g *driver.Graph }

func (g graph) Launch(s target.Stream) error { return g.g.Launch(s.(stream).s) }
func (g graph) Close() error                 { return g.g.Close() }

func (s stream) Sync() error  { return s.s.Synchronize() }
func (s stream) Close() error { return s.s.Close() }

// Zero queues a fill with zeros.
func (s stream) Zero(b target.Buffer, at, n int) error {
	p, err := place(b, at, n)
	if err != nil {
		return err
	}
	return s.s.Fill(p, 0, 1, n)
}

// Copy queues a copy within the GPU's memory.
func (s stream) Copy(to target.Buffer, toAt int, from target.Buffer, fromAt, n int) error {
	dst, err := place(to, toAt, n)
	if err != nil {
		return err
	}
	src, err := place(from, fromAt, n)
	if err != nil {
		return err
	}
	return s.s.Copy(dst, src, n)
}

// place returns the address of n bytes of a buffer.
func place(b target.Buffer, at, n int) (driver.DevicePtr, error) {
	if err := target.CheckRange("use", at, n, b.Size()); err != nil {
		return 0, err
	}
	return driver.DevicePtr(b.Addr()) + driver.DevicePtr(at), nil
}

// CopiesHost reports that host memory is copied for each launch.
func (*Device) CopiesHost() bool { return true }

// buffer is memory of the GPU.
type buffer struct {
	ctx  *driver.Context
	ptr  driver.DevicePtr
	size int

	foreign bool // somebody else frees it
	closed  bool

	of *stray.Spans // where the buffer is recorded
	id uint64
}

// recorded records a buffer until it is closed. One of somebody else's memory is forgotten when it is
// collected, since nobody need close it.
func (d *Device) recorded(b *buffer) *buffer {
	b.of, b.id = &d.memory, d.memory.Add(b.Addr(), uint64(b.size))
	if b.foreign {
		runtime.AddCleanup(b, d.memory.Remove, b.id)
	}
	return b
}

func (b *buffer) Addr() uint64 { return uint64(b.ptr) }
func (b *buffer) Size() int    { return b.size }
func (b *buffer) Host() []byte { return nil }

// Close frees the memory, once.
func (b *buffer) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	b.of.Remove(b.id)
	if b.foreign {
		return nil
	}
	return b.ctx.Free(b.ptr)
}

// Read waits for all launched work, because any stream may have written the memory.
func (b *buffer) Read(at int, into []byte) error {
	if err := target.CheckAccess("read", at, len(into), b.size, b.closed); err != nil {
		return err
	}
	if err := b.ctx.Synchronize(); err != nil {
		return err
	}
	return b.ctx.CopyFrom(into, b.ptr+driver.DevicePtr(at))
}

func (b *buffer) Write(at int, from []byte) error {
	if err := target.CheckAccess("write", at, len(from), b.size, b.closed); err != nil {
		return err
	}
	return b.ctx.CopyTo(b.ptr+driver.DevicePtr(at), from)
}

// mirror is device memory that stands for host memory during a launch.
type mirror struct {
	*buffer
	data []byte
}

func (m *mirror) Host() []byte { return m.data }

// Close waits for the launches that may use the memory and copies it back.
func (m *mirror) Close() error {
	if err := m.Read(0, m.data); err != nil {
		m.buffer.Close()
		return err
	}
	return m.buffer.Close()
}

// Sharing returns how many of a launch's programs run on one SM, if they are few.
func (d *Device) Sharing(grid [3]int) int { return d.Compiler.Sharing(grid, d.dev.SMs) }

// kernel is a loaded kernel.
type kernel struct {
	ready driver.Ready // for plain launches; not set otherwise

	code   *Code
	module *driver.Module
	fn     *driver.Function
	made   *assembled // for the cache
	words  int        // number of words of the arguments
	dev    *Device
	args   sync.Pool // *driver.Args for other launches
	Others           // code for other launches
}

// Ready returns how to launch an executable without an interface call, if that is possible: on a stream of
// RawStream, with params words.
func Ready(e target.Executable) (r driver.Ready, params int, ok bool) {
	k, is := e.(*kernel)
	if !is || !k.ready.Is() {
		return r, 0, false
	}
	return k.ready, k.words, true
}

// RawStream returns a GPU's stream, or nil.
func RawStream(s target.Stream) *driver.Stream {
	own, _ := s.(stream)
	return own.s
}

func (k *kernel) Launch(_ context.Context, s target.Stream, grid [3]int, words []uint64) error {
	if len(words) != k.words {
		return k.misfit(words)
	}
	if _, err := k.code.Count(grid); err != nil {
		return err
	}
	if k.Bounded() {
		return fmt.Errorf("%s checks accesses, and was not told the memory of its arguments", k.code.Name)
	}
	if !k.ready.Is() {
		if e := k.staying(s.(stream).s, grid, words); e != nil {
			return e.launchAny(s, grid, words, nil)
		}
		if e := k.deeper(s.(stream).s, grid); e != nil {
			return e.launchAny(s, grid, words, nil)
		}
		return k.launchAny(s, grid, words, nil)
	}
	if grid[0] == 0 || grid[1] == 0 || grid[2] == 0 {
		return nil // as Function.Launch does
	}
	return k.ready.Launch(s.(stream).s, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]), words)
}

// launchAny launches with everything that a kernel can need. bounds holds the words of checked code.
func (k *kernel) launchAny(s target.Stream, grid [3]int, words, bounds []uint64) error {
	a, _ := k.args.Get().(*driver.Args)
	if a == nil {
		a = driver.NewWords(len(k.code.Params) + k.extra())
	}
	err := k.fill(a, grid, words)
	if errors.Is(err, ErrNoTile) {
		k.args.Put(a)
		return k.launchOther(s, grid, words)
	}
	copy(a.Words()[a.Len()-len(bounds):], bounds)
	c := k.code.config(k.code.Staying(grid, k.dev.dev.SMs))
	if k.code.Persistent {
		for i, n := range grid {
			a.Words()[len(k.code.Params)+i] = uint64(n)
		}
	}
	if err != nil {
		// nothing is launched
	} else if k.code.Scratch == 0 {
		err = k.fn.Launch(s.(stream).s, &c, a)
	} else {
		err = k.launchScratch(s.(stream).s, &c, a, k.code.ScratchBytes(grid))
	}
	k.args.Put(a)
	return err
}

// launchOther launches the code without tiles. A stream that records cannot wait for a compilation.
func (k *kernel) launchOther(s target.Stream, grid [3]int, words []uint64) error {
	if !k.HasWhole() {
		if on, err := s.(stream).Capturing(); on || err != nil {
			busy := fmt.Errorf("%s: its arguments need other code: %w", k.code.Name, target.ErrCapturing)
			return errors.Join(err, busy)
		}
	}
	return k.LaunchWhole(context.Background(), s, grid, words)
}

// Otherwise sets how to make the code for other launches.
func (k *kernel) Otherwise(maker target.Maker) {
	k.Others.Otherwise(maker)
	k.mergeLarge()
	if k.code.Depths != nil && k.ready.Is() {
		k.fn.Other = func(s *driver.Stream, x, y, z uint32) *driver.Ready {
			if e := k.deeper(s, [3]int{int(x), int(y), int(z)}); e != nil && e.ready.Is() {
				return &e.ready
			}
			return nil
		}
	}
}

// deeper returns the code whose pipelines are for launches with that grid, nil if it is this one.
func (k *kernel) deeper(s *driver.Stream, grid [3]int) *kernel {
	n := k.code.OtherDepth(grid, k.dev.dev.SMs)
	if n < 0 {
		return nil
	}
	e, _ := k.Better(context.Background(), n, mayWait(s)).(*kernel)
	return e
}

// staying returns the code whose programs stay on their SMs, nil if a launch should not run it.
func (k *kernel) staying(s *driver.Stream, grid [3]int, words []uint64) *kernel {
	if !k.code.Stays(grid, words, k.dev.dev.SMs) {
		return nil
	}
	e, _ := k.Staying(context.Background(), mayWait(s)).(*kernel)
	return e
}

// mayWait returns a function that reports whether launches on a stream may wait for a compilation. One that
// records cannot.
func mayWait(s *driver.Stream) func() bool {
	return func() bool {
		on, err := s.Capturing()
		return !on && err == nil
	}
}

// fill sets the parameters of a launch.
func (k *kernel) fill(a *driver.Args, grid [3]int, words []uint64) error {
	if k.code.Maps == nil {
		copy(a.Words(), words)
		return nil
	}
	to, maps, from := a.Words(), k.code.Maps, 0
	for i := range k.code.Params {
		if len(maps) == 0 || maps[0].Param != i {
			to[i] = words[from]
			from++
			continue
		}
		n, of := 0, words
		var made tileWords
		if maps[0].Tile != nil {
			var err error
			if of, err = k.code.tile(&maps[0], grid, words, &made); err != nil {
				return err
			}
		} else {
			n = mapWords(len(maps[0].Box))
			of = words[from : from+n]
		}
		m, err := k.dev.maps.get(k.fn.Context(), &maps[0], of)
		switch {
		case err != nil && maps[0].Tile != nil:
			return ErrNoTile
		case err != nil:
			return fmt.Errorf("%s: %w", k.code.Name, err)
		}
		a.Map(i, m)
		from, maps = from+n, maps[1:]
	}
	return nil
}

// extra returns the number of parameters besides the arguments.
func (k *kernel) extra() int {
	n := k.code.checkWords()
	if k.code.Scratch > 0 {
		n++
	}
	if k.code.Persistent {
		n += gridWords
	}
	return n
}

// launchScratch launches with scratch memory.
func (k *kernel) launchScratch(s *driver.Stream, c *driver.Config, a *driver.Args, size int) error {
	return s.WithRoom(size, func(p driver.DevicePtr) error {
		a.Words()[len(k.code.Params)] = uint64(p)
		return k.fn.Launch(s, c, a)
	})
}

// Facts adds what the driver knows of the loaded code.
func (k *kernel) Facts() target.Facts {
	f := k.code.Facts()
	f.Shared += k.fn.SharedBytes
	f.Registers, f.Spills = k.fn.Registers, k.fn.LocalBytes
	return f
}

func (k *kernel) Close() error {
	var errs []error
	for _, e := range k.All() {
		errs = append(errs, e.Close())
	}
	return errors.Join(append(errs, k.module.Unload())...)
}

// Discard unloads the code once its launches are done.
func (k *kernel) Discard() {
	for _, e := range k.All() {
		if d, ok := e.(target.Discarder); ok {
			d.Discard()
		}
	}
	k.module.Retire()
}
