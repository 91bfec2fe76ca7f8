package layouts

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// How layouts pass through ops that change them: the rows of facts.go name these functions.

func transForward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Trans(enc, ttgir.TensorOf(op.Operand(0)).Shape, OrderOf(op))
}

func transBackward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Trans(enc, ttgir.TensorOf(op.Result(0)).Shape, inverse(OrderOf(op)))
}

func reshapeForward(op *ir.Op, enc ir.Attr) ir.Attr {
	return reshaped(op, enc, op.Operand(0), op.Result(0))
}

func reshapeBackward(op *ir.Op, enc ir.Attr) ir.Attr {
	return reshaped(op, enc, op.Result(0), op.Operand(0))
}

func joinForward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Join(enc, ttgir.TensorOf(op.Operand(0)).Shape)
}

func joinBackward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Split(enc, ttgir.TensorOf(op.Result(0)).Shape)
}

func splitForward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Split(enc, ttgir.TensorOf(op.Operand(0)).Shape)
}

func splitBackward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Join(enc, ttgir.TensorOf(op.Result(0)).Shape)
}

func unpackForward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Unpack(enc, ttgir.TensorOf(op.Operand(0)).Shape, int(op.IntOr("axis", 0)))
}

func unpackBackward(op *ir.Op, enc ir.Attr) ir.Attr {
	return ttglayout.Pack(enc, ttgir.TensorOf(op.Result(0)).Shape, int(op.IntOr("axis", 0)))
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

func OrderOf(op *ir.Op) []int64 { return op.Attr("order").(*ir.DenseArrayAttr).Values }

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
	return ttglayout.Reshape(enc, ttgir.TensorOf(from).Shape, ttgir.TensorOf(to).Shape)
}

func onlyBlocked(_ *ir.Op, enc ir.Attr) ir.Attr {
	if _, ok := ttg.As[ttg.Blocked](enc); ok {
		return enc
	}
	return nil
}

func unchanged(_ *ir.Op, enc ir.Attr) ir.Attr { return enc }

// isExpensiveAccess reports whether a load or store deserves its own layout. With fewer elements than threads
// it does not: every thread can load its element at little cost.
func isExpensiveAccess(op *ir.Op) bool {
	ptr := op.Operand(0)
	if tt.IsTensorPtr(ptr.Type) {
		return true
	}
	t := ttgir.TensorOf(ptr)
	if t == nil || t.NumElements() == 1 {
		return false
	}
	m := ttgir.ThreadsOf(op)
	return t.NumElements() >= m.NumWarps*m.ThreadsPerWarp
}

// anyLayout accepts every layout, for ops that can produce their result in any.
func anyLayout(*ir.Op, ir.Attr) bool { return true }

func catAbsorbs(op *ir.Op, enc ir.Attr) bool { return !isExpensiveCat(op, enc) }

func conversionAbsorbs(op *ir.Op, enc ir.Attr) bool {
	if _, mma := ttg.As[ttg.NvidiaMma](enc); mma {
		return ttgir.EncodingOf(op.Operand(0)) == enc
	}
	return true
}

func reshapeAbsorbs(op *ir.Op, enc ir.Attr) bool {
	return reorders(op) && !efficient(op) && !isExpensiveView(op.Operand(0).Type,
		ttgir.TensorOf(op.Result(0)).WithEncoding(enc))
}

// reorders reports whether a reshape may produce its elements in any order, and so any layout: propagation
// stops at it, and its result starts anew.
func reorders(op *ir.Op) bool { return op.HasAttr("allow_reorder") }

// efficient reports whether an op's layout was chosen for it, and must stay.
func efficient(op *ir.Op) bool { return op.HasAttr("efficient_layout") }

// isExpensiveCat reports whether enc has too few registers for both operands of a cat.
func isExpensiveCat(op *ir.Op, enc ir.Attr) bool {
	t := ttgir.TensorOf(op.Result(0))
	return ttgir.ElemsPerThread(t.WithEncoding(enc)) < ttgir.ElemsPerThread(t)
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
