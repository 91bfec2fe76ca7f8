package python

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nereid-lang/nereid/internal/diag"
)

// FuzzParse reads anything at all. It must not panic; spans must nest and lie in the text; the same text
// must give the same tree; and a tree without errors must be whole.
func FuzzParse(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		first, err := dumpAny(t, src)
		second, _ := dumpAny(t, src)
		if !bytes.Equal(first, second) {
			t.Errorf("two dumps of one text differ (%v):\n%s\n%s", err, first, second)
		}
		if x, err := ParseExpr(diag.NewFileSet(), "x", src); err == nil && x == nil {
			t.Error("neither an expression nor an error")
		}
	})
}

// dumpAny parses a text, checks the tree and prints it for both forms of f-strings.
func dumpAny(t *testing.T, src []byte) ([]byte, error) {
	t.Helper()
	m, err := Parse(diag.NewFileSet(), "fuzz.py", src)
	checkTree(t, m)
	if err == nil {
		Inspect(m, func(n Node) bool {
			switch n.(type) {
			case *BadExpr, *BadStmt:
				t.Error("something bad in a tree without errors")
			}
			return true
		})
	} else if err.Error() == "" {
		t.Error("an error without a message")
	}
	var b bytes.Buffer
	for _, minor := range []int{11, 12} {
		if err := (DumpOptions{Attributes: true, Minor: minor}).Dump(&b, m); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes(), err
}

// seeds are the kernels of this repository, the broken programs, and the snippets.
func seeds(t testing.TB) (texts [][]byte) {
	t.Helper()
	for _, pattern := range []string{
		filepath.Join(repoRoot(t), "kernels", "*.py"), "testdata/errors/*.txtar", "testdata/snippets/*.py",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(name) == ".txtar" {
				src = txtar.Parse(src).Files[0].Data
			}
			for chunk := range bytes.SplitSeq(src, []byte("\n---\n")) {
				texts = append(texts, chunk)
			}
		}
	}
	return texts
}
