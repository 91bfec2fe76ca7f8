package nereid_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// rootFiles calls f with each file of the package, and of the packages whose types it names.
func rootFiles(t *testing.T, f func(name string, file *ast.File)) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	for _, dir := range []string{"core", "jit"} { // which running.go and compiling.go name
		more, err2 := filepath.Glob("internal/runtime/" + dir + "/*.go")
		if err != nil || err2 != nil || len(names) == 0 || len(more) == 0 {
			t.Fatal("no files", err, err2)
		}
		names = append(names, more...)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil,
			parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		f(name, file)
	}
}

// Every exported field has a comment, and so has every exported function, method and type, which begins
// with its name.
func TestDocumented(t *testing.T) {
	begins := func(file, name string, doc *ast.CommentGroup) {
		if text := doc.Text(); !strings.HasPrefix(text, name+" ") {
			t.Errorf("%s: the comment of %s does not begin with its name: %.60q", file, name, text)
		}
	}
	rootFiles(t, func(file string, f *ast.File) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
					begins(file, d.Name.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						begins(file, s.Name.Name, d.Doc)
						undocumented(t, file, s)
					}
				}
			}
		}
	})
}

// exportedReceiver reports whether a method is of an exported type.
func exportedReceiver(recv *ast.FieldList) bool {
	t := recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, ok := t.(*ast.Ident)
	return ok && name.IsExported()
}

// undocumented reports the exported fields of a struct that no comment describes. Fields that belong together
// may share one.
func undocumented(t *testing.T, file string, s *ast.TypeSpec) {
	st, ok := s.Type.(*ast.StructType)
	if !ok || len(st.Fields.List) == 1 { // the type's comment tells of a single field
		return
	}
	for _, f := range st.Fields.List {
		if len(f.Names) > 0 && f.Names[0].IsExported() && f.Doc == nil && f.Comment == nil {
			t.Errorf("%s: %s.%s has no comment", file, s.Name, f.Names[0])
		}
	}
}

// Exported types are defined in this package, but for those that run kernels without the compiler: of an
// alias to an internal type, go doc shows no field and no method, so TestDoors of internal/arch writes them
// into the comments. Debug, an enumeration, has none to show: its values are in the documentation.
func TestNoAliases(t *testing.T) {
	rootFiles(t, func(name string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Assign.IsValid() && s.Name.IsExported() &&
				name != "running.go" && name != "compiling.go" && s.Name.Name != "Debug" {
				t.Errorf("%s: %s is an alias", name, s.Name)
			}
			return true
		})
	})
}
