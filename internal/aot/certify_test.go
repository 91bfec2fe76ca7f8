package aot

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const provenKernels = `
import triton
import triton.language as tl

@triton.jit
def mm(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
       BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        k = at + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * stride_am + k[None, :] * stride_ak,
                    mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * stride_bk + j[None, :] * stride_bn,
                    mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * stride_cm + j[None, :] * stride_cn, acc,
             mask=(i[:, None] < M) & (j[None, :] < N))

@triton.jit
def wave(x, n, p, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.sin(tl.load(x + at, mask=at < n)) * p, mask=at < n)

@triton.jit
def count(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at).to(tl.uint8))
`

// proven returns the variants of a manifest over provenKernels.
func proven(t *testing.T) []Variant {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	dir := write(t, map[string]string{"k.py": provenKernels, "t.toml": `
[[variants]]
kernel = "k.py:mm"
name = "mm"
signature = "*fp16, *fp16, *fp32, i32, i32, i32, i32:16, i32, i32:16, i32, i32:16, i32"
constants = { BM = 32, BN = 32, BK = 16 }
grid = ["cdiv(M, BM)", "cdiv(N, BN)"]

[[variants]]
kernel = "k.py:wave"
name = "wave"
signature = "*fp32, i32, fp32"
constants.BLOCK = 64
grid = ["cdiv(n, BLOCK)"]

[[variants]]
kernel = "k.py:count"
name = "count"
signature = "*fp32, *u8"
constants.BLOCK = 64
`})
	table, err := Read(filepath.Join(dir, "t.toml"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return table.Variants
}

// certificate returns the certificate of an entry.
func certificate(t *testing.T, f *bundle.File, name, target string) *bundle.Certificate {
	t.Helper()
	e := entry(t, f, name, target)
	c, err := f.Certificate(e)
	if err != nil || c == nil {
		t.Fatalf("%s: %v, %v", e, c, err)
	}
	for _, p := range e.Parts {
		if bundle.IsCode(p.Name) {
			if _, err := f.Saved(e, p.Name); err != nil {
				t.Error(err)
			}
		}
	}
	return c
}

// TestCertify builds a bundle with certificates: what was compared, on which arguments, and what was not.
func TestCertify(t *testing.T) {
	o := BuildOptions{Targets: []string{"cuda:90", "hip:gfx942", "cpu:x86-64-v3"},
		Certify: &CertifyOptions{Seed: 1}}
	data, f, b := built(t, proven(t), o)
	if again, _, _ := built(t, proven(t), o); !bytes.Equal(data, again) {
		t.Error("two builds of a table differ")
	}
	var not []string
	for _, u := range b.Uncertified {
		not = append(not, u.String())
	}
	for _, want := range []string{"wave for cpu:x86-64-v3: code for CPUs computes with floats",
		"mm for cpu:x86-64-v3: ", "count for cuda:90: ",
		"as an unsigned integer has no meaning in the ring"} {
		if !strings.Contains(strings.Join(not, "\n"), want) {
			t.Errorf("%q is not among what is not certified:\n%s", want, strings.Join(not, "\n"))
		}
	}
	if b.Stats.Certified != 4 || len(not) != 5 {
		t.Errorf("%d certified, not certified: %q", b.Stats.Certified, not)
	}
	for _, target := range []string{"cuda:90", "hip:gfx942"} {
		c := certificate(t, f, "mm", target)
		if !c.SameCode || c.Verdict != bundle.VerdictEqual || c.Grid != [3]int{2, 2, 1} ||
			c.Compared.Changed < 1300 || c.IR["ttgir"] == "" || c.Arguments[6].Value != "48" ||
			c.Arguments[7].Value != "1" {
			t.Errorf("mm for %s: %+v", target, c)
		}
		// sin is one instruction in the ring
		if c := certificate(t, f, "wave", target); c.SameCode || c.Ran == "" || c.Compared.Changed != 69 {
			t.Errorf("wave for %s: %+v", target, c)
		}
	}
	if c := certificate(t, f, "count", "cuda:90"); c.Verdict != bundle.VerdictRefused || c.Reason == "" {
		t.Errorf("count: %+v", c)
	}
}

// TestCertifySizes gives sizes by expressions over constants.
func TestCertifySizes(t *testing.T) {
	list := proven(t)[1:2]
	o := BuildOptions{Targets: []string{"cuda:80"},
		Certify: &CertifyOptions{Sizes: []string{"n=3*BLOCK+1", "p=0.5"}}}
	_, f, _ := built(t, list, o)
	if c := certificate(t, f, "wave", "cuda:80"); c.Grid[0] != 4 || c.Arguments[0].Elements != 193 ||
		c.Arguments[2].Value != "0.5" {
		t.Errorf("%+v", c)
	}
	o.Certify.Sizes = []string{"m=3"}
	if _, err := Build(t.Context(), list, o); err == nil || !strings.Contains(err.Error(), `size "m"`) {
		t.Error(err)
	}
}

// TestCandidates: sizes are chosen around the kernel's largest block, which is a whole number up to 65,536,
// and at least 32. Other constants are no blocks.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		constants map[string]float64
		block     int64
	}{
		{nil, 32},
		{map[string]float64{"B": 16}, 32},
		{map[string]float64{"A": 64, "B": 128, "C": 33}, 128},
		{map[string]float64{"B": 65536}, 65536},
		{map[string]float64{"B": 65537}, 32},
		{map[string]float64{"B": 256.5, "C": -512, "N": 1e300, "M": math.Inf(1), "O": math.NaN()}, 32},
	} {
		list := (&chooser{constants: c.constants}).candidates()
		near := 0
		for _, n := range list {
			if d := n - c.block; n < 1 || d > 64 {
				t.Errorf("%v: a size of %d", c.constants, n)
			} else if d >= -3 {
				near++
			}
		}
		if near < 3 || !slices.Contains(list, c.block) {
			t.Errorf("%v: sizes of %d are not around a block of %d", c.constants, list, c.block)
		}
	}
}

