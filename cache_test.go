package nereid_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
	_ "github.com/nereid-lang/nereid/internal/txtest" // turns the user's cache off
	"github.com/nereid-lang/nereid/kernels"
)

// The test program is its own child: see TestProcesses and TestTuneProcesses.
func TestMain(m *testing.M) {
	if dir := os.Getenv("NEREID_TEST_CHILD"); dir != "" {
		child(dir)
		return
	}
	if dir := os.Getenv("NEREID_TEST_TUNE"); dir != "" {
		tuneChild(dir)
		return
	}
	os.Exit(m.Run())
}

const pair = `
import triton
import triton.language as tl

FACTOR = tl.constexpr(3)

@triton.jit
def times(x, C: tl.constexpr):
    return x * C * FACTOR

@triton.jit
def k(x_ptr, n, C: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, times(x, C), mask=i < n)
`

func openCache(t testing.TB, o nereid.CacheOptions) *nereid.Cache {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	c, err := nereid.OpenCache(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// needLLVM skips a test of what only a compiler of machine code keeps.
func needLLVM(t testing.TB) {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
}

// compiled launches k of a file with C, checks the result, and reports how many kernels were compiled.
func compiled(t testing.TB, c *nereid.Cache, s *nereid.Stream, file, src string, factor, constant int,
	args ...any) int64 {
	t.Helper()
	m, err := nereid.Parse(file, []byte(src), nereid.With(nereid.Config{Cache: c}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	before := c.Stats().Compiled
	x := append(make([]int32, 0, 16), 1, 2, 3) // aligned: on the CPU, addresses are Go's
	if err := k.Launch(s, nereid.Grid{1}, append([]any{nereid.FromSlice(x), 3, constant, 4},
		args...)...); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(x), fmt.Sprint([]int{factor * constant, 2 * factor * constant,
		3 * factor * constant}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	return c.Stats().Compiled - before
}

// A kernel is compiled again if anything that its code depends on has changed, and only then.
func TestCacheKey(t *testing.T) {
	needLLVM(t)
	c, s := openCache(t, nereid.CacheOptions{}), stream(t, "cpu")
	if compiled(t, c, s, "k.py", pair, 3, 2) != 1 {
		t.Fatal("the cache is not empty")
	}
	other := strings.Replace(pair, "FACTOR = tl.constexpr(3)", "FACTOR = tl.constexpr(5)", 1)
	for _, tc := range []struct {
		what         string
		file, src    string
		factor, C    int
		device, opts string
		want         int64
	}{
		{what: "nothing"},
		{what: "the file's name", file: "elsewhere/other.py"},
		{what: "a comment and another function", src: "# new\n\n" + pair +
			"\n@triton.jit\ndef unused(x):\n    return x\n"},
		{what: "a constant of the file", src: other, factor: 5, want: 1},
		{what: "a compile-time argument", C: 7, want: 1},
		{what: "what is called", src: strings.Replace(pair, "x * C * FACTOR", "x * FACTOR * C + 0 * x", 1),
			want: 1},
		{what: "the device", device: "sim:80", want: 1},
		{what: "the architecture", device: "sim:89", want: 1},
		{what: "an option", opts: "warps", want: 1},
	} {
		t.Run(tc.what, func(t *testing.T) {
			file, src, factor, constant, to := "k.py", pair, 3, 2, s
			if tc.file != "" {
				file = tc.file
			}
			if tc.src != "" {
				src = tc.src
			}
			if tc.factor != 0 {
				factor = tc.factor
			}
			if tc.C != 0 {
				constant = tc.C
			}
			if tc.device != "" {
				to = stream(t, tc.device)
			}
			var args []any
			if tc.opts != "" {
				args = append(args, nereid.Options{NumWarps: 2})
			}
			if got := compiled(t, c, to, file, src, factor, constant, args...); got != tc.want {
				t.Errorf("%d compilations, want %d", got, tc.want)
			}
			if got := compiled(t, c, to, file, src, factor, constant, args...); got != 0 {
				t.Errorf("%d compilations the second time", got)
			}
		})
	}
}

// Where an assertion stands is part of what it says.
func TestCacheLines(t *testing.T) {
	needLLVM(t)
	c, s := openCache(t, nereid.CacheOptions{}), stream(t, "cpu")
	src := strings.Replace(pair, "    i = tl.arange",
		"    tl.device_assert(n > 0, \"n\")\n    i = tl.arange", 1)
	debug := nereid.Options{Debug: nereid.DebugOn}
	if compiled(t, c, s, "k.py", src, 3, 2, debug) != 1 || compiled(t, c, s, "k.py", src, 3, 2, debug) != 0 {
		t.Error("not kept")
	}
	if compiled(t, c, s, "k.py", "\n"+src, 3, 2, debug) != 1 {
		t.Error("the assertion's line is not in the key")
	}
}

// Code for GPUs says its lines, so where a kernel stands is in its key, unless the configuration wants no
// lines.
func TestCacheNoLines(t *testing.T) {
	needLLVM(t)
	s := stream(t, "sim:80")
	count := func(c *nereid.Cache, conf nereid.Config, file, src string) (lines int) {
		t.Helper()
		var ptx string
		conf.Cache, conf.Dump = c, t.TempDir()
		m, err := nereid.Parse(file, []byte(src), nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		x := append(make([]int32, 0, 16), 1, 2, 3)
		if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), 3, 2, 4); err != nil || x[2] != 18 {
			t.Fatal(x, err)
		}
		for _, f := range glob(t, conf.Dump, "k-*/k.ptx") {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			ptx += string(data)
		}
		return strings.Count(ptx, ".loc")
	}
	for _, none := range []bool{false, true} {
		c, conf := openCache(t, nereid.CacheOptions{}), nereid.Config{NoLines: none}
		lines := count(c, conf, "k.py", pair)
		if (lines == 0) != none {
			t.Errorf("none wanted: %v; %d lines in the PTX", none, lines)
		}
		count(c, conf, "elsewhere/k.py", "\n"+pair)
		if n := c.Stats().Compiled; (n == 1) != none {
			t.Errorf("none wanted: %v; moved, compiled %d times", none, n)
		}
	}
}

func glob(t testing.TB, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	return files
}

// The folder moved, read-only, damaged or not there at all: the result is right, and nothing but time is
// lost.
func TestCacheFolder(t *testing.T) {
	needLLVM(t)
	s := stream(t, "sim:80")
	dir := filepath.Join(t.TempDir(), "a")
	c := openCache(t, nereid.CacheOptions{Dir: dir})
	for i := range 4 {
		compiled(t, c, s, "k.py", pair, 3, i+1)
	}
	moved := filepath.Join(t.TempDir(), "somewhere", "else")
	if err := os.MkdirAll(filepath.Dir(moved), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	c = openCache(t, nereid.CacheOptions{Dir: moved, ReadOnly: true})
	for i := range 4 {
		if compiled(t, c, s, "k.py", pair, 3, i+1) != 0 {
			t.Error("compiled again after the folder was moved")
		}
	}
	entries, _ := filepath.Glob(filepath.Join(moved, "*", "k-*.kernel"))
	if len(entries) != 4 {
		t.Fatalf("entries: %v", entries)
	}
	text, err := os.ReadFile(entries[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"source", "ttir", "ttgir", "llir", "ptx"} {
		if !bytes.Contains(text, []byte("-- "+stage+", ")) {
			t.Errorf("an entry has no stage %s", stage)
		}
	}
	if bytes.Contains(text, []byte(moved)) || bytes.Contains(text, []byte(dir)) {
		t.Error("an entry names the folder it is in")
	}
	r := rand.New(rand.NewSource(2))
	c = openCache(t, nereid.CacheOptions{Dir: moved})
	for round := range 20 {
		file := entries[round%4]
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[r.Intn(len(data))] ^= 0x41
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for i := range 4 {
			n += compiled(t, c, s, "k.py", pair, 3, i+1)
		}
		if n != 1 {
			t.Fatalf("round %d: %d kernels were compiled after one entry was damaged", round, n)
		}
	}
	c = openCache(t, nereid.CacheOptions{Dir: "/proc/none"})
	if compiled(t, c, s, "k.py", pair, 3, 2) != 1 {
		t.Error("a folder that cannot be has an entry")
	}
}

// NEREID_ALWAYS_COMPILE and its like compile what is kept already; stages are dumped from entries too.
func TestAlwaysCompile(t *testing.T) {
	needLLVM(t)
	s, c := stream(t, "sim:80"), openCache(t, nereid.CacheOptions{})
	compiled(t, c, s, "k.py", pair, 3, 2)
	dir := t.TempDir()
	for _, always := range []bool{false, true} {
		var stages strings.Builder
		m, _ := nereid.Parse("k.py", []byte(pair),
			nereid.With(nereid.Config{Cache: c, AlwaysCompile: always, Timing: &stages, Dump: dir}))
		k, _ := m.Kernel("k")
		if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice([]int32{1, 2, 3}), 3, 2, 4); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(stages.String(), "ptx"); got != always {
			t.Errorf("always %v: stages %q", always, &stages)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "k-*", "k.ptx")); len(files) != 1 {
		t.Errorf("dumped: %v", files)
	}
}

// 64 goroutines, 200 launches each, 40 specialisations, a cold cache: 40 compilations.
func TestCompileOnce(t *testing.T) {
	for _, device := range []string{"interp", "cpu", "sim:80"} {
		t.Run(device, func(t *testing.T) {
			s, c := stream(t, device), openCache(t, nereid.CacheOptions{})
			launches := 200
			if device == "sim:80" {
				launches = 40 // each specialisation once: simulated launches are slow
			}
			var stages lockedBuilder
			m, err := nereid.Parse("k.py", []byte(pair),
				nereid.With(nereid.Config{Cache: c, Timing: &stages}))
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for g := range 64 {
				wg.Go(func() {
					for i := range launches {
						constant := 1 + (i*7+g)%40
						x := append(make([]int32, 0, 16), 1, 2) // aligned: on the CPU, addresses are Go's
						if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), 2, constant,
							2); err != nil {
							t.Error(err)
							return
						}
						if x[1] != int32(6*constant) {
							t.Errorf("C = %d: %v", constant, x)
						}
					}
				})
			}
			wg.Wait()
			if n := strings.Count(stages.String(), "k source"); n != 40 {
				t.Errorf("40 specialisations were compiled %d times", n)
			}
			if n := c.Stats().Compiled; device != "interp" && n != 40 {
				t.Errorf("the cache saw %d compilations", n)
			}
		})
	}
}

// Code that nobody can launch any more goes; what is still held, by a plan or a bound kernel, stays.
func TestDiscard(t *testing.T) {
	s := stream(t, "cpu")
	x, y, out := tensors(t, s.Device(), 64)
	var bound *nereid.Bound
	for i := range 20 {
		m, err := nereid.LoadFS(kernels.Files, "vector_add.py", nereid.With(nereid.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("add_kernel")
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Launch(s, nereid.Grid{4}, x, y, out, 64, 16); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if bound, err = k.Bind(s, x, y, out, 64, 16); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
	}
	if err := bound.Launch(nereid.Grid{4}); err != nil || at(t, out, 63) != 693 {
		t.Error(err, at(t, out, 63))
	}
	bound.Close()
}

type lockedBuilder struct {
	mu sync.Mutex
	strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}

// child is a process of TestProcesses: it launches five kernels on two devices and prints how many of them
// it compiled.
func child(dir string) {
	c, err := nereid.OpenCache(nereid.CacheOptions{Dir: dir, Wait: time.Minute}) // a loaded machine is slow
	if err != nil {
		fmt.Println(err)
		return
	}
	t := &childT{}
	s := stream(t, "sim:80")
	n := int64(0)
	for i := range 5 {
		n += compiled(t, c, s, "k.py", pair, 3, i+1)
	}
	for i := range 5 {
		n += compiled(t, c, stream(t, "cpu"), "k.py", pair, 3, i+1)
	}
	fmt.Printf("compiled %d%s", n, &t.said)
}

// childT is a testing.TB without a test.
type childT struct {
	testing.TB
	said strings.Builder
}

func (*childT) Helper()                          {}
func (*childT) Cleanup(func())                   {}
func (t *childT) Errorf(format string, a ...any) { fmt.Fprintf(&t.said, " "+format, a...) }
func (t *childT) Fatal(a ...any)                 { fmt.Println(a...); os.Exit(1) }
func (t *childT) Skip(a ...any)                  { fmt.Println(a...); os.Exit(1) }

// Eight processes at once on an empty cache compile each kernel once.
func TestProcesses(t *testing.T) {
	needLLVM(t)
	dir := t.TempDir()
	outs := make([]bytes.Buffer, 8)
	var wg sync.WaitGroup
	for i := range outs {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NEREID_TEST_CHILD="+dir)
		cmd.Stdout = &outs[i]
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("%v: %s", err, &outs[i])
			}
		})
	}
	wg.Wait()
	total := 0
	for i := range outs {
		var n int
		if _, err := fmt.Sscanf(outs[i].String(), "compiled %d", &n); err != nil ||
			strings.Count(outs[i].String(), " ") != 1 {
			t.Errorf("a process says %q", outs[i].String())
		}
		total += n
	}
	if total != 10 {
		t.Errorf("10 kernels were compiled %d times", total)
	}
}
