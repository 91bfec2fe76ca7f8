package pyrun

import "strings"

func classModules() map[string]func(in *Interp) map[string]Value {
	return map[string]func(in *Interp) map[string]Value{
		"typing": fixed(typingModule), "typing_extensions": fixed(typingModule), "collections.abc": fixed(abcNames),
		"dataclasses": fixed(dataclassesModule), "enum": fixed(enumModule), "abc": fixed(abcModule),
		"types": func(*Interp) map[string]Value { return typesModule() }, "__future__": fixed(futureModule),
	}
}

const typingNames = `Any Optional Union Callable Tuple Literal ClassVar Final Generic Protocol TypeVar ParamSpec Concatenate Annotated NewType
Type Iterable Iterator Sequence Mapping MutableMapping MutableSequence Hashable Sized Collection NoReturn Never Self TypeAlias LiteralString
Generator AsyncGenerator Awaitable Coroutine Required NotRequired Unpack TypeGuard IO TextIO BinaryIO AnyStr SupportsInt SupportsFloat
SupportsIndex Reversible Container ItemsView KeysView ValuesView ContextManager AsyncIterator AsyncIterable TypeVarTuple ByteString
AbstractSet MutableSet Pattern Match ForwardRef`

func typingModule() map[string]Value {
	vars := abcNames()
	for _, n := range strings.Fields(typingNames) {
		vars[n] = &typing{name: n}
	}
	for n, c := range map[string]*Class{"List": listClass, "Dict": dictClass, "Set": setClass, "FrozenSet": frozensetClass,
		"Tuple": tupleClass, "Text": strClass, "OrderedDict": orderedClass, "DefaultDict": defaultClass, "Counter": counterClass, "Type": typeClass} {
		vars[n] = &typing{name: n, class: c}
	}
	vars["Any"], vars["TYPE_CHECKING"], vars["NamedTuple"] = anyType, Bool(false), typingNamedTuple{}
	vars["TypedDict"] = &typing{name: "TypedDict", class: dictClass}
	return named(vars,
		native("cast", "typ val", func(_ *Interp, a []Value) (Value, error) { return a[1], nil }),
		same("overload"), same("final"), same("runtime_checkable"), same("no_type_check"), same("override"),
		native("get_type_hints", "obj *args **kws", func(_ *Interp, a []Value) (Value, error) {
			if f, ok := a[0].(*Func); ok {
				return f.Annotations(), nil
			}
			return NewDict(), nil
		}),
		native("get_args", "tp", func(in *Interp, a []Value) (Value, error) {
			if t, ok := a[0].(*typing); ok {
				return NewTuple(t.args...), nil
			}
			return NewTuple(), nil
		}),
		native("get_origin", "tp", func(_ *Interp, a []Value) (Value, error) {
			if t, ok := a[0].(*typing); ok && t.args != nil {
				if t.class != nil {
					return t.class, nil
				}
				return &typing{name: t.name}, nil
			}
			return None, nil
		}),
		native("assert_never", "x", func(*Interp, []Value) (Value, error) {
			return nil, Errorf(AssertionError, "Expected code to be unreachable")
		}),
		native("deprecated", "msg **kws", func(*Interp, []Value) (Value, error) { return same("deprecated"), nil }),
		native("dataclass_transform", "**kws", func(*Interp, []Value) (Value, error) { return same("dataclass_transform"), nil }),
	)
}

func abcNames() map[string]Value {
	vars := map[string]Value{}
	for _, n := range strings.Fields("Callable Iterable Iterator Sequence Mapping MutableMapping MutableSequence Hashable Sized Collection Container Generator Set MutableSet KeysView ValuesView ItemsView Reversible Awaitable Coroutine ByteString Buffer AsyncIterator AsyncGenerator AsyncIterable") {
		vars[n] = &typing{name: n}
	}
	return vars
}

