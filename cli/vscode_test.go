package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// pointing is a kernel with a call in a loop and a block of pointers that has a name.
const pointing = `import triton
import triton.language as tl


@triton.jit
def scaled(v, by):
    w = v * by
    return w


@triton.jit
def total(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    acc = tl.zeros([BLOCK], tl.float32)
    for k in range(3):
        i = first + k + tl.arange(0, BLOCK)
        at = x_ptr + i
        x = tl.load(at)
        acc += scaled(x, 2.0)
    tl.store(y_ptr + first + tl.arange(0, BLOCK), acc)
`

// TestVSCode has VS Code's own clients debug a kernel and type one: what they see is in testdata/vscode. The
// debugger's is @vscode/debugadapter-testsupport, by which adapters of VS Code are tested, the server's
// vscode-languageserver-protocol, which VS Code's language clients are made of.
func TestVSCode(t *testing.T) {
	node, err := exec.LookPath("node")
	txtest.Need(t, "vscode-clients", err)
	modules := filepath.Dir(filepath.Dir(txtest.Installed(t, "vscode-clients",
		"node/node_modules/@vscode/debugadapter-testsupport")))
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "total.py"), filepath.Join(dir, "nereid")
	if err := os.WriteFile(file, []byte(pointing), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/nereid").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, session := range []string{"debug", "lsp"} {
		script, err := filepath.Abs("testdata/vscode/" + session + ".js")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), node, script, file)
		cmd.Env = append(os.Environ(), "NODE_PATH="+modules, "NEREID="+binary)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", session, err, out)
		}
		txtest.Golden(t, "testdata/vscode/"+session+".txt", string(out))
	}
}
