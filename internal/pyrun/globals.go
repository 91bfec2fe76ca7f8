package pyrun

import "github.com/nereid-lang/nereid/internal/pyrun/object"

// globals is the mapping that globals() returns: the names of a module. Reading a name evaluates it, as any
// other use does.
type globals struct{ m *Module }

func (*globals) TypeName() string { return "dict" }

// Item returns globals()[name].
func (g *globals) Item(in *object.Interp, i object.Value) (object.Value, error) {
	v, ok, err := g.get(in, i)
	if err == nil && !ok {
		err = &object.Exception{Class: object.KeyError, Args: []object.Value{i}}
	}
	return v, err
}

func (g *globals) get(in *object.Interp, i object.Value) (object.Value, bool, error) {
	name, ok := object.Payload(i).(object.Str)
	if !ok {
		return nil, false, nil
	}
	return g.m.own(in, string(name))
}

// SetItem executes globals()[name] = x.
func (g *globals) SetItem(in *object.Interp, i, x object.Value) error {
	name, ok := i.(object.Str)
	if !ok {
		return object.Errorf(object.TypeError, "names are strings")
	}
	return g.m.store(in, string(name), x)
}

// Contains reports whether a name is in globals().
func (g *globals) Contains(in *object.Interp, x object.Value) (bool, error) {
	_, ok, err := g.get(in, x)
	return ok, err
}

// Iter returns the names.
func (g *globals) Iter(in *object.Interp) ([]object.Value, error) {
	names, err := g.m.Names(in)
	if err != nil {
		return nil, err
	}
	out := make([]object.Value, len(names))
	for i, n := range names {
		out[i] = object.Str(n)
	}
	return out, in.Alloc(len(out) * object.ValueSize)
}

// Attr returns a method of the mapping.
func (g *globals) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "get":
		return object.Native("get", "name default=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				v, ok, err := g.get(in, a[0])
				if err != nil || ok {
					return v, err
				}
				return object.OrNone(a[1]), nil
			}), true, nil
	case "update":
		return object.Native("update", "other= **kws",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				d := object.NewDict()
				if a[0] != nil {
					if err := in.UpdateDict(d, a[0]); err != nil {
						return nil, err
					}
				}
				if err := in.UpdateDict(d, a[1]); err != nil {
					return nil, err
				}
				for k, v := range d.All() {
					if s, ok := k.(object.Str); ok {
						if err := g.m.store(in, string(s), v); err != nil {
							return nil, err
						}
					}
				}
				return object.None, nil
			}), true, nil
	case "keys":
		return object.Native("keys", "", func(in *object.Interp, _ []object.Value) (object.Value, error) {
			items, err := g.Iter(in)
			return &object.List{Items: items}, err
		}), true, nil
	}
	return nil, false, nil
}
