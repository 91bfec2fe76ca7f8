package lang_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/libtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

type spec struct {
	Name      string `json:"name"`
	File      string `json:"file"`
	Kernel    string `json:"kernel"`
	Signature string `json:"signature"`
	NumWarps  int    `json:"num_warps,omitempty"`
	MaxSteps  int    `json:"-"`
}

// compile makes IR of one kernel.
func compile(src *lang.Source, s spec) (*ir.Module, error) {
	params, err := src.Params(s.Kernel, lang.DefaultTarget)
	if err != nil {
		return nil, err
	}
	args, err := lang.ParseSignature(params, s.Signature)
	if err != nil {
		return nil, err
	}
	return src.Compile(s.Kernel, args, lang.Options{NumWarps: s.NumWarps, MaxSteps: s.MaxSteps})
}

// forgetNames takes the names of all values away: what is printed then is the module's structure.
func forgetNames(m *ir.Module) {
	for op := range m.Ops() {
		for _, r := range op.Results() {
			r.Name = ""
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, a := range b.Args() {
					a.Name = ""
				}
			}
		}
	}
}

// structure is a module as text in which two modules are equal when every op has the same name, operands,
// attributes, types and regions, in the same order, and functions have the same names.
func structure(m *ir.Module) string {
	forgetNames(m)
	var b strings.Builder
	ir.Print(&b, m.Op, ir.PrintOptions{Generic: true})
	// two ways to write one attribute
	return strings.ReplaceAll(b.String(), "licm = #llvm.loop_licm<", "licm = <")
}

// sameStructure compares our IR with Triton's, before any pass and with library functions inlined. A kernel
// that calls the library may differ there, if it does not after the TTIR passes. Both modules are changed.
func sameStructure(t *testing.T, name string, theirs, ours *ir.Module) {
	t.Helper()
	library := libtest.Uses(theirs)
	want, got := form(t, theirs, libtest.Inline), form(t, ours, libtest.Inline)
	if want != got && library && form(t, theirs, libtest.Optimize) == form(t, ours, libtest.Optimize) {
		return
	}
	txtest.Equal(t, name, want, got)
}

func form(t *testing.T, m *ir.Module, change func(*ir.Module) error) string {
	t.Helper()
	if err := change(m); err != nil {
		t.Fatal(err)
	}
	return structure(m)
}

func parse(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGolden: before any pass, our IR of each sample kernel is Triton's, op by op, with the library inlined.
func TestGolden(t *testing.T) {
	var specs []spec
	if err := json.Unmarshal([]byte(txtest.Read(t, txtest.Path(t, "kernels", "specs.json"))),
		&specs); err != nil {
		t.Fatal(err)
	}
	if len(specs) < 19 {
		t.Fatalf("only %d specs", len(specs))
	}
	for _, s := range specs {
		t.Run(s.Name, func(t *testing.T) {
			src, err := lang.Load("kernels/"+s.File,
				[]byte(txtest.Read(t, txtest.Path(t, "kernels", s.File))), lang.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := compile(src, s)
			if err != nil {
				t.Fatal(err)
			}
			path := txtest.Path(t, "testdata", "golden", "cuda-90", s.Name+".source")
			want := parse(t, path, txtest.Read(t, path))
			sameStructure(t, filepath.Base(path), want, got)
		})
	}
}
