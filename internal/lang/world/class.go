package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Class is a class under tl.core._aggregate or triton.aggregate: its instances are device values made of
// their fields.
type Class struct {
	Name       string
	FieldNames []string
	Host       *object.Class

	fixed    bool                    // instances do not change: the rules of 3.8
	defaults map[string]object.Value // defaults of fields
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
	if o.Class.fixed {
		e := object.Errorf(object.AttributeError,
			"the field %s of %s cannot be assigned: its instances do not change",
			name, o.Class.Name)
		e.Hint = "make a changed copy: tl.core.aggregate_replace(x, " + name + "=...)"
		return e
	}
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

// aggregate returns the decorator of aggregates, by the rules of the language's release.
func (w *World) aggregate() object.Value {
	return native("_aggregate",
		func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
			if len(args) == 1 {
				if c, ok := args[0].(*object.Class); ok && c.Def != nil {
					return newClass(in, c, w.version.Has(triton.Immutable))
				}
			}
			return nil, object.Errorf(object.TypeError, "_aggregate decorates a class")
		})
}

// newClass makes an aggregate of a class of the host. Since 3.8 it has the fields of the aggregates that it
// derives from, too, and fields may have defaults.
func newClass(in *object.Interp, c *object.Class, fixed bool) (*Class, error) {
	cl := &Class{Name: c.Name, Host: c, fixed: fixed, defaults: map[string]object.Value{}}
	for _, b := range c.Bases {
		if !fixed || b == object.ObjectClass {
			break
		}
		base, ok := b.Data.(*Class)
		if !ok {
			return nil, object.Errorf(object.TypeError, "an aggregate derives from aggregates alone, and %s is none",
				b.Name)
		}
		cl.FieldNames = append(cl.FieldNames, base.FieldNames...)
		for name, v := range base.defaults {
			cl.defaults[name] = v
		}
	}
	for _, s := range c.Def.Body {
		a, ok := s.(*python.AnnAssign)
		if !ok {
			continue
		}
		n, ok := a.Target.(*python.Name)
		if !ok {
			continue
		}
		if !slices.Contains(cl.FieldNames, n.ID) {
			cl.FieldNames = append(cl.FieldNames, n.ID)
		}
		if a.Value != nil && fixed {
			v, err := object.GetAttr(in, c, n.ID)
			if err != nil {
				return nil, err
			}
			cl.defaults[n.ID] = Unwrap(v)
		}
	}
	c.Data = cl
	return cl, nil
}

// Subclass lets a class derive from an aggregate.
func (c *Class) Subclass(*object.Interp, *object.Class) (*object.Class, error) { return c.Host, nil }

// fields makes an instance of a class without __init__: arguments are fields, in their order or by name.
func (c *Class) fields(args []object.Value, kws []object.Keyword) (*Object, error) {
	bad := func(format string, args ...any) (*Object, error) {
		return nil, &sem.Error{Code: sem.CodeArgs, Msg: c.Name + "() " + fmt.Sprintf(format, args...),
			Hint: "its fields are " + strings.Join(c.FieldNames, ", ")}
	}
	if len(args) > len(c.FieldNames) {
		return bad("takes %s, but %d were given", sem.Count(len(c.FieldNames), "argument"), len(args))
	}
	o := &Object{Class: c, Fields: make([]object.Value, len(c.FieldNames))}
	for i, a := range args {
		o.Fields[i] = Unwrap(a)
	}
	for _, k := range kws {
		i := slices.Index(c.FieldNames, k.Name)
		switch {
		case i < 0:
			return bad("has no field %s", k.Name)
		case o.Fields[i] != nil:
			return bad("got the field %s twice", k.Name)
		}
		o.Fields[i] = Unwrap(k.Value)
	}
	for i, f := range c.FieldNames {
		if o.Fields[i] == nil {
			o.Fields[i] = c.defaults[f]
		}
		if o.Fields[i] == nil {
			return bad("is missing its field %s", f)
		}
	}
	return o, nil
}

// replaceFields is tl.core.aggregate_replace: a copy of an instance with other values of some fields.
var replaceFields = native("aggregate_replace",
	func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
		var o *Object
		if len(args) == 1 {
			o, _ = args[0].(*Object)
		}
		if o == nil {
			return nil, object.Errorf(object.TypeError, "aggregate_replace() takes an instance of an aggregate")
		}
		var all []object.Keyword
		for i, f := range o.Class.FieldNames {
			v := o.Fields[i]
			if k := slices.IndexFunc(kws, func(k object.Keyword) bool { return k.Name == f }); k >= 0 {
				v = kws[k].Value
			}
			all = append(all, object.Keyword{Name: f, Value: v})
		}
		for _, k := range kws {
			if !slices.Contains(o.Class.FieldNames, k.Name) {
				return nil, object.Errorf(object.TypeError, "%s has no field %s", o.Class.Name, k.Name)
			}
		}
		return o.Class.Call(in, nil, all)
	})

// Call runs the class's __init__ at compile time; the device values it is given pass through it untouched.
func (c *Class) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	self := &object.Instance{Class: c.Host, Attrs: object.NewDict()}
	if _, own := c.Host.Attrs.GetStr("__init__"); c.fixed && !own {
		return c.fields(args, kws)
	}
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
