// Package arch states which package may import which, so that the layers point one way: from the runtime to
// the back ends, to the passes, to the IR, to the leaves. Its test holds the code to it.
//
// A new package gets a row in the table below. A row that must grow for a change is a change of the
// architecture: think first, then edit the row and ARCHITECTURE.md together.
package arch

import (
	"slices"
	"strings"
)

// Module is the path that our imports begin with.
const Module = "github.com/nereid-lang/nereid"

// rule is what the packages that match a pattern may import. A pattern is a path below the module, "x/..."
// stands for x and all below it. The first rule that matches a package is its rule.
type rule struct {
	pkg     string
	ours    []string // patterns
	outside []string // beside the standard library
}

const (
	purego    = "github.com/ebitengine/purego"
	protowire = "google.golang.org/protobuf"
)

// Groups that many rows share.
var (
	leaves = []string{"internal/budget", "internal/chip", "internal/diag", "internal/dtype",
		"internal/intern", "internal/num", "internal/ptx", "internal/pytext", "internal/signature",
		"internal/triton"}
	irLayer  = join(leaves, "internal/device/gpucode", "internal/ir", "internal/dialect/...")
	compiler = join(irLayer, "internal/analysis/...", "internal/pass/...", "internal/layout/...")
	native   = join(compiler, "internal/device", "internal/middle/...", "internal/gpu/...",
		"internal/lower/...",
		"internal/llvm", "internal/knob")
)

