package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// targetKinds are what names of targets and devices begin with.
var targetKinds = []string{"cuda", "hip", "cpu", "interp", "sim", "nvidia", "amd"}

// namers are the files and folders that may compare a target's name: the registries of devices, targets and
// chips, and what belongs to one target. Everybody else asks for abilities: device.Traits, nereid.Abilities,
// a row of internal/chip, the stages of a compilation.
var namers = []string{
	"internal/chip/",
	"internal/runtime/core/open.go", "internal/runtime/jit/targets.go",
	"internal/device/cpu/", "internal/device/nvidia/", "internal/device/amd/",
	"internal/target/cpu/", "internal/target/nvidia/", "internal/target/amd/", "internal/target/interp/",
}

// TestTargetNames: nobody but namers compares the name of a target, so that a new one is its own package and
// its row in a registry.
func TestTargetNames(t *testing.T) {
	root := txtest.Root(t)
	files := goFiles(t, root)
	for _, dir := range modulesBelow(t, root) {
		files = append(files, goFilesBelow(t, dir)...)
	}
	for _, path := range files {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		if strings.HasSuffix(rel, "_test.go") ||
			slices.ContainsFunc(namers, func(n string) bool { return strings.HasPrefix(rel, n) }) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range comparedNames(set, file) {
			t.Errorf("%s: ask for an ability, not for a name", at)
		}
	}
}

// vendorPackages are the packages of single targets.
var vendorPackages = []string{"internal/device/cpu", "internal/device/nvidia", "internal/device/amd",
	"internal/target/cpu", "internal/target/nvidia", "internal/target/amd"}

// TestVendorImports: in internal/runtime, the registries alone import packages of single targets.
func TestVendorImports(t *testing.T) {
	root := txtest.Root(t)
	for _, path := range goFiles(t, root) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		if !strings.HasPrefix(rel, "internal/runtime/") || strings.HasSuffix(rel, "_test.go") ||
			slices.Contains(namers, rel) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range file.Imports {
			imported := strings.TrimPrefix(strings.Trim(s.Path.Value, `"`), Module+"/")
			if slices.ContainsFunc(vendorPackages, func(v string) bool {
				return strings.HasPrefix(imported+"/", v+"/")
			}) {
				t.Errorf("%s imports %s: ask internal/device, or a registry", rel, imported)
			}
		}
	}
}

// TestFindsTargetNames: the rule sees every form of a comparison, and leaves other uses alone.
func TestFindsTargetNames(t *testing.T) {
	const src = `package p
import "strings"
func f(name string) bool {
	if name == "cuda" || "hip:gfx942" != name || name == "" { return true }
	switch name {
	case "x", "cpu":
	case "cpuset", "simple":
	}
	if strings.HasPrefix(name, "sim:") { return false }
	_, ok := strings.CutPrefix(name, "cuda:")
	open("cuda:0", "cpu")
	return ok || name == "cudart" || strings.EqualFold(name, "interp")
}`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"4:13", "4:23", "6:12", "9:29", "10:35", "12:59"}
	var got []string
	for _, at := range comparedNames(set, file) {
		got = append(got, strings.TrimPrefix(strings.Split(at, " ")[0], "p.go:"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// comparedNames returns where a file compares something with the name of a target.
func comparedNames(set *token.FileSet, file *ast.File) (found []string) {
	look := func(list ...ast.Expr) {
		for _, e := range list {
			if name, ok := targetName(e); ok {
				found = append(found, fmt.Sprintf("%s compares with %q", set.Position(e.Pos()), name))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				look(n.X, n.Y)
			}
		case *ast.CaseClause:
			look(n.List...)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && comparing[f.Sel.Name] && isPackage(f.X, "strings") {
				look(n.Args...)
			}
		}
		return true
	})
	return found
}

// comparing are the functions of package strings that compare.
var comparing = map[string]bool{"HasPrefix": true, "CutPrefix": true, "Contains": true, "EqualFold": true,
	"Compare": true, "HasSuffix": true, "CutSuffix": true}

func isPackage(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// targetName returns the string of a literal that is a target's name, or begins with one and a colon.
func targetName(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	kind, _, _ := strings.Cut(text, ":")
	return text, err == nil && slices.Contains(targetKinds, kind)
}
