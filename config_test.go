package nereid_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// stream is a new stream of a device; the test is skipped where the device is not here.
func stream(t testing.TB, device string) *nereid.Stream {
	t.Helper()
	dev := txtest.Device(t, device, nereid.OpenDevice)
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func kernelWith(t testing.TB, name string, conf nereid.Config) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, "scale.py", source, name, nereid.With(conf))
}

// TestDumpAndOverride: stages are dumped, and an edited stage takes the place of the compiler's, at every
// stage of the simulated GPU and of the interpreter.
func TestDumpAndOverride(t *testing.T) {
	// Each edit turns x * factor into x + factor, at its own stage.
	for _, c := range []struct{ device, stage, old, new string }{
		{"interp", "source", "arith.mulf", "arith.addf"},
		{"interp", "ttir", "arith.mulf", "arith.addf"},
		{"sim:80", "ttgir", "arith.mulf", "arith.addf"},
		{"sim:80", "llir", "fmul", "fadd"},
		{"sim:80", "ptx", "mul(.rn)?.f32", "add.f32"},
	} {
		t.Run(c.device+"/"+c.stage, func(t *testing.T) {
			s := stream(t, c.device)
			dir := t.TempDir()
			launch := func(conf nereid.Config) string {
				x := []float32{1, 2, 3, 4}
				if err := kernelWith(t, "scale", conf).Launch(s, nereid.Grid{1}, nereid.FromSlice(x), 4,
					10.0); err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(x)
			}
			if got := launch(nereid.Config{Dump: dir}); got != "[10 20 30 40]" {
				t.Fatal(got)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "scale-*", "scale."+c.stage))
			if len(files) != 1 {
				t.Fatalf("no dump of %s: %v", c.stage, files)
			}
			other := t.TempDir() // with the edited stage alone: whatever is there counts
			edit(t, files[0], filepath.Join(other, strings.TrimPrefix(files[0], dir)), c.old, c.new)
			if got := launch(nereid.Config{Override: other}); got != "[11 12 13 14]" {
				t.Error(got)
			}
		})
	}
}

func edit(t *testing.T, file, to, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile(old).ReplaceAll(text, []byte(new))
	if bytes.Equal(text, changed) {
		t.Fatalf("%s has no %s:\n%s", file, old, text)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, changed, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A stage that does not parse is an error, not a panic.
func TestBadOverride(t *testing.T) {
	s := stream(t, "interp")
	dir := t.TempDir()
	x := nereid.FromSlice(make([]float32, 4))
	if err := kernelWith(t, "scale", nereid.Config{Dump: dir}).Launch(s, nereid.Grid{1}, x, 4,
		1.0); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "scale.ttir"))
	edit(t, files[0], files[0], "arith.mulf", "arith.mlf")
	err := kernelWith(t, "scale", nereid.Config{Override: dir}).Launch(s, nereid.Grid{1}, x, 4, 1.0)
	if err == nil || !strings.Contains(err.Error(), "scale.ttir:") {
		t.Errorf("got %v", err)
	}
}

func TestEnvConfig(t *testing.T) {
	t.Setenv("NEREID_DUMP", "1")
	t.Setenv("NEREID_TIMING", "1")
	t.Setenv("NEREID_OVERRIDE_DIR", "x")
	if c := nereid.EnvConfig(); c.Dump != "nereid-dump" || c.Timing != os.Stderr || c.Override != "x" ||
		c.Debug || c.NoLines || c.Verify || c.DumpPasses != nil {
		t.Errorf("%+v", c)
	}
	t.Setenv("NEREID_LINES", "0")
	t.Setenv("NEREID_VERIFY", "1")
	t.Setenv("NEREID_DUMP_PASSES", "tritongpu-coalesce,cse")
	t.Setenv("NEREID_REPRODUCER_DIR", "y")
	if c := nereid.EnvConfig(); !c.NoLines || !c.Verify || len(c.DumpPasses) != 2 || c.Reproducers != "y" {
		t.Errorf("%+v", c)
	}
	t.Setenv("NEREID_INTERPRET", "1")
	if d, err := nereid.OpenDevice(""); err != nil || d.String() != "interp" {
		t.Error(d, err)
	}
	t.Setenv("NEREID_INTERPRET", "")
	t.Setenv("NEREID_DEVICE", "abacus")
	if _, err := nereid.OpenDevice(""); err == nil {
		t.Error("a device that is not there was opened")
	}
	var b strings.Builder
	x := nereid.FromSlice(make([]float32, 4))
	if err := kernelWith(t, "scale", nereid.Config{Timing: &b}).Launch(stream(t, "interp"), nereid.Grid{1}, x,
		4, 1.0); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^scale source [\d.]+ ms\nscale ttir [\d.]+ ms\n$`).MatchString(b.String()) {
		t.Error(b.String())
	}
}

// The environment asks for a logger, and for stages to print.
func TestEnvLog(t *testing.T) {
	for level, want := range map[string][2]bool{"": {}, "off": {}, "warn": {}, "info": {true, false},
		"debug": {true, true}} {
		t.Setenv("NEREID_LOG", level)
		log := nereid.EnvConfig().Logger
		if logs := level != "" && level != "off"; log != nil != logs {
			t.Errorf("NEREID_LOG=%s: a logger %v", level, log != nil)
		}
		for i, l := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
			if log != nil && log.Enabled(t.Context(), l) != want[i] {
				t.Errorf("NEREID_LOG=%s: level %v is enabled %v", level, l, !want[i])
			}
		}
	}
	t.Setenv("LLVM_IR_ENABLE_DUMP", "1")
	if got := nereid.EnvConfig().PrintStages; !slices.Equal(got, []string{"llir"}) {
		t.Errorf("stages %q", got)
	}
}

// Stages are printed as they are made.
func TestPrintStages(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stderr := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = stderr }()
	k := sharedKernel(t, "vector_add.py", "add_kernel", nereid.With(nereid.Config{
		PrintStages: []string{"ttgir", "ptx"}}))
	_, err = k.CompileFor(t.Context(), "cuda:90", addSignature, nereid.Options{}, "ptx")
	os.Stderr = stderr
	if err != nil {
		t.Fatal(err)
	}
	text := txtest.Read(t, file.Name())
	for _, want := range []string{"// ttgir for ", "tt.func public @add_kernel", "// ptx for ",
		".visible .entry add_kernel("} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not printed", want)
		}
	}
	if strings.Contains(text, "// llir for") {
		t.Error("a stage that nobody asked for is printed")
	}
}
