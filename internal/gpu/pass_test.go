package gpu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// passes are those that a case may name.
func passes() []pass.Pass {
	o := gpu.Options{Machine: gpu.Machine{Target: "cuda:80", NumWarps: 4}, WarpGroups: true, NumStages: 3,
		TMA: true, PingPong: true, Tiles: gpu.AllTiles, Stores: gpu.AllTiles,
		Occupancy: gpu.Occupancy{SM: 228 << 10, Programs: 1}}
	return slices.Concat(gpu.All(o), []pass.Pass{gpu.Canonicalize}, pass.All())
}

// TestCases runs the passes that each case names, and compares.
func TestCases(t *testing.T) {
	tried := passtest.Cases(t, "testdata/*.txtar", passes())
	all := gpu.Options{Machine: gpu.Machine{Target: "cuda:80"}, NumStages: 3, WarpGroups: true, TMA: true,
		PingPong: true}
	for _, p := range gpu.All(all) {
		if !tried[p.Name] {
			t.Errorf("no case for %s", p.Name)
		}
	}
}

// TestPipelines checks the order of passes against Constraints, and that each pass says what it does.
func TestPipelines(t *testing.T) {
	for _, target := range []string{"cuda:75", "cuda:80", "cuda:90"} {
		hopper, tiles, persist := target == "cuda:90", gpu.NoTiles, gpu.NoPersist
		if hopper {
			tiles, persist = gpu.PayingTiles, gpu.MayPersist
		}
		list := gpu.Pipeline(gpu.Options{Machine: gpu.Machine{Target: target, NumWarps: 4}, NumStages: 3,
			WarpGroups: hopper, TMA: hopper, PingPong: hopper, Tiles: tiles, Stores: tiles,
			Way: device.Way{Merge: 2}, Persist: persist})
		first := map[string]int{}
		for i, p := range list {
			if _, seen := first[p.Name]; !seen {
				first[p.Name] = i
			}
			if p.Doc == "" || strings.HasSuffix(p.Doc, ".") {
				t.Errorf("%s: doc %q", p.Name, p.Doc)
			}
		}
		for _, c := range gpu.Constraints {
			a, okA := first[c.Before]
			b, okB := first[c.After]
			if target == "cuda:75" && (!okA || !okB) { // no copies that run on their own
				continue
			}
			groups := false
			for _, name := range []string{"-ping-pong", "-tile-", "-join-loops", "-store-by-warps",
				"-scale-late", "-over-programs", "-spread-", "-deepen-pipelines", "-before-stores"} {
				groups = groups || strings.Contains(c.Before+c.After, name)
			}
			if target == "cuda:80" && groups { // no warp groups
				continue
			}
			engine := strings.Contains(c.Before+c.After, "triton-nvidia-") ||
				strings.Contains(c.Before, "-descriptors")
			if target == "cuda:80" && engine && (!okA || !okB) { // no copy engine
				continue
			}
			if !okA || !okB || a > b {
				t.Errorf("%s: %s must come before %s: %s", target, c.Before, c.After, c.Why)
			}
		}
	}
}

// TestAll: whatever the options, every pass of every pipeline is known by its name, or a reproducer could not
// be run; and passes of a pipeline are made for its options.
func TestAll(t *testing.T) {
	most := gpu.Options{Machine: gpu.Machine{Target: "cuda:90", NumWarps: 4}, NumStages: 3, WarpGroups: true,
		TMA: true, PingPong: true, Tiles: gpu.AllTiles, Stores: gpu.AllTiles, Way: device.Way{Merge: 2},
		Persist: gpu.Persist}
	amd := gpu.AMDOptions{Machine: gpu.Machine{Target: "hip:gfx942", NumWarps: 4}, NumStages: 3}
	for _, target := range []string{"cuda:75", "cuda:90", "hip:gfx1100"} {
		o := gpu.Options{Machine: gpu.Machine{Target: target, NumWarps: 8}}
		all := slices.Concat(pass.All(), gpu.All(o))
		for _, p := range slices.Concat(gpu.Pipeline(most), gpu.AMDPipeline(amd)) {
			if _, ok := pass.Lookup(all, p.Name); !ok {
				t.Errorf("%s: %s is not known", target, p.Name)
			}
		}
		m := passtest.Parse(t, "f", "tt.func @f() { tt.return }")
		convert, _ := pass.Lookup(all, "convert-triton-to-tritongpu")
		if err := pass.Run(&pass.Context{}, m, []pass.Pass{convert}); err != nil {
			t.Fatal(err)
		}
		if got := ttg.Target(m.Op); got != target || ttg.NumWarps(m.Op) != 8 {
			t.Errorf("%s: converted for %s, %d warps", target, got, ttg.NumWarps(m.Op))
		}
	}
}

// TestMachine: numbers that no machine has are errors, not panics.
func TestMachine(t *testing.T) {
	m := passtest.Parse(t, "f", "tt.func @f() { tt.return }")
	err := pass.Run(&pass.Context{}, m,
		[]pass.Pass{gpu.ConvertTriton(gpu.Machine{Target: "cuda:80", NumWarps: 3})})
	if err == nil || !strings.Contains(err.Error(), "num_warps=3: must be a power of two") {
		t.Errorf("3 warps: %v", err)
	}
}
