package test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/simdriver"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestHIP runs a kernel through nereid.h on hip:0: on a stream of the library's, on one of the caller's,
// and on the default stream. The runtime behind it has the emulator run kernels, which also checks their
// accesses.
func TestHIP(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	program := languages[0].compile(t, false, []string{"hip.c"}, "-lm")
	d, env := simdriver.NewHIP(t)
	out := command(t, "", append(env, environment(t)...), program, path(t, "kernels", "softmax.py"))
	if out != "ok\n" {
		t.Errorf("it prints %s", out)
	}
	if len(d.Launched) != 3 || !strings.HasPrefix(d.Launched[0], "softmax_kernel 3,1,1 x ") {
		t.Errorf("launched: %q", d.Launched)
	}
}
