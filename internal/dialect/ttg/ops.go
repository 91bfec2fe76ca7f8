// Package ttg is Triton's dialect of GPU programs: tensors with layouts, buffers in shared memory,
// asynchronous copies, warp specialization. The rows follow Triton 3.6.
//
// A layout is an encoding of a tensor or memory descriptor; see Layout.
package ttg

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is ttg.
var Dialect = ir.NewDialect("ttg", "Layouts, shared memory and asynchronous copies.")

const (
	fromTo = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))"
	view   = ir.Pure
)

var (
	tokens = ir.Variadic(AnyToken)
	values = ir.Variadic(ir.AnyType)
	i32    = ir.Exactly(ir.I32)
)

// Layouts of tensors.
var (
	ConvertLayout = Dialect.Op(ir.OpDef{
		Name:     "convert_layout",
		Doc:      "The same tensor in another layout.",
		Traits:   ir.Pure | ir.View | ir.SameOperandsAndResultShape | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("src", tt.Tensor),
		Results:  ir.Slots("result", tt.Tensor),
		Format:   "$src attr-dict `:` type($src) `->` type($result)",
	})
	Fp4ToFp = Dialect.Op(ir.OpDef{
		Name:     "fp4_to_fp",
		Doc:      "Unpacks pairs of 4-bit floats, packed along an axis, to wider ones.",
		Traits:   ir.Pure,
		Operands: ir.Slots("src", i8Tensor),
		Results:  ir.Slots("result", tt.Floats),
		Attrs:    ir.Attrs("axis", ir.AnyI32),
		Format:   "$src attr-dict `:` type($src) `->` type($result)",
	})
)

var i8Tensor = ir.Constraint{Desc: "ranked tensor of 8-bit signless integer values",
	Ok: func(t ir.Type) bool {
		tensor, ok := t.(*ir.TensorType)
		return ok && !tensor.Unranked && tensor.Elem == ir.Type(ir.I8)
	}}

// Asynchronous copies.
var (
	AsyncCopy = Dialect.Op(ir.OpDef{
		Name:   "async_copy_global_to_local",
		Doc:    "Starts a copy from global to shared memory.",
		Traits: ir.Reads | ir.Writes | ir.SegmentedOperands,
		Operands: ir.Slots("src", ptrTensor, "result", AnyMemDesc, "mask", ir.Optional(tt.BoolLike),
			"other", ir.Optional(tt.AnyOf)),
		Results: ir.Slots("token", AnyToken),
		Attrs: ir.Attrs("cache", ir.DefAttr(tt.CacheKind, ir.I32Attr(tt.CacheNone)), "evict",
			ir.DefAttr(tt.EvictKind, ir.I32Attr(tt.EvictNormal)), "isVolatile", ir.DefAttr(ir.AnyBool,
				ir.BoolAttr(false)), "contiguity", ir.DefAttr(ir.AnyI32, ir.I32Attr(1))),
		Types: tt.MaskedTypes("src", "src"),
		Format: "$src `,` $result (`mask` $mask^)? (`other` $other^)? oilist(`cacheModifier` `=` $cache | " +
			"`evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` type($result)",
	})
	AsyncCommitGroup = Dialect.Op(ir.OpDef{
		Name:     "async_commit_group",
		Doc:      "Closes a group of the copies started so far.",
		Operands: ir.Slots("inputTokens", tokens),
		Results:  ir.Slots("asyncToken", AnyToken),
		Format:   "(`tokens` $inputTokens^)? attr-dict",
	})
	AsyncWait = Dialect.Op(ir.OpDef{
		Name:     "async_wait",
		Doc:      "Waits until at most num groups of copies are under way.",
		Operands: ir.Slots("asyncToken", tokens),
		Results:  ir.Slots("retToken", AnyToken),
		Attrs:    ir.Attrs("num", ir.AnyI32),
		Format:   "($asyncToken^)? attr-dict",
	})
)

var ptrTensor = ir.Constraint{Desc: "ranked tensor of ptr values", Ok: func(t ir.Type) bool {
	_, ok := t.(*ir.TensorType)
	return ok && tt.IsPtrLike(t)
}}

