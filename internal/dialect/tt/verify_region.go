package tt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Dot:                  verifyDot,
	DotScaled:            verifyDotScaled,
	Reduce:               verifyReduce,
	ReduceReturn:         inside(Reduce),
	Scan:                 verifyScan,
	ScanReturn:           inside(Scan),
	MapElementwise:       verifyMap,
	MapElementwiseReturn: inside(MapElementwise),
})

// inside demands a parent of a kind.
func inside(parent *ir.OpDef) ir.VerifyFunc {
	return func(op *ir.Op) error {
		if p := op.Parent(); p == nil || p.Def != parent {
			return fmt.Errorf("expects parent op '%s'", parent)
		}
		return nil
	}
}

func verifyDot(op *ir.Op) error {
	a, b, c := op.Operand(0).Type.(*ir.TensorType), op.Operand(1).Type.(*ir.TensorType), op.Operand(2).Type.(*ir.TensorType)
	if err := verifyMatrices(a.Shape, b.Shape, c.Shape); err != nil {
		return err
	}
	if ir.BitWidth(a.Elem) != ir.BitWidth(b.Elem) {
		return errors.New("element types of operands A and B must have same bit width")
	}
	switch {
	case a.Encoding == nil && b.Encoding == nil:
		return nil
	case a.Encoding == nil || b.Encoding == nil:
		return errors.New("mismatching encoding between A and B operands")
	case c.Encoding == nil:
		return errors.New("miss encoding of C operand")
	case Layouts.Dot == nil:
		return nil
	}
	return Layouts.Dot(a.Encoding, b.Encoding, c.Encoding)
}

// verifyMatrices checks ...xMxK times ...xKxN is ...xMxN.
func verifyMatrices(a, b, c []int64) error {
	n := len(a)
	if n < 2 || n > 3 || len(b) != n || len(c) != n {
		return errors.New("expected operands to be 2d or 3d")
	}
	if !slices.Equal(a[:n-2], b[:n-2]) || !slices.Equal(a[:n-2], c[:n-2]) {
		return errors.New("expected the batch dimensions of all operands to be equal")
	}
	if a[n-1] != b[n-2] {
		return errors.New("expected the last dimension of the first operand to be equal to the second-to-last dimension of the second operand")
	}
	if c[n-2] != a[n-2] || c[n-1] != b[n-1] {
		return errors.New("expected the output shape to be the concatenation of the last dimension of the first operand and the last dimension of the second")
	}
	return nil
}

func verifyDotScaled(op *ir.Op) error {
	a, b, c := slices.Clone(shapeOf(op.Operand(0))), slices.Clone(shapeOf(op.Operand(1))), shapeOf(op.Operand(2))
	n := len(a)
	if n < 2 || n > 3 || len(b) != n || len(c) != n {
		return errors.New("expected operands to be 2d or 3d")
	}
	unpack := func(shape []int64, elem, kPack string, k, other int) { // two 4-bit floats share a byte, along k or across it
		switch {
		case op.IntOr(elem, 0) != ElemE2M1:
		case op.IntOr(kPack, 1) != 0:
			shape[k] *= 2
		default:
			shape[other] *= 2
		}
	}
	unpack(a, "a_elem_type", "lhs_k_pack", n-1, n-2)
	unpack(b, "b_elem_type", "rhs_k_pack", n-2, n-1)
	if err := verifyMatrices(a, b, c); err != nil {
		return err
	}
	if err := verifyScale(op.Slot(3), c[n-2], a[n-1], "M"); err != nil {
		return err
	}
	return verifyScale(op.Slot(4), c[n-1], a[n-1], "N")
}

func verifyScale(scale *ir.Value, rows, k int64, dim string) error {
	if scale == nil {
		return nil
	}
	t := scale.Type.(*ir.TensorType)
	factor := int64(32)
	if t.Elem == ir.F8E4M3FN {
		factor = 16
	}
	n := t.Rank()
	if n < 2 || t.Shape[n-2] != rows {
		return fmt.Errorf("scales %s dimension must match the operand %s dimension", dim, dim)
	}
	if t.Shape[n-1] != k/factor {
		return errors.New("scales K dimension must match the operand K divided by the scale factor")
	}
	return nil
}

