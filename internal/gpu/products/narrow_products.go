package products

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// NarrowProducts multiplies numbers of 16 bits as they are, instead of in f32 with the precision of tf32.
// tf32 has every f16 and every bf16, so both multiply the same numbers and add in f32; but the narrow
// operands take half the registers, shared memory and time, and no conversion.
//
//	%a = arith.extf %x : f16 to f32
//	%b = arith.extf %y : f16 to f32
//	%d = tt.dot %a, %b, %c, inputPrecision = tf32   =>   %d = tt.dot %x, %y, %c
//
// With ieee, sums are rounded as those of f32 are, which tensor cores do not do. A product of f16 adds at
// least 16 numbers.
var NarrowProducts = pass.Pass{
	Name: "nereid-gpu-narrow-products",
	Doc:  "multiply numbers that were 16 bits wide as such, if tf32 suffices",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, tt.Dot) {
			switch op.IntOr("inputPrecision", tt.PrecisionIEEE) {
			case tt.PrecisionTF32, tt.PrecisionTF32x3:
				ctx.At(op)
				narrow(op)
			}
		}
		return nil
	},
}

// narrow takes the operands of a product before they were widened, if both had the same type.
func narrow(op *ir.Op) {
	elem, shape := narrowElem(op.Operand(0)), ttgir.TensorOf(op.Operand(0)).Shape
	if elem == nil || narrowElem(op.Operand(1)) != elem || shape[len(shape)-1] < 16 {
		return
	}
	b := ir.At(op)
	for i := range 2 {
		op.SetOperand(i, unwidened(b, op.Operand(i)))
	}
	op.SetAttr("inputPrecision", ir.I32Attr(tt.PrecisionIEEE))
}

// narrowElem returns f16 or bf16 if the elements of v were widened from that type to f32, otherwise nil.
func narrowElem(v *ir.Value) ir.Type {
	for v.DefBy(tt.Trans) != nil {
		v = v.Def().Operand(0)
	}
	ext := v.DefBy(arith.ExtF)
	if ext == nil || ir.ElemOf(v.Type) != ir.F32 {
		return nil
	}
	switch elem := ir.ElemOf(ext.Operand(0).Type); elem {
	case ir.F16, ir.BF16:
		return elem
	}
	return nil
}

// unwidened returns the tensor from which v was widened, transposed as v is. v has a narrowElem.
func unwidened(b *ir.Builder, v *ir.Value) *ir.Value {
	trans := v.DefBy(tt.Trans)
	if trans == nil {
		return v.Def().Operand(0)
	}
	src := unwidened(b, trans.Operand(0))
	t := ttgir.TensorOf(v)
	return b.ValA(tt.Trans, t.With(ir.ElemOf(src.Type)),
		[]ir.NamedAttr{ir.A("order", trans.Attr("order"))}, src)
}
