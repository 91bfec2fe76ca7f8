// Package ttng is Triton's dialect of what only NVIDIA GPUs have: warp group matrix products, barriers in
// shared memory, the tensor memory accelerator, tensor memory. The rows follow Triton 3.6.
package ttng

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is ttng.
var Dialect = ir.NewDialect("ttng", "Warp group matrix products, barriers, bulk copies and tensor memory "+
	"of NVIDIA GPUs.")

const shared = ir.Reads | ir.Writes

var (
	i32     = ir.Exactly(ir.I32)
	coords  = ir.Variadic(i32)
	mem     = ttg.AnyMemDesc
	pred    = ir.Optional(ir.Bool)
	token   = ir.Optional(ttg.AnyToken)
	unit    = ir.OptAttr(ir.AnyUnit)
	noFlag  = ir.DefAttr(ir.AnyBool, ir.BoolAttr(false))
	cache   = ir.DefAttr(tt.CacheKind, ir.I32Attr(tt.CacheNone))
	evict   = ir.DefAttr(tt.EvictKind, ir.I32Attr(tt.EvictNormal))
	memDeps = ir.Variadic(mem)
)

// Fences and clusters.
var (
	FenceAsyncShared = Dialect.Op(ir.OpDef{
		Name:   "fence_async_shared",
		Doc:    "Makes writes to shared memory visible to the asynchronous units.",
		Attrs:  ir.Attrs("bCluster", ir.AnyBool),
		Format: "attr-dict",
	})
	ClusterArrive = Dialect.Op(ir.OpDef{
		Name:   "cluster_arrive",
		Doc:    "Tells the cluster that this thread has come here.",
		Attrs:  ir.Attrs("relaxed", ir.AnyBool),
		Format: "attr-dict",
	})
	ClusterWait = Dialect.Op(ir.OpDef{
		Name:   "cluster_wait",
		Doc:    "Waits until the whole cluster has arrived.",
		Format: "attr-dict",
	})
)

// Warp group matrix products.
var (
	WarpGroupDot = Dialect.Op(ir.OpDef{
		Name: "warp_group_dot",
		Doc: "The matrix product of a and b, plus c, by a warp group, with b in shared memory and a " +
			"there or in registers.",
		Traits:   ir.Reads,
		Operands: ir.Slots("a", ttg.TensorOrMemDesc, "b", mem, "c", tt.FpInts, "useC", pred),
		Results:  ir.Slots("d", tt.FpInts),
		Attrs: ir.Attrs("inputPrecision", ir.DefAttr(tt.PrecisionKind, ir.I32Attr(tt.PrecisionIEEE)),
			"maxNumImpreciseAcc", ir.DefAttr(ir.AnyI32, ir.I32Attr(0)), "isAsync", noFlag),
		Types:  []ir.TypeRule{{From: "d", To: "c"}, {From: "c", To: "d"}},
		Format: "$a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` qualified(type($b)) `->` type($d)",
	})
	WarpGroupDotWait = Dialect.Op(ir.OpDef{
		Name:     "warp_group_dot_wait",
		Doc:      "Waits until at most pendings products are under way and hands its operands on.",
		Operands: ir.Slots("inputs", ir.Variadic(ttg.TensorOrMemDesc)),
		Results:  ir.Slots("outputs", ir.Variadic(ttg.TensorOrMemDesc)),
		Attrs:    ir.Attrs("pendings", ir.AnyI32),
		PrintFn:  printDotWait,
		ParseFn:  parseDotWait,
	})
)

// Barriers in shared memory.
var (
	InitBarrier = Dialect.Op(ir.OpDef{
		Name:     "init_barrier",
		Doc:      "Makes a barrier that count arrivals complete.",
		Traits:   ir.Writes,
		Operands: ir.Slots("alloc", mem),
		Attrs:    ir.Attrs("count", ir.AnyI32),
		Format:   "$alloc `,` $count attr-dict `:` qualified(type($alloc))",
	})
	InvalBarrier = Dialect.Op(ir.OpDef{
		Name:     "inval_barrier",
		Doc:      "Ends the life of a barrier.",
		Traits:   ir.Writes,
		Operands: ir.Slots("alloc", mem),
		Format:   "$alloc attr-dict `:` qualified(type($alloc))",
	})
	BarrierExpect = Dialect.Op(ir.OpDef{
		Name:     "barrier_expect",
		Doc:      "Arrives and tells the barrier how many bytes will be copied.",
		Traits:   ir.Writes,
		Operands: ir.Slots("alloc", mem, "pred", ir.Bool),
		Attrs:    ir.Attrs("size", ir.AnyI32),
		Format:   "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))",
	})
	WaitBarrier = Dialect.Op(ir.OpDef{
		Name:     "wait_barrier",
		Doc:      "Waits until a phase of the barrier is complete.",
		Traits:   shared | ir.SegmentedOperands,
		Operands: ir.Slots("alloc", mem, "phase", i32, "pred", pred, "deps", memDeps),
		Format: "$alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` qualified(type($alloc)) " +
			"(`,` type($deps)^)?",
	})
	ArriveBarrier = Dialect.Op(ir.OpDef{
		Name:     "arrive_barrier",
		Doc:      "Arrives at a barrier count times.",
		Traits:   shared,
		Operands: ir.Slots("alloc", mem, "pred", pred),
		Attrs:    ir.Attrs("count", ir.AnyI32),
		Format:   "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))",
	})
	AsyncCopyMbarrierArrive = Dialect.Op(ir.OpDef{
		Name:     "async_copy_mbarrier_arrive",
		Doc:      "Arrives at a barrier when the copies started so far are complete.",
		Traits:   ir.Writes,
		Operands: ir.Slots("barrier", mem),
		Attrs:    ir.Attrs("noIncrement", unit),
		Format:   "$barrier attr-dict `:` qualified(type($barrier))",
	})
)

