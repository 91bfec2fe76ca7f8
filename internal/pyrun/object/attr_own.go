package object

import "reflect"

// ownAttrs has the functions that look up attributes other than methods, by type.
var ownAttrs map[reflect.Type]func(in *Interp, v Value, name string) (Value, bool, error)

func init() {
	ownAttrs = map[reflect.Type]func(in *Interp, v Value, name string) (Value, bool, error){
		reflect.TypeFor[*Builtin]():     builtinAttr,
		reflect.TypeFor[*Method]():      methodAttr,
		reflect.TypeFor[*BoundMethod](): boundAttr,
		reflect.TypeFor[*Tuple]():       tupleAttr,
		reflect.TypeFor[*NamedTuple]():  namedTupleAttr,
		reflect.TypeFor[*Slice]():       sliceAttr,
		reflect.TypeFor[*Range]():       rangeAttr,
		reflect.TypeFor[*Property]():    propertyAttr,
		reflect.TypeFor[*Dict]():        dictAttr,
		reflect.TypeFor[*StaticMethod](): func(_ *Interp, v Value, name string) (Value, bool, error) {
			return wrapped(v.(*StaticMethod).Fn, name)
		},
		reflect.TypeFor[*ClassMethod](): func(_ *Interp, v Value, name string) (Value, bool, error) {
			return wrapped(v.(*ClassMethod).Fn, name)
		},
		reflect.TypeFor[Int]():   numberAttr,
		reflect.TypeFor[Bool]():  numberAttr,
		reflect.TypeFor[Float](): numberAttr,
	}
}

func wrapped(fn Value, name string) (Value, bool, error) { return fn, name == "__func__", nil }

func dictAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	d := v.(*Dict)
	return d.Default, name == "default_factory" && d.Default != nil, nil
}

func numberAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	switch name {
	case "real":
		return v, true, nil
	case "imag":
		if _, ok := v.(Float); ok {
			return Float(0), true, nil
		}
		return MakeInt(0), true, nil
	case "numerator":
		_, isFloat := v.(Float)
		return v, !isFloat, nil
	case "denominator":
		_, isFloat := v.(Float)
		return MakeInt(1), !isFloat, nil
	}
	return nil, false, nil
}

// DictOf returns a dict with the entries of m, sorted by name.
func DictOf(m map[string]Value) *Dict {
	d := NewDict()
	for _, k := range sortedKeys(m) {
		d.SetStr(k, m[k])
	}
	return d
}

// Namespace is an object with fixed attributes.
type Namespace struct {
	Name  string
	Attrs map[string]Value
}

func (n *Namespace) TypeName() string { return n.Name }

func (n *Namespace) Attr(_ *Interp, name string) (Value, bool, error) {
	v, ok := n.Attrs[name]
	return v, ok, nil
}

func builtinAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	return nameAttr(v.(*Builtin).Name, name)
}

func methodAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	return nameAttr(v.(*Method).Name, name)
}

func nameAttr(own, name string) (Value, bool, error) {
	switch name {
	case "__name__", "__qualname__":
		return Str(own), true, nil
	case "__module__":
		return Str("builtins"), true, nil
	case "__doc__":
		return None, true, nil
	}
	return nil, false, nil
}

func boundAttr(in *Interp, v Value, name string) (Value, bool, error) {
	b := v.(*BoundMethod)
	switch name {
	case "__self__":
		return b.Self, true, nil
	case "__func__":
		return b.Fn, true, nil
	}
	return in.FindAttr(b.Fn, name)
}

func sliceAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	s := v.(*Slice)
	switch name {
	case "start":
		return OrNone(s.Lo), true, nil
	case "stop":
		return OrNone(s.Hi), true, nil
	case "step":
		return OrNone(s.Step), true, nil
	}
	return nil, false, nil
}

func rangeAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	r := v.(*Range)
	switch name {
	case "start":
		return r.Start, true, nil
	case "stop":
		return r.Stop, true, nil
	case "step":
		return r.Step, true, nil
	}
	return nil, false, nil
}

// propertyAttr returns setter, getter or deleter, with which a property is completed.
func propertyAttr(_ *Interp, v Value, name string) (Value, bool, error) {
	p := v.(*Property)
	complete := func(set func(q *Property, fn Value)) (Value, bool, error) {
		return Native(name, "fn", func(_ *Interp, a []Value) (Value, error) {
			q := *p
			set(&q, a[0])
			return &q, nil
		}), true, nil
	}
	switch name {
	case "setter":
		return complete(func(q *Property, fn Value) { q.Set = fn })
	case "getter":
		return complete(func(q *Property, fn Value) { q.Get = fn })
	case "deleter":
		return complete(func(q *Property, fn Value) { q.Del = fn })
	case "fget":
		return OrNone(p.Get), true, nil
	case "fset":
		return OrNone(p.Set), true, nil
	}
	return nil, false, nil
}

// OrNone returns v, or None for nil.
func OrNone(v Value) Value {
	if v == nil {
		return None
	}
	return v
}

// OrElse returns v, or def for nil.
func OrElse(v, def Value) Value {
	if v == nil {
		return def
	}
	return v
}
