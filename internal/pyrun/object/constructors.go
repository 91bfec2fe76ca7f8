package object

import "github.com/nereid-lang/nereid/internal/python"

func init() {
	makers := map[*Class]func(in *Interp, c *Class, args []Value, kws []Keyword) (Value, error){
		ObjectClass: makeObject, TypeClass: makeType, IntClass: makeIntValue, FloatClass: makeFloat,
		BaseException: newException,
	}
	for c, f := range makers {
		c.make = f
	}
	simple := func(c *Class, params string, fn func(in *Interp, a []Value) (Value, error)) {
		sig := parseSignature(params)
		c.make = func(in *Interp, _ *Class, args []Value, kws []Keyword) (Value, error) {
			a, err := sig.Bind(c.Name, args, kws)
			if err != nil {
				return nil, err
			}
			return fn(in, a)
		}
	}
	simple(BoolClass, "x=", func(in *Interp, a []Value) (Value, error) {
		if a[0] == nil {
			return Bool(false), nil
		}
		t, err := Truth(in, a[0])
		return Bool(t), err
	})
	simple(ComplexClass, "real= imag=", func(*Interp, []Value) (Value, error) {
		return nil, Unsupported("a complex number")
	})
	simple(StrClass, "object= encoding= errors=", makeStr)
	simple(BytesClass, "source= encoding= errors=", makeBytes)
	simple(TupleClass, "iterable=", makeTuple)
	simple(ListClass, "iterable=", func(in *Interp, a []Value) (Value, error) {
		if a[0] == nil {
			return &List{}, nil
		}
		items, err := Iterate(in, a[0])
		if err != nil {
			return nil, err
		}
		return &List{Items: append([]Value{}, items...)}, in.Alloc(len(items) * ValueSize)
	})
	simple(DictClass, "iterable= **kws", func(in *Interp, a []Value) (Value, error) {
		return fillDict(in, NewDict(), a)
	})
	simple(OrderedDictClass, "iterable= **kws", func(in *Interp, a []Value) (Value, error) {
		return fillDict(in, &Dict{Name: "OrderedDict"}, a)
	})
	simple(DefaultDictClass, "default_factory= iterable= **kws", func(in *Interp, a []Value) (Value, error) {
		if a[0] != nil && a[0] != None && !isCallable(a[0]) {
			return nil, Errorf(TypeError, "first argument must be callable or None")
		}
		return fillDict(in, &Dict{Name: "defaultdict", Default: OrNone(a[0])}, a[1:])
	})
	simple(CounterClass, "iterable= **kws", makeCounter)
	simple(SetClass, "iterable=", func(in *Interp, a []Value) (Value, error) {
		return setOf(in, a[0], false)
	})
	simple(FrozensetClass, "iterable=", func(in *Interp, a []Value) (Value, error) {
		return setOf(in, a[0], true)
	})
	simple(RangeClass, "start stop= step=", makeRange)
	simple(SliceClass, "start stop= step=", func(_ *Interp, a []Value) (Value, error) {
		if a[1] == nil {
			return &Slice{nil, a[0], nil}, nil
		}
		return &Slice{a[0], a[1], a[2]}, nil
	})
	simple(PropertyClass, "fget= fset= fdel= doc=", func(_ *Interp, a []Value) (Value, error) {
		return &Property{a[0], a[1], a[2]}, nil
	})
	simple(StaticMethodClass, "fn", func(_ *Interp, a []Value) (Value, error) {
		return &StaticMethod{a[0]}, nil
	})
	simple(ClassMethodClass, "fn", func(_ *Interp, a []Value) (Value, error) {
		return &ClassMethod{a[0]}, nil
	})
	simple(MethodClass, "fn instance", func(_ *Interp, a []Value) (Value, error) {
		return &BoundMethod{a[1], a[0]}, nil
	})
	simple(ZipClass, "*iterables strict=", makeZip)
	simple(MapClass, "fn *iterables", makeMap)
	simple(FilterClass, "fn iterable", makeFilter)
	simple(EnumerateClass, "iterable start=", makeEnumerate)
	simple(ReversedClass, "sequence", makeReversed)
	simple(SuperClass, "cls obj", func(in *Interp, a []Value) (Value, error) {
		c, ok := a[0].(*Class)
		if !ok {
			return nil, Errorf(TypeError, "super() argument 1 must be a type, not %s", a[0].TypeName())
		}
		return &superObject{c, a[1]}, nil
	})
	for _, c := range []*Class{BoolClass, RangeClass, SliceClass, FunctionClass, NoneClass} {
		c.final = true
	}
}

func makeObject(_ *Interp, _ *Class, args []Value, kws []Keyword) (Value, error) {
	if len(args)+len(kws) > 0 {
		return nil, Errorf(TypeError, "object() takes no arguments")
	}
	return &Instance{Class: ObjectClass, Attrs: NewDict()}, nil
}

