// Package sim is a simulated CUDA device: kernels are compiled for an NVIDIA GPU, and their PTX runs in the
// simulator of package ptxsim. It tests the path to PTX on any machine that has LLVM, and finds races on
// shared memory and accesses out of bounds.
package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interleave"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
	"github.com/nereid-lang/nereid/internal/target/simcount"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// Fault is the error of a kernel that was stopped.
type Fault = ptxsim.Fault

// Device is a simulated GPU.
type Device struct {
	nvidia.Compiler
	mem      *simmem.Memory
	sms      int         // multiprocessors for which the programs of a launch are few or many
	overlaps atomic.Bool // it has code for launches that begin before others have ended
}

// capabilities lists the compute capabilities of the simulated devices.
var capabilities = []int{90, 89, 80}

// Devices returns the simulated devices, or an error that says why there are none.
func Devices() ([]target.Backend, error) {
	if _, err := llvm.Load(); err != nil {
		return nil, err
	}
	var out []target.Backend
	for _, c := range capabilities {
		out = append(out, newDevice(c, fewSMs))
	}
	return out, nil
}

func newDevice(capability, sms int) *Device {
	return &Device{Compiler: nvidia.Compiler{Capability: capability}, mem: simmem.New(), sms: sms}
}

// Card returns a simulated GPU that runs for each launch the code which a whole card would run, nil if there
// is none of that capability.
func Card(capability int) *Device {
	if !slices.Contains(capabilities, capability) {
		return nil
	}
	return newDevice(capability, simulatedSMs)
}

func (d *Device) Name() string { return fmt.Sprintf("sim:%d", d.Capability) }

// Traits returns those of the compiler, and that the simulator runs a GPU's code and has Options.Certify.
func (d *Device) Traits() device.Traits {
	t := d.Compiler.Traits()
	t.ChecksAlways, t.ChecksBounds, t.Scopes = true, true, true
	t.Target, t.Certifies = fmt.Sprintf("cuda:%d", d.Capability), true
	return t
}

func (d *Device) Info() string {
	return fmt.Sprintf("simulator of PTX for sm_%d in Go, checks accesses and races", d.Capability)
}

// Compile compiles a kernel to PTX and parses it.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	code, err := d.Compiler.Compile(ctx, in, 0)
	if err != nil || code == nil {
		return nil, err
	}
	return d.load(code)
}

func (d *Device) Alloc(size int) (target.Buffer, error) {
	data, err := device.HostBytes(size)
	if err != nil {
		return nil, err
	}
	return d.Wrap(data)
}

func (d *Device) Wrap(data []byte) (target.Buffer, error) {
	return d.mem.Buffer(data), nil
}

func (*Device) NewStream() (target.Stream, error) { return &stream{}, nil }

// stream knows what its last launch accessed, if the next one may begin before that one has ended.
type stream struct {
	mu   sync.Mutex
	last *ptxsim.Touched
}

// Sync implements target.Stream: launches run in the calling goroutine, so all have ended.
func (s *stream) Sync() error {
	s.ended(nil)
	return nil
}

func (*stream) Close() error { return nil }

// before returns the accesses of the previous launch, nil if the stream was synchronized since: then later
// launches cannot race with it.
func (s *stream) before() *ptxsim.Touched {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// ended notes what a launch accessed.
func (s *stream) ended(t *ptxsim.Touched) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = t
}

// simulatedSMs is the number of SMs for which launches are large or not: an H100's. fewSMs is that for which
// their programs are few or many; it is small, so that tests launch both.
const (
	simulatedSMs = 132
	fewSMs       = 2
)

// WayOf returns the way of the code for a grid.
func (d *Device) WayOf(grid [3]int) device.Way { return d.Compiler.WayOf(grid, d.sms) }

type kernel struct {
	dev              *Device
	code             *devnvidia.Code
	module           *ptxsim.Module
	devnvidia.Others // code for other launches

	recording sync.Mutex // held by launches that record scopes, which share a variable
}

