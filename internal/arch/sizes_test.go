package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// sizeLimits are the sizes, in lines, that functions and files of the module had when they were first
// measured. They may shrink.
const (
	functionMedian, function95, functionMax = 9, 31, 115
	file95                                  = 418
)

// sized is a function or file with its number of lines.
type sized struct {
	lines int
	name  string
}

// TestSizes reports how long functions and files are, tests and generated files aside, and fails where they
// are longer than the limits. A long function is mostly a switch that wants to be a table.
func TestSizes(t *testing.T) {
	functions, files := measure(t, txtest.Root(t))
	report(t, "functions", functions)
	report(t, "files", files)
	if len(functions) < 1000 || len(files) < 100 {
		t.Fatalf("%d functions in %d files are not the module", len(functions), len(files))
	}
	for _, c := range []struct {
		what       string
		got, limit int
	}{
		{"half of all functions have up to", quantile(functions, 50), functionMedian},
		{"95% of all functions have up to", quantile(functions, 95), function95},
		{"the longest function has", functions[len(functions)-1].lines, functionMax},
		{"95% of all files have up to", quantile(files, 95), file95},
	} {
		if c.got > c.limit {
			t.Errorf("%s %d lines, more than %d: go test -v -run TestSizes lists the longest", c.what,
				c.got, c.limit)
		}
	}
}

// quantile returns the lines of the element below which percent of list, which is sorted, lie.
func quantile(list []sized, percent int) int { return list[(len(list)-1)*percent/100].lines }

// report logs the distribution and the longest of list.
func report(t *testing.T, what string, list []sized) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s: p50 %d, p95 %d, max %d", len(list), what, quantile(list, 50), quantile(list, 95),
		list[len(list)-1].lines)
	for _, s := range slices.Backward(list[max(0, len(list)-25):]) {
		fmt.Fprintf(&b, "\n%5d %s", s.lines, s.name)
	}
	t.Log(b.String())
}

// measure returns the functions and files below root, the shortest first.
func measure(t *testing.T, root string) (functions, files []sized) {
	t.Helper()
	for _, file := range goFiles(t, root) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(tree) {
			continue
		}
		rel, _ := filepath.Rel(root, file)
		files = append(files, sized{bytes.Count(src, []byte("\n")), rel})
		functions = append(functions, functionsOf(fset, tree, rel)...)
	}
	for _, list := range [][]sized{functions, files} {
		slices.SortStableFunc(list, func(a, b sized) int { return a.lines - b.lines })
	}
	return functions, files
}

func functionsOf(fset *token.FileSet, tree *ast.File, file string) []sized {
	var out []sized
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1
			out = append(out, sized{lines, file + ": " + f.Name.Name})
		}
	}
	return out
}
