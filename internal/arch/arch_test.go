package arch

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestImports reads the imports of every Go file that is not a test, whatever its build tags, and holds
// them to the rules.
func TestImports(t *testing.T) {
	root := txtest.Root(t)
	for _, file := range goFiles(t, root) {
		if !strings.HasSuffix(file, "_test.go") {
			checkFile(t, root, file)
		}
	}
}

// TestWithoutCompiler follows the imports of packages that run compiled code, libnereid_run among them: none
// leads to the compiler.
func TestWithoutCompiler(t *testing.T) {
	root := txtest.Root(t)
	imports := importsOf(t, root, goFiles(t, root))
	maps.Copy(imports, importsOf(t, root, runLibrary(t, root)))
	bad := func(pkg string) bool {
		return slices.ContainsFunc(compilerParts, func(p string) bool { return matches(p, pkg) })
	}
	held := 0
	for from := range imports {
		if !slices.ContainsFunc(withoutCompiler, func(p string) bool { return matches(p, from) }) {
			continue
		}
		held++
		if way := reaches(imports, from, bad); way != nil {
			t.Errorf("%s reaches the compiler: %s", from, strings.Join(way, " imports "))
		}
	}
	if held == 0 {
		t.Error("no package is held to the rule")
	}
	if len(imports["capi"]) < 4 || len(imports["capi/foreign"]) == 0 {
		t.Errorf("libnereid_run imports %v and %v", imports["capi"], imports["capi/foreign"])
	}
	imports["internal/device"] = append(slices.Clone(imports["internal/device"]), "internal/ir")
	if reaches(imports, "internal/device/cpu", bad) == nil {
		t.Error("an import of internal/ir two packages down is not found")
	}
}

// runLibrary returns the files of libnereid_run in capi, a module of its own.
func runLibrary(t *testing.T, root string) (files []string) {
	t.Helper()
	tags := build.Default
	tags.CgoEnabled, tags.BuildTags = true, []string{"nereid_run"}
	for _, dir := range []string{"capi", "capi/foreign"} {
		pkg, err := tags.ImportDir(filepath.Join(root, dir), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
			files = append(files, filepath.Join(pkg.Dir, name))
		}
	}
	return files
}

// importsOf returns what each package of some files imports of ours, tests aside.
func importsOf(t *testing.T, root string, files []string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, file := range files {
		rel, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		for _, spec := range tree.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err == nil && (to == Module || strings.HasPrefix(to, Module+"/")) {
				all[pkg] = append(all[pkg], below(to))
			}
		}
	}
	return all
}

// reaches returns a chain of imports from a package to a bad one, nil if there is none.
func reaches(imports map[string][]string, from string, bad func(string) bool) []string {
	before, next := map[string]string{from: ""}, []string{from}
	for len(next) > 0 {
		pkg := next[0]
		next = next[1:]
		for _, to := range imports[pkg] {
			if _, seen := before[to]; seen {
				continue
			}
			before[to] = pkg
			if bad(to) {
				var chain []string
				for p := to; p != ""; p = before[p] {
					chain = append([]string{p}, chain...)
				}
				return chain
			}
			next = append(next, to)
		}
	}
	return nil
}

// goFiles returns the Go files of the module below root, those of tests included.
func goFiles(t *testing.T, root string) []string {
	t.Helper()
	files := goFilesBelow(t, root)
	if len(files) < 1000 {
		t.Fatalf("%d Go files are not the module", len(files))
	}
	return files
}

