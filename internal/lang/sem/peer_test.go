package sem

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestAnswersAreCurrent asks Triton again, where it is installed, for the answers that are quick to get.
func TestAnswersAreCurrent(t *testing.T) {
	txtest.Slow(t, "takes seconds")
	python := txtest.Triton(t)
	for _, c := range []struct {
		file string
		args []string
	}{
		{"names.json", []string{"--names"}},
		{"builtins.txtar", []string{"--kernels", "testdata/builtins.py"}},
	} {
		out := filepath.Join(t.TempDir(), c.file)
		cmd := exec.CommandContext(t.Context(), python,
			append(append([]string{txtest.Path(t, "peer", "semantics.py")}, c.args...), out)...)
		cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir())
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		txtest.Equal(t, c.file, txtest.Read(t, filepath.Join("testdata", c.file)), txtest.Read(t, out))
	}
}
