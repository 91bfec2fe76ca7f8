package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// fewOperators writes the example's operators with a few of their variants, and of these types.
func fewOperators(t *testing.T, dir, types string) string {
	t.Helper()
	text := txtest.Read(t, txtest.Path(t, "examples/onnxruntime/operators.toml"))
	for _, change := range [][2]string{
		{`"../../kernels/`, `"` + filepath.ToSlash(txtest.Path(t, "kernels")) + "/"},
		{`["fp32", "fp16"]`, types},
		{"BLOCK_M = [32, 64]\nBLOCK_N = [32, 64]", "BLOCK_M = 32\nBLOCK_N = 32"},
		{"{ from = 256, to = 16384, times = 4 }", "[512, 8192]"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the manifest has no %s", change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	file := filepath.Join(dir, "provider.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestONNXProvider hands the operators of the example to a program that plays ONNX Runtime's part: results
// and refusals on the CPU, launches on a GPU whose kernels do nothing.
func TestONNXProvider(t *testing.T) {
	needCC(t)
	dir := t.TempDir()
	lib := filepath.Join(dir, "libprovider.so")
	nereidMain(t, "aot", fewOperators(t, dir, `["fp32"]`), "--so", lib, "--onnx", "--targets", "cpu,cuda:90")
	checkLibrary(t, lib, "provider_", "RegisterCustomOps")
	source, err := filepath.Abs("testdata/c/provider.c")
	if err != nil {
		t.Fatal(err)
	}
	gcc(t, dir, "-std=gnu11", source, "-o", "provider", "-lm", "-ldl")
	log := filepath.Join(dir, "log")
	for mode, env := range map[string][]string{
		"cpu":    {"NEREID_CUDA=/nowhere"},
		"launch": {"NEREID_CUDA=" + stub.Build(t), "NEREID_STUB_LOG=" + log, "NEREID_STUB_BLOCKS=1"},
	} {
		cmd := exec.Command(filepath.Join(dir, "provider"), lib, mode)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), "6 operators, 18 checks, 0 wrong\n") {
			t.Errorf("%s: %v\n%s", mode, err, out)
		}
	}
	calls, err := os.ReadFile(log)
	if n := strings.Count(string(calls), "block:"); err != nil || n != 7 {
		t.Errorf("%d launches, want 7 (%v)", n, err)
	}
}

// exampleLibrary builds the example's operators for this CPU, and returns a function that runs a program in
// their folder.
func exampleLibrary(t *testing.T) (run func(env []string, program string, args ...string) string) {
	t.Helper()
	dir := t.TempDir()
	nereidMain(t, "aot", fewOperators(t, dir, `["fp32", "fp16"]`), "--so",
		filepath.Join(dir, "liboperators.so"), "--onnx", "--targets", "cpu")
	return func(env []string, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, out)
		}
		return string(out)
	}
}

// TestONNXRuntime runs the example's models in ONNX Runtime for Python and, where it is installed, for
// Node.js: the results are those of ONNX Runtime's own operators.
func TestONNXRuntime(t *testing.T) {
	quickCC(t)
	python := txtest.Path(t, ".venv/bin/python")
	if out, err := exec.Command(python, "-c", "import onnx, onnxruntime").CombinedOutput(); err != nil {
		txtest.Need(t, "onnxruntime", fmt.Errorf("onnx and onnxruntime are not in .venv: %v %s", err, out))
	}
	run := exampleLibrary(t)
	example := txtest.Path(t, "examples/onnxruntime")
	for _, kind := range []string{"float32", "float16"} {
		run(nil, python, filepath.Join(example, "model.py"), kind+"_ours.onnx", kind+"_theirs.onnx", kind)
		out := run(nil, python, filepath.Join(example, "run.py"), "./liboperators.so", kind+"_ours.onnx",
			kind+"_theirs.onnx")
		if !strings.Contains(out, "equal, ONNX Runtime") {
			t.Errorf("%s: %s", kind, out)
		}
		t.Logf("%s:\n%s", kind, out)
	}
	t.Run("node", func(t *testing.T) {
		modules := txtest.Path(t, ".venv/node/node_modules")
		_, err := os.Stat(filepath.Join(modules, "onnxruntime-node"))
		txtest.Need(t, "onnxruntime-node", err)
		node := txtest.Tool(t, "node")
		run(nil, "cc", "-shared", "-fPIC", filepath.Join(example, "node_preload.c"), "-o", "node_preload.so",
			"-ldl")
		out := run([]string{"LD_PRELOAD=./node_preload.so", "NEREID_OPERATORS=./liboperators.so",
			"NODE_PATH=" + modules}, node, filepath.Join(example, "run.js"), "float32_ours.onnx",
			"float32_theirs.onnx")
		if !strings.Contains(out, "equal, onnxruntime-node") {
			t.Error(out)
		}
		t.Log("\n" + out)
	})
}

// TestONNXFaults: operators that do not fit their kernels are refused.
func TestONNXFaults(t *testing.T) {
	quickCC(t)
	const variants = `
[[variants]]
kernel = "KERNELS/softmax.py:softmax_kernel"
name = "softmax"
group = "rows_of"
signature = "*fp32, *fp32, i32, i32, i32"
grid = "rows"
sizes = ["rows"]
[variants.constants]
BLOCK_SIZE = 64
`
	const operator = `
[[operators]]
name = "Softmax"
group = "rows_of"
inputs = ["x: fp32[*rows, n]"]
outputs = ["y: fp32[*rows, n]"]
arguments = { in_ptr = "x", out_ptr = "y", in_row_stride = "n", out_row_stride = "n", n_cols = "n" }
`
	for _, test := range []struct{ from, to, want string }{
		{"", "", ""},
		{operator, "", "the tables describe no operators"},
		{`out_ptr = "y", `, "",
			`argument out_ptr is none of the tensors: arguments.out_ptr = "TENSOR" says which`},
		{`, n_cols = "n"`, "",
			`n_cols is no dimension and no attribute: arguments.n_cols = "RULE" says what it is`},
		{"x: fp32", "x: fp16", "x has elements of fp16, and the kernel's in_ptr is *fp32"},
		{"x: fp32", "x: float4", "x has elements of float4"},
		{"group = \"rows_of\"\ninputs", "group = \"soft\"\ninputs", `there is no group "soft"`},
		{"grid = \"rows\"\n", "", `group "rows_of" has no rule for the grid`},
	} {
		dir := t.TempDir()
		text := strings.Replace(variants+operator, test.from, test.to, 1)
		text = strings.ReplaceAll(text, "KERNELS", filepath.ToSlash(txtest.Path(t, "kernels")))
		file := filepath.Join(dir, "t.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		lib := filepath.Join(dir, "libt.so")
		code := Main([]string{"aot", file, "--so", lib, "--onnx", "--targets", "cpu"}, nil, &out, &errs)
		if (code == 0) != (test.want == "") || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%s -> %s: %d, want %q\n%s", test.from, test.to, code, test.want, &errs)
		}
		if _, err := os.Stat(lib); (err == nil) != (code == 0) {
			t.Errorf("%s -> %s: the library: %v", test.from, test.to, err)
		}
	}
}
