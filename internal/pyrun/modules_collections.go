package pyrun

import (
	"slices"
	"strconv"
	"strings"
)

func collectionsModule() map[string]Value {
	return named(map[string]Value{"OrderedDict": orderedClass, "defaultdict": defaultClass, "Counter": counterClass, "UserDict": dictClass},
		native("namedtuple", "typename field_names * rename= defaults= module=", makeNamedTuple),
		native("deque", "iterable= maxlen=", makeDeque),
		native("ChainMap", "*maps", func(in *Interp, a []Value) (Value, error) {
			d := NewDict()
			maps := a[0].(*Tuple).Items
			for i := len(maps) - 1; i >= 0; i-- {
				if err := in.updateDict(d, maps[i]); err != nil {
					return nil, err
				}
			}
			return d, nil
		}),
	)
}

func makeNamedTuple(in *Interp, a []Value) (Value, error) {
	name, err := text(a[0])
	if err != nil {
		return nil, err
	}
	nt := &NamedTuple{Name: name}
	if s, ok := payload(a[1]).(Str); ok {
		nt.Fields = strings.Fields(strings.ReplaceAll(string(s), ",", " "))
	} else {
		items, err := Iterate(in, a[1])
		if err != nil {
			return nil, err
		}
		for _, x := range items {
			f, err := text(x)
			if err != nil {
				return nil, err
			}
			nt.Fields = append(nt.Fields, f)
		}
	}
	if a[3] != nil && a[3] != None {
		if nt.Defaults, err = Iterate(in, a[3]); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for _, f := range nt.Fields {
		if !isIdentifier(f) || strings.HasPrefix(f, "_") {
			return nil, Errorf(ValueError, "Type names and field names must be valid identifiers: %s", quote(f))
		}
		if seen[f] {
			return nil, Errorf(ValueError, "Encountered duplicate field name: %s", quote(f))
		}
		seen[f] = true
	}
	if len(nt.Defaults) > len(nt.Fields) {
		return nil, Errorf(TypeError, "Got more default values than field names")
	}
	return nt, nil
}

// deque is collections.deque: a list with a few methods more and perhaps a bound on its length.
type deque struct {
	list *List
	max  int // -1 for none
}

func (*deque) TypeName() string { return "deque" }

func makeDeque(in *Interp, a []Value) (Value, error) {
	d := &deque{list: &List{}, max: -1}
	if a[1] != nil && a[1] != None {
		n, err := in.asIndex(a[1])
		if err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, Errorf(ValueError, "maxlen must be non-negative")
		}
		d.max = int(n)
	}
	if a[0] != nil {
		items, err := Iterate(in, a[0])
		if err != nil {
			return nil, err
		}
		d.list.Items = append(d.list.Items, items...)
	}
	d.trim(true)
	return d, nil
}

// trim drops what is too much, at the left or at the right.
func (d *deque) trim(left bool) {
	n := len(d.list.Items) - d.max
	if d.max < 0 || n <= 0 {
		return
	}
	if left {
		d.list.Items = d.list.Items[n:]
	} else {
		d.list.Items = d.list.Items[:d.max]
	}
}

func (d *deque) Iter(*Interp) ([]Value, error) { return d.list.Items, nil }

func (d *deque) Len(*Interp) (int, error) { return len(d.list.Items), nil }

func (d *deque) Item(in *Interp, i Value) (Value, error) { return GetItem(in, d.list, i) }

func (d *deque) SetItem(in *Interp, i, v Value) error { return SetItem(in, d.list, i, v) }

func (d *deque) Repr() string {
	s := "deque(" + plainRepr(d.list)
	if d.max >= 0 {
		s += ", maxlen=" + strconv.Itoa(d.max)
	}
	return s + ")"
}

