package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestNvimDAP has nvim-dap, a client for a terminal, debug a kernel: what it sees is in
// testdata/nvim-dap/session.txt. NVIM_DAP names a checkout of mfussenegger/nvim-dap; nvim must be on the
// PATH.
// The file was recorded with Neovim 0.7.2 and nvim-dap 5a1479c5.
func TestNvimDAP(t *testing.T) {
	plugin := txtest.LongForm(t, "NVIM_DAP", "it names a checkout of mfussenegger/nvim-dap")
	nvim, err := exec.LookPath("nvim")
	txtest.Need(t, "nvim", err)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "total.py"), []byte(debugged), 0o644); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/nvim-dap/session.lua")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "nereid")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/nereid").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := filepath.Join(dir, "session.txt")
	cmd := exec.Command(nvim, "--headless", "-u", "NONE", "--cmd", "set rtp+="+plugin,
		"-c", "luafile "+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "NEREID="+binary, "DAP_LOG="+seen)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	txtest.Golden(t, "testdata/nvim-dap/session.txt", strings.TrimSpace(string(text))+"\n")
}
