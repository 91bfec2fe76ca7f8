package nereid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// TuneOptions says how kernels under @triton.autotune are tuned. The zero value measures as Triton does and
// keeps nothing.
type TuneOptions struct {
	Dir         string        // folder for timings, used by later runs and other processes; "" keeps none
	ReadOnly    bool          // do not write to Dir
	Warmup, Rep time.Duration // for each config, unless the decorator says otherwise; 0 means 25 and 100 ms
	// Budget is the time limit of a tuning: configs not measured by then are skipped. 0 means none.
	Budget time.Duration
	Again  bool      // measure configs even if their timings are kept
	Print  io.Writer // receives a line for each config and each choice; may be nil

	// Verify launches each config once more and compares its results with those of the first config. A config
	// that differs by more than rounding is skipped.
	Verify bool

	// Journal saves each timing at once and records a config as fatal while it is measured: after a crash,
	// another process continues behind the config that caused it. A lost device ends the tuning.
	Journal bool

	// Done is called with each choice and the timings of all configs, measured now or before; may be nil.
	Done func(best string, all []Tuned)

	// Progress is called for each config that was measured or failed; may be nil.
	Progress func(Tuned)
}

// Tuned is the result of measuring a config.
type Tuned struct {
	Kernel       string
	Key          []string
	Config       string
	Median       time.Duration
	Low, High    time.Duration // quantiles 0.2 and 0.8
	Failed       string        // why there is no timing, or ""
	Index, Count int           // position among the configs to measure, and their number
}

// decorators holds the decorators of a kernel for one target, or the error of reading them.
type decorators struct {
	t   *lang.Tuning
	err error
}

func (k *Kernel) decorators(dev *Device) *decorators {
	target := dev.core().Target()
	if d, ok := k.wrapped.Load(target); ok {
		return d.(*decorators)
	}
	t, err := k.m.src.Tuning(k.name, target)
	d, _ := k.wrapped.LoadOrStore(target, &decorators{t, compileError(err)})
	return d.(*decorators)
}

// given is the arguments of a launch before defaults are filled in.
type given struct {
	k *Kernel
	*args.Matched
}

func (g *given) has(name string) bool {
	i := g.Params.Index(name)
	return i >= 0 && g.Given[i]
}

// tensor returns the tensor argument of that name, or nil.
func (g *given) tensor(name string) *Tensor {
	if i := g.Params.Index(name); i >= 0 {
		return tensorOf(g.Vals[i])
	}
	return nil
}

// positional reports whether the argument of that name was given by position.
func (g *given) positional(name string) bool {
	i := g.Params.Index(name)
	return i >= 0 && g.Positional[i]
}

// complete reports whether the caller has given everything that decorators could add: every compile-time
// argument, and options.
func (g *given) complete() bool {
	for i := range g.Params.List {
		if g.Params.List[i].Constexpr && !g.Given[i] {
			return false
		}
	}
	return g.Opts != target.Options{}
}

// with returns a copy with more arguments.
func (g *given) with(kws []pyrun.Keyword, opts target.Options) *given {
	c := &given{g.k, g.Clone()}
	c.Opts = opts
	for _, k := range kws {
		if i := c.Params.Index(k.Name); i >= 0 {
			c.Vals[i], c.Given[i] = args.GoValue(k.Value), true
		}
	}
	return c
}

// decorated is the arguments of a launch, completed by its decorators.
type decorated struct {
	full    *args.Matched
	byValue bool // decorators chose by the values of the arguments
	hooks   bool // a config has a hook, which must be called for each launch
}

// decorate completes the arguments of a launch as the kernel's decorators say. Arguments that need no
// decorator are returned unchanged.
func (k *Kernel) decorate(s *Stream, grid Programs, m *args.Matched) (decorated, error) {
	own := decorated{full: m}
	if k.memo.complete(s.dev, m) {
		own.byValue = true
		return own, nil
	}
	g := &given{k, m}
	if g.complete() {
		return own, nil
	}
	d := k.decorators(s.dev)
	switch {
	case d.err != nil && m.Missing():
		return own, d.err
	case d.err != nil || d.t == nil:
		return own, nil
	}
	r := &tuneRun{k: k, t: d.t, s: s, grid: grid}
	if !r.applies(g) {
		return own, nil
	}
	full, hooks, err := r.run(g)
	if err != nil {
		return own, err
	}
	if !hooks {
		k.memo.put(s.dev, m, full.Matched)
	}
	return decorated{full.Matched, true, hooks}, nil
}

