package std

import (
	"math"
	"math/big"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/pyrun/realmath"
	"github.com/nereid-lang/nereid/internal/python"
)

func numberModules() map[string]func(in *object.Interp) map[string]object.Value {
	return map[string]func(in *object.Interp) map[string]object.Value{
		"math": fixed(mathModule), "operator": fixed(operatorModule), "numbers": fixed(numbersModule),
		"random": func(in *object.Interp) map[string]object.Value {
			vars := map[string]object.Value{}
			for _, n := range []string{"random", "randint", "choice", "shuffle", "uniform", "sample",
				"randrange", "gauss", "seed"} {
				vars[n] = object.Refused("random."+n, "gives another value each time")
			}
			return vars
		},
	}
}

// float1 returns a function of one float.
func float1(name string, f func(x float64) float64) *object.Builtin {
	return object.Native(name, "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
		x, err := real(in, a[0])
		if err != nil {
			return nil, err
		}
		y := f(x)
		if math.IsNaN(y) && !math.IsNaN(x) {
			return nil, object.Errorf(object.ValueError, "math domain error")
		}
		if math.IsInf(y, 0) && !math.IsInf(x, 0) {
			if overflows[name] {
				return nil, object.Errorf(object.OverflowError, "math range error")
			}
			return nil, object.Errorf(object.ValueError, "math domain error")
		}
		return object.Float(y), nil
	})
}

// overflows has the functions whose infinite result is a number that is too large, not a pole.
var overflows = map[string]bool{"exp": true, "exp2": true, "expm1": true, "cosh": true, "sinh": true}

func float2(name string, f func(x, y float64) (float64, error)) *object.Builtin {
	return object.Native(name, "x y", func(in *object.Interp, a []object.Value) (object.Value, error) {
		x, err := real(in, a[0])
		if err != nil {
			return nil, err
		}
		y, err := real(in, a[1])
		if err != nil {
			return nil, err
		}
		z, err := f(x, y)
		return object.Float(z), err
	})
}

// real returns an argument as a float.
func real(in *object.Interp, v object.Value) (float64, error) {
	switch x := object.Payload(v).(type) {
	case object.Float:
		return float64(x), nil
	case object.Int:
		return x.Float64()
	case object.Bool:
		n, _ := object.IntOf(x).Int64()
		return float64(n), nil
	case object.Str:
		return 0, object.Errorf(object.TypeError, "must be real number, not str")
	}
	if u := object.UnknownOf(v); u != nil {
		return 0, u.Need("the value")
	}
	f, err := object.Call(in, object.FloatClass, []object.Value{v}, nil)
	if err != nil {
		return 0, object.ReplaceTypeError(err, "must be real number, not %s", v.TypeName())
	}
	x, ok := object.AsFloat(f)
	if !ok {
		return 0, object.Errorf(object.TypeError, "must be real number, not %s", v.TypeName())
	}
	return x, nil
}

