package object

import "slices"

// Python's own types.
var (
	ObjectClass         = NewBuiltinClass("object")
	TypeClass           = NewBuiltinClass("type", ObjectClass)
	NoneClass           = NewBuiltinClass("NoneType", ObjectClass)
	IntClass            = NewBuiltinClass("int", ObjectClass)
	BoolClass           = NewBuiltinClass("bool", IntClass)
	FloatClass          = NewBuiltinClass("float", ObjectClass)
	ComplexClass        = NewBuiltinClass("complex", ObjectClass)
	StrClass            = NewBuiltinClass("str", ObjectClass)
	BytesClass          = NewBuiltinClass("bytes", ObjectClass)
	TupleClass          = NewBuiltinClass("tuple", ObjectClass)
	ListClass           = NewBuiltinClass("list", ObjectClass)
	DictClass           = NewBuiltinClass("dict", ObjectClass)
	OrderedDictClass    = NewBuiltinClass("OrderedDict", DictClass)
	DefaultDictClass    = NewBuiltinClass("defaultdict", DictClass)
	CounterClass        = NewBuiltinClass("Counter", DictClass)
	SetClass            = NewBuiltinClass("set", ObjectClass)
	FrozensetClass      = NewBuiltinClass("frozenset", ObjectClass)
	RangeClass          = NewBuiltinClass("range", ObjectClass)
	SliceClass          = NewBuiltinClass("slice", ObjectClass)
	FunctionClass       = NewBuiltinClass("function", ObjectClass)
	BuiltinClass        = NewBuiltinClass("builtin_function_or_method", ObjectClass)
	MethodClass         = NewBuiltinClass("method", ObjectClass)
	ModuleClass         = NewBuiltinClass("module", ObjectClass)
	GeneratorClass      = NewBuiltinClass("generator", ObjectClass)
	IteratorClass       = NewBuiltinClass("iterator", ObjectClass)
	PropertyClass       = NewBuiltinClass("property", ObjectClass)
	StaticMethodClass   = NewBuiltinClass("staticmethod", ObjectClass)
	ClassMethodClass    = NewBuiltinClass("classmethod", ObjectClass)
	SuperClass          = NewBuiltinClass("super", ObjectClass)
	EllipsisClass       = NewBuiltinClass("ellipsis", ObjectClass)
	ViewClass           = NewBuiltinClass("dict_view", ObjectClass)
	NotImplementedClass = NewBuiltinClass("NotImplementedType", ObjectClass)
	ABCClass            = NewBuiltinClass("ABC", ObjectClass)
	ABCMetaClass        = NewBuiltinClass("ABCMeta", TypeClass)
	ZipClass            = NewBuiltinClass("zip", IteratorClass)
	MapClass            = NewBuiltinClass("map", IteratorClass)
	FilterClass         = NewBuiltinClass("filter", IteratorClass)
	EnumerateClass      = NewBuiltinClass("enumerate", IteratorClass)
	ReversedClass       = NewBuiltinClass("reversed", IteratorClass)
)

// notImplemented is the type of NotImplemented.
type notImplemented struct{}

// NotImplemented is what a special method returns to let the other operand try.
var NotImplemented Value = notImplemented{}

func (notImplemented) TypeName() string { return "NotImplementedType" }
func (notImplemented) Repr() string     { return "NotImplemented" }

// HasBuiltinClass is a value of another package whose class is one of Python's own.
type HasBuiltinClass interface{ BuiltinClass() *Class }

// typeOf returns type(v).
func (in *Interp) typeOf(v Value) Value {
	if t, ok := v.(*Tuple); ok && t.Class != nil {
		return t.Class
	}
	if c := in.Class(v); c != nil {
		return c
	}
	return in.ClassOf(v)
}

// ClassOf returns the class in which the methods of v are found.
func (in *Interp) ClassOf(v Value) *Class {
	switch x := v.(type) {
	case *Instance:
		return x.Class
	case *Exception:
		return x.Class
	case Str:
		return StrClass
	case Int:
		return IntClass
	case Bool:
		return BoolClass
	case Float:
		return FloatClass
	case NoneType:
		return NoneClass
	case *List:
		return ListClass
	case *Tuple:
		if x.Class != nil && x.Class.methods != nil {
			return x.Class.methods
		}
		return TupleClass
	case *Dict:
		return dictClasses[x.Name]
	case *Set:
		if x.Frozen {
			return FrozensetClass
		}
		return SetClass
	case *Class:
		if x.Meta != nil {
			return x.Meta
		}
		return TypeClass
	}
	return in.otherClass(v)
}

var dictClasses = map[string]*Class{"": DictClass, "OrderedDict": OrderedDictClass,
	"defaultdict": DefaultDictClass, "Counter": CounterClass}

func (in *Interp) otherClass(v Value) *Class {
	switch x := v.(type) {
	case HasBuiltinClass:
		return x.BuiltinClass()
	case Bytes:
		return BytesClass
	case EllipsisType:
		return EllipsisClass
	case *Range:
		return RangeClass
	case *Slice:
		return SliceClass
	case *Builtin, *Method:
		return BuiltinClass
	case *BoundMethod:
		return MethodClass
	case *Property:
		return PropertyClass
	case *StaticMethod:
		return StaticMethodClass
	case *ClassMethod:
		return ClassMethodClass
	case *superObject:
		return SuperClass
	case *dictView:
		return ViewClass
	case *NamedTuple:
		return TypeClass
	case notImplemented:
		return NotImplementedClass
	case Iterator:
		return in.iteratorClassOf(v.TypeName())
	}
	return in.foreignClass(v.TypeName())
}

