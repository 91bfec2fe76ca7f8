package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// This file makes buffers of pointers. The buffer of a source is a memref<*xT>; an address becomes one by a
// function of the module, whose body is the one place where the output leaves memref for LLVM's pointers.

// memory returns the buffer that a source stands for.
func (c *converter) memory(s *source) *ir.Value {
	if v := c.srcs[s]; v != nil {
		return v
	}
	if s.sym != nil {
		return c.sym(s.sym)
	}
	if c.here {
		return c.baseHere(s.root)
	}
	panic("a pointer is used that was not converted")
}

// baseHere returns the pointer that a source of the input begins with. A choice between pointers into two
// sources is one between their beginnings, not between the pointers.
func (c *converter) baseHere(root *ir.Value) *ir.Value {
	op := root.DefBy(arith.Select)
	if op == nil {
		return root
	}
	ends := []*ir.Value{op.Operand(0)}
	for _, v := range op.Operands()[1:] {
		p := c.memory(c.stateOf(v).src)
		if p.Type != root.Type {
			p = c.b.Val(tt.Bitcast, root.Type, p)
		}
		ends = append(ends, p)
	}
	return c.b.Val(arith.Select, root.Type, ends...)
}

// baseAddress returns the address at which a source begins, as an i64.
func (c *converter) baseAddress(s *source) *ir.Value {
	m := c.memory(s)
	p := c.b.Val(memref.ExtractAlignedPointer, ir.Index, m)
	return c.b.Val(arith.IndexCast, ir.I64, p)
}

// bufferAt returns a buffer of elements at an address.
func (c *converter) bufferAt(addr *ir.Value, elem ir.Type) *ir.Value {
	t := ir.MemRef([]int64{ir.Dynamic}, elem, nil, nil)
	m := c.b.Op(funcd.Call, []*ir.Value{addr}, []ir.Type{t},
		ir.A("callee", ir.SymbolRef(c.memoryAt(elem)))).Result(0)
	return c.b.Val(memref.Cast, ir.UnrankedMemRef(elem, nil), m)
}

// withElem returns a buffer with another element type of the same width.
func (c *converter) withElem(s *source, elem ir.Type) *ir.Value {
	if s.elem == elem {
		return c.memory(s)
	}
	return c.bufferAt(c.baseAddress(s), elem)
}

// memoryAt returns the name of the function that gives memory at an address a buffer of elements, made when
// it is first used.
func (c *converter) memoryAt(elem ir.Type) string {
	name := "memory_at_" + elem.String()
	if c.m.Lookup(name) != nil {
		return name
	}
	buffer := ir.MemRef([]int64{ir.Dynamic}, elem, nil, nil)
	fn := ir.NewOp(funclike.State(funcd.Func, name, ir.Func([]ir.Type{ir.I64}, []ir.Type{buffer}), "private",
		false))
	c.m.Block().Append(fn)
	b := ir.NewBuilder(fn.Body(0))
	desc := ir.Opaque("!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>")
	p := b.Val(llvmd.IntToPtr, llvmd.Ptr, fn.Body(0).Arg(0))
	whole := arith.ConstInt(b, 1<<62, ir.I64)
	s := b.Val(llvmd.Poison, desc)
	for _, part := range []struct {
		v  *ir.Value
		at []int64
	}{{p, []int64{0}}, {p, []int64{1}}, {arith.ConstInt(b, 0, ir.I64), []int64{2}}, {whole, []int64{3, 0}},
		{arith.ConstInt(b, 1, ir.I64), []int64{4, 0}}} {
		s = b.ValA(llvmd.InsertValue, desc,
			[]ir.NamedAttr{ir.A("position", ir.DenseArray(ir.I64, part.at...))}, s, part.v)
	}
	m := b.Op(ir.UnrealizedCast, []*ir.Value{s}, []ir.Type{buffer}).Result(0)
	b.Op(funcd.Return, []*ir.Value{m}, nil)
	return name
}

// root gives a scalar pointer that begins a source its buffer.
func (c *converter) root(v, addr *ir.Value) {
	if src := c.sources[v]; src != nil {
		c.srcs[src] = c.bufferAt(addr, src.elem)
	}
}

func convertIntToPtr(c *converter, op *ir.Op) {
	v := op.Result(0)
	if tt.IsPtr(v.Type) {
		c.root(v, c.val(op.Operand(0)))
		return
	}
	c.setVal(v, c.whole(op.Operand(0))) // absolute addresses are what they are
}

