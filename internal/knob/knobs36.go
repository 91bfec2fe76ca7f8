package knob

import (
	"cmp"
	"slices"
	"strings"
)

// tritonKnob is a setting of Triton 3.6's knobs.py.
type tritonKnob struct {
	name     string // as in Python: compilation.dump_ir
	variable string // of the environment; "" if programs set it alone
	here     string // its counterpart, where it is no single variable: "`Hooks.Tuned`"; "" otherwise
	test     string // of what is honoured
}

// knobs36 has every setting of knobs.py, in its order. TestKnobsFile reads the file.
var knobs36 = []tritonKnob{
	{name: "build.cc", variable: "CC"},
	{name: "build.cudacrt_path", variable: "TRITON_CUDACRT_PATH"},
	{name: "build.cudart_path", variable: "TRITON_CUDART_PATH"},
	{name: "build.impl", here: "no launcher is compiled: Go passes the arguments"},
	{name: "redis.key_format", variable: "TRITON_REDIS_KEY_FORMAT"},
	{name: "redis.host", variable: "TRITON_REDIS_HOST", test: "TestTriton"},
	{name: "redis.port", variable: "TRITON_REDIS_PORT", test: "TestTriton"},
	{name: "cache.home_dir", variable: "TRITON_HOME", test: "TestTriton",
		here: "the folders of `NEREID_CACHE_DIR`, `NEREID_DUMP_DIR`, `NEREID_OVERRIDE_DIR` lie in it"},
	{name: "cache.dump_dir", variable: "TRITON_DUMP_DIR", test: "TestTriton"},
	{name: "cache.override_dir", variable: "TRITON_OVERRIDE_DIR", test: "TestTriton"},
	{name: "cache.dir", variable: "TRITON_CACHE_DIR", test: "TestTriton"},
	{name: "cache.manager_class", variable: "TRITON_CACHE_MANAGER"},
	{name: "cache.remote_manager_class", variable: "TRITON_REMOTE_CACHE_BACKEND", test: "TestTriton"},
	{name: "compilation.override", variable: "TRITON_KERNEL_OVERRIDE", test: "TestTriton"},
	{name: "compilation.dump_ir", variable: "TRITON_KERNEL_DUMP", test: "TestTriton"},
	{name: "compilation.dump_ir_extract_di_local_variables", variable: "LLVM_EXTRACT_DI_LOCAL_VARIABLES"},
	{name: "compilation.store_binary_only", variable: "TRITON_STORE_BINARY_ONLY"},
	{name: "compilation.always_compile", variable: "TRITON_ALWAYS_COMPILE", test: "TestTriton"},
	{name: "compilation.use_ir_loc", variable: "USE_IR_LOC"},
	{name: "compilation.enable_asan", variable: "TRITON_ENABLE_ASAN"},
	{name: "compilation.disable_line_info", variable: "TRITON_DISABLE_LINE_INFO", test: "TestTriton"},
	{name: "compilation.front_end_debugging", variable: "TRITON_FRONT_END_DEBUGGING"},
	{name: "compilation.allow_non_constexpr_globals", variable: "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"},
	{name: "compilation.instrumentation_mode", variable: instrumentation},
	{name: "compilation.listener", here: "`Hooks.AfterCompile`, `Hooks.Stage`",
		test: "TestCompileAndLaunchHooks"},
	{name: "autotuning.cache", variable: "TRITON_CACHE_AUTOTUNING"},
	{name: "autotuning.print", variable: "TRITON_PRINT_AUTOTUNING", test: "TestTriton"},
	{name: "runtime.interpret", variable: "TRITON_INTERPRET", test: "TestTriton"},
	{name: "runtime.debug", variable: "TRITON_DEBUG", test: "TestTriton"},
	{name: "runtime.override_arch", variable: "TRITON_OVERRIDE_ARCH"},
	{name: "runtime.launch_enter_hook", here: "`Hooks.BeforeLaunch`", test: "TestLaunchMetadata"},
	{name: "runtime.launch_exit_hook", here: "`Hooks.AfterLaunch`", test: "TestCompileAndLaunchHooks"},
	{name: "runtime.kernel_load_start_hook", here: "`Hooks.BeforeCompile`: code is loaded as it is " +
		"compiled or found", test: "TestCompileAndLaunchHooks"},
	{name: "runtime.kernel_load_end_hook", here: "`Hooks.AfterCompile`; `Hooks.Unload` when it is gone",
		test: "TestUnloadHook"},
	{name: "runtime.jit_cache_hook", here: "`Hooks.BeforeCompile`, which may refuse",
		test: "TestCompileAndLaunchHooks"},
	{name: "runtime.jit_post_compile_hook", here: "`Hooks.AfterCompile`", test: "TestCompileAndLaunchHooks"},
	{name: "runtime.add_stages_inspection_hook", here: "`Hooks.ReplaceStage`", test: "TestReplaceStage"},
	{name: "language.fp32_default", variable: "TRITON_F32_DEFAULT"},
	{name: "language.default_fp_fusion", variable: "TRITON_DEFAULT_FP_FUSION", test: "TestTriton"},
	{name: "nvidia.cuobjdump", variable: "TRITON_CUOBJDUMP_PATH"},
	{name: "nvidia.nvdisasm", variable: "TRITON_NVDISASM_PATH"},
	{name: "nvidia.ptxas", variable: "TRITON_PTXAS_PATH", test: "TestTriton"},
	{name: "nvidia.ptxas_blackwell", variable: "TRITON_PTXAS_BLACKWELL_PATH"},
	{name: "nvidia.dump_nvptx", variable: "NVPTX_ENABLE_DUMP", test: "TestTriton"},
	{name: "nvidia.disable_ptxas_opt", variable: "DISABLE_PTXAS_OPT"},
	{name: "nvidia.ptxas_options", variable: "PTXAS_OPTIONS"},
	{name: "nvidia.mock_ptx_version", variable: "TRITON_MOCK_PTX_VERSION"},
	{name: "nvidia.dump_ptxas_log", variable: "TRITON_DUMP_PTXAS_LOG"},
	{name: "nvidia.libdevice_path", variable: "TRITON_LIBDEVICE_PATH"},
	{name: "nvidia.libcuda_path", variable: "TRITON_LIBCUDA_PATH", test: "TestTriton"},
	{name: "amd.use_buffer_ops", variable: "AMDGCN_USE_BUFFER_OPS"},
	{name: "amd.use_buffer_atomics", variable: "AMDGCN_USE_BUFFER_ATOMICS"},
	{name: "amd.buffer_ops_analyze_small_tensor_range", variable: "AMDGCN_ANALYZE_SMALL_TENSOR_RANGE"},
	{name: "amd.dump_amdgcn", variable: "AMDGCN_ENABLE_DUMP", test: "TestTriton"},
	{name: "amd.libhip_path", variable: "TRITON_LIBHIP_PATH", test: "TestTriton"},
	{name: "amd.use_block_pingpong", variable: "TRITON_HIP_USE_BLOCK_PINGPONG"},
	{name: "amd.use_in_thread_transpose", variable: "TRITON_HIP_USE_IN_THREAD_TRANSPOSE"},
	{name: "amd.use_async_copy", variable: "TRITON_HIP_USE_ASYNC_COPY"},
	{name: "amd.scalarize_packed_fops", variable: "AMDGCN_SCALARIZE_PACKED_FOPS"},
	{name: "proton.disable", variable: "TRITON_PROTON_DISABLE"},
	{name: "proton.cupti_lib_dir", variable: "TRITON_CUPTI_LIB_PATH"},
	{name: "proton.enable_nvtx", variable: "TRITON_ENABLE_NVTX"},
}

// answer returns what becomes of a knob: "honoured", "refused" or "no meaning here", and by what or why.
func (k *tritonKnob) answer() (status, by string) {
	if k.variable == instrumentation {
		return "refused", "`NEREID_CHECK=1` checks accesses; the simulated GPUs find races"
	}
	for i := range unread {
		if u := &unread[i]; u.Name == k.variable {
			if u.Refused {
				return "refused", u.Why
			}
			return "no meaning here", u.Why
		}
	}
	if k.test != "" {
		return "honoured", cmp.Or(k.here, "`"+k.counterpart()+"`")
	}
	return "no meaning here", cmp.Or(k.here, "`"+k.counterpart()+"` says where; it is on in any case")
}

// counterpart returns the variable here for which Triton's counts, or "".
func (k *tritonKnob) counterpart() string {
	for _, r := range rows {
		if slices.Contains(strings.Split(r.Triton, ", "), k.variable) {
			return r.Name
		}
	}
	return ""
}
