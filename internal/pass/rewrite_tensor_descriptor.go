package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// RewriteTensorDescriptor replaces loads and stores through tensor descriptors by loads and stores of
// tensors of pointers, for targets without hardware for descriptors. All boundaries are checked.
//
//	%d = tt.make_tensor_descriptor %base, [%m], [%s]        %j = %i, %i + 1, …
//	%x = tt.descriptor_load %d[%i]                     =>   %k = 0 <= %j and %j < %m
//	                                                        %x = tt.load (%base + %j * %s), %k, 0
//
// A descriptor becomes its base, shape, strides and padding wherever it goes, arguments of kernels included.
var RewriteTensorDescriptor = Pass{
	Name: "triton-rewrite-tensor-descriptor-to-pointer",
	Doc:  "replace tensor descriptors by pointers, shapes and strides",
	Run: func(ctx *Context, m *ir.Module) error {
		return RewriteDescriptors(ctx, m, func(*ir.Value) bool { return true })
	},
}

// RewriteDescriptors does what RewriteTensorDescriptor does to the descriptors that are chosen. Descriptors
// that control flow or calls connect are chosen together or not at all.
func RewriteDescriptors(ctx *Context, m *ir.Module, chosen func(*ir.Value) bool) error {
	x := &expander{handlers: descHandlers}
	x.types = func(v *ir.Value) []ir.Type {
		if parts := descParts(v.Type); parts != nil && chosen(v) {
			return parts
		}
		return nil
	}
	x.settled = x.guarantee
	return x.run(ctx, m)
}

// guarantee passes on what the host has checked of a kernel's descriptors, unless it says otherwise: the
// base is a multiple of 16 bytes, as are all strides but the last, which is 1.
func (x *expander) guarantee() {
	for _, a := range x.args {
		fn, block := a.Block().Parent(), tt.DescTensor(a.Type)
		if fn.Def != tt.Func || a.Block() != fn.Body(0) || fn.Text("sym_visibility") == "private" {
			continue
		}
		parts, n, at := x.parts[a], block.Rank(), x.flatIndex(fn, a)
		if funclike.ArgAttr(fn, at, tt.PointerAttr) != nil {
			continue
		}
		funclike.SetArgAttr(fn, at, "tt.divisibility", ir.I32Attr(16))
		each := int64(max(1, 128/max(8, ir.BitWidth(block.Elem))))
		for i := range n - 1 {
			funclike.SetArgAttr(fn, at+1+n+i, "tt.divisibility", ir.I32Attr(each))
		}
		b := ir.NewBuilder(fn.Body(0))
		b.ToStart(fn.Body(0))
		parts[2*n].ReplaceAllUses(arith.ConstInt(b, 1, ir.I64))
	}
}

// flatIndex returns the number, in the new signature, of the first part of a function's argument.
func (x *expander) flatIndex(fn *ir.Op, arg *ir.Value) int {
	n := 0
	for _, a := range fn.Body(0).Args() {
		switch {
		case a == arg:
			return n
		case x.types(a) == nil:
			n++
		}
	}
	return n
}

var descHandlers = map[*ir.OpDef]func(*expander, *ir.Op) error{
	tt.MakeTensorDesc: splitMakeDesc,
	tt.DescLoad:       splitDescLoad,
	tt.DescStore:      splitDescStore,
	tt.DescGather:     splitDescGather,
	tt.DescScatter:    splitDescScatter,
	tt.DescReduce:     splitDescReduce,
}

// descParts returns a pointer to an element, then i64s, shape and strides, then whether padding is NaN.
func descParts(t ir.Type) []ir.Type {
	block := tt.DescTensor(t)
	if block == nil {
		return nil
	}
	parts := []ir.Type{tt.Ptr(block.Elem)}
	parts = append(parts, slices.Repeat([]ir.Type{ir.I64}, 2*block.Rank())...)
	return append(parts, ir.I1)
}

func splitMakeDesc(x *expander, op *ir.Op) error {
	b := ir.At(op)
	n := tt.DescTensor(op.Result(0).Type).Rank()
	operands := op.Operands()
	if len(operands) != 1+2*n {
		return errAt(op, "a descriptor of rank %d takes %d shapes and as many strides", n, n)
	}
	nan := arith.Const(b, ir.BoolAttr(op.IntOr("padding", tt.PadZero) == tt.PadNaN))
	x.replaced(op, slices.Concat(operands[:1], wideAll(b, operands[1:1+n]), operands[1+n:], []*ir.Value{nan}))
	return nil
}

// descAt returns the address of a block of the given shape; ranges are filled in by the caller. nan says how
// to pad.
func (x *expander) descAt(op *ir.Op, block []int64) (a *blockAddr, nan *ir.Value, err error) {
	desc := op.Operand(0)
	parts, err := x.flat([]*ir.Value{desc})
	if err != nil {
		return nil, nil, errAt(op, "%s", err)
	}
	n := tt.DescTensor(desc.Type).Rank()
	if n != len(block) {
		return nil, nil, errAt(op, "%s has blocks of rank %d, not %d", desc.Type, n, len(block))
	}
	return &blockAddr{b: ir.At(op), base: parts[0], shape: parts[1 : 1+n], strides: parts[1+n : 1+2*n],
		block: block}, parts[1+2*n], nil
}

// blockOf returns the address of the descriptor's own block, at indices.
func (x *expander) blockOf(op *ir.Op, indices []*ir.Value) (a *blockAddr, nan *ir.Value, err error) {
	block := tt.DescTensor(op.Operand(0).Type).Shape
	if len(indices) != len(block) {
		return nil, nil, errAt(op, "%d indices for blocks of rank %d", len(indices), len(block))
	}
	if a, nan, err = x.descAt(op, block); err != nil {
		return nil, nil, err
	}
	a.offset = func(dim int) *ir.Value { return fromStart(a.b, wide(a.b, indices[dim]), block[dim]) }
	return a, nan, nil
}

