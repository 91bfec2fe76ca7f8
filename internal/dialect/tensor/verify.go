package tensor

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Empty:        func(op *ir.Op) error { return dynamicSizes(op.Result(0).Type, op.NumOperands()) },
	Splat:        func(op *ir.Op) error { return dynamicSizes(op.Result(0).Type, op.NumOperands()-1) },
	Generate:     verifyGenerate,
	FromElements: verifyFromElements,
	Bitcast:      verifyBitcast,
	Extract:      func(op *ir.Op) error { return indexCount(op.Operand(0).Type, op.NumOperands()-1) },
	Insert:       func(op *ir.Op) error { return indexCount(op.Operand(1).Type, op.NumOperands()-2) },
	ExtractSlice: func(op *ir.Op) error {
		return verifySlice(op, op.Operand(0).Type, op.Result(0).Type, 1)
	},
	InsertSlice: func(op *ir.Op) error {
		return verifySlice(op, op.Operand(1).Type, op.Operand(0).Type, 2)
	},
	ParallelInsertSlice: func(op *ir.Op) error {
		return verifySlice(op, op.Operand(1).Type, op.Operand(0).Type, 2)
	},
	ExpandShape: verifyExpand,
	CollapseShape: func(op *ir.Op) error {
		return Reassociation(op, len(ir.ShapeOf(op.Operand(0).Type)), len(ir.ShapeOf(op.Result(0).Type)))
	},
	Pad:    verifyPad,
	Concat: verifyConcat,
})

// A dimension may be asked for anywhere when it is known to exist.
var _ = Dialect.Speculation(map[*ir.OpDef]ir.SpeculateFunc{
	Dim: func(op *ir.Op) bool {
		c := op.Operand(1).Def()
		if c == nil || !c.Def.Has(ir.ConstantLike) {
			return false
		}
		i, ok := c.Int("value")
		t := op.Operand(0).Type.(*ir.TensorType)
		return ok && !t.Unranked && i >= 0 && int(i) < t.Rank()
	},
})

func dynamicSizes(t ir.Type, got int) error {
	n := 0
	for _, d := range ir.ShapeOf(t) {
		if d == ir.Dynamic {
			n++
		}
	}
	if n != got {
		return fmt.Errorf("incorrect number of dynamic sizes, has %d, expected %d", got, n)
	}
	return nil
}

func indexCount(t ir.Type, got int) error {
	if n := len(ir.ShapeOf(t)); n != got {
		return fmt.Errorf("incorrect number of indices, has %d, expected %d", got, n)
	}
	return nil
}

func verifyFromElements(op *ir.Op) error {
	t := op.Result(0).Type.(*ir.TensorType)
	if err := dynamicSizes(t, 0); err != nil {
		return errors.New("the shape of the result must be static")
	}
	if int64(op.NumOperands()) != t.NumElements() {
		return fmt.Errorf("has %d elements for '%s'", op.NumOperands(), t)
	}
	for _, v := range op.Operands() {
		if v.Type != t.Elem {
			return fmt.Errorf("an element is '%s', expected '%s'", v.Type, t.Elem)
		}
	}
	return nil
}

func verifyBitcast(op *ir.Op) error {
	a, b := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	if ir.BitWidth(a) == 0 || ir.BitWidth(a) != ir.BitWidth(b) {
		return fmt.Errorf("'%s' and '%s' differ in width", a, b)
	}
	return nil
}

// verifySlice checks the offsets, sizes and strides, in slots from first on, of a part of a tensor.
func verifySlice(op *ir.Op, whole, part ir.Type, first int) error {
	n := len(ir.ShapeOf(whole))
	for i, name := range []string{"static_offsets", "static_sizes", "static_strides"} {
		if err := indexlist.Check(op, first+i, name, n); err != nil {
			return err
		}
	}
	if len(ir.ShapeOf(part)) > n {
		return errors.New("the slice has more dimensions than the tensor")
	}
	if ir.ElemOf(whole) != ir.ElemOf(part) {
		return errors.New("the slice has another element type than the tensor")
	}
	return nil
}

// Reassociation checks that an op's groups of dimensions count through from, one group for each of to.
func Reassociation(op *ir.Op, from, to int) error {
	groups := Groups(op)
	next := 0
	for _, g := range groups {
		for _, d := range g {
			if d != next {
				return errors.New("the groups of dimensions are not contiguous")
			}
			next++
		}
	}
	if to == 0 && len(groups) == 0 {
		return nil // a tensor of one element: no group needs to say so
	}
	if next != from || len(groups) != to {
		return fmt.Errorf("the groups cover %d dimensions in %d groups, expected %d in %d", next,
			len(groups), from, to)
	}
	return nil
}

// Groups are the groups of dimensions that an expand_shape or collapse_shape takes apart or joins.
func Groups(op *ir.Op) [][]int {
	list, _ := op.Attr("reassociation").(*ir.ArrayAttr)
	if list == nil {
		return nil
	}
	var out [][]int
	for _, e := range list.Elems {
		var group []int
		if dims, ok := e.(*ir.ArrayAttr); ok {
			for _, d := range dims.Elems {
				if i, ok := d.(*ir.IntegerAttr); ok {
					group = append(group, int(i.Value))
				}
			}
		}
		out = append(out, group)
	}
	return out
}

func verifyExpand(op *ir.Op) error {
	from, to := len(ir.ShapeOf(op.Operand(0).Type)), len(ir.ShapeOf(op.Result(0).Type))
	if err := indexlist.Check(op, 1, "static_output_shape", to); err != nil {
		return err
	}
	return Reassociation(op, to, from)
}

// elementBody checks a region that computes an element of type elem from n indices.
func elementBody(op *ir.Op, n int, elem ir.Type) error {
	body := op.Body(0)
	if body == nil || len(body.Args()) != n {
		return fmt.Errorf("expects a region with %d arguments", n)
	}
	for _, a := range body.Args() {
		if a.Type != ir.Index {
			return errors.New("expects a region whose arguments are all of type index")
		}
	}
	y := body.Terminator()
	if y == nil || y.Def != Yield || y.Operand(0).Type != elem {
		return fmt.Errorf("expects a region that yields '%s'", elem)
	}
	return nil
}

func verifyGenerate(op *ir.Op) error {
	t := op.Result(0).Type.(*ir.TensorType)
	if err := dynamicSizes(t, op.NumOperands()); err != nil {
		return err
	}
	return elementBody(op, t.Rank(), t.Elem)
}

func verifyPad(op *ir.Op) error {
	t := op.Operand(0).Type.(*ir.TensorType)
	for i, name := range []string{"static_low", "static_high"} {
		if err := indexlist.Check(op, 1+i, name, t.Rank()); err != nil {
			return err
		}
	}
	if r := op.Result(0).Type.(*ir.TensorType); r.Rank() != t.Rank() || r.Elem != t.Elem {
		return errors.New("the result differs from the source in rank or element type")
	}
	return elementBody(op, t.Rank(), t.Elem)
}

func verifyConcat(op *ir.Op) error {
	if op.NumOperands() == 0 {
		return errors.New("requires at least one input")
	}
	t := op.Result(0).Type.(*ir.TensorType)
	if d := op.IntOr("dim", -1); d < 0 || int(d) >= t.Rank() {
		return fmt.Errorf("dimension %d is out of range", d)
	}
	for _, v := range op.Operands() {
		if in := v.Type.(*ir.TensorType); in.Rank() != t.Rank() || in.Elem != t.Elem {
			return errors.New("an input differs from the result in rank or element type")
		}
	}
	return nil
}
