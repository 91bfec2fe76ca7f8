package interp

import (
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// carriedArgs returns the block arguments that live where the results of a loop do; nil for other
// operations.
func carriedArgs(op *ir.Op) []*ir.Value {
	switch op.Def {
	case scf.For:
		return scf.IterArgs(op)
	case scf.While:
		return op.Body(1).Args()
	}
	return nil
}

// values returns the places of block arguments or results.
func (c *compiler) values(vs []*ir.Value) []value {
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = c.in(v)
	}
	return out
}

func lowerFor(c *compiler, op *ir.Op) step {
	body := op.Body(0)
	args := c.values(scf.IterArgs(op))
	c.move(args, scf.Inits(op), nil)
	code := c.straight(body, func(yield *ir.Op) { c.move(args, yield.Operands(), body) })
	iv, lb, ub, st := c.in(scf.IV(op)), c.in(scf.LowerBound(op)).reg, c.in(scf.UpperBound(op)).reg,
		c.in(scf.Step(op)).reg
	unsigned := op.HasAttr("unsignedCmp")
	switch {
	case iv.kind == kI32 && unsigned:
		return forStep[uint32](iv.reg, lb, ub, st, code)
	case iv.kind == kI32:
		return forStep[int32](iv.reg, lb, ub, st, code)
	case iv.kind == kI64 && unsigned:
		return forStep[uint64](iv.reg, lb, ub, st, code)
	case iv.kind == kI64:
		return forStep[int64](iv.reg, lb, ub, st, code)
	case iv.kind == kI16:
		return forStep[int16](iv.reg, lb, ub, st, code)
	case iv.kind == kI8:
		return forStep[int8](iv.reg, lb, ub, st, code)
	}
	return c.errorf(op, "a counter of type %s is not supported", scf.IV(op).Type)
}

// forStep counts up; a sum that wraps ends the loop, as it would pass the bound.
func forStep[T integer](iv, lb, ub, st reg, body code) step {
	return func(f *frame) {
		end, by := scalar[T](f, ub), scalar[T](f, st)
		if by <= 0 {
			f.w.failf("a loop with step %d", by)
		}
		for i := scalar[T](f, lb); i < end; {
			*(*T)(f.regs[iv].p) = i
			f.exec(body)
			next := i + by
			if next < i {
				break
			}
			i = next
		}
	}
}

func lowerWhile(c *compiler, op *ir.Op) step {
	before, after := op.Body(0), op.Body(1)
	args, passed := c.values(before.Args()), c.values(after.Args())
	c.move(args, op.Operands(), nil)
	var cond reg
	first := c.straight(before, func(t *ir.Op) {
		cond = c.in(t.Operand(0)).reg
		keep := c.temp(kI1, 1)
		c.emit(op, copyStep(pair{keep, value{layout: keep.layout, reg: cond}}, false))
		cond = keep.reg
		c.move(passed, t.Operands()[1:], before)
	})
	second := c.straight(after, func(t *ir.Op) { c.move(args, t.Operands(), after) })
	return func(f *frame) {
		for {
			f.exec(first)
			if scalar[uint8](f, cond) == 0 {
				return
			}
			f.exec(second)
			f.w.looped()
		}
	}
}

// yieldTo compiles the only block of a region whose terminator hands its operands over.
func (c *compiler) yieldTo(r *ir.Region, dst []value) code {
	if r.Empty() {
		return nil
	}
	return c.straight(r.First(), func(t *ir.Op) { c.move(dst, t.Operands(), nil) })
}

func lowerIf(c *compiler, op *ir.Op) step {
	out, cond := c.values(op.Results()), c.in(op.Operand(0)).reg
	then, otherwise := c.yieldTo(op.Region(0), out), c.yieldTo(op.Region(1), out)
	return func(f *frame) {
		if scalar[uint8](f, cond) != 0 {
			f.exec(then)
		} else {
			f.exec(otherwise)
		}
	}
}

func lowerIndexSwitch(c *compiler, op *ir.Op) step {
	out, arg := c.values(op.Results()), c.in(op.Operand(0)).reg
	cases, _ := op.Attr("cases").(*ir.DenseArrayAttr)
	otherwise := c.yieldTo(op.Region(0), out)
	targets := map[int64]code{}
	for i, r := range op.Regions()[1:] {
		if cases != nil && i < len(cases.Values) {
			targets[cases.Values[i]] = c.yieldTo(r, out)
		}
	}
	return func(f *frame) {
		if t, ok := targets[scalar[int64](f, arg)]; ok {
			f.exec(t)
		} else {
			f.exec(otherwise)
		}
	}
}

