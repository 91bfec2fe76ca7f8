// Package test builds programs in C and C++ against the library and runs them.
//
// NEREID_CAPI_DIR names a folder with a library that is built already; NEREID_TEST_DEVICE names another
// device than the CPU.
package test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// path returns a path below the repository's folder. The module's own is capi.
func path(t *testing.T, elem ...string) string {
	t.Helper()
	return filepath.Join(append([]string{txtest.Root(t), ".."}, elem...)...)
}

// command runs a command and returns what it printed.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args[:min(len(args), 4)], " "), err, out)
	}
	return string(out)
}

var built struct {
	sync.Once
	dir string
	ok  bool
}

// library returns the folder with the library, built once for all tests.
func library(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("NEREID_CAPI_DIR"); dir != "" {
		return dir
	}
	for _, name := range []string{"cc", "c++", "ld", "objcopy", "ar"} {
		txtest.Tool(t, name)
	}
	built.Do(func() {
		dir, err := os.MkdirTemp("", "nereid-capi")
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
		command(t, path(t), nil, path(t, "scripts", "build-capi"), dir)
		built.ok = true
	})
	if !built.ok {
		t.Fatal("the library could not be built")
	}
	return built.dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range []string{built.dir, replayed.dir} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// language is a compiler and the language that it takes the programs for.
type language struct {
	name, compiler string
	flags          []string
}

var languages = []language{
	{"C", "cc", []string{"-std=gnu11", "-x", "c"}},
	{"C++", "c++", []string{"-std=c++17", "-x", "c++"}},
}

// sources of the program.
var sources = []string{"program.c", "where.c", "case.c", "wrong.c", "others.c", "features.c"}

// compile builds a program in a language, against the shared library or, with static, the archive.
func (l language) compile(t *testing.T, static bool, files []string, flags ...string) string {
	t.Helper()
	cc, lib, out := txtest.Tool(t, l.compiler), library(t), filepath.Join(t.TempDir(), "program")
	args := append([]string{"-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", lib}, l.flags...)
	for _, f := range files {
		args = append(args, path(t, "capi", "test", "programs", f))
	}
	args = append(append(args, flags...), "-x", "none", "-o", out)
	if static {
		args = append(args, filepath.Join(lib, "libnereid.a"))
	} else {
		args = append(args, "-L", lib, "-lnereid", "-Wl,-rpath,"+lib)
	}
	command(t, "", nil, cc, append(args, "-ldl", "-lpthread")...)
	return out
}

// environment returns the variables of a program: nothing outside of the test's folder is written.
func environment(t *testing.T) []string {
	t.Helper()
	return []string{"NEREID_CACHE_DIR=" + filepath.Join(t.TempDir(), "cache")}
}

var replayed struct {
	sync.Once
	dir string
}

// replaying returns the variables of a program that replays launches. All such programs share a cache: the
// first compiles the kernels, the others find them.
func replaying(t *testing.T, env []string) []string {
	t.Helper()
	replayed.Do(func() {
		dir, err := os.MkdirTemp("", "nereid-capi-cache")
		if err != nil {
			t.Fatal(err)
		}
		replayed.dir = dir
	})
	return append(slices.Clip(env), "NEREID_CACHE_DIR="+replayed.dir)
}

// device returns the device that programs run on.
func device() string {
	if d := os.Getenv("NEREID_TEST_DEVICE"); d != "" {
		return d
	}
	return "cpu"
}

// cases writes all recorded launches for the program.
func cases(t *testing.T) (list []*recorded, files []string) {
	t.Helper()
	paths, err := filepath.Glob(path(t, "testdata", "replay", "*.safetensors"))
	if err != nil || len(paths) != 66 {
		t.Fatalf("%d recorded launches, %v", len(paths), err)
	}
	dir := t.TempDir()
	for _, p := range paths {
		r := writeCase(t, dir, p)
		list, files = append(list, r), append(files, r.file)
	}
	return list, files
}

// TestPrograms runs the program in both languages: recorded launches, wrong calls, a broken kernel, threads,
// fork, and everything else in nereid.h.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			program, env := l.compile(t, l.name == "C++", sources), environment(t)
			list, files := cases(t)
			run := func(cmd string, args ...string) string {
				t.Helper()
				env := env
				if len(args) > 1 { // launches to replay
					env = replaying(t, env)
				}
				out := command(t, path(t), env, program, append([]string{device(), cmd}, args...)...)
				if !strings.HasSuffix(out, "ok "+cmd+"\n") {
					t.Errorf("%s: %s", cmd, out)
				}
				return out
			}
			run("replay", files...)
			for _, r := range list {
				r.compare(t)
			}
			run("threads", files[20:40]...)
			if out := run("wrong"); !strings.Contains(out, ", 0 answered badly") {
				t.Error(out)
			}
			if out := run("broken"); !strings.Contains(out, "softmax.py:8:") || !strings.Contains(out, "^") {
				t.Error(out)
			}
			run("stray")
			run("fork")
			run("features", t.TempDir())
		})
	}
}

