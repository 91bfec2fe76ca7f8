package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// programOps concern the program as a whole: its place in the grid, and debugging aids.
var programOps = table{
	tt.GetNumPrograms: func(c *converter, op *ir.Op) { c.vals[op.Result(0)] = c.grid[op.IntOr("axis", 0)] },
	tt.GetProgramID:   func(c *converter, op *ir.Op) { c.vals[op.Result(0)] = c.grid[3+op.IntOr("axis", 0)] },
	tt.Assert:         convertAssert,
	tt.Print:          convertPrint,

	llvmd.Assume: func(c *converter, op *ir.Op) {}, // a hint
	gpud.Barrier: func(c *converter, op *ir.Op) {}, // a program is one thread here
}

// convertAssert asserts each element.
func convertAssert(c *converter, op *ir.Op) {
	msg := ir.A("msg", ir.Str(op.Text("message")))
	k := op.Operand(0)
	t, tensor := k.Type.(*ir.TensorType)
	if !tensor {
		c.b.Op(cf.Assert, []*ir.Value{c.val(k)}, nil, msg)
		return
	}
	v := c.val(k)
	c.nest(t.Shape, -1, func(at []*ir.Value) {
		c.b.Op(cf.Assert, []*ir.Value{c.extract(v, at)}, nil, msg)
	})
}
