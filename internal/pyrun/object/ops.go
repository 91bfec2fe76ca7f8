package object

import (
	"reflect"

	"github.com/nereid-lang/nereid/internal/python"
)

// BinaryNames are the special methods of the binary operators, without the underscores.
var BinaryNames = [...]string{
	python.Add: "add", python.Sub: "sub", python.Mult: "mul", python.MatMult: "matmul", python.Div: "truediv",
	python.Mod: "mod",
	python.Pow: "pow", python.LShift: "lshift", python.RShift: "rshift", python.BitOr: "or",
	python.BitXor: "xor",
	python.BitAnd: "and", python.FloorDiv: "floordiv",
}

// Binary returns a op b.
func Binary(in *Interp, op python.Operator, a, b Value) (Value, error) {
	if v, ok, err := numberOp(in, op, a, b); ok {
		return v, err
	}
	if u := UnknownOf(a, b); u != nil {
		if op == python.BitOr && mayBeType(a) && mayBeType(b) {
			return u.Derive(" | …", false), nil
		}
		return nil, u.Need("the value")
	}
	v, err := in.writtenBinary(op, a, b)
	if v != nil || err != nil {
		return v, err
	}
	if v, err := in.flagOp(op, a, b); v != nil || err != nil {
		return v, err
	}
	pa, pb := Payload(a), Payload(b)
	if pa != a || pb != b {
		if v, ok, err := numberOp(in, op, pa, pb); ok {
			return v, err
		}
	}
	if v, err := builtinOps[op](in, pa, pb); v != nil || err != nil {
		return v, err
	}
	if v, err := foreignBinary(in, op, a, b); v != nil || err != nil {
		return v, err
	}
	return nil, binaryError(op.String(), a, b)
}

// mayBeType reports whether v may be part of a union of types.
func mayBeType(v Value) bool {
	_, unknown := v.(*Unknown)
	return unknown || v == None || IsType(v)
}

func binaryError(op string, a, b Value) error {
	if op == "**" {
		op = "** or pow()"
	}
	return Errorf(TypeError, "unsupported operand type(s) for %s: '%s' and '%s'", op, a.TypeName(),
		b.TypeName())
}

// writtenBinary tries the special methods of classes written in Python; nil means that there is no answer.
func (in *Interp) writtenBinary(op python.Operator, a, b Value) (Value, error) {
	name := BinaryNames[op]
	first, second := Special(a, "__"+name+"__"), Special(b, "__r"+name+"__")
	if first == nil && second == nil {
		return nil, nil
	}
	ca, cb := writtenClass(a), writtenClass(b)
	if ca != nil && ca == cb {
		second = nil
	} else if first != nil && second != nil && cb.isSubclass(ca) {
		if v, err := in.trySpecial(b, second, a); v != nil || err != nil {
			return v, err
		}
		second = nil
	}
	if v, err := in.trySpecial(a, first, b); v != nil || err != nil {
		return v, err
	}
	return in.trySpecial(b, second, a)
}

// trySpecial calls a special method; nil is the answer NotImplemented.
func (in *Interp) trySpecial(self, fn Value, args ...Value) (Value, error) {
	if fn == nil {
		return nil, nil
	}
	v, err := in.CallSpecial(self, fn, args...)
	if err != nil || v == NotImplemented {
		return nil, err
	}
	return v, nil
}

func foreignBinary(in *Interp, op python.Operator, a, b Value) (Value, error) {
	if x, ok := a.(HasBinary); ok {
		if v, err := x.Binary(in, op, b, false); v != nil || err != nil {
			return v, err
		}
	}
	if x, ok := b.(HasBinary); ok {
		return x.Binary(in, op, a, true)
	}
	return nil, nil
}

// InPlace returns the value of a after a op= b.
func InPlace(in *Interp, op python.Operator, a, b Value) (Value, error) {
	if fn := Special(a, "__i"+BinaryNames[op]+"__"); fn != nil {
		if v, err := in.trySpecial(a, fn, b); v != nil || err != nil {
			return v, err
		}
	}
	switch x := a.(type) {
	case *List:
		if op == python.Add {
			items, err := Iterate(in, b)
			if err != nil {
				return nil, err
			}
			if err := in.Alloc(len(items) * ValueSize); err != nil {
				return nil, err
			}
			x.Items = append(x.Items, items...)
			return x, nil
		}
		if op == python.Mult {
			v, err := Binary(in, op, a, b)
			if l, ok := v.(*List); ok {
				x.Items = l.Items
				return x, nil
			}
			return v, err
		}
	case *Dict:
		if op == python.BitOr {
			return x, in.UpdateDict(x, b)
		}
	case *Set:
		if other, ok := b.(*Set); ok && !x.Frozen && setOps[op] != nil {
			v, err := setOps[op](in, x, other)
			if err != nil {
				return nil, err
			}
			x.d = v.d
			return x, nil
		}
	}
	v, err := Binary(in, op, a, b)
	if e, ok := Catchable(err); ok && e.Class == TypeError &&
		e.Message() == binaryError(op.String(), a, b).(*Exception).Message() {
		return nil, binaryError(op.String()+"=", a, b)
	}
	return v, err
}

