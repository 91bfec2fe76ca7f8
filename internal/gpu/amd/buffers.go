package amd

import (
	"github.com/nereid-lang/nereid/internal/dialect/amdg"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// LowerAMD replaces the operations of AMD's dialect, which Triton's TTGIR has, by those that the lowering
// knows: buffers and offsets become tensors of pointers, of which it is noted that they lie in a buffer, a
// transposition within threads is a conversion, and hints to the scheduler go.
//
//	%v = amdg.buffer_load %p[%o], %m    =>    %q = tt.addptr (tt.splat %p), %o
//	                                          %v = tt.load %q, %m {nereid.buffer}
var LowerAMD = pass.Pass{
	Name: "nereid-lower-amd",
	Doc:  "replace operations of AMD's dialect by those that all GPUs have",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for def, replace := range amdReplacements {
			for _, op := range ttgir.OpsOf(m.Op, def) {
				ctx.At(op)
				replace(op)
			}
		}
		return nil
	},
}

var amdReplacements = map[*ir.OpDef]func(op *ir.Op){
	amdg.BufferLoad: func(op *ir.Op) {
		b, ptr := bufferPointers(op, op.Slot(0), op.Slot(1))
		load := b.Groups(tt.Load, [][]*ir.Value{{ptr}, {op.Slot(3)}, {op.Slot(4)}}, op.ResultTypes(),
			append(cacheOf(op), ir.A(ttg.BufferAttr, ir.Unit))...)
		op.ReplaceWith(load.Result(0))
	},
	amdg.BufferStore: func(op *ir.Op) {
		b, ptr := bufferPointers(op, op.Slot(1), op.Slot(2))
		b.Groups(tt.Store, [][]*ir.Value{{ptr}, {op.Slot(0)}, {op.Slot(4)}}, nil,
			append(cacheOf(op), ir.A(ttg.BufferAttr, ir.Unit))...)
		op.Erase()
	},
	amdg.BufferAtomicRMW: func(op *ir.Op) {
		b, ptr := bufferPointers(op, op.Slot(0), op.Slot(1))
		update := b.Groups(tt.AtomicRMW, [][]*ir.Value{{ptr}, {op.Slot(2)}, {op.Slot(4)}}, op.ResultTypes(),
			ir.A("atomic_rmw_op", op.Attr("atomic_rmw_op")), ir.A("sem", op.Attr("sem")),
			ir.A("scope", op.Attr("scope")))
		op.ReplaceWith(update.Result(0))
	},
	amdg.InThreadTranspose: func(op *ir.Op) {
		op.ReplaceWith(ir.At(op).Val(ttg.ConvertLayout, op.Result(0).Type, op.Operand(0)))
	},
	amdg.SetPrio:      (*ir.Op).Erase,
	amdg.SchedBarrier: (*ir.Op).Erase,
}

// bufferPointers returns a builder before op and the pointers to a buffer's elements at offsets.
func bufferPointers(op *ir.Op, base, offsets *ir.Value) (*ir.Builder, *ir.Value) {
	b := ir.At(op)
	t := ttgir.TensorOf(offsets)
	ptrs := ir.Tensor(t.Shape, base.Type, t.Encoding)
	return b, b.Val(tt.AddPtr, ptrs, b.Val(tt.Splat, ptrs, base), offsets)
}

func cacheOf(op *ir.Op) []ir.NamedAttr {
	if a := op.Attr("cache"); a != nil {
		return []ir.NamedAttr{ir.A("cache", a)}
	}
	return nil
}
