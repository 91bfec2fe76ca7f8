package layouts

import (
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// OptimizeThreadLocality keeps data in the threads that hold it. A reduction that a loop accumulates is done
// within each thread during the loop, and across threads once at its end; a reshape that may reorder puts the
// elements to be reduced into one thread; a gather stays within warps.
//
//	for … iter_args(%acc = 0) {                     for … iter_args(%part = 0) {
//	  %x = tt.load …                                  %x = tt.load …
//	  %s = tt.reduce(%x) {axis = 1}             =>    %y = tt.reshape %x allow_reorder …
//	  %acc2 = arith.addf %acc, %s                     %s = tt.reduce(%y) {axis = 2}      // in registers
//	}                                                 %part2 = arith.addf %part, %s
//	                                                }
//	                                                %acc = tt.reduce(%part) {axis = 1}
var OptimizeThreadLocality = pass.Pass{
	Name: "tritongpu-optimize-thread-locality",
	Doc:  "reduce within threads first, gather within warps",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, tt.Reshape) {
			ctx.At(op)
			localReshape(op)
		}
		for _, op := range ttgir.OpsOf(m.Op, tt.Gather) {
			ctx.At(op)
			localGather(op)
		}
		for _, op := range ttgir.OpsOf(m.Op, tt.Reduce) {
			ctx.At(op)
			if late, ok := findLateReduce(op); ok {
				op = late.intoLoop()
			}
			if s, ok := findRunningReduce(op); ok {
				s.rewrite()
			}
		}
		return nil
	},
}

// localReshape gives the result of a reordering reshape a layout with the reduced axis in one thread.
func localReshape(op *ir.Op) {
	axis, ok := reducedAxis(op)
	if !ok || !op.HasAttr("allow_reorder") {
		return
	}
	t := ttgir.TensorOf(op.Result(0))
	if b, ok := ttg.As[ttg.Blocked](t.Encoding); ok && b.ThreadsPerWarp[axis] == 1 &&
		b.WarpsPerCTA[axis] == 1 && !splits(b.CGALayout, axis) {
		return
	}
	l, err := ttglayout.Of(t)
	if err != nil {
		return
	}
	var order []int64
	for _, d := range l.Order() {
		if d != axis {
			order = append(order, int64(d))
		}
	}
	// last, so that threads lie along it only if no other dimension has room
	order = append(order, int64(axis))
	enc := ttgir.ThreadsOf(op).Spread(t.Shape, slices.Repeat([]int64{1}, t.Rank()), order).Attr()
	if enc == t.Encoding || isExpensiveView(op.Operand(0).Type, t.WithEncoding(enc)) {
		return
	}
	ttgir.SetResults(op, enc)
	op.SetAttr("efficient_layout", ir.Unit)
}

// reducedAxis returns the axis of all reductions of op's result.
func reducedAxis(op *ir.Op) (axis int, ok bool) {
	for u := range op.Result(0).Users() {
		if u.Def != tt.Reduce {
			continue
		}
		a := int(u.IntOr("axis", 0))
		if ok && a != axis {
			return 0, false
		}
		axis, ok = a, true
	}
	return axis, ok
}

func splits(cga [][]int64, axis int) bool {
	return slices.ContainsFunc(cga, func(v []int64) bool { return v[axis] != 0 })
}

// localGather puts whole columns along the axis into warps, so that shuffles suffice. As many threads as
// possible lie along the axis: the fewer elements of it a thread holds, the fewer shuffles.
func localGather(op *ir.Op) {
	src, axis := ttgir.TensorOf(op.Operand(0)), int(op.IntOr("axis", 0))
	rank := src.Rank()
	if rank == 1 || op.HasAttr("efficient_layout") {
		return
	}
	l, err := ttglayout.Of(src)
	if err != nil {
		return
	}
	m := ttgir.ThreadsOf(op)
	enc := ttg.Blocked{SizePerThread: slices.Repeat([]int64{1}, rank), ThreadsPerWarp: make([]int64, rank),
		WarpsPerCTA: make([]int64, rank), Order: []int64{int64(axis)}, CGALayout: ttgir.CgaOf(src.Encoding)}
	enc.ThreadsPerWarp[axis] = min(src.Shape[axis], m.ThreadsPerWarp)
	lanes := m.ThreadsPerWarp / enc.ThreadsPerWarp[axis]
	for _, d := range l.ThreadOrder() {
		if d != axis {
			enc.Order = append(enc.Order, int64(d))
			enc.ThreadsPerWarp[d] = min(src.Shape[d], lanes)
			lanes /= enc.ThreadsPerWarp[d]
		}
	}
	enc.WarpsPerCTA[axis] = 1
	warps := m.NumWarps
	for _, d := range l.WarpOrder() {
		if d != axis {
			enc.WarpsPerCTA[d] = min(src.Shape[d]/enc.ThreadsPerWarp[d], warps)
			warps /= enc.WarpsPerCTA[d]
		}
	}
	enc.SizePerThread[axis] = src.Shape[axis] / enc.ThreadsPerWarp[axis]
	enc.ThreadsPerWarp[axis] *= lanes // threads that are left over hold copies
	enc.WarpsPerCTA[axis] *= warps
	Operand(op, 0, enc.Attr())
	Operand(op, 1, enc.Attr())
	ttgir.SetResults(op, enc.Attr())
	op.SetAttr("efficient_layout", ir.Unit)
}

