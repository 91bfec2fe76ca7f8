package products

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// OptimizeDotOperands transposes operands of products in shared memory instead of in registers: they are
// stored in one order and read in the other.
//
//	%t = tt.trans %x                                     %m = ttg.local_alloc %x
//	%a = ttg.convert_layout %t : … -> #dot_op       =>   %n = ttg.memdesc_trans %m
//	                                                     %a = ttg.local_load %n : … -> #dot_op
var OptimizeDotOperands = pass.Pass{
	Name: "tritongpu-optimize-dot-operands",
	Doc:  "transpose operands of products in shared memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		if err := layouts.Canonicalize.Run(ctx, m); err != nil {
			return err
		}
		pass.Greedy(ctx, m.Op, dotOperandPatterns, pass.GreedyOptions{})
		return nil
	},
}

var dotOperandPatterns = pass.NewPatterns([]pass.Pattern{
	{Op: ttg.ConvertLayout, Rewrite: loadTransposed},
	{Op: ttg.LocalAlloc, Rewrite: allocTransposed},
}, layouts.ConvertPatterns)

var swapped = ir.DenseArray(ir.I32, 1, 0)

// permutation returns the op that permutes the dimensions of a value, or nil.
func permutation(v *ir.Value) *ir.Op {
	if op := v.Def(); op != nil && op.Def.Has(ir.Permutes) {
		return op
	}
	return nil
}

// loadTransposed loads a transposed operand of a product from a transposed view of a buffer.
func loadTransposed(rw *pass.Rewriter, op *ir.Op) bool {
	dot, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(op.Result(0)))
	trans := permutation(op.Operand(0))
	if !ok || trans == nil || !op.Result(0).HasOneUse() || !usedBy(op, tt.Dot) ||
		!slices.Equal(layouts.OrderOf(trans), swapped.Values) {
		return false
	}
	src := trans.Operand(0)
	if cvt := src.DefBy(ttg.ConvertLayout); cvt != nil {
		src = cvt.Operand(0)
	}
	buf, view, ok := turnedBuffer(dot, ttgir.TensorOf(src))
	if !ok {
		return false
	}
	rw.Before(trans)
	stored := rw.Val(ttg.LocalAlloc, buf.Type(), trans.Operand(0))
	turned := rw.ValA(ttg.MemDescTrans, view.Type(), []ir.NamedAttr{ir.A("order", swapped)}, stored)
	rw.Before(op)
	rw.Replace(op, rw.Val(ttg.LocalLoad, op.Result(0).Type, turned))
	return true
}

// turnedBuffer returns the type of a buffer for a tensor, and that of its transposed view, from which the
// operand of a product is read.
func turnedBuffer(dot ttg.DotOp, t *ir.TensorType) (buf, view ttg.MemDesc, ok bool) {
	cga, err := ttg.InferTrans(ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: ttgir.RowMajor(2),
		CGALayout: ttgir.CgaOf(t.Encoding)}.Attr(), t.Shape, swapped.Values)
	if err != nil {
		return buf, view, false
	}
	enc := SwizzledFor(dot, t, MemoryOrder(t), ttgir.CgaOf(cga), true)
	turned, err := ttg.InferTrans(enc.Attr(), t.Shape, swapped.Values)
	if err != nil || turned == nil {
		return buf, view, false
	}
	buf = ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: enc.Attr(), Space: ttg.SharedMemory}
	view = ttg.MemDesc{Shape: []int64{t.Shape[1], t.Shape[0]}, Elem: t.Elem, Encoding: turned,
		Space: ttg.SharedMemory}
	return buf, view, true
}

func usedBy(op *ir.Op, def *ir.OpDef) bool {
	for u := range op.Result(0).Users() {
		if u.Def == def {
			return true
		}
	}
	return false
}

// allocTransposed stores a transposed operand of wgmma untransposed and transposes the view of the buffer:
// wgmma reads either order.
func allocTransposed(rw *pass.Rewriter, op *ir.Op) bool {
	if op.NumOperands() == 0 || !op.Result(0).HasOneUse() || !usedBy(op, ttng.WarpGroupDot) {
		return false
	}
	trans := permutation(op.Operand(0))
	m, _ := ttg.MemDescOf(op.Result(0).Type)
	if trans == nil || !slices.Equal(layouts.OrderOf(trans), swapped.Values) {
		return false
	}
	t := ttgir.TensorOf(trans.Operand(0))
	enc, err := ttg.InferTrans(m.Encoding, t.Shape, swapped.Values)
	if err != nil || enc == nil {
		return false
	}
	inner := ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: enc, Space: m.Space}
	buf := rw.Val(ttg.LocalAlloc, inner.Type(), trans.Operand(0))
	rw.Replace(op, rw.ValA(ttg.MemDescTrans, op.Result(0).Type, []ir.NamedAttr{ir.A("order", swapped)}, buf))
	return true
}

// SwizzledFor returns the layout of shared memory from which an operand of a product is read without bank
// conflicts. transposed says that a transposed view of the buffer is read.
func SwizzledFor(dot ttg.DotOp, t *ir.TensorType, order []int64, cga [][]int64,
	transposed bool) ttg.Swizzled {
	switch parent := ttg.Decode(dot.Parent).(type) {
	case ttg.NvidiaMma:
		return swizzled(dot.OpIdx, dot.KWidth, t, order, cga, transposed)
	case ttg.AMDMfma, ttg.AMDWmma:
		return SwizzledAMD(dot, t, order, transposed)
	case ttg.Blocked:
		return swizzledFMA(parent, dot.OpIdx, t, order, cga, transposed)
	}
	return ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: order, CGALayout: cga}
}

