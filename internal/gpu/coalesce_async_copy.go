package gpu

import (
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// CoalesceAsyncCopy narrows copies to shared memory to their buffer's swizzle. A thread that has 16 bytes in
// global memory of which only 8 are adjacent in the buffer would copy twice, and each time the threads of a
// warp would leave gaps: its layout gets 8 bytes for each thread.
//
//	async_copy %p, %buf : sizePerThread = [1, 16]     => %q = ttg.convert_layout %p : … sizePerThread = [1,
//	                                                  8]
//	  with swizzled_shared<{vec = 8, …}>                    async_copy %q, %buf
var CoalesceAsyncCopy = pass.Pass{
	Name: "tritongpu-coalesce-async-copy",
	Doc:  "let threads copy to shared memory what lies together there",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		var narrowed []*ir.Op
		for _, op := range opsOf(m.Op, ttg.AsyncCopy) {
			ctx.At(op)
			if enc := narrowCopy(op); enc != nil {
				b := ir.At(op)
				for i, v := range op.Operands() {
					op.SetOperand(i, convert(b, v, enc))
				}
				narrowed = append(narrowed, op)
			}
		}
		if len(narrowed) == 0 {
			return nil
		}
		axes := axisinfo.Module(m)
		for _, op := range narrowed {
			n := axes.Contiguity(op.Slot(0))
			if mask := op.Slot(2); mask != nil {
				n = min(n, axes.MaskPrefix(mask))
			}
			op.SetAttr("contiguity", ir.I32Attr(int64(n)))
		}
		return nil
	},
}

// narrowCopy returns the layout in which threads have no more adjacent elements than the buffer, or nil if
// the copy already has one.
func narrowCopy(op *ir.Op) ir.Attr {
	t := tensorOf(op.Slot(0))
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
	return machineOf(op).blocked(t.Shape, perThread, l.Order, l.CGALayout).Attr()
}
