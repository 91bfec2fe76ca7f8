package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// tensormapScratch is the memory in which maps are put together: that of all maps that are made with the last
// of them.
func tensormapScratch(_ *lowering, op *ir.Op) []int {
	if maps := mapsMadeWith(op); maps[len(maps)-1] == op {
		return []int{len(maps) * TensorMapBytes}
	}
	return nil
}

// mapsMadeWith returns the ops that make maps side by side with op, which is one of them: between them is
// nothing that has an effect.
func mapsMadeWith(op *ir.Op) []*ir.Op {
	first := op
	for p := op.Prev(); p != nil && besideMaps(p, ttng.TensormapCreate); p = p.Prev() {
		if p.Def == ttng.TensormapCreate {
			first = p
		}
	}
	var list []*ir.Op
	for ; first != nil && besideMaps(first, ttng.TensormapCreate); first = first.Next() {
		if first.Def == ttng.TensormapCreate {
			list = append(list, first)
		}
	}
	return list
}

// besideMaps reports whether an op may stand among ops of a kind that make maps or fence them.
func besideMaps(op *ir.Op, kind *ir.OpDef) bool {
	return op.Def == kind || op.Def == ttg.GlobalScratchAlloc || op.Effects() == 0 && len(op.Regions()) == 0
}

// lowerTensormapCreate writes tensor maps to global memory: those that are made side by side, at the last of
// them, by a warp each. In a loop, warps meet before: a map is in use until all have started their copies. It
// puts a map together in shared memory: zeros, then a field at a time by its first thread; a copy of the
// whole releases it to the copy engine. No other warp touches the memory, so that the barrier of what follows
// suffices.
func lowerTensormapCreate(l *lowering, op *ir.Op) {
	l.refuseOnCluster(op, "a tensor map for several thread blocks")
	maps := mapsMadeWith(op)
	if maps[len(maps)-1] != op {
		return
	}
	if inLoop(op) { // other warps may be about to start copies by the map of the iteration before
		l.barrier()
	}
	at := l.alloc.scratch(op)[0]
	for i, m := range maps {
		l.makeMap(m, i, at+i*TensorMapBytes)
	}
	l.meetBehindMaps(op)
}

// inLoop reports whether op is executed several times.
func inLoop(op *ir.Op) bool {
	return op.ParentOf(scf.For) != nil || op.ParentOf(scf.While) != nil
}

// makeMap writes the i-th of several maps.
func (l *lowering) makeMap(op *ir.Op, i, at int) {
	warp, lane := l.mapWarp(i)
	l.storeShared("0", ir.I32, at, lane, warp)
	l.vendor.meet(l, theWarp)
	m := mapWriter{l: l}
	m.operand("i1 "+l.both(l.val("icmp eq i32 %s, 0", lane), warp), "b")
	m.operand("ptr addrspace(3) "+l.sharedAt("0", itoa(at)), "r")
	m.address(op)
	m.lists(op)
	if l.mapWords {
		m.words(op)
	}
	for _, f := range []string{"elemtype", "interleave_layout", "swizzle_mode", "fill_mode"} {
		attr := f
		if f == "elemtype" {
			attr = "elem_type"
		}
		m.constant(f, op.IntOr(attr, 0))
	}
	m.write()
	l.vendor.meet(l, theWarp)
	const publish = "@$0 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic" +
		".release.gpu.sync.aligned [$1], [$2], 128;"
	l.groupAsm("void", publish, "b,l,r", "i1 "+warp, "ptr addrspace(1) "+l.scalar(op.Slot(0)), m.args[1])
}

// mapWarp returns whether a thread is of the warp that makes the i-th of several maps, and its lane.
func (l *lowering) mapWarp(i int) (is, lane string) {
	warp := l.val("lshr i32 %s, 5", l.ids.tid)
	return l.val("icmp eq i32 %s, %d", warp, i%l.warps), l.val("and i32 %s, 31", l.ids.tid)
}

