package pyrun

import (
	"math"
	"math/big"

	"github.com/nereid-lang/nereid/internal/python"
)

func numberModules() map[string]func(in *Interp) map[string]Value {
	return map[string]func(in *Interp) map[string]Value{
		"math": fixed(mathModule), "operator": fixed(operatorModule), "numbers": fixed(numbersModule),
		"random": func(in *Interp) map[string]Value {
			vars := map[string]Value{}
			for _, n := range []string{"random", "randint", "choice", "shuffle", "uniform", "sample", "randrange", "gauss", "seed"} {
				vars[n] = refused("random."+n, "gives another value each time")
			}
			return vars
		},
	}
}

// float1 is a function of one float.
func float1(name string, f func(x float64) float64) *Builtin {
	return native(name, "x", func(in *Interp, a []Value) (Value, error) {
		x, err := real(in, a[0])
		if err != nil {
			return nil, err
		}
		y := f(x)
		if math.IsNaN(y) && !math.IsNaN(x) {
			return nil, Errorf(ValueError, "math domain error")
		}
		if math.IsInf(y, 0) && !math.IsInf(x, 0) {
			if overflows[name] {
				return nil, Errorf(OverflowError, "math range error")
			}
			return nil, Errorf(ValueError, "math domain error")
		}
		return Float(y), nil
	})
}

// overflows are the functions whose infinite result is too large a number, not a pole.
var overflows = map[string]bool{"exp": true, "exp2": true, "expm1": true, "cosh": true, "sinh": true}

func float2(name string, f func(x, y float64) (float64, error)) *Builtin {
	return native(name, "x y", func(in *Interp, a []Value) (Value, error) {
		x, err := real(in, a[0])
		if err != nil {
			return nil, err
		}
		y, err := real(in, a[1])
		if err != nil {
			return nil, err
		}
		z, err := f(x, y)
		return Float(z), err
	})
}

// real is an argument as a float.
func real(in *Interp, v Value) (float64, error) {
	switch x := payload(v).(type) {
	case Float:
		return float64(x), nil
	case Int:
		return x.float()
	case Bool:
		n, _ := boolValue(x).Int64()
		return float64(n), nil
	case Str:
		return 0, Errorf(TypeError, "must be real number, not str")
	}
	if u := unknownOf(v); u != nil {
		return 0, u.need("the value")
	}
	f, err := Call(in, floatClass, []Value{v}, nil)
	if err != nil {
		return 0, replaceTypeError(err, "must be real number, not %s", v.TypeName())
	}
	x, ok := AsFloat(f)
	if !ok {
		return 0, Errorf(TypeError, "must be real number, not %s", v.TypeName())
	}
	return x, nil
}

