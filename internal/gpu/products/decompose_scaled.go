package products

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// DecomposeScaled decomposes a product in microscaled formats: both operands are converted to 16 bits, each
// group of 32 elements along k is multiplied by its scale, and a plain product follows. With turn, a product
// whose right operand alone has scales is computed as that of the transposed operands: the left one may lie
// in registers, so what is converted and scaled does not have to go through shared memory.
func DecomposeScaled(op *ir.Op, turn bool) {
	if !boolAttr(op, "lhs_k_pack", true) || !boolAttr(op, "rhs_k_pack", true) {
		return
	}
	s := scaledDot{op: op, b: ir.At(op), elem: ir.BF16}
	for _, name := range []string{"a_elem_type", "b_elem_type"} {
		if op.IntOr(name, 0) == tt.ElemFP16 {
			s.elem = ir.F16
		}
	}
	s.turned = turn && op.Slot(3) == nil && op.Slot(4) != nil
	acc := s.turn(op.Slot(2))
	var args [2]*ir.Value
	for i := range 2 {
		args[i] = ttgir.Convert(s.b, s.operand(i), layouts.DotOperand(i, ttgir.EncodingOf(acc), 0))
	}
	made := s.turn(s.b.Val(tt.Dot, acc.Type, args[0], args[1], acc))
	op.ReplaceWith(ttgir.Convert(s.b, made, ttgir.EncodingOf(op.Result(0))))
}

// turn transposes a matrix if the product is computed transposed.
func (s scaledDot) turn(v *ir.Value) *ir.Value {
	if !s.turned {
		return v
	}
	return s.trans(v, swappedLast(ttgir.TensorOf(v).Rank()))
}

func boolAttr(op *ir.Op, name string, def bool) bool {
	if a, ok := op.Attr(name).(*ir.IntegerAttr); ok {
		return a.Value != 0
	}
	return def
}

type scaledDot struct {
	op   *ir.Op
	b    *ir.Builder
	elem ir.Type // type of the product's operands: f16 or bf16

	turned bool // the product is computed transposed: its left operand is the right one of op
}

// operand returns operand i of the plain product, converted and scaled.
func (s scaledDot) operand(i int) *ir.Value {
	from := i
	if s.turned {
		from = 1 - i
	}
	v, scale := s.turn(s.op.Slot(from)), s.op.Slot(3+from)
	rank := ttgir.TensorOf(v).Rank()
	k := rank - 1 - i
	v = s.widened(v, []string{"a_elem_type", "b_elem_type"}[from], k)
	if scale == nil {
		return v
	}
	if i == 1 { // scales come in the orientation of the left operand
		scale = s.trans(scale, swappedLast(rank))
	}
	t := ttgir.TensorOf(v)
	factor := ttgir.Convert(s.b, s.spread(s.scaleValue(scale), k), t.Encoding)
	scaled := s.b.Val(arith.MulF, t, v, factor)
	if boolAttr(s.op, "fastMath", false) {
		return scaled
	}
	return s.withNaNs(scaled, scale, k)
}

// widened returns v in the type of the product.
func (s scaledDot) widened(v *ir.Value, format string, k int) *ir.Value {
	t := ttgir.TensorOf(v)
	kind := s.op.IntOr(format, 0)
	if kind != tt.ElemE2M1 {
		if t.Elem == s.elem {
			return v
		}
		if f := storedAs[kind]; f != nil && !ir.IsFloat(t.Elem) { // fp8 stored as bytes
			v = s.b.Val(tt.Bitcast, t.With(f), v)
		}
		return s.b.Val(tt.FpToFp, t.With(s.elem), v)
	}
	shape := append([]int64(nil), t.Shape...)
	shape[k] *= 2
	to := ir.Tensor(shape, s.elem, ttglayout.Unpack(t.Encoding, t.Shape, k))
	return s.b.ValA(ttg.Fp4ToFp, to, []ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(k)))}, v)
}

