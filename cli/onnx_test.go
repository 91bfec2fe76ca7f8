package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/onnx/onnxtest"
	"github.com/nereid-lang/nereid/internal/onnx/ort"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// onnxRuntime returns the library of ONNX Runtime, or skips the test.
func onnxRuntime(t *testing.T) string {
	t.Helper()
	const in = "lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*"
	found, _ := filepath.Glob(filepath.Join(txtest.Path(t, ".venv"), in))
	if len(found) == 0 {
		txtest.Need(t, "onnxruntime", errors.New("libonnxruntime.so is not in .venv"))
	}
	_, err := ort.Open(found[0])
	txtest.Need(t, "onnxruntime", err)
	return found[0]
}

// rewriteKernels holds the kernels of rewriteManifest: a wrong softmax beside those of the example.
const rewriteKernels = `import triton
import triton.language as tl

@triton.jit
def wrong_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.full([BLOCK], 42.0, tl.float32), mask=tl.arange(0, BLOCK) < n)
`

const rewriteManifest = `
[[variants]]
kernel = "EXAMPLE/standard.py:softmax_kernel"
name = "softmax"
group = "softmax"
signature = "*fp32, *fp32, i32"
grid = "rows"
sizes = ["rows"]
when = "n <= 64"
constants = { BLOCK = 64 }

[[variants]]
kernel = "kernels.py:wrong_kernel"
name = "wrong"
group = "wrong"
signature = "*fp32, *fp32, i32"
grid = "rows"
sizes = ["rows"]
constants = { BLOCK = 64 }

[[variants]]
kernel = "EXAMPLE/standard.py:linear_kernel"
name = "linear"
group = "linear"
signature = "*fp32, *fp32, *fp32, *fp32, i32, i32, i32"
grid = ["cdiv(m, BLOCK_M)", "cdiv(n, BLOCK_N)"]
constants = { ACTIVATION = "gelu", BLOCK_M = 16, BLOCK_N = 16, BLOCK_K = 16 }

[[operators]]
name = "Softmax"
group = "softmax"
inputs = ["x: fp32[*rows, n]"]
outputs = ["y: fp32[*rows, n]"]
arguments = { x_ptr = "x", y_ptr = "y" }
serves = ["Softmax(x, axis=-1)"]

[[operators]]
name = "Wrong"
group = "wrong"
inputs = ["x: fp32[*rows, n]"]
outputs = ["y: fp32[*rows, n]"]
arguments = { x_ptr = "x", y_ptr = "y" }
serves = ["Softmax(x, axis=-1)"]

[[operators]]
name = "LinearGelu"
group = "linear"
inputs = ["a: fp32[*m, k]", "b: fp32[k, n]", "bias: fp32[n]"]
outputs = ["c: fp32[*m, n]"]
arguments = { a_ptr = "a", b_ptr = "b", bias_ptr = "bias", c_ptr = "c" }
serves = ["Mul(Mul(Add(MatMul(a, b), bias), Add(Erf(Div(Add(MatMul(a, b), bias), 1.4142135)), 1)), 0.5)"]
`

// rewriteModel is softmax(gelu(x @ w + b)) along the last axis, softmax along the first, and the
// transpose of it: of the three softmaxes the first and the last can be served, the last for up to 64
// batches.
func rewriteModel() *onnxtest.Model {
	weights := make([]float64, 24*20)
	for i := range weights {
		weights[i] = float64(i*i%17-8) / 8
	}
	node := func(op, out string, in ...string) onnxtest.Node {
		return onnxtest.Node{Op: op, Inputs: in, Outputs: []string{out}}
	}
	first := node("Softmax", "q", "p")
	first.Attributes = map[string]any{"axis": 0}
	scalar := func(name string, v float64) onnxtest.Constant {
		return onnxtest.Constant{Name: name, Data: []float64{v}}
	}
	return &onnxtest.Model{Opset: 17,
		Inputs: []onnxtest.Value{{Name: "x", Dims: []any{"batch", 24}}},
		Outputs: []onnxtest.Value{{Name: "q", Dims: []any{"batch", 20}},
			{Name: "u", Dims: []any{20, "batch"}}},
		Constants: []onnxtest.Constant{{Name: "w", Dims: []int{24, 20}, Data: weights},
			{Name: "b", Dims: []int{20}, Data: weights[3:23]}, scalar("root", 1.4142135381698608),
			scalar("one", 1), scalar("half", 0.5)},
		Nodes: []onnxtest.Node{node("MatMul", "m", "x", "w"), node("Add", "a", "b", "m"),
			node("Div", "d", "a", "root"), node("Erf", "e", "d"), node("Add", "s", "e", "one"),
			node("Mul", "g", "a", "s"), node("Mul", "h", "g", "half"), node("Softmax", "p", "h"), first,
			node("Transpose", "t", "q"), node("Softmax", "u", "t")},
	}
}

