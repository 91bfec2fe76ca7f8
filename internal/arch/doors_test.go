package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// What runs compiled kernels, and what compiles them; the packages of doors show both to users.
const (
	corePackage = "internal/runtime/core"
	jitPackage  = "internal/runtime/jit"
)

// public lists what of corePackage users see, in the root package and in package run. Of jitPackage they see
// all but the functions of its door.go.
var public = []string{"Abilities", "Absent", "AllClose", "Arange", "Arg", "ArgumentError", "BF16", "Cdiv",
	"CodeInfo", "CodeParam",
	"Arena", "AsSlice", "Compiled", "Const", "CopyFrom", "CopyTo", "Crash", "DType", "DTypeOf",
	"Debug", "DebugDefault", "Descriptor", "Device", "Devices",
	"Element", "ErrCapturing", "ErrClosed", "ErrNoDevice", "F16", "Fault", "Fields", "FromBytes",
	"FromFloats", "FromSlice", "Func", "Graph", "Grid", "GridFunc", "Invalid", "LoadCompiled", "Meta",
	"Named", "NewArena", "NewTensor", "OpenContext", "OpenTuneStore", "Options", "ParseSafetensors",
	"PrintTo", "Profile",
	"Programs", "StartProfile",
	"Rand", "ReadNPY", "ReadSafetensors", "Refusal", "Scalar", "ScalarOf", "Stage", "Stream",
	"Tensor", "Times", "ToBF16", "ToF16",
	"TuneConfig", "TuneStore", "TuneStoreOptions", "WriteNPY", "WriteSafetensors"}

// doors are the files that name them, each with the name of the core's function that opens devices there.
var doors = []struct{ file, pkg, from, open string }{
	{"running.go", "nereid", corePackage, "OpenDevice"},
	{"run/running.go", "run", corePackage, "OpenRunning"},
	{"compiling.go", "nereid", jitPackage, ""},
}

// TestDoors: the files of doors name all that users see, with its documentation, since that of an alias is
// not shown where it is used. UPDATE_GOLDEN=1 writes them.
func TestDoors(t *testing.T) {
	root := txtest.Root(t)
	for _, door := range doors {
		name := filepath.Join(root, door.file)
		d := readInner(t, root, door.from)
		text, err := format.Source([]byte(d.write(t, door.pkg, door.open)))
		if err != nil {
			t.Fatal(err)
		}
		old, _ := os.ReadFile(name)
		switch {
		case bytes.Equal(old, text):
		case txtest.Updating():
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not what %s has: UPDATE_GOLDEN=1 go test ./internal/arch -run TestDoors",
				door.file, door.from)
		}
	}
}

// innerDoc is the documentation of a package behind a door.
type innerDoc struct {
	path   string // below the module
	files  *token.FileSet
	pkg    *doc.Package
	funcs  map[string]*doc.Func
	public []string // what users see, sorted
}

