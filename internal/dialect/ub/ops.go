// Package ub is MLIR's dialect of undefined behaviour: values that nobody may look at.
package ub

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is ub.
var Dialect = ir.NewDialect("ub", "Values and places that a correct program never depends on.")

// PoisonAttr is `#ub.poison`, the value of a poison.
var PoisonAttr = Dialect.NewAttr(ir.AttrTypeDef{
	Name:  "poison",
	Doc:   "The value of a poison.",
	Print: func(*ir.Printer, *ir.DialectAttr) {},
})

func init() {
	PoisonAttr.Parse = func(*ir.Parser) (ir.Attr, bool) { return PoisonAttr.Get(), true }
}

var poisonKind = &ir.AttrKind{
	Desc: "poison",
	Ok:   func(a ir.Attr) bool { d, ok := a.(*ir.DialectAttr); return ok && d.Def == PoisonAttr },
}

var (
	Poison = Dialect.Op(ir.OpDef{
		Name:    "poison",
		Doc:     "A value of which nothing is known; what is computed from it is poison too.",
		Traits:  ir.Pure | ir.ConstantLike,
		Results: ir.Slots("result", ir.AnyType),
		Attrs:   ir.Attrs("value", ir.DefAttr(poisonKind, PoisonAttr.Get())),
		Format:  "attr-dict (`<` $value^ `>`)? `:` type($result)",
	})
	Unreachable = Dialect.Op(ir.OpDef{
		Name:   "unreachable",
		Doc:    "Ends a block that control never reaches the end of.",
		Traits: ir.Terminator,
		Format: "attr-dict",
	})
)
