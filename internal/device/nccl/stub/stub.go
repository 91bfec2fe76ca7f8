// Package stub is NCCL without GPUs, for tests: a C library that checks what it is given, writes down every
// call, and does the operations of a single rank in the memory of the host, which is that of the stub of the
// CUDA driver too.
package stub

import (
	_ "embed"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

//go:embed testdata/stub.c
var source []byte

// Build builds the library, and returns its path and that of the list of calls, which the library writes if
// NEREID_STUB_NCCL_LOG names it. Where there is no C compiler the test is skipped.
func Build(tb testing.TB) (lib, log string) {
	tb.Helper()
	return txtest.LoggingLibrary(tb, "libnccl.so.2", source)
}
