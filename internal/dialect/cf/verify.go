package cf

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Br:     func(op *ir.Op) error { return verifyTarget(op, 0, op.Operands()) },
	CondBr: verifyCondBr,
	Switch: verifySwitch,
})

// verifyTarget checks the values handed to a successor against its arguments.
func verifyTarget(op *ir.Op, i int, args []*ir.Value) error {
	params := op.Successors()[i].Args()
	if len(args) != len(params) {
		return fmt.Errorf("branch has %d operands for successor #%d, but target block has %d", len(args), i,
			len(params))
	}
	for j, a := range args {
		if a.Type != params[j].Type {
			return fmt.Errorf("type mismatch for bb argument #%d of successor #%d", j, i)
		}
	}
	return nil
}

func verifyCondBr(op *ir.Op) error {
	if err := verifyTarget(op, 0, op.Group(1)); err != nil {
		return err
	}
	return verifyTarget(op, 1, op.Group(2))
}

func verifySwitch(op *ir.Op) error {
	n, values := len(op.Successors())-1, 0
	if a := op.Attr("case_values"); a != nil {
		d, ok := a.(*ir.DenseAttr)
		if !ok || ir.ElemOf(d.Type) != op.Operand(0).Type {
			return errors.New("'case_values' is not a list of values of the flag's type")
		}
		values = d.Len()
	}
	segs := op.Attr("case_operand_segments").(*ir.DenseArrayAttr).Values
	if values != n || len(segs) != n {
		return fmt.Errorf("number of case values (%d) should match number of case destinations (%d)",
			values, n)
	}
	sum := int64(0)
	for _, s := range segs {
		sum += max(s, 0)
	}
	if int(sum) != len(op.Group(2)) {
		return errors.New("'case_operand_segments' does not add up to the number of case operands")
	}
	if err := verifyTarget(op, 0, op.Group(1)); err != nil {
		return err
	}
	for i, c := range Cases(op) {
		if err := verifyTarget(op, 1+i, c.Operands); err != nil {
			return err
		}
	}
	return nil
}
