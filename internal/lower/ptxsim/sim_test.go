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