// runningReduce is a loop that accumulates reductions of loaded tensors.
type runningReduce struct {
	reduce, update, loop *ir.Op
	combine              *ir.Op // the op in the reduction's region
	arg                  int    // index of the loop-carried accumulator
	axis                 int
	layout               ttg.Blocked
	perThread            int64 // elements along the axis in each thread
}

// findRunningReduce returns the loop of which op is the reduction.
func findRunningReduce(op *ir.Op) (s runningReduce, ok bool) {
	if s, ok = reduceInThreads(op); !ok {
		return s, false
	}
	fromLoad := op.Operand(0).DefBy(tt.Load) != nil || ttgir.TensorOf(op.Operand(0)).Elem == ir.I1
	return s, fromLoad && op.Result(0).HasOneUse() && s.findLoop()
}

// reduceInThreads describes a reduction whose threads hold several elements along the axis.
func reduceInThreads(op *ir.Op) (s runningReduce, ok bool) {
	s = runningReduce{reduce: op, axis: int(op.IntOr("axis", 0))}
	t := ttgir.TensorOf(op.Operand(0))
	s.layout, ok = ttg.As[ttg.Blocked](t.Encoding)
	if !ok || op.NumOperands() != 1 || t.Rank() < 2 || s.axis != t.Rank()-1 {
		return s, false
	}
	if s.combine = singleOp(op); s.combine == nil || neutralOf(s.combine.Def, t.Elem) == nil {
		return s, false
	}
	l, err := ttglayout.Of(t)
	if err != nil {
		return s, false
	}
	s.perThread = int64(l.CountPerDimWithCopies(layout.Register)[s.axis])
	return s, s.perThread > 1
}

// findLoop finds the loop: its yield gets the reduction combined with a loop-carried argument, and neither
// has another use.
func (s *runningReduce) findLoop() bool {
	for u := range s.reduce.Result(0).Users() {
		s.update = u
	}
	u := s.update
	if u.Def != s.combine.Def || u.NumOperands() != 2 || !u.Result(0).HasOneUse() {
		return false
	}
	var out *ir.Use
	for use := range u.Result(0).Uses() {
		out = use
	}
	s.loop = s.reduce.Block().Parent()
	if out.Owner().Def != scf.Yield || s.loop == nil || s.loop.Def != scf.For ||
		out.Owner().Parent() != s.loop {
		return false
	}
	s.arg = out.Index()
	acc := u.Operand(0)
	if acc == s.reduce.Result(0) {
		acc = u.Operand(1)
	}
	return acc == scf.IterArgs(s.loop)[s.arg] && acc.HasOneUse() &&
		scf.Inits(s.loop)[s.arg].DefBy(arith.Constant) != nil
}

// singleOp returns the only op in a reduction's region besides its terminator, or nil.
func singleOp(reduce *ir.Op) *ir.Op {
	b := reduce.Body(0)
	if b.First() == nil || b.First().Next() != b.Last() {
		return nil
	}
	return b.First()
}

// neutral holds the identity element of each reduction operator: reducing with it changes nothing.
var neutral = map[*ir.OpDef]*float64{
	arith.AddF:     ptrTo(math.Copysign(0, -1)),
	arith.MulF:     ptrTo(1),
	arith.MaximumF: ptrTo(math.Inf(-1)),
	arith.MaxNumF:  ptrTo(math.Inf(-1)),
	arith.MinimumF: ptrTo(math.Inf(1)),
	arith.MinNumF:  ptrTo(math.Inf(1)),
}

func ptrTo(v float64) *float64 { return &v }