func mathModule() map[string]object.Value {
	vars := map[string]object.Value{"pi": object.Float(math.Pi), "e": object.Float(math.E),
		"tau": object.Float(2 * math.Pi), "inf": object.Float(math.Inf(1)), "nan": object.Float(math.NaN())}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": realmath.Exp, "exp2": realmath.Exp2, "expm1": math.Expm1,
		"log1p": math.Log1p, "log2": nil, "log10": nil,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos,
		"atan": math.Atan, "sinh": math.Sinh,
		"cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
		"fabs": math.Abs,
		"erf":  math.Erf, "erfc": math.Erfc, "gamma": math.Gamma, "cbrt": math.Cbrt,
		"degrees": func(x float64) float64 {
			return x * (180 / math.Pi)
		}, "radians": func(x float64) float64 { return x * (math.Pi / 180) },
		"lgamma": func(x float64) float64 { y, _ := math.Lgamma(x); return y },
	} {
		if f != nil {
			vars[name] = float1(name, f)
		}
	}
	return named(vars,
		object.Native("log", "x base=", logOf),
		object.Native("log2", "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return bigLog(in, a[0], realmath.Log2)
		}),
		object.Native("log10", "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return bigLog(in, a[0], realmath.Log10)
		}),
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
		object.Native("hypot", "*args", hypot),
		object.Native("dist", "p q", dist),
		object.Native("ldexp", "x i", ldexp),
		object.Native("frexp", "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
			x, err := real(in, a[0])
			m, e := math.Frexp(x)
			return object.NewTuple(object.Float(m), object.MakeInt(int64(e))), err
		}),
		object.Native("modf", "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
			x, err := real(in, a[0])
			i, f := math.Modf(x)
			if math.IsInf(x, 0) {
				f = math.Copysign(0, x)
			}
			return object.NewTuple(object.Float(f), object.Float(i)), err
		}),
		object.Native("ulp", "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
			x, err := real(in, a[0])
			x = math.Abs(x)
			if math.IsInf(x, 0) || math.IsNaN(x) {
				return object.Float(x), err
			}
			return object.Float(math.Nextafter(x, math.Inf(1)) - x), err
		}),
		rounding("floor", "__floor__", math.Floor), rounding("ceil", "__ceil__", math.Ceil),
		rounding("trunc", "__trunc__", math.Trunc),
		isKind("isnan", math.IsNaN), isKind("isinf", func(x float64) bool { return math.IsInf(x, 0) }),
		isKind("isfinite", func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }),
		object.Native("isclose", "a b * rel_tol= abs_tol=", isClose),
		object.Native("gcd", "*args", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return foldInts(in, a[0].(*object.Tuple).Items, 0, gcd)
		}),
		object.Native("lcm", "*args", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return foldInts(in, a[0].(*object.Tuple).Items, 1, lcm)
		}),
		object.Native("isqrt", "n", isqrt), object.Native("factorial", "n", factorial),
		object.Native("comb", "n k", comb), object.Native("perm", "n k=", perm),
		object.Native("prod", "iterable * start=", prod), object.Native("fsum", "iterable", fsum),
	)
}

func domain(bad bool) error {
	if bad {
		return object.Errorf(object.ValueError, "math domain error")
	}
	return nil
}

func mathPow(x, y float64) (float64, error) {
	r := realmath.Pow(x, y)
	switch {
	case math.IsNaN(r) && !math.IsNaN(x) && !math.IsNaN(y), x == 0 && y < 0 && !math.IsInf(y, 0):
		return 0, object.Errorf(object.ValueError, "math domain error")
	case math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		return 0, object.Errorf(object.OverflowError, "math range error")
	}
	return r, nil
}

func isKind(name string, f func(x float64) bool) *object.Builtin {
	return object.Native(name, "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
		x, err := real(in, a[0])
		return object.Bool(f(x)), err
	})
}

func rounding(name, method string, f func(x float64) float64) *object.Builtin {
	return object.Native(name, "x", func(in *object.Interp, a []object.Value) (object.Value, error) {
		if fn := object.Special(a[0], method); fn != nil {
			return in.CallSpecial(a[0], fn)
		}
		switch x := object.Payload(a[0]).(type) {
		case object.Int:
			return x, nil
		case object.Bool:
			return object.IntOf(x), nil
		}
		x, err := real(in, a[0])
		if err != nil {
			return nil, err
		}
		n, err := object.FloatToInt(f(x))
		return n, err
	})
}

// bigLog returns a logarithm of an int of any size, or of a float.
func bigLog(in *object.Interp, v object.Value, f func(x float64) float64) (object.Value, error) {
	if n, ok := object.Payload(v).(object.Int); ok && n.Sign() > 0 && !isWord(n) {
		e := n.Big().BitLen() - 60
		m, _ := new(big.Int).Rsh(n.Big(), uint(e)).Float64()
		x, err := n.Float64()
		if err != nil { // log(m 2**e) = log m + e log 2
			return object.Float(f(m) + float64(e)*f(2)), nil
		}
		return object.Float(f(x)), nil
	}
	x, err := real(in, v)
	if err != nil {
		return nil, err
	}
	if x <= 0 {
		return nil, object.Errorf(object.ValueError, "math domain error")
	}
	return object.Float(f(x)), nil
}