func mathModule() map[string]Value {
	vars := map[string]Value{"pi": Float(math.Pi), "e": Float(math.E), "tau": Float(2 * math.Pi), "inf": Float(math.Inf(1)), "nan": Float(math.NaN())}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": realExp, "exp2": realExp2, "expm1": math.Expm1, "log1p": math.Log1p, "log2": nil, "log10": nil,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh,
		"cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "fabs": math.Abs,
		"erf": math.Erf, "erfc": math.Erfc, "gamma": math.Gamma, "cbrt": math.Cbrt,
		"degrees": func(x float64) float64 { return x * (180 / math.Pi) }, "radians": func(x float64) float64 { return x * (math.Pi / 180) },
		"lgamma": func(x float64) float64 { y, _ := math.Lgamma(x); return y },
	} {
		if f != nil {
			vars[name] = float1(name, f)
		}
	}
	return named(vars,
		native("log", "x base=", logOf),
		native("log2", "x", func(in *Interp, a []Value) (Value, error) { return bigLog(in, a[0], realLog2) }),
		native("log10", "x", func(in *Interp, a []Value) (Value, error) { return bigLog(in, a[0], realLog10) }),
		float2("pow", mathPow),
		float2("atan2", func(x, y float64) (float64, error) { return math.Atan2(x, y), nil }),
		float2("copysign", func(x, y float64) (float64, error) { return math.Copysign(x, y), nil }),
		float2("nextafter", func(x, y float64) (float64, error) { return math.Nextafter(x, y), nil }),
		float2("remainder", func(x, y float64) (float64, error) {
			return math.Remainder(x, y), domain((y == 0 || math.IsInf(x, 0)) && !math.IsNaN(x+y))
		}),
		float2("fmod", func(x, y float64) (float64, error) {
			return math.Mod(x, y), domain((y == 0 || math.IsInf(x, 0)) && !math.IsNaN(x+y))
		}),
		native("hypot", "*args", hypot),
		native("dist", "p q", dist),
		native("ldexp", "x i", ldexp),
		native("frexp", "x", func(in *Interp, a []Value) (Value, error) {
			x, err := real(in, a[0])
			m, e := math.Frexp(x)
			return NewTuple(Float(m), MakeInt(int64(e))), err
		}),
		native("modf", "x", func(in *Interp, a []Value) (Value, error) {
			x, err := real(in, a[0])
			i, f := math.Modf(x)
			if math.IsInf(x, 0) {
				f = math.Copysign(0, x)
			}
			return NewTuple(Float(f), Float(i)), err
		}),
		native("ulp", "x", func(in *Interp, a []Value) (Value, error) {
			x, err := real(in, a[0])
			x = math.Abs(x)
			if math.IsInf(x, 0) || math.IsNaN(x) {
				return Float(x), err
			}
			return Float(math.Nextafter(x, math.Inf(1)) - x), err
		}),
		rounding("floor", "__floor__", math.Floor), rounding("ceil", "__ceil__", math.Ceil), rounding("trunc", "__trunc__", math.Trunc),
		isKind("isnan", math.IsNaN), isKind("isinf", func(x float64) bool { return math.IsInf(x, 0) }),
		isKind("isfinite", func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }),
		native("isclose", "a b * rel_tol= abs_tol=", isClose),
		native("gcd", "*args", func(in *Interp, a []Value) (Value, error) { return foldInts(in, a[0].(*Tuple).Items, 0, gcd) }),
		native("lcm", "*args", func(in *Interp, a []Value) (Value, error) { return foldInts(in, a[0].(*Tuple).Items, 1, lcm) }),
		native("isqrt", "n", isqrt), native("factorial", "n", factorial), native("comb", "n k", comb), native("perm", "n k=", perm),
		native("prod", "iterable * start=", prod), native("fsum", "iterable", fsum),
	)
}

func domain(bad bool) error {
	if bad {
		return Errorf(ValueError, "math domain error")
	}
	return nil
}

func mathPow(x, y float64) (float64, error) {
	r := realPow(x, y)
	switch {
	case math.IsNaN(r) && !math.IsNaN(x) && !math.IsNaN(y), x == 0 && y < 0 && !math.IsInf(y, 0):
		return 0, Errorf(ValueError, "math domain error")
	case math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		return 0, Errorf(OverflowError, "math range error")
	}
	return r, nil
}

func isKind(name string, f func(x float64) bool) *Builtin {
	return native(name, "x", func(in *Interp, a []Value) (Value, error) {
		x, err := real(in, a[0])
		return Bool(f(x)), err
	})
}

func rounding(name, method string, f func(x float64) float64) *Builtin {
	return native(name, "x", func(in *Interp, a []Value) (Value, error) {
		if fn := special(a[0], method); fn != nil {
			return in.callSpecial(a[0], fn)
		}
		switch x := payload(a[0]).(type) {
		case Int:
			return x, nil
		case Bool:
			return boolValue(x), nil
		}
		x, err := real(in, a[0])
		if err != nil {
			return nil, err
		}
		n, err := floatToInt(f(x))
		return n, err
	})
}

