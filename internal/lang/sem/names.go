package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// The names of triton.language 3.6, family by family.

var coreRows = []row{
	{"program_id", "axis", public, programID},
	{"num_programs", "axis", public, numPrograms},
	{"arange", "start, end", public, arange},
	{"full", "shape, value, dtype", public, full},

	{"add", "x, y, sanitize_overflow=True", public, binaryFn((*Builder).add)},
	{"sub", "x, y, sanitize_overflow=True", public, binaryFn((*Builder).sub)},
	{"mul", "x, y, sanitize_overflow=True", public, binaryFn((*Builder).mul)},
	{"minimum", "x, y, propagate_nan=NONE", public, minMaxFn(minOps)},
	{"maximum", "x, y, propagate_nan=NONE", public, minMaxFn(maxOps)},
	{"clamp", "x, min, max, propagate_nan=NONE", public, clampFn},
	{"where", "condition, x, y", public, whereFn},
	{"builtin_min", "*args, propagate_nan=None", 0, minMaxBuiltin("min", minOps, -1)},
	{"builtin_max", "*args, propagate_nan=None", 0, minMaxBuiltin("max", maxOps, 1)},

	{"dot", "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, " +
		"out_dtype=float32", public, dot},
	{"dot_scaled", "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, " +
		"lhs_k_pack=True, rhs_k_pack=True, out_dtype=float32", public, dotScaled},

	{"reduce", "input, axis, combine_fn, keep_dims=False", public | member, reduce},
	{"associative_scan", "input, axis, combine_fn, reverse=False", public | member, scan},
	{"map_elementwise", "scalar_fn, *args, pack=1", public, mapElementwise},
	{"histogram", "input, num_bins, mask=None", public | member, histogram},
	{"gather", "src, index, axis", public | member, gather},

	{"debug_barrier", "", public, debugBarrier},
	{"multiple_of", "input, values", public, hintAttr("tt.divisibility", true)},
	{"max_contiguous", "input, values", public, hintAttr("tt.contiguity", false)},
	{"max_constancy", "input, values", public, hintAttr("tt.constancy", false)},
	{"assume", "cond", public, assume},
	{"device_print", "prefix, *args, hex=False", public, devicePrint},
	{"device_assert", `cond, msg="", mask=None`, public, deviceAssert},
	{"_record_scope", "is_start, name", 0, recordScope},
	{"static_print", `*values, sep=" ", end="\n", file=None, flush=False`, public | syntax, nil},
	{"static_assert", `cond, msg=""`, public | syntax, nil},

	{"inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", public, inlineAsm},
	{"extern_elementwise", "lib_name, lib_path, args, arg_type_symbol_dict, is_pure", 0, externElementwise},

	{"to_tensor", "x", 0, toTensorFn},
	{"get_int_dtype", "bitwidth, signed", 0, getIntDType},
	{"_promote_bfloat16_to_float32", "t", 0, promoteBF16},
	{"_reduce_with_indices", "input, axis, combine_fn, keep_dims=False", 0, reduceWithIndices},
	{"_unsplat", "input", 0, item},
}

var mathRows = []row{
	{"umulhi", "x, y", inMath | public, umulhi},
	{"exp", "x", inMath | public | member, unaryMath(math.Exp, singleDouble)},
	{"exp2", "x", inMath | public | member, unaryMath(math.Exp2, singleDouble)},
	{"log", "x", inMath | public | member, unaryMath(math.Log, singleDouble)},
	{"log2", "x", inMath | public | member, unaryMath(math.Log2, singleDouble)},
	{"cos", "x", inMath | public | member, unaryMath(math.Cos, singleDouble)},
	{"sin", "x", inMath | public | member, unaryMath(math.Sin, singleDouble)},
	{"sqrt", "x", inMath | public | member, unaryMath(math.Sqrt, singleDouble)},
	{"sqrt_rn", "x", inMath | public | member, unaryMath(tt.PreciseSqrt, single)},
	{"rsqrt", "x", inMath | public | member, unaryMath(math.Rsqrt, singleDouble)},
	{"abs", "x", inMath | public | member, abs},
	{"fdiv", "x, y, ieee_rounding=False", inMath | public, fdivFn},
	{"div_rn", "x, y", inMath | public, divRn},
	{"erf", "x", inMath | public | member, unaryMath(math.Erf, singleDouble)},
	{"floor", "x", inMath | public | member, unaryMath(math.Floor, singleDouble)},
	{"ceil", "x", inMath | public | member, unaryMath(math.Ceil, singleDouble)},
	{"fma", "x, y, z", inMath | public, fma},
}