func readInner(t *testing.T, root, dir string) *innerDoc {
	t.Helper()
	d := &innerDoc{path: dir, files: token.NewFileSet(), funcs: map[string]*doc.Func{}, public: public}
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var list []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(d.files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	if d.pkg, err = doc.NewFromFiles(d.files, list, Module+"/"+dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range d.pkg.Funcs {
		d.funcs[f.Name] = f
	}
	for _, typ := range d.pkg.Types {
		for _, f := range typ.Funcs {
			d.funcs[f.Name] = f
		}
	}
	if dir == jitPackage {
		d.public = d.exported()
	}
	return d
}

// exported returns the exported names of the package but those of its door.go.
func (d *innerDoc) exported() (names []string) {
	for _, v := range slices.Concat(d.pkg.Consts, d.pkg.Vars) {
		names = append(names, v.Names...)
	}
	for _, typ := range d.pkg.Types {
		names = append(names, typ.Name)
		for _, v := range slices.Concat(typ.Consts, typ.Vars) {
			names = append(names, v.Names...)
		}
	}
	for name, f := range d.funcs {
		if filepath.Base(d.files.Position(f.Decl.Pos()).Filename) != "door.go" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// write returns the file of a door.
func (d *innerDoc) write(t *testing.T, pkg, open string) string {
	t.Helper()
	var b strings.Builder
	const head = "package %s\n\n// Made by TestDoors of internal/arch from %s. DO NOT EDIT.\n\n"
	fmt.Fprintf(&b, head, pkg, d.path)
	body := d.body(t, open)
	b.WriteString("import (\n")
	for _, lib := range []string{"context", "io", "io/fs"} {
		if regexp.MustCompile(`(?m)^func .*\b` + path.Base(lib) + `\.`).MatchString(body) {
			fmt.Fprintf(&b, "\t%q\n", lib)
		}
	}
	fmt.Fprintf(&b, "\n\t%q\n)\n\n%s", Module+"/"+d.path, body)
	return b.String()
}

func (d *innerDoc) body(t *testing.T, open string) string {
	t.Helper()
	var b strings.Builder
	seen := map[string]bool{}
	for _, v := range slices.Concat(d.pkg.Consts, d.pkg.Vars) {
		d.values(&b, v, seen)
	}
	for _, typ := range d.pkg.Types {
		for _, v := range slices.Concat(typ.Consts, typ.Vars) {
			d.values(&b, v, seen)
		}
		if slices.Contains(d.public, typ.Name) {
			seen[typ.Name] = true
			d.typ(&b, typ)
		}
	}
	if open != "" {
		b.WriteString(d.function(d.funcs[open], "OpenDevice"))
	}
	for _, name := range d.public {
		if f := d.funcs[name]; f != nil {
			seen[name] = true
			b.WriteString(d.function(f, name))
		}
		if !seen[name] {
			t.Errorf("%s has no %s", d.path, name)
		}
	}
	return b.String()
}

// values writes constants or variables.
func (d *innerDoc) values(b *strings.Builder, v *doc.Value, seen map[string]bool) {
	if !slices.ContainsFunc(v.Names, func(n string) bool { return slices.Contains(d.public, n) }) {
		return
	}
	b.WriteString(comment(v.Doc) + v.Decl.Tok.String() + " (\n")
	for _, s := range v.Decl.Specs {
		s := s.(*ast.ValueSpec)
		for _, n := range s.Names {
			seen[n.Name] = true
			fmt.Fprintf(b, "%s%s = %s.%s", comment(s.Doc.Text()), n.Name, d.pkg.Name, n.Name)
			if s.Comment != nil {
				b.WriteString(" // " + strings.TrimSpace(s.Comment.Text()))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(")\n\n")
}

// typ writes an alias, with the declaration and the methods in its comment.
func (d *innerDoc) typ(b *strings.Builder, typ *doc.Type) {
	text := strings.TrimRight(typ.Doc, "\n") + "\n"
	if decl := d.declaration(typ); decl != "" {
		text += "\n" + decl
	}
	if len(typ.Methods) > 0 {
		text += "\nIts methods:\n"
		for _, m := range typ.Methods {
			text += "\n\t" + d.signature(m, m.Name) + "\n\n" + m.Doc
		}
	}
	fmt.Fprintf(b, "%stype %s = %s.%s\n\n", comment(text), typ.Name, d.pkg.Name, typ.Name)
}

// declaration returns the fields of a struct that has no hidden ones but those behind them, as text.
func (d *innerDoc) declaration(typ *doc.Type) string {
	st, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok || len(st.Fields.List) == 0 {
		return ""
	}
	out := ""
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			if n.IsExported() {
				for line := range strings.Lines(f.Doc.Text()) {
					out += "\t// " + line
				}
				out += "\t" + n.Name + " " + d.text(f.Type) + fieldComment(f) + "\n"
			}
		}
	}
	if out == "" {
		return ""
	}
	return "Its fields:\n\n" + out
}

// fieldComment returns what is said of a field, behind it.
func fieldComment(f *ast.Field) string {
	text := strings.TrimSpace(f.Comment.Text())
	if text == "" {
		return ""
	}
	return " // " + text
}

// function writes a function that calls the core's.
func (d *innerDoc) function(f *doc.Func, name string) string {
	call := d.pkg.Name + "." + f.Name
	var args, params []string
	if p := f.Decl.Type.TypeParams; p != nil {
		for _, x := range p.List {
			for _, n := range x.Names {
				params = append(params, n.Name)
			}
		}
		call += "[" + strings.Join(params, ", ") + "]"
	}
	for _, x := range f.Decl.Type.Params.List {
		for _, n := range x.Names {
			arg := n.Name
			if _, variadic := x.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	text := strings.ReplaceAll(f.Doc, "OpenRunning", "OpenDevice")
	if f.Decl.Type.Results != nil {
		call = "return " + call
	}
	return fmt.Sprintf("%s%s {\n\t%s(%s)\n}\n\n", comment(text), d.signature(f, name), call,
		strings.Join(args, ", "))
}

// signature returns the head of a function under a name.
func (d *innerDoc) signature(f *doc.Func, name string) string {
	decl := *f.Decl
	decl.Body, decl.Doc, decl.Name = nil, nil, ast.NewIdent(name)
	return fold(spaces.ReplaceAllString(d.text(&decl), " "))
}

// fold breaks a signature that is too long for a line, behind a comma.
func fold(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	i := strings.LastIndex(text[:most], ", ") + 1
	return text[:i] + "\n\t\t" + text[i+1:]
}

var spaces = regexp.MustCompile(`\s+`)

func (d *innerDoc) text(n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, token.NewFileSet(), n)
	return strings.ReplaceAll(b.String(), "core.", "") // the root package has its types under the same names
}

// comment returns a text as a comment.
func comment(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	out := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != '\t' {
			line = " " + line
		}
		out += "//" + line + "\n"
	}
	return out
}
