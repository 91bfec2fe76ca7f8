package conform

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// gluonKernel returns a kernel of Gluon, by the rules of a release.
func gluonKernel(t *testing.T, src, name, release string) *nereid.Kernel {
	t.Helper()
	m, err := nereid.Parse("gluon.py", []byte(src), nereid.Triton(release+"+gluon"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestGluonTTGIR: the TTGIR of kernels of Gluon is that of the releases' own compilers (peer/gluon.py).
func TestGluonTTGIR(t *testing.T) {
	src := txtest.Read(t, "testdata/gluon.py")
	theirs := txtest.JSON[releaseAnswers](t, "testdata/gluon.json.gz")
	signatures := regexp.MustCompile(`# sig: (.*)\n@gluon.jit\ndef (\w+)`).FindAllStringSubmatch(src, -1)
	if len(signatures) < 2 {
		t.Fatalf("only %d kernels", len(signatures))
	}
	for _, v := range triton.Releases {
		for _, m := range signatures {
			t.Run(v.String()+" "+m[2], func(t *testing.T) {
				want, ok := theirs[v.String()][m[2]]
				if !ok {
					t.Fatal("Triton was not asked: run peer/gluon.py")
				}
				c, err := gluonKernel(t, src, m[2], v.String()).CompileFor(t.Context(), "cuda:90", m[1],
					nereid.Options{}, "ttgir")
				if err != nil {
					t.Fatal(err)
				}
				txtest.Equal(t, m[2], unnamed(t, []byte(want)), unnamed(t, c.Stage("ttgir")))
			})
		}
	}
}

// unnamed returns IR without the names of its values, without locations, and without a mark for other chips.
func unnamed(t *testing.T, text []byte) string {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "k.ttgir", triton.Older(text))
	if err != nil {
		t.Fatal(err)
	}
	m.Op.SetAttr("ttng.two-ctas", nil) // of Blackwell; 3.9 says of every module whether it has it
	for op := range m.Ops() {
		for _, r := range op.Results() {
			r.Name = ""
		}
		for _, region := range op.Regions() {
			for block := range region.Blocks() {
				for _, a := range block.Args() {
					a.Name = ""
				}
			}
		}
	}
	var b strings.Builder
	ir.Print(&b, m.Op, ir.PrintOptions{Generic: true})
	return b.String()
}

// TestGluonRuns: kernels of Gluon have the right results on simulated GPUs.
func TestGluonRuns(t *testing.T) {
	src := txtest.Read(t, "testdata/gluon.py")
	for _, dev := range gpus(t, "sim:90", "sim:80") {
		t.Run(fmt.Sprint(dev), func(t *testing.T) {
			const n = 1000
			x := newArray(f32, n)
			for i := range n {
				x.setFloat(i, float64(i)-300)
			}
			k := gluonKernel(t, src, "copied", "3.6")
			got := leaves(t, k, dev, nereid.Grid{2, 1, 1}, x, newArray(f32, n), n, 512)
			if want := bytesOf(t, lend(t, dev, x)); string(got) != string(want) {
				t.Errorf("%x, want %x", got[:64], want[:64])
			}
			gluonElementwise(t, gluonKernel(t, src, "elementwise", "3.9"), dev)
		})
	}
}

// gluonElementwise runs the kernel elementwise over matrices whose edges no block meets.
func gluonElementwise(t *testing.T, k *nereid.Kernel, dev *nereid.Device) {
	const rows, columns = 37, 29
	x, y, out := newArray(f32, rows*columns), newArray(f32, rows*columns), newArray(f32, rows*columns)
	for i := range x.len() {
		x.setFloat(i, float64(i%17)-8)
		y.setFloat(i, float64(i%5)/4)
	}
	s := txtest.Open(t, dev.NewStream, t.Context())
	result := lend(t, dev, out)
	if err := k.Launch(s, nereid.Grid{3, 1, 1}, lend(t, dev, x), lend(t, dev, y), result, rows, columns, 16,
		32); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	got := floatsOf(t, result)
	for r := range rows {
		for c := range columns {
			want := 1 + 6*x.float(r*columns+c) + 3*math.Exp(y.float(c*rows+r))
			if diff := math.Abs(got[r*columns+c] - want); !(diff <= 1e-5*math.Max(1, math.Abs(want))) {
				t.Fatalf("row %d, column %d: %v, want %v", r, c, got[r*columns+c], want)
			}
		}
	}
}

// TestGluonRefused: what is not compiled of Gluon is refused by name, at its place.
func TestGluonRefused(t *testing.T) {
	head := "from triton.experimental import gluon\n" +
		"from triton.experimental.gluon import language as gl\n\n" +
		"A = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))\n" +
		"B = gl.constexpr(gl.BlockedLayout([2], [32], [4], [0]))\n" +
		"TWO = gl.constexpr(gl.BlockedLayout([1], [32], [2], [0]))\n\n\n@gluon.jit\ndef k(out):\n"
	for _, c := range []struct{ body, want, target string }{
		{body: "gl.store(out + gl.arange(0, 128, layout=A) + gl.arange(0, 128, layout=B), 1)",
			want: "layouts of its tensors differ"},
		{body: "gl.store(out + gl.arange(0, 128, layout=TWO), 1)",
			want: "its layout is for 32 threads in a warp and 2 warps, but the program has 32 and 4"},
		{body: "gl.store(out + gl.arange(0, 128), 1)", want: "gl.arange without layout="},
		{body: "gl.store(out + gl.arange(0, 128, layout=gl.SliceLayout(0, A)), 1)",
			want: "a tensor of rank 1 cannot have SliceLayout(0, BlockedLayout([1], [32], [4], [0]))"},
		{body: "gl.allocate_shared_memory(gl.float32, [128], A)",
			want: "gl.allocate_shared_memory is not compiled here"},
		{body: "gl.store(out + gl.arange(0, 128, layout=A), 1)", target: "hip:gfx942",
			want: "Gluon: its kernels are compiled for NVIDIA's GPUs"},
		{body: "gl.store(out + gl.arange(0, 128, layout=A), 1)", target: "cpu",
			want: "Gluon: its kernels are compiled for NVIDIA's GPUs"},
	} {
		if c.target == "" {
			c.target = "cuda:90"
		}
		_, err := gluonKernel(t, head+"    "+c.body+"\n", "k", "3.9").CompileFor(t.Context(), c.target, "*i32",
			nereid.Options{}, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
		var refusal *nereid.Refusal
		if strings.Contains(c.want, "differ") && (!errors.As(err, &refusal) || refusal.Line != 11) {
			t.Errorf("%v: it has no place", err)
		}
	}
}
