package hip

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Handles of the runtime. Zero is none; a zero stream is the default stream.
type (
	streamRef   uintptr
	moduleRef   uintptr
	functionRef uintptr
	graphRef    uintptr
	execRef     uintptr
	eventRef    uintptr
	poolRef     uintptr
)

// Result is a hipError_t.
type Result int32

// raw holds the functions that this package calls, under their names without the hip.
type raw struct {
	init              func(flags uint32) Result
	runtimeGetVersion func(v *int32) Result
	getErrorName      func(r Result) *byte
	getErrorString    func(r Result) *byte

	getDeviceCount  func(n *int32) Result
	properties      func(p *byte, device int32) Result // of ROCm 5 and before
	propertiesR0600 func(p *byte, device int32) Result // of ROCm 6
	setDevice       func(device int32) Result
	synchronize     func() Result

	deviceGetPool    func(p *poolRef, device int32) Result
	poolSetAttribute func(p poolRef, attribute int32, v *uint64) Result

	malloc          func(p *uint64, n uintptr) Result
	free            func(p uint64) Result
	mallocAsync     func(p *uint64, n uintptr, s streamRef) Result
	freeAsync       func(p uint64, s streamRef) Result
	memGetInfo      func(free, total *uintptr) Result
	pointerGet      func(v unsafe.Pointer, attribute int32, p uint64) Result
	memcpyHtoD      func(dst uint64, src unsafe.Pointer, n uintptr) Result
	memcpyDtoH      func(dst unsafe.Pointer, src uint64, n uintptr) Result
	memcpyDtoDAsync func(dst, src uint64, n uintptr, s streamRef) Result
	memsetD8Async   func(p uint64, v uint8, n uintptr, s streamRef) Result

	streamCreate       func(s *streamRef, flags uint32) Result
	streamDestroy      func(s streamRef) Result
	streamSynchronize  func(s streamRef) Result
	streamQuery        func(s streamRef) Result
	streamWaitEvent    func(s streamRef, e eventRef, flags uint32) Result
	eventCreate        func(e *eventRef, flags uint32) Result
	eventDestroy       func(e eventRef) Result
	eventRecord        func(e eventRef, s streamRef) Result
	eventSynchronize   func(e eventRef) Result
	eventQuery         func(e eventRef) Result
	eventElapsedTime   func(ms *float32, start, end eventRef) Result
	streamBeginCapture func(s streamRef, mode int32) Result
	streamEndCapture   func(s streamRef, g *graphRef) Result
	streamIsCapturing  func(s streamRef, status *int32) Result
	graphInstantiate   func(x *execRef, g graphRef, node *uintptr, log *byte, n uintptr) Result
	graphLaunch        func(x execRef, s streamRef) Result
	graphExecDestroy   func(x execRef) Result
	graphDestroy       func(g graphRef) Result

	moduleLoadData    func(m *moduleRef, image *byte) Result
	moduleUnload      func(m moduleRef) Result
	moduleGetFunction func(f *functionRef, m moduleRef, name string) Result
	launchKernel      func(f functionRef, gx, gy, gz, bx, by, bz, shared uint32, s streamRef,
		params unsafe.Pointer, extra *[5]uintptr) Result
}

// symbols returns the table that fills r from the library.
func (r *raw) symbols() []dl.Func {
	return []dl.Func{
		{Ptr: &r.init, Symbol: "hipInit"},
		{Ptr: &r.runtimeGetVersion, Symbol: "hipRuntimeGetVersion"},
		{Ptr: &r.getErrorName, Symbol: "hipGetErrorName"},
		{Ptr: &r.getErrorString, Symbol: "hipGetErrorString"},

		{Ptr: &r.getDeviceCount, Symbol: "hipGetDeviceCount"},
		{Ptr: &r.properties, Symbol: "hipGetDeviceProperties"},
		{Ptr: &r.propertiesR0600, Symbol: "hipGetDevicePropertiesR0600", Optional: true},
		{Ptr: &r.setDevice, Symbol: "hipSetDevice"},
		{Ptr: &r.synchronize, Symbol: "hipDeviceSynchronize"},

		{Ptr: &r.deviceGetPool, Symbol: "hipDeviceGetDefaultMemPool", Optional: true},
		{Ptr: &r.poolSetAttribute, Symbol: "hipMemPoolSetAttribute", Optional: true},

		{Ptr: &r.malloc, Symbol: "hipMalloc"},
		{Ptr: &r.free, Symbol: "hipFree"},
		{Ptr: &r.mallocAsync, Symbol: "hipMallocAsync", Optional: true},
		{Ptr: &r.freeAsync, Symbol: "hipFreeAsync", Optional: true},
		{Ptr: &r.memGetInfo, Symbol: "hipMemGetInfo"},
		{Ptr: &r.pointerGet, Symbol: "hipPointerGetAttribute", Optional: true},
		{Ptr: &r.memcpyHtoD, Symbol: "hipMemcpyHtoD"},
		{Ptr: &r.memcpyDtoH, Symbol: "hipMemcpyDtoH"},
		{Ptr: &r.memcpyDtoDAsync, Symbol: "hipMemcpyDtoDAsync"},
		{Ptr: &r.memsetD8Async, Symbol: "hipMemsetD8Async"},

		{Ptr: &r.streamCreate, Symbol: "hipStreamCreateWithFlags"},
		{Ptr: &r.streamDestroy, Symbol: "hipStreamDestroy"},
		{Ptr: &r.streamSynchronize, Symbol: "hipStreamSynchronize"},
		{Ptr: &r.streamQuery, Symbol: "hipStreamQuery"},
		{Ptr: &r.streamWaitEvent, Symbol: "hipStreamWaitEvent"},
		{Ptr: &r.eventCreate, Symbol: "hipEventCreateWithFlags"},
		{Ptr: &r.eventDestroy, Symbol: "hipEventDestroy"},
		{Ptr: &r.eventRecord, Symbol: "hipEventRecord"},
		{Ptr: &r.eventSynchronize, Symbol: "hipEventSynchronize"},
		{Ptr: &r.eventQuery, Symbol: "hipEventQuery"},
		{Ptr: &r.eventElapsedTime, Symbol: "hipEventElapsedTime"},
		{Ptr: &r.streamBeginCapture, Symbol: "hipStreamBeginCapture"},
		{Ptr: &r.streamEndCapture, Symbol: "hipStreamEndCapture"},
		{Ptr: &r.streamIsCapturing, Symbol: "hipStreamIsCapturing"},
		{Ptr: &r.graphInstantiate, Symbol: "hipGraphInstantiate"},
		{Ptr: &r.graphLaunch, Symbol: "hipGraphLaunch"},
		{Ptr: &r.graphExecDestroy, Symbol: "hipGraphExecDestroy"},
		{Ptr: &r.graphDestroy, Symbol: "hipGraphDestroy"},

		{Ptr: &r.moduleLoadData, Symbol: "hipModuleLoadData"},
		{Ptr: &r.moduleUnload, Symbol: "hipModuleUnload"},
		{Ptr: &r.moduleGetFunction, Symbol: "hipModuleGetFunction"},
		{Ptr: &r.launchKernel, Symbol: "hipModuleLaunchKernel"},
	}
}
