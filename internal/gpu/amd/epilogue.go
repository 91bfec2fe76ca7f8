package amd

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// OptimizeEpilogue stores results of products in their own layout, which saves the way through shared memory
// to a layout with longer rows.
//
//	%y = ttg.convert_layout %x : #mma -> #blocked       %q = ttg.convert_layout %p : #blocked -> #mma
//	%z = arith.truncf %y                           =>   %z = arith.truncf %x
//	tt.store %p, %z : #blocked                          tt.store %q, %z : #mma
var OptimizeEpilogue = pass.Pass{
	Name: "tritonamdgpu-optimize-epilogue",
	Doc:  "store results of products in their own layout",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, tt.Store) {
			if ops, ok := storedProduct(op); ok {
				ctx.At(op)
				storeAsIs(op, ops)
			}
		}
		return nil
	},
}

// storedProduct returns the operations from the store's value back to the conversion of a product's result.
func storedProduct(store *ir.Op) (ops []*ir.Op, ok bool) {
	if _, ok := ttg.As[ttg.Blocked](ttgir.EncodingOf(store.Operand(0))); !ok {
		return nil, false
	}
	for v := store.Slot(1); ; v = v.Def().Operand(0) {
		def := v.Def()
		if def == nil || !v.HasOneUse() {
			return nil, false
		}
		ops = append(ops, def)
		if def.Def == ttg.ConvertLayout {
			return ops, ttg.IsMma(ttgir.EncodingOf(def.Operand(0)))
		}
		if def.NumOperands() != 1 || def.NumResults() != 1 || !layouts.OnePlace(def) || def.Effects() != 0 {
			return nil, false
		}
	}
}

// storeAsIs drops the conversion at the end of ops: the ops and the store get the layout of its operand.
func storeAsIs(store *ir.Op, ops []*ir.Op) {
	cvt := ops[len(ops)-1]
	enc := ttgir.EncodingOf(cvt.Operand(0))
	cvt.Result(0).ReplaceAllUses(cvt.Operand(0))
	for _, op := range slices.Backward(ops[:len(ops)-1]) {
		ttgir.SetEncoding(op.Result(0), enc)
	}
	b := ir.At(store)
	for i, v := range store.Operands() {
		if ttgir.EncodingOf(v) != enc {
			store.SetOperand(i, ttgir.Convert(b, v, enc))
		}
	}
	cvt.Erase()
}
