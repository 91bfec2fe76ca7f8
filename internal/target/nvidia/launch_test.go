package nvidia

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

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
	text := fmt.Sprintf(`module attributes {"ttg.num-ctas" = %d : i32, "ttg.num-warps" = 4 : i32,
		"ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
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
