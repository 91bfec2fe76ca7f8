package jit

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/signature"
)

// freeze returns the plan of launches with arguments like these on the stream's device, or, with a signature,
// of launches with arguments that it describes; the list then has options alone. Nothing is launched. Callers
// who do not know how far memory reaches cannot tell whether it overlaps: unless apart is set, the code
// allows that.
func (k *Kernel) freeze(s *core.Stream, list []any, signature string, apart bool) (*warm.Plan, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	if err := core.Usable(s); err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	l := k.newLaunch(s.Device())
	l.bound = true
	defer l.Release()
	var err error
	if signature != "" {
		err = l.describe(list, signature)
	} else {
		err = l.decorated(s, list)
	}
	if err != nil {
		return nil, err
	}
	if !apart && core.Traits(s.Device()).SharesHost {
		l.opts.Overlap = true
	}
	b, err := k.build(s.Context(), l)
	if err != nil {
		return nil, err
	}
	n := 0
	for b.Param(n).Name != "" {
		n++
	}
	switch {
	case b.Bounded != nil || l.Checked():
		return nil, fmt.Errorf("nereid: %s: a launch that checks accesses cannot be frozen: launch it",
			k.name)
	case slices.ContainsFunc(l.specs, described):
		return nil, fmt.Errorf("nereid: %s: a launch with descriptors cannot be frozen: launch it", k.name)
	}
	return core.NewPlan(s.Device(), b, n), nil
}

// described reports whether an argument is a descriptor or a tuple that has one.
func described(a signature.Arg) bool { return a.Desc != nil || slices.ContainsFunc(a.Items, described) }

// describe takes the specialization from a signature.
func (l *launch) describe(list []any, signature string) error {
	specs, err := lang.ParseSignature(l.k.params.List, signature)
	if err != nil {
		return l.k.argError(err)
	}
	l.Frame.Take(list)
	l.specs, l.opts = specs, l.Frame.Opts
	return nil
}

// decorated takes the specialization from arguments that decorators complete.
func (l *launch) decorated(s *core.Stream, list []any) error {
	var f core.Frame
	if err := f.Bind(l.k.name, l.k.params, list); err != nil {
		return err
	}
	d, err := l.k.decorate(s, nil, &f.Matched, false)
	if err == nil && d.Hooks {
		err = fmt.Errorf("nereid: %s: %w", l.k.name, errBoundHooks)
	}
	if err != nil {
		return err
	}
	return l.bind(d.Full)
}
