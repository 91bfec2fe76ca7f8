package std

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

func collectionsModule() map[string]object.Value {
	return named(map[string]object.Value{"OrderedDict": object.OrderedDictClass,
		"defaultdict": object.DefaultDictClass, "Counter": object.CounterClass, "UserDict": object.DictClass},
		object.Native("namedtuple", "typename field_names * rename= defaults= module=", makeNamedTuple),
		object.Native("deque", "iterable= maxlen=", makeDeque),
		object.Native("ChainMap", "*maps", func(in *object.Interp, a []object.Value) (object.Value, error) {
			d := object.NewDict()
			maps := a[0].(*object.Tuple).Items
			for i := len(maps) - 1; i >= 0; i-- {
				if err := in.UpdateDict(d, maps[i]); err != nil {
					return nil, err
				}
			}
			return d, nil
		}),
	)
}

func makeNamedTuple(in *object.Interp, a []object.Value) (object.Value, error) {
	name, err := object.Text(a[0])
	if err != nil {
		return nil, err
	}
	nt := &object.NamedTuple{Name: name}
	if s, ok := object.Payload(a[1]).(object.Str); ok {
		nt.Fields = strings.Fields(strings.ReplaceAll(string(s), ",", " "))
	} else {
		items, err := object.Iterate(in, a[1])
		if err != nil {
			return nil, err
		}
		for _, x := range items {
			f, err := object.Text(x)
			if err != nil {
				return nil, err
			}
			nt.Fields = append(nt.Fields, f)
		}
	}
	if a[3] != nil && a[3] != object.None {
		if nt.Defaults, err = object.Iterate(in, a[3]); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for _, f := range nt.Fields {
		if !object.IsIdentifier(f) || strings.HasPrefix(f, "_") {
			return nil, object.Errorf(object.ValueError,
				"Type names and field names must be valid identifiers: %s", object.Quote(f))
		}
		if seen[f] {
			return nil, object.Errorf(object.ValueError, "Encountered duplicate field name: %s",
				object.Quote(f))
		}
		seen[f] = true
	}
	if len(nt.Defaults) > len(nt.Fields) {
		return nil, object.Errorf(object.TypeError, "Got more default values than field names")
	}
	return nt, nil
}

// deque is collections.deque: a list with a few methods more and perhaps a bound on its length.
type deque struct {
	list *object.List
	max  int // -1 for none
}

func (*deque) TypeName() string { return "deque" }

func makeDeque(in *object.Interp, a []object.Value) (object.Value, error) {
	d := &deque{list: &object.List{}, max: -1}
	if a[1] != nil && a[1] != object.None {
		n, err := in.AsIndex(a[1])
		if err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, object.Errorf(object.ValueError, "maxlen must be non-negative")
		}
		d.max = int(n)
	}
	if a[0] != nil {
		items, err := object.Iterate(in, a[0])
		if err != nil {
			return nil, err
		}
		d.list.Items = append(d.list.Items, items...)
	}
	d.trim(true)
	return d, nil
}

// trim drops the items beyond the bound, at the left or at the right.
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

func (d *deque) Iter(*object.Interp) ([]object.Value, error) { return d.list.Items, nil }

func (d *deque) Len(*object.Interp) (int, error) { return len(d.list.Items), nil }

func (d *deque) Item(in *object.Interp, i object.Value) (object.Value, error) {
	return object.GetItem(in, d.list, i)
}

func (d *deque) SetItem(in *object.Interp, i, v object.Value) error {
	return object.SetItem(in, d.list, i, v)
}

func (d *deque) Repr() string {
	s := "deque(" + object.PlainRepr(d.list)
	if d.max >= 0 {
		s += ", maxlen=" + strconv.Itoa(d.max)
	}
	return s + ")"
}

