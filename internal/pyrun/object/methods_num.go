package object

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func intMethod(fn func(in *Interp, n Int, a []Value) (Value, error)) func(in *Interp, a []Value) (Value,
	error) {
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
			return nil, Errorf(TypeError, "descriptor requires a 'float' object but received a '%s'",
				a[0].TypeName())
		}
		return fn(float64(f))
	}
}

func init() {
	define(IntClass, methodTable{
		"bit_length": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) {
			return MakeInt(int64(n.Big().BitLen())), nil
		})},
		"bit_count": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) {
			c := 0
			for _, w := range n.Big().Bits() {
				c += bits.OnesCount(uint(w))
			}
			return MakeInt(int64(c)), nil
		})},
		"conjugate": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) {
			return n, nil
		})},
		"as_integer_ratio": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) {
			return NewTuple(n, MakeInt(1)), nil
		})},
		"to_bytes":  {"length= byteorder= signed=", intMethod(toBytes)},
		"__index__": {"", intMethod(func(_ *Interp, n Int, _ []Value) (Value, error) { return n, nil })},
	})
	IntClass.Attrs.SetStr("from_bytes",
		&StaticMethod{Native("from_bytes", "bytes byteorder= signed=", fromBytes)})
	define(FloatClass, methodTable{
		"is_integer": {"", floatMethod(func(f float64) (Value, error) {
			return Bool(f == math.Trunc(f) && !math.IsInf(f, 0)), nil
		})},
		"as_integer_ratio": {"", floatMethod(ratio)},
		"hex": {"", floatMethod(func(f float64) (Value, error) {
			return Str(floatHex(f)), nil
		})},
		"conjugate": {"", floatMethod(func(f float64) (Value, error) { return Float(f), nil })},
	})
	FloatClass.Attrs.SetStr("fromhex", &StaticMethod{Native("fromhex", "text", floatFromHex)})
	for _, c := range []*Class{IntClass, FloatClass, StrClass, TupleClass, ListClass, SetClass,
		FrozensetClass} {
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
		c.Attrs.SetStr("__"+name+"__",
			NewMethod("__"+name+"__", "other", func(in *Interp, a []Value) (Value, error) {
				return builtinBinary(in, op, Payload(a[0]), Payload(a[1]))
			}))
		c.Attrs.SetStr("__r"+name+"__",
			NewMethod("__r"+name+"__", "other", func(in *Interp, a []Value) (Value, error) {
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
