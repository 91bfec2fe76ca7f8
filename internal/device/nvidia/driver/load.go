package driver

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Driver is the CUDA driver of this process, initialized.
type Driver struct {
	raw     raw
	path    string
	version int
	devices []*Device
	shared
	guest atomic.Bool // see BeGuest

	mu      sync.Mutex
	foreign map[contextRef]*Context // contexts that others made
}

// shared is what launches read of the driver.
type shared struct {
	contexts atomic.Int32  // contexts in use: with one, a thread of ours with a current context has this one
	closes   atomic.Uint32 // memory that was closed
}

const hint = "it comes with NVIDIA's display driver (apt install libcuda1 on Debian with the driver of the " +
	"same version), not with the CUDA toolkit; NEREID_CUDA names another path"

// candidates returns the search order: NEREID_CUDA alone if it is set, else the library that the system's
// loader finds, then the folders of WSL, of distributions, and of containers.
func candidates() []dl.Candidate {
	if path := knob.CUDA.Get(); path != "" {
		return []dl.Candidate{path}
	}
	switch runtime.GOOS {
	case "windows":
		return []dl.Candidate{"nvcuda.dll"}
	case "linux":
		return []dl.Candidate{
			"libcuda.so.1",
			"/usr/lib/wsl/lib/libcuda.so.1",
			"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
			"/usr/lib/aarch64-linux-gnu/libcuda.so.1",
			"/usr/lib64/libcuda.so.1",
			"/usr/local/nvidia/lib64/libcuda.so.1",
			"/usr/local/cuda/compat/libcuda.so.1",
		}
	}
	return nil
}

// Load opens the driver and finds the devices at the first call. The error is a *dl.NotFoundError if there is
// no driver, or an *Error (for example ErrNoDevice) if it does not start.
func Load() (*Driver, error) { return loaded() }

var loaded = sync.OnceValues(func() (*Driver, error) { return open(candidates()) })

func open(list []dl.Candidate) (*Driver, error) {
	d := &Driver{}
	lib, err := dl.Open("the CUDA driver (libcuda.so.1)", list, func(l *dl.Library) error {
		return l.Bind(d.raw.symbols())
	})
	if missing := (*dl.NotFoundError)(nil); errors.As(err, &missing) {
		missing.Hint = hint
	}
	if err != nil {
		return nil, err
	}
	d.path = lib.Path
	if err := d.start(); err != nil {
		return nil, err
	}
	return d, nil
}

// start initializes the driver and describes the devices.
func (d *Driver) start() error {
	if err := d.check("cuInit", d.raw.init(0)); err != nil {
		return err
	}
	var version, count int32
	if err := d.check("cuDriverGetVersion", d.raw.driverGetVersion(&version)); err != nil {
		return err
	}
	d.version = int(version)
	if err := d.check("cuDeviceGetCount", d.raw.deviceGetCount(&count)); err != nil {
		return err
	}
	for i := range int(count) {
		device, err := d.describe(i)
		if err != nil {
			return fmt.Errorf("device %d: %w", i, err)
		}
		d.devices = append(d.devices, device)
	}
	if len(d.devices) == 0 {
		return &Error{Call: "cuDeviceGetCount", Result: ErrNoDevice, driver: d}
	}
	return nil
}

// Version returns the newest CUDA version that the driver supports: 12030 for 12.3.
func (d *Driver) Version() int { return d.version }

// Path returns the path of the driver's library.
func (d *Driver) Path() string { return d.path }

// Devices returns the GPUs in CUDA's order.
func (d *Driver) Devices() []*Device { return d.devices }

// Device returns the GPU of a number.
func (d *Driver) Device(ordinal int) (*Device, error) {
	if ordinal < 0 || ordinal >= len(d.devices) {
		return nil, fmt.Errorf("no device cuda:%d, there are %d", ordinal, len(d.devices))
	}
	return d.devices[ordinal], nil
}
