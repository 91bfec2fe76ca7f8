package triton

// Feature is a difference between releases: a rule that only some of them have.
type Feature int

// Row says which releases have a feature, and what it is.
type Row struct {
	Span
	// What tells what a kernel sees of it.
	What string
	// Results is set where the same kernel computes other numbers; other features change what is accepted,
	// the form of IR, or the number of operations.
	Results bool
}

// Row returns the feature's row.
func (f Feature) Row() Row { return features[f] }

// Features returns all features.
func Features() []Feature {
	out := make([]Feature, len(features))
	for i := range out {
		out[i] = Feature(i)
	}
	return out
}

// Has reports whether a version's language has a feature.
func (v Version) Has(f Feature) bool {
	if v.blockPtr {
		switch f {
		case BlockPointers:
			return true
		case KeywordOptions: // calls that name a boundary by its place are kept, too
			return false
		}
	}
	return v.rules().hasOwn(f)
}

// hasOwn reports whether a release has a feature without being asked to keep it.
func (v Version) hasOwn(f Feature) bool { return features[f].Contains(v) }

// The features, by the release that brought or ended them.
const (
	// 3.7
	FP8Constants Feature = iota
	KnownReturns
	KnownInNames
	BatchedScales
	NamedBarriers
	UsedMethods

	// 3.8
	Negation
	PreciseFDiv
	AccumulatorType
	StreamingLoads
	WideAtomics
	Immutable
	BareAnnotations
	VarArgs
	ScaleFactors
	NarrowRows
	BlockPointersByHand

	// 3.9
	BlockPointers
	KeywordOptions
	SoftmaxShape
	ScalarsAdapt
	DivisionInFP32
	KeepBF16
	DirectHalves
	IntegerClamp
	SignedZeros
	StrictIndex
	StrictUnpack
	SameShapeCat
	StoreTwice
	AlignedStrides
	Histogram32
	MethodTypes
	DynamicBool
	OperatorOwners
	CachePolicies
	CacheWords
	KeptConditions
	AsmInOrder
)

// features is the table of all differences.
var features = [...]Row{
	FP8Constants: {Span: from(V37), What: "fp8 constants may be other than zero"},
	KnownReturns: {Span: from(V37), What: "a constant that a jit function returns stays known at compile time"},
	KnownInNames: {Span: from(V37), What: "names of specialized functions list types and constants together"},
	BatchedScales: {Span: from(V37),
		What: "tl.dot_scaled takes scales with batch dimensions"},
	NamedBarriers: {Span: from(V37), What: "barriers are written ttg.barrier in IR"},
	UsedMethods:   {Span: from(V37), What: "triton.must_use_result holds for methods, too"},

	Negation: {Span: from(V38), Results: true,
		What: "-x of floats is a negation instead of 0 - x: minus zero and the sign of NaN differ"},
	PreciseFDiv: {Span: from(V38), Results: true,
		What: "tl.fdiv(ieee_rounding=True) rounds correctly; before, the argument was ignored"},
	AccumulatorType: {Span: from(V38),
		What: "tl.dot without out_dtype has the type of its accumulator"},
	StreamingLoads: {Span: from(V38), What: `tl.load(cache_modifier=".cs")`},
	WideAtomics: {Span: from(V38),
		What: "value and mask of an atomic broadcast as those of tl.store do"},
	Immutable: {Span: from(V38),
		What: "instances of aggregates do not change; fields have defaults, classes inherit"},
	BareAnnotations: {Span: from(V38),
		What: "`x: tl.constexpr` without a value holds for the next assignment to x; before, x is None"},
	VarArgs:      {Span: from(V38), What: "jit functions with *args; *tuple of a constexpr"},
	ScaleFactors: {Span: from(V38), What: "tl.dot_scaled derives the group of a scale from the shapes"},
	NarrowRows: {Span: from(V38),
		What: "rows of gather and scatter by descriptors are int16 or int32"},
	BlockPointersByHand: {Span: Span{V38, V38},
		What: "block pointers are pointers and masks from the start; offsets may be int64"},

	BlockPointers:  {Span: until(V38), What: "tl.make_block_ptr, tl.advance, boundary_check, padding_option"},
	KeywordOptions: {Span: from(V39), What: "options of tl.load and tl.store are given by keyword"},
	SoftmaxShape: {Span: from(V39), Results: true,
		What: "tl.softmax keeps the shape of a block of any rank; keep_dims is ignored, options are by keyword"},
	ScalarsAdapt: {Span: from(V39), Results: true,
		What: "Python numbers take the type of the tensor in comparisons, minimum, maximum, clamp, fma, " +
			"umulhi, div_rn and fdiv"},
	DivisionInFP32: {Span: from(V39), Results: true,
		What: "/ and % of fp8 are computed in fp32"},
	KeepBF16: {Span: from(V39), Results: true,
		What: "bf16 stays bf16 in maximum, minimum, clamp, reductions and scans"},
	DirectHalves: {Span: from(V39), What: "fp16 and bf16 convert to each other in one step, with equal results"},
	IntegerClamp: {Span: from(V39), What: "tl.clamp takes integers"},
	SignedZeros:  {Span: from(V39), Results: true, What: "the constant -0.0 keeps its sign"},
	StrictIndex:  {Span: from(V39), What: "x[:, :] with more colons than dimensions is refused"},
	StrictUnpack: {Span: from(V39), What: "more values than names cannot be unpacked"},
	SameShapeCat: {Span: from(V39), What: "tl.cat takes two blocks of one shape"},
	StoreTwice: {Span: from(V39), Results: true,
		What: "a value stored as bool is compared with zero; before, its low byte was stored"},
	AlignedStrides: {Span: from(V39),
		What: "constant strides of tensor descriptors are multiples of 16 bytes"},
	Histogram32: {Span: from(V39), What: "tl.histogram takes 32-bit integers"},
	MethodTypes: {Span: from(V39), What: "x.exp() and its like check types as tl.exp(x) does"},
	DynamicBool: {Span: from(V39),
		What: "the condition of while may be any scalar; chained comparisons (a < b < c)"},
	OperatorOwners: {Span: from(V39),
		What: "operators of aggregates come before those of tensors, on either side, and `not` is one of them; " +
			"1 < x is x > 1 in IR"},
	CachePolicies: {Span: from(V39),
		What: "IR has one cachePolicy instead of a cache modifier and an eviction policy"},
	CacheWords: {Span: from(V39),
		What: "cache modifiers without their dot; none and evict_normal name the defaults"},
	KeptConditions: {Span: from(V39), Results: true,
		What: "conditions of comprehensions hold; before, they are ignored"},
	AsmInOrder: {Span: from(V39),
		What: "values of tl.inline_asm_elementwise are broadcast in their order, with equal results"},
}

func from(v Version) Span  { return Span{Since: v} }
func until(v Version) Span { return Span{Last: v} }
