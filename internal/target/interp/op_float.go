package interp

import (
	gomath "math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// floats2 lowers an operation on two floats: in float32 and then rounded for f32 and below, in float64 for
// f64.
func floats2(f32 func(d, a, b []float32), f64 func(d, a, b []float64)) lowering {
	return func(c *compiler, op *ir.Op) step {
		d, a, b := c.out(op.Result(0)), c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg
		switch {
		case d.kind == kF64:
			return loop2(f64)(d.reg, a, b)
		case d.kind == kF32:
			return rounded(d, loop2(f32)(d.reg, a, b))
		}
		return c.errorf(op, "type %s is not supported", op.Result(0).Type)
	}
}

// rounded follows a step that computes in float32 by the rounding of its result.
func rounded(d value, s step) step {
	if !d.small() {
		return s
	}
	small, r := smallFor(d.fmt), d.reg
	return func(f *frame) {
		s(f)
		small.roundRow(row[float32](f, r))
	}
}

// eachF2 lowers an operation on two floats. f32 must be exact or rounded once.
func eachF2(f32 func(a, b float32) float32, f64 func(a, b float64) float64) lowering {
	return floats2(func(d, a, b []float32) {
		zip(d, a, b, f32)
	}, func(d, a, b []float64) { zip(d, a, b, f64) })
}

// eachF1 lowers an operation on one float.
func eachF1(f32 func(a float32) float32, f64 func(a float64) float64) lowering {
	return func(c *compiler, op *ir.Op) step {
		d, a := c.out(op.Result(0)), c.in(op.Operand(0)).reg
		switch d.kind {
		case kF64:
			return each1(f64)(d.reg, a)
		case kF32:
			return rounded(d, each1(f32)(d.reg, a))
		}
		return c.errorf(op, "type %s is not supported", op.Result(0).Type)
	}
}

// by64 makes a float32 function of a function of float64.
func by64(f func(float64) float64) func(float32) float32 {
	return func(x float32) float32 { return float32(f(float64(x))) }
}

func by64x2(f func(a, b float64) float64) func(a, b float32) float32 {
	return func(a, b float32) float32 { return float32(f(float64(a), float64(b))) }
}

// in64 lowers a function that is computed in float64 for every type.
func in64(f func(float64) float64) lowering { return eachF1(by64(f), f) }

func in64x2(f func(a, b float64) float64) lowering { return eachF2(by64x2(f), f) }

// Maxima and minima. The "imum" ones pass NaN on, the "num" ones drop it; zeros compare by sign in both.

func maximum[T float](a, b T) T {
	switch {
	case a > b:
		return a
	case a < b:
		return b
	case a == b && a != 0:
		return a
	}
	return a + b // NaN, or the sum of zeros: +0 unless both are -0
}

func minimum[T float](a, b T) T {
	switch {
	case a < b:
		return a
	case a > b:
		return b
	case a == b && a != 0:
		return a
	}
	return -(-a - b) // NaN, or -0 unless both are +0
}

func maxNum[T float](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return maximum(a, b)
}

func minNum[T float](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return minimum(a, b)
}

func neg[T float](x T) T { return -x }

func abs32(x float32) float32 { return gomath.Float32frombits(gomath.Float32bits(x) &^ signBit) }

func copysign32(a, b float32) float32 {
	return gomath.Float32frombits(gomath.Float32bits(a)&^signBit | gomath.Float32bits(b)&signBit)
}

// fma32 returns a*b + c rounded once. The product is exact in float64; the sum is not, so where it fell on
// the border between two float32 the sign of the lost part decides.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	z := float64(c)
	s := p + z
	if r := gomath.Float64bits(s) & (1<<29 - 1); r != 1<<28 && !(gomath.Abs(s) < 0x1p-126) || s-p == z &&
		s-z == p || s != s || gomath.IsInf(s, 0) {
		return float32(s)
	}
	return float32(oddSum(p, z, s))
}

