package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/cpu/cpuid"
	"github.com/nereid-lang/nereid/internal/device/cpu/pool"
	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Device is the host's CPU.
type Device struct {
	// Linker links object files in place of this package's own loader, if it is not nil: files that the
	// loader does not know and, with Lines, all, so that debuggers and profilers are told of the code.
	Linker func(obj []byte, entry string, tell bool) (Native, uintptr, error)
	Lines  bool
	// Compiled names the processor as code that is compiled here does; nil if nothing can be compiled.
	Compiled func() string

	workers *pool.Pool
	memory  stray.Spans
	live    liveCode
}

// Traits returns what is fixed of the CPU.
func (*Device) Traits() device.Traits {
	return device.Traits{HostOnly: true, SharesHost: true, WordDescriptors: true, ChecksBounds: true}
}

// EnableLabels has the threads that run kernels carry the profiler's labels of their launch.
func EnableLabels() { pool.Labels.Store(true) }

// Host returns the CPU, which runs compiled code.
var Host = sync.OnceValue(New)

// New returns the CPU with threads and a bound of native code of its own.
func New() *Device {
	workers := pool.New(0)
	workers.Pin = knob.Pin.Get()
	return &Device{workers: workers, live: liveCode{limit: int(knob.CodeSize.Get())}}
}

// Name returns "cpu".
func (*Device) Name() string { return "cpu" }

// Info returns a line about the CPU.
func (d *Device) Info() string {
	return fmt.Sprintf("%s, %d threads, no LLVM", cpuid.Machine(), d.workers.Threads())
}

// Threads returns the number of threads that run kernels.
func (d *Device) Threads() int { return d.workers.Threads() }

// Model returns the processor with its features and the number of threads, the same with LLVM and without.
func (d *Device) Model() (model, driver string) {
	return fmt.Sprintf("%s%s, %d threads", processor(), cpuid.Machine(), d.workers.Threads()), ""
}

// processor returns the name that the system gives the processor, with a comma, or "".
var processor = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value) + ", "
		}
	}
	return ""
})

// Load links an object file into this process.
func (d *Device) Load(c *Code, name string) (device.Executable, error) {
	k := &kernel{dev: d, code: c, params: c.Params, name: name, sites: c.Sites, wild: wild(c.Sites),
		printer: addPrinter(c.Prints)}
	if k.printer != 0 { // launches print after Close as well
		runtime.AddCleanup(k, func(id uint64) { printers.Delete(id) }, k.printer)
	}
	if _, err := k.link(); err != nil {
		return nil, err
	}
	return k, nil
}

// largeBuffer is the size in bytes from which memory lies in large pages where the system has them: kernels
// that pass over it once are faster for it, by a tenth and more on virtual machines, where an address takes
// long to translate.
const largeBuffer = 8 << 20

// Alloc returns zeroed host memory.
func (d *Device) Alloc(size int) (device.Buffer, error) {
	if a := sharedArena(); a != nil {
		return d.allocShared(a, size)
	}
	align := 64 // a cache line, and a vector
	if size >= largeBuffer {
		align = pool.LargePage
	}
	data, err := device.HostBytes(size + align)
	if err != nil {
		return nil, err
	}
	skip := -uintptr(unsafe.Pointer(&data[0])) & uintptr(align-1)
	b := &buffer{data: data[skip : skip+uintptr(size) : skip+uintptr(size)]}
	if size >= largeBuffer {
		pool.InLargePages(b.data)
	}
	d.add(b)
	return b, nil
}

// allocShared returns zeroed memory that isolated launches can access too.
func (d *Device) allocShared(a *arena, size int) (device.Buffer, error) {
	if err := device.HostRoom(size); err != nil {
		return nil, err
	}
	p, err := a.alloc(size)
	if err != nil {
		return nil, err
	}
	b := &buffer{data: a.bytes(p)[:size:size]}
	clear(b.data)
	s := &shared{a: a, block: p, size: size}
	runtime.AddCleanup(b, (*shared).release, s)
	b.free = s.close
	d.add(b)
	return b, nil
}

// shared is a block of the arena that a buffer has. The collector gives it back: launches under way, here and
// in children, hold the buffer, also after it was closed.
type shared struct {
	a      *arena
	block  block
	size   int
	closed atomic.Bool
}

// waiting is the number of bytes of closed buffers that the collector has not given back; collecting is
// locked while it is made to.
var (
	waiting    atomic.Int64
	collecting sync.Mutex
)

// maxWaiting bounds them; the collector does not see this memory.
const maxWaiting = 64 << 20

// close counts the block among those that wait for the collector.
func (s *shared) close() {
	if s.closed.Swap(true) {
		return
	}
	if waiting.Add(int64(s.size)) >= maxWaiting && collecting.TryLock() {
		runtime.GC()
		collecting.Unlock()
	}
}

