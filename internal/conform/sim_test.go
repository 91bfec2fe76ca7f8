package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestConformSim runs a part of the cases on the simulated GPU, another part of each family. All of them: -device sim.
func TestConformSim(t *testing.T) {
	const part = 16
	dev, err := nereid.Open("sim")
	if err != nil {
		t.Skip(err)
	}
	var some []*testCase
	for i, c := range all() {
		if i%part == part/2 && !c.refused && !c.compile && c.gpuless == "" {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) {
		if err := c.run(dev); err != nil {
			t.Errorf("%v\n%s", err, c.show())
		}
	})
}

// onGPU reports whether a device is a GPU, a simulated one included.
func onGPU(device string) bool {
	return strings.HasPrefix(device, "cuda") || strings.HasPrefix(device, "sim")
}
