package object

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// Class is a class: one of Python's own types, or one written in Python.
type Class struct {
	Name   string
	Bases  []*Class
	MRO    []*Class // itself first
	Attrs  *Dict    // by name
	Meta   *Class   // the metaclass where it is not type
	Def    *python.ClassDef
	Module string // the name of its module
	// Unknown is a base of which nothing is known; attributes that are not found may be there.
	Unknown *Unknown
	// Fields are those that the class body declares, in order.
	Fields []ClassField
	// Data belongs to the class decorator that made the class what it is: the fields of a dataclass.
	Data any

	// make makes an instance, for Python's own types; a derived class makes a payload with it.
	make    func(in *Interp, class *Class, args []Value, kws []Keyword) (Value, error)
	enum    *enumInfo
	named   *NamedTuple // of which this holds the methods
	Builtin bool
	final   bool // no class may derive from it
}

// Instance is an object of a class written in Python. Where that class derives from one of Python's own
// types, the payload is the value of that type.
type Instance struct {
	Class   *Class
	Attrs   *Dict
	Payload Value
}

// TypeName returns the name of the metaclass.
func (c *Class) TypeName() string {
	if c.Meta != nil {
		return c.Meta.Name
	}
	return "type"
}

// TypeName returns the name of the class.
func (v *Instance) TypeName() string { return v.Class.Name }

// NewBuiltinClass returns a class that is written in Go. All interpreters share it, and it never changes
// after init.
func NewBuiltinClass(name string, bases ...*Class) *Class {
	c := &Class{Name: name, Bases: bases, Attrs: NewDict(), Builtin: true}
	c.MRO = []*Class{c}
	if len(bases) > 0 {
		c.MRO = append(c.MRO, bases[0].MRO...)
	}
	return c
}

// maker returns the function that makes instances: the class's own, or that of the nearest base that has one.
func (c *Class) maker() func(in *Interp, class *Class, args []Value, kws []Keyword) (Value, error) {
	for _, k := range c.MRO {
		if k.make != nil {
			return k.make
		}
	}
	return nil
}

func isBuiltinClass(c *Class) bool { return c == nil || c.Builtin }

// linearize returns the order of method resolution of c, C3 as in Python.
func linearize(c *Class, bases []*Class) ([]*Class, error) {
	var lists [][]*Class
	for _, b := range bases {
		lists = append(lists, b.MRO)
	}
	lists = append(lists, bases)
	out := []*Class{c}
	for {
		var head *Class
		empty := true
		for _, l := range lists {
			if len(l) == 0 {
				continue
			}
			empty = false
			if !inTail(lists, l[0]) {
				head = l[0]
				break
			}
		}
		if empty {
			return out, nil
		}
		if head == nil {
			return nil, Errorf(TypeError,
				"Cannot create a consistent method resolution\norder (MRO) for bases %s", baseNames(bases))
		}
		out = append(out, head)
		for i, l := range lists {
			if len(l) > 0 && l[0] == head {
				lists[i] = l[1:]
			}
		}
	}
}

func baseNames(bases []*Class) string {
	var names []string
	for _, b := range bases {
		names = append(names, b.Name)
	}
	return strings.Join(names, ", ")
}

func inTail(lists [][]*Class, c *Class) bool {
	for _, l := range lists {
		for i := 1; i < len(l); i++ {
			if l[i] == c {
				return true
			}
		}
	}
	return false
}

// Find returns an attribute of the class or its bases, unbound; nil when there is none.
func (c *Class) Find(name string) Value {
	v, _ := c.FindIn(name)
	return v
}

// FindIn returns an attribute as Find does, and the class that has it.
func (c *Class) FindIn(name string) (Value, *Class) {
	for _, k := range c.MRO {
		if v, ok := k.Attrs.GetStr(name); ok {
			return v, k
		}
	}
	return nil, nil
}

// findAfter returns an attribute of the bases that follow a class in the order of resolution, for super().
func (c *Class) findAfter(after *Class, name string) Value {
	passed := false
	for _, k := range c.MRO {
		if passed {
			if v, ok := k.Attrs.GetStr(name); ok {
				return v
			}
		}
		passed = passed || k == after
	}
	return nil
}

// before reports whether a comes strictly before b in the order of resolution.
func (c *Class) before(a, b *Class) bool {
	for _, k := range c.MRO {
		switch k {
		case b:
			return false
		case a:
			return true
		}
	}
	return false
}

func (c *Class) isSubclass(base *Class) bool {
	for _, k := range c.MRO {
		if k == base {
			return true
		}
	}
	return false
}

