// Package amdg is Triton's dialect of what only AMD GPUs have: memory accessed through a base and offsets,
// transposition inside a thread. The rows follow Triton 3.6, as far as its output for CDNA3 needs them.
package amdg

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is amdg.
var Dialect = ir.NewDialect("amdg", "Buffer accesses and register transposition of AMD GPUs.")

var (
	i32    = ir.Exactly(ir.I32)
	stride = ir.Optional(i32)
	mask   = ir.Optional(tt.BoolLike)
	cache  = ir.DefAttr(tt.CacheKind, ir.I32Attr(tt.CacheNone))
)

// basePtr is the pointer to an element of a tensor.
func basePtr(t ir.Type) ir.Type { return tt.Ptr(ttg.ElemOf(t)) }

// offsetsOf is the type of the offsets of a tensor's elements.
func offsetsOf(t ir.Type) ir.Type { return ir.WithElem(t, ir.I32) }

// buffer is the type rules of an access whose values are the slot named from.
func buffer(from string, same ...string) []ir.TypeRule {
	rules := []ir.TypeRule{{From: from, To: "ptr", Fn: basePtr}, {From: from, To: "offsets", Fn: offsetsOf}}
	for _, to := range same {
		rule := ir.TypeRule{From: from, To: to}
		if to == "mask" {
			rule.Fn = tt.MaskOf
		}
		rules = append(rules, rule)
	}
	return rules
}

// Buffer accesses.
var (
	BufferLoad = Dialect.Op(ir.OpDef{
		Name:   "buffer_load",
		Doc:    "Loads from a base pointer and offsets.",
		Traits: ir.Reads | ir.SegmentedOperands,
		Operands: ir.Slots("ptr", tt.AnyPtr, "offsets", tt.I32s, "stride", stride, "mask", mask, "other",
			ir.Optional(tt.Tensor)),
		Results: ir.Slots("result", tt.Tensor),
		Attrs:   ir.Attrs("cache", cache),
		Types:   buffer("result", "mask", "other"),
		Format: "$ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache) " +
			"(`stride` `=` $stride^)? attr-dict `:` type($result)",
	})
	BufferLoadToLocal = Dialect.Op(ir.OpDef{
		Name:   "buffer_load_to_local",
		Doc:    "Loads from a base pointer and offsets straight to shared memory.",
		Traits: ir.Reads | ir.Writes | ir.SegmentedOperands,
		Operands: ir.Slots("dest", ttg.AnyMemDesc, "ptr", tt.AnyPtr, "offsets", tt.I32s, "mask", mask,
			"other", ir.Optional(tt.Tensor), "stride", stride),
		Results: ir.Slots("token", ttg.AnyToken),
		Attrs:   ir.Attrs("cache", cache, "contiguity", ir.DefAttr(ir.AnyI32, ir.I32Attr(1))),
		Types: []ir.TypeRule{{From: "offsets", To: "mask", Fn: tt.MaskOf},
			{From: "dest", To: "ptr", Fn: basePtr}},
		Format: "$ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` " +
			"$stride^)? oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict `:` type($ptr) `[` " +
			"type($offsets) `]` type($other) `->` type($dest)",
	})
	BufferStore = Dialect.Op(ir.OpDef{
		Name:   "buffer_store",
		Doc:    "Stores to a base pointer and offsets.",
		Traits: ir.Writes | ir.SegmentedOperands,
		Operands: ir.Slots("value", tt.Tensor, "ptr", tt.AnyPtr, "offsets", tt.I32s, "stride", stride,
			"mask", mask),
		Attrs: ir.Attrs("cache", cache),
		Types: buffer("value", "mask"),
		Format: "$value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache) " +
			"(`stride` `=` $stride^)? attr-dict `:` type($value)",
	})
	BufferAtomicRMW = Dialect.Op(ir.OpDef{
		Name:   "buffer_atomic_rmw",
		Doc:    "Combines values with memory at a base pointer and offsets, each in one atomic step.",
		Traits: ir.Reads | ir.Writes | ir.SegmentedOperands,
		Operands: ir.Slots("ptr", tt.AnyPtr, "offsets", tt.I32s, "value", tt.Tensor, "stride", stride,
			"mask", mask),
		Results: ir.Slots("result", tt.Tensor),
		Attrs:   ir.Attrs("atomic_rmw_op", tt.RMWKind, "sem", tt.SemKind, "scope", tt.ScopeKind),
		Types:   buffer("result", "mask", "value"),
		Format: "$atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? " +
			"(`stride` `=` $stride^)? attr-dict `:` type($result)",
	})
	BufferAtomicCAS = Dialect.Op(ir.OpDef{
		Name: "buffer_atomic_cas",
		Doc: "Stores values where memory at a base pointer and offsets holds expected ones, each in " +
			"one atomic step.",
		Traits: ir.Reads | ir.Writes,
		Operands: ir.Slots("ptr", tt.AnyPtr, "offsets", tt.I32s, "cmp", tt.Tensor, "val", tt.Tensor,
			"stride", stride),
		Results: ir.Slots("result", tt.Tensor),
		Attrs:   ir.Attrs("sem", tt.SemKind, "scope", tt.ScopeKind),
		Types:   buffer("result", "cmp", "val"),
		Format: "$sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)? " +
			"attr-dict `:` type($result)",
	})
)

