package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TMALowering gives the accesses through descriptors that are left to the copy engine, which reads and writes
// shared memory: a load waits for its bytes at a barrier, a store until its buffer has been read. Descriptors
// that the kernel makes are written to a part of global memory that the program has for itself.
//
//	%x = tt.descriptor_load %d[…]       %buf, %bar = ttg.local_alloc; ttng.init_barrier %bar, 1
//	                               =>   ttng.barrier_expect %bar, 8192, %true
//	                                    ttng.async_tma_copy_global_to_local %d[…] %buf, %bar, %true
//	                                    ttng.wait_barrier %bar, %c0; ttng.inval_barrier %bar
//	                                    %x = ttg.local_load %buf
//	tt.descriptor_store %d[…], %x  =>   %buf = ttg.local_alloc %x; ttng.fence_async_shared
//	                                    ttng.async_tma_copy_local_to_global %d[…] %buf
//	                                    ttng.async_tma_store_wait
var TMALowering = pass.Pass{
	Name: "triton-nvidia-tma-lowering",
	Doc:  "give accesses through tensor descriptors to the copy engine",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, l := range tmaLowerings {
			for _, op := range ttgir.OpsOf(m.Op, l.op) {
				ctx.At(op)
				l.lower(op)
			}
		}
		return nil
	},
}

// tmaLowerings lists the ops that TMALowering replaces.
var tmaLowerings = []struct {
	op    *ir.OpDef
	lower func(op *ir.Op)
}{
	{tt.DescLoad, lowerDescLoad},
	{tt.DescStore, lowerDescStore},
	{tt.DescReduce, lowerDescStore},
	{tt.MakeTensorDesc, lowerMakeDesc},
}

// lowerDescLoad replaces a load that is not part of a pipeline.
func lowerDescLoad(op *ir.Op) {
	t := ttgir.TensorOf(op.Result(0))
	enc := pipeline.SharedOf(op.Operand(0), t)
	b := ir.At(op)
	buf := b.Val(ttg.LocalAlloc, ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: enc,
		Space: ttg.SharedMemory, Mutable: true}.Type())
	bar := b.Val(ttg.LocalAlloc, ttg.MemDesc{Shape: []int64{1}, Elem: ir.I64,
		Encoding: pipeline.BarrierEncoding(),
		Space:    ttg.SharedMemory, Mutable: true}.Type())
	b.Op(ttng.InitBarrier, []*ir.Value{bar}, nil, ir.A("count", ir.I32Attr(1)))
	yes := arith.Const(b, ir.BoolAttr(true))
	size := ir.I32Attr(int64(pipeline.BlockBytes(t, enc)))
	b.Op(ttng.BarrierExpect, []*ir.Value{bar, yes}, nil, ir.A("size", size))
	pipeline.CopyBlock(b, op, bar, buf)
	wait := b.Groups(ttng.WaitBarrier, [][]*ir.Value{{bar}, {arith.ConstInt(b, 0, ir.I32)}, nil, nil}, nil)
	inval := b.Op(ttng.InvalBarrier, []*ir.Value{bar}, nil)
	for _, same := range pipeline.SameBuffers(op, buf) {
		pipeline.ReplaceBuffer(same, buf)
	}
	if !op.HasUses() {
		waitLate(buf, wait, inval)
	} else {
		x := b.Val(ttg.LocalLoad, t, buf)
		x.Name = op.Result(0).Name
		op.Result(0).ReplaceAllUses(x)
	}
	op.Erase()
}

// waitLate moves the wait for a buffer's bytes to the buffer's first reader, a loop before which other copies
// start. The barrier's life ends with those of the loop's barriers.
func waitLate(buf *ir.Value, wait, inval *ir.Op) {
	var reader *ir.Op
	for u := range buf.Users() {
		a := ttgir.AncestorIn(wait.Block(), u)
		if a != nil && wait.Before(a) && (reader == nil || a.Before(reader)) {
			reader = a
		}
	}
	if reader == nil || reader.Def != scf.For || !HasApart(reader.ParentOf(tt.Func)) {
		return
	}
	end := reader.Next()
	for end != nil && end.Def != ttng.InvalBarrier && end.Def != ttg.LocalDealloc {
		end = end.Next()
	}
	if end != nil {
		wait.MoveBefore(reader)
		inval.MoveBefore(end)
	}
}

