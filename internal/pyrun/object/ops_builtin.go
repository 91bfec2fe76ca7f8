package object

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

type binaryFunc func(in *Interp, a, b Value) (Value, error)

// builtinOps are the operators of sequences, sets, dicts and types. Each returns nil when it is not for these
// operands.
var builtinOps map[python.Operator]binaryFunc

func init() {
	none := func(*Interp, Value, Value) (Value, error) { return nil, nil }
	builtinOps = map[python.Operator]binaryFunc{
		python.Add: concatenate, python.Mult: repeat, python.Mod: formatPercent,
		python.Sub:    setOperator(python.Sub),
		python.BitAnd: setOperator(python.BitAnd), python.BitXor: setOperator(python.BitXor),
		python.BitOr:   bitOr,
		python.MatMult: none, python.Div: none, python.Pow: none, python.LShift: none, python.RShift: none,
		python.FloorDiv: none,
	}
}

func concatenate(in *Interp, a, b Value) (Value, error) {
	switch x := a.(type) {
	case Str:
		y, ok := b.(Str)
		if !ok {
			if _, foreign := b.(HasBinary); foreign {
				return nil, nil
			}
			return nil, Errorf(TypeError, `can only concatenate str (not "%s") to str`, b.TypeName())
		}
		return x + y, in.Alloc(len(x) + len(y))
	case Bytes:
		y, ok := b.(Bytes)
		if !ok {
			return nil, Errorf(TypeError, "can't concat %s to bytes", b.TypeName())
		}
		return x + y, in.Alloc(len(x) + len(y))
	case *List:
		y, ok := b.(*List)
		if !ok {
			if _, foreign := b.(HasBinary); foreign {
				return nil, nil
			}
			return nil, Errorf(TypeError, `can only concatenate list (not "%s") to list`, b.TypeName())
		}
		items, err := in.join(x.Items, y.Items)
		return &List{Items: items}, err
	case *Tuple:
		y, ok := b.(*Tuple)
		if !ok {
			if _, foreign := b.(HasBinary); foreign {
				return nil, nil
			}
			return nil, Errorf(TypeError, `can only concatenate tuple (not "%s") to tuple`, b.TypeName())
		}
		items, err := in.join(x.Items, y.Items)
		return &Tuple{Items: items}, err
	}
	return nil, nil
}

func (in *Interp) join(a, b []Value) ([]Value, error) {
	if err := in.Alloc((len(a) + len(b)) * ValueSize); err != nil {
		return nil, err
	}
	return append(append(make([]Value, 0, len(a)+len(b)), a...), b...), nil
}

func repeat(in *Interp, a, b Value) (Value, error) {
	if isCount(a) {
		a, b = b, a
	}
	if !isCount(b) {
		return nil, notCount(a, b)
	}
	if !isSequence(a) {
		return nil, nil
	}
	n, ok := AsInt64(b)
	if !ok {
		return nil, Errorf(OverflowError, "cannot fit 'int' into an index-sized integer")
	}
	n = max(n, 0)
	switch x := a.(type) {
	case Str:
		s, err := in.repeatText(string(x), n)
		return Str(s), err
	case Bytes:
		s, err := in.repeatText(string(x), n)
		return Bytes(s), err
	case *List:
		items, err := in.repeatItems(x.Items, n)
		return &List{Items: items}, err
	case *Tuple:
		items, err := in.repeatItems(x.Items, n)
		return &Tuple{Items: items}, err
	}
	return nil, nil
}

// notCount returns the error of a sequence times something that is no int.
func notCount(a, b Value) error {
	if !isSequence(a) {
		a, b = b, a
	}
	_, foreign := b.(HasBinary)
	if !isSequence(a) || foreign {
		return nil
	}
	return Errorf(TypeError, "can't multiply sequence by non-int of type '%s'", b.TypeName())
}

func isSequence(v Value) bool {
	switch v.(type) {
	case Str, Bytes, *List, *Tuple:
		return true
	}
	return false
}