// Tensors in registers.
var (
	InThreadTranspose = Dialect.Op(ir.OpDef{
		Name:     "in_thread_transpose",
		Doc:      "Changes the order of the elements that each thread holds.",
		Traits:   ir.Pure | ir.SameOperandsAndResultShape | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("src", tt.Tensor),
		Results:  ir.Slots("result", tt.Tensor),
		Format:   "$src attr-dict `:` type($src) `->` type($result)",
	})
	ExtractSlice = Dialect.Op(ir.OpDef{
		Name:     "extract_slice",
		Doc:      "The part of a tensor at fixed offsets.",
		Traits:   ir.Pure | ir.SameOperandsAndResultElem,
		Operands: ir.Slots("source", ir.AnyRankedTensor),
		Results:  ir.Slots("result", ir.AnyRankedTensor),
		Attrs:    ir.Attrs("static_offsets", ir.I64s),
		Format:   "$source $static_offsets attr-dict `:` type($source) `to` type($result)",
	})
	Concat = Dialect.Op(ir.OpDef{
		Name:     "concat",
		Doc:      "Puts tensors of one shape together to a larger one.",
		Traits:   ir.Pure,
		Operands: ir.Slots("sources", ir.Variadic(tt.Tensor)),
		Results:  ir.Slots("result", ir.AnyRankedTensor),
		Format:   "$sources attr-dict `:` type($sources) `->` type($result)",
	})
	UpcastMXFP = Dialect.Op(ir.OpDef{
		Name:     "upcast_mxfp",
		Doc:      "Widens microscaled floats and multiplies them by their scales.",
		Traits:   ir.Pure,
		Operands: ir.Slots("src", tt.Tensor, "scale", tt.Tensor),
		Results:  ir.Slots("result", tt.Tensor),
		Attrs:    ir.Attrs("fp_type", tt.ScaleKind, "fastMath", ir.AnyBool),
		Format: "$src `,` $scale `fp_type` `=` $fp_type attr-dict `:` type($src) `,` type($scale) `->` " +
			"type($result)",
	})
	ScaledUpcastFp4 = Dialect.Op(ir.OpDef{
		Name:     "scaled_upcast_fp4",
		Doc:      "Unpacks pairs of 4-bit floats, packed along an axis, and multiplies them by their scales.",
		Traits:   ir.Pure,
		Operands: ir.Slots("input", tt.Tensor, "scale", tt.Floats),
		Results:  ir.Slots("output", tt.Floats),
		Attrs:    ir.Attrs("axis", ir.AnyI32),
		Format:   "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)",
	})
	ScaledUpcastFp8 = Dialect.Op(ir.OpDef{
		Name:     "scaled_upcast_fp8",
		Doc:      "Widens 8-bit floats and multiplies them by their scales.",
		Traits:   ir.Pure | ir.Elementwise | ir.SameOperandsAndResultShape | ir.SameOperandsAndResultEncoding,
		Operands: ir.Slots("input", tt.Floats, "scale", tt.Floats),
		Results:  ir.Slots("output", tt.Floats),
		Format:   "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)",
	})
	LocalLoadPackedTransposed = Dialect.Op(ir.OpDef{
		Name: "local_load_packed_tranposed",
		Doc: "Loads pairs of 4-bit floats that are packed along one dimension of a buffer, packed " +
			"along the other (the name is misspelt in Triton).",
		Traits:   ir.Reads,
		Operands: ir.Slots("src", ttg.AnyMemDesc, "token", ir.Optional(ttg.AnyToken)),
		Results:  ir.Slots("result", tt.Tensor),
		Format:   "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)",
	})
	AsyncWait = Dialect.Op(ir.OpDef{
		Name:     "async_wait",
		Doc:      "Waits until at most num_inst instructions that copy are under way.",
		Operands: ir.Slots("asyncToken", ir.Variadic(ttg.AnyToken)),
		Results:  ir.Slots("retToken", ttg.AnyToken),
		Attrs:    ir.Attrs("num_inst", ir.AnyI32),
		Format:   "($asyncToken^)? attr-dict",
	})
	CondBarrier = Dialect.Op(ir.OpDef{
		Name:     "cond_barrier",
		Doc:      "A barrier for the threads whose predicate holds.",
		Operands: ir.Slots("pred", ir.Bool),
		Format:   "$pred attr-dict",
	})
)

// ROCDL is MLIR's dialect of AMD instructions, as far as Triton's GPU passes use it.
var ROCDL = ir.NewDialect("rocdl", "Scheduling instructions of AMD GPUs.")

var (
	SetPrio = ROCDL.Op(ir.OpDef{
		Name:   "s.setprio",
		Doc:    "Sets the priority of the wave.",
		Attrs:  ir.Attrs("priority", anyI16),
		Format: "$priority attr-dict",
	})
	SchedBarrier = ROCDL.Op(ir.OpDef{
		Name:   "sched.barrier",
		Doc:    "Keeps the scheduler from moving instructions of the masked kinds across.",
		Attrs:  ir.Attrs("mask", ir.AnyI32),
		Format: "$mask attr-dict",
	})
)

var anyI16 = &ir.AttrKind{Desc: "16-bit integer", Type: ir.I16, Ok: func(a ir.Attr) bool {
	i, ok := a.(*ir.IntegerAttr)
	return ok && i.Type == ir.Type(ir.I16)
}}
