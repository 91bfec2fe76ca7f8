package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

func programID(c *Call) object.Value   { return c.gridOp(tt.GetProgramID) }
func numPrograms(c *Call) object.Value { return c.gridOp(tt.GetNumPrograms) }

func (c *Call) gridOp(def *ir.OpDef) *Tensor {
	axis := c.int("axis")
	if axis < 0 || axis > 2 {
		panic(bad(CodeValue, "a grid has axes 0, 1 and 2, but %s is asked for axis %d", c.Fn.Name, axis))
	}
	return c.B.opA(def, Int32, []ir.NamedAttr{ir.A("axis", ir.I32Attr(axis))})
}

func arange(c *Call) object.Value {
	start, end := c.constBound("start"), c.constBound("end")
	return c.B.arange(start, end)
}

func (c *Call) constBound(name string) int64 {
	n, ok := smallInt(c.Named(name))
	if !ok {
		panic(bad(CodeConst, "the bounds of tl.arange must be known at compile time, but %s is %s", name,
			describe(c.Named(name))).at(name))
	}
	return n
}

func (b *Builder) arange(start, end int64) *Tensor {
	switch n := end - start; {
	case start>>32 != 0 || end>>32 != 0:
		panic(bad(CodeValue, "tl.arange makes int32, which cannot hold its bounds %d and %d", start, end))
	case n <= 0:
		panic(bad(CodeValue, "tl.arange must end after its start: got %d to %d", start, end))
	case n&(n-1) != 0:
		panic(bad(CodeShape, "tl.arange takes a length that is a power of 2, not %d",
			n).hint("take %d and mask what lies beyond the end", nextPowerOf2(n)))
	default:
		checkShape([]int64{n})
		attrs := []ir.NamedAttr{ir.A("start", ir.I32Attr(start)), ir.A("end", ir.I32Attr(end))}
		return b.opA(tt.MakeRange, Block(Int32, n), attrs)
	}
}

func nextPowerOf2(n int64) int64 {
	p := int64(1)
	for p < n {
		p *= 2
	}
	return p
}

func full(c *Call) object.Value {
	shape := c.shape("shape", c.shapeList("shape"))
	return c.B.splat(c.B.makeScalar(c.Named("value"), c.dtype("dtype")), shape)
}

// shapeList returns a shape given as a tuple or list.
func (c *Call) shapeList(name string) []object.Value {
	vs, ok := items(c.Named(name))
	if !ok {
		panic(c.wrong(name, "a tuple of compile-time integers"))
	}
	return vs
}

// makeScalar returns a scalar of a type, made of a number or of a value with one element.
func (b *Builder) makeScalar(v object.Value, to Type) *Tensor {
	if x, ok := v.(*Tensor); ok {
		if bt, block := x.Type.(*BlockType); block && bt.Numel() != 1 {
			panic(bad(CodeShape, "only a scalar or a tensor with one element can fill a tensor, not %s",
				x.Type))
		}
		return b.cast(x, Scalar(to), noRounding)
	}
	t, ok := to.(*DType)
	if !isNumber(v) || !ok || t == VoidType {
		panic(bad(CodeType, "cannot make a value of type %s from %s", to, describe(v)))
	}
	return b.scalar(v, t)
}
