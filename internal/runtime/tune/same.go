package tune

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
)

// twins holds, by the name of a config that is measured, the others that give the same code.
type twins map[string][]lang.Config

// distinct returns the configs of a list whose code differs from that of those before them, and the others. A
// config with the code of one that has a timing already takes that timing.
func (r *run) distinct(step int, g *given, configs, todo []lang.Config,
	rec *autotune.Record) ([]lang.Config, twins) {
	if !r.dev.Backend.Traits().HostOnly || r.seesOptions(step) {
		return todo, nil
	}
	first, same := map[string]string{}, twins{}
	missing := map[string]bool{}
	for _, c := range todo {
		missing[c.String()] = true
	}
	for _, c := range configs {
		if t, ok := rec.Find(c.String()); ok && t.Failed == "" && !missing[c.String()] {
			first[code(g, c)] = c.String()
		}
	}
	var left []lang.Config
	for _, c := range todo {
		key := code(g, c)
		of, known := first[key]
		switch {
		case !known:
			first[key] = c.String()
			left = append(left, c)
		case missing[of]:
			same[of] = append(same[of], c)
		default:
			same.copy(rec, of, c)
		}
	}
	return left, same
}

// seesOptions reports whether the kernel's text, or a heuristic inside of the decorator, can tell configs
// apart that differ in the options of GPUs alone.
func (r *run) seesOptions(step int) bool {
	for _, s := range r.t.Steps[step+1:] {
		if len(s.Heuristics) > 0 {
			return true
		}
	}
	for _, name := range []string{"num_warps", "num_stages", "num_ctas", "num_threads", "maxnreg"} {
		if strings.Contains(r.t.Source, name) {
			return true
		}
	}
	return false
}

// code returns a text that configs of the same code share.
func code(g *given, c lang.Config) string {
	var b strings.Builder
	for _, kw := range c.Kwargs {
		fmt.Fprintf(&b, "%s=%s, ", kw.Name, lang.Repr(kw.Value))
	}
	if c.PreHook != nil {
		fmt.Fprintf(&b, "hook %p, ", c.PreHook)
	}
	return b.String() + device.HostOptions(configOptions(c, g.Opts)).Key()
}

// copy gives a config the timing of another.
func (twins) copy(rec *autotune.Record, of string, c lang.Config) {
	if t, ok := rec.Find(of); ok {
		t.Config = c.String()
		rec.Set(t)
	}
}

// copyAll gives all configs the timings of those that were measured.
func (s twins) copyAll(rec *autotune.Record) {
	for of, list := range s {
		for _, c := range list {
			s.copy(rec, of, c)
		}
	}
}
