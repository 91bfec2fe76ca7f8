package bundle_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestSize builds programs that run bundles: they link no compiler, so they are small, and they run.
func TestSize(t *testing.T) {
	txtest.Slow(t, "builds two programs")
	tool, err := exec.LookPath("go")
	txtest.Need(t, "go", err)
	file := filepath.Join(t.TempDir(), "softmax.nrb")
	if err := os.WriteFile(file, build(t, softmaxes([]string{baseline()}, 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program string
		most    int64 // bytes
		want    string
	}{
		{"small", 6 << 20, "softmax_fp32_64: 0.015625\n"},
		{"tuned", 7 << 20, "1 candidates\n"},
	} {
		exe := filepath.Join(t.TempDir(), c.program)
		cmd := exec.Command(tool, "build", "-ldflags=-s -w", "-trimpath", "-o", exe, "./testdata/"+c.program)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		info, err := os.Stat(exe)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > c.most {
			t.Errorf("%s has %d bytes, more than %d", c.program, info.Size(), c.most)
		}
		t.Logf("%s: %d bytes", c.program, info.Size())
		run := exec.Command(exe, file)
		run.Env = []string{"PATH=/nowhere", "NEREID_LLVM=/nowhere/libLLVM.so", "HOME=" + t.TempDir()}
		out, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s", c.program, err, out)
		}
	}
}
