package all_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestGoldens: everything that Triton made of the sample kernels reads, verifies, and prints as Triton
// prints it.
func TestGoldens(t *testing.T) {
	for _, ext := range []string{"source", "ttir", "ttgir"} {
		for _, path := range txtest.Glob(t, "testdata/golden/*/*."+ext) {
			name := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
			t.Run(name, func(t *testing.T) {
				src := txtest.Read(t, path)
				m := parse(t, path, src)
				if err := ir.Verify(m.Op); err != nil {
					t.Error(err)
				}
				txtest.Equal(t, "print", src, print(t, m.Op, ir.PrintOptions{Locs: true}))
			})
		}
	}
}

func parse(t *testing.T, name, src string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
func print(t *testing.T, op *ir.Op, opts ir.PrintOptions) string {
	t.Helper()
	var b strings.Builder
	if err := ir.Print(&b, op, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func newFiles() *diag.FileSet { return diag.NewFileSet() }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
