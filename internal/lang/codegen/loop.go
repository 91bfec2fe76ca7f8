package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// carry is the set of names that a loop hands from one iteration to the next.
type carry struct {
	names []string
	vals  []object.Value // before the loop
}

// carried returns the live device values that the body of a loop may rebind. prune drops those that the body
// turns out not to change.
func (g *generator) carried(body []python.Stmt, skip string) carry {
	var c carry
	assigned, changing := assignedNames(body), !g.has(triton.Immutable)
	for _, name := range g.scope.names {
		v := g.scope.vals[name]
		if name != skip && (assigned[name] || changing && holdsObjects(v)) && len(flatten(v, nil)) > 0 {
			c.names, c.vals = append(c.names, name), append(c.vals, v)
		}
	}
	return c
}

func (c carry) flat() []*ir.Value {
	var vs []*ir.Value
	for _, v := range c.vals {
		vs = flatten(v, vs)
	}
	return vs
}

// enter binds the carried names to block arguments.
func (g *generator) enter(c carry, args []*ir.Value) {
	nameCarried(c.names, c.vals, args)
	for _, a := range args {
		if a.Name != "" {
			a.Loc = ir.Named(a.Name, ir.Unknown)
		}
	}
	for i, name := range c.names {
		var v object.Value
		v, args = shapeOf(c.vals[i]).build(args)
		g.bind(name, v)
	}
}

// leave checks the carried names at the end of the body and returns their IR values.
func (g *generator) leave(s python.Node, c carry, liveins *scope) []*ir.Value {
	var out []*ir.Value
	for i, name := range c.names {
		v, _ := g.scope.get(name)
		passOver(v)
		want, got := shapeOf(c.vals[i]), shapeOf(v)
		if !want.equal(got) {
			g.loopChanges(s, name, want, got)
		}
		out = flatten(v, out)
	}
	for _, name := range liveins.names {
		live := liveins.vals[name]
		v, ok := g.scope.get(name)
		passOver(v)
		if ok && !slices.Contains(c.names, name) && g.defs.has(name) && !shapeOf(live).equal(shapeOf(v)) {
			g.failNotes(g.boundAt(name, s), "loop-type", "give it a value of the same type before the loop",
				[]diag.Note{{Span: s.Span(), Msg: "this is the loop"}},
				"%s is %s before the loop, but becomes %s in it", name, describe(live), describe(v))
		}
	}
	g.forget(s, "loop", g.defs, liveins)
	return out
}

// resume binds the carried names to the loop's results.
func (g *generator) resume(c carry, results []*ir.Value) {
	nameCarried(c.names, c.vals, results)
	for i, name := range c.names {
		var v object.Value
		v, results = shapeOf(c.vals[i]).build(results)
		g.bind(name, v)
	}
}

// whileStmt makes scf.while.
func (g *generator) whileStmt(s *python.While) {
	if len(s.Orelse) > 0 {
		g.failHint(s.Orelse[0], "unsupported", "write it after the loop",
			"else after while is not supported in a jit function")
	}
	loc := g.b.Loc
	var c carry
	var op *ir.Op
	g.sub(func(liveins *scope) {
		point := g.b.Point()
		c = g.carried(s.Body, "")
		inits := c.flat()
		types := make([]ir.Type, len(inits))
		for i, v := range inits {
			types[i] = v.Type
		}
		before, after := ir.NewBlock(types...), ir.NewBlock(types...)
		regions := []*ir.Region{ir.NewRegion(before), ir.NewRegion(after)}
		g.b.ToEnd(before)
		g.enter(c, before.Args())
		cond, licm := g.loopCondition(s)
		g.b.Op(scf.Condition, append([]*ir.Value{cond.V}, before.Args()...), nil)
		g.b.ToEnd(after)
		g.enter(c, after.Args())
		g.loops++
		g.stmts(s.Body)
		g.loops--
		next := g.leave(s, c, liveins)
		g.b.Op(scf.Yield, next, nil)
		g.b.SetPoint(point)
		g.b.Loc = loc
		op = g.b.Create(ir.State{Def: scf.While, Operands: inits, Results: types, Regions: regions})
		if !licm {
			op.SetAttr("llvm.loop_annotation", noLICM())
		}
		c, op = g.prune(c, op, next, [][]*ir.Value{before.Args(), after.Args()})
	})
	g.b.After(op)
	g.resume(c, op.Results())
}

// loopCondition walks the test of a while loop; tl.condition can forbid LICM.
func (g *generator) loopCondition(s *python.While) (cond *sem.Tensor, licm bool) {
	v := g.expr(s.Test)
	licm = true
	if lc, ok := v.(*loopCondition); ok {
		v, licm = lc.cond, !lc.disableLICM
	}
	t, ok := v.(*sem.Tensor)
	if !ok {
		truth := g.truth(s.Test, v)
		u, err := g.b.ToTensor(object.Bool(truth))
		g.check(s.Test, err)
		return u, licm
	}
	return g.condition(s.Test, t), licm
}

