package object

import "slices"

// listMethod hands the list of a method call on.
func listMethod(fn func(in *Interp, l *List, a []Value) (Value, error)) func(in *Interp, a []Value) (Value,
	error) {
	return func(in *Interp, a []Value) (Value, error) {
		l, ok := Payload(a[0]).(*List)
		if !ok {
			return nil, Errorf(TypeError, "descriptor requires a 'list' object but received a '%s'",
				a[0].TypeName())
		}
		return fn(in, l, a[1:])
	}
}

func init() {
	define(ListClass, methodTable{
		"append": {"object", listMethod(func(in *Interp, l *List, a []Value) (Value, error) {
			l.Items = append(l.Items, a[0])
			return None, in.Alloc(ValueSize)
		})},
		"extend": {"iterable", listMethod(func(in *Interp, l *List, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			l.Items = append(l.Items, items...)
			return None, in.Alloc(len(items) * ValueSize)
		})},
		"insert": {"index object", listMethod(func(in *Interp, l *List, a []Value) (Value, error) {
			i, err := in.bound(a[0], len(l.Items), 1, 0)
			if err != nil {
				return nil, err
			}
			l.Items = slices.Insert(l.Items, i, a[1])
			return None, in.Alloc(ValueSize + len(l.Items)/8)
		})},
		"pop":    {"index=", listMethod(popItem)},
		"remove": {"value", listMethod(removeItem)},
		"clear": {"", listMethod(func(_ *Interp, l *List, _ []Value) (Value, error) {
			l.Items = nil
			return None, nil
		})},
		"reverse": {"", listMethod(func(in *Interp, l *List, _ []Value) (Value, error) {
			slices.Reverse(l.Items)
			return None, in.Work(len(l.Items) / 16)
		})},
		"copy": {"", listMethod(func(in *Interp, l *List, _ []Value) (Value, error) {
			return &List{Items: slices.Clone(l.Items)}, in.Alloc(len(l.Items) * ValueSize)
		})},
		"sort": {"* key= reverse=", listMethod(func(in *Interp, l *List, a []Value) (Value, error) {
			reverse, err := Truth(in, OrElse(a[1], Bool(false)))
			if err != nil {
				return nil, err
			}
			items := l.Items
			l.Items = nil
			_, err = SortList(in, items, a[0], reverse)
			l.Items = items
			return None, err
		})},
		"index": {"value start= stop=", listMethod(func(in *Interp, l *List, a []Value) (Value, error) {
			return indexOf(in, l.Items, "list", a)
		})},
		"count": {"value", listMethod(func(in *Interp, l *List, a []Value) (Value, error) {
			return countOf(in, l.Items, a[0])
		})},
	})
	items := func(fn func(in *Interp, items, a []Value) (Value, error)) nativeFunc {
		return func(in *Interp, a []Value) (Value, error) {
			t, ok := Payload(a[0]).(*Tuple)
			if !ok {
				return nil, Errorf(TypeError, "descriptor requires a 'tuple' object but received a '%s'",
					a[0].TypeName())
			}
			return fn(in, t.Items, a[1:])
		}
	}
	define(TupleClass, methodTable{
		"index": {"value start= stop=", items(func(in *Interp, t, a []Value) (Value, error) {
			return indexOf(in, t, "tuple", a)
		})},
		"count": {"value", items(func(in *Interp, t, a []Value) (Value, error) {
			return countOf(in, t, a[0])
		})},
	})
	over := func(fn func(in *Interp, items, a []Value) (Value, error)) nativeFunc {
		return func(in *Interp, a []Value) (Value, error) {
			list, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			return fn(in, list, a[1:])
		}
	}
	define(RangeClass, methodTable{
		"index": {"value", over(func(in *Interp, t, a []Value) (Value, error) {
			return indexOf(in, t, "range", []Value{a[0], nil, nil})
		})},
		"count": {"value", over(func(in *Interp, t, a []Value) (Value, error) {
			return countOf(in, t, a[0])
		})},
	})
	defineIterators()
}

// defineIterators gives generators, iterators and slices their methods.
func defineIterators() {
	define(GeneratorClass, methodTable{
		"send":  {"value", generatorSend},
		"throw": {"exc *rest", generatorThrow},
		"close": {"", generatorClose},
		"__next__": {"", func(in *Interp, a []Value) (Value, error) {
			return nextOf(in, []Value{a[0], nil})
		}},
		"__iter__": {"", func(_ *Interp, a []Value) (Value, error) { return a[0], nil }},
	})
	define(IteratorClass, methodTable{
		"__next__": {"", func(in *Interp, a []Value) (Value, error) {
			return nextOf(in, []Value{a[0], nil})
		}},
		"__iter__": {"", func(_ *Interp, a []Value) (Value, error) { return a[0], nil }},
	})
	define(SliceClass, methodTable{
		"indices": {"len", func(in *Interp, a []Value) (Value, error) {
			s, ok := a[0].(*Slice)
			if !ok {
				return nil, Errorf(TypeError, "indices wants a slice")
			}
			n, err := in.AsIndex(a[1])
			if err != nil {
				return nil, err
			}
			lo, hi, step, err := in.sliceBounds(s, int(min(n, 1<<31)))
			return NewTuple(MakeInt(int64(lo)), MakeInt(int64(hi)), MakeInt(int64(step))), err
		}},
	})
}

func popItem(in *Interp, l *List, a []Value) (Value, error) {
	if len(l.Items) == 0 {
		return nil, Errorf(IndexError, "pop from empty list")
	}
	i := len(l.Items) - 1
	if a[0] != nil {
		k, err := in.index(a[0], len(l.Items), "pop")
		if err != nil {
			if e, ok := Catchable(err); ok && e.Class == IndexError {
				return nil, Errorf(IndexError, "pop index out of range")
			}
			return nil, err
		}
		i = k
	}
	v := l.Items[i]
	l.Items = slices.Delete(l.Items, i, i+1)
	return v, in.Work((len(l.Items) - i) / 32)
}

func removeItem(in *Interp, l *List, a []Value) (Value, error) {
	for i, v := range l.Items {
		same, err := in.Same(v, a[0])
		if err != nil {
			return nil, err
		}
		if same {
			if i < len(l.Items) {
				l.Items = slices.Delete(l.Items, i, i+1)
			}
			return None, nil
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
	}
	return nil, Errorf(ValueError, "list.remove(x): x not in list")
}

func indexOf(in *Interp, items []Value, what string, a []Value) (Value, error) {
	lo, err := in.bound(a[1], len(items), 1, 0)
	if err != nil {
		return nil, err
	}
	hi, err := in.bound(a[2], len(items), 1, len(items))
	if err != nil {
		return nil, err
	}
	for i := lo; i < hi; i++ {
		same, err := in.Same(items[i], a[0])
		if err != nil {
			return nil, err
		}
		if same {
			return MakeInt(int64(i)), nil
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
	}
	if what == "tuple" {
		return nil, Errorf(ValueError, "tuple.index(x): x not in tuple")
	}
	s, err := Repr(in, a[0])
	if err != nil {
		return nil, err
	}
	return nil, Errorf(ValueError, "%s is not in %s", s, what)
}

func countOf(in *Interp, items []Value, x Value) (Value, error) {
	n := int64(0)
	for _, v := range items {
		same, err := in.Same(v, x)
		if err != nil {
			return nil, err
		}
		if same {
			n++
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
	}
	return MakeInt(n), nil
}
