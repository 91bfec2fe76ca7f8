package ops_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// spec is a specialization of a kernel as peer/frontend.py takes it.
type spec struct {
	Name      string `json:"name"`
	File      string `json:"file"`
	Kernel    string `json:"kernel"`
	Signature string `json:"signature"`
}

// TestTriton: Triton imports the kernels of this package, generated ones too, and makes IR of every
// specialization that a walk through the ops launches; some of it, other kernels at each commit, goes down to
// machine code.
func TestTriton(t *testing.T) {
	python := txtest.Triton(t)
	dir := t.TempDir()
	specs := launched(t, dir)
	list, err := json.Marshal(specs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "specs.json")
	if err := os.WriteFile(file, list, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, txtest.Path(t, "peer", "frontend.py"), file, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var whole []string
	chosen := txtest.Sample(t, 2)
	for i, s := range specs {
		if text, err := os.ReadFile(filepath.Join(dir, s.Name+".error")); err == nil {
			t.Errorf("Triton refuses %s of %s(%s): %s", s.Kernel, s.File, s.Signature, text)
			continue
		}
		text := txtest.Read(t, filepath.Join(dir, s.Name+".source"))
		if !strings.Contains(text, "@"+s.Kernel) {
			t.Errorf("Triton's IR does not have %s", s.Kernel)
		}
		if chosen(i) && (strings.HasPrefix(s.Kernel, "matvec") || strings.HasPrefix(s.Kernel, "softmax")) {
			whole = append(whole, s.File, s.Kernel, s.Signature)
		}
	}
	if len(specs) < 20 || len(whole) == 0 {
		t.Errorf("%d specializations, %d of them compiled", len(specs), len(whole)/3)
	}
	cmd = exec.CommandContext(t.Context(), python, append([]string{"-c", compileAll}, whole...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir(), "PYTHONPATH="+txtest.Path(t, "peer"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// compileAll compiles specializations, given as file, kernel and signature, down to machine code.
const compileAll = `
import importlib, sys, frontend, triton
sys.path.insert(0, ".")
for file, kernel, signature in zip(*[iter(sys.argv[1:])] * 3):
    fn = getattr(importlib.import_module(file[:-3]), kernel)
    assert triton.compile(frontend.source(fn, signature), target=frontend.TARGET).asm["cubin"]
`

// launched runs ops, writes all files with kernels to dir, and returns the specializations.
func launched(t *testing.T, dir string) (specs []spec) {
	t.Helper()
	var mu sync.Mutex
	hook := func(v nereid.Variant, _ time.Duration, _ bool, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			specs = append(specs, spec{fmt.Sprintf("case%d", len(specs)), v.File, v.Kernel, v.Signature})
		}
	}
	lib := ops.Load(nereid.With(nereid.Config{Hooks: nereid.Hooks{AfterCompile: hook}}))
	dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
	s := lib.On(txtest.Open(t, dev.NewStream, t.Context()))
	defer s.Close()
	walk(t, s)
	files, err := fs.Sub(ops.Files, "kernels")
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range lib.Texts() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return specs
}

// walk calls ops of every file with kernels and of every kind of formula.
func walk(t *testing.T, s *ops.Stream) {
	t.Helper()
	x := made(t, s, nereid.Float16, wave, 16, 16)
	i := made(t, s, nereid.Int32, func(i int) float64 { return float64(i % 16) }, 16)
	h := x.Reshape(1, 2, 8, 16)
	table := made(t, s, nereid.Float32, wave, 8, 8)
	var results []*nereid.Tensor
	keep := func(list ...*nereid.Tensor) { results = append(results, list...) }
	back := ops.SetStrips([6]int{16, 16, 16, 2, 4, 3}, 1)
	keep(ops.MatMul(s, x, made(t, s, nereid.Float16, wave, 16, 32), ops.Plus(x.Slice(1, 0, 1, 1))))
	back()
	keep(ops.Add(s, x, x.Transpose(0, 1)), ops.Mul(s, x, 0.5), ops.Greater(s, i, 3), ops.Erfinv(s, x),
		ops.Sum(s, x, 0), ops.ArgMax(s, x, 1), ops.Any(s, i), ops.Softmax(s, x, -1),
		ops.LogSumExp(s, made(t, s, nereid.Float32, wave, 1, 20000), 1), ops.Cast(s, x, nereid.Bool),
		ops.Concat(s, 0, x, x), ops.Fill(s, 1, nereid.Int8, 5), ops.Iota(s, 0, 2, nereid.Int64, 9),
		ops.Normal(s, 3, nereid.Float32, 8), ops.Take(s, x, i, 0), ops.Gather(s, i, i, 0),
		ops.ScatterAdd(s, ops.Cast(s, i, nereid.Float32), i, ops.Cast(s, i, nereid.Float32), 0),
		ops.MatMul(s, x, x, ops.ThenGELU, ops.Plus(x)),
		ops.MatMul(s, x.Select(0, 1), x, ops.Bias(x.Select(0, 0))),
		ops.Attention(s, h, h, h, ops.AttentionOptions{Causal: true}),
		ops.PagedAttention(s, h.Slice(2, 0, 1, 1), h.Reshape(2, 4, 2, 16), h.Reshape(2, 4, 2, 16),
			i.Reshape(1, 16), i.Slice(0, 7, 8, 1), ops.AttentionOptions{}),
		ops.Rope(s, h, table, table), ops.CrossEntropy(s, x, i), ops.CumSum(s, x, 1),
		ops.Sample(s, x, ops.Sampling{Temperature: 1}))
	w, _ := quantizedMatrix(t, s, 3, 2, 256)
	keep(ops.Dequantize(s, w, nereid.Float32),
		ops.MatMulQuantized(s, made(t, s, nereid.Float32, wave, 1, 256), w, ops.ThenReLU))
	keep(ops.TopK(s, x, 3))
	walkImages(t, s, keep)
	out, lse := ops.AttentionLSE(s, h, h, h, ops.AttentionOptions{Causal: true})
	dq, dk, dv := ops.AttentionGrad(s, h, h, h, out, lse, h, ops.AttentionOptions{Causal: true})
	keep(dq, dk, dv)
	dx, dw, db := ops.LayerNormGrad(s, x, x.Select(0, 0), x, 1e-5)
	row := ops.Cast(s, i, nereid.Float32)
	keep(ops.CrossEntropyLSE(s, x, i))
	keep(dx, dw, db, ops.CrossEntropyGrad(s, x, i, row), ops.CrossEntropyGradLSE(s, x, i, row, row),
		ops.CumMax(s, x, 1),
		ops.Scatter(s, i, i, i, 0), ops.RepetitionPenalty(s, x, i.Reshape(16, 1), 2))
	groups, _ := groupedMatrix(t, s, ops.GPTQ, 4, 16, 16, 16, false)
	keep(ops.MatMulGrouped(s, x, groups), ops.DequantizeGrouped(s, groups, nereid.Float16))
	keep(ops.Sort(s, x, false))
	for _, r := range results {
		if err := r.Err(); err != nil {
			t.Error(err)
		}
	}
}

// walkImages calls convolution and pooling.
func walkImages(t *testing.T, s *ops.Stream, keep func(...*nereid.Tensor)) {
	t.Helper()
	x := made(t, s, nereid.Float16, wave, 1, 16, 5, 5)
	w := made(t, s, nereid.Float16, wave, 16, 16, 3, 3)
	keep(ops.Conv2D(s, x, w, ops.ConvOptions{Padding: [2]int{1, 1}}, ops.ThenGELU),
		ops.Conv2D(s, x.Slice(1, 0, 3, 1), w.Slice(1, 0, 3, 1), ops.ConvOptions{}),
		ops.Conv2D(s, x, w.Slice(1, 0, 1, 1), ops.ConvOptions{Groups: 16}),
		ops.MaxPool2D(s, x, ops.PoolOptions{Window: [2]int{2, 2}}), ops.AdaptiveAvgPool(s, x, 2, 3))
}
