package sem

import (
	"slices"
	"strconv"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// rounding says how a float conversion rounds that loses bits.
type rounding int64

const (
	noRounding = rounding(-1) // not given
	roundNear  = rounding(tt.RoundNearest)
	roundZero  = rounding(tt.RoundZero)
)

// roundings has the roundings by their names in the language.
var roundings = map[string]rounding{"rtne": roundNear, "rtz": roundZero}

func (t *DType) widthText() string { return strconv.Itoa(t.Bits) }

// Cast converts a value to a scalar type. fpRounding is "", "rtne" or "rtz".
func (b *Builder) Cast(v object.Value, to Type, fpRounding string) (t *Tensor, err error) {
	defer guard(&err)
	return b.cast(b.toTensor(v), Scalar(to), parseRounding(fpRounding)), nil
}

// Bitcast reads a value's bits as another type of the same width.
func (b *Builder) Bitcast(v object.Value, to Type) (t *Tensor, err error) {
	defer guard(&err)
	return b.bitcast(b.toTensor(v), Scalar(to)), nil
}

func parseRounding(name string) rounding {
	if name == "" {
		return noRounding
	}
	r, ok := roundings[name]
	if !ok {
		panic(bad(CodeValue, "unknown rounding %q: 'rtne' rounds to nearest, 'rtz' towards zero", name))
	}
	return r
}

// bitcast reads the bits of x as a scalar type of the same width.
func (b *Builder) bitcast(x *Tensor, to Type) *Tensor {
	from := Scalar(x.Type)
	if from == to {
		return x
	}
	f, fok := from.(*DType)
	t, tok := to.(*DType)
	if !fok || !tok {
		return b.cast(x, to, noRounding)
	}
	if f.Bits != t.Bits {
		panic(bad(CodeType, "cannot bitcast %s to %s: they have %d and %d bits", f, t, f.Bits, t.Bits))
	}
	return b.op(tt.Bitcast, WithElem(x.Type, to), x.V)
}

// cast converts x to a scalar type.
func (b *Builder) cast(x *Tensor, to Type, r rounding) *Tensor {
	from := Scalar(x.Type)
	if from == to {
		return x
	}
	f, fok := from.(*DType)
	t, tok := to.(*DType)
	if fok && tok && f.IsFloating() && t.IsFloating() && t.Bits < f.Bits {
		if r == noRounding {
			r = roundNear
		}
	} else if r != noRounding {
		panic(bad(CodeValue, "fp_downcast_rounding is for a cast to a narrower float, not from %s to %s",
			from, to))
	}
	switch {
	case b.has(triton.DirectHalves) && (f == BFloat16 && t == Float16 || f == Float16 && t == BFloat16):
		return b.opA(tt.FpToFp, WithElem(x.Type, t),
			[]ir.NamedAttr{ir.A("rounding", ir.I32Attr(int64(roundNear)))}, x.V)
	case f == Float8E4B15 || t == Float8E4B15:
		return b.castE4B15(x, to)
	case !fok || !tok:
		return b.castPointer(x, to)
	}
	return b.castNumber(x, f, t, r)
}

// castTo converts x for an operation that must have that type and nothing else.
func (b *Builder) castTo(x *Tensor, to Type) *Tensor {
	out := b.cast(x, to, noRounding)
	if Scalar(out.Type) != to {
		panic(bad(CodeType, "cannot cast %s to %s", Scalar(x.Type), to))
	}
	return out
}

// castNumber converts between types that IR has itself.
func (b *Builder) castNumber(x *Tensor, f, t *DType, r rounding) *Tensor {
	out := WithElem(x.Type, t)
	switch {
	case f.IsFloating() && t.IsFloating() && (f.IsFP8() || t.IsFP8() || r == roundZero):
		var attrs []ir.NamedAttr
		if r != noRounding {
			attrs = []ir.NamedAttr{ir.A("rounding", ir.I32Attr(int64(r)))}
		}
		return b.opA(tt.FpToFp, out, attrs, x.V)
	case (f == Float16 || f == BFloat16) && t != Float32:
		return b.cast(b.cast(x, Float32, noRounding), t, noRounding)
	case t == Int1 && (f.IsInt() || f.isStandard()):
		return b.notZero(x)
	}
	def := conversion(f, t)
	if def == nil {
		panic(bad(CodeType, "cannot cast %s to %s", f, t))
	}
	return b.op(def, out, x.V)
}

// conversion returns the operation that converts f to t, or nil.
func conversion(f, t *DType) *ir.OpDef {
	switch {
	case f.IsFloating() && t.IsFloating() && f.Bits > t.Bits:
		return arith.TruncF
	case f.IsFloating() && t.IsFloating() && f.Bits < t.Bits:
		return arith.ExtF
	case f.IsInt() && t.IsInt() && f.Bits == t.Bits:
		return arith.Bitcast
	case f.IsInt() && t.IsInt() && f.Bits > t.Bits:
		return arith.TruncI
	case f.IsSigned() && t.IsInt():
		return arith.ExtSI
	case f.IsInt() && t.IsInt():
		return arith.ExtUI
	case f.isStandard() && t.IsSigned():
		return arith.FPToSI
	case f.isStandard() && t.IsInt():
		return arith.FPToUI
	case f.IsSigned() && t.isStandard():
		return arith.SIToFP
	case f.IsInt() && t.isStandard():
		return arith.UIToFP
	}
	return nil
}

// notZero returns x != 0.
func (b *Builder) notZero(x *Tensor) *Tensor {
	return b.compare(python.NotEq, x, b.null(Scalar(x.Type)))
}

// castPointer converts to or from pointers.
func (b *Builder) castPointer(x *Tensor, to Type) *Tensor {
	from := Scalar(x.Type)
	out := WithElem(x.Type, to)
	t, toNumber := to.(*DType)
	f, fromNumber := from.(*DType)
	switch {
	case IsPtr(from) && IsPtr(to):
		return b.op(tt.Bitcast, out, x.V)
	case IsPtr(from) && toNumber && t.IsInt() && t.Bits == 64:
		return b.op(tt.PtrToInt, out, x.V)
	case IsPtr(from) && toNumber && t == Int1:
		addr := b.cast(x, Int64, noRounding)
		return b.compare(python.NotEq, addr, &Tensor{b.constInt(0, ir.I64), Int64})
	case IsPtr(to) && fromNumber && f.IsInt() && f.Bits == 64:
		return b.op(tt.IntToPtr, out, x.V)
	case IsPtr(to) && fromNumber && f.IsInt():
		panic(bad(CodeType, "cannot cast %s to %s", from, to).hint("only 64-bit integers become pointers"))
	}
	panic(bad(CodeType, "cannot cast %s to %s", from, to))
}

// castE4B15 converts to or from fp8e4b15, which IR holds as i8. Its exponent has fp16's bias, so that its
// bits, shifted, are those of an fp16: the conversions are integer arithmetic and work on every target.
// Triton uses PTX here, with the same results.
func (b *Builder) castE4B15(x *Tensor, to Type) *Tensor {
	if !slices.Contains(b.Opts.Chip().FP8, "fp8e4b15") {
		panic(bad(CodeTarget, "AMD targets cannot convert fp8e4b15"))
	}
	switch from := Scalar(x.Type); {
	case from == Float8E4B15:
		half := b.fromE4B15(x)
		if to == Float32 {
			return b.cast(half, Float32, noRounding)
		}
		return half // whatever was asked for, as in Triton
	case from == Float32:
		x = b.cast(x, Float16, roundZero)
	case from != Float16:
		panic(bad(CodeType, "cannot cast %s to fp8e4b15", from).hint("cast to float16 or float32 first"))
	}
	return b.toE4B15(x)
}

// fromE4B15 converts s_eeee_mmm to the fp16 s_0eeee_mmm0000000.
func (b *Builder) fromE4B15(x *Tensor) *Tensor {
	wide := Tensor{b.Val(arith.ExtUI, WithElem(x.Type, Uint16).IR(), x.V), WithElem(x.Type, Uint16)}
	sign := b.shl(b.and(&wide, object.MakeInt(0x80)), object.MakeInt(8))
	rest := b.shl(b.and(&wide, object.MakeInt(0x7f)), object.MakeInt(7))
	return b.bitcast(b.or(sign, rest), Float16)
}

// toE4B15 limits an fp16 to the largest value, 1.75, and rounds its magnitude half up.
func (b *Builder) toE4B15(x *Tensor) *Tensor {
	bits := b.bitcast(x, Uint16)
	sign := b.shr(b.and(bits, object.MakeInt(0x8000)), object.MakeInt(8))
	abs := b.minMax(minOps, b.and(bits, object.MakeInt(0x7fff)), b.scalar(object.MakeInt(0x3f00), Uint16),
		NanNone)
	rest := b.shr(b.add(abs, object.MakeInt(0x40), false), object.MakeInt(7))
	out := WithElem(x.Type, Float8E4B15)
	return b.op(arith.TruncI, out, b.or(sign, rest).V)
}
