package object

// NamedTuple is a class made by collections.namedtuple or typing.NamedTuple.
type NamedTuple struct {
	Name   string
	Fields []string
	// Defaults belong to the last fields.
	Defaults []Value

	base    *NamedTuple // the named tuple from which it derives; may be nil
	methods *Class      // what the class statement added; may be nil
}

func (*NamedTuple) TypeName() string { return "type" }

// derives reports whether nt is base or derives from it.
func (nt *NamedTuple) derives(base *NamedTuple) bool {
	for ; nt != nil; nt = nt.base {
		if nt == base {
			return true
		}
	}
	return false
}

func (nt *NamedTuple) call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	if nt.methods != nil {
		if fn, owner := nt.methods.FindIn("__new__"); fn != nil && !isBuiltinClass(owner) {
			return Call(in, fn.(*StaticMethod).Fn, append([]Value{nt}, args...), kws)
		}
	}
	return nt.make(in, args, kws)
}

// make returns a tuple of the class.
func (nt *NamedTuple) make(in *Interp, args []Value, kws []Keyword) (Value, error) {
	sig := &Signature{names: nt.Fields, optional: make([]bool, len(nt.Fields)), vararg: -1, kwarg: -1,
		pos: len(nt.Fields), written: true}
	first := len(nt.Fields) - len(nt.Defaults)
	for i := range nt.Defaults {
		sig.optional[first+i] = true
	}
	sig.required = first
	a, err := sig.Bind(nt.Name+".__new__", args, kws)
	if err != nil {
		return nil, err
	}
	for i, d := range nt.Defaults {
		if a[first+i] == nil {
			a[first+i] = d
		}
	}
	return &Tuple{Items: a, Class: nt}, in.Alloc(len(a) * ValueSize)
}

func tupleAttr(in *Interp, v Value, name string) (Value, bool, error) {
	t := v.(*Tuple)
	if t.Class == nil {
		return nil, false, nil
	}
	for i, f := range t.Class.Fields {
		if f == name {
			return t.Items[i], true, nil
		}
	}
	if m, ok := namedMethods[name]; ok {
		return &BoundMethod{t, m}, true, nil
	}
	if name == "__class__" {
		return t.Class, true, nil
	}
	return namedTupleOwn(t.Class, name)
}

func namedTupleOwn(nt *NamedTuple, name string) (Value, bool, error) {
	switch name {
	case "_fields":
		fields := NewTuple()
		for _, f := range nt.Fields {
			fields.Items = append(fields.Items, Str(f))
		}
		return fields, true, nil
	case "_field_defaults":
		d := NewDict()
		for i, v := range nt.Defaults {
			d.SetStr(nt.Fields[len(nt.Fields)-len(nt.Defaults)+i], v)
		}
		return d, true, nil
	case "_make":
		return Native("_make", "iterable", func(in *Interp, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			return nt.make(in, items, nil)
		}), true, nil
	}
	return nil, false, nil
}

func namedTupleAttr(in *Interp, v Value, name string) (Value, bool, error) {
	nt := v.(*NamedTuple)
	switch name {
	case "__name__", "__qualname__":
		return Str(nt.Name), true, nil
	case "__new__":
		return Native("__new__", "cls *args **kws", func(in *Interp, a []Value) (Value, error) {
			cls, ok := a[0].(*NamedTuple)
			if !ok {
				return nil, Errorf(TypeError, "__new__ wants a class")
			}
			return cls.make(in, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
		}), true, nil
	}
	if m, ok := namedMethods[name]; ok {
		return m, true, nil
	}
	if x, ok, err := namedTupleOwn(nt, name); ok || err != nil {
		return x, ok, err
	}
	for i, f := range nt.Fields {
		if f == name {
			return &Property{Get: Native(name, "self", func(_ *Interp, a []Value) (Value, error) {
				t, err := selfTuple(a)
				if err != nil || i >= len(t.Items) {
					return None, err
				}
				return t.Items[i], nil
			})}, true, nil
		}
	}
	if nt.methods != nil {
		return in.classAttr(nt.methods, name)
	}
	return in.classAttr(TupleClass, name)
}

// namedMethods are the methods of every named tuple.
var namedMethods map[string]*Method

// selfTuple returns the named tuple whose method is called.
func selfTuple(a []Value) (*Tuple, error) {
	t, ok := a[0].(*Tuple)
	if !ok || t.Class == nil {
		return nil, Errorf(TypeError, "descriptor requires a named tuple but received a '%s'",
			a[0].TypeName())
	}
	return t, nil
}

func (t *Tuple) replace(changes *Dict) (Value, error) {
	out := &Tuple{Class: t.Class, Items: append([]Value{}, t.Items...)}
	for i, f := range t.Class.Fields {
		if v, ok := changes.GetStr(f); ok {
			out.Items[i] = v
			changes.DeleteStr(f)
		}
	}
	if changes.Len() > 0 {
		return nil, Errorf(ValueError, "Got unexpected field names: %s",
			PlainRepr(&List{Items: changes.Keys()}))
	}
	return out, nil
}

func init() {
	namedMethods = map[string]*Method{
		"_asdict": NewMethod("_asdict", "", func(_ *Interp, a []Value) (Value, error) {
			t, err := selfTuple(a)
			if err != nil {
				return nil, err
			}
			d := NewDict()
			for i, f := range t.Class.Fields {
				d.SetStr(f, t.Items[i])
			}
			return d, nil
		}),
		"_replace": NewMethod("_replace", "**kws", func(in *Interp, a []Value) (Value, error) {
			t, err := selfTuple(a)
			if err != nil {
				return nil, err
			}
			return t.replace(a[1].(*Dict))
		}),
	}
}

// namedBase returns the named tuple, or typing.NamedTuple, among the bases.
func namedBase(bases []Value) *NamedTuple {
	for _, b := range bases {
		switch b := b.(type) {
		case *NamedTuple:
			return b
		case NamedTupleBase:
			return &NamedTuple{Name: "NamedTuple"}
		}
	}
	return nil
}

// namedTupleClass makes a named tuple of a class statement: the fields are those of its base and those
// annotated.
func (in *Interp) namedTupleClass(c *Class, base *NamedTuple) (Value, error) {
	nt := &NamedTuple{Name: c.Name, Fields: base.Fields, Defaults: base.Defaults, methods: c}
	if base.Fields != nil {
		nt.base = base
	} else if err := nt.declare(c); err != nil {
		return nil, err
	}
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	c.named = nt
	return nt, nil
}

// declare makes fields of the annotations of a class body, and defaults of their values.
func (nt *NamedTuple) declare(c *Class) error {
	for _, a := range c.Fields {
		nt.Fields = append(nt.Fields, a.Name)
		v, ok := c.Attrs.GetStr(a.Name)
		if ok {
			nt.Defaults = append(nt.Defaults, v)
			c.Attrs.DeleteStr(a.Name)
		} else if len(nt.Defaults) > 0 {
			return Errorf(TypeError, "non-default namedtuple field %s cannot follow default field", a.Name)
		}
	}
	return nil
}
