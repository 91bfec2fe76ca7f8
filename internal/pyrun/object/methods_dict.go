package object

import "github.com/nereid-lang/nereid/internal/python"

func dictMethod(fn func(in *Interp, d *Dict, a []Value) (Value, error)) func(in *Interp, a []Value) (Value,
	error) {
	return func(in *Interp, a []Value) (Value, error) {
		d, ok := Payload(a[0]).(*Dict)
		if !ok {
			return nil, Errorf(TypeError, "descriptor requires a 'dict' object but received a '%s'",
				a[0].TypeName())
		}
		return fn(in, d, a[1:])
	}
}

func view(kind viewKind) func(in *Interp, a []Value) (Value, error) {
	return dictMethod(func(_ *Interp, d *Dict, _ []Value) (Value, error) { return &dictView{d, kind}, nil })
}

func init() {
	define(DictClass, methodTable{
		"keys":   {"", view(viewKeys)},
		"values": {"", view(viewValues)},
		"items":  {"", view(viewItems)},
		"get": {"key default=", dictMethod(func(in *Interp, d *Dict, a []Value) (Value, error) {
			v, ok, err := d.Get(in, a[0])
			if err != nil || ok {
				return v, err
			}
			return OrNone(a[1]), nil
		})},
		"setdefault": {"key default=", dictMethod(func(in *Interp, d *Dict, a []Value) (Value, error) {
			v, ok, err := d.Get(in, a[0])
			if err != nil || ok {
				return v, err
			}
			return OrNone(a[1]), d.Set(in, a[0], OrNone(a[1]))
		})},
		"pop":     {"key default=", dictMethod(popKey)},
		"popitem": {"last=", dictMethod(popPair)},
		"clear": {"", dictMethod(func(_ *Interp, d *Dict, _ []Value) (Value, error) {
			d.clear()
			return None, nil
		})},
		"copy": {"", dictMethod(func(in *Interp, d *Dict, _ []Value) (Value, error) {
			return d.Copy(), in.Alloc(d.Len() * 4 * ValueSize)
		})},
		"update": {"other= **kws", dictMethod(func(in *Interp, d *Dict, a []Value) (Value, error) {
			if d.Name == "Counter" && a[0] != nil {
				if _, ok := Payload(a[0]).(*Dict); !ok {
					return None, countInto(in, d, a[0])
				}
			}
			_, err := fillDict(in, d, a)
			return None, err
		})},
		"__contains__": {"key", dictMethod(func(in *Interp, d *Dict, a []Value) (Value, error) {
			_, ok, err := d.Get(in, a[0])
			return Bool(ok), err
		})},
		"__getitem__": {"key", dictMethod(func(in *Interp, d *Dict, a []Value) (Value, error) {
			return d.item(in, a[0])
		})},
		"__setitem__": {"key value", dictMethod(func(in *Interp, d *Dict, a []Value) (Value, error) {
			return None, d.Set(in, a[0], a[1])
		})},
	})
	DictClass.Attrs.SetStr("fromkeys", &StaticMethod{Native("fromkeys", "iterable value=", fromKeys)})
	define(OrderedDictClass, methodTable{"move_to_end": {"key last=", dictMethod(moveToEnd)}})
	define(CounterClass, methodTable{
		"most_common": {"n=", dictMethod(mostCommon)},
		"elements":    {"", dictMethod(counterElements)},
		"total": {"", dictMethod(func(in *Interp, d *Dict, _ []Value) (Value, error) {
			return sumOf(in, []Value{&List{Items: d.values()}, nil})
		})},
	})
	defineSets()
	define(ViewClass, methodTable{"isdisjoint": {"other", func(in *Interp, a []Value) (Value, error) {
		s, ok := in.asSet(a[0])
		if !ok {
			return nil, Errorf(TypeError, "isdisjoint wants keys")
		}
		return setTest(func(in *Interp, s, o *Set) (bool, error) {
			x, err := in.pick(s, o, true)
			return err == nil && x.Len() == 0, err
		})(in, []Value{s, a[1]})
	}}})
}

func popKey(in *Interp, d *Dict, a []Value) (Value, error) {
	v, ok, err := d.Get(in, a[0])
	if err != nil {
		return nil, err
	}
	if !ok {
		if a[1] != nil {
			return a[1], nil
		}
		return nil, &Exception{Class: KeyError, Args: []Value{a[0]}}
	}
	_, err = d.Delete(in, a[0])
	return v, err
}

