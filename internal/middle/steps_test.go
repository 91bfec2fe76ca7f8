package middle_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/filecheck"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// steps are the single passes that do together what triton-to-linalg does.
var steps = []pass.Pass{middle.TritonToStructured, middle.TritonToUnstructured,
	middle.ArithOptions{KeepPointers: true}.Pass(), middle.StructuredToMemref}

var passesLine = regexp.MustCompile(`(?m)^// PASSES: (.*)$`)

// TestStepsCheck: what the single passes make of the files in testdata/steps is as their CHECK lines say,
// verifies, and is read back.
func TestStepsCheck(t *testing.T) {
	paths, err := filepath.Glob("testdata/steps/*.mlir")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text := txtest.Read(t, path)
			names := passesLine.FindStringSubmatch(text)
			if names == nil {
				t.Fatal("no PASSES")
			}
			by, err := pass.Parse(slices.Concat(pass.All(), middle.All()), names[1])
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, path, text)
			convert(t, m, by...)
			if err := filecheck.Check(text, m.String()); err != nil {
				t.Errorf("%v\n%s", err, m)
			}
			parse(t, path, m.String())
		})
	}
}

// TestStepsConvert: the single passes convert all cases and sample kernels, and nothing of Triton is left.
func TestStepsConvert(t *testing.T) {
	texts := map[string]string{}
	for _, path := range casePaths(t) {
		texts[path] = txtest.Read(t, path)
	}
	for _, name := range sampleNames(t) {
		texts[name] = sampleText(t, name)
	}
	for name, text := range texts {
		t.Run(filepath.Base(name), func(t *testing.T) {
			m := parse(t, name, text)
			convert(t, m, steps...)
			for op := range m.Op.Ops() {
				if d := op.Def.Dialect.Name; d == "tt" || d == "tts" {
					t.Errorf("%s is left", op.Name())
				}
			}
		})
	}
}

// loadOf is the load of a block through %p, up to %p's type.
const loadOf = `
  %v = "tts.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_mask_dims = array<i64>}> : `

// TestStepsRefuse: options that the passes do not have are refused by name, and what structured-to-memref
// cannot convert with its reason.
func TestStepsRefuse(t *testing.T) {
	for names, want := range map[string]string{
		"triton-to-structured{run-prepass-only=true}":        "no option run-prepass-only=true",
		"triton-to-structured{enable-make-gather-scatter=2}": "no option enable-make-gather-scatter=2",
		"triton-to-unstructured{offset-bit-width=16}":        "no option offset-bit-width=16",
		"triton-arith-to-linalg{widen=true}":                 "no option widen=true",
	} {
		if _, err := pass.Parse(middle.All(), names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", names, err)
		}
	}
	for text, want := range map[string]string{
		`tt.func @f(%p: !tt.ptr<tensor<4xf32>>) {` + loadOf + `(!tt.ptr<tensor<4xf32>>) -> tensor<4xf32>
  tt.return
}`: "of a block with an order is not supported",
		`tt.func @f(%a: !tt.ptr<f32>) {
  %p = tts.make_tptr %a to sizes: [4], strides: [1], offsets: [0], shape: [4], order: [0] :
    <f32> to !tt.ptr<tensor<4xf32>>` + loadOf + `(!tt.ptr<tensor<4xf32>>) -> tensor<4xf32>
  "tts.store"(%p, %v) <{static_mask_dims = array<i64>}> : (!tt.ptr<tensor<4xf32>>, tensor<4xf32>) -> ()
  tt.return
}`: "of a block with an order is not supported",
		`tt.func @f(%p: tensor<4x!tt.ptr<f32>>) {` + loadOf + `(tensor<4x!tt.ptr<f32>>) -> tensor<4xf32>
  "tts.store"(%p, %v) <{static_mask_dims = array<i64>}> : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> ()
  tt.return
}`: "is not of a block that is described here",
		`tt.func @f(%a: !tt.ptr<f32>, %v: tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x!tt.ptr<f32>>
  %p = linalg.fill ins(%a : !tt.ptr<f32>) outs(%e : tensor<4x!tt.ptr<f32>>) -> tensor<4x!tt.ptr<f32>>
  tt.store %p, %v : tensor<4x!tt.ptr<f32>>
  tt.return
}`: "on a tensor of pointers is not supported",
	} {
		err := pass.Run(&pass.Context{}, parse(t, "refused", text), []pass.Pass{middle.StructuredToMemref})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %q", err, want)
		}
	}
}

// every reports whether the long form of a test is asked for: all cases and sample kernels run.
func every() bool { return os.Getenv("NEREID_STEPS") != "" }

// TestStepsCases: the single passes make of each case what the interpreter makes of it, run by MLIR. Without
// NEREID_STEPS it is the first case of each category.
func TestStepsCases(t *testing.T) {
	var ls []launch
	seen := map[string]bool{}
	for _, path := range casePaths(t) {
		l, run := caseLaunch(t, path)
		word, _, _ := strings.Cut(l.name, "_")
		if !run || seen[word] && !every() {
			continue
		}
		seen[word] = true
		l.by = steps
		ls = append(ls, l)
	}
	if good := check(t, ls); len(good) < len(categories) {
		t.Errorf("%d cases run, fewer than the %d categories", len(good), len(categories))
	}
}

// TestStepsKernels: and of the sample kernels, all of them where NEREID_STEPS asks for it.
func TestStepsKernels(t *testing.T) {
	var ls []launch
	for i, name := range sampleNames(t) {
		if !every() && name != "matmul_f32_ragged" && name != "softmax_f16_2048" {
			continue
		}
		l := launch{name: name, text: sampleText(t, name), by: steps}
		l.grid, l.args = samples[name](newRandom(uint64(i)))
		ls = append(ls, l)
	}
	if good := check(t, ls); len(good) != len(ls) || len(ls) < 2 {
		t.Errorf("%d of %d kernels run", len(good), len(ls))
	}
}

// TestStepsRandom: and of random kernels; see TestRandom.
func TestStepsRandom(t *testing.T) {
	n, first := randoms(6)
	var ls []launch
	for seed := first; seed < first+n; seed++ {
		l := randomLaunch(uint64(seed))
		l.by = steps
		ls = append(ls, l)
	}
	check(t, ls)
}
