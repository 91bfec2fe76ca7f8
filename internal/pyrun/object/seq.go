package object

// Len returns len(v).
func Len(in *Interp, v Value) (int, error) {
	if fn := Special(v, "__len__"); fn != nil {
		r, err := in.CallSpecial(v, fn)
		if err != nil {
			return 0, err
		}
		n, ok := AsInt64(r)
		if !ok {
			return 0, Errorf(TypeError, "'%s' object cannot be interpreted as an integer", r.TypeName())
		}
		if n < 0 {
			return 0, Errorf(ValueError, "__len__() should return >= 0")
		}
		return int(n), nil
	}
	switch x := Payload(v).(type) {
	case Str:
		return runeCount(string(x)), in.scan(len(x))
	case Bytes:
		return len(x), nil
	case *Tuple:
		return len(x.Items), nil
	case *List:
		return len(x.Items), nil
	case *Dict:
		return x.Len(), nil
	case *Set:
		return x.Len(), nil
	case *dictView:
		return x.d.Len(), nil
	case *Range:
		n := x.size()
		if !n.IsInt64() {
			return 0, Errorf(OverflowError, "Python int too large to convert to C ssize_t")
		}
		return int(n.Int64()), nil
	case *Class:
		if x.enum != nil {
			return len(x.enum.members), nil
		}
	case *Unknown:
		return 0, x.Need("the length")
	case HasLen:
		return x.Len(in)
	case HasIter:
		items, err := x.Iter(in)
		return len(items), err
	}
	return 0, Errorf(TypeError, "object of type '%s' has no len()", v.TypeName())
}

// GetItem returns v[i].
func GetItem(in *Interp, v, i Value) (Value, error) {
	if fn := Special(v, "__getitem__"); fn != nil {
		return in.CallSpecial(v, fn, i)
	}
	switch x := Payload(v).(type) {
	case *Dict:
		if p, ok := v.(*Instance); ok {
			if fn := Special(p, "__missing__"); fn != nil {
				if y, ok, err := x.Get(in, i); ok || err != nil {
					return y, err
				}
				return in.CallSpecial(p, fn, i)
			}
		}
		return x.item(in, i)
	case *List:
		items, one, err := in.pickItems(x.Items, i, "list")
		if one || err != nil {
			return first(items), err
		}
		return &List{Items: items}, nil
	case *Tuple:
		items, one, err := in.pickItems(x.Items, i, "tuple")
		if one || err != nil {
			return first(items), err
		}
		return &Tuple{Items: items}, nil
	case Str:
		s, err := in.pickText(string(x), i)
		return Str(s), err
	case Bytes:
		return in.pickBytes(x, i)
	case *Range:
		return in.rangeItem(x, i)
	case *Class:
		return in.classItem(x, i)
	case *NamedTuple:
		return v, nil
	case *Unknown:
		return x.Element(), nil
	case HasItem:
		return x.Item(in, i)
	}
	if p, ok := v.(*Instance); ok {
		if u := p.Class.unknownBase(); u != nil {
			return u.Element(), nil
		}
	}
	return nil, Errorf(TypeError, "'%s' object is not subscriptable", v.TypeName())
}

func first(items []Value) Value {
	if len(items) == 0 {
		return nil
	}
	return items[0]
}

// pickItems returns items[i]: one item, or those of a slice.
func (in *Interp) pickItems(items []Value, i Value, what string) (out []Value, one bool, err error) {
	if s, ok := i.(*Slice); ok {
		lo, step, n, err := in.sliceIndices(s, len(items))
		if err != nil {
			return nil, false, err
		}
		if err := in.Alloc(n * ValueSize); err != nil {
			return nil, false, err
		}
		out = make([]Value, n)
		for k := range out {
			out[k] = items[lo+k*step]
		}
		return out, false, nil
	}
	k, err := in.index(i, len(items), what)
	if err != nil {
		return nil, true, err
	}
	return items[k : k+1], true, nil
}

// index returns i as an index into n items; negative ones count from the end.
func (in *Interp) index(i Value, n int, what string) (int, error) {
	k, err := in.AsIndex(i)
	if err != nil {
		return 0, ReplaceTypeError(err, "%s indices must be integers or slices, not %s", what, i.TypeName())
	}
	if k < 0 {
		k += int64(n)
	}
	if k < 0 || k >= int64(n) {
		if what == "string" || what == "tuple" || what == "list" || what == "range object" {
			return 0, Errorf(IndexError, "%s index out of range", what)
		}
		return 0, Errorf(IndexError, "index out of range")
	}
	return int(k), nil
}

