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
	a, b, c := op.Operand(0).Type.(*ir.TensorType), op.Operand(1).Type.(*ir.TensorType),
		op.Operand(2).Type.(*ir.TensorType)
	if err := verifyMatrices(a.Shape, b.Shape, c.Shape); err != nil {
		return err
	}
	if ir.BitWidth(a.Elem) != ir.BitWidth(b.Elem) {
		return fmt.Errorf("the operands have elements of different widths: '%s' and '%s'", a.Elem, b.Elem)
	}
	switch {
	case a.Encoding == nil && b.Encoding == nil:
		return nil
	case a.Encoding == nil || b.Encoding == nil:
		return fmt.Errorf("one operand has an encoding and the other has none: '%s' and '%s'", a, b)
	case c.Encoding == nil:
		return fmt.Errorf("the operands have encodings, but the sum '%s' has none", c)
	case Layouts.Dot == nil:
		return nil
	}
	return Layouts.Dot(a.Encoding, b.Encoding, c.Encoding)
}

// verifyMatrices checks ...xMxK times ...xKxN is ...xMxN.
func verifyMatrices(a, b, c []int64) error {
	n := len(a)
	if n < 2 || n > 3 || len(b) != n || len(c) != n {
		return fmt.Errorf("matrices or batches of matrices are expected, not shapes %v, %v and %v", a, b, c)
	}
	if !slices.Equal(a[:n-2], b[:n-2]) || !slices.Equal(a[:n-2], c[:n-2]) {
		return fmt.Errorf("the batches of %v, %v and %v differ", a, b, c)
	}
	if a[n-1] != b[n-2] {
		return fmt.Errorf("rows of length %d cannot be multiplied with columns of length %d", a[n-1], b[n-2])
	}
	if c[n-2] != a[n-2] || c[n-1] != b[n-1] {
		return fmt.Errorf("the product of %v and %v has not the shape %v", a, b, c)
	}
	return nil
}

func verifyDotScaled(op *ir.Op) error {
	a, b, c := slices.Clone(shapeOf(op.Operand(0))), slices.Clone(shapeOf(op.Operand(1))),
		shapeOf(op.Operand(2))
	n := len(a)
	if n < 2 || n > 3 || len(b) != n || len(c) != n {
		return fmt.Errorf("matrices or batches of matrices are expected, not shapes %v, %v and %v", a, b, c)
	}
	// two 4-bit floats share a byte, along k or across it
	unpack := func(shape []int64, elem, kPack string, k, other int) {
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
		return fmt.Errorf("dimension %s has %d elements, but the scales '%s' are for another number",
			dim, rows, t)
	}
	if t.Shape[n-1] != k/factor {
		return fmt.Errorf("%d elements with a scale for each %d have %d scales, not %d", k, factor, k/factor,
			t.Shape[n-1])
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
		return fmt.Errorf("there is no axis %d in %d dimensions", axis, len(shapeOf(op.Operand(0))))
	}
	return nil
}

// verifyCombine checks the operands of a reduce or scan against the function in its region, which takes two
// values for each operand and returns one.
func verifyCombine(op *ir.Op, ret *ir.OpDef) error {
	n := op.NumOperands()
	if n == 0 {
		return errors.New("has no operand")
	}
	if op.NumResults() != n {
		return fmt.Errorf("has %d operands and %d results; each operand makes one", n, op.NumResults())
	}
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	if len(body.Args()) != 2*n {
		return fmt.Errorf("the combining function takes two values for each operand, %d in all, not %d", 2*n,
			len(body.Args()))
	}
	term := body.Terminator()
	if term == nil || term.Def != ret {
		return fmt.Errorf("the combining function does not end with '%s'", ret)
	}
	if term.NumOperands() != n {
		return fmt.Errorf("the combining function returns a value for each operand, %d in all, not %d", n,
			term.NumOperands())
	}
	for i := range n {
		elem := ir.ElemOf(op.Operand(i).Type)
		if !slices.Equal(shapeOf(op.Operand(i)), shapeOf(op.Operand(0))) {
			return fmt.Errorf("operands #0 and #%d have different shapes, %v and %v", i,
				shapeOf(op.Operand(0)), shapeOf(op.Operand(i)))
		}
		if ir.ElemOf(op.Result(i).Type) != elem {
			return fmt.Errorf("result #%d has elements of '%s', its operand of '%s'", i,
				ir.ElemOf(op.Result(i).Type), elem)
		}
		for _, v := range []*ir.Value{body.Arg(i), body.Arg(n + i), term.Operand(i)} {
			if v.Type != elem {
				return fmt.Errorf("the combining function has a value of type '%[3]s' where operand "+
					"#%[1]d has elements of '%[2]s'", i, elem, v.Type)
			}
		}
	}
	return nil
}

func verifyMap(op *ir.Op) error {
	pack := int(op.IntOr("pack", 0))
	if op.NumOperands() == 0 {
		return errors.New("has no operand")
	}
	if pack <= 0 || pack&(pack-1) != 0 {
		return fmt.Errorf("pack is a power of two, not %d", pack)
	}
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	if len(body.Args()) != pack*op.NumOperands() {
		return fmt.Errorf("the function takes %d elements of each of %d operands, but has %d arguments", pack,
			op.NumOperands(), len(body.Args()))
	}
	if !sameTypes(body.Args(), interleave(op.Operands(), pack)) {
		return errors.New("the function takes other types than the elements of the operands")
	}
	rets := interleave(op.Results(), pack)
	var err error
	op.Walk(func(o *ir.Op) bool {
		switch {
		case o == op || err != nil:
		case o.Def == MapElementwiseReturn && !sameTypes(o.Operands(), rets):
			err = errors.New("the function returns other types than the elements of the results")
		case o.Def.Has(ir.Writes):
			err = fmt.Errorf("the function writes memory (%s); it may only compute", o.Name())
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
