// Package tensor is MLIR's dialect of tensors as values: parts, views, and how to make them.
//
// Offsets, sizes and strides are partly constants: package indexlist has the way to them.
package tensor

import (
	_ "github.com/nereid-lang/nereid/internal/dialect/indexlist" // the directive in the formats
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is tensor.
var Dialect = ir.NewDialect("tensor", "Tensors as values: parts, views, and how to make them.")

var (
	anyTensor = ir.AnyTensor
	ranked    = ir.AnyRankedTensor
	index     = ir.IndexOnly
	indices   = ir.Variadic(ir.IndexOnly)
	indexLike = ir.Constraint{Desc: "ranked tensor of integer or index values", Ok: func(t ir.Type) bool {
		tt, ok := t.(*ir.TensorType)
		return ok && !tt.Unranked && (tt.Elem == ir.Index || ir.IsInt(tt.Elem))
	}}

	sliceAttrs = ir.Attrs("static_offsets", ir.I64s, "static_sizes", ir.I64s, "static_strides", ir.I64s)
)

const sliceFormat = "`` custom<DynamicIndexList>($offsets, $static_offsets) " +
	"custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides) " +
	"attr-dict `:` "

// named is the wish for a result's name.
func named(s string) func(*ir.Op, int) string { return func(*ir.Op, int) string { return s } }

// Making tensors.
var (
	Empty = Dialect.Op(ir.OpDef{
		Name:     "empty",
		Doc:      "A tensor of which only the shape is known.",
		Traits:   ir.Pure,
		Operands: ir.Slots("dynamicSizes", indices),
		Results:  ir.Slots("result", ranked),
		Format:   "`(` $dynamicSizes `)` attr-dict `:` type($result)",
	})
	FromElements = Dialect.Op(ir.OpDef{
		Name:       "from_elements",
		Doc:        "A tensor of the given elements, the last dimension fastest.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("elements", ir.Variadic(ir.AnyType)),
		Results:    ir.Slots("result", ranked),
		Types:      []ir.TypeRule{{From: "result", To: "elements", Fn: ir.ElemOf}},
		Format:     "$elements attr-dict `:` type($result)",
		ResultName: named("from_elements"),
	})
	Splat = Dialect.Op(ir.OpDef{
		Name:       "splat",
		Doc:        "A tensor with one value in every place.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("input", ir.AnyType, "dynamicSizes", indices),
		Results:    ir.Slots("aggregate", ranked),
		Types:      []ir.TypeRule{{From: "aggregate", To: "input", Fn: ir.ElemOf}},
		Format:     "$input (`[` $dynamicSizes^ `]`)? attr-dict `:` type($aggregate)",
		ResultName: named("splat"),
	})
	Yield = Dialect.Op(ir.OpDef{
		Name:     "yield",
		Doc:      "Ends the region of a generate or pad with the value of an element.",
		Traits:   ir.Pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("value", ir.AnyType),
		Format:   "$value attr-dict `:` type($value)",
	})
	Generate = Dialect.Op(ir.OpDef{
		Name:       "generate",
		Doc:        "A tensor whose elements the region computes from their indices.",
		Traits:     ir.RecursiveEffects | ir.SingleBlock,
		Operands:   ir.Slots("dynamicExtents", indices),
		Results:    ir.Slots("result", ranked),
		Regions:    []string{"body"},
		Format:     "$dynamicExtents $body attr-dict `:` type($result)",
		ResultName: named("generated"),
	})
)

// Casts and facts.
var (
	Cast = Dialect.Op(ir.OpDef{
		Name:       "cast",
		Doc:        "The same tensor with more or less of its shape known.",
		Traits:     ir.Pure | ir.SameOperandsAndResultElem,
		Operands:   ir.Slots("source", anyTensor),
		Results:    ir.Slots("dest", anyTensor),
		Format:     "$source attr-dict `:` type($source) `to` type($dest)",
		ResultName: named("cast"),
	})
	Bitcast = Dialect.Op(ir.OpDef{
		Name:     "bitcast",
		Doc:      "The same bits with another element type of the same width.",
		Traits:   ir.Pure,
		Operands: ir.Slots("source", anyTensor),
		Results:  ir.Slots("dest", anyTensor),
		Format:   "$source attr-dict `:` type($source) `to` type($dest)",
	})
	Dim = Dialect.Op(ir.OpDef{
		Name:       "dim",
		Doc:        "The size of a dimension.",
		Traits:     ir.NoEffects,
		Operands:   ir.Slots("source", anyTensor, "index", index),
		Results:    ir.Slots("result", index),
		Format:     "attr-dict $source `,` $index `:` type($source)",
		ResultName: named("dim"),
	})
	Rank = Dialect.Op(ir.OpDef{
		Name:       "rank",
		Doc:        "The number of dimensions.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("tensor", anyTensor),
		Results:    ir.Slots("result", index),
		Format:     "$tensor attr-dict `:` type($tensor)",
		ResultName: named("rank"),
	})
)

// Elements and slices.
var (
	Extract = Dialect.Op(ir.OpDef{
		Name:       "extract",
		Doc:        "One element.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("tensor", ranked, "indices", indices),
		Results:    ir.Slots("result", ir.AnyType),
		Types:      []ir.TypeRule{{From: "tensor", To: "result", Fn: ir.ElemOf}},
		Format:     "$tensor `[` $indices `]` attr-dict `:` type($tensor)",
		ResultName: named("extracted"),
	})
	Insert = Dialect.Op(ir.OpDef{
		Name:       "insert",
		Doc:        "A tensor with one element replaced.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("scalar", ir.AnyType, "dest", ranked, "indices", indices),
		Results:    ir.Slots("result", ranked),
		Types:      []ir.TypeRule{{From: "dest", To: "scalar", Fn: ir.ElemOf}, {From: "dest", To: "result"}},
		Format:     "$scalar `into` $dest `[` $indices `]` attr-dict `:` type($dest)",
		ResultName: named("inserted"),
	})
	ExtractSlice = Dialect.Op(ir.OpDef{
		Name:       "extract_slice",
		Doc:        "The part of a tensor at offsets, with sizes and strides.",
		Traits:     ir.Pure | ir.SegmentedOperands,
		Operands:   ir.Slots("source", ranked, "offsets", indices, "sizes", indices, "strides", indices),
		Results:    ir.Slots("result", ranked),
		Attrs:      sliceAttrs,
		Format:     "$source " + sliceFormat + "type($source) `to` type($result)",
		ResultName: named("extracted_slice"),
	})
	InsertSlice = Dialect.Op(ir.OpDef{
		Name:   "insert_slice",
		Doc:    "A tensor with the part at offsets, with sizes and strides, replaced.",
		Traits: ir.Pure | ir.SegmentedOperands,
		Operands: ir.Slots("source", ranked, "dest", ranked, "offsets", indices, "sizes", indices,
			"strides", indices),
		Results:    ir.Slots("result", ranked),
		Attrs:      sliceAttrs,
		Types:      []ir.TypeRule{{From: "dest", To: "result"}},
		Format:     "$source `into` $dest " + sliceFormat + "type($source) `into` type($dest)",
		ResultName: named("inserted_slice"),
	})
	ParallelInsertSlice = Dialect.Op(ir.OpDef{
		Name:   "parallel_insert_slice",
		Doc:    "Puts a slice into a shared output of an scf.forall.",
		Traits: ir.SegmentedOperands | ir.Writes,
		Operands: ir.Slots("source", ranked, "dest", ranked, "offsets", indices, "sizes", indices,
			"strides", indices),
		Attrs:  sliceAttrs,
		Format: "$source `into` $dest " + sliceFormat + "type($source) `into` type($dest)",
	})
	Gather = Dialect.Op(ir.OpDef{
		Name:     "gather",
		Doc:      "Elements or slices that a tensor of coordinates picks.",
		Traits:   ir.Pure,
		Operands: ir.Slots("source", ranked, "indices", indexLike),
		Results:  ir.Slots("result", ranked),
		Attrs:    ir.Attrs("gather_dims", ir.I64s, "unique", ir.OptAttr(ir.AnyUnit)),
		Format: "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? " +
			"attr-dict `:` functional-type(operands, results)",
		ResultName: named("gather"),
	})
	Scatter = Dialect.Op(ir.OpDef{
		Name:     "scatter",
		Doc:      "A tensor with the slices replaced that a tensor of coordinates picks.",
		Traits:   ir.Pure,
		Operands: ir.Slots("source", ranked, "dest", ranked, "indices", indexLike),
		Results:  ir.Slots("result", ranked),
		Attrs:    ir.Attrs("scatter_dims", ir.I64s, "unique", ir.OptAttr(ir.AnyUnit)),
		Format: "$source `into` $dest `[` $indices `]` `scatter_dims` `(` $scatter_dims `)` (`unique` " +
			"$unique^)? attr-dict `:` functional-type(operands, results)",
		ResultName: named("scatter"),
	})
)

// Shapes.
var (
	Reshape = Dialect.Op(ir.OpDef{
		Name:       "reshape",
		Doc:        "The same elements in a shape that a tensor gives.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("source", anyTensor, "shape", indexLike),
		Results:    ir.Slots("result", anyTensor),
		Format:     "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)",
		ResultName: named("reshape"),
	})
	ExpandShape = Dialect.Op(ir.OpDef{
		Name:     "expand_shape",
		Doc:      "Takes dimensions apart into groups.",
		Traits:   ir.Pure,
		Operands: ir.Slots("src", ranked, "output_shape", indices),
		Results:  ir.Slots("result", ranked),
		Attrs:    ir.Attrs("reassociation", ir.AnyArray, "static_output_shape", ir.I64s),
		Format: "$src $reassociation `output_shape` custom<DynamicIndexList>($output_shape, " +
			"$static_output_shape) attr-dict `:` type($src) `into` type($result)",
		ResultName: named("expanded"),
	})
	CollapseShape = Dialect.Op(ir.OpDef{
		Name:       "collapse_shape",
		Doc:        "Joins groups of dimensions.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("src", ranked),
		Results:    ir.Slots("result", ranked),
		Attrs:      ir.Attrs("reassociation", ir.AnyArray),
		Format:     "$src $reassociation attr-dict `:` type($src) `into` type($result)",
		ResultName: named("collapsed"),
	})
	Pad = Dialect.Op(ir.OpDef{
		Name:     "pad",
		Doc:      "A larger tensor whose new elements the region computes from their indices.",
		Traits:   ir.Pure | ir.SegmentedOperands | ir.SingleBlock,
		Operands: ir.Slots("source", ranked, "low", indices, "high", indices),
		Results:  ir.Slots("result", ranked),
		Attrs:    ir.Attrs("static_low", ir.I64s, "static_high", ir.I64s, "nofold", ir.OptAttr(ir.AnyUnit)),
		Regions:  []string{"region"},
		Format: "$source (`nofold` $nofold^)? `low` `` custom<DynamicIndexList>($low, $static_low) " +
			"`high` `` custom<DynamicIndexList>($high, $static_high) $region attr-dict `:` type($source) " +
			"`to` type($result)",
		ResultName: named("padded"),
	})
	Concat = Dialect.Op(ir.OpDef{
		Name:       "concat",
		Doc:        "Tensors put together along a dimension.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("inputs", ir.Variadic(ranked)),
		Results:    ir.Slots("result", ranked),
		Attrs:      ir.Attrs("dim", ir.AnyI64),
		Format:     "`dim` `(` $dim `)` $inputs attr-dict `:` functional-type(operands, results)",
		ResultName: named("concat"),
	})
)