// The tensor memory accelerator.
var (
	AsyncTMACopyGlobalToLocal = Dialect.Op(ir.OpDef{
		Name:   "async_tma_copy_global_to_local",
		Doc:    "Starts the copy of a descriptor's block to shared memory; a barrier tells when it is done.",
		Traits: shared,
		Operands: ir.Slots("desc", tt.AnyDesc, "coord", coords, "barrier", mem, "result", mem,
			"pred", ir.Bool),
		Attrs: ir.Attrs("cache", cache, "evict", evict, "isVolatile", noFlag),
		Format: "$desc `[` $coord `]` $result `,` $barrier `,` $pred oilist(`cacheModifier` `=` $cache | " +
			"`evictionPolicy` `=` $evict) attr-dict `:` qualified(type($desc)) `,` " +
			"qualified(type($barrier)) `->` qualified(type($result))",
	})
	AsyncTMACopyLocalToGlobal = Dialect.Op(ir.OpDef{
		Name:     "async_tma_copy_local_to_global",
		Doc:      "Starts the copy of a buffer to a descriptor's block.",
		Traits:   shared,
		Operands: ir.Slots("desc", tt.AnyDesc, "coord", coords, "src", mem),
		Format:   "$desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))",
	})
	AsyncTMAReduce = Dialect.Op(ir.OpDef{
		Name:     "async_tma_reduce",
		Doc:      "Starts to combine a buffer with a descriptor's block in global memory.",
		Traits:   shared,
		Operands: ir.Slots("desc", tt.AnyDesc, "coord", coords, "src", mem),
		Attrs:    ir.Attrs("kind", tt.ReduceKind),
		Format: "$kind `,` $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` " +
			"qualified(type($src))",
	})
	AsyncTMAGather = Dialect.Op(ir.OpDef{
		Name:   "async_tma_gather",
		Doc:    "Starts the copy of rows that indices pick to shared memory.",
		Traits: shared,
		Operands: ir.Slots("desc", tt.AnyDesc, "x_offsets", tt.I32s, "y_offset", i32, "barrier", mem,
			"result", mem, "pred", ir.Bool),
		Format: "$desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` " +
			"type(operands)",
	})
	AsyncTMAScatter = Dialect.Op(ir.OpDef{
		Name:     "async_tma_scatter",
		Doc:      "Starts the copy of a buffer to rows that indices pick.",
		Traits:   shared,
		Operands: ir.Slots("desc", tt.AnyDesc, "x_offsets", tt.I32s, "y_offset", i32, "src", mem),
		Format:   "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)",
	})
	AsyncTMAStoreWait = Dialect.Op(ir.OpDef{
		Name:   "async_tma_store_wait",
		Doc:    "Waits until at most pendings stores still read their buffers.",
		Attrs:  ir.Attrs("pendings", ir.AnyI32),
		Format: "attr-dict",
	})
	ReinterpretTensorDesc = Dialect.Op(ir.OpDef{
		Name:     "reinterpret_tensor_descriptor",
		Doc:      "Takes a pointer to a descriptor in memory for a tensor descriptor.",
		Traits:   ir.Pure,
		Operands: ir.Slots("rawDesc", tt.AnyPtr),
		Results:  ir.Slots("result", tt.AnyDesc),
		Format:   "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))",
	})
	TensormapCreate = Dialect.Op(ir.OpDef{
		Name:   "tensormap_create",
		Doc:    "Writes a descriptor to memory.",
		Traits: shared | ir.SegmentedOperands,
		Operands: ir.Slots("desc_ptr", tt.AnyPtr, "global_address", tt.AnyPtr, "box_dim", coords,
			"global_dim", coords, "global_stride", ir.Variadic(ir.Exactly(ir.I64)), "element_stride", coords),
		Attrs: ir.Attrs("elem_type", ir.AnyI32, "interleave_layout", ir.AnyI32, "swizzle_mode", ir.AnyI32,
			"fill_mode", ir.AnyI32),
		Format: "$desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` " +
			"$global_stride `]` `,` `[` $element_stride `]` attr-dict `:` functional-type(operands, " +
			"results)",
	})
	TensormapFenceproxyAcquire = Dialect.Op(ir.OpDef{
		Name:     "tensormap_fenceproxy_acquire",
		Doc:      "Makes a descriptor that was written to memory visible to the copy engine.",
		Traits:   ir.Writes,
		Operands: ir.Slots("desc_ptr", tt.AnyPtr),
		Format:   "$desc_ptr attr-dict `:` qualified(type($desc_ptr))",
	})
)
