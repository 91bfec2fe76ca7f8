package ptxsim

import (
	"os"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestParseGoldens reads the PTX that Triton made of the sample kernels for sm_80; that for sm_90 has wgmma, which the simulator does not know.
func TestParseGoldens(t *testing.T) {
	for _, path := range txtest.Glob(t, "testdata/golden/cuda-80/*.ptx") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestLocal: memory of a thread's own is declared in a function, and is no line of debug information.
func TestLocal(t *testing.T) {
	m, err := Parse([]byte(".visible .entry k()\n{\n\t.local .align 8 .b8 \t__local_depot0[24];\n\t.loc\t1 4 0\n\tret;\n}\n"))
	if err != nil || m.localSize != 24 {
		t.Errorf("%d bytes, %v", m.localSize, err)
	}
}
