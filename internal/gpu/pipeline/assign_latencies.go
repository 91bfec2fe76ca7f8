package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AssignLatencies selects the loads of a loop that run ahead of their users, and by how many iterations: the
// loads that a product depends on, directly or through further loads. The stages of the pipeline are divided
// among the loads of such a chain. In a loop with its own tl.range(num_stages=…) all loads count.
//
//	%x = tt.load %p                                =>    %x = tt.load %p {tt.latency = 2 : i32}
//	%d = tt.dot %x, …                                    %d = tt.dot %x, …
func AssignLatencies(numStages int) pass.Pass {
	return pass.Pass{
		Name: "tritongpu-assign-latencies",
		Doc:  "choose the loads that are pipelined",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			var axes *axisinfo.Analysis
			for _, loop := range ttgir.ForLoops(m.Op) {
				n := int(loop.IntOr(StagesAttr, int64(numStages)))
				if deeper, ok := loop.Int(depthAttr); ok {
					n = int(deeper)
					loop.SetAttr(depthAttr, nil)
				}
				if n <= 1 || !WantsPipeline(loop) || !MayPipeline(loop) {
					continue
				}
				ctx.At(loop)
				if axes == nil {
					axes = axisinfo.Module(m)
				}
				a := latencies{loop: loop, axes: axes, level: map[*ir.Op]int{}, excluded: map[*ir.Op]bool{},
					copies: map[*ir.Op]*asyncCopy{}}
				a.assign(n)
			}
			return nil
		},
	}
}

// WantsPipeline reports whether a loop contains a product or sets num_stages itself.
func WantsPipeline(loop *ir.Op) bool {
	for op := range ttgir.Body(loop) {
		if layouts.IsProduct(op) {
			return true
		}
	}
	return loop.HasAttr(StagesAttr)
}

// MayPipeline reports whether a loop has no inner loop and yields only values that ops define.
func MayPipeline(loop *ir.Op) bool {
	for op := range ttgir.Body(loop) {
		if op.Def == scf.For || op.Def == scf.While {
			return false
		}
	}
	for _, v := range loop.Body(0).Last().Operands() {
		if v.Def() == nil {
			return false
		}
	}
	return true
}

// latencies collects, for each load of a loop, the number of loads on the way from it to the product.
type latencies struct {
	loop     *ir.Op
	axes     *axisinfo.Analysis
	loads    []*ir.Op // in the order found
	level    map[*ir.Op]int
	excluded map[*ir.Op]bool // loads that products need at several distances
	seen     map[*ir.Op]bool
	copies   map[*ir.Op]*asyncCopy
	where    *address.Analysis // nil until isStoredTo is called
	stored   []*ir.Value       // pointers that the loop writes through
}

func (a *latencies) assign(stages int) {
	a.seen = map[*ir.Op]bool{}
	for op := range ttgir.Body(a.loop) {
		if layouts.IsProduct(op) {
			clear(a.seen)
			a.visit(op, 0)
		}
	}
	if a.loop.HasAttr(StagesAttr) {
		for op := range ttgir.Body(a.loop) {
			if !isLoad(op) {
				a.visit(op, 0)
			}
		}
	}
	deepest := 0
	for _, op := range a.loads {
		if l, ok := a.level[op]; ok && l < stages-1 {
			deepest = max(deepest, l)
		}
	}
	for _, op := range a.loads {
		if l, ok := a.level[op]; ok && l < stages-1 { // no stage is left for deeper loads
			op.SetAttr(latencyAttr, ir.I32Attr(int64((stages-1)/(deepest+1))))
			a.copies[op].write()
		}
	}
}

// visit walks from op to the ops that it depends on.
func (a *latencies) visit(op *ir.Op, level int) {
	if a.seen[op] || a.excluded[op] {
		return
	}
	a.seen[op] = true
	if isLoad(op) {
		if !a.worthwhile(op) || !a.note(op, level) {
			return
		}
		level++
	}
	for _, v := range ttgir.OuterOperands(op) {
		if layouts.IsProduct(op) && v == op.Operand(2) {
			continue // the accumulator
		}
		if def := v.Def(); def != nil && def.Block() == op.Block() {
			a.visit(def, level)
		}
	}
}

// note records a load's level. A load needed at two levels is excluded.
func (a *latencies) note(op *ir.Op, level int) bool {
	old, ok := a.level[op]
	if !ok {
		a.level[op] = level
		a.loads = append(a.loads, op)
	} else if old != level {
		delete(a.level, op)
		a.excluded[op] = true
		return false
	}
	return true
}

