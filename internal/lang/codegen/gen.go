package codegen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// unit is one compilation: a kernel with everything it calls.
type unit struct {
	world    *world.World
	source   *world.Source
	opts     Options
	module   *ir.Module
	funcs    map[string]*function // by mangled name
	names    map[string]string    // mangled names by specialisation
	files    *diag.FileSet
	depth    int
	steps    int
	unrolled int               // unrolled loops around what is compiled
	ops      int               // made so far, erased ones too
	left     bool              // iterations of unrolled loops were left out so far
	diags    []diag.Diagnostic // diagnostics of the faults so far
	doubtful []diag.Diagnostic // those of faults that iterations left out may have caused
	missing  map[string]bool   // names that were told not to be defined
	entry    diag.Span         // the name of the kernel, for faults of its arguments
}

// function is a jit function compiled for one specialisation.
type function struct {
	op   *ir.Op
	ret  shape
	void bool
	done bool
}

// maxCallDepth bounds the nesting of jit calls. Without it only the stack does, since a function may call
// itself with other compile-time arguments.
const maxCallDepth = 200

// generator walks the body of one function.
type generator struct {
	u      *unit
	fn     *world.JITFunction
	b      *sem.Builder
	file   *diag.File
	op     *ir.Op // the function
	scope  *scope
	defs   *scope // bound since the current region began
	kernel bool
	loops  int    // depth of dynamic loops around the current statement
	name   string // the assignment target whose value is being made: the prefix of locations
	cur    python.Node
	unused *python.Call // whose result is dropped

	ret     *shape // type of the first return; nil before one is seen
	retVoid bool
	retAt   python.Node
	returns []pendingReturn     // since 3.7: their common type is known at the end
	promise map[string]struct{} // names under `x: tl.constexpr`, which the next assignment makes known

	// These are for messages.
	where   map[string]python.Node // the statement that last bound a name
	partial map[string]partial     // names that only some ways through the function bind
	// device values made of compile-time numbers by an assignment, with the name assigned
	decayed map[object.Value]string
}

// loc returns the place of a node as Triton writes it: the line from 1, the column from 0, and the name being
// assigned.
func (g *generator) loc(n python.Node) ir.Loc {
	line, col := g.file.LineCol(g.file.Offset(n.Span().Start))
	l := ir.Loc(ir.FileLine(g.file.Name, line, col))
	if g.name != "" {
		return ir.Named(g.name, l)
	}
	return l
}

// at makes n the place of the operations made next, and returns a function to call when n is done. As in
// Triton, an operation stands at the last part of it that was looked at.
func (g *generator) at(n python.Node) func() {
	g.spend(n, 1)
	last := g.cur
	loc := g.loc(n)
	g.cur, g.b.Loc = n, loc
	return func() { g.cur, g.b.Loc = last, loc }
}

// spend counts steps of the compilation, which is bounded.
func (g *generator) spend(n python.Node, steps int) {
	g.u.opts.Meter.Tick()
	if g.u.steps += steps; g.u.steps > g.u.opts.MaxSteps {
		g.failHint(n, "limit", "unroll less: use range where tl.static_range is not needed",
			"the kernel takes more than %d steps to compile", g.u.opts.MaxSteps)
	}
}

// spendTuples counts the items of tuples, nested ones too: tuples of tuples can be many times larger than
// their text.
func (g *generator) spendTuples(n python.Node, vs []object.Value) {
	for _, v := range vs {
		if t, ok := v.(*object.Tuple); ok {
			g.spend(n, len(t.Items))
			g.spendTuples(n, t.Items)
		}
	}
}

// created counts a new operation and names its results.
func (g *generator) created(op *ir.Op) {
	g.u.ops++
	if err := g.u.opts.Meter.CheckOps(g.u.ops); err != nil {
		g.overBudget(err)
	}
	nameResults(op)
}

// overBudget fails at the place in the current function where the budget was spent.
func (g *generator) overBudget(err error) {
	at := g.cur
	if at == nil {
		at = g.fn.Func.Def
	}
	var e *budget.Error
	if !errors.As(err, &e) {
		panic(&budget.Stop{Err: err})
	}
	g.failHint(at, "limit", e.Hint(), "%s takes the kernel over its budget: more than %s %s", g.fn.Func.Name,
		e.Limit, e.What)
}