// rules is the ladder, from the bottom up.
var rules = []rule{
	// Leaves: they know nobody.
	{pkg: "internal/budget"},
	{pkg: "internal/chip"},
	{pkg: "internal/diag"},
	{pkg: "internal/num"},
	{pkg: "internal/ring", ours: []string{"internal/num"}},
	{pkg: "internal/dtype", ours: []string{"internal/num"}},
	{pkg: "internal/certify", ours: []string{"internal/diag", "internal/dtype", "internal/ring"}},
	{pkg: "internal/intern"},
	{pkg: "internal/layout"},
	{pkg: "internal/mathlib"},
	{pkg: "internal/ptx"},
	{pkg: "internal/pytext"},
	{pkg: "internal/signature", ours: []string{"internal/diag", "internal/dtype", "internal/pytext"}},
	{pkg: "internal/rules"},
	{pkg: "internal"},
	{pkg: "internal/knob", ours: []string{"internal/diag", "internal/rules"}},
	{pkg: "internal/safefile"},
	{pkg: "internal/safetensors"},
	{pkg: "internal/triton"},
	{pkg: "internal/uniform"},
	{pkg: "internal/device/gpucode"},
	{pkg: "internal/device/inflight"},
	{pkg: "internal/device/stray"},
	{pkg: "internal/device",
		ours: []string{"internal/device/inflight", "internal/diag", "internal/uniform"}},
	{pkg: "scripts/winprng"},

	// Text in, tree out; then the evaluator of host Python; then TTIR.
	{pkg: "internal/python", ours: []string{"internal/diag", "internal/pytext"}},
	{pkg: "internal/pyrun/realmath"},
	{pkg: "internal/pyrun/object", ours: join(leaves, "internal/python", "internal/pyrun/realmath")},
	{pkg: "internal/pyrun",
		ours: join(leaves, "internal/python", "internal/pyrun/object", "internal/safefile")},
	{pkg: "internal/pyrun/std", ours: join(leaves, "internal/python", "internal/pyrun/...")},
	{pkg: "internal/lang/libtest", ours: join(irLayer, "internal/pass")}, // for tests
	{pkg: "internal/lang/stdlib"},
	{pkg: "internal/lang/sem", ours: join(irLayer, "internal/python", "internal/pyrun/...")},
	{pkg: "internal/lang/world",
		ours: join(leaves, "internal/python", "internal/pyrun/...", "internal/lang/sem",
			"internal/lang/stdlib")},
	{pkg: "internal/lang/codegen",
		ours: join(irLayer, "internal/python", "internal/pyrun/...", "internal/lang/sem",
			"internal/lang/world")},
	{pkg: "internal/lang", ours: join(irLayer, "internal/python", "internal/pyrun/...", "internal/lang/...")},

	// The IR and what works on it. Dialects also keep to their own order, see below.
	{pkg: "internal/ir", ours: leaves},
	{pkg: "internal/dialect/...", ours: irLayer},
	{pkg: "internal/analysis/...", ours: join(irLayer, "internal/analysis/...", "internal/layout/...")},
	{pkg: "internal/pass/passtest", // for tests
		ours: join(irLayer, "internal/irgen", "internal/pass", "internal/target/interp", "internal/txtest")},
	{pkg: "internal/pass/...", ours: join(irLayer, "internal/analysis/...", "internal/pass/...")},
	{pkg: "internal/middle/...",
		ours: join(irLayer, "internal/analysis/...", "internal/pass/...", "internal/middle/...")},
	// Passes for GPUs: each folder knows those above it.
	{pkg: "internal/gpu/ttgir", ours: join(compiler, "internal/rules")},
	{pkg: "internal/gpu/layouts", ours: join(compiler, "internal/gpu/ttgir", "internal/rules")},
	{pkg: "internal/gpu/products",
		ours: join(compiler, "internal/gpu/ttgir", "internal/gpu/layouts", "internal/rules")},
	{pkg: "internal/gpu/pipeline",
		ours: join(compiler, "internal/gpu/ttgir", "internal/gpu/layouts", "internal/gpu/products",
			"internal/rules")},
	{pkg: "internal/gpu/motion",
		ours: join(compiler, "internal/gpu/ttgir", "internal/gpu/layouts", "internal/gpu/products",
			"internal/gpu/pipeline", "internal/rules")},
	{pkg: "internal/gpu/tma",
		ours: join(compiler, "internal/gpu/ttgir", "internal/gpu/layouts", "internal/gpu/products",
			"internal/gpu/pipeline", "internal/gpu/motion", "internal/rules")},
	{pkg: "internal/gpu/programs",
		ours: join(compiler, "internal/gpu/ttgir", "internal/gpu/layouts", "internal/gpu/products",
			"internal/gpu/pipeline", "internal/gpu/motion", "internal/gpu/tma", "internal/rules")},
	{pkg: "internal/gpu/amd",
		ours: join(compiler, "internal/gpu/ttgir", "internal/gpu/layouts", "internal/gpu/products",
			"internal/gpu/pipeline", "internal/gpu/motion")},
	{pkg: "internal/gpu", ours: join(compiler, "internal/device", "internal/gpu/...", "internal/rules")},
	{pkg: "internal/layout/ttglayout", ours: join(irLayer, "internal/layout")},
	{pkg: "internal/lower/...",
		ours: join(irLayer, "internal/mathlib", "internal/analysis/...", "internal/layout/...",
			"internal/lower/...", "internal/ring", "internal/rules", "internal/uniform")},

	// Native libraries. Only the package that opens them imports purego.
	{pkg: "internal/dl", outside: []string{purego}},
	{pkg: "internal/codemem"},
	{pkg: "internal/objcode", ours: []string{"internal/codemem", "internal/dl"}},
	{pkg: "internal/llvm",
		ours: []string{"internal/chip", "internal/codemem", "internal/diag", "internal/dl",
			"internal/knob", "internal/ptx", "internal/safefile"}},
	{pkg: "internal/llvm/llvmtest", ours: []string{"internal/llvm"}},

	// What runs compiled kernels. It knows no IR and no compiler.
	{pkg: "internal/device/nvidia/driver/stub", ours: []string{"internal/txtest"}},
	{pkg: "internal/device/nvidia/driver",
		ours: []string{"internal/diag", "internal/dl", "internal/knob",
			"internal/device/inflight", "internal/uniform"}},
	{pkg: "internal/device/nvidia",
		ours: []string{"internal/device", "internal/device/gpucode", "internal/device/inflight",
			"internal/device/nvidia/driver", "internal/device/stray", "internal/chip", "internal/diag",
			"internal/knob", "internal/ptx", "internal/rules", "internal/uniform"}},
	{pkg: "internal/sample"},
	{pkg: "internal/timeline", ours: []string{"internal/device", "internal/knob", "internal/sample"}},
	{pkg: "internal/device/cpu/cpuid"},
	{pkg: "internal/device/cpu/pool", ours: []string{"internal/dl"}},
	{pkg: "internal/device/cpu",
		ours: []string{"internal/device", "internal/device/cpu/...", "internal/device/stray", "internal/diag",
			"internal/dl", "internal/knob", "internal/num", "internal/objcode"}},
	{pkg: "internal/device/amd/hip/stub", ours: []string{"internal/txtest"}},
	{pkg: "internal/device/amd/hip", ours: []string{"internal/dl", "internal/knob",
		"internal/device/inflight"}},
	{pkg: "internal/device/nccl/stub", ours: []string{"internal/txtest"}},
	{pkg: "internal/device/nccl", ours: []string{"internal/dl", "internal/knob"}},
	{pkg: "internal/device/amd",
		ours: []string{"internal/chip", "internal/device", "internal/device/amd/hip",
			"internal/device/inflight", "internal/diag"}},

	// Targets: each knows the layers above and none of the others. Code generation and drivers know no
	// device.
	{pkg: "internal/target/interleave"},
	{pkg: "internal/target/simcount"},
	{pkg: "internal/target/simmem", ours: []string{"internal/device", "internal/target",
		"internal/device/stray"}},
	{pkg: "internal/target/nvidia/ptxsim",
		ours: join(irLayer, "internal/ring", "internal/target/interleave", "internal/target/simcount",
			"internal/target/simmem", "internal/device/stray")},
	{pkg: "internal/target/amd/gcn"},
	{pkg: "internal/target/amd/gcnsim",
		ours: []string{"internal/num", "internal/ring", "internal/target/amd/gcn",
			"internal/target/interleave", "internal/target/simcount", "internal/target/simmem",
			"internal/device/stray"}},
	{pkg: "internal/target/cpu/codegen",
		ours: join(irLayer, "internal/device/cpu", "internal/mathlib", "internal/target/cpu/gemm",
			"internal/target/cpu/vmath")},
	{pkg: "internal/device/cpu/cpuid"},
	{pkg: "internal/target/cpu/gemm", ours: join(irLayer, "internal/mathlib")},
	{pkg: "internal/target/cpu/vmath", ours: join(irLayer, "internal/mathlib")},
	{pkg: "internal/target", ours: join(compiler, "internal/device", "internal/lang/...", "internal/python",
		"internal/pyrun/...", "internal/device/inflight")},
	{pkg: "internal/target/interp/...",
		ours: join(compiler, "internal/lang", "internal/middle/...", "internal/ring",
			"internal/device", "internal/target",
			"internal/device/stray", "internal/target/interp/...")},
	{pkg: "internal/target/cpu/...",
		ours: join(native, "internal/device/cpu/...", "internal/lang", "internal/sample", "internal/target",
			"internal/target/cpu/...")},
	{pkg: "internal/target/nvidia/...",
		ours: join(native, "internal/device/nvidia/...", "internal/device/stray", "internal/lang",
			"internal/target", "internal/target/interleave", "internal/target/simcount",
			"internal/target/simmem",
			"internal/target/nvidia/...", "internal/rules", "internal/uniform")},

	{pkg: "internal/target/amd/hsaco"},
	{pkg: "internal/device/amd/hip/stub", ours: []string{"internal/txtest"}},
	{pkg: "internal/target/amd",
		ours: join(native, "internal/lang", "internal/target", "internal/target/amd/gcn",
			"internal/target/amd/hsaco", "internal/device/amd")},
	{pkg: "internal/target/amd/sim",
		ours: []string{"internal/diag", "internal/knob", "internal/llvm", "internal/device",
			"internal/device/amd", "internal/target",
			"internal/target/amd", "internal/target/amd/gcnsim", "internal/target/interleave",
			"internal/target/simcount", "internal/target/simmem"}},

	// The runtime may use anything of the compiler; no row above lets the compiler use the runtime.
	{pkg: "internal/replay/...", ours: []string{"internal/..."}},
	{pkg: "internal/gen/genkernels", ours: []string{".", "genrt"}},
	{pkg: "internal/gen",
		ours: []string{"internal/diag", "internal/dtype", "internal/python", "internal/pyrun/...",
			"internal/lang/...", "internal/signature"}},
	{pkg: "internal/cache", ours: []string{"internal/safefile"}, outside: []string{"github.com/gofrs/flock"}},
	{pkg: "internal/cache/redis", outside: []string{"github.com/redis/go-redis/v9"}},
	// public; no row but that of the commands has it
	{pkg: "redis", ours: []string{"internal/cache", "internal/cache/redis"}},
	{pkg: "internal/bundle", ours: []string{"internal/certify", "internal/runtime/code"}},
	{pkg: "internal/rule", ours: []string{"internal/diag", "internal/python"}},
	{pkg: "internal/onnx", ours: []string{"internal/dtype"}, outside: []string{protowire}},
	{pkg: "internal/onnx/ort", ours: []string{"internal/dl", "internal/dtype", "internal/onnx"}},
	{pkg: "internal/onnx/rewrite",
		ours: []string{"internal/dtype", "internal/onnx", "internal/onnx/ort", "internal/rule"}},
	{pkg: "internal/cform",
		ours: []string{"internal/bundle", "internal/device/...", "internal/dtype", "internal/llvm",
			"internal/lower", "internal/rule", "internal/runtime/code", "internal/uniform"}},
	{pkg: "internal/autotune", ours: []string{"internal/cache", "internal/dtype", "internal/safefile"},
		outside: []string{"github.com/gofrs/flock"}},
	{pkg: "internal/frame"},
	{pkg: "internal/dap", ours: join(irLayer, "internal/frame", "internal/target/interp")},
	{pkg: "internal/lsp",
		ours: []string{"internal/budget", "internal/diag", "internal/frame", "internal/gen", "internal/lang/...",
			"internal/pyrun/...", "internal/python", "internal/safefile", "internal/triton"}},
	{pkg: "internal/view", ours: join(compiler, "internal/lower", "internal/safefile", "internal/sample",
		"profile", "internal/target/interp", "internal/target/simcount")},
	{pkg: "internal/plot", outside: []string{"golang.org/x/image"}},
	{pkg: "internal/runtime/args",
		ours: []string{"internal/device", "internal/device/inflight", "internal/dtype",
			"internal/signature"}},
	{pkg: "internal/runtime/code",
		ours: []string{"internal/device", "internal/diag", "internal/dtype", "internal/runtime/args",
			"internal/signature", "internal/timeline"}},
	{pkg: "internal/runtime/warm",
		ours: []string{"internal/device", "internal/dtype", "internal/runtime/args"}},
	{pkg: "internal/runtime/core",
		ours: []string{"internal/autotune", "internal/cache", "internal/device/...", "internal/diag",
			"internal/dtype", "internal/knob", "internal/num", "internal/runtime/args",
			"internal/runtime/code", "internal/runtime/warm", "internal/safefile", "internal/safetensors",
			"internal/signature", "internal/timeline"}},
	{pkg: "run", ours: []string{"internal/runtime/core"}}, // public
	{pkg: "internal/runtime/compile",
		ours: join(compiler, "internal/cache", "internal/device", "internal/knob",
			"internal/lang/...", "internal/pyrun/object", "internal/rules",
			"internal/runtime/args", "internal/runtime/code", "internal/safefile", "internal/target",
			"internal/timeline")},
	{pkg: "internal/runtime/tune",
		ours: []string{"internal/autotune", "internal/cache", "internal/dtype", "internal/lang",
			"internal/pyrun/...", "internal/runtime/args", "internal/runtime/compile",
			"internal/device", "internal/target"}},
	{pkg: "internal/runtime/manifest",
		ours: []string{"internal/cache", "internal/diag", "internal/runtime/code", "internal/safefile"}},
	{pkg: "backend",
		ours: join(irLayer, "internal/middle", "internal/pass", "internal/device",
			"internal/device/inflight", "internal/runtime/core")},
	{pkg: "internal/target/outside",
		ours: join(compiler, "backend", "internal/gpu", "internal/knob", "internal/lang",
			"internal/middle/...", "internal/device", "internal/runtime/core", "internal/target")},
	// Package jit names packages of vendors where targets are registered (targets.go) and where the text of a
	// stage is read (stage.go); launches do not.
	{pkg: "internal/runtime/jit", ours: []string{"backend", "internal", "internal/..."}},
	{pkg: "bundle", // public
		ours: []string{"run", "internal/bundle", "internal/diag", "internal/runtime/core",
			"internal/safefile"}},
	{pkg: "profile"}, // public
	{pkg: "collective", // public
		ours: []string{"run", "internal/device", "internal/device/nccl", "internal/diag", "internal/dtype",
			"internal/runtime/core"}},
	{pkg: "tunable", // public
		ours: []string{"run", "bundle", "internal/autotune", "internal/dtype", "internal/runtime/core"}},
	{pkg: "ops", ours: []string{".", "internal/chip", "internal/runtime/core"}},              // public
	{pkg: "ops/parallel", ours: []string{".", "collective", "internal/runtime/core", "ops"}}, // public
	{pkg: "internal/aot", ours: []string{".", "internal/..."},
		outside: []string{"github.com/BurntSushi/toml"}},
	{pkg: "genrt",
		ours: []string{".", "internal/runtime/...", "internal/device", "internal/target"}},
	{pkg: "internal/bench/...", ours: []string{".", "bundle", "kernels", "internal/..."}},
	{pkg: "internal/selftest", ours: []string{".", "internal/chip", "internal/runtime/core"}},
	{pkg: "kernels"},

	// What tests share. No row lets shipped code import it.
	{pkg: "internal/arch"},
	{pkg: "internal/filecheck"},
	{pkg: "internal/fingerprint", ours: []string{"internal/..."}},
	{pkg: "internal/irgen", ours: irLayer},
	{pkg: "internal/conform", ours: []string{".", "internal/..."}},
	{pkg: "internal/conform/choose", ours: []string{".", "internal/runtime/jit"}},
	{pkg: "internal/memfuzz", ours: []string{".", "internal/..."}},
	{pkg: "internal/mutate", ours: []string{"internal/mutate/decision"}},
	{pkg: "internal/mutate/decision"},
	{pkg: "internal/simdriver", ours: []string{"internal/..."}},
	{pkg: "internal/onnx/onnxtest", outside: []string{protowire}},
	{pkg: "internal/txtest", outside: []string{"github.com/rogpeppe/go-internal"}},

	// The API, and the commands on top of everything.
	{pkg: ".", ours: []string{"internal/runtime/core", "internal/runtime/jit"}},
	{pkg: "cli", ours: []string{".", "bundle", "kernels", "profile", "tunable", "internal/..."},
		outside: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},
	{pkg: "cmd/...", ours: []string{"cli", "redis"}},
}

