package object

// defineObject gives every object the special methods that programs call by name.
func defineObject() {
	define(ObjectClass, methodTable{
		"__init__": {"*args **kws", func(*Interp, []Value) (Value, error) { return None, nil }},
		"__eq__": {"other", func(_ *Interp, a []Value) (Value, error) {
			if Is(a[0], a[1]) {
				return Bool(true), nil
			}
			return NotImplemented, nil
		}},
		"__ne__": {"other", func(in *Interp, a []Value) (Value, error) {
			eq, err := Equal(in, a[0], a[1])
			return Bool(!eq), err
		}},
		"__hash__": {"", func(in *Interp, a []Value) (Value, error) {
			if v, ok := a[0].(*Instance); ok && v.Payload == nil {
				return MakeInt(int64(in.idOf(v))), nil
			}
			return hashValue(in, Payload(a[0]))
		}},
		"__repr__": {"", func(in *Interp, a []Value) (Value, error) {
			r := reprWriter{in: in}
			var err error
			if v, ok := a[0].(*Instance); ok && v.Payload == nil && v.Class.enum == nil {
				return Str("<" + qualifiedName(v.Class) + " object at " + r.address(v) + ">"), nil
			}
			err = r.value(Payload(a[0]))
			return Str(r.b.String()), err
		}},
		"__str__": {"", func(in *Interp, a []Value) (Value, error) {
			s, err := Repr(in, a[0])
			return Str(s), err
		}},
		"__format__": {"spec", func(in *Interp, a []Value) (Value, error) {
			spec, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			if spec == "" {
				s, err := ToStr(in, a[0])
				return Str(s), err
			}
			s, err := in.formatValue(Payload(a[0]), spec)
			return Str(s), err
		}},
		"__setattr__": {"name value", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			if v, ok := a[0].(*Instance); ok {
				return None, in.setPlainAttr(v, name, a[2])
			}
			return None, SetAttr(in, a[0], name, a[2])
		}},
		"__getattribute__": {"name", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			return GetAttr(in, a[0], name)
		}},
	})
	defineContainers()
	ObjectClass.Attrs.SetStr("__new__", &StaticMethod{Native("__new__", "cls *args **kws", newObject)})
	ObjectClass.Attrs.SetStr("__init_subclass__",
		&ClassMethod{&Method{*Native("__init_subclass__", "cls **kws", func(*Interp, []Value) (Value, error) {
			return None, nil
		})}})
	defineTypeAndException()
}

// defineContainers gives sequences, sets and dicts the special methods that programs call by name.
func defineContainers() {
	table := methodTable{
		"__len__": {"", func(in *Interp, a []Value) (Value, error) {
			n, err := Len(in, Payload(a[0]))
			return MakeInt(int64(n)), err
		}},
		"__iter__": {"", func(in *Interp, a []Value) (Value, error) { return Iter(in, Payload(a[0])) }},
		"__getitem__": {"index", func(in *Interp, a []Value) (Value, error) {
			return GetItem(in, Payload(a[0]), a[1])
		}},
		"__contains__": {"x", func(in *Interp, a []Value) (Value, error) {
			ok, err := Contains(in, Payload(a[0]), a[1])
			return Bool(ok), err
		}},
	}
	for _, c := range []*Class{StrClass, BytesClass, TupleClass, ListClass, DictClass, SetClass,
		FrozensetClass, RangeClass} {
		own := methodTable{}
		for name, m := range table {
			if _, ok := c.Attrs.GetStr(name); !ok {
				own[name] = m
			}
		}
		define(c, own)
	}
	define(ListClass, methodTable{"__init__": {"iterable=", fillPayload}})
	define(SetClass, methodTable{"__init__": {"iterable=", fillPayload}})
	define(DictClass, methodTable{"__init__": {"iterable= **kws", fillPayload}})
}

// defineTypeAndException gives classes and exceptions their methods.
func defineTypeAndException() {
	define(BaseException, methodTable{
		"__init__": {"*args **kws", func(_ *Interp, a []Value) (Value, error) {
			if e, ok := a[0].(*Exception); ok {
				e.Args = a[1].(*Tuple).Items
			}
			return None, nil
		}},
		"with_traceback": {"tb", func(_ *Interp, a []Value) (Value, error) { return a[0], nil }},
		"add_note":       {"note", func(*Interp, []Value) (Value, error) { return None, nil }},
		"__str__": {"", func(in *Interp, a []Value) (Value, error) {
			if e, ok := a[0].(*Exception); ok {
				return Str(e.Message()), nil
			}
			return Str(""), nil
		}},
	})
	define(TypeClass, methodTable{
		"mro": {"", func(_ *Interp, a []Value) (Value, error) {
			c, ok := a[0].(*Class)
			if !ok {
				return nil, Errorf(TypeError, "mro wants a class")
			}
			v, _ := c.dunder("__mro__")
			return &List{Items: v.(*Tuple).Items}, nil
		}},
		"__subclasses__": {"", func(*Interp, []Value) (Value, error) { return &List{}, nil }},
		"__call__": {"*args **kws", func(in *Interp, a []Value) (Value, error) {
			c, ok := a[0].(*Class)
			if !ok {
				return nil, Errorf(TypeError, "type.__call__ wants a class")
			}
			v, err := in.newInstance(c, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
			if err != nil {
				return nil, err
			}
			return v, in.initInstance(c, v, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
		}},
	})
}

// newObject does what object.__new__ does, or, for a class derived from one of Python's own types, that
// type's.
func newObject(in *Interp, a []Value) (Value, error) {
	switch c := a[0].(type) {
	case *Class:
		if c.Builtin {
			return in.instantiate(c, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
		}
		if c.native() == ObjectClass {
			return in.allocate(c, nil, nil)
		}
		return in.allocate(c, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
	case *NamedTuple:
		return c.make(in, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
	}
	return nil, Errorf(TypeError, "object.__new__(X): X is not a type object (%s)", a[0].TypeName())
}

// fillPayload does what __init__ of list, dict and set does, for an instance of a derived class.
func fillPayload(in *Interp, a []Value) (Value, error) {
	switch p := Payload(a[0]).(type) {
	case *List:
		v, err := ListClass.make(in, ListClass, someArgs(a[1:]), nil)
		if err != nil {
			return nil, err
		}
		p.Items = v.(*List).Items
	case *Dict:
		if len(a) < 3 {
			return nil, Errorf(TypeError, "descriptor '__init__' does not take a 'dict' object")
		}
		if _, err := fillDict(in, p, a[1:]); err != nil {
			return nil, err
		}
	case *Set:
		v, err := setOf(in, a[1], false)
		if err != nil {
			return nil, err
		}
		p.d = v.(*Set).d
	}
	return None, nil
}

func someArgs(a []Value) []Value {
	if a[0] == nil {
		return nil
	}
	return a[:1]
}
