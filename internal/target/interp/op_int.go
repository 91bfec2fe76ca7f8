package interp

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// binary makes the step of a loop over two operands.
type binary func(d, a, b reg) step

// loop2 makes a binary of a loop over rows of one type.
func loop2[T any](f func(d, a, b []T)) binary {
	return func(d, a, b reg) step {
		return func(fr *frame) { f(row[T](fr, d), row[T](fr, a), row[T](fr, b)) }
	}
}

// each2 makes a binary of a function of two elements.
func each2[T any](f func(a, b T) T) binary {
	return loop2(func(d, a, b []T) { zip(d, a, b, f) })
}

// byKind is one binary for each kind of elements; nil where there is none.
type byKind [numKinds]binary

// ints makes a byKind of the loops for integers.
func ints(b1, b8, b16, b32, b64 binary) byKind {
	return byKind{kI1: b1, kI8: b8, kI16: b16, kI32: b32, kI64: b64}
}

// lower2 lowers an elementwise operation on two operands of one type.
func lower2(k byKind) lowering {
	return func(c *compiler, op *ir.Op) step {
		d := c.out(op.Result(0))
		loop := k[d.kind]
		if loop == nil {
			return c.errorf(op, "type %s is not supported", op.Result(0).Type)
		}
		return loop(d.reg, c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg)
	}
}

// narrow1 makes an operation on i1 by way of i8: signed takes true as -1.
func narrow1(signed bool, f func(a, b int8) int8) binary {
	wide := func(x uint8) int8 {
		if signed {
			return -int8(x)
		}
		return int8(x)
	}
	return each2(func(a, b uint8) uint8 { return uint8(f(wide(a), wide(b))) & 1 })
}

// signed and unsigned make a binary for each width from a function, as Go's generics cannot.

func signedOp(f8 func(a, b int8) int8, f16 func(a, b int16) int16, f32 func(a, b int32) int32,
	f64 func(a, b int64) int64) byKind {
	return ints(narrow1(true, f8), each2(f8), each2(f16), each2(f32), each2(f64))
}

func unsignedOp(f8 func(a, b uint8) uint8, f16 func(a, b uint16) uint16, f32 func(a, b uint32) uint32,
	f64 func(a, b uint64) uint64) byKind {
	b1 := narrow1(false, func(a, b int8) int8 { return int8(f8(uint8(a), uint8(b))) })
	return ints(b1, each2(f8), each2(f16), each2(f32), each2(f64))
}

type signedInt interface {
	~int8 | ~int16 | ~int32 | ~int64
}
type unsignedInt interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Division as the GPU does it: by zero it gives all ones. Its 64-bit division takes a shortcut through 32
// bits where both operands fit, which shows.

func div[T integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b
}

func rem[T integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a % b
}

func div64[T int64 | uint64](a, b T) T {
	if b == 0 {
		return byZero64(a)
	}
	return a / b
}

func rem64[T int64 | uint64](a, b T) T {
	if b == 0 {
		return byZero64(a)
	}
	return a % b
}

func byZero64[T int64 | uint64](a T) T {
	if uint64(a)>>32 == 0 {
		return 1<<32 - 1
	}
	return ^T(0)
}

func floorDiv[T signedInt](a, b T) T {
	q := div(a, b)
	if b != 0 && a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func ceilDiv[T integer](a, b T) T {
	q := div(a, b)
	if b != 0 && a%b != 0 && (a < 0) == (b < 0) {
		q++
	}
	return q
}

// Shifts by the width or more push all bits out. Of a 64-bit distance the GPU reads the low half.

func shl[T unsignedInt](a, b T) T { return a << b }
func shr[T unsignedInt](a, b T) T { return a >> b }

func shl64(a, b uint64) uint64 { return a << uint32(b) }
func shr64(a, b uint64) uint64 { return a >> uint32(b) }

func sar8(a, b int8) int8     { return a >> uint8(b) }
func sar16(a, b int16) int16  { return a >> uint16(b) }
func sar32(a, b int32) int32  { return a >> uint32(b) }
func sar64(a, b int64) int64  { return a >> uint32(b) }
func hi8(a, b uint8) uint8    { return uint8(uint16(a) * uint16(b) >> 8) }
func hi16(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }
func hi32(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }
func hi64(a, b uint64) uint64 { h, _ := bits.Mul64(a, b); return h }

func shi8(a, b int8) int8    { return int8(int16(a) * int16(b) >> 8) }
func shi16(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) }
func shi32(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }
func shi64(a, b int64) int64 {
	h, _ := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		h -= uint64(b)
	}
	if b < 0 {
		h -= uint64(a)
	}
	return int64(h)
}

