package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ReduceDataDuplication sends conversions to operands of products through a buffer: many threads hold the
// same element of an operand, the buffer holds it once.
//
//	%b = ttg.convert_layout %a : … -> #dot_op   =>   %m = ttg.local_alloc %a
//	                                                 %b = ttg.local_load %m : … -> #dot_op
//
// An operand for tensor cores that comes from the same warp stays a conversion, without a buffer. One for
// multiply-adds does not: it has more registers than a thread, and is read from the buffer piece by piece.
var ReduceDataDuplication = pass.Pass{
	Name: "tritongpu-reduce-data-duplication",
	Doc:  "convert to operands of products by way of shared memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range opsOf(m.Op, ttg.ConvertLayout) {
			dot, ok := ttg.As[ttg.DotOp](encodingOf(op.Result(0)))
			if !ok {
				continue
			}
			c, err := ttglayout.Conversion(op.Operand(0).Type, op.Result(0).Type)
			if err != nil || ttglayout.OnlyRegisters(c) || ttglayout.OnlyLanes(c) && onTensorCores(dot) {
				continue
			}
			ctx.At(op)
			t := tensorOf(op.Operand(0))
			enc := swizzledFor(dot, t, memoryOrder(t), cgaOf(t.Encoding), false)
			d := ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: enc.Attr(), Space: ttg.SharedMemory}
			b := ir.At(op)
			op.ReplaceWith(b.Val(ttg.LocalLoad, op.Result(0).Type,
				b.Val(ttg.LocalAlloc, d.Type(), op.Operand(0))))
		}
		return nil
	},
}

// onTensorCores reports whether the product of an operand runs on tensor cores.
func onTensorCores(dot ttg.DotOp) bool {
	_, blocked := ttg.As[ttg.Blocked](dot.Parent)
	return !blocked
}
