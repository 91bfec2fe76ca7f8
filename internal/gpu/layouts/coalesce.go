package layouts

import (
	"fmt"
	"slices"
	"sort"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Coalesce gives each access to global memory a layout in which neighbouring threads access neighbouring
// addresses, up to 16 bytes each. The fastest dimension is the one along which pointers are adjacent, and a
// thread holds as many elements of it as alignment allows.
//
//	%x = tt.load %p : tensor<1024x!tt.ptr<f32>, #b>      %q = ttg.convert_layout %p : … -> tensor<…, #b4>
//	                                                =>   %y = tt.load %q : tensor<1024x!tt.ptr<f32>, #b4>
//	                                                     %x = ttg.convert_layout %y : … -> tensor<…, #b>
var Coalesce = pass.Pass{
	Name: "tritongpu-coalesce",
	Doc:  "choose layouts for wide, adjacent accesses to global memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		c := coalescer{axes: axisinfo.Module(m), products: hasProducts(m)}
		c.near = newNeighbours(m, c.kind)
		type choice struct {
			op  *ir.Op
			enc ir.Attr
		}
		var chosen []choice // chosen before any op changes: the analysis knows only the original values
		for op := range m.Op.Ops() {
			if enc := c.choose(op); enc != nil {
				chosen = append(chosen, choice{op, enc})
			}
		}
		for _, ch := range chosen {
			ctx.At(ch.op)
			Relayout(ch.op, ch.enc)
		}
		return nil
	},
}

// hasProducts reports whether a module multiplies matrices.
func hasProducts(m *ir.Module) bool {
	for op := range m.Op.Ops() {
		if IsProduct(op) {
			return true
		}
	}
	return false
}

// Relayout puts an op whose tensors share a layout into layout enc. Operands are converted before it, results
// after.
func Relayout(op *ir.Op, enc ir.Attr) {
	rank := ttg.Decode(enc).Rank()
	b := ir.At(op)
	for i, v := range op.Operands() {
		if t := ttgir.TensorOf(v); t != nil && t.Rank() == rank {
			op.SetOperand(i, ttgir.Convert(b, v, enc))
		}
	}
	ttgir.SetResults(op, enc)
}

type coalescer struct {
	axes     *axisinfo.Analysis
	near     *neighbours
	products bool // whether the module has products
}

// choose returns the layout for an access to memory, nil for other ops.
func (c *coalescer) choose(op *ir.Op) ir.Attr {
	switch op.Def {
	case tt.DescLoad, tt.DescGather:
		return descriptorLayout(op, ttgir.TensorOf(op.Result(0)))
	case tt.DescStore, tt.DescReduce, tt.DescScatter:
		return descriptorLayout(op, ttgir.TensorOf(ttgir.DescValue(op)))
	}
	if ptr := MemAccessPtr(op); ptr != nil {
		if t := ttgir.TensorOf(ptr); t != nil && tt.IsPtrLike(t) && t.Encoding != nil {
			return c.coalesced(op, t)
		}
	}
	return nil
}

// coalesced returns the layout for an access through a tensor of pointers.
func (c *coalescer) coalesced(op *ir.Op, t *ir.TensorType) ir.Attr {
	m := ttgir.ThreadsOf(op)
	order := c.orderBeside(op, t)
	part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		return nil
	}
	fits := func(width int64) int64 { return max(1, min(width, part[order[0]])) }
	own := fits(c.width(op, order[0]))
	n := own
	if MemAccessPtr(op).Def() != nil {
		n = max(own, fits(c.near.widest(op, accessKind(t, order))))
	}
	elems := int64(1)
	for _, d := range part {
		elems *= d
	}
	n = min(n, max(1, elems/(m.NumWarps*m.ThreadsPerWarp)))
	if op.Def != tt.Load {
		// A thread stores at most 16 bytes at once. With more in each thread, the stores of a warp would
		// leave gaps. Loads may leave gaps: the next load finds the bytes in the cache.
		n = min(n, own)
	}
	perThread := slices.Repeat([]int64{1}, t.Rank())
	perThread[order[0]] = n
	return m.Blocked(t.Shape, perThread, order, ttgir.CgaOf(t.Encoding)).Attr()
}

