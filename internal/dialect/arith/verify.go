package arith

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Constant:      verifyConstant,
	ExtSI:         wider,
	ExtUI:         wider,
	ExtF:          wider,
	TruncI:        narrower,
	TruncF:        narrower,
	ScalingExtF:   wider,
	ScalingTruncF: narrower,
	IndexCast:     verifyIndexCast,
	IndexCastUI:   verifyIndexCast,
	Bitcast:       verifyBitcast,
	Select:        verifySelect,
})

var _ = Dialect.Inference(map[*ir.OpDef]ir.InferFunc{
	Constant: inferConstant,
})

// A division may be moved where its divisor is known to be harmless.
var _ = Dialect.Speculation(map[*ir.OpDef]ir.SpeculateFunc{
	DivSI:     safeSigned,
	CeilDivSI: safeSigned,
	DivUI:     safeUnsigned,
	CeilDivUI: safeUnsigned,
})

func safeSigned(op *ir.Op) bool   { d, ok := IntOf(op.Operand(1)); return ok && d != 0 && d != -1 }
func safeUnsigned(op *ir.Op) bool { d, ok := IntOf(op.Operand(1)); return ok && d != 0 }

func inferConstant(s *ir.State) ([]ir.Type, error) {
	if t := ValueType(s.Attr("value")); t != nil {
		return []ir.Type{t}, nil
	}
	return nil, fmt.Errorf("requires attribute 'value'")
}

func verifyConstant(op *ir.Op) error {
	if t := ValueType(op.Attr("value")); t != op.Result(0).Type {
		return fmt.Errorf("the value's type '%s' is not the result's type '%s'", t, op.Result(0).Type)
	}
	return nil
}

func ends(op *ir.Op) (from, to ir.Type) { return op.Operand(0).Type, op.Result(0).Type }

func incompatible(op *ir.Op, why string) error {
	from, to := ends(op)
	return fmt.Errorf("operand type '%s' and result type '%s' are cast incompatible: %s", from, to, why)
}

func wider(op *ir.Op) error {
	if from, to := ends(op); ir.BitWidth(ir.ElemOf(from)) >= ir.BitWidth(ir.ElemOf(to)) {
		return incompatible(op, "the result is not wider")
	}
	return nil
}

func narrower(op *ir.Op) error {
	if from, to := ends(op); ir.BitWidth(ir.ElemOf(from)) <= ir.BitWidth(ir.ElemOf(to)) {
		return incompatible(op, "the result is not narrower")
	}
	return nil
}

func verifyIndexCast(op *ir.Op) error {
	from, to := ends(op)
	if (ir.ElemOf(from) == ir.Index) == (ir.ElemOf(to) == ir.Index) {
		return incompatible(op, "one is index, the other an integer")
	}
	return nil
}

func verifyBitcast(op *ir.Op) error {
	from, to := ends(op)
	f, t := ir.ElemOf(from), ir.ElemOf(to)
	if f == ir.Index || t == ir.Index || ir.BitWidth(f) != ir.BitWidth(t) {
		return incompatible(op, "their widths differ")
	}
	return nil
}

func verifySelect(op *ir.Op) error {
	cond := op.Operand(0).Type
	if cond == ir.I1 {
		return nil
	}
	if t := op.Result(0).Type; ir.ElemOf(t) == t || !slices.Equal(ir.ShapeOf(cond), ir.ShapeOf(t)) {
		return fmt.Errorf("a condition for '%s' has type '%s', not '%s'", t, BoolOf(t), cond)
	}
	return nil
}
