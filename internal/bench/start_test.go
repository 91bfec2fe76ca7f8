package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestStart begins processes with a driver that does nothing: the first compiles softmax, the next finds it
// without loading LLVM, and so does one that has no LLVM. Without LLVM and without the kernel there is an
// error that says so.
func TestStart(t *testing.T) {
	if txtest.Inside() {
		begin(t)
		return
	}
	txtest.LLVM(t, llvm.Load)
	dir, none := "NEREID_CACHE_DIR="+t.TempDir(), "NEREID_LLVM=/nowhere/libLLVM.so"
	for _, c := range []struct {
		name string
		env  []string
		want []string
	}{
		{"first", []string{dir}, []string{`"found":false`, "LLVM loaded: true"}},
		{"second", []string{dir}, []string{`"found":true`, "LLVM loaded: false"}},
		{"without LLVM", []string{dir, none}, []string{`"found":true`, "LLVM loaded: false"}},
		{"with nothing", []string{"NEREID_CACHE_DIR=" + t.TempDir(), none}, []string{
			"softmax_kernel is not among the compiled kernels", "it takes LLVM", "/nowhere/libLLVM.so",
		}},
	} {
		out := stub.Again(t, c.env...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in:\n%s", c.name, want, out)
			}
		}
	}
}

// begin is one of those processes.
func begin(t *testing.T) {
	var out bytes.Buffer
	err := Begin("cuda", StartSoftmax, &out)
	t.Log(out.String(), err)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("LLVM loaded: %v", bytes.Contains(maps, []byte("libLLVM")))
}

// TestStartRun measures processes that are this test.
func TestStartRun(t *testing.T) {
	if len(os.Args) > 1 && os.Getenv("NEREID_TEST_BEGIN") != "" {
		if err := Begin("interp", os.Args[len(os.Args)-1], os.Stdout); err != nil {
			t.Fatal(err)
		}
		os.Exit(0)
	}
	t.Setenv("NEREID_TEST_BEGIN", "1")
	var out bytes.Buffer
	s := Start{Self: []string{os.Args[0], "-test.run=^TestStartRun$"}, Out: &out, Rounds: 1}
	if err := s.Run(); err == nil || !strings.Contains(err.Error(), "not in the cache") {
		t.Errorf("the interpreter keeps nothing, yet: %v", err)
	}
	var r startReport
	if _, report, err := s.one(StartDevice); err != nil || len(report.Steps) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	var row StartRow
	for line := range strings.Lines(out.String()) {
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Error(err)
		}
	}
}
