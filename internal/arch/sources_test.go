package arch

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// noCode lists packages, with those below them, whose text no kept code depends on: the front end, whose
// result is part of every key, what runs code without making it, and what keeps it.
var noCode = []string{"lang", "python", "pyrun", "target/interp", "target/nvidia/ptxsim", "target/nvidia/sim",
	"target/amd/gcnsim", "target/amd/sim", "target/interleave", "target/simcount", "target/simmem",
	"autotune", "cache", "pytext", "runtime/args", "runtime/code", "runtime/core", "runtime/jit",
	"runtime/manifest",
	"runtime/tune", "runtime/warm", "safefile", "safetensors", "signature"}

// TestSources: internal/sources.go embeds the files of every package of the compiler, so that an edit of any
// of them changes the keys of what is kept. UPDATE_GOLDEN=1 writes the file.
func TestSources(t *testing.T) {
	root := txtest.Root(t)
	var list []string
	for _, dir := range compilerPackages(t, root) {
		list = append(list, sourcePatterns(t, filepath.Join(root, "internal", dir), dir)...)
	}
	list = append(list, "target/amd/gcn/ops.txt")
	slices.Sort(list)
	name := filepath.Join(root, "internal", "sources.go")
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), embedMark)
	_, tail, ok2 := strings.Cut(rest, "var files")
	if !ok || !ok2 {
		t.Fatalf("%s has no list of files", name)
	}
	text := head + embedMark + "\n" + embedLines(list) + "var files" + tail
	switch {
	case text == string(old):
	case txtest.Updating():
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("internal/sources.go does not embed what the compiler is made of: UPDATE_GOLDEN=1 go test " +
			"./internal/arch -run TestSources")
	}
}

const embedMark = "// The files, by patterns that leave tests out; " +
	"TestSources of package arch writes them.\n//"

// embedLines returns directives.
func embedLines(list []string) string {
	var b strings.Builder
	line := ""
	for _, p := range list {
		if line != "" && len(line)+1+len(p) > 108 {
			fmt.Fprintln(&b, line)
			line = ""
		}
		if line == "" {
			line = "//go:embed"
		}
		line += " " + p
	}
	fmt.Fprintln(&b, line)
	return b.String()
}

// compilerPackages returns the folders below internal of the packages that the root package is made of,
// except those of noCode.
func compilerPackages(t *testing.T, root string) (dirs []string) {
	t.Helper()
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				p, _ := strconv.Unquote(i.Path.Value)
				if sub, ok := strings.CutPrefix(p, "github.com/nereid-lang/nereid/internal/"); ok {
					visit(path.Join("internal", sub))
				}
			}
		}
	}
	visit(".")
	for dir := range seen {
		sub, ok := strings.CutPrefix(filepath.ToSlash(dir), "internal/")
		out := slices.ContainsFunc(noCode, func(x string) bool {
			return sub == x || strings.HasPrefix(sub, x+"/")
		})
		if ok && !out {
			dirs = append(dirs, sub)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// sourcePatterns returns patterns that match all Go files of a folder and no tests: of the names that do not
// end in _test.go, each first differs from that end somewhere.
func sourcePatterns(t *testing.T, dir, as string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"*[^t].go", "*[^s]t.go", "*[^e]st.go", "*[^t]est.go", "*[^_]test.go", "t.go",
		"st.go", "est.go", "test.go"} {
		matches := func(file string) bool { ok, _ := path.Match(p, filepath.Base(file)); return ok }
		if slices.ContainsFunc(files, matches) {
			list = append(list, as+"/"+p)
		}
	}
	return list
}