func (in *Interp) iteratorClassOf(name string) *Class {
	for _, c := range []*Class{ZipClass, MapClass, FilterClass, EnumerateClass, ReversedClass} {
		if c.Name == name {
			return c
		}
	}
	c := in.foreignClass(name)
	if len(c.MRO) == 2 {
		c.Bases, c.MRO = []*Class{IteratorClass}, []*Class{c, IteratorClass, ObjectClass}
	}
	return c
}

// foreignClass returns the class of values that another package defines without a class.
func (in *Interp) foreignClass(name string) *Class {
	c, ok := in.foreign[name]
	if !ok {
		c = NewBuiltinClass(name, ObjectClass)
		in.foreign[name] = c
	}
	return c
}

// IsInstanceOf reports whether v is an instance of class, which may be a tuple of classes.
func IsInstanceOf(in *Interp, v, class Value) (bool, error) {
	if err := in.Enter(); err != nil {
		return false, err
	}
	defer in.Leave()
	switch c := class.(type) {
	case *Tuple:
		for _, x := range c.Items {
			if ok, err := IsInstanceOf(in, v, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *Union:
		return IsInstanceOf(in, v, NewTuple(c.Types...))
	case NoneType:
		return v == None, nil
	case IsInstance:
		return c.HasInstance(v)
	}
	if u := UnknownOf(v); u != nil {
		if class == Value(ObjectClass) {
			return true, nil
		}
		return false, u.Need("the type")
	}
	switch c := class.(type) {
	case *Class:
		return in.isInstance(v, c)
	case *NamedTuple:
		t, ok := v.(*Tuple)
		return ok && t.Class.derives(c), nil
	case *Typing:
		return c.hasInstance(in, v)
	case *Unknown:
		return in.isUnknownInstance(v, c)
	}
	return false, Errorf(TypeError, "isinstance() arg 2 must be a type, a tuple of types, or a union")
}

func (in *Interp) isInstance(v Value, c *Class) (bool, error) {
	if c.Meta != nil {
		if fn := c.Meta.Find("__instancecheck__"); fn != nil {
			r, err := in.CallSpecial(c, fn, v)
			return TruthOf(in, r, err)
		}
	}
	own := in.ClassOf(v)
	if own.isSubclass(c) {
		return true, nil
	}
	if u := own.unknownBase(); u != nil && c.Unknown == nil && !c.Builtin {
		return false, nil
	}
	return false, nil
}

// isUnknownInstance reports whether v is an instance of u, a class of an unknown package. It is none, unless
// its own class derives from something unknown: then nobody can say.
func (in *Interp) isUnknownInstance(v Value, u *Unknown) (bool, error) {
	if x, ok := v.(*Instance); ok && x.Class.unknownBase() != nil {
		return false, u.Need("the instances")
	}
	return false, nil
}

// IsSubclassOf reports whether c is a subclass of class, which may be a tuple of classes.
func IsSubclassOf(in *Interp, c, class Value) (bool, error) {
	if err := in.Enter(); err != nil {
		return false, err
	}
	defer in.Leave()
	switch k := class.(type) {
	case *Tuple:
		for _, x := range k.Items {
			if ok, err := IsSubclassOf(in, c, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *Class:
		switch c := c.(type) {
		case *Class:
			return c.isSubclass(k), nil
		case *NamedTuple:
			return TupleClass.isSubclass(k), nil
		}
	case *NamedTuple:
		if c, ok := c.(*NamedTuple); ok {
			return c.derives(k), nil
		}
		return false, nil
	}
	if u := UnknownOf(c, class); u != nil {
		return false, u.Need("the bases")
	}
	return false, Errorf(TypeError, "issubclass() arg 1 must be a class")
}

// IsType reports whether v may stand for a type in an annotation.
func IsType(v Value) bool {
	switch v.(type) {
	case *Class, *NamedTuple, *Typing, *Union:
		return true
	}
	return false
}

// Union is int | str.
type Union struct{ Types []Value }

func (*Union) TypeName() string { return "UnionType" }

func (u *Union) Repr() string {
	s := ""
	for i, t := range u.Types {
		if i > 0 {
			s += " | "
		}
		switch t := t.(type) {
		case *Class:
			s += t.Name
		default:
			s += PlainRepr(t)
		}
	}
	return s
}

func unionType(a, b Value) Value {
	u := &Union{}
	for _, v := range []Value{a, b} {
		parts := []Value{v}
		if x, ok := v.(*Union); ok {
			parts = x.Types
		}
		for _, p := range parts {
			if !slices.ContainsFunc(u.Types, func(q Value) bool { return Is(p, q) }) {
				u.Types = append(u.Types, p)
			}
		}
	}
	if len(u.Types) == 1 {
		return u.Types[0]
	}
	return u
}
