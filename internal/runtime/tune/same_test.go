package tune

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/target"
)

// TestSameCode: configs that differ in options of GPUs alone share code on a host. Those that differ in an
// argument or in the hook that runs before each launch do not.
func TestSameCode(t *testing.T) {
	block := func(n int64) []object.Keyword {
		return []object.Keyword{{Name: "BLOCK", Value: object.MakeInt(n)}}
	}
	base := lang.Config{Kwargs: block(16), NumWarps: 4}
	g := &given{&args.Matched{}}
	for name, c := range map[string]struct {
		config lang.Config
		same   bool
	}{
		"warps":    {lang.Config{Kwargs: block(16), NumWarps: 8}, true},
		"argument": {lang.Config{Kwargs: block(32), NumWarps: 4}, false},
		"hook":     {lang.Config{Kwargs: block(16), NumWarps: 4, PreHook: &object.List{}}, false},
	} {
		if (code(g, c.config) == code(g, base)) != c.same {
			t.Errorf("%s: the same code: %v", name, !c.same)
		}
	}
}

// host is a device without options of GPUs.
type host struct{ target.Backend }

func (host) Traits() device.Traits { return device.Traits{HostOnly: true} }

// TestDistinct: a config takes the timing of one with the same code, if that has one. It is measured where
// the other's timing failed, and for others of its kind to take.
func TestDistinct(t *testing.T) {
	config := func(block int64, warps int) lang.Config {
		return lang.Config{NumWarps: warps,
			Kwargs: []object.Keyword{{Name: "BLOCK", Value: object.MakeInt(block)}}}
	}
	timed, failed := config(16, 1), config(32, 1)
	twin, again, third, alone := config(16, 2), config(32, 2), config(32, 4), config(64, 1)
	rec := &autotune.Record{}
	rec.Set(autotune.Timing{Config: timed.String(), Median: 7})
	rec.Set(autotune.Timing{Config: failed.String(), Failed: "no memory"})
	r := &run{dev: &args.Device{Backend: host{}}, t: &lang.Tuning{Steps: make([]world.Step, 1)}}
	todo := []lang.Config{twin, again, third, alone}
	all := append([]lang.Config{timed, failed}, todo...)
	left, same := r.distinct(0, &given{&args.Matched{}}, all, todo, rec)
	if len(left) != 2 || left[0].String() != again.String() || left[1].String() != alone.String() {
		t.Errorf("measured are %v", left)
	}
	if list := same[again.String()]; len(same) != 1 || len(list) != 1 || list[0].String() != third.String() {
		t.Errorf("others take their timings: %v", same)
	}
	if got, ok := rec.Find(twin.String()); !ok || got.Median != 7 {
		t.Errorf("the twin of a timed config has %v", got)
	}
	if got, ok := rec.Find(again.String()); ok {
		t.Errorf("the twin of a failed config has %v", got)
	}
}

// TestDistinctAgain: configs that are to be measured again are, each once for its code, whatever time they
// had.
func TestDistinctAgain(t *testing.T) {
	config := func(block int64, warps int) lang.Config {
		return lang.Config{NumWarps: warps,
			Kwargs: []object.Keyword{{Name: "BLOCK", Value: object.MakeInt(block)}}}
	}
	all := []lang.Config{config(16, 1), config(16, 2), config(32, 1)}
	rec := &autotune.Record{}
	for i, c := range all {
		rec.Set(autotune.Timing{Config: c.String(), Median: float64(i + 1)})
	}
	r := &run{dev: &args.Device{Backend: host{}}, t: &lang.Tuning{Steps: make([]world.Step, 1)}}
	left, same := r.distinct(0, &given{&args.Matched{}}, all, all, rec)
	if len(left) != 2 || left[0].String() != all[0].String() || left[1].String() != all[2].String() {
		t.Errorf("measured are %v", left)
	}
	list := same[all[0].String()]
	if len(same) != 1 || len(list) != 1 || list[0].String() != all[1].String() {
		t.Errorf("others take their timings: %v", same)
	}
}

// TestConfigOptions: options of a config fill in those that the caller leaves open.
func TestConfigOptions(t *testing.T) {
	c := lang.Config{NumWarps: 8, NumStages: 3, NumCTAs: 2, MaxNReg: 64}
	for given, want := range map[target.Options]target.Options{
		{}:                         {NumWarps: 8, NumStages: 3, NumCTAs: 2, MaxNReg: 64},
		{NumWarps: 1}:              {NumWarps: 1, NumStages: 3, NumCTAs: 2, MaxNReg: 64},
		{NumStages: 1, NumCTAs: 1}: {NumWarps: 8, NumStages: 1, NumCTAs: 1, MaxNReg: 64},
		{MaxNReg: 32, Check: true}: {NumWarps: 8, NumStages: 3, NumCTAs: 2, MaxNReg: 32, Check: true},
	} {
		if got := configOptions(c, given); got != want {
			t.Errorf("%+v with the config's are %+v", given, got)
		}
	}
}

// TestKeep: a config that a hook of this program refused is not kept as failed; configs that failed otherwise
// are.
func TestKeep(t *testing.T) {
	store, rec := &autotune.Memory{}, &autotune.Record{Kernel: "k"}
	refused, failed := lang.Config{NumWarps: 1}, lang.Config{NumWarps: 2}
	r := &run{}
	for c, err := range map[*lang.Config]error{
		&refused: fmt.Errorf("compiling: %w", &compile.Vetoed{Err: errors.New("not today")}),
		&failed:  errors.New("it does not fit"),
	} {
		r.note(*c, err)
		rec.Set(autotune.Timing{Config: c.String(), Failed: err.Error()})
	}
	r.keep(store, rec)
	kept := &autotune.Record{Kernel: "k"}
	if !store.Load(t.Context(), kept) {
		t.Fatal("nothing is kept")
	}
	if len(kept.Timings) != 1 || kept.Timings[0].Config != failed.String() || len(rec.Timings) != 2 {
		t.Errorf("kept are %+v of %+v", kept.Timings, rec.Timings)
	}
}
