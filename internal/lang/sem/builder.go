package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Builder makes the operations of the language. Its Loc is given to each operation.
type Builder struct {
	*ir.Builder
	Opts Options

	waiting []Hint // about arguments of loops in the making
}

// New returns a builder that works at b's insertion point.
func New(b *ir.Builder, opts Options) *Builder { return &Builder{Builder: b, Opts: opts} }

// Generator is the part of the code generator that operations with a function need.
type Generator interface {
	// CallFunction compiles a call of a jit function at the builder's insertion point.
	CallFunction(fn object.Value, args []object.Value) (object.Value, error)
}

// IRType returns a type in IR, if the target has it.
func (b *Builder) IRType(t Type) (out ir.Type, err error) {
	defer guard(&err)
	return b.ir(t), nil
}

// ir returns the type in IR, if the target has it.
func (b *Builder) ir(t Type) ir.Type {
	switch t := t.(type) {
	case *DType:
		if t.IsFP8() && !slices.Contains(b.Opts.AllowFP8, t.Name) {
			panic(bad(CodeTarget, "the target has no %s; its fp8 types are %s", t, b.Opts.AllowFP8))
		}
	case *PtrType:
		b.ir(t.Elem)
	case *BlockType:
		checkShape(t.Shape)
		b.ir(t.Elem)
	case *DescType:
		b.ir(t.Block)
	}
	return t.IR()
}

// op makes an operation with one result.
func (b *Builder) op(def *ir.OpDef, t Type, operands ...*ir.Value) *Tensor {
	return &Tensor{b.Val(def, b.ir(t), operands...), t}
}

// opA makes an operation with one result and attributes.
func (b *Builder) opA(def *ir.OpDef, t Type, attrs []ir.NamedAttr, operands ...*ir.Value) *Tensor {
	return &Tensor{b.ValA(def, b.ir(t), attrs, operands...), t}
}

// constant makes an arith.constant.
func (b *Builder) constant(a ir.Attr, t ir.Type) *ir.Value {
	return b.ValA(arith.Constant, t, []ir.NamedAttr{ir.A("value", a)})
}

// constInt returns an integer constant, cut to the type's width.
func (b *Builder) constInt(v int64, t ir.Type) *ir.Value { return b.constant(ir.IntAttr(v, t), t) }

// null returns zero of a scalar type.
func (b *Builder) null(t Type) *Tensor {
	switch it := b.ir(t).(type) {
	case *ir.FloatType:
		return &Tensor{b.constant(ir.FloatBits(0, it), it), t}
	case *ir.IntegerType:
		return &Tensor{b.constInt(0, it), t}
	}
	panic(bad(CodeType, "there is no zero of type %s", t))
}

// constantOf returns the attribute of the constant that defines v, or nil.
func constantOf(v *ir.Value) ir.Attr {
	if op := v.DefBy(arith.Constant); op != nil {
		return op.Attr("value")
	}
	return nil
}

// splat repeats a scalar; one that is constant becomes a constant block at once.
func (b *Builder) splat(x *Tensor, shape []int64) *Tensor {
	if IsBlock(x.Type) {
		panic(bad(CodeShape, "a scalar is expected, to fill a block of shape %s with, not a block of type %s",
			plainShape(shape), x.Type))
	}
	if len(shape) == 0 {
		return x
	}
	if IsBlockPtr(x.Type) {
		panic(bad(CodeType, "a block pointer (%s) cannot be an element of a tensor",
			x.Type).hint("tl.advance moves it, tl.load loads the block"))
	}
	t := Block(x.Type, shape...)
	switch a := constantOf(x.V).(type) {
	case *ir.IntegerAttr, *ir.FloatAttr:
		return &Tensor{b.constant(ir.DenseSplat(b.ir(t), a), t.IR()), t}
	}
	return b.op(tt.Splat, t, x.V)
}

// broadcast repeats a block along its dimensions of size one; the shapes are compatible.
func (b *Builder) broadcast(x *Tensor, shape []int64) *Tensor {
	if slices.Equal(ShapeOf(x.Type), shape) {
		return x
	}
	t := Block(Scalar(x.Type), shape...)
	if a, ok := constantOf(x.V).(*ir.DenseAttr); ok && a.Splat {
		return &Tensor{b.constant(ir.Dense(b.ir(t), true, a.Data), t.IR()), t}
	}
	return b.op(tt.Broadcast, t, x.V)
}

// intCast converts between integer types by width alone.
func (b *Builder) intCast(v *ir.Value, t ir.Type, signed bool) *ir.Value {
	from, to := ir.BitWidth(ir.ElemOf(v.Type)), ir.BitWidth(ir.ElemOf(t))
	switch {
	case from == to:
		return b.Val(arith.Bitcast, t, v)
	case from > to:
		return b.Val(arith.TruncI, t, v)
	case signed:
		return b.Val(arith.ExtSI, t, v)
	}
	return b.Val(arith.ExtUI, t, v)
}

// IntCast converts the bounds of a loop to the type of its variable.
func (b *Builder) IntCast(v *ir.Value, to *DType) *ir.Value {
	return b.intCast(v, to.ir, to.IsSigned())
}
