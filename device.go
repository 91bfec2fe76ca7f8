package nereid

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/backend"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd"
	amdsim "github.com/nereid-lang/nereid/internal/target/amd/sim"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/target/outside"
)

// Device runs kernels.
type Device struct{ b device.Device }

// usable returns an error for a device that Open did not return.
func (d *Device) usable() error {
	if d == nil || d.b == nil {
		return errors.New("nereid: there is no device: nereid.Open finds one")
	}
	return nil
}

// String returns the device's name: "interp", "cuda:0".
func (d *Device) String() string {
	switch {
	case d == nil:
		return "the host"
	case d.b == nil:
		return "no device"
	}
	return d.b.Name()
}

// Info returns a line about the device.
func (d *Device) Info() string {
	if err := d.usable(); err != nil {
		return "no device"
	}
	return d.b.Info()
}

// Target returns the target for which the device's code is compiled, as Kernel.CompileFor takes it:
// "cuda:90" for a GPU, real or simulated, "cpu" for the CPU.
func (d *Device) Target() string {
	if err := d.usable(); err != nil {
		return ""
	}
	kind := device.Kind(d.b)
	if !strings.HasPrefix(kind, "sim:") {
		return kind
	}
	t := compile.TargetOf(d.core())
	if t.Chip != "" {
		return t.Backend + ":" + t.Chip
	}
	return fmt.Sprintf("%s:%d", t.Backend, t.Arch)
}

// Stages returns the names of the forms that a kernel takes on its way to this device.
func (d *Device) Stages() []string {
	if err := d.usable(); err != nil {
		return nil
	}
	return device.Stages(d.b)
}

// opener finds the devices of a kind when they are first asked for: finding them can be costly (LLVM for the
// CPU), and callers may want another kind. If there is none, the error says why and what to do.
type opener struct {
	kind string
	find func() ([]*Device, error)
	slow string // warning if such a device is chosen because the kind before it is absent; may be ""
}

func open(kind string, find func() ([]target.Backend, error)) opener {
	return opener{kind: kind, find: sync.OnceValues(func() (list []*Device, err error) {
		bs, err := find()
		for _, b := range bs {
			list = append(list, &Device{b})
		}
		return list, err
	})}
}

// orSlow returns the opener with a warning.
func (o opener) orSlow(warning string) opener {
	o.slow = warning
	return o
}

// openers lists the kinds in the order of preference.
var openers = []opener{
	open("cuda", nvidia.Devices),
	open("hip", amd.Devices),
	{kind: "cpu", find: sync.OnceValues(func() ([]*Device, error) {
		if _, err := cpu.Devices(); err != nil {
			return nil, err
		}
		return []*Device{hostCPU()}, nil
	})},
	open("interp", func() ([]target.Backend, error) {
		return []target.Backend{newInterp()}, nil
	}).orSlow(slowWarning),
	open("sim", simulated),
}

// simulated returns the simulated GPUs.
func simulated() ([]target.Backend, error) {
	nv, err := sim.Devices()
	if err != nil {
		return nil, err
	}
	amd, err := amdsim.Devices()
	return append(nv, amd...), err
}

// hostCPU returns the CPU, whether LLVM is installed or not.
var hostCPU = sync.OnceValue(func() *Device { return &Device{cpu.Host()} })

// openRuntime returns a device that runs compiled code, as Open does; but the CPU needs no LLVM for that, and
// comes next if there is no GPU.
func openRuntime(name string) (*Device, error) {
	if name == "" {
		name = preferred()
	}
	if name == "" {
		if d, err := Open("cuda"); err == nil {
			return d, nil
		}
		name = "cpu"
	}
	if name == "cpu" {
		return hostCPU(), nil
	}
	return Open(name)
}

// outsiders holds the opener of each back end from outside, by name.
var outsiders sync.Map

// allOpeners returns the openers of the built-in devices, then those of back ends from outside (package
// backend).
func allOpeners() []opener {
	all := slices.Clone(openers)
	for _, t := range backend.Targets() {
		o, ok := outsiders.Load(t.Name())
		if !ok {
			o, _ = outsiders.LoadOrStore(t.Name(), open(t.Name(), func() ([]target.Backend, error) {
				d, err := outside.New(t)
				if err != nil {
					return nil, err
				}
				return []target.Backend{d}, nil
			}))
		}
		all = append(all, o.(opener))
	}
	return all
}

