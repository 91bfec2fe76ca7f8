package world

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// native returns a function written in Go that host code calls with positional or keyword arguments.
func native(name string, fn func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value,
	error)) *object.Builtin {
	return &object.Builtin{Name: name, Fn: fn}
}

// record is an object with fixed attributes.
type record struct {
	name  string
	attrs map[string]object.Value
}

func (r *record) TypeName() string { return r.name }

func (r *record) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	v, ok := r.attrs[name]
	return v, ok, nil
}

// unusable returns a class that host code may name but that has no meaning while kernels are compiled.
func unusable(name string) object.Value {
	return &typeClass{name: name, is: func(object.Value) bool { return false }}
}

// decorator is a value that wraps a function.
type decorator struct {
	name  string
	apply func(fn object.Value, opts []object.Keyword) (object.Value, error)
}

func (*decorator) TypeName() string { return "function" }

// Call handles both @name and @name(options).
func (d *decorator) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	if len(args) == 1 {
		return d.apply(args[0], kws)
	}
	return native(d.name,
		func(_ *object.Interp, inner []object.Value, _ []object.Keyword) (object.Value, error) {
			if len(inner) != 1 {
				return nil, object.Errorf(object.TypeError, "%s() decorates one function", d.name)
			}
			return d.apply(inner[0], kws)
		}), nil
}

// jit returns the decorator of jit functions, by the rules of the language's release.
func (w *World) jit() object.Value {
	return &decorator{"jit", func(fn object.Value, opts []object.Keyword) (object.Value, error) {
		switch f := fn.(type) {
		case *pyrun.Func:
			return newJIT(f, opts, w.version.Has(triton.VarArgs))
		case *JITFunction:
			return f, nil
		}
		return nil, object.Errorf(object.TypeError, "@triton.jit decorates functions, not %s", fn.TypeName())
	}}
}

var constexprDecorator = &decorator{"constexpr_function",
	func(fn object.Value, _ []object.Keyword) (object.Value, error) {
		return &ConstexprFunc{Fn: fn}, nil
	}}

var jitClass = &typeClass{name: "JITFunction", is: func(v object.Value) bool {
	_, ok := v.(*JITFunction)
	return ok
}}

// wrapperDecorator returns autotune or heuristics, for files that call it before it stands around a jit
// function.
func wrapperDecorator(kind, params string) object.Value {
	return object.Native(kind, params, func(_ *object.Interp, args []object.Value) (object.Value, error) {
		return native(kind,
			func(_ *object.Interp, inner []object.Value, _ []object.Keyword) (object.Value, error) {
				if len(inner) != 1 {
					return nil, object.Errorf(object.TypeError, "%s() decorates one function", kind)
				}
				return inner[0], nil
			}), nil
	})
}

var (
	autotuneDecorator = wrapperDecorator("autotune",
		"configs key prune_configs_by= reset_to_zero= restore_value= pre_hook= post_hook= "+
			"warmup= rep= use_cuda_graph= do_bench= cache_results=")
	heuristicsDecorator = wrapperDecorator("heuristics", "values")
)

// decorate applies the decorators of a function that becomes a jit function. The arguments of autotune and
// heuristics stay unevaluated. Decorators of other packages around a jit function (a launch cache, say) do
// nothing: the function itself is compiled.
func decorate(in *object.Interp, fn *pyrun.Func, decorators []python.Expr,
	eval func(python.Expr) (object.Value, error)) (object.Value, error) {
	var v object.Value = fn
	for i := len(decorators) - 1; i >= 0; i-- {
		d := decorators[i]
		j, isJIT := v.(*JITFunction)
		if !isJIT {
			dec, err := eval(d)
			if err != nil {
				return nil, err
			}
			if v, err = object.Call(in, dec, []object.Value{v}, nil); err != nil {
				return nil, err
			}
			continue
		}
		call, isCall := d.(*python.Call)
		if !isCall {
			v = replaced(in, j, d, eval)
			continue
		}
		switch dec, err := eval(call.Func); {
		case err == nil && dec == autotuneDecorator:
			j.Wrappers = append(j.Wrappers, Wrapper{"autotune", call, eval})
		case err == nil && dec == heuristicsDecorator:
			j.Wrappers = append(j.Wrappers, Wrapper{"heuristics", call, eval})
		case err == nil && dec == mustUseDecorator:
			if mark, err := eval(d); err == nil {
				v, _ = object.Call(in, mark, []object.Value{j}, nil)
			}
		case err == nil && isSourceFunc(dec):
			v = replaced(in, j, d, eval)
		default:
			j.Foreign = true
		}
	}
	return v, nil
}

