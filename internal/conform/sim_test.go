package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestConformSim runs a part of the cases on the simulated GPU, another part of each family. All of them:
// -device sim.
func TestConformSim(t *testing.T) {
	dev, err := nereid.Open("sim")
	if err != nil {
		t.Skip(err)
	}
	const part = 16
	var some []*testCase
	for i, c := range all() {
		if i%part == part/2 && !c.refused && !c.compile && c.gpuless == "" {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) { c.test(t, dev) })
}

// onGPU reports whether a device is a GPU, a simulated one included.
func onGPU(device string) bool {
	return strings.HasPrefix(device, "cuda") || strings.HasPrefix(device, "sim")
}