// Absent is a kind of device that this machine does not have.
type Absent struct {
	Kind string // "cuda", "cpu"
	Why  error  // what is missing, and what to do about it
}

// Devices returns the devices of this machine, the best first, and the kinds that are absent. It looks for
// them once.
func Devices() (here []*Device, absent []Absent) {
	for _, o := range allOpeners() {
		list, err := o.find()
		if err != nil {
			absent = append(absent, Absent{o.kind, err})
		}
		here = append(here, list...)
	}
	return here, absent
}

// preferred returns the name of the device that the environment asks for, or "".
func preferred() string {
	if knob.Interpret.Get() {
		return "interp"
	}
	return knob.Device.Get()
}

// Open returns the device of a name: "interp", "cpu", "cuda", "cuda:1". An empty name means the one in
// NEREID_DEVICE, or else the best of this machine. If that is the interpreter, because there is no LLVM, a
// warning is logged once: kernels run some 40 times slower there than on the CPU.
func Open(name string) (*Device, error) {
	if name == "" {
		name = preferred()
	}
	kind, _, indexed := strings.Cut(name, ":")
	var before error // why the kind before is absent
	for _, o := range allOpeners() {
		if name != "" && o.kind != kind {
			continue
		}
		list, err := o.find()
		for _, d := range list {
			if name == "" || d.String() == name || !indexed && strings.HasPrefix(d.String(), name+":") {
				if name == "" && o.slow != "" && before != nil {
					(&Config{}).warn(o.slow, before)
				}
				return d, nil
			}
		}
		before = err
		if name != "" && err != nil {
			return nil, &absent{fmt.Errorf("nereid: device %s: %w", name, err)}
		}
	}
	here, _ := Devices()
	if len(here) == 0 {
		return nil, &absent{errors.New("nereid: no device is here")}
	}
	names := make([]string, len(here))
	for i, d := range here {
		names[i] = d.String()
	}
	return nil, &absent{fmt.Errorf("nereid: there is no device %q; here: %s", name,
		strings.Join(names, ", "))}
}

// slowWarning is logged when the interpreter is chosen only because nothing better is here.
const slowWarning = "nereid: kernels run in the interpreter, some 40 times slower than on the CPU, which " +
	"needs LLVM"

// absent is an error that is ErrNoDevice but shows only the reason.
type absent struct{ error }

func (e *absent) Unwrap() error        { return e.error }
func (e *absent) Is(target error) bool { return target == ErrNoDevice }

// Stream is a queue of launches on a device. Launches on a stream run in order.
type Stream struct {
	dev    *Device
	s      target.Stream
	closed atomic.Bool
	ctx    context.Context
	_      [16]byte // padded to 64 bytes so that a launch touches a single cache line
}

// Context returns the context that ends what the stream's launches wait for; for the zero value it never
// ends.
func (s *Stream) Context() context.Context {
	if s == nil || s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// NewStream returns a new queue on the device. When ctx ends, compilations and tunings of its launches end,
// and so do kernels on every device but a GPU, within some milliseconds, even in an endless loop.
// Work given to a GPU runs to its end.
func (d *Device) NewStream(ctx context.Context) (*Stream, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	s, err := d.b.NewStream()
	if err != nil {
		return nil, err
	}
	return &Stream{dev: d, s: s, ctx: ctx}, nil
}

// Device returns the device that the stream belongs to.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.dev
}

// Sync waits until everything launched so far is done and returns its first error.
func (s *Stream) Sync() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.s.Sync()
}

// Close waits for the stream's work and releases it. Using a closed stream is ErrClosed, also for a launch
// that begins meanwhile; closing twice is harmless.
func (s *Stream) Close() error {
	if s == nil || s.s == nil || s.closed.Swap(true) {
		return nil
	}
	return s.s.Close()
}

