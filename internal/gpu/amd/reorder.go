package amd

import (
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/motion"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// HoistLayoutConversions moves conversions to operands of products out of loops that do not compute what is
// converted: the query of attention stays in registers.
var HoistLayoutConversions = pass.Pass{
	Name: "tritonamdgpu-hoist-layout-conversions",
	Doc:  "convert operands of products before the loop where they are known",
	Run: func(_ *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, ttg.ConvertLayout) {
			def, loop := op.Operand(0).Def(), op.ParentOf(scf.For)
			if layouts.IsDotOperand(op.Result(0)) && def != nil && loop != nil &&
				!def.Block().IsInside(loop) {
				op.MoveAfter(def)
			}
		}
		return nil
	},
}

// ReorderAMD is ReorderInstructions for AMD's GPUs, which have registers enough to keep what was loaded
// from a buffer. In loops of one product, the second load comes right ahead of the product, so that it is
// issued while the matrix cores work.
var ReorderAMD = pass.Pass{
	Name: "tritonamdgpu-reorder-instructions",
	Doc:  "move conversions and loads to where they cost least on AMD's GPUs",
	Run: func(_ *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, ttg.ConvertLayout) {
			if layouts.IsDotOperand(op.Result(0)) {
				motion.SinkIntoLoop(op)
			}
		}
		motion.SinkBehindReleases(m.Op)
		motion.HoistPermutations(m.Op)
		for _, loop := range ttgir.ForLoops(m.Op) {
			delaySecondLoad(loop)
		}
		return nil
	},
}

// delaySecondLoad moves the second of two loads of large tiles behind the reads of shared memory.
func delaySecondLoad(loop *ir.Op) {
	var loads, products []*ir.Op
	for op := range ttgir.Body(loop) {
		switch op.Def {
		case tt.Load:
			loads = append(loads, op)
		case tt.Dot:
			products = append(products, op)
		case scf.For, scf.While:
			return
		}
	}
	if len(loads) != 2 || len(products) != 1 || !areLargeTiles(loads) {
		return
	}
	load, product := loads[1], products[0]
	use := ttgir.FirstUse(load)
	if use == nil || !product.Before(use) || !load.Before(product) || motion.WritesBetween(load, product) {
		return
	}
	load.MoveBefore(product)
}

// areLargeTiles reports whether two loads are of a product's operands that have 128 rows and columns, and 64
// elements along k.
func areLargeTiles(loads []*ir.Op) bool {
	a, b := ttgir.TensorOf(loads[0].Result(0)), ttgir.TensorOf(loads[1].Result(0))
	return a != nil && b != nil && a.Rank() == 2 && b.Rank() == 2 &&
		a.Shape[0] >= 128 && a.Shape[1] >= 64 && b.Shape[1] >= 128
}