// Buffers in shared memory.
var (
	LocalAlloc = Dialect.Op(ir.OpDef{
		Name:     "local_alloc",
		Doc:      "Makes a buffer in shared memory, with a tensor in it or empty.",
		Traits:   ir.Allocates,
		Operands: ir.Slots("src", ir.Optional(tt.Tensor)),
		Results:  ir.Slots("result", AnyMemDesc),
		Attrs:    ir.Attrs("alignment", ir.OptAttr(ir.AnyI32)),
		Format:   "($src^)? attr-dict `:` functional-type(operands, results)",
	})
	LocalDealloc = Dialect.Op(ir.OpDef{
		Name:     "local_dealloc",
		Doc:      "Gives a buffer back.",
		Traits:   ir.Writes,
		Operands: ir.Slots("src", AnyMemDesc),
		Format:   "$src attr-dict `:` qualified(type($src))",
	})
	LocalLoad = Dialect.Op(ir.OpDef{
		Name:     "local_load",
		Doc:      "Loads a tensor from a buffer.",
		Traits:   ir.Reads,
		Operands: ir.Slots("src", AnyMemDesc, "token", ir.Optional(AnyToken)),
		Results:  ir.Slots("result", tt.Tensor),
		Format:   "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)",
	})
	LocalStore = Dialect.Op(ir.OpDef{
		Name:     "local_store",
		Doc:      "Stores a tensor into a buffer.",
		Traits:   ir.Writes,
		Operands: ir.Slots("src", tt.Tensor, "dst", AnyMemDesc),
		Format:   "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))",
	})
	LocalBarrier = Dialect.Op(ir.OpDef{
		Name:   "local_barrier",
		Doc:    "Waits until all threads of the CTA are here and see each other's accesses to shared memory.",
		Format: "attr-dict",
	})
)

// Views of buffers.
var (
	MemDescIndex = Dialect.Op(ir.OpDef{
		Name:     "memdesc_index",
		Doc:      "The view of one entry along the first dimension.",
		Traits:   view,
		Operands: ir.Slots("src", AnyMemDesc, "index", i32),
		Results:  ir.Slots("result", AnyMemDesc),
		Format:   "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
	})
	MemDescSubslice = Dialect.Op(ir.OpDef{
		Name:     "memdesc_subslice",
		Doc:      "The view of a tile at fixed offsets.",
		Traits:   view,
		Operands: ir.Slots("src", AnyMemDesc),
		Results:  ir.Slots("result", AnyMemDesc),
		Attrs:    ir.Attrs("offsets", offsetsKind),
		Format:   "$src `[` $offsets `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
	})
	MemDescTrans = Dialect.Op(ir.OpDef{
		Name:     "memdesc_trans",
		Doc:      "The view with permuted dimensions.",
		Traits:   view | ir.Permutes,
		Operands: ir.Slots("src", AnyMemDesc),
		Results:  ir.Slots("result", AnyMemDesc),
		Attrs:    ir.Attrs("order", ir.I32s),
		Format:   fromTo,
	})
	MemDescReshape = Dialect.Op(ir.OpDef{
		Name:     "memdesc_reshape",
		Doc:      "The view with another shape.",
		Traits:   view,
		Operands: ir.Slots("src", AnyMemDesc),
		Results:  ir.Slots("result", AnyMemDesc),
		Format:   fromTo,
	})
	MemDescReinterpret = Dialect.Op(ir.OpDef{
		Name:     "memdesc_reinterpret",
		Doc:      "The view of the same bytes with another shape and element type.",
		Traits:   view,
		Operands: ir.Slots("src", AnyMemDesc),
		Results:  ir.Slots("result", AnyMemDesc),
		Format:   fromTo,
	})
)

// offsetsKind is a list of offsets, written without brackets.
var offsetsKind = &ir.AttrKind{
	Desc: "i32 array",
	Ok:   ir.I32s.Ok,
	Print: func(p *ir.Printer, a ir.Attr) {
		for i, v := range a.(*ir.DenseArrayAttr).Values {
			if i > 0 {
				p.Text(", ")
			}
			p.Textf("%d", v)
		}
	},
	Parse: func(p *ir.Parser) (ir.Attr, bool) {
		var vs []int64
		for {
			v, ok := p.Int()
			if !ok {
				return nil, false
			}
			vs = append(vs, v)
			if !p.Try(",") {
				return ir.DenseArray(ir.I32, vs...), true
			}
		}
	},
}

