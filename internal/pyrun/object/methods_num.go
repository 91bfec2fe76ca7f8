package object

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func intMethod(fn func(in *Interp, n Int, a []Value) (Value, error)) func(in *Interp, a []Value) (Value, error) {
	return func(in *Interp, a []Value) (Value, error) {
		n, err := in.ToIndex(a[0])
		if err != nil {
			return nil, err
		}
		return fn(in, n, a[1:])
	}
}

func floatMethod(fn func(f float64) (Value, error)) func(in *Interp, a []Value) (Value, error) {
	return func(_ *Interp, a []Value) (Value, error) {
		f, ok := Payload(a[0]).(Float)
		if !ok {
			return nil, Errorf(TypeError, "descriptor requires a 'float' object but received a '%s'", a[0].TypeName())
		}
		return fn(float64(f))
	}
}

func init() {
	define(IntClass, methodTable{
		"bit_length": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) { return MakeInt(int64(n.Big().BitLen())), nil })},
		"bit_count": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) {
			c := 0
			for _, w := range n.Big().Bits() {
				c += bits.OnesCount(uint(w))
			}
			return MakeInt(int64(c)), nil
		})},
		"conjugate":        {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) { return n, nil })},
		"as_integer_ratio": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) { return NewTuple(n, MakeInt(1)), nil })},
		"to_bytes":         {"length= byteorder= signed=", intMethod(toBytes)},
		"__index__":        {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) { return n, nil })},
	})
	IntClass.Attrs.SetStr("from_bytes", &StaticMethod{Native("from_bytes", "bytes byteorder= signed=", fromBytes)})
	define(FloatClass, methodTable{
		"is_integer": {"", floatMethod(func(f float64) (Value, error) {
			return Bool(f == math.Trunc(f) && !math.IsInf(f, 0)), nil
		})},
		"as_integer_ratio": {"", floatMethod(ratio)},
		"hex":              {"", floatMethod(func(f float64) (Value, error) { return Str(floatHex(f)), nil })},
		"conjugate":        {"", floatMethod(func(f float64) (Value, error) { return Float(f), nil })},
	})
	FloatClass.Attrs.SetStr("fromhex", &StaticMethod{Native("fromhex", "text", floatFromHex)})
	for _, c := range []*Class{IntClass, FloatClass, StrClass, TupleClass, ListClass, SetClass, FrozensetClass} {
		defineOperators(c)
	}
	defineObject()
}

func ratio(f float64) (Value, error) {
	if math.IsNaN(f) {
		return nil, Errorf(ValueError, "cannot convert NaN to integer ratio")
	}
	if math.IsInf(f, 0) {
		return nil, Errorf(OverflowError, "cannot convert Infinity to integer ratio")
	}
	r, _ := new(big.Float).SetFloat64(f).Rat(nil)
	return NewTuple(BigInt(r.Num()), BigInt(r.Denom())), nil
}

// floatHex returns float.hex: one digit before the point and thirteen after it.
func floatHex(f float64) string {
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		return FloatRepr(f)
	case f == 0:
		return map[bool]string{true: "-0x0.0p+0", false: "0x0.0p+0"}[math.Signbit(f)]
	}
	if math.Abs(f) < 0x1p-1022 {
		m := math.Float64bits(f) & (1<<52 - 1)
		s := strconv.FormatUint(m, 16)
		s = "0x0." + strings.Repeat("0", 13-len(s)) + s + "p-1022"
		if f < 0 {
			s = "-" + s
		}
		return s
	}
	s := strconv.FormatFloat(f, 'x', 13, 64)
	mant, exp, _ := strings.Cut(s, "p")
	sign := exp[:1]
	return mant + "p" + sign + strings.TrimLeft(exp[1:len(exp)-1], "0") + exp[len(exp)-1:]
}

func floatFromHex(_ *Interp, a []Value) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	t := strings.ToLower(strings.TrimFunc(s, IsSpace))
	if !strings.Contains(t, "p") && strings.Trim(t, "+-") != "inf" && strings.Trim(t, "+-") != "nan" {
		t += "p0"
	}
	if !strings.Contains(t, "0x") && !strings.ContainsAny(t, "in") {
		t = strings.Replace(t, strings.TrimLeft(t, "+-"), "0x"+strings.TrimLeft(t, "+-"), 1)
	}
	f, perr := strconv.ParseFloat(t, 64)
	if perr != nil {
		return nil, Errorf(ValueError, "invalid hexadecimal floating-point string")
	}
	return Float(f), nil
}