func lowerExecuteRegion(c *compiler, op *ir.Op) step {
	out := c.values(op.Results())
	body := c.region(op.Region(0), func(t *ir.Op) { c.move(out, t.Operands(), nil) })
	return func(f *frame) { f.run(body) }
}

// branch makes the function that chooses the block after a terminator.
type branch func(c *compiler, term *ir.Op, index map[*ir.Block]int) func(f *frame) int

var branches = map[*ir.OpDef]branch{cf.Br: lowerBr, cf.CondBr: lowerCondBr, cf.Switch: lowerSwitch}

// edge makes the code that hands values to a block's arguments.
func (c *compiler) edge(to *ir.Block, vs []*ir.Value) code {
	saved := c.code
	c.code = nil
	mark := c.used
	c.move(c.values(to.Args()), vs, nil)
	c.used = mark
	out := c.code
	c.code = saved
	return out
}

func lowerBr(c *compiler, term *ir.Op, index map[*ir.Block]int) func(f *frame) int {
	to := term.Successors()[0]
	moves, next := c.edge(to, term.Operands()), index[to]
	return func(f *frame) int { f.exec(moves); return next }
}

func lowerCondBr(c *compiler, term *ir.Op, index map[*ir.Block]int) func(f *frame) int {
	cond := c.in(term.Operand(0)).reg
	yes, no := term.Successors()[0], term.Successors()[1]
	yesMoves, noMoves := c.edge(yes, term.Group(1)), c.edge(no, term.Group(2))
	i, j := index[yes], index[no]
	return func(f *frame) int {
		if scalar[uint8](f, cond) != 0 {
			f.exec(yesMoves)
			return i
		}
		f.exec(noMoves)
		return j
	}
}

func lowerSwitch(c *compiler, term *ir.Op, index map[*ir.Block]int) func(f *frame) int {
	flag := c.in(term.Operand(0))
	type target struct {
		moves code
		next  int
	}
	to := term.Successors()[0]
	otherwise := target{c.edge(to, term.Group(1)), index[to]}
	targets := map[uint64]target{}
	mask := ^uint64(0) >> (64 - 8*flag.kind.bytes())
	for _, k := range cf.Cases(term) {
		targets[uint64(k.Value)&mask] = target{c.edge(k.Block, k.Operands), index[k.Block]}
	}
	return func(f *frame) int {
		t, ok := targets[f.bitsOf(flag, 0)]
		if !ok {
			t = otherwise
		}
		f.exec(t.moves)
		return t.next
	}
}

// maxDepth bounds recursion.
const maxDepth = 256

func lowerCall(c *compiler, op *ir.Op) step {
	ref, ok := op.Attr("callee").(*ir.SymbolRefAttr)
	if !ok {
		return c.errorf(op, "the callee is no symbol")
	}
	target := c.m.Lookup(ref.Root)
	if target == nil || !isFunc(target) {
		return c.errorf(op, "no function @%s in the module", ref.Root)
	}
	if c.lanes {
		return c.lowerLaneCall(op, target)
	}
	fn, err := c.function(target, false)
	if err != nil {
		if c.err == nil {
			c.err = err
		}
		return nil
	}
	args := make([]value, op.NumOperands())
	for i, v := range op.Operands() {
		args[i] = c.full(v)
	}
	return callStep(fn, op, args, c.values(op.Results()))
}

// callStep runs a function in a frame of its own, with copies of the arguments.
func callStep(fn *function, op *ir.Op, args, results []value) step {
	return func(f *frame) {
		w := f.w
		if w.calls = append(w.calls, op); len(w.calls) > maxDepth {
			w.failf("calls nested deeper than %d", maxDepth)
		}
		g := w.frame(fn)
		for i, p := range fn.params {
			transfer(g, p, f, args[i])
		}
		g.run(&fn.body)
		for i, r := range fn.results {
			transfer(f, results[i], g, r)
		}
		w.release(g)
		w.calls = w.calls[:len(w.calls)-1]
	}
}

// transfer copies a value between frames.
func transfer(to *frame, d value, from *frame, s value) {
	if d.kind == kObj {
		to.objs[d.reg] = from.objs[s.reg]
		return
	}
	copy(to.bytes(d.reg, d.kind), from.bytes(s.reg, s.kind))
}

var controlOps = map[*ir.OpDef]lowering{
	scf.For:           lowerFor,
	scf.While:         lowerWhile,
	scf.If:            lowerIf,
	scf.IndexSwitch:   lowerIndexSwitch,
	scf.ExecuteRegion: lowerExecuteRegion,
	tt.Call:           lowerCall,
	funcd.Call:        lowerCall,
}
