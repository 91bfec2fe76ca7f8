package world

import (
	"maps"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// registerRuntime makes triton.runtime. Kernels use nothing of it, but code around them imports classes and
// errors from it, and asks whether it has them. Names that serve no purpose here are there all the same.
func (w *World) registerRuntime() {
	errors := map[string]object.Value{}
	for _, name := range strings.Fields("TritonError OutOfResources PTXASError AutotunerError " +
		"InterpreterError") {
		errors[name] = object.RuntimeError
	}
	tuning := map[string]object.Value{"Config": configClass, "autotune": autotuneDecorator,
		"heuristics": heuristicsDecorator}
	for _, m := range []*pyrun.Module{
		{Name: "triton.runtime",
			Vars: there("KernelInterface Autotuner Heuristics TensorWrapper MockTensor reinterpret "+
				"RemoteCacheBackend RedisRemoteCacheBackend",
				tuning, errors, map[string]object.Value{"JITFunction": jitClass})},
		{Name: "triton.runtime.jit",
			Vars: there("KernelInterface KernelParam ConstexprFunction TensorWrapper MockTensor "+
				"reinterpret mangle_type get_jit_fn_file_line T",
				map[string]object.Value{"jit": w.jit(), "JITFunction": jitClass,
					"constexpr_function": constexprDecorator, "JITCallable": jitClass})},
		{Name: "triton.runtime.driver", Vars: map[string]object.Value{"active": w.activeDriver()}},
		{Name: "triton.runtime.autotuner",
			Vars: there("KernelInterface Autotuner Heuristics triton_key get_cache_manager", tuning, errors,
				map[string]object.Value{"JITFunction": jitClass})},
		{Name: "triton.runtime.errors", Vars: errors},
		{Name: "triton.errors", Vars: map[string]object.Value{"TritonError": object.RuntimeError}},
		{Name: "triton.runtime.cache",
			Vars: there("CacheManager FileCacheManager RemoteCacheManager RemoteCacheBackend " +
				"RedisRemoteCacheBackend get_cache_manager get_dump_manager get_override_manager " +
				"get_cache_key make_so_cache_key triton_key")},
		{Name: "triton.runtime.build", Vars: there("compile_module_from_src platform_key _build")},
		{Name: "triton.runtime.interpreter", Open: true},
		{Name: "triton.runtime._allocation",
			Vars: there("Allocator Buffer NullAllocator set_allocator set_profile_allocator")},
	} {
		w.known[m.Name] = m
	}
	w.link("triton.runtime", "driver", "jit", "autotuner", "errors", "cache", "build", "interpreter",
		"_allocation")
}

// there returns a table of names that cannot be used, with the entries of other tables added.
func there(names string, tables ...map[string]object.Value) map[string]object.Value {
	out := map[string]object.Value{}
	for _, n := range strings.Fields(names) {
		out[n] = unusable(n)
	}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}