// oddSum returns p+z, of which s is the nearest float64, rounded to odd: the last bit of the result says
// whether bits were lost.
func oddSum(p, z, s float64) float64 {
	t := s - p
	e := (p - (s - t)) + (z - t) // what was lost, exactly
	u := gomath.Float64bits(s)
	if e == 0 || u&1 != 0 {
		return s
	}
	if (e > 0) == (s > 0) {
		return gomath.Float64frombits(u + 1)
	}
	return gomath.Float64frombits(u - 1)
}

func clamp[T float](x, lo, hi T) T    { return minNum(maxNum(x, lo), hi) }
func clampNaN[T float](x, lo, hi T) T { return minimum(maximum(x, lo), hi) }
func fma64(a, b, c float64) float64   { return gomath.FMA(a, b, c) }
func rsqrt64(x float64) float64       { return 1 / gomath.Sqrt(x) }
func isFinite64(x float64) bool       { return x-x == 0 }
func isInf64(x float64) bool          { return gomath.IsInf(x, 0) }
func isNaN64(x float64) bool          { return x != x }
func each3[T any](f func(a, b, c T) T) func(d, a, b, c reg) step {
	return func(d, a, b, c reg) step {
		return func(fr *frame) { zip3(row[T](fr, d), row[T](fr, a), row[T](fr, b), row[T](fr, c), f) }
	}
}

// eachF3 lowers an operation on three floats.
func eachF3(f32 func(a, b, c float32) float32, f64 func(a, b, c float64) float64) lowering {
	return func(c *compiler, op *ir.Op) step {
		d, x, y, z := c.out(op.Result(0)), c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg,
			c.in(op.Operand(2)).reg
		switch d.kind {
		case kF64:
			return each3(f64)(d.reg, x, y, z)
		case kF32:
			return rounded(d, each3(f32)(d.reg, x, y, z))
		}
		return c.errorf(op, "type %s is not supported", op.Result(0).Type)
	}
}

func lowerClampF(c *compiler, op *ir.Op) step {
	if op.IntOr("propagateNan", tt.NaNNone) == tt.NaNAll {
		return eachF3(clampNaN[float32], clampNaN[float64])(c, op)
	}
	return eachF3(clamp[float32], clamp[float64])(c, op)
}

// lowerFma rounds f16 and bf16 once, which by way of float32 would be rounded twice: the sum in float64 is
// rounded to odd first.
func lowerFma(c *compiler, op *ir.Op) step {
	d := c.out(op.Result(0))
	if !d.small() {
		return eachF3(fma32, fma64)(c, op)
	}
	s := smallFor(d.fmt)
	return each3(func(a, b, c float32) float32 {
		p := float64(a) * float64(b)
		sum := p + float64(c)
		if sum-sum == 0 {
			sum = oddSum(p, float64(c), sum)
		}
		return s.round64(sum)
	})(d.reg, c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg, c.in(op.Operand(2)).reg)
}

// test lowers a question about a float.
func test(f func(float64) bool) lowering {
	return func(c *compiler, op *ir.Op) step {
		d, a := c.out(op.Result(0)).reg, c.in(op.Operand(0))
		if a.kind == kF64 {
			return each1(f)(d, a.reg)
		}
		return each1(func(x float32) bool { return f(float64(x)) })(d, a.reg)
	}
}

// lowerIsNormal lowers the test for a normal number, whose least magnitude depends on the format.
func lowerIsNormal(c *compiler, op *ir.Op) step {
	least := gomath.Ldexp(1, 1-c.in(op.Operand(0)).fmt.Bias)
	return test(func(x float64) bool { return isFinite64(x) && gomath.Abs(x) >= least })(c, op)
}

var cmpF32 = cmpFloat[float32]()
var cmpF64 = cmpFloat[float64]()

