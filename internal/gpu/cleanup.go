package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// convertPatterns take conversions out that need not be: into the op that makes the value, or that uses it.
var convertPatterns = []pass.Pattern{
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
	cleanup     = pass.NewPatterns(convertPatterns)
	loopCleanup = pass.NewPatterns(convertPatterns, deadArgPatterns, pass.ForPatterns(), pass.IfPatterns())
)

// Canonicalize is the canonicalizer with the patterns of this dialect.
var Canonicalize = pass.CanonicalizeWith(convertPatterns)

func cleanupConversions(ctx *pass.Context, m *ir.Module) {
	pass.Greedy(ctx, m.Op, cleanup, pass.GreedyOptions{})
}

// foldConversion: a conversion to the same type goes; one of a conversion, a splat, a range or a constant becomes a new one of
// these.
func foldConversion(rw *pass.Rewriter, op *ir.Op) bool {
	src, to := op.Operand(0), op.Result(0).Type
	if src.Type == to {
		rw.Replace(op, src)
		return true
	}
	_, toDot := ttg.As[ttg.DotOp](encodingOf(op.Result(0)))
	_, fromMma := ttg.As[ttg.NvidiaMma](encodingOf(src))
	if toDot && fromMma { // the operand of a product after a product: kept whole for the lowering
		return false
	}
	def := src.Def()
	if def == nil {
		return false
	}
	if f := foldedInto[def.Def]; f != nil {
		return f(rw, op, def)
	}
	return false
}

// foldedInto says how a conversion joins the op that makes its operand.
var foldedInto map[*ir.OpDef]func(rw *pass.Rewriter, op, def *ir.Op) bool

func init() {
	foldedInto = map[*ir.OpDef]func(rw *pass.Rewriter, op, def *ir.Op) bool{
		ttg.ConvertLayout: retyped,
		tt.Splat:          retyped,
		tt.MakeRange:      retyped,
		tt.Histogram:      retyped,
		tt.Cat: func(rw *pass.Rewriter, op, def *ir.Op) bool {
			return !isExpensiveCat(def, encodingOf(op.Result(0))) && retyped(rw, op, def)
		},
		tt.Reshape:     foldIntoReshape,
		ttg.LocalLoad:  foldIntoLocalLoad,
		arith.Constant: foldIntoConstant,
	}
}

// retyped replaces op by def with op's type.
func retyped(rw *pass.Rewriter, op, def *ir.Op) bool {
	c := rw.Insert(def.Clone(nil))
	c.Result(0).Type = op.Result(0).Type
	rw.Replace(op, c.Result(0))
	return true
}

func foldIntoReshape(rw *pass.Rewriter, op, def *ir.Op) bool {
	to := op.Result(0).Type
	if !def.HasAttr("allow_reorder") || def.HasAttr("efficient_layout") || isExpensiveView(def.Operand(0).Type, to) ||
		isDotOperand(op.Operand(0)) || isDotOperand(op.Result(0)) {
		return false
	}
	return retyped(rw, op, def)
}

func isDotOperand(v *ir.Value) bool { _, ok := ttg.As[ttg.DotOp](encodingOf(v)); return ok }

// foldIntoLocalLoad loads where the load was: others may write to the buffer before the conversion.
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

// conversionOf is the conversion that makes operand i of op, or nil.
func conversionOf(op *ir.Op, i int) *ir.Op {
	if i >= op.NumOperands() {
		return nil
	}
	return op.Operand(i).DefBy(ttg.ConvertLayout)
}

func isTrivial(cvt *ir.Op) bool {
	t := tensorOf(cvt.Result(0))
	return ttglayout.Equivalent(encodingOf(cvt.Operand(0)), t.Encoding, t.Shape)
}

// reshapeOfConversion: a reshape that may reorder, or whose operand was not moved, needs no conversion before it.
func reshapeOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil {
		return false
	}
	if !isTrivial(cvt) && (!op.HasAttr("allow_reorder") || isExpensiveView(cvt.Operand(0).Type, op.Result(0).Type)) {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

func transOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	if order := orderOf(op); isSorted(order) {
		rw.Replace(op, convert(rw.Builder, op.Operand(0), encodingOf(op.Result(0))))
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

// gatherOfConversion: a gather through shared memory takes its source from any layout.
func gatherOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil || op.HasAttr("efficient_layout") {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

// histogramOfConversion: any layout will do, if the mask has it too.
func histogramOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	if op.NumOperands() > 1 {
		rw.SetOperand(op, 1, convert(rw.Builder, op.Operand(1), encodingOf(cvt.Operand(0))))
	}
	return true
}

// storeOfConversion: a tensor is stored to shared memory from any layout.
func storeOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}

// splitOfConversion: several layouts of pairs split into the same one.
func splitOfConversion(rw *pass.Rewriter, op *ir.Op) bool {
	cvt := conversionOf(op, 0)
	if cvt == nil || inferDst(op, encodingOf(cvt.Operand(0))) != encodingOf(op.Result(0)) {
		return false
	}
	rw.SetOperand(op, 0, cvt.Operand(0))
	return true
}
