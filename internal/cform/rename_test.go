package cform

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestRename: the function of an object file has the new name, and nothing else has changed.
func TestRename(t *testing.T) {
	obj := object(t)
	out, err := rename(obj, "kernel.range", "mine_0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{{obj, "helper kernel.range"}, {out, "helper mine_0"}} {
		if got := functions(t, c.data); got != c.want {
			t.Errorf("functions %q, want %q", got, c.want)
		}
	}
	if _, err := rename(obj, "nothing", "x"); err == nil ||
		!strings.Contains(err.Error(), "no symbol nothing") {
		t.Errorf("a symbol that is not there: %v", err)
	}
	for i := range obj { // damaged files are errors, or files, never panics
		bad := bytes.Clone(obj)
		bad[i] ^= 0xff
		_, _ = rename(bad, "kernel.range", "mine_0")
		_, _ = rename(obj[:i], "kernel.range", "mine_0")
	}
}

// object assembles an object file.
func object(t *testing.T) []byte {
	t.Helper()
	cc := txtest.Tool(t, "gcc")
	dir := t.TempDir()
	src := ".globl kernel.range\n.type kernel.range,@function\nkernel.range: ret\n.type helper,@function\n" +
		"helper: ret\n"
	if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc, "-c", "k.s")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "k.o"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func functions(t *testing.T, obj []byte) string {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " ")
}
