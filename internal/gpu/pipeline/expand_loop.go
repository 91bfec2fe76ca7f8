package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// expander rewrites a loop by its schedule. The early stages of the first iterations run before the loop. In
// the new body each stage works for another iteration, the last stage for the one that the loop counts.
// Values that pass from a stage to a later one are carried from iteration to iteration. Early stages go on,
// under a predicate, when no iteration is left for them.
//
//	for i { a(i){stage 0}; b(i){stage 1} }   =>   a(0) if 0 < n
//	                                              for i { b(i); a(i+1) if i < n-1 }
type expander struct {
	loop  *ir.Op
	last  int // index of the pipeline's last stage
	order []*ir.Op
	stage map[*ir.Op]int
	// versions of a value of the body for the iterations that begin before the loop
	versions map[*ir.Value][]*ir.Value
	b        *ir.Builder

	// In the new body:
	next *ir.Op
	// value of the old body in the new one, for the iteration that its stage works for
	now     map[*ir.Value]*ir.Value
	carried map[*ir.Value]*ages
	keys    []*ir.Value // keys of carried, in order
	iv      []*ir.Value // induction variable as each stage sees it
	pred    []*ir.Value // by stage: whether its iteration exists; the last stage needs none
}

// ages gives the arguments of the new loop that hold a value from 1, 2, … n iterations ago: n of them, from
// index first on.
type ages struct{ first, n int }

// expand replaces the loop of the schedule.
func (s *schedule) expand() {
	e := expander{loop: s.loop, last: s.stages - 1, order: s.inOrder(), stage: map[*ir.Op]int{},
		versions: map[*ir.Value][]*ir.Value{}, b: ir.At(s.loop), now: map[*ir.Value]*ir.Value{},
		carried: map[*ir.Value]*ages{}}
	for op, p := range s.places {
		e.stage[op] = p.stage
	}
	eraseSchedule(s.loop)
	e.prologue()
	e.findCarried()
	e.newLoop()
	e.newBody()
	e.loop.ReplaceWith(e.next.Results()[:e.loop.NumResults()]...)
}

// home returns the stage that computes a value of the body, or -1 for values from outside. The stage that
// yields a loop-carried value computes it.
func (e *expander) home(v *ir.Value) int {
	switch {
	case ttgir.IsIterArg(v, e.loop):
		if y := ttgir.Yielded(v); y.Block() == e.loop.Body(0) {
			return e.home(y)
		}
		return e.last
	case v.Def() != nil && v.Block() == e.loop.Body(0):
		return e.stage[v.Def()]
	}
	return -1
}

// prologue emits the stages that run before the loop.
func (e *expander) prologue() {
	lb, ub, step := scf.LowerBound(e.loop), scf.UpperBound(e.loop), scf.Step(e.loop)
	yield := e.loop.Body(0).Last()
	for i, arg := range scf.IterArgs(e.loop) {
		e.versions[arg] = []*ir.Value{scf.Inits(e.loop)[i]}
		if y := yield.Operand(i); y.Block() != e.loop.Body(0) {
			e.versions[arg] = append(e.versions[arg], slices.Repeat([]*ir.Value{y}, e.last)...)
		}
	}
	pred := make([]*ir.Value, e.last)
	for i := range e.last {
		iv := e.add(lb, int64(i), step)
		e.versions[scf.IV(e.loop)] = append(e.versions[scf.IV(e.loop)], iv)
		pred[i] = e.less(iv, ub)
		for _, op := range e.order {
			if n := i - e.stage[op]; n >= 0 {
				e.prologueOp(op, n, pred[n])
			}
		}
	}
}

// prologueOp clones an op for iteration n.
func (e *expander) prologueOp(op *ir.Op, n int, pred *ir.Value) {
	c := e.clone(op, func(v *ir.Value) *ir.Value {
		if vs := e.versions[v]; vs != nil {
			return vs[n]
		}
		return v
	})
	predicate(c, pred)
	for i, r := range op.Results() {
		e.versions[r] = append(e.versions[r], c.Result(i))
		for use := range r.Uses() {
			if use.Owner() != e.loop.Body(0).Last() {
				continue
			}
			v, arg := c.Result(i), scf.IterArgs(e.loop)[use.Index()]
			// without such an iteration, the loop's result stays as it was
			if e.loop.Result(use.Index()).HasUses() {
				v = e.choose(pred, v, e.versions[arg][n])
			}
			e.versions[arg] = append(e.versions[arg], v)
		}
	}
}