// bigLog is a logarithm that takes ints of any size.
func bigLog(in *Interp, v Value, f func(x float64) float64) (Value, error) {
	if n, ok := payload(v).(Int); ok && n.Sign() > 0 && !isWord(n) {
		e := n.Big().BitLen() - 60
		m, _ := new(big.Int).Rsh(n.Big(), uint(e)).Float64()
		x, err := n.float()
		if err != nil { // log(m 2**e) = log m + e log 2
			return Float(f(m) + float64(e)*f(2)), nil
		}
		return Float(f(x)), nil
	}
	x, err := real(in, v)
	if err != nil {
		return nil, err
	}
	if x <= 0 {
		return nil, Errorf(ValueError, "math domain error")
	}
	return Float(f(x)), nil
}

func logOf(in *Interp, a []Value) (Value, error) {
	x, err := bigLog(in, a[0], realLog)
	if err != nil || a[1] == nil {
		return x, err
	}
	b, err := bigLog(in, a[1], realLog)
	if err != nil {
		return nil, err
	}
	return Binary(in, python.Div, x, b)
}

func hypot(in *Interp, a []Value) (Value, error) {
	sum := newReal()
	for _, v := range a[0].(*Tuple).Items {
		x, err := real(in, v)
		if err != nil {
			return nil, err
		}
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return Float(math.Abs(x)), nil
		}
		sum.Add(sum, newReal().Mul(realOf(x), realOf(x)))
	}
	return Float(rounded(sum.Sqrt(sum))), nil
}

func dist(in *Interp, a []Value) (Value, error) {
	p, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	q, err := Iterate(in, a[1])
	if err != nil {
		return nil, err
	}
	if len(p) != len(q) {
		return nil, Errorf(ValueError, "both points must have the same number of dimensions")
	}
	d := NewTuple()
	for i := range p {
		x, err := Binary(in, python.Sub, p[i], q[i])
		if err != nil {
			return nil, err
		}
		d.Items = append(d.Items, x)
	}
	return hypot(in, []Value{d})
}

func ldexp(in *Interp, a []Value) (Value, error) {
	x, err := real(in, a[0])
	if err != nil {
		return nil, err
	}
	e, err := in.toIndex(a[1])
	if err != nil {
		return nil, err
	}
	k, ok := e.Int64()
	if !ok || k > 1<<20 || k < -1<<20 {
		k = int64(e.Sign()) << 20
	}
	r := math.Ldexp(x, int(k))
	if math.IsInf(r, 0) && !math.IsInf(x, 0) {
		return nil, Errorf(OverflowError, "math range error")
	}
	return Float(r), nil
}

func isClose(in *Interp, a []Value) (Value, error) {
	var f [4]float64
	for i, def := range []float64{0, 0, 1e-9, 0} {
		f[i] = def
		if a[i] != nil {
			x, err := real(in, a[i])
			if err != nil {
				return nil, err
			}
			f[i] = x
		}
	}
	x, y := f[0], f[1]
	if x == y {
		return Bool(true), nil
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return Bool(false), nil
	}
	d := math.Abs(x - y)
	return Bool(d <= math.Abs(f[2]*y) || d <= math.Abs(f[2]*x) || d <= f[3]), nil
}

func foldInts(in *Interp, args []Value, start int64, f func(in *Interp, x, y *big.Int) (*big.Int, error)) (Value, error) {
	r := big.NewInt(start)
	for _, v := range args {
		n, err := in.toIndex(v)
		if err != nil {
			return nil, err
		}
		if r, err = f(in, r, new(big.Int).Abs(n.Big())); err != nil {
			return nil, err
		}
	}
	return BigInt(r), nil
}

func gcd(in *Interp, x, y *big.Int) (*big.Int, error) {
	return new(big.Int).GCD(nil, nil, x, y), in.work((x.BitLen() + y.BitLen()) >> 4)
}

func lcm(in *Interp, x, y *big.Int) (*big.Int, error) {
	if x.Sign() == 0 || y.Sign() == 0 {
		return new(big.Int), nil
	}
	if x.BitLen()+y.BitLen() > maxBits {
		return nil, tooLarge()
	}
	g := new(big.Int).GCD(nil, nil, x, y)
	return new(big.Int).Mul(x, new(big.Int).Quo(y, g)), in.work((x.BitLen() + y.BitLen()) >> 4)
}