// makeType returns type(v), or a new class made of a name, bases and a dict.
func makeType(in *Interp, _ *Class, args []Value, kws []Keyword) (Value, error) {
	if len(args) == 1 {
		if u := UnknownOf(args[0]); u != nil {
			return u.Derive(".__class__", false), nil
		}
		return in.typeOf(args[0]), nil
	}
	if len(args) != 3 {
		return nil, Errorf(TypeError, "type() takes 1 or 3 arguments")
	}
	name, err := Text(args[0])
	if err != nil {
		return nil, err
	}
	bases, err := Iterate(in, args[1])
	if err != nil {
		return nil, err
	}
	attrs, err := in.Mapping(args[2], "type() argument 3")
	if err != nil {
		return nil, err
	}
	c := &Class{Name: name, Attrs: attrs.Copy()}
	for _, b := range bases {
		if err := in.addBase(c, b); err != nil {
			return nil, err
		}
	}
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	if c.enum != nil {
		return c, c.enum.collect(in, c)
	}
	return c, nil
}

func makeStr(in *Interp, a []Value) (Value, error) {
	if a[0] == nil {
		return Str(""), nil
	}
	if b, ok := a[0].(Bytes); ok && a[1] != nil {
		return Str(b), nil
	}
	s, err := ToStr(in, a[0])
	return Str(s), err
}

func makeBytes(in *Interp, a []Value) (Value, error) {
	switch x := Payload(OrElse(a[0], Bytes(""))).(type) {
	case Bytes:
		return x, nil
	case Str:
		if a[1] == nil {
			return nil, Errorf(TypeError, "string argument without an encoding")
		}
		return Bytes(x), nil
	case Int:
		n, ok := x.Int64()
		if !ok || n < 0 {
			return nil, Errorf(ValueError, "negative count")
		}
		s, err := in.repeatText("\x00", n)
		return Bytes(s), err
	}
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	var b []byte
	for _, v := range items {
		n, err := in.AsIndex(v)
		if err != nil {
			return nil, err
		}
		if n < 0 || n > 255 {
			return nil, Errorf(ValueError, "bytes must be in range(0, 256)")
		}
		b = append(b, byte(n))
	}
	return Bytes(b), nil
}

func makeTuple(in *Interp, a []Value) (Value, error) {
	if a[0] == nil {
		return NewTuple(), nil
	}
	if t, ok := a[0].(*Tuple); ok && t.Class == nil {
		return t, nil
	}
	items, err := Iterate(in, a[0])
	return &Tuple{Items: items}, err
}

func fillDict(in *Interp, d *Dict, a []Value) (Value, error) {
	if a[0] != nil {
		if err := in.UpdateDict(d, a[0]); err != nil {
			return nil, err
		}
	}
	return d, in.UpdateDict(d, a[1])
}

func makeCounter(in *Interp, a []Value) (Value, error) {
	d := &Dict{Name: "Counter"}
	if a[0] != nil {
		if src, ok := Payload(a[0]).(*Dict); ok {
			if err := in.UpdateDict(d, src); err != nil {
				return nil, err
			}
		} else if err := countInto(in, d, a[0]); err != nil {
			return nil, err
		}
	}
	return d, in.UpdateDict(d, a[1])
}

func countInto(in *Interp, d *Dict, over Value) error {
	items, err := Iterate(in, over)
	if err != nil {
		return err
	}
	for _, x := range items {
		old, err := d.item(in, x)
		if err != nil {
			return err
		}
		n, err := Binary(in, python.Add, old, MakeInt(1))
		if err != nil {
			return err
		}
		if err := d.Set(in, x, n); err != nil {
			return err
		}
	}
	return nil
}

func setOf(in *Interp, v Value, frozen bool) (Value, error) {
	if v == nil {
		return &Set{Frozen: frozen}, nil
	}
	if s, ok := v.(*Set); ok && s.Frozen && frozen {
		return s, nil
	}
	items, err := Iterate(in, v)
	if err != nil {
		return nil, err
	}
	s, err := NewSet(in, items, frozen)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func makeRange(in *Interp, a []Value) (Value, error) {
	var n [3]Int
	for i, v := range a {
		if v == nil {
			continue
		}
		k, err := in.ToIndex(v)
		if err != nil {
			return nil, err
		}
		n[i] = k
	}
	switch {
	case a[1] == nil:
		return &Range{MakeInt(0), n[0], MakeInt(1)}, nil
	case a[2] == nil:
		return &Range{n[0], n[1], MakeInt(1)}, nil
	case n[2].Sign() == 0:
		return nil, Errorf(ValueError, "range() arg 3 must not be zero")
	}
	return &Range{n[0], n[1], n[2]}, nil
}

// Iterators returns an iterator for each value of a list.
func Iterators(in *Interp, list []Value) ([]Iterator, error) {
	var its []Iterator
	for _, v := range list {
		it, err := Iter(in, v)
		if err != nil {
			return nil, err
		}
		its = append(its, it)
	}
	return its, nil
}

// NextOfEach takes one value from each iterator; ended is the index of the first that has none, -1 for none.
func NextOfEach(in *Interp, its []Iterator) (row []Value, ended int, err error) {
	if err := in.Work(len(its)); err != nil {
		return nil, 0, err
	}
	row = make([]Value, len(its))
	for i, it := range its {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, i, err
		}
		row[i] = v
	}
	return row, -1, nil
}

