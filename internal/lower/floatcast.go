package lower

import (
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// Conversions between floats. 8-bit floats are i8 in LLVM. The hardware converts some of them, two at a time
// (vendorMath.smallPairs); all other conversions of 8-bit floats compute on bits.

func isSmall(t ir.Type) bool { return ir.IsFloat(t) && ir.BitWidth(t) == 8 }

// extend converts to a wider float, which is exact; between f16 and bf16 it rounds.
func (l *lowering) extend(x string, from, to ir.Type) string {
	switch {
	case from == to:
		return x
	case isSmall(from):
		return l.extendSmall(x, from.(*ir.FloatType), to)
	case ir.BitWidth(from) == ir.BitWidth(to): // f16 and bf16
		return l.truncate(l.extend(x, from, ir.F32), ir.F32, to)
	}
	return l.val("fpext %s %s to %s", llvmType(from), x, llvmType(to))
}

// truncate rounds to a narrower float, to nearest even. Values beyond the largest become infinite, as IEEE
// 754 prescribes.
func (l *lowering) truncate(x string, from, to ir.Type) string {
	switch {
	case from == to:
		return x
	case isSmall(to):
		return l.toSmall(x, from, to.(*ir.FloatType), smallRounding{})
	case ir.BitWidth(from) == ir.BitWidth(to):
		return l.extend(x, from, to)
	case l.opts.Certify && from == ir.F64 && to != ir.F32:
		single := l.truncate(x, from, ir.F32)
		if l.vendor.expands() {
			return l.val("bitcast i16 %s to %s", l.ringFormat(single, to), llvmType(to))
		}
		return l.truncate(single, ir.F32, to)
	case l.expands(to):
		return l.val("bitcast i16 %s to bfloat", l.ringFormat(x, to))
	}
	return l.val("fptrunc %s %s to %s", llvmType(from), x, llvmType(to))
}

func lowerExtF(l *lowering, op *ir.Op) {
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.extend(a[0], ir.ElemOf(op.Operand(0).Type), t)
	})(l, op)
}

func lowerTruncF(l *lowering, op *ir.Op) {
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.truncate(a[0], ir.ElemOf(op.Operand(0).Type), t)
	})(l, op)
}

// lowerFpToFp converts between floats of which one has 8 bits, or with a rounding mode. Conversions to 8 bits
// saturate; infinities that are rounded toward zero stay what they are.
func lowerFpToFp(l *lowering, op *ir.Op) {
	from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	toZero := op.IntOr("rounding", tt.RoundNearest) == tt.RoundZero
	if l.vendor.smallPairs(from, to) && !toZero {
		l.set(op.Result(0), l.convertPairs(l.regs(op.Operand(0)), from, to))
		return
	}
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		switch {
		case isSmall(to):
			return l.toSmall(a[0], from, to.(*ir.FloatType), smallRounding{toZero: toZero, saturate: true})
		case ir.BitWidth(from) < ir.BitWidth(to):
			return l.extend(a[0], from, t)
		case toZero:
			return l.truncateToZero(op, a[0], from, to)
		}
		return l.truncate(a[0], from, t)
	})(l, op)
}

// convertPairs converts with the instructions that take two values at a time.
func (l *lowering) convertPairs(src []string, from, to ir.Type) []string {
	out := make([]string, len(src))
	for i := 0; i < len(src); i += 2 {
		lo, hi := src[i], src[min(i+1, len(src)-1)]
		var a, b string
		if isSmall(to) {
			a, b = l.pairToSmall(l.extend(lo, from, ir.F32), l.extend(hi, from, ir.F32), to)
		} else {
			a, b = l.pairFromSmall(lo, hi, from, to)
		}
		out[i] = a
		if i+1 < len(src) {
			out[i+1] = b
		}
	}
	return out
}

func (l *lowering) pairToSmall(lo, hi string, to ir.Type) (string, string) {
	r := l.vendor.toSmallPair(l, lo, hi, to)
	both := l.val("bitcast i16 %s to <2 x i8>", r) // LLVM sees that bytes which are stored together are words
	return l.val("extractelement <2 x i8> %s, i32 0", both), l.val("extractelement <2 x i8> %s, i32 1", both)
}

func (l *lowering) pairFromSmall(lo, hi string, from, to ir.Type) (string, string) {
	w := l.val("or disjoint i16 %s, %s", l.val("zext i8 %s to i16", lo),
		l.val("shl i16 %s, 8", l.val("zext i8 %s to i16", hi)))
	v := l.vendor.fromSmallPair(l, w, from)
	var out [2]string
	for i := range out {
		x := l.val("extractelement <2 x half> %s, i32 %d", v, i)
		switch to {
		case ir.F16:
		case ir.BF16:
			x = l.truncate(l.extend(x, ir.F16, ir.F32), ir.F32, ir.BF16)
		default:
			x = l.extend(x, ir.F16, to)
		}
		out[i] = x
	}
	return out[0], out[1]
}

