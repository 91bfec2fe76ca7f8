package object

import "github.com/nereid-lang/nereid/internal/python"

// ClassField is a field that a class body declares: name: type.
type ClassField struct {
	Name string
	Type python.Expr
}

// BuildClass makes c, which has the names of its body, a class with those bases and keywords. The result is
// c, or a *NamedTuple where a base is one.
func BuildClass(in *Interp, c *Class, bases []Value, kws []Keyword) (Value, error) {
	for _, b := range bases {
		if err := in.addBase(c, b); err != nil {
			return nil, err
		}
	}
	if nt := namedBase(bases); nt != nil {
		return in.namedTupleClass(c, nt)
	}
	in.setMeta(c, kws)
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	if c.enum != nil {
		if err := c.enum.collect(in, c); err != nil {
			return nil, err
		}
	}
	return c, in.classHooks(c, kws)
}

// addBase adds a base class. A base that is a hint for type checkers adds none.
func (in *Interp) addBase(c *Class, b Value) error {
	switch b := b.(type) {
	case *Class:
		if b.final {
			return Errorf(TypeError, "type '%s' is not an acceptable base type", b.Name)
		}
		c.Bases = append(c.Bases, b)
	case *Unknown:
		c.Unknown = b
	case *NamedTuple:
		if b.methods != nil {
			c.Bases = append(c.Bases, b.methods)
		} else {
			c.Bases = append(c.Bases, TupleClass)
		}
	case *Typing:
		if b.Class != nil {
			c.Bases = append(c.Bases, b.Class)
		}
	case HasSubclass:
		k, err := b.Subclass(in, c)
		if err != nil {
			return err
		}
		if k != nil {
			c.Bases = append(c.Bases, k)
		}
	default:
		return Errorf(TypeError, "bases must be types, not '%s'", b.TypeName())
	}
	return nil
}

// HasSubclass is a value of another package from which a class may derive. Subclass may prepare the class; it
// returns a class to stand among its bases, or nil.
type HasSubclass interface {
	Subclass(in *Interp, c *Class) (*Class, error)
}

func (in *Interp) setMeta(c *Class, kws []Keyword) {
	for _, b := range c.Bases {
		if b.Meta != nil && c.Meta == nil {
			c.Meta = b.Meta
		}
	}
	for _, k := range kws {
		if k.Name != "metaclass" {
			continue
		}
		if m, ok := k.Value.(*Class); ok && m != TypeClass {
			c.Meta = m
		}
	}
}

// finishClass sets the order of resolution and what is inherited.
func (in *Interp) finishClass(c *Class) error {
	if len(c.Bases) == 0 {
		c.Bases = []*Class{ObjectClass}
	}
	mro, err := linearize(c, c.Bases)
	if err != nil {
		return err
	}
	if len(mro) > maxBases {
		return Errorf(RecursionError, "class %s has more than %d bases", c.Name, maxBases)
	}
	if err := in.Work(len(mro) * len(mro)); err != nil {
		return err
	}
	c.MRO = mro
	for _, b := range c.Bases {
		if b.enum != nil {
			if len(b.enum.members) > 0 {
				return Errorf(TypeError, "<enum '%s'> cannot extend <enum '%s'>", c.Name, b.Name)
			}
			c.enum = &enumInfo{flags: b.enum.flags}
		}
	}
	for k, v := range c.Attrs.All() {
		in.adopt(c, string(k.(Str)), v)
	}
	return nil
}

// maxBases bounds the order of resolution.
const maxBases = 200

// adopt makes a static method of __new__, and class methods of other functions, as Python does unasked.
func (in *Interp) adopt(c *Class, name string, v Value) {
	f, ok := v.(Function)
	if !ok {
		return
	}
	switch name {
	case "__new__":
		c.Attrs.SetStr(name, &StaticMethod{f})
	case "__init_subclass__", "__class_getitem__":
		c.Attrs.SetStr(name, &ClassMethod{f})
	}
}

// classHooks calls __set_name__ of attributes and __init_subclass__ of the bases.
func (in *Interp) classHooks(c *Class, kws []Keyword) error {
	for k, v := range c.Attrs.All() {
		if x, ok := v.(*Instance); ok {
			if fn := Special(x, "__set_name__"); fn != nil {
				if _, err := in.CallSpecial(x, fn, c, k); err != nil {
					return err
				}
			}
		}
	}
	hook := c.findAfter(c, "__init_subclass__")
	if hook == nil || IsMethod(hook) {
		return nil
	}
	bound, err := in.bind(hook, nil, c)
	if err != nil {
		return err
	}
	var rest []Keyword
	for _, k := range kws {
		if k.Name != "metaclass" {
			rest = append(rest, k)
		}
	}
	_, err = Call(in, bound, nil, rest)
	return err
}
