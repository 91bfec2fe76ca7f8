package lang_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var versionSpec = regexp.MustCompile(`# sig: (.*)\n(?: *# (?:since|until): .*\n)* *@triton.jit\n *def (\w+)`)

// TestVersions: under the rules of each release, the IR of each kernel of conform/testdata/versions.py is
// that of the release's wheel before any pass, and what that refuses is refused (peer/versions.py).
func TestVersions(t *testing.T) {
	text := txtest.Read(t, txtest.Path(t, "internal", "conform", "testdata", "versions.py"))
	answers := txtest.JSON[map[string]map[string]string](t, "testdata/versions.json.gz")
	specs := versionSpec.FindAllStringSubmatch(text, -1)
	if len(specs) < 26 {
		t.Fatalf("only %d kernels", len(specs))
	}
	for _, v := range triton.Releases {
		src, err := lang.Load("versions_kernels.py", []byte(text), lang.LoadOptions{Triton: v})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range specs {
			name := v.String() + " " + m[2]
			t.Run(name, func(t *testing.T) {
				want, ok := answers[v.String()][m[2]]
				if !ok {
					t.Fatal("Triton was not asked: run peer/versions.py")
				}
				ours, err := compile(src, spec{Name: m[2], Kernel: m[2], Signature: m[1]})
				switch refused := strings.HasPrefix(want, "error: "); {
				case refused && err == nil:
					t.Errorf("we accept what Triton refuses: %s", want)
				case refused:
				case err != nil:
					t.Errorf("we refuse what Triton accepts: %v", err)
				default:
					theirs := parse(t, name, string(triton.Older([]byte(want))))
					sameStructure(t, name, theirs, parse(t, name, printed(ours)))
				}
			})
		}
	}
}

// TestAsmInOrder: the first of two values of inline assembly is broadcast first in 3.9, and second before, as
// in the IR of Triton's wheels.
func TestAsmInOrder(t *testing.T) {
	text := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, out):\n" +
		"    i = tl.arange(0, 16)\n    v = tl.load(x + i)\n" +
		"    y = tl.inline_asm_elementwise('add.f32 $0, $1, $2;', '=r,r,r', [v[:, None], v[None, :]],\n" +
		"                                  dtype=tl.float32, is_pure=True, pack=1)\n" +
		"    tl.store(out + i[:, None] * 16 + i[None, :], y)\n"
	for v, want := range map[triton.Version]string{
		triton.V38: "tensor<1x16xf32>", triton.V39: "tensor<16x1xf32>"} {
		src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{Triton: v})
		if err != nil {
			t.Fatal(err)
		}
		m, err := compile(src, spec{Name: "k", Kernel: "k", Signature: "*fp32, *fp32"})
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(printed(m), "tt.broadcast")
		if line, _, _ := strings.Cut(rest, "\n"); !strings.Contains(line, want+" ->") {
			t.Errorf("%s: the first broadcast is that of%s, want %s", v, line, want)
		}
	}
}

// TestDivisionSince39: from 3.9 on, tl.fdiv promotes its operands, but divides floats alone; an approximate
// division is one of fp32, and no correctly rounded one.
func TestDivisionSince39(t *testing.T) {
	for call, want := range map[string]string{
		"tl.fdiv(i, i + 1)":                                "divides floats, but its operands have type int32",
		"tl.fdiv(v, i, approx=True)":                       "",
		"tl.fdiv(v.to(tl.float64), v, approx=True)":        "is one of float32, not of fp64",
		"tl.fdiv(v, v, ieee_rounding=True, approx=True)":   "cannot be approximate and rounded correctly",
		"tl.fdiv(v.to(tl.float16), i, ieee_rounding=True)": "",
	} {
		text := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, out):\n" +
			"    i = tl.arange(0, 16)\n    v = tl.load(x + i)\n    tl.store(out + i, " + call + ")\n"
		src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{Triton: triton.V39})
		if err != nil {
			t.Fatal(err)
		}
		_, err = compile(src, spec{Name: "k", Kernel: "k", Signature: "*fp32, *fp32"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}
