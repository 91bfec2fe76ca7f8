// Package memref is MLIR's dialect of buffers: strided views of memory with a shape.
//
// Offsets, sizes and strides are partly constants: package indexlist has the way to them.
package memref

import (
	_ "github.com/nereid-lang/nereid/internal/dialect/indexlist" // the directive in the formats
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is memref.
var Dialect = ir.NewDialect("memref", "Buffers: strided views of memory with a shape.")

var (
	anyMemRef = ir.AnyMemRef
	ranked    = ir.Constraint{Desc: "ranked memref", Ok: func(t ir.Type) bool {
		m, ok := t.(*ir.MemRefType)
		return ok && !m.Unranked
	}}
	index   = ir.IndexOnly
	indices = ir.Variadic(ir.IndexOnly)

	alignment   = ir.OptAttr(ir.AnyI64)
	nontemporal = ir.DefAttr(ir.AnyBool, ir.BoolAttr(false))
	viewAttrs   = ir.Attrs("static_offsets", ir.I64s, "static_sizes", ir.I64s, "static_strides", ir.I64s)
)

const (
	allocFormat = "`(` $dynamicSizes `)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)"
	castFormat  = "$source attr-dict `:` type($source) `to` type($dest)"
)

// named is the wish for a result's name.
func named(s string) func(*ir.Op, int) string { return func(*ir.Op, int) string { return s } }

// Making buffers.
var (
	Alloc = Dialect.Op(ir.OpDef{
		Name:       "alloc",
		Doc:        "Makes a buffer on the heap.",
		Traits:     ir.Allocates | ir.SegmentedOperands,
		Operands:   ir.Slots("dynamicSizes", indices, "symbolOperands", indices),
		Results:    ir.Slots("memref", ranked),
		Attrs:      ir.Attrs("alignment", alignment),
		Format:     allocFormat,
		ResultName: named("alloc"),
	})
	Alloca = Dialect.Op(ir.OpDef{
		Name:       "alloca",
		Doc:        "Makes a buffer on the stack.",
		Traits:     ir.Allocates | ir.SegmentedOperands,
		Operands:   ir.Slots("dynamicSizes", indices, "symbolOperands", indices),
		Results:    ir.Slots("memref", ranked),
		Attrs:      ir.Attrs("alignment", alignment),
		Format:     allocFormat,
		ResultName: named("alloca"),
	})
	Realloc = Dialect.Op(ir.OpDef{
		Name:     "realloc",
		Doc:      "Makes a one-dimensional buffer larger or smaller.",
		Traits:   ir.Allocates | ir.Reads | ir.Writes,
		Operands: ir.Slots("source", ranked, "dynamicResultSize", ir.Optional(index)),
		Results:  ir.Slots("result", ranked),
		Attrs:    ir.Attrs("alignment", alignment),
		Format:   "$source (`(` $dynamicResultSize^ `)`)? attr-dict `:` type($source) `to` type(results)",
	})
	Dealloc = Dialect.Op(ir.OpDef{
		Name:     "dealloc",
		Doc:      "Gives a buffer back.",
		Traits:   ir.Writes,
		Operands: ir.Slots("memref", anyMemRef),
		Format:   "$memref attr-dict `:` type($memref)",
	})
	AllocaScopeReturn = Dialect.Op(ir.OpDef{
		Name:     "alloca_scope.return",
		Doc:      "Ends an alloca_scope with its results.",
		Traits:   ir.Pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("results", ir.Variadic(ir.AnyType)),
		Format:   "attr-dict ($results^ `:` type($results))?",
	})
	AllocaScope = Dialect.Op(ir.OpDef{
		Name:         "alloca_scope",
		Doc:          "A region at whose end the stack is as at its start.",
		Traits:       ir.RecursiveEffects | ir.SingleBlock | ir.ImplicitTerminator,
		Results:      ir.Slots("results", ir.Variadic(ir.AnyType)),
		Regions:      []string{"bodyRegion"},
		ImplicitTerm: AllocaScopeReturn,
		PrintFn:      printAllocaScope,
		ParseFn:      parseAllocaScope,
	})
	Global = Dialect.Op(ir.OpDef{
		Name:   "global",
		Doc:    "A buffer of the module, with or without a value at the start.",
		Traits: ir.SymbolOp,
		Attrs: ir.Attrs("sym_name", ir.SymbolName, "sym_visibility", ir.OptAttr(ir.AnyString), "type",
			ir.AnyTypeRef, "initial_value", ir.OptAttr(ir.AnyAttr), "constant", ir.OptAttr(ir.AnyUnit),
			"alignment", alignment),
		Format: "($sym_visibility^)? (`constant` $constant^)? $sym_name `:` custom<GlobalMemref>($type, " +
			"$initial_value) attr-dict",
	})
	GetGlobal = Dialect.Op(ir.OpDef{
		Name:    "get_global",
		Doc:     "A buffer of the module.",
		Traits:  ir.Pure,
		Results: ir.Slots("result", ranked),
		Attrs:   ir.Attrs("name", ir.AnySymbol),
		Format:  "$name `:` type($result) attr-dict",
	})
)

// Accesses.
var (
	Load = Dialect.Op(ir.OpDef{
		Name:     "load",
		Doc:      "Loads an element.",
		Traits:   ir.Reads,
		Operands: ir.Slots("memref", ranked, "indices", indices),
		Results:  ir.Slots("result", ir.AnyType),
		Attrs:    ir.Attrs("nontemporal", nontemporal, "alignment", alignment),
		Types:    []ir.TypeRule{{From: "memref", To: "result", Fn: ir.ElemOf}},
		Format:   "$memref `[` $indices `]` attr-dict `:` type($memref)",
	})
	Store = Dialect.Op(ir.OpDef{
		Name:     "store",
		Doc:      "Stores an element.",
		Traits:   ir.Writes,
		Operands: ir.Slots("value", ir.AnyType, "memref", ranked, "indices", indices),
		Attrs:    ir.Attrs("nontemporal", nontemporal, "alignment", alignment),
		Types:    []ir.TypeRule{{From: "memref", To: "value", Fn: ir.ElemOf}},
		Format:   "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)",
	})
	Copy = Dialect.Op(ir.OpDef{
		Name:     "copy",
		Doc:      "Copies one buffer to another of the same shape.",
		Traits:   ir.Reads | ir.Writes,
		Operands: ir.Slots("source", anyMemRef, "target", anyMemRef),
		Format:   "$source `,` $target attr-dict `:` type($source) `to` type($target)",
	})
	AtomicRMW = Dialect.Op(ir.OpDef{
		Name:     "atomic_rmw",
		Doc:      "Combines a value with an element in one atomic step and returns what was there.",
		Traits:   ir.Reads | ir.Writes,
		Operands: ir.Slots("value", ir.AnyType, "memref", ranked, "indices", indices),
		Results:  ir.Slots("result", ir.AnyType),
		Attrs:    ir.Attrs("kind", ir.EnumAttr(AtomicKind, ir.I64)),
		Types:    []ir.TypeRule{{From: "memref", To: "value", Fn: ir.ElemOf}, {From: "value", To: "result"}},
		Format: "$kind $value `,` $memref `[` $indices `]` attr-dict `:` `(` type($value) `,` " +
			"type($memref) `)` `->` type($result)",
	})
	AtomicYield = Dialect.Op(ir.OpDef{
		Name:     "atomic_yield",
		Doc:      "Ends a generic_atomic_rmw with the new value.",
		Traits:   ir.Pure | ir.Terminator,
		Operands: ir.Slots("result", ir.AnyType),
		Format:   "$result attr-dict `:` type($result)",
	})
	GenericAtomicRMW = Dialect.Op(ir.OpDef{
		Name: "generic_atomic_rmw",
		Doc: "Replaces an element by what the region makes of it, in one atomic step, and returns " +
			"what was there.",
		Traits:   ir.Reads | ir.Writes | ir.SingleBlock,
		Operands: ir.Slots("memref", ranked, "indices", indices),
		Results:  ir.Slots("result", ir.AnyType),
		Regions:  []string{"atomic_body"},
		Types:    []ir.TypeRule{{From: "memref", To: "result", Fn: ir.ElemOf}},
		Format:   "$memref `[` $indices `]` `:` type($memref) $atomic_body attr-dict",
	})
	Prefetch = Dialect.Op(ir.OpDef{
		Name:     "prefetch",
		Doc:      "Asks for an element to be brought near.",
		Traits:   ir.Reads | ir.Writes,
		Operands: ir.Slots("memref", ranked, "indices", indices),
		Attrs:    ir.Attrs("isWrite", ir.AnyBool, "localityHint", ir.AnyI32, "isDataCache", ir.AnyBool),
		PrintFn:  printPrefetch,
		ParseFn:  parsePrefetch,
	})
	AssumeAlignment = Dialect.Op(ir.OpDef{
		Name:       "assume_alignment",
		Doc:        "A buffer with the promise that its address is aligned.",
		Traits:     ir.Pure | ir.SameOperandsAndResultType,
		Operands:   ir.Slots("memref", anyMemRef),
		Results:    ir.Slots("result", anyMemRef),
		Attrs:      ir.Attrs("alignment", ir.AnyI32),
		Format:     "$memref `,` $alignment attr-dict `:` type($memref)",
		ResultName: named("assume_align"),
	})
)

// AtomicKind names what atomic_rmw does.
var AtomicKind = atomicKinds("addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu",
	"minimumf", "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori")

func atomicKinds(words ...string) *ir.Enum {
	e := &ir.Enum{Name: "AtomicRMWKind"}
	for i, w := range words {
		e.Cases = append(e.Cases, ir.EnumCase{Word: w, Value: int64(i)})
	}
	return e
}

// Views and facts.
var (
	Cast = Dialect.Op(ir.OpDef{
		Name:       "cast",
		Doc:        "The same buffer with more or less of its shape and layout known.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("source", anyMemRef),
		Results:    ir.Slots("dest", anyMemRef),
		Format:     castFormat,
		ResultName: named("cast"),
	})
	MemorySpaceCast = Dialect.Op(ir.OpDef{
		Name:       "memory_space_cast",
		Doc:        "The same buffer seen from another memory space.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("source", anyMemRef),
		Results:    ir.Slots("dest", anyMemRef),
		Format:     castFormat,
		ResultName: named("memspacecast"),
	})
	Dim = Dialect.Op(ir.OpDef{
		Name:       "dim",
		Doc:        "The size of a dimension.",
		Traits:     ir.NoEffects,
		Operands:   ir.Slots("source", anyMemRef, "index", index),
		Results:    ir.Slots("result", index),
		Format:     "attr-dict $source `,` $index `:` type($source)",
		ResultName: named("dim"),
	})
	Rank = Dialect.Op(ir.OpDef{
		Name:     "rank",
		Doc:      "The number of dimensions.",
		Traits:   ir.Pure,
		Operands: ir.Slots("memref", anyMemRef),
		Results:  ir.Slots("result", index),
		Format:   "$memref attr-dict `:` type($memref)",
	})
	SubView = Dialect.Op(ir.OpDef{
		Name:     "subview",
		Doc:      "The view of a part at offsets, with sizes and strides.",
		Traits:   ir.Pure | ir.SegmentedOperands,
		Operands: ir.Slots("source", ranked, "offsets", indices, "sizes", indices, "strides", indices),
		Results:  ir.Slots("result", ranked),
		Attrs:    viewAttrs,
		Format: "$source `` custom<DynamicIndexList>($offsets, $static_offsets) " +
			"custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, " +
			"$static_strides) attr-dict `:` type($source) `to` type($result)",
		ResultName: named("subview"),
	})
	ReinterpretCast = Dialect.Op(ir.OpDef{
		Name:     "reinterpret_cast",
		Doc:      "The memory from a buffer's base on with an offset, sizes and strides of one's own.",
		Traits:   ir.Pure | ir.SegmentedOperands,
		Operands: ir.Slots("source", anyMemRef, "offsets", indices, "sizes", indices, "strides", indices),
		Results:  ir.Slots("result", ranked),
		Attrs:    viewAttrs,
		Format: "$source `to` `offset` `` `:` custom<DynamicIndexList>($offsets, $static_offsets) `` `,` " +
			"`sizes` `` `:` custom<DynamicIndexList>($sizes, $static_sizes) `` `,` " +
			"`strides` `` `:` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` " +
			"type($source) `to` type($result)",
		ResultName: named("reinterpret_cast"),
	})
	Reshape = Dialect.Op(ir.OpDef{
		Name:       "reshape",
		Doc:        "The same elements in a shape that another buffer gives.",
		Traits:     ir.Reads,
		Operands:   ir.Slots("source", anyMemRef, "shape", ranked),
		Results:    ir.Slots("result", anyMemRef),
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
		ResultName: named("expand_shape"),
	})
	CollapseShape = Dialect.Op(ir.OpDef{
		Name:       "collapse_shape",
		Doc:        "Joins groups of dimensions.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("src", ranked),
		Results:    ir.Slots("result", ranked),
		Attrs:      ir.Attrs("reassociation", ir.AnyArray),
		Format:     "$src $reassociation attr-dict `:` type($src) `into` type($result)",
		ResultName: named("collapse_shape"),
	})
	Transpose = Dialect.Op(ir.OpDef{
		Name:       "transpose",
		Doc:        "The view with permuted dimensions.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("in", ranked),
		Results:    ir.Slots("result", ranked),
		Attrs:      ir.Attrs("permutation", ir.AnyMap),
		PrintFn:    printTranspose,
		ParseFn:    parseTranspose,
		ResultName: named("transpose"),
	})
	View = Dialect.Op(ir.OpDef{
		Name:     "view",
		Doc:      "Bytes of a buffer, from a shift on, as a buffer of another type.",
		Traits:   ir.Pure,
		Operands: ir.Slots("source", ranked, "byte_shift", index, "sizes", indices),
		Results:  ir.Slots("result", ranked),
		Format: "$source `[` $byte_shift `]` `` `[` $sizes `]` attr-dict `:` type($source) `to` " +
			"type(results)",
		ResultName: named("view"),
	})
	ExtractStridedMetadata = Dialect.Op(ir.OpDef{
		Name:     "extract_strided_metadata",
		Doc:      "A buffer's base, offset, sizes and strides.",
		Traits:   ir.Pure,
		Operands: ir.Slots("source", ranked),
		Results:  ir.Slots("base_buffer", ranked, "offset", index, "sizes", indices, "strides", indices),
		Format:   "$source `:` type($source) `->` type(results) attr-dict",
		ResultName: func(op *ir.Op, i int) string {
			rank := (op.NumResults() - 2) / 2
			return map[int]string{0: "base_buffer", 1: "offset", 2: "sizes", 2 + rank: "strides"}[i]
		},
	})
	ExtractAlignedPointer = Dialect.Op(ir.OpDef{
		Name:       "extract_aligned_pointer_as_index",
		Doc:        "A buffer's address.",
		Traits:     ir.Pure,
		Operands:   ir.Slots("source", anyMemRef),
		Results:    ir.Slots("aligned_pointer", index),
		Format:     "$source `:` type($source) `->` type(results) attr-dict",
		ResultName: named("intptr"),
	})
)