// order returns the dimensions, the one with the longest run of adjacent pointers first. If pointers are
// adjacent along none, the one along which most of them are is first, else the last one along which they may
// be, since most tensors are row-major. Not so in kernels with products, where the layout of an operand
// decides how it reaches the product.
func (c *coalescer) order(op *ir.Op) []int64 {
	ptr := MemAccessPtr(op)
	contiguity := c.axes.Of(ptr).Contiguity
	order := dimensions(len(contiguity))
	if !c.products && slices.Max(contiguity) == 1 && planar(ttgir.TensorOf(ptr)) {
		slices.Reverse(order)
		adjacent := func(d int64) bool {
			n, known := c.axes.Step(ptr, int(d))
			return known && (n == 1 || n == -1)
		}
		apart := func(d int64) bool { return c.axes.Apart(ptr, int(d)) }
		sort.SliceStable(order, func(i, j int) bool { return !apart(order[i]) && apart(order[j]) })
		sort.SliceStable(order, func(i, j int) bool { return adjacent(order[i]) && !adjacent(order[j]) })
	}
	sort.SliceStable(order, func(i, j int) bool { return contiguity[order[i]] > contiguity[order[j]] })
	return order
}

// dimensions returns 0, 1, 2 … for a rank.
func dimensions(rank int) []int64 {
	list := make([]int64, rank)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// planar reports whether a tensor has more than one element along at least two dimensions.
func planar(t *ir.TensorType) bool {
	long := 0
	for _, n := range t.Shape {
		if n > 1 {
			long++
		}
	}
	return long > 1
}

// orderBeside returns the order of a load whose pointers are adjacent along no dimension: that of the widest
// connected access of its shape. No order makes such a load wide, and in the layout of the others neither its
// indices nor its result are computed or moved twice. Other accesses have their own order.
func (c *coalescer) orderBeside(op *ir.Op, t *ir.TensorType) []int64 {
	order := c.order(op)
	ptr := MemAccessPtr(op)
	if op.Def != tt.Load || slices.Max(c.axes.Of(ptr).Contiguity) > 1 || t.Rank() < 2 || ptr.Def() == nil {
		return order
	}
	widest := int64(1)
	for d := range t.Rank() {
		theirs := dimensions(t.Rank())
		theirs = slices.Insert(slices.Delete(theirs, d, d+1), 0, int64(d))
		if w := c.near.widest(op, accessKind(t, theirs)); w > widest {
			order, widest = theirs, w
		}
	}
	return order
}

// width returns how many elements along a dimension an instruction of at most 16 bytes can access.
func (c *coalescer) width(op *ir.Op, d int64) int64 {
	ptr := MemAccessPtr(op)
	info := c.axes.Of(ptr)
	bits := int64(ir.BitWidth(ir.ElemOf(tt.Pointee(ptr.Type))))
	multiple := max(1, info.Divisibility[d]/max(1, bits/8))
	return min(multiple, info.Contiguity[d], 128/max(1, bits))
}

// kind returns the kind and the width of an access through a tensor of pointers.
func (c *coalescer) kind(op *ir.Op) (kind string, width int64, ok bool) {
	ptr := MemAccessPtr(op)
	if ptr == nil || ttgir.TensorOf(ptr) == nil {
		return "", 0, false
	}
	order := c.order(op)
	return accessKind(ttgir.TensorOf(ptr), order), c.width(op, order[0]), true
}

// accessKind is the same for accesses that should have a common layout if they are connected, since that
// saves conversions: those of one shape that want the same order.
func accessKind(t *ir.TensorType, order []int64) string { return fmt.Sprint(t.Shape, order) }

// descriptorLayout returns the layout for an access by the hardware's block copies: threads read or write the
// block in shared memory, up to 16 bytes each.
func descriptorLayout(op *ir.Op, t *ir.TensorType) ir.Attr {
	if t == nil || t.Encoding == nil {
		return nil
	}
	m := ttgir.ThreadsOf(op)
	part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		return nil
	}
	elems := int64(1)
	for _, d := range part {
		elems *= d
	}
	perThread := slices.Repeat([]int64{1}, t.Rank())
	perThread[t.Rank()-1] = min(max(1, elems/(m.NumWarps*m.ThreadsPerWarp)), int64(128/ir.BitWidth(t.Elem)))
	return m.Blocked(t.Shape, perThread, ttgir.RowMajor(t.Rank()), ttgir.CgaOf(t.Encoding)).Attr()
}
