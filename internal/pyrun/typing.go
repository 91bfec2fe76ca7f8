package pyrun

// typing is a name of module typing: it stands for a type and does nothing.
type typing struct {
	name  string
	class *Class  // the class it stands for where there is one: list for List
	args  []Value // Union[…], Optional[…]
}

var anyType = &typing{name: "Any"}

// lookupTyping gives the names of module typing that are not listed: some form or other.
func lookupTyping(_ *Interp, name string) (Value, bool, error) {
	if name[0] < 'A' || name[0] > 'Z' {
		return nil, false, nil
	}
	return &typing{name: name}, true, nil
}

func (*typing) TypeName() string { return "_SpecialForm" }

// Repr is typing.Any.
func (t *typing) Repr() string { return "typing." + t.name }

// Item is Optional[int] and the like.
func (t *typing) Item(_ *Interp, i Value) (Value, error) {
	out := &typing{name: t.name, class: t.class, args: []Value{i}}
	if x, ok := i.(*Tuple); ok {
		out.args = x.Items
	}
	if t.name == "Annotated" && len(out.args) > 0 {
		return out.args[0], nil
	}
	return out, nil
}

// Attr are those of generic aliases.
func (t *typing) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "__args__":
		return NewTuple(t.args...), true, nil
	case "__origin__":
		if t.class != nil {
			return t.class, true, nil
		}
		return t, true, nil
	case "__name__":
		return Str(t.name), true, nil
	}
	return nil, false, nil
}

// Call makes a value where the name stands for a class: typing.List().
func (t *typing) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	if t.class != nil {
		return Call(in, t.class, args, kws)
	}
	return t, nil // TypeVar("T"), NewType("N", int)
}

// HashKey makes equal forms equal keys.
func (t *typing) HashKey() (any, error) { return t, nil }

func (t *typing) hasInstance(in *Interp, v Value) (bool, error) {
	if t.class != nil {
		return in.isInstance(v, t.class)
	}
	switch t.name {
	case "Callable":
		return isCallable(v), nil
	case "Any":
		return true, nil
	case "Hashable":
		_, _, err := in.hashKey(v)
		return err == nil, nil
	case "Iterable", "Sequence", "Mapping", "MutableMapping", "MutableSequence", "Collection", "Sized", "Iterator":
		return in.isABC(v, t.name), nil
	case "Union", "Optional":
		for _, x := range t.args {
			if ok, err := IsInstanceOf(in, v, x); ok || err != nil {
				return ok, err
			}
		}
		return t.name == "Optional" && v == None, nil
	}
	return false, Errorf(TypeError, "typing.%s cannot be used with isinstance()", t.name)
}

// isABC answers for the abstract classes of collections.abc.
func (in *Interp) isABC(v Value, name string) bool {
	p := payload(v)
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
		return ok || special(v, "__next__") != nil
	case "Sized":
		_, err := Len(in, v)
		return err == nil
	}
	switch p.(type) {
	case *List, *Tuple, Str, Bytes, *Dict, *Set, *Range, *dictView, Iterator, HasIter:
		return true
	}
	return special(v, "__iter__") != nil
}

// typingNamedTuple is typing.NamedTuple: a base class, and a function that makes a named tuple.
type typingNamedTuple struct{}

func (typingNamedTuple) TypeName() string { return "type" }

// Subclass names the class that marks a named tuple.
func (typingNamedTuple) Subclass(*Interp, *Class) (*Class, error) { return tupleClass, nil }

// Call is NamedTuple("P", [("x", int)]).
func (typingNamedTuple) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	if len(args) == 0 {
		return nil, Errorf(TypeError, "NamedTuple() wants a name")
	}
	name, err := text(args[0])
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
			f, err := text(kv[0])
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
