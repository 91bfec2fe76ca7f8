package axisinfo

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Analysis has the facts about the values of a module or function. It is made once; values that appear later
// are unknown to it.
type Analysis struct {
	module   *ir.Module
	infos    map[*ir.Value]Info
	changed  bool
	calls    map[string][]*ir.Op
	exact    bool
	exactly  *Analysis          // what Exact returns
	signs    map[*ir.Value]bool // what NotNegative has found
	naturals map[*ir.Value]bool // what Natural has found
}

// Module analyses all functions. What callers pass to a function is known inside it.
func Module(m *ir.Module) *Analysis { return analyse(m, false) }

func analyse(m *ir.Module, exact bool) *Analysis {
	a := &Analysis{module: m, infos: map[*ir.Value]Info{}, calls: map[string][]*ir.Op{}, exact: exact,
		signs: map[*ir.Value]bool{}, naturals: map[*ir.Value]bool{}}
	for op := range m.Op.Ops() {
		if op.Def == tt.Call {
			if callee, ok := op.Attr("callee").(*ir.SymbolRefAttr); ok {
				a.calls[callee.Root] = append(a.calls[callee.Root], op)
			}
		}
	}
	// Callers first, so that a function finds its call sites done. There is no recursion in a kernel; if
	// there were, what a cycle passes counts as unknown.
	done := map[*ir.Op]bool{}
	var visit func(fn *ir.Op)
	visit = func(fn *ir.Op) {
		if done[fn] {
			return
		}
		done[fn] = true
		for _, call := range a.calls[fn.Text("sym_name")] {
			if caller := call.ParentOf(tt.Func); caller != nil {
				visit(caller)
			}
		}
		a.function(fn)
	}
	for _, fn := range m.Symbols() {
		if len(fn.Regions()) > 0 {
			visit(fn)
		}
	}
	return a
}

// Of returns the facts about a value; none, for one that the analysis has not seen.
func (a *Analysis) Of(v *ir.Value) Info {
	if info, ok := a.infos[v]; ok {
		return info
	}
	return unknown(rankOf(v.Type))
}

func (a *Analysis) function(fn *ir.Op) {
	r := fn.Region(0)
	if r.Empty() {
		return
	}
	for i, arg := range r.First().Args() {
		a.meet(arg, a.argument(fn, i, arg))
	}
	a.region(r)
}

// argument returns the facts about a function's argument: its hints, and what all callers agree on.
func (a *Analysis) argument(fn *ir.Op, i int, arg *ir.Value) Info {
	info := hinted(unknown(rankOf(arg.Type)), func(name string) ir.Attr {
		return funclike.ArgAttr(fn, i, name)
	})
	calls := a.calls[fn.Text("sym_name")]
	if len(calls) == 0 || info.Rank() != 1 {
		return info
	}
	passed := anything(1)
	for _, call := range calls {
		passed = pairwise(passed, a.Of(call.Operand(i)), 1)
	}
	for _, h := range hints {
		if funclike.ArgAttr(fn, i, h.name) == nil {
			*h.of(&info) = *h.of(&passed)
		}
	}
	return info
}

// hints has the attributes by which authors and front ends state facts.
var hints = []struct {
	name string
	of   func(*Info) *[]int64
}{
	{"tt.contiguity", func(i *Info) *[]int64 { return &i.Contiguity }},
	{"tt.divisibility", func(i *Info) *[]int64 { return &i.Divisibility }},
	{"tt.constancy", func(i *Info) *[]int64 { return &i.Constancy }},
}

// hinted returns info with the facts that hints state in place of those found.
func hinted(info Info, attr func(name string) ir.Attr) Info {
	for _, h := range hints {
		var v []int64
		switch a := attr(h.name).(type) {
		case *ir.IntegerAttr:
			v = []int64{a.Value}
		case *ir.DenseAttr:
			for i := range a.Len() {
				if e, ok := a.Elem(i).(*ir.IntegerAttr); ok {
					v = append(v, e.Value)
				}
			}
		}
		if len(v) == info.Rank() && !slices.ContainsFunc(v, func(n int64) bool { return n <= 0 }) {
			*h.of(&info) = v
		}
	}
	return info
}

// meet adds info to the facts that v may have.
func (a *Analysis) meet(v *ir.Value, info Info) {
	old := a.infos[v]
	info = join(old, info, elemBytes(v.Type))
	if !info.Equal(old) {
		a.infos[v] = info
		a.changed = true
	}
}

func (a *Analysis) meetAll(vs []*ir.Value, from []*ir.Value) {
	for i, v := range vs {
		if info, ok := a.infos[from[i]]; ok {
			a.meet(v, info)
		}
	}
}

// settle runs f until nothing changes any more.
func (a *Analysis) settle(f func()) {
	outer := a.changed
	for {
		a.changed = false
		f()
		if !a.changed {
			break
		}
		outer = true
	}
	a.changed = outer
}

