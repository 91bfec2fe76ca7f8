package cpu

import (
	"context"
	"fmt"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/sample"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is the host's CPU with a compiler.
type Device struct {
	Compiler
	*devcpu.Device
	host func() (*host, error)
}

// host is LLVM, and what it makes code for. Both are found when first asked for: compiled code needs neither.
type host struct {
	lib    *llvm.Lib
	target llvm.Target
}

// Devices returns the CPU, or an error that says why nothing can be compiled for it.
func Devices() ([]target.Backend, error) {
	if _, err := llvm.Load(); err != nil {
		return nil, err
	}
	return []target.Backend{Host()}, nil
}

// Host returns the CPU, whether LLVM is installed or not. Without it, the CPU runs compiled code.
var Host = sync.OnceValue(func() target.Backend { return newDevice(devcpu.Host(), NewCompiler()) })

// New returns the CPU with a compiler of its own.
func New(lib *llvm.Lib, c Compiler) *Device {
	c.lib = lib
	return newDevice(devcpu.New(), c)
}

func newDevice(d *devcpu.Device, c Compiler) *Device {
	x := &Device{Compiler: c, Device: d, host: sync.OnceValues(func() (*host, error) {
		lib, err := c.library()
		if err != nil {
			return nil, err
		}
		return &host{lib, hostTarget(lib)}, nil
	})}
	d.Lines, d.Linker, d.Compiled = c.Lines, x.link, c.Machine
	return x
}

// Traits returns what is fixed of the CPU.
func (d *Device) Traits() device.Traits { return d.Device.Traits() }

// link links an object file by LLVM.
func (d *Device) link(obj []byte, entry string, tell bool) (devcpu.Native, uintptr, error) {
	h, err := d.host()
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", devcpu.ErrNoLinker, err)
	}
	c, err := h.lib.Link(obj, entry, llvm.JITOptions{Symbols: devcpu.Symbols(), GDB: tell, Perf: tell})
	if err != nil {
		return nil, 0, err
	}
	if tell {
		tellPerf(obj, entry, c.Entry)
		_ = sample.Add(obj, entry, uint64(c.Entry)) // code without lines is code whose lines have no samples
	}
	return c, c.Entry, nil
}

// Info returns a line about the CPU.
func (d *Device) Info() string {
	h, err := d.host()
	if err != nil {
		return d.Device.Info()
	}
	return fmt.Sprintf("%s, %s, %d threads, LLVM %v", h.target.CPU, describe(h.target.Features),
		d.Threads(), h.lib.Version())
}

// Compile compiles and links a kernel.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	c, err := d.compile(ctx, in)
	if err != nil || c == nil {
		return nil, err
	}
	return d.Load(c, in.Kernel)
}
