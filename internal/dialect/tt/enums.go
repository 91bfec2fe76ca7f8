package tt

import "github.com/nereid-lang/nereid/internal/ir"

// Cache modifiers of loads and stores.
const (
	CacheNone int64 = iota + 1
	CacheCA
	CacheCG
	CacheWB
	CacheCS
	CacheWT
	CacheCV
)

// Eviction policies of loads and stores.
const (
	EvictNormal int64 = iota + 1
	EvictFirst
	EvictLast
)

// What a load gives outside the bounds of a tensor.
const (
	PadZero int64 = iota + 1
	PadNaN
)

// Memory orders of atomics.
const (
	SemRelaxed int64 = iota + 1
	SemAcquire
	SemRelease
	SemAcqRel
)

// Scopes of atomics.
const (
	ScopeGPU int64 = iota + 1
	ScopeCTA
	ScopeSys
)

// What an atomic_rmw does.
const (
	RMWAnd int64 = iota + 1
	RMWOr
	RMWXor
	RMWAdd
	RMWFAdd
	RMWMax
	RMWMin
	RMWUMax
	RMWUMin
	RMWXchg
)

// What a descriptor_reduce does.
const (
	ReduceAdd int64 = iota + 1
	ReduceMin
	ReduceMax
	ReduceInc
	ReduceDec
	ReduceAnd
	ReduceOr
	ReduceXor
)

// Rounding modes of fp_to_fp.
const (
	RoundZero int64 = iota
	RoundNearest
)

// Whether clampf passes NaN on.
const (
	NaNNone int64 = 0
	NaNAll  int64 = 0xffff
)

// How dot treats f32 inputs.
const (
	PrecisionTF32 int64 = iota
	PrecisionTF32x3
	PrecisionIEEE
	PrecisionBF16x3
	PrecisionBF16x6
)

// Element formats of dot_scaled.
const (
	ElemE4M3 int64 = iota
	ElemE5M2
	ElemE2M3
	ElemE3M2
	ElemE2M1
	ElemBF16
	ElemFP16
)

// words is an enum whose words count up from first.
func words(name string, first int64, list ...string) *ir.Enum {
	e := &ir.Enum{Name: name}
	for i, w := range list {
		e.Cases = append(e.Cases, ir.EnumCase{Word: w, Value: first + int64(i)})
	}
	return e
}

// The words of the values above.
var (
	CacheModifier  = words("CacheModifier", 1, "none", "ca", "cg", "wb", "cs", "wt", "cv")
	EvictionPolicy = words("EvictionPolicy", 1, "evict_normal", "evict_first", "evict_last")
	PaddingOption  = words("PaddingOption", 1, "zero", "nan")
	MemSemantic    = words("MemSemantic", 1, "relaxed", "acquire", "release", "acq_rel")
	MemSyncScope   = words("MemSyncScope", 1, "gpu", "cta", "sys")
	RMWOp          = words("RMWOp", 1, "and", "or", "xor", "add", "fadd", "max", "min", "umax",
		"umin", "exch")
	DescReduceKind = words("DescriptorReduceKind", 1, "add", "min", "max", "inc", "dec", "and", "or", "xor")
	ProgramDim     = words("ProgramIDDim", 0, "x", "y", "z")
	RoundingMode   = words("RoundingMode", 0, "rtz", "rtne")
	PropagateNaN   = &ir.Enum{Name: "PropagateNan", Cases: []ir.EnumCase{{Word: "none", Value: NaNNone},
		{Word: "all", Value: NaNAll}}}
	InputPrecision = words("InputPrecision", 0, "tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
	ScaleElem      = words("ScaleDotElemType", 0, "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "bf16", "fp16")
)

// Attribute kinds of those enums, which other dialects share.
var (
	CacheKind     = i32Enum(CacheModifier)
	EvictKind     = i32Enum(EvictionPolicy)
	PaddingKind   = i32Enum(PaddingOption)
	SemKind       = i32Enum(MemSemantic)
	ScopeKind     = i32Enum(MemSyncScope)
	RMWKind       = i32Enum(RMWOp)
	ReduceKind    = i32Enum(DescReduceKind)
	DimKind       = i32Enum(ProgramDim)
	RoundingKind  = i32Enum(RoundingMode)
	NaNKind       = i32Enum(PropagateNaN)
	PrecisionKind = i32Enum(InputPrecision)
	ScaleKind     = i32Enum(ScaleElem)
)

func i32Enum(e *ir.Enum) *ir.AttrKind { return ir.EnumAttr(e, ir.I32) }

// Slots with a default that several ops share.
var (
	cacheSlot = ir.DefAttr(CacheKind, ir.I32Attr(CacheNone))
	evictSlot = ir.DefAttr(EvictKind, ir.I32Attr(EvictNormal))
	boundSlot = ir.DefAttr(ir.I32s, ir.DenseArray(ir.I32))
)
