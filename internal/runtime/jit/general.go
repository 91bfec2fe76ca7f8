package jit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
)

// GeneralRun describes launches that ran code of a more general specialization than their own, because they
// could not compile: in strict mode, or on a stream that was being captured. The code is right for them and
// may be slower.
type GeneralRun struct {
	Variant Variant // specialization of the launches
	Code    Variant // specialization of the code that ran
	// Causes says how the launches differ: "parameter seed is 16-divisible, and was not before". To compile
	// code of their own, record such a launch, or warm up all specializations (nereid warm --all).
	Causes   []string
	Launches uint64 // how many there were
}

// general is the code that serves launches of a specialization that is not compiled.
type general struct {
	spec   compile.Spec
	params *args.Params // by which arguments are specialized for the code
	same   bool         // launches pass the same words as for code of their own
	run    GeneralRun
	n      atomic.Uint64
}

// generalRuns holds what launches of a module ran general code.
type generalRuns struct {
	mu   sync.Mutex
	list []*general
}

// General returns which launches of the module's kernels ran code of a more general specialization, and how
// many, in the order in which they first came.
func (m *Module) General() (list []GeneralRun) {
	if m.usable() != nil {
		return nil
	}
	m.general.mu.Lock()
	defer m.general.mu.Unlock()
	for _, g := range m.general.list {
		run := g.run
		run.Causes, run.Launches = slices.Clone(run.Causes), g.n.Load()
		list = append(list, run)
	}
	return list
}

// build returns the code of a launch with a grid. One that may not compile runs code of a more general
// specialization, if there is any.
func (l *launch) build(s *core.Stream, g core.Grid) (*code.Build, error) {
	k, spec := l.k, l.spec()
	l.share(g)
	if k.generals.any.Load() {
		if x, ok := k.generals.of.Load(args.Key(spec.Dev, spec.Args, spec.Opts)); ok {
			return l.buildGeneral(s, g, x.(*general))
		}
	}
	spec.Args = slices.Clone(spec.Args) // loosen changes them
	b, err := k.build(s.Context(), l)
	if mayNotCompile(err) && !k.code.Set.Strict && l.loosen() {
		b, err = k.build(s.Context(), l)
	}
	if !mayNotCompile(err) {
		return b, err
	}
	x := k.findGeneral(spec)
	if x == nil {
		if cause := k.code.Cause(spec); cause != "" {
			err = fmt.Errorf("%w (%s)", err, cause)
		}
		return nil, err
	}
	l.loosened = false
	if b, failed := l.buildGeneral(s, g, x); failed == nil {
		k.noteGeneral(spec, x)
		return b, nil
	}
	return nil, err
}

// buildGeneral binds the arguments to the code of another specialization.
func (l *launch) buildGeneral(s *core.Stream, g core.Grid, x *general) (*code.Build, error) {
	l.general = x
	m := l.Frame.Matched
	if err := l.bind(&m); err != nil {
		return nil, err
	}
	l.opts = x.spec.Opts
	l.share(g)
	b, err := l.k.build(s.Context(), l)
	if err == nil {
		x.n.Add(1)
	}
	return b, err
}

// findGeneral returns the compiled specialization that serves a launch and differs least from its own, nil if
// there is none.
func (k *Kernel) findGeneral(s compile.Spec) *general {
	var best *general
	for _, o := range k.code.Specs(s.Dev, true) {
		want, have := s.Dev.Defaults(s.Opts), s.Dev.Defaults(o.Opts)
		want.Overlap = want.Overlap || have.Overlap // code for arguments that overlap takes any
		if ok, same := args.Covers(k.params.List, o.Args, s.Args); ok && want == have {
			x := &general{spec: o, same: same}
			x.run.Causes = args.Differences(k.params.List, o.Args, s.Args)
			if best == nil || len(x.run.Causes) < len(best.run.Causes) {
				best = x
			}
		}
	}
	if best != nil {
		best.params = k.params.For(best.spec.Args)
	}
	return best
}

// noteGeneral remembers what serves a specialization, and says so once.
func (k *Kernel) noteGeneral(s compile.Spec, x *general) {
	name := func(s compile.Spec) Variant {
		return Variant{File: k.m.src.Name, Kernel: k.name, Signature: signature.Format(s.Args),
			Options: core.Options(s.Dev.Defaults(s.Opts))}
	}
	x.run.Variant, x.run.Code = name(s), name(x.spec)
	if _, known := k.generals.of.LoadOrStore(args.Key(s.Dev, s.Args, s.Opts), x); known {
		return
	}
	k.generals.any.Store(true)
	r := &k.m.general
	r.mu.Lock()
	r.list = append(r.list, x)
	r.mu.Unlock()
	c := k.m.conf
	if f := c.Hooks.General; f != nil {
		f(x.run)
	}
	if c.Logger != nil {
		c.Logger.Warn("nereid: a launch runs general code", "kernel", k.name,
			"launch", x.run.Variant.Signature, "code", x.run.Code.Signature,
			"cause", strings.Join(x.run.Causes, "; "),
			"remedy", "record such a launch, or warm up with nereid warm --all")
	}
}

// generals remembers which code serves specializations that are not compiled.
type generals struct {
	any atomic.Bool // there is one
	of  sync.Map    // args.Key to *general
}

// count makes launches by a plan count.
func (x *general) count(p *warm.Plan) {
	if x == nil || p.Exec == nil {
		return
	}
	p.Exec, p.Launcher = &counting{p.Exec, &x.n}, nil
}

// counting counts the launches of an executable.
type counting struct {
	target.Executable
	n *atomic.Uint64
}

func (c *counting) Launch(ctx context.Context, s target.Stream, grid [3]int, words []uint64) error {
	c.n.Add(1)
	return c.Executable.Launch(ctx, s, grid, words)
}