// TestONNXRewrite builds a library and rewrites a model with it: right operators give the same results, a
// softmax that writes 42 is found and its model not written.
func TestONNXRewrite(t *testing.T) {
	quickCC(t)
	runtime := onnxRuntime(t)
	dir := t.TempDir()
	manifest := strings.ReplaceAll(rewriteManifest, "EXAMPLE",
		filepath.ToSlash(txtest.Path(t, "examples/onnxruntime")))
	for name, data := range map[string][]byte{"m.toml": []byte(manifest),
		"kernels.py": []byte(rewriteKernels), "model.onnx": rewriteModel().Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lib, model := filepath.Join(dir, "libm.so"), filepath.Join(dir, "model.onnx")
	nereidMain(t, "aot", filepath.Join(dir, "m.toml"), "--so", lib, "--onnx", "--targets", "cpu")
	rewrite := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		args = append([]string{"onnx", "rewrite", model, "--with", lib, "--onnxruntime", runtime}, args...)
		code = Main(args, nil, &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}

	code, out, errs := rewrite("--only", "Softmax,LinearGelu", "--time", "2")
	for _, want := range []string{"11 nodes, 9 of them are done by 3 operators",
		"2  nereid.Softmax for Softmax", "1  nereid.LinearGelu for ", "q: 320 elements equal",
		"u: 320 elements equal", "time of a run"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, no %q:\n%s%s", code, want, out, errs)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.nereid.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Parse(data)
	if err != nil || len(m.Graph.Nodes) != 5 || m.Graph.Nodes[0].Op != "LinearGelu" {
		t.Errorf("%v %+v", err, m.Graph.Nodes)
	}

	// More batches than a variant takes: the last softmax stays.
	code, out, errs = rewrite("--only", "Softmax", "--dim", "batch=65,3")
	if code != 0 || !strings.Contains(out, "1  nereid.Softmax") ||
		!strings.Contains(out, "kept  make_u (Softmax): no variant of softmax takes these sizes") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}

	wrong := filepath.Join(dir, "wrong.onnx")
	code, out, errs = rewrite("--only", "Wrong", "-o", wrong)
	if code != 1 || !regexp.MustCompile(`u: FAILED: \d+ of 320 elements differ; at \[\d+ \d+\] 42, was 0\.`).
		MatchString(out) || !strings.Contains(errs, "computes something else: "+wrong+" was not written") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(wrong); err == nil {
		t.Error("the model with the wrong operator was written")
	}
	code, out, errs = rewrite("--only", "Wrong", "-o", wrong, "--no-check")
	if code != 0 || !strings.Contains(out, "not checked") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
}

// TestONNXRewriteRefusals: what cannot be rewritten, and command lines that make no sense.
func TestONNXRewriteRefusals(t *testing.T) {
	dir := t.TempDir()
	model, other := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "text.so")
	for name, data := range map[string][]byte{model: rewriteModel().Bytes(), other: []byte("no library")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "which operators? --with LIBRARY.so"},
		{"--with " + other, exitFailed, "text.so is no shared library"},
		{"--with x --dim batch", exitUsage, "expected NAME=N"},
		{"--with x --range x=2..1", exitUsage, "expected INPUT=LOW..HIGH"},
		{"--with x --provider tpu", exitUsage, "--provider is cpu, cuda or rocm"},
		{"--with x --provider cuda", exitUsage, "--provider cuda needs --no-check"},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"onnx", "rewrite", model}, strings.Fields(test.args)...)
		code := Main(args, nil, &out, &errs)
		if code != test.code || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%s: %d, want %d and %s:\n%s", test.args, code, test.code, test.want, &errs)
		}
	}
}
