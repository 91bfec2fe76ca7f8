package ptxsim

import (
	"fmt"
	"math"
	"math/big"

	"github.com/nereid-lang/nereid/internal/num"
)

var floatOps = map[string]decoder{
	"add": arithmetic, "sub": arithmetic, "mul": arithmetic, "div": arithmetic, "min": arithmetic,
	"max": arithmetic, "fma": fmaOp, "neg": negate, "abs": absolute, "copysign": copysign, "testp": testp,
	"sqrt": function1(math.Sqrt), "rsqrt": function1(func(x float64) float64 {
		return 1 / math.Sqrt(x)
	}), "rcp": function1(func(x float64) float64 { return 1 / x }),
	"ex2": function1(math.Exp2), "lg2": function1(math.Log2), "sin": function1(math.Sin),
	"cos": function1(math.Cos), "tanh": function1(math.Tanh),
}

// canonical returns the NaN that the hardware gives.
func (t typ) canonical() uint64 {
	switch t.fmt {
	case num.F64:
		return 0xfff8000000000000
	case num.F32:
		return 0x7fffffff
	}
	return 0x7fff
}

// flush makes subnormals zero.
func (t typ) flush(v uint64) uint64 {
	if t.bits == 32 && v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

// rounding returns the mode in an instruction's name.
func (s *stmt) rounding() string {
	for _, m := range []string{"rz", "rm", "rp"} {
		if s.has(m) {
			return m
		}
	}
	return "rn"
}

// round encodes a float64 that is exact, or nearly: see odd.
func (t typ) round(f float64) uint64 {
	if f != f {
		return t.canonical()
	}
	return t.bitsOf(f)
}

// halves applies f to each half of a packed value.
func (t typ) halves(args []uint64, f func(args []uint64) uint64) uint64 {
	if t.lanes == 1 {
		return f(args)
	}
	var out uint64
	part := make([]uint64, len(args))
	for h := range t.lanes {
		for i, a := range args {
			part[i] = t.mask(a >> (h * t.bits))
		}
		out |= t.mask(f(part)) << (h * t.bits)
	}
	return out
}

func arithmetic(s *stmt) (action, error) {
	t := s.typ()
	if len(s.types) == 0 {
		return nil, fmt.Errorf("%s without a type that is known", s.name)
	}
	if s.has("cc") {
		return addCarry(s)
	}
	if t.kind != 'f' {
		f := intBinary[s.name](t, s)
		if t.lanes > 1 {
			return s.binary(t, func(a, b uint64) uint64 {
				return t.halves([]uint64{a, b}, func(x []uint64) uint64 { return f(x[0], x[1]) })
			})
		}
		return s.binary(t, f)
	}
	if s.name == "min" || s.name == "max" {
		return minMax(s, t)
	}
	ftz, mode, name := s.has("ftz"), s.rounding(), s.name
	one := func(a []uint64) uint64 {
		x, y := a[0], a[1]
		if ftz {
			x, y = t.flush(x), t.flush(y)
		}
		r := t.compute(name, mode, t.float(x), t.float(y))
		if s.has("sat") {
			r = t.saturate(r)
		}
		if ftz {
			r = t.flush(r)
		}
		return r
	}
	return s.binary(t, func(a, b uint64) uint64 { return t.halves([]uint64{a, b}, one) })
}

// saturate clamps to [0, 1].
func (t typ) saturate(v uint64) uint64 {
	switch f := t.float(v); {
	case !(f > 0):
		return 0
	case f > 1:
		return t.bitsOf(1)
	}
	return v
}

// compute returns the bits of one operation's result, rounded once.
func (t typ) compute(name, mode string, x, y float64) uint64 {
	if mode != "rn" {
		return t.directed(name, mode, x, y, 0)
	}
	if t.fmt == num.F32 {
		a, b := float32(x), float32(y)
		var r float32
		switch name {
		case "add":
			r = a + b
		case "sub":
			r = a - b
		case "mul":
			r = a * b
		case "div":
			r = a / b
		}
		return t.round(float64(r))
	}
	switch name {
	case "add":
		return t.round(t.odd(x, y))
	case "sub":
		return t.round(t.odd(x, -y))
	case "mul":
		return t.round(x * y)
	}
	return t.round(x / y)
}

// odd returns x+y with the last bit set when the sum is not exact, so that rounding again to a smaller
// format is right. For float64 itself it is the plain sum.
func (t typ) odd(x, y float64) float64 {
	s := x + y
	if t.fmt == num.F64 || math.IsInf(s, 0) || s != s {
		return s
	}
	v := s - x
	err := (x - (s - v)) + (y - v)
	if err == 0 || math.Float64bits(s)&1 != 0 {
		return s
	}
	if (err > 0) == (s > 0) {
		return math.Float64frombits(math.Float64bits(s) + 1)
	}
	return math.Float64frombits(math.Float64bits(s) - 1)
}

// directed computes exactly and rounds towards zero, down or up.
func (t typ) directed(name, mode string, x, y, z float64) uint64 {
	plain := map[string]func() float64{
		"add": func() float64 {
			return x + y
		}, "sub": func() float64 { return x - y }, "mul": func() float64 { return x * y },
		"div": func() float64 {
			return x / y
		}, "fma": func() float64 { return math.FMA(x, y, z) }, "sqrt": func() float64 { return math.Sqrt(x) },
	}[name]()
	if plain != plain || math.IsInf(plain, 0) && (math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0)) ||
		name == "div" && y == 0 || plain == 0 && name != "sub" && name != "add" {
		return t.round(plain)
	}
	b := func(v float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(v) }
	r := b(0)
	switch name {
	case "add":
		r.Add(b(x), b(y))
	case "sub":
		r.Sub(b(x), b(y))
	case "mul":
		r.Mul(b(x), b(y))
	case "div":
		r.SetPrec(400).Quo(b(x), b(y))
	case "fma":
		r.Add(r.Mul(b(x), b(y)), b(z))
	case "sqrt":
		r.SetPrec(400).Sqrt(b(x))
	}
	return t.roundBig(r, mode)
}

