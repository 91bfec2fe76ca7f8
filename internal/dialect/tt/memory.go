package tt

import "github.com/nereid-lang/nereid/internal/ir"

var loadable = ir.Either(PtrLike, TensorPtr)

// blockMask is the type of a mask for what a pointer points to.
func blockMask(ptr ir.Type) ir.Type {
	if p := Pointee(ptr); p != nil {
		return MaskOf(p)
	}
	return nil
}

// Pointer arithmetic.
var (
	AddPtr = Dialect.Op(ir.OpDef{
		Name:     "addptr",
		Doc:      "Moves pointers by a number of elements.",
		Traits:   cast,
		Operands: ir.Slots("ptr", PtrLike, "offset", IntLike),
		Results:  ir.Slots("result", PtrLike),
		Types:    []ir.TypeRule{{From: "result", To: "ptr"}, {From: "ptr", To: "result"}},
		Format:   "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)",
	})
	Advance = Dialect.Op(ir.OpDef{
		Name:     "advance",
		Doc:      "Moves a block pointer by a number of elements along each dimension.",
		Traits:   pure,
		Operands: ir.Slots("ptr", TensorPtr, "offsets", ir.Variadic(ir.Exactly(ir.I32))),
		Results:  ir.Slots("result", TensorPtr),
		Types:    []ir.TypeRule{{From: "result", To: "ptr"}, {From: "ptr", To: "result"}},
		Format:   "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)",
	})
	MakeTensorPtr = Dialect.Op(ir.OpDef{
		Name: "make_tensor_ptr",
		Doc: "Makes a block pointer from a base, the tensor's shape and strides, and the block's " +
			"offsets; order lists dimensions, the fastest first.",
		Traits: pure,
		Operands: ir.Slots("base", AnyPtr, "shape", ir.Variadic(ir.Exactly(ir.I64)), "strides",
			ir.Variadic(ir.Exactly(ir.I64)), "offsets", ir.Variadic(ir.Exactly(ir.I32))),
		Results: ir.Slots("result", TensorPtr),
		Attrs:   ir.Attrs("order", ir.I32s),
		Types:   []ir.TypeRule{{From: "result", To: "base", Fn: blockBase}},
		Format: "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` " +
			"type($result)",
	})
)

// blockBase is the pointer to an element that a block pointer is made from.
func blockBase(t ir.Type) ir.Type {
	pointee, space, ok := AsPtr(t)
	if block, tensor := pointee.(*ir.TensorType); ok && tensor {
		return PtrIn(block.Elem, space)
	}
	return nil
}

// Loads and stores.
var (
	Load = Dialect.Op(ir.OpDef{
		Name: "load",
		Doc: "Loads from each pointer, or a block; where the mask is false the value is other, or " +
			"undefined.",
		Traits:   base | ir.Reads | ir.SegmentedOperands | ir.SameLoadStoreShape,
		Operands: ir.Slots("ptr", loadable, "mask", ir.Optional(BoolLike), "other", ir.Optional(AnyOf)),
		Results:  ir.Slots("result", AnyOf),
		Attrs: ir.Attrs("boundaryCheck", boundSlot, "padding", ir.OptAttr(PaddingKind), "cache", cacheSlot,
			"evict", evictSlot, "isVolatile", ir.DefAttr(ir.AnyBool, ir.BoolAttr(false))),
		Types: []ir.TypeRule{{From: "ptr", To: "result", Fn: Pointee},
			{From: "ptr", To: "mask", Fn: blockMask}, {From: "ptr", To: "other", Fn: Pointee}},
		Format: "$ptr (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` " +
			"`=` $evict) attr-dict `:` type($ptr)",
	})
	Store = Dialect.Op(ir.OpDef{
		Name:     "store",
		Doc:      "Stores to each pointer, or a block, where the mask is true.",
		Traits:   base | ir.Writes | ir.SameLoadStoreShape,
		Operands: ir.Slots("ptr", loadable, "value", AnyOf, "mask", ir.Optional(BoolLike)),
		Attrs:    ir.Attrs("boundaryCheck", boundSlot, "cache", cacheSlot, "evict", evictSlot),
		Types: []ir.TypeRule{{From: "ptr", To: "value", Fn: Pointee},
			{From: "ptr", To: "mask", Fn: blockMask}},
		Format: "$ptr `,` $value (`,` $mask^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` " +
			"$evict) attr-dict `:` type($ptr)",
	})
	AtomicRMW = Dialect.Op(ir.OpDef{
		Name: "atomic_rmw",
		Doc:  "Combines a value with memory in one atomic step and returns what was there.",
		Traits: base | ir.Reads | ir.Writes | ir.SameOperandsAndResultShape |
			ir.SameOperandsAndResultEncoding, Operands: ir.Slots("ptr", PtrLike, "val", AnyOf, "mask",
			ir.Optional(BoolLike)),
		Results: ir.Slots("result", AnyOf),
		Attrs:   ir.Attrs("atomic_rmw_op", RMWKind, "sem", SemKind, "scope", ScopeKind),
		Types:   []ir.TypeRule{{From: "val", To: "ptr", Fn: PtrTo}, {From: "val", To: "mask", Fn: MaskOf}},
		Format: "$atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` " +
			"functional-type(operands, $result)",
	})
	AtomicCAS = Dialect.Op(ir.OpDef{
		Name: "atomic_cas",
		Doc: "Stores a value where memory holds an expected one, in one atomic step, and returns " +
			"what was there.",
		Traits: base | ir.Reads | ir.Writes | ir.SameOperandsAndResultShape |
			ir.SameOperandsAndResultEncoding, Operands: ir.Slots("ptr", PtrLike, "cmp", AnyOf, "val", AnyOf),
		Results: ir.Slots("result", AnyOf),
		Attrs:   ir.Attrs("sem", SemKind, "scope", ScopeKind),
		Types:   []ir.TypeRule{{From: "cmp", To: "ptr", Fn: PtrTo}, {From: "val", To: "ptr", Fn: PtrTo}},
		Format:  "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)",
	})
)

