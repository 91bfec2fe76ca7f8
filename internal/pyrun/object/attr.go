package object

import (
	"reflect"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// GetAttr returns v.name.
func GetAttr(in *Interp, v Value, name string) (Value, error) {
	a, ok, err := in.FindAttr(v, name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, noAttr(v, name)
	}
	return a, nil
}

// HasAttribute reports whether v has an attribute: hasattr(v, name).
func HasAttribute(in *Interp, v Value, name string) (bool, error) {
	if u := UnknownOf(v); u != nil {
		return false, u.Attribute(name).Need("the presence")
	}
	a, ok, err := in.FindAttr(v, name)
	if e, caught := Catchable(err); caught && e.IsA(AttributeError) {
		return false, nil
	}
	if u := UnknownOf(a); u != nil && err == nil && ok && mayLack(v) {
		return false, u.Need("the presence")
	}
	return ok, err
}

// PartlyKnown is a value of another package of which not every attribute is known. Where MayLack reports
// true, an attribute that is Unknown may as well not be there.
type PartlyKnown interface{ MayLack() bool }

func mayLack(v Value) bool {
	p, ok := v.(PartlyKnown)
	return ok && p.MayLack()
}

// HasNoAttr is a value of another package with an error of its own for an attribute that it lacks.
type HasNoAttr interface{ NoAttr(name string) *Exception }

func noAttr(v Value, name string) error {
	var e *Exception
	switch v := v.(type) {
	case HasNoAttr:
		e = v.NoAttr(name)
	case *Class:
		e = Errorf(AttributeError, "type object '%s' has no attribute '%s'", v.Name, name)
		if v.enum != nil {
			e = Errorf(AttributeError, "%s", name)
		}
	case *NamedTuple:
		e = Errorf(AttributeError, "type object '%s' has no attribute '%s'", v.Name, name)
	default:
		e = Errorf(AttributeError, "'%s' object has no attribute '%s'", v.TypeName(), name)
	}
	e.SetAttribute("name", Str(name))
	return e
}

// FindAttr returns v.name; ok is false when there is no such attribute.
func (in *Interp) FindAttr(v Value, name string) (Value, bool, error) {
	if name == "__class__" {
		if c := in.Class(v); c != nil {
			return c, true, nil
		}
	}
	switch v := v.(type) {
	case *Instance:
		return in.instanceAttr(v, v.Class, v.Attrs, name)
	case *Class:
		return in.classAttr(v, name)
	case *Exception:
		if v.Attrs != nil {
			if x, ok := v.Attrs.GetStr(name); ok {
				return x, true, nil
			}
		}
		if x, ok := exceptionAttr(v, name); ok {
			return x, true, nil
		}
		return in.instanceAttr(v, v.Class, nil, name)
	case *Unknown:
		return v.Attribute(name), true, nil
	case HasAttr:
		if x, ok, err := v.Attr(in, name); ok || err != nil {
			return x, ok, err
		}
	case *superObject:
		return in.superAttr(v, name)
	}
	if x, ok, err := in.ownAttr(v, name); ok || err != nil {
		return x, ok, err
	}
	return in.TypeAttr(v, name)
}

// ownAttr returns an attribute that is no method, for the types that ownAttrs lists.
func (in *Interp) ownAttr(v Value, name string) (Value, bool, error) {
	if f, ok := ownAttrs[reflect.TypeOf(v)]; ok {
		return f(in, v, name)
	}
	return nil, false, nil
}

// TypeAttr returns an attribute that the type of v has, bound to v: a method, for the most part.
func (in *Interp) TypeAttr(v Value, name string) (Value, bool, error) {
	c := in.ClassOf(v)
	if name == "__class__" {
		return in.typeOf(v), true, nil
	}
	a := c.Find(name)
	if a == nil {
		return nil, false, nil
	}
	x, err := in.bind(a, v, c)
	return x, err == nil, err
}

// instanceAttr looks an attribute up in Python's order: data descriptors of the class, the instance, the
// class, __getattr__.
func (in *Interp) instanceAttr(v Value, c *Class, attrs *Dict, name string) (Value, bool, error) {
	switch name {
	case "__class__":
		return c, true, nil
	case "__dict__":
		if attrs != nil {
			return attrs, true, nil
		}
	}
	a := c.Find(name)
	if isDataDescriptor(a) {
		x, err := in.bind(a, v, c)
		return x, err == nil, err
	}
	if attrs != nil {
		if x, ok := attrs.GetStr(name); ok {
			return x, true, nil
		}
	}
	if a != nil {
		if p, ok := v.(*Instance); ok && p.Payload != nil && IsMethod(a) {
			x, err := in.bind(a, in.receiver(p, a), c)
			return x, err == nil, err
		}
		x, err := in.bind(a, v, c)
		return x, err == nil, err
	}
	if p, ok := v.(*Instance); ok && p.Payload != nil {
		if x, ok, err := in.FindAttr(p.Payload, name); ok || err != nil {
			return x, ok, err
		}
	}
	if hook := c.Find("__getattr__"); hook != nil {
		x, err := in.CallSpecial(v, hook, Str(name))
		return x, err == nil, err
	}
	if u := c.unknownBase(); u != nil && !IsDunder(name) {
		return u.Derive("()."+name, false), true, nil
	}
	return nil, false, nil
}

// receiver returns what a method written in Go takes as self, for an instance of a class derived from one of
// Python's types.
func (in *Interp) receiver(v *Instance, m Value) Value {
	if _, owner := v.Class.FindIn(m.(*Method).Name); owner != nil && owner.Builtin && owner != ObjectClass {
		return v.Payload
	}
	return v
}

// IsMethod reports whether v is a method written in Go.
func IsMethod(v Value) bool {
	_, ok := v.(*Method)
	return ok
}

func isDataDescriptor(a Value) bool {
	switch a := a.(type) {
	case *Property:
		return true
	case *Instance:
		return a.Class.Find("__set__") != nil
	}
	return false
}

func (in *Interp) classAttr(c *Class, name string) (Value, bool, error) {
	if x, ok := c.dunder(name); ok {
		return x, true, nil
	}
	if c.enum != nil {
		if x, ok := c.enum.attr(c, name); ok {
			return x, true, nil
		}
	}
	if a := c.Find(name); a != nil {
		x, err := in.bind(a, nil, c)
		return x, err == nil, err
	}
	meta := TypeClass
	if c.Meta != nil {
		meta = c.Meta
	}
	if a := meta.Find(name); a != nil {
		x, err := in.bind(a, c, meta)
		return x, err == nil, err
	}
	if u := c.unknownBase(); u != nil && !IsDunder(name) {
		return u.Attribute(name), true, nil
	}
	return nil, false, nil
}

func (c *Class) dunder(name string) (Value, bool) {
	switch name {
	case "__name__", "__qualname__":
		return Str(c.Name), true
	case "__class__":
		if c.Meta != nil {
			return c.Meta, true
		}
		return TypeClass, true
	case "__bases__":
		t := NewTuple()
		for _, b := range c.Bases {
			t.Items = append(t.Items, b)
		}
		return t, true
	case "__mro__":
		t := NewTuple()
		for _, b := range c.MRO {
			t.Items = append(t.Items, b)
		}
		return t, true
	case "__dict__":
		if c.Builtin {
			return c.Attrs.Copy(), true
		}
		return c.Attrs, true
	case "__module__":
		if c.Module != "" {
			return Str(c.Module), true
		}
		return Str("builtins"), true
	case "__doc__":
		if c.Def != nil {
			return Docstring(c.Def.Body), true
		}
		return None, true
	}
	return nil, false
}

func (in *Interp) superAttr(s *superObject, name string) (Value, bool, error) {
	var c *Class
	self := s.self
	switch v := s.self.(type) {
	case *Class:
		c, self = v, nil
	default:
		c = in.ClassOf(v)
	}
	a := c.findAfter(s.class, name)
	if a == nil && self == nil && c.Meta != nil {
		a, self = c.Meta.findAfter(s.class, name), s.self
	}
	if a == nil {
		if u := c.unknownBase(); u != nil {
			return u.Attribute(name), true, nil
		}
		return nil, false, nil
	}
	if m, ok := a.(*Method); ok && self != nil {
		if v, ok := self.(*Instance); ok && v.Payload != nil && m.Name != "__init__" &&
			c.native() != ObjectClass {
			if isMethodOf(c.native(), m) {
				self = v.Payload
			}
		}
	}
	x, err := in.bind(a, self, c)
	return x, err == nil, err
}

// SetAttr executes v.name = x.
func SetAttr(in *Interp, v Value, name string, x Value) error {
	switch v := v.(type) {
	case *Instance:
		return in.setInstanceAttr(v, name, x)
	case *Exception:
		if name == "args" {
			items, err := Iterate(in, x)
			v.Args = items
			return err
		}
		if e, ok := x.(*Exception); ok && name == "__cause__" {
			v.Cause = e
			return nil
		}
		v.SetAttribute(name, x)
		return in.Alloc(4 * ValueSize)
	case *Class:
		if v.Builtin {
			return Errorf(TypeError, "cannot set '%s' attribute of immutable type '%s'", name, v.Name)
		}
		if old, _ := v.Attrs.GetStr(name); v.enum != nil {
			if m, ok := old.(*Instance); ok && m.Class == v {
				return Errorf(AttributeError, "cannot reassign member '%s'", name)
			}
		}
		v.Attrs.SetStr(name, x)
		return in.Alloc(4 * ValueSize)
	case *NamedTuple:
		if v.methods == nil {
			v.methods = &Class{Name: v.Name, Attrs: NewDict(), Bases: []*Class{TupleClass}, named: v}
			v.methods.MRO = append([]*Class{v.methods}, TupleClass.MRO...)
		}
		v.methods.Attrs.SetStr(name, x)
		return in.Alloc(4 * ValueSize)
	case *Unknown:
		return nil // nobody can read it back
	case HasSetAttr:
		return v.SetAttr(in, name, x)
	}
	if t, ok := v.(*Tuple); ok && t.Class != nil && slices.Contains(t.Class.Fields, name) {
		return Errorf(AttributeError, "can't set attribute")
	}
	if _, ok, err := in.FindAttr(v, name); err == nil && ok {
		return Errorf(AttributeError, "'%s' object attribute '%s' is read-only", v.TypeName(), name)
	}
	return Errorf(AttributeError, "'%s' object has no attribute '%s'", v.TypeName(), name)
}

// HasSetAttr is a value of another package whose attributes may be set.
type HasSetAttr interface {
	SetAttr(in *Interp, name string, v Value) error
}

// HasDelAttr is a value of another package whose attributes may be deleted. DelAttr reports whether there was
// one.
type HasDelAttr interface {
	DelAttr(in *Interp, name string) (bool, error)
}

func (in *Interp) setInstanceAttr(v *Instance, name string, x Value) error {
	if fn := v.Class.Find("__setattr__"); fn != nil && !isBuiltinMethod(fn) {
		_, err := in.CallSpecial(v, fn, Str(name), x)
		return err
	}
	return in.setPlainAttr(v, name, x)
}

// setPlainAttr does what object.__setattr__ does.
func (in *Interp) setPlainAttr(v *Instance, name string, x Value) error {
	switch a := v.Class.Find(name).(type) {
	case *Property:
		if a.Set == nil {
			return Errorf(AttributeError, "property '%s' of '%s' object has no setter", name, v.Class.Name)
		}
		_, err := Call(in, a.Set, []Value{v, x}, nil)
		return err
	case *Instance:
		if set := a.Class.Find("__set__"); set != nil {
			_, err := in.CallSpecial(a, set, v, x)
			return err
		}
	}
	if v.Class.enum != nil && v.Class.enum.closed {
		return Errorf(AttributeError, "cannot reassign member '%s'", name)
	}
	if _, ok := v.Attrs.GetStr(name); !ok {
		if err := in.Alloc(4 * ValueSize); err != nil {
			return err
		}
	}
	v.Attrs.SetStr(name, x)
	return nil
}

func isBuiltinMethod(v Value) bool {
	m, ok := v.(*Method)
	return ok && m.Name != FrozenSetAttr
}

// DelAttr executes del v.name.
func DelAttr(in *Interp, v Value, name string) error {
	switch v := v.(type) {
	case *Instance:
		if fn := Special(v, "__delattr__"); fn != nil {
			_, err := in.CallSpecial(v, fn, Str(name))
			return err
		}
		if p, ok := v.Class.Find(name).(*Property); ok && p.Del != nil {
			_, err := Call(in, p.Del, []Value{v}, nil)
			return err
		}
		if v.Attrs.DeleteStr(name) {
			return nil
		}
	case *Class:
		if !v.Builtin && v.Attrs.DeleteStr(name) {
			return nil
		}
	case HasDelAttr:
		if ok, err := v.DelAttr(in, name); ok || err != nil {
			return err
		}
	case *Unknown:
		return nil
	}
	return noAttr(v, name)
}

// IsDunder reports whether a name is a special one, such as __init__.
func IsDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// Docstring returns the string that a body begins with, or None.
func Docstring(body []python.Stmt) Value {
	if len(body) == 0 {
		return None
	}
	if x, ok := body[0].(*python.ExprStmt); ok {
		if c, ok := x.Value.(*python.Constant); ok {
			if s, ok := c.Value.(string); ok {
				return Str(s)
			}
		}
	}
	return None
}

// FrozenSetAttr is the name of the __setattr__ of a frozen dataclass, by which assignments tell it from
// object's own.
const FrozenSetAttr = "__setattr__ (frozen)"
