// Package stub is AMD's runtime without a GPU, for tests: a C library whose memory is the host's and whose
// kernels do nothing.
package stub

import (
	_ "embed"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

//go:embed testdata/stub.c
var source []byte

// Build builds the library, sets the variables by which it is found, and returns its path and that of the
// list of calls. Where there is no C compiler the test is skipped.
func Build(tb testing.TB) (lib, log string) {
	tb.Helper()
	lib = txtest.SharedLibrary(tb, "libamdhip64.so", source)
	log = filepath.Join(filepath.Dir(lib), "log")
	tb.Setenv("NEREID_HIP", lib)
	tb.Setenv("NEREID_STUB_LOG", log)
	return lib, log
}

// Again runs a test of this binary once more in a process of its own that has the stub for AMD's runtime,
// with more variables of the environment (NEREID_CACHE_DIR at least), and returns its output. There, Inside
// reports true, and NEREID_STUB_LOG names the list of calls.
func Again(tb testing.TB, env ...string) string {
	tb.Helper()
	Build(tb)
	return txtest.Again(tb, append([]string{"NEREID_CACHE=on"}, env...)...)
}

// Inside reports whether this is the process that Again started.
func Inside() bool { return txtest.Inside() }