// release gives the block back.
func (s *shared) release() {
	if s.closed.Load() {
		waiting.Add(-int64(s.size))
	}
	s.a.free(s.block)
}

// Tiles reports whether the operating system lets this process use AMX.
var Tiles = sync.OnceValue(func() bool { return cpuid.RequestAMX() == nil })

// Wrap returns a buffer for memory of the caller.
func (d *Device) Wrap(data []byte) (device.Buffer, error) { return &buffer{data: data}, nil }

// NewStream returns a stream on which a launch is done when it returns.
func (*Device) NewStream() (device.Stream, error) { return stream{}, nil }

// The code generator and the pool must use the same code for a stopped kernel; the index fails to compile if
// they differ.
var _ = [1]struct{}{}[Stopped-pool.Stopped]

type stream struct{}

func (stream) Sync() error  { return nil }
func (stream) Close() error { return nil }

// buffer is host memory.
type buffer struct {
	data []byte
	of   *stray.Spans // where it is recorded, or nil
	id   uint64       // its number there
	free func()       // releases the memory, or nil
}

func (b *buffer) Addr() uint64 {
	if cap(b.data) == 0 {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.data))))
}
func (b *buffer) Size() int    { return len(b.data) }
func (b *buffer) Host() []byte { return b.data }

func (b *buffer) Close() error {
	if b.of != nil {
		b.of.Remove(b.id)
	}
	if b.free != nil {
		b.free()
	}
	return nil
}

func (b *buffer) Read(at int, into []byte) error  { return device.ReadHost(b.data, at, into) }
func (b *buffer) Write(at int, from []byte) error { return device.WriteHost(b.data, at, from) }

// kernel is a compiled kernel. Launches reuse argument blocks.
type kernel struct {
	live    atomic.Pointer[linked] // nil if its code has to be linked again
	dev     *Device
	code    *Code
	name    string
	params  int
	sites   []Site
	wild    bool // it checks pointers that were derived from no argument
	printer uint64
	blocks  sync.Pool
	linking sync.Mutex
	closed  atomic.Bool
}

// call is the memory that native code reads for a launch.
type call struct {
	args []uint64
	// three sizes, the address of the bounds if accesses are checked, and the number of the printer
	grid [5]uint64
}

// maxGrid is the largest grid: program ids are i32.
var maxGrid = [3]int{math.MaxInt32, math.MaxInt32, math.MaxInt32}

func (k *kernel) Launch(ctx context.Context, _ device.Stream, grid [3]int, words []uint64) error {
	if k.code.Checked {
		return fmt.Errorf("%s checks accesses, and was not told the memory of its arguments", k.name)
	}
	return k.launch(ctx, grid, words, nil)
}

// Apart returns the arguments whose memory the code assumes not to overlap.
func (k *kernel) Apart() []device.Apart { return k.code.Apart }

// Bounded reports whether the code checks its accesses.
func (k *kernel) Bounded() bool { return k.code.Checked }

// LaunchBounded launches like Launch, for checked code: accesses through a pointer argument must stay in the
// argument's tensor.
func (k *kernel) LaunchBounded(ctx context.Context, _ device.Stream, grid [3]int, words []uint64,
	mem []device.Memory) error {
	if !k.code.Checked {
		return k.launch(ctx, grid, words, nil)
	}
	return k.launch(ctx, grid, words, k.bounds(len(words), mem))
}

func (k *kernel) launch(ctx context.Context, grid [3]int, words, bounds []uint64) error {
	if len(words) != k.params {
		return fmt.Errorf("%s takes %d arguments, not %d", k.name, k.params, len(words))
	}
	n, err := device.CountPrograms(grid, maxGrid)
	if err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	code := k.live.Load()
	if code == nil {
		if code, err = k.link(); err != nil {
			return err
		}
	}
	if !code.used.Load() { // most launches find the mark set and write nothing
		code.used.Store(true)
	}
	c, _ := k.blocks.Get().(*call)
	if c == nil {
		c = &call{args: make([]uint64, max(1, k.params))}
	}
	copy(c.args, words)
	for d, g := range grid {
		c.grid[d] = uint64(g)
	}
	c.grid[3], c.grid[4] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(bounds)))), k.printer
	err = k.dev.workers.Run(ctx, &code.work, unsafe.Pointer(&c.args[0]), unsafe.Pointer(&c.grid[0]), n)
	k.blocks.Put(c)
	runtime.KeepAlive(bounds)
	runtime.KeepAlive(code)
	if err != nil {
		return k.explain(err, grid, words, bounds)
	}
	return nil
}

// explain returns the error of a launch with its position in the kernel's file.
func (k *kernel) explain(err error, grid [3]int, words, bounds []uint64) error {
	var trap *pool.Trap
	if errors.As(err, &trap) {
		return k.fault(trap, grid, words, bounds)
	}
	return err
}
