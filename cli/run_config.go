package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// A kernel under @triton.autotune runs and compiles with the first config where the command line does not say
// what configs set: a launch would tune, which is what nereid tune is for. What @triton.heuristics compute
// from numbers of the command line is computed.

// chosen is what the kernel's decorators said; the zero value is nothing.
type chosen struct {
	values   []string // NAME=VALUE of the first config
	computed []string // NAME=VALUE of heuristics
	config   world.Config
	bare     bool // the config sets options alone
}

// decorated adds to texts what the kernel's decorators set and texts does not.
func decorated(k *nereid.Kernel, texts map[string]string) (c chosen) {
	t, err := jit.Source(k).Tuning(k.Name(), lang.DefaultTarget)
	if t == nil || err != nil {
		return c
	}
	for _, s := range t.Steps {
		if s.Autotune != nil && len(s.Autotune.Configs) > 0 {
			c.config = s.Autotune.Configs[0]
			c.bare = len(c.config.Kwargs) == 0
			for _, kw := range c.config.Kwargs {
				c.values = set(texts, kw.Name, kw.Value, c.values)
			}
		}
		for _, h := range s.Heuristics {
			// One that looks at tensors fails: the value must then be given.
			if v, err := t.Call(h.Fn, []object.Value{dictOf(texts)}, nil); err == nil {
				c.computed = set(texts, h.Name, v, c.computed)
				c.config.SetOption(h.Name, v)
			}
		}
	}
	return c
}

// set adds a value to texts, unless it has one, and to the list of those that were added.
func set(texts map[string]string, name string, v object.Value, added []string) []string {
	if texts[name] != "" {
		return added
	}
	texts[name] = lang.Repr(v)
	return append(added, name+"="+texts[name])
}

// dictOf returns the arguments that are not tensors, as heuristics take them.
func dictOf(texts map[string]string) *object.Dict {
	d := object.NewDict()
	for name, text := range texts {
		if _, _, file := tensorFile(text); file || isTensor(text) {
			continue
		}
		v, err := parseValue(text)
		if err != nil {
			continue
		}
		if constant, err := args.Constant(v); err == nil {
			d.SetStr(name, lang.ValueOf(constant))
		}
	}
	return d
}

// options adds the config's options to those that are not set.
func (c *chosen) options(o *nereid.Options) {
	if c.bare && o.NumWarps == 0 && c.config.NumWarps > 0 { // without an option the launch would tune
		c.values = append(c.values, fmt.Sprintf("num_warps=%d", c.config.NumWarps))
	}
	if c.String() == "" {
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
	var said []string
	if len(c.values) > 0 {
		said = append(said, strings.Join(c.values, " ")+", as in the first config of @triton.autotune; "+
			"nereid tune finds the best")
	}
	if len(c.computed) > 0 {
		said = append(said, strings.Join(c.computed, " ")+", by @triton.heuristics")
	}
	return strings.Join(said, "; ")
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
