package irgen

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// carried picks values for a loop or branch to pass on.
func (g *generator) carried() []*ir.Value {
	vs := make([]*ir.Value, g.src.n(4))
	for i := range vs {
		vs[i] = pick(&g.src, g.scope)
	}
	return vs
}

// again is one value of each type, for the end of a loop's or branch's body.
func (g *generator) again(of []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(of))
	for i, v := range of {
		out[i] = g.any(v.Type)
	}
	return out
}

// count is a small number of iterations, known or not.
func (g *generator) count() *ir.Value {
	if g.src.oneIn(2) {
		return g.fixed(ir.I32, int64(g.src.n(5)))
	}
	return g.b.Val(arith.AndI, ir.I32, g.any(ir.I32), g.fixed(ir.I32, 3))
}

func (g *generator) forLoop(depth int) {
	inits := g.carried()
	lb, step := g.fixed(ir.I32, int64(g.src.n(3))), g.fixed(ir.I32, int64(1+g.src.n(3)))
	loop := scf.NewFor(g.b, lb, g.count(), step, inits)
	if g.src.oneIn(6) {
		loop.SetAttr("tt.loop_unroll_factor", ir.I32Attr(int64(2+g.src.n(3))))
	}
	g.into(loop.Body(0), loop.Body(0).Args(), depth, func() { scf.MakeYield(g.b, g.again(inits)...) })
	g.add(loop.Results()...)
}

// into fills a block with statements and ends it.
func (g *generator) into(b *ir.Block, args []*ir.Value, depth int, end func()) {
	at := g.b.Point()
	g.b.ToEnd(b)
	g.inScope(func() {
		g.add(args...)
		g.body(depth)
		end()
	})
	g.b.SetPoint(at)
}

func (g *generator) ifElse(depth int) {
	like := g.carried()
	types := make([]ir.Type, len(like))
	for i, v := range like {
		types[i] = v.Type
	}
	op := scf.NewIf(g.b, g.any(ir.I1), types, len(like) > 0 || g.src.oneIn(2))
	for i := range 2 {
		if b := op.Body(i); b != nil {
			g.into(b, nil, depth, func() { scf.MakeYield(g.b, g.again(like)...) })
		}
	}
	g.add(op.Results()...)
}

// whileLoop counts down from a small number, so that it ends.
func (g *generator) whileLoop(depth int) {
	inits := append([]*ir.Value{g.count()}, g.carried()...)
	passed := make([]ir.Type, len(inits))
	for i, v := range inits {
		passed[i] = v.Type
	}
	op := scf.NewWhile(g.b, inits, passed)
	before, after := op.Body(0), op.Body(1)
	g.into(before, before.Args(), 0, func() {
		more := g.b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.SGT))},
			before.Arg(0), g.fixed(ir.I32, 0))
		vs := append([]*ir.Value{before.Arg(0)}, g.again(inits[1:])...)
		g.b.Op(scf.Condition, append([]*ir.Value{more}, vs...), nil)
	})
	g.into(after, after.Args(), depth, func() {
		less := g.b.Val(arith.SubI, ir.I32, after.Arg(0), g.fixed(ir.I32, 1))
		scf.MakeYield(g.b, append([]*ir.Value{less}, g.again(inits[1:])...)...)
	})
	g.add(op.Results()...)
}

// earlyReturn ends the entry block with a branch to a return, and goes on in another block, to which it may
// pass values.
func (g *generator) earlyReturn() {
	here := g.b.Block()
	region := here.Region()
	args := g.carried()
	types := make([]ir.Type, len(args))
	for i, v := range args {
		types[i] = v.Type
	}
	out, on := ir.NewBlock(), ir.NewBlock(types...)
	region.Append(out)
	region.Append(on)
	operands := append([]*ir.Value{g.any(ir.I1)}, args...)
	g.b.Create(ir.State{Def: cf.CondBr, Operands: operands, Segments: []int{1, 0, len(args)},
		Successors: []*ir.Block{out, on}})
	g.b.ToEnd(out)
	g.inScope(func() {
		g.store()
		g.b.Op(tt.Return, nil, nil)
	})
	g.b.ToEnd(on)
	g.add(on.Args()...)
}

// call makes a private function of a few statements, and calls it.
func (g *generator) call() {
	args := append(g.carried(), g.any(ir.I32))
	ins := make([]ir.Type, len(args))
	for i, v := range args {
		ins[i] = v.Type
	}
	inner := &generator{src: g.src, m: g.m, budget: min(6, g.budget), helper: true}
	name := fmt.Sprintf("helper%d", g.budget)
	f := ir.NewOp(funclike.State(tt.Func, name, ir.Func(ins, nil), "private", false))
	f.SetAttr("noinline", ir.BoolAttr(g.src.oneIn(8)))
	g.m.Block().Append(f)
	inner.b = ir.NewBuilder(f.Body(0))
	inner.add(f.Body(0).Args()...)
	inner.body(1)
	result := pick(&inner.src, inner.scope)
	inner.b.Op(tt.Return, []*ir.Value{result}, nil)
	funclike.SetType(f, ir.Func(ins, []ir.Type{result.Type}))
	g.src = inner.src
	g.budget -= 6
	g.add(g.b.Op(tt.Call, args, []ir.Type{result.Type}, ir.A("callee", ir.SymbolRef(name))).Result(0))
}