func logOf(in *object.Interp, a []object.Value) (object.Value, error) {
	x, err := bigLog(in, a[0], realmath.Log)
	if err != nil || a[1] == nil {
		return x, err
	}
	b, err := bigLog(in, a[1], realmath.Log)
	if err != nil {
		return nil, err
	}
	return object.Binary(in, python.Div, x, b)
}

func hypot(in *object.Interp, a []object.Value) (object.Value, error) {
	sum := realmath.New()
	for _, v := range a[0].(*object.Tuple).Items {
		x, err := real(in, v)
		if err != nil {
			return nil, err
		}
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return object.Float(math.Abs(x)), nil
		}
		sum.Add(sum, realmath.New().Mul(realmath.Of(x), realmath.Of(x)))
	}
	return object.Float(realmath.Rounded(sum.Sqrt(sum))), nil
}

func dist(in *object.Interp, a []object.Value) (object.Value, error) {
	p, err := object.Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	q, err := object.Iterate(in, a[1])
	if err != nil {
		return nil, err
	}
	if len(p) != len(q) {
		return nil, object.Errorf(object.ValueError, "both points must have the same number of dimensions")
	}
	d := object.NewTuple()
	for i := range p {
		x, err := object.Binary(in, python.Sub, p[i], q[i])
		if err != nil {
			return nil, err
		}
		d.Items = append(d.Items, x)
	}
	return hypot(in, []object.Value{d})
}

func ldexp(in *object.Interp, a []object.Value) (object.Value, error) {
	x, err := real(in, a[0])
	if err != nil {
		return nil, err
	}
	e, err := in.ToIndex(a[1])
	if err != nil {
		return nil, err
	}
	k, ok := e.Int64()
	if !ok || k > 1<<20 || k < -1<<20 {
		k = int64(e.Sign()) << 20
	}
	r := math.Ldexp(x, int(k))
	if math.IsInf(r, 0) && !math.IsInf(x, 0) {
		return nil, object.Errorf(object.OverflowError, "math range error")
	}
	return object.Float(r), nil
}

func isClose(in *object.Interp, a []object.Value) (object.Value, error) {
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
	if f[2] < 0 || f[3] < 0 {
		return nil, object.Errorf(object.ValueError, "tolerances must be non-negative")
	}
	if x == y {
		return object.Bool(true), nil
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return object.Bool(false), nil
	}
	d := math.Abs(x - y)
	return object.Bool(d <= math.Abs(f[2]*y) || d <= math.Abs(f[2]*x) || d <= f[3]), nil
}

func foldInts(in *object.Interp, args []object.Value, start int64,
	f func(in *object.Interp, x, y *big.Int) (*big.Int, error)) (object.Value, error) {
	r := big.NewInt(start)
	for _, v := range args {
		n, err := in.ToIndex(v)
		if err != nil {
			return nil, err
		}
		if r, err = f(in, r, new(big.Int).Abs(n.Big())); err != nil {
			return nil, err
		}
	}
	return object.BigInt(r), nil
}

func gcd(in *object.Interp, x, y *big.Int) (*big.Int, error) {
	return new(big.Int).GCD(nil, nil, x, y), in.Work((x.BitLen() + y.BitLen()) >> 4)
}

func lcm(in *object.Interp, x, y *big.Int) (*big.Int, error) {
	if x.Sign() == 0 || y.Sign() == 0 {
		return new(big.Int), nil
	}
	if x.BitLen()+y.BitLen() > object.MaxBits {
		return nil, object.TooLarge()
	}
	g := new(big.Int).GCD(nil, nil, x, y)
	return new(big.Int).Mul(x, new(big.Int).Quo(y, g)), in.Work((x.BitLen() + y.BitLen()) >> 4)
}

func isqrt(in *object.Interp, a []object.Value) (object.Value, error) {
	n, err := in.ToIndex(a[0])
	if err != nil {
		return nil, err
	}
	if n.Sign() < 0 {
		return nil, object.Errorf(object.ValueError, "isqrt() argument must be nonnegative")
	}
	return object.BigInt(new(big.Int).Sqrt(n.Big())), in.Work(n.Big().BitLen() >> 4)
}

