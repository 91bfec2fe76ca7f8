package driver

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/dl"
)

// Device is a GPU with its properties, which are read once when the driver starts.
type Device struct {
	Ordinal     int
	Name        string // for example "NVIDIA H200"
	UUID        string
	Major       int // compute capability
	Minor       int
	TotalMemory int64

	SMs                 int
	WarpSize            int
	ClockKHz            int
	MemoryClockKHz      int
	MemoryBusBits       int
	L2Bytes             int
	MaxThreadsPerBlock  int
	MaxThreadsPerSM     int
	RegistersPerBlock   int
	RegistersPerSM      int
	SharedPerBlock      int // without opting in: 48 KiB
	SharedPerBlockOptin int // most that a kernel can ask for
	SharedPerSM         int
	ReservedShared      int // reserved by the system for each block
	Cooperative         bool
	Clusters            bool
	MemoryPools         bool

	driver  *Driver
	id      deviceID
	mu      sync.Mutex
	context *Context
}

func (d *Device) String() string { return fmt.Sprintf("cuda:%d", d.Ordinal) }

// Capability returns the compute capability as one number: 90 for 9.0.
func (d *Device) Capability() int { return d.Major*10 + d.Minor }

// Driver returns the driver that found the device.
func (d *Device) Driver() *Driver { return d.driver }

// attributes returns the CUdevice_attribute numbers of the fields.
func (d *Device) attributes() []struct {
	attribute int32
	number    *int
	flag      *bool
} {
	return []struct {
		attribute int32
		number    *int
		flag      *bool
	}{
		{1, &d.MaxThreadsPerBlock, nil},
		{8, &d.SharedPerBlock, nil},
		{10, &d.WarpSize, nil},
		{12, &d.RegistersPerBlock, nil},
		{13, &d.ClockKHz, nil},
		{16, &d.SMs, nil},
		{36, &d.MemoryClockKHz, nil},
		{37, &d.MemoryBusBits, nil},
		{38, &d.L2Bytes, nil},
		{39, &d.MaxThreadsPerSM, nil},
		{75, &d.Major, nil},
		{76, &d.Minor, nil},
		{81, &d.SharedPerSM, nil},
		{82, &d.RegistersPerSM, nil},
		{95, nil, &d.Cooperative},
		{97, &d.SharedPerBlockOptin, nil},
		{111, &d.ReservedShared, nil},
		{115, nil, &d.MemoryPools},
		{120, nil, &d.Clusters},
	}
}

// firstNew is the first attribute that a supported driver may not know; its value is then 0.
const firstNew = 111

// describe returns a device with its properties.
func (d *Driver) describe(ordinal int) (*Device, error) {
	device := &Device{Ordinal: ordinal, driver: d}
	if err := d.check("cuDeviceGet", d.raw.deviceGet(&device.id, int32(ordinal))); err != nil {
		return nil, err
	}
	var name [256]byte
	if err := d.check("cuDeviceGetName",
		d.raw.deviceGetName(&name[0], int32(len(name)), device.id)); err != nil {
		return nil, err
	}
	device.Name = dl.GoString(&name[0])
	var total uint64
	if err := d.check("cuDeviceTotalMem", d.raw.deviceTotalMem(&total, device.id)); err != nil {
		return nil, err
	}
	device.TotalMemory = int64(total)
	var uuid [16]byte
	if err := d.check("cuDeviceGetUuid", d.raw.deviceGetUUID(&uuid, device.id)); err != nil {
		return nil, err
	}
	device.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])
	return device, device.readAttributes()
}

func (d *Device) readAttributes() error {
	for _, row := range d.attributes() {
		var v int32
		err := d.driver.check("cuDeviceGetAttribute",
			d.driver.raw.deviceGetAttribute(&v, row.attribute, d.id))
		if err != nil && row.attribute < firstNew {
			return explain(err, "attribute %d", row.attribute)
		}
		if row.flag != nil {
			*row.flag = v != 0
		} else {
			*row.number = int(v)
		}
	}
	return nil
}