func dataclassesModule() map[string]Value {
	isData := func(v Value) bool {
		switch v := v.(type) {
		case *Class:
			return dataFields(v) != nil
		case *Instance:
			return dataFields(v.Class) != nil
		}
		return false
	}
	return named(map[string]Value{"MISSING": missing, "KW_ONLY": &typing{name: "KW_ONLY"}, "InitVar": &typing{name: "InitVar"},
		"FrozenInstanceError": frozenInstanceError},
		native("dataclass", "cls= * **kws", dataclass),
		native("field", "* default= default_factory= init= repr= hash= compare= metadata= kw_only=", makeField),
		native("replace", "obj **changes", replaceData),
		native("asdict", "obj * dict_factory=", func(in *Interp, a []Value) (Value, error) {
			if !isData(a[0]) {
				return nil, Errorf(TypeError, "asdict() should be called on dataclass instances")
			}
			return asDict(in, a[0])
		}),
		native("astuple", "obj", func(in *Interp, a []Value) (Value, error) {
			v, ok := a[0].(*Instance)
			if !ok || !isData(v) {
				return nil, Errorf(TypeError, "astuple() should be called on dataclass instances")
			}
			out := NewTuple()
			for _, f := range dataFields(v.Class) {
				out.Items = append(out.Items, v.Attrs.mustStr(f.name))
			}
			return out, nil
		}),
		native("fields", "obj", func(in *Interp, a []Value) (Value, error) {
			if !isData(a[0]) {
				return nil, Errorf(TypeError, "must be called with a dataclass type or instance")
			}
			c, ok := a[0].(*Class)
			if !ok {
				c = a[0].(*Instance).Class
			}
			out := NewTuple()
			for _, f := range dataFields(c) {
				if !f.initOnly {
					out.Items = append(out.Items, f)
				}
			}
			return out, nil
		}),
		native("is_dataclass", "obj", func(_ *Interp, a []Value) (Value, error) { return Bool(isData(a[0])), nil }),
	)
}

func enumModule() map[string]Value {
	return named(map[string]Value{"Enum": enumClass, "IntEnum": intEnumClass, "StrEnum": strEnumClass, "Flag": flagClass, "IntFlag": intFlagClass,
		"EnumMeta": typeClass, "EnumType": typeClass},
		native("auto", "", func(*Interp, []Value) (Value, error) { return autoValue{}, nil }), same("unique"))
}

func abcModule() map[string]Value {
	abstract := native("abstractmethod", "fn", func(_ *Interp, a []Value) (Value, error) {
		if f, ok := a[0].(*Func); ok {
			if f.Attrs == nil {
				f.Attrs = map[string]Value{}
			}
			f.Attrs["__isabstractmethod__"] = Bool(true)
		}
		return a[0], nil
	})
	return named(map[string]Value{"ABC": abcClass, "ABCMeta": abcMetaClass}, abstract,
		native("abstractproperty", "fn", func(_ *Interp, a []Value) (Value, error) { return &Property{Get: a[0]}, nil }))
}

func typesModule() map[string]Value {
	return map[string]Value{"FunctionType": functionClass, "LambdaType": functionClass, "MethodType": methodClass, "BuiltinFunctionType": builtinClass,
		"ModuleType": moduleClass, "GeneratorType": generatorClass, "NoneType": noneClass, "EllipsisType": ellipsisClass,
		"NotImplementedType": notImplClass, "SimpleNamespace": simpleNamespace(), "MappingProxyType": same("MappingProxyType"),
		"TracebackType": &typing{name: "TracebackType"}, "UnionType": &typing{name: "UnionType"}}
}

// simpleNamespace is types.SimpleNamespace.
func simpleNamespace() *Class {
	c := &Class{Name: "SimpleNamespace", Attrs: NewDict(), Bases: []*Class{objectClass}}
	c.MRO = []*Class{c, objectClass}
	c.Attrs.SetStr("__init__", newMethod("__init__", "**kws", func(in *Interp, a []Value) (Value, error) {
		v, ok := a[0].(*Instance)
		if !ok {
			return nil, Errorf(TypeError, "SimpleNamespace wants an instance")
		}
		return None, in.updateDict(v.Attrs, a[1])
	}))
	c.Attrs.SetStr("__repr__", newMethod("__repr__", "", func(in *Interp, a []Value) (Value, error) {
		v, err := selfInstance(a)
		if err != nil {
			return nil, err
		}
		var parts []string
		for k, x := range v.Attrs.All() {
			s, err := Repr(in, x)
			if err != nil {
				return nil, err
			}
			parts = append(parts, plainStr(k)+"="+s)
		}
		return Str("namespace(" + strings.Join(parts, ", ") + ")"), nil
	}))
	c.Attrs.SetStr("__eq__", newMethod("__eq__", "other", func(in *Interp, a []Value) (Value, error) {
		x, ok1 := a[0].(*Instance)
		y, ok2 := a[1].(*Instance)
		if !ok1 || !ok2 || x.Class != y.Class {
			return NotImplemented, nil
		}
		eq, err := in.equalDicts(x.Attrs, y.Attrs)
		return Bool(eq), err
	}))
	return c
}

func futureModule() map[string]Value {
	vars := map[string]Value{}
	for _, n := range strings.Fields("annotations division print_function absolute_import unicode_literals generators nested_scopes with_statement") {
		vars[n] = None
	}
	return vars
}
