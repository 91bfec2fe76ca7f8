package nvidia

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// serialized are ptxas' words about products of warp groups that it has to wait for, since registers of
// theirs are used in between.
var serialized = regexp.MustCompile(`\(C75\d\d\).*`)

// TestWarpGroupsFlow: products of warp groups in the sample kernels, from Triton's TTGIR and from our own,
// run on beside other instructions, as far as the assembler has a say, and nothing is spilled.
func TestWarpGroupsFlow(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	tool := needPtxas(t)
	c := Compiler{Capability: 90}
	for _, name := range []string{"matmul_f16", "matmul_bf16_relu", "matmul_f32_ragged", "attention_d64",
		"attention_d128_causal"} {
		for _, stage := range []string{"ttir", "ttgir"} {
			t.Run(name+"/"+stage, func(t *testing.T) {
				code := c.fromSample(t, "testdata/golden/cuda-90/"+name, stage)
				if !strings.Contains(string(code.PTX), "wgmma.mma_async") {
					t.Fatal("no product of a warp group")
				}
				file := filepath.Join(t.TempDir(), "kernel.ptx")
				if err := os.WriteFile(file, code.PTX, 0o600); err != nil {
					t.Fatal(err)
				}
				said, err := exec.Command(tool, "-v", "-arch", c.Arch(), file, "-o", file+
					".cubin").CombinedOutput()
				if err != nil || serialized.Match(said) ||
					!strings.Contains(string(said), " 0 bytes spill stores") {
					t.Errorf("%v\n%s", err, said)
				}
			})
		}
	}
}

// fromSample compiles a sample from a stage on.
func (c Compiler) fromSample(t *testing.T, path, stage string) *devnvidia.Code {
	t.Helper()
	in := sample(t, path, stage)
	if stage == "ttir" {
		if _, err := c.ttgir(in, nil); err != nil {
			t.Fatal(err)
		}
	}
	code, err := c.FromTTGIR(t.Context(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// sample is a golden's module at a stage.
func sample(t *testing.T, path, stage string) *target.Input {
	t.Helper()
	var meta struct {
		Name      string
		NumWarps  int `json:"num_warps"`
		NumStages int `json:"num_stages"`
	}
	if err := json.Unmarshal([]byte(txtest.Read(t, txtest.Path(t, path+".json"))), &meta); err != nil {
		t.Fatal(err)
	}
	file := txtest.Path(t, path+"."+stage)
	m, err := ir.Parse(diag.NewFileSet(), file, []byte(txtest.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	return &target.Input{Module: m, Kernel: meta.Name,
		Options: target.Options{NumWarps: meta.NumWarps, NumCTAs: 1, NumStages: max(1, meta.NumStages)}}
}

// TestNoWarpGroups: the environment can do without; what was compiled is kept apart.
func TestNoWarpGroups(t *testing.T) {
	c := Compiler{Capability: 90}
	with := c.fingerprint("22", 0)
	t.Setenv("NEREID_DISABLE_WGMMA", "1")
	if without := c.fingerprint("22", 0); without == with {
		t.Errorf("both are %q", with)
	}
	in := sample(t, "testdata/golden/cuda-90/matmul_bf16_relu", "ttir")
	if _, err := c.ttgir(in, nil); err != nil {
		t.Fatal(err)
	}
	if text := string(target.Text(in.Module)); strings.Contains(text, "ttng.warp_group_dot") ||
		!strings.Contains(text, "versionMajor = 2") {
		t.Errorf("no mma.sync in\n%s", text)
	}
}
