package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// dataInfo is what makes a class a dataclass.
type dataInfo struct {
	fields []*dataField // those of the bases first
	frozen bool
}

// dataField is one field; dataclasses.field(...) makes one, too.
type dataField struct {
	name                string
	def, factory        Value // nil when there is none
	init, repr, compare bool
	kwOnly              bool
	metadata            Value
	initOnly            bool // an InitVar: handed to __post_init__ and not kept
}

func (*dataField) TypeName() string { return "Field" }

func (f *dataField) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "name":
		return Str(f.name), true, nil
	case "default":
		return orMissing(f.def), true, nil
	case "default_factory":
		return orMissing(f.factory), true, nil
	case "metadata":
		return orNone(f.metadata), true, nil
	case "init":
		return Bool(f.init), true, nil
	case "repr":
		return Bool(f.repr), true, nil
	case "type":
		return anyType, true, nil
	}
	return nil, false, nil
}

// missing is dataclasses.MISSING.
type missingType struct{}

func (missingType) TypeName() string { return "_MISSING_TYPE" }

var missing Value = missingType{}

func orMissing(v Value) Value {
	if v == nil {
		return missing
	}
	return v
}

// makeField is dataclasses.field.
func makeField(in *Interp, a []Value) (Value, error) {
	flags := [4]bool{true, true, true, false}
	for i, v := range []Value{a[2], a[3], a[5], a[7]} {
		if v == nil {
			continue
		}
		t, err := Truth(in, v)
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
		return nil, Errorf(ValueError, "cannot specify both default and default_factory")
	}
	return f, nil
}

// dataOptions are the arguments of @dataclass(...).
type dataOptions struct{ init, repr, eq, order, frozen, kwOnly, unsafeHash bool }

func dataOptionsOf(in *Interp, kws *Dict) (dataOptions, error) {
	o := dataOptions{init: true, repr: true, eq: true}
	ignored := false
	flags := map[string]*bool{"init": &o.init, "repr": &o.repr, "eq": &o.eq, "order": &o.order, "frozen": &o.frozen,
		"kw_only": &o.kwOnly, "unsafe_hash": &o.unsafeHash, "slots": &ignored, "match_args": &ignored, "weakref_slot": &ignored}
	for k, v := range kws.All() {
		p, ok := flags[string(k.(Str))]
		if !ok {
			return o, Errorf(TypeError, "dataclass() got an unexpected keyword argument '%s'", string(k.(Str)))
		}
		t, err := Truth(in, v)
		if err != nil {
			return o, err
		}
		*p = t
	}
	return o, nil
}

// dataclass is the decorator, with or without arguments.
func dataclass(in *Interp, a []Value) (Value, error) {
	o, err := dataOptionsOf(in, a[1].(*Dict))
	if err != nil {
		return nil, err
	}
	if a[0] == nil || a[0] == None {
		return native("dataclass", "cls", func(in *Interp, a []Value) (Value, error) { return makeDataclass(in, a[0], o) }), nil
	}
	return makeDataclass(in, a[0], o)
}

