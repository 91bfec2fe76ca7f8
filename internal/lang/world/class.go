package world

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Class is a class under tl.core._aggregate: its instances are device values made of their fields.
type Class struct {
	Name       string
	FieldNames []string
	Host       *object.Class
}

// Object is an instance of a Class; Fields are in the order of the class's annotations.
type Object struct {
	Class  *Class
	Fields []object.Value
}

func (*Class) TypeName() string    { return "type" }
func (o *Object) TypeName() string { return o.Class.Name }

// FullName returns the class's name with its module.
func (c *Class) FullName() string {
	if c.Host.Module == "" {
		return c.Name
	}
	return c.Host.Module + "." + c.Name
}

// HasInstance reports whether v is an instance of the class.
func (c *Class) HasInstance(v object.Value) (bool, error) {
	o, ok := v.(*Object)
	return ok && o.Class == c, nil
}

// Attr returns a field, for functions of the host.
func (o *Object) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	v, ok := o.Field(name)
	return v, ok, nil
}

// within reports whether v is o or has o in it.
func (o *Object) within(v object.Value) bool {
	switch v := v.(type) {
	case *Object:
		return v == o || slices.ContainsFunc(v.Fields, o.within)
	case *object.Tuple:
		return slices.ContainsFunc(v.Items, o.within)
	}
	return false
}

// SetAttr changes a field while a plain method runs that may do so.
func (o *Object) SetAttr(_ *object.Interp, name string, v object.Value) error {
	for i, f := range o.Class.FieldNames {
		if f == name {
			v = Unwrap(v)
			if o.within(v) {
				return object.Errorf(object.TypeError, "%s cannot be part of itself, in its field %s",
					o.Class.Name, name)
			}
			o.Fields[i] = v
			return nil
		}
	}
	return object.Errorf(object.AttributeError, "%s has no field %s", o.Class.Name, name)
}

// Field returns the value of a field.
func (o *Object) Field(name string) (object.Value, bool) {
	for i, f := range o.Class.FieldNames {
		if f == name {
			return o.Fields[i], true
		}
	}
	return nil, false
}

var aggregateDecorator = native("_aggregate",
	func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
		if len(args) == 1 {
			if c, ok := args[0].(*object.Class); ok && c.Def != nil {
				return newClass(c), nil
			}
		}
		return nil, object.Errorf(object.TypeError, "_aggregate decorates a class")
	})

func newClass(c *object.Class) *Class {
	cl := &Class{Name: c.Name, Host: c}
	for _, s := range c.Def.Body {
		if a, ok := s.(*python.AnnAssign); ok {
			if n, ok := a.Target.(*python.Name); ok {
				cl.FieldNames = append(cl.FieldNames, n.ID)
			}
		}
	}
	return cl
}

// Call runs the class's __init__ at compile time; the device values it is given pass through it untouched.
func (c *Class) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	self := &object.Instance{Class: c.Host, Attrs: object.NewDict()}
	init, err := object.GetAttr(in, c.Host, "__init__")
	if err != nil {
		return nil, err
	}
	if _, isJIT := init.(*JITFunction); isJIT {
		return nil, &sem.Error{Code: "aggregate", Msg: c.Name + ".__init__ must not be a jit function",
			Hint: "decorate it with @triton.constexpr_function"}
	}
	if _, err := object.Call(in, init, append([]object.Value{self}, args...), kws); err != nil {
		return nil, err
	}
	o := &Object{Class: c, Fields: make([]object.Value, len(c.FieldNames))}
	for i, f := range c.FieldNames {
		v, ok := self.Attrs.GetStr(f)
		if !ok {
			return nil, &sem.Error{Code: "aggregate",
				Msg: fmt.Sprintf("%s.__init__ does not set the field %s", c.Name, f)}
		}
		o.Fields[i] = Unwrap(v)
	}
	return o, nil
}

// Attr returns an attribute of the class itself: a static method, a constant.
func (c *Class) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	if ok, err := object.HasAttribute(in, c.Host, name); !ok || err != nil {
		return nil, false, err
	}
	v, err := object.GetAttr(in, c.Host, name)
	return v, err == nil, err
}
