package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestStatic builds nereid with the tag nereid_static: the binary names no loader, so that it starts in an
// empty image, and says why native libraries are absent. Its size is bounded, too: a call of a
// method whose name is known only at run time, as text/template has it, makes the linker keep every method of
// the program, 2.8 MB.
func TestStatic(t *testing.T) {
	txtest.Slow(t, "builds a program")
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "the program is for Linux")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "nereid")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-tags",
		"nereid_static", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const most = 38 << 20
	if info, err := os.Stat(bin); err != nil || info.Size() > most {
		t.Errorf("the program has %d bytes, more than %d, %v", info.Size(), most, err)
	}
	f, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary needs a loader")
		}
	}
	kernel := "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x + " +
		"tl.arange(0, 8), 1.0)\n"
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(kernel), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"devices", "built with the tag nereid_static"},
		{"run k.py:k x=fp32[8] --rep 0 --device interp", "ok: no access out of bounds"},
		{"compile k.py:k x=fp32[8] --emit ttgir", "ttg.num-warps"},
	} {
		cmd := exec.CommandContext(t.Context(), bin, strings.Fields(c.args)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "NEREID_CACHE=off")
		inEmptyRoot(cmd, dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
}