// swizzledFMA returns the encoding for operands of products without tensor cores. If memory is contiguous
// along k, lanes that hold other rows read 16 bytes along k at addresses that are whole rows apart, which are
// all in the same few banks: the vectors of such rows change places.
func swizzledFMA(parent ttg.Blocked, opIdx int64, t *ir.TensorType, order []int64, cga [][]int64,
	transposed bool) ttg.Swizzled {
	enc := ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: order, CGALayout: cga}
	const vector, banks = 128, 1024 // bits of a read and of all banks
	bits := int64(ir.BitWidth(t.Elem))
	if len(order) != 2 || bits < 32 {
		return enc
	}
	k, other := 1-opIdx, opIdx
	row := t.Shape[k] * bits
	if (order[0] == k) == transposed || row%vector != 0 || row == vector || !parallelRows(parent, other) {
		return enc
	}
	enc.Vec = vector / bits
	enc.PerPhase = max(parent.SizePerThread[other], banks/row)
	enc.MaxPhase = min(row, banks) / vector
	return enc
}

// parallelRows reports whether the eight lanes that read 16 bytes each at the same time have different
// positions along a dimension.
func parallelRows(l ttg.Blocked, dim int64) bool {
	if l.Order[0] == dim {
		return l.ThreadsPerWarp[dim] > 1
	}
	return l.ThreadsPerWarp[l.Order[0]] < 8 && l.ThreadsPerWarp[dim] > 1
}

// swizzled returns the swizzled encoding for operands of mma instructions, with kWidth elements of a
// row in each lane.
func swizzled(opIdx, kWidth int64, t *ir.TensorType, order []int64, cga [][]int64,
	transposed bool) ttg.Swizzled {
	enc := ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: order, CGALayout: cga}
	bits := int64(ir.BitWidth(t.Elem))
	part, err := ttglayout.ShapePerCTA(enc.Attr(), t.Shape)
	if err != nil {
		part = t.Shape
	}
	// 32 banks of 32 bits; short rows share them.
	enc.PerPhase = max(1, 1024/(bits*part[order[0]]))
	vec, rows := 4*kWidth, int64(8) // elements of a row that four lanes read, and rows of a matrix
	if k := int64(len(order)) - 1 - opIdx; (order[0] != k) != transposed {
		vec, rows = rows, vec
	}
	enc.Vec = vec
	enc.MaxPhase = max(1, max(1, min(rows, 1024/(vec*bits)))/enc.PerPhase)
	return enc
}

// OperandLike returns the layout of shared memory for a tensor that is laid out like an operand of mma
// without being declared one: views or conversions of its elements make it an operand.
func OperandLike(t *ir.TensorType) (ir.Attr, bool) {
	l, err := ttglayout.Of(t)
	rank := t.Rank()
	if err != nil || rank < 2 {
		return nil, false
	}
	order, opIdx := l.ThreadOrder(), int64(-1)
	for i := range 2 { // k is the fastest dimension
		byK := ttgir.RowMajor(rank)
		if slices.EqualFunc(order, swapFirst(byK, i == 1), func(a int, b int64) bool {
			return int64(a) == b
		}) {
			opIdx = int64(i)
		}
	}
	if opIdx < 0 {
		return nil, false
	}
	kWidth := l.ContigPerThread()[order[0]]
	inner, outer := layout.TensorDim(order[0]), layout.TensorDim(order[1])
	var tile layout.Layout
	for d := range rank {
		tile = tile.Mul(layout.Identity1D(1, layout.Register, layout.TensorDim(d)))
	}
	tile = layout.Product(tile, layout.Identity1D(kWidth, layout.Register, inner),
		layout.Identity1D(4, layout.Lane, inner), layout.Identity1D(8, layout.Lane, outer))
	if _, ok := l.DivideLeft(tile); !ok {
		return nil, false
	}
	wide := make([]int64, rank)
	for i, d := range order {
		wide[i] = int64(d)
	}
	return swizzled(opIdx, int64(kWidth), t, wide, ttgir.CgaOf(t.Encoding), false).Attr(), true
}

func swapFirst(order []int64, swap bool) []int64 {
	if swap {
		order[0], order[1] = order[1], order[0]
	}
	return order
}

// SwizzledAMD returns the layout of shared memory from which lanes read kWidth elements along k without bank
// conflicts: 16 lanes read at a time, and a row of all banks is 128 bytes, on CDNA4 256. An operand whose
// rows do not lie along k is read element by element, and not swizzled, but on CDNA4, whose reads transpose.
func SwizzledAMD(dot ttg.DotOp, t *ir.TensorType, order []int64, transposed bool) ttg.Swizzled {
	enc := ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: order, CGALayout: ttgir.CgaOf(t.Encoding)}
	bits := int64(ir.BitWidth(t.Elem))
	lanes, rowBits, vec := int64(16), int64(1024), max(1, dot.KWidth)
	mfma, isMFMA := ttg.As[ttg.AMDMfma](dot.Parent)
	turns := false // reads transpose
	switch {
	case !isMFMA:
		vec = min(vec*bits, 128) / bits
	case mfma.Version == 4:
		rowBits, turns = 2048, bits == 8 || bits == 16
	}
	if k := int64(len(order)) - 1 - dot.OpIdx; (order[0] != k) != transposed && !turns {
		return enc
	}
	row := t.Shape[order[0]]
	enc.Vec = min(vec, row)
	enc.PerPhase = max(1, rowBits/(row*max(8, bits)))
	enc.MaxPhase = max(1, min(lanes/enc.PerPhase, row/enc.Vec))
	return enc
}
