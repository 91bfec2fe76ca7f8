package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// How wgmma reads a matrix in shared memory. A descriptor has 64 bits: the address, a leading and a stride
// offset, each in units of 16 bytes, and one of four swizzles. Rows of the swizzle's width (16 bytes without
// one) lie below each other, eight rows make a core matrix, and the offsets lead from one core matrix to the
// next. A row goes along k or, transposed, along the other dimension: m of A and n of B. matrixView finds the
// descriptor of a layout by looking at how far each bit of an element's coordinates moves the element.

// matrixView is a matrix in shared memory that descriptors describe.
type matrixView struct {
	l     *lowering
	inv   layout.Layout // maps coordinates to places, in elements
	size  int           // bytes of an element
	mn    int           // the dimension that is not k: 0 of A, 1 of B
	trans bool          // rows go along mn
	bits  uint64        // the descriptor without the address
	base  string        // address in units of 16 bytes, an i64
}

// swizzleModes lists the row widths in bytes with their code in a descriptor. Width 16 is no swizzle.
var swizzleModes = []struct {
	width int
	mode  uint64
}{{128, 1}, {64, 2}, {32, 3}, {16, 0}}

// matrixView finds the descriptor of buffer v for instructions that read rows elements along mn and depth
// along k. It fails if no descriptor describes the layout.
func (l *lowering) matrixView(op *ir.Op, v *ir.Value, mn, rows, depth int) matrixView {
	b := l.buffer(v)
	x := matrixView{l: l, inv: l.layout(op, v.Type).PseudoInvert(), size: bitsOf(b.elem) / 8, mn: mn}
	along, down := x.bytes(op, mn, rows), x.bytes(op, 1-mn, depth)
	for _, s := range swizzleModes {
		for _, trans := range []bool{false, true} {
			lead, stride, ok := describe(along, down, s.width, x.size, trans)
			if !ok {
				continue
			}
			x.trans = trans
			x.bits = uint64(lead>>4)<<16 | uint64(stride>>4)<<32 | s.mode<<62
			x.base = x.address(op, b, s.width)
			return x
		}
	}
	l.fail(op, "no descriptor of wgmma describes %s", v.Type)
	return x
}

// bytes returns how far each bit of coordinate dim moves an element.
func (x matrixView) bytes(op *ir.Op, dim, size int) []int {
	if x.inv.InSize(layout.TensorDim(dim)) < size {
		x.l.fail(op, "a matrix of %d by %d is less than an instruction reads", x.inv.InSize("dim0"),
			x.inv.InSize("dim1"))
	}
	out := make([]int, log2(size))
	for i := range out {
		at := x.inv.Basis(layout.TensorDim(dim), i)
		x.ownBlock(op, at)
		out[i] = at[0] * x.size
	}
	return out
}

// ownBlock fails if place lies in another block: descriptors reach the own block's memory only.
func (x matrixView) ownBlock(op *ir.Op, place []int) {
	if len(place) > 1 && place[1] != 0 {
		x.l.refuseOnCluster(op, "a matrix of which other blocks have a part")
	}
}

// describe returns the offsets of a descriptor with rows of width bytes. mn and k are how far the bits of the
// coordinates move an element, in bytes; ok is false if the layout does not fit.
func describe(mn, k []int, width, size int, trans bool) (lead, stride int, ok bool) {
	row, down := k, mn
	if trans {
		row, down = mn, k
	}
	unit := log2(width / size)
	var inRow, below steps
	for i, at := range row { // the row itself, then core matrices beside each other
		if i < unit {
			inRow.fixed(at, size<<i)
		} else {
			inRow.step(at, i-unit)
		}
	}
	for i, at := range down { // eight rows, then core matrices below each other
		if i < 3 {
			below.fixed(at, swizzle(width<<i, width))
		} else {
			below.step(at, i-3)
		}
	}
	// Swizzled core matrices must start at the same phase of the pattern.
	if inRow.bad || below.bad || (inRow.first|below.first)%16 != 0 || width > 16 &&
		(inRow.first|below.first)%(8*width) != 0 {
		return 0, 0, false
	}
	lead, stride = inRow.first, below.first
	switch {
	case trans && width == 16:
		lead, stride = stride, lead
	case !trans && width > 16 && inRow.first != 0:
		return 0, 0, false // an instruction's k must stay within the row
	}
	return lead, stride, lead>>4 < 1<<14 && stride>>4 < 1<<14
}

// steps checks how the bits of a coordinate move an element.
type steps struct {
	first int // distance between core matrices
	bad   bool
}

func (s *steps) fixed(got, want int) { s.bad = s.bad || got != want }

func (s *steps) step(got, i int) {
	if i == 0 {
		s.first = got
	}
	s.bad = s.bad || got != s.first<<i
}

