package cli

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/simdriver"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var softmaxTable = filepath.FromSlash("../examples/softmax-op/softmax.py")

// needCC skips a test where shared libraries cannot be built.
func needCC(t *testing.T) {
	t.Helper()
	needLLVM(t)
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "shared libraries are built on Linux alone")
	}
	txtest.Tool(t, "cc")
}

// quickCC does as needCC, and has libraries built without optimizations of the C compiler, which take it
// five times as long: for tests of what the C code does. TestAOTLibrary, TestAOTLaunches and
// TestONNXProvider build libraries as users do.
func quickCC(t *testing.T) {
	t.Helper()
	needCC(t)
	quick := filepath.Join(t.TempDir(), "cc")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\" -O0\n", txtest.Tool(t, "cc"))
	if err := os.WriteFile(quick, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", quick)
}

// buildLibrary builds a table as a shared library, and the program of testdata/c that uses it.
func buildLibrary(t *testing.T, dir, table, name string, targets string) (lib string,
	run func(env []string, args ...string) string) {
	t.Helper()
	needCC(t)
	lib = filepath.Join(dir, "lib"+name+".so")
	nereidMain(t, "aot", table, "--so", lib, "--targets", targets)
	return lib, buildUser(t, lib, name)
}

// buildUser builds the program of testdata/c that uses a library, and returns a function that runs it.
func buildUser(t *testing.T, lib, name string) (run func(env []string, args ...string) string) {
	t.Helper()
	dir, program := filepath.Dir(lib), name
	if name == "softmax" {
		program = "library"
	}
	source, err := filepath.Abs(filepath.Join("testdata", "c", program+".c"))
	if err != nil {
		t.Fatal(err)
	}
	gcc(t, dir, "-I.", source, "-o", program, "-lm", "-ldl", "-lpthread")
	return func(env []string, args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(dir, program), append([]string{lib}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// TestAOTLibrary builds the softmax table as a shared library: it needs the C library alone, exports nothing
// but its own names, gives right results from many threads, after a fork and after unloading, and answers
// wrong calls with a status.
func TestAOTLibrary(t *testing.T) {
	dir := t.TempDir()
	lib, run := buildLibrary(t, dir, softmaxTable, "softmax", "cuda:90,cpu")
	if got := run(nil, "check"); got != "0 bad\n" {
		t.Errorf("results: %s", got)
	}
	if got := run([]string{"NEREID_CUDA=/nowhere"}, "bad"); got != "16 calls, 0 wrong\n" {
		t.Errorf("wrong calls: %s", got)
	}
	best := 1 << 30 // of some, since the machine does other things too
	for range 5 {
		took, err := strconv.Atoi(strings.TrimSpace(run(nil, "first")))
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, took)
	}
	info, err := os.Stat(lib)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, the first result after %d µs", info.Size(), best)
	if best > 10_000 {
		t.Errorf("the first result came after %d µs, want at most 10 ms", best)
	}
	checkLibrary(t, lib, "softmax_")
}

// twiceTable has two variants that compute the same. The first takes far longer.
const twiceTable = `
[[variants]]
kernel = "twice.py:twice"
name = "{group}_{ROUNDS}"
group = "{group}"
signature = "*fp32, *fp32, i32"
grid = "cdiv(n, BLOCK)"
when = "n > 0"
measure = MEASURE
writes = "y_ptr: n"
[variants.vars]
group = "GROUP"
[variants.constants]
BLOCK = 1024
ROUNDS = [3000, 1]
`

const twiceKernel = `import triton
import triton.language as tl

@triton.jit
def twice(y_ptr, x_ptr, n, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for i in range(ROUNDS):
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(y_ptr + at, x * 2, mask=at < n)

@triton.jit
def turned(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + n - 1 - at, mask=at < n), mask=at < n)
`

const helpedKernel = `import triton
import triton.language as tl

@triton.jit(noinline=True)
def put(p, v):
    tl.store(p, v)

@triton.jit
def helped(a_ptr, b_ptr, c_ptr, n):
    v = tl.load(a_ptr)
    put(b_ptr, v)
    tl.atomic_add(c_ptr, v)
`

// TestAOTOutputs: pointers that a kernel writes through, itself, atomically or in a function that it calls,
// are no pointers to constants in C.
func TestAOTOutputs(t *testing.T) {
	needLLVM(t)
	dir := t.TempDir()
	table := "[[variants]]\nkernel = \"helped.py:helped\"\nname = \"helped\"\n" +
		"signature = \"*fp32, *fp32, *fp32, i32\"\n"
	for name, text := range map[string]string{"helped.toml": table, "helped.py": helpedKernel} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nereidMain(t, "aot", filepath.Join(dir, "helped.toml"), "--c", dir, "--targets", "cpu")
	head := txtest.Read(t, filepath.Join(dir, "helped.h"))
	want := "unsigned z, const void *a0_a_ptr, void *a1_b_ptr, void *a2_c_ptr, int32_t a3_n)"
	if !strings.Contains(head, want) {
		t.Errorf("there is no %q in\n%s", want, head)
	}
}

const turnedTable = `
[[variants]]
kernel = "twice.py:turned"
name = "turned"
signature = "*fp32, *fp32, i32"
constants = { BLOCK = 1024 }
`

// TestAOTMeasured calls a group whose first launch measures its variants, and one whose launches may not be
// repeated.
func TestAOTMeasured(t *testing.T) {
	dir := t.TempDir()
	table := strings.NewReplacer("MEASURE", "true", "GROUP", "twice").Replace(twiceTable) +
		strings.NewReplacer("MEASURE", "false", "GROUP", "once").Replace(twiceTable) + turnedTable
	for name, text := range map[string]string{"measured.toml": table, "twice.py": twiceKernel} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, run := buildLibrary(t, dir, filepath.Join(dir, "measured.toml"), "measured", "cpu")
	cache := "NEREID_CACHE_DIR=" + filepath.Join(dir, "cache")
	if got := run([]string{cache}); got != "twice_1 twice_1 twice_1 once_3000\n" {
		t.Errorf("chosen: %s", got)
	}
}

// judgedTable has variants of which some do nothing, or compute something else: all of them are faster.
const judgedTable = `
[[variants]]
kernel = "judged.py:judged"
name = "{group}_{KIND}"
group = "{group}"
signature = "*fp32, *fp32, i32"
grid = "cdiv(n, BLOCK)"
when = "n > 0"
measure = true
writes = "y_ptr: n"
[variants.vars]
group = "GROUP"
[variants.constants]
BLOCK = 256
KIND = KINDS
`

const judgedKernel = `import triton
import triton.language as tl

@triton.jit
def judged(y_ptr, x_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ROUNDS: tl.constexpr = 300 if KIND == 0 else 1
    if KIND != 1:
        for i in range(ROUNDS):
            x = tl.load(x_ptr + at, mask=at < n)
            y = x * 2
            if KIND == 2:
                y = tl.where(at == 700, y + 1, y)
            tl.store(y_ptr + at, y, mask=at < n)
`

// TestAOTJudged: a variant that does nothing, and one with another result, are never chosen, and reported, on
// the CPU and on a GPU; the outcome is kept on disk, and the next process does not measure.
func TestAOTJudged(t *testing.T) {
	quickCC(t)
	dir := t.TempDir()
	t.Setenv("NEREID_PTXAS", filepath.Join(dir, "none")) // the simulator runs PTX
	table := strings.NewReplacer("KINDS", "[0, 1, 2, 3]", "GROUP", "later").Replace(judgedTable) +
		strings.NewReplacer("KINDS", "[1, 0, 2]", "GROUP", "first").Replace(judgedTable)
	for name, text := range map[string]string{"judged.toml": table, "judged.py": judgedKernel} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, run := buildLibrary(t, dir, filepath.Join(dir, "judged.toml"), "judged", "cpu,cuda:90")
	_, sim := simdriver.New(t)
	for mode, env := range map[string][]string{"cpu": nil, "cuda": sim} {
		cache := filepath.Join(dir, "cache-"+mode)
		env = append(env, "NEREID_CACHE_DIR="+cache, "NEREID_CACHE=")
		got := run(env, mode)
		right := "later_3 "
		if mode == "cuda" {
			right = "later_0 " // all take the same time there
		}
		for _, want := range []string{right, "first_0 ",
			"later_1 out: y_ptr[0] differs from that of later_0",
			"later_2 out: y_ptr[700] differs from that of later_0, 1401 and 1400",
			"first_1 out: it wrote nothing", "first_2 out: y_ptr[700] differs from that of first_0"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: there is no %q in:\n%s", mode, want, got)
			}
		}
		files, _ := filepath.Glob(filepath.Join(cache, "choices", "judged-*.txt"))
		if len(files) != 1 || !strings.Contains(txtest.Read(t, files[0]), "later_2 out: ") {
			t.Errorf("%s: results on disk: %q", mode, files)
		}
		again := run(env, mode)
		if !strings.Contains(again, right) || strings.Contains(again, "out:") {
			t.Errorf("%s, the second time: %s", mode, again)
		}
	}
}

// TestAOTLaunches measures launches through a library beside those by the driver itself, whose kernels do
// nothing. The program is the one that measures on a GPU.
func TestAOTLaunches(t *testing.T) {
	dir := t.TempDir()
	table := filepath.FromSlash("testdata/c/launches.py")
	_, run := buildLibrary(t, dir, table, "launches", "cuda:90")
	file := filepath.Join(dir, "launches.nrb")
	nereidMain(t, "aot", table, "-o", file, "--targets", "cuda:90", "--only", "five_128,seventeen_128")
	nereidMain(t, "aot", "extract", file, "-o", dir)
	out := run([]string{"NEREID_CUDA=" + stub.Build(t), "NEREID_STUB_LOG=" + os.DevNull},
		filepath.Join(dir, "five_128.cuda-90.ptx"), filepath.Join(dir, "seventeen_128.cuda-90.ptx"))
	if strings.Count(out, "over cuLaunchKernel") != 8 {
		t.Errorf("want two kernels in four ways:\n%s", out)
	}
	t.Log("\n" + out)
}

// TestAOTLibraryWithoutCC builds the library where there is no C compiler, by LLVM and a linker: it is as
// good as the other.
func TestAOTLibraryWithoutCC(t *testing.T) {
	needCC(t)
	ld := txtest.Tool(t, "ld.lld", "ld.lld-22", "ld")
	lib, path, all := filepath.Join(t.TempDir(), "libsoftmax.so"), t.TempDir(), os.Getenv("PATH")
	t.Setenv("PATH", path)
	t.Setenv("CC", "")
	var out, errs bytes.Buffer
	args := []string{"aot", softmaxTable, "--so", lib, "--targets", "cpu"}
	code := Main(append(args, "--only", "softmax_fp32_1024"), nil, &out, &errs)
	if code == 0 || !strings.Contains(errs.String(), "install gcc, clang or lld") {
		t.Errorf("without a linker: %d\n%s", code, &errs)
	}
	if err := os.Symlink(ld, filepath.Join(path, filepath.Base(ld))); err != nil {
		t.Fatal(err)
	}
	nereidMain(t, args...)
	t.Setenv("PATH", all)
	run := buildUser(t, lib, "softmax")
	if got := run(nil, "check"); got != "0 bad\n" {
		t.Errorf("results: %s", got)
	}
	if got := run([]string{"NEREID_CUDA=/nowhere"}, "bad"); got != "16 calls, 0 wrong\n" {
		t.Errorf("wrong calls: %s", got)
	}
	checkLibrary(t, lib, "softmax_")
}

// TestAOTLibraryAgain builds a library twice: the bytes are the same.
func TestAOTLibraryAgain(t *testing.T) {
	quickCC(t)
	var libs [2][]byte
	for i := range libs {
		lib := filepath.Join(t.TempDir(), "libsoftmax.so")
		nereidMain(t, "aot", softmaxTable, "--so", lib, "--targets", "cpu:x86-64-v3", "--only",
			"softmax_fp32_1024")
		var err error
		if libs[i], err = os.ReadFile(lib); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(libs[0], libs[1]) {
		t.Errorf("two builds differ: %d and %d bytes", len(libs[0]), len(libs[1]))
	}
}

// checkLibrary checks what a shared library needs and exports.
func checkLibrary(t *testing.T, name string, prefixes ...string) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range needed {
		allowed := []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2",
			"ld-linux-aarch64.so.1"}
		if !slices.Contains(allowed, lib) {
			t.Errorf("the library needs %s", lib)
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		ours := slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s.Name, p) })
		if s.Section != elf.SHN_UNDEF && !ours {
			t.Errorf("the library exports %s", s.Name)
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_GNU_STACK && p.Flags&elf.PF_X != 0 {
			t.Error("the library asks for an executable stack")
		}
	}
}
