package tt

import "github.com/nereid-lang/nereid/internal/ir"

// Matrix products.
var (
	Dot = Dialect.Op(ir.OpDef{
		Name:     "dot",
		Doc:      "The matrix product of a and b, plus c.",
		Traits:   pure,
		Operands: ir.Slots("a", FpInts, "b", FpInts, "c", FpInts),
		Results:  ir.Slots("d", FpInts),
		Attrs: ir.Attrs("inputPrecision", ir.DefAttr(PrecisionKind, ir.I32Attr(PrecisionIEEE)),
			"maxNumImpreciseAcc", ir.DefAttr(ir.AnyI32, ir.I32Attr(0))),
		Types: []ir.TypeRule{{From: "d", To: "c"}, {From: "c", To: "d"}},
		Format: "$a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` " +
			"type($b) `->` type($d)",
	})
	DotScaled = Dialect.Op(ir.OpDef{
		Name: "dot_scaled",
		Doc: "The matrix product of a and b in microscaled formats, each block of elements times its " +
			"scale, plus c.",
		Traits: pure | ir.SegmentedOperands,
		Operands: ir.Slots("a", ScaleElems, "b", ScaleElems, "c", Floats, "a_scale", ir.Optional(ScaleElems),
			"b_scale", ir.Optional(ScaleElems)),
		Results: ir.Slots("d", Floats),
		Attrs: ir.Attrs("a_elem_type", ScaleKind, "b_elem_type", ScaleKind, "fastMath", ir.AnyBool,
			"lhs_k_pack", ir.DefAttr(ir.AnyBool, ir.BoolAttr(true)), "rhs_k_pack",
			ir.DefAttr(ir.AnyBool, ir.BoolAttr(true))),
		Types: []ir.TypeRule{{From: "d", To: "c"}, {From: "c", To: "d"}},
		Format: "$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` " +
			"`=` $b_elem_type attr-dict `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` " +
			"type($b_scale)^)? `->` type($d)",
	})
)

// Ops whose region says how elements combine. They are written in generic form.
var (
	Reduce = Dialect.Op(ir.OpDef{
		Name:     "reduce",
		Doc:      "Reduces blocks along an axis with the function in its region.",
		Traits:   pure | ir.SameOperandsEncoding | ir.SingleBlock,
		Operands: ir.Slots("srcs", ir.Variadic(Tensor)),
		Results:  ir.Slots("result", ir.Variadic(AnyOf)),
		Attrs:    ir.Attrs("axis", ir.AnyI32),
		Regions:  []string{"combineOp"},
	})
	ReduceReturn = Dialect.Op(ir.OpDef{
		Name:     "reduce.return",
		Doc:      "Ends the region of a reduce with the combined values.",
		Traits:   pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("result", ir.Variadic(ir.AnyType)),
		Format:   "$result attr-dict `:` type($result)",
	})
	Scan = Dialect.Op(ir.OpDef{
		Name:     "scan",
		Doc:      "Inclusive prefix combination of blocks along an axis with the function in its region.",
		Traits:   pure | ir.SameOperandsAndResultEncoding | ir.SameOperandsAndResultShape | ir.SingleBlock,
		Operands: ir.Slots("srcs", ir.Variadic(Tensor)),
		Results:  ir.Slots("result", ir.Variadic(Tensor)),
		Attrs:    ir.Attrs("axis", ir.AnyI32, "reverse", ir.AnyBool),
		Regions:  []string{"combineOp"},
	})
	ScanReturn = Dialect.Op(ir.OpDef{
		Name:     "scan.return",
		Doc:      "Ends the region of a scan with the combined values.",
		Traits:   pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("result", ir.Variadic(ir.AnyType)),
		Format:   "$result attr-dict `:` type($result)",
	})
	MapElementwise = Dialect.Op(ir.OpDef{
		Name: "map_elementwise",
		Doc:  "Applies the scalar function in its region to groups of pack elements.",
		Traits: base | ir.RecursiveEffects | ir.SameOperandsAndResultEncoding |
			ir.SameOperandsAndResultShape, Operands: ir.Slots("srcs", ir.Variadic(Tensor)),
		Results: ir.Slots("result", ir.Variadic(Tensor)),
		Attrs:   ir.Attrs("pack", ir.AnyI32),
		Regions: []string{"scalarOp"},
	})
	MapElementwiseReturn = Dialect.Op(ir.OpDef{
		Name:     "map_elementwise.return",
		Doc:      "Ends the region of a map_elementwise with its values.",
		Traits:   pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("result", ir.Variadic(ir.AnyType)),
		Format:   "attr-dict ($result^ `:` type($result))?",
	})
)
