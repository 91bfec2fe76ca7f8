package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestMethods: somebody names each exported method of this module, a test or another module of the
// repository at least. The tool for dead code keeps those that reflection could call, which is all of them
// where a value of the type is printed.
func TestMethods(t *testing.T) {
	root := txtest.Root(t)
	own := goFiles(t, root)
	files := slices.Clone(own)
	for _, dir := range modulesBelow(t, root) {
		files = append(files, goFilesBelow(t, dir)...)
	}
	var trees []*ast.File
	set := token.NewFileSet()
	for _, file := range files {
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	for _, name := range unnamedMethods(trees[:len(own)], trees) {
		t.Errorf("%s: nobody names the method %s", set.Position(name.Pos()), name.Name)
	}
}

// unnamedMethods returns the names of the exported methods of some files that stand nowhere else in any.
func unnamedMethods(own, all []*ast.File) (out []*ast.Ident) {
	named := map[string]int{}
	for _, tree := range all {
		for n := range ast.Preorder(tree) {
			if id, ok := n.(*ast.Ident); ok {
				named[id.Name]++
			}
		}
	}
	for _, tree := range own {
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv != nil && f.Name.IsExported() && named[f.Name.Name] == 1 {
				out = append(out, f.Name)
			}
		}
	}
	return out
}

// TestFindsMethods: a call, an interface and a method of the same name are uses; a comment and a string are
// none.
func TestFindsMethods(t *testing.T) {
	const src = `package p

type t struct{}

type user interface{ Known() }

// Dead is mentioned here.
func (t) Dead() string { return "Dead" }
func (t) Called() {}
func (t) Known() {}
func (t) own() {}
func Free() { t{}.Called() }
`
	tree, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	all := []*ast.File{tree}
	if got := unnamedMethods(all, all); len(got) != 1 || got[0].Name != "Dead" {
		t.Errorf("found %v, want Dead", got)
	}
}