// prune rebuilds a loop without the carried names that its body never changes. The loop is first made with
// every name that the body assigns anywhere. Triton finds the changed ones by walking the body twice, which
// doubles the work at each level of nesting.
func (g *generator) prune(c carry, op *ir.Op, next []*ir.Value, args [][]*ir.Value) (carry, *ir.Op) {
	body := args[len(args)-1]
	inits := c.flat()
	var kept carry
	var drop []int
	at := 0
	for i, name := range c.names {
		n := len(flatten(c.vals[i], nil))
		if sameValues(next[at:at+n], body[at:at+n]) {
			for k := at; k < at+n; k++ {
				drop = append(drop, k)
			}
		} else {
			kept.names, kept.vals = append(kept.names, name), append(kept.vals, c.vals[i])
		}
		at += n
	}
	if len(drop) == 0 {
		return c, op
	}
	return kept, dropCarried(g.b, op, drop, inits, args)
}

// dropCarried makes the loop anew without the carried values at the given positions.
func dropCarried(b *sem.Builder, op *ir.Op, drop []int, inits []*ir.Value, args [][]*ir.Value) *ir.Op {
	keep := func(vs []*ir.Value) []*ir.Value {
		var out []*ir.Value
		for i, v := range vs {
			if !slices.Contains(drop, i) {
				out = append(out, v)
			}
		}
		return out
	}
	heads := op.NumOperands() - len(inits)
	for _, list := range args {
		for i := len(drop) - 1; i >= 0; i-- {
			a := list[drop[i]]
			a.ReplaceAllUses(inits[drop[i]])
		}
	}
	for _, list := range args {
		block := list[0].Block()
		first := list[0].Index()
		for i := len(drop) - 1; i >= 0; i-- {
			block.EraseArg(first + drop[i])
		}
	}
	for _, r := range op.Regions() {
		term := r.First().Last()
		vs := term.Operands()
		n := len(vs) - len(inits)
		term.SetOperands(append(vs[:n:n], keep(vs[n:])...), nil)
	}
	regions := op.Regions()
	operands := append(op.Operands()[:heads:heads], keep(inits)...)
	var types []ir.Type
	for _, r := range keep(op.Results()) {
		types = append(types, r.Type)
	}
	fresh := ir.NewOp(ir.State{Def: op.Def, Loc: op.Loc, Operands: operands, Results: types,
		Attrs: op.Attrs(), Regions: moveRegions(regions)})
	b.Before(op)
	b.Block() // the new loop stands where the old one stood
	fresh = b.Insert(fresh)
	op.Erase()
	return fresh
}

func moveRegions(regions []*ir.Region) []*ir.Region {
	out := make([]*ir.Region, len(regions))
	for i, r := range regions {
		out[i] = ir.NewRegion()
		out[i].TakeBody(r)
	}
	return out
}

// forStmt unrolls tl.static_range and makes scf.for of range and tl.range.
func (g *generator) forStmt(s *python.For) {
	if len(s.Orelse) > 0 {
		g.failHint(s.Orelse[0], "unsupported", "write it after the loop",
			"else after for is not supported in a jit function")
	}
	target, ok := s.Target.(*python.Name)
	if !ok {
		g.iterator(s.Iter) // what it runs over may be the greater fault
		g.fail(s.Target, "unsupported", "a loop variable must be a single name")
	}
	it := g.iterator(s.Iter)
	if it.static {
		g.unroll(s, target.ID, it)
		return
	}
	g.forLoop(s, target.ID, it)
}

// iteration describes the values that stand after `in`.
type iteration struct {
	static       bool
	lo, hi, step object.Value
	attrs        []ir.NamedAttr
}

const loopHint = "to run over a tuple, index it with i in tl.static_range(len(it)); a tensor is computed " +
	"with as a whole"

func (g *generator) iterator(e python.Expr) iteration {
	call, ok := e.(*python.Call)
	if !ok {
		g.failHint(e, "loop", loopHint, "a for loop runs over range, tl.range or tl.static_range only")
	}
	defer g.at(e)()
	fn := g.expr(call.Func)
	args, kws := g.arguments(call)
	r, ok := fn.(*world.Range)
	if !ok {
		g.failHint(e, "loop", loopHint, "a for loop runs over range, tl.range or tl.static_range only")
	}
	it, err := iterationOf(r, args, kws)
	if se, ok := err.(*sem.Error); ok {
		g.check(faultyArgument(call, se, -1), err)
	}
	if r == world.PyRange &&
		len(call.Args) == 1 { // Triton walks the only bound twice; what it makes the first time stays, unused
		it.hi = g.expr(call.Args[0])
	}
	return it
}

