package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AssignLatencies chooses the loads of a loop that are to be under way while the loop works on earlier data, and says by how
// many iterations: those that a product is computed from, directly or by way of further loads. The stages of the pipeline are
// shared among the loads of such a chain. In a loop with stages of its own (tl.range(num_stages=…)) all loads count.
//
//	%x = tt.load %p                                =>    %x = tt.load %p {tt.latency = 2 : i32}
//	%d = tt.dot %x, …                                    %d = tt.dot %x, …
func AssignLatencies(numStages int) pass.Pass {
	return pass.Pass{
		Name: "tritongpu-assign-latencies",
		Doc:  "choose the loads that are pipelined",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			var axes *axisinfo.Analysis
			for _, loop := range forLoops(m.Op) {
				n := int(loop.IntOr(stagesAttr, int64(numStages)))
				if n <= 1 || !wantsPipeline(loop) || !mayPipeline(loop) {
					continue
				}
				ctx.At(loop)
				if axes == nil {
					axes = axisinfo.Module(m)
				}
				a := latencies{loop: loop, axes: axes, level: map[*ir.Op]int{}, excluded: map[*ir.Op]bool{}, copies: map[*ir.Op]*asyncCopy{}}
				a.assign(n)
			}
			return nil
		},
	}
}

// wantsPipeline reports whether a loop has a product, or stages of its own.
func wantsPipeline(loop *ir.Op) bool {
	for op := range body(loop) {
		if isProduct(op) {
			return true
		}
	}
	return loop.HasAttr(stagesAttr)
}

// mayPipeline reports whether a loop is an innermost one, and hands on nothing but what it computes.
func mayPipeline(loop *ir.Op) bool {
	for op := range body(loop) {
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

// latencies finds, for the loads of a loop, how many further loads lie between them and their user.
type latencies struct {
	loop     *ir.Op
	axes     *axisinfo.Analysis
	loads    []*ir.Op // in the order found
	level    map[*ir.Op]int
	excluded map[*ir.Op]bool // loads that are needed at several levels
	seen     map[*ir.Op]bool
	copies   map[*ir.Op]*asyncCopy
	where    *address.Analysis // nil until asked for
	stored   []*ir.Value       // pointers by which the loop writes
}

func (a *latencies) assign(stages int) {
	a.seen = map[*ir.Op]bool{}
	for op := range body(a.loop) {
		if isProduct(op) {
			clear(a.seen)
			a.visit(op, 0)
		}
	}
	if a.loop.HasAttr(stagesAttr) {
		for op := range body(a.loop) {
			if op.Def != tt.Load {
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
		if l, ok := a.level[op]; ok && l < stages-1 { // others would find no stage
			op.SetAttr(latencyAttr, ir.I32Attr(int64((stages-1)/(deepest+1))))
			a.copies[op].write()
		}
	}
}

func isProduct(op *ir.Op) bool {
	return op.Def == tt.Dot || op.Def == tt.DotScaled || op.Def == ttng.WarpGroupDot
}

// visit goes from op to what it is computed from.
func (a *latencies) visit(op *ir.Op, level int) {
	if a.seen[op] || a.excluded[op] {
		return
	}
	a.seen[op] = true
	if op.Def == tt.Load {
		if !a.worthwhile(op) || !a.note(op, level) {
			return
		}
		level++
	}
	for _, v := range outerOperands(op) {
		if isProduct(op) && v == op.Operand(2) {
			continue // the sum so far
		}
		if def := v.Def(); def != nil && def.Block() == op.Block() {
			a.visit(def, level)
		}
	}
}

// note records a load's level. One that is needed at two of them is left out.
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

// worthwhile reports whether a load can be a copy that runs on its own, of at least 4 bytes at a time, into a buffer that suits
// all its users.
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
	for u := range op.Result(0).Users() {
		if u.Def == ttg.LocalAlloc && (encodingOfBuffer(u.Result(0)) != c.buf || c.width == 0) {
			return false
		}
	}
	return true
}

func encodingOfBuffer(v *ir.Value) ir.Attr { m, _ := ttg.MemDescOf(v.Type); return m.Encoding }

// isStoredTo reports whether the loop also writes by the pointer that a load reads from: an iteration may want what the one before
// has stored. Triton loads ahead all the same.
func (a *latencies) isStoredTo(load *ir.Op) bool {
	if a.where == nil {
		a.where = address.New(a.loop)
		for op := range a.loop.Ops() {
			a.stored = append(a.stored, accessesOf(op).writes...)
		}
	}
	return slices.ContainsFunc(a.stored, func(p *ir.Value) bool { return a.where.MayAlias(p, load.Slot(0)) })
}

// copyWidth is the number of elements that a thread may copy at once, as far as addresses and mask go.
func copyWidth(axes *axisinfo.Analysis, load *ir.Op) int {
	n := axes.Contiguity(load.Slot(0))
	if mask := load.Slot(1); mask != nil {
		n = min(n, axes.MaskAlignment(mask))
	}
	return n
}

// copyBytes is how many adjacent bytes a thread of a tensor's layout has in a buffer's.
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

// operandBuffer is the layout of shared memory from which a value is best read by all its users, where these want it as an
// operand of a product (ok). Users may disagree (clash).
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

// wantedBuffer is what one user wants.
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
	return bufferFor(v, tensorOf(u.Result(0)))
}

// bufferFor is the layout from which a value is read into a tensor's, if that is a product's operand.
func bufferFor(v *ir.Value, to *ir.TensorType) (ir.Attr, bool) {
	dot, isDot := ttg.As[ttg.DotOp](to.Encoding)
	if !isDot {
		return operandLike(to)
	}
	from := tensorOf(v)
	if from == nil { // a buffer: only whether there is one matters
		return to.Encoding, true
	}
	return swizzledFor(dot, from, memoryOrder(from), cgaOf(to.Encoding), false).Attr(), true
}