func (t typ) roundBig(r *big.Float, mode string) uint64 {
	up := mode == "rp" || mode == "rz" && r.Sign() < 0
	if t.fmt == num.F32 {
		f, acc := r.Float32()
		switch {
		case up && acc == big.Below:
			f = math.Nextafter32(f, float32(math.Inf(1)))
		case !up && acc == big.Above:
			f = math.Nextafter32(f, float32(math.Inf(-1)))
		}
		return uint64(math.Float32bits(f))
	}
	f, acc := r.Float64()
	switch {
	case up && acc == big.Below:
		f = math.Nextafter(f, math.Inf(1))
	case !up && acc == big.Above:
		f = math.Nextafter(f, math.Inf(-1))
	}
	return math.Float64bits(f)
}

func fmaOp(s *stmt) (action, error) {
	t := s.typ()
	ftz, mode := s.has("ftz"), s.rounding()
	one := func(a []uint64) uint64 {
		x, y, z := a[0], a[1], a[2]
		if ftz {
			x, y, z = t.flush(x), t.flush(y), t.flush(z)
		}
		var r uint64
		switch {
		case mode != "rn":
			r = t.directed("fma", mode, t.float(x), t.float(y), t.float(z))
		case t.fmt == num.F64:
			r = t.round(math.FMA(t.float(x), t.float(y), t.float(z)))
		default:
			r = t.round(t.odd(float64(t.float(x)*t.float(y)), t.float(z)))
		}
		if s.has("relu") && t.float(r) < 0 {
			r = 0
		}
		if s.has("sat") {
			r = t.saturate(r)
		}
		if ftz {
			r = t.flush(r)
		}
		return r
	}
	return s.ternary(t, t, func(a, b, c uint64) uint64 { return t.halves([]uint64{a, b, c}, one) })
}

