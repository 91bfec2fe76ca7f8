package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/simdriver"
)

// TestAOTHIPInC builds the softmax table for AMD's GPUs as C and as a shared library. Programs of C launch it
// through a runtime whose kernels run in the emulator, and find right results; another chip gets an error.
func TestAOTHIPInC(t *testing.T) {
	quickCC(t)
	dir := t.TempDir()
	table := filepath.FromSlash("../examples/softmax-op/softmax.py")
	source, err := filepath.Abs("testdata/c/softmax.c")
	if err != nil {
		t.Fatal(err)
	}
	only := []string{"--targets", "hip:gfx942", "--only",
		"softmax_fp32_1024,softmax_fp32_4096,softmax_fp16_1024"}
	nereidMain(t, append([]string{"aot", table, "--c", dir}, only...)...)
	gcc(t, dir, "-I.", source, "softmax.c", "-o", "static", "-lm", "-ldl", "-lpthread")
	nereidMain(t, append([]string{"aot", table, "--so", filepath.Join(dir, "libsoftmax.so")}, only...)...)
	gcc(t, dir, "-I.", source, "-L.", "-lsoftmax", "-Wl,-rpath,$ORIGIN", "-o", "shared", "-lm", "-ldl")
	run := func(program string, env []string) (string, error) {
		cmd := exec.Command(filepath.Join(dir, program), "hip")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, program := range []string{"static", "shared"} {
		d, env := simdriver.NewHIP(t)
		out, err := run(program, env)
		if err != nil || !strings.HasSuffix(out, "3 variants, 0 bad\n") {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
		if len(d.Launched) != 3 || !strings.HasPrefix(d.Launched[0], "softmax_kernel 5,1,1 x ") {
			t.Errorf("%s: %v", program, d.Launched)
		}
	}
	_, env := simdriver.NewHIP(t)
	out, err := run("static", append(env, "NEREID_SIM_CHIP=gfx1100"))
	if err == nil || !strings.Contains(out, "softmax_fp32_1024 has no code for this GPU (gfx1100)") {
		t.Errorf("another chip: %v\n%s", err, out)
	}
	out, err = run("shared", []string{"NEREID_HIP=/nowhere"})
	if err == nil || !strings.Contains(out, "no runtime") {
		t.Errorf("no runtime: %v\n%s", err, out)
	}
}

// TestONNXHIP: operators for AMD's GPUs give right results, in the emulator, to a program that plays ONNX
// Runtime's part.
func TestONNXHIP(t *testing.T) {
	quickCC(t)
	dir := t.TempDir()
	lib := filepath.Join(dir, "libprovider.so")
	nereidMain(t, "aot", fewOperators(t, dir, `["fp32"]`), "--so", lib, "--onnx", "--targets", "hip:gfx942")
	source, err := filepath.Abs("testdata/c/provider.c")
	if err != nil {
		t.Fatal(err)
	}
	gcc(t, dir, "-std=gnu11", source, "-o", "provider", "-lm", "-ldl")
	d, env := simdriver.NewHIP(t)
	cmd := exec.Command(filepath.Join(dir, "provider"), lib, "hip")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "3 operators, 18 checks, 0 wrong\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if text := strings.Join(d.Launched, "\n"); !strings.Contains(text, "softmax_kernel 6,1,1 ") {
		t.Errorf("there is no launch of softmax_kernel:\n%s", text)
	}
}
