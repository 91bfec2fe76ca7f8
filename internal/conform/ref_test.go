package conform

import (
	"math"
	"math/big"
)

// What the operators of the language mean, after Triton's documentation of its semantics: types first, then
// values. All arithmetic is exact (big numbers, or float64 with enough bits to spare) and rounded once.

// promoted is the type of a binary operation on device values of two types; nil if there is none. Division
// and remainder have rules of their own.
func promoted(a, b *dtype, div bool) *dtype {
	has := func(d *dtype) bool { return a == d || b == d }
	switch {
	case has(f64):
		return f64
	case has(f32):
		return f32
	case has(f16) && div:
		return f32
	case has(f16):
		return f16
	case a == bf16 && b == bf16 && !div:
		return bf16
	case has(bf16):
		return f32
	case a.isFP8() && b.isFP8() && a == b:
		return a
	case a.isFP8() && b.isFP8():
		return f16
	case a.isFP8() || b.isFP8():
		return nil
	case div && a.signed != b.signed:
		return nil
	}
	return promotedInt(a, b)
}

// promotedInt is C's usual arithmetic conversion without the promotion to int.
func promotedInt(a, b *dtype) *dtype {
	switch {
	case a.signed == b.signed && a.bits > b.bits:
		return a
	case a.signed == b.signed:
		return b
	case !a.signed && a.bits >= b.bits:
		return a
	case !a.signed:
		return b
	case b.bits >= a.bits:
		return b
	}
	return a
}

// promotedWith is the type of an operation on a device value and a number known at compile time: the number
// does not count unless it is of a higher kind. Integers must fit.
func promotedWith(dt *dtype, c any, div bool) *dtype {
	ct := typeOf(c)
	var r *dtype
	switch {
	case ct.kind <= dt.kind && div && (dt == f16 || dt == bf16):
		r = f32
	case ct.kind <= dt.kind:
		r = dt
	default:
		r = promoted(dt, ct, div)
	}
	if r == nil || r.isFloat() {
		return r
	}
	if n, ok := bigOf(c); !ok || n.Cmp(r.lowest()) < 0 || n.Cmp(r.highest()) > 0 {
		return nil
	}
	return r
}

// typeOf is the type that a number gets on its own.
func typeOf(c any) *dtype {
	switch c := c.(type) {
	case bool:
		return i1
	case int:
		switch {
		case c >= math.MinInt32 && c <= math.MaxInt32:
			return i32
		case c > 0 && c <= math.MaxUint32:
			return u32
		}
		return i64
	case uint64:
		return u64
	case float64:
		if a := math.Abs(c); a == 0 || math.IsInf(a, 0) || a != a || a >= 0x1p-126 && a <= math.MaxFloat32 {
			return f32
		}
		return f64
	}
	panic("conform: no such number")
}

