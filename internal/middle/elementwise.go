package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// elementwiseOps are the operations on elements that are not simply done on each.
var elementwiseOps = table{
	arith.Constant: convertConstant,
	ub.Poison:      convertPoison,
	tensor.Empty:   convertEmpty,
	tt.AddPtr:      convertAddPtr,
	tt.IntToPtr:    convertIntToPtr,
	tt.PtrToInt:    convertPtrToInt,
	tt.Bitcast:     convertBitcast,
	arith.Select:   convertSelect,
}

// elementwise does an operation on each element: a loop nest for tensors. Operands whose elements are all
// equal stay scalars, and those that count are counted inside.
func (c *converter) elementwise(op *ir.Op) {
	c.mapped(op, op.Operands(), func(args []*ir.Value) []*ir.Value {
		vs, err := c.payload(op, args)
		if err != nil {
			c.fail(err)
			return c.zeros(op.ResultTypes())
		}
		return vs
	})
}

// mapped computes the results of op element by element from those of some operands.
func (c *converter) mapped(op *ir.Op, operands []*ir.Value, f func(args []*ir.Value) []*ir.Value) {
	if _, tensor := op.Result(0).Type.(*ir.TensorType); !tensor {
		c.results(op, f(c.valsOf(operands)))
		return
	}
	inputs := make([]input, len(operands))
	constant := true
	for i, v := range operands {
		inputs[i] = c.input(v)
		constant = constant && inputs[i].scalar != nil
	}
	if constant {
		args := make([]*ir.Value, len(inputs))
		for i, x := range inputs {
			args[i] = x.scalar
		}
		for i, v := range f(args) {
			c.setVal(op.Result(i), c.fill(v, dataType(op.Result(i).Type).(*ir.TensorType)))
		}
		return
	}
	var types []*ir.TensorType
	for _, v := range op.Results() {
		types = append(types, dataType(v.Type).(*ir.TensorType))
	}
	c.results(op, c.zip(inputs, types, f))
}

// input is an operand of a loop nest over elements: one scalar for all, something counted inside, or a
// tensor.
type input struct {
	scalar *ir.Value
	count  func(args []*ir.Value) *ir.Value
	tensor *ir.Value
}

// input returns the cheapest form of a value.
func (c *converter) input(v *ir.Value) input {
	if s, ok := c.uniform(v); ok {
		return input{scalar: s}
	}
	if s := c.counted(v); s != nil {
		return input{count: c.element(s, ir.ElemOf(v.Type))}
	}
	return input{tensor: c.val(v)}
}

// zip makes a loop nest in which f gets an element of each input.
func (c *converter) zip(inputs []input, types []*ir.TensorType,
	f func(args []*ir.Value) []*ir.Value) []*ir.Value {
	var ins []operand
	for _, x := range inputs {
		if x.tensor != nil {
			ins = append(ins, operand{x.tensor, ir.IdentityMap(types[0].Rank())})
		}
	}
	return c.generics(ins, types, func(elems []*ir.Value) []*ir.Value {
		args := make([]*ir.Value, len(inputs))
		for i, x := range inputs {
			switch {
			case x.scalar != nil:
				args[i] = x.scalar
			case x.count != nil:
				args[i] = x.count(nil)
			default:
				args[i], elems = elems[0], elems[1:]
			}
		}
		return f(args)
	})
}

// whole returns all elements of a value, as a tensor, whatever its cheapest form.
func (c *converter) whole(v *ir.Value) *ir.Value {
	if w := c.vals[v]; w != nil || c.here {
		return c.val(v)
	}
	if c.fromDesc(v) {
		return c.elements(v)
	}
	s, _ := c.uniform(v)
	return c.fill(s, dataType(v.Type).(*ir.TensorType))
}

func (c *converter) results(op *ir.Op, vs []*ir.Value) {
	for i, v := range op.Results() {
		c.setVal(v, vs[i])
	}
}

// zeros returns zeros of the element types of ts, so that conversion can go on after an error.
func (c *converter) zeros(ts []ir.Type) []*ir.Value {
	out := make([]*ir.Value, len(ts))
	for i, t := range ts {
		out[i] = c.zero(dataElem(ir.ElemOf(t)))
	}
	return out
}

func (c *converter) zero(t ir.Type) *ir.Value { return arith.Const(c.b, constfold.Zero(t)) }

// scalarConst returns a scalar constant.
func (c *converter) scalarConst(a ir.Attr) *ir.Value { return arith.Const(c.b, a) }

// payload does an elementwise operation on scalars of the output.
func (c *converter) payload(op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	if f := scalarOps[op.Def]; f != nil {
		return f(c, op, args)
	}
	types := make([]ir.Type, op.NumResults())
	for i, v := range op.Results() {
		types[i] = dataElem(ir.ElemOf(v.Type))
	}
	if op.Def.Dialect == tt.Dialect {
		return nil, errAt(op, "cannot be converted to linalg")
	}
	return c.clone(op, args, types), nil
}

func convertConstant(c *converter, op *ir.Op) {
	v := op.Result(0)
	t, tensor := v.Type.(*ir.TensorType)
	if tensor && t.Encoding == nil {
		if x := arith.Uniform(op.Attr("value")); x != nil {
			c.setVal(v, c.fill(c.scalarConst(x), t))
			return
		}
	}
	c.setVal(v, arith.Const(c.b, op.Attr("value")))
}

// convertPoison: a value that nobody may look at is zero.
func convertPoison(c *converter, op *ir.Op) {
	v := op.Result(0)
	if tt.IsPtr(v.Type) {
		return
	}
	zero := c.zero(dataElem(ir.ElemOf(v.Type)))
	if t, ok := dataType(v.Type).(*ir.TensorType); ok {
		zero = c.fill(zero, t)
	}
	c.setVal(v, zero)
}

// convertEmpty: a tensor of arbitrary elements is one here too.
func convertEmpty(c *converter, op *ir.Op) {
	c.setVal(op.Result(0), c.b.Val(tensor.Empty, dataType(op.Result(0).Type), c.valsOf(op.Operands())...))
}

// convertSelect: the condition may be a scalar.
func convertSelect(c *converter, op *ir.Op) {
	if v := op.Result(0); tt.IsPtrLike(v.Type) {
		c.selectPointers(op)
		return
	}
	c.elementwise(op)
}

// convertBitcast: of pointers, distances are counted in other elements; of numbers, it is a bitcast.
func convertBitcast(c *converter, op *ir.Op) {
	if tt.IsPtrLike(op.Result(0).Type) {
		c.castPointers(op)
		return
	}
	c.elementwise(op)
}
