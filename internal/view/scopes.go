package view

import (
	"cmp"
	"slices"

	"github.com/nereid-lang/nereid/profile"
)

// Scopes are the scopes of a launch as its device measured them.
type Scopes struct {
	Device   string     `json:"device"`
	Launches int        `json:"launches"` // that the file has; the last one is shown
	Took     float64    `json:"took"`     // of the launch, in microseconds; 0 if the device knows no time
	Unit     string     `json:"unit"`     // "cycles", or "steps" of a simulator
	Names    []string   `json:"names"`
	Rows     []ScopeRow `json:"rows"`
	// Bars has scopeWords numbers for each: name, multiprocessor, block, warp, and beginning and length in
	// microseconds, or steps, and length in units.
	Bars []float64 `json:"bars"`
}

// scopeWords is how many numbers of Scopes.Bars a scope has.
const scopeWords = 7

// ScopeRow is what a scope comes to over all warps.
type ScopeRow struct {
	Name   string  `json:"name"`
	Count  int     `json:"count"`
	Median int64   `json:"median"` // in units
	Least  int64   `json:"least"`
	Most   int64   `json:"most"`
	Time   float64 `json:"time"` // median, in microseconds; 0 if the device knows no time
}

// NewScopes returns the scopes of a kernel's last launch in a recording that has some, nil if there is none.
func NewScopes(t *profile.Trace, kernel string) *Scopes {
	launch, launches, list := lastLaunch(t, kernel)
	if launch == nil {
		return nil
	}
	s := &Scopes{Launches: launches, Took: launch.Took, Unit: "cycles", Bars: []float64{}}
	s.Device, _ = launch.Args["device"].(string)
	first := list[0].Start
	for _, e := range list {
		first = min(first, e.Start)
	}
	for _, e := range list {
		n := slices.Index(s.Names, e.Name)
		if n < 0 {
			n = len(s.Names)
			s.Names = append(s.Names, e.Name)
		}
		length := figure(e, "cycles")
		if length == 0 {
			s.Unit, s.Took, length = "steps", 0, figure(e, "steps")
		}
		s.Bars = append(s.Bars, float64(n), figure(e, "sm"), figure(e, "block"), figure(e, "warp"),
			e.Start-first, e.Took, length)
	}
	for _, r := range t.Scopes() {
		if r.Kernel == kernel && r.Device == s.Device {
			s.Rows = append(s.Rows, ScopeRow{r.Name, r.Count, r.Median, r.Least, r.Most,
				float64(r.Time.Nanoseconds()) / 1e3})
		}
	}
	return s
}

// slack is how long before its launch a scope may seem to begin, in microseconds: clocks of hosts and devices
// differ. Launches with scopes are waited for, so that the next one is farther away.
const slack = 5

// lastLaunch returns the last launch of a kernel that has scopes, with them, by multiprocessor, block and
// warp, and how many such launches there are. A scope belongs to the last launch on its device that began
// before it.
func lastLaunch(t *profile.Trace, kernel string) (last *profile.Event, launches int,
	scopes []*profile.Event) {
	var runs []*profile.Event // in the order of time, as all events are
	of := map[*profile.Event][]*profile.Event{}
	for i := range t.Events {
		if e := &t.Events[i]; e.Category == profile.CategoryKernel && e.Phase == "X" && e.Name == kernel {
			runs = append(runs, e)
		}
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Category != profile.CategoryScope || e.Args["kernel"] != kernel {
			continue
		}
		for _, r := range slices.Backward(runs) {
			if r.Args["device"] == e.Args["device"] && r.Start-slack <= e.Start {
				of[r] = append(of[r], e)
				break
			}
		}
	}
	timed := false // those of a GPU tell more than those of the interpreter beside it
	for _, r := range runs {
		if of[r] == nil || timed && figure(of[r][0], "cycles") == 0 {
			continue
		}
		if now := figure(of[r][0], "cycles") > 0; now && !timed {
			timed, launches = true, 0
		}
		last = r
		launches++
	}
	scopes = of[last]
	slices.SortStableFunc(scopes, func(a, b *profile.Event) int {
		return cmp.Or(cmp.Compare(figure(a, "sm"), figure(b, "sm")),
			cmp.Compare(figure(a, "block"), figure(b, "block")),
			cmp.Compare(figure(a, "warp"), figure(b, "warp")), cmp.Compare(a.Start, b.Start),
			cmp.Compare(b.Took, a.Took))
	})
	return last, launches, scopes
}

// figure returns a fact about an event that is a number.
func figure(e *profile.Event, key string) float64 {
	x, _ := e.Args[key].(float64)
	return x
}
