package nvidia

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/device/stray"
)

// Device is an NVIDIA GPU.
type Device struct {
	GPU
	dev  *driver.Device
	ctx  *driver.Context
	maps *mapTable

	memory  stray.Spans // buffers, for checked kernels
	records records     // spare fault records for launches of checked kernels

	assembler func() Assembler // the same at each call
}

// Devices returns the GPUs of this machine, whether LLVM is installed or not. If there is none, the error
// says why.
func Devices() ([]*Device, error) {
	d, err := driver.Load()
	if err != nil {
		return nil, err
	}
	var out []*Device
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
func DeviceOf(handle uintptr) (b *Device, release func(), err error) {
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
	assembler := sync.OnceValue(func() Assembler { return assembles(d.Version()) })
	return &Device{GPU: GPU{dev.Capability()}, dev: dev, maps: &mapTable{}, assembler: assembler}
}

// BeGuest makes calls leave the current contexts of threads as they were; see driver.Driver.BeGuest.
func BeGuest() {
	if d, err := driver.Load(); err == nil {
		d.BeGuest()
	}
}

// Name returns "cuda:0" and the like.
func (d *Device) Name() string { return d.dev.String() }

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

// Load assembles and loads a kernel.
func (d *Device) Load(ctx context.Context, code *Code) (device.Executable, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	assemble := byDriver(c, code.Name)
	if d.assembler().Ptxas {
		assemble = d.byPtxas(ctx)
	}
	best, err := d.assembleBest(code, assemble)
	if err != nil {
		return nil, err
	}
	return d.loaded(code, best)
}

// loaded returns the kernel of assembled code.
func (d *Device) loaded(code *Code, made *assembled) (device.Executable, error) {
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
	if code.isReady() {
		k.ready = &launcher{f.Ready(code.config([3]int{1, 1, 1}), code.Uniform)}
	}
	return k, nil
}

// HasTensorMaps reports whether the driver makes tensor maps.
func (d *Device) HasTensorMaps() bool { return d.dev.Driver().HasTensorMaps() }

// Assembler describes the assembler of the device's kernels.
func (d *Device) Assembler() Assembler { return d.assembler() }

// Traits returns what is fixed of the GPU.
func (d *Device) Traits() device.Traits {
	t := d.GPU.Traits()
	t.Scopes = true
	// two words of the memory's bus in a cycle of its clock
	t.BytesPerSecond = 2 * float64(d.dev.MemoryClockKHz) * 1e3 * float64(d.dev.MemoryBusBits) / 8
	return t
}

// SMs returns the number of the GPU's multiprocessors.
func (d *Device) SMs() int { return d.dev.SMs }
