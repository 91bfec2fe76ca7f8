package bundle_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const formKernels = `
import triton
import triton.language as tl

@triton.jit
def rows(x, y, s):
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    for i in range(3):
        v = tl.load(x + (i * 32 + r)[:, None] * s + c[None, :])
        tl.store(y + ((i * 32 + r)[:, None] * 32 + c[None, :]), v + 1)

@triton.jit
def add(x, y, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
`

// formBundle builds a bundle with all forms of the kernels, as PTX, and returns its bytes.
func formBundle(t *testing.T, forms bool) []byte {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	t.Setenv("NEREID_PTXAS", filepath.Join(t.TempDir(), "none"))
	t.Setenv("NEREID_TILE_LOADS", "all")
	t.Setenv("NEREID_MERGE_PROGRAMS", "4")
	file := filepath.Join(t.TempDir(), "k.py")
	if err := os.WriteFile(file, []byte(formKernels), 0o644); err != nil {
		t.Fatal(err)
	}
	built, err := aot.Build(t.Context(), []aot.Variant{
		{Name: "rows", File: file, Kernel: "rows", Signature: "*fp16:16, *fp16:16, i32:16"},
		{Name: "add", File: file, Kernel: "add", Signature: "*fp32:16, *fp32:16, i32"},
	}, aot.BuildOptions{Targets: []string{"cuda:90"}, Forms: forms})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := built.Writer.WriteTo(&data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// A bundle with forms launches right whatever form the launch runs: merged programs or not, tiles by tensor
// maps, and the general form for a stride that no map describes. Without forms it launches the general one.
func TestForms(t *testing.T) {
	for _, forms := range []bool{true, false} {
		data := formBundle(t, forms)
		checkForms(t, data, forms)
		b, err := bundle.OpenBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
		s := txtest.Open(t, dev.NewStream, t.Context())
		rows, err := b.Lookup("rows")
		if err != nil {
			t.Fatal(err)
		}
		x, y := make([]nereid.F16, 96*32), make([]nereid.F16, 96*32)
		for i := range x {
			x[i] = nereid.ToF16(float64(i % 512))
		}
		for _, stride := range []int{32, 0, 32} {
			if err := rows.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(y),
				stride); err != nil {
				t.Fatalf("forms %v, stride %d: %v", forms, stride, err)
			}
			if got, want := y[33*32+5].Float(), float64((33*stride+5)%512+1); got != want {
				t.Errorf("forms %v, stride %d: %v, want %v", forms, stride, got, want)
			}
		}
		add, err := b.Lookup("add")
		if err != nil {
			t.Fatal(err)
		}
		for _, programs := range []int{8, 7, 4} { // two of them are multiples of what is merged
			in, out := make([]float32, 512), make([]float32, 512)
			n := programs*64 - 3
			if err := add.Launch(s, nereid.Grid{programs}, nereid.FromSlice(in), nereid.FromSlice(out),
				n); err != nil {
				t.Fatal(err)
			}
			if ones := slices.Index(out, 0); out[n-1] != 1 || ones != n {
				t.Errorf("forms %v, %d programs: %d elements are written, not %d", forms, programs, ones, n)
			}
		}
	}
}

// checkForms expects several forms of each variant, or none.
func checkForms(t *testing.T, data []byte, want bool) {
	t.Helper()
	f, err := format.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Len() {
		e := f.Entry(i)
		forms, err := f.Forms(e)
		if err != nil || len(forms) > 0 != want || want && e.Name == "add" && len(forms) < 2 {
			t.Errorf("%s: %d forms, %v", e, len(forms), err)
		}
	}
}

// The launch chooses the form: with a number changed in the form of merged programs alone, launches of
// multiples of 4 programs have other results, and others have not.
func TestFormIsChosen(t *testing.T) {
	f, err := format.OpenBytes(formBundle(t, true))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := f.Saved(&f.Named("add")[0], format.PartPTX)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, form := range saved.Forms {
		if form.Way.Merge == 4 {
			saved.Forms[i].Code = bytes.ReplaceAll(form.Code, []byte("0f3F800000"), []byte("0f40000000"))
			changed++
		}
	}
	dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
	s := txtest.Open(t, dev.NewStream, t.Context())
	code, err := core.LoadSaved(dev, saved)
	if err != nil || changed == 0 {
		t.Fatal(err, changed)
	}
	for programs, want := range map[int]float32{8: 2, 7: 1} {
		in, out := make([]float32, 512), make([]float32, 512)
		if err := code.Launch(s, nereid.Grid{programs}, nereid.FromSlice(in),
			nereid.FromSlice(out), programs*64); err != nil || out[5] != want {
			t.Errorf("%d programs: %v, want %v: %v", programs, out[5], want, err)
		}
	}
}

// What a bundle's code is saved as has the forms too, and the code that serves all launches.
func TestFormsSaved(t *testing.T) {
	b, err := bundle.OpenBytes(formBundle(t, true))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
	s := txtest.Open(t, dev.NewStream, t.Context())
	v, err := b.Lookup("add")
	if err != nil {
		t.Fatal(err)
	}
	c, err := v.Load(dev)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.Save(&file); err != nil {
		t.Fatal(err)
	}
	back, err := nereid.LoadCompiled(dev, &file)
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Info().Forms; len(got) == 0 || !slices.Equal(got, c.Info().Forms) {
		t.Errorf("forms %q, saved %q", c.Info().Forms, got)
	}
	for _, programs := range []int{8, 7} {
		in, out := make([]float32, 512), make([]float32, 512)
		n := programs*64 - 3
		if err := back.Launch(s, nereid.Grid{programs}, nereid.FromSlice(in), nereid.FromSlice(out),
			n); err != nil || slices.Index(out, 0) != n {
			t.Errorf("%d programs: %v, %d elements are written", programs, err, slices.Index(out, 0))
		}
	}
}