// truncateToZero rounds f64 or f32 towards zero. Two steps, through f32, give the same result as one.
func (l *lowering) truncateToZero(op *ir.Op, x string, from, to ir.Type) string {
	if l.opts.Certify {
		return l.truncate(x, from, to)
	}
	if from == ir.F64 {
		x = l.vendor.roundToZero(l, x, ir.F64, ir.F32)
		if to == ir.F32 {
			return x
		}
		from = ir.F32
	}
	if from != ir.F32 {
		l.fail(op, "from %s to %s towards zero", from, to)
	}
	return l.vendor.roundToZero(l, x, ir.F32, to)
}

// extendSmall converts an 8-bit float by its bits. Placed where an f32 has its exponent and mantissa, they
// are the value times a power of two, which a multiplication takes off; subnormals come out right too.
func (l *lowering) extendSmall(x string, from *ir.FloatType, to ir.Type) string {
	f := from.Format
	wide := l.val("zext i8 %s to i32", x)
	if from == ir.F8E5M2 { // e5m2 is the upper half of an f16
		h := l.val("bitcast i16 %s to half", l.val("shl i16 %s, 8", l.val("zext i8 %s to i16", x)))
		if to == ir.F16 {
			return h
		}
		return l.fromF32(l.val("fpext half %s to float", h), to)
	}
	mag := l.val("and i32 %s, 127", wide)
	small := l.val("bitcast i32 %s to float", l.val("shl i32 %s, %d", mag, 23-f.Man))
	v := l.val("fmul float %s, %s", small, f32(math.Ldexp(1, 127-f.Bias)))
	sign := l.val("shl i32 %s, 24", l.val("and i32 %s, 128", wide))
	v = l.val("bitcast i32 %s to float", l.val("or i32 %s, %s", l.val("bitcast float %s to i32", v), sign))
	return l.fromF32(l.specialSmall(f, v, wide, mag), to)
}

// specialSmall returns v, or the infinity or NaN that the bits of an 8-bit float stand for. mag is wide,
// those bits, without the sign.
func (l *lowering) specialSmall(f *num.Format, v, wide, mag string) string {
	cond, special := "", f32(math.NaN())
	switch f.Kind {
	case num.FN:
		cond = l.val("icmp eq i32 %s, 127", mag)
	case num.FNUZ:
		cond = l.val("icmp eq i32 %s, 128", wide)
	case num.IEEE: // the mantissa of the largest exponent stays, under f32's largest exponent
		cond = l.val("icmp uge i32 %s, %d", mag, f.Overflow())
		bits := l.val("or i32 %s, %d", l.val("bitcast float %s to i32", v), 0x7f800000)
		special = l.val("bitcast i32 %s to float", bits)
	default:
		return v
	}
	return l.val("select i1 %s, float %s, float %s", cond, special, v)
}

// fromF32 converts an f32 to a type that can represent its value.
func (l *lowering) fromF32(x string, to ir.Type) string {
	switch {
	case to == ir.F32:
		return x
	case ir.BitWidth(to) < 32:
		return l.truncate(x, ir.F32, to)
	}
	return l.extend(x, ir.F32, to)
}

// smallRounding says how to round to 8 bits.
type smallRounding struct{ toZero, saturate bool }

// toSmall rounds to an 8-bit float. Normal results are rounded on the bits of an f32; subnormal results by
// adding a constant so large that only their bits are left in the sum.
func (l *lowering) toSmall(x string, from ir.Type, to *ir.FloatType, r smallRounding) string {
	f := to.Format
	v := x
	if ir.BitWidth(from) < 32 {
		v = l.extend(x, from, ir.F32)
	} else if from == ir.F64 && l.opts.Certify {
		v = l.truncate(x, ir.F64, ir.F32)
	} else if from == ir.F64 {
		v = l.singleToOdd(x)
	}
	if l.opts.Certify {
		return l.ringFormat(v, to)
	}
	bits := l.val("bitcast float %s to i32", v)
	mag := l.val("and i32 %s, %d", bits, math.MaxInt32)
	abs := l.val("bitcast i32 %s to float", mag)
	normal, tiny := l.normalSmall(f, mag, r), l.tinySmall(f, abs, r)
	least := math.Ldexp(1, 1-f.Bias) // least normal value
	out := l.val("select i1 %s, i32 %s, i32 %s", l.val("fcmp olt float %s, %s", abs, f32(least)),
		tiny, normal)

	top := f.Max()
	over, infinite := top, top // what becomes of finite numbers beyond the largest, and of infinities
	if r.toZero || !r.saturate {
		infinite = f.Overflow()
	}
	if !r.toZero && !r.saturate {
		over = f.Overflow()
	}
	out = l.val("select i1 %s, i32 %d, i32 %s", l.val("icmp ugt i32 %s, %d", out, top), over, out)
	out = l.val("select i1 %s, i32 %d, i32 %s", l.val("fcmp oeq float %s, %s", abs, f32(math.Inf(1))),
		infinite, out)
	sign := l.val("and i32 %s, 128", l.val("lshr i32 %s, 24", bits))
	out = l.signSmall(f, out, sign)
	nan := l.val("fcmp uno float %s, %s", v, v)
	out = l.val("select i1 %s, i32 %d, i32 %s", nan, f.NaN(), out)
	return l.val("trunc i32 %s to i8", out)
}

