package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// fileName finds files, and patterns of files, in the map of a package.
var fileName = regexp.MustCompile(`[a-z0-9_*]+\.go\b`)

// TestMaps: a package whose doc.go maps its files names every one of them, and none that is not there. One of
// the compiler or the runtime with more than ten files has such a map.
func TestMaps(t *testing.T) {
	root := txtest.Root(t)
	maps, files := 0, map[string]int{}
	for _, file := range goFiles(t, root) {
		if dir, _ := filepath.Rel(root, filepath.Dir(file)); strings.HasPrefix(dir, "internal") &&
			!strings.HasSuffix(file, "_test.go") {
			files[dir]++
		}
		if filepath.Base(file) != "doc.go" {
			continue
		}
		if names := mapped(t, file); len(names) > 1 {
			maps++
			checkMap(t, root, filepath.Dir(file), names)
		}
	}
	for dir, n := range files {
		if _, err := os.Stat(filepath.Join(root, dir, "doc.go")); err != nil && n > 10 {
			t.Errorf("%s has %d files, and no doc.go with a map of them", dir, n)
		}
	}
	if maps < 10 {
		t.Errorf("%d packages with maps", maps)
	}
}

// mapped returns the files that the indented lines of a package comment name.
func mapped(t *testing.T, file string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "//\t"); ok {
			names = append(names, fileName.FindAllString(rest, -1)...)
		}
	}
	return names
}

func checkMap(t *testing.T, root, dir string, names []string) {
	t.Helper()
	short, _ := filepath.Rel(root, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fits := func(name, file string) bool {
		ok, err := filepath.Match(name, filepath.Base(file))
		return ok && err == nil
	}
	for _, f := range files {
		b := filepath.Base(f)
		if b != "doc.go" && !strings.HasSuffix(b, "_test.go") &&
			!slices.ContainsFunc(names, func(n string) bool {
				return fits(n, f)
			}) {
			t.Errorf("%s/doc.go does not name %s", short, b)
		}
	}
	for _, n := range names {
		if !slices.ContainsFunc(files, func(f string) bool { return fits(n, f) }) {
			t.Errorf("%s/doc.go names %s, which is not there", short, n)
		}
	}
}
