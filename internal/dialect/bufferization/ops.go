// Package bufferization is MLIR's dialect at the border of tensors and memrefs.
package bufferization

import "github.com/nereid-lang/nereid/internal/ir"

// Dialect is bufferization.
var Dialect = ir.NewDialect("bufferization", "The border of tensors and buffers.")

var unit = ir.OptAttr(ir.AnyUnit)

var (
	AllocTensor = Dialect.Op(ir.OpDef{
		Name:   "alloc_tensor",
		Doc:    "A tensor that will be a buffer of its own, empty or a copy.",
		Traits: ir.SegmentedOperands | ir.Allocates,
		Operands: ir.Slots("dynamic_sizes", ir.Variadic(ir.IndexOnly), "copy", ir.Optional(ir.AnyTensor),
			"size_hint", ir.Optional(ir.IndexOnly)),
		Results: ir.Slots("result", ir.AnyTensor),
		Attrs:   ir.Attrs("memory_space", ir.OptAttr(ir.AnyAttr)),
		Types:   []ir.TypeRule{{From: "result", To: "copy"}},
		Format: "`` `(` $dynamic_sizes `)` (`copy` `` `(` $copy^ `)`)? (`size_hint` `` `=` `` " +
			"$size_hint^)? attr-dict `:` type($result)",
	})
	Clone = Dialect.Op(ir.OpDef{
		Name:     "clone",
		Doc:      "A copy of a buffer.",
		Traits:   ir.Reads | ir.Allocates,
		Operands: ir.Slots("input", ir.AnyMemRef),
		Results:  ir.Slots("output", ir.AnyMemRef),
		Format:   "$input attr-dict `:` type($input) `to` type($output)",
	})
	DeallocTensor = Dialect.Op(ir.OpDef{
		Name:     "dealloc_tensor",
		Doc:      "Gives the buffer of a tensor back.",
		Traits:   ir.Writes,
		Operands: ir.Slots("tensor", ir.AnyTensor),
		Format:   "$tensor attr-dict `:` type($tensor)",
	})
	MaterializeInDestination = Dialect.Op(ir.OpDef{
		Name:     "materialize_in_destination",
		Doc:      "Puts a tensor where a destination is.",
		Operands: ir.Slots("source", ir.AnyTensor, "dest", ir.Either(ir.AnyTensor, ir.AnyMemRef)),
		Results:  ir.Slots("result", ir.Optional(ir.AnyTensor)),
		Attrs:    ir.Attrs("restrict", unit, "writable", unit),
		Format: "$source `in` (`restrict` $restrict^)? (`writable` $writable^)? $dest attr-dict `:` " +
			"functional-type(operands, results)",
	})
	ToTensor = Dialect.Op(ir.OpDef{
		Name: "to_tensor",
		Doc: "The contents of a buffer as a tensor; restrict says that no other buffer overlaps, " +
			"writable that it may be reused.",
		Traits:   ir.Reads,
		Operands: ir.Slots("buffer", ir.AnyMemRef),
		Results:  ir.Slots("result", ir.AnyTensor),
		Attrs:    ir.Attrs("restrict", unit, "writable", unit),
		Format: "$buffer (`restrict` $restrict^)? (`writable` $writable^)? attr-dict `:` type($buffer) " +
			"`to` type($result)",
	})
	ToBuffer = Dialect.Op(ir.OpDef{
		Name:     "to_buffer",
		Doc:      "The buffer that a tensor will have.",
		Traits:   ir.Pure,
		Operands: ir.Slots("tensor", ir.AnyTensor),
		Results:  ir.Slots("buffer", ir.AnyMemRef),
		Attrs:    ir.Attrs("read_only", unit),
		Format:   "$tensor (`read_only` $read_only^)? attr-dict `:` type($tensor) `to` type($buffer)",
	})
)

var _ = Dialect.Effects(map[*ir.OpDef]ir.EffectsFunc{
	MaterializeInDestination: func(op *ir.Op) ir.Effect {
		if ir.AnyMemRef.Ok(op.Operand(1).Type) {
			return ir.EffRead | ir.EffWrite
		}
		return 0
	},
})