// singleToOdd rounds an f64 to an f32 that every narrower format rounds as it would round x: the last bit
// says whether any of the lost bits is set.
func (l *lowering) singleToOdd(x string) string {
	zero := l.vendor.roundToZero(l, x, ir.F64, ir.F32)
	lost := l.val("fcmp one double %s, %s", l.val("fpext float %s to double", zero), x)
	bits := l.val("bitcast float %s to i32", zero)
	odd := l.val("or i32 %s, %s", bits, l.val("zext i1 %s to i32", lost))
	return l.val("bitcast i32 %s to float", odd)
}

// normalSmall returns the bits of a normal result. mag holds the bits of an f32 without its sign.
func (l *lowering) normalSmall(f *num.Format, mag string, r smallRounding) string {
	shift := 23 - f.Man
	if !r.toZero {
		odd := l.val("and i32 %s, 1", l.val("lshr i32 %s, %d", mag, shift))
		mag = l.val("add i32 %s, %s", l.val("add i32 %s, %d", mag, 1<<(shift-1)-1), odd)
	}
	return l.val("sub i32 %s, %d", l.val("lshr i32 %s, %d", mag, shift), (127-f.Bias)<<f.Man)
}

// tinySmall returns the bits of a subnormal result. abs is a magnitude.
func (l *lowering) tinySmall(f *num.Format, abs string, r smallRounding) string {
	if r.toZero {
		return l.val("fptoui float %s to i32",
			l.val("fmul float %s, %s", abs, f32(math.Ldexp(1, f.Man+f.Bias-1))))
	}
	magic := math.Ldexp(1, 1-f.Bias-f.Man+23)
	sum := l.val("bitcast float %s to i32", l.val("fadd float %s, %s", abs, f32(magic)))
	return l.val("sub i32 %s, %d", sum, int32(math.Float32bits(float32(magic))))
}

// signSmall adds the sign bit. FNUZ formats have no negative zero: their zero and NaN stay as they are.
func (l *lowering) signSmall(f *num.Format, out, sign string) string {
	signed := l.val("or i32 %s, %s", out, sign)
	if f.Kind != num.FNUZ {
		return signed
	}
	plain := l.val("icmp eq i32 %s, 0", l.val("and i32 %s, 127", out))
	return l.val("select i1 %s, i32 %s, i32 %s", plain, out, signed)
}

// lowerFp4ToFp converts bytes that hold two 4-bit floats (e2m1) each, the lower half first.
func lowerFp4ToFp(l *lowering, op *ir.Op) {
	axis := int(op.IntOr("axis", 0))
	to := l.layout(op, op.Result(0).Type)
	elem := ir.ElemOf(op.Result(0).Type)
	by := ir.Type(ir.F16)
	if elem == ir.BF16 && l.vendor.keepsSubnormals() {
		by = elem
	}
	regs := l.byCoordinates(op, op.Operand(0), func(c []int) []int {
		out := slices.Clone(c)
		out[axis] /= 2
		return out
	})
	pairs := map[string]string{}
	for r, b := range regs {
		if pairs[b] == "" {
			pairs[b] = l.fourBits(b, by)
		}
		half := registerCoords(to, r)[axis] & 1
		v := l.val("extractelement <2 x %s> %s, i32 %d", llvmType(by), pairs[b], half)
		if elem != by {
			v = l.fromF32(l.extend(v, by, ir.F32), elem)
		}
		regs[r] = v
	}
	l.set(op.Result(0), regs)
}

// fourBits returns the two 4-bit floats of a byte as a vector of f16 or bf16. Placed at the top of their
// halves, with only the sign apart, their exponents are too small, which a multiplication mends.
func (l *lowering) fourBits(b string, elem ir.Type) string {
	at, scale := 9, uint64(0x7400) // of the mantissa's bit; 2^14
	if elem == ir.BF16 {
		at, scale = 6, 0x7e80 // 2^126
	}
	wide := l.val("zext i8 %s to i32", b)
	low := l.val("mul i32 %s, %d", wide, 1<<at|1<<(at+12)) // the upper half goes four bits less far
	low, signs := l.val("and i32 %s, %d", low, 0x70007<<at), l.val("shl i32 %s, %d", low, 12-at)
	signs = l.val("and i32 %s, %d", signs, -0x7fff8000)
	small := l.val("bitcast i32 %s to <2 x %s>", l.val("or disjoint i32 %s, %s", low, signs), llvmType(elem))
	factor := llvmType(elem) + " " + literal(scale, elem)
	return l.val("fmul <2 x %s> %s, <%s, %s>", llvmType(elem), small, factor, factor)
}