// nameResults gives the results of a new operation the name in its location.
func nameResults(op *ir.Op) {
	l, ok := op.Loc.(*ir.NameLoc)
	if !ok {
		return
	}
	for _, r := range op.Results() {
		r.Name = l.Name
	}
}

// compile makes the function for the given parameter values: compile-time ones as they are, device ones as
// templates, of which the shape counts. attrs returns the attributes of the kernel's parameters.
func (u *unit) compile(fn *world.JITFunction, name string, params []object.Value, kernel bool,
	attrs func(argPath) []ir.NamedAttr) *function {
	if u.depth++; u.depth > maxCallDepth {
		panic(&failure{d: diag.Diagnostic{Code: "recursion", Span: fn.Func.Def.NamePos.Span(),
			Hint: "write it as a loop",
			Msg: fmt.Sprintf("calls of jit functions are nested more than %d deep at %s", maxCallDepth,
				fn.Func.Name)}})
	}
	defer func() { u.depth-- }()
	def := fn.Func.Def
	g := &generator{u: u, fn: fn, file: fn.Func.Module.Syntax.File, scope: newScope(), defs: newScope(),
		kernel: kernel,
		where:  map[string]python.Node{}, partial: map[string]partial{}, decayed: map[object.Value]string{}}
	line, _ := g.file.LineCol(g.file.Offset(def.Span().Start))
	fnLoc := ir.FileLine(g.file.Name, line, 0)

	shapes := shapesOf(params)
	var ins []ir.Type
	for _, s := range shapes {
		ins = s.irTypes(ins)
	}
	visibility := "private"
	if kernel {
		visibility = "public"
	}
	st := funclike.State(tt.Func, name, ir.Func(ins, nil), visibility, false)
	st.Loc = fnLoc
	st.Attrs = append(st.Attrs, ir.A("noinline", ir.BoolAttr(fn.NoInline && !kernel)))
	f := &function{op: ir.NewOp(st)}
	u.funcs[name] = f
	u.module.Block().Append(f.op)
	g.op = f.op
	entry := f.op.Body(0)
	if entry == nil {
		entry = ir.NewBlock(ins...)
		f.op.Region(0).Append(entry)
	}
	g.b = sem.New(ir.NewBuilder(entry), u.opts.sem(u.world.Version()))
	g.b.OnCreate = g.created
	g.b.Loc = fnLoc
	g.bindParams(shapes, entry, fnLoc, attrs)
	g.stmts(def.Body)
	if kernel && u.faults() > 0 {
		return f
	}
	g.finish(f, ins)
	return f
}

func (g *generator) bindParams(shapes []shape, entry *ir.Block, loc ir.Loc,
	attrs func(argPath) []ir.NamedAttr) {
	args := entry.Args()
	at := 0
	for i, p := range g.fn.Params {
		if p.Constexpr && (p.NoSpecialize || p.NoAlign) {
			panic(&failure{d: diag.Diagnostic{Code: "constexpr", Span: g.fn.Func.Def.NamePos.Span(),
				Hint: "drop its annotation, or take it off that list",
				Msg: fmt.Sprintf("the parameter %s of %s is a constexpr and listed under do_not_specialize",
					p.Name, g.fn.Func.Name)}})
		}
		v, rest := shapes[i].build(args[at:])
		n := len(args) - at - len(rest)
		for _, a := range args[at : at+n] {
			a.Name, a.Loc = p.Name, ir.Named(p.Name, loc)
		}
		at += n
		g.bind(p.Name, v)
	}
	if attrs == nil {
		return
	}
	flat := 0
	walk := func(p argPath, v object.Value) {
		n := len(flatten(v, nil))
		if n > 0 {
			for _, a := range attrs(p) {
				funclike.SetArgAttr(g.op, flat, a.Name, a.Attr)
			}
		}
		flat += n
	}
	params := make([]object.Value, len(g.fn.Params))
	for i, p := range g.fn.Params {
		params[i], _ = g.scope.get(p.Name)
	}
	leaves(params, nil, walk)
}