// clone copies op to the builder's position with operands mapped by value.
func (e *expander) clone(op *ir.Op, value func(*ir.Value) *ir.Value) *ir.Op {
	m := ir.NewMapping()
	for _, v := range ttgir.OuterOperands(op) {
		m.Map(v, value(v))
	}
	return e.b.Insert(op.Clone(m))
}

// findCarried finds the values that a stage needs from an earlier one.
func (e *expander) findCarried() {
	for _, op := range e.order {
		for _, v := range ttgir.OuterOperands(op) {
			h := e.home(v)
			age := e.stage[op] - h
			if h < 0 || age <= 0 {
				continue
			}
			a := e.carried[v]
			if a == nil {
				a = &ages{}
				e.carried[v] = a
				e.keys = append(e.keys, v)
			}
			a.n = max(a.n, age)
		}
	}
}

// newLoop creates the loop with its carried values.
func (e *expander) newLoop() {
	var inits []*ir.Value
	for _, arg := range scf.IterArgs(e.loop) {
		inits = append(inits, e.versions[arg][e.last-e.home(arg)])
	}
	for _, v := range e.keys {
		a := e.carried[v]
		a.first = len(inits)
		for age := 1; age <= a.n; age++ {
			inits = append(inits, e.versions[v][e.last-e.home(v)-age])
		}
	}
	e.b.Loc = e.loop.Loc
	e.next = scf.NewFor(e.b, scf.LowerBound(e.loop), scf.UpperBound(e.loop), scf.Step(e.loop), inits)
	for _, a := range e.loop.Attrs() {
		e.next.SetAttr(a.Name, a.Attr)
	}
	scf.IV(e.next).Name = scf.IV(e.loop).Name
	for i, arg := range scf.IterArgs(e.loop) {
		e.now[arg] = scf.IterArgs(e.next)[i]
		e.now[arg].Name = arg.Name
		e.next.Result(i).Name = e.loop.Result(i).Name
	}
}

// newBody fills the body of the new loop.
func (e *expander) newBody() {
	e.b.ToStart(e.next.Body(0))
	e.iv, e.pred = make([]*ir.Value, e.last+1), make([]*ir.Value, e.last+1)
	iv, ub, step := scf.IV(e.next), scf.UpperBound(e.loop), scf.Step(e.loop)
	for i := range e.last {
		e.pred[i] = e.less(iv, e.add(ub, int64(i-e.last), step))
	}
	var late []*ir.Op // copies for iterations that do not exist
	for _, op := range e.order {
		stage := e.stage[op]
		c := e.clone(op, func(v *ir.Value) *ir.Value { return e.value(v, stage) })
		if stage < e.last {
			predicate(c, e.pred[stage])
		}
		if c.Def == ttg.AsyncCopy && e.isOver(stage) {
			late = append(late, c)
		}
		for i, r := range op.Results() {
			e.now[r] = c.Result(i)
		}
	}
	var out []*ir.Value
	for i, v := range e.loop.Body(0).Last().Operands() {
		h := e.home(v)
		w := e.latest(v)
		if e.loop.Result(i).HasUses() && h >= 0 && h < e.last {
			w = e.choose(e.pred[h], w, scf.IterArgs(e.next)[i])
		}
		out = append(out, w)
	}
	for _, v := range e.keys {
		out = append(out, e.latest(v))
		for age := 1; age < e.carried[v].n; age++ {
			out = append(out, e.aged(v, age))
		}
	}
	e.b.Loc = e.loop.Body(0).Last().Loc
	scf.MakeYield(e.b, out...)
	for _, c := range late {
		removeCopy(c)
	}
}

// isOver reports whether the loop is known to have no iteration left for a stage: all began before it.
func (e *expander) isOver(stage int) bool {
	n, ok := pass.TripCount(e.loop)
	return ok && n <= uint64(e.last-stage)
}

