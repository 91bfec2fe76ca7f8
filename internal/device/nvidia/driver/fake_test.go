package driver

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// fake is a driver without a GPU: it writes down each call and answers as told.
type fake struct {
	capturing int32      // what cuStreamIsCapturing says
	current   contextRef // what cuCtxGetCurrent says
	active    int32      // whether primary contexts are
	*Driver
	calls   []string
	results map[string]Result // of a call that is to fail, by name
	count   int32             // of devices
	attrs   map[int32]int32
	log     string // of the compiler
	options map[jitOption]uintptr
}

func (f *fake) note(call string, args ...any) Result {
	name, _, _ := strings.Cut(call, " ")
	f.calls = append(f.calls, strings.TrimSpace(fmt.Sprintf(call, args...)))
	return f.results[name]
}

// want compares the calls since the last time, and forgets them.
func (f *fake) want(t *testing.T, calls ...string) {
	t.Helper()
	if got, want := strings.Join(f.calls, "\n"), strings.Join(calls, "\n"); got != want {
		t.Errorf("calls:\n%s\nwant:\n%s", got, want)
	}
	f.calls = nil
}

// newFake is a driver with n devices of compute capability 9.0, started.
func newFake(t *testing.T, n int32) *fake {
	t.Helper()
	f := &fake{
		Driver:  &Driver{path: "fake"},
		results: map[string]Result{},
		count:   n,
		attrs: map[int32]int32{
			1: 1024, 8: 48 << 10, 10: 32, 12: 65536, 13: 1980000, 16: 132, 38: 60 << 20, 39: 2048,
			75: 9, 76: 0, 81: 228 << 10, 82: 65536, 95: 1, 97: 227 << 10, 111: 1024, 115: 1, 120: 1,
		},
	}
	f.fillDevices()
	f.fillMemory()
	f.fillQueues()
	f.fillModules()
	return f
}

// started starts the driver and opens the first device.
func started(t *testing.T, devices int32) (*fake, *Context) {
	t.Helper()
	f := newFake(t, devices)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	c, err := f.devices[0].Context()
	if err != nil {
		t.Fatal(err)
	}
	f.calls = nil
	return f, c
}

func cString(text string) *byte { return &append([]byte(text), 0)[0] }

