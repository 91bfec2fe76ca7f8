package pyrun

// globals is globals(): the names of a module as a mapping. Reading one evaluates it, as any other use does.
type globals struct{ m *Module }

func (*globals) TypeName() string { return "dict" }

// Item is globals()[name].
func (g *globals) Item(in *Interp, i Value) (Value, error) {
	v, ok, err := g.get(in, i)
	if err == nil && !ok {
		err = &Exception{Class: KeyError, Args: []Value{i}}
	}
	return v, err
}

func (g *globals) get(in *Interp, i Value) (Value, bool, error) {
	name, ok := payload(i).(Str)
	if !ok {
		return nil, false, nil
	}
	return g.m.own(in, string(name))
}

// SetItem is globals()[name] = x.
func (g *globals) SetItem(in *Interp, i, x Value) error {
	name, ok := i.(Str)
	if !ok {
		return Errorf(TypeError, "names are strings")
	}
	return g.m.store(in, string(name), x)
}

// Contains is name in globals().
func (g *globals) Contains(in *Interp, x Value) (bool, error) {
	_, ok, err := g.get(in, x)
	return ok, err
}

// Iter are the names.
func (g *globals) Iter(in *Interp) ([]Value, error) {
	names, err := g.m.Names(in)
	if err != nil {
		return nil, err
	}
	out := make([]Value, len(names))
	for i, n := range names {
		out[i] = Str(n)
	}
	return out, in.alloc(len(out) * valueSize)
}

// Attr are the methods of a mapping.
func (g *globals) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "get":
		return native("get", "name default=", func(in *Interp, a []Value) (Value, error) {
			v, ok, err := g.get(in, a[0])
			if err != nil || ok {
				return v, err
			}
			return orNone(a[1]), nil
		}), true, nil
	case "update":
		return native("update", "other= **kws", func(in *Interp, a []Value) (Value, error) {
			d := NewDict()
			if a[0] != nil {
				if err := in.updateDict(d, a[0]); err != nil {
					return nil, err
				}
			}
			if err := in.updateDict(d, a[1]); err != nil {
				return nil, err
			}
			for k, v := range d.All() {
				if s, ok := k.(Str); ok {
					if err := g.m.store(in, string(s), v); err != nil {
						return nil, err
					}
				}
			}
			return None, nil
		}), true, nil
	case "keys":
		return native("keys", "", func(in *Interp, _ []Value) (Value, error) {
			items, err := g.Iter(in)
			return &List{Items: items}, err
		}), true, nil
	}
	return nil, false, nil
}
