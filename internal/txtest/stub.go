package txtest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// SharedLibrary compiles C source to a shared library of the given file name in a folder of the test's, and
// returns its path. Where there is no C compiler the test is skipped.
func SharedLibrary(tb testing.TB, name string, source []byte) string {
	tb.Helper()
	if runtime.GOOS != "linux" {
		NotHere(tb, "%s is built on Linux alone", name)
	}
	cc := Tool(tb, "gcc")
	dir := tb.TempDir()
	src, lib := filepath.Join(dir, "stub.c"), filepath.Join(dir, name)
	compiled.Lock()
	defer compiled.Unlock()
	if code, ok := compiled.bySource[string(source)]; ok {
		if err := os.WriteFile(lib, code, 0o777); err != nil {
			tb.Fatal(err)
		}
		return lib
	}
	if err := os.WriteFile(src, source, 0o666); err != nil {
		tb.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O2", "-shared", "-fPIC", src, "-o", lib).CombinedOutput(); err != nil {
		tb.Fatalf("gcc: %v\n%s", err, out)
	}
	code, err := os.ReadFile(lib)
	if err != nil {
		tb.Fatal(err)
	}
	compiled.bySource[string(source)] = code
	return lib
}

// compiled keeps the libraries that this process has compiled: a library is compiled once for all tests.
var compiled = struct {
	sync.Mutex
	bySource map[string][]byte
}{bySource: map[string][]byte{}}

// LoggingLibrary is SharedLibrary for a stub that writes down its calls; log is the path of the list of
// calls, beside the library.
func LoggingLibrary(tb testing.TB, name string, source []byte) (lib, log string) {
	tb.Helper()
	lib = SharedLibrary(tb, name, source)
	return lib, filepath.Join(filepath.Dir(lib), "log")
}

// Appended returns a function that returns what was appended to a file since its last call: the calls that a
// stub has written there, for one.
func Appended(tb testing.TB, file string) func() string {
	seen := 0
	return func() string {
		tb.Helper()
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // nothing was appended yet
			tb.Fatal(err)
		}
		news := string(text[seen:])
		seen = len(text)
		return news
	}
}
