package pyrun

import "slices"

// Python's own types.
var (
	objectClass    = newBuiltinClass("object")
	typeClass      = newBuiltinClass("type", objectClass)
	noneClass      = newBuiltinClass("NoneType", objectClass)
	intClass       = newBuiltinClass("int", objectClass)
	boolClass      = newBuiltinClass("bool", intClass)
	floatClass     = newBuiltinClass("float", objectClass)
	complexClass   = newBuiltinClass("complex", objectClass)
	strClass       = newBuiltinClass("str", objectClass)
	bytesClass     = newBuiltinClass("bytes", objectClass)
	tupleClass     = newBuiltinClass("tuple", objectClass)
	listClass      = newBuiltinClass("list", objectClass)
	dictClass      = newBuiltinClass("dict", objectClass)
	orderedClass   = newBuiltinClass("OrderedDict", dictClass)
	defaultClass   = newBuiltinClass("defaultdict", dictClass)
	counterClass   = newBuiltinClass("Counter", dictClass)
	setClass       = newBuiltinClass("set", objectClass)
	frozensetClass = newBuiltinClass("frozenset", objectClass)
	rangeClass     = newBuiltinClass("range", objectClass)
	sliceClass     = newBuiltinClass("slice", objectClass)
	functionClass  = newBuiltinClass("function", objectClass)
	builtinClass   = newBuiltinClass("builtin_function_or_method", objectClass)
	methodClass    = newBuiltinClass("method", objectClass)
	moduleClass    = newBuiltinClass("module", objectClass)
	generatorClass = newBuiltinClass("generator", objectClass)
	iteratorClass  = newBuiltinClass("iterator", objectClass)
	propertyClass  = newBuiltinClass("property", objectClass)
	staticClass    = newBuiltinClass("staticmethod", objectClass)
	classmethClass = newBuiltinClass("classmethod", objectClass)
	superClass     = newBuiltinClass("super", objectClass)
	ellipsisClass  = newBuiltinClass("ellipsis", objectClass)
	viewClass      = newBuiltinClass("dict_view", objectClass)
	notImplClass   = newBuiltinClass("NotImplementedType", objectClass)
	abcClass       = newBuiltinClass("ABC", objectClass)
	abcMetaClass   = newBuiltinClass("ABCMeta", typeClass)
	zipClass       = newBuiltinClass("zip", iteratorClass)
	mapClass       = newBuiltinClass("map", iteratorClass)
	filterClass    = newBuiltinClass("filter", iteratorClass)
	enumerateClass = newBuiltinClass("enumerate", iteratorClass)
	reversedClass  = newBuiltinClass("reversed", iteratorClass)
)

// notImplemented is the type of NotImplemented.
type notImplemented struct{}

// NotImplemented is what a special method returns to let the other operand try.
var NotImplemented Value = notImplemented{}

func (notImplemented) TypeName() string { return "NotImplementedType" }
func (notImplemented) Repr() string     { return "NotImplemented" }

// HasClass is a value of another package whose class is a value too: what type(v) is.
type HasClass interface{ Class() Value }

// HasBuiltinClass is a value of another package whose class is one of Python's own.
type HasBuiltinClass interface{ BuiltinClass() *Class }

// typeOf is type(v).
func (in *Interp) typeOf(v Value) Value {
	if t, ok := v.(*Tuple); ok && t.Class != nil {
		return t.Class
	}
	if x, ok := v.(HasClass); ok {
		return x.Class()
	}
	return in.classOf(v)
}

// classOf is the class in which the methods of v are found.
func (in *Interp) classOf(v Value) *Class {
	switch x := v.(type) {
	case *Instance:
		return x.Class
	case *Exception:
		return x.Class
	case Str:
		return strClass
	case Int:
		return intClass
	case Bool:
		return boolClass
	case Float:
		return floatClass
	case NoneType:
		return noneClass
	case *List:
		return listClass
	case *Tuple:
		if x.Class != nil && x.Class.methods != nil {
			return x.Class.methods
		}
		return tupleClass
	case *Dict:
		return dictClasses[x.Name]
	case *Set:
		if x.Frozen {
			return frozensetClass
		}
		return setClass
	case *Class:
		if x.Meta != nil {
			return x.Meta
		}
		return typeClass
	}
	return in.otherClass(v)
}

var dictClasses = map[string]*Class{"": dictClass, "OrderedDict": orderedClass, "defaultdict": defaultClass, "Counter": counterClass}

func (in *Interp) otherClass(v Value) *Class {
	switch x := v.(type) {
	case HasBuiltinClass:
		return x.BuiltinClass()
	case Bytes:
		return bytesClass
	case EllipsisType:
		return ellipsisClass
	case *Range:
		return rangeClass
	case *Slice:
		return sliceClass
	case *Builtin, *method:
		return builtinClass
	case *BoundMethod:
		return methodClass
	case *Property:
		return propertyClass
	case *StaticMethod:
		return staticClass
	case *ClassMethod:
		return classmethClass
	case *superObject:
		return superClass
	case *dictView:
		return viewClass
	case *NamedTuple:
		return typeClass
	case notImplemented:
		return notImplClass
	case Iterator:
		return in.iteratorClassOf(v.TypeName())
	}
	return in.foreignClass(v.TypeName())
}