func isCount(v Value) bool {
	switch v.(type) {
	case Int, Bool:
		return true
	}
	return false
}

func (in *Interp) repeatText(s string, n int64) (string, error) {
	if len(s) == 0 {
		return "", nil
	}
	if err := in.Alloc(Product(len(s), n)); err != nil {
		return "", err
	}
	return strings.Repeat(s, int(n)), nil
}

func (in *Interp) repeatItems(items []Value, n int64) ([]Value, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if err := in.Alloc(Product(len(items)*ValueSize, n)); err != nil {
		return nil, err
	}
	out := make([]Value, 0, len(items)*int(n))
	for range n {
		out = append(out, items...)
	}
	return out, nil
}

// Product returns size*n, or a number that no limit allows where that overflows.
func Product(size int, n int64) int {
	if n > 1<<40/int64(size) {
		return 1 << 50
	}
	return size * int(n)
}

// setOps are the operators of sets.
var setOps map[python.Operator]func(in *Interp, a, b *Set) (*Set, error)

func init() {
	setOps = map[python.Operator]func(in *Interp, a, b *Set) (*Set, error){
		python.Sub:    func(in *Interp, a, b *Set) (*Set, error) { return in.pick(a, b, false) },
		python.BitAnd: func(in *Interp, a, b *Set) (*Set, error) { return in.pick(a, b, true) },
		python.BitOr:  func(in *Interp, a, b *Set) (*Set, error) { return in.union(a, b) },
		python.BitXor: func(in *Interp, a, b *Set) (*Set, error) {
			x, err := in.pick(a, b, false)
			if err != nil {
				return nil, err
			}
			y, err := in.pick(b, a, false)
			if err != nil {
				return nil, err
			}
			return in.union(x, y)
		},
	}
}

// pick returns the elements of a that are in b, or, with inB unset, that are not.
func (in *Interp) pick(a, b *Set, inB bool) (*Set, error) {
	out := &Set{Frozen: a.Frozen}
	for x := range a.All() {
		if err := in.Work(1); err != nil {
			return nil, err
		}
		has, err := b.Has(in, x)
		if err != nil {
			return nil, err
		}
		if has == inB {
			if err := out.Add(in, x); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (in *Interp) union(a, b *Set) (*Set, error) {
	if err := in.Alloc(a.Len() * ValueSize); err != nil {
		return nil, err
	}
	out := a.Copy(a.Frozen)
	for x := range b.All() {
		if err := out.Add(in, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func setOperator(op python.Operator) binaryFunc {
	return func(in *Interp, a, b Value) (Value, error) {
		x, ok1 := in.asSet(a)
		y, ok2 := in.asSet(b)
		if !ok1 || !ok2 {
			return nil, nil
		}
		s, err := setOps[op](in, x, y)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// asSet returns v as a set; v is one, or the keys of a dict.
func (in *Interp) asSet(v Value) (*Set, bool) {
	switch v := v.(type) {
	case *Set:
		return v, true
	case *dictView:
		if v.kind == viewValues {
			return nil, false
		}
		s, err := NewSet(in, v.list(), false)
		return s, err == nil
	}
	return nil, false
}

// bitOr returns the union of sets, of dicts, or of types (int | None).
func bitOr(in *Interp, a, b Value) (Value, error) {
	if x, ok := a.(*Dict); ok {
		y, ok := b.(*Dict)
		if !ok {
			return nil, nil
		}
		if err := in.Alloc(x.Len() * 4 * ValueSize); err != nil {
			return nil, err
		}
		d := x.Copy()
		return d, in.UpdateDict(d, y)
	}
	if u, ok := a.(*Union); ok {
		if err := in.Work(len(u.Types)); err != nil {
			return nil, err
		}
	}
	if IsType(a) && (IsType(b) || b == None) || a == None && IsType(b) {
		return unionType(a, b), nil
	}
	return setOperator(python.BitOr)(in, a, b)
}
