package nvidia

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// TestRawStream: the driver's stream of a GPU's stream, and none of other devices' streams.
func TestRawStream(t *testing.T) {
	own := new(driver.Stream)
	if got := RawStream(stream{own}); got != own {
		t.Errorf("%p, want %p", got, own)
	}
	if got := RawStream(device.HostStream{}); got != nil {
		t.Errorf("%p for a stream of the host", got)
	}
}
