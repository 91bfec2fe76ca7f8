package lang

import (
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/python"
)

// Projects write functions in the style of Triton's own: plain Python under @core.builtin or @core.extern that runs while a kernel is
// compiled, is handed the compiler as _semantic, and hands it on to the functions of the language that it calls.

// semantic is what such functions are given as _semantic: the generator that is at work.
type semantic struct{ g *generator }

func (*semantic) TypeName() string { return "TritonSemantic" }

// Attr is what such functions ask of it.
func (s *semantic) Attr(_ *pyrun.Interp, name string) (pyrun.Value, bool, error) {
	if name != "to_tensor" {
		return nil, false, nil
	}
	return pyrun.Native("to_tensor", "x check_type=", func(_ *pyrun.Interp, args []pyrun.Value) (pyrun.Value, error) {
		return s.g.b.ToTensor(unwrapConstexpr(args[0]))
	}), true, nil
}

// CallBuiltin calls a function of the language from host code.
func (s *semantic) CallBuiltin(b *sem.Builtin, args []pyrun.Value, kws []pyrun.Keyword) (pyrun.Value, error) {
	plain := make([]pyrun.Value, len(args))
	for i, a := range args {
		plain[i] = unwrapDeep(a)
	}
	named := make([]pyrun.Keyword, len(kws))
	for i, k := range kws {
		named[i] = pyrun.Keyword{Name: k.Name, Value: unwrapDeep(k.Value)}
	}
	return b.Invoke(s.g.b, s.g, plain, named, false)
}

// unwrapDeep takes constexprs out of tuples and lists too.
func unwrapDeep(v pyrun.Value) pyrun.Value {
	switch v := unwrapConstexpr(v).(type) {
	case *pyrun.Tuple:
		items := make([]pyrun.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = unwrapDeep(e)
		}
		return &pyrun.Tuple{Items: items, Class: v.Class}
	case *pyrun.List:
		items := make([]pyrun.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = unwrapDeep(e)
		}
		return &pyrun.List{Items: items}
	default:
		return v
	}
}

// hostBuiltin is a function under @core.builtin or @core.extern.
type hostBuiltin struct{ fn pyrun.Value }

func (*hostBuiltin) TypeName() string { return "builtin_function" }

func (f *hostBuiltin) Call(in *pyrun.Interp, args []pyrun.Value, kws []pyrun.Keyword) (pyrun.Value, error) {
	return pyrun.Call(in, f.fn, args, kws)
}

// Parameters are those of the function below the decorator.
func (f *hostBuiltin) Parameters() []pyrun.Parameter {
	if fn, ok := f.fn.(pyrun.HasParameters); ok {
		return fn.Parameters()
	}
	return nil
}

// Get makes a method of it.
func (f *hostBuiltin) Get(_ *pyrun.Interp, instance, _ pyrun.Value) (pyrun.Value, error) {
	if instance == nil {
		return f, nil
	}
	return &pyrun.BoundMethod{Self: instance, Fn: f}, nil
}

func makeHostBuiltin(in *pyrun.Interp, args []pyrun.Value, kws []pyrun.Keyword) (pyrun.Value, error) {
	if len(args) == 1 {
		if _, ok := args[0].(*pyrun.Func); ok {
			return &hostBuiltin{args[0]}, nil
		}
	}
	return identity(in, args, kws)
}

// asHeld are arguments as a function under @core.builtin gets them from a kernel: what is known is in a constexpr.
func asHeld(fn pyrun.Value, args []pyrun.Value, kws []pyrun.Keyword) ([]pyrun.Value, []pyrun.Keyword) {
	if !isHostBuiltin(fn) {
		return args, kws
	}
	held := make([]pyrun.Value, len(args))
	for i, a := range args {
		held[i] = inConstexpr(a)
	}
	named := make([]pyrun.Keyword, len(kws))
	for i, k := range kws {
		named[i] = pyrun.Keyword{Name: k.Name, Value: inConstexpr(k.Value)}
	}
	return held, named
}

// isHostBuiltin reports whether a function is marked as one of Triton's own kind, by the decorator or by hand.
func isHostBuiltin(fn pyrun.Value) bool {
	switch f := fn.(type) {
	case *hostBuiltin:
		return true
	case *pyrun.Func:
		mark, ok := f.Attrs["__triton_builtin__"]
		return ok && isTrue(mark)
	}
	return false
}

func inConstexpr(v pyrun.Value) pyrun.Value {
	switch v := v.(type) {
	case pyrun.Int, pyrun.Float, pyrun.Bool, pyrun.Str, pyrun.NoneType:
		return &Constexpr{v}
	case *pyrun.Tuple:
		items := make([]pyrun.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = inConstexpr(e)
		}
		return &pyrun.Tuple{Items: items, Class: v.Class}
	}
	return v
}

// withSemantic adds _semantic to the arguments of a function that asks for it.
func (g *generator) withSemantic(fn pyrun.Value, kws []pyrun.Keyword) []pyrun.Keyword {
	switch f := fn.(type) {
	case *hostBuiltin:
		return g.withSemantic(f.fn, kws)
	case *constexprFunc:
		return g.withSemantic(f.fn, kws)
	case *pyrun.Func:
		if f.Def != nil && hasParam(f.Def.Args, "_semantic") {
			return append(kws[:len(kws):len(kws)], pyrun.Keyword{Name: "_semantic", Value: &semantic{g}})
		}
	}
	return kws
}

func hasParam(args *python.Arguments, name string) bool {
	for _, list := range [][]*python.Arg{args.PosOnlyArgs, args.Args, args.KwOnlyArgs} {
		for _, a := range list {
			if a.Arg == name {
				return true
			}
		}
	}
	return false
}
