package core

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Kind is a kind of devices, which are found when they are first asked for: finding them can be costly (LLVM
// for the CPU), and callers may want another kind. If there is none, the error says why and what to do.
type Kind struct {
	Name string // "cuda", "cpu"
	Slow string // warning if such a device is chosen because the kind before it is absent; may be ""
	find func() ([]*Device, error)
}

// NewKind returns a kind of devices.
func NewKind[D device.Device](name string, find func() ([]D, error)) Kind {
	return Kind{Name: name, find: sync.OnceValues(func() (list []*Device, err error) {
		found, err := find()
		for _, b := range found {
			list = append(list, NewDevice(b))
		}
		return list, err
	})}
}

// OrSlow returns the kind with a warning.
func (k Kind) OrSlow(warning string) Kind {
	k.Slow = warning
	return k
}

// Kinds returns the kinds of devices of this program, in the order of preference. Here they run compiled code
// alone; package jit replaces them with those that compile.
var Kinds = func() []Kind {
	all := slices.Clone(running)
	for _, o := range Outsiders() {
		all = append(all, o.kind())
	}
	return all
}

// Outsider is a back end from outside (package backend) that runs compiled code.
type Outsider struct {
	Name string                          // of the target
	Find func() ([]device.Device, error) // its devices, or why there is none
}

var outsiders struct {
	mu   sync.Mutex
	list []Outsider
	kind map[string]Kind // of those that were asked for
}

// AddOutsider adds a back end.
func AddOutsider(o Outsider) {
	outsiders.mu.Lock()
	defer outsiders.mu.Unlock()
	outsiders.list = append(outsiders.list, o)
}

// Outsiders returns the back ends that were added, in order.
func Outsiders() []Outsider {
	outsiders.mu.Lock()
	defer outsiders.mu.Unlock()
	return slices.Clone(outsiders.list)
}

// kind returns the kind of the back end's devices, the same at each call.
func (o Outsider) kind() Kind { return OutsideKind(o.Name, o.Find) }

// OutsideKind returns the kind of devices of a back end from outside, which find returns at the first call.
func OutsideKind[D device.Device](name string, find func() ([]D, error)) Kind {
	outsiders.mu.Lock()
	defer outsiders.mu.Unlock()
	k, ok := outsiders.kind[name]
	if !ok {
		k = NewKind(name, find)
		if outsiders.kind == nil {
			outsiders.kind = map[string]Kind{}
		}
		outsiders.kind[name] = k
	}
	return k
}

var running = []Kind{
	NewKind("cuda", nvidia.Devices),
	NewKind("hip", amd.Devices),
	{Name: "cpu", find: func() ([]*Device, error) { return []*Device{HostCPU()}, nil }},
}

// HostCPU returns the CPU, which runs compiled code whether LLVM is installed or not. Package jit
// replaces it.
var HostCPU = sync.OnceValue(func() *Device { return NewDevice(cpu.Host()) })

// ContextDevice returns the GPU of a context that the program made, as nvidia.DeviceOf does. Package jit
// replaces it with one that compiles.
var ContextDevice = func(handle uintptr) (d device.Device, release func(), err error) {
	return nvidia.DeviceOf(handle)
}

// OpenContext returns the GPU of a CUDA context that the program made, by its CUcontext; 0 means the context
// that is current on the calling thread, which runtime.LockOSThread keeps. Tensors, streams and code of the
// device belong to that context. The program keeps the context until it calls release, behind which nothing
// of the device can be used. For a primary context it is the device that OpenDevice returns.
func OpenContext(handle uintptr) (d *Device, release func(), err error) {
	b, release, err := ContextDevice(handle)
	if err != nil {
		return nil, nil, NoDevice(fmt.Errorf("nereid: the CUDA context %#x: %w", handle, err))
	}
	if release == nil {
		d, err = OpenDevice(b.Name())
		return d, func() {}, err
	}
	return NewDevice(b), release, nil
}

// CPU returns the kind of the CPU; check says why it is absent.
func CPU(check func() error) Kind {
	return Kind{Name: "cpu", find: sync.OnceValues(func() ([]*Device, error) {
		if err := check(); err != nil {
			return nil, err
		}
		return []*Device{HostCPU()}, nil
	})}
}

// OpenRunning returns a device that runs compiled code, as OpenDevice of the root package does; but the CPU
// needs no LLVM for that, and comes next if there is no GPU.
func OpenRunning(name string) (*Device, error) {
	if name == "" {
		name = preferred()
	}
	if name == "" {
		if d, err := OpenDevice("cuda"); err == nil {
			return d, nil
		}
		name = "cpu"
	}
	if name == "cpu" {
		return HostCPU(), nil
	}
	return OpenDevice(name)
}

// Absent is a kind of device that this machine does not have.
type Absent struct {
	Kind string // "cuda", "cpu"
	Why  error  // what is missing, and what to do about it
}

// Devices returns the devices of this machine, the best first, and the kinds that are absent. It looks for
// them once.
func Devices() (here []*Device, absent []Absent) {
	for _, o := range Kinds() {
		list, err := o.find()
		if err != nil {
			absent = append(absent, Absent{o.Name, err})
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

// OpenDevice returns the device of a name: "interp", "cpu", "cuda", "cuda:1". An empty name means the one in
// NEREID_DEVICE, or else the best of this machine. If that is the interpreter, because there is no LLVM, a
// warning is logged once: kernels run some 40 times slower there than on the CPU.
func OpenDevice(name string) (*Device, error) {
	if name == "" {
		name = preferred()
	}
	kind, _, indexed := strings.Cut(name, ":")
	var before error // why the kind before is absent
	for _, o := range Kinds() {
		if name != "" && o.Name != kind {
			continue
		}
		list, err := o.find()
		for _, d := range list {
			if name == "" || d.String() == name || !indexed && strings.HasPrefix(d.String(), name+":") {
				if name == "" && o.Slow != "" && before != nil {
					Warn(slog.Default(), o.Slow, before)
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

// absent is an error that is ErrNoDevice but shows only the reason.
type absent struct{ error }

// NoDevice returns an error as one that is ErrNoDevice too.
func NoDevice(err error) error { return &absent{err} }

func (e *absent) Unwrap() error        { return e.error }
func (e *absent) Is(target error) bool { return target == ErrNoDevice }

// Warn logs a problem that fails nothing, once for each message.
func Warn(log *slog.Logger, msg string, err error) {
	if _, told := warned.LoadOrStore(msg, true); !told {
		log.Warn(msg, "err", err)
	}
}

var warned sync.Map // messages logged