// tuneRun is the state of a launch under decorators.
type tuneRun struct {
	k    *Kernel
	t    *lang.Tuning
	s    *Stream
	grid Programs

	refused   map[string]bool           // configs that a hook refused to compile
	compiling atomic.Int32              // number of configs not compiled yet
	saved     map[*Tensor]target.Buffer // contents of restore_value tensors, on the device
	// for Verify: contents of tensors at first, and after the first config
	origin, first *results
}

// applies reports whether a decorator adds to the arguments.
func (r *tuneRun) applies(g *given) bool {
	for _, s := range r.t.Steps {
		if s.Autotune != nil && r.tunes(s.Autotune, g) {
			return true
		}
		for _, h := range s.Heuristics {
			if !g.has(h.Name) {
				return true
			}
		}
	}
	return false
}

// configParams returns the parameters that configs set.
func configParams(a *lang.Autotune) (names []string) {
	for _, c := range a.Configs {
		for _, k := range c.Kwargs {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	return names
}

// tunes reports whether a config must be chosen. It need not if the caller has given all parameters that
// configs set.
func (r *tuneRun) tunes(a *lang.Autotune, g *given) bool {
	names := configParams(a)
	if len(names) == 0 {
		return g.Opts == target.Options{}
	}
	return slices.ContainsFunc(names, func(n string) bool { return !g.has(n) })
}

// run applies the decorators from the outside in. hooks reports that a config has a hook, which must be
// called for each launch.
func (r *tuneRun) run(g *given) (full *given, hooks bool, err error) {
	for i, s := range r.t.Steps {
		if s.Autotune == nil {
			if g, err = r.heuristics(s.Heuristics, g); err != nil {
				return nil, false, err
			}
			continue
		}
		if !r.tunes(s.Autotune, g) {
			continue
		}
		c, err := r.choose(i, s.Autotune, g)
		if err != nil {
			return nil, false, err
		}
		g = g.with(c.Kwargs, configOptions(c, g.Opts))
		if c.PreHook != nil {
			hooks = true
			if _, err := r.t.Call(c.PreHook, []pyrun.Value{r.dict(g)}, nil); err != nil {
				return nil, false, err
			}
		}
	}
	return g, hooks, nil
}

// configOptions returns the options of a config. Options set by the caller win.
func configOptions(c lang.Config, o target.Options) target.Options {
	for _, f := range []struct{ to, from *int }{{&o.NumWarps, &c.NumWarps}, {&o.NumStages, &c.NumStages}, {&o.NumCTAs, &c.NumCTAs}, {&o.MaxNReg, &c.MaxNReg}} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	return o
}

func (r *tuneRun) heuristics(list []lang.Heuristic, g *given) (*given, error) {
	for _, h := range list {
		if g.has(h.Name) {
			continue
		}
		v, err := r.t.Call(h.Fn, []pyrun.Value{r.dict(g)}, nil)
		if err != nil {
			return nil, fmt.Errorf("nereid: %s: the heuristic of %s: %w", r.k.name, h.Name, err)
		}
		g = g.with([]pyrun.Keyword{{Name: h.Name, Value: v}}, g.Opts)
	}
	return g, nil
}

// dict returns the arguments as a Python dict.
func (r *tuneRun) dict(g *given) *pyrun.Dict {
	d := pyrun.NewDict()
	for _, k := range r.keywords(g, nil) {
		d.SetStr(k.Name, k.Value)
	}
	return d
}

// keywords returns the arguments by name, in the order of the parameters; want selects them.
func (r *tuneRun) keywords(g *given, want func(name string) bool) []pyrun.Keyword {
	var out []pyrun.Keyword
	for i, p := range g.Params.List {
		if g.Given[i] && (want == nil || want(p.Name)) {
			out = append(out, pyrun.Keyword{Name: p.Name, Value: hostValue(g.Vals[i])})
		}
	}
	return out
}

// tuning is full while a kernel is measured: concurrent measurements would disturb each other.
var tuning = make(chan struct{}, 1)

// choose returns the config for the arguments: one chosen before, here or by another process, or the best by
// measurement.
func (r *tuneRun) choose(step int, a *lang.Autotune, g *given) (lang.Config, error) {
	for _, n := range configParams(a) {
		if g.has(n) {
			return lang.Config{}, fmt.Errorf("nereid: %s: conflicting meta-parameters: %s is given, and set by autotune's configs", r.k.name, n)
		}
	}
	if len(a.Configs) == 1 {
		return a.Configs[0], nil
	}
	key := r.key(a, g)
	id := fmt.Sprint(step, r.s.dev, key)
	if c, ok := r.k.chosen.Load(id); ok {
		return c.(lang.Config), nil
	}
	select {
	case tuning <- struct{}{}:
		defer func() { <-tuning }()
	case <-r.s.ctx.Done():
		return lang.Config{}, r.cancelled()
	}
	if c, ok := r.k.chosen.Load(id); ok {
		return c.(lang.Config), nil
	}
	c, err := r.tune(step, a, g, key)
	if err == nil {
		r.k.chosen.Store(id, c)
	}
	return c, err
}

// key returns the values that a choice depends on, as in Triton: the arguments that the decorator names, and
// the types of all tensors.
func (r *tuneRun) key(a *lang.Autotune, g *given) (key []string) {
	for _, n := range a.Key {
		if g.has(n) {
			key = append(key, lang.Repr(hostValue(g.Vals[g.Params.Index(n)])))
		}
	}
	for _, v := range g.Vals {
		if t := tensorOf(v); t != nil {
			key = append(key, t.DType.String())
		}
	}
	return key
}

// prune returns the configs worth measuring: those that early_config_prune and perf_model leave.
func (r *tuneRun) prune(a *lang.Autotune, g *given) ([]lang.Config, error) {
	configs := a.Configs
	byName := func(n string) bool { return !g.positional(n) }
	if a.EarlyPrune != nil {
		list := &pyrun.List{}
		for _, c := range configs {
			list.Items = append(list.Items, c.Value)
		}
		nargs := pyrun.NewDict()
		for _, k := range r.keywords(g, g.positional) {
			nargs.SetStr(k.Name, k.Value)
		}
		v, err := r.t.Call(a.EarlyPrune, []pyrun.Value{list, nargs}, r.keywords(g, byName))
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
func (r *tuneRun) topK(a *lang.Autotune, g *given, configs []lang.Config) ([]lang.Config, error) {
	k := len(a.Configs)
	switch v := a.TopK.(type) {
	case pyrun.Float:
		if float64(v) > 1 {
			return nil, errors.New("top_k must be a float of at most 1.0, or an int")
		}
		k = int(float64(len(a.Configs)) * float64(v))
	case pyrun.Int:
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

func plainFloat(v pyrun.Value) float64 {
	switch v := args.Plain(v).(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.Inf(1)
}

// tune measures the configs without a timing and returns the best.
func (r *tuneRun) tune(step int, a *lang.Autotune, g *given, key []string) (lang.Config, error) {
	configs, err := r.prune(a, g)
	if err == nil && len(configs) == 0 {
		err = errors.New("no config is left after pruning")
	}
	if err != nil {
		return lang.Config{}, fmt.Errorf("nereid: %s: %w", r.k.name, err)
	}
	o := &r.k.m.conf.Tune
	store := &autotune.Store{Dir: o.Dir, ReadOnly: o.ReadOnly}
	rec := r.record(key)
	names := configNames(configs)
	known := func() bool { return !o.Again && store.Load(rec) && len(r.unknown(configs, rec)) == 0 }
	if !known() {
		if r.k.m.conf.Strict {
			return lang.Config{}, fmt.Errorf("nereid: %s is not tuned for %s: %w", r.k.name, strings.Join(key, ", "), ErrNotCompiled)
		}
		if err := r.s.refuse(r.k.name, "tuned"); err != nil {
			return lang.Config{}, err
		}
		unlock := store.Lock(r.s.ctx)
		defer unlock()
		if !known() {
			if err := r.tuneNow(step, a, g, configs, rec, store); err != nil {
				return lang.Config{}, err
			}
		}
	}
	// All processes use the same choice: one made by another process stays if it is among the configs.
	best := rec.Best
	if !slices.Contains(names, best) {
		best = rec.Pick(names)
	}
	r.finished(rec, names, best)
	if best == "" {
		return lang.Config{}, fmt.Errorf("nereid: %s: no config works", r.k.name)
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
func (r *tuneRun) record(key []string) *autotune.Record {
	compiler := cache.Build()
	if k, ok := r.s.dev.b.(target.Keeper); ok {
		compiler += " " + k.Fingerprint()
	}
	return &autotune.Record{
		Kernel: r.k.name, File: path.Base(r.k.m.src.Name), Device: r.s.dev.Info(), Compiler: compiler, Source: autotune.Hash(r.t.Source), Key: key,
	}
}

// measureAll measures the configs without a timing, in their order, while others compile. It returns the
// first failure.
func (r *tuneRun) measureAll(step int, a *lang.Autotune, g *given, configs []lang.Config, rec *autotune.Record, store *autotune.Store) (first error) {
	o := &r.k.m.conf.Tune
	todo := r.unknown(configs, rec)
	ctx, enough := context.WithCancel(r.s.ctx)
	defer enough() // stops compilations of configs that will not be measured
	ready := r.compileAll(ctx, step, g, todo)
	defer r.closeSaved()
	r.reference(step, a, g, configs, rec, todo)
	begin, best := time.Now(), math.Inf(1)
	late := func() bool { return o.Budget > 0 && time.Since(begin) > o.Budget }
	// A device with its own clock gives a config the same time whatever the host does: configs are measured
	// as soon as they are compiled.
	_, own := r.s.dev.b.(target.Timer)
	anyOrder := own && o.Budget == 0 && !o.Verify && !o.Journal
	var disturbed []lang.Config
	for n := range todo {
		if late() && rec.Pick(configNames(configs)) != "" {
			r.say("%s: %d configs are passed over: the time is up", r.k.name, len(todo)-n)
			for _, c := range todo[n:] {
				rec.Set(autotune.Timing{Config: c.String(), Failed: autotune.TimeUp})
			}
			break
		}
		i, err := ready.next(anyOrder)
		c := todo[i]
		t := autotune.Timing{Config: c.String()}
		if err == nil {
			r.journal(rec, store, autotune.Timing{Config: c.String(), Failed: "took the process with it"})
			if r.compiling.Load() > 0 {
				disturbed = append(disturbed, c)
			}
			t, err = r.measure(step, a, g, c, best)
		}
		if r.s.ctx.Err() != nil {
			r.forget(rec, store, c)
			return r.s.ctx.Err()
		}
		if err != nil {
			r.note(c, err)
			t.Config = c.String()
			t.Failed = firstLine(err)
			if first == nil {
				first = err
			}
		} else {
			best = min(best, t.Median)
		}
		rec.Set(t)
		r.journal(rec, store, t)
		r.report(rec, t, n, len(todo))
		if err != nil && r.lost() {
			return fmt.Errorf("nereid: %s: %w after %s: %w", r.k.name, errLost, c, err)
		}
	}
	if !late() {
		r.settle(step, a, g, disturbed, best, rec)
	}
	r.say("%s: tuned for %s in %.2f s: %s", r.k.name, strings.Join(rec.Key, ", "), time.Since(begin).Seconds(), rec.Pick(configNames(configs)))
	return first
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (r *tuneRun) say(format string, args ...any) {
	if w := r.k.m.conf.Tune.Print; w != nil {
		fmt.Fprintf(w, "nereid: "+format+"\n", args...)
	}
}

func (r *tuneRun) report(rec *autotune.Record, t autotune.Timing, i, n int) {
	if t.Failed != "" {
		r.say("%s: %s: %s", r.k.name, t.Config, t.Failed)
	} else {
		r.say("%s: %s: %.4g ms", r.k.name, t.Config, t.Median)
	}
	if f := r.k.m.conf.Tune.Progress; f != nil {
		f(tunedOf(rec, t, i, n))
	}
}

// compileAll compiles configs in the background, in their order, GOMAXPROCS at a time.
func (r *tuneRun) compileAll(ctx context.Context, step int, g *given, configs []lang.Config) *compiledConfigs {
	out := &compiledConfigs{done: make(chan int, len(configs)), errs: make([]error, len(configs))}
	r.compiling.Store(int32(len(configs)))
	go func() {
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i, c := range configs {
			slots <- struct{}{}
			go func() {
				out.errs[i] = r.compile(ctx, step, g, c)
				r.compiling.Add(-1)
				out.done <- i
				<-slots
			}()
		}
	}()
	return out
}

// compiledConfigs delivers configs as their compilation ends.
type compiledConfigs struct {
	done  chan int // indices, in the order of completion
	errs  []error  // error of each completed config
	ready []int    // completed, but not taken yet
	taken int
}

// next waits for a compiled config and takes it: the next of the list, or with anyOrder the first of those
// that are done.
func (c *compiledConfigs) next(anyOrder bool) (i int, err error) {
	for {
		for more := true; more; {
			select {
			case i := <-c.done:
				c.ready = append(c.ready, i)
			default:
				more = false
			}
		}
		if len(c.ready) > 0 {
			if i = slices.Min(c.ready); anyOrder || i == c.taken {
				break
			}
		}
		c.ready = append(c.ready, <-c.done)
	}
	c.taken++
	c.ready = slices.DeleteFunc(c.ready, func(j int) bool { return i == j })
	return i, c.errs[i]
}

// compile compiles the kernel as a launch under config c would.
func (r *tuneRun) compile(ctx context.Context, step int, g *given, c lang.Config) error {
	full, err := r.complete(step, g, c)
	if err != nil {
		return err
	}
	l := &launch{k: r.k, dev: r.s.dev}
	defer l.release()
	if err := l.bind(full.Matched); err != nil {
		return err
	}
	_, err = r.k.build(ctx, l)
	return err
}

// complete returns the arguments under a config, including those of inner decorators.
func (r *tuneRun) complete(step int, g *given, c lang.Config) (*given, error) {
	g = g.with(c.Kwargs, configOptions(c, g.Opts))
	for _, s := range r.t.Steps[step+1:] {
		var err error
		if g, err = r.heuristics(s.Heuristics, g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// hostValue returns an argument as a Python value.
func hostValue(v any) pyrun.Value {
	switch v := v.(type) {
	case *args.Tensor:
		return tensorOf(v).hostValue()
	case *args.Descriptor:
		if v.Base == nil {
			return pyrun.None
		}
		return tensorOf(v.Base).hostValue()
	}
	c, err := args.Constant(v)
	if err != nil {
		return pyrun.None
	}
	return c
}

func (t *Tensor) hostValue() *lang.TensorValue {
	v := &lang.TensorValue{DType: dtype.Type(t.DType).Row().Torch, Ptr: int64(t.addr), Zero: t.zero}
	for i, stride := range t.strides() {
		v.Shape, v.Strides = append(v.Shape, int64(t.Shape[i])), append(v.Strides, int64(stride))
	}
	v.Clone = func() (*lang.TensorValue, error) {
		data, err := t.bytes()
		if err != nil {
			return nil, err
		}
		c := FromBytes(t.DType, data)
		c.Shape, c.Strides = t.Shape, t.Strides
		return c.hostValue(), nil
	}
	v.Copy = func(from *lang.TensorValue) error {
		data, err := from.Bytes()
		if err != nil {
			return err
		}
		return t.Write(data)
	}
	v.Bytes = t.bytes
	return v
}
