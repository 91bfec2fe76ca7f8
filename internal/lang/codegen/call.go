package codegen

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// boundMethod is a method together with the value it belongs to.
type boundMethod struct {
	self object.Value
	fn   object.Value // a *sem.Builtin or a *JITFunction
}

func (*boundMethod) TypeName() string { return "method" }

// call returns the value of fn(args, kws).
func (g *generator) call(e *python.Call) object.Value {
	fn := g.expr(e.Func)
	if f, ok := fn.(*world.Form); ok && f.Static {
		return staticForms[f.Name](g, e)
	}
	g.checkUsed(e, fn)
	args, kws := g.arguments(e)
	return g.apply(e, fn, args, kws)
}

// checkUsed refuses a call that is a statement of its own where a function does nothing but return its
// result.
func (g *generator) checkUsed(e *python.Call, fn object.Value) {
	why := ""
	if m, ok := fn.(*boundMethod); ok && g.has(triton.UsedMethods) {
		fn = m.fn
	}
	switch fn := fn.(type) {
	case *world.ConstexprFunc:
		why = fn.MustUse
	case *world.JITFunction:
		why = fn.MustUse
	case *sem.Builtin:
		if fn.Name == "advance" {
			why = "a block pointer is moved by assigning the result to it"
		}
	}
	if why != "" && g.unused == e {
		g.failHint(e, "unused", why, "the result of %s is not used", world.AnnotationText(g.file, e.Func))
	}
}

// arguments walks the arguments of a call: keywords first, as Triton does.
func (g *generator) arguments(e *python.Call) ([]object.Value, []object.Keyword) {
	var kws []object.Keyword
	for _, k := range e.Keywords {
		if k.Arg == "" {
			kws = append(kws, g.spreadDict(k)...)
			continue
		}
		done := g.at(k)
		v := g.expr(k.Value)
		done()
		kws = append(kws, object.Keyword{Name: k.Arg, Value: v})
	}
	return g.exprs(e.Args), kws
}

func (g *generator) spreadDict(k *python.Keyword) []object.Keyword {
	d, ok := g.expr(k.Value).(*object.Dict)
	if !ok {
		g.fail(k, "type-mismatch", "only a dict known at compile time can follow **")
	}
	var kws []object.Keyword
	for name, v := range d.All() {
		s, ok := name.(object.Str)
		if !ok {
			g.fail(k, "type-mismatch", "keywords must be strings")
		}
		kws = append(kws, object.Keyword{Name: string(s), Value: world.Unwrap(v)})
	}
	return kws
}

// apply calls any value.
func (g *generator) apply(n python.Node, fn object.Value, args []object.Value,
	kws []object.Keyword) object.Value {
	switch f := fn.(type) {
	case *boundMethod:
		if b, ok := f.fn.(*sem.Builtin); ok {
			v, err := b.Invoke(g.b, g, append([]object.Value{f.self}, args...), kws, true)
			g.checkCall(n, b, true, args, kws, err)
			return v
		}
		return g.apply(n, f.fn, append([]object.Value{f.self}, args...), kws)
	case *world.JITFunction:
		return g.callJIT(n, f, args, kws)
	case *sem.Builtin:
		v, err := f.Invoke(g.b, g, args, kws, false)
		g.checkCall(n, f, false, args, kws, err)
		return v
	case *world.Form:
		return kernelForms[f.Name](g, n, args, kws)
	case *world.Class:
		return g.lending(n, args, kws, func(args []object.Value, kws []object.Keyword) object.Value {
			return g.construct(n, f, args, kws)
		})
	case *object.Unknown:
		g.check(n, f.Need("the meaning"))
	case *sem.Tensor, *sem.DType:
		g.fail(n, "not-callable", "%s cannot be called", describe(fn))
	}
	return g.lending(n, args, kws, func(args []object.Value, kws []object.Keyword) object.Value {
		return g.applyPlain(n, fn, args, kws)
	})
}

// applyPlain calls a function that runs at compile time.
func (g *generator) applyPlain(n python.Node, fn object.Value, args []object.Value,
	kws []object.Keyword) object.Value {
	held, named := asHeld(fn, args, kws)
	v, err := object.Call(g.u.world.In, fn, held, g.withSemantic(fn, named))
	if err != nil && !isBuiltinError(err) &&
		(anyDevice(args) ||
			anyDeviceKw(kws)) { // device values may pass through such a function, but not be computed with
		g.failHint(n, "not-jit", cmp.Or(ownHint(err), deviceHint(fn, g.u.world.Vocabulary())),
			"%s runs at compile time and can do nothing with a device value: %v", calleeText(fn), err)
	}
	g.check(n, err)
	return unwrapDeep(v)
}

// isBuiltinError reports whether an error comes from a function of the language, whose own message is the
// best.
func isBuiltinError(err error) bool {
	var se *sem.Error
	return errors.As(err, &se)
}

