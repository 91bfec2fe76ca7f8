package conform

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// refusedByTriton are the bodies of kernels of a pointer p and a number n that we accept and Triton does not,
// as docs/DIVERGENCES.md lists them.
var refusedByTriton = map[string]string{
	"function":       "f = tl.sqrt\ntl.store(p, f(tl.load(p)))",
	"string":         "s = \"rtne\"\ntl.store(p, tl.load(p))",
	"chained":        "tl.store(p, 0 < n < 5)",
	"comprehension":  "x = [i for i in range(3)]\ntl.store(p, x[0])",
	"two_for":        "x = [i + j for i in (1, 2) for j in (3, 4)]\ntl.store(p, x[0])",
	"call_bool":      "if bool(1):\n    tl.store(p, 1.0)",
	"call_str":       "tl.static_assert(str(1) == \"1\")",
	"call_abs":       "tl.store(p, abs(-3))",
	"call_tuple":     "x = tuple((1, 2))\ntl.store(p, x[0])",
	"mask_of_atomic": "tl.atomic_add(p, 1.0, mask=True)",
	"flip":           "i = tl.arange(0, 8)\ntl.store(p + i, tl.flip(tl.load(p + i)))",
	"global_tuple":   "tl.store(p + tl.arange(0, 4), tl.zeros((SIZES[0],), tl.float32))",
	"none_in_tuple":  "x = (n, None) + (n,)\ntl.static_assert(len(x) == 3)",
	"while_true":     "while True:\n    n += 1\ntl.store(p, n)",
}

// triesAll compiles all kernels of a file with Triton and prints those that it accepts.
const triesAll = `
import importlib.util, sys, triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
spec = importlib.util.spec_from_file_location("k", sys.argv[1])
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
asked = 0
for name, k in vars(m).items():
    if isinstance(k, triton.JITFunction):
        asked += 1
        try:
            triton.compile(ASTSource(k, {"p": "*fp32", "n": "i32"}), target=GPUTarget("cuda", 90, 32))
            print("accepted:", name)
        except triton.CompilationError:
            pass
print("asked:", asked)
`

// TestDivergencesRefused asks Triton whether it refuses what docs/DIVERGENCES.md says that we alone accept.
func TestDivergencesRefused(t *testing.T) {
	python, file := txtest.Triton(t), filepath.Join(t.TempDir(), "k.py")
	source := header + "\nSIZES: tl.constexpr = (4, 8)\n"
	for name, body := range refusedByTriton {
		source += "\n@triton.jit\ndef " + name + "(p, n):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"
	}
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", triesAll, file)
	cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "asked: 14\n" {
		t.Errorf("%s%v", out, err)
	}
	m, err := nereid.Parse("k.py", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for name := range refusedByTriton {
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.CompileFor(t.Context(), "cuda:90", "*fp32, i32", nereid.Options{}, "ttir")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
