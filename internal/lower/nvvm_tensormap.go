package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/ir"
)

// tensormapScratch is the buffer in shared memory in which a map is put together.
func tensormapScratch(*lowering, *ir.Op) []int { return []int{TensorMapBytes} }

// lowerTensormapCreate writes a tensor map to global memory. The first warp puts it together in shared
// memory: zeros, then a field at a time by the first thread; a copy of the whole releases it to the copy
// engine.
func lowerTensormapCreate(l *lowering, op *ir.Op) {
	l.refuseOnCluster(op, "a tensor map for several thread blocks")
	at := l.alloc.scratch(op)[0]
	base := l.sharedAt("0", itoa(at))
	warp := l.val("icmp ult i32 %s, 32", l.ids.tid)
	l.storeShared("0", ir.I32, at, l.ids.tid, warp)
	l.vendor.meet(l, theWarp)
	m := mapWriter{l: l, base: "ptr addrspace(3) " + base, first: l.first("")}
	m.address(op)
	m.lists(op)
	for _, f := range []string{"elemtype", "interleave_layout", "swizzle_mode", "fill_mode"} {
		attr := f
		if f == "elemtype" {
			attr = "elem_type"
		}
		m.constant(f, op.IntOr(attr, 0))
	}
	l.vendor.meet(l, theWarp)
	l.groupAsm("void", "@$0 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$1], [$2], 128;",
		"b,l,r", "i1 "+warp, "ptr addrspace(1) "+l.scalar(op.Slot(0)), m.base)
	l.barrier()
}

// mapWriter writes the fields of a map in shared memory.
type mapWriter struct {
	l           *lowering
	base, first string
}

// replace writes a field; ord is its index with a comma, or nothing.
func (m mapWriter) replace(field, ord, bits, value, constraint string) {
	code := fmt.Sprintf("@$0 tensormap.replace.tile.%s.shared::cta.b1024.%s [$1], %s$2;", field, bits, ord)
	m.l.groupAsm("void", code, "b,r,"+constraint, "i1 "+m.first, m.base, value)
}

func (m mapWriter) constant(field string, n int64) {
	m.replace(field, "", "b32", fmt.Sprintf("i32 %d", n), "n")
}

func (m mapWriter) address(op *ir.Op) {
	m.replace("global_address", "", "b64", "ptr addrspace(1) "+m.l.scalar(op.Slot(1)), "l")
	m.constant("rank", int64(len(op.Group(2))-1))
}

// lists writes the fields that have an entry for each dimension. Strides are in bytes, as assemblers from
// CUDA 12.6 on read them.
func (m mapWriter) lists(op *ir.Op) {
	for _, f := range []struct {
		name string
		slot int
	}{{"box_dim", 2}, {"global_dim", 3}, {"element_stride", 5}} {
		for i, v := range op.Group(f.slot) {
			m.replace(f.name, fmt.Sprintf("%d, ", i), "b32", "i32 "+m.l.scalar(v), "r")
		}
	}
	for i, v := range op.Group(4) {
		m.replace("global_stride", fmt.Sprintf("%d, ", i), "b64", "i64 "+m.l.scalar(v), "l")
	}
}

// lowerTensormapAcquire makes a map that was written to memory visible to copies: to those of the first warp by a
// fence, and to those of the others since they meet it there, which is faster than a fence in each. The
// assembler does not keep a copy behind the fence by itself: without the end of a group between them, the
// copy may read a map that is not there yet, which is an illegal instruction. Triton's code has the same.
func lowerTensormapAcquire(l *lowering, op *ir.Op) {
	warp := l.val("icmp ult i32 %s, 32", l.ids.tid)
	const code = "@$0 fence.proxy.tensormap::generic.acquire.gpu [$1], 128;\n" +
		"@$0 cp.async.bulk.commit_group;\n@$0 cp.async.bulk.wait_group.read 0;"
	l.groupAsm("void", code, "b,l",
		"i1 "+warp, "ptr addrspace(1) "+l.scalar(op.Operand(0)))
	l.barrier()
}
