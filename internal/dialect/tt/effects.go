package tt

import "github.com/nereid-lang/nereid/internal/ir"

var _ = Dialect.Effects(map[*ir.OpDef]ir.EffectsFunc{
	Load:              loadEffects,
	ExternElementwise: unlessPure,
	InlineAsm:         unlessPure,
})

var _ = Dialect.Speculation(map[*ir.OpDef]ir.SpeculateFunc{
	ExternElementwise: markedPure,
	InlineAsm:         markedPure,
})

// loadEffects: a volatile load must neither go nor move, so it counts as a write.
func loadEffects(op *ir.Op) ir.Effect {
	if IsVolatile(op) {
		return ir.EffRead | ir.EffWrite
	}
	return ir.EffRead
}

// IsVolatile reports whether a load is made as often, and where, the kernel says.
func IsVolatile(load *ir.Op) bool { return load.IntOr("isVolatile", 0) != 0 }

func markedPure(op *ir.Op) bool { return op.IntOr("pure", 0) != 0 }

func unlessPure(op *ir.Op) ir.Effect {
	if markedPure(op) {
		return 0
	}
	return ir.EffRead | ir.EffWrite
}