// withoutCompiler lists packages that neither import nor reach the compiler, so that programs which only run
// compiled code do not link it.
var withoutCompiler = []string{"internal/device/...", "internal/runtime/core", "run", "bundle", "tunable",
	"collective", "capi", "capi/foreign"} // with the build tag nereid_run

// compilerParts are what they do not reach: the front end, the IR, LLVM, the simulators.
var compilerParts = []string{"internal/ir", "internal/dialect/...", "internal/lang/...", "internal/python",
	"internal/pyrun/...", "internal/pass/...", "internal/llvm", "internal/target/...",
	"internal/runtime/jit", "."}

// testOnly packages are for tests and for each other, whatever a row says.
var testOnly = []string{"internal/arch", "internal/filecheck", "internal/device/nvidia/driver/stub",
	"internal/device/amd/hip/stub", "internal/device/nccl/stub", "internal/fingerprint", "internal/irgen",
	"internal/llvm/llvmtest", "internal/onnx/onnxtest",
	"internal/pass/passtest", "internal/simdriver", "internal/txtest"}

// dialects in order: each imports only those above it. What dialects share comes first; the package all,
// which gathers them, is not in the list and imports any.
var dialects = []string{
	"funclike", "constfold", "indexlist",
	"ub", "arith", "math", "cf", "funcd", "llvmd", "scf",
	"tensor", "memref", "bufferization", "linalg",
	"tt", "tts", "gpud", "proton", "ttg", "ttng", "amdg",
}