// GlobalScratchAlloc is `ttg.global_scratch_alloc`.
var GlobalScratchAlloc = Dialect.Op(ir.OpDef{
	Name:    "global_scratch_alloc",
	Doc:     "Makes a buffer in global memory that belongs to this program alone.",
	Traits:  ir.Allocates,
	Results: ir.Slots("result", tt.AnyPtr),
	Attrs:   ir.Attrs("nbytes", ir.AnyI32, "alignment", ir.AnyI32),
	Format:  "attr-dict `:` qualified(type($result))",
})

// Software pipelining.
var (
	PredicateStage = Dialect.Op(ir.OpDef{
		Name:     "predicate_stage",
		Doc:      "Whether a stage of a pipelined loop has work in this iteration.",
		Traits:   ir.Pure,
		Operands: ir.Slots("iv", intOrIndex, "ub", intOrIndex, "step", intOrIndex),
		Results:  ir.Slots("result", ir.Bool),
		Attrs:    ir.Attrs("maxStage", ir.AnyI32, "stage", ir.AnyI32),
		Types:    []ir.TypeRule{{From: "iv", To: "ub"}, {From: "iv", To: "step"}},
		Format: "$iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` " +
			"type($result)",
	})
	Mask = Dialect.Op(ir.OpDef{
		Name:     "mask",
		Doc:      "Runs its region under a predicate.",
		Traits:   ir.SingleBlock,
		Operands: ir.Slots("pred", ir.Bool),
		Results:  ir.Slots("result", values),
		Regions:  []string{"region"},
	})
	MaskReturn = Dialect.Op(ir.OpDef{
		Name:     "mask.return",
		Doc:      "Ends the region of a mask with its values.",
		Traits:   ir.Pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("result", values),
		Format:   "$result attr-dict `:` type($result)",
	})
)

var intOrIndex = ir.Constraint{Desc: "signless integer or index", Ok: func(t ir.Type) bool {
	it, ok := t.(*ir.IntegerType)
	return t == ir.Index || ok && it.Sign == ir.Signless
}}

// Warp specialization.
var (
	WarpReturn = Dialect.Op(ir.OpDef{
		Name:   "warp_return",
		Doc:    "Ends a partition of a warp_specialize.",
		Traits: ir.Pure | ir.Terminator | ir.ReturnLike,
		Format: "attr-dict",
	})
	WarpYield = Dialect.Op(ir.OpDef{
		Name:     "warp_yield",
		Doc:      "Ends the default region of a warp_specialize with its results.",
		Traits:   ir.Pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("values", values),
		Format:   "($values^)? attr-dict (`:` type($values)^)?",
	})
	WarpSpecializePartitions = Dialect.Op(ir.OpDef{
		Name:    "warp_specialize.partitions",
		Doc:     "Holds the isolated partitions of a warp_specialize.",
		Traits:  ir.Isolated | ir.RecursiveEffects | ir.Terminator,
		Regions: []string{"partitionRegions..."},
	})
	WarpSpecialize = Dialect.Op(ir.OpDef{
		Name:     "warp_specialize",
		Doc:      "Runs different code on different groups of warps at once, and joins them.",
		Traits:   ir.RecursiveEffects,
		Operands: ir.Slots("explicitCaptures", values),
		Results:  ir.Slots("defaultPassthrough", values),
		Attrs: ir.Attrs("partitionNumWarps", ir.I32s, "warpGroupStartIds", ir.OptAttr(ir.I32s),
			"requestedRegisters", ir.OptAttr(ir.I32s), "actualRegisters", ir.OptAttr(ir.I32s)),
		Regions: []string{"defaultRegion", "partitionOpHolder"},
		PrintFn: printWarpSpecialize,
		ParseFn: parseWarpSpecialize,
	})
)