func verifyReduce(op *ir.Op) error {
	if err := verifyCombine(op, ReduceReturn); err != nil {
		return err
	}
	for i, v := range op.Operands() {
		want, err := reduceDim(v.Type.(*ir.TensorType), op.IntOr("axis", -1))
		if err := verifyResult(op, i, want, err); err != nil {
			return err
		}
	}
	return nil
}

func verifyScan(op *ir.Op) error {
	if err := verifyCombine(op, ScanReturn); err != nil {
		return err
	}
	if axis := op.IntOr("axis", -1); axis < 0 || int(axis) >= len(shapeOf(op.Operand(0))) {
		return fmt.Errorf("axis %d is out of range", axis)
	}
	return nil
}

// verifyCombine checks the operands of a reduce or scan against the function in its region, which takes two values for
// each operand and returns one.
func verifyCombine(op *ir.Op, ret *ir.OpDef) error {
	n := op.NumOperands()
	if n == 0 {
		return errors.New("must have at least 1 operand")
	}
	if op.NumResults() != n {
		return errors.New("must have the same number of inputs as outputs")
	}
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	if len(body.Args()) != 2*n {
		return fmt.Errorf("nested block must take %d arguments, but given block with %d arguments", 2*n, len(body.Args()))
	}
	term := body.Terminator()
	if term == nil || term.Def != ret {
		return fmt.Errorf("combine operation must be terminated with a %s", ret)
	}
	if term.NumOperands() != n {
		return fmt.Errorf("expected combine operation to return %d values but got %d", n, term.NumOperands())
	}
	for i := range n {
		elem := ir.ElemOf(op.Operand(i).Type)
		if !slices.Equal(shapeOf(op.Operand(i)), shapeOf(op.Operand(0))) {
			return errors.New("requires the same shape for all operands")
		}
		if ir.ElemOf(op.Result(i).Type) != elem {
			return errors.New("operand types and result types must agree")
		}
		for _, v := range []*ir.Value{body.Arg(i), body.Arg(n + i), term.Operand(i)} {
			if v.Type != elem {
				return fmt.Errorf("type mismatch on combine operation. Expected argument %d to have type '%s' but got '%s'", i, elem, v.Type)
			}
		}
	}
	return nil
}

func verifyMap(op *ir.Op) error {
	pack := int(op.IntOr("pack", 0))
	if op.NumOperands() == 0 {
		return errors.New("must have at least 1 operand")
	}
	if pack <= 0 || pack&(pack-1) != 0 {
		return errors.New("Pack must be a power of 2")
	}
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	if len(body.Args()) != pack*op.NumOperands() {
		return errors.New("region has wrong number of arguments")
	}
	if !sameTypes(body.Args(), interleave(op.Operands(), pack)) {
		return errors.New("argument types did not match")
	}
	rets := interleave(op.Results(), pack)
	var err error
	op.Walk(func(o *ir.Op) bool {
		switch {
		case o == op || err != nil:
		case o.Def == MapElementwiseReturn && !sameTypes(o.Operands(), rets):
			err = errors.New("region return does not match map_elementwise result")
		case o.Def.Has(ir.Writes):
			err = errors.New("Stores are not supported inside map_elementwise")
		}
		return err == nil
	})
	return err
}

// interleave is the element type of each value, pack times over.
func interleave(vs []*ir.Value, pack int) []ir.Type {
	var out []ir.Type
	for _, v := range vs {
		out = append(out, slices.Repeat([]ir.Type{ir.ElemOf(v.Type)}, pack)...)
	}
	return out
}

func sameTypes(vs []*ir.Value, want []ir.Type) bool {
	return slices.EqualFunc(vs, want, func(v *ir.Value, t ir.Type) bool { return v.Type == t })
}
