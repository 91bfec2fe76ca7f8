// Package stub is AMD's runtime without a GPU, for tests: a C library whose memory is the host's and whose
// kernels do nothing.
package stub

import (
	_ "embed"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

//go:embed testdata/stub.c
var source []byte

// Build builds the library, sets the variables by which it is found, and returns its path and that of the
// list of calls. Where there is no C compiler the test is skipped.
func Build(tb testing.TB) (lib, log string) {
	tb.Helper()
	lib, log = txtest.LoggingLibrary(tb, "libamdhip64.so", source)
	tb.Setenv("NEREID_HIP", lib)
	tb.Setenv("NEREID_STUB_LOG", log)
	return lib, log
}

// Again is txtest.Again with the stub for AMD's runtime; env sets NEREID_CACHE_DIR at least. In the new
// process, NEREID_STUB_LOG names the list of calls.
func Again(tb testing.TB, env ...string) string {
	tb.Helper()
	Build(tb)
	return txtest.Again(tb, env...)
}
