package cpu_test

import (
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// hostCPU returns the device under test, and skips where there is none.
func hostCPU(t *testing.T) *nereid.Device {
	t.Helper()
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	return dev
}

// cpuAndJudge returns the device under test and the interpreter, which says what is right.
func cpuAndJudge(t *testing.T) (dev, judge *nereid.Device) {
	t.Helper()
	dev = hostCPU(t)
	judge, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	return dev, judge
}

// streamOf returns a stream that is closed with the test.
func streamOf(t *testing.T, dev *nereid.Device) *nereid.Stream {
	t.Helper()
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