func convertPtrToInt(c *converter, op *ir.Op) {
	v := op.Result(0)
	if _, tensor := v.Type.(*ir.TensorType); !tensor {
		c.setVal(v, c.address(c.stateOf(op.Operand(0))))
		return
	}
	c.setVal(v, c.absolute(op.Operand(0)))
}

// address returns the address that a scalar pointer holds.
func (c *converter) address(s *state) *ir.Value {
	base := c.baseAddress(s.src)
	if s.off.is(0) {
		return base
	}
	return c.b.Val(arith.AddI, ir.I64, base, c.scalar(s.off.scale(bytesOf(s.src.elem)), ir.I64))
}

func bytesOf(elem ir.Type) int64 { return int64(ir.BitWidth(elem)+7) / 8 }

// absolute converts a tensor of pointers to a tensor of addresses.
func (c *converter) absolute(v *ir.Value) *ir.Value {
	s := c.stateOf(v)
	if s.bottom || s.src == nil {
		return c.val(v)
	}
	base := c.baseAddress(s.src)
	size := arith.ConstInt(c.b, bytesOf(s.src.elem), ir.I64)
	t := dataType(v.Type).(*ir.TensorType)
	return c.generic([]operand{{c.val(v), ir.IdentityMap(t.Rank())}}, t, func(args []*ir.Value) *ir.Value {
		return c.b.Val(arith.AddI, ir.I64, base, c.b.Val(arith.MulI, ir.I64, args[0], size))
	})
}

// pointersAs converts a tensor of pointers to data: distances from a source, or addresses if there is none.
func (c *converter) pointersAs(v *ir.Value, src *source) *ir.Value {
	if src == nil {
		return c.absolute(v)
	}
	return c.val(v)
}

// convertAddPtr adds distances, in elements or, to addresses, in bytes. Scalar pointers and tensors that have
// a description do not come here.
func convertAddPtr(c *converter, op *ir.Op) {
	v := op.Result(0)
	s := c.stateOf(v)
	if !s.opaque && s.self == nil {
		return
	}
	pointee, _, _ := tt.AsPtr(ir.ElemOf(v.Type))
	inputs := []input{{tensor: c.pointersAs(op.Operand(0), s.src)}, c.input(op.Operand(1))}
	c.results(op, c.zip(inputs, []*ir.TensorType{dataType(v.Type).(*ir.TensorType)},
		func(args []*ir.Value) []*ir.Value {
			d := c.resize(args[1], ir.I64)
			if s.src == nil {
				d = c.b.Val(arith.MulI, ir.I64, d, arith.ConstInt(c.b, bytesOf(memoryElem(pointee)), ir.I64))
			}
			return []*ir.Value{c.b.Val(arith.AddI, ir.I64, args[0], d)}
		}))
}

// selectPointers chooses between pointers: buffers for scalars, distances or addresses for tensors.
func (c *converter) selectPointers(op *ir.Op) {
	v := op.Result(0)
	x, y := op.Operand(1), op.Operand(2)
	if tt.IsPtr(v.Type) {
		src := c.sources[v]
		if src == nil {
			return
		}
		a, b := c.withElem(c.stateOf(x).src, src.elem), c.withElem(c.stateOf(y).src, src.elem)
		c.srcs[src] = c.b.Val(arith.Select, a.Type, c.val(op.Operand(0)), a, b)
		return
	}
	s := c.stateOf(v)
	inputs := []input{c.input(op.Operand(0)), {tensor: c.pointersAs(x, s.src)},
		{tensor: c.pointersAs(y, s.src)}}
	c.results(op, c.zip(inputs, []*ir.TensorType{dataType(v.Type).(*ir.TensorType)},
		func(args []*ir.Value) []*ir.Value {
			return []*ir.Value{c.b.Val(arith.Select, ir.I64, args...)}
		}))
}

// castPointers converts pointers to elements of another width: they begin a new source, or become addresses.
func (c *converter) castPointers(op *ir.Op) {
	v, x := op.Result(0), op.Operand(0)
	switch {
	case tt.IsPtr(v.Type):
		c.root(v, c.address(c.stateOf(x)))
	default:
		c.setVal(v, c.pointersAs(x, c.stateOf(v).src))
	}
}