// smallCount returns an argument that is an int from 0 to some thousands, as factorials take.
func smallCount(in *object.Interp, v object.Value, name string) (int64, error) {
	n, err := in.ToIndex(v)
	if err != nil {
		return 0, err
	}
	k, ok := n.Int64()
	if k < 0 || n.Sign() < 0 {
		return 0, object.Errorf(object.ValueError, "%s not defined for negative values", name)
	}
	if !ok || k > 20000 {
		return 0, object.TooLarge()
	}
	return k, nil
}

func factorial(in *object.Interp, a []object.Value) (object.Value, error) {
	n, err := smallCount(in, a[0], "factorial()")
	if err != nil {
		return nil, err
	}
	if err := in.Work(int(n*n) >> 4); err != nil {
		return nil, err
	}
	return in.BigResult(new(big.Int).MulRange(1, n))
}

func comb(in *object.Interp, a []object.Value) (object.Value, error) {
	n, k, err := nonNegative(in, a[0], a[1])
	if err != nil {
		return nil, err
	}
	if rest := new(big.Int).Sub(n, k); rest.Cmp(k) < 0 {
		k = rest
	}
	return falling(in, n, k, true)
}

func perm(in *object.Interp, a []object.Value) (object.Value, error) {
	if a[1] == nil || a[1] == object.None {
		return factorial(in, a)
	}
	n, k, err := nonNegative(in, a[0], a[1])
	if err != nil {
		return nil, err
	}
	return falling(in, n, k, false)
}

func nonNegative(in *object.Interp, x, y object.Value) (n, k *big.Int, err error) {
	i, err := in.ToIndex(x)
	if err != nil {
		return nil, nil, err
	}
	j, err := in.ToIndex(y)
	if err != nil {
		return nil, nil, err
	}
	if i.Sign() < 0 || j.Sign() < 0 {
		name := "n"
		if i.Sign() >= 0 {
			name = "k"
		}
		return nil, nil, object.Errorf(object.ValueError, "%s must be a non-negative integer", name)
	}
	return i.Big(), j.Big(), nil
}

// falling returns n (n-1) … (n-k+1), divided by k! where divide is set.
func falling(in *object.Interp, n, k *big.Int, divide bool) (object.Value, error) {
	if k.Sign() < 0 || k.Cmp(n) > 0 {
		return object.MakeInt(0), nil
	}
	one := big.NewInt(1)
	r, f := big.NewInt(1), new(big.Int).Set(n)
	for i := big.NewInt(1); i.Cmp(k) <= 0; i.Add(i, one) {
		if err := in.Work(1 + r.BitLen()>>9); err != nil {
			return nil, err
		}
		r.Mul(r, f)
		if divide {
			r.Quo(r, i)
		}
		if r.BitLen() > object.MaxBits {
			return nil, object.TooLarge()
		}
		f.Sub(f, one)
	}
	return in.BigResult(r)
}

func prod(in *object.Interp, a []object.Value) (object.Value, error) {
	items, err := object.Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	r := object.OrElse(a[1], object.MakeInt(1))
	for _, v := range items {
		if r, err = object.Binary(in, python.Mult, r, v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func fsum(in *object.Interp, a []object.Value) (object.Value, error) {
	items, err := object.Iterate(in, a[0])
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
			return object.Float(x), nil
		}
		sum.Add(sum, new(big.Float).SetFloat64(x))
		if err := in.Work(4); err != nil {
			return nil, err
		}
	}
	return object.Float(realmath.Rounded(sum)), nil
}

func numbersModule() map[string]object.Value {
	return map[string]object.Value{"Number": &object.Typing{Name: "Number", Args: nil},
		"Integral": &object.Typing{Name: "int", Class: object.IntClass},
		"Real":     &object.Union{Types: []object.Value{object.IntClass, object.FloatClass}}}
}

// isWord reports whether an int fits a machine word.
func isWord(n object.Int) bool {
	_, ok := n.Int64()
	return ok
}
