package interp

import (
	gomath "math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// cast makes the step of a conversion.
func cast[D, A number]() unary {
	return func(d, a reg) step {
		return func(f *frame) { convert(row[D](f, d), row[A](f, a)) }
	}
}

// intCasts[from][to] are conversions of integers by sign; conversions to a narrower type just cut.
var (
	signedCasts = castTable(cast[int8, int8](), [numKinds]byKind1{kI8: castsFrom[int8](),
		kI16: castsFrom[int16](), kI32: castsFrom[int32](), kI64: castsFrom[int64]()}, true)
	unsignedCasts = castTable(cast[int8, int8](), [numKinds]byKind1{kI8: castsFrom[uint8](),
		kI16: castsFrom[uint16](), kI32: castsFrom[uint32](), kI64: castsFrom[uint64]()}, false)
)

func castsFrom[A integer]() byKind1 {
	return byKind1{
		kI1: each1(func(x A) uint8 { return uint8(x) & 1 }),
		kI8: cast[int8, A](), kI16: cast[int16, A](), kI32: cast[int32, A](), kI64: cast[int64, A](),
	}
}

// castTable adds the conversions from i1: true is -1 when signed and 1 otherwise.
func castTable(same unary, t [numKinds]byKind1, signed bool) [numKinds]byKind1 {
	t[kI1] = byKind1{kI1: same, kI8: same, kI16: cast[int16, uint8](), kI32: cast[int32, uint8](),
		kI64: cast[int64, uint8]()}
	if signed {
		t[kI1] = byKind1{kI1: same,
			kI8:  each1(func(x uint8) int8 { return -int8(x) }),
			kI16: each1(func(x uint8) int16 { return -int16(x) }),
			kI32: each1(func(x uint8) int32 { return -int32(x) }),
			kI64: each1(func(x uint8) int64 { return -int64(x) }),
		}
	}
	return t
}

// intCast returns the conversion between integers; ok is false when there is none.
func intCast(from, to kind, signed bool) (unary, bool) {
	t := &unsignedCasts
	if signed {
		t = &signedCasts
	}
	return t[from][to], t[from][to] != nil
}

func lowerIntCast(signed bool) lowering {
	return func(c *compiler, op *ir.Op) step {
		a, d := c.in(op.Operand(0)), c.out(op.Result(0))
		loop, ok := intCast(a.kind, d.kind, signed)
		if !ok {
			return c.errorf(op, "from %s to %s is not supported", op.Operand(0).Type, op.Result(0).Type)
		}
		return loop(d.reg, a.reg)
	}
}

// lowerIntToFloat rounds once. Formats below f32 go through float64, which holds every integer of 32 bits; of
// longer ones the last bit keeps whether bits were lost.
func lowerIntToFloat(signed bool) lowering {
	return func(c *compiler, op *ir.Op) step {
		a, d := c.in(op.Operand(0)), c.out(op.Result(0))
		t := a
		if a.kind != kI64 {
			widen, ok := intCast(a.kind, kI64, signed)
			if !ok {
				return c.errorf(op, "from %s is not supported", op.Operand(0).Type)
			}
			t = c.temp(kI64, a.regLen())
			c.emit(op, widen(t.reg, a.reg))
		}
		wide := signed || a.kind != kI64 // the 64 bits are signed
		switch {
		case d.small():
			s := smallFor(d.fmt)
			if wide {
				return each1(func(x int64) float32 { return s.round64(float64(stickyInt(x))) })(d.reg, t.reg)
			}
			return each1(func(x uint64) float32 { return s.round64(float64(stickyUint(x))) })(d.reg, t.reg)
		case d.kind == kF32 && wide:
			return cast[float32, int64]()(d.reg, t.reg)
		case d.kind == kF32:
			return cast[float32, uint64]()(d.reg, t.reg)
		case d.kind == kF64 && wide:
			return cast[float64, int64]()(d.reg, t.reg)
		case d.kind == kF64:
			return cast[float64, uint64]()(d.reg, t.reg)
		}
		return c.errorf(op, "to %s is not supported", op.Result(0).Type)
	}
}

// stickyInt returns x in at most 53 bits, the last of which is set when others were lost.
func stickyInt(x int64) int64 {
	if -1<<53 <= x && x <= 1<<53 {
		return x
	}
	return x>>11<<11 | int64(min(uint64(x)&0x7ff, 1))<<11
}

func stickyUint(x uint64) uint64 {
	if x <= 1<<53 {
		return x
	}
	return x>>11<<11 | min(x&0x7ff, 1)<<11
}

// lowerFloatToInt saturates as the GPU's cvt does. An 8-bit result is cut from a 16-bit one.
func lowerFloatToInt(signed bool) lowering {
	return func(c *compiler, op *ir.Op) step {
		a, d := c.in(op.Operand(0)), c.out(op.Result(0))
		nan := int64(0)
		if a.kind == kF64 || d.kind == kI64 {
			nan = gomath.MinInt64
		}
		var f func(float64) int64
		if signed {
			f = toSigned(d.kind, nan)
		} else {
			f = toUnsigned(d.kind, nan)
		}
		if a.kind == kF64 {
			return fromFloat[float64](c, op, d, a, f)
		}
		return fromFloat[float32](c, op, d, a, f)
	}
}

func fromFloat[A float](c *compiler, op *ir.Op, d, a value, f func(float64) int64) step {
	switch d.kind {
	case kI1:
		return each1(func(x A) uint8 { return uint8(f(float64(x))) & 1 })(d.reg, a.reg)
	case kI8:
		return each1(func(x A) int8 { return int8(f(float64(x))) })(d.reg, a.reg)
	case kI16:
		return each1(func(x A) int16 { return int16(f(float64(x))) })(d.reg, a.reg)
	case kI32:
		return each1(func(x A) int32 { return int32(f(float64(x))) })(d.reg, a.reg)
	case kI64:
		return each1(func(x A) int64 { return f(float64(x)) })(d.reg, a.reg)
	}
	return c.errorf(op, "to %s is not supported", op.Result(0).Type)
}

// cvtWidth returns the width that the GPU converts to.
func cvtWidth(k kind) int { return max(16, k.bytes()*8) }

func toSigned(k kind, nan int64) func(float64) int64 {
	w := cvtWidth(k)
	lo, hi := int64(-1)<<(w-1), int64(1)<<(w-1)-1
	if nan != 0 {
		nan = lo
	}
	return func(x float64) int64 {
		switch {
		case x != x:
			return nan
		case x <= float64(lo):
			return lo
		case x >= -float64(lo):
			return hi
		}
		return int64(x)
	}
}

func toUnsigned(k kind, nan int64) func(float64) int64 {
	w := cvtWidth(k)
	limit := gomath.Ldexp(1, w)
	if nan != 0 {
		nan = int64(1) << (w - 1)
	}
	return func(x float64) int64 {
		switch {
		case x != x:
			return nan
		case x <= 0:
			return 0
		case x >= limit:
			return int64(^uint64(0) >> (64 - w))
		}
		return int64(uint64(x))
	}
}

// rounding is a way to convert floats to a format.
type rounding uint8

const (
	nearest rounding = iota
	saturating
	towardZero
)

// lowerFloatCast converts between floats.
func lowerFloatCast(mode func(op *ir.Op, to *num.Format) rounding) lowering {
	return func(c *compiler, op *ir.Op) step {
		a, d := c.in(op.Operand(0)), c.out(op.Result(0))
		m := mode(op, d.fmt)
		switch {
		case d.kind == kF64 && a.kind == kF64, d.kind == kF32 && a.kind == kF32 && !narrower(a.fmt, d.fmt):
			return func(f *frame) { f.copyReg(d.reg, a.reg, d.kind) }
		case d.kind == kF64:
			return cast[float64, float32]()(d.reg, a.reg)
		case d.fmt == num.F32 && m == towardZero:
			return each1(func(x float64) float32 { return trunc32(x) })(d.reg, a.reg)
		case d.fmt == num.F32:
			return cast[float32, float64]()(d.reg, a.reg)
		case a.kind == kF64:
			return each1(round64By(smallFor(d.fmt), m))(d.reg, a.reg)
		}
		return each1(round32By(smallFor(d.fmt), m))(d.reg, a.reg)
	}
}

// narrower reports whether some value of format from is none of format to.
func narrower(from, to *num.Format) bool {
	return from.Exp > to.Exp || from.Man > to.Man || to.Kind != num.IEEE && to != from
}

func round32By(s *small, m rounding) func(float32) float32 {
	switch m {
	case saturating:
		return s.saturate
	case towardZero:
		return s.toward0
	}
	return s.round
}

// round64By rounds a float64 once: to float32 with the lost bits kept in the last one, then to the format.
func round64By(s *small, m rounding) func(float64) float32 {
	if m == towardZero {
		return func(x float64) float32 { return s.toward0(trunc32(x)) }
	}
	if m == saturating {
		return func(x float64) float32 {
			if limit := float64(gomath.Float32frombits(s.max)); gomath.Abs(x) > limit {
				return s.saturate(float32(x))
			}
			return s.saturate(s.round64(x))
		}
	}
	return s.round64
}

// trunc32 returns a float64 rounded to float32 toward zero.
func trunc32(x float64) float32 {
	y := float32(x)
	if gomath.Abs(float64(y)) > gomath.Abs(x) {
		return gomath.Float32frombits(gomath.Float32bits(y) - 1)
	}
	return y
}

// fpToFpMode returns the rounding of a conversion; conversions to 8 bits saturate.
func fpToFpMode(op *ir.Op, to *num.Format) rounding {
	switch {
	case op.IntOr("rounding", tt.RoundNearest) == tt.RoundZero:
		return towardZero
	case to.Bits == 8:
		return saturating
	}
	return nearest
}

func truncMode(op *ir.Op, _ *num.Format) rounding {
	if op.IntOr("roundingmode", arith.ToNearestEven) == arith.TowardZero {
		return towardZero
	}
	return nearest
}

func lowerTruncF(c *compiler, op *ir.Op) step {
	if m := op.IntOr("roundingmode", arith.ToNearestEven); m != arith.ToNearestEven && m != arith.TowardZero {
		return c.errorf(op, "rounding mode %d is not supported", m)
	}
	return lowerFloatCast(truncMode)(c, op)
}

// lowerBitcast reads the same bits as another type. Where both are held alike the planner has renamed the
// register.
func lowerBitcast(c *compiler, op *ir.Op) step {
	a, d := c.in(op.Operand(0)), c.out(op.Result(0))
	if a.memBytes() != d.memBytes() || (a.kind == kI1) != (d.kind == kI1) {
		return c.errorf(op, "from %s to %s is not supported", op.Operand(0).Type, op.Result(0).Type)
	}
	switch {
	case !a.small() && !d.small():
		return func(f *frame) { f.copyReg(d.reg, a.reg, d.kind) }
	case a.small() && d.small():
		from, to := smallFor(a.fmt), smallFor(d.fmt)
		return each1(func(x float32) float32 { return to.decode(from.encode(x)) })(d.reg, a.reg)
	case a.small() && a.fmt.Bits == 16:
		from := smallFor(a.fmt)
		return func(f *frame) { encodeRow16(from, row[uint16](f, d.reg), row[float32](f, a.reg)) }
	case a.small():
		from := smallFor(a.fmt)
		return func(f *frame) { encodeRow8(from, row[uint8](f, d.reg), row[float32](f, a.reg)) }
	case d.fmt.Bits == 16:
		to := smallFor(d.fmt)
		return each1(func(x uint16) float32 { return to.decode(uint32(x)) })(d.reg, a.reg)
	}
	to := smallFor(d.fmt)
	return each1(func(x uint8) float32 { return to.decode(uint32(x)) })(d.reg, a.reg)
}

var castOps = map[*ir.OpDef]lowering{
	arith.ExtSI:       lowerIntCast(true),
	arith.ExtUI:       lowerIntCast(false),
	arith.TruncI:      lowerIntCast(true),
	arith.IndexCast:   lowerIntCast(true),
	arith.IndexCastUI: lowerIntCast(false),
	arith.SIToFP:      lowerIntToFloat(true),
	arith.UIToFP:      lowerIntToFloat(false),
	arith.FPToSI:      lowerFloatToInt(true),
	arith.FPToUI:      lowerFloatToInt(false),
	arith.ExtF:        lowerFloatCast(truncMode),
	arith.TruncF:      lowerTruncF,
	arith.Bitcast:     lowerBitcast,
	tt.FpToFp:         lowerFloatCast(fpToFpMode),
	tt.Bitcast:        lowerBitcast,
	tt.IntToPtr:       lowerBitcast,
	tt.PtrToInt:       lowerBitcast,
}
