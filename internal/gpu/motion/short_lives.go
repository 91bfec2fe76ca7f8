package motion

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ShortLives moves arithmetic and conversions across products where that leaves fewer registers taken during
// the products:
//
//	%g = tt.load %p                            %g = tt.load %p
//	%h = ttg.convert_layout %g                 %c = tt.dot %a, %b, %zero
//	%c = tt.dot %a, %b, %zero            =>    %t = arith.truncf %c
//	%d = tt.dot %e, %f, %zero                  %d = tt.dot %e, %f, %zero
//	%t = arith.truncf %c                       %h = ttg.convert_layout %g
//	%s = arith.subf %g, %h                     %s = arith.subf %g, %h
//
// The assembler keeps the order of what needs barriers, as conversions do, and moves little over them.
var ShortLives = pass.Pass{
	Name: "nereid-gpu-short-lives",
	Doc:  "move arithmetic over products where that saves registers",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		var blocks []*ir.Block
		for _, dot := range ttgir.OpsOf(m.Op, tt.Dot) {
			if b := dot.Block(); !slices.Contains(blocks, b) {
				blocks = append(blocks, b)
			}
		}
		for _, b := range blocks {
			shortenLives(b)
		}
		return nil
	},
}

// shortenLives moves the ops of a block: first those whose results take more registers than their operands
// down, users before what they use, then those whose results take fewer up.
func shortenLives(b *ir.Block) {
	ops := slices.DeleteFunc(slices.Collect(b.Ops()), func(op *ir.Op) bool { return !mayMove(op) })
	for _, op := range slices.Backward(ops) {
		if end := ttgir.FirstUse(op); end != nil && productBetween(op, end) && takesMore(op, end) {
			op.MoveBefore(end)
		}
	}
	for _, op := range ops {
		if start := lastDef(op); start != nil && productBetween(start, op) && takesFewer(op) {
			op.MoveAfter(start)
		}
	}
}

// mayMove reports whether op computes a tensor of floats and can be computed anywhere.
func mayMove(op *ir.Op) bool {
	return op.IsPure() && len(op.Regions()) == 0 && op.NumResults() == 1 && !layouts.IsProduct(op) &&
		op.Def != arith.Constant && op.Def != tt.Splat && !isSpread(op) &&
		ttgir.TensorOf(op.Result(0)) != nil && ir.IsFloat(ir.ElemOf(op.Result(0).Type))
}

// productBetween reports whether there is a product between two ops of a block.
func productBetween(a, b *ir.Op) bool {
	for op := a.Next(); op != nil && op != b; op = op.Next() {
		if layouts.IsProduct(op) || len(op.Regions()) > 0 && containsProduct(op) {
			return true
		}
	}
	return false
}

func containsProduct(op *ir.Op) bool { return len(ttgir.OpsOf(op, tt.Dot)) > 0 }

// takesMore reports whether the result of op takes more registers than the operands that would live for
// longer if op moved down to end.
func takesMore(op, end *ir.Op) bool {
	more := 0
	for _, v := range sources(op) {
		if takesRegisters(v) && endsBefore(v, end, op) {
			more += ttgir.WordsOf(v)
		}
	}
	return ttgir.WordsOf(op.Result(0)) > more
}

// endsBefore reports whether no op but op needs v at end or later. What comes from outside of end's block
// lives on in any case.
func endsBefore(v *ir.Value, end, op *ir.Op) bool {
	if v.Def() == nil || v.Def().Block() != end.Block() {
		return false
	}
	for u := range v.Users() {
		a := ttgir.AncestorIn(end.Block(), u)
		switch {
		case u == op:
		case isSpread(u) && a == u:
			if !endsBefore(u.Result(0), end, op) {
				return false
			}
		case a == nil || !a.Before(end):
			return false
		}
	}
	return true
}

// takesFewer reports whether the result of op takes fewer registers than the operands whose last use it is.
func takesFewer(op *ir.Op) bool {
	fewer := 0
	for _, v := range sources(op) {
		if takesRegisters(v) && endsBefore(v, op, op) {
			fewer += ttgir.WordsOf(v)
		}
	}
	return ttgir.WordsOf(op.Result(0)) < fewer
}

// takesRegisters reports whether v is a tensor that is computed, not a constant that is part of instructions.
func takesRegisters(v *ir.Value) bool {
	def := v.Def()
	return ttgir.TensorOf(v) != nil && (def == nil || def.Def != arith.Constant && def.Def != tt.Splat)
}

// lastDef returns the last op of op's block that defines one of its operands, nil if there is none.
func lastDef(op *ir.Op) (last *ir.Op) {
	for _, v := range op.Operands() {
		if def := v.Def(); def != nil && def.Block() == op.Block() && (last == nil || last.Before(def)) {
			last = def
		}
	}
	return last
}

// sources returns the tensors in whose registers the operands of op are.
func sources(op *ir.Op) (out []*ir.Value) {
	for _, v := range op.Operands() {
		for def := v.Def(); def != nil && isSpread(def); def = v.Def() {
			v = def.Operand(0)
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// isSpread reports whether op repeats its operand along a dimension: its result is in the registers of its
// operand.
func isSpread(op *ir.Op) bool { return op.Def == tt.Broadcast || op.Def == tt.ExpandDims }
