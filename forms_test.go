package nereid_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

const mergedKernel = tileKernel + `
@triton.jit
def add(x, y, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
`

const mergedSignature = "*fp32:16, *fp32:16, i32"

// formsOf compiles the kernel add with some forms of its code.
func formsOf(t *testing.T, s *nereid.Stream, conf nereid.Config) *nereid.Compiled {
	t.Helper()
	t.Setenv("NEREID_TILE_LOADS", "all")
	t.Setenv("NEREID_MERGE_PROGRAMS", "4")
	m, err := nereid.Parse("k.py", []byte(mergedKernel), nereid.With(conf))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add")
	if err != nil {
		t.Fatal(err)
	}
	if conf.Record != nil {
		x := make([]float32, 512)
		if err := k.Launch(s, nereid.Grid{8}, nereid.FromSlice(x), nereid.FromSlice(slices.Clone(x)),
			509); err != nil {
			t.Fatal(err)
		}
	}
	c, err := k.Compile(t.Context(), s.Device(), mergedSignature, nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// added launches add with a number of programs and returns what it added; the elements behind the last
// must stay.
func added(t *testing.T, c *nereid.Compiled, s *nereid.Stream, programs int) float32 {
	t.Helper()
	n := programs*64 - 3
	in, out := make([]float32, 512), make([]float32, 512)
	if err := c.Launch(s, nereid.Grid{programs}, nereid.FromSlice(in), nereid.FromSlice(out), n); err != nil {
		t.Fatal(err)
	}
	if written := slices.Index(out, 0); written != n || slices.Max(out[:n]) != slices.Min(out[:n]) {
		t.Errorf("%d programs: %d elements are written, not %d", programs, written, n)
	}
	return out[0]
}

// A kernel that was compiled ahead has the forms that the configuration asks for, and is right with and
// without them: two of the grids are multiples of what is merged.
func TestCompileForms(t *testing.T) {
	s := stream(t, "sim:90")
	size := map[nereid.Forms]int{}
	for _, test := range []struct {
		forms  nereid.Forms
		record *nereid.Recorder
		want   bool
	}{
		{nereid.AllForms, nil, true}, {nereid.GeneralForm, nil, false}, {nereid.SeenForms, nil, false},
		{nereid.SeenForms, &nereid.Recorder{}, true},
	} {
		c := formsOf(t, s, nereid.Config{Forms: test.forms, Record: test.record})
		if got := c.Info().Forms; len(got) > 0 != test.want {
			t.Errorf("forms %v, recorded %v: %q", test.forms, test.record != nil, got)
		}
		size[test.forms] = len(saved(t, c))
		back, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(saved(t, c)))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*nereid.Compiled{c, back} {
			for _, programs := range []int{8, 7, 4} {
				if got := added(t, c, s, programs); got != 1 {
					t.Errorf("forms %v, %d programs: %v", test.forms, programs, got)
				}
			}
		}
	}
	if size[nereid.AllForms] <= size[nereid.GeneralForm] {
		t.Errorf("bytes of saved kernels: %v", size)
	}
}

// Launches of a loaded kernel choose the form: with a number changed in the form of merged programs alone,
// launches of multiples of 4 programs have other results, and others have not.
func TestCompiledFormIsChosen(t *testing.T) {
	s := stream(t, "sim:90")
	file, err := code.ReadSaved(bytes.NewReader(saved(t, formsOf(t, s, nereid.Config{}))))
	if err != nil {
		t.Fatal(err)
	}
	changed := false
	for i, f := range file.Forms {
		if f.Way.Merge == 4 {
			other := bytes.ReplaceAll(f.Code, []byte("0f3F800000"), []byte("0f40000000"))
			changed = !bytes.Equal(f.Code, other)
			file.Forms[i].Code = other
		}
	}
	c, err := core.LoadSaved(s.Device(), file)
	if err != nil || !changed {
		t.Fatal(err, changed)
	}
	for programs, want := range map[int]float32{8: 2, 7: 1} {
		if got := added(t, c, s, programs); got != want {
			t.Errorf("%d programs: %v, want %v", programs, got, want)
		}
	}
}

// Code for a GPU that is not here is saved with its forms.
func TestCompileForForms(t *testing.T) {
	s := stream(t, "sim:90")
	t.Setenv("NEREID_TILE_LOADS", "all")
	m, err := nereid.Parse("k.py", []byte(mergedKernel), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("rows")
	if err != nil {
		t.Fatal(err)
	}
	away, err := k.CompileFor(t.Context(), "cuda:90", "*fp16:16, *fp16:16, i32:16", nereid.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(saved(t, away)))
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]nereid.F16, 96*32), make([]nereid.F16, 96*32)
	for i := range x {
		x[i] = nereid.ToF16(float64(i % 512))
	}
	for _, stride := range []int{32, 0, 32} { // no tensor map has a stride of 0
		if err := c.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(y), stride); err != nil {
			t.Fatalf("stride %d: %v", stride, err)
		}
		if got, want := y[33*32+5].Float(), float64((33*stride+5)%512+1); got != want {
			t.Errorf("stride %d: %v, want %v", stride, got, want)
		}
	}
}