// unknownBase returns a base of which nothing is known, or nil.
func (c *Class) unknownBase() *Unknown {
	for _, k := range c.MRO {
		if k.Unknown != nil {
			return k.Unknown
		}
	}
	return nil
}

// native returns the nearest base that is one of Python's own types.
func (c *Class) native() *Class {
	for _, k := range c.MRO {
		if k.Builtin && k != ObjectClass {
			return k
		}
	}
	return ObjectClass
}

// Methods of classes, as they stand in Attrs.
type (
	// Property is a property.
	Property struct{ Get, Set, Del Value }
	// StaticMethod and ClassMethod wrap a function.
	StaticMethod struct{ Fn Value }
	ClassMethod  struct{ Fn Value }
	// BoundMethod is a function with its first argument.
	BoundMethod struct {
		Self Value
		Fn   Value
	}
	// Method is a method written in Go; it takes self first.
	Method struct{ Builtin }
	// superObject is super(): attributes of the bases after class, bound to self.
	superObject struct {
		class *Class
		self  Value
	}
)

func (*Property) TypeName() string     { return "property" }
func (*StaticMethod) TypeName() string { return "staticmethod" }
func (*ClassMethod) TypeName() string  { return "classmethod" }
func (*BoundMethod) TypeName() string  { return "method" }
func (*Method) TypeName() string       { return "method_descriptor" }
func (*superObject) TypeName() string  { return "super" }

// NewSuper returns super(class, self).
func NewSuper(class *Class, self Value) Value { return &superObject{class, self} }

// IsEnum reports whether the class is an Enum.
func (c *Class) IsEnum() bool { return c.enum != nil }

// HasGet is a descriptor: a value that, as an attribute of a class, gives instances another value than
// itself. Get has a nil instance when the attribute is read from the class.
type HasGet interface {
	Get(in *Interp, instance, owner Value) (Value, error)
}

// bind returns an attribute found in a class as its instance sees it; with a nil instance, as the class does.
func (in *Interp) bind(attr, instance Value, owner *Class) (Value, error) {
	switch a := attr.(type) {
	case Function, *Method:
		if instance == nil {
			return attr, nil
		}
		return &BoundMethod{instance, attr}, nil
	case *StaticMethod:
		return a.Fn, nil
	case *ClassMethod:
		return in.bind(a.Fn, owner, owner)
	case *Property:
		return in.getProperty(a, instance)
	case HasGet:
		return a.Get(in, instance, owner)
	case *Instance:
		get := a.Class.Find("__get__")
		if get == nil {
			return attr, nil
		}
		if instance == nil {
			instance = None
		}
		return in.CallSpecial(a, get, instance, owner)
	}
	return attr, nil
}

func (in *Interp) getProperty(p *Property, instance Value) (Value, error) {
	if instance == nil {
		return p, nil
	}
	if p.Get == nil {
		return nil, Errorf(AttributeError, "property has no getter")
	}
	return Call(in, p.Get, []Value{instance}, nil)
}

// CallSpecial calls a special method that was found in the class of self.
func (in *Interp) CallSpecial(self, fn Value, args ...Value) (Value, error) {
	var owner *Class
	if v, ok := self.(*Instance); ok {
		owner = v.Class
	}
	bound, err := in.bind(fn, self, owner)
	if err != nil {
		return nil, err
	}
	return Call(in, bound, args, nil)
}

// Special returns a special method that a class written in Python gives its instances; nil for other values.
func Special(v Value, name string) Value {
	c := writtenClass(v)
	if c == nil {
		return nil
	}
	for _, k := range c.MRO {
		if k.Builtin {
			continue
		}
		if f, ok := k.Attrs.GetStr(name); ok && f != None {
			return f
		}
	}
	return nil
}

// writtenClass returns the class of a value that may have special methods written in Python; nil for other
// values.
func writtenClass(v Value) *Class {
	switch v := v.(type) {
	case *Instance:
		return v.Class
	case *Exception:
		if !v.Class.Builtin {
			return v.Class
		}
	case *Class:
		return v.Meta
	case *Tuple:
		if v.Class != nil {
			return v.Class.methods
		}
	}
	return nil
}

// Payload returns the value of one of Python's own types behind an instance of a derived class, or v itself.
func Payload(v Value) Value {
	if x, ok := v.(*Instance); ok && x.Payload != nil {
		return x.Payload
	}
	return v
}

