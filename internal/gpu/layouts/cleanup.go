package layouts

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ConvertPatterns folds conversions into the op that defines or uses the value.
var ConvertPatterns = []pass.Pattern{
	{Op: ttg.ConvertLayout, Rewrite: foldConversion},
	{Op: tt.Reshape, Rewrite: reshapeOfConversion},
	{Op: tt.Trans, Rewrite: transOfConversion},
	{Op: tt.Gather, Rewrite: gatherOfConversion},
	{Op: tt.Histogram, Rewrite: histogramOfConversion},
	{Op: ttg.LocalAlloc, Rewrite: storeOfConversion},
	{Op: ttg.LocalStore, Rewrite: storeOfConversion},
	{Op: tt.Split, Rewrite: splitOfConversion},
}

var (
	cleanup     = pass.NewPatterns(ConvertPatterns)
	loopCleanup = pass.NewPatterns(ConvertPatterns, deadArgPatterns, pass.ForPatterns(), pass.IfPatterns())
)

// Canonicalize is pass.Canonicalize with the patterns of the ttg dialect.
var Canonicalize = pass.CanonicalizeWith(ConvertPatterns)

func cleanupConversions(ctx *pass.Context, m *ir.Module) {
	pass.Greedy(ctx, m.Op, cleanup, pass.GreedyOptions{})
}

// foldConversion removes a conversion to the same type and folds others into the defining op where foldedInto
// says how.
func foldConversion(rw *pass.Rewriter, op *ir.Op) bool {
	src, to := op.Operand(0), op.Result(0).Type
	if src.Type == to {
		rw.Replace(op, src)
		return true
	}
	_, toDot := ttg.As[ttg.DotOp](ttgir.EncodingOf(op.Result(0)))
	_, fromMma := ttg.As[ttg.NvidiaMma](ttgir.EncodingOf(src))
	if toDot && fromMma { // kept for the lowering: the operand of a product that is a product's result
		return false
	}
	def := src.Def()
	if def == nil {
		return false
	}
	if f := Facts[def.Def].fold; f != nil {
		return f(rw, op, def)
	}
	return false
}

func foldIntoCat(rw *pass.Rewriter, op, def *ir.Op) bool {
	return !isExpensiveCat(def, ttgir.EncodingOf(op.Result(0))) && retyped(rw, op, def)
}

// retyped replaces op by a copy of def with op's type.
func retyped(rw *pass.Rewriter, op, def *ir.Op) bool {
	c := rw.Insert(def.Clone(nil))
	c.Result(0).Type = op.Result(0).Type
	rw.Replace(op, c.Result(0))
	return true
}

func foldIntoReshape(rw *pass.Rewriter, op, def *ir.Op) bool {
	to := op.Result(0).Type
	if !def.HasAttr("allow_reorder") || def.HasAttr("efficient_layout") ||
		isExpensiveView(def.Operand(0).Type, to) ||
		IsDotOperand(op.Operand(0)) || IsDotOperand(op.Result(0)) {
		return false
	}
	return retyped(rw, op, def)
}

func IsDotOperand(v *ir.Value) bool { _, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(v)); return ok }

// foldIntoLocalLoad puts the new load where the old one was: the buffer may be overwritten before the
// conversion.
func foldIntoLocalLoad(rw *pass.Rewriter, op, def *ir.Op) bool {
	rw.Before(def)
	return retyped(rw, op, def)
}

func foldIntoConstant(rw *pass.Rewriter, op, def *ir.Op) bool {
	d, ok := def.Attr("value").(*ir.DenseAttr)
	if !ok || !d.Splat {
		return false
	}
	to := op.Result(0).Type
	rw.Replace(op, rw.Const(ir.Dense(to, true, d.Data), to))
	return true
}

// conversionOf returns the conversion that defines operand i of op, or nil.
func conversionOf(op *ir.Op, i int) *ir.Op {
	if i >= op.NumOperands() {
		return nil
	}
	return op.Operand(i).DefBy(ttg.ConvertLayout)
}

func isTrivial(cvt *ir.Op) bool {
	t := ttgir.TensorOf(cvt.Result(0))
	return ttglayout.Equivalent(ttgir.EncodingOf(cvt.Operand(0)), t.Encoding, t.Shape)
}

// reshapeOfConversion removes the conversion before a reshape that may reorder, or if the conversion moves no
// data.
func reshapeOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil {
		return false
	}
	if !isTrivial(cvt) && (!op.HasAttr("allow_reorder") ||
		isExpensiveView(cvt.Operand(0).Type, op.Result(0).Type)) {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

func transOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	if order := OrderOf(op); isSorted(order) {
		rw.Replace(op, ttgir.Convert(rw.Builder, op.Operand(0), ttgir.EncodingOf(op.Result(0))))
		return true
	}
	cvt := conversionOf(op, 0)
	if cvt == nil || !isTrivial(cvt) {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

func isSorted(order []int64) bool {
	for i, d := range order {
		if int64(i) != d {
			return false
		}
	}
	return true
}

// gatherOfConversion removes the conversion of a gather's source: it goes through shared memory, from any
// layout.
func gatherOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil || op.HasAttr("efficient_layout") {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

// histogramOfConversion removes the conversion of a histogram's operand: any layout works if the mask has it
// too.
func histogramOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	if op.NumOperands() > 1 {
		rw.SetOperand(op, 1, ttgir.Convert(rw.Builder, op.Operand(1), ttgir.EncodingOf(cvt.Operand(0))))
	}
	return true
}

// storeOfConversion removes a layout conversion before a store to shared memory, which takes any layout.
func storeOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

// splitOfConversion removes a conversion between layouts that split into the same layout.
func splitOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil || inferDst(op, ttgir.EncodingOf(cvt.Operand(0))) != ttgir.EncodingOf(op.Result(0)) {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}
