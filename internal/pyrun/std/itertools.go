package std

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func itertoolsModule() map[string]object.Value {
	chain := object.Native("chain", "*iterables",
		func(in *object.Interp, a []object.Value) (object.Value, error) {
			return chained(object.NewSliceIter("chain", a[0].(*object.Tuple).Items)), nil
		})
	vars := named(map[string]object.Value{},
		object.Native("product", "*iterables repeat=", productOf),
		object.Native("count", "start= step=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				n, step := object.OrElse(a[0], object.MakeInt(0)), object.OrElse(a[1], object.MakeInt(1))
				return object.NewIterator("count", func(in *object.Interp) (object.Value, bool, error) {
					v := n
					var err error
					n, err = object.Binary(in, python.Add, n, step)
					return v, true, err
				}), nil
			}),
		object.Native("repeat", "object times=", repeatOf),
		object.Native("cycle", "iterable", cycle),
		object.Native("accumulate", "iterable func= initial=", accumulate),
		object.Native("islice", "iterable start stop= step=", islice),
		object.Native("starmap", "fn iterable", starMap),
		object.Native("takewhile", "fn iterable", takeWhile),
		object.Native("dropwhile", "fn iterable", dropWhile),
		object.Native("filterfalse", "fn iterable", filterFalse),
		object.Native("compress", "data selectors", compress),
		object.Native("zip_longest", "*iterables fillvalue=", zipLongest),
		object.Native("pairwise", "iterable", pairwise),
		object.Native("combinations", "iterable r",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				return choose(in, "combinations", a, chooseOrdered)
			}),
		object.Native("combinations_with_replacement", "iterable r",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				return choose(in, "combinations_with_replacement", a, chooseRepeated)
			}),
		object.Native("permutations", "iterable r=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				return choose(in, "permutations", a, chooseAny)
			}),
		object.Native("groupby", "iterable key=", groupBy),
		object.Native("tee", "iterable n=", tee),
	)
	vars["chain"] = &namespaceFunc{chain,
		map[string]object.Value{"from_iterable": object.Native("from_iterable", "iterable",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				it, err := object.Iter(in, a[0])
				if err != nil {
					return nil, err
				}
				return chained(it), nil
			})}}
	return vars
}

// namespaceFunc is a function with attributes.
type namespaceFunc struct {
	fn    *object.Builtin
	attrs map[string]object.Value
}

func (f *namespaceFunc) TypeName() string { return "type" }

func (f *namespaceFunc) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value,
	error) {
	return f.fn.Fn(in, args, kws)
}

func (f *namespaceFunc) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	v, ok := f.attrs[name]
	if !ok && name == "__name__" {
		return object.Str(f.fn.Name), true, nil
	}
	return v, ok, nil
}

func chained(over object.Iterator) object.Iterator {
	var cur object.Iterator
	return object.NewIterator("chain", func(in *object.Interp) (object.Value, bool, error) {
		for {
			if cur != nil {
				if v, ok, err := cur.Next(in); ok || err != nil {
					return v, ok, err
				}
			}
			next, ok, err := over.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			if cur, err = object.Iter(in, next); err != nil {
				return nil, false, err
			}
			if err := in.Work(1); err != nil {
				return nil, false, err
			}
		}
	})
}

func repeatOf(in *object.Interp, a []object.Value) (object.Value, error) {
	left := int64(-1)
	if a[1] != nil {
		n, err := in.AsIndex(a[1])
		if err != nil {
			return nil, err
		}
		left = max(n, 0)
	}
	return object.NewIterator("repeat", func(*object.Interp) (object.Value, bool, error) {
		if left == 0 {
			return nil, false, nil
		}
		left--
		return a[0], true, nil
	}), nil
}

func cycle(in *object.Interp, a []object.Value) (object.Value, error) {
	items, err := object.Iterate(in, a[0])
	i := 0
	return object.NewIterator("cycle", func(*object.Interp) (object.Value, bool, error) {
		if len(items) == 0 {
			return nil, false, nil
		}
		v := items[i%len(items)]
		i++
		return v, true, nil
	}), err
}

func accumulate(in *object.Interp, a []object.Value) (object.Value, error) {
	it, err := object.Iter(in, a[0])
	acc, started := a[2], false
	return object.NewIterator("accumulate", func(in *object.Interp) (object.Value, bool, error) {
		if !started && acc != nil && acc != object.None {
			started = true
			return acc, true, nil
		}
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		switch {
		case !started:
			acc = v
		case a[1] == nil || a[1] == object.None:
			acc, err = object.Binary(in, python.Add, acc, v)
		default:
			acc, err = object.Call(in, a[1], []object.Value{acc, v}, nil)
		}
		started = true
		return acc, err == nil, err
	}), err
}

func islice(in *object.Interp, a []object.Value) (object.Value, error) {
	it, err := object.Iter(in, a[0])
	if err != nil {
		return nil, err
	}
	lo, hi, step := int64(0), int64(-1), int64(1)
	one := a[2] == nil
	if one {
		a[1], a[2] = object.None, a[1]
	}
	for i, p := range []*int64{&lo, &hi, &step} {
		if v := a[1+i]; v != nil && v != object.None {
			n, err := in.AsIndex(v)
			if err != nil {
				return nil, err
			}
			if n < 0 {
				what := "Indices"
				if one {
					what = "Stop argument"
				}
				return nil, object.Errorf(object.ValueError,
					"%s for islice() must be None or an integer: 0 <= x <= sys.maxsize.", what)
			}
			*p = n
		}
	}
	if step == 0 {
		return nil, object.Errorf(object.ValueError, "Step for islice() must be a positive integer or None.")
	}
	at, want := int64(0), lo
	return object.NewIterator("islice", func(in *object.Interp) (object.Value, bool, error) {
		for hi < 0 || want < hi {
			v, ok, err := it.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			at++
			if at > want {
				want += step
				return v, true, nil
			}
			if err := in.Work(1); err != nil {
				return nil, false, err
			}
		}
		return nil, false, nil
	}), nil
}

