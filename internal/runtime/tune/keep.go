package tune

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
)

// tuneNow measures the configs, chooses one and saves the record. If the caller gives up, it saves the
// timings so far without a choice.
func (r *run) tuneNow(step int, a *lang.Autotune, g *given, configs []lang.Config, rec *autotune.Record,
	store autotune.Store) error {
	first := r.measureAll(step, a, g, configs, rec, store)
	switch {
	case errors.Is(first, errLost):
		return first
	case r.ctx.Err() != nil:
		r.keep(store, rec)
		return r.cancelled()
	}
	if rec.Best = rec.Pick(configNames(configs)); rec.Best == "" {
		return first
	}
	r.keep(store, rec)
	return r.resetAll(a, g)
}

// cancelled returns the error of a launch whose caller gave up during tuning.
func (r *run) cancelled() error {
	return fmt.Errorf("nereid: %s is not tuned yet: %w", r.k.Name, r.ctx.Err())
}

// keep saves a record without the configs that this program's hook refused to compile, which says nothing
// about them.
func (r *run) keep(store autotune.Store, rec *autotune.Record) {
	kept := *rec
	kept.Timings = slices.DeleteFunc(slices.Clone(rec.Timings), func(t autotune.Timing) bool {
		return r.refused[t.Config]
	})
	if len(kept.Timings) == 0 {
		return
	}
	if err := store.Save(&kept); err != nil {
		r.k.Opts.Warn("nereid: timings are not kept", err)
	}
}

// unknown returns the configs without a timing. A config that an earlier tuning skipped for lack of time
// counts as known as long as Budget is set.
func (r *run) unknown(configs []lang.Config, rec *autotune.Record) (todo []lang.Config) {
	o := r.k.Opts
	for _, c := range configs {
		if t, ok := rec.Find(c.String()); !ok || o.Again || t.Failed == autotune.TimeUp && o.Budget == 0 {
			todo = append(todo, c)
		}
	}
	return todo
}

// note remembers a config that a hook refused.
func (r *run) note(c lang.Config, err error) {
	if veto := (*compile.Vetoed)(nil); errors.As(err, &veto) {
		if r.refused == nil {
			r.refused = map[string]bool{}
		}
		r.refused[c.String()] = true
	}
}

// forget removes the journal's mark of a fatal config: the caller ended the measurement, not the config.
func (r *run) forget(rec *autotune.Record, store autotune.Store, c lang.Config) {
	if r.k.Opts.Journal {
		rec.Drop(c.String())
		r.keep(store, rec)
	}
}
