package tt

import "github.com/nereid-lang/nereid/internal/ir"

// Ops that make blocks, or give them another shape.
var (
	MakeRange = Dialect.Op(ir.OpDef{
		Name:    "make_range",
		Doc:     "The integers from start up to, without, end.",
		Traits:  pure,
		Results: ir.Slots("result", Ints),
		Attrs:   ir.Attrs("start", ir.AnyI32, "end", ir.AnyI32),
		Format:  "attr-dict `:` type($result)",
	})
	Splat = Dialect.Op(ir.OpDef{
		Name:     "splat",
		Doc:      "A block with a scalar in every place.",
		Traits:   pure | ir.SameOperandsAndResultElem | ir.SameOperandsAndResultEncoding,
		Operands: ir.Slots("src", AnyOf),
		Results:  ir.Slots("result", Tensor),
		Format:   castFormat,
	})
	Unsplat = Dialect.Op(ir.OpDef{
		Name:     "unsplat",
		Doc:      "The only element of a block.",
		Traits:   pure,
		Operands: ir.Slots("src", Tensor),
		Results:  ir.Slots("result", AnyOf),
		Types:    []ir.TypeRule{{From: "src", To: "result", Fn: ir.ElemOf}},
		Format:   "$src attr-dict `:` type($src)",
	})
	ExpandDims = Dialect.Op(ir.OpDef{
		Name:     "expand_dims",
		Doc:      "Adds a dimension of size one.",
		Traits:   pure | ir.View | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("src", Tensor),
		Results:  ir.Slots("result", Tensor),
		Attrs:    ir.Attrs("axis", ir.AnyI32),
		Format:   castFormat,
	})
	Reshape = Dialect.Op(ir.OpDef{
		Name:     "reshape",
		Doc:      "Gives a block another shape; with allow_reorder the elements may change places.",
		Traits:   pure | ir.View | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("src", Tensor),
		Results:  ir.Slots("result", Tensor),
		Attrs: ir.Attrs("allow_reorder", ir.OptAttr(ir.AnyUnit), "efficient_layout",
			ir.OptAttr(ir.AnyUnit)),
		Format: "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? " +
			"attr-dict `:` type($src) `->` type($result)",
	})
	Broadcast = Dialect.Op(ir.OpDef{
		Name:     "broadcast",
		Doc:      "Repeats a block along its dimensions of size one.",
		Traits:   pure | ir.View | ir.SameOperandsAndResultElem | ir.SameOperandsAndResultEncoding,
		Operands: ir.Slots("src", Tensor),
		Results:  ir.Slots("result", Tensor),
		Format:   castFormat,
	})
	Cat = Dialect.Op(ir.OpDef{
		Name:     "cat",
		Doc:      "Puts two blocks together, in an order of elements that is not specified.",
		Traits:   base | ir.NoEffects | ir.SameTypeOperands | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("lhs", Tensor, "rhs", Tensor),
		Results:  ir.Slots("result", Tensor),
		Format:   "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)",
	})
	Join = Dialect.Op(ir.OpDef{
		Name:     "join",
		Doc:      "Puts two blocks together along a new last dimension.",
		Traits:   pure | ir.SameTypeOperands,
		Operands: ir.Slots("lhs", Tensor, "rhs", Tensor),
		Results:  ir.Slots("result", Tensor),
		Format:   "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)",
	})
	Split = Dialect.Op(ir.OpDef{
		Name:     "split",
		Doc:      "Takes a block apart along its last dimension, which has size two.",
		Traits:   pure,
		Operands: ir.Slots("src", Tensor),
		Results:  ir.Slots("outLHS", Tensor, "outRHS", Tensor),
		Types:    []ir.TypeRule{{From: "outLHS", To: "outRHS"}},
		Format:   "$src attr-dict `:` type($src) `->` type($outLHS)",
	})
	Trans = Dialect.Op(ir.OpDef{
		Name:     "trans",
		Doc:      "Permutes the dimensions of a block.",
		Traits:   pure | ir.View | ir.Permutes | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("src", Tensor),
		Results:  ir.Slots("result", Tensor),
		Attrs:    ir.Attrs("order", ir.I32s),
		Format:   castFormat,
	})
	Gather = Dialect.Op(ir.OpDef{
		Name:     "gather",
		Doc:      "Picks elements of a block along an axis by a block of indices.",
		Traits:   pure,
		Operands: ir.Slots("src", Tensor, "indices", Ints),
		Results:  ir.Slots("result", Tensor),
		Attrs:    ir.Attrs("axis", ir.AnyI32, "efficient_layout", ir.OptAttr(ir.AnyUnit)),
		Format:   "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)",
	})
	Histogram = Dialect.Op(ir.OpDef{
		Name:     "histogram",
		Doc:      "Counts how often each of the integers from zero occurs.",
		Traits:   pure,
		Operands: ir.Slots("src", Ints, "mask", ir.Optional(BoolLike)),
		Results:  ir.Slots("result", Ints),
		Types:    []ir.TypeRule{{From: "src", To: "mask", Fn: MaskOf}},
		Format:   "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)",
	})
)
