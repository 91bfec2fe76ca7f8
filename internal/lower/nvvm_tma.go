package lower

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Copies between global and shared memory by the copy engine (TMA). A tensor map describes the tensor in
// global memory, its box, and the swizzle that shared memory has. The boxes of an operation are dealt out
// to the warps, of which one thread each starts the copies; others go on. Bytes that arrive in shared
// memory are counted by a barrier (mbarrier.go); copies to global memory make groups, which the thread
// waits for.
//
// A tensor map is held as its generic address: that of the kernel's parameter, or of scratch memory that
// lowerTensormapCreate has written.

// box is a part of a buffer that one instruction moves.
type box struct {
	at  []int // coordinates of its first element in the buffer
	off int   // its first byte in the buffer
}

// boxes returns the boxes of a buffer. In shared memory each is contiguous.
func (l *lowering) boxes(op *ir.Op, buf *ir.Value) []box {
	m, _ := ttg.MemDescOf(buf.Type)
	size := ttglayout.Box(m.Encoding, m.Shape)
	if size == nil || l.regs(buf)[1] != "0" {
		l.fail(op, "no copy moves %s", buf.Type)
	}
	places := l.layout(op, buf.Type).PseudoInvert()
	var out []box
	at := make([]int, len(size))
	for {
		out = append(out, box{slices.Clone(at), places.Apply(at...)[0] * bitsOf(m.Elem) / 8})
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d] += size[d]; at[d] < int(m.Shape[d]) {
				break
			}
			at[d] = 0
		}
		if d < 0 {
			return out
		}
	}
}

// dealt has the boxes that each of the first warps copies. They are those of the first warp, moved by a sum
// of steps: one for each bit of the warp's number.
type dealt struct {
	warps int
	boxes []box
	steps []box
}

// deal deals the boxes of a buffer out to warps: all warps execute the instructions of a copy, so fewer
// copies in each are fewer instructions.
func (l *lowering) deal(op *ir.Op, buf *ir.Value) dealt {
	all := l.boxes(op, buf)
	d := dealt{warps: 1}
	for ; 2*d.warps <= min(len(all), l.warps); d.warps *= 2 {
		d.steps = append(d.steps, all[d.warps])
	}
	for i, b := range all {
		if i%d.warps == 0 {
			d.boxes = append(d.boxes, b)
			continue
		}
		last := 1 << (bits.Len(uint(i%d.warps)) - 1)
		if !all[last].moves(all[i-last], b) {
			return dealt{warps: 1, boxes: all}
		}
	}
	return d
}

// moves reports whether box from, moved by b, is box to.
func (b box) moves(from, to box) bool {
	for i := range b.at {
		if from.at[i]+b.at[i] != to.at[i] {
			return false
		}
	}
	return from.off+b.off == to.off
}

// sum returns the sum of what f gives for the steps of this warp.
func (d dealt) sum(l *lowering, f func(box) int) string {
	var images [][]int
	for _, s := range d.steps {
		images = append(images, []int{f(s)})
	}
	return l.uniformPart(images)
}

// starts returns a condition that is true in one thread of each warp that has boxes, where pred is true as
// well. The instruction tells the assembler that the rest of the warp does not take the branch.
func (d dealt) starts(l *lowering, pred string) string {
	elected := l.elected()
	if l.warps > d.warps {
		elected = l.val("and i1 %s, %s", elected, l.val("icmp ult i32 %s, %d", l.ids.tid, 32*d.warps))
	}
	return l.both(elected, pred)
}

// elected returns a condition that is true in one thread of each warp.
func (l *lowering) elected() string {
	return l.val("extractvalue { i32, i1 } %s, 1", l.call("{ i32, i1 }", "llvm.nvvm.elect.sync", "i32 -1"))
}

// address returns where a box begins in shared memory.
func (d dealt) address(l *lowering, buf *ir.Value, b box) string {
	off := l.add(d.sum(l, func(s box) int { return s.off }), itoa(b.off))
	return "ptr addrspace(3) " + l.sharedAt(off, l.regs(buf)[0])
}

// tmaCall is an instruction of the copy engine under construction. Operand 0 is its predicate.
type tmaCall struct {
	args        []string
	constraints []string
}

func (c *tmaCall) add(arg, constraint string) string {
	c.args, c.constraints = append(c.args, arg), append(c.constraints, constraint)
	return fmt.Sprintf("$%d", len(c.args)-1)
}

// tensor returns the operand that names a block: the map and the coordinates, the innermost first. coords may
// have more dimensions than the buffer: leading ones of size one.
func (c *tmaCall) tensor(l *lowering, desc string, coords []*ir.Value, all dealt, b box) string {
	m := c.add("ptr "+desc, "l")
	list := make([]string, len(coords))
	for i := range coords {
		d := len(coords) - 1 - i
		v := l.scalar(coords[d])
		if k := len(b.at) - 1 - i; k >= 0 {
			v = l.add(l.add(v, all.sum(l, func(s box) int { return s.at[k] })), itoa(b.at[k]))
		}
		list[i] = c.add("i32 "+v, "r")
	}
	return "[" + m + ", {" + strings.Join(list, ", ") + "}]"
}

