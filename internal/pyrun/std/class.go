package std

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

func classModules() map[string]func(in *object.Interp) map[string]object.Value {
	return map[string]func(in *object.Interp) map[string]object.Value{
		"typing": fixed(typingModule), "typing_extensions": fixed(typingModule),
		"collections.abc": fixed(abcNames),
		"dataclasses":     fixed(dataclassesModule), "enum": fixed(enumModule), "abc": fixed(abcModule),
		"types": func(*object.Interp) map[string]object.Value {
			return typesModule()
		}, "__future__": fixed(futureModule),
	}
}

const typingNames = `
Any Optional Union Callable Tuple Literal ClassVar Final Generic Protocol TypeVar ParamSpec Concatenate
Annotated NewType Type Iterable Iterator Sequence Mapping MutableMapping MutableSequence Hashable Sized
Collection NoReturn Never Self TypeAlias LiteralString Generator AsyncGenerator Awaitable Coroutine
Required NotRequired Unpack TypeGuard IO TextIO BinaryIO AnyStr SupportsInt SupportsFloat SupportsIndex
Reversible Container ItemsView KeysView ValuesView ContextManager AsyncIterator AsyncIterable TypeVarTuple
ByteString AbstractSet MutableSet Pattern Match ForwardRef`

func typingModule() map[string]object.Value {
	vars := abcNames()
	for _, n := range strings.Fields(typingNames) {
		vars[n] = &object.Typing{Name: n}
	}
	for n, c := range map[string]*object.Class{"List": object.ListClass, "Dict": object.DictClass,
		"Set": object.SetClass, "FrozenSet": object.FrozensetClass,
		"Tuple": object.TupleClass, "Text": object.StrClass, "OrderedDict": object.OrderedDictClass,
		"DefaultDict": object.DefaultDictClass, "Counter": object.CounterClass, "Type": object.TypeClass} {
		vars[n] = &object.Typing{Name: n, Class: c}
	}
	vars["Any"], vars["TYPE_CHECKING"], vars["NamedTuple"] = object.AnyType, object.Bool(false),
		object.NamedTupleBase{}
	vars["TypedDict"] = &object.Typing{Name: "TypedDict", Class: object.DictClass}
	return named(vars,
		object.Native("cast", "typ val", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return a[1], nil
		}),
		same("overload"), same("final"), same("runtime_checkable"), same("no_type_check"), same("override"),
		object.Native("get_type_hints", "obj *args **kws",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				if f, ok := a[0].(*pyrun.Func); ok {
					return f.Annotations(), nil
				}
				return object.NewDict(), nil
			}),
		object.Native("get_args", "tp", func(in *object.Interp, a []object.Value) (object.Value, error) {
			if t, ok := a[0].(*object.Typing); ok {
				return object.NewTuple(t.Args...), nil
			}
			return object.NewTuple(), nil
		}),
		object.Native("get_origin", "tp", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			if t, ok := a[0].(*object.Typing); ok && t.Args != nil {
				if t.Class != nil {
					return t.Class, nil
				}
				return &object.Typing{Name: t.Name}, nil
			}
			return object.None, nil
		}),
		object.Native("assert_never", "x", func(*object.Interp, []object.Value) (object.Value, error) {
			return nil, object.Errorf(object.AssertionError, "Expected code to be unreachable")
		}),
		object.Native("deprecated", "msg **kws", func(*object.Interp, []object.Value) (object.Value, error) {
			return same("deprecated"), nil
		}),
		object.Native("dataclass_transform", "**kws",
			func(*object.Interp, []object.Value) (object.Value, error) {
				return same("dataclass_transform"), nil
			}),
	)
}

func abcNames() map[string]object.Value {
	vars := map[string]object.Value{}
	for _, n := range strings.Fields("Callable Iterable Iterator Sequence Mapping MutableMapping " +
		"MutableSequence Hashable Sized Collection Container Generator Set MutableSet KeysView ValuesView " +
		"ItemsView Reversible Awaitable Coroutine ByteString Buffer AsyncIterator AsyncGenerator " +
		"AsyncIterable") {
		vars[n] = &object.Typing{Name: n}
	}
	return vars
}

