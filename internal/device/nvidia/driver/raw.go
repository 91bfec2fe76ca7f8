package driver

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Handles of the driver. Zero is none; a zero stream is the default stream.
type (
	deviceID    int32
	contextRef  uintptr
	streamRef   uintptr
	eventRef    uintptr
	moduleRef   uintptr
	functionRef uintptr
	graphRef    uintptr
	execRef     uintptr
	poolRef     uintptr
)

// raw holds the functions of the driver API that this package calls, one field for each symbol, under its
// name without the cu. A field that older drivers lack is nil there.
type raw struct {
	init             func(flags uint32) Result
	driverGetVersion func(v *int32) Result
	getErrorName     func(r Result, name **byte) Result
	getErrorString   func(r Result, text **byte) Result

	deviceGetCount     func(n *int32) Result
	deviceGet          func(d *deviceID, ordinal int32) Result
	deviceGetName      func(name *byte, size int32, d deviceID) Result
	deviceGetAttribute func(v *int32, attribute int32, d deviceID) Result
	deviceTotalMem     func(n *uint64, d deviceID) Result
	deviceGetUUID      func(uuid *[16]byte, d deviceID) Result
	deviceGetPool      func(p *poolRef, d deviceID) Result
	poolSetAttribute   func(p poolRef, attribute int32, v *uint64) Result

	primaryCtxRetain  func(c *contextRef, d deviceID) Result
	primaryCtxRelease func(d deviceID) Result
	primaryCtxState   func(d deviceID, flags *uint32, active *int32) Result
	ctxSetCurrent     func(c contextRef) Result
	ctxGetCurrent     func(c *contextRef) Result
	ctxGetDevice      func(d *deviceID) Result
	ctxSynchronize    func() Result
	ctxSetLimit       func(limit int32, v uintptr) Result

	streamCreate        func(s *streamRef, flags uint32, priority int32) Result
	streamDestroy       func(s streamRef) Result
	streamSynchronize   func(s streamRef) Result
	streamQuery         func(s streamRef) Result
	streamWaitEvent     func(s streamRef, e eventRef, flags uint32) Result
	streamBeginCapture  func(s streamRef, mode int32) Result
	streamEndCapture    func(s streamRef, g *graphRef) Result
	streamIsCapturing   func(s streamRef, status *int32) Result
	eventCreate         func(e *eventRef, flags uint32) Result
	eventDestroy        func(e eventRef) Result
	eventRecord         func(e eventRef, s streamRef) Result
	eventSynchronize    func(e eventRef) Result
	eventQuery          func(e eventRef) Result
	eventElapsedTime    func(ms *float32, start, end eventRef) Result
	graphInstantiate    func(x *execRef, g graphRef, flags uint64) Result
	graphLaunch         func(x execRef, s streamRef) Result
	graphGetNodes       func(g graphRef, nodes *uintptr, n *uintptr) Result
	graphExecDestroy    func(x execRef) Result
	graphDestroy        func(g graphRef) Result
	memAlloc            func(p *DevicePtr, n uintptr) Result
	memFree             func(p DevicePtr) Result
	memAllocAsync       func(p *DevicePtr, n uintptr, s streamRef) Result
	memFreeAsync        func(p DevicePtr, s streamRef) Result
	memGetInfo          func(free, total *uintptr) Result
	memHostAlloc        func(p *unsafe.Pointer, n uintptr, flags uint32) Result
	memFreeHost         func(p unsafe.Pointer) Result
	memcpyHtoD          func(dst DevicePtr, src unsafe.Pointer, n uintptr) Result
	memcpyDtoH          func(dst unsafe.Pointer, src DevicePtr, n uintptr) Result
	memcpyDtoD          func(dst, src DevicePtr, n uintptr) Result
	memcpyHtoDAsync     func(dst DevicePtr, src unsafe.Pointer, n uintptr, s streamRef) Result
	memcpyDtoHAsync     func(dst unsafe.Pointer, src DevicePtr, n uintptr, s streamRef) Result
	memcpyDtoDAsync     func(dst, src DevicePtr, n uintptr, s streamRef) Result
	memsetD8Async       func(p DevicePtr, v uint8, n uintptr, s streamRef) Result
	memsetD16Async      func(p DevicePtr, v uint16, n uintptr, s streamRef) Result
	memsetD32Async      func(p DevicePtr, v uint32, n uintptr, s streamRef) Result
	pointerGetAttribute func(v unsafe.Pointer, attribute int32, p DevicePtr) Result
	moduleLoadDataEx    func(m *moduleRef, image *byte, n uint32, options *jitOption, values *uintptr) Result
	moduleUnload        func(m moduleRef) Result
	moduleGetFunction   func(f *functionRef, m moduleRef, name string) Result
	moduleGetGlobal     func(p *DevicePtr, n *uintptr, m moduleRef, name string) Result
	funcGetAttribute    func(v *int32, attribute int32, f functionRef) Result
	funcSetAttribute    func(f functionRef, attribute, v int32) Result
	funcSetCacheConfig  func(f functionRef, config int32) Result
	maxActiveBlocks     func(n *int32, f functionRef, blockSize int32, shared uintptr) Result
	maxActiveClusters   func(n *int32, f functionRef, config *launchConfig) Result

	tensorMapEncodeTiled func(m *[TensorMapBytes]byte, elem int32, rank uint32, p DevicePtr,
		dims *[MaxRank]uint64, strides *[MaxRank - 1]uint64, box, steps *[MaxRank]uint32, interleave, swizzle,
		promotion, fill int32) Result

	// Addresses for dl.Call: the launch path.
	launchKernel    uintptr // (function, grid ×3, block ×3, shared, stream, params, extra)
	launchKernelEx  uintptr // (*launchConfig, function, params, extra)
	ctxSetCurrentAt uintptr // (context)
	ctxGetCurrentAt uintptr // (*context)
}

