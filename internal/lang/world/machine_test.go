package world

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// moduleValues are expressions of host code at the level of a module, and what they are on the default
// target with Triton 3.6.
var moduleValues = []struct{ name, src, want string }{
	{"name", "import torch\nX = torch.cuda.get_device_name(0)", "'NVIDIA H200'"},
	{"capability", "import torch\nX = torch.cuda.get_device_capability()", "(9, 0)"},
	{"processors", "import torch\nX = torch.cuda.get_device_properties(0).multi_processor_count", "132"},
	{"threads", "import torch\nX = torch.cuda.get_device_properties(0).max_threads_per_multi_processor",
		"2048"},
	{"bf16", "import torch\nX = torch.cuda.is_bf16_supported()", "True"},
	{"toolkit", "import torch\nX = torch.version.cuda", "'13.0'"},
	{"release", "import torch\nfrom packaging import version\nX = version.parse(torch.__version__) >= " +
		"version.parse('2.9')", "True"},
	{"release as text", "import torch\nX = torch.__version__ >= '2.5', torch.__version__.split('+')[0] " +
		">= '2.4.0'", "(True, False)"},
	{"release parts", "import torch\nV = torch.__version__\nX = V, V == '2.11.0+cu130', V < '2.9', V > " +
		"'2.11', V >= (2, 10), tuple(int(p) for p in V.split('+')[0].split('.')), V[:4], " +
		"V.startswith('2.'), f'{V}', '2.11' in V, isinstance(V, str), V != 'x'",
		"('2.11.0+cu130', True, False, True, True, (2, 11, 0), '2.11', True, '2.11.0+cu130', True, " +
			"True, True)"},
	{"release by name", "from torch.torch_version import TorchVersion\nimport torch\nX = " +
		"TorchVersion('2.3') < torch.__version__, torch.version.__version__ == torch.__version__",
		"(True, True)"},
	{"release of the package", "import importlib.metadata\nX = importlib.metadata.version('torch')",
		"'2.11.0+cu130'"},
	{"resolution", "import torch\nX = [torch.finfo(t).resolution for t in (torch.float64, torch.float32, " +
		"torch.float16, torch.bfloat16, torch.float8_e5m2)]", "[1e-15, 1e-06, 0.001, 0.01, 1.0]"},
	{"powers of two", "import torch\nT = torch.float8_e8m0fnu\nX = T.itemsize, T.is_floating_point, " +
		"torch.finfo(T).max, torch.finfo(T).min", "(1, True, 1.7014118346046923e+38, 5.877471754111438e-39)"},
	{"deterministic", "import torch\nX = 1 if torch.are_deterministic_algorithms_enabled() else 2", "2"},
	{"shared memory", "import triton\nX = " +
		"triton.runtime.driver.active.utils.get_device_properties(0)['max_shared_mem']", "232448"},
	{"driver's processors", "import triton\nX = " +
		"triton.runtime.driver.active.utils.get_device_properties(0)['multiprocessor_count']", "132"},
	{"no such dialect", "try:\n  import triton.experimental.tle.language as tle\n  X = True\nexcept " +
		"ImportError:\n  X = False", "False"},
	{"no such dialect, from", "try:\n  from triton.experimental import tle\n  X = True\nexcept " +
		"ImportError:\n  X = False", "False"},
	{"gluon", "try:\n  from triton.experimental import gluon\n  X = True\nexcept ImportError:\n  X = False",
		"True"},
	{"configs", "import triton\n@triton.autotune(configs=[triton.Config({'B': b}) for b in (64, 32)], " +
		"key=[])\n@triton.jit\ndef k(B): pass\nX = min(c.kwargs['B'] for c in k.configs)", "32"},
	{"Triton is there", "from torch.utils._triton import has_triton\nimport torch\n" +
		"X = has_triton() and torch.cpu.is_available()", "True"},
	{"shim", shim + "X = div_rn is libdevice.div_rn, trunc is libdevice.trunc", "(True, True)"},
	{"no shim", shim + "X = mine.__name__, isinstance(mine, triton.JITFunction)", "('mine', True)"},
	{"launched otherwise", shim + "X = isinstance(kernel, triton.JITFunction), isinstance(kernel2, " +
		"triton.JITFunction)", "(True, True)"},
}

// shim is a module whose decorator takes the back end's function of the same name where there is one.
const shim = `import triton
from triton.language.extra import libdevice
def shim(fn):
  return getattr(libdevice, fn.__name__) if hasattr(libdevice, fn.__name__) else fn
def shim_of(module):
  return lambda fn: getattr(module, fn.__name__) if hasattr(module, fn.__name__) else fn
class Entry:
  def __init__(self, fn):
    self.fn = fn
def entry(fn):
  return Entry(fn)
def entries():
  return Entry
@shim
@triton.jit
def div_rn(x, y):
  return x / y
@shim_of(libdevice)
@triton.jit
def trunc(x):
  return x
@shim
@triton.jit
def mine(x):
  return x
@entry
@triton.jit
def kernel(x):
  pass
@entries()
@triton.jit
def kernel2(x):
  pass
`

func TestModuleValues(t *testing.T) {
	for _, c := range moduleValues {
		t.Run(c.name, func(t *testing.T) {
			s, err := Load("m.py", []byte(c.src+"\n"), LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w := New(s, DefaultTarget, nil)
			v, ok, err := s.Module(w).Get(w.In, "X")
			if err != nil || !ok {
				t.Fatalf("X: %v, %v", ok, err)
			}
			got, err := object.Repr(w.In, v)
			if err != nil || got != c.want {
				t.Errorf("X = %s, %v, want %s", got, err, c.want)
			}
		})
	}
}