// TestCertifyFails builds code that is not that of its source: a mask lets one more element through.
func TestCertifyFails(t *testing.T) {
	list := proven(t)[1:2]
	o := BuildOptions{Targets: []string{"cuda:90"}, Certify: &CertifyOptions{}}
	build := func(conf nereid.Config) error {
		conf.NoLines = true
		m, err := nereid.Load(list[0].File, nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		b := newBuilder(o)
		b.modules[list[0].File] = m
		_, err = b.build(t.Context(), list)
		return err
	}
	dumps, planted := t.TempDir(), t.TempDir()
	if err := build(nereid.Config{Dump: dumps}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dumps, "*", "wave.ttgir"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	faulty := bytes.Replace(text, []byte("arith.mulf"), []byte("arith.addf"), 1)
	if bytes.Equal(faulty, text) {
		t.Fatalf("no product in\n%s", text)
	}
	if err := os.WriteFile(filepath.Join(planted, "wave.ttgir"), faulty, 0o600); err != nil {
		t.Fatal(err)
	}
	err = build(nereid.Config{Override: planted})
	want := "wave for cuda:90: the code differs from its source on sim:90 (grid 2 x=fp32[69] n=69 p=0.75): " +
		"x, 69 of 69 elements, first at 0: source "
	if err == nil || !strings.HasPrefix(err.Error(), want) ||
		!strings.HasSuffix(err.Error(), "\n1 of 1 certifications failed") {
		t.Error(err)
	}
}

// TestForeignCertificate reads a bundle whose code is not that of its certificate.
func TestForeignCertificate(t *testing.T) {
	b, err := Build(t.Context(), proven(t)[1:2], BuildOptions{Targets: []string{"cuda:90"},
		Certify: &CertifyOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := b.Writer.WriteTo(&data); err != nil {
		t.Fatal(err)
	}
	f, err := bundle.OpenBytes(data.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	e := f.Entry(0)
	parts := map[string][]byte{}
	for _, p := range e.Parts {
		if parts[p.Name], err = f.Read(e, p.Name); err != nil {
			t.Fatal(err)
		}
	}
	parts[bundle.PartPTX] = bytes.Replace(parts[bundle.PartPTX], []byte("ret;"), []byte("ret; "), 1)
	var w bundle.Writer
	if err := w.Add(*e, parts); err != nil {
		t.Fatal(err)
	}
	data.Reset()
	if _, err := w.WriteTo(&data); err != nil {
		t.Fatal(err)
	}
	if f, err = bundle.OpenBytes(data.Bytes()); err != nil {
		t.Fatal(err)
	}
	var damage *bundle.Damage
	if _, err := f.Saved(f.Entry(0), bundle.PartPTX); !errors.As(err, &damage) ||
		!strings.Contains(err.Error(), "its certificate is for other code") {
		t.Error(err)
	}
}

// TestFill: the elements that a certificate is made with are numbers that their types have, and others for
// another seed: a bool is 0 or 1, each about as often.
func TestFill(t *testing.T) {
	const n = 1024
	in := inputs{args: []input{{name: "b", tensor: true, dtype: dtype.Bool, elements: n},
		{name: "i", tensor: true, dtype: dtype.Int32, elements: n}, {name: "n", typ: "i32", value: 3}}}
	in.fill(1)
	var kinds [256]int
	for _, v := range in.args[0].data {
		kinds[v]++
	}
	if kinds[0]+kinds[1] != n || kinds[0] < n*4/10 || kinds[1] < n*4/10 {
		t.Errorf("bools are %v", kinds)
	}
	first := bytes.Clone(in.args[1].data)
	if in.fill(2); bytes.Equal(first, in.args[1].data) || in.args[2].data != nil {
		t.Error("another seed gives the same numbers, or a number has elements")
	}
}