// goFilesBelow returns the Go files of the module in a folder.
func goFilesBelow(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipDir(root, file)
		case filepath.Ext(file) == ".go":
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// skipDir leaves out what the go command leaves out: among others, modules of their own.
func skipDir(root, dir string) error {
	name := filepath.Base(dir)
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	if dir != root && (err == nil || name == "testdata" || name[0] == '.' || name[0] == '_') {
		return filepath.SkipDir
	}
	return nil
}

func checkFile(t *testing.T, root, file string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	pkg := path.Join(Module, path.Dir(filepath.ToSlash(rel)))
	if ruleOf(below(pkg)) == nil {
		t.Errorf("%s %s", below(pkg), forbidden(pkg, ""))
		return
	}
	for _, imp := range tree.Imports {
		to, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if why := forbidden(pkg, to); why != "" {
			t.Errorf("%s:%d: %s %s", filepath.ToSlash(rel), fset.Position(imp.Pos()).Line, below(pkg), why)
		}
	}
}

// TestRules tries the table on edges that it must allow and edges that it must not.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"internal/ir", "internal/diag", true},
		{"internal/diag", "internal/ir", false},
		{"internal/python", "internal/ir", false},
		{"internal/lang", "internal/python", true},
		{"internal/lang/sem", "internal/dialect/tt", true},
		{"internal/lang", "internal/pass", false},
		{"internal/ir", "internal/dialect/arith", false},
		{"internal/dialect/tt", "internal/dialect/arith", true},
		{"internal/dialect/arith", "internal/dialect/tt", false},
		{"internal/dialect/ttg", "internal/dialect/ttng", false},
		{"internal/dialect/tt", "internal/pass", false},
		{"internal/dialect/tt", "internal/dialect/all", false},
		{"internal/dialect/all", "internal/dialect/ttng", true},
		{"internal/dialect/new", "internal/dialect/arith", false},
		{"internal/pass", "internal/analysis", true},
		{"internal/analysis", "internal/pass", false},
		{"internal/layout", "internal/ir", false},
		{"internal/gpu", "internal/layout", true},
		{"internal/lower", "internal/pass", false},
		{"internal/llvm", "internal/ir", false},
		{"internal/device/nvidia/driver", "internal/llvm", false},
		{"internal/device/nvidia/driver", "internal/ir", false},
		{"internal/target/cpu", "internal/target/interp", false},
		{"internal/target/nvidia", "internal/target/cpu", false},
		{"internal/target/nvidia", "internal/gpu", true},
		{"internal/pass", "internal/cache", false},
		{"internal/replay", "internal/target/nvidia", true},
		{"internal/cache", ".", false},
		{"internal/cache", "cmd/nereid", false},
		{".", "internal/cache", false},
		{".", "internal/runtime/jit", true},
		{"internal/runtime/jit", "internal/cache", true},
		{".", "cmd/nereid", false},
		{".", "cli", false},
		{"cli", ".", true},
		{"cmd/nereid", "cli", true},
		{"internal/cache", "internal/txtest", false},
		{"internal/new", "internal/ir", false},

		{"internal/ir", "strings", true},
		{"internal/ir", "go/token", true},
		{"internal/ir", "github.com/google/go-cmp/cmp", false},
		{"internal/ir", purego, false},
		{"internal/dl", purego, true},
		{"internal/llvm", purego, false},
		{"internal/llvm", "internal/dl", true},
		{"internal/device/nvidia/driver", "internal/dl", true},
		{"internal/device/nvidia/driver", purego, false},
		{"internal/target/nvidia", purego, false},
		{"cli", "github.com/spf13/cobra", true},
		{".", "github.com/spf13/cobra", false},
	} {
		to := c.to
		if to == "." || to == "cli" || strings.HasPrefix(to, "internal/") || strings.HasPrefix(to, "cmd/") {
			to = path.Join(Module, to)
		}
		why := forbidden(path.Join(Module, c.from), to)
		if (why == "") != c.ok {
			t.Errorf("%s importing %s: %q", c.from, c.to, why)
		}
	}
}

// TestLinked holds down what a program links that launches kernels and does nothing else: no client of a
// server, no TLS, nothing that the command line alone needs.
func TestLinked(t *testing.T) {
	program := txtest.Tool(t, "go")
	cmd := exec.Command(program, "list", "-deps", Module, Module+"/genrt", Module+"/backend")
	cmd.Dir = txtest.Root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, Module+"/internal/lang") {
		t.Fatalf("go list names %d packages, and not the front end", len(deps))
	}
	for _, dep := range deps {
		for _, no := range []string{
			"net", "crypto/tls", "crypto/x509", "testing", "github.com/redis", "github.com/spf13",
			"golang.org/x/image", "github.com/rogpeppe",
		} {
			if matches(no+"/...", dep) {
				t.Errorf("a program that launches kernels links %s", dep)
			}
		}
	}
}

// TestRows looks for each package that a row, the list of packages for tests or the order of dialects names.
func TestRows(t *testing.T) {
	root := txtest.Root(t)
	exists := func(where, pattern string) {
		dir := filepath.Join(root, filepath.FromSlash(strings.TrimSuffix(pattern, "/...")))
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		below, _ := filepath.Glob(filepath.Join(dir, "*", "*.go"))
		if len(files) == 0 && (!strings.HasSuffix(pattern, "/...") || len(below) == 0) {
			t.Errorf("%s names %s, where there is no package", where, pattern)
		}
	}
	for _, r := range rules {
		exists("a row", r.pkg)
		for _, p := range r.ours {
			if p != "internal/..." {
				exists("the row of "+r.pkg, p)
			}
		}
	}
	for _, p := range testOnly {
		exists("the list of packages for tests", p)
	}
	for _, d := range dialects {
		exists("the order of dialects", "internal/dialect/"+d)
	}
}
