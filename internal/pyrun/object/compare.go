package object

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// Compare returns a op b: a Bool, unless a value of another package or a class says otherwise.
func Compare(in *Interp, op python.CmpOperator, a, b Value) (Value, error) {
	switch op {
	case python.Is, python.IsNot:
		same, err := in.Identical(a, b)
		return Bool(same == (op == python.Is)), err
	case python.In, python.NotIn:
		has, err := Contains(in, b, a)
		return Bool(has == (op == python.In)), err
	case python.Eq, python.NotEq:
		return in.equality(op, a, b)
	}
	return in.order(op, a, b)
}

// Identical reports whether a is b. It fails for an unknown value and None: nobody can say.
func (in *Interp) Identical(a, b Value) (bool, error) {
	if Is(a, b) {
		return true, nil
	}
	for _, p := range [][2]Value{{a, b}, {b, a}} {
		if u, ok := p[0].(*Unknown); ok && !u.isModule() {
			switch p[1].(type) {
			case NoneType, Bool, *Unknown:
				return false, u.Need("the identity")
			}
		}
	}
	return false, nil
}

// Equal reports whether a == b.
func Equal(in *Interp, a, b Value) (bool, error) {
	v, err := in.equality(python.Eq, a, b)
	if err != nil {
		return false, err
	}
	return Truth(in, v)
}

// Same reports whether a is b or equals it, as containers compare their elements.
func (in *Interp) Same(a, b Value) (bool, error) {
	if Is(a, b) {
		return true, nil
	}
	return Equal(in, a, b)
}

func (in *Interp) equality(op python.CmpOperator, a, b Value) (Value, error) {
	if v, err := in.foreignCompare(op, a, b); v != nil || err != nil {
		return v, err
	}
	if op == python.NotEq && (Special(a, "__eq__") != nil || Special(b, "__eq__") != nil) {
		v, err := in.foreignCompare(python.Eq, a, b)
		if v != nil || err != nil {
			t, err := TruthOf(in, v, err)
			return Bool(!t), err
		}
	}
	if err := in.Enter(); err != nil {
		return nil, err
	}
	defer in.Leave()
	eq, err := in.builtinEqual(Payload(a), Payload(b))
	return Bool(eq == (op == python.Eq)), err
}

// TruthOf returns the truth of v, or err where that is set: it takes the results of a function.
func TruthOf(in *Interp, v Value, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	return Truth(in, v)
}

// CompareDunders are the special methods of the comparisons.
var CompareDunders = map[python.CmpOperator]string{
	python.Eq: "__eq__", python.NotEq: "__ne__", python.Lt: "__lt__", python.LtE: "__le__",
	python.Gt: "__gt__", python.GtE: "__ge__",
}

// swapped is the comparison with its operands exchanged.
var swapped = map[python.CmpOperator]python.CmpOperator{
	python.Eq: python.Eq, python.NotEq: python.NotEq, python.Lt: python.Gt, python.Gt: python.Lt,
	python.LtE: python.GtE, python.GtE: python.LtE,
}

// foreignCompare asks special methods and values of other packages; nil means that they have no answer.
func (in *Interp) foreignCompare(op python.CmpOperator, a, b Value) (Value, error) {
	switch a.(type) {
	case Str, Int, NoneType, Bool, Float: // by far the most frequent
		switch b.(type) {
		case Str, Int, NoneType, Bool, Float:
			return nil, nil
		}
	}
	if u := UnknownOf(a, b); u != nil {
		if (op == python.Eq || op == python.NotEq) && Is(a, b) {
			return Bool(op == python.Eq), nil
		}
		return nil, u.Need("the value")
	}
	if fn := Special(a, CompareDunders[op]); fn != nil {
		if v, err := in.trySpecial(a, fn, b); v != nil || err != nil {
			return v, err
		}
	}
	if fn := Special(b, CompareDunders[swapped[op]]); fn != nil {
		if v, err := in.trySpecial(b, fn, a); v != nil || err != nil {
			return v, err
		}
	}
	if x, ok := a.(HasCompare); ok {
		if v, err := x.Compare(in, op, b); v != nil || err != nil {
			return v, err
		}
	}
	if x, ok := b.(HasCompare); ok {
		return x.Compare(in, swapped[op], a)
	}
	return nil, nil
}