// cmpFloat returns the loops of the predicates of cmpf. An unordered predicate is the negation of the
// opposite ordered one.
func cmpFloat[T float]() [16]binary {
	not := func(f func(d []bool, a, b []T)) binary {
		return cmp2(func(d []bool, a, b []T) {
			f(d, a, b)
			for i := range d {
				d[i] = !d[i]
			}
		})
	}
	is := func(f func(a, b T) bool) binary {
		return cmp2(func(d []bool, a, b []T) { zip(d, a, b, f) })
	}
	return [16]binary{
		arith.FFalse: is(func(a, b T) bool { return false }),
		arith.FOEQ:   cmp2(eq[T]), arith.FOGT: cmp2(gt[T]), arith.FOGE: cmp2(ge[T]), arith.FOLT: cmp2(lt[T]),
		arith.FOLE: cmp2(le[T]), arith.FONE: is(func(a, b T) bool { return a < b || a > b }),
		arith.FORD: is(func(a, b T) bool { return a == a && b == b }),
		arith.FUEQ: is(func(a, b T) bool { return !(a < b || a > b) }),
		arith.FUGT: not(le[T]), arith.FUGE: not(lt[T]), arith.FULT: not(ge[T]), arith.FULE: not(gt[T]),
		arith.FUNE:  cmp2(ne[T]),
		arith.FUNO:  is(func(a, b T) bool { return a != a || b != b }),
		arith.FTrue: is(func(a, b T) bool { return true }),
	}
}

func lowerCmpF(c *compiler, op *ir.Op) step {
	a, b, d := c.in(op.Operand(0)), c.in(op.Operand(1)), c.out(op.Result(0))
	p := op.IntOr("predicate", -1)
	if p < 0 || p > 15 {
		return c.errorf(op, "predicate %d is not supported", p)
	}
	if a.kind == kF64 {
		return cmpF64[p](d.reg, a.reg, b.reg)
	}
	return cmpF32[p](d.reg, a.reg, b.reg)
}

func lowerSelect(c *compiler, op *ir.Op) step {
	k, a, b, d := c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg, c.in(op.Operand(2)).reg,
		c.out(op.Result(0))
	switch d.kind.bytes() {
	case 1:
		return chooseStep[uint8](d.reg, k, a, b)
	case 2:
		return chooseStep[uint16](d.reg, k, a, b)
	case 4:
		return chooseStep[uint32](d.reg, k, a, b)
	case 8:
		return chooseStep[uint64](d.reg, k, a, b)
	}
	if d.kind != kObj {
		return nil
	}
	return func(f *frame) {
		if scalar[uint8](f, k) != 0 {
			f.objs[d.reg] = f.objs[a]
		} else {
			f.objs[d.reg] = f.objs[b]
		}
	}
}

func chooseStep[T any](d, c, a, b reg) step {
	return func(f *frame) { choose(row[T](f, d), row[uint8](f, c), row[T](f, a), row[T](f, b)) }
}

func lowerSinCos(c *compiler, op *ir.Op) step {
	s, k, a := c.out(op.Result(0)), c.out(op.Result(1)), c.in(op.Operand(0)).reg
	if s.kind == kF64 {
		sin, cos := each1(sin64)(s.reg, a), each1(cos64)(k.reg, a)
		return func(f *frame) { sin(f); cos(f) }
	}
	sin := rounded(s, each1(by64(gomath.Sin))(s.reg, a))
	cos := rounded(k, each1(by64(gomath.Cos))(k.reg, a))
	return func(f *frame) { sin(f); cos(f) }
}

func lowerFPowI(c *compiler, op *ir.Op) step {
	d, a, b := c.out(op.Result(0)), c.in(op.Operand(0)).reg, c.in(op.Operand(1))
	t := c.temp(kI64, b.regLen())
	widen, _ := intCast(b.kind, kI64, true)
	if widen == nil {
		return c.errorf(op, "type %s is not supported", op.Operand(1).Type)
	}
	c.emit(op, widen(t.reg, b.reg))
	if d.kind == kF64 {
		return func(f *frame) {
			zip(row[float64](f, d.reg), row[float64](f, a), row[int64](f, t.reg),
				func(x float64, n int64) float64 {
					return powi(x, n)
				})
		}
	}
	return rounded(d, func(f *frame) {
		zip(row[float32](f, d.reg), row[float32](f, a), row[int64](f, t.reg),
			func(x float32, n int64) float32 {
				return float32(powi(float64(x), n))
			})
	})
}