// symbols returns the table that fills r from the library. The suffixes are the versions to which the
// driver's headers map the plain names.
func (r *raw) symbols() []dl.Func {
	return []dl.Func{
		{Ptr: &r.init, Symbol: "cuInit"},
		{Ptr: &r.driverGetVersion, Symbol: "cuDriverGetVersion"},
		{Ptr: &r.getErrorName, Symbol: "cuGetErrorName"},
		{Ptr: &r.getErrorString, Symbol: "cuGetErrorString"},

		{Ptr: &r.deviceGetCount, Symbol: "cuDeviceGetCount"},
		{Ptr: &r.deviceGet, Symbol: "cuDeviceGet"},
		{Ptr: &r.deviceGetName, Symbol: "cuDeviceGetName"},
		{Ptr: &r.deviceGetAttribute, Symbol: "cuDeviceGetAttribute"},
		{Ptr: &r.deviceTotalMem, Symbol: "cuDeviceTotalMem_v2"},
		{Ptr: &r.deviceGetUUID, Symbol: "cuDeviceGetUuid"},
		{Ptr: &r.deviceGetPool, Symbol: "cuDeviceGetDefaultMemPool", Optional: true},
		{Ptr: &r.poolSetAttribute, Symbol: "cuMemPoolSetAttribute", Optional: true},

		{Ptr: &r.primaryCtxRetain, Symbol: "cuDevicePrimaryCtxRetain"},
		{Ptr: &r.primaryCtxRelease, Symbol: "cuDevicePrimaryCtxRelease_v2"},
		{Ptr: &r.primaryCtxState, Symbol: "cuDevicePrimaryCtxGetState"},
		{Ptr: &r.ctxSetCurrent, Symbol: "cuCtxSetCurrent"},
		{Ptr: &r.ctxGetCurrent, Symbol: "cuCtxGetCurrent"},
		{Ptr: &r.ctxGetDevice, Symbol: "cuCtxGetDevice"},
		{Ptr: &r.ctxSynchronize, Symbol: "cuCtxSynchronize"},
		{Ptr: &r.ctxSetLimit, Symbol: "cuCtxSetLimit"},

		{Ptr: &r.streamCreate, Symbol: "cuStreamCreateWithPriority"},
		{Ptr: &r.streamDestroy, Symbol: "cuStreamDestroy_v2"},
		{Ptr: &r.streamSynchronize, Symbol: "cuStreamSynchronize"},
		{Ptr: &r.streamQuery, Symbol: "cuStreamQuery"},
		{Ptr: &r.streamWaitEvent, Symbol: "cuStreamWaitEvent"},
		{Ptr: &r.streamBeginCapture, Symbol: "cuStreamBeginCapture_v2"},
		{Ptr: &r.streamEndCapture, Symbol: "cuStreamEndCapture"},
		{Ptr: &r.streamIsCapturing, Symbol: "cuStreamIsCapturing"},

		{Ptr: &r.eventCreate, Symbol: "cuEventCreate"},
		{Ptr: &r.eventDestroy, Symbol: "cuEventDestroy_v2"},
		{Ptr: &r.eventRecord, Symbol: "cuEventRecord"},
		{Ptr: &r.eventSynchronize, Symbol: "cuEventSynchronize"},
		{Ptr: &r.eventQuery, Symbol: "cuEventQuery"},
		{Ptr: &r.eventElapsedTime, Symbol: "cuEventElapsedTime"},

		{Ptr: &r.graphInstantiate, Symbol: "cuGraphInstantiateWithFlags", Optional: true},
		{Ptr: &r.graphLaunch, Symbol: "cuGraphLaunch"},
		{Ptr: &r.graphGetNodes, Symbol: "cuGraphGetNodes"},
		{Ptr: &r.graphExecDestroy, Symbol: "cuGraphExecDestroy"},
		{Ptr: &r.graphDestroy, Symbol: "cuGraphDestroy"},

		{Ptr: &r.memAlloc, Symbol: "cuMemAlloc_v2"},
		{Ptr: &r.memFree, Symbol: "cuMemFree_v2"},
		{Ptr: &r.memAllocAsync, Symbol: "cuMemAllocAsync", Optional: true},
		{Ptr: &r.memFreeAsync, Symbol: "cuMemFreeAsync", Optional: true},
		{Ptr: &r.memGetInfo, Symbol: "cuMemGetInfo_v2"},
		{Ptr: &r.memHostAlloc, Symbol: "cuMemHostAlloc"},
		{Ptr: &r.memFreeHost, Symbol: "cuMemFreeHost"},
		{Ptr: &r.memcpyHtoD, Symbol: "cuMemcpyHtoD_v2"},
		{Ptr: &r.memcpyDtoH, Symbol: "cuMemcpyDtoH_v2"},
		{Ptr: &r.memcpyDtoD, Symbol: "cuMemcpyDtoD_v2"},
		{Ptr: &r.memcpyHtoDAsync, Symbol: "cuMemcpyHtoDAsync_v2"},
		{Ptr: &r.memcpyDtoHAsync, Symbol: "cuMemcpyDtoHAsync_v2"},
		{Ptr: &r.memcpyDtoDAsync, Symbol: "cuMemcpyDtoDAsync_v2"},
		{Ptr: &r.memsetD8Async, Symbol: "cuMemsetD8Async"},
		{Ptr: &r.memsetD16Async, Symbol: "cuMemsetD16Async"},
		{Ptr: &r.memsetD32Async, Symbol: "cuMemsetD32Async"},
		{Ptr: &r.pointerGetAttribute, Symbol: "cuPointerGetAttribute"},

		{Ptr: &r.moduleLoadDataEx, Symbol: "cuModuleLoadDataEx"},
		{Ptr: &r.moduleUnload, Symbol: "cuModuleUnload"},
		{Ptr: &r.moduleGetFunction, Symbol: "cuModuleGetFunction"},
		{Ptr: &r.moduleGetGlobal, Symbol: "cuModuleGetGlobal_v2"},

		{Ptr: &r.funcGetAttribute, Symbol: "cuFuncGetAttribute"},
		{Ptr: &r.funcSetAttribute, Symbol: "cuFuncSetAttribute"},
		{Ptr: &r.funcSetCacheConfig, Symbol: "cuFuncSetCacheConfig"},
		{Ptr: &r.maxActiveBlocks, Symbol: "cuOccupancyMaxActiveBlocksPerMultiprocessor"},
		{Ptr: &r.maxActiveClusters, Symbol: "cuOccupancyMaxActiveClusters", Optional: true},

		{Ptr: &r.tensorMapEncodeTiled, Symbol: "cuTensorMapEncodeTiled", Optional: true},

		{Ptr: &r.launchKernel, Symbol: "cuLaunchKernel"},
		{Ptr: &r.launchKernelEx, Symbol: "cuLaunchKernelEx", Optional: true},
		{Ptr: &r.ctxSetCurrentAt, Symbol: "cuCtxSetCurrent"},
		{Ptr: &r.ctxGetCurrentAt, Symbol: "cuCtxGetCurrent"},
	}
}