func makeDataclass(in *Interp, v Value, o dataOptions) (Value, error) {
	c, ok := v.(*Class)
	if !ok {
		if u := unknownOf(v); u != nil {
			return u, nil
		}
		return nil, Errorf(TypeError, "dataclass() wants a class, not '%s'", v.TypeName())
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
			return Errorf(TypeError, "non-default argument '%s' follows default argument", f.name)
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

// annotationName is the last name of an annotation without its brackets: ClassVar of typing.ClassVar[int].
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

func fieldOf(c *Class, a ClassField) (*dataField, error) {
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
	case *List, *Dict, *Set:
		return nil, Errorf(ValueError, "mutable default <class '%s'> for field %s is not allowed: use default_factory", f.def.TypeName(), a.Name)
	}
	if ok && isField {
		if f.def != nil {
			c.Attrs.SetStr(a.Name, f.def)
		} else {
			c.Attrs.deleteStr(a.Name)
		}
	}
	return f, nil
}

func (d *dataInfo) install(c *Class, o dataOptions) {
	set := func(name, params string, fn func(in *Interp, a []Value) (Value, error)) {
		if own, ok := c.Attrs.GetStr(name); !ok || isMethod(own) {
			c.Attrs.SetStr(name, newMethod(strings.Clone(name), params, fn))
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
		set("__eq__", "other", func(in *Interp, a []Value) (Value, error) { return d.compare(in, python.Eq, c, a) })
	}
	if o.order {
		for _, op := range []python.CmpOperator{python.Lt, python.LtE, python.Gt, python.GtE} {
			set(compareDunders[op], "other", func(in *Interp, a []Value) (Value, error) { return d.compare(in, op, c, a) })
		}
	}
	if o.frozen {
		c.Attrs.SetStr("__setattr__", &method{*native(frozenName, "self name value", func(_ *Interp, a []Value) (Value, error) {
			return nil, &Exception{Class: frozenInstanceError, Args: []Value{Str("cannot assign to field '" + plainStr(a[1]) + "'")}}
		})})
	}
	if o.eq && o.frozen || o.unsafeHash {
		set("__hash__", "", func(in *Interp, a []Value) (Value, error) {
			v, err := selfInstance(a)
			if err != nil {
				return nil, err
			}
			return hashOf(in, NewTuple(d.values(v, true)...))
		})
	} else if o.eq {
		if _, ok := c.Attrs.GetStr("__hash__"); !ok {
			c.Attrs.SetStr("__hash__", None)
		}
	}
}

// matchArgs is __match_args__: the fields that positional patterns stand for.
func (d *dataInfo) matchArgs() *Tuple {
	names := NewTuple()
	for _, f := range d.fields {
		if f.init && !f.kwOnly {
			names.Items = append(names.Items, Str(f.name))
		}
	}
	return names
}

var frozenInstanceError = newBuiltinClass("FrozenInstanceError", AttributeError)

// signature returns the parameters of __init__: positional ones, then keyword-only ones.
func (d *dataInfo) signature() *Signature {
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
	return PythonSignature(params.String())
}

func initMethod(c *Class, d *dataInfo, sig *Signature) *method {
	fn := func(in *Interp, args []Value, kws []Keyword) (Value, error) {
		if len(args) == 0 {
			return nil, Errorf(TypeError, "__init__ wants an instance of %s", c.Name)
		}
		self, ok := args[0].(*Instance)
		if !ok {
			return nil, Errorf(TypeError, "__init__ wants an instance of %s", c.Name)
		}
		a, err := sig.Bind(c.Name+".__init__", args[1:], kws)
		if err != nil {
			return nil, err
		}
		return None, d.fill(in, self, sig, a)
	}
	return &method{Builtin{Name: "__init__", Fn: fn}}
}

// fill sets the fields of a new instance.
func (d *dataInfo) fill(in *Interp, self *Instance, sig *Signature, args []Value) error {
	given := map[string]Value{}
	for i, name := range sig.Names() {
		if args[i] != nil {
			given[name] = args[i]
		}
	}
	var extra []Value
	for _, f := range d.fields {
		v, ok := given[f.name]
		if !ok {
			v = f.def
			if f.factory != nil {
				var err error
				if v, err = Call(in, f.factory, nil, nil); err != nil {
					return err
				}
			}
		}
		if f.initOnly {
			extra = append(extra, orNone(v))
			continue
		}
		if v != nil {
			self.Attrs.SetStr(f.name, v)
		}
	}
	if post := self.Class.find("__post_init__"); post != nil {
		_, err := in.callSpecial(self, post, extra...)
		return err
	}
	return in.alloc(len(d.fields) * valueSize)
}

func (d *dataInfo) values(v *Instance, compareOnly bool) []Value {
	var out []Value
	for _, f := range d.fields {
		if f.initOnly || compareOnly && !f.compare {
			continue
		}
		out = append(out, v.Attrs.mustStr(f.name))
	}
	return out
}

func (d *dataInfo) repr(in *Interp, a []Value) (Value, error) {
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
		s, err := Repr(in, v.Attrs.mustStr(f.name))
		if err != nil {
			return nil, err
		}
		b.WriteString(f.name + "=" + s)
	}
	return Str(b.String() + ")"), in.alloc(b.Len())
}

// selfInstance is the object whose method is called.
func selfInstance(a []Value) (*Instance, error) {
	v, ok := a[0].(*Instance)
	if !ok {
		return nil, Errorf(TypeError, "descriptor requires an instance but received a '%s'", a[0].TypeName())
	}
	return v, nil
}

// dataFields are the fields of a dataclass or of the nearest base that is one.
func dataFields(c *Class) []*dataField {
	for _, k := range c.MRO {
		if d := dataOf(k); d != nil {
			return d.fields
		}
	}
	return nil
}

// dataOf is what makes c itself a dataclass, or nil.
func dataOf(c *Class) *dataInfo {
	d, _ := c.Data.(*dataInfo)
	return d
}

func (d *dataInfo) compare(in *Interp, op python.CmpOperator, c *Class, a []Value) (Value, error) {
	x, ok1 := a[0].(*Instance)
	y, ok2 := a[1].(*Instance)
	if !ok1 || !ok2 || x.Class != y.Class {
		return NotImplemented, nil
	}
	return Compare(in, op, NewTuple(d.values(x, true)...), NewTuple(d.values(y, true)...))
}

// replaceData is dataclasses.replace.
func replaceData(in *Interp, a []Value) (Value, error) {
	v, ok := a[0].(*Instance)
	if !ok || dataFields(v.Class) == nil {
		if t, ok := a[0].(*Tuple); ok && t.Class != nil {
			replace, err := GetAttr(in, t, "_replace")
			if err != nil {
				return nil, err
			}
			return Call(in, replace, nil, keywordsOf(a[1].(*Dict)))
		}
		return nil, Errorf(TypeError, "replace() should be called on dataclass instances")
	}
	changes := a[1].(*Dict)
	var kws []Keyword
	for _, f := range dataFields(v.Class) {
		if x, ok := changes.GetStr(f.name); ok {
			kws = append(kws, Keyword{f.name, x})
			changes.deleteStr(f.name)
		} else if f.init && !f.initOnly {
			kws = append(kws, Keyword{f.name, v.Attrs.mustStr(f.name)})
		}
	}
	return Call(in, v.Class, nil, append(kws, keywordsOf(changes)...))
}

// asDict is dataclasses.asdict; asTuple the same as a tuple.
func asDict(in *Interp, v Value) (Value, error) {
	if err := in.enter(); err != nil {
		return nil, err
	}
	defer in.leave()
	switch x := v.(type) {
	case *Instance:
		if dataFields(x.Class) == nil {
			return v, nil
		}
		d := NewDict()
		for _, f := range dataFields(x.Class) {
			y, err := asDict(in, x.Attrs.mustStr(f.name))
			if err != nil {
				return nil, err
			}
			d.SetStr(f.name, y)
		}
		return d, in.alloc(d.Len() * 4 * valueSize)
	case *List:
		items, err := asDicts(in, x.Items)
		return &List{Items: items}, err
	case *Tuple:
		items, err := asDicts(in, x.Items)
		return &Tuple{Items: items, Class: x.Class}, err
	case *Dict:
		d := NewDict()
		for k, v := range x.All() {
			y, err := asDict(in, v)
			if err != nil {
				return nil, err
			}
			if err := d.Set(in, k, y); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	return v, nil
}

func asDicts(in *Interp, items []Value) ([]Value, error) {
	out := make([]Value, len(items))
	for i, x := range items {
		y, err := asDict(in, x)
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return out, in.alloc(len(out) * valueSize)
}