// meetBehindMaps lets the warps meet behind the last of several ops that make maps.
func (l *lowering) meetBehindMaps(op *ir.Op) {
	for op = op.Next(); op != nil; op = op.Next() {
		switch {
		case op.Def == ttng.TensormapFenceproxyAcquire:
			return
		case !besideMaps(op, ttng.TensormapFenceproxyAcquire):
			l.barrier()
			return
		}
	}
	l.barrier()
}

// mapWriter collects the instructions that write the fields of a map in shared memory. They are one piece of
// assembly behind one branch: the assembler makes a branch of each instruction with a predicate.
type mapWriter struct {
	l                 *lowering
	code, constraints []string
	args              []string // the first thread's predicate, the address, values
}

// operand adds an operand and returns its name in the code.
func (m *mapWriter) operand(arg, constraint string) string {
	m.args, m.constraints = append(m.args, arg), append(m.constraints, constraint)
	return fmt.Sprintf("$%d", len(m.args)-1)
}

// replace writes a field; ord is its index with a comma, or nothing.
func (m *mapWriter) replace(field, ord, bits, value string) {
	m.code = append(m.code,
		fmt.Sprintf("tensormap.replace.tile.%s.shared::cta.b1024.%s [$1], %s%s;", field, bits, ord, value))
}

func (m *mapWriter) constant(field string, n int64) { m.replace(field, "", "b32", fmt.Sprint(n)) }

func (m *mapWriter) address(op *ir.Op) {
	m.replace("global_address", "", "b64", m.operand("ptr addrspace(1) "+m.l.scalar(op.Slot(1)), "l"))
	m.constant("rank", int64(len(op.Group(2))-1))
}

// lists writes the fields that have an entry for each dimension. Strides are in bytes, as assemblers from
// CUDA 12.6 on read them.
func (m *mapWriter) lists(op *ir.Op) {
	for _, f := range []struct {
		name string
		slot int
	}{{"box_dim", 2}, {"global_dim", 3}, {"element_stride", 5}} {
		for i, v := range op.Group(f.slot) {
			m.replace(f.name, fmt.Sprintf("%d, ", i), "b32", m.operand("i32 "+m.l.scalar(v), "r"))
		}
	}
	for i, v := range op.Group(4) {
		m.replace("global_stride", fmt.Sprintf("%d, ", i), "b64", m.operand("i64 "+m.l.scalar(v), "l"))
	}
}

// write emits the code.
func (m *mapWriter) write() {
	const skip = "$$map_written_${:uid}"
	code := "@!$0 bra " + skip + ";\n" + strings.Join(m.code, "\n") + "\n" + skip + ":"
	m.l.groupAsm("void", code, strings.Join(m.constraints, ","), m.args...)
}

// makerOf returns which of several maps a fence is for, 0 for one that was not made in its block.
func makerOf(fence *ir.Op) int {
	for p := fence.Prev(); p != nil; p = p.Prev() {
		if p.Def == ttng.TensormapCreate && p.Slot(0) == fence.Operand(0) {
			return slices.Index(mapsMadeWith(p), p)
		}
	}
	return 0
}

// lowerTensormapAcquire makes a map that was written to memory visible to copies: to those of the warp that
// made it by a fence, and to those of the others since they meet it there, which is faster than a fence in
// each. The assembler does not keep a copy behind the fence by itself: without the end of a group between
// them, the copy may read a map that is not there yet, which is an illegal instruction. Triton's code has the
// same.
func lowerTensormapAcquire(l *lowering, op *ir.Op) {
	warp, _ := l.mapWarp(makerOf(op))
	const code = "@$0 fence.proxy.tensormap::generic.acquire.gpu [$1], 128;\n" +
		"@$0 cp.async.bulk.commit_group;\n@$0 cp.async.bulk.wait_group.read 0;"
	l.groupAsm("void", code, "b,l",
		"i1 "+warp, "ptr addrspace(1) "+l.scalar(op.Operand(0)))
	l.meetBehindMaps(op)
}