func isqrt(in *Interp, a []Value) (Value, error) {
	n, err := in.toIndex(a[0])
	if err != nil {
		return nil, err
	}
	if n.Sign() < 0 {
		return nil, Errorf(ValueError, "isqrt() argument must be nonnegative")
	}
	return BigInt(new(big.Int).Sqrt(n.Big())), in.work(n.Big().BitLen() >> 4)
}

// smallCount is an int from 0 to some thousands, as factorials take.
func smallCount(in *Interp, v Value, name string) (int64, error) {
	n, err := in.toIndex(v)
	if err != nil {
		return 0, err
	}
	k, ok := n.Int64()
	if k < 0 || n.Sign() < 0 {
		return 0, Errorf(ValueError, "%s not defined for negative values", name)
	}
	if !ok || k > 20000 {
		return 0, tooLarge()
	}
	return k, nil
}

func factorial(in *Interp, a []Value) (Value, error) {
	n, err := smallCount(in, a[0], "factorial()")
	if err != nil {
		return nil, err
	}
	if err := in.work(int(n*n) >> 4); err != nil {
		return nil, err
	}
	return in.bigResult(new(big.Int).MulRange(1, n))
}

func comb(in *Interp, a []Value) (Value, error) {
	n, k, err := nonNegative(in, a[0], a[1])
	if err != nil {
		return nil, err
	}
	if rest := new(big.Int).Sub(n, k); rest.Cmp(k) < 0 {
		k = rest
	}
	return falling(in, n, k, true)
}

func perm(in *Interp, a []Value) (Value, error) {
	if a[1] == nil || a[1] == None {
		return factorial(in, a)
	}
	n, k, err := nonNegative(in, a[0], a[1])
	if err != nil {
		return nil, err
	}
	return falling(in, n, k, false)
}

func nonNegative(in *Interp, x, y Value) (n, k *big.Int, err error) {
	i, err := in.toIndex(x)
	if err != nil {
		return nil, nil, err
	}
	j, err := in.toIndex(y)
	if err != nil {
		return nil, nil, err
	}
	if i.Sign() < 0 || j.Sign() < 0 {
		return nil, nil, Errorf(ValueError, "arguments must be non-negative integers")
	}
	return i.Big(), j.Big(), nil
}

// falling is n (n-1) … (n-k+1), divided by k! where that is asked for.
func falling(in *Interp, n, k *big.Int, divide bool) (Value, error) {
	if k.Sign() < 0 || k.Cmp(n) > 0 {
		return MakeInt(0), nil
	}
	one := big.NewInt(1)
	r, f := big.NewInt(1), new(big.Int).Set(n)
	for i := big.NewInt(1); i.Cmp(k) <= 0; i.Add(i, one) {
		if err := in.work(1 + r.BitLen()>>9); err != nil {
			return nil, err
		}
		r.Mul(r, f)
		if divide {
			r.Quo(r, i)
		}
		if r.BitLen() > maxBits {
			return nil, tooLarge()
		}
		f.Sub(f, one)
	}
	return in.bigResult(r)
}

func prod(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	r := orValue(a[1], MakeInt(1))
	for _, v := range items {
		if r, err = Binary(in, python.Mult, r, v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func fsum(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	sum := new(big.Float).SetPrec(2200)
	for _, v := range items {
		x, err := real(in, v)
		if err != nil {
			return nil, err
		}
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return Float(x), nil
		}
		sum.Add(sum, new(big.Float).SetFloat64(x))
		if err := in.work(4); err != nil {
			return nil, err
		}
	}
	return Float(rounded(sum)), nil
}

func numbersModule() map[string]Value {
	return map[string]Value{"Number": &typing{name: "Number", args: nil}, "Integral": &typing{name: "int", class: intClass},
		"Real": &union{[]Value{intClass, floatClass}}}
}

// isWord reports whether an int fits a machine word.
func isWord(n Int) bool {
	_, ok := n.Int64()
	return ok
}