var shapeRows = []row{
	{"broadcast", "input, other", public, broadcastFn},
	{"broadcast_to", "input, *shape", public | member, broadcastTo},
	{"trans", "input, *dims", public | member, trans},
	{"permute", "input, *dims", public | member, permute},
	{"cat", "input, other, can_reorder=False", public, cat},
	{"join", "a, b", public, join},
	{"split", "a", public | member, split},
	{"view", "input, *shape", public | member, view},
	{"item", "input", member, item},
	{"reshape", "input, *shape, can_reorder=False", public | member, reshapeFn},
	{"expand_dims", "input, axis", public | member, expandDimsFn},
	{"cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", public | member, castFn},
}

const atomicParams = "pointer, val, mask=None, sem=None, scope=None"

var memoryRows = []row{
	{"load",
		`pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", ` +
			`eviction_policy="", volatile=False`, public, load},
	{"store", `pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""`,
		public | member, store},
	{"make_block_ptr", "base, shape, strides, offsets, block_shape, order", public, makeBlockPtr},
	{"advance", "base, offsets", public | member, advance},
	{"make_tensor_descriptor", `base, shape, strides, block_shape, padding_option="zero"`, public,
		makeTensorDescriptor},
	{"load_tensor_descriptor", "desc, offsets", public, descLoad},
	{"store_tensor_descriptor", "desc, offsets, value", public, descStore},

	{"atomic_cas", "pointer, cmp, val, sem=None, scope=None", public | member, atomicCAS},
	{"atomic_xchg", atomicParams, public | member, atomicKind("xchg", tt.RMWXchg)},
	{"atomic_add", atomicParams, public | member, atomicAdd},
	{"atomic_max", atomicParams, public | member, atomicMax},
	{"atomic_min", atomicParams, public | member, atomicMin},
	{"atomic_and", atomicParams, public | member, atomicKind("and", tt.RMWAnd)},
	{"atomic_or", atomicParams, public | member, atomicKind("or", tt.RMWOr)},
	{"atomic_xor", atomicParams, public | member, atomicKind("xor", tt.RMWXor)},
}

var methodRows = []row{
	{"to", "input, dtype, fp_downcast_rounding=None, bitcast=False", inTensor, castFn},
	{"logical_and", "input, other", inTensor, logicalFn((*Builder).and)},
	{"logical_or", "input, other", inTensor, logicalFn((*Builder).or)},

	{"load", "desc, offsets", inDescriptor, descLoad},
	{"store", "desc, offsets, value", inDescriptor, descStore},
	{"atomic_add", "desc, offsets, value", inDescriptor, descAtomic},
	{"atomic_min", "desc, offsets, value", inDescriptor, descAtomic},
	{"atomic_max", "desc, offsets, value", inDescriptor, descAtomic},
	{"atomic_and", "desc, offsets, value", inDescriptor, descAtomic},
	{"atomic_or", "desc, offsets, value", inDescriptor, descAtomic},
	{"atomic_xor", "desc, offsets, value", inDescriptor, descAtomic},
	{"gather", "desc, *args", inDescriptor, descGather},
	{"scatter", "desc, value, *args", inDescriptor, descScatter},
}

const (
	inLib     = inStandard | stdlib | public
	libMember = inLib | member
	inRand    = inRandom | stdlib | public
)