// neutralOf returns the neutral element of a combination of elements, nil if there is none here.
func neutralOf(combine *ir.OpDef, elem ir.Type) ir.Attr {
	if f, ok := elem.(*ir.FloatType); ok && neutral[combine] != nil {
		return ir.FloatOf(*neutral[combine], f)
	}
	if elem == ir.I1 && (combine == arith.OrI || combine == arith.AndI) {
		return ir.BoolAttr(combine == arith.AndI)
	}
	return nil
}

// rewrite makes the loop carry a partial result in each thread.
func (s *runningReduce) rewrite() {
	t, rank := ttgir.TensorOf(s.reduce.Operand(0)), ttgir.TensorOf(s.reduce.Operand(0)).Rank()
	shape := append(slices.Clone(t.Shape), s.perThread)
	shape[s.axis] /= s.perThread
	local := s.localLayout(rank)
	slice := ttg.Slice{Dim: int64(rank), Parent: local}.Attr()
	part := ir.Tensor(shape[:rank], ir.ElemOf(s.reduce.Result(0).Type), slice)
	init := scf.Inits(s.loop)[s.arg]
	result := s.carry(ir.Tensor(shape, t.Elem, local), part)

	b := ir.At(s.reduce)
	b.After(s.loop)
	outer := b.Insert(s.reduce.Clone(nil))
	outer.SetOperand(0, result)
	old := s.loop.Result(s.arg)
	enc := ttg.Slice{Dim: int64(s.axis), Parent: slice}.Attr()
	outer.Result(0).Type = ttgir.TensorOf(old).WithEncoding(enc)
	total := s.combined(b, old.Type, init, ttgir.Convert(b, outer.Result(0), ttgir.EncodingOf(old)))
	old.ReplaceAllUses(total)
	s.reduce.Erase()
}

// localLayout returns the layout in which the elements that a thread has along the axis are a dimension of
// their own, the last.
func (s *runningReduce) localLayout(rank int) ir.Attr {
	enc := s.layout
	local := ttg.Blocked{
		SizePerThread:  append(slices.Clone(enc.SizePerThread), enc.SizePerThread[s.axis]),
		ThreadsPerWarp: append(slices.Clone(enc.ThreadsPerWarp), 1),
		WarpsPerCTA:    append(slices.Clone(enc.WarpsPerCTA), 1),
		Order:          append([]int64{int64(rank)}, enc.Order...),
	}
	local.SizePerThread[s.axis] = 1
	for _, v := range enc.CGALayout {
		local.CGALayout = append(local.CGALayout, append(slices.Clone(v), 0))
	}
	return local.Attr()
}

// carry adds a loop-carried accumulator of type part, one partial sum for each thread over the last dimension
// of a view, and returns its value after the loop. The accumulator that it replaces keeps its initial value.
func (s *runningReduce) carry(view, part *ir.TensorType) *ir.Value {
	value := ir.A("value", ir.DenseSplat(part, neutralOf(s.combine.Def, part.Elem)))
	start := ir.At(s.loop).ValA(arith.Constant, part, []ir.NamedAttr{value})
	s.loop.SetOperands(append(s.loop.Operands(), start), nil)
	arg := s.loop.Body(0).AddArg(part, s.loop.Loc)
	result := s.loop.AddResult(part)

	b := ir.At(s.reduce)
	x := b.ValA(tt.Reshape, view,
		[]ir.NamedAttr{ir.A("allow_reorder", ir.Unit), ir.A("efficient_layout", ir.Unit)},
		s.reduce.Operand(0))
	inner := b.Insert(s.reduce.Clone(nil))
	inner.SetOperand(0, x)
	inner.SetAttr("axis", ir.I32Attr(int64(view.Rank()-1)))
	inner.Result(0).Type = part
	sum := s.combined(b, part, arg, inner.Result(0))
	yield := s.loop.Body(0).Last()
	yields := append(yield.Operands(), sum)
	yields[s.arg] = scf.IterArgs(s.loop)[s.arg]
	yield.SetOperands(yields, nil)
	s.update.Erase()
	return result
}

// combined applies the combination to whole tensors.
func (s *runningReduce) combined(b *ir.Builder, t ir.Type, x, y *ir.Value) *ir.Value {
	op := b.Op(s.update.Def, []*ir.Value{x, y}, []ir.Type{t})
	for _, a := range s.update.Attrs() {
		op.SetAttr(a.Name, a.Attr)
	}
	return op.Result(0)
}