// instantiate calls a class.
func (in *Interp) instantiate(c *Class, args []Value, kws []Keyword) (Value, error) {
	if c.Meta != nil {
		if call := c.Meta.Find("__call__"); call != nil && !IsMethod(call) {
			return Call(in, call, append([]Value{c}, args...), kws)
		}
	}
	if c.enum != nil && len(c.enum.members) > 0 {
		return c.enum.byValue(in, c, args)
	}
	if c.Builtin {
		make := c.maker()
		if make == nil || make != nil && c != ObjectClass && c.make == nil && !c.isSubclass(BaseException) {
			return nil, Errorf(TypeError, "cannot create '%s' instances", c.Name)
		}
		return make(in, c, args, kws)
	}
	if err := checkAbstract(c); err != nil {
		return nil, err
	}
	v, err := in.newInstance(c, args, kws)
	if err != nil {
		return nil, err
	}
	return v, in.initInstance(c, v, args, kws)
}

func (in *Interp) newInstance(c *Class, args []Value, kws []Keyword) (Value, error) {
	fn, owner := c.FindIn("__new__")
	if fn == nil || isBuiltinClass(owner) {
		return in.allocate(c, args, kws)
	}
	if s, ok := fn.(*StaticMethod); ok {
		fn = s.Fn
	}
	return Call(in, fn, append([]Value{c}, args...), kws)
}

// allocate does what object.__new__ does, or that of the type of Python from which c derives.
func (in *Interp) allocate(c *Class, args []Value, kws []Keyword) (Value, error) {
	if err := in.Alloc(8 * ValueSize); err != nil {
		return nil, err
	}
	base := c.native()
	if base.isSubclass(BaseException) {
		e := &Exception{Class: c, Args: args}
		return e, nil
	}
	v := &Instance{Class: c, Attrs: NewDict()}
	_, initOwner := c.FindIn("__init__")
	switch {
	case base != ObjectClass && base != TypeClass && base != ABCClass && base.make != nil:
		if !isBuiltinClass(initOwner) && mutableBase(base) {
			args, kws = nil, nil // its __init__ fills it
		}
		p, err := base.make(in, base, args, kws)
		if err != nil {
			return nil, err
		}
		v.Payload = p
	case isBuiltinClass(initOwner) && len(args)+len(kws) > 0 && c.unknownBase() == nil:
		if _, owner := c.FindIn("__new__"); isBuiltinClass(owner) {
			return nil, Errorf(TypeError, "%s() takes no arguments", c.Name)
		}
	}
	return v, nil
}

func mutableBase(c *Class) bool {
	return c.isSubclass(ListClass) || c.isSubclass(DictClass) || c.isSubclass(SetClass)
}

func (in *Interp) initInstance(c *Class, v Value, args []Value, kws []Keyword) error {
	var own *Class
	switch v := v.(type) {
	case *Instance:
		own = v.Class
	case *Exception:
		own = v.Class
	}
	if own == nil || !own.isSubclass(c) {
		return nil // __new__ made something else
	}
	init, owner := own.FindIn("__init__")
	if init == nil || isBuiltinClass(owner) {
		return nil
	}
	bound, err := in.bind(init, v, own)
	if err != nil {
		return err
	}
	r, err := Call(in, bound, args, kws)
	if err == nil && r != None {
		err = Errorf(TypeError, "__init__() should return None, not '%s'", r.TypeName())
	}
	return err
}

// checkAbstract refuses to instantiate a class that has abstract methods left.
func checkAbstract(c *Class) error {
	abstract := c.isSubclass(ABCClass)
	for _, k := range c.MRO {
		abstract = abstract || k.Meta == ABCMetaClass
	}
	if !abstract {
		return nil
	}
	seen := map[string]bool{}
	for _, k := range c.MRO {
		for name, v := range k.Attrs.All() {
			n := string(name.(Str))
			if !seen[n] && isAbstract(v) {
				return Errorf(TypeError, "Can't instantiate abstract class %s with abstract method %s",
					c.Name, n)
			}
			seen[n] = true
		}
	}
	return nil
}

func isAbstract(v Value) bool {
	switch v := v.(type) {
	case Function:
		return v.Attributes()["__isabstractmethod__"] == Bool(true)
	case *Property:
		return v.Get != nil && isAbstract(v.Get)
	case *StaticMethod:
		return isAbstract(v.Fn)
	case *ClassMethod:
		return isAbstract(v.Fn)
	}
	return false
}

func isMethodOf(c *Class, v Value) bool {
	for _, x := range c.Attrs.All() {
		if x == v {
			return true
		}
	}
	return false
}
