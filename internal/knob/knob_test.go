package knob

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestDocs: docs/options.md is what the table says. -update writes it.
func TestDocs(t *testing.T) {
	var b strings.Builder
	WriteDocs(&b)
	txtest.Golden(t, txtest.Path(t, "docs", "options.md"), b.String())
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{{"1", true}, {"ON", true}, {"true", true}, {"0", false}, {"no", false}, {"", false}, {"maybe", false}} {
		t.Setenv(Dump.Name(), c.text)
		if got := Dump.Get(); got != c.want {
			t.Errorf("%q is read as %v", c.text, got)
		}
	}
	for text, want := range map[string]string{
		"100": "100", "1k": "1024", "1.5 MiB": "1572864", "2GB": "2000000000", "7b": "7", "0": "0",
		"-1": "error", "many": "error", "": "error", "nan": "error", "inf": "error", "1e300": "error",
	} {
		got := "error"
		if n, err := ParseSize(text); err == nil {
			got = fmt.Sprint(n)
		}
		if got != want {
			t.Errorf("ParseSize(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	got := fmt.Sprint(check([]string{
		"HOME=/", "NEREID_DUMP=perhaps", "NEREID_DUMPDIR=x", "NEREID_TIMING=1", "NEREID_DUMP_DIR=",
		"NEREID_ZZZZZZZZZZZZZZZ=1", "TRITON_INSTRUMENTATION_MODE=consan",
	}))
	want := "[NEREID_DUMP=perhaps: expected 1 or 0 NEREID_DUMPDIR is no variable of Nereid's: did you mean " +
		"NEREID_DUMP_DIR? NEREID_ZZZZZZZZZZZZZZZ is no variable of Nereid's " +
		"TRITON_INSTRUMENTATION_MODE=consan: " +
		"kernels are not instrumented here: NEREID_CHECK=1 checks accesses and overflow on every device, " +
		"and the simulated GPUs (sim:90, sim:gfx942) find races]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOnePlace: no other package reads the environment of users, and each variable that is declared is read
// by some package.
func TestOnePlace(t *testing.T) {
	root := txtest.Root(t)
	getenv := regexp.MustCompile(`os\.(Getenv|LookupEnv)\("(NEREID_\w+)"`)
	use := regexp.MustCompile(`\bknob\.(\w+)\.(Get|IsSet)\(`)
	used := map[string]bool{"CacheDir": true} // by CacheFolder
	for _, dir := range []string{".", "internal", "cmd"} {
		walk(t, filepath.Join(root, dir), dir == ".", func(path string, src []byte) {
			if m := getenv.FindSubmatch(src); m != nil && !strings.Contains(path, "txtest") &&
				!ofTests(string(m[2])) {
				t.Errorf("%s reads %s: declare it in internal/knob", path, m[2])
			}
			for _, m := range use.FindAllSubmatch(src, -1) {
				used[string(m[1])] = true
			}
		})
	}
	src, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += (text|flag|choice|size)\(`).FindAllSubmatch(src,
		-1) {
		if !used[string(m[1])] {
			t.Errorf("knob.%s is declared but read nowhere", m[1])
		}
	}
}

// walk calls f with the Go files of a folder that are not tests.
func walk(t *testing.T, dir string, flat bool, f func(path string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && flat && path != dir:
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err == nil {
			f(path, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTriton: Triton's variables count where ours are not set.
func TestTriton(t *testing.T) {
	dir := t.TempDir()
	set := func(kv ...string) {
		for _, r := range rows {
			t.Setenv(r.Name, "")
			for _, a := range r.Also {
				t.Setenv(a.name, "")
			}
		}
		for _, name := range []string{"TRITON_KERNEL_OVERRIDE", "TRITON_REDIS_HOST", "TRITON_REDIS_PORT"} {
			t.Setenv(name, "")
		}
		for i := 0; i < len(kv); i += 2 {
			t.Setenv(kv[i], kv[i+1])
		}
	}
	for _, c := range []struct {
		env  []string
		get  func() any
		want any
	}{
		{[]string{"TRITON_INTERPRET", "1"}, func() any { return Interpret.Get() }, true},
		{[]string{"TRITON_INTERPRET", "1", "NEREID_INTERPRET", "0"}, func() any {
			return Interpret.Get()
		}, false},
		{[]string{"TRITON_PTXAS_PATH", "/p"}, func() any { return PTXAS.Get() }, "/p"},
		{[]string{"TRITON_CACHE_DIR", dir}, func() any {
			return CacheDir.Get()
		}, filepath.Join(dir, "nereid")},
		{[]string{"TRITON_DUMP_DIR", dir}, func() any { return DumpDir.IsSet() }, false},
		{[]string{"TRITON_DUMP_DIR", dir, "TRITON_KERNEL_DUMP", "1"}, func() any {
			return DumpDir.Get()
		}, dir},
		{[]string{"TRITON_OVERRIDE_DIR", dir}, func() any { return OverrideDir.Get() }, ""},
		{[]string{"TRITON_OVERRIDE_DIR", dir, "TRITON_KERNEL_OVERRIDE", "1"}, func() any {
			return OverrideDir.Get()
		}, dir},
		{[]string{"TRITON_DISABLE_LINE_INFO", "1"}, func() any {
			return Lines.IsSet() && !Lines.Get()
		}, true},
		{[]string{"TRITON_DISABLE_LINE_INFO", "0"}, func() any { return Lines.IsSet() }, false},
		{[]string{"TRITON_FORCE_DISABLE_FP_FUSION", "1"}, func() any { return NoFPFusion.Get() }, true},
		{[]string{"TRITON_FORCE_DISABLE_FP_FUSION", "1", "TRITON_DEFAULT_FP_FUSION", "1"}, func() any {
			return NoFPFusion.Get()
		}, true},
		{[]string{"TRITON_FORCE_DISABLE_FP_FUSION", "0", "TRITON_DEFAULT_FP_FUSION", "0"}, func() any {
			return NoFPFusion.Get()
		}, true},
		{[]string{"TRITON_FORCE_DISABLE_FP_FUSION", "0"}, func() any { return NoFPFusion.Get() }, false},
		{[]string{"TRITON_DEFAULT_BACKEND", "nvidia"}, func() any { return Device.Get() }, "cuda:0"},
		{[]string{"MLIR_ENABLE_DUMP", "1"}, func() any { return DumpPasses.Get() }, "all"},
		{[]string{"MLIR_ENABLE_DUMP", "my_kernel"}, func() any { return DumpPasses.Get() }, ""},
		{[]string{"TRITON_LIBCUDA_PATH", dir}, func() any {
			return CUDA.Get()
		}, filepath.Join(dir, "libcuda.so.1")},
		{[]string{"TRITON_REPRODUCER_PATH", filepath.Join(dir, "x.mlir")}, func() any {
			return Reproducers.Get()
		}, dir},
		{[]string{"TRITON_REMOTE_CACHE_BACKEND", "triton.runtime.cache:RedisRemoteCacheBackend",
			"TRITON_REDIS_HOST", "h"},
			func() any { return CacheRedis.Get() }, "redis://h:6379/0"},
		{[]string{"TRITON_HOME", dir}, func() any { return CacheDir.Get() },
			filepath.Join(dir, ".triton", "cache", "nereid")},
		{[]string{"TRITON_HOME", dir}, func() any { return DumpDir.IsSet() }, false},
		{[]string{"TRITON_HOME", dir, "TRITON_KERNEL_DUMP", "1"}, func() any { return DumpDir.Get() },
			filepath.Join(dir, ".triton", "dump")},
		{[]string{"TRITON_HOME", dir, "TRITON_KERNEL_OVERRIDE", "1"}, func() any { return OverrideDir.Get() },
			filepath.Join(dir, ".triton", "override")},
		{[]string{"LLVM_IR_ENABLE_DUMP", "1", "NVPTX_ENABLE_DUMP", "1"}, func() any {
			return PrintStages.Get()
		}, "llir,ptx"},
		{[]string{"AMDGCN_ENABLE_DUMP", "1"}, func() any { return PrintStages.Get() }, "amdgcn"},
		{[]string{"AMDGCN_ENABLE_DUMP", "0"}, func() any { return PrintStages.Get() }, ""},
		{[]string{"LLVM_ENABLE_TIMING", "1"}, func() any { return Timing.Get() }, true},
		{[]string{"TRITON_DEBUG", "1"}, func() any { return Debug.Get() }, true},
		{[]string{"TRITON_LIBHIP_PATH", "/h"}, func() any { return HIP.Get() }, "/h"},
		{[]string{"TRITON_ALWAYS_COMPILE", "1"}, func() any { return AlwaysCompile.Get() }, true},
		{[]string{"TRITON_PRINT_AUTOTUNING", "1"}, func() any { return PrintTuning.Get() }, true},
		{[]string{"TRITON_KERNEL_DUMP", "1"}, func() any { return Dump.Get() }, true},
	} {
		set(c.env...)
		if got := c.get(); got != c.want {
			t.Errorf("%q: got %v, want %v", c.env, got, c.want)
		}
	}
}

// otherVariables are those that Triton 3.6's compiler reads besides knobs.py, as far as people set them.
const otherVariables = `TRITON_DEFAULT_BACKEND MLIR_ENABLE_DUMP MLIR_ENABLE_TIMING LLVM_ENABLE_TIMING
MLIR_ENABLE_DIAGNOSTICS MLIR_DUMP_PATH TRITON_REPRODUCER_PATH LLVM_IR_ENABLE_DUMP DISABLE_LLVM_OPT
LLVM_PASS_PLUGIN_PATH DISABLE_MMA_V3`

// TestKnobsOfTriton: each of Triton's variables counts for one of ours, or is in the list of those that have
// no counterpart, and not in both.
func TestKnobsOfTriton(t *testing.T) {
	here := map[string]int{}
	for _, r := range rows {
		for _, name := range strings.Split(r.Triton, ", ") {
			here[name] |= 1
		}
		for _, a := range r.Also {
			here[a.name] |= 1
		}
	}
	for _, u := range unread {
		here[u.Name] |= 2
	}
	names := strings.Fields(otherVariables)
	for _, k := range knobs36 {
		if k.variable != "" {
			names = append(names, k.variable)
		}
	}
	for _, name := range names {
		if n := here[name]; n != 1 && n != 2 {
			t.Errorf("%s: %d", name, n)
		}
	}
}

// TestKnobsFile: the table has each setting of the installed Triton's knobs.py, with its variable, and no
// other. What is honoured has a test, which names the variable.
func TestKnobsFile(t *testing.T) {
	python := txtest.Triton(t)
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(python),
		"../lib/python3*/site-packages/triton/knobs.py"))
	if len(files) != 1 {
		t.Fatalf("knobs.py is not where it is expected: %q", files)
	}
	src, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	group := ""
	class := regexp.MustCompile(`^class (?:(\w+)_knobs\(base_knobs\))?`)
	attr := regexp.MustCompile(`^    (\w+)(?:: [^=]*)? = (.*)`)
	env := regexp.MustCompile(`env_(\w+)(?:\[\w+\])?\(\s*"([^"]*)"`)
	text := strings.ReplaceAll(string(src), "env_str(\n", "env_str(")
	for line := range strings.Lines(text) {
		if m := class.FindStringSubmatch(line); m != nil {
			group = m[1]
		}
		m := attr.FindStringSubmatch(line)
		if m == nil || group == "" {
			continue
		}
		variable := ""
		if e := env.FindStringSubmatch(m[2]); e != nil {
			variable = e[2]
			if e[1] == "nvidia_tool" {
				variable = "TRITON_" + strings.ToUpper(strings.ReplaceAll(variable, "-", "_")) + "_PATH"
			}
		}
		want[group+"."+m[1]] = variable
	}
	for i := range knobs36 {
		k := &knobs36[i]
		if variable, ok := want[k.name]; !ok || variable != k.variable {
			t.Errorf("%s has the variable %q in the table, %q in knobs.py (%v)", k.name, k.variable, variable,
				ok)
		}
		delete(want, k.name)
		checkAnswer(t, k)
	}
	for name := range want {
		t.Errorf("the table has no %s", name)
	}
	t.Logf("%d settings", len(knobs36))
}

// checkAnswer checks that a setting has an answer, and that its test is there and names it.
func checkAnswer(t *testing.T, k *tritonKnob) {
	t.Helper()
	status, by := k.answer()
	if by == "" || by == "``" || (status == "honoured") != (k.test != "") {
		t.Errorf("%s: %s by %q, tested by %q", k.name, status, by, k.test)
	}
	if k.test == "" {
		return
	}
	var found []byte
	for _, pattern := range []string{"*_test.go", "internal/knob/*_test.go"} {
		files, _ := filepath.Glob(filepath.Join(txtest.Root(t), pattern))
		for _, f := range files {
			if src, err := os.ReadFile(f); err == nil && strings.Contains(string(src), "func "+k.test+"(t ") {
				found = src
			}
		}
	}
	if found == nil || !strings.Contains(string(found), k.variable) {
		t.Errorf("%s: no test %s has %s", k.name, k.test, k.variable)
	}
}

// TestRefused: variables that are refused are named, with what to do instead, unless they are off; those
// without a meaning are not.
func TestRefused(t *testing.T) {
	set := map[string]string{"PTXAS_OPTIONS": "-v", "DISABLE_LLVM_OPT": "0", "TRITON_STORE_BINARY_ONLY": "1",
		"AMDGCN_USE_BUFFER_OPS": "0", "TRITON_OVERRIDE_ARCH": "sm80", "TRITON_CACHE_DIR": "/x"}
	got := fmt.Sprint(refusals(func(name string) string { return set[name] }))
	const without = " is a variable of Triton's without a counterpart here: "
	want := "[TRITON_OVERRIDE_ARCH=sm80" + without + "nereid compile --target cuda:80 compiles for another " +
		"GPU PTXAS_OPTIONS=-v" + without + "the driver assembles, and takes no options; Options.MaxNReg " +
		"bounds registers AMDGCN_USE_BUFFER_OPS=0" + without + "the compiler chooses the form of accesses]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