// finish ends the function with the return that Triton puts behind every body, reachable or not.
func (g *generator) finish(f *function, ins []ir.Type) {
	if g.has(triton.KnownReturns) {
		common := g.emitReturns()
		g.ret, g.retVoid = &common, false
	}
	if g.ret == nil || g.retVoid {
		f.void = true
		g.b.Op(tt.Return, nil, nil)
	} else {
		f.ret = *g.ret
		outs := f.ret.irTypes(nil)
		if len(outs) > 0 {
			funclike.SetType(f.op, ir.Func(ins, outs))
		}
		vs := make([]*ir.Value, len(outs))
		for i, t := range outs {
			vs[i] = g.b.Val(ub.Poison, t)
		}
		g.b.Op(tt.Return, vs, nil)
	}
	f.done = true
}

// bind gives a name its value.
func (g *generator) bind(name string, v object.Value) {
	g.scope.set(name, v)
	g.defs.set(name, v)
}

// has reports whether the language has a feature.
func (g *generator) has(f triton.Feature) bool { return g.u.world.Version().Has(f) }

// mangle returns Triton's name for a function specialised for these arguments.
func (u *unit) mangle(fn *world.JITFunction, args []object.Value, omitted []bool) string {
	if u.world.Version().Has(triton.KnownInNames) {
		parts := make([]string, len(args))
		for i, a := range args {
			parts[i] = plainMangle(a)
		}
		text := strings.NewReplacer("'", "_sq_", "[", "_", "]", "_").Replace(strings.Join(parts, "_"))
		return fn.FullName() + "__" + text
	}
	var types, consts []string
	leaves(args, nil, func(p argPath, v object.Value) {
		s := shapeOf(v)
		if s.isDevice() {
			types = append(types, s.mangle())
			return
		}
		if bareNone(p, v, omitted) {
			consts = append(consts, p.String()+"cNone")
			return
		}
		if _, ok := v.(*world.JITFunction); ok && len(p) > 1 { // in a tuple it is what it is
			consts = append(consts, p.String()+"c"+world.Text(v))
			return
		}
		consts = append(consts, p.String()+"cconstexpr["+world.Text(v)+"]")
	})
	c := strings.NewReplacer(".", "_d_", "'", "_sq_", "[", "_", "]", "_").Replace(strings.Join(consts, "_"))
	return fn.FullName() + "__" + strings.Join(types, "_") + "__" + c
}

// plainMangle returns the part of an argument in the names of functions since 3.7.
func plainMangle(v object.Value) string {
	switch v := v.(type) {
	case *object.Tuple:
		parts := make([]string, len(v.Items))
		for i, item := range v.Items {
			parts[i] = plainMangle(item)
		}
		return "T" + strings.Join(parts, "_") + "T"
	case *world.Object:
		parts := make([]string, len(v.Fields))
		for i, f := range v.Fields {
			parts[i] = plainMangle(f)
		}
		return v.Class.FullName() + "<" + strings.Join(parts, ", ") + ">"
	case sem.Type:
		return "c" + v.Mangle()
	}
	if s := shapeOf(v); s.isDevice() {
		return s.mangle()
	}
	return "c" + world.Repr(v)
}

// bareNone reports whether an argument is a None that Triton does not hold in a constexpr: the default of a
// parameter that was left out. Other constants are constexprs, and so is a None that is passed.
func bareNone(p argPath, v object.Value, omitted []bool) bool {
	return v == object.None && len(p) == 1 && p[0] < len(omitted) && omitted[p[0]]
}

// truth returns bool(v); it fails at n where v has no truth value.
func (g *generator) truth(n python.Node, v object.Value) bool {
	ok, err := object.Truth(g.u.world.In, v)
	g.check(n, err)
	return ok
}

// pyBuiltin returns a function of host Python's own.
func (g *generator) pyBuiltin(name string) object.Value {
	v, _ := g.u.world.Eval.Builtin(name)
	return v
}