func (c *tmaCall) emit(l *lowering, code string) {
	l.groupAsm("void", code, strings.Join(c.constraints, ","), c.args...)
}

// lowerTMALoad starts the copies of a block to shared memory.
func lowerTMALoad(l *lowering, op *ir.Op) {
	l.refuseOnCluster(op, "a copy of blocks for several thread blocks")
	buf, coords := op.Slot(3), op.Group(1)
	bar := l.sharedAt("0", l.regs(op.Slot(2))[0])
	all := l.deal(op, buf)
	pred := all.starts(l, l.scalar(op.Slot(4)))
	for _, b := range all.boxes {
		c := &tmaCall{}
		code := fmt.Sprintf("@%s cp.async.bulk.tensor.%dd.shared::cluster.global"+
			".mbarrier::complete_tx::bytes ", c.add("i1 "+pred, "b"), len(coords))
		code += "[" + c.add(all.address(l, buf, b), "r") + "], "
		code += c.tensor(l, l.scalar(op.Slot(0)), coords, all, b)
		c.emit(l, code+", ["+c.add("ptr addrspace(3) "+bar, "r")+"];")
	}
}

// lowerTMAStore starts the copies of a buffer to global memory.
func lowerTMAStore(l *lowering, op *ir.Op) { l.bulkStore(op, "cp.async", 0) }

// tmaReductions holds the names of reductions in instructions.
var tmaReductions = map[int64]string{
	tt.ReduceAdd: ".add", tt.ReduceMin: ".min", tt.ReduceMax: ".max", tt.ReduceAnd: ".and",
	tt.ReduceOr: ".or", tt.ReduceXor: ".xor",
}

// lowerTMAReduce starts to combine a buffer with global memory.
func lowerTMAReduce(l *lowering, op *ir.Op) {
	kind := op.IntOr("kind", 0)
	if tmaReductions[kind] == "" {
		l.fail(op, "no instruction reduces so")
	}
	l.bulkStore(op, "cp.reduce.async", kind)
}

// bulkStore emits the instructions of a store, or a reduction of a kind, and closes their group.
func (l *lowering) bulkStore(op *ir.Op, instr string, kind int64) {
	l.refuseOnCluster(op, "a copy of blocks for several thread blocks")
	buf, coords := op.Slot(2), op.Group(1)
	all := l.deal(op, buf)
	outside, inside := l.outside(op, l.boxes(op, buf)), ""
	if outside != "" {
		inside = l.val("xor i1 %s, true", outside)
	}
	pred := all.starts(l, inside)
	for _, b := range all.boxes {
		c := &tmaCall{}
		code := fmt.Sprintf("@%s %s.bulk.tensor.%dd.global.shared::cta%s.bulk_group ", c.add("i1 "+pred, "b"),
			instr, len(coords), tmaReductions[kind])
		code += c.tensor(l, l.scalar(op.Slot(0)), coords, all, b)
		c.emit(l, code+", ["+c.add(all.address(l, buf, b), "r")+"];")
	}
	l.groupAsm("void", "cp.async.bulk.commit_group;", "")
	if outside != "" {
		l.when(outside, func() { l.storeOutside(op, kind) })
	}
}

// lowerTMAStoreWait waits until the copy engine has read the buffers of all but the last pendings groups.
func lowerTMAStoreWait(l *lowering, op *ir.Op) {
	l.groupAsm("void", fmt.Sprintf("cp.async.bulk.wait_group.read %d;", op.IntOr("pendings", 0)), "")
}

// lowerReinterpretDesc takes the address of a map in scratch memory.
func lowerReinterpretDesc(l *lowering, op *ir.Op) {
	l.setOne(op.Result(0), l.val("addrspacecast ptr addrspace(1) %s to ptr", l.scalar(op.Operand(0))))
}

func (nvidia) orderEngine(l *lowering, flush bool, where proxy) {
	if flush {
		l.groupAsm("void", "cp.async.bulk.wait_group 0;", "")
	}
	switch where {
	case anyProxy:
		l.groupAsm("void", "fence.proxy.async;", "")
	case sharedProxy:
		l.groupAsm("void", "fence.proxy.async.shared::cta;", "")
	}
}

// blockParam returns the type of a parameter that kernels never change: the copy engine reads tensor maps
// where the launch put them.
func (nvidia) blockParam(bytes, align int) string {
	return fmt.Sprintf(`ptr byval([%d x i8]) align %d "nvvm.grid_constant"`, bytes, align)
}

// fetchMap makes the copy engine fetch a map, while threads compute where its first copy begins.
func (nvidia) fetchMap(l *lowering, param string) {
	l.groupAsm("void", "@$0 prefetch.tensormap [$1];", "b,l", "i1 "+l.first(""), "ptr "+param)
}
