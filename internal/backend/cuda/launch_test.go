package cuda

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/backend"
	"github.com/nereid-lang/nereid/internal/diag"
	driver "github.com/nereid-lang/nereid/internal/driver/cuda"
	"github.com/nereid-lang/nereid/internal/ir"
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
		{Code{NumWarps: 1, Cooperative: true, Overlap: true}, driver.Config{Grid: one(3), Block: one(32), Cooperative: true, Overlap: true}},
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
	var o backend.Options
	if err := json.Unmarshal([]byte(`{"launch_cooperative_grid": true, "launch_pdl": true}`), &o); err != nil || !o.LaunchCooperativeGrid || !o.LaunchPDL {
		t.Fatalf("%+v, %v", o, err)
	}
	if o.Key() == (backend.Options{}).Key() {
		t.Error("one key for different launches")
	}
}

// A program of several blocks would compute a part of its results: it is refused.
func TestClustersRefused(t *testing.T) {
	m, err := ir.Parse(diag.NewFileSet(), "k.ttgir", []byte(`module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @k() {
    tt.return
  }
}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compiler{90}.FromTTGIR(context.Background(), &backend.Input{Module: m, Kernel: "k"}, 0)
	if err == nil || !strings.Contains(err.Error(), "num_ctas=2") {
		t.Error(err)
	}
}