// fill returns what a load gives outside the tensor.
func fill(b *ir.Builder, t ir.Type, nan *ir.Value) *ir.Value {
	zero := arith.Const(b, constfold.Zero(t))
	if n := nanOf(t); n != nil {
		return b.Val(arith.Select, t, nan, arith.Const(b, n), zero)
	}
	return zero
}

// load puts a load of a block in the place of op, in the type that op has.
func (x *expander) load(op *ir.Op, a *blockAddr, nan *ir.Value) {
	want := op.Result(0).Type
	t := ir.Tensor(a.block, ir.ElemOf(want), nil)
	other := fill(a.b, t, nan)
	ptr, mask := a.ptr(), a.mask(iota64(len(a.block)))
	v := a.b.Groups(tt.Load, [][]*ir.Value{{ptr}, {mask}, {other}}, []ir.Type{t},
		keepAttrs(op, "cache", "evict")...).Result(0)
	if t != want { // leading dimensions of size one are left out
		v = a.b.Val(tt.Reshape, want, v)
	}
	v.Name = op.Result(0).Name
	op.Result(0).ReplaceAllUses(v)
	x.ops = append(x.ops, op)
}

// store puts a store of a block in the place of op.
func (x *expander) store(op *ir.Op, a *blockAddr, v *ir.Value) {
	v = whole(a, v)
	ptr, mask := a.ptr(), a.mask(iota64(len(a.block)))
	a.b.Groups(tt.Store, [][]*ir.Value{{ptr}, {v}, {mask}}, nil)
	x.ops = append(x.ops, op)
}

// whole gives v the block's own shape, when leading dimensions of size one were left out.
func whole(a *blockAddr, v *ir.Value) *ir.Value {
	if t := ir.Tensor(a.block, ir.ElemOf(v.Type), nil); t != v.Type {
		return a.b.Val(tt.Reshape, t, v)
	}
	return v
}

func splitDescLoad(x *expander, op *ir.Op) error {
	a, nan, err := x.blockOf(op, op.Group(1))
	if err != nil {
		return err
	}
	x.load(op, a, nan)
	return nil
}

func splitDescStore(x *expander, op *ir.Op) error {
	a, _, err := x.blockOf(op, op.Group(2))
	if err != nil {
		return err
	}
	x.store(op, a, op.Operand(1))
	return nil
}

// rowsAt returns the address of rows picked by a vector of indices, from a column on.
func (x *expander) rowsAt(op *ir.Op, block []int64) (a *blockAddr, nan *ir.Value, err error) {
	rows, column := op.Operand(1), op.Operand(2)
	if a, nan, err = x.descAt(op, block); err != nil {
		return nil, nil, err
	}
	a.offset = func(dim int) *ir.Value {
		if dim == 0 {
			return a.b.Val(arith.ExtSI, ir.WithElem(rows.Type, ir.I64), rows)
		}
		return fromStart(a.b, wide(a.b, column), block[dim])
	}
	return a, nan, nil
}

func splitDescGather(x *expander, op *ir.Op) error {
	a, nan, err := x.rowsAt(op, ir.ShapeOf(op.Result(0).Type))
	if err != nil {
		return err
	}
	x.load(op, a, nan)
	return nil
}

func splitDescScatter(x *expander, op *ir.Op) error {
	a, _, err := x.rowsAt(op, ir.ShapeOf(op.Operand(3).Type))
	if err != nil {
		return err
	}
	x.store(op, a, op.Operand(3))
	return nil
}

func splitDescReduce(x *expander, op *ir.Op) error {
	a, _, err := x.blockOf(op, op.Group(2))
	if err != nil {
		return err
	}
	block := tt.DescBlock(op.Operand(0).Type)
	rmw, ok := rmwOf(op.IntOr("kind", 0), block.Elem)
	if !ok {
		return errAt(op, "no atomic operation does this reduction on elements of type %s", block.Elem)
	}
	v := whole(a, op.Operand(1))
	ptr, mask := a.ptr(), a.mask(iota64(len(a.block)))
	a.b.Groups(tt.AtomicRMW, [][]*ir.Value{{ptr}, {v}, {mask}}, []ir.Type{v.Type},
		ir.A("atomic_rmw_op", ir.I32Attr(rmw)), ir.A("sem", ir.I32Attr(tt.SemRelease)),
		ir.A("scope", ir.I32Attr(tt.ScopeGPU)))
	x.ops = append(x.ops, op)
	return nil
}

// rmwOf returns the atomic operation of a reduction on elements of a type, whose integers carry a sign.
func rmwOf(kind int64, elem ir.Type) (int64, bool) {
	it, isInt := elem.(*ir.IntegerType)
	unsigned := isInt && it.Sign == ir.Unsigned
	switch {
	case kind == tt.ReduceAdd && isInt:
		return tt.RMWAdd, true
	case kind == tt.ReduceAdd:
		return tt.RMWFAdd, true
	case kind == tt.ReduceMin && unsigned:
		return tt.RMWUMin, true
	case kind == tt.ReduceMin:
		return tt.RMWMin, true
	case kind == tt.ReduceMax && unsigned:
		return tt.RMWUMax, true
	case kind == tt.ReduceMax:
		return tt.RMWMax, true
	}
	rmw, ok := map[int64]int64{tt.ReduceAnd: tt.RMWAnd, tt.ReduceOr: tt.RMWOr, tt.ReduceXor: tt.RMWXor}[kind]
	return rmw, ok && isInt
}
