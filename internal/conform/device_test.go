package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// interpreter returns the device that says what is right: it knows no threads, blocks or pipelines.
func interpreter(t *testing.T) *nereid.Device {
	t.Helper()
	dev, err := nereid.Open("interp")
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// gpus returns the GPU that -device names, or else the simulated ones. Where one is missing, the test is
// skipped.
func gpus(t *testing.T, simulated ...string) (devices []*nereid.Device) {
	t.Helper()
	if onGPU(*deviceFlag) {
		simulated = []string{*deviceFlag}
	}
	for _, name := range simulated {
		dev, err := nereid.Open(name)
		if err != nil {
			t.Skip(err)
		}
		devices = append(devices, dev)
	}
	return devices
}

// hopper returns the GPU that -device names, or else the simulated sm_90.
func hopper(t *testing.T) *nereid.Device {
	t.Helper()
	return gpus(t, "sim:90")[0]
}

// onGPU reports whether a device is a GPU, a simulated one included.
func onGPU(device string) bool {
	return strings.HasPrefix(device, "cuda") || strings.HasPrefix(device, "sim")
}