func (k *kernel) Launch(ctx context.Context, s target.Stream, grid [3]int, args []uint64) error {
	if k.Bounded() {
		return fmt.Errorf("%s checks accesses, and was not told the memory of its arguments", k.code.Name)
	}
	if n, unit := k.code.Merges(grid[0], args, simulatedSMs); n > 1 && k.HasMaker() {
		e, err := k.Merged(ctx, n, unit)
		switch {
		case err == nil:
			return e.Launch(ctx, s, grid, args)
		case !errors.Is(err, device.ErrAhead): // a GPU would run the ordinary code; here tests shall see it
			return err
		}
	}
	wait := func() bool { return true }
	if k.code.Stays(grid, args, k.dev.sms) {
		if e := k.Staying(ctx, wait); e != nil {
			return e.Launch(ctx, s, grid, args)
		}
	}
	if n := k.code.OtherDepth(grid, args, k.dev.sms); n >= 0 {
		if e := k.Deeper(ctx, n, wait); e != nil {
			return e.Launch(ctx, s, grid, args)
		}
	}
	err := k.launch(ctx, s, grid, args, nil)
	if errors.Is(err, devnvidia.ErrNoTile) {
		return k.LaunchWhole(ctx, s, grid, args)
	}
	return err
}

// Prepare implements target.Partial.
func (k *kernel) Prepare(ctx context.Context, want func(device.Way) bool) error {
	return k.PrepareForms(ctx, k.code, k.code.Ways(true), want)
}

// Bounded reports whether the code checks its accesses.
func (k *kernel) Bounded() bool { return k.code.Check != nil }

// Apart returns the arguments whose memory the code assumes not to overlap.
func (k *kernel) Apart() []target.Apart { return k.code.Apart() }

// LaunchBounded launches checked code as a GPU does.
func (k *kernel) LaunchBounded(ctx context.Context, s target.Stream, grid [3]int, args []uint64,
	mem []target.Memory) error {
	b := k.code.Bounds(grid, mem, k.dev.mem.Spans)
	record, err := k.dev.Alloc(b.Size())
	if err != nil {
		return err
	}
	defer record.Close()
	b.Begin(record.Host())
	if err := k.launch(ctx, s, grid, args, b.Words(record.Addr())); err != nil {
		return err
	}
	return b.Fault(record.Host())
}

// launch runs the code. bounds holds the words of checked code behind the arguments.
func (k *kernel) launch(ctx context.Context, s target.Stream, grid [3]int, args, bounds []uint64) error {
	if _, err := k.code.Count(grid); err != nil {
		return err
	}
	args, maps, err := k.arguments(grid, args)
	if err != nil {
		return err
	}
	if n := k.code.ScratchBytes(grid); n > 0 {
		b, err := k.dev.Alloc(n)
		if err != nil {
			return err
		}
		defer b.Close()
		args = append(args[:len(args):len(args)], b.Addr())
	}
	args = append(args[:len(args):len(args)], bounds...)
	if k.code.Persistent {
		args = append(args, uint64(grid[0]), uint64(grid[1]), uint64(grid[2]))
		grid = k.code.Staying(grid, k.dev.sms)
	}
	grid[0] /= max(1, k.code.Merged)
	if b := k.code.Computed(args, grid); b != nil {
		maps[len(args)] = b
		args = append(args[:len(args):len(args)], 0)
	}
	cluster := max(1, k.code.NumCTAs)
	w := watchOf(ctx)
	module, err := w.module(k)
	if err != nil {
		return err
	}
	grid[0] *= cluster // the simulator counts blocks, the caller programs
	l := &ptxsim.Launch{
		Kernel: k.code.Name, Grid: grid, Cluster: cluster, Shared: k.code.Shared, Args: args, Bytes: maps,
		Memory: k.dev.mem, Print: device.Print, Strict: w.Races || knob.CheckRaces.Get(), Order: w.order(),
		Explored: w.Explored, Banks: w.Banks, Counts: w.Counts, Chart: w.Chart,
		CopyFences: knob.CopyFences.Get(),
	}
	return k.dependent(s, l, func() error {
		return k.scoped(ctx, module, func() error { return module.Run(ctx, l) })
	})
}

