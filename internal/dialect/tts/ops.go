// Package tts is a dialect of structured accesses to memory, between Triton's tensors of pointers and
// buffers: a block of memory is described by a base pointer and, for each dimension, a size, a stride and an
// offset. The operations have the names and the text of triton-shared's dialect tts.
//
// Element i0, i1, … of a described block lies at base plus, for each dimension d, in elements:
//
//	offsets[d] + i_d * strides[d]                   where shape[d] is zero
//	(offsets[d] + i_d * strides[d]) rem shape[d]    elsewhere; strides[d] divides offsets[d] and shape[d]
//	gather_scatter_offset[i_d] * strides[d]         in the dimension of a make_gather_scatter_tptr
//
// A mask is a length along each dimension: an access touches the elements whose indices are all below.
// Lists of strides, offsets and lengths are partly constants: package indexlist has the way to them.
package tts

import (
	_ "github.com/nereid-lang/nereid/internal/dialect/indexlist" // the directive in the formats
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is tts.
var Dialect = ir.NewDialect("tts", "Blocks of memory that are described by sizes, strides and offsets.")

var (
	indices = ir.Variadic(ir.IndexOnly)
	mask    = ir.Optional(tt.BoolLike)
	block   = ir.Either(tt.PtrLike, tt.TensorPtr)
	offset  = ir.Constraint{Desc: "1D tensor of i32 or i64 values", Ok: func(t ir.Type) bool {
		x, ok := t.(*ir.TensorType)
		return ok && !x.Unranked && x.Rank() == 1 && (x.Elem == ir.I32 || x.Elem == ir.I64)
	}}
)

// Lists of an operation on a described block: the constants among them, and the ir.Dynamic of the others.
const (
	StaticStrides = "static_strides"
	StaticOffsets = "static_offsets"
	StaticShape   = "static_shape"
	StaticMask    = "static_mask_dims"
)

const (
	stridesFormat = "`strides` `` `:` custom<DynamicIndexList>($strides, $static_strides) `` `,` "
	offsetsFormat = "`offsets` `` `:` custom<DynamicIndexList>($offsets, $static_offsets) "
)

// Descriptions.
var (
	MakeTPtr = Dialect.Op(ir.OpDef{
		Name: "make_tptr",
		Doc: "Describes a block of memory. Without an order, shape is where addresses wrap around, zero " +
			"for nowhere; with one, it is the shape of the tensor that the block is part of.",
		Traits:   ir.Pure | ir.SegmentedOperands,
		Operands: ir.Slots("base", tt.AnyPtr, "strides", indices, "offsets", indices, "shape", indices),
		Results:  ir.Slots("result", block),
		Attrs: ir.Attrs("sizes", ir.I64s, StaticStrides, ir.I64s, StaticOffsets, ir.I64s, StaticShape,
			ir.I64s, "order", ir.I32s),
		Format: "$base `to` `sizes` `` `:` $sizes `` `,` " + stridesFormat + offsetsFormat + "`` `,` " +
			"`shape` `` `:` custom<DynamicIndexList>($shape, $static_shape) `` `,` " +
			"`order` `` `:` $order attr-dict `:` " +
			"type($base) `to` type($result)",
	})
	MakeGatherScatterTPtr = Dialect.Op(ir.OpDef{
		Name: "make_gather_scatter_tptr",
		Doc: "Describes a block of memory that is even along all dimensions but one, for which a tensor " +
			"has the offsets and, where given, another says which of them to access.",
		Traits: ir.Pure | ir.SegmentedOperands,
		Operands: ir.Slots("base", tt.AnyPtr, "gather_scatter_offset", offset, "strides", indices, "offsets",
			indices, "gather_scatter_mask", mask),
		Results: ir.Slots("result", block),
		Attrs: ir.Attrs("gather_scatter_dim", ir.AnyI32, "sizes", ir.I64s, StaticStrides, ir.I64s,
			StaticOffsets, ir.I64s),
		Format: "$base `to` `sizes` `` `:` $sizes `gather_scatter_dim` `` `:` $gather_scatter_dim " +
			"`gather_scatter_offset` `` `:` $gather_scatter_offset " +
			"(`gather_scatter_mask` `` `:` $gather_scatter_mask^)? `` `,` " + stridesFormat + offsetsFormat +
			"attr-dict `:` type($gather_scatter_offset) type($gather_scatter_mask) type($base) `to` " +
			"type($result)",
	})
)

// Accesses of described blocks. They have no short form, as in triton-shared.
var (
	Load = Dialect.Op(ir.OpDef{
		Name:     "load",
		Doc:      "Loads a described block; outside the mask the elements are other, or undefined.",
		Traits:   ir.Reads | ir.SegmentedOperands,
		Operands: ir.Slots("ptr", block, "mask_dims", indices, "other", ir.Optional(tt.AnyOf)),
		Results:  ir.Slots("result", tt.Tensor),
		Attrs:    ir.Attrs(StaticMask, ir.I64s),
	})
	Store = Dialect.Op(ir.OpDef{
		Name:     "store",
		Doc:      "Stores a described block, within the mask.",
		Traits:   ir.Writes,
		Operands: ir.Slots("ptr", block, "value", tt.Tensor, "mask_dims", indices),
		Attrs:    ir.Attrs(StaticMask, ir.I64s),
	})
)

// Accesses at offsets from a base, in elements.
var (
	Gather = Dialect.Op(ir.OpDef{
		Name:   "gather",
		Doc:    "Loads elements at offsets from a base; outside the mask they are other, or undefined.",
		Traits: ir.Reads | ir.SegmentedOperands,
		Operands: ir.Slots("ptr", tt.AnyPtr, "offset", tt.IntLike, "mask", mask, "other",
			ir.Optional(tt.AnyOf)),
		Results: ir.Slots("result", tt.AnyOf),
		Types:   tt.MaskedTypes("offset", "ptr"),
		Format: "$ptr `[` $offset `]` (`mask` `=` $mask^)? (`default` `=` $other^)? attr-dict `:` " +
			"`(` type($ptr) `,` type($offset) `)` `->` type($result)",
	})
	Scatter = Dialect.Op(ir.OpDef{
		Name:     "scatter",
		Doc:      "Stores elements at offsets from a base, within the mask.",
		Traits:   ir.Writes,
		Operands: ir.Slots("ptr", tt.AnyPtr, "offset", tt.IntLike, "value", tt.AnyOf, "mask", mask),
		Types:    []ir.TypeRule{{From: "offset", To: "mask", Fn: tt.MaskOf}},
		Format: "$value `into` $ptr `[` $offset `]` (`mask` `=` $mask^)? attr-dict `:` type($value) `into` ` ` " +
			"`(` type($ptr) `,` type($offset) `)`",
	})
)
