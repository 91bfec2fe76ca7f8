package products

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// ReduceDataDuplication sends conversions to operands of products through a buffer: many threads hold the
// same element of an operand, the buffer holds it once.
//
//	%b = ttg.convert_layout %a : … -> #dot_op   =>   %m = ttg.local_alloc %a
//	                                                 %b = ttg.local_load %m : … -> #dot_op
//
// Behind a conversion that was moved above a transposition, the view of the buffer is transposed:
//
//	%b = ttg.convert_layout %a : … -> #linear   =>   %m = ttg.local_alloc %a
//	%c = tt.trans %b : … -> #dot_op                  %n = ttg.memdesc_trans %m
//	                                                 %c = ttg.local_load %n : … -> #dot_op
//
// An operand for tensor cores that comes from the same warp stays a conversion, without a buffer, unless it
// is large. One for multiply-adds does not: it has more registers than a thread, and is read from the buffer
// piece by piece.
var ReduceDataDuplication = pass.Pass{
	Name: "tritongpu-reduce-data-duplication",
	Doc:  "convert to operands of products by way of shared memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, ttg.ConvertLayout) {
			operand := transposedOperand(op)
			dot, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(operand.Result(0)))
			if !ok {
				continue
			}
			c, err := ttglayout.Conversion(op.Operand(0).Type, op.Result(0).Type)
			if err != nil || ttglayout.OnlyRegisters(c) {
				continue
			}
			if ttglayout.OnlyLanes(c) && staysInWarp(op, operand, dot) {
				continue
			}
			ctx.At(op)
			loadOperand(op, operand, dot)
		}
		return nil
	},
}

// transposedOperand returns the transposition that alone uses a conversion and makes an operand of a product
// of it, otherwise the conversion itself.
func transposedOperand(cvt *ir.Op) *ir.Op {
	if !cvt.Result(0).HasOneUse() {
		return cvt
	}
	for u := range cvt.Result(0).Users() {
		if !u.Def.Has(ir.Permutes) || !slices.Equal(layouts.OrderOf(u), swapped.Values) {
			continue
		}
		if _, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(u.Result(0))); ok {
			return u
		}
	}
	return cvt
}

// loadOperand replaces operand, a conversion or the transposition of one, by a load from a buffer.
func loadOperand(cvt, operand *ir.Op, dot ttg.DotOp) {
	t, b := ttgir.TensorOf(cvt.Operand(0)), ir.At(cvt)
	if operand == cvt {
		enc := SwizzledFor(dot, t, MemoryOrder(t), ttgir.CgaOf(t.Encoding), false)
		d := ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: enc.Attr(), Space: ttg.SharedMemory}
		stored := b.Val(ttg.LocalAlloc, d.Type(), cvt.Operand(0))
		operand.ReplaceWith(b.Val(ttg.LocalLoad, operand.Result(0).Type, stored))
		return
	}
	buf, view, ok := turnedBuffer(dot, t)
	if !ok {
		return
	}
	stored := b.Val(ttg.LocalAlloc, buf.Type(), cvt.Operand(0))
	turned := b.ValA(ttg.MemDescTrans, view.Type(), []ir.NamedAttr{ir.A("order", swapped)}, stored)
	operand.ReplaceWith(b.Val(ttg.LocalLoad, operand.Result(0).Type, turned))
	cvt.Erase()
}

// staysInWarp reports whether an operand that comes from the same warp is converted without a buffer. A large
// one that was just loaded is not: behind the buffer, the product reads it piece by piece
// (parallel_nsa_bwd_kernel_dq spills 16 bytes instead of 256). A computed one is in registers anyway.
func staysInWarp(cvt, operand *ir.Op, dot ttg.DotOp) bool {
	return onTensorCores(dot) && (cvt.Operand(0).DefBy(tt.Load) == nil ||
		!ttgir.Satisfies(operand, rules.OperandBuffer, ttgir.WordsOf(operand.Result(0))))
}

// onTensorCores reports whether the product of an operand runs on tensor cores.
func onTensorCores(dot ttg.DotOp) bool {
	_, blocked := ttg.As[ttg.Blocked](dot.Parent)
	return !blocked
}