func starMap(in *object.Interp, a []object.Value) (object.Value, error) {
	it, err := object.Iter(in, a[1])
	return object.NewIterator("starmap", func(in *object.Interp) (object.Value, bool, error) {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		args, err := object.Iterate(in, v)
		if err != nil {
			return nil, false, err
		}
		r, err := object.Call(in, a[0], args, nil)
		return r, err == nil, err
	}), err
}

func takeWhile(in *object.Interp, a []object.Value) (object.Value, error) {
	it, err := object.Iter(in, a[1])
	return object.NewIterator("takewhile", func(in *object.Interp) (object.Value, bool, error) {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		r, err := object.Call(in, a[0], []object.Value{v}, nil)
		t, err := object.TruthOf(in, r, err)
		return v, t, err
	}), err
}

func dropWhile(in *object.Interp, a []object.Value) (object.Value, error) {
	it, err := object.Iter(in, a[1])
	dropped := false
	return object.NewIterator("dropwhile", func(in *object.Interp) (object.Value, bool, error) {
		for {
			v, ok, err := it.Next(in)
			if err != nil || !ok || dropped {
				return v, ok, err
			}
			r, err := object.Call(in, a[0], []object.Value{v}, nil)
			t, err := object.TruthOf(in, r, err)
			if err != nil {
				return nil, false, err
			}
			if !t {
				dropped = true
				return v, true, nil
			}
			if err := in.Work(1); err != nil {
				return nil, false, err
			}
		}
	}), err
}

func filterFalse(in *object.Interp, a []object.Value) (object.Value, error) {
	not := object.Native("not", "x", func(in *object.Interp, b []object.Value) (object.Value, error) {
		r, err := object.KeyOf(in, a[0], b[0])
		t, err := object.TruthOf(in, r, err)
		return object.Bool(!t), err
	})
	return object.Call(in, object.FilterClass, []object.Value{not, a[1]}, nil)
}

func compress(in *object.Interp, a []object.Value) (object.Value, error) {
	its, err := object.Iterators(in, a)
	return object.NewIterator("compress", func(in *object.Interp) (object.Value, bool, error) {
		for {
			row, ended, err := object.NextOfEach(in, its)
			if err != nil || ended >= 0 {
				return nil, false, err
			}
			if t, err := object.Truth(in, row[1]); err != nil || t {
				return row[0], err == nil, err
			}
			if err := in.Work(1); err != nil {
				return nil, false, err
			}
		}
	}), err
}

func zipLongest(in *object.Interp, a []object.Value) (object.Value, error) {
	its, err := object.Iterators(in, a[0].(*object.Tuple).Items)
	return object.NewIterator("zip_longest", func(in *object.Interp) (object.Value, bool, error) {
		if err := in.Work(len(its)); err != nil {
			return nil, false, err
		}
		row := make([]object.Value, len(its))
		some := false
		for i, it := range its {
			row[i] = object.OrNone(a[1])
			if it == nil {
				continue
			}
			v, ok, err := it.Next(in)
			if err != nil {
				return nil, false, err
			}
			if !ok {
				its[i] = nil
				continue
			}
			row[i], some = v, true
		}
		return &object.Tuple{Items: row}, some, nil
	}), err
}

func pairwise(in *object.Interp, a []object.Value) (object.Value, error) {
	it, err := object.Iter(in, a[0])
	var last object.Value
	return object.NewIterator("pairwise", func(in *object.Interp) (object.Value, bool, error) {
		for {
			v, ok, err := it.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			pair := object.NewTuple(last, v)
			if last = v; pair.Items[0] != nil {
				return pair, true, nil
			}
		}
	}), err
}

func groupBy(in *object.Interp, a []object.Value) (object.Value, error) {
	items, err := object.Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	var groups, cur []object.Value
	var curKey object.Value
	flush := func() {
		if curKey != nil {
			groups = append(groups, object.NewTuple(curKey, object.NewSliceIter("_grouper", cur)))
		}
	}
	for _, x := range items {
		k, err := object.KeyOf(in, a[1], x)
		if err != nil {
			return nil, err
		}
		if curKey != nil {
			if eq, err := in.Same(k, curKey); err != nil {
				return nil, err
			} else if eq {
				cur = append(cur, x)
				continue
			}
		}
		flush()
		curKey, cur = k, []object.Value{x}
	}
	flush()
	return object.NewSliceIter("groupby", groups), nil
}

func tee(in *object.Interp, a []object.Value) (object.Value, error) {
	items, err := object.Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	n, err := in.AsIndex(object.OrElse(a[1], object.MakeInt(2)))
	if err != nil {
		return nil, err
	}
	if err := in.Alloc(object.Product(object.ValueSize, max(n, 0))); err != nil {
		return nil, err
	}
	out := object.NewTuple()
	for range max(n, 0) {
		out.Items = append(out.Items, object.NewSliceIter("_tee", items))
	}
	return out, nil
}
