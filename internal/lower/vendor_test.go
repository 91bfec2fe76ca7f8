package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// vendorFiles are the files of vendors, by the beginning of their names.
var vendorFiles = []string{"nvvm", "amd"}

func isVendorFile(name string) bool {
	for _, v := range vendorFiles {
		if name == v+".go" || strings.HasPrefix(name, v+"_") {
			return true
		}
	}
	return false
}

// noPackages imports empty packages: what lies in another package does not matter here.
type noPackages map[string]*types.Package

func (n noPackages) Import(name string) (*types.Package, error) {
	if n[name] == nil {
		n[name] = types.NewPackage(name, path.Base(name))
		n[name].MarkComplete()
	}
	return n[name], nil
}

// TestVendorSeam: the algorithms know no vendor. Files that are no vendor's neither use a declaration of a
// vendor's file, nor have its instructions in their text.
func TestVendorSeam(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	vendors := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		if isVendorFile(name) {
			vendors++
			continue
		}
		noInstructions(t, fset, f)
	}
	if vendors == 0 {
		t.Fatalf("no file of a vendor among %d", len(names))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noPackages{}, Error: func(error) {}}
	pkg, _ := conf.Check("lower", fset, files, info)
	if pkg.Scope().Lookup("Vendor") == nil || len(info.Uses) < 1000 {
		t.Fatalf("the package was not understood: %d uses of names", len(info.Uses))
	}
	for id, obj := range info.Uses {
		user, owner := fset.Position(id.Pos()), fset.Position(obj.Pos())
		if obj.Pkg() == pkg && isVendorFile(owner.Filename) && !isVendorFile(user.Filename) {
			t.Errorf("%s uses %s of %s: the way to a vendor's code is the interface Vendor", user, obj.Name(),
				owner.Filename)
		}
	}
}

// noInstructions fails for strings that belong into a vendor's file, and for calls of asm other than those
// of the operation that has assembly of the user's.
func noInstructions(t *testing.T, fset *token.FileSet, f *ast.File) {
	name := filepath.Base(fset.Position(f.Pos()).Filename)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			for _, word := range []string{"nvvm", "ptx", "nvptx", "amdgcn", "cp.async", ".shared", ".sync"} {
				if n.Kind == token.STRING && strings.Contains(strings.ToLower(n.Value), word) {
					t.Errorf("%s: %s belongs into a vendor's file", fset.Position(n.Pos()), n.Value)
				}
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "asm" || sel.Sel.Name == "groupAsm") && name != "asm.go" {
				t.Errorf("%s: inline assembly belongs into a vendor's file", fset.Position(n.Pos()))
			}
		case *ast.ImportSpec:
			if strings.Contains(n.Path.Value, "dialect/ttng") {
				t.Errorf("%s: operations of NVIDIA's dialect belong into its files", fset.Position(n.Pos()))
			}
		}
		return true
	})
}

// TestVendorMissing: options without a vendor are an error, and so is a module for warps of another size.
func TestVendorMissing(t *testing.T) {
	text := moduleText(4, "tt.func public @k() {\ntt.return\n}\n")
	_, err := Lower(parseIR(t, "k.ttgir", []byte(text)), "k", Options{})
	if err == nil || !strings.Contains(err.Error(), "Options.Vendor") {
		t.Errorf("no vendor: %v", err)
	}
	_, err = Lower(parseIR(t, "k.ttgir", []byte(withLanes(text, 64))), "k", Options{Vendor: NVIDIA(80)})
	want := "the module is for warps of 64 threads, and this GPU's have 32"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("warps of 64 threads on NVIDIA: %v", err)
	}
}

// The names of files in vendorFiles are those that the package comment promises.
func TestVendorFilesDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vendorFiles {
		if !strings.Contains(string(doc), v+".go") {
			t.Errorf("doc.go does not name %s.go", v)
		}
	}
}
