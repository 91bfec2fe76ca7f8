package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestConformSim runs a part of the cases on the simulated GPU, another part of each family. All of them:
// -device sim.
func TestConformSim(t *testing.T) { simulate(t, "sim", 16, func(*testCase) bool { return true }) }

// TestConformAMD runs a part of the cases on the emulator of an AMD GPU. All of them: -device sim:gfx942. The
// cases of libdevice are left out: AMD's library has other functions.
func TestConformAMD(t *testing.T) {
	simulate(t, "sim:gfx942", 48, func(c *testCase) bool { return !strings.HasPrefix(c.name, "libdevice/") })
}

// simulate runs one of part cases, where it fits the device.
func simulate(t *testing.T, device string, part int, fits func(*testCase) bool) {
	dev, err := nereid.Open(device)
	if err != nil {
		t.Skip(err)
	}
	var some []*testCase
	for i, c := range all() {
		if i%part == part/2 && !c.refused && !c.compile && c.gpuless == "" && fits(c) {
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