// AsIndex returns v as an int that fits a machine word, by way of its __index__ where it has one.
func (in *Interp) AsIndex(v Value) (int64, error) {
	n, err := in.ToIndex(v)
	if err != nil {
		return 0, err
	}
	k, ok := n.Int64()
	if !ok {
		return 0, Errorf(IndexError, "cannot fit 'int' into an index-sized integer")
	}
	return k, nil
}

// HasIndex is a value of another package that stands for an int wherever Python asks __index__.
type HasIndex interface {
	Index() (Int, error)
}

// ToIndex returns v as an int, by way of its __index__ where it has one.
func (in *Interp) ToIndex(v Value) (Int, error) {
	switch x := Payload(v).(type) {
	case Int:
		return x, nil
	case Bool:
		return IntOf(x), nil
	case *Unknown:
		return Int{}, x.Need("the value")
	case HasIndex:
		return x.Index()
	}
	if fn := Special(v, "__index__"); fn != nil {
		r, err := in.CallSpecial(v, fn)
		if err != nil {
			return Int{}, err
		}
		if n, ok := r.(Int); ok {
			return n, nil
		}
		return Int{}, Errorf(TypeError, "__index__ returned non-int (type %s)", r.TypeName())
	}
	return Int{}, Errorf(TypeError, "'%s' object cannot be interpreted as an integer", v.TypeName())
}

// SetItem executes v[i] = x.
func SetItem(in *Interp, v, i, x Value) error {
	if fn := Special(v, "__setitem__"); fn != nil {
		_, err := in.CallSpecial(v, fn, i, x)
		return err
	}
	switch c := Payload(v).(type) {
	case *Dict:
		return c.Set(in, i, x)
	case *List:
		return in.setListItem(c, i, x)
	case *Unknown:
		return nil
	case HasSetItem:
		return c.SetItem(in, i, x)
	}
	return Errorf(TypeError, "'%s' object does not support item assignment", v.TypeName())
}

// HasSetItem is a value of another package whose items may be set.
type HasSetItem interface {
	SetItem(in *Interp, index, v Value) error
}

func (in *Interp) setListItem(l *List, i, x Value) error {
	s, ok := i.(*Slice)
	if !ok {
		k, err := in.index(i, len(l.Items), "list")
		if err != nil {
			if e, ok := Catchable(err); ok && e.Class == IndexError {
				return Errorf(IndexError, "list assignment index out of range")
			}
			return err
		}
		l.Items[k] = x
		return nil
	}
	lo, step, n, err := in.sliceIndices(s, len(l.Items))
	if err != nil {
		return err
	}
	items, err := Iterate(in, x)
	if err != nil {
		return ReplaceTypeError(err, "can only assign an iterable")
	}
	if step == 1 {
		tail := append([]Value{}, l.Items[lo+n:]...)
		if err := in.Alloc((len(items) + len(tail)) * ValueSize); err != nil {
			return err
		}
		l.Items = append(append(l.Items[:lo:lo], items...), tail...)
		return nil
	}
	if len(items) != n {
		return Errorf(ValueError, "attempt to assign sequence of size %d to extended slice of size %d",
			len(items), n)
	}
	for k, y := range items {
		l.Items[lo+k*step] = y
	}
	return nil
}

// DelItem executes del v[i].
func DelItem(in *Interp, v, i Value) error {
	if fn := Special(v, "__delitem__"); fn != nil {
		_, err := in.CallSpecial(v, fn, i)
		return err
	}
	switch c := Payload(v).(type) {
	case *Dict:
		ok, err := c.Delete(in, i)
		if err == nil && !ok {
			err = &Exception{Class: KeyError, Args: []Value{i}}
		}
		return err
	case *List:
		return in.delListItem(c, i)
	case *Unknown:
		return nil
	}
	return Errorf(TypeError, "'%s' object doesn't support item deletion", v.TypeName())
}

func (in *Interp) delListItem(l *List, i Value) error {
	lo, step, n := 0, 1, 1
	var err error
	if s, ok := i.(*Slice); ok {
		lo, step, n, err = in.sliceIndices(s, len(l.Items))
	} else if lo, err = in.index(i, len(l.Items), "list"); err != nil {
		if e, ok := Catchable(err); ok && e.Class == IndexError {
			return Errorf(IndexError, "list assignment index out of range")
		}
	}
	if err != nil {
		return err
	}
	if err := in.Work(len(l.Items) / 8); err != nil {
		return err
	}
	gone := make(map[int]bool, n)
	for k := range n {
		gone[lo+k*step] = true
	}
	kept := l.Items[:0:0]
	for k, x := range l.Items {
		if !gone[k] {
			kept = append(kept, x)
		}
	}
	l.Items = kept
	return nil
}
