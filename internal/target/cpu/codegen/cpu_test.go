package codegen

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target/cpu/gemm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// avx512 is a CPU to write code for; nothing here runs it.
var avx512 = Options{VectorBytes: 64, Features: "+avx512f,+avx512vl,+avx512bw",
	Gemm: gemm.Host("+avx512f,+avx512vl,+avx512bw", false)}

// generate makes code of Triton IR.
func generate(t testing.TB, text string, opts Options) *Code {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "kernel.ttir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for s, op := range m.Symbols() {
		if op.Text("sym_visibility") != "private" && !funclike.IsDeclaration(op) {
			name = s
		}
	}
	if err := pass.Run(&pass.Context{}, m, []pass.Pass{middle.TritonToLinalg}); err != nil {
		t.Fatal(err)
	}
	code, err := Generate(m, name, opts)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func golden(t testing.TB, name string) string {
	t.Helper()
	return txtest.Read(t, filepath.Join(txtest.Root(t), "testdata/golden/cuda-90", name+".ttir"))
}

// TestFused: what is kept in memory, and how many loops there are.
func TestFused(t *testing.T) {
	const nothing = 256 // which is there in any case
	for _, c := range []struct {
		kernel  string
		scratch int64 // at most
		loops   int   // over programs, and over vectors: one without masks, one with
	}{
		{"add_f32", nothing, 3},
		{"add_i64", nothing, 3},
		{"swiglu_bf16", nothing, 3},
		{"rms_norm_bf16", nothing, 5},
		{"softmax_f32_8192", 8192*4 + nothing + 64, 7}, // the exponentials, which two loops need
	} {
		t.Run(c.kernel, func(t *testing.T) {
			code := generate(t, golden(t, c.kernel), avx512)
			if code.Scratch > c.scratch {
				t.Errorf("it needs %d bytes of scratch, more than %d", code.Scratch, c.scratch)
			}
			if n := strings.Count(string(code.IR), "\nhead"); n != c.loops {
				t.Errorf("it has %d loops, not %d", n, c.loops)
			}
		})
	}
}

// TestDeterministic: the same kernel becomes the same text.
func TestDeterministic(t *testing.T) {
	for _, k := range []string{"attention_d64", "dropout_f32", "matmul_bf16_relu", "cross_entropy_bf16"} {
		text := golden(t, k)
		txtest.Equal(t, k, string(generate(t, text, avx512).IR), string(generate(t, text, avx512).IR))
	}
}

// TestWidths: every sample kernel is written for vectors of every size.
func TestWidths(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(txtest.Root(t), "testdata/golden/cuda-90/*.ttir"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, path := range paths {
		for _, o := range []Options{{VectorBytes: 16, Gemm: gemm.Host("", false)},
			{VectorBytes: 32, Features: "+avx2,+fma", Gemm: gemm.Host("+avx2,+fma", false)}} {
			generate(t, txtest.Read(t, path), o)
		}
	}
}

// TestIndex: splitting an index that is a scalar and a constant for each lane, and putting it together again.
func TestIndex(t *testing.T) {
	for _, c := range []struct {
		lanes  int
		k      int64
		hi, lo []int64
	}{
		{4, 16, nil, []int64{0, 1, 2, 3}},
		{4, 2, []int64{0, 0, 1, 1}, []int64{0, 1, 0, 1}},
		{8, 4, []int64{0, 0, 0, 0, 1, 1, 1, 1}, []int64{0, 1, 2, 3, 0, 1, 2, 3}},
	} {
		g := &gen{writer: newWriter(), lanes: c.lanes}
		hi, lo := g.split(index{base: "%i", lanes: counting(c.lanes), align: int64(c.lanes)}, c.k)
		if !slices.Equal(hi.lanes, c.hi) || !slices.Equal(lo.lanes, c.lo) || hi.vec != "" || lo.vec != "" {
			t.Errorf("%d lanes by %d: %v and %v, expected %v and %v", c.lanes, c.k, hi, lo, c.hi, c.lo)
		}
	}
}

// TestRefused: what cannot be is an error with a place, not a panic.
func TestRefused(t *testing.T) {
	m := ir.NewModule(ir.Unknown)
	if _, err := Generate(m, "missing", avx512); err == nil {
		t.Error("a kernel that is not there was compiled")
	}
}
