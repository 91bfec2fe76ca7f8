package object

import (
	"math/big"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/python"
)

// Len is len(v).
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

// Range is a range.
type Range struct{ Start, Stop, Step Int }

// TypeName is "range".
func (*Range) TypeName() string { return "range" }

func (r *Range) size() *big.Int {
	if r.Start.big == nil && r.Stop.big == nil && r.Step.big == nil {
		lo, hi, step := r.Start.small, r.Stop.small, r.Step.small
		if step < 0 {
			lo, hi = hi, lo
		}
		if lo >= hi {
			return new(big.Int)
		}
		n := new(big.Int).SetUint64((uint64(hi) - uint64(lo) - 1) / absU(step))
		return n.Add(n, bigOne)
	}
	d := new(big.Int).Sub(r.Stop.Big(), r.Start.Big())
	step := r.Step.Big()
	if d.Sign() != step.Sign() {
		return new(big.Int)
	}
	d.Sub(d, big.NewInt(int64(step.Sign())))
	d.Quo(d, step)
	return d.Add(d, bigOne)
}

// at is element i, which is in range.
func (r *Range) at(i *big.Int) Value {
	if r.Start.big == nil && r.Step.big == nil && i.IsInt64() {
		if d, ok := mulSmall(r.Step.small, i.Int64()); ok {
			if v, ok := smallOps(python.Add, r.Start.small, d); ok {
				return MakeInt(v)
			}
		}
	}
	z := new(big.Int).Mul(r.Step.Big(), i)
	return BigInt(z.Add(z, r.Start.Big()))
}

func (r *Range) equal(s *Range) bool {
	n := r.size()
	if n.Cmp(s.size()) != 0 {
		return false
	}
	return n.Sign() == 0 || r.Start.Cmp(s.Start) == 0 && (n.Cmp(bigOne) == 0 || r.Step.Cmp(s.Step) == 0)
}

func (r *Range) contains(in *Interp, x Value) (bool, error) {
	switch n := Payload(x).(type) {
	case Bool:
		return r.has(IntOf(n)), nil
	case Int:
		return r.has(n), nil
	case Float:
		if f := float64(n); f == float64(int64(f)) {
			return r.has(MakeInt(int64(f))), nil
		}
		return false, nil
	case *Unknown:
		return false, n.Need("the value")
	}
	return false, nil
}

func (r *Range) has(n Int) bool {
	d := new(big.Int).Sub(n.Big(), r.Start.Big())
	q, m := new(big.Int).QuoRem(d, r.Step.Big(), new(big.Int))
	return m.Sign() == 0 && q.Sign() >= 0 && q.Cmp(r.size()) < 0
}

// GetItem is v[i].
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

// pickItems is items[i]: one item, or those of a slice.
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

// index is i as an index into n items, negative ones counted from the end.
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

// AsIndex is an int, or what __index__ gives.
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

// sliceIndices are the first index, the step and the number of elements that a slice of n items takes.
func (in *Interp) sliceIndices(s *Slice, n int) (lo, step, count int, err error) {
	lo, hi, step, err := in.sliceBounds(s, n)
	switch {
	case step > 0 && hi > lo:
		count = (hi-lo-1)/step + 1
	case step < 0 && lo > hi:
		count = (lo-hi-1)/(-step) + 1
	}
	return lo, step, count, err
}

// sliceBounds are the indices that slice.indices(n) gives.
func (in *Interp) sliceBounds(s *Slice, n int) (lo, hi, step int, err error) {
	step = 1
	if s.Step != nil && s.Step != None {
		k, err := in.sliceIndex(s.Step, n)
		if err != nil {
			return 0, 0, 0, err
		}
		if step = k; step == 0 {
			return 0, 0, 0, Errorf(ValueError, "slice step cannot be zero")
		}
	}
	from, to := 0, n
	if step < 0 {
		from, to = n-1, -1
	}
	lo, err = in.bound(s.Lo, n, step, from)
	if err != nil {
		return 0, 0, 0, err
	}
	hi, err = in.bound(s.Hi, n, step, to)
	return lo, hi, step, err
}

