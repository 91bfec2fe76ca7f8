package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// interpreter returns the device that says what is right: it knows no threads, blocks or pipelines.
func interpreter(t *testing.T) *nereid.Device {
	t.Helper()
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// gpus returns the GPU that -device names, or else the simulated ones.
func gpus(t *testing.T, names ...string) []*nereid.Device {
	t.Helper()
	if onGPU(*deviceFlag) {
		names = []string{*deviceFlag}
	}
	return opened(t, names...)
}

// opened returns devices by their names. Where one is missing, the test is skipped.
func opened(t *testing.T, names ...string) (devices []*nereid.Device) {
	t.Helper()
	for _, name := range names {
		dev := txtest.Device(t, name, nereid.OpenDevice)
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