// unroll walks the body once for each value of a range known at compile time.
func (g *generator) unroll(s *python.For, name string, it iteration) {
	bounds := make([]int64, 3)
	for i, v := range []object.Value{it.lo, it.hi, it.step} {
		n, ok := object.AsInt64(v)
		if !ok {
			g.failHint(s.Iter, "not-constexpr", "use tl.range, or make the bound a tl.constexpr",
				"the bounds of tl.static_range must be integers known at compile time, not %s", describe(v))
		}
		bounds[i] = n
	}
	lo, hi, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		g.fail(s.Iter, "loop", "the step of tl.static_range must not be zero")
	}
	n := int64(g.u.opts.Unroll) >> min(g.u.unrolled, maxHalvings)
	if g.u.opts.Unroll > 0 {
		n = max(n, 1)
	}
	g.u.unrolled++
	defer func() { g.u.unrolled-- }()
	done, jumped := int64(0), false
	for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
		leave := !jumped && n > 0 && done >= n && g.u.steps > g.u.opts.UnrollSteps
		if rest := iterations(i, hi, step); leave && rest > n {
			i += step * (rest - n) // the last ones come next
			jumped, g.u.left = true, true
		}
		g.scope.set(name, object.MakeInt(i))
		g.stmts(s.Body)
		done++
	}
}

// maxHalvings bounds a shift: after so many, one iteration is left of any number.
const maxHalvings = 62

// iterations returns how often a loop from lo to hi runs, of which one is left at least.
func iterations(lo, hi, step int64) int64 {
	if step < 0 {
		lo, hi, step = -lo, -hi, -step
	}
	return (hi - lo + step - 1) / step
}

// forLoop makes scf.for. A negative constant step runs upward and mirrors the variable, since scf.for only
// counts up.
func (g *generator) forLoop(s *python.For, name string, it iteration) {
	lo, hi, step := it.lo, it.hi, it.step
	negative := false
	if n, ok := object.AsInt64(step); ok && n < 0 {
		step, negative = object.MakeInt(-n), true
		lo, hi = hi, lo
	}
	bounds, ivType := g.bounds(s, lo, hi, step)
	iv := g.b.Val(ub.Poison, ivType.IR())
	g.bind(name, &sem.Tensor{V: iv, Type: ivType})
	loc := g.b.Loc
	var c carry
	var op *ir.Op
	g.sub(func(liveins *scope) {
		point := g.b.Point()
		c = g.carried(s.Body, name)
		inits := c.flat()
		types := []ir.Type{ivType.IR()}
		for _, v := range inits {
			types = append(types, v.Type)
		}
		body := ir.NewBlock(types...)
		g.b.ToEnd(body)
		g.enter(c, body.Args()[1:])
		g.loops++
		g.stmts(s.Body)
		g.loops--
		next := g.leave(s, c, liveins)
		g.b.Op(scf.Yield, next, nil)
		actual := body.Arg(0)
		actual.Name = name
		actual.Loc = ir.Named(name, loc)
		if negative {
			g.b.ToStart(body)
			d := g.b.Val(arith.SubI, ivType.IR(), bounds[1], actual)
			actual = g.b.Val(arith.AddI, ivType.IR(), d, bounds[0])
		}
		iv.ReplaceAllUses(actual)
		g.b.SetPoint(point)
		g.b.Loc = loc
		op = g.b.Create(ir.State{Def: scf.For, Operands: append(bounds, inits...), Results: types[1:],
			Attrs:   it.attrs,
			Regions: []*ir.Region{ir.NewRegion(body)}})
		hints := g.b.BodyHints(body)
		g.hintInits(hints, inits)
		c, op = g.prune(c, op, next, [][]*ir.Value{body.Args()[1:]})
		for _, h := range hints {
			if slices.Contains(body.Args(), h.V) {
				g.b.Keep(h)
			}
		}
	})
	g.b.After(op)
	g.resume(c, op.Results())
}

// hintInits gives hints on the carried values of a loop to the values with which it begins. It is there that
// they tell passes something: what is known of a carried value is what is known of its first value and of
// what an iteration makes of it. As in Triton, a hint counts even if the loop does not run.
func (g *generator) hintInits(hints []sem.Hint, inits []*ir.Value) {
	for _, h := range hints {
		if h.Always && h.V.Index() > 0 {
			g.b.Keep(sem.Hint{V: inits[h.V.Index()-1], Name: h.Name, Attr: h.Attr, Always: true})
		}
	}
}

// bounds returns the loop's bounds and step as scalars of the type that all three promote to.
func (g *generator) bounds(s *python.For, vs ...object.Value) ([]*ir.Value, *sem.DType) {
	ts := make([]*sem.Tensor, len(vs))
	types := make([]*sem.DType, len(vs))
	for i, v := range vs {
		t, err := g.b.ToTensor(v)
		g.check(s.Iter, err)
		if b, ok := t.Type.(*sem.BlockType); ok {
			if b.Numel() != 1 {
				g.fail(s.Iter, "loop", "the bounds and step of a loop must be scalars, not %s",
					sem.TypeText(t.Type))
			}
			t, err = g.b.Unsplat(t)
			g.check(s.Iter, err)
		}
		d, ok := t.Type.(*sem.DType)
		if !ok || !d.IsInt() {
			g.failHint(s.Iter, "loop", "cast it with .to(tl.int32)",
				"the bounds and step of a loop must be integers, not %s", sem.TypeText(t.Type))
		}
		ts[i], types[i] = t, d
	}
	iv := sem.IntegerPromote(sem.IntegerPromote(types[0], types[1]), types[2])
	out := make([]*ir.Value, len(ts))
	for i, t := range ts {
		out[i] = g.b.IntCast(t.V, iv)
	}
	return out, iv
}
