package object

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func divMod(in *Interp, a []Value) (Value, error) {
	x, y := Payload(a[0]), Payload(a[1])
	if _, ok := x.(Float); ok || isFloat(y) {
		f, ok1 := AsFloat(x)
		g, ok2 := AsFloat(y)
		if ok1 && ok2 {
			if g == 0 {
				return nil, Errorf(ZeroDivisionError, "float divmod()")
			}
			q, m := floatDivMod(f, g)
			return NewTuple(Float(q), Float(m)), nil
		}
	}
	q, err := Binary(in, python.FloorDiv, a[0], a[1])
	if err != nil {
		return nil, err
	}
	m, err := Binary(in, python.Mod, a[0], a[1])
	return NewTuple(q, m), err
}

func isFloat(v Value) bool {
	_, ok := v.(Float)
	return ok
}

func powOf(in *Interp, a []Value) (Value, error) {
	if a[2] == nil || a[2] == None {
		return Binary(in, python.Pow, a[0], a[1])
	}
	var n [3]Int
	for i, v := range a {
		k, err := in.ToIndex(v)
		if err != nil {
			return nil, ReplaceTypeError(err,
				"pow() 3rd argument not allowed unless all arguments are integers")
		}
		n[i] = k
	}
	base, exp, mod := n[0].Big(), n[1].Big(), n[2].Big()
	if mod.Sign() == 0 {
		return nil, Errorf(ValueError, "pow() 3rd argument cannot be 0")
	}
	words := mod.BitLen()/64 + 1
	if err := in.Work(exp.BitLen() * words * words / 8); err != nil {
		return nil, err
	}
	m := new(big.Int).Abs(mod)
	if exp.Sign() < 0 {
		inv := new(big.Int).ModInverse(new(big.Int).Mod(base, m), m)
		if inv == nil {
			return nil, Errorf(ValueError, "base is not invertible for the given modulus")
		}
		base, exp = inv, new(big.Int).Neg(exp)
	}
	r := new(big.Int).Exp(new(big.Int).Mod(base, m), exp, m)
	if m.Cmp(bigOne) == 0 {
		r.SetInt64(0)
	}
	if mod.Sign() < 0 && r.Sign() != 0 {
		r.Add(r, mod)
	}
	return BigInt(r), nil
}

func sumOf(in *Interp, a []Value) (Value, error) {
	total := OrElse(a[1], MakeInt(0))
	if _, ok := total.(Str); ok {
		return nil, Errorf(TypeError, "sum() can't sum strings [use ''.join(seq) instead]")
	}
	it, err := Iter(in, a[0])
	if err != nil {
		return nil, err
	}
	for {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return total, err
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
		if total, err = Binary(in, python.Add, total, v); err != nil {
			return nil, err
		}
	}
}

func roundOf(in *Interp, a []Value) (Value, error) {
	if fn := Special(a[0], "__round__"); fn != nil {
		if a[1] == nil {
			return in.CallSpecial(a[0], fn)
		}
		return in.CallSpecial(a[0], fn, a[1])
	}
	hasDigits := a[1] != nil && a[1] != None
	digits := int64(0)
	if hasDigits {
		d, err := in.AsIndex(a[1])
		if err != nil {
			return nil, err
		}
		digits = d
	}
	switch x := Payload(a[0]).(type) {
	case Bool:
		return roundInt(in, IntOf(x), digits)
	case Int:
		return roundInt(in, x, digits)
	case Float:
		if !hasDigits {
			return roundToInt(float64(x))
		}
		return roundFloat(float64(x), digits)
	case *Unknown:
		return nil, x.Need("the value")
	case HasMethod:
		return x.Method(in, "__round__", a[1:])
	}
	return nil, Errorf(TypeError, "type %s doesn't define __round__ method", a[0].TypeName())
}

func roundToInt(x float64) (Value, error) {
	n, err := FloatToInt(math.RoundToEven(x))
	return n, err
}

