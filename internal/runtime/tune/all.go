package tune

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/target"
)

// measureAll measures the configs without a timing, in their order, while others compile. It returns the
// first failure.
func (r *run) measureAll(step int, a *lang.Autotune, g *given, configs []lang.Config, rec *autotune.Record,
	store autotune.Store) (first error) {
	o := r.k.Opts
	todo, same := r.distinct(step, g, configs, r.unknown(configs, rec), rec)
	defer same.copyAll(rec)
	ctx, enough := context.WithCancel(r.ctx)
	defer enough() // stops compilations of configs that will not be measured
	told := r.tell(len(todo))
	defer func() { told.end(rec.Pick(configNames(configs))) }()
	ready := r.compileAll(ctx, step, g, todo)
	defer r.w.Release()
	r.reference(step, a, g, configs, rec, todo)
	begin, best := time.Now(), math.Inf(1)
	late := func() bool { return o.Budget > 0 && time.Since(begin) > o.Budget }
	// A device with its own clock gives a config the same time whatever the host does: configs are measured
	// as soon as they are compiled.
	_, own := r.dev.Backend.(target.Timer)
	anyOrder := own && o.Budget == 0 && !o.Verify && !o.Journal
	var disturbed []lang.Config
	for n := range todo {
		if late() && rec.Pick(configNames(configs)) != "" {
			r.say("%s: %d configs are passed over: the time is up", r.k.Name, len(todo)-n)
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
		if r.ctx.Err() != nil {
			r.forget(rec, store, c)
			return r.ctx.Err()
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
		told.measured.Add(1)
		if err != nil && r.lost() {
			return fmt.Errorf("nereid: %s: %w after %s: %w", r.k.Name, errLost, c, err)
		}
	}
	if !late() {
		r.settle(step, a, g, disturbed, best, rec)
	}
	r.say("%s: tuned for %s in %.2f s: %s", r.k.Name, strings.Join(rec.Key, ", "),
		time.Since(begin).Seconds(), rec.Pick(configNames(configs)))
	return first
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (r *run) say(format string, args ...any) {
	if w := r.k.Opts.Print; w != nil {
		fmt.Fprintf(w, "nereid: "+format+"\n", args...)
	}
}

func (r *run) report(rec *autotune.Record, t autotune.Timing, i, n int) {
	if t.Failed != "" {
		r.say("%s: %s: %s", r.k.Name, t.Config, t.Failed)
	} else {
		r.say("%s: %s: %.4g ms", r.k.Name, t.Config, t.Median)
	}
	if f := r.k.Opts.Progress; f != nil {
		f(tunedOf(rec, t, i, n))
	}
}

// compileAll compiles configs in the background, in their order, GOMAXPROCS at a time.
func (r *run) compileAll(ctx context.Context, step int, g *given, configs []lang.Config) *compiledConfigs {
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
func (r *run) compile(ctx context.Context, step int, g *given, c lang.Config) error {
	full, err := r.complete(step, g, c)
	if err != nil {
		return err
	}
	if c.PreHook != nil && full.described() { // the hook may say what the blocks are
		if full, err = r.preHook(c, full, r.dictWith(c, full)); err != nil {
			return err
		}
	}
	return r.w.Compile(ctx, full.Matched)
}

// complete returns the arguments under a config, including those of inner decorators.
func (r *run) complete(step int, g *given, c lang.Config) (*given, error) {
	g = g.with(c.Kwargs, configOptions(c, g.Opts))
	for _, s := range r.t.Steps[step+1:] {
		var err error
		if g, err = r.heuristics(s.Heuristics, g); err != nil {
			return nil, err
		}
	}
	return g, nil
}
