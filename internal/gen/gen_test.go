package gen

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

// TestKernels: package genkernels is what the generator writes for the shared kernels. -update writes it.
func TestKernels(t *testing.T) {
	files, err := fs.Glob(kernels.Files, "*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, name := range files {
		src, err := fs.ReadFile(kernels.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Go(name, src, Options{Package: "genkernels"})
		if err != nil {
			t.Fatal(err)
		}
		txtest.Golden(t, txtest.Path(t, "internal", "gen", "genkernels", strings.TrimSuffix(name, ".py")+
			"_gen.go"), string(out))
	}
}

// TestServiceKernels: the kernels of examples/service are what the generator writes. -update writes them.
func TestServiceKernels(t *testing.T) {
	name := txtest.Path(t, "examples", "service", "kernels", "score.py")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Go("score.py", src, Options{Package: "kernels"})
	if err != nil {
		t.Fatal(err)
	}
	txtest.Golden(t, strings.TrimSuffix(name, ".py")+"_gen.go", string(out))
}

// TestWrongType: a wrong argument does not compile. One build has all of them, each on a line of its own,
// after a call that is right.
func TestWrongType(t *testing.T) {
	const call = "AddKernel(nil, nereid.Grid{1}, x, x, x, 64, AddKernelConsts{BLOCK_SIZE: 64})"
	wrong := [][3]string{
		{"a number for a tensor", "x, 64,", "5, 64,"},
		{"a tensor for a number", "x, 64,", "x, x,"},
		{"a float for an integer", "x, 64,", "x, 6.5,"},
		{"too few arguments", "x, 64,", "64,"},
		{"a string for a constant", "BLOCK_SIZE: 64", `BLOCK_SIZE: "64"`},
		{"a constant that is not", "BLOCK_SIZE: 64", "BLOCK: 64"},
	}
	src := "package genkernels\n\nimport \"github.com/nereid-lang/nereid\"\n\nfunc use(x *nereid.Tensor) " +
		"{\n\t_ = " + call + "\n"
	for _, w := range wrong {
		src += "\t_ = " + strings.Replace(call, w[1], w[2], 1) + "\n"
	}
	dir := t.TempDir()
	file, list := filepath.Join(dir, "use.go"), filepath.Join(dir, "overlay.json")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{txtest.Path(t, "internal", "gen",
		"genkernels", "use.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{file: src + "}\n", list: string(overlay)} {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), txtest.Tool(t, "go"), "build", "-gcflags=-e", "-overlay", list,
		"./internal/gen/genkernels")
	cmd.Dir = txtest.Root(t)
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "use.go:6:") {
		t.Fatalf("the call that is right:\n%s", out)
	}
	for i, w := range wrong {
		if !strings.Contains(string(out), fmt.Sprintf("use.go:%d:", 7+i)) {
			t.Errorf("%s compiles:\n%s", w[0], out)
		}
	}
}

// kindOf is what a recorded argument is.
var kindOf = map[string]kind{
	replay.Tensor: tensor, replay.Descriptor: descriptor, replay.Int: integer, replay.Float: float,
	replay.Bool: boolean, replay.String: text, replay.Dtype: dtype, replay.Function: other,
	replay.Tuple: other,
}

// TestInference: what parameters are found to be is what recorded launches give them.
func TestInference(t *testing.T) {
	files, _ := filepath.Glob(txtest.Path(t, "testdata", "replay", "*.safetensors"))
	root := txtest.Root(t)
	// other launches, of kernels below NEREID_TEST_ROOT
	if dir := os.Getenv("NEREID_TEST_REPLAY"); dir != "" {
		files, _ = filepath.Glob(filepath.Join(dir, "*.safetensors"))
		root = os.Getenv("NEREID_TEST_ROOT")
	}
	right, wrong := 0, 0
	for _, path := range files {
		c, err := replay.Read(path)
		if err != nil {
			continue
		}
		src, err := os.ReadFile(c.Source(root))
		if err != nil {
			t.Error(err)
			continue
		}
		g, params := generatorFor(t, c.Source(root), src, c.Kernel)
		for i, p := range params {
			want, ok := kindOf[c.Args[i].Kind]
			got := g.file.paramKind(c.Kernel, p)
			switch {
			case !ok || got == other || got == want || got == number && (want == integer || want == float) ||
				want == boolean && got == integer || want == integer && got == boolean:
				right++
			default:
				wrong++
				t.Errorf("%s: %s of %s is a %s, taken for %d", filepath.Base(path), p.Name, c.Kernel,
					c.Args[i].Kind, got)
			}
		}
	}
	if right < 300 && os.Getenv("NEREID_TEST_REPLAY") == "" {
		t.Errorf("only %d parameters were looked at", right)
	}
	t.Logf("%d right, %d wrong", right, wrong)
}