// HasUnary is a value of another package with unary operators; not does not ask it.
type HasUnary interface {
	Unary(in *Interp, op python.UnaryOperator) (Value, error)
}

var unaryDunders = map[python.UnaryOperator]string{
	python.USub: "__neg__", python.UAdd: "__pos__", python.Invert: "__invert__",
}

// Unary returns op v.
func Unary(in *Interp, op python.UnaryOperator, v Value) (Value, error) {
	if op == python.Not {
		if x, ok := v.(HasUnary); ok {
			if r, err := x.Unary(in, op); r != nil || err != nil {
				return r, err
			}
		}
		t, err := Truth(in, v)
		return Bool(!t), err
	}
	if fn := Special(v, unaryDunders[op]); fn != nil {
		return in.CallSpecial(v, fn)
	}
	switch x := Payload(v).(type) {
	case Int:
		return intUnary(op, x), nil
	case Bool:
		return intUnary(op, MakeInt(int64(boolInt(bool(x))))), nil
	case Float:
		if op == python.USub {
			return -x, nil
		}
		if op == python.UAdd {
			return x, nil
		}
	case *Unknown:
		return nil, x.Need("the value")
	case HasUnary:
		if r, err := x.Unary(in, op); r != nil || err != nil {
			return r, err
		}
	}
	return nil, Errorf(TypeError, "bad operand type for unary %s: '%s'", op, v.TypeName())
}

// Truth reports whether v is true: bool(v).
func Truth(in *Interp, v Value) (bool, error) {
	switch x := v.(type) {
	case Bool:
		return bool(x), nil
	case NoneType:
		return false, nil
	case Int:
		return x.small != 0 || x.big != nil, nil
	case Float:
		return x != 0, nil
	case Str:
		return x != "", nil
	case Bytes:
		return x != "", nil
	case *Tuple:
		return len(x.Items) > 0, nil
	case *List:
		return len(x.Items) > 0, nil
	case *Dict:
		return x.Len() > 0, nil
	case *Set:
		return x.Len() > 0, nil
	case *Range:
		return x.size().Sign() > 0, nil
	case *Instance:
		return in.instanceTruth(x)
	case *Unknown:
		if x.isModule() {
			return true, nil
		}
		return false, x.Need("the truth")
	case HasTruth:
		return x.Truth()
	case HasLen:
		n, err := x.Len(in)
		return n > 0, err
	}
	return true, nil
}

// HasLen is a value of another package that has a length.
type HasLen interface {
	Len(in *Interp) (int, error)
}

func (in *Interp) instanceTruth(v *Instance) (bool, error) {
	if fn := Special(v, "__bool__"); fn != nil {
		r, err := in.CallSpecial(v, fn)
		if err != nil {
			return false, err
		}
		b, ok := r.(Bool)
		if !ok {
			return false, Errorf(TypeError, "__bool__ should return bool, returned %s", r.TypeName())
		}
		return bool(b), nil
	}
	if fn := Special(v, "__len__"); fn != nil {
		n, err := Len(in, v)
		return n > 0, err
	}
	if v.Payload != nil {
		return Truth(in, v.Payload)
	}
	if v.Class.enum != nil && v.Class.enum.flags {
		return Truth(in, v.Attrs.MustStr("_value_"))
	}
	if u := v.Class.unknownBase(); u != nil {
		return false, u.Derive("()", false).Need("the truth")
	}
	return true, nil
}

// Is reports whether a is b. Equal numbers and equal strings count as one object.
func Is(a, b Value) bool {
	switch x := a.(type) {
	case Int:
		y, ok := b.(Int)
		return ok && x.Cmp(y) == 0
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && (x == y || len(x.Items) == 0 && len(y.Items) == 0 && x.Class == y.Class)
	case *BoundMethod:
		return false
	case *Unknown:
		y, ok := b.(*Unknown)
		return ok && (x == y || x.plain && y.plain && x.Path == y.Path)
	}
	ta, tb := reflect.TypeOf(a), reflect.TypeOf(b)
	return ta == tb && ta.Comparable() && a == b
}

// AsInt64 returns the value of an int or bool, if it fits.
func AsInt64(v Value) (int64, bool) {
	switch x := Payload(v).(type) {
	case Int:
		return x.Int64()
	case Bool:
		return int64(boolInt(bool(x))), true
	}
	return 0, false
}

// AsFloat returns the value of a float, int or bool.
func AsFloat(v Value) (float64, bool) {
	switch x := Payload(v).(type) {
	case Float:
		return float64(x), true
	case Int:
		f, err := x.Float64()
		return f, err == nil
	case Bool:
		return float64(boolInt(bool(x))), true
	}
	return 0, false
}