// power returns an integer power by squaring; a negative exponent gives the truncated reciprocal.
func power[T signedInt](a, b T) T {
	if b < 0 {
		switch a {
		case 1:
			return 1
		case -1:
			return 1 - 2*(b&1)
		}
		return 0
	}
	r := T(1)
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			r *= a
		}
		a *= a
	}
	return r
}

var intOps = map[*ir.OpDef]lowering{
	arith.AddI: lower2(ints(loop2(xor[uint8]), loop2(add[int8]), loop2(add[int16]), loop2(add[int32]),
		loop2(add[int64]))),
	arith.SubI: lower2(ints(loop2(xor[uint8]), loop2(sub[int8]), loop2(sub[int16]), loop2(sub[int32]),
		loop2(sub[int64]))),
	arith.MulI: lower2(ints(loop2(and[uint8]), loop2(mul[int8]), loop2(mul[int16]), loop2(mul[int32]),
		loop2(mul[int64]))),
	arith.AndI: lower2(ints(loop2(and[uint8]), loop2(and[int8]), loop2(and[int16]), loop2(and[int32]),
		loop2(and[int64]))),
	arith.OrI: lower2(ints(loop2(or[uint8]), loop2(or[int8]), loop2(or[int16]), loop2(or[int32]),
		loop2(or[int64]))),
	arith.XOrI: lower2(ints(loop2(xor[uint8]), loop2(xor[int8]), loop2(xor[int16]), loop2(xor[int32]),
		loop2(xor[int64]))),

	// A signed i1 is 0 or -1: the larger of two is their conjunction.
	arith.MaxSI: lower2(ints(loop2(and[uint8]), loop2(maxi[int8]), loop2(maxi[int16]), loop2(maxi[int32]),
		loop2(maxi[int64]))),
	arith.MinSI: lower2(ints(loop2(or[uint8]), loop2(mini[int8]), loop2(mini[int16]), loop2(mini[int32]),
		loop2(mini[int64]))),
	arith.MaxUI: lower2(ints(loop2(or[uint8]), loop2(maxi[uint8]), loop2(maxi[uint16]), loop2(maxi[uint32]),
		loop2(maxi[uint64]))),
	arith.MinUI: lower2(ints(loop2(and[uint8]), loop2(mini[uint8]), loop2(mini[uint16]), loop2(mini[uint32]),
		loop2(mini[uint64]))),

	arith.DivSI:      lower2(signedOp(div[int8], div[int16], div[int32], div64[int64])),
	arith.RemSI:      lower2(signedOp(rem[int8], rem[int16], rem[int32], rem64[int64])),
	arith.FloorDivSI: lower2(signedOp(floorDiv[int8], floorDiv[int16], floorDiv[int32], floorDiv[int64])),
	arith.CeilDivSI:  lower2(signedOp(ceilDiv[int8], ceilDiv[int16], ceilDiv[int32], ceilDiv[int64])),
	arith.DivUI:      lower2(unsignedOp(div[uint8], div[uint16], div[uint32], div64[uint64])),
	arith.RemUI:      lower2(unsignedOp(rem[uint8], rem[uint16], rem[uint32], rem64[uint64])),
	arith.CeilDivUI:  lower2(unsignedOp(ceilDiv[uint8], ceilDiv[uint16], ceilDiv[uint32], ceilDiv[uint64])),

	arith.ShLI: lower2(shift1(unsignedOp(shl[uint8], shl[uint16], shl[uint32], shl64),
		func(a, b uint8) uint8 {
			return a &^ b
		})),
	arith.ShRUI: lower2(shift1(unsignedOp(shr[uint8], shr[uint16], shr[uint32], shr64),
		func(a, b uint8) uint8 {
			return a &^ b
		})),
	arith.ShRSI: lower2(shift1(signedOp(sar8, sar16, sar32, sar64), func(a, _ uint8) uint8 { return a })),

	tt.MulhiUI: lower2(shift1(unsignedOp(hi8, hi16, hi32, hi64), func(_, _ uint8) uint8 { return 0 })),
	math.IPowI: lower2(signedOp(power[int8], power[int16], power[int32], power[int64])),

	math.AbsI:  lower1(intUnary(abs[int8], abs[int16], abs[int32], abs[int64])),
	math.CtPop: lower1(bitUnary(func(x uint64, _ int) int { return bits.OnesCount64(x) })),
	math.CtLZ:  lower1(bitUnary(func(x uint64, w int) int { return bits.LeadingZeros64(x) - 64 + w })),
	math.CtTZ:  lower1(bitUnary(func(x uint64, w int) int { return min(bits.TrailingZeros64(x), w) })),

	arith.AddUIExtended: lowerAddExtended,
	arith.MulSIExtended: lowerMulExtended(signedOp(shi8, shi16, shi32, shi64)),
	arith.MulUIExtended: lowerMulExtended(shift1(unsignedOp(hi8, hi16, hi32, hi64), func(_, _ uint8) uint8 {
		return 0
	})),

	arith.CmpI: lowerCmpI,
}

