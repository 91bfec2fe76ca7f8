package gpu

import (
	"slices"
	"sort"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
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
		c := coalescer{axes: axisinfo.Module(m)}
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
			relayout(ch.op, ch.enc)
		}
		return nil
	},
}

// relayout puts an op whose tensors share a layout into layout enc. Operands are converted before it, results
// after.
func relayout(op *ir.Op, enc ir.Attr) {
	rank := ttg.Decode(enc).Rank()
	b := ir.At(op)
	for i, v := range op.Operands() {
		if t := tensorOf(v); t != nil && t.Rank() == rank {
			op.SetOperand(i, convert(b, v, enc))
		}
	}
	setResults(op, enc)
}

type coalescer struct {
	axes *axisinfo.Analysis
}

// choose returns the layout for an access to memory, nil for other ops.
func (c *coalescer) choose(op *ir.Op) ir.Attr {
	switch op.Def {
	case tt.DescLoad, tt.DescGather:
		return descriptorLayout(op, tensorOf(op.Result(0)))
	case tt.DescStore, tt.DescReduce, tt.DescScatter:
		return descriptorLayout(op, tensorOf(descValue(op)))
	}
	if ptr := memAccessPtr(op); ptr != nil {
		if t := tensorOf(ptr); t != nil && tt.IsPtrLike(t) && t.Encoding != nil {
			return c.coalesced(op, t)
		}
	}
	return nil
}

// coalesced returns the layout for an access through a tensor of pointers.
func (c *coalescer) coalesced(op *ir.Op, t *ir.TensorType) ir.Attr {
	m := machineOf(op)
	order := c.order(op)
	part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		return nil
	}
	own := c.perThread(op, order, part)
	n := own
	for _, other := range c.related(op, t, order) {
		n = max(n, c.perThread(other, order, part))
	}
	elems := int64(1)
	for _, d := range part {
		elems *= d
	}
	n = min(n, max(1, elems/(m.numWarps*m.threadsPerWarp)))
	if op.Def != tt.Load {
		// A thread stores at most 16 bytes at once. With more in each thread, the stores of a warp would
		// leave gaps. Loads may leave gaps: the next load finds the bytes in the cache.
		n = min(n, own)
	}
	perThread := slices.Repeat([]int64{1}, t.Rank())
	perThread[order[0]] = n
	return m.blocked(t.Shape, perThread, order, cgaOf(t.Encoding)).Attr()
}

// order returns the dimensions, the one with the longest run of adjacent pointers first.
func (c *coalescer) order(op *ir.Op) []int64 {
	contiguity := c.axes.Of(memAccessPtr(op)).Contiguity
	order := make([]int64, len(contiguity))
	for i := range order {
		order[i] = int64(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return contiguity[order[i]] > contiguity[order[j]] })
	return order
}

// perThread returns how many elements of the fastest dimension an instruction of at most 16 bytes can access.
func (c *coalescer) perThread(op *ir.Op, order, part []int64) int64 {
	ptr := memAccessPtr(op)
	info, d := c.axes.Of(ptr), order[0]
	bits := int64(ir.BitWidth(ir.ElemOf(tt.Pointee(ptr.Type))))
	multiple := max(1, info.Divisibility[d]/max(1, bits/8))
	return max(1, min(multiple, info.Contiguity[d], part[d], 128/max(1, bits)))
}

// related returns the accesses that are connected with op, have its shape, and want the same order: a common
// layout saves conversions.
func (c *coalescer) related(op *ir.Op, t *ir.TensorType, order []int64) []*ir.Op {
	if memAccessPtr(op).Def() == nil {
		return nil
	}
	var out []*ir.Op
	for _, other := range connected(op) {
		ptr := memAccessPtr(other)
		if ptr == nil || other == op {
			continue
		}
		if pt := tensorOf(ptr); pt != nil && slices.Equal(pt.Shape, t.Shape) &&
			slices.Equal(c.order(other), order) {
			out = append(out, other)
		}
	}
	return out
}

// connected returns the ops reachable from op over operands, uses and nesting, within its function.
func connected(op *ir.Op) []*ir.Op {
	seen := map[*ir.Op]bool{op: true}
	list := []*ir.Op{op}
	add := func(o *ir.Op) {
		if o != nil && !seen[o] && o.Def != tt.Func && !o.Def.Has(ir.SymbolTableOp) {
			seen[o] = true
			list = append(list, o)
		}
	}
	for i := 0; i < len(list); i++ {
		o := list[i]
		for _, v := range o.Operands() {
			if v.IsArg() {
				add(v.Block().Parent())
			} else {
				add(v.Def())
			}
		}
		for _, r := range o.Results() {
			for u := range r.Users() {
				add(u)
			}
		}
		for _, r := range o.Regions() {
			for b := range r.Blocks() {
				for inner := range b.Ops() {
					add(inner)
				}
			}
		}
	}
	return list
}

// descriptorLayout returns the layout for an access by the hardware's block copies: threads read or write the
// block in shared memory, up to 16 bytes each.
func descriptorLayout(op *ir.Op, t *ir.TensorType) ir.Attr {
	if t == nil || t.Encoding == nil {
		return nil
	}
	m := machineOf(op)
	part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		return nil
	}
	elems := int64(1)
	for _, d := range part {
		elems *= d
	}
	perThread := slices.Repeat([]int64{1}, t.Rank())
	perThread[t.Rank()-1] = min(max(1, elems/(m.numWarps*m.threadsPerWarp)), int64(128/ir.BitWidth(t.Elem)))
	return m.blocked(t.Shape, perThread, rowMajor(t.Rank()), cgaOf(t.Encoding)).Attr()
}
