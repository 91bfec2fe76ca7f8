package cli

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// A kernel under @triton.autotune runs and compiles with the first config where the command line does not say
// what configs set: a launch would tune, which is what nereid tune is for.

// chosen is what was taken of the first config; the zero value is nothing.
type chosen struct {
	values []string // NAME=VALUE
	config world.Config
}

// firstConfig adds to texts what the first config of the kernel's @triton.autotune sets and texts does not.
func firstConfig(k *nereid.Kernel, texts map[string]string) (c chosen) {
	t, err := jit.Source(k).Tuning(k.Name(), lang.DefaultTarget)
	if t == nil || err != nil {
		return c
	}
	for _, s := range t.Steps {
		if s.Autotune == nil || len(s.Autotune.Configs) == 0 {
			continue
		}
		c.config = s.Autotune.Configs[0]
		for _, kw := range c.config.Kwargs {
			if texts[kw.Name] == "" {
				texts[kw.Name] = lang.Repr(kw.Value)
				c.values = append(c.values, kw.Name+"="+texts[kw.Name])
			}
		}
	}
	return c
}

// options adds the config's options to those that are not set.
func (c chosen) options(o *nereid.Options) {
	if len(c.values) == 0 {
		return
	}
	for _, f := range []struct{ to, from *int }{{&o.NumWarps, &c.config.NumWarps},
		{&o.NumStages, &c.config.NumStages}, {&o.NumCTAs, &c.config.NumCTAs},
		{&o.MaxNReg, &c.config.MaxNReg}} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
}

// String says what was taken from where; "" if nothing was.
func (c chosen) String() string {
	if len(c.values) == 0 {
		return ""
	}
	return strings.Join(c.values, " ") + ", as in the first config of @triton.autotune; nereid tune finds " +
		"the best"
}

// source returns the kernel's IR before any pass, or nil.
func (r *runner) source() []byte {
	if r.ir != nil {
		return r.ir
	}
	args, tensors, err := r.in.on(r.dev)
	if err != nil {
		return nil
	}
	defer closeAll(tensors)
	text, err := r.judge.Source(r.ctx, append(args, r.flags.opts)...)
	if err != nil {
		return nil
	}
	r.ir = text
	return text
}

// prints reports whether the kernel prints as it runs.
func (r *runner) prints() bool {
	return slices.Contains(strings.Fields(string(r.source())), "tt.print")
}
