package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// dotOps are products of matrices.
var dotOps = table{
	tt.Dot:       convertDot,
	tt.DotScaled: convertDotScaled,
}

// convertDot makes a linalg.matmul, or batch_matmul, which widens its inputs to the type it sums in. Sums are
// in f32 at least, so an accumulator in a smaller format is widened, and the result rounded once.
func convertDot(c *converter, op *ir.Op) {
	a, b, acc := c.val(op.Operand(0)), c.val(op.Operand(1)), c.val(op.Operand(2))
	c.setVal(op.Result(0), c.matmul(a, b, acc))
}

func (c *converter) matmul(a, b, acc *ir.Value) *ir.Value {
	t := acc.Type.(*ir.TensorType)
	small := ir.IsFloat(t.Elem) && ir.BitWidth(t.Elem) < 32
	if small {
		acc = c.cast(arith.ExtF, acc, ir.F32)
	}
	def := linalg.Matmul
	if t.Rank() == 3 {
		def = linalg.BatchMatmul
	}
	out := c.named(def, []*ir.Value{a, b}, acc)
	if small {
		out = c.cast(arith.TruncF, out, t.Elem)
	}
	return out
}

// cast converts all elements of a tensor.
func (c *converter) cast(def *ir.OpDef, v *ir.Value, to ir.Type) *ir.Value {
	t := v.Type.(*ir.TensorType)
	return c.generic([]operand{{v, ir.IdentityMap(t.Rank())}}, t.With(to), func(args []*ir.Value) *ir.Value {
		return c.b.Val(def, to, args[0])
	})
}
