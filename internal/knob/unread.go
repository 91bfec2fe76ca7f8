package knob

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Unread is a variable of Triton's that has no counterpart.
type Unread struct {
	Name    string
	Refused bool   // a user who sets it expects something that does not happen
	Why     string // what is done instead, or why there is nothing to set
}

// unread has the variables of Triton 3.6 (knobs.py, and those that its passes read) that no row of the table
// has.
var unread = []Unread{
	{"CC", false, "no launcher is compiled: Go passes the arguments"},
	{"TRITON_CUDACRT_PATH", false, "no launcher is compiled: Go passes the arguments"},
	{"TRITON_CUDART_PATH", false, "no launcher is compiled: Go passes the arguments"},
	{"TRITON_REDIS_KEY_FORMAT", false, "keys in Redis have a form of their own, with the build in it"},
	{"TRITON_CACHE_MANAGER", true, "classes of Python are not loaded; `NEREID_CACHE_REDIS` " +
		"names a server that machines share"},
	{"TRITON_STORE_BINARY_ONLY", false, "the cache keeps code alone in any case"},
	{"LLVM_EXTRACT_DI_LOCAL_VARIABLES", true, "code carries lines, not variables"},
	{"USE_IR_LOC", true, "lines are those of the kernel's file: `nereid compile --emit` writes the stages"},
	{"TRITON_ENABLE_ASAN", true, "`NEREID_CHECK=1` finds accesses out of bounds on every device"},
	{"TRITON_FRONT_END_DEBUGGING", false, "errors have their place and calls in any case"},
	{"TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", true, "a global that a kernel reads must be a constexpr"},
	{"TRITON_OVERRIDE_ARCH", true, "`nereid compile --target cuda:80` compiles for another GPU"},
	{"TRITON_F32_DEFAULT", true, "say `input_precision` at the `tl.dot`"},
	{"TRITON_CUOBJDUMP_PATH", false, "nothing runs cuobjdump"},
	{"TRITON_NVDISASM_PATH", false, "nothing runs nvdisasm"},
	{"TRITON_PTXAS_BLACKWELL_PATH", true, "`NEREID_PTXAS` names the assembler for all GPUs"},
	{"DISABLE_PTXAS_OPT", true, "code is assembled with optimizations alone"},
	{"PTXAS_OPTIONS", true, "the driver assembles, and takes no options; `Options.MaxNReg` bounds registers"},
	{"TRITON_MOCK_PTX_VERSION", true, "the version of PTX is that of the target's instructions"},
	{"TRITON_DUMP_PTXAS_LOG", true, "`Compiled.Info` has registers and spills"},
	{"TRITON_LIBDEVICE_PATH", true, "functions of libdevice are Nereid's own; `Options.ExternLibs` " +
		"links others"},
	{"DISABLE_LLVM_OPT", true, "LLVM optimizes always; `NEREID_DUMP=1` writes what it receives"},
	{"LLVM_PASS_PLUGIN_PATH", true, "LLVM is loaded without plug-ins"},
	{"MLIR_ENABLE_DIAGNOSTICS", false, "errors and warnings are printed in any case"},
	{"MLIR_DUMP_PATH", true, "`NEREID_DUMP_PASSES` prints to standard error"},
	{"MLIR_DISABLE_MULTITHREADING", false, "a compilation runs in one goroutine"},
	{"AMDGCN_USE_BUFFER_OPS", true, "the compiler chooses the form of accesses"},
	{"AMDGCN_USE_BUFFER_ATOMICS", true, "the compiler chooses the form of accesses"},
	{"AMDGCN_ANALYZE_SMALL_TENSOR_RANGE", true, "the compiler chooses the form of accesses"},
	{"AMDGCN_SCALARIZE_PACKED_FOPS", true, "the compiler chooses packed instructions"},
	{"TRITON_HIP_USE_BLOCK_PINGPONG", true, "there is no such schedule"},
	{"TRITON_HIP_USE_IN_THREAD_TRANSPOSE", true, "the compiler chooses how tiles are transposed"},
	{"TRITON_HIP_USE_ASYNC_COPY", true, "the compiler chooses how tiles are loaded"},
	{"TRITON_PROTON_DISABLE", false, "there is no Proton: Go's profilers and `NEREID_PROFILE` are there"},
	{"TRITON_CUPTI_LIB_PATH", false, "CUPTI is not used: `nereid profile` reads the driver's events"},
	{"TRITON_ENABLE_NVTX", false, "no ranges are marked"},
}

// Refused says which variables of Triton's are set that have no counterpart, once in a process: later calls
// return nothing.
func Refused() []error {
	refusedOnce.Do(func() { refused = refusals(os.Getenv) })
	out := refused
	refused = nil
	return out
}

var (
	refusedOnce sync.Once
	refused     []error
)

func refusals(env func(string) string) (out []error) {
	for _, u := range unread {
		text := env(u.Name)
		if off, err := parseBool(text); !u.Refused || text == "" || err == nil && !off && !u.usuallyOn() {
			continue
		}
		out = append(out, fmt.Errorf("%s=%s is a variable of Triton's without a counterpart here: %s", u.Name,
			env(u.Name), strings.ReplaceAll(u.Why, "`", "")))
	}
	return out
}

// usuallyOn reports whether the variable is on in Triton unless somebody turns it off.
func (u *Unread) usuallyOn() bool { return strings.HasPrefix(u.Name, "AMDGCN_USE_BUFFER") }
