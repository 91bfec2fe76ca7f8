package object

// Typing is a name of module typing: it stands for a type and does nothing.
type Typing struct {
	Name  string
	Class *Class  // the class it stands for where there is one: list for List
	Args  []Value // Union[…], Optional[…]
}

// AnyType is typing.Any.
var AnyType = &Typing{Name: "Any"}

// LookupTyping returns a name of module typing that is not listed: any that begins with a capital letter.
func LookupTyping(_ *Interp, name string) (Value, bool, error) {
	if name[0] < 'A' || name[0] > 'Z' {
		return nil, false, nil
	}
	return &Typing{Name: name}, true, nil
}

func (*Typing) TypeName() string { return "_SpecialForm" }

// Repr returns typing.Any and the like.
func (t *Typing) Repr() string { return "typing." + t.Name }

// Item returns Optional[int] and the like.
func (t *Typing) Item(_ *Interp, i Value) (Value, error) {
	out := &Typing{Name: t.Name, Class: t.Class, Args: []Value{i}}
	if x, ok := i.(*Tuple); ok {
		out.Args = x.Items
	}
	if t.Name == "Annotated" && len(out.Args) > 0 {
		return out.Args[0], nil
	}
	return out, nil
}

// Attr returns an attribute of a generic alias.
func (t *Typing) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "__args__":
		return NewTuple(t.Args...), true, nil
	case "__origin__":
		if t.Class != nil {
			return t.Class, true, nil
		}
		return t, true, nil
	case "__name__":
		return Str(t.Name), true, nil
	}
	return nil, false, nil
}

// Call makes a value where the name stands for a class: typing.List().
func (t *Typing) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	if t.Class != nil {
		return Call(in, t.Class, args, kws)
	}
	return t, nil // TypeVar("T"), NewType("N", int)
}

// HashKey lets forms be keys, by identity.
func (t *Typing) HashKey() (any, error) { return t, nil }

func (t *Typing) hasInstance(in *Interp, v Value) (bool, error) {
	if t.Class != nil {
		return in.isInstance(v, t.Class)
	}
	switch t.Name {
	case "Callable":
		return isCallable(v), nil
	case "Any":
		return true, nil
	case "Hashable":
		_, _, err := in.hashKey(v)
		return err == nil, nil
	case "Iterable", "Sequence", "Mapping", "MutableMapping", "MutableSequence", "Collection", "Sized",
		"Iterator":
		return in.isABC(v, t.Name), nil
	case "Union", "Optional":
		for _, x := range t.Args {
			if ok, err := IsInstanceOf(in, v, x); ok || err != nil {
				return ok, err
			}
		}
		return t.Name == "Optional" && v == None, nil
	}
	return false, Errorf(TypeError, "typing.%s cannot be used with isinstance()", t.Name)
}

// isABC reports whether v is an instance of an abstract class of collections.abc.
func (in *Interp) isABC(v Value, name string) bool {
	p := Payload(v)
	switch name {
	case "Mapping", "MutableMapping":
		_, ok := p.(*Dict)
		return ok
	case "Sequence", "MutableSequence":
		switch p.(type) {
		case *List:
			return true
		case *Tuple, Str, *Range, Bytes:
			return name == "Sequence"
		}
		return false
	case "Iterator":
		_, ok := p.(Iterator)
		return ok || Special(v, "__next__") != nil
	case "Sized":
		_, err := Len(in, v)
		return err == nil
	}
	switch p.(type) {
	case *List, *Tuple, Str, Bytes, *Dict, *Set, *Range, *dictView, Iterator, HasIter:
		return true
	}
	return Special(v, "__iter__") != nil
}

// NamedTupleBase is typing.NamedTuple: a base class, and a function that makes a named tuple.
type NamedTupleBase struct{}

func (NamedTupleBase) TypeName() string { return "type" }

// Subclass names the class that marks a named tuple.
func (NamedTupleBase) Subclass(*Interp, *Class) (*Class, error) { return TupleClass, nil }

// Call returns NamedTuple("P", [("x", int)]).
func (NamedTupleBase) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	if len(args) == 0 {
		return nil, Errorf(TypeError, "NamedTuple() wants a name")
	}
	name, err := Text(args[0])
	if err != nil {
		return nil, err
	}
	nt := &NamedTuple{Name: name}
	if len(args) > 1 {
		pairs, err := Iterate(in, args[1])
		if err != nil {
			return nil, err
		}
		for _, p := range pairs {
			kv, err := Iterate(in, p)
			if err != nil {
				return nil, err
			}
			if len(kv) != 2 {
				return nil, Errorf(TypeError, "NamedTuple() wants pairs of a name and a type")
			}
			f, err := Text(kv[0])
			if err != nil {
				return nil, err
			}
			nt.Fields = append(nt.Fields, f)
		}
	}
	for _, k := range kws {
		nt.Fields = append(nt.Fields, k.Name)
	}
	return nt, nil
}
