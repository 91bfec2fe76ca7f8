package ir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func goldens(t testing.TB) []string {
	var files []string
	for _, ext := range []string{"source", "ttir", "ttgir"} {
		files = append(files, txtest.Glob(t, "testdata/golden/*/*."+ext)...)
	}
	return files
}

func parse(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// forgetNames takes the names of all values away, so that the printer has to find its own.
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

// TestForms prints each golden file in every form and expects the module to come through.
func TestForms(t *testing.T) {
	for _, path := range goldens(t) {
		src := txtest.Read(t, path)
		m := parse(t, path, src)
		for _, opts := range []ir.PrintOptions{{Locs: true}, {Locs: true, Generic: true}} {
			txtest.Equal(t, path, src, text(parse(t, path, text(m, opts)), ir.PrintOptions{Locs: true}))
		}
		for _, opts := range []ir.PrintOptions{{}, {Generic: true}} {
			txtest.Equal(t, path, text(m, ir.PrintOptions{}),
				text(parse(t, path, text(m, opts)), ir.PrintOptions{}))
		}
	}
}

// TestTritonReadsTheSame: Triton makes of our text, in forms that differ from the original, what it makes
// of the original.
func TestTritonReadsTheSame(t *testing.T) {
	dir := t.TempDir()
	args := []string{"same", "--target", "cuda:90,hip:gfx942"}
	for _, path := range goldens(t) {
		m := parse(t, path, txtest.Read(t, path))
		base := strings.ReplaceAll(path, string(filepath.Separator), "_")
		for form, opts := range map[string]ir.PrintOptions{"generic": {Locs: true, Generic: true},
			"unnamed": {Locs: true}} {
			if form == "unnamed" {
				forgetNames(m)
			}
			ours := filepath.Join(dir, form+base)
			if err := os.WriteFile(ours, []byte(text(m, opts)), 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, path, ours)
		}
	}
	out, err := txtest.Oracle(t, args...)
	if n := strings.Count(out, "same "); err != nil || n != 2*len(goldens(t)) {
		t.Errorf("%v: Triton finds %d of %d files equal\n%s", err, n, 2*len(goldens(t)), out)
	}
}
