// Package hip calls AMD's runtime, libamdhip64, which it opens at run time: devices, memory, streams, code
// objects, launches, graphs.
//
// The runtime has a current device for each thread of the system. Calls that depend on it go through
// Device.do, which sets it on the calling thread first.
package hip

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Runtime is AMD's runtime of this process, initialized.
type Runtime struct {
	raw     raw
	version int
	devices []*Device
}

// Device is a GPU.
type Device struct {
	rt      *Runtime
	Ordinal int
	Name    string
	Chip    string // LLVM's name, "gfx942"
	Memory  uint64 // bytes
	Units   int    // compute units
	Pools   bool   // memory can be allocated in the order of a stream

	live *live
}

// live is what closing something on a device must know.
type live struct {
	streams  inflight.Group[Stream, *Stream]
	captures inflight.Captures

	mu      sync.Mutex
	graphs  int         // captures under way, and open graphs
	retired []moduleRef // modules to be unloaded when there are none
}

// Closing is called when memory of the device is closed, and before it is freed: it waits for launches that
// are being queued and did not see that.
func (d *Device) Closing() { d.live.streams.Wait() }

// hold keeps modules loaded until release, since a graph may launch their kernels.
func (d *Device) hold() {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.live.graphs++
}

// release ends a hold.
func (d *Device) release() error {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.live.graphs--
	return d.unload()
}

// unload unloads retired modules once their work is done, if no graph may launch it. The caller holds the
// lock.
func (d *Device) unload() error {
	if d.live.graphs > 0 || len(d.live.retired) == 0 {
		return nil
	}
	list := d.live.retired
	d.live.retired = nil
	errs := []error{d.Synchronize()}
	for _, m := range list {
		errs = append(errs, d.do("hipModuleUnload", func(r *raw) Result { return r.moduleUnload(m) }))
	}
	return errors.Join(errs...)
}

const hint = "it comes with ROCm (apt install libamdhip64-5 on Debian); NEREID_HIP names another path"

// candidates returns the search order: NEREID_HIP alone if it is set, else the library that the system's
// loader finds, newest first, then ROCm's own folder.
func candidates() []dl.Candidate {
	if path := knob.HIP.Get(); path != "" {
		return []dl.Candidate{path}
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	return []dl.Candidate{
		"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
		"/opt/rocm/lib/libamdhip64.so",
	}
}

// Load opens the runtime and finds the devices at the first call.
func Load() (*Runtime, error) { return loaded() }

var loaded = sync.OnceValues(func() (*Runtime, error) { return open(candidates()) })

func open(list []dl.Candidate) (*Runtime, error) {
	r := &Runtime{}
	_, err := dl.Open("AMD's runtime (libamdhip64.so)", list, r.bind)
	if missing := (*dl.NotFoundError)(nil); errors.As(err, &missing) {
		missing.Hint = hint
	}
	if err != nil {
		return nil, err
	}
	return r, r.start()
}

// bind finds the functions of a library.
func (r *Runtime) bind(l *dl.Library) error { return l.Bind(r.raw.symbols()) }

// start initializes the runtime and describes the devices.
func (r *Runtime) start() error {
	if err := r.check("hipInit", r.raw.init(0)); err != nil {
		return withoutGPU(err)
	}
	var version, count int32
	if err := r.check("hipRuntimeGetVersion", r.raw.runtimeGetVersion(&version)); err != nil {
		return err
	}
	if err := r.check("hipGetDeviceCount", r.raw.getDeviceCount(&count)); err != nil {
		return withoutGPU(err)
	}
	r.version = int(version)
	for i := range int(count) {
		d, err := r.describe(i)
		if err != nil {
			return fmt.Errorf("device %d: %w", i, err)
		}
		r.devices = append(r.devices, d)
	}
	if len(r.devices) == 0 {
		return withoutGPU(errors.New("it counts none"))
	}
	return nil
}

// withoutGPU returns the error of a runtime that finds no GPU.
func withoutGPU(why error) error {
	return fmt.Errorf("AMD's runtime is here, but no GPU that it can use: %w", why)
}

// Places in the structure of a device's properties, which ROCm 6 changed.
type places struct{ size, memory, units, arch int }

var (
	places5 = places{size: 792, memory: 256, units: 336, arch: 396}
	places6 = places{size: 1472, memory: 288, units: 388, arch: 1160}
)

// describe reads the properties of a device. Some bytes more are left for versions to come.
func (r *Runtime) describe(i int) (*Device, error) {
	at, call := places5, r.raw.properties
	if r.raw.propertiesR0600 != nil {
		at, call = places6, r.raw.propertiesR0600
	}
	p := make([]byte, at.size+4096)
	if err := r.check("hipGetDeviceProperties", call(&p[0], int32(i))); err != nil {
		return nil, err
	}
	text := func(at int) string {
		s, _, _ := bytes.Cut(p[at:at+256], []byte{0})
		return string(s)
	}
	chip, _, _ := strings.Cut(text(at.arch), ":") // features follow: gfx942:sramecc+:xnack-
	d := &Device{
		rt: r, Ordinal: i, Name: text(0), Chip: chip,
		Memory: binary.LittleEndian.Uint64(p[at.memory:]),
		Units:  int(binary.LittleEndian.Uint32(p[at.units:])),
		live:   new(live),
	}
	d.findPool()
	return d, nil
}

// Version returns the runtime's version, 60443483 for 6.4.
func (r *Runtime) Version() int { return r.version }

// Devices returns the GPUs in the runtime's order.
func (r *Runtime) Devices() []*Device { return r.devices }

// Version returns the version of the device's runtime.
func (d *Device) Version() int { return d.rt.version }

// Error is a call that failed.
type Error struct {
	Call   string
	Result Result
	text   string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Call, e.text) }

// check returns the error of a call.
func (r *Runtime) check(call string, res Result) error {
	if res == 0 {
		return nil
	}
	text := dl.GoString(r.raw.getErrorName(res))
	if more := dl.GoString(r.raw.getErrorString(res)); more != text {
		text += " (" + more + ")"
	}
	return &Error{Call: call, Result: res, text: text}
}

// Current calls f on a thread whose current device is d.
func (d *Device) Current(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.rt.check("hipSetDevice", d.rt.raw.setDevice(int32(d.Ordinal))); err != nil {
		return err
	}
	return f()
}

// do runs f on a thread whose current device is d.
func (d *Device) do(call string, f func(r *raw) Result) error {
	return d.Current(func() error { return d.rt.check(call, f(&d.rt.raw)) })
}
