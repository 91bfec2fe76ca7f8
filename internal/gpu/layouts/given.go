package layouts

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// GivenLayouts records the machine on the module of a Gluon kernel and gives every tensor a layout: the one
// that the program names (ttg.LayoutMark), or the one that follows from those. It chooses none and converts
// none; tensors of different layouts that meet are refused.
//
//	%i = tt.make_range {end = 64, nereid.layout = #blocked} : tensor<64xi32>
//	%n = tt.splat %x : tensor<64xi32>                                          =>  all have #blocked
//	%j = arith.addi %i, %n : tensor<64xi32>
func GivenLayouts(o ttgir.Machine) pass.Pass {
	return pass.Pass{
		Name: "nereid-given-layouts",
		Doc:  "give every tensor the layout that follows from those that a Gluon program names",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			c, err := setMachine(m, o)
			if err != nil {
				return err
			}
			m.Op.SetAttr(ttg.GluonAttr, nil)
			g := given{threads: c, layouts: map[*ir.Value]ir.Attr{}}
			return g.run(ctx, m.Op)
		},
	}
}

// given is the state of GivenLayouts.
type given struct {
	threads ttgir.Threads
	layouts map[*ir.Value]ir.Attr
	changed bool
}

func (g *given) run(ctx *pass.Context, root *ir.Op) error {
	for op := range root.Ops() {
		enc := op.Attr(ttg.LayoutMark)
		if enc == nil {
			continue
		}
		ctx.At(op)
		if err := g.check(op, enc); err != nil {
			return err
		}
		op.SetAttr(ttg.LayoutMark, nil)
		g.layouts[op.Result(0)] = enc
	}
	for g.changed = true; g.changed; {
		g.changed = false
		for op := range root.Ops() {
			ctx.At(op)
			if err := g.spread(op); err != nil {
				return err
			}
		}
	}
	return g.write(ctx, root)
}

// check refuses a layout for other numbers of threads and warps than a program has.
func (g *given) check(op *ir.Op, enc ir.Attr) error {
	for {
		s, ok := ttg.As[ttg.Slice](enc)
		if !ok {
			break
		}
		enc = s.Parent
	}
	b, ok := ttg.As[ttg.Blocked](enc)
	if !ok {
		return ir.Refuse(op, "the layout %s is not one of those that programs may give here", enc)
	}
	lanes, warps := numElements(b.ThreadsPerWarp), numElements(b.WarpsPerCTA)
	if lanes != g.threads.ThreadsPerWarp || warps != g.threads.NumWarps {
		return ir.Refuse(op, "its layout is for %d threads in a warp and %d warps, but the program has %d and %d",
			lanes, warps, g.threads.ThreadsPerWarp, g.threads.NumWarps)
	}
	return nil
}

func numElements(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// spread carries layouts over one operation: from operands to what they flow to, from results to operands
// without a layout (splats and constants, which the other operand decides), and between the operands of a
// store.
func (g *given) spread(op *ir.Op) error {
	if op.Def == ttg.ConvertLayout {
		return nil
	}
	for i, v := range op.Operands() {
		enc := g.layouts[v]
		if enc == nil {
			continue
		}
		to := flowsTo(op.OperandUse(i))
		if op.Def == tt.Load { // propagation starts anew there, since loads choose their layout
			to = op.Results()
		}
		for _, v := range to {
			if err := g.set(op, v, inferDst(op, enc)); err != nil {
				return err
			}
		}
		if op.Def == tt.Store {
			if err := g.toOperands(op, enc); err != nil {
				return err
			}
		}
	}
	for _, r := range op.Results() {
		if enc := g.layouts[r]; enc != nil && len(op.Regions()) == 0 {
			if err := g.toOperands(op, inferSrc(op, enc)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *given) toOperands(op *ir.Op, enc ir.Attr) error {
	for _, v := range op.Operands() {
		if err := g.set(op, v, enc); err != nil {
			return err
		}
	}
	return nil
}

// set gives a value a layout; nil means that none follows.
func (g *given) set(op *ir.Op, v *ir.Value, enc ir.Attr) error {
	if ttgir.TensorOf(v) == nil || enc == nil {
		return nil
	}
	switch was := g.layouts[v]; was {
	case enc:
		return nil
	case nil:
		g.layouts[v], g.changed = enc, true
		return nil
	default:
		return ir.Refuse(op, "layouts of its tensors differ: %s and %s; gl.convert_layout makes one of the other",
			was, enc)
	}
}

// write gives all tensors their types.
func (g *given) write(ctx *pass.Context, root *ir.Op) error {
	typed := func(op *ir.Op, v *ir.Value) error {
		t := ttgir.TensorOf(v)
		if t == nil || t.Rank() == 0 {
			return nil
		}
		enc := g.layouts[v]
		if enc == nil {
			ctx.At(op)
			return ir.Refuse(op, "no layout follows for its tensor of shape %v", t.Shape)
		}
		ttgir.SetType(v, t.WithEncoding(enc))
		return nil
	}
	for op := range root.Ops() {
		for _, r := range op.Results() {
			if err := typed(op, r); err != nil {
				return err
			}
		}
		for _, region := range op.Regions() {
			for b := range region.Blocks() {
				for _, a := range b.Args() {
					if err := typed(op, a); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
