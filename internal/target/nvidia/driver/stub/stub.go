// Package stub is a CUDA driver without a GPU, for tests: a C library whose memory is the host's and whose
// kernels do nothing. With it the whole way of a launch runs, down to the call into C, so that its cost and
// its allocations can be measured anywhere, and every call to the driver can be seen.
package stub

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

//go:embed testdata/stub.c
var source []byte

// Build builds the library and is its path, for NEREID_CUDA. Where there is no C compiler the test is
// skipped.
func Build(tb testing.TB) string {
	tb.Helper()
	if runtime.GOOS != "linux" {
		tb.Skip("the stub of the CUDA driver is built on Linux alone")
	}
	cc, err := exec.LookPath("gcc")
	if err != nil {
		tb.Skip("no gcc to build a stub of the CUDA driver with")
	}
	dir := tb.TempDir()
	src, lib := filepath.Join(dir, "stub.c"), filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(src, source, 0o666); err != nil {
		tb.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O2", "-shared", "-fPIC", src, "-o", lib).CombinedOutput(); err != nil {
		tb.Fatalf("gcc: %v\n%s", err, out)
	}
	return lib
}

// Again runs a test of this binary once more in a process of its own that has the stub for a driver, with
// more variables of the environment (NEREID_CACHE_DIR at least), and returns its output. There, Inside
// reports true.
func Again(tb testing.TB, env ...string) string {
	tb.Helper()
	return txtest.Again(tb, append([]string{"NEREID_CUDA=" + Build(tb), "NEREID_CACHE=on"}, env...)...)
}

// Inside reports whether this is the process that Again started.
func Inside() bool { return txtest.Inside() }
