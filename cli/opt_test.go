package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TestReproducersOfTargets: a reproducer names all passes from the one that failed to the end of a target's
// pipeline. Without further flags, opt knows and runs them, whatever options the pipeline was made for.
func TestReproducersOfTargets(t *testing.T) {
	nvidia := gpu.Options{Machine: gpu.Machine{Target: "cuda:90", NumWarps: 4}, NumStages: 3,
		WarpGroups: true, TMA: true, PingPong: true, Tiles: gpu.AllTiles, Stores: gpu.AllTiles,
		Way: device.Way{Merge: 2}, Persist: gpu.Persist}
	amd := gpu.AMDOptions{Machine: gpu.Machine{Target: "hip:gfx942", NumWarps: 4}, NumStages: 2}
	const stores = "tt.func public @f(%p: !tt.ptr<i32>, %x: i32) {\n" +
		"  tt.store %p, %x : !tt.ptr<i32>\n  tt.return\n}\n"
	for name, passes := range map[string][]pass.Pass{
		"nvidia": slices.Concat(pass.TTIR(pass.TTIRFor(chip.CUDA(90))), gpu.Pipeline(nvidia)),
		"amd": slices.Concat(pass.TTIR(pass.TTIRFor(chip.Target("hip:gfx942"))), gpu.AMDPipeline(amd),
			[]pass.Pass{gpu.LowerAMD}),
		"cpu":    append(pass.Checks(), middle.TritonToLinalg),
		"interp": {middle.ExpandInlineAsm, pass.CheckIndexOverflow},
	} {
		cmd := newOptCmd()
		cmd.SetIn(strings.NewReader("// nereid-reproducer: " + pass.Names(passes) + "\n" + stores))
		out := &bytes.Buffer{}
		cmd.SetOut(out)
		cmd.SetArgs([]string{"--run-reproducer", "-"})
		if err := cmd.Execute(); err != nil || !strings.Contains(out.String(), "@f") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
