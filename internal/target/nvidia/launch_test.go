package nvidia

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/txtest"
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

// Options by Triton's names reach the code.
func TestLaunchOptions(t *testing.T) {
	var o target.Options
	if err := json.Unmarshal([]byte(`{"launch_cooperative_grid": true, "launch_pdl": true}`),
		&o); err != nil || !o.LaunchCooperativeGrid || !o.LaunchPDL {
		t.Fatalf("%+v, %v", o, err)
	}
	if o.Key() == (target.Options{}).Key() {
		t.Error("one key for different launches")
	}
}

// emptyKernel is a kernel of programs with so many blocks.
func emptyKernel(t *testing.T, ctas int) *target.Input {
	t.Helper()
	text := fmt.Sprintf(`module attributes {"ttg.num-ctas" = %d : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @k() {
    tt.return
  }
}`, ctas)
	m, err := ir.Parse(diag.NewFileSet(), "k.ttgir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &target.Input{Module: m, Kernel: "k"}
}

// The code says how many blocks a program has, and its PTX asks for clusters of them.
func TestClusters(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	code, err := Compiler{Capability: 90}.FromTTGIR(context.Background(), emptyKernel(t, 4), 0)
	if err != nil {
		t.Fatal(err)
	}
	if code.NumCTAs != 4 {
		t.Errorf("%d blocks, want 4", code.NumCTAs)
	}
	if !regexp.MustCompile(`\.reqnctapercluster 4\b`).Match(code.PTX) {
		t.Errorf("the PTX asks for no clusters of 4:\n%s", code.PTX)
	}
}

// There are no clusters before Hopper, none of odd sizes, and none of more than 16 blocks.
func TestClustersRefused(t *testing.T) {
	for _, c := range []struct {
		capability, ctas int
		want             string
	}{
		{80, 2, "num_ctas=2: clusters of blocks need compute capability 9.0 or higher, and this is for " +
			"sm_80: set num_ctas to 1"},
		{90, 3, "num_ctas=3: a cluster has 1, 2, 4, 8 or 16 blocks"},
		{90, 32, "num_ctas=32: a cluster has 1, 2, 4, 8 or 16 blocks"},
	} {
		_, err := Compiler{Capability: c.capability}.FromTTGIR(context.Background(),
			emptyKernel(t, c.ctas), 0)
		if err == nil || err.Error() != c.want {
			t.Errorf("sm_%d, %d blocks: %v, want %q", c.capability, c.ctas, err, c.want)
		}
		_, err = Compiler{Capability: c.capability}.Compile(context.Background(),
			&target.Input{Options: target.Options{NumCTAs: c.ctas}}, 0)
		if err == nil || err.Error() != c.want {
			t.Errorf("sm_%d, %d blocks: %v, want %q", c.capability, c.ctas, err, c.want)
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
