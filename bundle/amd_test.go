package bundle_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/bundle"
	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestAMD runs code for AMD's GPUs from a bundle on their emulators: each chip runs its own alone.
func TestAMD(t *testing.T) {
	b := open(t, build(t, softmaxes([]string{"hip:gfx942", "hip:gfx1100"}, 64)))
	for _, device := range []string{"sim:gfx942", "sim:gfx1100"} {
		s := newStream(t, device)
		for _, v := range b.Variants() {
			if worst, err := softmax(s, v, 3, 61); err != nil || worst > 1e-3 {
				t.Errorf("%s on %s: %v, error %g", v, device, err, worst)
			}
		}
	}
	var refused *bundle.TargetError
	err := lookup(t, b, "softmax_fp32_64").Runs(newStream(t, "sim:gfx90a").Device())
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "gfx90a runs its own code objects") {
		t.Error(err)
	}
}

// TestOnHIP loads from a bundle through AMD's runtime (a stub) without LLVM.
func TestOnHIP(t *testing.T) {
	if txtest.Inside() {
		onHIP(t, os.Getenv(hidden), os.Getenv("NEREID_STUB_LOG"))
		return
	}
	entries, parts := compileAll(t, softmaxes([]string{"hip:gfx942"}, 64)[:1])
	if len(parts[0][format.PartHsaco]) == 0 {
		t.Fatalf("no code object: %v", entries[0].Parts)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "b.nrb")
	if err := os.WriteFile(path, write(t, entries, parts), 0o600); err != nil {
		t.Fatal(err)
	}
	stub.Again(t, hidden+"="+path, "NEREID_LLVM=/nowhere/libLLVM.so", "NEREID_CACHE_DIR="+dir)
}

func onHIP(t *testing.T, path, log string) {
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s := newStream(t, "hip:0")
	if _, err := softmax(s, lookup(t, b, "softmax_fp32_64"), 3, 64); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(log)
	if err != nil || strings.Count(string(calls), "hipModuleLoadData") != 1 ||
		!strings.Contains(string(calls), "launch softmax_kernel on 0: 3,1,1 x 256,1,1 ") {
		t.Errorf("%v\n%s", err, calls)
	}
}