// Context is a context of a device, which owns its memory, streams and modules: the primary one, or one that
// somebody else made.
type Context struct {
	driver  *Driver
	device  *Device
	ref     contextRef
	foreign int         // users of a context that somebody else made, under Driver.mu
	gone    atomic.Bool // it has none any more: its owner may have destroyed it
	null    *Stream
	latest  atomic.Pointer[Stream] // stream of the last launch

	mu      sync.Mutex
	streams []*Stream // made here and not closed, in order
	known   inflight.Group[Stream, *Stream]

	retired retired

	captures inflight.Captures
}

// Context returns the device's context, opened at the first call. Each device has one; Release closes it.
func (d *Device) Context() (*Context, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.context != nil {
		return d.context, nil
	}
	c := &Context{driver: d.driver, device: d}
	if err := d.driver.check("cuDevicePrimaryCtxRetain",
		d.driver.raw.primaryCtxRetain(&c.ref, d.id)); err != nil {
		return nil, explain(err, "%s (%s)", d, d.Name)
	}
	c.null = c.ofNull()
	if err := c.keepPool(); err != nil {
		return nil, err
	}
	d.driver.contexts.Add(1)
	d.context = c
	return c, nil
}

// ofNull returns the default stream.
func (c *Context) ofNull() *Stream {
	s := &Stream{ctx: c}
	c.known.Add(s)
	return s
}

// keepPool makes the device's pool keep freed memory for the next allocation. Otherwise it goes back to the
// system at every synchronization.
func (c *Context) keepPool() error {
	raw := &c.driver.raw
	if !c.device.MemoryPools || raw.deviceGetPool == nil || raw.poolSetAttribute == nil {
		return nil
	}
	const releaseThreshold = 4 // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
	var pool poolRef
	if err := c.driver.check("cuDeviceGetDefaultMemPool", raw.deviceGetPool(&pool, c.device.id)); err != nil {
		return err
	}
	all := ^uint64(0)
	return c.driver.check("cuMemPoolSetAttribute", raw.poolSetAttribute(pool, releaseThreshold, &all))
}

// Current returns the calling thread's current context as a number, 0 if it has none.
func (d *Driver) Current() (uintptr, error) {
	var c contextRef
	err := d.check("cuCtxGetCurrent", d.raw.ctxGetCurrent(&c))
	return uintptr(c), err
}

// Foreign returns a context that somebody else made and keeps until Release, by its CUcontext. For the
// primary context of a device it is the device's own, which needs no Release.
func (d *Driver) Foreign(handle uintptr) (*Context, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.foreign[contextRef(handle)]; c != nil {
		c.foreign++
		return c, nil
	}
	c := &Context{driver: d, ref: contextRef(handle), foreign: 1}
	var id deviceID
	if err := c.do("cuCtxGetDevice", func() Result { return d.raw.ctxGetDevice(&id) }); err != nil {
		return nil, explain(err, "the context %#x", handle)
	}
	i := slices.IndexFunc(d.devices, func(x *Device) bool { return x.id == id })
	if i < 0 {
		return nil, fmt.Errorf("the context %#x is of device %d, which is none of %d", handle, id,
			len(d.devices))
	}
	c.device = d.devices[i]
	if primary, err := c.device.primary(c.ref); primary != nil || err != nil {
		return primary, err
	}
	c.null = c.ofNull()
	if d.foreign == nil {
		d.foreign = map[contextRef]*Context{}
	}
	d.foreign[c.ref] = c
	d.contexts.Add(1)
	return c, nil
}

// releaseForeign ends one use of a context that somebody else made.
func (c *Context) releaseForeign() {
	d := c.driver
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.foreign--; c.foreign == 0 {
		delete(d.foreign, c.ref)
		c.gone.Store(true)
		d.contexts.Add(-1)
	}
}