// TestStubDriver runs the program on a stub of the CUDA driver, with the primary context and with one of the
// program's own: kernels do nothing, but every call is made, and a function of one context cannot be launched
// in another.
func TestStubDriver(t *testing.T) {
	program, env := languages[0].compile(t, false, sources), environment(t)
	env = append(env, "NEREID_CUDA="+stub.Build(t))
	for _, device := range []string{"cuda:0", "context:0"} {
		for _, cmd := range []string{"wrong", "broken", "threads", "stray", "fork"} {
			command(t, path(t), env, program, device, cmd)
		}
		command(t, path(t), env, program, device, "features", t.TempDir())
	}
	t.Log(command(t, path(t), append(env, "NEREID_STUB_STRICT=2"), program, "cuda:0", "closing"))
	bench := languages[0].compile(t, false, []string{"bench.c"})
	t.Log("\n" + command(t, "", env, bench))
}

// TestSanitizer runs the program under the sanitizers for addresses, leaks and undefined behaviour. They see
// the program's memory and all that the library allocates in C. At each commit it is this program's turn or
// that of TestHeaderSanitized.
func TestSanitizer(t *testing.T) {
	t.Parallel()
	if chosen := txtest.Sample(t, 2); !chosen(0) {
		return
	}
	program := languages[0].compile(t, false, sources, "-fsanitize=address,undefined",
		"-fno-sanitize-recover=all")
	env := environment(t)
	for _, cmd := range []string{"wrong", "broken", "threads", "stray", "fork"} {
		command(t, path(t), env, program, "cpu", cmd)
	}
	command(t, path(t), env, program, "cpu", "features", t.TempDir())
	_, files := cases(t)
	command(t, path(t), replaying(t, env), program, append([]string{"cpu", "replay"}, files[45:]...)...)
}

// TestGoProgram runs a Go program, which has a Go runtime of its own, on both forms of the library.
func TestGoProgram(t *testing.T) {
	t.Parallel()
	lib, program := library(t), filepath.Join(t.TempDir(), "program")
	shared, static := "-L"+lib+" -lnereid -Wl,-rpath,"+lib, lib+"/libnereid.a -ldl -lpthread"
	for _, flags := range []string{shared, static} {
		env := append(environment(t), "CGO_ENABLED=1", "CGO_CFLAGS=-I"+lib, "CGO_LDFLAGS="+flags)
		command(t, "", env, "go", "build", "-o", program,
			path(t, "capi", "test", "testdata", "gohost", "main.go"))
		if out := command(t, path(t), env, program); out != "ok\n" {
			t.Error(out)
		}
	}
}

// TestDocument runs the program in docs/C.md.
func TestDocument(t *testing.T) {
	t.Parallel()
	_, text, ok := strings.Cut(txtest.Read(t, path(t, "docs", "C.md")), "```c\n")
	text, _, ended := strings.Cut(text, "```")
	if !ok || !ended {
		t.Fatal("docs/C.md has no program")
	}
	lib, dir := library(t), t.TempDir()
	source, program := filepath.Join(dir, "program.c"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, "", nil, txtest.Tool(t, "cc"), "-Wall", "-Wextra", "-Werror", source, "-I", lib, "-L",
		lib, "-lnereid", "-Wl,-rpath,"+lib, "-o", program)
	if out := command(t, path(t), environment(t), program); out != "1998\n" {
		t.Error(out)
	}
}

// TestSymbols holds the libraries to the functions of nereid.h: nothing else is visible.
func TestSymbols(t *testing.T) {
	lib := library(t)
	header := txtest.Read(t, filepath.Join(lib, "nereid.h"))
	f, err := elf.Open(filepath.Join(lib, "libnereid.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range list {
		if s.Section == elf.SHN_UNDEF {
			continue
		}
		if n++; !strings.Contains(header, s.Name+"(") {
			t.Errorf("%s is visible, and nereid.h does not have it", s.Name)
		}
	}
	if n < 60 {
		t.Errorf("%d functions are visible", n)
	}
	for _, line := range strings.Split(command(t, "", nil, txtest.Tool(t, "nm"), "-g", "--defined-only",
		filepath.Join(lib, "libnereid.a")), "\n") {
		if _, name, ok := strings.Cut(line, " T "); ok && !strings.HasPrefix(name, "nereid_") {
			t.Errorf("libnereid.a: %s is visible", name)
		}
	}
}