// lowerDescStore replaces a store or a reduction. A buffer that is not in a loop is used once.
func lowerDescStore(op *ir.Op) {
	b := ir.At(op)
	buf := b.Val(ttg.LocalAlloc, pipeline.StoreBuffer(op, false), ttgir.DescValue(op))
	b.Op(ttng.FenceAsyncShared, nil, nil, ir.A("bCluster", ir.BoolAttr(false)))
	pipeline.StoreBlock(b, op, buf)
	b.Op(ttng.AsyncTMAStoreWait, nil, nil, ir.A("pendings", ir.I32Attr(0)))
	op.Erase()
}

// mapBytes and mapAlign are the size and the alignment of a tensor map.
const (
	mapBytes = 128
	mapAlign = 128
)

// lowerMakeDesc writes the tensor map of a descriptor to scratch memory. Dimensions of maps count from the
// innermost.
func lowerMakeDesc(op *ir.Op) {
	earlier := acquiresBefore(op)
	b := ir.At(op)
	block := tt.DescBlock(op.Result(0).Type)
	scratch := b.ValA(ttg.GlobalScratchAlloc, tt.Ptr(ir.I8),
		[]ir.NamedAttr{ir.A("nbytes", ir.I32Attr(mapBytes)), ir.A("alignment", ir.I32Attr(mapAlign))})
	i32 := func(n int) *ir.Value { return arith.ConstInt(b, int64(n), ir.I32) }
	var box, dims, strides, steps []*ir.Value
	size := arith.ConstInt(b, int64(max(1, ir.BitWidth(block.Elem)/8)), ir.I64)
	for i, n := range slices.Backward(ttglayout.Box(block.Encoding, block.Shape)) {
		box, dims, steps = append(box, i32(n)), append(dims, op.Group(1)[i]), append(steps, i32(1))
		if i < block.Rank()-1 {
			strides = append(strides, b.Val(arith.MulI, ir.I64, op.Group(2)[i], size))
		}
	}
	fill := int64(0)
	if op.IntOr("padding", tt.PadZero) == tt.PadNaN {
		fill = 1
	}
	b.Groups(ttng.TensormapCreate, [][]*ir.Value{{scratch}, {op.Operand(0)}, box, dims, strides, steps}, nil,
		ir.A("elem_type", ir.I32Attr(mapElem(block.Elem))), ir.A("interleave_layout", ir.I32Attr(0)),
		ir.A("swizzle_mode", ir.I32Attr(swizzleMode(block.Encoding))), ir.A("fill_mode", ir.I32Attr(fill)))
	acquire := b.Op(ttng.TensormapFenceproxyAcquire, []*ir.Value{scratch}, nil)
	for _, a := range earlier {
		a.MoveBefore(acquire)
	}
	desc := b.Val(ttng.ReinterpretTensorDesc, op.Result(0).Type, scratch)
	desc.Name = op.Result(0).Name
	op.ReplaceWith(desc)
}

// acquiresBefore returns the fences for maps directly before op. A map's way to memory takes long: fences
// behind the making of all maps wait for it once.
func acquiresBefore(op *ir.Op) []*ir.Op {
	makesMaps := []*ir.OpDef{ttg.GlobalScratchAlloc, ttng.TensormapCreate, ttng.TensormapFenceproxyAcquire}
	var list []*ir.Op
	for op = op.Prev(); op != nil && len(op.Regions()) == 0; op = op.Prev() {
		if op.Effects() != 0 && !slices.Contains(makesMaps, op.Def) {
			break
		}
		if op.Def == ttng.TensormapFenceproxyAcquire {
			list = slices.Insert(list, 0, op)
		}
	}
	return list
}

// mapElem returns the number of an element's type in tensormap.replace.
func mapElem(t ir.Type) int64 {
	signed := false
	if it, ok := t.(*ir.IntegerType); ok {
		signed = it.Sign == ir.Signed
	}
	switch t {
	case ir.F16:
		return 6
	case ir.F32:
		return 7
	case ir.F64:
		return 9
	case ir.BF16:
		return 10
	}
	n := map[int]int64{8: 0, 16: 1, 32: 2, 64: 4}[ir.BitWidth(t)]
	if signed && n >= 2 {
		n++
	}
	return n
}

// swizzleMode returns the number of a layout's swizzle in a tensor map.
func swizzleMode(enc ir.Attr) int64 {
	l, _ := ttg.As[ttg.NVMMAShared](enc)
	return map[int64]int64{0: 0, 32: 1, 64: 2, 128: 3}[l.SwizzlingByteWidth]
}