// storedAs holds the types of the one-byte formats.
var storedAs = map[int64]ir.Type{tt.ElemE4M3: ir.F8E4M3FN, tt.ElemE5M2: ir.F8E5M2}

func swappedLast(rank int) []int64 {
	order := make([]int64, rank)
	for i := range order {
		order[i] = int64(i)
	}
	order[rank-1], order[rank-2] = order[rank-2], order[rank-1]
	return order
}

func (s scaledDot) trans(v *ir.Value, order []int64) *ir.Value {
	t := ttgir.TensorOf(v)
	shape := make([]int64, len(order))
	for i, d := range order {
		shape[i] = t.Shape[d]
	}
	to := ir.Tensor(shape, t.Elem, ttglayout.Trans(t.Encoding, t.Shape, order))
	return s.b.ValA(tt.Trans, to, []ir.NamedAttr{ir.A("order", ir.DenseArray(ir.I32, order...))}, v)
}

// scaleValue returns the number that a scale stands for. A scale is the exponent of a power of two, so its
// bits become the exponent of a float.
func (s scaledDot) scaleValue(scale *ir.Value) *ir.Value {
	t := ttgir.TensorOf(scale)
	wide, mantissa := s.elem, int64(7)
	bits := ir.Type(ir.I16)
	if s.elem == ir.F16 { // f16 has too few exponent bits: go through f32
		wide, mantissa, bits = ir.F32, 23, ir.I32
	}
	n := s.b.Val(arith.ExtUI, t.With(bits), scale)
	shift := s.b.ValA(arith.Constant, t.With(bits),
		[]ir.NamedAttr{ir.A("value", ir.DenseSplat(t.With(bits), ir.IntAttr(mantissa, bits)))})
	v := s.b.Val(tt.Bitcast, t.With(wide), s.b.Val(arith.ShLI, t.With(bits), n, shift))
	if wide != s.elem {
		v = s.b.Val(arith.TruncF, t.With(s.elem), v)
	}
	return v
}

// spread repeats each scale for its 32 elements along k.
func (s scaledDot) spread(v *ir.Value, k int) *ir.Value {
	t := ttgir.TensorOf(v)
	rank := t.Rank()
	grown := append(append([]int64(nil), t.Shape...), 1)
	enc := ttgir.ThreadsOf(s.op).DefaultEncoding(grown)
	v = ttgir.Convert(s.b, v, ttg.Slice{Dim: int64(rank), Parent: enc}.Attr())
	v = s.b.ValA(tt.ExpandDims, ir.Tensor(grown, t.Elem, enc),
		[]ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(rank)))}, v)
	grown[rank] = 32
	v = s.b.Val(tt.Broadcast, ir.Tensor(grown, t.Elem, enc), v)
	var order []int64 // the new dimension goes right behind k
	for d := range rank {
		order = append(order, int64(d))
		if d == k {
			order = append(order, int64(rank))
		}
	}
	v = s.trans(v, order)
	from := ttgir.TensorOf(v)
	shape := append([]int64(nil), t.Shape...)
	shape[k] *= 32
	return s.b.Val(tt.Reshape, ir.Tensor(shape, t.Elem, ttglayout.Reshape(from.Encoding, from.Shape, shape)),
		v)
}

// withNaNs makes elements NaN whose scale is 0xff, which stands for NaN.
func (s scaledDot) withNaNs(v, scale *ir.Value, k int) *ir.Value {
	st, t := ttgir.TensorOf(scale), ttgir.TensorOf(v)
	ones := s.b.ValA(arith.Constant, st,
		[]ir.NamedAttr{ir.A("value", ir.DenseSplat(st, ir.IntAttr(0xff, st.Elem)))})
	is := s.b.ValA(arith.CmpI, st.With(ir.I1), []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.EQ))},
		scale, ones)
	where := ttgir.Convert(s.b, s.spread(is, k), t.Encoding)
	return s.b.Val(arith.Select, t, where, splatConst(s.b, t, math.NaN()), v)
}
