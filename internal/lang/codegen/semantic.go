package codegen

import (
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Projects write functions in the style of Triton's own: plain Python under @core.builtin or @core.extern.
// Such a function runs while a kernel is compiled, gets the compiler as _semantic, and hands it on to the
// functions of the language that it calls.

// semantic is the value of _semantic: the generator that is at work.
type semantic struct{ g *generator }

func (*semantic) TypeName() string { return "TritonSemantic" }

// Attr returns an attribute that such functions ask for.
func (s *semantic) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	if name != "to_tensor" {
		return nil, false, nil
	}
	return object.Native("to_tensor", "x check_type=",
		func(_ *object.Interp, args []object.Value) (object.Value, error) {
			return s.g.b.ToTensor(world.Unwrap(args[0]))
		}), true, nil
}

// CallBuiltin calls a function of the language from host code.
func (s *semantic) CallBuiltin(b *sem.Builtin, args []object.Value, kws []object.Keyword) (object.Value,
	error) {
	plain := make([]object.Value, len(args))
	for i, a := range args {
		plain[i] = unwrapDeep(a)
	}
	named := make([]object.Keyword, len(kws))
	for i, k := range kws {
		named[i] = object.Keyword{Name: k.Name, Value: unwrapDeep(k.Value)}
	}
	if own := s.g.u.world.Names().Lookup(b.Module, b.Name); own != nil {
		b = own
	}
	return b.Invoke(s.g.b, s.g, plain, named, false)
}

// unwrapDeep takes values out of constexprs, in tuples and lists too.
func unwrapDeep(v object.Value) object.Value {
	switch v := world.Unwrap(v).(type) {
	case *object.Tuple:
		items := make([]object.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = unwrapDeep(e)
		}
		return &object.Tuple{Items: items, Class: v.Class}
	case *object.List:
		items := make([]object.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = unwrapDeep(e)
		}
		return &object.List{Items: items}
	default:
		return v
	}
}

// asHeld returns arguments as a function under @core.builtin gets them from a kernel: known values are in
// constexprs.
func asHeld(fn object.Value, args []object.Value, kws []object.Keyword) ([]object.Value, []object.Keyword) {
	if !isHostBuiltin(fn) {
		return args, kws
	}
	held := make([]object.Value, len(args))
	for i, a := range args {
		held[i] = inConstexpr(a)
	}
	named := make([]object.Keyword, len(kws))
	for i, k := range kws {
		named[i] = object.Keyword{Name: k.Name, Value: inConstexpr(k.Value)}
	}
	return held, named
}

// isHostBuiltin reports whether a function is marked as one of Triton's own kind, by the decorator or by
// hand.
func isHostBuiltin(fn object.Value) bool {
	switch f := fn.(type) {
	case *world.HostBuiltin:
		return true
	case *pyrun.Func:
		mark, ok := f.Attrs["__triton_builtin__"]
		return ok && world.IsTrue(mark)
	}
	return false
}

func inConstexpr(v object.Value) object.Value {
	switch v := v.(type) {
	case object.Int, object.Float, object.Bool, object.Str, object.NoneType:
		return &world.Constexpr{V: v}
	case *object.Tuple:
		items := make([]object.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = inConstexpr(e)
		}
		return &object.Tuple{Items: items, Class: v.Class}
	}
	return v
}

// withSemantic adds _semantic to the arguments of a function that asks for it.
func (g *generator) withSemantic(fn object.Value, kws []object.Keyword) []object.Keyword {
	switch f := fn.(type) {
	case *world.HostBuiltin:
		return g.withSemantic(f.Fn, kws)
	case *world.ConstexprFunc:
		return g.withSemantic(f.Fn, kws)
	case *pyrun.Func:
		if f.Def != nil && hasParam(f.Def.Args, "_semantic") {
			return append(kws[:len(kws):len(kws)], object.Keyword{Name: "_semantic", Value: &semantic{g}})
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
