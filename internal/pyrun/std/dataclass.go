package std

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// dataInfo describes a dataclass.
type dataInfo struct {
	fields []*dataField // those of the bases first
	frozen bool
}

// dataField is one field; dataclasses.field(...) makes one, too.
type dataField struct {
	name                string
	def, factory        object.Value // nil when there is none
	init, repr, compare bool
	kwOnly              bool
	metadata            object.Value
	initOnly            bool // an InitVar: handed to __post_init__ and not kept
}

func (*dataField) TypeName() string { return "Field" }

func (f *dataField) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "name":
		return object.Str(f.name), true, nil
	case "default":
		return orMissing(f.def), true, nil
	case "default_factory":
		return orMissing(f.factory), true, nil
	case "metadata":
		return object.OrNone(f.metadata), true, nil
	case "init":
		return object.Bool(f.init), true, nil
	case "repr":
		return object.Bool(f.repr), true, nil
	case "compare":
		return object.Bool(f.compare), true, nil
	case "type":
		return object.AnyType, true, nil
	}
	return nil, false, nil
}

// missingType is the type of dataclasses.MISSING.
type missingType struct{}

func (missingType) TypeName() string { return "_MISSING_TYPE" }

var missing object.Value = missingType{}

func orMissing(v object.Value) object.Value {
	if v == nil {
		return missing
	}
	return v
}

// makeField does what dataclasses.field does.
func makeField(in *object.Interp, a []object.Value) (object.Value, error) {
	flags := [4]bool{true, true, true, false}
	for i, v := range []object.Value{a[2], a[3], a[5], a[7]} {
		if v == nil {
			continue
		}
		t, err := object.Truth(in, v)
		if err != nil {
			return nil, err
		}
		flags[i] = t
	}
	f := &dataField{init: flags[0], repr: flags[1], compare: flags[2], kwOnly: flags[3], metadata: a[6]}
	if a[0] != nil && a[0] != missing {
		f.def = a[0]
	}
	if a[1] != nil && a[1] != missing {
		f.factory = a[1]
	}
	if f.def != nil && f.factory != nil {
		return nil, object.Errorf(object.ValueError, "cannot specify both default and default_factory")
	}
	return f, nil
}

// dataOptions are the arguments of @dataclass(...).
type dataOptions struct{ init, repr, eq, order, frozen, kwOnly, unsafeHash bool }

func dataOptionsOf(in *object.Interp, kws *object.Dict) (dataOptions, error) {
	o := dataOptions{init: true, repr: true, eq: true}
	ignored := false
	flags := map[string]*bool{"init": &o.init, "repr": &o.repr, "eq": &o.eq, "order": &o.order,
		"frozen":  &o.frozen,
		"kw_only": &o.kwOnly, "unsafe_hash": &o.unsafeHash, "slots": &ignored, "match_args": &ignored,
		"weakref_slot": &ignored}
	for k, v := range kws.All() {
		p, ok := flags[string(k.(object.Str))]
		if !ok {
			return o, object.Errorf(object.TypeError, "dataclass() got an unexpected keyword argument '%s'",
				string(k.(object.Str)))
		}
		t, err := object.Truth(in, v)
		if err != nil {
			return o, err
		}
		*p = t
	}
	if o.order && !o.eq {
		return o, object.Errorf(object.ValueError, "eq must be true if order is true")
	}
	return o, nil
}

// dataclass returns the decorator, with or without arguments.
func dataclass(in *object.Interp, a []object.Value) (object.Value, error) {
	o, err := dataOptionsOf(in, a[1].(*object.Dict))
	if err != nil {
		return nil, err
	}
	if a[0] == nil || a[0] == object.None {
		return object.Native("dataclass", "cls",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				return makeDataclass(in, a[0], o)
			}), nil
	}
	return makeDataclass(in, a[0], o)
}

func makeDataclass(in *object.Interp, v object.Value, o dataOptions) (object.Value, error) {
	c, ok := v.(*object.Class)
	if !ok {
		if u := object.UnknownOf(v); u != nil {
			return u, nil
		}
		return nil, object.Errorf(object.TypeError, "dataclass() wants a class, not '%s'", v.TypeName())
	}
	info := &dataInfo{frozen: o.frozen}
	for i := len(c.MRO) - 1; i > 0; i-- {
		if d := dataOf(c.MRO[i]); d != nil {
			for _, f := range d.fields {
				info.add(f)
			}
		}
	}
	kwOnly := o.kwOnly
	for _, a := range c.Fields {
		switch annotationName(a.Type) {
		case "ClassVar":
			continue
		case "KW_ONLY":
			kwOnly = true
			continue
		}
		f, err := fieldOf(c, a)
		if err != nil {
			return nil, err
		}
		f.kwOnly = f.kwOnly || kwOnly
		info.add(f)
	}
	if err := info.check(); err != nil {
		return nil, err
	}
	c.Data = info
	info.install(c, o)
	return c, nil
}

