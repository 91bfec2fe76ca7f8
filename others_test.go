package nereid_test

import (
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// loads is a launch on the stub: its number of programs, and how often it loads code.
type loads struct{ programs, modules int }

// launchesLoad launches with some numbers of programs, and counts the code that is loaded.
func launchesLoad(t *testing.T, k *nereid.Kernel, s *nereid.Stream, calls func() map[string]int,
	list []loads, args ...any) {
	t.Helper()
	calls()
	for i, c := range list {
		if err := k.Launch(s, nereid.Grid{c.programs}, args...); err != nil {
			t.Fatal(err)
		}
		if got := calls(); got["cuModuleLoadDataEx"] != c.modules {
			t.Errorf("launch %d, %d programs: %v", i, c.programs, got)
		}
	}
}

// On a GPU, code is loaded when a launch first has a number of programs that it is for.
func TestStubDeeper(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float16, 64, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		launchesLoad(t, sharedKernel(t, "matmul.py", "matmul_kernel"), s, calls,
			[]loads{{1, 1}, {1, 0}, {100_000, 1}, {100_000, 0}, {1, 0}, {2, 0}},
			x, x, x, 64, 64, 64, 64, 1, 64, 1, 64, 1, 64, 64, 32, 8, "",
			nereid.Options{NumWarps: 4, NumStages: 3})
	})
}

// On a GPU, code of merged programs is loaded when the first large launch comes that it can serve.
func TestStubMerged(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 4096)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		const large = 1 << 20
		launchesLoad(t, sharedKernel(t, "vector_add.py", "add_kernel"), s, calls,
			[]loads{{1, 1}, {large + 1, 0}, {large, 1}, {large, 0}, {1, 0}, {large, 0}}, x, x, x, 4096, 256)
	})
}

// So is that of a kernel whose IR comes from another front end.
func TestStubMergedIR(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		c, err := sharedKernel(t, "vector_add.py", "add_kernel").CompileFor(t.Context(), "cuda:90",
			"*fp32:16, *fp32:16, *fp32:16, i32:16, 256", nereid.Options{}, "source")
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 4096)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		const large = 1 << 20
		launchesLoad(t, irKernel(t, c.Stage("source")), s, calls,
			[]loads{{1, 1}, {large + 1, 0}, {large, 1}, {large, 0}, {1, 0}}, x, x, x,
			nereid.ScalarOf(nereid.Int32, 4096))
	})
}

// Warm-up loads all forms of code, and launches in strict mode choose among them and load nothing.
func TestStubAhead(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float16, 64, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for file, c := range map[string]struct {
			kernel, signature string
			forms             int
			opts              nereid.Options
			args              []any
		}{
			"matmul.py": {"matmul_kernel", `*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, ` +
				`i32:1, i32:16, i32:1, i32:16, i32:1, 64, 64, 32, 8, ""`, 2,
				nereid.Options{NumWarps: 4, NumStages: 3},
				[]any{x, x, x, 64, 64, 64, 64, 1, 64, 1, 64, 1, 64, 64, 32, 8, ""}},
			"vector_add.py": {"add_kernel", "*fp16:16, *fp16:16, *fp16:16, i32:16, 256", 2, nereid.Options{},
				[]any{x, x, x, 4096, 256}},
		} {
			m, err := nereid.LoadFS(kernels.Files, file, nereid.With(nereid.Config{Strict: true}))
			if err != nil {
				t.Fatal(err)
			}
			calls()
			if err := m.Warmup(t.Context(), s.Device(), []nereid.Variant{{Kernel: c.kernel,
				Signature: c.signature, Options: c.opts}}, nil); err != nil {
				t.Fatal(err)
			}
			if n := calls()["cuModuleLoadDataEx"]; n < c.forms {
				t.Errorf("%s: %d codes are loaded", file, n)
			}
			launchesLoad(t, kernelIn(t, m, c.kernel), s, calls, []loads{{1, 0}, {64, 0}, {100_000, 0},
				{1 << 20, 0}, {1<<20 + 1, 0}, {1, 0}}, append(c.args, c.opts)...)
		}
	})
}

// On a GPU, large launches whose strides are 1 load code of their own, other ones that of merged programs.
func TestStubUnitStrides(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 4096)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		m, err := nereid.Parse("k.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def k(x, y, a: int, b: int):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(y + i * b, tl.load(x + i * a))
`))
		if err != nil {
			t.Fatal(err)
		}
		k := kernelIn(t, m, "k")
		const large = 1 << 20
		launchesLoad(t, k, s, calls, []loads{{1, 1}, {large, 1}, {large, 0}, {1, 0}}, x, x, 1, 2)
		launchesLoad(t, k, s, calls,
			[]loads{{1, 0}, {large, 1}, {large, 0}, {large + 1, 0}, {1, 0}}, x, x, 1, 1)
		launchesLoad(t, k, s, calls, []loads{{large, 0}, {large + 1, 0}}, x, x, 2, 1)
	})
}