// sliceIndex is a bound of a slice; what is out of all proportion is cut.
func (in *Interp) sliceIndex(v Value, n int) (int, error) {
	k, err := in.ToIndex(v)
	if err != nil {
		return 0, ReplaceTypeError(err, "slice indices must be integers or None or have an __index__ method")
	}
	limit := MakeInt(int64(n) + 1<<31)
	if k.Cmp(limit) > 0 {
		k = limit
	} else if neg := MakeInt(-limit.small); k.Cmp(neg) < 0 {
		k = neg
	}
	return int(k.small), nil
}

func (in *Interp) bound(v Value, n, step, def int) (int, error) {
	if v == nil || v == None {
		return def, nil
	}
	k, err := in.sliceIndex(v, n)
	if err != nil {
		return 0, err
	}
	if k < 0 {
		k += n
	}
	lo, hi := 0, n
	if step < 0 {
		lo, hi = -1, n-1
	}
	return min(max(k, lo), hi), nil
}

func (in *Interp) pickText(s string, i Value) (string, error) {
	if err := in.scan(len(s)); err != nil {
		return "", err
	}
	if isASCII(s) {
		if sl, ok := i.(*Slice); ok {
			lo, step, n, err := in.sliceIndices(sl, len(s))
			if err != nil {
				return "", err
			}
			if err := in.Alloc(n); err != nil {
				return "", err
			}
			return string(stride([]byte(s), lo, step, n)), nil
		}
		k, err := in.index(i, len(s), "string")
		if err != nil {
			return "", err
		}
		return s[k : k+1], nil
	}
	if err := in.Alloc(len(s)); err != nil {
		return "", err
	}
	rs := toRunes(s)
	if sl, ok := i.(*Slice); ok {
		lo, step, n, err := in.sliceIndices(sl, len(rs))
		if err != nil {
			return "", err
		}
		return fromRunes(stride(rs, lo, step, n)), nil
	}
	k, err := in.index(i, len(rs), "string")
	if err != nil {
		return "", err
	}
	return fromRunes(rs[k : k+1]), nil
}

func stride[T any](s []T, lo, step, n int) []T {
	out := make([]T, n)
	for k := range out {
		out[k] = s[lo+k*step]
	}
	return out
}

func (in *Interp) pickBytes(b Bytes, i Value) (Value, error) {
	if sl, ok := i.(*Slice); ok {
		lo, step, n, err := in.sliceIndices(sl, len(b))
		if err != nil {
			return nil, err
		}
		return Bytes(stride([]byte(b), lo, step, n)), in.Alloc(n)
	}
	k, err := in.index(i, len(b), "byte")
	if err != nil {
		return nil, err
	}
	return MakeInt(int64(b[k])), nil
}

func (in *Interp) rangeItem(r *Range, i Value) (Value, error) {
	if s, ok := i.(*Slice); ok {
		n, err := Len(in, r)
		if err != nil {
			return nil, err
		}
		lo, hi, step, err := in.sliceBounds(s, n)
		if err != nil {
			return nil, err
		}
		start := r.at(big.NewInt(int64(lo))).(Int)
		newStep, err := intOp(in, python.Mult, r.Step, MakeInt(int64(step)))
		if err != nil {
			return nil, err
		}
		stop := r.at(big.NewInt(int64(hi))).(Int)
		return &Range{start, stop, newStep.(Int)}, nil
	}
	k, err := in.ToIndex(i)
	if err != nil {
		return nil, err
	}
	n, size := k.Big(), r.size()
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, size)
	}
	if n.Sign() < 0 || n.Cmp(size) >= 0 {
		return nil, Errorf(IndexError, "range object index out of range")
	}
	return r.at(n), nil
}

// SetItem is v[i] = x.
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
		return Errorf(ValueError, "attempt to assign sequence of size %d to extended slice of size %d", len(items), n)
	}
	for k, y := range items {
		l.Items[lo+k*step] = y
	}
	return nil
}

// DelItem is del v[i].
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

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func runeCount(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return len(toRunes(s))
}

// toRunes are the code points of a str, surrogates included.
func toRunes(s string) []rune {
	out := make([]rune, 0, len(s))
	for len(s) > 0 {
		r, n := python.DecodeRune(s)
		out = append(out, r)
		s = s[n:]
	}
	return out
}

func fromRunes(rs []rune) string {
	b := make([]byte, 0, len(rs))
	for _, r := range rs {
		if r >= 0xD800 && r <= 0xDFFF {
			b = append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