func (d *dataInfo) check() error {
	seen := false
	for _, f := range d.fields {
		if !f.init || f.kwOnly {
			continue
		}
		has := f.def != nil || f.factory != nil
		if seen && !has {
			return object.Errorf(object.TypeError, "non-default argument '%s' follows default argument",
				f.name)
		}
		seen = seen || has
	}
	return nil
}

func (d *dataInfo) add(f *dataField) {
	for i, g := range d.fields {
		if g.name == f.name {
			d.fields[i] = f
			return
		}
	}
	d.fields = append(d.fields, f)
}

// annotationName returns the last name of an annotation without its brackets: ClassVar of
// typing.ClassVar[int].
func annotationName(x python.Expr) string {
	switch x := x.(type) {
	case *python.Subscript:
		return annotationName(x.Value)
	case *python.Attribute:
		return x.Attr
	case *python.Name:
		return x.ID
	case *python.Constant:
		s, _ := x.Value.(string)
		s, _, _ = strings.Cut(s, "[")
		return s[strings.LastIndexByte(s, '.')+1:]
	}
	return ""
}

func fieldOf(c *object.Class, a object.ClassField) (*dataField, error) {
	v, ok := c.Attrs.GetStr(a.Name)
	f, isField := v.(*dataField)
	if !isField {
		f = &dataField{init: true, repr: true, compare: true, def: v}
	} else {
		g := *f
		f = &g
	}
	f.name, f.initOnly = a.Name, annotationName(a.Type) == "InitVar"
	switch f.def.(type) {
	case *object.List, *object.Dict, *object.Set:
		return nil, object.Errorf(object.ValueError,
			"mutable default <class '%s'> for field %s is not allowed: use default_factory", f.def.TypeName(),
			a.Name)
	}
	if ok && isField {
		if f.def != nil {
			c.Attrs.SetStr(a.Name, f.def)
		} else {
			c.Attrs.DeleteStr(a.Name)
		}
	}
	return f, nil
}

func (d *dataInfo) install(c *object.Class, o dataOptions) {
	set := func(name, params string, fn func(in *object.Interp, a []object.Value) (object.Value, error)) {
		if own, ok := c.Attrs.GetStr(name); !ok || object.IsMethod(own) {
			c.Attrs.SetStr(name, object.NewMethod(strings.Clone(name), params, fn))
		}
	}
	if o.init {
		sig := d.signature()
		c.Attrs.SetStr("__init__", initMethod(c, d, sig))
	}
	if _, ok := c.Attrs.GetStr("__match_args__"); !ok {
		c.Attrs.SetStr("__match_args__", d.matchArgs())
	}
	if o.repr {
		set("__repr__", "", d.repr)
	}
	if o.eq {
		set("__eq__", "other", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return d.compare(in, python.Eq, c, a)
		})
	}
	if o.order {
		for _, op := range []python.CmpOperator{python.Lt, python.LtE, python.Gt, python.GtE} {
			set(object.CompareDunders[op], "other",
				func(in *object.Interp, a []object.Value) (object.Value, error) {
					return d.compare(in, op, c, a)
				})
		}
	}
	if o.frozen {
		c.Attrs.SetStr("__setattr__",
			&object.Method{Builtin: *object.Native(object.FrozenSetAttr, "self name value",
				func(_ *object.Interp, a []object.Value) (object.Value, error) {
					return nil, &object.Exception{Class: frozenInstanceError,
						Args: []object.Value{object.Str("cannot assign to field '" + object.PlainStr(a[1]) +
							"'")}}
				})})
	}
	if o.eq && o.frozen || o.unsafeHash {
		set("__hash__", "", func(in *object.Interp, a []object.Value) (object.Value, error) {
			v, err := selfInstance(a)
			if err != nil {
				return nil, err
			}
			return object.Hash(in, object.NewTuple(d.values(v, true)...))
		})
	} else if o.eq {
		if _, ok := c.Attrs.GetStr("__hash__"); !ok {
			c.Attrs.SetStr("__hash__", object.None)
		}
	}
}

// matchArgs returns __match_args__: the fields that positional patterns stand for.
func (d *dataInfo) matchArgs() *object.Tuple {
	names := object.NewTuple()
	for _, f := range d.fields {
		if f.init && !f.kwOnly {
			names.Items = append(names.Items, object.Str(f.name))
		}
	}
	return names
}