// TestAddresses: pointers are found in addresses of every form, and what is added to them is a number.
func TestAddresses(t *testing.T) {
	for _, address := range []string{"p + i", "i + p", "p + n + i", "p - n + i", "p + i - n", "(p - n) - i",
		"p + (i - n)", "tl.multiple_of(p - n, 16) + i", "(p + i if n > 0 else p - i)",
		"p.to(tl.pointer_type(tl.int8)) - n + i"} {
		for _, before := range []string{"", "at = %s\n    ", "at = p\n    at += i - n\n    at -= n\n    "} {
			text, use := before, address
			if strings.Contains(before, "%s") {
				text = fmt.Sprintf(before, address)
			}
			if before != "" {
				use = "at"
			}
			src := "import triton\nimport triton.language as tl\n@triton.jit\ndef k(n, p):\n" +
				"    i = tl.arange(0, 16)\n    " + text + "tl.store(" + use + ", tl.load(" + use + "))\n"
			g, params := generatorFor(t, "k.py", []byte(src), "k")
			n, p := g.file.paramKind("k", params[0]), g.file.paramKind("k", params[1])
			numberOrNot := n == integer || n == number || n == unknown || n == other
			if p != tensor || !numberOrNot || n == unknown && strings.Contains(src, "- n") {
				t.Errorf("n is taken for %d and p for %d in\n%s", n, p, src)
			}
		}
	}
}