func toBytes(in *Interp, n Int, a []Value) (Value, error) {
	length := int64(1)
	if a[0] != nil {
		k, err := in.AsIndex(a[0])
		if err != nil {
			return nil, err
		}
		length = k
	}
	if length < 0 || length > MaxBits/8 {
		return nil, Errorf(ValueError, "length argument must be non-negative")
	}
	order, err := Text(OrElse(a[1], Str("big")))
	if err != nil {
		return nil, err
	}
	signed, err := Truth(in, OrElse(a[2], Bool(false)))
	if err != nil {
		return nil, err
	}
	v := n.Big()
	limit := uint(length * 8)
	if signed && limit > 0 {
		limit--
	}
	if v.Sign() < 0 && !signed {
		return nil, Errorf(OverflowError, "can't convert negative int to unsigned")
	}
	span := new(big.Int).Lsh(bigOne, limit)
	if v.Cmp(span) >= 0 || v.Cmp(new(big.Int).Neg(span)) < 0 {
		return nil, Errorf(OverflowError, "int too big to convert")
	}
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(bigOne, uint(length*8)))
	}
	b := v.FillBytes(make([]byte, length))
	if order == "little" {
		reverseBytes(b)
	}
	return Bytes(b), nil
}

func reverseBytes(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

func fromBytes(in *Interp, a []Value) (Value, error) {
	v, err := makeBytes(in, []Value{a[0], nil, nil})
	if err != nil {
		return nil, err
	}
	order, err := Text(OrElse(a[1], Str("big")))
	if err != nil {
		return nil, err
	}
	signed, err := Truth(in, OrElse(a[2], Bool(false)))
	if err != nil {
		return nil, err
	}
	b := []byte(v.(Bytes))
	if order == "little" {
		reverseBytes(b)
	}
	if len(b) > MaxBits/8 {
		return nil, TooLarge()
	}
	n := new(big.Int).SetBytes(b)
	if signed && len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(bigOne, uint(len(b)*8)))
	}
	return BigInt(n), nil
}

// defineOperators gives a type its operators as special methods, for those who call or override them by name.
func defineOperators(c *Class) {
	for op, name := range BinaryNames {
		op := python.Operator(op)
		c.Attrs.SetStr("__"+name+"__", NewMethod("__"+name+"__", "other", func(in *Interp, a []Value) (Value, error) {
			return builtinBinary(in, op, Payload(a[0]), Payload(a[1]))
		}))
		c.Attrs.SetStr("__r"+name+"__", NewMethod("__r"+name+"__", "other", func(in *Interp, a []Value) (Value, error) {
			return builtinBinary(in, op, Payload(a[1]), Payload(a[0]))
		}))
	}
	for op, name := range CompareDunders {
		c.Attrs.SetStr(name, NewMethod(name, "other", func(in *Interp, a []Value) (Value, error) {
			return Compare(in, op, Payload(a[0]), Payload(a[1]))
		}))
	}
}

// builtinBinary returns a op b by the operators of Python's own types; NotImplemented where they do not take
// these operands.
func builtinBinary(in *Interp, op python.Operator, a, b Value) (Value, error) {
	if v, ok, err := numberOp(in, op, a, b); ok {
		return v, err
	}
	v, err := builtinOps[op](in, a, b)
	if v == nil && err == nil {
		return NotImplemented, nil
	}
	return v, err
}

