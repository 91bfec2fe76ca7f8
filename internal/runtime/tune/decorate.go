package tune

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/target"
)

// decorators holds the decorators of a kernel for one target, or the error of reading them.
type decorators struct {
	t   *lang.Tuning
	err error
}

func (k *Kernel) decorators(dev *args.Device) *decorators {
	target := compile.TargetOf(dev)
	if d, ok := k.wrapped.Load(target); ok {
		return d.(*decorators)
	}
	t, err := k.Source.Tuning(k.Name, target)
	d, _ := k.wrapped.LoadOrStore(target, &decorators{t, err})
	return d.(*decorators)
}

// Decorated is the arguments of a launch, completed by its decorators.
type Decorated struct {
	Full    *args.Matched
	ByValue bool // decorators chose by the values of the arguments
	Hooks   bool // a config has a hook, which must be called for each launch
}

// Recall completes arguments as decorators completed equal ones before, and reports whether they did.
func (k *Kernel) Recall(dev *args.Device, m *args.Matched) bool { return k.memo.complete(dev, m) }

// Complete completes the arguments of a launch as the kernel's decorators say. Arguments that need no
// decorator are returned unchanged.
func (k *Kernel) Complete(s Start, m *args.Matched) (Decorated, error) {
	own := Decorated{Full: m}
	if s.Config == "" && k.Recall(s.Dev, m) {
		own.ByValue = true
		return own, nil
	}
	g := &given{m}
	if g.complete() {
		return own, nil
	}
	d := k.decorators(s.Dev)
	switch {
	case d.err != nil && m.Missing():
		return own, d.err
	case d.err != nil || d.t == nil:
		return own, nil
	}
	r := &run{k: k, t: d.t, ctx: s.Ctx, dev: s.Dev, w: s.Work, stream: s.Stream, ahead: s.Ahead,
		only: s.Config}
	if !r.applies(g) {
		return own, nil
	}
	full, hooks, err := r.run(g)
	if err != nil {
		return own, err
	}
	if !hooks && s.Config == "" {
		k.memo.put(s.Dev, m, full.Matched)
	}
	return Decorated{full.Matched, true, hooks}, nil
}

// run is the state of a launch under decorators.
type run struct {
	k      *Kernel
	t      *lang.Tuning
	ctx    context.Context
	dev    *args.Device
	w      Work
	stream any
	ahead  bool
	only   string // name of the config to take, "" if it is chosen

	nested bool // this tuning is part of a measurement of the same stream

	refused   map[string]bool // configs that a hook refused to compile
	compiling atomic.Int32    // number of configs not compiled yet
	// for Verify: contents of tensors at first, and after the first config
	origin, first *results
}

// applies reports whether a decorator adds to the arguments.
func (r *run) applies(g *given) bool {
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
func (r *run) tunes(a *lang.Autotune, g *given) bool {
	names := configParams(a)
	if len(names) == 0 {
		return g.Opts == target.Options{}
	}
	return slices.ContainsFunc(names, func(n string) bool { return !g.has(n) })
}

// run applies the decorators from the outside in. hooks reports that a config has a hook, which must be
// called for each launch.
func (r *run) run(g *given) (full *given, hooks bool, err error) {
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
			if g, err = r.preHook(c, g, r.dict(g)); err != nil {
				return nil, false, err
			}
		}
	}
	return g, hooks, nil
}

// preHook calls the hook of a config, which is given the arguments, and returns the arguments with the
// descriptors that it changed. Those of the caller stay what they are.
func (r *run) preHook(c lang.Config, g *given, nargs *object.Dict) (*given, error) {
	if _, err := r.t.Call(c.PreHook, []object.Value{nargs}, nil); err != nil {
		return nil, err
	}
	out := g
	for i, p := range g.Params.List {
		d, ok := g.Vals[i].(*args.Descriptor)
		if !ok || d == nil {
			continue
		}
		v, _ := nargs.GetStr(p.Name)
		set, ok := v.(*lang.DescriptorValue)
		if !ok || slices.Equal(set.Block, d.Block) && slices.Equal(set.Shape, d.Shape) &&
			slices.Equal(set.Strides, d.Strides) {
			continue
		}
		if out == g {
			out = g.with(nil, g.Opts)
		}
		out.Vals[i] = &args.Descriptor{Base: d.Base, Shape: set.Shape, Strides: set.Strides, Block: set.Block,
			NaN: d.NaN}
	}
	return out, nil
}

// described reports whether an argument is a descriptor.
func (g *given) described() bool {
	return slices.ContainsFunc(g.Vals, func(v any) bool { _, ok := v.(*args.Descriptor); return ok })
}

// configOptions returns the options of a config. Options set by the caller win.
func configOptions(c lang.Config, o target.Options) target.Options {
	for _, f := range []struct{ to, from *int }{{&o.NumWarps, &c.NumWarps}, {&o.NumStages, &c.NumStages},
		{&o.NumCTAs, &c.NumCTAs}, {&o.MaxNReg, &c.MaxNReg}} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	return o
}

func (r *run) heuristics(list []lang.Heuristic, g *given) (*given, error) {
	for _, h := range list {
		if g.has(h.Name) {
			continue
		}
		v, err := r.t.Call(h.Fn, []object.Value{r.dict(g)}, nil)
		if err != nil {
			return nil, fmt.Errorf("nereid: %s: the heuristic of %s: %w", r.k.Name, h.Name, err)
		}
		g = g.with([]object.Keyword{{Name: h.Name, Value: v}}, g.Opts)
	}
	return g, nil
}

// dict returns the arguments as a Python dict.
func (r *run) dict(g *given) *object.Dict {
	d := object.NewDict()
	for _, k := range r.keywords(g, nil) {
		d.SetStr(k.Name, k.Value)
	}
	return d
}

// dictWith returns the arguments as a Python dict, with all that a config gives.
func (r *run) dictWith(c lang.Config, g *given) *object.Dict {
	d := r.dict(g)
	for _, k := range c.AllKwargs() {
		d.SetStr(k.Name, k.Value)
	}
	return d
}

// keywords returns the arguments by name, in the order of the parameters; want selects them.
func (r *run) keywords(g *given, want func(name string) bool) []object.Keyword {
	var out []object.Keyword
	for i, p := range g.Params.List {
		if g.Given[i] && (want == nil || want(p.Name)) {
			out = append(out, object.Keyword{Name: p.Name, Value: r.value(g.Vals[i])})
		}
	}
	return out
}

// value returns an argument as a Python value.
func (r *run) value(v any) object.Value {
	switch v := v.(type) {
	case *args.Tensor:
		return r.w.Tensor(v).Value()
	case *args.Descriptor:
		if v.Base == nil {
			return object.None
		}
		return &lang.DescriptorValue{Base: r.w.Tensor(v.Base).Value(), Shape: v.Shape, Strides: v.Strides,
			Block: v.Block, NaN: v.NaN}
	}
	c, err := args.Constant(v)
	if err != nil {
		return object.None
	}
	return lang.ValueOf(c)
}
