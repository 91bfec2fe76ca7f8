package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func operatorModule() map[string]Value {
	vars := map[string]Value{}
	for op, name := range dunders {
		op := python.Operator(op)
		f := native(name, "a b", func(in *Interp, a []Value) (Value, error) { return Binary(in, op, a[0], a[1]) })
		if name == "and" || name == "or" {
			f.Name += "_"
		}
		g := native("i"+name, "a b", func(in *Interp, a []Value) (Value, error) { return InPlace(in, op, a[0], a[1]) })
		named(vars, f, g)
	}
	for op, name := range compareDunders {
		named(vars, native(name[2:4], "a b", func(in *Interp, a []Value) (Value, error) { return Compare(in, op, a[0], a[1]) }))
	}
	unary := func(name string, op python.UnaryOperator) *Builtin {
		return native(name, "a", func(in *Interp, a []Value) (Value, error) { return Unary(in, op, a[0]) })
	}
	return named(vars,
		unary("neg", python.USub), unary("pos", python.UAdd), unary("invert", python.Invert), unary("inv", python.Invert), unary("not_", python.Not),
		native("truth", "a", func(in *Interp, a []Value) (Value, error) { t, err := Truth(in, a[0]); return Bool(t), err }),
		native("abs", "a", absOf),
		native("index", "a", func(in *Interp, a []Value) (Value, error) { n, err := in.toIndex(a[0]); return n, err }),
		native("is_", "a b", func(in *Interp, a []Value) (Value, error) { return Compare(in, python.Is, a[0], a[1]) }),
		native("is_not", "a b", func(in *Interp, a []Value) (Value, error) { return Compare(in, python.IsNot, a[0], a[1]) }),
		native("contains", "a b", func(in *Interp, a []Value) (Value, error) { return Compare(in, python.In, a[1], a[0]) }),
		native("getitem", "a b", func(in *Interp, a []Value) (Value, error) { return GetItem(in, a[0], a[1]) }),
		native("setitem", "a b c", func(in *Interp, a []Value) (Value, error) { return None, SetItem(in, a[0], a[1], a[2]) }),
		native("concat", "a b", func(in *Interp, a []Value) (Value, error) { return Binary(in, python.Add, a[0], a[1]) }),
		native("itemgetter", "*items", itemGetter),
		native("attrgetter", "*names", attrGetter),
		native("methodcaller", "name *args **kws", func(_ *Interp, a []Value) (Value, error) {
			return native("methodcaller", "obj", func(in *Interp, b []Value) (Value, error) {
				name, err := text(a[0])
				if err != nil {
					return nil, err
				}
				m, err := GetAttr(in, b[0], name)
				if err != nil {
					return nil, err
				}
				return Call(in, m, a[1].(*Tuple).Items, keywordsOf(a[2].(*Dict)))
			}), nil
		}),
	)
}

// getter makes a function that takes one thing, or a tuple of several, from its argument.
func getter(name string, keys []Value, get func(in *Interp, v, key Value) (Value, error)) Value {
	return native(name, "obj", func(in *Interp, a []Value) (Value, error) {
		out := NewTuple()
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

func itemGetter(_ *Interp, a []Value) (Value, error) {
	return getter("itemgetter", a[0].(*Tuple).Items, GetItem), nil
}

func attrGetter(_ *Interp, a []Value) (Value, error) {
	return getter("attrgetter", a[0].(*Tuple).Items, func(in *Interp, v, key Value) (Value, error) {
		path, err := text(key)
		if err != nil {
			return nil, err
		}
		for path != "" {
			name, _, _ := strings.Cut(path, ".")
			path = path[min(len(name)+1, len(path)):]
			if v, err = GetAttr(in, v, name); err != nil {
				return nil, err
			}
		}
		return v, nil
	}), nil
}
