package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// transfer says how a layout passes through an op: forward returns the result's layout given the operand's,
// backward the reverse. Both return nil if no layout follows.
type transfer struct {
	forward, backward func(op *ir.Op, enc ir.Attr) ir.Attr
}

// transfers holds the ops that change the layout. All other ops with one layout for all tensors pass it on.
var transfers = map[*ir.OpDef]transfer{
	tt.Reduce:     {sliceOf, parentOf},
	tt.ExpandDims: {parentOf, sliceOf},
	tt.Trans: {
		func(op *ir.Op, enc ir.Attr) ir.Attr {
			return ttglayout.Trans(enc, tensorOf(op.Operand(0)).Shape, orderOf(op))
		},
		func(op *ir.Op, enc ir.Attr) ir.Attr {
			return ttglayout.Trans(enc, tensorOf(op.Result(0)).Shape, inverse(orderOf(op)))
		},
	},
	tt.Reshape: {
		func(op *ir.Op, enc ir.Attr) ir.Attr { return reshaped(op, enc, op.Operand(0), op.Result(0)) },
		func(op *ir.Op, enc ir.Attr) ir.Attr { return reshaped(op, enc, op.Result(0), op.Operand(0)) },
	},
	tt.Join: {
		func(op *ir.Op, enc ir.Attr) ir.Attr { return ttglayout.Join(enc, tensorOf(op.Operand(0)).Shape) },
		func(op *ir.Op, enc ir.Attr) ir.Attr { return ttglayout.Split(enc, tensorOf(op.Result(0)).Shape) },
	},
	tt.Split: {
		func(op *ir.Op, enc ir.Attr) ir.Attr { return ttglayout.Split(enc, tensorOf(op.Operand(0)).Shape) },
		func(op *ir.Op, enc ir.Attr) ir.Attr { return ttglayout.Join(enc, tensorOf(op.Result(0)).Shape) },
	},
	ttg.Fp4ToFp: {
		func(op *ir.Op, enc ir.Attr) ir.Attr {
			return ttglayout.Unpack(enc, tensorOf(op.Operand(0)).Shape, int(op.IntOr("axis", 0)))
		},
		func(op *ir.Op, enc ir.Attr) ir.Attr {
			return ttglayout.Pack(enc, tensorOf(op.Result(0)).Shape, int(op.IntOr("axis", 0)))
		},
	},
	tt.Scan:   {onlyBlocked, onlyBlocked}, // the lowering of scans knows no other
	tt.Gather: {unchanged, unchanged},     // layout of the indices; the source may have any
}

func sliceOf(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttg.Slice{Dim: op.IntOr("axis", 0), Parent: enc}.Attr()
}

func parentOf(op *ir.Op, enc ir.Attr) ir.Attr {
	if s, ok := ttg.As[ttg.Slice](enc); ok && s.Dim == op.IntOr("axis", 0) {
		return s.Parent
	}
	return nil
}

func orderOf(op *ir.Op) []int64 { return op.Attr("order").(*ir.DenseArrayAttr).Values }

func inverse(order []int64) []int64 {
	out := make([]int64, len(order))
	for i, d := range order {
		out[d] = int64(i)
	}
	return out
}

func reshaped(op *ir.Op, enc ir.Attr, from, to *ir.Value) ir.Attr {
	if op.HasAttr("allow_reorder") {
		return nil
	}
	return ttglayout.Reshape(enc, tensorOf(from).Shape, tensorOf(to).Shape)
}

func onlyBlocked(_ *ir.Op, enc ir.Attr) ir.Attr {
	if _, ok := ttg.As[ttg.Blocked](enc); ok {
		return enc
	}
	return nil
}

func unchanged(_ *ir.Op, enc ir.Attr) ir.Attr { return enc }

// onePlace reports whether all tensors of an op have the same layout.
func onePlace(op *ir.Op) bool {
	return op.Def.Has(ir.SameOperandsAndResultEncoding) || op.Def.Has(ir.Elementwise)
}

// inferDst returns the layout of op's results given that of an operand, or nil if it does not follow.
func inferDst(op *ir.Op, enc ir.Attr) ir.Attr {
	if t, ok := transfers[op.Def]; ok {
		return t.forward(op, enc)
	}
	switch op.Def {
	case tt.Load, scf.While, scf.For, scf.Yield, scf.Condition, ttng.WarpGroupDotWait:
		return enc
	}
	if onePlace(op) {
		return enc
	}
	return nil
}

// inferSrc returns the layout of op's operands given that of the results, or nil if it does not follow.
func inferSrc(op *ir.Op, enc ir.Attr) ir.Attr {
	if t, ok := transfers[op.Def]; ok {
		return t.backward(op, enc)
	}
	switch op.Def {
	case tt.Load, scf.While, scf.Yield, scf.Condition, ttng.WarpGroupDotWait:
		return enc
	}
	if onePlace(op) {
		return enc
	}
	return nil
}

// isExpensiveAccess reports whether a load or store deserves its own layout. With fewer elements than threads
// it does not: every thread can load its element at little cost.
func isExpensiveAccess(op *ir.Op) bool {
	ptr := op.Operand(0)
	if tt.IsTensorPtr(ptr.Type) {
		return true
	}
	t := tensorOf(ptr)
	if t == nil || t.NumElements() == 1 {
		return false
	}
	m := machineOf(op)
	return t.NumElements() >= m.numWarps*m.threadsPerWarp
}

// foldsConversion lists ops that can produce their result in any layout.
var foldsConversion = []*ir.OpDef{arith.Constant, tt.MakeRange, tt.Splat, tt.Histogram, ttg.LocalAlloc, ttg.LocalLoad, ttg.LocalStore}

// canFoldConversion reports whether a conversion of op's result to enc can become part of op.
func canFoldConversion(op *ir.Op, enc ir.Attr) bool {
	switch op.Def {
	case tt.Cat:
		return !isExpensiveCat(op, enc)
	case ttg.ConvertLayout:
		if _, mma := ttg.As[ttg.NvidiaMma](enc); mma {
			return encodingOf(op.Operand(0)) == enc
		}
		return true
	case tt.Reshape:
		return op.HasAttr("allow_reorder") && !op.HasAttr("efficient_layout") &&
			!isExpensiveView(op.Operand(0).Type, tensorOf(op.Result(0)).WithEncoding(enc))
	}
	return slices.Contains(foldsConversion, op.Def)
}

// isExpensiveCat reports whether enc has too few registers for both operands of a cat.
func isExpensiveCat(op *ir.Op, enc ir.Attr) bool {
	t := tensorOf(op.Result(0))
	return elemsPerThread(t.WithEncoding(enc)) < elemsPerThread(t)
}

// isExpensiveView reports whether two types of a view differ in their registers or copies in each thread.
func isExpensiveView(src, dst ir.Type) bool {
	a, errA := ttglayout.Of(src)
	b, errB := ttglayout.Of(dst)
	if errA != nil || errB != nil {
		return true
	}
	return !slices.Equal(a.FreeVariables(), b.FreeVariables()) || a.InSize("register") != b.InSize("register")
}

// isView reports whether op only reshapes its operand.
func isView(op *ir.Op) bool {
	switch op.Def {
	case tt.ExpandDims, tt.Reshape, tt.Trans, tt.Join, tt.Split:
		return true
	}
	return false
}