// libraryRows has the functions that are written in the language itself.
var libraryRows = []row{
	{"cdiv", "x, div", libMember, nil},
	{"sigmoid", "x", libMember, nil},
	{"softmax", "x, dim=None, keep_dims=False, ieee_rounding=False", libMember, nil},
	{"ravel", "x, can_reorder=False", libMember, nil},
	{"swizzle2d", "i, j, size_i, size_j, size_g", inLib, nil},
	{"zeros", "shape, dtype", inLib, nil},
	{"zeros_like", "input", inLib, nil},
	{"max", "input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False",
		libMember, nil},
	{"argmax", "input, axis, tie_break_left=True, keep_dims=False", libMember, nil},
	{"min", "input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False",
		libMember, nil},
	{"argmin", "input, axis, tie_break_left=True, keep_dims=False", libMember, nil},
	{"sum", "input, axis=None, keep_dims=False, dtype=None", libMember, nil},
	{"xor_sum", "input, axis=None, keep_dims=False", libMember, nil},
	{"reduce_or", "input, axis, keep_dims=False", libMember, nil},
	{"cumsum", "input, axis=0, reverse=False, dtype=None", libMember, nil},
	{"cumprod", "input, axis=0, reverse=False", libMember, nil},
	{"sort", "x, dim=None, descending=0", inLib, nil},
	{"topk", "x, k, dim=None", inLib, nil},
	{"bitonic_merge", "x, dim=None, descending=0", inLib, nil},
	{"flip", "x, dim=None", libMember, nil},
	{"interleave", "a, b", inLib, nil},

	{"philox_impl", "c0, c1, c2, c3, k0, k1, n_rounds=10", inRand, nil},
	{"philox", "seed, c0, c1, c2, c3, n_rounds=10", inRand, nil},
	{"randint", "seed, offset, n_rounds=10", inRand, nil},
	{"randint4x", "seed, offset, n_rounds=10", inRand, nil},
	{"uint_to_uniform_float", "x", inRand, nil},
	{"rand", "seed, offset, n_rounds=10", inRand, nil},
	{"rand4x", "seed, offsets, n_rounds=10", inRand, nil},
	{"pair_uniform_to_normal", "u1, u2", inRand, nil},
	{"randn", "seed, offset, n_rounds=10", inRand, nil},
	{"randn4x", "seed, offset, n_rounds=10", inRand, nil},
}

// classRows has classes, iterators and submodules; those without a function are the code generator's.
var classRows = []row{
	{"dtype", "name", public | class, dtypeClass},
	{"pointer_type", "element_ty, address_space=1, const=False", public | class, pointerClass},
	{"block_type", "element_ty, shape", public | class, blockClass},
	{"tensor", "handle, type", public | class, nil},
	{"tensor_descriptor", "handle, shape, strides, block_type", public | class, nil},
	{"tensor_descriptor_type", "block_type, shape_type, strides_type", public | class, nil},
	{"tuple", "args, type=None", public | class, nil},
	{"tuple_type", "types, fields=None", public | class, nil},
	{"slice", "start, stop, step", public | class, nil},
	{"const", "", public | class, nil},
	{"constexpr", "value", public | class, nil},
	{"constexpr_type", "value", public | class, nil},

	{"range", "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, " +
		"disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
		public | syntax, nil},
	{"static_range", "arg1, arg2=None, step=None", public | syntax, nil},
	{"condition", "arg1, disable_licm=False", public | syntax, nil},

	{"math", "", public | module_, nil},
	{"extra", "", public | module_, nil},
	{"target_info", "", public | module_, nil},

	{"current_target", "", inTarget, currentTarget},
	{"is_cuda", "", inTarget, isBackend("cuda")},
	{"cuda_capability_geq", "major, minor=0", inTarget, capabilityAtLeast},
	{"is_hip", "", inTarget, isBackend("hip")},
	{"is_hip_cdna3", "", inTarget, isCDNA(3)},
	{"is_hip_cdna4", "", inTarget, isCDNA(4)},
}

var cudaRows = []row{
	{"globaltimer", "", inCUDA, register(asmText{"mov.u64 $0, %globaltimer;", "=l", false, 1}, Int64)},
	{"smid", "", inCUDA, register(asmText{"mov.u32 $0, %smid;", "=r", true, 1}, Int32)},
	{"num_threads", "", inCUDA, func(c *Call) object.Value {
		return object.MakeInt(int64(c.B.Opts.NumWarps) * 32)
	}},
	{"num_warps", "", inCUDA, func(c *Call) object.Value { return object.MakeInt(int64(c.B.Opts.NumWarps)) }},
	{"gdc_wait", "", inCUDA, dependency("griddepcontrol.wait; // dummy $0")},
	{"gdc_launch_dependents", "", inCUDA, dependency("griddepcontrol.launch_dependents; // dummy $0")},
	{"convert_custom_float8_sm70", "arg, dst_ty, fp_downcast_rounding=None", inCUDA, convertCustomFloat8},
	{"convert_custom_float8_sm80", "arg, dst_ty, fp_downcast_rounding=None", inCUDA, convertCustomFloat8},
}

// constants returns the values of triton.language.
func constants() []*Builtin {
	value := func(name string, v object.Value) *Builtin {
		return &Builtin{Name: name, Module: InCore, State: Constant, Public: true, Value: v}
	}
	out := []*Builtin{
		value("TRITON_MAX_TENSOR_NUMEL", object.MakeInt(maxNumel)),
		value("PropagateNan", propagateNanClass{}),
		value("pi32_t", Ptr(Int32)),
	}
	for t := range Scalars() {
		out = append(out, value(t.longName(), t))
	}
	return out
}
