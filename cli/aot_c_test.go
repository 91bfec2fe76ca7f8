package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// gcc builds a program of C in a folder.
func gcc(t *testing.T, dir string, args ...string) {
	t.Helper()
	cc := txtest.Tool(t, "gcc")
	cmd := exec.Command(cc, append([]string{"-std=gnu99", "-Wall", "-Wextra", "-Werror"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, out)
	}
}

// nereidMain runs a command of ours.
func nereidMain(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(args, nil, &out, &errs); code != 0 {
		t.Fatalf("nereid %v: %d\n%s%s", args, code, &out, &errs)
	}
	return out.String()
}

func needLLVM(t *testing.T) {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
}

// TestAOTAsC builds the softmax table as C with gcc: every variant gives the right results on this CPU, and
// is launched by a driver.
func TestAOTAsC(t *testing.T) {
	needLLVM(t)
	dir := t.TempDir()
	table := filepath.FromSlash("../examples/softmax-op/softmax.py")
	nereidMain(t, "aot", table, "--c", dir, "--targets", "cuda:90,cuda:80,cpu")
	calls := runForm(t, dir, "softmax", 10, 5)
	for threads, want := range map[string]int{"128": 2, "256": 2, "512": 6} { // of blocks
		launch := regexp.MustCompile("block:" + threads + `\nlaunch:\w+:5:1:1:`)
		if n := len(launch.FindAllString(calls, -1)); n != want {
			t.Errorf("%d launches of %s threads, want %d:\n%s", n, threads, want, calls)
		}
	}
}

// runForm builds a program of testdata/c with the C form that lies in dir. It has to find no bad result among
// the variants on this CPU. Then it launches them on a stub, and the calls are returned with the first
// parameters.
func runForm(t *testing.T, dir, name string, variants, params int) (calls string) {
	t.Helper()
	source, err := filepath.Abs("testdata/c")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := filepath.Glob(filepath.Join(dir, "*.o"))
	if err != nil || len(objects) != variants {
		t.Fatalf("%d object files, want %d (%v)", len(objects), variants, err)
	}
	gcc(t, dir, append([]string{"-I.", filepath.Join(source, name+".c"), name + ".c", "-o", "main", "-lm",
		"-ldl",
		"-lpthread"}, objects...)...)
	run := func(env []string, args ...string) string {
		cmd := exec.Command(filepath.Join(dir, "main"), args...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got := run(nil); !strings.HasSuffix(got, fmt.Sprintf("%d variants, 0 bad\n", variants)) {
		t.Errorf("on the CPU:\n%s", got)
	}
	log := filepath.Join(dir, "log")
	run([]string{"NEREID_CUDA=" + stub.Build(t), "NEREID_STUB_LOG=" + log,
		fmt.Sprintf("NEREID_STUB_PARAMS=%d", params), "NEREID_STUB_BLOCKS=1"}, "launch")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDescriptorsInC: a program of C passes tensor descriptors as words. Code for the CPU takes them, and for
// GPUs the launch makes tensor maps of them.
func TestDescriptorsInC(t *testing.T) {
	needLLVM(t)
	dir := t.TempDir()
	nereidMain(t, "aot", filepath.FromSlash("testdata/c/maps.py"), "--c", dir, "--targets",
		"cuda:90,cuda:80,cpu")
	calls := runForm(t, dir, "maps", 2, 3)
	// type, rank and swizzle behind the stub's mark; address, box, sizes and bytes of a row; the kernel's own
	// sizes
	for grid, box := range map[string]string{"7:3:1": "1000000020", "2:2:1": "4000000020"} {
		launch := regexp.MustCompile(`launch:\w+:` + grid + `:3020750414d4e:\w+00:` + box +
			`:0:0:48:64:0:0:0:140:0:0:0:0:0:64:48\n`)
		if n := len(launch.FindAllString(calls, -1)); n != 1 {
			t.Errorf("%d launches of %s programs with a box of %s:\n%s", n, grid, box, calls)
		}
	}
}

// TestLauncherOfOthers: a program of C launches a kernel whose description is all that it knows.
func TestLauncherOfOthers(t *testing.T) {
	needLLVM(t)
	dir := t.TempDir()
	nereidMain(t, "compile", filepath.FromSlash("../kernels/vector_add.py:add_kernel"), "--signature",
		"*fp32:16, *fp32:16, *fp32:16, i32, 1024", "--emit", "ptx,json", "-o", dir)
	source, err := filepath.Abs("testdata/c/launch.c")
	if err != nil {
		t.Fatal(err)
	}
	gcc(t, dir, source, "-o", "launch", "-ldl")
	cmd := exec.Command(filepath.Join(dir, "launch"), "add_kernel.json", "add_kernel.ptx", "3000", "launch")
	cmd.Dir = dir
	log := filepath.Join(dir, "log")
	cmd.Env = append(os.Environ(), "NEREID_CUDA="+stub.Build(t), "NEREID_STUB_LOG="+log,
		"NEREID_STUB_PARAMS=4")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "add_kernel: 4 arguments, ok") {
		t.Errorf("%v\n%s", err, out)
	}
	calls, err := os.ReadFile(log)
	if err != nil || !regexp.MustCompile(`launch:\w+:3:1:1:\w+:\w+:\w+:bb8\n`).Match(calls) { // 3000 elements
		t.Errorf("no launch (%v):\n%s", err, calls)
	}
}
