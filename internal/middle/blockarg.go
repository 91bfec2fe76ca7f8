package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// An argument that is a tensor of pointers is a block of memory, as triton-shared has it: its pointers are
// those of the block's elements, in row-major order, and the caller passes the block.
//
//	tt.func @k(%p: tensor<4x8x!tt.ptr<f32>>)    =>    func.func @k(%p: memref<4x8xf32>, …)
//
// Before the analyses the argument becomes a plain pointer from which the function computes the others.

// blockArgs makes plain pointers of a function's arguments that are tensors of pointers. It returns the types
// of their blocks by the argument's index.
func blockArgs(fn *ir.Op) map[int]*ir.MemRefType {
	blocks := map[int]*ir.MemRefType{}
	t := funclike.Type(fn)
	ins := append([]ir.Type(nil), t.Ins...)
	for i, in := range ins {
		tensor, ok := in.(*ir.TensorType)
		if !ok || tensor.Unranked || !tt.IsPtr(tensor.Elem) || tt.IsTensorPtr(tensor.Elem) {
			continue
		}
		pointee, _, _ := tt.AsPtr(tensor.Elem)
		ins[i] = tensor.Elem
		blocks[i] = ir.MemRef(tensor.Shape, memoryElem(pointee), nil, nil)
		if !funclike.IsDeclaration(fn) {
			spread(fn.Body(0), fn.Body(0).Args()[i], tensor)
		}
	}
	if len(blocks) > 0 {
		funclike.SetType(fn, ir.Func(ins, t.Outs))
	}
	return blocks
}

// spread makes an argument a plain pointer, and computes the pointers that it was at the beginning of the
// body.
func spread(body *ir.Block, arg *ir.Value, t *ir.TensorType) {
	b := ir.NewBuilder(body)
	b.ToStart(body)
	arg.Type = t.Elem
	first := b.Val(tt.Splat, t, arg)
	p, stride := first, int64(1)
	for dim := len(t.Shape) - 1; dim >= 0; dim-- {
		p, stride = b.Val(tt.AddPtr, t, p, along(b, t.Shape, dim, stride)), stride*t.Shape[dim]
	}
	arg.ReplaceUsesIf(p, func(u *ir.Use) bool { return u.Owner() != first.Def() })
}

// along returns the offsets of a block's elements along one dimension.
func along(b *ir.Builder, shape []int64, dim int, stride int64) *ir.Value {
	row := ir.Tensor(shape[dim:dim+1], ir.I32, nil)
	v := b.ValA(tt.MakeRange, row,
		[]ir.NamedAttr{ir.A("start", ir.I32Attr(0)), ir.A("end", ir.I32Attr(shape[dim]))})
	if stride != 1 {
		v = b.Val(arith.MulI, row, v, b.Val(tt.Splat, row, arith.ConstInt(b, stride, ir.I32)))
	}
	own := []int64{shape[dim]}
	for d := range shape {
		if d == dim {
			continue
		}
		own = append(own[:d:d], append([]int64{1}, own[d:]...)...)
		v = b.ValA(tt.ExpandDims, ir.Tensor(own, ir.I32, nil),
			[]ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(d)))}, v)
	}
	if full := ir.Tensor(shape, ir.I32, nil); v.Type != full {
		v = b.Val(tt.Broadcast, full, v)
	}
	return v
}

// castBlock returns a block that the caller passes as memory of any shape, which accesses begin with.
func (c *converter) castBlock(arg *ir.Value) *ir.Value {
	return c.b.Val(memref.Cast, ir.UnrankedMemRef(ir.ElemOf(arg.Type), nil), arg)
}