// compilers makes the back ends that compile for a target without a device, by kind. arch is the part of the
// target's name behind the colon.
var compilers = map[string]func(name, arch string) (target.Backend, error){
	"interp": func(string, string) (target.Backend, error) { return newInterp(), nil },
	"cpu": func(name, arch string) (target.Backend, error) {
		c, err := cpu.CompilerFor(arch)
		if err != nil {
			return nil, fmt.Errorf("nereid: the target %q: %w", name, err)
		}
		return offline{name, c}, nil
	},
	"cuda": func(name, arch string) (target.Backend, error) {
		n, err := strconv.Atoi(strings.TrimSuffix(arch, "a"))
		if err != nil {
			return nil, fmt.Errorf("nereid: the target %q has no compute capability: write cuda:90", name)
		}
		return offline{name, nvidia.Compiler{Capability: n}}, nil
	},
	"hip": func(name, arch string) (target.Backend, error) {
		c, err := amd.CompilerFor(arch)
		if err != nil {
			return nil, fmt.Errorf("nereid: the target %q: %w", name, err)
		}
		return offline{name, c}, nil
	},
}

// compilerFor returns a back end that compiles for a target without a device.
func compilerFor(name string) (target.Backend, error) {
	kind, arch, _ := strings.Cut(name, ":")
	if f := compilers[kind]; f != nil {
		return f(name, arch)
	}
	if d, err := outside.Find(kind); !errors.Is(err, outside.ErrNone) {
		return d, err
	}
	return nil, fmt.Errorf("nereid: unknown target %q (have cuda:90, hip:gfx942, cpu, interp%s)", name,
		outsideNames())
}

// outsideNames returns the names of back ends from outside, for messages.
func outsideNames() string {
	text := ""
	for _, t := range backend.Targets() {
		text += ", " + t.Name()
	}
	return text
}

// compiler is the part of a back end that needs no device.
type compiler interface {
	Target() lang.Target
	Stages() []string
	CompileOnly(ctx context.Context, in *target.Input) (target.Executable, error)
}

// offline is a back end that compiles for a device that this machine may not have.
type offline struct {
	name string
	compiler
}

func (c offline) Name() string { return c.name }
func (c offline) FormsOf(code target.Code) ([]device.Way, error) {
	if f, ok := c.compiler.(interface {
		FormsOf(target.Code) ([]device.Way, error)
	}); ok {
		return f.FormsOf(code)
	}
	return nil, nil
}

// Distinct returns the way of the code for launches of a way.
func (c offline) Distinct(m *ir.Module, w device.Way) device.Way {
	if f, ok := c.compiler.(interface {
		Distinct(*ir.Module, device.Way) device.Way
	}); ok {
		return f.Distinct(m, w)
	}
	return w
}

func (c offline) HasLines() bool                   { return hasLines(c.compiler) }
func (c offline) DefaultStages() int               { return defaultStages(c.compiler) }
func (c offline) Machine() string                  { return machine(c.compiler) }
func (c offline) Generator() string                { return generator(c.compiler) }
func (c offline) Info() string                     { return "compiler for " + c.name }
func (offline) Alloc(int) (target.Buffer, error)   { return nil, errNoDevice }
func (offline) Wrap([]byte) (target.Buffer, error) { return nil, errNoDevice }
func (offline) NewStream() (target.Stream, error)  { return nil, errNoDevice }
func (c offline) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	return c.CompileOnly(ctx, in)
}

// defaultStages returns the number of stages that loops have on a target; 0 means the usual one.
func defaultStages(c compiler) int {
	if s, ok := c.(target.Staged); ok {
		return s.DefaultStages()
	}
	return 0
}

// hasLines reports whether a compiler's code has line information.
func hasLines(c compiler) bool {
	l, ok := c.(target.Lined)
	return ok && l.HasLines()
}

// machine names the processors that run a compiler's code.
func machine(c compiler) string {
	if n, ok := c.(target.Native); ok {
		return n.Machine()
	}
	return ""
}

// generator names a compiler's code generator.
func generator(c compiler) string {
	if g, ok := c.(target.Generated); ok {
		return g.Generator()
	}
	return ""
}

var errNoDevice = errors.New("nereid: this is a target without a device")
