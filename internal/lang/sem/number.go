package sem

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// number returns v as a plain Int, Bool or Float; nil if it is no number. v may be one already, or derive
// from one, as a member of an IntEnum does.
func number(v object.Value) object.Value {
	switch v.(type) {
	case object.Int, object.Bool, object.Float:
		return v
	case *object.Instance:
		if n, ok := object.AsInt64(v); ok {
			return object.MakeInt(n)
		}
		if f, ok := object.AsFloat(v); ok {
			return object.Float(f)
		}
	}
	return nil
}

// isNumber reports whether v is a compile-time number; a bool is one.
func isNumber(v object.Value) bool { return number(v) != nil }

// integer returns v as an integer, if it is an int or a bool.
func integer(v object.Value) (*big.Int, bool) {
	switch v := number(v).(type) {
	case object.Int:
		return v.Big(), true
	case object.Bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	}
	return nil, false
}

// float returns v as a float, whatever number it is.
func float(v object.Value) float64 {
	if f, ok := number(v).(object.Float); ok {
		return float64(f)
	}
	i, _ := integer(v)
	f, _ := new(big.Float).SetInt(i).Float64()
	return f
}

func isNegative(v object.Value) bool { return float(v) < 0 }

// numberText writes a number for messages.
func numberText(v object.Value) string {
	if i, ok := integer(v); ok {
		return i.String()
	}
	return strconv.FormatFloat(float(v), 'g', -1, 64)
}

// intRange returns the least and the greatest value of an integer type.
func intRange(t *DType) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if t.IsSigned() {
		half := new(big.Int).Lsh(one, uint(t.Bits-1))
		return new(big.Int).Neg(half), half.Sub(half, one)
	}
	all := new(big.Int).Lsh(one, uint(t.Bits))
	return new(big.Int), all.Sub(all, one)
}

func fits(v *big.Int, t *DType) bool {
	lo, hi := intRange(t)
	return lo.Cmp(v) <= 0 && v.Cmp(hi) <= 0
}

// numberType returns the type of a number that meets no tensor.
func numberType(v object.Value) *DType {
	switch v := number(v).(type) {
	case object.Bool:
		return Int1
	case object.Float:
		return floatType(float64(v))
	case object.Int:
		for _, t := range []*DType{Int32, Uint32, Int64, Uint64} {
			if fits(v.Big(), t) {
				return t
			}
		}
		panic(bad(CodeValue, "the integer %s fits no type: it has more than 64 bits", v.Big()))
	}
	if u := object.UnknownOf(v); u != nil {
		check(u.Need("the value"))
	}
	e := bad(CodeType, "cannot convert %s to a tensor", describe(v))
	if isNone(v) {
		e = e.hint("None is known at compile time: test `is not None` first")
	}
	panic(e)
}

// NumberType returns the type of a number that meets no tensor.
func NumberType(v object.Value) (t *DType, err error) {
	defer guard(&err)
	return numberType(v), nil
}

// Constant returns a number as a constant of a type.
func (b *Builder) Constant(v object.Value, t *DType) (x *Tensor, err error) {
	defer guard(&err)
	return b.scalar(v, t), nil
}

// floatType returns fp32, unless the value would overflow or lose its normal form there.
func floatType(v float64) *DType {
	abs := math.Abs(v)
	if abs == 0 || math.IsInf(v, 0) || v != v || 0x1p-126 <= abs && abs <= math.MaxFloat32 {
		return Float32
	}
	return Float64
}

// ToTensor makes a device value of a compile-time number; a device value stays itself.
func (b *Builder) ToTensor(v object.Value) (t *Tensor, err error) {
	defer guard(&err)
	return b.toTensor(v), nil
}

func (b *Builder) toTensor(v object.Value) *Tensor {
	switch v := v.(type) {
	case *Tensor:
		return v
	case madeNumber:
		return v.made
	}
	t := numberType(v)
	if t == Int1 {
		return &Tensor{b.constInt(boolInt(float(v) != 0), ir.I1), Int1}
	}
	return b.scalar(v, t)
}

func boolInt(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// scalar returns a constant of a type.
func (b *Builder) scalar(v object.Value, t *DType) *Tensor {
	if t.IsFP8() && b.has(triton.FP8Constants) && (float(v) != 0 || b.has(triton.SignedZeros)) {
		return b.fp8Constant(v, t)
	}
	if float(v) == 0 && !(t.IsFloating() && b.has(triton.SignedZeros)) { // minus zero too, as in Triton
		return b.null(t)
	}
	switch {
	case t == Int1:
		return &Tensor{b.constInt(1, ir.I1), t}
	case t.IsInt():
		return &Tensor{b.constInt(constBits(v, t), t.ir), t}
	case t.isStandard():
		ft := t.ir.(*ir.FloatType)
		return &Tensor{b.constant(ir.FloatBits(floatBits(float(v), ft.Format), ft), ft), t}
	}
	panic(bad(CodeType, "a constant of type %s can only be zero",
		t).hint("make it in another type and cast it"))
}

// fp8Constant rounds a constant from fp32 to fp8.
func (b *Builder) fp8Constant(v object.Value, t *DType) *Tensor {
	b.ir(t)
	single := b.constant(ir.FloatBits(floatBits(float(v), num.F32), ir.F32), ir.F32)
	switch {
	case t != Float8E4B15:
		return b.op(arith.TruncF, t, single)
	case b.has(triton.SignedZeros):
		return b.cast(&Tensor{single, Float32}, t, noRounding)
	}
	panic(bad(CodeType, "a constant of type %s can only be zero", t).hint("make it in another type and cast it"))
}

// constBits returns an integer constant's value. Triton takes any 64-bit value and cuts it, but no negative
// one for an unsigned type, and no float.
func constBits(v object.Value, t *DType) int64 {
	i, ok := integer(v)
	if !ok {
		panic(bad(CodeType, "cannot make a constant of type %s from the float %s", t, numberText(v)))
	}
	wide := Int64
	if !t.IsSigned() {
		wide = Uint64
	}
	if !fits(i, wide) {
		panic(bad(CodeValue, "%[2]s cannot hold the constant %[1]s", i, t))
	}
	if i.IsInt64() {
		return i.Int64()
	}
	return int64(i.Uint64())
}

// floatBits returns the bits of a constant, rounded as Triton rounds: to fp32 first for all but fp64, and for
// bf16 by way of its decimal text with six digits after the point.
func floatBits(v float64, f *num.Format) uint64 {
	switch {
	case v != v:
		bits := f.NaN()
		if f.Bits >= 16 && math.Signbit(v) {
			bits |= 1 << (f.Bits - 1)
		}
		return bits
	case f == num.F64:
		return f.Encode(v)
	}
	v = float64(float32(v))
	if f == num.BF16 && !math.IsInf(v, 0) {
		v, _ = strconv.ParseFloat(fmt.Sprintf("%f", v), 64)
	}
	return f.Encode(v)
}

// describe returns a text that names a value in messages.
func describe(v object.Value) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case object.NoneType:
		return "None"
	case object.Int, object.Bool, object.Float:
		return fmt.Sprintf("the %s %s", v.TypeName(), numberText(v))
	case object.Str:
		return fmt.Sprintf("the string %q", string(v))
	case *Tensor:
		return "a device value of type " + TypeText(v.Type)
	case Type:
		return "the type " + TypeText(v)
	}
	return "a " + v.TypeName()
}
