package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/simdriver"
)

// formSettings make small launches choose forms that only large ones would.
func formSettings(t *testing.T) {
	t.Helper()
	t.Setenv("NEREID_PTXAS", filepath.Join(t.TempDir(), "none"))
	t.Setenv("NEREID_TILE_LOADS", "all")
	t.Setenv("NEREID_MERGE_PROGRAMS", "4")
}

// TestAOTFormsInC: launches from C choose among all forms of a variant's code, and run the general one where
// no other is right, in the simulator, by the C form and by a shared library.
func TestAOTFormsInC(t *testing.T) {
	quickCC(t)
	formSettings(t)
	table := filepath.FromSlash("testdata/c/forms.toml")
	source, err := filepath.Abs("testdata/c/forms.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, forms := range []string{"all", "general"} {
		dir := t.TempDir()
		var out, left bytes.Buffer
		args := []string{"aot", table, "--c", dir, "--targets", "cuda:90", "--forms", forms}
		if code := Main(args, nil, &out, &left); code != 0 {
			t.Fatal(left.String())
		}
		if told := strings.Contains(left.String(), "stored for cuda:90, its form fallback: it must know "+
			"that tensors do not overlap"); told != (forms == "all") {
			t.Errorf("forms %s that are left out: %s", forms, &left)
		}
		gcc(t, dir, "-I.", source, "forms.c", "-o", "static", "-lm", "-ldl", "-lpthread")
		nereidMain(t, "aot", table, "--so", filepath.Join(dir, "libforms.so"), "--targets", "cuda:90",
			"--forms", forms)
		gcc(t, dir, "-I.", source, "-L.", "-lforms", "-Wl,-rpath,$ORIGIN", "-o", "shared", "-ldl")
		for _, program := range []string{"static", "shared"} {
			d, env := simdriver.New(t)
			cmd := exec.Command(filepath.Join(dir, program))
			cmd.Env = append(os.Environ(), env...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), "23 launches, 0 bad\n") {
				t.Errorf("%s with forms %s: %v\n%s", program, forms, err, out)
			}
			expectForms(t, d, forms == "all")
		}
	}
}

// expectForms looks for launches of forms: merged programs have a smaller grid.
func expectForms(t *testing.T, d *simdriver.Driver, all bool) {
	t.Helper()
	text := strings.Join(d.Launched, "\n")
	for _, l := range []string{"add 2,1,1 ", "add 250,1,1 ", "strided 2,1,1 "} {
		if strings.Contains(text, l) != all {
			t.Errorf("a launch of %s: %v, want %v\n%s", l, !all, all, text)
		}
	}
	modules := map[string]bool{}
	for _, l := range d.Launched {
		_, module, _ := strings.Cut(l, " of ")
		modules[module] = true
	}
	if n := len(modules); all && n < 10 || !all && n != 6 {
		t.Errorf("%d modules ran:\n%s", n, text)
	}
	t.Log(text)
}

// TestONNXForms: operators of ONNX Runtime launch forms of their code, and give right results, in the
// simulator.
func TestONNXForms(t *testing.T) {
	quickCC(t)
	formSettings(t)
	dir := t.TempDir()
	lib := filepath.Join(dir, "libprovider.so")
	nereidMain(t, "aot", fewOperators(t, dir, `["fp32"]`), "--so", lib, "--onnx", "--targets", "cuda:90",
		"--forms", "all")
	source, err := filepath.Abs("testdata/c/provider.c")
	if err != nil {
		t.Fatal(err)
	}
	gcc(t, dir, "-std=gnu11", source, "-o", "provider", "-lm", "-ldl")
	d, env := simdriver.New(t)
	cmd := exec.Command(filepath.Join(dir, "provider"), lib, "cuda")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "3 operators, 18 checks, 0 wrong\n") {
		t.Errorf("%v\n%s", err, out)
	}
	// 40 rows are merged by fours; 6 are no multiple of that
	text := strings.Join(d.Launched, "\n")
	for _, l := range []string{"rms_norm_kernel 10,1,1 ", "softmax_kernel 6,1,1 "} {
		if !strings.Contains(text, l) {
			t.Errorf("there is no launch of %s:\n%s", l, text)
		}
	}
}