func (in *Interp) iteratorClassOf(name string) *Class {
	for _, c := range []*Class{zipClass, mapClass, filterClass, enumerateClass, reversedClass} {
		if c.Name == name {
			return c
		}
	}
	c := in.foreignClass(name)
	if len(c.MRO) == 2 {
		c.Bases, c.MRO = []*Class{iteratorClass}, []*Class{c, iteratorClass, objectClass}
	}
	return c
}

// foreignClass is the class of values that another package defines and gives no class.
func (in *Interp) foreignClass(name string) *Class {
	c, ok := in.foreign[name]
	if !ok {
		c = newBuiltinClass(name, objectClass)
		in.foreign[name] = c
	}
	return c
}

// IsInstanceOf is isinstance(v, class); class may be a tuple of classes.
func IsInstanceOf(in *Interp, v, class Value) (bool, error) {
	if err := in.enter(); err != nil {
		return false, err
	}
	defer in.leave()
	switch c := class.(type) {
	case *Tuple:
		for _, x := range c.Items {
			if ok, err := IsInstanceOf(in, v, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *union:
		return IsInstanceOf(in, v, NewTuple(c.types...))
	case NoneType:
		return v == None, nil
	case IsInstance:
		return c.HasInstance(v)
	}
	if u := unknownOf(v); u != nil {
		if class == Value(objectClass) {
			return true, nil
		}
		return false, u.need("the type")
	}
	switch c := class.(type) {
	case *Class:
		return in.isInstance(v, c)
	case *NamedTuple:
		t, ok := v.(*Tuple)
		return ok && t.Class.derives(c), nil
	case *typing:
		return c.hasInstance(in, v)
	case *Unknown:
		return in.isUnknownInstance(v, c)
	}
	return false, Errorf(TypeError, "isinstance() arg 2 must be a type, a tuple of types, or a union")
}

func (in *Interp) isInstance(v Value, c *Class) (bool, error) {
	if c.Meta != nil {
		if fn := c.Meta.find("__instancecheck__"); fn != nil {
			r, err := in.callSpecial(c, fn, v)
			return truthOf(in, r, err)
		}
	}
	if x, ok := v.(HasClass); ok {
		own, ok := x.Class().(*Class)
		return ok && own.isSubclass(c) || c == objectClass, nil
	}
	own := in.classOf(v)
	if own.isSubclass(c) {
		return true, nil
	}
	if u := own.unknownBase(); u != nil && c.Unknown == nil && !c.builtin {
		return false, nil
	}
	return false, nil
}

// isUnknownInstance: a value of Python's own types, or of a class written here, is no instance of a class of an unknown
// package, unless that class derives from one.
func (in *Interp) isUnknownInstance(v Value, u *Unknown) (bool, error) {
	if x, ok := v.(*Instance); ok && x.Class.unknownBase() != nil {
		return false, u.need("the instances")
	}
	return false, nil
}

// isSubclassOf is issubclass(c, class).
func isSubclassOf(in *Interp, c, class Value) (bool, error) {
	if err := in.enter(); err != nil {
		return false, err
	}
	defer in.leave()
	switch k := class.(type) {
	case *Tuple:
		for _, x := range k.Items {
			if ok, err := isSubclassOf(in, c, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *Class:
		switch c := c.(type) {
		case *Class:
			return c.isSubclass(k), nil
		case *NamedTuple:
			return tupleClass.isSubclass(k), nil
		}
	case *NamedTuple:
		if c, ok := c.(*NamedTuple); ok {
			return c.derives(k), nil
		}
		return false, nil
	}
	if u := unknownOf(c, class); u != nil {
		return false, u.need("the bases")
	}
	return false, Errorf(TypeError, "issubclass() arg 1 must be a class")
}

// isType reports whether v may stand for a type in an annotation.
func isType(v Value) bool {
	switch v.(type) {
	case *Class, *NamedTuple, *typing, *union:
		return true
	}
	return false
}

// union is int | str.
type union struct{ types []Value }

func (*union) TypeName() string { return "UnionType" }

func (u *union) Repr() string {
	s := ""
	for i, t := range u.types {
		if i > 0 {
			s += " | "
		}
		switch t := t.(type) {
		case *Class:
			s += t.Name
		default:
			s += plainRepr(t)
		}
	}
	return s
}

func unionType(a, b Value) Value {
	u := &union{}
	for _, v := range []Value{a, b} {
		parts := []Value{v}
		if x, ok := v.(*union); ok {
			parts = x.types
		}
		for _, p := range parts {
			if !slices.ContainsFunc(u.types, func(q Value) bool { return Is(p, q) }) {
				u.types = append(u.types, p)
			}
		}
	}
	if len(u.types) == 1 {
		return u.types[0]
	}
	return u
}