// swizzle returns the swizzled form of byte offset at: the 16-byte units of a row are permuted by the number
// of the 128 bytes that the row lies in.
func swizzle(at, width int) int { return at ^ at>>3&((width/16-1)<<4) }

// address returns the start of the matrix of this warp group, in units of 16 bytes.
func (x matrixView) address(op *ir.Op, b smem, width int) string {
	l := x.l
	if start, ok := constant(b.start); ok && start*x.size%(8*width) >= width {
		l.fail(op, "a part of a matrix that begins within eight rows")
	}
	ptr := l.val("ptrtoint ptr addrspace(3) %s to i32", l.sharedAt(l.mul(b.start, x.size), b.base))
	if part := x.groupPart(op); part != "0" {
		ptr = l.val("add i32 %s, %s", ptr, part)
	}
	units := l.val("and i32 %s, %d", l.val("lshr i32 %s, 4", ptr), 1<<14-1)
	return l.val("zext i32 %s to i64", units)
}

// groupPart returns how many bytes the matrix of this warp group lies behind that of the first.
func (x matrixView) groupPart(op *ir.Op) string {
	l := x.l
	result := l.layout(op, op.Result(0).Type)
	dim := layout.TensorDim(x.mn)
	place := func(in string, i int) []int {
		at := make([]int, 2)
		at[x.mn] = result.BasisAlong(in, i, dim)
		return x.inv.Apply(at...)
	}
	var warps [][]int
	for i := range result.InBits(layout.Warp) {
		at := 0
		if i >= 2 {
			at = place(layout.Warp, i)[0] * x.size
		}
		warps = append(warps, []int{at})
	}
	if result.HasIn(layout.Block) {
		for i := range result.InBits(layout.Block) {
			if at := place(layout.Block, i); at[0] != 0 || len(at) > 1 && at[1] != 0 && at[1] != 1<<i {
				l.refuseOnCluster(op, "an operand that lies in another block")
			}
		}
	}
	return l.uniformPart(warps)
}

// uniformPart returns the sum of warps[i][0] over the bits i of the warp's number. A shuffle makes it
// provably equal in all lanes, which wgmma demands of descriptors.
func (l *lowering) uniformPart(warps [][]int) string {
	any := 0
	for _, w := range warps {
		any |= w[0]
	}
	if any == 0 {
		return "0"
	}
	key := fmt.Sprint("uniform", warps)
	if v, ok := l.ids.coords[key]; ok {
		return v
	}
	v := l.atEntry(func() string {
		if l.ids.group == "" {
			l.ids.group = l.vendor.shuffleIdx(l, l.ids.warp, "0")
		}
		sum := "0"
		for i, w := range warps {
			if w[0] != 0 {
				sum = l.add(sum, l.field(l.ids.group, i, 1, w[0]))
			}
		}
		return sum
	})
	l.ids.coords[key] = v
	return v
}

// descriptor returns the descriptor of the part that begins at coordinates (mn, k), in elements.
func (x matrixView) descriptor(op *ir.Op, mn, k int) string {
	at := []int{mn, k}
	if x.mn == 1 {
		at = []int{k, mn}
	}
	place := x.inv.Apply(at...)
	x.ownBlock(op, place)
	units := uint64(place[0] * x.size >> 4)
	return x.l.val("add i64 %s, %d", x.base, int64(x.bits+units))
}

// addInLoop returns the base of the descriptors of v in a form of which LLVM knows nothing, if v is the same
// in all iterations of a loop around op. LLVM would add up all descriptors of v before the loop, and keep
// them in registers: 48 for five products of 128x128x64, for which other values were spilled. An addition
// where the descriptor is needed costs next to nothing.
func (l *lowering) addInLoop(op *ir.Op, v *ir.Value, base string) string {
	loop := op.Parent()
	for loop.Def != scf.For && loop.Def != scf.While {
		if loop.Def == tt.Func {
			return base
		}
		loop = loop.Parent()
	}
	if !sameInLoop(v, loop) {
		return base
	}
	return l.val(`call i64 asm sideeffect "mov.b64 $0, $1;", "=l,l"(i64 %s)`, base)
}

// sameInLoop reports whether a buffer is the same in all iterations of a loop.
func sameInLoop(v *ir.Value, loop *ir.Op) bool {
	switch op := v.Def(); {
	case !v.Block().IsInside(loop):
		return true
	case op == nil || !op.IsPure() && op.Def != ttg.LocalAlloc:
		return false
	case op.Def == ttg.LocalAlloc:
		return true
	default:
		return !slices.ContainsFunc(op.Operands(), func(v *ir.Value) bool { return !sameInLoop(v, loop) })
	}
}
