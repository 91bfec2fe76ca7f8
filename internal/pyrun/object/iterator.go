package object

import "math/big"

// Iterator is a Python iterator. ok is false when there is no further value.
type Iterator interface {
	Value
	Next(in *Interp) (v Value, ok bool, err error)
}

// Iter returns iter(v).
func Iter(in *Interp, v Value) (Iterator, error) {
	if fn := Special(v, "__iter__"); fn != nil {
		r, err := in.CallSpecial(v, fn)
		if err != nil {
			return nil, err
		}
		if it, ok := r.(Iterator); ok {
			return it, nil
		}
		if next := Special(r, "__next__"); next != nil {
			return &objectIter{r, next}, nil
		}
		return nil, Errorf(TypeError, "iter() returned non-iterator of type '%s'", r.TypeName())
	}
	switch x := Payload(v).(type) {
	case Iterator:
		return x, nil
	case *List:
		return &listIter{list: x}, nil
	case *Tuple:
		return NewSliceIter("tuple_iterator", x.Items), nil
	case *Range:
		return &rangeIter{r: x, n: x.size()}, nil
	case *Dict:
		return &dictIter{d: x, kind: viewKeys, size: x.Len()}, nil
	case *dictView:
		return &dictIter{d: x.d, kind: x.kind, size: x.d.Len()}, nil
	case *Set:
		return &dictIter{d: &x.d, kind: viewKeys, size: x.Len(), set: true}, nil
	case Str:
		return textIter(in, string(x))
	case Bytes:
		return bytesIter(in, x)
	case *Class:
		if x.enum != nil {
			return NewSliceIter("enum_iterator", x.enum.iteration()), nil
		}
	case *Unknown:
		return nil, x.Need("the content")
	case HasIter:
		items, err := x.Iter(in)
		return NewSliceIter("iterator", items), err
	}
	if fn := Special(v, "__getitem__"); fn != nil {
		return &itemIter{v: v, fn: fn}, nil
	}
	if p, ok := v.(*Instance); ok {
		if u := p.Class.unknownBase(); u != nil {
			return nil, u.Derive("()", false).Need("the content")
		}
	}
	return nil, Errorf(TypeError, "'%s' object is not iterable", v.TypeName())
}

// Iterate returns all values that iterating v gives.
func Iterate(in *Interp, v Value) ([]Value, error) {
	switch x := v.(type) {
	case *Tuple:
		if x.Class == nil {
			return x.Items, nil
		}
	case *List:
		if err := in.Alloc(len(x.Items) * ValueSize); err != nil {
			return nil, err
		}
		return append([]Value{}, x.Items...), nil
	}
	it, err := Iter(in, v)
	if err != nil {
		return nil, err
	}
	return Collect(in, it, -1)
}

