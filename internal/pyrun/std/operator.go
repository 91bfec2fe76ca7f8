package std

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func operatorModule() map[string]object.Value {
	vars := map[string]object.Value{}
	for op, name := range object.BinaryNames {
		op := python.Operator(op)
		f := object.Native(name, "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.Binary(in, op, a[0], a[1])
		})
		if name == "and" || name == "or" {
			f.Name += "_"
		}
		g := object.Native("i"+name, "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.InPlace(in, op, a[0], a[1])
		})
		named(vars, f, g)
	}
	for op, name := range object.CompareDunders {
		named(vars, object.Native(name[2:4], "a b",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				return object.Compare(in, op, a[0], a[1])
			}))
	}
	unary := func(name string, op python.UnaryOperator) *object.Builtin {
		return object.Native(name, "a", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.Unary(in, op, a[0])
		})
	}
	return named(vars,
		unary("neg", python.USub), unary("pos", python.UAdd), unary("invert", python.Invert),
		unary("inv", python.Invert), unary("not_", python.Not),
		object.Native("truth", "a", func(in *object.Interp, a []object.Value) (object.Value, error) {
			t, err := object.Truth(in, a[0])
			return object.Bool(t), err
		}),
		object.Native("abs", "a", object.Abs),
		object.Native("index", "a", func(in *object.Interp, a []object.Value) (object.Value, error) {
			n, err := in.ToIndex(a[0])
			return n, err
		}),
		object.Native("is_", "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.Compare(in, python.Is, a[0], a[1])
		}),
		object.Native("is_not", "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.Compare(in, python.IsNot, a[0], a[1])
		}),
		object.Native("contains", "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.Compare(in, python.In, a[1], a[0])
		}),
		object.Native("getitem", "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.GetItem(in, a[0], a[1])
		}),
		object.Native("setitem", "a b c", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.None, object.SetItem(in, a[0], a[1], a[2])
		}),
		object.Native("concat", "a b", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.Binary(in, python.Add, a[0], a[1])
		}),
		object.Native("itemgetter", "*items", itemGetter),
		object.Native("attrgetter", "*names", attrGetter),
		object.Native("methodcaller", "name *args **kws",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				return object.Native("methodcaller", "obj",
					func(in *object.Interp, b []object.Value) (object.Value, error) {
						name, err := object.Text(a[0])
						if err != nil {
							return nil, err
						}
						m, err := object.GetAttr(in, b[0], name)
						if err != nil {
							return nil, err
						}
						return object.Call(in, m, a[1].(*object.Tuple).Items,
							object.KeywordsOf(a[2].(*object.Dict)))
					}), nil
			}),
	)
}

// getter returns a function that takes one thing, or a tuple of several, from its argument.
func getter(name string, keys []object.Value,
	get func(in *object.Interp, v, key object.Value) (object.Value, error)) object.Value {
	return object.Native(name, "obj", func(in *object.Interp, a []object.Value) (object.Value, error) {
		out := object.NewTuple()
		for _, k := range keys {
			x, err := get(in, a[0], k)
			if err != nil || len(keys) == 1 {
				return x, err
			}
			out.Items = append(out.Items, x)
		}
		return out, nil
	})
}

func itemGetter(_ *object.Interp, a []object.Value) (object.Value, error) {
	keys := a[0].(*object.Tuple).Items
	if len(keys) == 0 {
		return nil, object.Errorf(object.TypeError, "itemgetter expected 1 argument, got 0")
	}
	return getter("itemgetter", keys, object.GetItem), nil
}

func attrGetter(_ *object.Interp, a []object.Value) (object.Value, error) {
	names := a[0].(*object.Tuple).Items
	if len(names) == 0 {
		return nil, object.Errorf(object.TypeError, "attrgetter expected 1 argument, got 0")
	}
	for _, n := range names {
		if _, err := object.Text(n); err != nil {
			return nil, object.Errorf(object.TypeError, "attribute name must be a string")
		}
	}
	return getter("attrgetter", names,
		func(in *object.Interp, v, key object.Value) (object.Value, error) {
			path, err := object.Text(key)
			if err != nil {
				return nil, err
			}
			for path != "" {
				name, _, _ := strings.Cut(path, ".")
				path = path[min(len(name)+1, len(path)):]
				if v, err = object.GetAttr(in, v, name); err != nil {
					return nil, err
				}
			}
			return v, nil
		}), nil
}
