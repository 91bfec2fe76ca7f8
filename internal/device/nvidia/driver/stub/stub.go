// Package stub is a CUDA driver without a GPU, for tests: a C library whose memory is the host's and whose
// kernels do nothing. With it the whole way of a launch runs, down to the call into C, so that its cost and
// its allocations can be measured anywhere, and every call to the driver can be seen.
package stub

import (
	_ "embed"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

//go:embed testdata/stub.c
var source []byte

// Build builds the library and returns its path, for NEREID_CUDA. Where there is no C compiler the test is
// skipped.
func Build(tb testing.TB) string {
	tb.Helper()
	return txtest.SharedLibrary(tb, "libcuda.so.1", source)
}

// Again is txtest.Again with the stub for a driver; env sets NEREID_CACHE_DIR at least.
func Again(tb testing.TB, env ...string) string {
	tb.Helper()
	return txtest.Again(tb, append([]string{"NEREID_CUDA=" + Build(tb)}, env...)...)
}