// FloatToInt returns x as an int, its fraction dropped.
func FloatToInt(x float64) (Int, error) {
	switch {
	case math.IsNaN(x):
		return Int{}, Errorf(ValueError, "cannot convert float NaN to integer")
	case math.IsInf(x, 0):
		return Int{}, Errorf(OverflowError, "cannot convert float infinity to integer")
	case math.Abs(x) < 1<<62:
		return MakeInt(int64(x)), nil
	}
	n, _ := big.NewFloat(x).Int(nil)
	return BigInt(n), nil
}

// roundInt rounds to a multiple of 10**-digits, half to even.
func roundInt(in *Interp, x Int, digits int64) (Value, error) {
	if digits >= 0 {
		return x, nil
	}
	if -digits > int64(x.Big().BitLen()) {
		return MakeInt(0), nil
	}
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits), nil)
	q, m, err := floorDivMod(x.Big(), p)
	if err != nil {
		return nil, err
	}
	twice := new(big.Int).Lsh(m, 1)
	if c := twice.Cmp(p); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, bigOne)
	}
	return in.BigResult(q.Mul(q, p))
}

func roundFloat(x float64, digits int64) (Value, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) || digits > 323 {
		return Float(x), nil
	}
	if digits < -308 {
		return Float(math.Copysign(0, x)), nil
	}
	if digits >= 0 {
		r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', int(digits), 64), 64)
		if err != nil {
			return nil, Errorf(OverflowError, "rounded value too large to represent")
		}
		return Float(r), nil
	}
	exact, _ := new(big.Float).SetFloat64(x).Rat(nil)
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits), nil)
	exact.Quo(exact, new(big.Rat).SetInt(p))
	q, m, err := floorDivMod(exact.Num(), exact.Denom())
	if err != nil {
		return nil, err
	}
	if c := m.Lsh(m, 1).Cmp(exact.Denom()); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, bigOne)
	}
	f, ferr := BigInt(q.Mul(q, p)).Float64()
	if ferr != nil {
		return nil, Errorf(OverflowError, "rounded value too large to represent")
	}
	return Float(math.Copysign(f, x)), nil
}

// makeIntValue returns int(x, base).
func makeIntValue(in *Interp, _ *Class, args []Value, kws []Keyword) (Value, error) {
	a, err := intSignature.Bind("int", args, kws)
	if err != nil {
		return nil, err
	}
	if a[0] == nil {
		return MakeInt(0), nil
	}
	if a[1] != nil {
		return intWithBase(in, a[0], a[1])
	}
	if fn := Special(a[0], "__int__"); fn != nil {
		return in.CallSpecial(a[0], fn)
	}
	switch x := Payload(a[0]).(type) {
	case Int:
		return x, nil
	case Bool:
		return IntOf(x), nil
	case Float:
		n, err := FloatToInt(float64(x))
		return n, err
	case Str:
		return ParseInt(string(x), 10, x)
	case Bytes:
		return ParseInt(string(x), 10, x)
	case *Unknown:
		return nil, x.Need("the value")
	case HasIndex:
		n, err := x.Index()
		return n, err
	case HasMethod:
		return x.Method(in, "__int__", nil)
	}
	if fn := Special(a[0], "__index__"); fn != nil {
		return in.CallSpecial(a[0], fn)
	}
	return nil, Errorf(TypeError,
		"int() argument must be a string, a bytes-like object or a real number, not '%s'", a[0].TypeName())
}

var intSignature = parseSignature("x= base=")

func intWithBase(in *Interp, v, base Value) (Value, error) {
	b, err := in.AsIndex(base)
	if err != nil {
		return nil, err
	}
	s, ok := Payload(v).(Str)
	if !ok {
		return nil, Errorf(TypeError, "int() can't convert non-string with explicit base")
	}
	if b != 0 && (b < 2 || b > 36) {
		return nil, Errorf(ValueError, "int() base must be >= 2 and <= 36, or 0")
	}
	return ParseInt(string(s), int(b), s)
}

