package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/tunable"
)

// softmaxBundle writes a bundle of softmax kernels for the CPU and returns its name.
func softmaxBundle(t *testing.T, blocks ...int) string {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	var list []aot.Variant
	for _, n := range blocks {
		list = append(list, aot.Variant{
			Name: fmt.Sprintf("softmax_fp16_%d", n), Group: "softmax_fp16", File: "../kernels/softmax.py",
			Kernel: "softmax_kernel", Signature: fmt.Sprintf("*fp16, *fp16, i32, i32, i32, %d", n),
		})
	}
	built, err := aot.Build(t.Context(), list, aot.BuildOptions{Targets: []string{"cpu"}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "softmax.nrb")
	if err := aot.WriteFile(name, func(w io.Writer) error {
		_, err := built.Writer.WriteTo(w)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return name
}

// nereidCommand runs a command line.
func nereidCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// softmaxArgs are the arguments of the softmax kernel for words of a shape.
var softmaxArgs = []string{"out_ptr=fp16[ROWSxCOLS]", "in_ptr=fp16[ROWSxCOLS]", "in_row_stride=COLS",
	"out_row_stride=COLS", "n_cols=COLS", "--grid", "ROWS", "--where", "COLS <= BLOCK_SIZE",
	"--device", "cpu", "--rep", "2ms"}

// The variants of a bundle and what the op picks: a table, objects, a picture.
func TestExploreBundle(t *testing.T) {
	file := softmaxBundle(t, 64, 256, 1024)
	picture := filepath.Join(t.TempDir(), "out.svg")
	args := append([]string{"explore-kernels", file, "--shapes", "ROWS=32,COLS=60", "--shapes",
		"ROWS=32,COLS=200"},
		softmaxArgs...)
	code, out, errs := nereidCommand(t, append(args, "--plot", picture)...)
	if code != 0 {
		t.Fatal(out, errs)
	}
	for _, want := range []string{
		"softmax_fp16 on cpu, tunable", "* softmax_fp16_", " ROWS=32 COLS=60 ",
		"not supported: --where COLS <= BLOCK_SIZE", "B/s -> softmax_fp16_",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "softmax_fp16_"); n != 8 || strings.Count(out, "* ") != 2 {
		t.Errorf("%d lines name a variant:\n%s", n, out)
	}
	if data, err := os.ReadFile(picture); err != nil || !strings.Contains(string(data), "softmax_fp16_1024") {
		t.Error(err)
	}
	code, out, errs = nereidCommand(t, append(args, "--json")...)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || len(lines) != 6 {
		t.Fatal(out, errs)
	} else {
		var x explored
		if err := json.Unmarshal([]byte(lines[0]), &x); err != nil || x.Median <= 0 || x.Rate <= 0 ||
			x.Unit != "B/s" || x.Shape["COLS"] != 60 {
			t.Error(x, err)
		}
	}
}

// What tune --bundle keeps, the next one finds; unknown groups and arguments are told.
func TestTuneBundle(t *testing.T) {
	file, dir := softmaxBundle(t, 64, 256, 1024), filepath.Join(t.TempDir(), "tuned")
	args := append([]string{"tune", "--bundle", file, "--dir", dir, "--shapes", "ROWS=32,COLS=60",
		"--op", "softmax", "--key", "type=fp16,rows=ROWS,cols=COLS"}, softmaxArgs...)
	code, first, errs := nereidCommand(t, args...)
	if code != 0 || !strings.HasPrefix(first, "softmax on cpu, ROWS=32 COLS=60\n* softmax_fp16_") {
		t.Fatal(first, errs)
	}
	if code, again, errs := nereidCommand(t, args...); code != 0 || again != first {
		t.Errorf("the times are\n%s, and were\n%s%s", again, first, errs)
	}
	_, out, errs := nereidCommand(t, "tune", "--dir", dir, "--list")
	if !strings.Contains(out, "for type=fp16, rows=32, cols=60") {
		t.Error(out, errs)
	}
	found(t, file, dir)
	for what, extra := range map[string][]string{
		`no group "softmax_fp32"`:          {"--group", "softmax_fp32"},
		`has no parameter "x"`:             {"x=1"},
		"goes without":                     {"--verify"},
		"no candidate of softmax supports": {"--shapes", "ROWS=32,COLS=6000"},
	} {
		code, out, errs := nereidCommand(t, append(args, extra...)...)
		if code == 0 || !strings.Contains(errs, what) {
			t.Errorf("%v: %d %s %s", extra, code, out, errs)
		}
	}
}

// found makes the op of a program that uses the bundle and the folder of the results, and expects it to find
// them.
func found(t *testing.T, file, dir string) {
	t.Helper()
	b, err := bundle.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	store, err := nereid.OpenTuneStore(nereid.TuneStoreOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		Type       nereid.DType
		Rows, Cols int
	}
	run := func(*tunable.Code, *nereid.Stream, int) error { return nil }
	list, err := tunable.Group(b, "softmax_fp16", tunable.Launch[int]{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	op, err := tunable.New("softmax", func(cols int) key { return key{nereid.Float16, 32, cols} },
		tunable.Options[int]{Mode: tunable.Use, Store: store}, list...)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := bundle.Device("cpu")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	results, err := op.Results(s, 60)
	if err != nil || results[0].Median == 0 || results[1].Median == 0 || b.Loaded() != 0 {
		t.Errorf("a program does not find the results: %+v, %v", results, err)
	}
}

// A table is compiled for the device and explored.
func TestExploreTable(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	table := filepath.Join(txtest.Root(t), "examples", "softmax-op", "softmax.py")
	args := append([]string{"explore-kernels", table, "--group", "softmax_fp16", "--shapes",
		"ROWS=4,COLS=1500"},
		softmaxArgs...)
	code, out, errs := nereidCommand(t, args...)
	if code != 0 || !strings.Contains(out, "softmax_fp16_1024") || !strings.Contains(out, "* softmax_fp16_") {
		t.Error(out, errs)
	}
}

// A block that is smaller than a row is the fastest of three, and wrong: neither explore-kernels nor tune
// chooses it, for a bundle as for the configs of a kernel, and both say why. The result file says so too.
func TestExploreWrong(t *testing.T) {
	file, dir := softmaxBundle(t, 1024, 32, 256), filepath.Join(t.TempDir(), "tuned")
	var args []string // without --where, which tells candidates that cannot be right
	for _, a := range softmaxArgs {
		if a == "--where" || a == "COLS <= BLOCK_SIZE" {
			continue
		}
		args = append(args, a)
	}
	args = append(args, "--shapes", "ROWS=64,COLS=200")
	kernel := "../kernels/softmax.py:softmax_kernel"
	for what, command := range map[string][]string{
		"bundle": {"explore-kernels", file},
		"kernel": {"explore-kernels", kernel, "--config", "BLOCK_SIZE=1024", "--config", "BLOCK_SIZE=32",
			"--config", "BLOCK_SIZE=256"},
		"tune": {"tune", "--bundle", file, "--dir", dir},
	} {
		code, out, errs := nereidCommand(t, append(command, args...)...)
		if code != 0 {
			t.Fatal(out, errs)
		}
		for line := range strings.Lines(out) {
			wrong := strings.Contains(line, "softmax_fp16_32") || strings.Contains(line, "BLOCK_SIZE: 32")
			if wrong != strings.Contains(line, "the results differ from those of softmax_") ||
				wrong && strings.HasPrefix(line, "*") {
				t.Errorf("%s: %s", what, line)
			}
		}
		if strings.Count(out, "the results differ") != 1 {
			t.Errorf("%s: %s", what, out)
		}
	}
	if _, out, _ := nereidCommand(t, "tune", "--dir", dir, "--export", filepath.Join(dir, "all")); out == "" {
		t.Error("nothing is exported")
	}
	data, err := os.ReadFile(filepath.Join(dir, "all"))
	if err != nil ||
		!strings.Contains(string(data), `"failed": "the results differ from those of softmax_fp16_1024`) {
		t.Errorf("%s %v", data, err)
	}
}