func bigOf(c any) (*big.Int, bool) {
	switch c := c.(type) {
	case bool:
		if c {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case int:
		return big.NewInt(int64(c)), true
	case uint64:
		return new(big.Int).SetUint64(c), true
	}
	return nil, false
}

// bitsOfConst is a number in a type.
func bitsOfConst(c any, dt *dtype) uint64 {
	if n, ok := bigOf(c); ok {
		if dt.isFloat() {
			return dt.fromBig(new(big.Float).SetInt(n), nearest)
		}
		return uint64(n.Int64()) & dt.mask()
	}
	return dt.bitsOf(c.(float64), nearest)
}

// cast is what conversion makes of an element. Conversions of floats that the integer type cannot hold are
// for the caller to avoid.
func cast(bits uint64, from, to *dtype, r rounding) uint64 {
	switch {
	case from == to:
		return bits
	case from.isFloat() && to.isFloat():
		if to.isFP8() && r == nearest {
			r = saturate
		}
		return to.bitsOf(from.float(bits), r)
	case to == i1 && from.isFloat():
		return truth(from.float(bits) != 0)
	case to == i1:
		return truth(bits&from.mask() != 0)
	case from.isFloat():
		n, _ := big.NewFloat(from.float(bits)).Int(nil)
		return wrap(n, to)
	case to.isFloat():
		return to.fromBig(new(big.Float).SetInt(from.big(bits)), nearest)
	}
	return uint64(from.int(bits)) & to.mask()
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// wrap is an integer modulo the size of a type.
func wrap(n *big.Int, dt *dtype) uint64 {
	m := new(big.Int).And(n, new(big.Int).SetUint64(dt.mask())) // And is of two's complement
	return m.Uint64()
}

// operator is a binary operator of Python.
type operator struct {
	sym, name string
	compare   bool
	div       bool                         // promotes as division does
	ints      func(a, b *big.Int) *big.Int // nil: none on integers
	floats    func(a, b float64) float64   // nil: none on floats
	holds     func(cmp int) bool           // of a comparison; unordered ones fail, but for !=
	toFloat   bool                         // integers become float32
}

var operators = []operator{
	{sym: "+", name: "add", ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Add(a, b)
	}, floats: func(a, b float64) float64 { return a + b }},
	{sym: "-", name: "sub", ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Sub(a, b)
	}, floats: func(a, b float64) float64 { return a - b }},
	{sym: "*", name: "mul", ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Mul(a, b)
	}, floats: func(a, b float64) float64 { return a * b }},
	{sym: "/", name: "truediv", div: true, toFloat: true, floats: func(a, b float64) float64 {
		return a / b
	}},
	{sym: "//", name: "floordiv", div: true, ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Quo(a, b)
	}},
	{sym: "%", name: "mod", div: true, ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Rem(a, b)
	}, floats: math.Mod},
	{sym: "&", name: "and_", ints: func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) }},
	{sym: "|", name: "or_", ints: func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) }},
	{sym: "^", name: "xor", ints: func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }},
	{sym: "<<", name: "lshift", ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Lsh(a, uint(b.Uint64()))
	}},
	{sym: ">>", name: "rshift", ints: func(a, b *big.Int) *big.Int {
		return new(big.Int).Rsh(a, uint(b.Uint64()))
	}},
	{sym: "==", name: "eq", compare: true, holds: func(c int) bool { return c == 0 }},
	{sym: "!=", name: "ne", compare: true, holds: func(c int) bool { return c != 0 }},
	{sym: "<", name: "lt", compare: true, holds: func(c int) bool { return c < 0 }},
	{sym: "<=", name: "le", compare: true, holds: func(c int) bool { return c <= 0 }},
	{sym: ">", name: "gt", compare: true, holds: func(c int) bool { return c > 0 }},
	{sym: ">=", name: "ge", compare: true, holds: func(c int) bool { return c >= 0 }},
}

// shifts reports whether the right operand is a number of places.
func (o operator) shifts() bool { return o.sym == "<<" || o.sym == ">>" }

// refuses reports whether the operator has no meaning for operands that compute in a type.
func (o operator) refuses(in *dtype) bool {
	switch {
	case in == nil:
		return true
	case o.compare:
		return false
	case in.isFloat():
		return o.floats == nil
	}
	return o.ints == nil && !o.toFloat
}

// view is the type as which operands of the type in are read. A shift to the right keeps the sign if its
// first tensor, of type first, is signed, whatever both compute in.
func (o operator) view(in, first *dtype) *dtype {
	if o.sym != ">>" || in.signed == first.signed {
		return in
	}
	for _, d := range ints {
		if d.bits == in.bits && d.signed == first.signed {
			return d
		}
	}
	return in
}

// result is the type of the result for operands that compute in a type.
func (o operator) result(in *dtype) *dtype {
	switch {
	case o.compare:
		return i1
	case o.toFloat && !in.isFloat():
		return f32
	}
	return in
}

// apply is the operator on two elements of the type it computes in.
func (o operator) apply(in *dtype, a, b uint64) uint64 {
	switch {
	case o.compare:
		return truth(o.compares(in, a, b))
	case o.toFloat && !in.isFloat():
		return f32.bitsOf(o.floats(f32.float(cast(a, in, f32, nearest)),
			f32.float(cast(b, in, f32, nearest))), nearest)
	case in.isFloat():
		return in.bitsOf(o.floats(in.float(a), in.float(b)), nearest)
	}
	return wrap(o.ints(in.big(a), in.big(b)), in)
}

func (o operator) compares(in *dtype, a, b uint64) bool {
	if !in.isFloat() {
		return o.holds(in.big(a).Cmp(in.big(b)))
	}
	x, y := in.float(a), in.float(b)
	switch {
	case x != x || y != y:
		return o.sym == "!="
	case x < y:
		return o.holds(-1)
	case x > y:
		return o.holds(1)
	}
	return o.holds(0)
}