// ParseInt returns int(text, base). The error for a text that is no int quotes shown.
func ParseInt(text string, base int, shown Value) (Value, error) {
	bad := func() (Value, error) {
		return nil, Errorf(ValueError, "invalid literal for int() with base %d: %s", base, PlainRepr(shown))
	}
	s := strings.TrimFunc(text, IsSpace)
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	digits, own := cutPrefix(s, base)
	if own != 0 {
		s = strings.TrimPrefix(digits, "_")
	} else if base == 0 {
		own = 10
		if len(s) > 1 && s[0] == '0' && strings.Trim(s, "0_") != "" {
			return bad()
		}
	} else {
		own = base
	}
	if s == "" || s[0] == '_' || s[len(s)-1] == '_' || strings.Contains(s, "__") ||
		strings.ContainsAny(s, "+-") {
		return bad()
	}
	s = strings.ReplaceAll(s, "_", "")
	if len(s) > maxDigits {
		if own&(own-1) != 0 {
			return nil, Errorf(ValueError,
				"Exceeds the limit (%d digits) for integer string conversion: value has %d digits", maxDigits,
				len(s))
		}
		if len(s) > MaxBits/4 {
			return nil, TooLarge()
		}
	}
	n, ok := new(big.Int).SetString(s, own)
	if !ok {
		return bad()
	}
	if negative {
		n.Neg(n)
	}
	return BigInt(n), nil
}

// cutPrefix drops 0x, 0o or 0b where the base allows it; own is 0 when there is none.
func cutPrefix(s string, base int) (rest string, own int) {
	if len(s) > 2 && s[0] == '0' {
		b := map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]|0x20]
		if b != 0 && (base == b || base == 0) {
			return s[2:], b
		}
	}
	return s, 0
}

// makeFloat returns float(x).
func makeFloat(in *Interp, _ *Class, args []Value, kws []Keyword) (Value, error) {
	a, err := floatSignature.Bind("float", args, kws)
	if err != nil {
		return nil, err
	}
	if a[0] == nil {
		return Float(0), nil
	}
	if fn := Special(a[0], "__float__"); fn != nil {
		return in.CallSpecial(a[0], fn)
	}
	switch x := Payload(a[0]).(type) {
	case Float:
		return x, nil
	case Int:
		f, err := x.Float64()
		return Float(f), err
	case Bool:
		return Float(boolInt(bool(x))), nil
	case Str:
		return parseFloat(string(x))
	case Bytes:
		return parseFloat(string(x))
	case *Unknown:
		return nil, x.Need("the value")
	case HasMethod:
		return x.Method(in, "__float__", nil)
	case HasIndex:
		n, err := x.Index()
		if err != nil {
			return nil, err
		}
		f, err := n.Float64()
		return Float(f), err
	}
	if fn := Special(a[0], "__index__"); fn != nil {
		n, err := in.ToIndex(a[0])
		if err != nil {
			return nil, err
		}
		f, err := n.Float64()
		return Float(f), err
	}
	return nil, Errorf(TypeError, "float() argument must be a string or a real number, not '%s'",
		a[0].TypeName())
}

var floatSignature = parseSignature("x=")

func parseFloat(text string) (Value, error) {
	s := strings.ToLower(strings.TrimFunc(text, IsSpace))
	bad := func() (Value, error) {
		return nil, Errorf(ValueError, "could not convert string to float: %s", Quote(text))
	}
	if s == "" || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") ||
		strings.ContainsAny(s, "xp") {
		return bad()
	}
	switch strings.TrimLeft(s, "+-") {
	case "inf", "infinity", "nan":
		if len(s) > 1 && (s[0] == '+' || s[0] == '-') && (s[1] == '+' || s[1] == '-') {
			return bad()
		}
	default:
		if strings.ContainsAny(s, "in") {
			return bad()
		}
	}
	if s == "-nan" { // its sign shows in the bits of a constant
		return Float(math.Copysign(math.NaN(), -1)), nil
	}
	s = strings.TrimPrefix(s, "+")
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return bad()
	}
	return Float(f), nil
}
