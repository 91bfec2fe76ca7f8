package products

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// F32DotTC computes products of f32 on tensor cores with nearly the precision of f32: each operand is split
// into a sum of narrower numbers, and the products of the larger parts are added up, the smallest first. It
// applies where the source asks for tf32x3 (if tf32, that is, the target has it), bf16x3 or bf16x6.
//
//	%d = tt.dot %a, %b, %c, inputPrecision = tf32x3   =>   small·big + big·small, then big·big, then %c
func F32DotTC(tf32 bool) pass.Pass {
	return pass.Pass{
		Name: "tritongpu-F32DotTC",
		Doc:  "split products of f32 into several on tensor cores",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			for _, op := range ttgir.OpsOf(m.Op, tt.Dot) {
				if ir.ElemOf(op.Operand(0).Type) != ir.F32 || ir.ElemOf(op.Operand(1).Type) != ir.F32 {
					continue
				}
				ctx.At(op)
				switch op.IntOr("inputPrecision", tt.PrecisionIEEE) {
				case tt.PrecisionTF32x3:
					if tf32 {
						splitTF32(op)
					}
				case tt.PrecisionBF16x3:
					splitBF16(op, 2)
				case tt.PrecisionBF16x6:
					splitBF16(op, 3)
				}
			}
			return nil
		},
	}
}

// product emits acc + x·y in the given precision.
func product(b *ir.Builder, op *ir.Op, x, y, acc *ir.Value, precision int64) *ir.Value {
	return b.ValA(tt.Dot, acc.Type, []ir.NamedAttr{
		ir.A("inputPrecision", ir.I32Attr(precision)),
		ir.A("maxNumImpreciseAcc", ir.I32Attr(op.IntOr("maxNumImpreciseAcc", 0))),
	}, x, y, acc)
}

func splatConst(b *ir.Builder, t *ir.TensorType, v float64) *ir.Value {
	elem := ir.FloatOf(v, t.Elem.(*ir.FloatType))
	return b.ValA(arith.Constant, t, []ir.NamedAttr{ir.A("value", ir.DenseSplat(t, elem))})
}

// withoutNaNs replaces NaNs by zero. If an operand is infinite, its small part is zero or NaN and the
// products of the small part are NaN, but the product of the large parts is right.
func withoutNaNs(b *ir.Builder, v *ir.Value) *ir.Value {
	t := ttgir.TensorOf(v)
	nan := b.ValA(arith.CmpF, t.With(ir.I1), []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.FUNO))}, v, v)
	return b.Val(arith.Select, t, nan, splatConst(b, t, 0), v)
}

func splitTF32(op *ir.Op) {
	b := ir.At(op)
	big, small := [2]*ir.Value{}, [2]*ir.Value{}
	for i := range 2 {
		v := op.Operand(i)
		big[i] = b.ValA(tt.InlineAsm, v.Type, []ir.NamedAttr{
			ir.A("asm_string", ir.Str("cvt.rna.tf32.f32 $0, $1;")), ir.A("constraints", ir.Str("=r,r")),
			ir.A("packed_element", ir.I32Attr(1)), ir.A("pure", ir.BoolAttr(true)),
		}, v)
		small[i] = b.Val(arith.SubF, v.Type, v, big[i])
	}
	c := op.Operand(2)
	acc := product(b, op, small[0], big[1], splatConst(b, ttgir.TensorOf(c), 0), tt.PrecisionTF32)
	acc = product(b, op, big[0], small[1], acc, tt.PrecisionTF32)
	acc = product(b, op, big[0], big[1], withoutNaNs(b, acc), tt.PrecisionTF32)
	op.ReplaceWith(b.Val(arith.AddF, c.Type, acc, c))
}

// splitBF16 splits each operand into n parts, of which part 0 is the largest.
func splitBF16(op *ir.Op, n int) {
	b := ir.At(op)
	var parts [2][]*ir.Value
	for i := range 2 {
		rest := op.Operand(i)
		t := ttgir.TensorOf(rest)
		for k := range n {
			part := b.Val(arith.TruncF, t.With(ir.BF16), rest)
			parts[i] = append(parts[i], part)
			if k < n-1 {
				rest = b.Val(arith.SubF, t, rest, b.Val(arith.ExtF, t, part))
			}
		}
	}
	c := op.Operand(2)
	acc := splatConst(b, ttgir.TensorOf(c), 0)
	add := func(i, j int) { acc = product(b, op, parts[0][i], parts[1][j], acc, tt.PrecisionIEEE) }
	if n > 2 {
		add(1, 1)
		add(2, 0)
		add(0, 2)
	}
	add(1, 0)
	add(0, 1)
	acc = withoutNaNs(b, acc)
	add(0, 0)
	op.ReplaceWith(b.Val(arith.AddF, c.Type, acc, c))
}
