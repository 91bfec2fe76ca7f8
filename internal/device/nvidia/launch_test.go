package nvidia

import (
	"runtime"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// How a kernel is launched is what its options say, also after the cache has kept it.
func TestConfig(t *testing.T) {
	one := func(x uint32) driver.Dim3 { return driver.Dim3{X: x, Y: 1, Z: 1} }
	for _, c := range []struct {
		code Code
		want driver.Config
	}{
		{Code{NumWarps: 4, Shared: 99}, driver.Config{Grid: one(3), Block: one(128), Shared: 99}},
		{Code{NumWarps: 4, NumCTAs: 1}, driver.Config{Grid: one(3), Block: one(128)}},
		{Code{NumWarps: 1, NumCTAs: 2}, driver.Config{Grid: one(6), Block: one(32), Cluster: one(2)}},
		{Code{NumWarps: 1, Cooperative: true, Overlap: true},
			driver.Config{Grid: one(3), Block: one(32), Cooperative: true, Overlap: true}},
	} {
		c.code.Name = "k"
		kept, err := c.code.Keep("cubin", nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Kept(kept)
		if err != nil {
			t.Fatal(err)
		}
		if got := back.config([3]int{3, 1, 1}); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.code, got, c.want)
		}
	}
}

// TestForeignBuffers: buffers of somebody else's memory that nobody closes are forgotten when they are
// collected.
func TestForeignBuffers(t *testing.T) {
	d := &Device{}
	for i := range 100 {
		d.recorded(&buffer{ptr: driver.DevicePtr(4096 * (i + 1)), size: 8, foreign: true})
	}
	kept := d.recorded(&buffer{ptr: 8, size: 8, foreign: true})
	for i := 0; len(d.memory.Spans()) > 1 && i < 100; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of their own
	}
	if got := d.memory.Spans(); len(got) != 1 || got[0].Lo != 8 {
		t.Errorf("%d buffers are left", len(got))
	}
	if err := kept.free(); err != nil || len(d.memory.Spans()) != 0 {
		t.Errorf("a closed buffer is left: %v", err)
	}
}
