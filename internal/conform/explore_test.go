package conform

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/interleave"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// states bounds the states of a block.
const states = 3_000_000

// TestExplore visits all interleavings of the synchronizing steps of each form of pipeline, with 2 to 5
// stages and one and two iterations more than stages. CI visits one depth of each form.
func TestExplore(t *testing.T) {
	chosen := txtest.Sample(t, 4)
	full := chosen(0) && chosen(1)
	for i, f := range forms() {
		for n := f.least; n <= f.most; n++ {
			if !chosen(i+n) || n >= f.slow && !full {
				continue
			}
			t.Run(fmt.Sprintf("%s, %s, %d stages", f.name, f.device, n), func(t *testing.T) {
				mod, dev := f.module(t), opened(t, f.device)[0]
				for trips := n + 1; trips <= n+2; trips++ {
					f.launch(n, int64(trips)).explore(t, mod, dev, trips)
				}
			})
		}
	}
}

// module returns the kernels of a form, which are compiled anew, and sets the environment.
func (f *form) module(t *testing.T) *nereid.Module {
	t.Helper()
	t.Setenv("NEREID_DISABLE_DEEPER", "1") // launches of few programs would have more stages
	for name, value := range f.env {
		t.Setenv(name, value)
	}
	own, err := nereid.Parse("planted.py", []byte(exploredKernels))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.Kernel(f.launch(2, 3).kernel); err == nil {
		return own
	}
	return describedKernels(t)
}

// idle has the kinds of faults that are harmless in all their places in a form.
var idle = map[string]string{
	"descriptors made in the kernel: fence of mbarriers dropped": "a fence.proxy.async follows",
}

// TestExplorePlanted plants faults of order in each form, of every kind that it has, until one of the kind is
// reported. CI does so in some forms.
func TestExplorePlanted(t *testing.T) {
	chosen := txtest.Sample(t, 8)
	for i, f := range forms() {
		if !chosen(i) {
			continue
		}
		t.Run(f.name+", "+f.device, func(t *testing.T) {
			mod, dev, d := f.module(t), opened(t, f.device)[0], f.launch(3, 5)
			ptx := ""
			if err := d.launch(t, mod, dev, func(p string) string { ptx = p; return p }); err != nil {
				t.Fatal(err)
			}
			found := map[string]string{}
			for _, p := range plantAll(ptx, plants()) {
				if strings.HasPrefix(found[p.plant], "found") {
					continue
				}
				if how := d.tell(t, mod, dev, p); found[p.plant] == "" || how != neverRuns {
					found[p.plant] = how
				}
			}
			for kind, how := range found {
				t.Logf("%s: %s", kind, how)
				if _, ok := idle[f.name+": "+kind]; how == "missed" && !ok {
					t.Errorf("%s: none is reported", kind)
				}
			}
		})
	}
}

const neverRuns = "never runs"

// tell says whether a fault is found in the usual order, or in another, or missed, or never runs.
func (d described) tell(t *testing.T, mod *nereid.Module, dev *nereid.Device, p planted) string {
	t.Helper()
	with := func(ptx string) func(string) string { return func(string) string { return ptx } }
	switch {
	case d.launch(t, mod, dev, with(p.ptx)) != nil:
		return "found in the usual order"
	case d.watched(t, mod, dev, sim.Watch{Change: with(p.ptx), States: states}) != nil:
		return "found in another order"
	case d.launch(t, mod, dev, with(p.trap)) == nil:
		return neverRuns
	}
	return "missed"
}

// explore visits all interleavings of a launch.
func (d described) explore(t *testing.T, mod *nereid.Module, dev *nereid.Device, trips int) {
	t.Helper()
	var all []interleave.Result
	start := time.Now()
	err := d.watched(t, mod, dev, sim.Watch{States: states, Explored: func(r interleave.Result) {
		all = append(all, r)
	}})
	if err != nil {
		t.Errorf("%d iterations: %v", trips, err)
	}
	for _, r := range all {
		t.Logf("%d warps, %d iterations: %d steps, %d states, 10^%.0f interleavings, finished: %v, %.2f s",
			d.opts.NumWarps, trips, r.Steps, r.States, math.Floor(r.Log10), r.Finished,
			time.Since(start).Seconds())
	}
	if len(all) == 0 {
		t.Error("nothing was explored")
	}
}