// forbidden says why a package may not import a path, or "" when it may. Both are as in Go source.
func forbidden(pkg, path string) string {
	r := ruleOf(below(pkg))
	if r == nil {
		return "has no row in internal/arch/rules.go: add one"
	}
	if path != Module && !strings.HasPrefix(path, Module+"/") {
		return r.forbidsOutside(path)
	}
	from, to := below(pkg), below(path)
	switch {
	case slices.Contains(testOnly, to) && !slices.Contains(testOnly, below(pkg)):
		return "may not import " + to + " outside of tests"
	case !slices.ContainsFunc(r.ours, func(p string) bool { return matches(p, to) }):
		return "may not import " + to + "; allowed: " + list(r.ours)
	}
	return forbiddenDialect(from, to)
}

func (r *rule) forbidsOutside(path string) string {
	first, _, _ := strings.Cut(path, "/")
	inModule := func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") }
	if !strings.Contains(first, ".") || slices.ContainsFunc(r.outside, inModule) {
		return ""
	}
	return "may not import " + path + "; beside the standard library: " + list(r.outside)
}

// forbiddenDialect says why one dialect may not import another. Other imports are none of its business.
func forbiddenDialect(from, to string) string {
	a, ok := strings.CutPrefix(from, "internal/dialect/")
	b, ok2 := strings.CutPrefix(to, "internal/dialect/")
	if !ok || !ok2 || a == "all" {
		return ""
	}
	i, j := slices.Index(dialects, a), slices.Index(dialects, b)
	switch {
	case i < 0:
		return "has no place in the order of dialects in internal/arch/rules.go: add it"
	case j < 0 || j >= i:
		return "may not import " + to + ": a dialect imports those before it in " +
			strings.Join(dialects, ", ")
	}
	return ""
}

func ruleOf(pkg string) *rule {
	for i := range rules {
		if matches(rules[i].pkg, pkg) {
			return &rules[i]
		}
	}
	return nil
}

// below is a path without the module: "internal/ir", or "." for the root package.
func below(path string) string {
	if path == Module {
		return "."
	}
	return strings.TrimPrefix(path, Module+"/")
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pkg == pattern
}

func join(patterns []string, more ...string) []string { return slices.Concat(patterns, more) }

func list(items []string) string {
	if len(items) == 0 {
		return "nothing"
	}
	return strings.Join(items, ", ")
}