// dependent runs a launch that may begin before the last one of its stream has ended, or the next one before
// it has: from the first code on that a device has for such launches, all keep what they access.
func (k *kernel) dependent(s target.Stream, l *ptxsim.Launch, run func() error) error {
	on, ok := s.(*stream)
	if !ok || !k.dev.overlaps.Load() {
		return run()
	}
	l.Touched = ptxsim.NewTouched()
	if k.code.Overlap {
		l.Before = on.before()
	}
	err := run()
	on.ended(l.Touched)
	return err
}

// arguments returns the words of the parameters and the bytes of those that are tensor maps, in the
// simulator's form.
func (k *kernel) arguments(grid [3]int, words []uint64) ([]uint64, map[int][]byte, error) {
	args, maps := make([]uint64, len(k.code.Params)), map[int][]byte{}
	word := func(i int, w uint64) { args[i] = w }
	err := k.code.Args(grid, words, word, func(i int, m *gpucode.TensorMap, words []uint64) error {
		t := devnvidia.Tiled(m, words)
		switch err := t.Check(); {
		case err != nil && m.Tile != nil:
			return devnvidia.ErrNoTile
		case err != nil:
			return err
		}
		maps[i] = (&ptxsim.TensorMap{
			Address: t.Address, Type: ptxsim.TypeOfDriver(t.Type), Swizzle: t.Swizzle, NaN: t.NaN,
			Dims: t.Dims[:t.Rank], Strides: t.Strides[:t.Rank-1], Box: t.Box[:t.Rank],
		}).Encode()
		for at := len(maps[i]); at < k.code.Params[i]; at += 8 { // the words of the descriptor
			maps[i] = binary.LittleEndian.AppendUint64(maps[i], words[(at-ptxsim.TensorMapBytes)/8])
		}
		return nil
	})
	return args, maps, err
}

func (*kernel) Close() error { return nil }

// Watch says how launches look for races.
type Watch struct {
	Races bool // unordered accesses to global memory are errors, as with NEREID_CHECK_RACES
	// Order is the order in which warps run: 0 means from first to last, 1 from last to first; larger even
	// numbers are seeds of random orders, odd ones of adversarial orders. A kernel whose result depends on it
	// has a race.
	Order uint64
	// States, if not 0, asks for all interleavings with up to so many states (ptxsim.Order), and Explored, if
	// not nil, is told about those of each cluster.
	States   int
	Explored func(interleave.Result)
	// Banks, if not nil, is told how each launch accessed shared memory, by instruction, with the kernel's
	// lines.
	Banks func([]ptxsim.SharedAccess)
	// Counts, if not nil, is told what each instruction of a launch did, and Chart what the warps of its
	// first block did one after the other (ptxsim.Launch).
	Counts func([]simcount.Count)
	Chart  func(marks []simcount.Mark, cut bool)
	// Change, if not nil, returns the PTX that runs in place of a kernel's own: with a fault planted, which
	// the simulator must find.
	Change func(ptx string) string
}

// module returns the code that runs in place of a kernel's.
func (w Watch) module(k *kernel) (*ptxsim.Module, error) {
	if w.Change == nil {
		return k.module, nil
	}
	return ptxsim.Parse([]byte(w.Change(string(k.code.PTX))))
}

// order returns the order of a launch: its own, or else that of the environment.
func (w Watch) order() ptxsim.Order {
	if w.States > 0 {
		return ptxsim.Order{States: w.States}
	}
	switch w.Order {
	case 0:
		o, _ := ptxsim.ParseOrder(knob.SimOrder.Get()) // which takes no other text
		return o
	case 1:
		return ptxsim.Order{Backward: true}
	}
	return ptxsim.Order{Turns: w.Order, Adverse: w.Order%2 == 1, Ends: ptxsim.EndsAny}
}

type watchKey struct{}

// WithWatch returns a context for streams whose launches look for races.
func WithWatch(ctx context.Context, w Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

func watchOf(ctx context.Context) Watch {
	w, _ := ctx.Value(watchKey{}).(Watch)
	return w
}
