package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// RewriteTensorPointer replaces block pointers, made by tt.make_tensor_ptr and moved by tt.advance, by
// tensors of pointers with masks for the boundaries that a load or store checks.
//
//	%p = tt.make_tensor_ptr %base, [%m], [%s], [%o]        %i = %o, %o + 1, …
//	%x = tt.load %p {boundaryCheck = array<i32: 0>}   =>   %k = 0 <= %i and %i < %m
//	                                                       %x = tt.load (%base + %i * %s), %k
//
// A block pointer becomes its base, shape, strides and offsets wherever it goes: through loops, branches,
// selects, calls.
var RewriteTensorPointer = Pass{
	Name: "triton-rewrite-tensor-pointer",
	Doc:  "replace block pointers by tensors of pointers and masks",
	Run: func(ctx *Context, m *ir.Module) error {
		x := &expander{types: func(v *ir.Value) []ir.Type {
			return tensorPtrParts(v.Type)
		}, handlers: tensorPtrHandlers}
		return x.run(ctx, m)
	},
}

var tensorPtrHandlers = map[*ir.OpDef]func(*expander, *ir.Op) error{
	tt.MakeTensorPtr: splitMakeTensorPtr,
	tt.Advance:       splitAdvance,
	tt.Load:          splitLoad,
	tt.Store:         splitStore,
}

// tensorPtrParts returns a pointer to an element, then i64s: shape, strides, offsets.
func tensorPtrParts(t ir.Type) []ir.Type {
	if !tt.IsTensorPtr(t) {
		return nil
	}
	pointee, space, _ := tt.AsPtr(t)
	block := pointee.(*ir.TensorType)
	return append([]ir.Type{tt.PtrIn(block.Elem, space)}, slices.Repeat([]ir.Type{ir.I64}, 3*block.Rank())...)
}

func splitMakeTensorPtr(x *expander, op *ir.Op) error {
	b := ir.At(op)
	x.replaced(op, slices.Concat(op.Group(0), op.Group(1), op.Group(2), wideAll(b, op.Group(3))))
	return nil
}

func splitAdvance(x *expander, op *ir.Op) error {
	parts, err := x.flat(op.Operands()[:1])
	if err != nil {
		return errAt(op, "%s", err)
	}
	b := ir.At(op)
	steps := op.Group(1)
	first := len(parts) - len(steps)
	for i, s := range wideAll(b, steps) {
		parts[first+i] = b.Val(arith.AddI, ir.I64, parts[first+i], s)
	}
	x.replaced(op, parts)
	return nil
}

// blockAt returns the address of the block that op's pointer operand stands for.
func (x *expander) blockAt(op *ir.Op) (*blockAddr, error) {
	ptr := op.Operand(0)
	parts, err := x.flat([]*ir.Value{ptr})
	if err != nil {
		return nil, errAt(op, "%s", err)
	}
	pointee, _, _ := tt.AsPtr(ptr.Type)
	block := pointee.(*ir.TensorType).Shape
	n := len(block)
	b := ir.At(op)
	offsets := parts[1+2*n:]
	return &blockAddr{
		b: b, base: parts[0], shape: parts[1 : 1+n], strides: parts[1+n : 1+2*n], block: block,
		offset: func(dim int) *ir.Value { return fromStart(b, offsets[dim], block[dim]) },
	}, nil
}

func checkedDims(op *ir.Op) []int64 {
	if a, ok := op.Attr("boundaryCheck").(*ir.DenseArrayAttr); ok {
		return a.Values
	}
	return nil
}

func splitLoad(x *expander, op *ir.Op) error {
	a, err := x.blockAt(op)
	if err != nil {
		return err
	}
	ptr, mask := a.ptr(), a.mask(checkedDims(op))
	t := op.Result(0).Type
	var other *ir.Value
	if padding, ok := op.Int("padding"); ok {
		fill := constfold.Zero(t)
		if padding == tt.PadNaN {
			fill = nanOf(t)
		}
		if fill == nil {
			return errAt(op, "elements of type %s cannot be padded like that", ir.ElemOf(t))
		}
		other = arith.Const(a.b, fill)
	}
	if mask == nil {
		other = nil // nothing is ever left out
	}
	load := a.b.Groups(tt.Load, [][]*ir.Value{{ptr}, {mask}, {other}}, []ir.Type{t},
		keepAttrs(op, "cache", "evict", "isVolatile")...)
	load.Result(0).Name = op.Result(0).Name
	op.Result(0).ReplaceAllUses(load.Result(0))
	x.ops = append(x.ops, op)
	return nil
}

func splitStore(x *expander, op *ir.Op) error {
	a, err := x.blockAt(op)
	if err != nil {
		return err
	}
	ptr, mask := a.ptr(), a.mask(checkedDims(op))
	a.b.Groups(tt.Store, [][]*ir.Value{{ptr}, {op.Operand(1)}, {mask}}, nil,
		keepAttrs(op, "cache", "evict")...)
	x.ops = append(x.ops, op)
	return nil
}

// keepAttrs returns op's attributes of the given names.
func keepAttrs(op *ir.Op, names ...string) []ir.NamedAttr {
	var out []ir.NamedAttr
	for _, a := range op.Attrs() {
		if slices.Contains(names, a.Name) {
			out = append(out, a)
		}
	}
	return out
}
