package nereid_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

const editedProgram = `package main

import (
	"context"
	"fmt"

	"github.com/nereid-lang/nereid"
)

func main() {
	compiled := 0
	conf := nereid.EnvConfig()
	conf.Hooks.BeforeCompile = func(context.Context, nereid.Variant) error { compiled++; return nil }
	m, err := nereid.Parse("pair.py", []byte(source), nereid.With(conf))
	if err != nil {
		panic(err)
	}
	k, err := m.Kernel("double")
	if err != nil {
		panic(err)
	}
	x := []float32{1, 2, 3, 4}
	if err := k.Launch(nil, nereid.Grid{1}, nereid.FromSlice(x), 4); err != nil {
		panic(err)
	}
	fmt.Println("WORDS", x, "compiled", compiled)
}

const source = ` + "`" + `
import triton
import triton.language as tl

@triton.jit
def double(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 2)
` + "`\n"

// With a checkout, a program that was edited and built again finds what it compiled before.
func TestEditedProgram(t *testing.T) {
	needLLVM(t)
	root, dir := txtest.Root(t), t.TempDir()
	// In a workspace of both modules the program is linked from packages that the tests' programs have, too.
	version := regexp.MustCompile(`(?m)^go .*\n`).FindString(txtest.Read(t, filepath.Join(root, "go.mod")))
	for name, text := range map[string]string{"go.mod": "module edited\n\n" + version,
		"go.work": version + "\nuse (\n\t.\n\t" + strconv.Quote(root) + "\n)\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ words, compiled string }{{"first", "compiled 1"}, {"edited", "compiled 0"}} {
		text := strings.Replace(editedProgram, "WORDS", c.words, 1)
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "go", "run", ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "NEREID_CACHE_DIR="+filepath.Join(dir, "cache"), "NEREID_CACHE=on",
			"NEREID_DEVICE=cpu", "GOPROXY=off", "GOWORK="+filepath.Join(dir, "go.work"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.words+" [2 4 6 8] "+c.compiled) {
			t.Fatalf("%v: %s", err, out)
		}
	}
}
