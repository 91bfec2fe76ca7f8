package scf

import "github.com/nereid-lang/nereid/internal/ir"

// NewFor makes a loop with an empty body; the caller fills that and ends it with a Yield.
func NewFor(b *ir.Builder, lb, ub, step *ir.Value, inits []*ir.Value) *ir.Op {
	ts := typesOf(inits)
	body := ir.NewBlock(append([]ir.Type{lb.Type}, ts...)...)
	return b.Create(ir.State{
		Def:      For,
		Operands: append([]*ir.Value{lb, ub, step}, inits...),
		Results:  ts,
		Regions:  []*ir.Region{ir.NewRegion(body)},
	})
}

// NewWhile makes a while with empty regions; the first takes the inits, the second the results.
func NewWhile(b *ir.Builder, inits []*ir.Value, results []ir.Type) *ir.Op {
	return b.Create(ir.State{
		Def:      While,
		Operands: inits,
		Results:  results,
		Regions: []*ir.Region{ir.NewRegion(ir.NewBlock(typesOf(inits)...)),
			ir.NewRegion(ir.NewBlock(results...))},
	})
}

// NewIf makes an if with empty regions, the second one absent unless withElse.
func NewIf(b *ir.Builder, cond *ir.Value, results []ir.Type, withElse bool) *ir.Op {
	otherwise := ir.NewRegion()
	if withElse {
		otherwise.Append(ir.NewBlock())
	}
	return b.Create(ir.State{
		Def:      If,
		Operands: []*ir.Value{cond},
		Results:  results,
		Regions:  []*ir.Region{ir.NewRegion(ir.NewBlock()), otherwise},
	})
}

// MakeYield ends the block at b with the given values.
func MakeYield(b *ir.Builder, vs ...*ir.Value) *ir.Op { return b.Op(Yield, vs, nil) }

// Parts of a For.

func LowerBound(op *ir.Op) *ir.Value { return op.Operand(0) }
func UpperBound(op *ir.Op) *ir.Value { return op.Operand(1) }
func Step(op *ir.Op) *ir.Value       { return op.Operand(2) }

// Inits are the first values of what a For carries.
func Inits(op *ir.Op) []*ir.Value { return op.Operands()[3:] }

// IV is the counter of a For, IterArgs what it carries, inside its body.
func IV(op *ir.Op) *ir.Value         { return op.Body(0).Arg(0) }
func IterArgs(op *ir.Op) []*ir.Value { return op.Body(0).Args()[1:] }