// worthwhile reports whether a load can become an asynchronous copy: one through a descriptor, or one of at
// least 4 bytes at a time into a buffer that suits all users.
func (a *latencies) worthwhile(op *ir.Op) bool {
	if a.isStoredTo(op) {
		return false
	}
	c := a.copies[op]
	if c == nil {
		c = newCopy(a.axes, op)
		a.copies[op] = c
	}
	if !c.wide || c.clash {
		return false
	}
	if c.isTMA() { // a descriptor that an iteration makes is not there before it
		return !op.Operand(0).Block().IsInside(a.loop)
	}
	for u := range op.Result(0).Users() {
		if u.Def == ttg.LocalAlloc && (EncodingOfBuffer(u.Result(0)) != c.buf || c.width == 0) {
			return false
		}
	}
	return true
}

func EncodingOfBuffer(v *ir.Value) ir.Attr { m, _ := ttg.MemDescOf(v.Type); return m.Encoding }

// isStoredTo reports whether the loop may write through the pointer that a load reads: then an iteration may
// need a value that the previous one stores, and the load must not run ahead. Triton does not check this.
func (a *latencies) isStoredTo(load *ir.Op) bool {
	if a.where == nil {
		a.where = address.New(a.loop)
		for op := range a.loop.Ops() {
			a.stored = append(a.stored, AccessesOf(op).writes...)
		}
	}
	return slices.ContainsFunc(a.stored, func(p *ir.Value) bool { return a.where.MayAlias(p, load.Slot(0)) })
}

// copyWidth returns how many elements a thread can copy at once, as far as addresses and mask allow. A copy
// can end early, and writes zeros from there on. The mask's facts must be exact: those that the lowering goes
// by, which has no copy of less than 4 bytes.
func copyWidth(axes *axisinfo.Analysis, ptr, mask *ir.Value) int {
	n := axes.Contiguity(ptr)
	if mask != nil && n > 1 {
		n = min(n, axes.Exact().MaskPrefix(mask))
	}
	return n
}

// copyBytes returns how many bytes of a thread's elements are adjacent in a buffer with encoding buf.
func copyBytes(t *ir.TensorType, buf ir.Attr) int {
	regs, err := ttglayout.Of(t)
	if err != nil {
		return 0
	}
	shared, err := ttglayout.For(buf, t.Shape)
	if err != nil {
		return 0
	}
	to, ok := regs.TryInvertAndCompose(shared)
	if !ok {
		return 0
	}
	return to.NumConsecutive() * ir.BitWidth(t.Elem) / 8
}

// operandBuffer returns the layout of shared memory that suits all users of v, where they want v as an
// operand of a product (ok). clash reports that users want different layouts.
func operandBuffer(v *ir.Value) (enc ir.Attr, ok, clash bool) {
	for u := range v.Users() {
		if u.NumResults() != 1 {
			return nil, false, clash
		}
		want, ok := wantedBuffer(v, u, &clash)
		if !ok {
			return nil, false, clash
		}
		if enc != nil && enc != want {
			return nil, false, true
		}
		enc = want
	}
	return enc, true, clash
}

// wantedBuffer returns the layout of shared memory that user u of v demands; clash is set if u's own users
// demand different ones.
func wantedBuffer(v *ir.Value, u *ir.Op, clash *bool) (ir.Attr, bool) {
	if m, isMem := ttg.MemDescOf(u.Result(0).Type); isMem {
		if _, ok := ttg.As[ttg.Swizzled](m.Encoding); !ok {
			return nil, false
		}
		_, ok, c := operandBuffer(u.Result(0))
		*clash = c
		return m.Encoding, ok
	}
	if u.Def != ttg.LocalLoad && u.Def != ttg.ConvertLayout {
		return nil, false
	}
	return bufferFor(v, ttgir.TensorOf(u.Result(0)))
}

// bufferFor returns the layout of shared memory for reading v into type to; ok is false if to is no operand
// of a product.
func bufferFor(v *ir.Value, to *ir.TensorType) (ir.Attr, bool) {
	dot, isDot := ttg.As[ttg.DotOp](to.Encoding)
	if !isDot {
		return products.OperandLike(to)
	}
	from := ttgir.TensorOf(v)
	if from == nil { // v is a buffer: the caller only needs ok
		return to.Encoding, true
	}
	order := products.MemoryOrder(from)
	return products.SwizzledFor(dot, from, order, ttgir.CgaOf(to.Encoding), false).Attr(), true
}