func popPair(in *Interp, d *Dict, a []Value) (Value, error) {
	last, err := Truth(in, OrElse(a[0], Bool(true)))
	if err != nil {
		return nil, err
	}
	if d.Len() == 0 {
		return nil, &Exception{Class: KeyError, Args: []Value{Str("popitem(): dictionary is empty")}}
	}
	for i := range d.entries {
		if last {
			i = len(d.entries) - 1 - i
		}
		if e := d.entries[i]; e.key != nil {
			d.remove(i)
			if last && i < len(d.entries) {
				d.entries = d.entries[:i] // nothing but gaps follows
			}
			return NewTuple(e.key, e.value), nil
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
	}
	return nil, &Exception{Class: KeyError}
}

func fromKeys(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	d := NewDict()
	for _, k := range items {
		if err := d.Set(in, k, OrNone(a[1])); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func moveToEnd(in *Interp, d *Dict, a []Value) (Value, error) {
	v, ok, err := d.Get(in, a[0])
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &Exception{Class: KeyError, Args: []Value{a[0]}}
	}
	last, err := Truth(in, OrElse(a[1], Bool(true)))
	if err != nil {
		return nil, err
	}
	if _, err := d.Delete(in, a[0]); err != nil {
		return nil, err
	}
	if last {
		return None, d.Set(in, a[0], v)
	}
	rest := d.Copy()
	d.clear()
	if err := d.Set(in, a[0], v); err != nil {
		return nil, err
	}
	return None, in.UpdateDict(d, rest)
}

func mostCommon(in *Interp, d *Dict, a []Value) (Value, error) {
	items := d.items()
	key := Native("count", "pair", func(_ *Interp, a []Value) (Value, error) {
		return a[0].(*Tuple).Items[1], nil
	})
	v, err := SortList(in, items, key, true)
	if err != nil || a[0] == nil || a[0] == None {
		return v, err
	}
	n, err := in.AsIndex(a[0])
	if err != nil {
		return nil, err
	}
	return &List{Items: items[:min(max(int(n), 0), len(items))]}, nil
}

func counterElements(in *Interp, d *Dict, _ []Value) (Value, error) {
	var out []Value
	for k, v := range d.All() {
		n, _ := AsInt64(v)
		part, err := in.repeatItems([]Value{k}, max(n, 0))
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return NewSliceIter("chain", out), nil
}

func setMethod(fn func(in *Interp, s *Set, a []Value) (Value, error)) func(in *Interp, a []Value) (Value,
	error) {
	return func(in *Interp, a []Value) (Value, error) {
		s, ok := Payload(a[0]).(*Set)
		if !ok {
			return nil, Errorf(TypeError, "descriptor requires a 'set' object but received a '%s'",
				a[0].TypeName())
		}
		return fn(in, s, a[1:])
	}
}

// combine returns a method of sets that takes any number of iterables: union, difference …
func combine(op python.Operator) func(in *Interp, a []Value) (Value, error) {
	return setMethod(func(in *Interp, s *Set, a []Value) (Value, error) {
		out := s
		if op == python.BitOr || len(a[0].(*Tuple).Items) == 0 {
			out = s.Copy(s.Frozen)
		}
		for _, other := range a[0].(*Tuple).Items {
			o, err := setOf(in, other, false)
			if err != nil {
				return nil, err
			}
			if out, err = setOps[op](in, out, o.(*Set)); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// update returns the same method as combine, in place.
func update(op python.Operator) func(in *Interp, a []Value) (Value, error) {
	f := combine(op)
	return func(in *Interp, a []Value) (Value, error) {
		v, err := f(in, a)
		if err != nil {
			return nil, err
		}
		Payload(a[0]).(*Set).d = v.(*Set).d
		return None, nil
	}
}

func setTest(test func(in *Interp, s, o *Set) (bool, error)) func(in *Interp, a []Value) (Value, error) {
	return setMethod(func(in *Interp, s *Set, a []Value) (Value, error) {
		o, err := setOf(in, a[0], false)
		if err != nil {
			return nil, err
		}
		ok, err := test(in, s, o.(*Set))
		return Bool(ok), err
	})
}

func defineSets() {
	shared := methodTable{
		"union":                {"*others", combine(python.BitOr)},
		"intersection":         {"*others", combine(python.BitAnd)},
		"difference":           {"*others", combine(python.Sub)},
		"symmetric_difference": {"*others", combine(python.BitXor)},
		"issubset": {"other", setTest(func(in *Interp, s, o *Set) (bool, error) {
			return in.subset(s, o) == nil, nil
		})},
		"issuperset": {"other", setTest(func(in *Interp, s, o *Set) (bool, error) {
			return in.subset(o, s) == nil, nil
		})},
		"isdisjoint": {"other", setTest(func(in *Interp, s, o *Set) (bool, error) {
			x, err := in.pick(s, o, true)
			return err == nil && x.Len() == 0, err
		})},
		"copy": {"", setMethod(func(in *Interp, s *Set, _ []Value) (Value, error) {
			return s.Copy(s.Frozen), in.Alloc(s.Len() * 4 * ValueSize)
		})},
	}
	define(SetClass, shared)
	define(FrozensetClass, shared)
	define(SetClass, methodTable{
		"add": {"elem", setMethod(func(in *Interp, s *Set, a []Value) (Value, error) {
			return None, s.Add(in, a[0])
		})},
		"discard": {"elem", setMethod(func(in *Interp, s *Set, a []Value) (Value, error) {
			_, err := s.d.Delete(in, a[0])
			return None, err
		})},
		"remove": {"elem", setMethod(func(in *Interp, s *Set, a []Value) (Value, error) {
			ok, err := s.d.Delete(in, a[0])
			if err == nil && !ok {
				err = &Exception{Class: KeyError, Args: []Value{a[0]}}
			}
			return None, err
		})},
		"pop": {"", setMethod(func(in *Interp, s *Set, _ []Value) (Value, error) {
			for i, e := range s.d.entries {
				if e.key != nil {
					s.d.remove(i)
					return e.key, nil
				}
			}
			return nil, &Exception{Class: KeyError, Args: []Value{Str("pop from an empty set")}}
		})},
		"clear": {"", setMethod(func(_ *Interp, s *Set, _ []Value) (Value, error) {
			s.d.clear()
			return None, nil
		})},
		"update":                      {"*others", update(python.BitOr)},
		"intersection_update":         {"*others", update(python.BitAnd)},
		"difference_update":           {"*others", update(python.Sub)},
		"symmetric_difference_update": {"*others", update(python.BitXor)},
	})
}
