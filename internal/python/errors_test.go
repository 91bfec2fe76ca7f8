package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nereid-lang/nereid/internal/diag"
)

// TestErrors reads broken programs. Each file holds one, and all that is to be said about it;
// UPDATE_GOLDEN=1 writes what is said now.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Parse(diag.NewFileSet(), "in.py", a.Files[0].Data)
			if err == nil {
				t.Fatal("no error")
			}
			checkTree(t, m)
			got := err.(*diag.List).String()
			if os.Getenv("UPDATE_GOLDEN") != "" {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(a.Files[1].Data), got); d != "" {
				t.Errorf("message differs (-want +got):\n%s", d)
			}
		})
	}
}
