package conform

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/amd/sim"
	"github.com/nereid-lang/nereid/internal/target/interleave"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// exploredAMD are the launches whose interleavings are visited on AMD's emulators.
func exploredAMD() (all []described) {
	f32 := nereid.Float32
	for stages := 2; stages <= 5; stages++ {
		for _, tile := range []int64{32, 64} {
			all = append(all, pointerProduct(tile, tile, 32, 1)(stages, int64(stages)+2))
		}
	}
	return append(all, single("softmax", 4, 3, inFull(f32, 4, 256), inFull(f32, 4, 256), 256),
		single("turned", 4, 3, inFull(f32, 64, 64), inFull(f32, 64, 64), 64),
		single("exchange", 4, 3, inFull(f32, 1024), inFull(f32, 1024), 1024))
}

// TestExploreAMD visits all states of every two waves of pipelined products and exchanges. CI takes one chip.
func TestExploreAMD(t *testing.T) {
	mod, err := nereid.Parse("planted.py", []byte(amdKernels))
	if err != nil {
		t.Fatal(err)
	}
	chosen := txtest.Sample(t, 3)
	for i, chip := range []string{"gfx942", "gfx90a", "gfx1100"} {
		if !chosen(i) {
			continue
		}
		for k, d := range exploredAMD() {
			name := fmt.Sprintf("%s/%s-%d, %d stages", chip, d.kernel, k, d.opts.NumStages)
			t.Run(name, func(t *testing.T) {
				d.exploreAMD(t, mod, opened(t, "sim:"+chip)[0])
			})
		}
	}
}

// exploreAMD visits the states of a launch.
func (d described) exploreAMD(t *testing.T, mod *nereid.Module, dev *nereid.Device) {
	t.Helper()
	var all []interleave.Result
	start := time.Now()
	watch := sim.Watch{States: states, Explored: func(r interleave.Result) { all = append(all, r) }}
	if err := d.launchIn(sim.WithWatch(t.Context(), watch), t, mod, dev, nil); err != nil {
		t.Error(err)
	}
	for _, r := range all[:min(1, len(all))] {
		t.Logf("%d waves: %d steps, %d states, 10^%.0f interleavings, finished: %v, %.2f s", d.opts.NumWarps,
			r.Steps, r.States, math.Floor(r.Log10), r.Finished, time.Since(start).Seconds())
	}
	if len(all) == 0 {
		t.Error("nothing was explored")
	}
}

// TestExplorePlantedAMD plants the faults of TestPlantedAMD: what the checks of a run report as a race,
// states alone show, too, and a run in which the checks find nothing has no race by states. Stale caches are
// no matter of interleavings. CI takes some of the places.
func TestExplorePlantedAMD(t *testing.T) {
	mod, err := nereid.Parse("planted.py", []byte(amdKernels))
	if err != nil {
		t.Fatal(err)
	}
	chosen := txtest.Sample(t, 8)
	for _, chip := range []string{"gfx942", "gfx1100"} {
		dev := opened(t, "sim:"+chip)[0]
		for i, d := range amdLaunches() {
			t.Run(fmt.Sprintf("%s/%s-%d", chip, d.kernel, i), func(t *testing.T) {
				agreed := 0
				_, faults := d.faultsAMD(t, mod, dev)
				for n, bad := range faults {
					if chosen(n + i) {
						agreed += d.sameRaces(t, mod, dev, bad)
					}
				}
				t.Logf("%d races by both", agreed)
			})
		}
	}
}

// sameRaces compares what a run reports with what states show. It returns 1 if both find a race.
func (d described) sameRaces(t *testing.T, mod *nereid.Module, dev *nereid.Device, bad *faultyAMD) int {
	t.Helper()
	run := func(w sim.Watch) (race bool, err error) {
		w.Change = func([]byte) []byte { return bad.hsaco }
		err = d.launchIn(sim.WithWatch(t.Context(), w), t, mod, dev, nil)
		var f *sim.Fault
		return errors.As(err, &f) && f.Race && !strings.Contains(f.Msg, "cache"), err
	}
	checked, err := run(sim.Watch{})
	shown, other := run(sim.Watch{States: states, Unchecked: true})
	if err != nil && !checked && !shown || other != nil && !shown {
		return 0 // it is no race, or another report, of a missing wait, ends the run before
	}
	if checked != shown && (err == nil || checked) {
		t.Errorf("%s: the run says %v, states show %v", bad, err, other)
	}
	if checked && shown {
		return 1
	}
	return 0
}
