package motion

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// LoadLate reads the operands of products without tensor cores from shared memory directly before the
// product, for each product anew:
//
//	%v = ttg.local_load %m                       %a = ttg.local_load %m
//	%d = tt.dot %x, %v, %zero              =>    %d = tt.dot %x, %a, %zero
//	%e = tt.dot %y, %v, %d                       %b = ttg.local_load %m
//	                                             %e = tt.dot %y, %b, %d
//
// A thread needs rows and columns of such a product over their whole length, often more numbers than it has
// registers. The assembler mixes loads and multiplications so that it never has many, but it moves no load
// over the barriers that stand between products.
var LoadLate = pass.Pass{
	Name: "nereid-gpu-load-late",
	Doc:  "read operands of products without tensor cores next to the product",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, dot := range ttgir.OpsOf(m.Op, tt.Dot) {
			loadLate(dot)
		}
		return nil
	},
}

// loadLate moves the loads of a product's operands to just before the product. A load with other users stays
// and is copied.
func loadLate(dot *ir.Op) {
	for i := range 2 {
		load := dot.Operand(i).DefBy(ttg.LocalLoad)
		if load == nil || load.Block() != dot.Block() || !multiplied(dot.Operand(i)) || changes(load, dot) {
			continue
		}
		if load.Result(0).HasOneUse() {
			load.MoveBefore(dot)
			continue
		}
		again := ir.At(dot).Insert(load.Clone(nil))
		dot.SetOperand(i, again.Result(0))
	}
}

// multiplied reports whether v is an operand of a product that each thread computes by itself.
func multiplied(v *ir.Value) bool {
	dot, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(v))
	if !ok {
		return false
	}
	_, ok = ttg.As[ttg.Blocked](dot.Parent)
	return ok
}

// changes reports whether an op between load and another one of its block may change or release the buffer
// that it reads.
func changes(load, end *ir.Op) bool {
	from := bufferRoot(load.Operand(0))
	if from == nil {
		return true
	}
	for op := load.Next(); op != end; op = op.Next() {
		for o := range op.Ops() {
			if touches(o, from) {
				return true
			}
		}
	}
	return false
}

// touches reports whether op may do something to the buffer of an allocation, besides reading it.
func touches(op, alloc *ir.Op) bool {
	if op.Def == ttg.LocalLoad || op.Def == ttg.LocalAlloc || op.IsPure() || layouts.IsProduct(op) {
		return false
	}
	for _, v := range op.Operands() {
		if root := bufferRoot(v); ttg.IsMemDesc(v.Type) && (root == nil || root == alloc) {
			return true
		}
	}
	return op.Def == tt.Call
}

// bufferRoot returns the allocation that a value is a view of, or nil if that is not known.
func bufferRoot(v *ir.Value) *ir.Op {
	for def := v.Def(); def != nil && ttg.IsMemDesc(v.Type); def = v.Def() {
		if def.Def == ttg.LocalAlloc {
			return def
		}
		if !def.IsPure() || def.NumOperands() == 0 {
			return nil
		}
		v = def.Operand(0)
	}
	return nil
}