// Atomics since 3.9.
var (
	AtomicLoad = Dialect.Op(ir.OpDef{
		Name: "atomic_load",
		Doc:  "Loads from each pointer in one atomic step, where the mask is true.",
		Traits: base | ir.Reads | ir.Writes | ir.SameOperandsAndResultShape |
			ir.SameOperandsAndResultEncoding,
		Operands: ir.Slots("ptr", PtrLike, "mask", BoolLike),
		Results:  ir.Slots("result", AnyOf),
		Attrs:    ir.Attrs("sem", SemKind, "scope", ScopeKind),
		Types: []ir.TypeRule{{From: "result", To: "ptr", Fn: PtrTo},
			{From: "result", To: "mask", Fn: MaskOf}},
		Format: "$sem `,` $scope `,` $ptr `,` $mask attr-dict `:` functional-type(operands, $result)",
	})
	AtomicStore = Dialect.Op(ir.OpDef{
		Name:     "atomic_store",
		Doc:      "Stores to each pointer in one atomic step, where the mask is true.",
		Traits:   base | ir.Reads | ir.Writes | ir.SameLoadStoreShape,
		Operands: ir.Slots("ptr", PtrLike, "val", AnyOf, "mask", BoolLike),
		Attrs:    ir.Attrs("sem", SemKind, "scope", ScopeKind),
		Types: []ir.TypeRule{{From: "ptr", To: "val", Fn: Pointee},
			{From: "ptr", To: "mask", Fn: blockMask}},
		Format: "$sem `,` $scope `,` $ptr `,` $val `,` $mask attr-dict `:` type($ptr)",
	})
	AtomicPoll = Dialect.Op(ir.OpDef{
		Name: "atomic_poll",
		Doc: "Waits until memory holds the expected value, for each element, or until a time in " +
			"nanoseconds has passed; returns whether it does.",
		Traits: base | ir.Reads | ir.Writes,
		Operands: ir.Slots("ptr", PtrLike, "expected", IntLike, "timeout_ns",
			ir.Optional(ir.Exactly(ir.I64))),
		Results: ir.Slots("result", BoolLike),
		Attrs:   ir.Attrs("sem", SemKind, "scope", ScopeKind),
		Format: "$sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout_ns^)? attr-dict `:` " +
			"type($ptr) `,` type($expected) `->` type($result)",
	})
)

var indices = ir.Variadic(ir.Exactly(ir.I32))

// Tensor descriptors.
var (
	MakeTensorDesc = Dialect.Op(ir.OpDef{
		Name:     "make_tensor_descriptor",
		Doc:      "Makes a tensor descriptor from a base, the tensor's shape and strides.",
		Traits:   pure,
		Operands: ir.Slots("base", AnyPtr, "shape", indices, "strides", ir.Variadic(ir.Exactly(ir.I64))),
		Results:  ir.Slots("result", AnyDesc),
		Attrs:    ir.Attrs("padding", ir.DefAttr(PaddingKind, ir.I32Attr(PadZero))),
		Format:   "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)",
	})
	DescLoad = Dialect.Op(ir.OpDef{
		Name:     "descriptor_load",
		Doc:      "Loads a descriptor's block at the given indices.",
		Traits:   base | ir.Reads,
		Operands: ir.Slots("desc", AnyDesc, "indices", indices),
		Results:  ir.Slots("result", Tensor),
		Attrs:    ir.Attrs("cache", cacheSlot, "evict", evictSlot),
		Format: "$desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) " +
			"attr-dict `:` qualified(type($desc)) `->` type($result)",
	})
	DescStore = Dialect.Op(ir.OpDef{
		Name:     "descriptor_store",
		Doc:      "Stores a descriptor's block at the given indices.",
		Traits:   base | ir.Reads | ir.Writes,
		Operands: ir.Slots("desc", AnyDesc, "src", Tensor, "indices", indices),
		Format:   "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)",
	})
	DescReduce = Dialect.Op(ir.OpDef{
		Name:     "descriptor_reduce",
		Doc:      "Combines a block with memory, element by element atomically.",
		Traits:   base | ir.Reads | ir.Writes,
		Operands: ir.Slots("desc", AnyDesc, "src", Tensor, "indices", indices),
		Attrs:    ir.Attrs("kind", ReduceKind),
		Format: "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` " +
			"type($src)",
	})
	DescGather = Dialect.Op(ir.OpDef{
		Name:     "descriptor_gather",
		Doc:      "Loads rows that a tensor of indices picks.",
		Traits:   base | ir.Reads,
		Operands: ir.Slots("desc", AnyDesc, "x_offsets", I32s, "y_offset", ir.Exactly(ir.I32)),
		Results:  ir.Slots("result", Tensor),
		Format:   "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)",
	})
	DescScatter = Dialect.Op(ir.OpDef{
		Name:     "descriptor_scatter",
		Doc:      "Stores rows where a tensor of indices says.",
		Traits:   base | ir.Reads | ir.Writes,
		Operands: ir.Slots("desc", AnyDesc, "x_offsets", I32s, "y_offset", ir.Exactly(ir.I32), "src", Tensor),
		Format:   "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)",
	})
)
