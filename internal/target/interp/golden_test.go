package interp

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// parse reads IR and compiles a kernel of it.
func compileText(t testing.TB, src, kernel string) *Program {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "test.ttir", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m, kernel)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func golden(t testing.TB, name, kernel string) *Program {
	t.Helper()
	src, err := os.ReadFile(txtest.Path(t, "testdata", "golden", "cuda-90", name))
	if err != nil {
		t.Fatal(err)
	}
	return compileText(t, string(src), kernel)
}

// bytesOf is a slice of numbers as memory.
func bytesOf[T any](s []T) []byte {
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(z)))
}

func randF32(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

func TestGoldenAdd(t *testing.T) {
	for _, name := range []string{"add_f32.ttir", "add_f32.source", "add_f32.ttgir"} {
		p := golden(t, name, "add_kernel")
		const n = 5000
		x, y, out := randF32(n), randF32(n), make([]float32, n)
		mem := NewMemory()
		args := []uint64{mem.Alloc(bytesOf(x), "x").Addr(), mem.Alloc(bytesOf(y), "y").Addr(),
			mem.Alloc(bytesOf(out), "out").Addr(), n}
		if err := p.Run(context.Background(), mem, [3]int{5, 1, 1}, args, Options{}); err != nil {
			t.Fatal(err)
		}
		for i := range out {
			if out[i] != x[i]+y[i] {
				t.Fatalf("%s: element %d: %v + %v = %v", name, i, x[i], y[i], out[i])
			}
		}
	}
}

func TestGoldenMatmul(t *testing.T) {
	p := golden(t, "matmul_f32_ragged.ttir", "matmul_kernel")
	const m, n, k = 100, 70, 45
	a, b, c := randF32(m*k), randF32(k*n), make([]float32, m*n)
	runMatmul(t, p, a, b, c, m, n, k, 64, 32)
	for i := range m {
		for j := range n {
			want := 0.0
			for l := range k {
				want += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			if math.Abs(want-float64(c[i*n+j])) > 1e-5 {
				t.Fatalf("(%d, %d): %v, want %v", i, j, c[i*n+j], want)
			}
		}
	}
}

func runMatmul[T any](t testing.TB, p *Program, a, b, c []T, m, n, k, bm, bn int) {
	t.Helper()
	mem := NewMemory()
	args := []uint64{mem.Alloc(bytesOf(a), "a").Addr(), mem.Alloc(bytesOf(b), "b").Addr(),
		mem.Alloc(bytesOf(c), "c").Addr(), uint64(m), uint64(n), uint64(k), uint64(k), uint64(n), uint64(n)}
	grid := [3]int{(m + bm - 1) / bm * ((n + bn - 1) / bn), 1, 1}
	if err := p.Run(context.Background(), mem, grid, args, Options{}); err != nil {
		t.Fatal(err)
	}
}

// TestGoldensCompile: every stage that Triton makes of every kernel, for three targets, is understood.
func TestGoldensCompile(t *testing.T) {
	for _, ext := range []string{"source", "ttir", "ttgir"} {
		for _, path := range txtest.Glob(t, "testdata/golden/*/*."+ext) {
			m, err := ir.Parse(diag.NewFileSet(), path, []byte(txtest.Read(t, path)))
			if err != nil {
				t.Error(err)
				continue
			}
			for name := range m.Symbols() {
				if _, err := Compile(m, name); err != nil &&
					!strings.Contains(err.Error(), "so it is no kernel") {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
}