func (d *deque) Attr(in *Interp, name string) (Value, bool, error) {
	method := func(params string, fn func(in *Interp, a []Value) (Value, error)) (Value, bool, error) {
		return native(name, params, fn), true, nil
	}
	switch name {
	case "append", "appendleft":
		return method("x", func(in *Interp, a []Value) (Value, error) {
			if name == "append" {
				d.list.Items = append(d.list.Items, a[0])
			} else {
				d.list.Items = slices.Insert(d.list.Items, 0, a[0])
			}
			d.trim(name == "append")
			return None, in.alloc(valueSize + len(d.list.Items)/4)
		})
	case "popleft":
		return method("", func(in *Interp, _ []Value) (Value, error) {
			if len(d.list.Items) == 0 {
				return nil, Errorf(IndexError, "pop from an empty deque")
			}
			v := d.list.Items[0]
			d.list.Items = d.list.Items[1:]
			return v, nil
		})
	case "extendleft":
		return method("iterable", func(in *Interp, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			out := make([]Value, 0, len(items)+len(d.list.Items))
			for i := len(items) - 1; i >= 0; i-- {
				out = append(out, items[i])
			}
			d.list.Items = append(out, d.list.Items...)
			d.trim(false)
			return None, in.alloc(len(d.list.Items) * valueSize)
		})
	case "extend":
		return method("iterable", func(in *Interp, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			d.list.Items = append(d.list.Items, items...)
			d.trim(true)
			return None, err
		})
	case "rotate":
		return method("n=", func(in *Interp, a []Value) (Value, error) {
			k, err := in.asIndex(orValue(a[0], MakeInt(1)))
			n := int64(len(d.list.Items))
			if err != nil || n == 0 {
				return None, err
			}
			cut := ((-k)%n + n) % n
			d.list.Items = append(append([]Value{}, d.list.Items[cut:]...), d.list.Items[:cut]...)
			return None, in.alloc(int(n) * valueSize)
		})
	case "maxlen":
		if d.max < 0 {
			return None, true, nil
		}
		return MakeInt(int64(d.max)), true, nil
	}
	return in.typeAttr(d.list, name)
}

func contextlibModule() map[string]Value {
	return named(map[string]Value{"ExitStack": nullManager(), "AbstractContextManager": &typing{name: "AbstractContextManager"}},
		native("contextmanager", "fn", func(_ *Interp, a []Value) (Value, error) {
			return &Builtin{Name: "contextmanager", Fn: func(in *Interp, args []Value, kws []Keyword) (Value, error) {
				g, err := Call(in, a[0], args, kws)
				if err != nil {
					return nil, err
				}
				gen, ok := g.(Generator)
				if !ok {
					return g, nil
				}
				return &generatorManager{gen}, nil
			}}, nil
		}),
		native("nullcontext", "enter_result=", func(_ *Interp, a []Value) (Value, error) { return &nullContext{orNone(a[0])}, nil }),
		native("suppress", "*classes", func(_ *Interp, a []Value) (Value, error) { return &suppress{a[0]}, nil }),
		native("redirect_stdout", "target", func(_ *Interp, a []Value) (Value, error) { return &nullContext{a[0]}, nil }),
		native("closing", "thing", func(_ *Interp, a []Value) (Value, error) { return &nullContext{a[0]}, nil }),
	)
}

func nullManager() Value {
	return native("ExitStack", "", func(*Interp, []Value) (Value, error) {
		return nil, unsupported("contextlib.ExitStack")
	})
}

// manager is a context manager written in Go.
func managerAttr(name string, enter func(in *Interp) (Value, error), exit func(in *Interp, a []Value) (Value, error)) (Value, bool, error) {
	switch name {
	case "__enter__":
		return native(name, "", func(in *Interp, _ []Value) (Value, error) { return enter(in) }), true, nil
	case "__exit__":
		return native(name, "type value traceback", exit), true, nil
	}
	return nil, false, nil
}

type nullContext struct{ v Value }

func (*nullContext) TypeName() string { return "nullcontext" }

func (c *nullContext) Attr(_ *Interp, name string) (Value, bool, error) {
	return managerAttr(name, func(*Interp) (Value, error) { return c.v, nil }, func(*Interp, []Value) (Value, error) { return None, nil })
}

type suppress struct{ classes Value }

func (*suppress) TypeName() string { return "suppress" }

func (c *suppress) Attr(_ *Interp, name string) (Value, bool, error) {
	return managerAttr(name, func(*Interp) (Value, error) { return None, nil }, func(in *Interp, a []Value) (Value, error) {
		e, ok := a[1].(*Exception)
		if !ok {
			return Bool(false), nil
		}
		match, err := in.matchesException(e, c.classes)
		return Bool(match), err
	})
}

// generatorManager is what contextlib.contextmanager makes of a generator.
type generatorManager struct{ g Generator }

func (*generatorManager) TypeName() string { return "_GeneratorContextManager" }

func (m *generatorManager) Attr(_ *Interp, name string) (Value, bool, error) {
	return managerAttr(name, m.enter, m.exit)
}

func (m *generatorManager) enter(in *Interp) (Value, error) {
	v, ok, err := m.g.Next(in)
	if err == nil && !ok {
		err = Errorf(RuntimeError, "generator didn't yield")
	}
	return v, err
}

func (m *generatorManager) exit(in *Interp, a []Value) (Value, error) {
	e, raised := a[1].(*Exception)
	var again bool
	var err error
	if raised {
		_, again, err = m.g.Throw(in, e)
		if err == error(e) {
			return Bool(false), nil
		}
	} else {
		_, again, err = m.g.Next(in)
	}
	if err == nil && again {
		err = Errorf(RuntimeError, "generator didn't stop")
	}
	return Bool(raised), err
}
