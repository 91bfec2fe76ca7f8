package funcd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Func:         funclike.Verify,
	Return:       func(op *ir.Op) error { return funclike.VerifyReturn(op, Func) },
	CallIndirect: verifyCallIndirect,
})

var _ = Dialect.SymbolUses(map[*ir.OpDef]ir.SymbolUseFunc{
	Call: func(op *ir.Op, lookup func(string) *ir.Op) error {
		return funclike.VerifyCall(op, Func, lookup)
	},
	Constant: verifyConstant,
})

func verifyCallIndirect(op *ir.Op) error {
	t := op.Operand(0).Type.(*ir.FunctionType)
	args := op.Operands()[1:]
	if !slices.EqualFunc(args, t.Ins, func(v *ir.Value, u ir.Type) bool { return v.Type == u }) {
		return errors.New("operand types do not match those of the callee")
	}
	if !slices.Equal(op.ResultTypes(), t.Outs) {
		return errors.New("result types do not match those of the callee")
	}
	return nil
}

func verifyConstant(op *ir.Op, lookup func(string) *ir.Op) error {
	ref, ok := op.Attr("value").(*ir.SymbolRefAttr)
	if !ok {
		return nil
	}
	f := lookup(ref.Root)
	if f == nil || funclike.Type(f) == nil {
		return fmt.Errorf("reference to undefined function '@%s'", ref.Root)
	}
	if op.Result(0).Type != ir.Type(funclike.Type(f)) {
		return errors.New("reference to function with mismatched type")
	}
	return nil
}
