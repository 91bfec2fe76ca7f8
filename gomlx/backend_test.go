package gomlx

import (
	"os"
	"testing"

	"github.com/gomlx/compute/dtypes"
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

// TestCompliance runs the tests that GoMLX has for all backends; convolutions of one type unless
// NEREID_TEST_PART=all.
func TestCompliance(t *testing.T) {
	o := &backendtest.AllTestsConfiguration{ConvGeneralDTypes: []dtypes.DType{dtypes.Float32}}
	if os.Getenv("NEREID_TEST_PART") == "all" {
		o = nil
	}
	backendtest.RunAll(t, testBackend(t), o)
}

// BenchmarkCompliance runs the benchmarks that GoMLX has for all backends.
func BenchmarkCompliance(b *testing.B) { backendtest.RunAllBenchmarks(b, testBackend(b)) }
