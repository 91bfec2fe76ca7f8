package object

// Call calls a value.
func Call(in *Interp, f Value, args []Value, kws []Keyword) (Value, error) {
	if fn, ok := f.(Function); ok {
		return fn.Call(in, args, kws)
	}
	if err := in.Enter(); err != nil {
		return nil, err
	}
	defer in.Leave()
	switch f := f.(type) {
	case *Builtin:
		return f.Fn(in, args, kws)
	case *Method:
		return f.Fn(in, args, kws)
	case *BoundMethod:
		return Call(in, f.Fn, append([]Value{f.Self}, args...), kws)
	case *Class:
		return in.instantiate(f, args, kws)
	case *NamedTuple:
		return f.call(in, args, kws)
	case *Unknown:
		return f.call(args), nil
	case *StaticMethod:
		return Call(in, f.Fn, args, kws)
	case Callable:
		return f.Call(in, args, kws)
	}
	if fn := Special(f, "__call__"); fn != nil {
		bound, err := in.bind(fn, f, writtenClass(f))
		if err != nil {
			return nil, err
		}
		return Call(in, bound, args, kws)
	}
	if v, ok := f.(*Instance); ok {
		if u := v.Class.unknownBase(); u != nil {
			return u.call(args), nil
		}
	}
	return nil, Errorf(TypeError, "'%s' object is not callable", f.TypeName())
}

// Function is a function written in Python. Its Call counts a level of recursion itself.
type Function interface {
	Value
	Callable
	// QualifiedName returns the function's name after those of the classes and functions around it.
	QualifiedName() string
	// Attributes returns the attributes that were set on the function; it may be nil.
	Attributes() map[string]Value
}

// isCallable reports whether v can be called: callable(v).
func isCallable(v Value) bool {
	switch v.(type) {
	case *Builtin, *Method, *BoundMethod, *Class, *NamedTuple, *StaticMethod, *Unknown, Callable:
		return true
	}
	return Special(v, "__call__") != nil
}

// Mapping returns v as a dict: v is one, or has keys() and items.
func (in *Interp) Mapping(v Value, what string) (*Dict, error) {
	if d, ok := Payload(v).(*Dict); ok {
		return d, nil
	}
	if u := UnknownOf(v); u != nil {
		return nil, u.Need("the content")
	}
	keys, err := GetAttr(in, v, "keys")
	if err != nil {
		return nil, Errorf(TypeError, "%s must be a mapping, not %s", what, v.TypeName())
	}
	list, err := Call(in, keys, nil, nil)
	if err != nil {
		return nil, err
	}
	items, err := Iterate(in, list)
	if err != nil {
		return nil, err
	}
	d := NewDict()
	for _, k := range items {
		x, err := GetItem(in, v, k)
		if err != nil {
			return nil, err
		}
		if err := d.Set(in, k, x); err != nil {
			return nil, err
		}
	}
	return d, nil
}