// shift1 replaces the operation on i1.
func shift1(k byKind, f func(a, b uint8) uint8) byKind {
	k[kI1] = each2(f)
	return k
}

func abs[T signedInt](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// unary makes the step of a loop over one operand.
type unary func(d, a reg) step

type byKind1 [numKinds]unary

func each1[D, A any](f func(A) D) unary {
	return func(d, a reg) step {
		return func(fr *frame) {
			to, in := row[D](fr, d), row[A](fr, a)
			if len(to) <= workStride {
				apply(to, in, f)
				return
			}
			fr.w.inParts(len(to), func(i, j int) { apply(to[i:j], partOf(in, i, j), f) })
		}
	}
}

func lower1(k byKind1) lowering {
	return func(c *compiler, op *ir.Op) step {
		d := c.out(op.Result(0))
		loop := k[d.kind]
		if loop == nil {
			return c.errorf(op, "type %s is not supported", op.Result(0).Type)
		}
		return loop(d.reg, c.in(op.Operand(0)).reg)
	}
}

func intUnary(f8 func(int8) int8, f16 func(int16) int16, f32 func(int32) int32,
	f64 func(int64) int64) byKind1 {
	return byKind1{kI1: each1(func(x uint8) uint8 {
		return x
	}), kI8: each1(f8), kI16: each1(f16), kI32: each1(f32), kI64: each1(f64)}
}

// bitUnary makes the loops of a function of an integer's bits and width.
func bitUnary(f func(x uint64, width int) int) byKind1 {
	return byKind1{
		kI1:  each1(func(x uint8) uint8 { return uint8(f(uint64(x), 1)) & 1 }),
		kI8:  each1(func(x uint8) uint8 { return uint8(f(uint64(x), 8)) }),
		kI16: each1(func(x uint16) uint16 { return uint16(f(uint64(x), 16)) }),
		kI32: each1(func(x uint32) uint32 { return uint32(f(uint64(x), 32)) }),
		kI64: each1(func(x uint64) uint64 { return uint64(f(x, 64)) }),
	}
}

// lowerAddExtended lowers an addition to two results: the sum, and whether it came out less than an
// operand.
func lowerAddExtended(c *compiler, op *ir.Op) step {
	sum, over := c.out(op.Result(0)), c.out(op.Result(1))
	a, b := c.in(op.Operand(0)), c.in(op.Operand(1))
	switch sum.kind {
	case kI1:
		return addExtended[uint8](sum.reg, over.reg, a.reg, b.reg, 1)
	case kI8:
		return addExtended[uint8](sum.reg, over.reg, a.reg, b.reg, 0xff)
	case kI16:
		return addExtended[uint16](sum.reg, over.reg, a.reg, b.reg, 0xffff)
	case kI32:
		return addExtended[uint32](sum.reg, over.reg, a.reg, b.reg, 0xffffffff)
	}
	return addExtended[uint64](sum.reg, over.reg, a.reg, b.reg, ^uint64(0))
}

func addExtended[T unsignedInt](sum, over, a, b reg, mask T) step {
	return func(f *frame) {
		s, o, x, y := row[T](f, sum), row[uint8](f, over), row[T](f, a), row[T](f, b)
		mx, my := spread(x, len(s)), spread(y, len(s))
		for i := range s {
			s[i] = (x[i&mx] + y[i&my]) & mask
			o[i] = 0
			if s[i] < x[i&mx] {
				o[i] = 1
			}
		}
	}
}

func lowerMulExtended(high byKind) lowering {
	return func(c *compiler, op *ir.Op) step {
		lo, hi := c.out(op.Result(0)), c.out(op.Result(1))
		a, b := c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg
		lowStep, highStep := mulLoops[lo.kind](lo.reg, a, b), high[hi.kind](hi.reg, a, b)
		return func(f *frame) { lowStep(f); highStep(f) }
	}
}

var mulLoops = ints(loop2(and[uint8]), loop2(mul[int8]), loop2(mul[int16]), loop2(mul[int32]),
	loop2(mul[int64]))

func cmp2[T any](f func(d []bool, a, b []T)) binary {
	return func(d, a, b reg) step {
		return func(fr *frame) { f(row[bool](fr, d), row[T](fr, a), row[T](fr, b)) }
	}
}

// cmpLoops are the loops of each predicate. An i1 compares as 0 and 1 unsigned and, signed, the other way
// round.
var cmpLoops = [10]byKind{
	arith.EQ:  ints(cmp2(eq[uint8]), cmp2(eq[int8]), cmp2(eq[int16]), cmp2(eq[int32]), cmp2(eq[int64])),
	arith.NE:  ints(cmp2(ne[uint8]), cmp2(ne[int8]), cmp2(ne[int16]), cmp2(ne[int32]), cmp2(ne[int64])),
	arith.SLT: ints(cmp2(gt[uint8]), cmp2(lt[int8]), cmp2(lt[int16]), cmp2(lt[int32]), cmp2(lt[int64])),
	arith.SLE: ints(cmp2(ge[uint8]), cmp2(le[int8]), cmp2(le[int16]), cmp2(le[int32]), cmp2(le[int64])),
	arith.SGT: ints(cmp2(lt[uint8]), cmp2(gt[int8]), cmp2(gt[int16]), cmp2(gt[int32]), cmp2(gt[int64])),
	arith.SGE: ints(cmp2(le[uint8]), cmp2(ge[int8]), cmp2(ge[int16]), cmp2(ge[int32]), cmp2(ge[int64])),
	arith.ULT: ints(cmp2(lt[uint8]), cmp2(lt[uint8]), cmp2(lt[uint16]), cmp2(lt[uint32]), cmp2(lt[uint64])),
	arith.ULE: ints(cmp2(le[uint8]), cmp2(le[uint8]), cmp2(le[uint16]), cmp2(le[uint32]), cmp2(le[uint64])),
	arith.UGT: ints(cmp2(gt[uint8]), cmp2(gt[uint8]), cmp2(gt[uint16]), cmp2(gt[uint32]), cmp2(gt[uint64])),
	arith.UGE: ints(cmp2(ge[uint8]), cmp2(ge[uint8]), cmp2(ge[uint16]), cmp2(ge[uint32]), cmp2(ge[uint64])),
}

func lowerCmpI(c *compiler, op *ir.Op) step {
	a, b, d := c.in(op.Operand(0)), c.in(op.Operand(1)), c.out(op.Result(0))
	p := op.IntOr("predicate", -1)
	if p < 0 || p >= int64(len(cmpLoops)) || cmpLoops[p][a.kind] == nil {
		return c.errorf(op, "predicate %d of type %s is not supported", p, op.Operand(0).Type)
	}
	return cmpLoops[p][a.kind](d.reg, a.reg, b.reg)
}