// region visits the blocks of a region whose arguments are known. Several blocks, with branches between them,
// are visited until all is settled.
func (a *Analysis) region(r *ir.Region) {
	if r.Empty() {
		return
	}
	if r.First() == r.Last() {
		a.block(r.First())
		return
	}
	order := fromEntry(r)
	a.settle(func() {
		for _, b := range order {
			a.block(b)
		}
	})
}

// fromEntry lists the blocks that can be reached, each after those that dominate it: the reverse of the
// postorder.
func fromEntry(r *ir.Region) []*ir.Block {
	var order []*ir.Block
	seen := map[*ir.Block]bool{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, s := range b.Successors() {
			visit(s)
		}
		order = append(order, b)
	}
	visit(r.First())
	slices.Reverse(order)
	return order
}

func (a *Analysis) block(b *ir.Block) {
	for op := range b.Ops() {
		a.visit(op)
	}
}

// flow has functions that pass facts through ops with regions or successors.
var flow map[*ir.OpDef]func(a *Analysis, op *ir.Op)

func init() {
	flow = map[*ir.OpDef]func(a *Analysis, op *ir.Op){
		scf.For:   (*Analysis).forLoop,
		scf.While: (*Analysis).whileLoop,
		scf.If:    (*Analysis).ifOp,
		cf.Br: func(a *Analysis, op *ir.Op) {
			a.meetAll(op.Successors()[0].Args(), op.Operands())
		},
		cf.CondBr:          (*Analysis).condBranch,
		ttg.WarpSpecialize: (*Analysis).warpSpecialize,
	}
}

func (a *Analysis) visit(op *ir.Op) {
	if f := flow[op.Def]; f != nil {
		f(a, op)
		return
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			a.unknownAll(b.Args())
		}
		a.region(r)
	}
	for _, s := range op.Successors() { // a branch that we do not know
		a.unknownAll(s.Args())
	}
	if op.NumResults() == 0 {
		return
	}
	info := Info{}
	if rule := rules[op.Def]; rule != nil {
		in := make([]Info, op.NumOperands())
		for i := range in {
			in[i] = a.Of(op.Operand(i))
		}
		if a.exact && dividesRuns(op) && !a.NotNegative(op.Operand(0)) {
			in[0] = withoutRuns(in[0])
		}
		info = rule(op, in)
	}
	for _, r := range op.Results() {
		found := info
		if found.Rank() != rankOf(r.Type) {
			found = unknown(rankOf(r.Type))
		}
		a.meet(r, hinted(found, op.Attr))
	}
}

func (a *Analysis) unknownAll(vs []*ir.Value) {
	for _, v := range vs {
		a.meet(v, unknown(rankOf(v.Type)))
	}
}

func (a *Analysis) forLoop(op *ir.Op) {
	iv := unknown(1)
	iv.Divisibility[0] = gcd(a.Of(scf.LowerBound(op)).Divisibility[0], a.Of(scf.Step(op)).Divisibility[0])
	a.meet(scf.IV(op), iv)
	args, body := scf.IterArgs(op), op.Body(0)
	a.meetAll(args, scf.Inits(op))
	a.settle(func() {
		a.block(body)
		a.meetAll(args, body.Last().Operands())
	})
	a.meetAll(op.Results(), scf.Inits(op))
	a.meetAll(op.Results(), body.Last().Operands())
}

func (a *Analysis) whileLoop(op *ir.Op) {
	before, after := op.Body(0), op.Body(1)
	passed := before.Last().Operands()[1:]
	a.meetAll(before.Args(), op.Operands())
	a.settle(func() {
		a.block(before)
		a.meetAll(after.Args(), passed)
		a.block(after)
		a.meetAll(before.Args(), after.Last().Operands())
	})
	a.meetAll(op.Results(), passed)
}

func (a *Analysis) ifOp(op *ir.Op) {
	for _, r := range op.Regions() {
		if !r.Empty() {
			a.block(r.First())
			a.meetAll(op.Results(), r.First().Last().Operands())
		}
	}
}

func (a *Analysis) condBranch(op *ir.Op) {
	a.meetAll(op.Successors()[0].Args(), op.Group(1))
	a.meetAll(op.Successors()[1].Args(), op.Group(2))
}

// warpSpecialize passes the captured operands to the partitions; the results are those that the default
// region yields.
func (a *Analysis) warpSpecialize(op *ir.Op) {
	a.region(op.Region(0))
	for b := range op.Region(0).Blocks() {
		if t := b.Terminator(); t != nil && t.Def == ttg.WarpYield {
			a.meetAll(op.Results(), t.Operands())
		}
	}
	for _, r := range ttg.Partitions(op) {
		if !r.Empty() {
			a.meetAll(r.First().Args(), op.Operands())
			a.region(r)
		}
	}
}
