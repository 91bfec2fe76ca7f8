package aot

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// goMain is a program that runs a generated package.
const goMain = `package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot/user/kernels"
	"github.com/nereid-lang/nereid/run"
)

func main() {
	dev, err := bundle.Device("cpu")
	check(err)
	s, err := dev.NewStream(context.Background())
	check(err)
	list, err := kernels.Scales()
	check(err)
	x := []float32{1, 2, 3}
	for _, v := range list {
		y := make([]float32, 3)
		check(v.Launch(s, run.Grid{1}, run.FromSlice(y), run.FromSlice(x), 3, 1.5))
		fmt.Println(v.Name(), y)
	}
	n, a, xs, ys := int32(len(x)), float32(len(x)), run.FromSlice(x), run.FromSlice(make([]float32, 3))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		check(list[0].Launch(s, run.Grid{1}, ys, xs, n, a))
	}
	runtime.ReadMemStats(&after)
	fmt.Println((after.Mallocs-before.Mallocs)/1000, "allocations")
	_, err = kernels.LookScale("nothing")
	fmt.Println(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`

// A program with a generated package runs its kernels without LLVM, links no compiler, which would make it
// five times as large, and a wrong argument does not compile.
func TestGoPackage(t *testing.T) {
	txtest.Slow(t, "it builds a program")
	_, _, b := built(t, scaleTable(t), BuildOptions{Targets: []string{"cpu"}})
	dir := t.TempDir()
	if err := WriteGo(filepath.Join(dir, "kernels"), "kernels", b.Writer); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(goMain), 0o600); err != nil {
		t.Fatal(err)
	}
	build := overlay(t, dir, "main.go", "kernels/kernels.go", "kernels/kernels.nrb")
	if out, err := build(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(dir, "program"))
	cmd.Env = []string{"HOME=" + dir, "NEREID_LLVM=/nonexistent", "PATH="}
	out, err := cmd.CombinedOutput()
	want := "scale_256_w2 [1.5 3 4.5]\nscale_256_w4 [1.5 3 4.5]\nscale_64_w2 [1.5 3 4.5]\n" +
		"scale_64_w4 [1.5 3 4.5]\n"
	if err != nil || !strings.HasPrefix(string(out), want) ||
		!strings.Contains(string(out), "\n1 allocations\n") || // of the float
		!strings.Contains(string(out), `no variant "nothing"`) {
		t.Errorf("%v\n%s", err, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "program")); err != nil || info.Size() > 6<<20 {
		t.Errorf("the program has %d bytes, %v", info.Size(), err)
	} else {
		t.Logf("%d bytes\n%s", info.Size(), out)
	}
	wrong := strings.Replace(goMain, "3, 1.5)", "3, x)", 1)
	if err := os.WriteFile(main, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := build(); err == nil ||
		!strings.Contains(string(out), "as float32 value in argument to v.Launch") {
		t.Errorf("a slice for a float: %v\n%s", err, out)
	}
}

// overlay returns a function that builds a program of files in a folder as if it lay in this module, whose
// compiled packages it shares then.
func overlay(t *testing.T, dir string, files ...string) func() ([]byte, error) {
	t.Helper()
	const place = "internal/aot/user"
	root := txtest.Root(t)
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(root, place, f)] = filepath.Join(dir, f)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() ([]byte, error) {
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", list, "-o",
			filepath.Join(dir, "program"), "./"+place)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		return cmd.CombinedOutput()
	}
}