func (in *Interp) builtinEqual(a, b Value) (bool, error) {
	if c, ok := compareNumbers(a, b); ok {
		return c == 0, nil
	}
	switch x := a.(type) {
	case Str:
		y, ok := b.(Str)
		return ok && x == y, in.scan(len(x))
	case Bytes:
		y, ok := b.(Bytes)
		return ok && x == y, in.scan(len(x))
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return in.equalItems(x.Items, y.Items)
		}
		return false, nil
	case *List:
		if y, ok := b.(*List); ok {
			return in.equalItems(x.Items, y.Items)
		}
		return false, nil
	case *Dict:
		if y, ok := b.(*Dict); ok {
			return in.EqualDicts(x, y)
		}
		return false, nil
	case *Set:
		if y, ok := b.(*Set); ok {
			return x.Len() == y.Len() && in.subset(x, y) == nil, nil
		}
		return false, nil
	case *Range:
		y, ok := b.(*Range)
		return ok && x.equal(y), nil
	case *Slice:
		if y, ok := b.(*Slice); ok {
			return in.equalItems([]Value{OrNone(x.Lo), OrNone(x.Hi), OrNone(x.Step)},
				[]Value{OrNone(y.Lo), OrNone(y.Hi), OrNone(y.Step)})
		}
		return false, nil
	case *BoundMethod:
		y, ok := b.(*BoundMethod)
		return ok && Is(x.Self, y.Self) && Is(x.Fn, y.Fn), nil
	case *dictView:
		return in.equalViews(x, b)
	}
	return Is(a, b), nil
}

func (in *Interp) equalItems(a, b []Value) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if err := in.Work(1); err != nil {
			return false, err
		}
		if ok, err := in.Same(a[i], b[i]); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// EqualDicts reports whether two dicts have equal entries.