// defineObject gives every object the special methods that programs call by name.
func defineObject() {
	define(ObjectClass, methodTable{
		"__init__": {"*args **kws", func(*Interp, []Value) (Value, error) { return None, nil }},
		"__eq__": {"other", func(_ *Interp, a []Value) (Value, error) {
			if Is(a[0], a[1]) {
				return Bool(true), nil
			}
			return NotImplemented, nil
		}},
		"__ne__": {"other", func(in *Interp, a []Value) (Value, error) {
			eq, err := Equal(in, a[0], a[1])
			return Bool(!eq), err
		}},
		"__hash__": {"", func(in *Interp, a []Value) (Value, error) {
			if v, ok := a[0].(*Instance); ok && v.Payload == nil {
				return MakeInt(int64(in.idOf(v))), nil
			}
			return hashValue(in, Payload(a[0]))
		}},
		"__repr__": {"", func(in *Interp, a []Value) (Value, error) {
			r := reprWriter{in: in}
			var err error
			if v, ok := a[0].(*Instance); ok && v.Payload == nil && v.Class.enum == nil {
				return Str("<" + qualifiedName(v.Class) + " object at " + r.address(v) + ">"), nil
			}
			err = r.value(Payload(a[0]))
			return Str(r.b.String()), err
		}},
		"__str__": {"", func(in *Interp, a []Value) (Value, error) {
			s, err := Repr(in, a[0])
			return Str(s), err
		}},
		"__format__": {"spec", func(in *Interp, a []Value) (Value, error) {
			spec, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			if spec == "" {
				s, err := ToStr(in, a[0])
				return Str(s), err
			}
			s, err := in.formatValue(Payload(a[0]), spec)
			return Str(s), err
		}},
		"__setattr__": {"name value", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			if v, ok := a[0].(*Instance); ok {
				return None, in.setPlainAttr(v, name, a[2])
			}
			return None, SetAttr(in, a[0], name, a[2])
		}},
		"__getattribute__": {"name", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			return GetAttr(in, a[0], name)
		}},
		"__len__": {"", func(in *Interp, a []Value) (Value, error) {
			n, err := Len(in, Payload(a[0]))
			return MakeInt(int64(n)), err
		}},
		"__iter__":    {"", func(in *Interp, a []Value) (Value, error) { return Iter(in, Payload(a[0])) }},
		"__getitem__": {"index", func(in *Interp, a []Value) (Value, error) { return GetItem(in, Payload(a[0]), a[1]) }},
		"__contains__": {"x", func(in *Interp, a []Value) (Value, error) {
			ok, err := Contains(in, Payload(a[0]), a[1])
			return Bool(ok), err
		}},
	})
	for _, name := range []string{"__len__", "__iter__", "__getitem__", "__contains__"} {
		m := ObjectClass.Attrs.MustStr(name)
		ObjectClass.Attrs.DeleteStr(name)
		for _, c := range []*Class{StrClass, BytesClass, TupleClass, ListClass, DictClass, SetClass, FrozensetClass, RangeClass} {
			if _, ok := c.Attrs.GetStr(name); !ok {
				c.Attrs.SetStr(name, m)
			}
		}
	}
	ObjectClass.Attrs.SetStr("__new__", &StaticMethod{Native("__new__", "cls *args **kws", newObject)})
	ObjectClass.Attrs.SetStr("__init_subclass__", &ClassMethod{&Method{*Native("__init_subclass__", "cls **kws", func(*Interp, []Value) (Value, error) { return None, nil })}})
	define(ListClass, methodTable{"__init__": {"iterable=", fillPayload}})
	define(SetClass, methodTable{"__init__": {"iterable=", fillPayload}})
	define(DictClass, methodTable{"__init__": {"iterable= **kws", fillPayload}})
	define(BaseException, methodTable{
		"__init__": {"*args **kws", func(_ *Interp, a []Value) (Value, error) {
			if e, ok := a[0].(*Exception); ok {
				e.Args = a[1].(*Tuple).Items
			}
			return None, nil
		}},
		"with_traceback": {"tb", func(_ *Interp, a []Value) (Value, error) { return a[0], nil }},
		"add_note":       {"note", func(*Interp, []Value) (Value, error) { return None, nil }},
		"__str__": {"", func(in *Interp, a []Value) (Value, error) {
			if e, ok := a[0].(*Exception); ok {
				return Str(e.Message()), nil
			}
			return Str(""), nil
		}},
	})
	define(TypeClass, methodTable{
		"mro": {"", func(_ *Interp, a []Value) (Value, error) {
			c, ok := a[0].(*Class)
			if !ok {
				return nil, Errorf(TypeError, "mro wants a class")
			}
			v, _ := c.dunder("__mro__")
			return &List{Items: v.(*Tuple).Items}, nil
		}},
		"__subclasses__": {"", func(*Interp, []Value) (Value, error) { return &List{}, nil }},
		"__call__": {"*args **kws", func(in *Interp, a []Value) (Value, error) {
			c, ok := a[0].(*Class)
			if !ok {
				return nil, Errorf(TypeError, "type.__call__ wants a class")
			}
			v, err := in.newInstance(c, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
			if err != nil {
				return nil, err
			}
			return v, in.initInstance(c, v, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
		}},
	})
}

// newObject does what object.__new__ does, or, for a class derived from one of Python's own types, that
// type's.
func newObject(in *Interp, a []Value) (Value, error) {
	switch c := a[0].(type) {
	case *Class:
		if c.Builtin {
			return in.instantiate(c, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
		}
		if c.native() == ObjectClass {
			return in.allocate(c, nil, nil)
		}
		return in.allocate(c, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
	case *NamedTuple:
		return c.make(in, a[1].(*Tuple).Items, KeywordsOf(a[2].(*Dict)))
	}
	return nil, Errorf(TypeError, "object.__new__(X): X is not a type object (%s)", a[0].TypeName())
}

// fillPayload does what __init__ of list, dict and set does, for an instance of a derived class.
func fillPayload(in *Interp, a []Value) (Value, error) {
	switch p := Payload(a[0]).(type) {
	case *List:
		v, err := ListClass.make(in, ListClass, someArgs(a[1:]), nil)
		if err != nil {
			return nil, err
		}
		p.Items = v.(*List).Items
	case *Dict:
		if len(a) < 3 {
			return nil, Errorf(TypeError, "descriptor '__init__' does not take a 'dict' object")
		}
		if _, err := fillDict(in, p, a[1:]); err != nil {
			return nil, err
		}
	case *Set:
		v, err := setOf(in, a[1], false)
		if err != nil {
			return nil, err
		}
		p.d = v.(*Set).d
	}
	return None, nil
}

func someArgs(a []Value) []Value {
	if a[0] == nil {
		return nil
	}
	return a[:1]
}
