package pipeline

import (
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// CoalesceAsyncCopy narrows copies to shared memory to their buffer's swizzle. A thread that has 16 bytes in
// global memory of which only 8 are adjacent in the buffer would copy twice, and each time the threads of a
// warp would leave gaps: its layout gets 8 bytes for each thread.
//
//	async_copy %p, %buf : sizePerThread = [1, 16]   =>   %q = ttg.convert_layout %p : sizePerThread = [1, 8]
//	  with swizzled_shared<{vec = 8}>                    async_copy %q, %buf
//
// It also spreads copies over the threads. The layout of a vector that meets the rows or columns of a product
// repeats the vector in many threads, each of which would compute many addresses and masks for one copy:
//
//	async_copy %p, %buf : slice<{dim = 0, #mma}>    =>   %q = ttg.convert_layout %p : sizePerThread = [1]
//	                                                     async_copy %q, %buf
var CoalesceAsyncCopy = pass.Pass{
	Name: "tritongpu-coalesce-async-copy",
	Doc:  "let threads copy to shared memory what lies together there",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		var narrowed []*ir.Op
		for _, op := range ttgir.OpsOf(m.Op, ttg.AsyncCopy) {
			ctx.At(op)
			if enc := narrowCopy(op); enc != nil {
				convertOperands(op, enc)
				narrowed = append(narrowed, op)
			} else if spreadCopy(op) {
				narrowed = append(narrowed, op)
			}
		}
		if len(narrowed) == 0 {
			return nil
		}
		axes := axisinfo.Module(m)
		for _, op := range narrowed {
			op.SetAttr("contiguity", ir.I32Attr(int64(copyWidth(axes, op.Slot(0), op.Slot(2)))))
		}
		return nil
	},
}

// narrowCopy returns the layout in which threads have no more adjacent elements than the buffer, or nil if
// the copy already has one.
func narrowCopy(op *ir.Op) ir.Attr {
	t := ttgir.TensorOf(op.Slot(0))
	m, _ := ttg.MemDescOf(op.Slot(1).Type)
	l, blocked := ttg.As[ttg.Blocked](t.Encoding)
	if _, ok := ttg.As[ttg.Swizzled](m.Encoding); !ok || !blocked {
		return nil
	}
	elem := m.Elem
	n := int64(copyBytes(t.With(elem), m.Encoding) * 8 / ir.BitWidth(elem))
	ll, err := ttglayout.Of(t)
	if err != nil {
		return nil
	}
	perThread := make([]int64, t.Rank())
	for d, s := range ll.ContigPerThread() {
		perThread[d] = int64(s)
	}
	if n == 0 || perThread[l.Order[0]] <= n {
		return nil
	}
	perThread[l.Order[0]] = n
	return ttgir.ThreadsOf(op).Blocked(t.Shape, perThread, l.Order, l.CGALayout).Attr()
}

// convertOperands converts all tensor operands of op to layout enc.
func convertOperands(op *ir.Op, enc ir.Attr) {
	b := ir.At(op)
	for i, v := range op.Operands() {
		op.SetOperand(i, ttgir.Convert(b, v, enc))
	}
}

// spreadCopy gives the asynchronous copy of a short vector a layout in which each element is copied by one
// thread, with one instruction. It does so if threads repeat each other's copies in the present layout,
// and if addresses and mask are cheaper to compute in the new one. It reports whether it changed the
// layout.
func spreadCopy(op *ir.Op) bool {
	t := ttgir.TensorOf(op.Slot(0))
	m := ttgir.ThreadsOf(op)
	if t.Rank() != 1 || m.NumCTAs != 1 {
		return false
	}
	perThread := op.IntOr("contiguity", 1)
	if int64(ttgir.ElemsPerThread(t)) <= perThread ||
		t.NumElements() > perThread*m.NumWarps*m.ThreadsPerWarp {
		return false
	}
	was := op.Operands()
	convertOperands(op, m.Blocked(t.Shape, []int64{perThread}, []int64{0}, nil).Attr())
	if canCompute(op, was) {
		return true
	}
	for i, v := range was {
		if cvt := op.Operand(i); cvt != v {
			op.SetOperand(i, v)
			cvt.Def().Erase()
		}
	}
	return false
}

// canCompute reports whether all operands of op that were converted can be computed in their new layout at
// less cost.
func canCompute(op *ir.Op, was []*ir.Value) bool {
	r := layouts.NewRematerializer(op.ParentOf(tt.Func))
	for i, v := range was {
		if op.Operand(i) == v {
			continue
		}
		if _, ok := r.Cheaper(op.Operand(i).Def()); !ok {
			return false
		}
	}
	return true
}