func (in *Interp) EqualDicts(a, b *Dict) (bool, error) {
	if a.Len() != b.Len() {
		return false, nil
	}
	if a.Name == "OrderedDict" && b.Name == "OrderedDict" {
		if ok, err := in.equalItems(a.Keys(), b.Keys()); !ok || err != nil {
			return false, err
		}
	}
	for k, v := range a.All() {
		if err := in.Work(1); err != nil {
			return false, err
		}
		w, ok, err := b.Get(in, k)
		if err != nil || !ok {
			return false, err
		}
		if ok, err := in.Same(v, w); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// errNotSubset says that a is not within b.
type errNotSubset struct{ error }

func (in *Interp) subset(a, b *Set) error {
	for x := range a.All() {
		if err := in.Work(1); err != nil {
			return err
		}
		ok, err := b.Has(in, x)
		if err != nil {
			return err
		}
		if !ok {
			return errNotSubset{}
		}
	}
	return nil
}

// order returns a op b, where op is <, <=, > or >=.
func (in *Interp) order(op python.CmpOperator, a, b Value) (Value, error) {
	if v, err := in.foreignCompare(op, a, b); v != nil || err != nil {
		return v, err
	}
	pa, pb := Payload(a), Payload(b)
	if x, ok := pa.(*Set); ok {
		if y, ok := pb.(*Set); ok {
			return Bool(in.orderSets(op, x, y)), nil
		}
	}
	if isNaN(pa) && isNumber(pb) || isNaN(pb) && isNumber(pa) {
		return Bool(false), nil
	}
	if err := in.Enter(); err != nil {
		return nil, err
	}
	defer in.Leave()
	if x, y, ok := sequences(pa, pb); ok {
		return in.orderItems(op, x, y)
	}
	c, ok := compareOrdered(pa, pb)
	if !ok {
		return nil, Errorf(TypeError, "'%s' not supported between instances of '%s' and '%s'", op,
			a.TypeName(), b.TypeName())
	}
	return Bool(Ordered(op, c)), nil
}

// Ordered reports whether op holds for operands whose order is c: negative, zero or positive.
func Ordered(op python.CmpOperator, c int) bool {
	switch op {
	case python.Lt:
		return c < 0
	case python.LtE:
		return c <= 0
	case python.Gt:
		return c > 0
	}
	return c >= 0
}

func compareOrdered(a, b Value) (int, bool) {
	if c, ok := compareNumbers(a, b); ok {
		return c, true
	}
	switch x := a.(type) {
	case Str:
		y, ok := b.(Str)
		return strings.Compare(string(x), string(y)), ok
	case Bytes:
		y, ok := b.(Bytes)
		return strings.Compare(string(x), string(y)), ok
	}
	return 0, false
}

// sequences returns the items of two lists or two tuples.
func sequences(a, b Value) (x, y []Value, ok bool) {
	switch a := a.(type) {
	case *List:
		b, ok := b.(*List)
		if ok {
			return a.Items, b.Items, true
		}
	case *Tuple:
		b, ok := b.(*Tuple)
		if ok {
			return a.Items, b.Items, true
		}
	}
	return nil, nil, false
}

func (in *Interp) orderItems(op python.CmpOperator, a, b []Value) (Value, error) {
	for i := range min(len(a), len(b)) {
		if err := in.Work(1); err != nil {
			return nil, err
		}
		ok, err := in.Same(a[i], b[i])
		if err != nil {
			return nil, err
		}
		if !ok {
			return Compare(in, op, a[i], b[i])
		}
	}
	return Bool(Ordered(op, len(a)-len(b))), nil
}

func (in *Interp) orderSets(op python.CmpOperator, a, b *Set) bool {
	switch op {
	case python.Gt, python.GtE:
		a, b = b, a
	}
	if in.subset(a, b) != nil {
		return false
	}
	return op == python.LtE || op == python.GtE || a.Len() < b.Len()
}

// Contains reports whether x is in c.
func Contains(in *Interp, c, x Value) (bool, error) {
	if fn := Special(c, "__contains__"); fn != nil {
		v, err := in.CallSpecial(c, fn, x)
		return TruthOf(in, v, err)
	}
	if f, ok := c.(*Instance); ok && f.Class.enum != nil && f.Class.enum.flags {
		both, err := in.flagOp(python.BitAnd, c, x)
		if err != nil || both == nil {
			return false, err
		}
		return in.Same(both, x)
	}
	switch s := Payload(c).(type) {
	case Str:
		sub, ok := Payload(x).(Str)
		if !ok {
			if u := UnknownOf(x); u != nil {
				return false, u.Need("the value")
			}
			return false, Errorf(TypeError, "'in <string>' requires string as left operand, not %s",
				x.TypeName())
		}
		return strings.Contains(string(s), string(sub)), in.scan(len(s))
	case Bytes:
		return bytesContain(s, x)
	case *Dict:
		_, ok, err := s.Get(in, x)
		return ok, err
	case *Set:
		return s.Has(in, setKeyOf(x))
	case *Range:
		return s.contains(in, x)
	case HasContains:
		return s.Contains(in, x)
	}
	it, err := Iter(in, c)
	if err != nil {
		return false, ReplaceTypeError(err, "argument of type '%s' is not iterable", c.TypeName())
	}
	for {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return false, err
		}
		if err := in.Work(1); err != nil {
			return false, err
		}
		if same, err := in.Same(v, x); same || err != nil {
			return same, err
		}
	}
}

// setKeyOf returns a set as it is looked up in another one: frozen.
func setKeyOf(x Value) Value {
	if s, ok := x.(*Set); ok && !s.Frozen {
		return s.Copy(true)
	}
	return x
}

// HasContains is a value of another package that answers `x in v`.
type HasContains interface {
	Contains(in *Interp, x Value) (bool, error)
}