var frozenInstanceError = object.NewBuiltinClass("FrozenInstanceError", object.AttributeError)

// signature returns the parameters of __init__: positional ones, then keyword-only ones.
func (d *dataInfo) signature() *object.Signature {
	var params strings.Builder
	add := func(kwOnly bool) {
		for _, f := range d.fields {
			if !f.init || f.kwOnly != kwOnly {
				continue
			}
			params.WriteString(" " + f.name)
			if f.def != nil || f.factory != nil {
				params.WriteString("=")
			}
		}
	}
	add(false)
	params.WriteString(" *")
	add(true)
	return object.PythonSignature(params.String())
}

func initMethod(c *object.Class, d *dataInfo, sig *object.Signature) *object.Method {
	fn := func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
		if len(args) == 0 {
			return nil, object.Errorf(object.TypeError, "__init__ wants an instance of %s", c.Name)
		}
		self, ok := args[0].(*object.Instance)
		if !ok {
			return nil, object.Errorf(object.TypeError, "__init__ wants an instance of %s", c.Name)
		}
		a, err := sig.Bind(c.Name+".__init__", args[1:], kws)
		if err != nil {
			return nil, err
		}
		return object.None, d.fill(in, self, sig, a)
	}
	return &object.Method{Builtin: object.Builtin{Name: "__init__", Fn: fn}}
}

// fill sets the fields of a new instance.
func (d *dataInfo) fill(in *object.Interp, self *object.Instance, sig *object.Signature,
	args []object.Value) error {
	given := map[string]object.Value{}
	for i, name := range sig.Names() {
		if args[i] != nil {
			given[name] = args[i]
		}
	}
	var extra []object.Value
	for _, f := range d.fields {
		v, ok := given[f.name]
		if !ok {
			v = f.def
			if f.factory != nil {
				var err error
				if v, err = object.Call(in, f.factory, nil, nil); err != nil {
					return err
				}
			}
		}
		if f.initOnly {
			extra = append(extra, object.OrNone(v))
			continue
		}
		if v != nil {
			self.Attrs.SetStr(f.name, v)
		}
	}
	if post := self.Class.Find("__post_init__"); post != nil {
		_, err := in.CallSpecial(self, post, extra...)
		return err
	}
	return in.Alloc(len(d.fields) * object.ValueSize)
}

func (d *dataInfo) values(v *object.Instance, compareOnly bool) []object.Value {
	var out []object.Value
	for _, f := range d.fields {
		if f.initOnly || compareOnly && !f.compare {
			continue
		}
		out = append(out, v.Attrs.MustStr(f.name))
	}
	return out
}

func (d *dataInfo) repr(in *object.Interp, a []object.Value) (object.Value, error) {
	v, err := selfInstance(a)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(v.Class.Name + "(")
	n := 0
	for _, f := range dataFields(v.Class) {
		if !f.repr || f.initOnly {
			continue
		}
		if n++; n > 1 {
			b.WriteString(", ")
		}
		s, err := object.Repr(in, v.Attrs.MustStr(f.name))
		if err != nil {
			return nil, err
		}
		b.WriteString(f.name + "=" + s)
	}
	return object.Str(b.String() + ")"), in.Alloc(b.Len())
}

// selfInstance returns the object whose method is called.
func selfInstance(a []object.Value) (*object.Instance, error) {
	v, ok := a[0].(*object.Instance)
	if !ok {
		return nil, object.Errorf(object.TypeError, "descriptor requires an instance but received a '%s'",
			a[0].TypeName())
	}
	return v, nil
}

// dataFields returns the fields of a dataclass or of the nearest base that is one.
func dataFields(c *object.Class) []*dataField {
	for _, k := range c.MRO {
		if d := dataOf(k); d != nil {
			return d.fields
		}
	}
	return nil
}

// dataOf returns the description of c as a dataclass; nil when c itself is none.
func dataOf(c *object.Class) *dataInfo {
	d, _ := c.Data.(*dataInfo)
	return d
}

func (d *dataInfo) compare(in *object.Interp, op python.CmpOperator, c *object.Class,
	a []object.Value) (object.Value, error) {
	x, ok1 := a[0].(*object.Instance)
	y, ok2 := a[1].(*object.Instance)
	if !ok1 || !ok2 || x.Class != y.Class {
		return object.NotImplemented, nil
	}
	return object.Compare(in, op, object.NewTuple(d.values(x, true)...),
		object.NewTuple(d.values(y, true)...))
}
