package gomlx

import (
	"os"
	"testing"

	"github.com/gomlx/compute/support/backendtest"
)

// testBackend returns a backend on the device that NEREID_TEST_DEVICE names, the CPU without it.
func testBackend(t testing.TB) *Backend {
	t.Helper()
	name := os.Getenv("NEREID_TEST_DEVICE")
	if name == "" {
		name = "cpu"
	}
	b, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// TestCompliance runs the tests that GoMLX has for all backends.
func TestCompliance(t *testing.T) { backendtest.RunAll(t, testBackend(t), nil) }

// BenchmarkCompliance runs the benchmarks that GoMLX has for all backends.
func BenchmarkCompliance(b *testing.B) { backendtest.RunAllBenchmarks(b, testBackend(b)) }
