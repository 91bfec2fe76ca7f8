package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestSkips refuses calls of Skip, Skipf and SkipNow outside of internal/txtest, whose helpers skip with a
// kind: a bare skip would pass over a tool that NEREID_REQUIRE_TOOLS asks for, or over a fault.
func TestSkips(t *testing.T) {
	root := txtest.Root(t)
	helpers := filepath.Join(root, "internal", "txtest")
	files := append(goFiles(t, root), globAll(t, root, "capi")...)
	for _, file := range files {
		if filepath.Dir(file) == helpers || !strings.Contains(txtest.Read(t, file), ".Skip") {
			continue
		}
		for _, at := range skips(t, file, nil) {
			t.Errorf("%s: a bare skip; internal/txtest has Need, NotHere, Slow, LongForm, LeftOut", at)
		}
	}
}

// globAll returns the tests of a module of its own, which goFiles leaves out.
func globAll(t *testing.T, root, module string) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		list, err := filepath.Glob(filepath.Join(root, module, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		t.Fatalf("no tests in %s", module)
	}
	return files
}

// skips returns the positions of bare skips in a file: calls of these methods on a name that tests use for
// testing.TB. Tensors have a method Skip, too.
func skips(t *testing.T, file string, src any) (at []string) {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if sel.Sel.Name != "Skip" || ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
			at = append(at, fset.Position(sel.Pos()).String())
		}
		return true
	})
	return at
}

// TestFindsSkips: a skip is found in each of its forms, and a tensor's method is not one.
func TestFindsSkips(t *testing.T) {
	for body, want := range map[string]int{
		`t.Skip("no")`: 1, `tb.Skipf("no")`: 1, `b.SkipNow()`: 1, `f.Skip(err)`: 1, `c.t.SkipNow()`: 1,
		`defer t.Skip()`: 1, `x.Skip(3)`: 0, `t.Fatal(x.Skip(3))`: 0, `txtest.NotHere(t, "x")`: 0,
	} {
		if got := skips(t, "x.go", "package x\nfunc f() {\n"+body+"\n}\n"); len(got) != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
