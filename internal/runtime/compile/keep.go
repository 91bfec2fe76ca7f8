package compile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/trace"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// make returns the executable of a specialization, from the cache or compiled, and the way of its code.
func (k *Kernel) make(ctx context.Context, r Request) (target.Executable, device.Way, error) {
	defer trace.StartRegion(ctx, "nereid compile "+k.Name).End()
	if err := ctx.Err(); err != nil {
		return nil, r.Way, err
	}
	begin := time.Now()
	ctx, meter, cancel := k.budget(ctx)
	defer cancel()
	j, err := k.begin(meter, r.Spec, false, "")
	if err != nil {
		return nil, r.Way, err
	}
	j.ahead, j.in.Way, j.in.Hosted = r.Ahead, r.Way, true
	if d, ok := j.dev.Backend.(target.Chooser); ok {
		j.in.Way = d.Distinct(j.in.Module, r.Way)
	}
	if j.in.Way != j.in.Way.AnyGrid() {
		j.in.Launch = r.Launch
	}
	found, err := j.make(ctx)
	if errors.Is(err, ErrNotCompiled) && j.forAnyGrid() {
		found, err = j.make(ctx)
	}
	if l := timeline.On(); l != nil {
		l.Span(timeline.Compile, k.Name, begin, time.Now(), timeline.Failed([]timeline.Arg{
			{Key: "device", Value: r.Dev.String()}, {Key: "cached", Value: found},
			{Key: "signature", Value: j.out.Variant.Signature},
		}, err)...)
	}
	if f := k.Set.Hooks.After; f != nil {
		f(j.out.Variant, r.Dev, time.Since(begin), found, err)
	}
	return j.out.Exec, j.in.Way, err
}

// make finishes the job through the cache if the device's code can be kept. found reports that nothing was
// compiled.
func (j *job) make(ctx context.Context) (found bool, err error) {
	set := j.k.Set
	keeper, ok := j.dev.Backend.(target.Keeper)
	store := set.Store
	late := set.Given != nil && set.Given.Stage != "source" // the key knows the source alone
	if !ok || store == nil || set.Override != "" || set.Hooks.Replace != nil || late || cache.Build() == "" {
		return false, j.allowed(ctx)
	}
	generator := keeper.Fingerprint()
	key := j.key(keeper, generator)
	compile := func() (*cache.Entry, error) {
		j.keep, j.cached = true, true
		j.out.Stages[0].Text = target.Text(j.in.Module)
		if err := j.allowed(ctx); err != nil {
			return nil, err
		}
		return j.entry(key, keeper), nil
	}
	restore := func(e *cache.Entry) (err error) {
		j.out.Exec, err = keeper.Restore(ctx, j.in.Kernel,
			target.Code{Stage: e.Code, Data: e.Stage(e.Code), Meta: e.Meta})
		if found = err == nil; found {
			j.dumpEntry(e)
		}
		return err
	}
	if generator == "" {
		if found := !set.AlwaysCompile && j.adopt(ctx, keeper, restore); found {
			return true, nil
		}
		return false, j.allowed(ctx)
	}
	if set.AlwaysCompile {
		e, err := compile()
		if e != nil {
			store.Put(e)
		}
		return false, err
	}
	if p, ok := keeper.(target.Portable); ok && !store.Use(ctx, key, restore) {
		// what a machine without the device has compiled
		found = store.Use(ctx, j.key(keeper, p.Portable()), restore)
	}
	if found {
		return true, nil
	}
	err = store.Do(ctx, key, restore, compile)
	return found, err
}

// adopt looks for a kernel that another code generator compiled. This machine has none, so it cannot compile
// a better one.
func (j *job) adopt(ctx context.Context, keeper target.Keeper, restore func(*cache.Entry) error) bool {
	a, ok := keeper.(target.Adopter)
	if !ok {
		return false
	}
	store := j.k.Set.Store
	for _, g := range store.Generators() {
		if a.Adopts(g) && store.Use(ctx, j.key(keeper, g), restore) {
			return true
		}
	}
	return j.forAnyGrid() && j.adopt(ctx, keeper, restore)
}

// forAnyGrid lets the job take code for any grid, which may be in the cache. It reports false if that is the
// code that was asked for.
func (j *job) forAnyGrid() bool {
	before := j.in.Way
	j.in.Way = before.AnyGrid()
	return j.in.Way != before
}