func (d *deque) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	method := func(params string,
		fn func(in *object.Interp, a []object.Value) (object.Value, error)) (object.Value, bool, error) {
		return object.Native(name, params, fn), true, nil
	}
	switch name {
	case "append", "appendleft":
		return method("x", func(in *object.Interp, a []object.Value) (object.Value, error) {
			if name == "append" {
				d.list.Items = append(d.list.Items, a[0])
			} else {
				d.list.Items = slices.Insert(d.list.Items, 0, a[0])
			}
			d.trim(name == "append")
			return object.None, in.Alloc(object.ValueSize + len(d.list.Items)/4)
		})
	case "popleft":
		return method("", func(in *object.Interp, _ []object.Value) (object.Value, error) {
			if len(d.list.Items) == 0 {
				return nil, object.Errorf(object.IndexError, "pop from an empty deque")
			}
			v := d.list.Items[0]
			d.list.Items = d.list.Items[1:]
			return v, nil
		})
	case "extendleft":
		return method("iterable", func(in *object.Interp, a []object.Value) (object.Value, error) {
			items, err := object.Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			out := make([]object.Value, 0, len(items)+len(d.list.Items))
			for i := len(items) - 1; i >= 0; i-- {
				out = append(out, items[i])
			}
			d.list.Items = append(out, d.list.Items...)
			d.trim(false)
			return object.None, in.Alloc(len(d.list.Items) * object.ValueSize)
		})
	case "extend":
		return method("iterable", func(in *object.Interp, a []object.Value) (object.Value, error) {
			items, err := object.Iterate(in, a[0])
			d.list.Items = append(d.list.Items, items...)
			d.trim(true)
			return object.None, err
		})
	case "rotate":
		return method("n=", func(in *object.Interp, a []object.Value) (object.Value, error) {
			k, err := in.AsIndex(object.OrElse(a[0], object.MakeInt(1)))
			n := int64(len(d.list.Items))
			if err != nil || n == 0 {
				return object.None, err
			}
			cut := ((-k)%n + n) % n
			d.list.Items = append(append([]object.Value{}, d.list.Items[cut:]...), d.list.Items[:cut]...)
			return object.None, in.Alloc(int(n) * object.ValueSize)
		})
	case "maxlen":
		if d.max < 0 {
			return object.None, true, nil
		}
		return object.MakeInt(int64(d.max)), true, nil
	}
	return in.TypeAttr(d.list, name)
}

func contextlibModule() map[string]object.Value {
	return named(map[string]object.Value{"ExitStack": nullManager(),
		"AbstractContextManager": &object.Typing{Name: "AbstractContextManager"}},
		object.Native("contextmanager", "fn", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return &object.Builtin{Name: "contextmanager",
				Fn: func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
					g, err := object.Call(in, a[0], args, kws)
					if err != nil {
						return nil, err
					}
					gen, ok := g.(object.Generator)
					if !ok {
						return g, nil
					}
					return &generatorManager{gen}, nil
				}}, nil
		}),
		object.Native("nullcontext", "enter_result=",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				return &nullContext{object.OrNone(a[0])}, nil
			}),
		object.Native("suppress", "*classes", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return &suppress{a[0]}, nil
		}),
		object.Native("redirect_stdout", "target",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				return &nullContext{a[0]}, nil
			}),
		object.Native("closing", "thing", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return &nullContext{a[0]}, nil
		}),
	)
}

func nullManager() object.Value {
	return object.Native("ExitStack", "", func(*object.Interp, []object.Value) (object.Value, error) {
		return nil, object.Unsupported("contextlib.ExitStack")
	})
}

// managerAttr returns __enter__ or __exit__ of a context manager written in Go.
func managerAttr(name string, enter func(in *object.Interp) (object.Value, error),
	exit func(in *object.Interp, a []object.Value) (object.Value, error)) (object.Value, bool, error) {
	switch name {
	case "__enter__":
		return object.Native(name, "", func(in *object.Interp, _ []object.Value) (object.Value, error) {
			return enter(in)
		}), true, nil
	case "__exit__":
		return object.Native(name, "type value traceback", exit), true, nil
	}
	return nil, false, nil
}

type nullContext struct{ v object.Value }

func (*nullContext) TypeName() string { return "nullcontext" }

func (c *nullContext) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	return managerAttr(name, func(*object.Interp) (object.Value, error) {
		return c.v, nil
	}, func(*object.Interp, []object.Value) (object.Value, error) { return object.None, nil })
}

type suppress struct{ classes object.Value }

func (*suppress) TypeName() string { return "suppress" }

func (c *suppress) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	return managerAttr(name, func(*object.Interp) (object.Value, error) {
		return object.None, nil
	}, func(in *object.Interp, a []object.Value) (object.Value, error) {
		e, ok := a[1].(*object.Exception)
		if !ok {
			return object.Bool(false), nil
		}
		match, err := in.MatchesException(e, c.classes)
		return object.Bool(match), err
	})
}

// generatorManager is the context manager that contextlib.contextmanager makes of a generator.
type generatorManager struct{ g object.Generator }

func (*generatorManager) TypeName() string { return "_GeneratorContextManager" }

func (m *generatorManager) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	return managerAttr(name, m.enter, m.exit)
}

func (m *generatorManager) enter(in *object.Interp) (object.Value, error) {
	v, ok, err := m.g.Next(in)
	if err == nil && !ok {
		err = object.Errorf(object.RuntimeError, "generator didn't yield")
	}
	return v, err
}

func (m *generatorManager) exit(in *object.Interp, a []object.Value) (object.Value, error) {
	e, raised := a[1].(*object.Exception)
	var again bool
	var err error
	if raised {
		_, again, err = m.g.Throw(in, e)
		if err == error(e) {
			return object.Bool(false), nil
		}
	} else {
		_, again, err = m.g.Next(in)
	}
	if err == nil && again {
		err = object.Errorf(object.RuntimeError, "generator didn't stop")
	}
	return object.Bool(raised), err
}