func dataclassesModule() map[string]object.Value {
	isData := func(v object.Value) bool {
		switch v := v.(type) {
		case *object.Class:
			return dataFields(v) != nil
		case *object.Instance:
			return dataFields(v.Class) != nil
		}
		return false
	}
	return named(map[string]object.Value{"MISSING": missing, "KW_ONLY": &object.Typing{Name: "KW_ONLY"},
		"InitVar":             &object.Typing{Name: "InitVar"},
		"FrozenInstanceError": frozenInstanceError},
		object.Native("dataclass", "cls= * **kws", dataclass),
		object.Native("field", "* default= default_factory= init= repr= hash= compare= metadata= kw_only=",
			makeField),
		object.Native("replace", "obj **changes", replaceData),
		object.Native("asdict", "obj * dict_factory=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				if !isData(a[0]) {
					return nil, object.Errorf(object.TypeError,
						"asdict() should be called on dataclass instances")
				}
				return asDict(in, a[0], false)
			}),
		object.Native("astuple", "obj", func(in *object.Interp, a []object.Value) (object.Value, error) {
			if v, ok := a[0].(*object.Instance); !ok || !isData(v) {
				return nil, object.Errorf(object.TypeError,
					"astuple() should be called on dataclass instances")
			}
			return asDict(in, a[0], true)
		}),
		object.Native("fields", "obj", func(in *object.Interp, a []object.Value) (object.Value, error) {
			if !isData(a[0]) {
				return nil, object.Errorf(object.TypeError,
					"must be called with a dataclass type or instance")
			}
			c, ok := a[0].(*object.Class)
			if !ok {
				c = a[0].(*object.Instance).Class
			}
			out := object.NewTuple()
			for _, f := range dataFields(c) {
				if !f.initOnly {
					out.Items = append(out.Items, f)
				}
			}
			return out, nil
		}),
		object.Native("is_dataclass", "obj", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return object.Bool(isData(a[0])), nil
		}),
	)
}

func enumModule() map[string]object.Value {
	return named(map[string]object.Value{"Enum": object.EnumClass, "IntEnum": object.IntEnumClass,
		"StrEnum": object.StrEnumClass, "Flag": object.FlagClass, "IntFlag": object.IntFlagClass,
		"EnumMeta": object.TypeClass, "EnumType": object.TypeClass},
		object.Native("auto", "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.EnumAuto{}, nil
		}), same("unique"))
}

func abcModule() map[string]object.Value {
	abstract := object.Native("abstractmethod", "fn",
		func(_ *object.Interp, a []object.Value) (object.Value, error) {
			if f, ok := a[0].(*pyrun.Func); ok {
				if f.Attrs == nil {
					f.Attrs = map[string]object.Value{}
				}
				f.Attrs["__isabstractmethod__"] = object.Bool(true)
			}
			return a[0], nil
		})
	return named(map[string]object.Value{"ABC": object.ABCClass, "ABCMeta": object.ABCMetaClass}, abstract,
		object.Native("abstractproperty", "fn",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				return &object.Property{Get: a[0]}, nil
			}))
}

func typesModule() map[string]object.Value {
	return map[string]object.Value{"FunctionType": object.FunctionClass, "LambdaType": object.FunctionClass,
		"MethodType": object.MethodClass, "BuiltinFunctionType": object.BuiltinClass,
		"ModuleType": object.ModuleClass, "GeneratorType": object.GeneratorClass,
		"NoneType": object.NoneClass, "EllipsisType": object.EllipsisClass,
		"NotImplementedType": object.NotImplementedClass, "SimpleNamespace": simpleNamespace(),
		"MappingProxyType": same("MappingProxyType"),
		"TracebackType":    &object.Typing{Name: "TracebackType"},
		"UnionType":        &object.Typing{Name: "UnionType"}}
}

// simpleNamespace returns types.SimpleNamespace.
func simpleNamespace() *object.Class {
	c := &object.Class{Name: "SimpleNamespace", Attrs: object.NewDict(),
		Bases: []*object.Class{object.ObjectClass}}
	c.MRO = []*object.Class{c, object.ObjectClass}
	c.Attrs.SetStr("__init__",
		object.NewMethod("__init__", "**kws",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				v, ok := a[0].(*object.Instance)
				if !ok {
					return nil, object.Errorf(object.TypeError, "SimpleNamespace wants an instance")
				}
				return object.None, in.UpdateDict(v.Attrs, a[1])
			}))
	c.Attrs.SetStr("__repr__",
		object.NewMethod("__repr__", "", func(in *object.Interp, a []object.Value) (object.Value, error) {
			v, err := selfInstance(a)
			if err != nil {
				return nil, err
			}
			var parts []string
			for k, x := range v.Attrs.All() {
				s, err := object.Repr(in, x)
				if err != nil {
					return nil, err
				}
				parts = append(parts, object.PlainStr(k)+"="+s)
			}
			return object.Str("namespace(" + strings.Join(parts, ", ") + ")"), nil
		}))
	c.Attrs.SetStr("__eq__",
		object.NewMethod("__eq__", "other", func(in *object.Interp, a []object.Value) (object.Value, error) {
			x, ok1 := a[0].(*object.Instance)
			y, ok2 := a[1].(*object.Instance)
			if !ok1 || !ok2 || x.Class != y.Class {
				return object.NotImplemented, nil
			}
			eq, err := in.EqualDicts(x.Attrs, y.Attrs)
			return object.Bool(eq), err
		}))
	return c
}

func futureModule() map[string]object.Value {
	vars := map[string]object.Value{}
	for _, n := range strings.Fields("annotations division print_function absolute_import " +
		"unicode_literals generators nested_scopes with_statement") {
		vars[n] = object.None
	}
	return vars
}