// powi returns x to an integer power.
func powi(x float64, n int64) float64 { return gomath.Pow(x, float64(n)) }

var floatOps = map[*ir.OpDef]lowering{
	arith.AddF:     floats2(add[float32], add[float64]),
	arith.SubF:     floats2(sub[float32], sub[float64]),
	arith.MulF:     floats2(mul[float32], mul[float64]),
	arith.DivF:     floats2(divf[float32], divf[float64]),
	tt.PreciseDivF: floats2(divf[float32], divf[float64]),
	tt.ApproxDivF:  floats2(divf[float32], divf[float64]),
	arith.RemF:     in64x2(gomath.Mod),
	arith.MaximumF: eachF2(maximum[float32], maximum[float64]),
	arith.MinimumF: eachF2(minimum[float32], minimum[float64]),
	arith.MaxNumF:  eachF2(maxNum[float32], maxNum[float64]),
	arith.MinNumF:  eachF2(minNum[float32], minNum[float64]),
	arith.NegF:     eachF1(neg[float32], neg[float64]),
	arith.CmpF:     lowerCmpF,
	arith.Select:   lowerSelect,
	tt.ClampF:      lowerClampF,
	tt.PreciseSqrt: in64(gomath.Sqrt),
	math.AbsF:      eachF1(abs32, gomath.Abs),
	math.Acos:      eachF1(by64(gomath.Acos), acos64),
	math.Acosh:     in64(gomath.Acosh),
	math.Asin:      in64(gomath.Asin),
	math.Asinh:     in64(gomath.Asinh),
	math.Atan:      in64(gomath.Atan),
	math.Atanh:     in64(gomath.Atanh),
	math.Cbrt:      in64(gomath.Cbrt),
	math.Ceil:      in64(gomath.Ceil),
	math.Cos:       eachF1(by64(gomath.Cos), cos64),
	math.Cosh:      eachF1(by64(gomath.Cosh), cosh64),
	math.Erf:       in64(gomath.Erf),
	math.Erfc:      in64(gomath.Erfc),
	math.Exp:       eachF1(exp32, exp64),
	math.Exp2:      eachF1(exp2f, gomath.Exp2),
	math.ExpM1:     in64(gomath.Expm1),
	math.Floor:     in64(gomath.Floor),
	math.Log:       in64(log64),
	math.Log10:     in64(log10),
	math.Log1p:     in64(gomath.Log1p),
	math.Log2:      in64(log2),
	math.Round:     in64(gomath.Round),
	math.RoundEven: in64(gomath.RoundToEven),
	math.Rsqrt:     in64(rsqrt64),
	math.Sin:       eachF1(by64(gomath.Sin), sin64),
	math.Sinh:      eachF1(by64(gomath.Sinh), sinh64),
	math.Sqrt:      in64(gomath.Sqrt),
	math.Tan:       eachF1(by64(gomath.Tan), tan64),
	math.Tanh:      in64(gomath.Tanh),
	math.Trunc:     in64(gomath.Trunc),
	math.Atan2:     in64x2(gomath.Atan2),
	math.CopySign:  eachF2(copysign32, gomath.Copysign),
	math.PowF:      eachF2(by64x2(pow64), powExact),
	math.Fma:       lowerFma,
	math.ClampF:    eachF3(clamp[float32], clamp[float64]),
	math.FPowI:     lowerFPowI,
	math.SinCos:    lowerSinCos,
	math.IsFinite:  test(isFinite64),
	math.IsInf:     test(isInf64),
	math.IsNaN:     test(isNaN64),
	math.IsNormal:  lowerIsNormal,
}
