package jit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/backend"
	"github.com/nereid-lang/nereid/internal/device"
	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd"
	amdsim "github.com/nereid-lang/nereid/internal/target/amd/sim"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/target/outside"
)

func init() {
	core.Kinds = allKinds
	core.ContextDevice = func(handle uintptr) (device.Device, func(), error) {
		return nvidia.DeviceOf(handle)
	}
	// Under Config.Isolate, launches run in child processes, which start the same program again. In a child,
	// ServeIsolated takes over before main, runs the launches it receives, and ends the process. In any other
	// process it does nothing.
	devcpu.ServeIsolated()
	core.HostCPU = sync.OnceValue(func() *core.Device { return core.NewDevice(cpu.Host()) })
}

// host is what a program can ask of the device that runs in its own process.
var host = struct {
	label   func()       // threads that run kernels carry the profiler's labels of their launch
	isolate func() error // tensors made from then on are shared with the child processes of isolated launches
}{devcpu.EnableLabels, devcpu.EnableIsolation}

// kinds lists the kinds of devices in the order of preference.
var kinds = []core.Kind{
	core.NewKind("cuda", nvidia.Devices),
	core.NewKind("hip", amd.Devices),
	core.CPU(func() error {
		_, err := cpu.Devices()
		return err
	}),
	core.NewKind("interp", func() ([]target.Backend, error) {
		return []target.Backend{newInterp()}, nil
	}).OrSlow(slowWarning),
	core.NewKind("sim", simulated),
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

// allKinds returns the kinds of the built-in devices, then those of back ends from outside (package backend).
func allKinds() []core.Kind {
	all := slices.Clone(kinds)
	for _, o := range core.Outsiders() {
		all = append(all, core.OutsideKind(o.Name, func() ([]target.Backend, error) {
			return outside.Devices(o)
		}))
	}
	return all
}

// slowWarning is logged when the interpreter is chosen only because nothing better is here.
const slowWarning = "nereid: kernels run in the interpreter, some 40 times slower than on the CPU, which " +
	"needs LLVM"

// compiling is a kind of target for which code is compiled without a device. arch is the part of the target's
// name behind the colon.
type compiling struct {
	open func(name, arch string) (target.Backend, error)
	// check returns an error if LLVM makes no code for an architecture; nil if there is nothing to check.
	check func(lib *llvm.Lib, arch string) error
	// host returns the architecture of this machine for a target that names none; nil if it must name one.
	host func() (arch string, err error)
	// isArch tells an architecture from the number of a device; nil if devices have no numbers.
	isArch func(arch string) bool
}

// compilers lists the kinds of targets by name.
var compilers = map[string]compiling{
	"interp": {open: func(string, string) (target.Backend, error) { return newInterp(), nil }},
	"cpu": {
		open: func(name, arch string) (target.Backend, error) {
			c, err := cpu.CompilerFor(arch)
			if err != nil {
				return nil, fmt.Errorf("nereid: the target %q: %w", name, err)
			}
			return offline{name, c}, nil
		},
		host: cpu.HostChip,
	},
	"cuda": {
		open: func(name, arch string) (target.Backend, error) {
			n, err := strconv.Atoi(strings.TrimSuffix(arch, "a"))
			if err != nil {
				return nil, fmt.Errorf("nereid: the target %q has no compute capability: write cuda:90", name)
			}
			return offline{name, nvidia.Compiler{Capability: n}}, nil
		},
		check: func(lib *llvm.Lib, arch string) error {
			_, err := lib.NVPTX("sm_"+arch, 0)
			return err
		},
		isArch: func(arch string) bool {
			const least = 50 // less than every compute capability, and more than the GPUs of a machine
			n, err := strconv.Atoi(arch)
			return err == nil && n >= least
		},
	},
	"hip": {
		open: func(name, arch string) (target.Backend, error) {
			c, err := amd.CompilerFor(arch)
			if err != nil {
				return nil, fmt.Errorf("nereid: the target %q: %w", name, err)
			}
			return offline{name, c}, nil
		},
		check: func(lib *llvm.Lib, arch string) error {
			_, err := lib.AMDGPU(arch)
			return err
		},
		isArch: func(arch string) bool { return strings.HasPrefix(arch, "gfx") },
	},
}

// compilerFor returns a back end that compiles for a target without a device.
func compilerFor(name string) (target.Backend, error) {
	kind, arch, _ := strings.Cut(name, ":")
	if c, ok := compilers[kind]; ok {
		return c.open(name, arch)
	}
	if c, err := outside.CompilerFor(kind, arch); err == nil {
		return offline{kind, c}, nil // all of its devices run the same code
	} else if !errors.Is(err, outside.ErrNone) {
		return nil, fmt.Errorf("nereid: the target %q: %w", name, err)
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
	Traits() device.Traits
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

// Chooses reports whether launches choose among several forms of code.
func (c offline) Chooses() bool {
	_, ok := c.compiler.(interface {
		FormsOf(target.Code) ([]device.Way, error)
	})
	return ok
}

// Gluon takes the module of a Gluon kernel to TTGIR.
func (c offline) Gluon(in *target.Input) error { return target.GluonBy(c.compiler, in) }

// Distinct returns the way of the code for launches of a way.
func (c offline) Distinct(m *ir.Module, w device.Way) device.Way {
	if f, ok := c.compiler.(interface {
		Distinct(*ir.Module, device.Way) device.Way
	}); ok {
		return f.Distinct(m, w)
	}
	return w
}

// Extras returns the options that the target has beside those of all.
func (c offline) Extras() []device.Extra { return device.ExtrasOf(c.compiler) }

func (c offline) Machine() string                  { return machine(c.compiler) }
func (c offline) Generator() string                { return generator(c.compiler) }
func (c offline) Info() string                     { return "compiler for " + c.name }
func (offline) Alloc(int) (target.Buffer, error)   { return nil, errNoDevice }
func (offline) Wrap([]byte) (target.Buffer, error) { return nil, errNoDevice }
func (offline) NewStream() (target.Stream, error)  { return nil, errNoDevice }
func (c offline) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	return c.CompileOnly(ctx, in)
}

// Traits returns what compilations read: nothing is launched.
func (c offline) Traits() device.Traits {
	t := c.compiler.Traits()
	return device.Traits{DefaultStages: t.DefaultStages, HasLines: t.HasLines}
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