func makeZip(in *Interp, a []Value) (Value, error) {
	its, err := Iterators(in, a[0].(*Tuple).Items)
	if err != nil {
		return nil, err
	}
	strict, err := Truth(in, OrElse(a[1], Bool(false)))
	if err != nil {
		return nil, err
	}
	return &funcIter{"zip", func(in *Interp) (Value, bool, error) {
		if len(its) == 0 {
			return nil, false, nil
		}
		row, ended, err := NextOfEach(in, its)
		if err != nil {
			return nil, false, err
		}
		if ended >= 0 {
			return nil, false, strictEnd(in, its, ended, strict)
		}
		return &Tuple{Items: row}, true, nil
	}}, nil
}

// strictEnd returns the error of zip(strict=True) for iterables of different lengths.
func strictEnd(in *Interp, its []Iterator, ended int, strict bool) error {
	if !strict {
		return nil
	}
	if ended > 0 {
		return Errorf(ValueError, "zip() argument %d is shorter than argument%s 1%s", ended+1, plural(ended),
			upTo(ended))
	}
	for i, it := range its[1:] {
		if _, ok, err := it.Next(in); err != nil {
			return err
		} else if ok {
			return Errorf(ValueError, "zip() argument %d is longer than argument%s 1%s", i+2, plural(i+1),
				upTo(i+1))
		}
	}
	return nil
}

func upTo(n int) string {
	if n == 1 {
		return ""
	}
	return "-" + itoa(n)
}

func makeMap(in *Interp, a []Value) (Value, error) {
	its, err := Iterators(in, a[1].(*Tuple).Items)
	if err != nil {
		return nil, err
	}
	if len(its) == 0 {
		return nil, Errorf(TypeError, "map() must have at least two arguments.")
	}
	return &funcIter{"map", func(in *Interp) (Value, bool, error) {
		row, ended, err := NextOfEach(in, its)
		if err != nil || ended >= 0 {
			return nil, false, err
		}
		v, err := Call(in, a[0], row, nil)
		return v, err == nil, err
	}}, nil
}

func makeFilter(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[1])
	if err != nil {
		return nil, err
	}
	return &funcIter{"filter", func(in *Interp) (Value, bool, error) {
		for {
			v, ok, err := it.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			test, err := KeyOf(in, a[0], v)
			if err != nil {
				return nil, false, err
			}
			if t, err := Truth(in, test); err != nil || t {
				return v, err == nil, err
			}
			if err := in.Work(1); err != nil {
				return nil, false, err
			}
		}
	}}, nil
}

func makeEnumerate(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[0])
	if err != nil {
		return nil, err
	}
	i := OrElse(a[1], MakeInt(0))
	return &funcIter{"enumerate", func(in *Interp) (Value, bool, error) {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		row := NewTuple(i, v)
		i, err = Binary(in, python.Add, i, MakeInt(1))
		return row, true, err
	}}, nil
}

func makeReversed(in *Interp, a []Value) (Value, error) {
	if fn := Special(a[0], "__reversed__"); fn != nil {
		return in.CallSpecial(a[0], fn)
	}
	if r, ok := a[0].(*Range); ok {
		n := r.size()
		if n.Sign() == 0 {
			return NewSliceIter("reversed", nil), nil
		}
		step := intUnary(python.USub, r.Step).(Int)
		last := r.at(n.Sub(n, bigOne)).(Int)
		stop, err := intOp(in, python.Add, intUnary(python.USub, r.Step).(Int), r.Start)
		if err != nil {
			return nil, err
		}
		rev := &Range{last, stop.(Int), step}
		return &rangeIter{r: rev, n: rev.size()}, nil
	}
	switch Payload(a[0]).(type) {
	case *List, *Tuple, Str, Bytes, *Dict, *dictView, *Instance, HasIter:
	default:
		if u := UnknownOf(a[0]); u != nil {
			return nil, u.Need("the content")
		}
		return nil, Errorf(TypeError, "'%s' object is not reversible", a[0].TypeName())
	}
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	rev := make([]Value, len(items))
	for i, v := range items {
		rev[len(items)-1-i] = v
	}
	return NewSliceIter("reversed", rev), in.Alloc(len(rev) * ValueSize)
}