// replaced returns what a decorator of a project makes of a jit function, where that is a function that
// kernels can call: some decorators put the back end's own function in place of one written for back ends
// without it. A decorator that launches the function in its own way leaves it as it is.
func replaced(in *object.Interp, j *JITFunction, decorator python.Expr,
	eval func(python.Expr) (object.Value, error)) object.Value {
	if dec, err := eval(decorator); err == nil && (isSourceFunc(dec) || dec == mustUseDecorator) {
		v, err := object.Call(in, dec, []object.Value{j}, nil)
		if err == nil && callableInKernels(v) {
			return v
		}
	}
	j.Foreign = true
	return j
}

func isSourceFunc(v object.Value) bool {
	_, ok := v.(*pyrun.Func)
	return ok
}

// configClass is triton.Config.
var configClass = native("Config",
	func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
		r := &record{name: "Config", attrs: map[string]object.Value{
			"kwargs": object.NewDict(), "num_warps": object.MakeInt(4), "num_stages": object.MakeInt(3),
			"num_ctas": object.MakeInt(1),
			"maxnreg":  object.None, "pre_hook": object.None, "ir_override": object.None,
		}}
		for i, name := range []string{"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook",
			"ir_override"} {
			if i < len(args) {
				r.attrs[name] = args[i]
			}
		}
		for _, k := range kws {
			if _, ok := r.attrs[k.Name]; !ok {
				return nil, object.Errorf(object.TypeError,
					"Config() got an unexpected keyword argument '%s'", k.Name)
			}
			r.attrs[k.Name] = k.Value
		}
		r.attrs["all_kwargs"] = native("all_kwargs", r.allKwargs)
		return r, nil
	})

// allKwargs returns the constants of a config and those of its options that are given.
func (r *record) allKwargs(in *object.Interp, _ []object.Value, _ []object.Keyword) (object.Value, error) {
	out := object.NewDict()
	if given, ok := r.attrs["kwargs"].(*object.Dict); ok {
		out = given.Copy()
	}
	for _, name := range []string{"num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override"} {
		if v := r.attrs[name]; v != object.None {
			out.SetStr(name, v)
		}
	}
	return out, nil
}

// triton returns the names of the package triton. cdiv and next_power_of_2 are for the host, and for
// constants in kernels.
func (w *World) triton() map[string]object.Value {
	names := map[string]object.Value{
		"__version__":        object.Str(w.version.Release()),
		"jit":                w.jit(),
		"constexpr_function": constexprDecorator,
		"autotune":           autotuneDecorator,
		"heuristics":         heuristicsDecorator,
		"Config":             configClass,
		"JITFunction":        jitClass,
		"cdiv":               &ConstexprFunc{Fn: native("cdiv", hostCdiv)},
		"next_power_of_2":    &ConstexprFunc{Fn: native("next_power_of_2", nextPowerOf2)},
		"set_allocator":      native("set_allocator", nothing),
		"must_use_result":    mustUseDecorator,
		"reinterpret":        unusable("reinterpret"),
		"MockTensor":         unusable("MockTensor"),
		"TensorWrapper":      unusable("TensorWrapper"),
		"KernelInterface":    unusable("KernelInterface"),
		"OutOfResources":     object.RuntimeError,
		"CompilationError":   object.RuntimeError,
		"TritonError":        object.RuntimeError,
		"InterpreterError":   object.RuntimeError,
	}
	if w.version.Has(triton.Immutable) {
		names["aggregate"] = w.aggregate()
	}
	return names
}

func nothing(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
	return object.None, nil
}

// mustUseDecorator is triton.must_use_result.
var mustUseDecorator object.Value = native("must_use_result", mustUseResult)

// mustUseResult marks a jit function whose result must be used, with a reason or without.
func mustUseResult(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
	why := "it has no other effect"
	mark := func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) == 0 {
			return nil, object.Errorf(object.TypeError, "must_use_result() takes a function")
		}
		switch f := args[0].(type) {
		case *JITFunction:
			f.MustUse = why
		case *ConstexprFunc:
			f.MustUse = why
		}
		return args[0], nil
	}
	if len(args) > 0 {
		if s, ok := args[0].(object.Str); ok {
			why = string(s)
			return native("must_use_result", mark), nil
		}
	}
	return mark(nil, args, nil)
}

func identity(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
	if len(args) == 0 {
		return object.None, nil
	}
	return args[0], nil
}

func hostCdiv(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	if len(args) != 2 {
		return nil, object.Errorf(object.TypeError, "cdiv() takes 2 arguments")
	}
	sum, err := object.Binary(in, python.Add, args[0], args[1])
	if err != nil {
		return nil, err
	}
	if sum, err = object.Binary(in, python.Sub, sum, object.MakeInt(1)); err != nil {
		return nil, err
	}
	return object.Binary(in, python.FloorDiv, sum, args[1])
}