// primary returns the device's own context if it is ref. It does not bring the context to life.
func (d *Device) primary(ref contextRef) (*Context, error) {
	var flags uint32
	var active int32
	err := d.driver.check("cuDevicePrimaryCtxGetState", d.driver.raw.primaryCtxState(d.id, &flags, &active))
	if err != nil || active == 0 {
		return nil, err
	}
	d.mu.Lock()
	own := d.context
	d.mu.Unlock()
	c, err := d.Context()
	if err != nil || c.ref == ref {
		return c, err
	}
	if own == nil { // it was not in use here
		err = c.Release()
	}
	return nil, err
}

// Device returns the context's device.
func (c *Context) Device() *Device { return c.device }

// Primary reports whether the context is its device's primary one.
func (c *Context) Primary() bool { return c.device.context == c }

// Release releases the context. Everything made from it is gone unless other code in the process holds it
// too.
func (c *Context) Release() error {
	if !c.Primary() {
		c.releaseForeign()
		return nil
	}
	c.device.mu.Lock()
	defer c.device.mu.Unlock()
	if c.device.context != c {
		return nil
	}
	c.device.context = nil
	c.driver.contexts.Add(-1)
	return c.driver.check("cuDevicePrimaryCtxRelease", c.driver.raw.primaryCtxRelease(c.device.id))
}

// do calls the driver with the context current. Both calls must happen on one thread.
func (c *Context) do(call string, f func() Result) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := c.enter()
	if err != nil {
		return err
	}
	defer c.leave(before)
	return c.driver.check(call, f())
}

// Current calls f with the context current on the thread that it runs on.
func (c *Context) Current(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := c.enter()
	if err != nil {
		return err
	}
	defer c.leave(before)
	return f()
}

// errGone is the error of using a context of somebody else's after Release.
var errGone = errors.New("cuda: the context was given back to its owner")

// enter makes the context current on the calling thread and returns the one for leave to restore: c itself
// unless threads belong to others.
func (c *Context) enter() (before contextRef, err error) {
	if c.gone.Load() {
		return 0, errGone
	}
	before = c.ref
	if c.driver.guest.Load() {
		if err := c.driver.check("cuCtxGetCurrent", c.driver.raw.ctxGetCurrent(&before)); err != nil {
			return 0, err
		}
		if before == c.ref {
			return before, nil
		}
	}
	return before, c.driver.check("cuCtxSetCurrent", c.driver.raw.ctxSetCurrent(c.ref))
}

// leave makes the context of before enter current again.
func (c *Context) leave(before contextRef) {
	if before != c.ref {
		c.driver.raw.ctxSetCurrent(before) // it was current a moment ago
	}
}

// BeGuest makes all calls leave the calling thread's current context as it was: threads belong to a program
// of which this is a library. A Go program's threads are its own, and setting is cheaper than asking first.
func (d *Driver) BeGuest() {
	if !d.guest.Swap(true) {
		d.contexts.Add(guests) // others may have contexts: no launch takes the current one on trust
	}
}

// guests is more contexts than a process has.
const guests = 1 << 20

// Synchronize waits for all work on the device, and before that for the captures of other threads, which it
// would spoil.
func (c *Context) Synchronize() (err error) {
	if !c.captures.Wait(func() { err = c.do("cuCtxSynchronize", c.driver.raw.ctxSynchronize) }) {
		return errWaitInCapture
	}
	return c.blame(err)
}

var errWaitInCapture = fmt.Errorf("cuda: it would wait for the device: %w", inflight.ErrCapturing)

// blame adds the last known launch on the device to a sticky error.
func (c *Context) blame(err error) error {
	if s := c.latest.Load(); s != nil {
		return s.blame(err)
	}
	return err
}

// Limit is a CUlimit.
type Limit int32

// Limits that can be set.
const (
	LimitStack  Limit = 0 // bytes of each thread
	LimitPrintf Limit = 1 // bytes that kernels can print between synchronizations
	LimitHeap   Limit = 2 // bytes that kernels can allocate
)

// SetLimit sets a limit of the device.
func (c *Context) SetLimit(l Limit, value int) error {
	return c.do("cuCtxSetLimit", func() Result { return c.driver.raw.ctxSetLimit(int32(l), uintptr(value)) })
}
