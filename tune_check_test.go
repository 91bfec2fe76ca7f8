package nereid_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// A config whose results are not those of the first is passed over, whether it was measured now or compared
// with one that is kept.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	configs := func(list string) string { return "@triton.autotune(configs=[" + list + "], key=['n'])" }
	good, wrong := `triton.Config({"BLOCK": 16})`, `triton.Config({"BLOCK": 32, "EXTRA": 1})`
	x := newTuned(t, configs(good+`, triton.Config({"BLOCK": 64}), `+wrong), nereid.TuneOptions{Verify: true})
	x.launch(64)
	if len(x.failed) != 1 || !strings.Contains(x.failed[0],
		"other results than the first config: x_ptr[0] is 2, there 1") {
		t.Error(x.failed)
	}
	// One that is new in the list is compared with those that were measured before.
	newTuned(t, configs(good+`, triton.Config({"BLOCK": 64})`), nereid.TuneOptions{Dir: dir}).launch(64)
	x = newTuned(t, configs(good+", "+wrong), nereid.TuneOptions{Verify: true, Dir: dir})
	x.launch(64)
	if len(x.failed) != 1 || len(x.measured) != 1 {
		t.Error(x.failed, x.measured)
	}
	x = newTuned(t, configs(good+", "+wrong), nereid.TuneOptions{})
	x.launch(64)
	if len(x.failed) != 0 {
		t.Error("compared without being asked to:", x.failed)
	}
}

// Done tells of every config, also of those that are kept.
func TestDone(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		var best string
		var all []nereid.Tuned
		x := newTuned(t, "@triton.autotune("+two+")",
			nereid.TuneOptions{Dir: dir, Done: func(b string, l []nereid.Tuned) {
				best, all = b, l
			}})
		x.launch(64)
		if len(all) != 3 || !strings.HasPrefix(best, "BLOCK: ") || all[0].Median <= 0 {
			t.Errorf("round %d: %s, %v", i, best, all)
		}
	}
}

// A process that dies while it measures leaves a note of the config; the next one goes on behind it.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	died := false
	func() {
		defer func() { died = recover() != nil }()
		x := &tuned{t: t, s: stream(t, "cpu")}
		m, err := nereid.Parse("k.py", []byte(tuneHead+"@triton.autotune("+two+")"+tuneBody),
			nereid.With(nereid.Config{
				Tune:  nereid.TuneOptions{Dir: dir, Journal: true, Warmup: 1, Rep: 1},
				Hooks: nereid.Hooks{BeforeLaunch: dieAt(64/32 - 1)},
			}))
		if err != nil {
			t.Fatal(err)
		}
		x.k, _ = m.Kernel("k")
		x.launch(64)
	}()
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if !died || len(files) != 1 {
		t.Fatal(died, files)
	}
	text, _ := os.ReadFile(files[0])
	if strings.Count(string(text), "took the process with it") != 1 {
		t.Fatalf("%s", text)
	}
	x := newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{Dir: dir, Journal: true})
	x.launch(64)
	x.expect("BLOCK: 64, num_warps: 4")
}

// dieAt is a hook that panics at the first launch of some number of programs and one.
func dieAt(programs int) func(nereid.Launching) {
	return func(l nereid.Launching) {
		if l.Grid[0] == programs+1 {
			panic("dead")
		}
	}
}
