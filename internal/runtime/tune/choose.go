package tune

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/target"
)

// choose returns the config for the arguments: one chosen before, here or by another process, or the best by
// measurement.
func (r *run) choose(step int, a *lang.Autotune, g *given) (lang.Config, error) {
	for _, n := range configParams(a) {
		if g.has(n) {
			return lang.Config{}, fmt.Errorf("nereid: %s: conflicting meta-parameters: %s is given, and "+
				"set by autotune's configs", r.k.Name, n)
		}
	}
	if r.only != "" {
		return r.named(a)
	}
	if len(a.Configs) == 1 {
		return a.Configs[0], nil
	}
	key := r.key(a, g)
	id := fmt.Sprint(step, r.dev, key)
	if c, ok := r.k.chosen.Load(id); ok {
		return c.(lang.Config), nil
	}
	end, nested, err := autotune.Begin(r.ctx, r.stream, nil)
	if err != nil {
		return lang.Config{}, r.cancelled()
	}
	defer end()
	r.nested = nested
	if c, ok := r.k.chosen.Load(id); ok {
		return c.(lang.Config), nil
	}
	c, err := r.tune(step, a, g, key)
	if err == nil {
		r.k.chosen.Store(id, c)
	}
	return c, err
}

// named returns the config that the caller asks for by name.
func (r *run) named(a *lang.Autotune) (lang.Config, error) {
	for _, c := range a.Configs {
		if c.String() == r.only {
			return c, nil
		}
	}
	return lang.Config{}, fmt.Errorf("nereid: %s has no config %q: it has %s", r.k.Name, r.only,
		strings.Join(configNames(a.Configs), "; "))
}

// key returns the values that a choice depends on, as in Triton: the arguments that the decorator names, and
// the types of all tensors.
func (r *run) key(a *lang.Autotune, g *given) (key []string) {
	for _, n := range a.Key {
		if g.has(n) {
			key = append(key, lang.Repr(r.value(g.Vals[g.Params.Index(n)])))
		}
	}
	for _, v := range g.Vals {
		if t := tensorOf(v); t != nil {
			key = append(key, t.Elem.String())
		}
	}
	return key
}

// prune returns the configs worth measuring: those that early_config_prune and perf_model leave.
func (r *run) prune(a *lang.Autotune, g *given) ([]lang.Config, error) {
	configs := a.Configs
	byName := func(n string) bool { return !g.positional(n) }
	if a.EarlyPrune != nil {
		list := &object.List{}
		for _, c := range configs {
			list.Items = append(list.Items, c.Value)
		}
		nargs := object.NewDict()
		for _, k := range r.keywords(g, g.positional) {
			nargs.SetStr(k.Name, k.Value)
		}
		v, err := r.t.Call(a.EarlyPrune, []object.Value{list, nargs}, r.keywords(g, byName))
		if err != nil {
			return nil, err
		}
		if configs, err = r.t.Configs(v); err != nil {
			return nil, err
		}
		if len(configs) == 0 {
			return nil, errors.New("early_config_prune leaves no config to try: it returns one or more")
		}
	}
	if a.PerfModel == nil {
		return configs, nil
	}
	return r.topK(a, g, configs)
}

// topK returns the configs with the best times by the file's perf_model.
func (r *run) topK(a *lang.Autotune, g *given, configs []lang.Config) ([]lang.Config, error) {
	k := len(a.Configs)
	switch v := a.TopK.(type) {
	case object.Float:
		if float64(v) > 1 {
			return nil, errors.New("top_k must be a float of at most 1.0, or an int")
		}
		k = int(float64(len(a.Configs)) * float64(v))
	case object.Int:
		n, _ := v.Int64()
		k = int(n)
	}
	if len(configs) <= k {
		return configs, nil
	}
	times := map[string]float64{}
	for _, c := range configs {
		v, err := r.t.Call(a.PerfModel, nil, append(r.keywords(g, nil), c.AllKwargs()...))
		if err != nil {
			return nil, err
		}
		times[c.String()] = plainFloat(v)
	}
	sorted := slices.Clone(configs)
	slices.SortStableFunc(sorted, func(x, y lang.Config) int {
		switch tx, ty := times[x.String()], times[y.String()]; {
		case tx < ty:
			return -1
		case tx > ty:
			return 1
		}
		return 0
	})
	return sorted[:max(0, min(k, len(sorted)))], nil
}

func plainFloat(v object.Value) float64 {
	switch v := lang.ConstOf(v).Plain().(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.Inf(1)
}

// ErrNothing is the error of tuning for a launch that has no programs, by whose time no config can be chosen.
var ErrNothing = errors.New("the grid has no programs: there is nothing to measure")

// tune measures the configs without a timing and returns the best.
func (r *run) tune(step int, a *lang.Autotune, g *given, key []string) (lang.Config, error) {
	configs, err := r.prune(a, g)
	if err == nil && len(configs) == 0 {
		err = errors.New("no config is left after pruning")
	}
	if err != nil {
		return lang.Config{}, fmt.Errorf("nereid: %s: %w", r.k.Name, err)
	}
	o := r.k.Opts
	store := o.Store
	if store == nil {
		store = autotune.Layers(nil)
	}
	rec := r.record(key)
	names := configNames(configs)
	var took time.Duration // of measurements; never 0 where there were some
	known := func() bool { return !o.Again && store.Load(r.ctx, rec) && len(r.unknown(configs, rec)) == 0 }
	if !known() {
		if full, err := r.complete(step, g, configs[0]); err == nil && r.w.Nothing(full.Matched) {
			return lang.Config{}, fmt.Errorf("nereid: %s: %w", r.k.Name, ErrNothing)
		}
		if r.k.Opts.Strict && !r.ahead {
			return lang.Config{}, fmt.Errorf("nereid: %s is not tuned for %s: %w: tune it at the start "+
				"(Kernel.Tune)",
				r.k.Name, strings.Join(key, ", "), compile.ErrNotCompiled)
		}
		if err := r.w.Refuse(); err != nil {
			return lang.Config{}, err
		}
		if !r.nested { // what waits for this one's end may have the lock
			unlock := store.Lock(r.ctx, rec)
			defer unlock()
		}
		if !known() {
			begin := time.Now()
			if err := r.tuneNow(step, a, g, configs, rec, store); err != nil {
				return lang.Config{}, err
			}
			took = max(1, time.Since(begin))
		}
	}
	// All processes use the same choice: one made by another process stays if it is among the configs.
	best := rec.Best
	if !slices.Contains(names, best) {
		best = rec.Pick(names)
	}
	r.finished(rec, names, best, took)
	if best == "" {
		return lang.Config{}, fmt.Errorf("nereid: %s: no config works", r.k.Name)
	}
	return configs[slices.Index(names, best)], nil
}

func configNames(configs []lang.Config) []string {
	names := make([]string, len(configs))
	for i, c := range configs {
		names[i] = c.String()
	}
	return names
}

// record returns an empty record of the kernel for a key.
func (r *run) record(key []string) *autotune.Record {
	compiler := cache.Build()
	if k, ok := r.dev.Backend.(target.Keeper); ok {
		compiler += " " + k.Fingerprint()
	}
	return &autotune.Record{
		Kernel: r.k.Name, File: path.Base(r.k.Source.Name), Device: r.dev.Backend.Info(), Compiler: compiler,
		Source: autotune.Hash(r.t.Source), Key: key,
	}
}
