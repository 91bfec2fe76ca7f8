package pass

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// CheckGather asserts that the indices of gathers lie in their source. Indices that do not become 0: code
// that goes on after a failed assertion, as that of GPUs, must not read elsewhere.
//
//	%g = tt.gather %src[%i]      =>      %ok = arith.cmpi ult, %i, %size
//	                                     tt.assert %ok, "an index is out of bounds …"
//	                                     %j = arith.select %ok, %i, %zero
//	                                     %g = tt.gather %src[%j]
var CheckGather = Pass{
	Name: "nereid-check-gather",
	Doc:  "assert that the indices of gathers are in bounds",
	Run: func(_ *Context, m *ir.Module) error {
		for op := range m.Op.Ops() {
			if op.Def == tt.Gather {
				checkGather(op)
			}
		}
		return nil
	},
}

// checkGather checks the indices of one gather. Unsigned comparison finds negative indices, too; indices of
// fewer than 32 bits have no sign.
func checkGather(op *ir.Op) {
	index, axis := op.Operand(1), op.IntOr("axis", 0)
	size := ir.ShapeOf(op.Operand(0).Type)[axis]
	if n := ir.BitWidth(ir.ElemOf(index.Type)); n < 63 && size >= 1<<n {
		return // all fit
	}
	b := ir.At(op)
	b.Loc = op.Loc
	ok := cmpi(b, arith.ULT, index, arith.ConstInt(b, size, index.Type))
	msg := fmt.Sprintf("an index is out of bounds for axis %d of size %d", axis, size)
	b.Op(tt.Assert, []*ir.Value{ok}, nil, ir.A("message", ir.Str(msg)))
	op.SetOperand(1, b.Val(arith.Select, index.Type, ok, index, arith.ConstInt(b, 0, index.Type)))
}

// Checks returns the passes that code of checked launches needs (Options.Check).
func Checks() []Pass { return []Pass{CheckIndexOverflow, CheckGather} }
