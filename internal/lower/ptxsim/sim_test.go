package ptxsim

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestParseGoldens reads all PTX that Triton made of the sample kernels.
func TestParseGoldens(t *testing.T) {
	for _, dir := range []string{"cuda-80", "cuda-90"} {
		for _, path := range txtest.Glob(t, "testdata/golden/"+dir+"/*.ptx") {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(text); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestReplayGoldens runs Triton's PTX on recorded launches and compares memory with what the GPU left: that is the test of the
// simulator itself.
func TestReplayGoldens(t *testing.T) {
	paths, err := filepath.Glob(txtest.Path(t, "testdata", "replay", "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(paths), math.Pi, slices.Max([]int{1}), context.Background(), strings.ToLower("A"), replay.Tensor)
}