// ownHint returns what an exception itself says to do about it, or "".
func ownHint(err error) string {
	var e *object.Exception
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// deviceHint returns a hint that names what to call instead of a function that cannot compute with device
// values.
func deviceHint(fn object.Value, vocabulary []string) string {
	if c, ok := fn.(*world.ConstexprFunc); ok {
		fn = c.Fn
	}
	if b, ok := fn.(*object.Builtin); ok && slices.Contains(vocabulary, b.Name) {
		return "use tl." + b.Name
	}
	return "decorate it with @triton.jit"
}

func calleeText(fn object.Value) string {
	switch f := fn.(type) {
	case *world.ConstexprFunc:
		return calleeText(f.Fn)
	case *pyrun.Func:
		return "the plain function " + f.Name
	case *object.Builtin:
		return "the function " + f.Name
	}
	return describe(fn)
}

func anyDeviceKw(kws []object.Keyword) bool {
	for _, k := range kws {
		if hasDevice(k.Value) {
			return true
		}
	}
	return false
}

// CallFunction calls a jit function for package sem: the combine function of a reduction, say.
func (g *generator) CallFunction(fn object.Value, args []object.Value) (v object.Value, err error) {
	f, ok := fn.(*world.JITFunction)
	if !ok {
		return nil, &sem.Error{Code: "not-jit",
			Msg: fmt.Sprintf("expected a jit function, not %s", describe(fn))}
	}
	return g.callJIT(g.cur, f, args, nil), nil
}

// callBuiltin calls a builtin of triton.language by name.
func (g *generator) callBuiltin(n python.Node, name string, args ...object.Value) (object.Value, error) {
	return g.u.world.Names().Lookup("", name).Invoke(g.b, g, args, nil, false)
}

// callJIT compiles the callee for these arguments, unless that was done before, and makes the call.
func (g *generator) callJIT(n python.Node, fn *world.JITFunction, args []object.Value,
	kws []object.Keyword) object.Value {
	bound, omitted, err := fn.Bind(args, kws)
	if se, ok := err.(*sem.Error); ok {
		g.check(faultyArgument(n, se, -1), err)
	}
	g.spendTuples(n, bound)
	if fn.NoInline {
		g.checkNoInline(n, fn, bound)
	}
	f := g.specialise(n, fn, bound, omitted)
	loc := g.b.Loc
	var ins []*ir.Value
	for _, v := range bound {
		ins = flatten(v, ins)
	}
	op := g.b.Create(ir.State{Def: tt.Call, Loc: loc, Operands: ins, Results: f.ret.irTypes(nil),
		Attrs: []ir.NamedAttr{ir.A("callee", ir.SymbolRef(f.op.Text("sym_name")))}})
	if f.void {
		return object.None
	}
	v, _ := f.ret.build(op.Results())
	return v
}

func (g *generator) checkNoInline(n python.Node, fn *world.JITFunction, args []object.Value) {
	for i, a := range args {
		if t, ok := a.(*sem.Tensor); ok {
			if b, ok := t.Type.(*sem.BlockType); ok && b.Numel() != 1 {
				g.fail(n, "noinline", "%s is marked noinline, but its argument %s is no scalar: %s",
					fn.Func.Name, fn.Params[i].Name, sem.TypeText(t.Type))
			}
		}
	}
}

// specialise returns the callee compiled for the given arguments. A failure inside it says where it was
// called.
func (g *generator) specialise(n python.Node, fn *world.JITFunction, args []object.Value,
	omitted []bool) *function {
	name, f := g.u.find(fn, args, omitted)
	if f != nil {
		if !f.done {
			g.failHint(n, "recursion", "write it as a loop", "%s calls itself, which is not supported",
				fn.Func.Name)
		}
		return f
	}
	defer func() {
		if r := recover(); r != nil {
			if fl, ok := r.(*failure); ok {
				g.called(fl, n, fn)
			}
			g.u.drop(fn, args, omitted, name)
			panic(r)
		}
	}()
	return g.u.compile(fn, name, args, false, nil)
}

// drop forgets a specialisation that failed.
func (u *unit) drop(fn *world.JITFunction, args []object.Value, omitted []bool, name string) {
	if f := u.funcs[name]; f != nil && !f.done {
		delete(u.funcs, name)
		delete(u.names, specialization(fn, args, omitted))
	}
}

// find returns the name in the module, and the function if it is compiled already, of the specialisation of
// fn for args. Triton's mangling writes values as text, so that 1 and "1" look alike; a second meaning of a
// name gets a number.
func (u *unit) find(fn *world.JITFunction, args []object.Value, omitted []bool) (string, *function) {
	key := specialization(fn, args, omitted)
	if name, ok := u.names[key]; ok {
		return name, u.funcs[name]
	}
	base := u.mangle(fn, args, omitted)
	name := base
	for i := 1; u.funcs[name] != nil; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	u.names[key] = name
	return name, nil
}

// specialization returns a key that identifies the specialisation of f for args exactly.
func specialization(f *world.JITFunction, args []object.Value, omitted []bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", f)
	leaves(args, nil, func(p argPath, v object.Value) {
		s := shapeOf(v)
		if s.isDevice() {
			fmt.Fprintf(&b, "|%s:%s", p, s.mangle())
			return
		}
		if j, ok := v.(*world.JITFunction); ok {
			fmt.Fprintf(&b, "|%s=%p", p, j)
			return
		}
		if bareNone(p, v, omitted) {
			b.WriteString("|bare")
		}
		fmt.Fprintf(&b, "|%s=%s %s", p, v.TypeName(), world.Repr(v))
	})
	return b.String()
}
