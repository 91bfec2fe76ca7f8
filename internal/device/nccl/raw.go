package nccl

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// ID names a communicator that is being made. One process makes it, and all ranks have the same.
type ID [128]byte

// DataType is ncclDataType_t.
type DataType int32

// The numbers are those of nccl.h.
const (
	Int8       DataType = 0
	Uint8      DataType = 1
	Int32      DataType = 2
	Uint32     DataType = 3
	Int64      DataType = 4
	Uint64     DataType = 5
	Float16    DataType = 6
	Float32    DataType = 7
	Float64    DataType = 8
	BFloat16   DataType = 9
	Float8E4M3 DataType = 10 // from NCCL 2.24 on, on GPUs from sm_90 on
	Float8E5M2 DataType = 11 // likewise
)

// Op is ncclRedOp_t.
type Op int32

// The numbers are those of nccl.h.
const (
	Sum  Op = 0
	Prod Op = 1
	Max  Op = 2
	Min  Op = 3
	Avg  Op = 4
)

// commRef is an ncclComm_t.
type commRef uintptr

// config is ncclConfig_t as NCCL 2.17 has it; later versions have more fields behind these, and take the
// defaults for them because size and version say that they are not there.
type config struct {
	size     uintptr
	magic    uint32
	version  uint32
	blocking int32
	cluster  int32
	minCTAs  int32
	maxCTAs  int32
	netName  uintptr
	split    int32
	_        int32
}

const (
	configMagic   = 0xcafebeef
	configVersion = 21700
	undefined     = math.MinInt32 // NCCL_CONFIG_UNDEF_INT
)

// newConfig returns NCCL_CONFIG_INITIALIZER with the mode of calls.
func newConfig(blocking bool) *config {
	c := &config{magic: configMagic, version: configVersion, cluster: undefined, minCTAs: undefined,
		maxCTAs: undefined, split: undefined}
	c.size = unsafe.Sizeof(*c)
	if blocking {
		c.blocking = 1
	}
	return c
}

// raw holds the functions of the library, one field for each symbol, under its name without the nccl.
type raw struct {
	getVersion     func(v *int32) Result
	getUniqueID    func(id *ID) Result
	getErrorString func(r Result) *byte
	getLastError   func(c commRef) *byte

	commInitRankConfig uintptr // takes the ID by value: see initRank
	commFinalize       func(c commRef) Result
	commDestroy        func(c commRef) Result
	commAbort          func(c commRef) Result
	commGetAsyncError  func(c commRef, state *Result) Result

	groupStart func() Result
	groupEnd   func() Result

	allReduce     func(from, to uint64, n uintptr, t DataType, o Op, c commRef, stream uintptr) Result
	reduce        func(from, to uint64, n uintptr, t DataType, o Op, root int32, c commRef, s uintptr) Result
	reduceScatter func(from, to uint64, n uintptr, t DataType, o Op, c commRef, stream uintptr) Result
	allGather     func(from, to uint64, n uintptr, t DataType, c commRef, stream uintptr) Result
	broadcast     func(from, to uint64, n uintptr, t DataType, root int32, c commRef, stream uintptr) Result
	send          func(from uint64, n uintptr, t DataType, peer int32, c commRef, stream uintptr) Result
	recv          func(to uint64, n uintptr, t DataType, peer int32, c commRef, stream uintptr) Result
}

// symbols is the table that fills the fields. All have been there since NCCL 2.14, of 2022.
func (r *raw) symbols() []dl.Func {
	return []dl.Func{
		{Ptr: &r.getVersion, Symbol: "ncclGetVersion"},
		{Ptr: &r.getUniqueID, Symbol: "ncclGetUniqueId"},
		{Ptr: &r.getErrorString, Symbol: "ncclGetErrorString"},
		{Ptr: &r.getLastError, Symbol: "ncclGetLastError"},
		{Ptr: &r.commInitRankConfig, Symbol: "ncclCommInitRankConfig"},
		{Ptr: &r.commFinalize, Symbol: "ncclCommFinalize"},
		{Ptr: &r.commDestroy, Symbol: "ncclCommDestroy"},
		{Ptr: &r.commAbort, Symbol: "ncclCommAbort"},
		{Ptr: &r.commGetAsyncError, Symbol: "ncclCommGetAsyncError"},
		{Ptr: &r.groupStart, Symbol: "ncclGroupStart"},
		{Ptr: &r.groupEnd, Symbol: "ncclGroupEnd"},
		{Ptr: &r.allReduce, Symbol: "ncclAllReduce"},
		{Ptr: &r.reduce, Symbol: "ncclReduce"},
		{Ptr: &r.reduceScatter, Symbol: "ncclReduceScatter"},
		{Ptr: &r.allGather, Symbol: "ncclAllGather"},
		{Ptr: &r.broadcast, Symbol: "ncclBroadcast"},
		{Ptr: &r.send, Symbol: "ncclSend"},
		{Ptr: &r.recv, Symbol: "ncclRecv"},
	}
}

// initRank calls ncclCommInitRankConfig(comm, ranks, id, rank, config), whose third argument is a structure
// of 128 bytes by value. On amd64 such an argument lies on the stack, and the others are in the registers
// that integers take, of which there are six; on arm64 it is the address of a copy.
func (r *raw) initRank(c *commRef, ranks int, id ID, rank int, cfg *config) Result {
	fn := r.commInitRankConfig
	if runtime.GOARCH != "amd64" {
		return Result(dl.Call(fn, uintptr(unsafe.Pointer(c)), uintptr(ranks), uintptr(unsafe.Pointer(&id)),
			uintptr(rank), uintptr(unsafe.Pointer(cfg))))
	}
	w := *(*[len(id) / 8]uintptr)(unsafe.Pointer(&id))
	return Result(dl.Call(fn, uintptr(unsafe.Pointer(c)), uintptr(ranks), uintptr(rank),
		uintptr(unsafe.Pointer(cfg)), 0, 0, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10],
		w[11], w[12], w[13], w[14], w[15]))
}