func nextPowerOf2(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	if len(args) == 1 {
		if n, ok := object.AsInt64(args[0]); ok {
			if n <= 0 {
				return object.MakeInt(0), nil
			}
			return object.MakeInt(1 << bits.Len64(uint64(n-1))), nil
		}
	}
	return nil, object.Errorf(object.TypeError, "next_power_of_2() takes an integer")
}

// targetValue returns the value of get_current_target().
func (w *World) targetValue() object.Value {
	var arch object.Value = object.Str(w.target.Chip)
	if w.target.Chip == "" {
		arch = object.MakeInt(int64(w.target.Arch))
	}
	return &record{"GPUTarget", map[string]object.Value{
		"backend": object.Str(w.target.Backend), "arch": arch,
		"warp_size": object.MakeInt(int64(w.target.WarpSize)),
	}}
}

func (w *World) activeDriver() object.Value {
	device := &record{"device",
		map[string]object.Value{"type": object.Str("cuda"), "index": object.MakeInt(0)}}
	constant := func(v object.Value) object.Value {
		return native("get", func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
			return v, nil
		})
	}
	return &record{"CudaDriver", map[string]object.Value{
		"get_current_target":      constant(w.targetValue()),
		"get_active_torch_device": constant(device),
		"get_current_device":      constant(object.MakeInt(0)),
		"get_current_stream":      constant(object.MakeInt(0)),
		"get_device_capability":   constant(w.capability()),
		"is_active":               constant(object.Bool(true)),
		"utils": &record{"CudaUtils",
			map[string]object.Value{"get_device_properties": constant(w.driverProperties())}},
	}}
}

// targetInfo returns the functions of triton.language.target_info.
func (w *World) targetInfo() map[string]object.Value {
	test := func(name string, f func(args []int64) bool) object.Value {
		return &ConstexprFunc{Fn: native(name,
			func(_ *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
				var ints []int64
				for _, a := range args {
					n, _ := object.AsInt64(a)
					ints = append(ints, n)
				}
				for _, k := range kws {
					n, _ := object.AsInt64(k.Value)
					ints = append(ints, n)
				}
				return object.Bool(f(ints)), nil
			})}
	}
	is := func(backend string) func([]int64) bool {
		return func([]int64) bool { return w.target.Backend == backend }
	}
	arch, cuda := w.target.capability()
	mfma := w.target.Row().MFMA
	return map[string]object.Value{
		"current_target": &ConstexprFunc{Fn: native("current_target",
			func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
				return w.targetValue(), nil
			})},
		"is_cuda":      test("is_cuda", is("cuda")),
		"is_hip":       test("is_hip", is("hip")),
		"is_hip_cdna3": test("is_hip_cdna3", func([]int64) bool { return mfma == 3 }),
		"is_hip_cdna4": test("is_hip_cdna4", func([]int64) bool { return mfma == 4 }),
		"cuda_capability_geq": test("cuda_capability_geq", func(a []int64) bool {
			want := int64(0)
			if len(a) > 0 {
				want = a[0] * 10
			}
			if len(a) > 1 {
				want += a[1]
			}
			return cuda && int64(arch) >= want
		}),
	}
}

// languageNames has the names of triton.language that are neither builtins nor library functions.
var languageNames map[string]object.Value

func init() {
	languageNames = map[string]object.Value{
		"range":                   tlRange,
		"static_range":            staticRange,
		"static_assert":           &Form{Name: "static_assert", Static: true, Idle: true},
		"static_print":            &Form{Name: "static_print", Static: true, Idle: true},
		"condition":               &Form{Name: "condition"},
		"TRITON_MAX_TENSOR_NUMEL": object.MakeInt(1 << 20),
		"CONSTEXPR_0":             &Constexpr{object.MakeInt(0)},
		"builtin":                 native("builtin", makeHostBuiltin),
		"extern":                  native("extern", makeHostBuiltin),
		"_tensor_member_fn":       native("_tensor_member_fn", identity),
		"_unwrap_if_constexpr":    &ConstexprFunc{Fn: native("_unwrap_if_constexpr", identity)},
	}
	for _, c := range typeClasses {
		languageNames[c.name] = c
	}
	languageNames["void"] = sem.VoidType
	for t := range dtype.All() {
		languageNames[t.Row().TL] = sem.ScalarOf(t)
	}
	languageNames["pi32_t"] = sem.Ptr(sem.Int32)
}

// callableInKernels reports whether a value is a function of the language or one written in it.
func callableInKernels(v object.Value) bool {
	switch v.(type) {
	case *JITFunction, *sem.Builtin, *HostBuiltin, *Form, *ConstexprFunc:
		return true
	}
	return false
}