// minMax decodes min and max, which are IEEE minNum and maxNum; with .NaN, a NaN operand wins. Zeros are
// ordered. With .xorsign.abs, magnitudes are compared, and the result is negative if one operand is.
func minMax(s *stmt, t typ) (action, error) {
	if !s.has("xorsign") {
		one := minMaxOf(s, t)
		return s.binary(t, func(a, b uint64) uint64 { return t.halves([]uint64{a, b}, one) })
	}
	if t.lanes > 1 || !s.has("abs") {
		return nil, fmt.Errorf("%s.xorsign of pairs, or without .abs", s.name)
	}
	one, sign := minMaxOf(s, t), t.signBits()
	return s.binary(t, func(a, b uint64) uint64 {
		r := one([]uint64{a &^ sign, b &^ sign})
		if f := t.float(r); f != f {
			return r
		}
		return r | (a^b)&sign
	})
}

func minMaxOf(s *stmt, t typ) func(a []uint64) uint64 {
	less := s.name == "min"
	nan, ftz := s.has("NaN"), s.has("ftz")
	return func(a []uint64) uint64 {
		if ftz {
			a[0], a[1] = t.flush(a[0]), t.flush(a[1])
		}
		x, y := t.float(a[0]), t.float(a[1])
		switch {
		case x != x && y != y, nan && (x != x || y != y):
			return t.canonical()
		case x != x:
			return a[1]
		case y != y:
			return a[0]
		}
		first := x < y || x == y && math.Signbit(x)
		if first == less {
			return a[0]
		}
		return a[1]
	}
}

func (t typ) signBits() uint64 {
	if t.lanes == 2 {
		return 1<<(t.bits-1) | 1<<(2*t.bits-1)
	}
	return 1 << (t.bits - 1)
}

func negate(s *stmt) (action, error) {
	t := s.typ()
	if t.kind != 'f' {
		return s.unary(t, func(a uint64) uint64 { return t.mask(-a) })
	}
	return s.unary(t, func(a uint64) uint64 {
		if s.has("ftz") {
			a = t.flush(a)
		}
		return a ^ t.signBits()
	})
}

func absolute(s *stmt) (action, error) {
	t := s.typ()
	if t.kind != 'f' {
		return s.unary(t, func(a uint64) uint64 {
			v := t.signed(a)
			return t.mask(uint64(max(v, -v)))
		})
	}
	return s.unary(t, func(a uint64) uint64 {
		if s.has("ftz") {
			a = t.flush(a)
		}
		return a &^ t.signBits()
	})
}

// copysign gives the second operand the first's sign.
func copysign(s *stmt) (action, error) {
	t := s.typ()
	return s.binary(t, func(a, b uint64) uint64 { return b&^t.signBits() | a&t.signBits() })
}

func testp(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 {
		f := t.float(a)
		tiny := map[int]float64{32: 0x1p-126, 64: 0x1p-1022}[t.bits]
		switch s.parts[0] {
		case "finite":
			return truth(!math.IsInf(f, 0) && f == f)
		case "infinite":
			return truth(math.IsInf(f, 0))
		case "number":
			return truth(f == f)
		case "notanumber":
			return truth(f != f)
		case "normal":
			return truth(math.Abs(f) >= tiny && !math.IsInf(f, 0))
		}
		return truth(f != 0 && math.Abs(f) < tiny)
	})
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// function1 decodes a function of one float, computed in float64.
func function1(f func(float64) float64) decoder {
	return func(s *stmt) (action, error) {
		t := s.typ()
		ftz := s.has("ftz")
		mode := s.rounding()
		one := func(a []uint64) uint64 {
			x := a[0]
			if ftz {
				x = t.flush(x)
			}
			r := t.round(f(t.float(x)))
			if mode != "rn" {
				switch s.name {
				case "sqrt":
					r = t.directed("sqrt", mode, t.float(x), 0, 0)
				case "rcp":
					r = t.directed("div", mode, 1, t.float(x), 0)
				}
			}
			if ftz {
				r = t.flush(r)
			}
			return r
		}
		return s.unary(t, func(a uint64) uint64 { return t.halves([]uint64{a}, one) })
	}
}