func (f *fake) fillDevices() {
	names := map[Result][2]string{
		ErrNoDevice:       {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
		ErrIllegalAddress: {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
		ErrInvalidValue:   {"CUDA_ERROR_INVALID_VALUE", "invalid argument"},
		ErrOutOfMemory:    {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
		ErrInvalidPTX:     {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
		ErrNotFound:       {"CUDA_ERROR_NOT_FOUND", "named symbol not found"},
		ErrInvalidContext: {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	}
	text := func(i int) func(Result, **byte) Result {
		return func(r Result, out **byte) Result {
			if n, ok := names[r]; ok {
				*out = cString(n[i])
			}
			return success
		}
	}
	r := &f.raw
	r.init = func(uint32) Result { return f.note("init") }
	r.driverGetVersion = func(v *int32) Result { *v = 12080; return f.results["version"] }
	r.getErrorName, r.getErrorString = text(0), text(1)
	r.deviceGetCount = func(n *int32) Result { *n = f.count; return f.results["count"] }
	r.deviceGet = func(d *deviceID, ordinal int32) Result { *d = deviceID(10 + ordinal); return success }
	r.deviceGetName = func(name *byte, n int32, d deviceID) Result {
		copy(unsafe.Slice(name, n), fmt.Sprintf("Fake %d\x00", d))
		return success
	}
	r.deviceGetAttribute = func(v *int32, attribute int32, _ deviceID) Result {
		value, ok := f.attrs[attribute]
		if !ok && attribute >= firstNew {
			return ErrInvalidValue
		}
		*v = value
		return success
	}
	r.deviceTotalMem = func(n *uint64, _ deviceID) Result { *n = 80 << 30; return success }
	r.deviceGetUUID = func(u *[16]byte, _ deviceID) Result { u[0], u[15] = 0xab, 0xcd; return success }
	r.deviceGetPool = func(p *poolRef, _ deviceID) Result { *p = 1; return success }
	r.poolSetAttribute = func(_ poolRef, a int32, v *uint64) Result { return f.note("pool %d %x", a, *v) }
	r.primaryCtxRetain = func(c *contextRef, d deviceID) Result {
		*c = contextRef(100 + d)
		return f.note("retain %d", d)
	}
	r.primaryCtxRelease = func(d deviceID) Result { return f.note("release %d", d) }
	r.primaryCtxState = func(d deviceID, _ *uint32, active *int32) Result {
		*active = f.active
		return success
	}
	r.ctxGetCurrent = func(c *contextRef) Result { *c = f.current; return f.note("asked") }
	r.ctxGetDevice = func(d *deviceID) Result { *d = 10; return f.results["device"] }
	r.ctxSetCurrent = func(c contextRef) Result { return f.note("current %d", c) }
	r.ctxSynchronize = func() Result { return f.note("ctxSync") }
	r.ctxSetLimit = func(l int32, v uintptr) Result { return f.note("limit %d %d", l, v) }
}

func (f *fake) fillMemory() {
	r := &f.raw
	r.memAlloc = func(p *DevicePtr, n uintptr) Result { *p = 0x1000; return f.note("alloc %d", n) }
	r.memFree = func(p DevicePtr) Result { return f.note("free %#x", p) }
	r.memAllocAsync = func(p *DevicePtr, n uintptr, s streamRef) Result {
		*p = 0x2000
		return f.note("allocAsync %d %d", n, s)
	}
	r.memFreeAsync = func(p DevicePtr, s streamRef) Result { return f.note("freeAsync %#x %d", p, s) }
	r.memGetInfo = func(free, total *uintptr) Result { *free, *total = 5, 100; return success }
	r.memHostAlloc = func(p *unsafe.Pointer, n uintptr, flags uint32) Result {
		*p = unsafe.Pointer(&make([]byte, n)[0])
		return f.note("hostAlloc %d %d", n, flags)
	}
	r.memFreeHost = func(unsafe.Pointer) Result { return f.note("hostFree") }
	bytes := func(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }
	r.memcpyHtoD = func(dst DevicePtr, src unsafe.Pointer, n uintptr) Result {
		return f.note("HtoD %#x %v", dst, bytes(src, n))
	}
	r.memcpyDtoH = func(dst unsafe.Pointer, src DevicePtr, n uintptr) Result {
		copy(bytes(dst, n), "abcdefgh")
		return f.note("DtoH %#x %d", src, n)
	}
	r.memcpyDtoD = func(dst, src DevicePtr, n uintptr) Result {
		return f.note("DtoD %#x %#x %d", dst, src, n)
	}
	r.memcpyHtoDAsync = func(dst DevicePtr, src unsafe.Pointer, n uintptr, s streamRef) Result {
		return f.note("HtoDAsync %#x %v %d", dst, bytes(src, n), s)
	}
	r.memcpyDtoHAsync = func(_ unsafe.Pointer, src DevicePtr, n uintptr, s streamRef) Result {
		return f.note("DtoHAsync %#x %d %d", src, n, s)
	}
	r.memcpyDtoDAsync = func(dst, src DevicePtr, n uintptr, s streamRef) Result {
		return f.note("DtoDAsync %#x %#x %d %d", dst, src, n, s)
	}
	r.memsetD8Async = func(p DevicePtr, v uint8, n uintptr, s streamRef) Result {
		return f.note("set8 %#x %d %d %d", p, v, n, s)
	}
	r.memsetD16Async = func(p DevicePtr, v uint16, n uintptr, s streamRef) Result {
		return f.note("set16 %#x %d %d %d", p, v, n, s)
	}
	r.memsetD32Async = func(p DevicePtr, v uint32, n uintptr, s streamRef) Result {
		return f.note("set32 %#x %d %d %d", p, v, n, s)
	}
	r.pointerGetAttribute = func(v unsafe.Pointer, a int32, p DevicePtr) Result {
		*(*int32)(v) = 3
		return f.note("pointer %d %#x", a, p)
	}
}

func (f *fake) fillQueues() {
	r := &f.raw
	r.streamCreate = func(s *streamRef, flags uint32, p int32) Result {
		*s = 7
		return f.note("stream %d %d", flags, p)
	}
	r.streamDestroy = func(s streamRef) Result { return f.note("streamDestroy %d", s) }
	r.streamSynchronize = func(s streamRef) Result { return f.note("streamSync %d", s) }
	r.streamQuery = func(s streamRef) Result { return f.note("streamQuery %d", s) }
	r.streamWaitEvent = func(s streamRef, e eventRef, _ uint32) Result { return f.note("wait %d %d", s, e) }
	r.streamBeginCapture = func(s streamRef, mode int32) Result { return f.note("begin %d %d", s, mode) }
	r.streamEndCapture = func(s streamRef, g *graphRef) Result { *g = 31; return f.note("end %d", s) }
	r.streamIsCapturing = func(s streamRef, status *int32) Result {
		*status = f.capturing
		return f.note("capturing %d", s)
	}
	r.eventCreate = func(e *eventRef, flags uint32) Result { *e = 21; return f.note("event %d", flags) }
	r.eventDestroy = func(e eventRef) Result { return f.note("eventDestroy %d", e) }
	r.eventRecord = func(e eventRef, s streamRef) Result { return f.note("record %d %d", e, s) }
	r.eventSynchronize = func(e eventRef) Result { return f.note("eventSync %d", e) }
	r.eventQuery = func(e eventRef) Result { return f.note("eventQuery %d", e) }
	r.eventElapsedTime = func(ms *float32, a, b eventRef) Result {
		*ms = 1.5
		return f.note("elapsed %d %d", a, b)
	}
	r.graphInstantiate = func(x *execRef, g graphRef, _ uint64) Result {
		*x = 41
		return f.note("instantiate %d", g)
	}
	r.graphLaunch = func(x execRef, s streamRef) Result { return f.note("graphLaunch %d %d", x, s) }
	r.graphGetNodes = func(_ graphRef, _, n *uintptr) Result { *n = 2; return success }
	r.graphExecDestroy = func(x execRef) Result { return f.note("execDestroy %d", x) }
	r.graphDestroy = func(g graphRef) Result { return f.note("graphDestroy %d", g) }
}

func (f *fake) fillModules() {
	r := &f.raw
	compile := func(n uint32, keys *jitOption, values *uintptr) {
		f.options = map[jitOption]uintptr{}
		for i, k := range unsafe.Slice(keys, n) {
			f.options[k] = unsafe.Slice(values, n)[i]
		}
		copy(unsafe.Slice(*(**byte)(unsafe.Pointer(&unsafe.Slice(values, n)[2])), logSize), f.log)
	}
	r.moduleLoadDataEx = func(m *moduleRef, image *byte, n uint32, keys *jitOption, values *uintptr) Result {
		compile(n, keys, values)
		*m = 51
		return f.note("load %s", dl.GoString(image))
	}
	r.moduleUnload = func(m moduleRef) Result { return f.note("unload %d", m) }
	r.moduleGetFunction = func(fn *functionRef, m moduleRef, name string) Result {
		*fn = 61
		return f.note("function %d %s", m, name)
	}
	r.moduleGetGlobal = func(p *DevicePtr, n *uintptr, _ moduleRef, name string) Result {
		*p, *n = 0x3000, 8
		return f.note("global %s", name)
	}
	r.funcGetAttribute = func(v *int32, a int32, _ functionRef) Result {
		*v = []int32{512, 1024, 0, 16, 40, 83, 90}[a]
		return f.results["attribute"]
	}
	r.funcSetAttribute = func(fn functionRef, a, v int32) Result { return f.note("set %d %d %d", fn, a, v) }
	r.funcSetCacheConfig = func(fn functionRef, v int32) Result { return f.note("cache %d %d", fn, v) }
	r.maxActiveBlocks = func(n *int32, _ functionRef, threads int32, shared uintptr) Result {
		*n = 4
		return f.note("blocks %d %d", threads, shared)
	}
	r.maxActiveClusters = func(n *int32, _ functionRef, c *launchConfig) Result {
		*n = 16
		return f.note("clusters %v %d", c.grid, c.count)
	}
	launching.fake = f
	r.launchKernel, r.launchKernelEx, r.ctxSetCurrentAt = fakeLaunch(), fakeLaunchEx(), fakeSetCurrent()
}

// launching is who answers the C functions below, which C cannot tell: a test with a fake at a time.
var launching struct{ fake *fake }

var (
	fakeLaunch = sync.OnceValue(func() uintptr {
		return dl.NewCallback(func(fn, gx, gy, gz, bx, by, bz, shared, stream uintptr, params **uint64,
			extra uintptr) Result {
			return launching.fake.note("launch %d grid %d %d %d block %d %d %d shared %d stream %d first "+
				"%#x extra %d",
				fn, gx, gy, gz, bx, by, bz, shared, stream, **params, extra)
		})
	})
	fakeSetCurrent = sync.OnceValue(func() uintptr {
		return dl.NewCallback(func(c contextRef) Result { return launching.fake.raw.ctxSetCurrent(c) })
	})
	fakeLaunchEx = sync.OnceValue(func() uintptr {
		return dl.NewCallback(func(c *launchConfig, fn uintptr, params **uint64, extra uintptr) Result {
			var attrs []string
			for _, a := range unsafe.Slice(c.attrs, c.count) {
				attrs = append(attrs, fmt.Sprintf("%d:%v", a.id, a.value[:12]))
			}
			return launching.fake.note("launchEx %d grid %v block %v shared %d stream %d first %#x extra "+
				"%d attrs %s",
				fn, c.grid, c.block, c.shared, c.stream, **params, extra, strings.Join(attrs, " "))
		})
	})
)