func generatorFor(t *testing.T, name string, src []byte, kernel string) (*generator, []lang.Param) {
	t.Helper()
	g, err := newGenerator(name, src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	params, err := g.source.Params(kernel, lang.DefaultTarget)
	if err != nil {
		t.Error(err)
	}
	return g, params
}

const odd = `
import triton
import triton.language as tl
from helpers import add
from pkg.more import sub

@triton.jit
def helper(x):
    return x

@triton.jit
def the_kernel(range, type, X, n: tl.int64, eps: tl.float32, desc, items, on, alpha, MODE: tl.constexpr,
               DT: tl.constexpr = tl.float16, _b: tl.constexpr = None,
               WIDE: tl.constexpr = True, OFF: tl.constexpr = False, GROUP: tl.constexpr = 8,
               NAME: tl.constexpr = "x"):
    """Does a thing.

    In two paragraphs, with a ` + "`quote`" + `.
    """
    i = tl.arange(0, 16)
    x = tl.load(X + i * range, mask=i < n)
    y = desc.load([0, 0])
    if MODE == "add":
        x = sub(add(x, eps), 1) * alpha
    if on:
        x = helper(x)
    if WIDE and not OFF and NAME == "x":
        x += tl.sum(tl.arange(0, GROUP), 0)
    tl.store(type + i, x.to(DT))
`

// TestOdd: names that Go has other uses for, every kind of parameter, imports, and what is said by the
// caller.
func TestOdd(t *testing.T) {
	fsys := fstest.MapFS{
		"odd.py": {Data: []byte(odd)}, "helpers.py": {Data: []byte("import other\nfrom pkg import base\n" +
			"add = base.add\n")}, "pkg/__init__.py": {Data: []byte("from . import unneeded\n")},
		"pkg/more.py": {Data: []byte("from . import base\nif True:\n    def sub(a, b):\n        return " +
			"base.sub(a, b)\n")}, "pkg/unneeded.py": {}, "other.py": {},
		"pkg/base.py": {Data: []byte("import os\nfrom .deep.most import *\nfrom .deep import many as " +
			"few\nadd = 1\n")},
		"pkg/deep/most.py": {Data: []byte("import torch.nn as nn\ndef sub(a, b):\n    from other import " +
			"x\n    return a - b\n")}, "pkg/deep/many.py": {},
	}
	files, err := Imports(fsys, "odd.py")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(files)),
		" "); got != "helpers.py other.py pkg/__init__.py pkg/base.py pkg/deep/most.py pkg/more.py" {
		t.Errorf("imports: %s", got)
	}
	above := fstest.MapFS{"k.py": {Data: []byte("from ..up import f\n@jit\ndef k():\n    f()\n")}}
	if _, err := Imports(above, "k.py"); !errors.Is(err, ErrAbove) {
		t.Error(err)
	}
	out, err := Go("odd.py", []byte(odd), Options{Package: "p", Files: files,
		Types: map[string]string{"the_kernel.items": "any"}})
	if err != nil {
		t.Fatal(err)
	}
	flat := unfold.ReplaceAllString(string(out), ", ")
	for _, want := range []string{
		"func TheKernel[T1 genrt.Number](stream *nereid.Stream, grid nereid.Grid, range_ int, type_, x " +
			"*nereid.Tensor, n int64, eps float32, desc *nereid.Descriptor, items any, on bool, alpha T1, " +
			"consts TheKernelConsts) error {",
		"MODE    string", "DT      nereid.DType      // the kernel's default is ",
		"X_b     any               // the kernel's default is None",
		"WIDE    genrt.Opt[bool]   // the kernel's default is True",
		"OFF     bool              // the kernel's default is False",
		"GROUP   genrt.Opt[int]    // the kernel's default is 8",
		"NAME    genrt.Opt[string] // the kernel's default is 'x'",
		`list = c.GROUP.Append(list, "GROUP")`, `list = genrt.AppendDType(list, "DT", c.DT)`,
		`nereid.Arg("OFF", c.OFF)`, "var OddPy = genrt.File{Name: \"odd.py\"", "Load: OddPy.Module",
		"// Does a thing.\n//\n// In two paragraphs", `"pkg/base.py": `, "call.Float(float64(eps))",
		"call.Descriptor(desc)", "genrt.Give(call, alpha)",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "func Helper") {
		t.Error("a helper is taken for a kernel")
	}
	for _, o := range []Options{{Types: map[string]string{"the_kernel.n": "number"}},
		{Kernels: []string{"none"}}} {
		if _, err := Go("odd.py", []byte(odd), o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	for said, want := range map[string]string{"the_kernel.itms": "did you mean the_kernel.items?",
		"n": "KERNEL.PARAM"} {
		_, err := Go("odd.py", []byte(odd), Options{Package: "p", Files: files,
			Types: map[string]string{"the_kernel.items": "any", said: "any"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", said, err)
		}
	}
	if _, err := Go("bad.py", []byte("def f(:\n"), Options{}); err == nil {
		t.Error("a file with errors is taken")
	}
	if _, err := Go("none.py", []byte("x = 1\n"), Options{}); err == nil {
		t.Error("a file without kernels is taken")
	}
}

// A kernel that is not there under the conditions that hold is passed over, unless it is asked for.
func TestAbsent(t *testing.T) {
	const src = "import triton\nif False:\n    @triton.jit\n    def gone(x_ptr):\n        pass\n\n" +
		"@triton.jit\ndef here(x_ptr, n):\n    pass\n"
	out, err := Go("k.py", []byte(src), Options{Package: "p"})
	if err != nil || !strings.Contains(string(out), "func Here(") ||
		strings.Contains(string(out), "func Gone(") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := Go("k.py", []byte(src), Options{Package: "p", Kernels: []string{"gone"}}); err == nil {
		t.Error("a kernel that is not there is written")
	}
}

// Names that hold each other's addresses in turn are looked at once.
func TestTurns(t *testing.T) {
	out, err := Go("turns.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def turns(x_ptr, y_ptr, n, stride, flag: tl.constexpr):
    a = x_ptr + n
    b = a
    for i in range(n):
        a = b + stride
        b = a if flag else y_ptr
    tl.store(b, tl.load(a))
`), Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "xPtr, yPtr *nereid.Tensor, n, stride int,") {
		t.Errorf("%s", out)
	}
}

// Names in Go are of its own style, and given once: to functions, to fields and to arguments.
func TestNames(t *testing.T) {
	const src = `import triton
import triton.language as tl

@triton.jit
def add(x_ptr, X_PTR, SM_SCALE, _n, err, Options: tl.constexpr, n: tl.constexpr, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), tl.load(X_PTR + tl.arange(0, N)) + n)

@triton.jit
def Add(x_ptr):
    tl.store(x_ptr, 1)

@triton.jit
def add_consts(ptrs, sizes):
    for i in tl.static_range(2):
        tl.store(ptrs[i] + sizes[0], 1)
`
	out, err := Go("k.py", []byte(src), Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	flat := unfold.ReplaceAllString(string(out), ", ")
	for _, want := range []string{
		"func Add(stream *nereid.Stream, grid nereid.Grid, xPtr *nereid.Tensor, consts AddConsts) error {",
		"func Add2(stream *nereid.Stream, grid nereid.Grid, xPtr, xPtr2 *nereid.Tensor, smScale, n, err_ any, ",
		"XOptions ", "\tN ", "\tXN ", "\tOptions ", `nereid.Arg("Options", c.XOptions)`,
		"func AddConsts2(stream *nereid.Stream, grid nereid.Grid, ptrs, sizes any, ",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "k.go", out, 0); err != nil {
		t.Error(err)
	}
}

// unfold matches where a list is broken.
var unfold = regexp.MustCompile(`,\n\t+`)

// Long lines are broken within lists alone, and stay Go.
func TestFold(t *testing.T) {
	item := strings.Repeat("x", 30)
	long := "\tf(" + strings.Repeat(item+", ", 9) + item + ")\n"
	for in, want := range map[string]string{
		"// " + long: "// " + long, "a, b := 1, 2\n": "a, b := 1, 2\n",
		"a, b := \"" + long[:90] + "\", f(1, 2)\n": "a, b := \"" + long[:90] + "\", f(1, 2)\n",
		long: "\tf(" + item + ", " + item + ", " + item + ",\n" + item + ", " + item + ", " + item + ",\n" +
			item + ", " + item + ", " + item + ",\n" + item + ")\n",
	} {
		if got := foldAll(in); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", in, got, want)
		}
	}
}
