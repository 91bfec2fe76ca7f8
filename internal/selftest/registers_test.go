package selftest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestRegisters: ptxas keeps the queries that attention holds in registers, and those that it computes before
// its loop, from one iteration to the next.
func TestRegisters(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	python := txtest.Triton(t)
	m, err := nereid.Load(txtest.Path(t, "internal", "selftest", "kernels", "attention.py"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("attention")
	if err != nil {
		t.Fatal(err)
	}
	command := []string{txtest.Path(t, "peer", "registers.py")}
	for i, x := range []struct {
		h, d, bm, bn, stages int
		query                string
	}{
		{32, 32, 256, 32, 2, "loaded"}, // H200: wrong in every run if the queries are held
		{16, 32, 256, 32, 4, "scaled"}, // the same
		{64, 64, 128, 64, 3, "scaled"},
		{128, 128, 128, 16, 3, "loaded"},
	} {
		sig := fmt.Sprintf("*fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, *fp32:16, i32:16, fp32, "+
			"%d, %d, %d, %d, True, True, 'pointers', 'plain', '%s'", x.h, x.d, x.bm, x.bn, x.query)
		c, err := k.CompileFor(t.Context(), "cuda:90", sig, nereid.Options{NumStages: x.stages}, "ptx")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), fmt.Sprintf("attention%d.ptx", i))
		if err := os.WriteFile(file, c.Stage("ptx"), 0o600); err != nil {
			t.Fatal(err)
		}
		command = append(command, file)
	}
	out, err := exec.CommandContext(t.Context(), python, command...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), " 0 left operands") || strings.Contains(string(out), "serialized") {
		t.Errorf("no left operand is in registers, or ptxas lets products wait for each other\n%s", out)
	}
}