// Collect takes at most limit values; all where limit is negative.
func Collect(in *Interp, it Iterator, limit int) ([]Value, error) {
	var out []Value
	for limit < 0 || len(out) < limit {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return out, err
		}
		if err := in.Alloc(ValueSize); err != nil {
			return nil, err
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

type sliceIter struct {
	name  string
	items []Value
}

// NewSliceIter returns an iterator of that type name over items.
func NewSliceIter(name string, items []Value) *sliceIter { return &sliceIter{name, items} }

func (it *sliceIter) TypeName() string { return it.name }

func (it *sliceIter) Next(*Interp) (Value, bool, error) {
	if len(it.items) == 0 {
		return nil, false, nil
	}
	v := it.items[0]
	it.items = it.items[1:]
	return v, true, nil
}

// listIter sees what is appended while it runs.
type listIter struct {
	list *List
	i    int
}

func (*listIter) TypeName() string { return "list_iterator" }

func (it *listIter) Next(*Interp) (Value, bool, error) {
	if it.list == nil || it.i >= len(it.list.Items) {
		it.list = nil
		return nil, false, nil
	}
	it.i++
	return it.list.Items[it.i-1], true, nil
}

type rangeIter struct {
	r    *Range
	i, n *big.Int
	k    int64
}

func (*rangeIter) TypeName() string { return "range_iterator" }

func (it *rangeIter) Next(*Interp) (Value, bool, error) {
	if it.n.IsInt64() {
		if it.k >= it.n.Int64() {
			return nil, false, nil
		}
		it.k++
		return it.r.at(big.NewInt(it.k - 1)), true, nil
	}
	if it.i == nil {
		it.i = new(big.Int)
	}
	v := it.r.at(it.i)
	it.i.Add(it.i, bigOne)
	return v, true, nil // nobody lives to see the end of it
}

type viewKind uint8

const (
	viewKeys viewKind = iota
	viewValues
	viewItems
)

var viewNames = [...]string{"dict_keys", "dict_values", "dict_items"}

// dictView is d.keys(), d.values() or d.items().
type dictView struct {
	d    *Dict
	kind viewKind
}

func (v *dictView) TypeName() string { return viewNames[v.kind] }

func (v *dictView) list() []Value {
	switch v.kind {
	case viewKeys:
		return v.d.Keys()
	case viewValues:
		return v.d.values()
	}
	return v.d.items()
}

func (in *Interp) equalViews(a *dictView, b Value) (bool, error) {
	x, ok1 := in.asSet(a)
	y, ok2 := in.asSet(b)
	if !ok1 || !ok2 || x.Len() != y.Len() {
		return false, nil
	}
	return in.subset(x, y) == nil, nil
}

type dictIter struct {
	d       *Dict
	kind    viewKind
	i, size int
	set     bool
}

func (it *dictIter) TypeName() string {
	if it.set {
		return "set_iterator"
	}
	return "dict_keyiterator"
}

func (it *dictIter) Next(in *Interp) (Value, bool, error) {
	if it.d.Len() != it.size {
		if it.set {
			return nil, false, Errorf(RuntimeError, "Set changed size during iteration")
		}
		return nil, false, Errorf(RuntimeError, "dictionary changed size during iteration")
	}
	for it.i < len(it.d.entries) {
		e := it.d.entries[it.i]
		it.i++
		if e.key == nil {
			continue
		}
		switch it.kind {
		case viewKeys:
			return e.key, true, nil
		case viewValues:
			return e.value, true, nil
		}
		return NewTuple(e.key, e.value), true, nil
	}
	return nil, false, nil
}

func textIter(in *Interp, s string) (Iterator, error) {
	if err := in.Alloc(len(s)); err != nil {
		return nil, err
	}
	rs := toRunes(s)
	i := 0
	return &funcIter{"str_iterator", func(*Interp) (Value, bool, error) {
		if i >= len(rs) {
			return nil, false, nil
		}
		i++
		return Str(fromRunes(rs[i-1 : i])), true, nil
	}}, nil
}

func bytesIter(_ *Interp, b Bytes) (Iterator, error) {
	i := 0
	return &funcIter{"bytes_iterator", func(*Interp) (Value, bool, error) {
		if i >= len(b) {
			return nil, false, nil
		}
		i++
		return MakeInt(int64(b[i-1])), true, nil
	}}, nil
}

// funcIter is an iterator made of a function.
type funcIter struct {
	name string
	next func(in *Interp) (Value, bool, error)
}

// NewIterator returns an iterator of that type name whose values come from next.
func NewIterator(name string, next func(in *Interp) (Value, bool, error)) Iterator {
	return &funcIter{name, next}
}

func (it *funcIter) TypeName() string { return it.name }

func (it *funcIter) Next(in *Interp) (Value, bool, error) {
	if err := in.Work(1); err != nil {
		return nil, false, err
	}
	if err := in.Enter(); err != nil {
		return nil, false, err
	}
	defer in.Leave()
	return it.next(in)
}

// objectIter calls __next__ of an object.
type objectIter struct {
	v, next Value
}

func (it *objectIter) TypeName() string { return it.v.TypeName() }

func (it *objectIter) Next(in *Interp) (Value, bool, error) {
	v, err := in.CallSpecial(it.v, it.next)
	if e, ok := Catchable(err); ok && e.IsA(StopIteration) {
		return nil, false, nil
	}
	return v, err == nil, err
}

// itemIter iterates by __getitem__ until IndexError.
type itemIter struct {
	v, fn Value
	i     int64
}

func (*itemIter) TypeName() string { return "iterator" }

func (it *itemIter) Next(in *Interp) (Value, bool, error) {
	v, err := in.CallSpecial(it.v, it.fn, MakeInt(it.i))
	it.i++
	if e, ok := Catchable(err); ok && e.IsA(IndexError) {
		return nil, false, nil
	}
	return v, err == nil, err
}

// NewSet returns a set of values.
func NewSet(in *Interp, items []Value, frozen bool) (*Set, error) {
	s := &Set{Frozen: frozen}
	for _, x := range items {
		if err := in.Work(1); err != nil {
			return nil, err
		}
		if err := s.Add(in, x); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// UpdateDict does what d.update(v) does: v is a mapping or a sequence of pairs.
func (in *Interp) UpdateDict(d *Dict, v Value) error {
	if src, ok := Payload(v).(*Dict); ok {
		for k, x := range src.All() {
			if err := in.Work(1); err != nil {
				return err
			}
			if err := d.Set(in, k, x); err != nil {
				return err
			}
		}
		return nil
	}
	if has, err := HasAttribute(in, v, "keys"); err != nil {
		return err
	} else if has {
		m, err := in.Mapping(v, "argument")
		if err != nil {
			return err
		}
		return in.UpdateDict(d, m)
	}
	pairs, err := Iterate(in, v)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		kv, err := Iterate(in, p)
		if err != nil {
			return ReplaceTypeError(err,
				"cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		if len(kv) != 2 {
			return Errorf(ValueError, "dictionary update sequence element #%d has length %d; 2 is required",
				i, len(kv))
		}
		if err := d.Set(in, kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}

// Generator is an iterator that values and exceptions can be sent to: a function that stops at each yield.
type Generator interface {
	Iterator
	// Send resumes the function; the yield that it stands at gives v.
	Send(in *Interp, v Value) (out Value, ok bool, err error)
	// Throw raises an exception at the yield.
	Throw(in *Interp, e *Exception) (out Value, ok bool, err error)
	// Close ends the function by a GeneratorExit.
	Close(in *Interp) error
	// Result returns what the function returned; None before its end.
	Result() Value
}

func generatorSend(in *Interp, a []Value) (Value, error) {
	g, err := asGenerator(a[0])
	if err != nil {
		return nil, err
	}
	v, ok, err := g.Send(in, a[1])
	return stopped(g, v, ok, err)
}

func generatorThrow(in *Interp, a []Value) (Value, error) {
	g, err := asGenerator(a[0])
	if err != nil {
		return nil, err
	}
	x := a[1]
	if rest := a[2].(*Tuple).Items; len(rest) > 0 && rest[0] != None {
		x = rest[0]
	}
	e, err := in.ExceptionOf(x)
	if err != nil {
		return nil, err
	}
	v, ok, err := g.Throw(in, e)
	return stopped(g, v, ok, err)
}

func generatorClose(in *Interp, a []Value) (Value, error) {
	g, err := asGenerator(a[0])
	if err != nil {
		return nil, err
	}
	return None, g.Close(in)
}

func asGenerator(v Value) (Generator, error) {
	g, ok := v.(Generator)
	if !ok {
		return nil, Errorf(TypeError, "descriptor requires a 'generator' object but received a '%s'",
			v.TypeName())
	}
	return g, nil
}

// stopped returns a value of a generator, or StopIteration at its end.
func stopped(g Generator, v Value, ok bool, err error) (Value, error) {
	if err != nil || ok {
		return v, err
	}
	e := &Exception{Class: StopIteration}
	if r := g.Result(); r != None {
		e.Args = []Value{r}
	}
	return nil, e
}