// removeCopy removes a copy whose slot nothing reads. Its group stays, since waits count groups.
func removeCopy(c *ir.Op) {
	isToken := func(v *ir.Value) bool { return v == c.Result(0) }
	for _, group := range slices.Collect(c.Result(0).Users()) {
		group.SetOperands(slices.DeleteFunc(group.Operands(), isToken), nil)
	}
	c.Erase()
}

// latest returns the current version of a value of the old body, or v itself if it comes from outside.
func (e *expander) latest(v *ir.Value) *ir.Value {
	if w := e.now[v]; w != nil {
		return w
	}
	return v
}

func (e *expander) aged(v *ir.Value, age int) *ir.Value {
	return scf.IterArgs(e.next)[e.carried[v].first+age-1]
}

// value returns the version of v, a value of the old body, that a stage of the new one uses.
func (e *expander) value(v *ir.Value, stage int) *ir.Value {
	if v == scf.IV(e.loop) {
		if e.iv[stage] == nil {
			e.iv[stage] = e.add(scf.IV(e.next), int64(e.last-stage), scf.Step(e.loop))
		}
		return e.iv[stage]
	}
	h := e.home(v)
	switch {
	case h < 0:
		return v
	case ttgir.IsIterArg(v, e.loop) && ttgir.Yielded(v).Block() != e.loop.Body(0) && stage < e.last:
		return ttgir.Yielded(v) // only the first iteration sees the initial value
	case stage == h:
		return e.latest(v)
	case stage == h-1: // carried, and computed earlier in the new body
		return e.now[ttgir.Yielded(v)]
	}
	return e.aged(v, stage-h)
}

// add returns v + n·step.
func (e *expander) add(v *ir.Value, n int64, step *ir.Value) *ir.Value {
	if n == 0 {
		return v
	}
	def, size := arith.AddI, max(n, -n)
	if n < 0 {
		def = arith.SubI
	}
	s, ok := arith.IntOf(step)
	if !ok {
		return e.b.Val(def, v.Type, v, e.b.Val(arith.MulI, v.Type, step, arith.ConstInt(e.b, size, v.Type)))
	}
	if x, ok := arith.IntOf(v); ok {
		return arith.ConstInt(e.b, x+n*s, v.Type)
	}
	return e.b.Val(def, v.Type, v, arith.ConstInt(e.b, size*s, v.Type))
}

// less returns x < y, or nil if that is known to be true.
func (e *expander) less(x, y *ir.Value) *ir.Value {
	a, ok := arith.IntOf(x)
	b, ok2 := arith.IntOf(y)
	if ok && ok2 && a < b {
		return nil
	}
	return e.b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.SLT))}, x, y)
}

// choose returns x if pred is true, else y. A nil pred is true.
func (e *expander) choose(pred, x, y *ir.Value) *ir.Value {
	if pred == nil {
		return x
	}
	return e.b.Val(arith.Select, x.Type, pred, x, y)
}

// canPredicate reports whether an op is harmless in iterations that do not exist: it has a mask, or no effect
// that matters.
func canPredicate(op *ir.Op) bool {
	f := layouts.Facts[op.Def]
	return f.Mask > 0 || f.Harmless || op.Effects()&^(ir.EffRead|ir.EffAlloc) == 0
}

// predicate makes op run only if pred is true; nil is true. Ops without effects run anyway.
func predicate(op *ir.Op, pred *ir.Value) {
	if pred == nil || op.Effects() == 0 {
		return
	}
	at := ir.At(op)
	if op.Def == scf.If {
		op.SetOperand(0, at.Val(arith.AndI, ir.I1, pred, op.Operand(0)))
		return
	}
	slot := layouts.Facts[op.Def].Mask
	if slot == 0 {
		return
	}
	mask := pred
	if t := tt.MaskOf(op.Operand(0).Type); ttgir.TensorOf(op.Operand(0)) != nil {
		mask = at.Val(tt.Splat, t, pred)
	}
	if old := op.Slot(slot); old != nil {
		mask = at.Val(arith.AndI, mask.Type, mask, old)
	}
	op.SetGroup(slot, []*ir.Value{mask})
}