// allowed finishes the compilation unless strict mode or a hook refuses it.
func (j *job) allowed(ctx context.Context) error {
	if j.k.Set.Strict && !j.ahead {
		why := j.k.elsewhere(j.dev, j.out.Variant)
		if why == "" {
			why = ": record what is launched (Config.Record) and compile it at the start (Module.Warmup)"
		}
		return fmt.Errorf("nereid: %s: %w%s", j.out.Variant, ErrNotCompiled, why)
	}
	j.alarm()
	if f := j.k.Set.Hooks.Before; f != nil {
		if err := f(ctx, j.out.Variant); err != nil {
			return &Vetoed{err}
		}
	}
	return j.finish(ctx)
}

// alarm reports a compilation that a launch waits for although the kernel's module was warmed up.
func (j *job) alarm() {
	h := &j.k.Set.Hooks
	if j.ahead || h.Late == nil || h.Warmed == nil || !h.Warmed() {
		return
	}
	v := j.out.Variant
	v.Form = code.Form(j.in.Way)
	cause := j.k.Cause(j.spec)
	if cause == "" {
		cause = "its grid or its arguments need another form of code"
	}
	h.Late(v, cause)
}

// key returns a hash of everything that the code depends on. Triton IR before any pass contains all of the
// kernel's source, callees and constants that matter; comments, other functions of the file and its path are
// not in it.
func (j *job) key(keeper target.Keeper, generator string) cache.Key {
	h := cache.NewHasher()
	h.Add("compiler", cache.Build())
	h.Add("generator", generator)
	h.Add("target", fmt.Sprintf("%+v", TargetOf(j.dev)))
	h.Add("options", j.in.Options.Key())
	if release := j.out.Variant.Triton; release != "" {
		h.Add("triton", release)
	}
	if j.lineless() {
		h.Add("lines", "none")
	}
	h.Add("way", j.in.Way.String())
	if len(j.in.Libs) > 0 {
		h.Add("libs", target.LibsKey(j.in.Libs))
	}
	if j.keyText == "" {
		j.keyText = keyText(j.in.Module, j.in.Kernel, (keeper.Located() || j.in.Options.Check) &&
			!j.lineless())
	}
	h.Add("ir", j.keyText)
	return h.Key(j.k.Name)
}

// keyText returns a module as text without the parts that code does not depend on: locations, unless the code
// contains them, and the file names that function names begin with.
func keyText(m *ir.Module, kernel string, located bool) string {
	var text strings.Builder
	if err := ir.Print(&text, m.Op, ir.PrintOptions{Locs: located || usesLocations(m)}); err != nil {
		return err.Error()
	}
	type rename struct{ from, to string }
	var names []rename
	for name := range m.Symbols() {
		if name != kernel {
			to := fmt.Sprintf("@callee%d", len(names))
			names = append(names, rename{"@" + name, to}, rename{`@"` + name + `"`, to})
		}
	}
	// longest first: a name may be a prefix of another
	slices.SortStableFunc(names, func(a, b rename) int { return len(b.from) - len(a.from) })
	var pairs []string
	for _, n := range names {
		pairs = append(pairs, n.from, n.to)
	}
	return strings.NewReplacer(pairs...).Replace(text.String())
}

// usesLocations reports whether code contains source positions: messages of assertions do.
func usesLocations(m *ir.Module) bool {
	for op := range m.Ops() {
		if op.Def == tt.Assert {
			return true
		}
	}
	return false
}

// entry returns the cache entry of a finished compilation, or nil if the executable cannot be kept.
func (j *job) entry(key cache.Key, keeper target.Keeper) *cache.Entry {
	kept, ok := j.out.Exec.(target.Kept)
	if !ok {
		return nil
	}
	code, err := kept.Code()
	if err != nil {
		return nil
	}
	options, err := json.Marshal(j.in.Options)
	if err != nil {
		return nil
	}
	e := &cache.Entry{
		Key: key, Target: device.Kind(j.dev.Backend), Signature: j.out.Variant.Signature, Options: options,
		Compiler: cache.Build(), Generator: keeper.Fingerprint(), Code: code.Stage, Meta: code.Meta,
	}
	for _, s := range j.out.Stages {
		if s.Name != code.Stage && s.Text != nil {
			e.Stages = append(e.Stages, cache.Stage{Name: s.Name, Data: s.Text})
		}
	}
	e.Stages = append(e.Stages, cache.Stage{Name: code.Stage, Data: code.Data})
	return e
}
