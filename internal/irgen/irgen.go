// Package irgen makes random valid kernels out of the op tables, for tests of what reads, prints, changes
// or runs IR.
//
// What comes in is entropy, as a fuzzer gives it; what goes out is a module with one public kernel whose
// signature is always the same (see Params), so that an interpreter can run it before and after a pass and
// compare. The kernel is well typed, terminates, stays inside its buffers, and does nothing undefined.
package irgen

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Name is the kernel's.
const Name = "kernel"

// Params are the types of the kernel's parameters: four buffers that it reads and writes, then scalars. Any
// values of the scalars will do; small ones make short runs.
func Params() []ir.Type {
	return []ir.Type{tt.Ptr(ir.F32), tt.Ptr(ir.I32), tt.Ptr(ir.F32), tt.Ptr(ir.I32), ir.I32, ir.I32,
		ir.F32, ir.I1}
}

// BufferLen is the number of elements of each buffer.
const BufferLen = 1 << 10

// Options bound what is made.
type Options struct {
	Ops   int // about how many operations; 0 is 60
	Depth int // of nested loops and branches; 0 is 3
}

// Module makes a kernel. The same entropy gives the same module; when it runs out, zeros follow.
func Module(entropy []byte, o Options) *ir.Module {
	if o.Ops == 0 {
		o.Ops = 60
	}
	if o.Depth == 0 {
		o.Depth = 3
	}
	m := ir.NewModule(ir.Unknown)
	g := &generator{src: source{data: entropy}, budget: o.Ops, m: m}
	g.kernel(o.Depth)
	return m
}

// source is a stream of choices.
type source struct {
	data []byte
	at   int
}

func (s *source) next() byte {
	if s.at >= len(s.data) {
		s.at++
		return byte(s.at * 37) // no entropy left: something that still varies
	}
	b := s.data[s.at]
	s.at++
	return b
}

// n is a number below max.
func (s *source) n(max int) int {
	if max <= 1 {
		return 0
	}
	if max <= 256 {
		return int(s.next()) % max
	}
	return (int(s.next())<<8 | int(s.next())) % max
}

// oneIn is true once in k times.
func (s *source) oneIn(k int) bool { return s.n(k) == 0 }

func pick[T any](s *source, list []T) T { return list[s.n(len(list))] }

// generator builds one module.
type generator struct {
	src    source
	b      *ir.Builder
	m      *ir.Module
	budget int
	scope  []*ir.Value // the values that can be used here
	params []*ir.Value
	helper bool // inside a helper function, which has no buffers
}

func (g *generator) kernel(depth int) {
	f := ir.NewOp(funclike.State(tt.Func, Name, ir.Func(Params(), nil), "public", false))
	f.SetAttr("noinline", ir.BoolAttr(false))
	g.m.Block().Append(f)
	entry := f.Body(0)
	g.b = ir.NewBuilder(entry)
	g.params = entry.Args()
	g.add(entry.Args()[4:]...)
	g.add(g.constant(ir.I32), g.constant(ir.F32), g.rangeOf(pick(&g.src, sizes)))
	if g.src.oneIn(4) {
		g.earlyReturn()
	}
	g.body(depth)
	g.publish()
	g.b.Op(tt.Return, nil, nil)
}

func (g *generator) add(vs ...*ir.Value) { g.scope = append(g.scope, vs...) }

// body makes statements until the budget is spent, or, inside something, until chance says so.
func (g *generator) body(depth int) {
	for n := 3 + g.src.n(12); n > 0 && g.budget > 0; n-- {
		g.budget--
		g.statement(depth)
	}
}

// statement makes one thing: mostly an operation of the tables.
func (g *generator) statement(depth int) {
	switch k := g.src.n(24); {
	case k < 2:
		g.add(g.constant(pick(&g.src, g.types())))
	case k < 4 && depth > 0:
		g.forLoop(depth - 1)
	case k < 6 && depth > 0:
		g.ifElse(depth - 1)
	case k == 6 && depth > 0:
		g.whileLoop(depth - 1)
	case k < 9 && !g.helper:
		g.load()
	case k < 10 && !g.helper:
		g.store()
	case k == 10:
		g.reduce()
	case k == 11 && !g.helper:
		g.call()
	case k == 12 && !g.helper:
		g.handles()
	case k < 16:
		g.shape()
	default:
		g.tableOp()
	}
}

// publish stores some values, so that a wrong one shows.
func (g *generator) publish() {
	for n := min(6, len(g.scope)); n > 0; n-- {
		g.storeValue(g.plain())
	}
}

// inScope runs f and forgets the values that it added.
func (g *generator) inScope(f func()) {
	n := len(g.scope)
	f()
	g.scope = g.scope[:n:n]
}

// any is a value of type t, made when there is none.
func (g *generator) any(t ir.Type) *ir.Value {
	var fit []*ir.Value
	for _, v := range g.scope {
		if v.Type == t {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 || g.src.oneIn(8) && !isHandle(t) {
		return g.constant(t)
	}
	return pick(&g.src, fit)
}

// constant makes a constant of type t.
func (g *generator) constant(t ir.Type) *ir.Value {
	elem := ir.ElemOf(t)
	var a ir.Attr
	switch e := elem.(type) {
	case *ir.FloatType:
		a = ir.FloatOf(pick(&g.src, floats), e)
	default:
		a = ir.IntAttr(pick(&g.src, ints), e)
	}
	return arith.Const(g.b, arith.Splat(t, a))
}

var (
	floats = []float64{0, 1, -1, 0.5, 2, -0.25, 3.75, 1e10, 1e-10, 65504, 0.1}
	ints   = []int64{0, 1, -1, 2, 3, 4, 7, 8, 16, 100, 127, -128, 1 << 20, 1<<31 - 1, -1 << 31}
	sizes  = []int64{1, 4, 8, 16}
)

// elems are the element types that programs compute with.
var elems = []ir.Type{ir.I32, ir.F32, ir.I1, ir.I64, ir.I8, ir.F16, ir.I16, ir.BF16, ir.F64}

// types are the types of the values in scope, and some others.
func (g *generator) types() []ir.Type {
	ts := []ir.Type{ir.I32, ir.F32, pick(&g.src, elems)}
	for _, v := range g.scope {
		if !isHandle(v.Type) {
			ts = append(ts, v.Type)
		}
	}
	return ts
}
