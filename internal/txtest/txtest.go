// Package txtest is what tests of Nereid share: the root of the repository, the external tools that some
// tests ask, txtar cases, and expected output that a flag refreshes.
//
// A test that needs a tool gets its path or is skipped with the tool's name; skip.go lists the kinds of
// skips, and no test skips in another way. Output that differs from what is expected is shown as a diff;
// `go test ./internal/x -update`, or UPDATE_GOLDEN=1 for the whole tree, writes it down instead.
package txtest

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// Tests leave the user's cache alone: those that want one make it in a folder of their own.
func init() {
	if os.Getenv("NEREID_CACHE") == "" && os.Getenv("NEREID_CACHE_DIR") == "" {
		os.Setenv("NEREID_CACHE", "off")
	}
}

var update = flag.Bool("update", false, "write expected output instead of comparing with it")

// Updating reports whether expected output is to be refreshed.
func Updating() bool { return *update || os.Getenv("UPDATE_GOLDEN") == "1" }

// Root is the folder of the repository: the nearest one above the test's own that holds go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(dir, "go.mod")) {
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod in the current folder or above it")
		}
		dir = up
	}
	return dir
}

// Path is a path below the root of the repository.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	return filepath.Join(append([]string{Root(t)}, elem...)...)
}

// Glob is the sorted list of files below the root that match a pattern. No match is a failure: a test of no
// files would pass.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	return glob(t, Path(t, filepath.FromSlash(pattern)))
}

// Open returns what a test opens, and closes it when the test ends.
func Open[A any, T io.Closer](t testing.TB, open func(A) (T, error), of A) T {
	t.Helper()
	v, err := open(of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// Read is the text of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Equal fails with a diff when got is not want. The name says what is compared.
func Equal(t testing.TB, name, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("%s:\n%s", name, Diff(want, got))
	}
}

// Golden compares got with a file, or writes the file when expected output is being refreshed.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if !Updating() {
		if !exists(path) {
			t.Errorf("%s does not exist; -update makes it", path)
			return
		}
		Equal(t, path, Read(t, path), got)
		return
	}
	write(t, path, got)
}

// Diff is a unified diff from want to got, empty when they are equal.
func Diff(want, got string) string {
	text := string(diff.Diff("want", []byte(want), "got", []byte(got)))
	_, hunks, _ := strings.Cut(text, "\n") // the first line names a command that nobody ran
	return hunks
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern) // sorted
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %s", pattern)
	}
	return files
}

// write writes a file whose text is not yet that; the clock of an unchanged file stays as it is.
func write(t testing.TB, path, text string) {
	t.Helper()
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
