package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/tunable"
)

// exploreSource is where candidates come from: a kernel, or a group of a bundle.
type exploreSource struct {
	name       string
	dev        *nereid.Device
	kernel     *nereid.Kernel     // nil for a bundle
	params     []nereid.CodeParam // of a bundle's variants
	candidates []tunable.Candidate[*exploreCall]
	bundle     *bundle.Bundle
}

func (s *exploreSource) close() {
	if s.bundle != nil {
		s.bundle.Close()
	}
}

// exploreCall is the parameters of the op: the arguments of one shape.
type exploreCall struct {
	in    *inputs
	args  []any
	grid  string
	where string
	names []string         // of the shape, in order
	shape map[string]int64 // values of the shape
	key   exploreKey
	grids sync.Map // *tunable.Code to nereid.Grid: evaluating the expression is no part of what is measured
}

// exploreKey is the key of results, as texts.
type exploreKey [16]string

// source opens what the command line names.
func (f *exploreFlags) source(ctx context.Context, arg string, conf nereid.Config) (*exploreSource, error) {
	if f.grid == "" || len(f.shapes) == 0 {
		return nil, usagef("say what is measured: n_cols=1000 --grid 512, or --shapes ROWS=512,COLS=1000 " +
			"--grid ROWS")
	}
	launch := tunable.Launch[*exploreCall]{Run: runExplored, Supports: supportsExplored}
	if file, name, ok := cutKernel(arg); ok && filepath.Ext(file) == ".py" {
		return f.kernelSource(file, name, conf, launch)
	}
	dev, err := bundle.Device(f.device)
	if err != nil {
		return nil, err
	}
	b, err := f.open(ctx, arg, dev)
	if err != nil {
		return nil, err
	}
	s, err := f.bundleSource(b, dev, launch)
	if err != nil {
		b.Close()
	}
	return s, err
}

// open opens a bundle, or compiles the variants of a table for a device.
func (f *exploreFlags) open(ctx context.Context, arg string, dev *nereid.Device) (*bundle.Bundle, error) {
	if ext := filepath.Ext(arg); ext != ".py" && ext != ".toml" {
		return bundle.Open(arg)
	}
	t, err := aot.Read(arg, aot.ReadOptions{Roots: f.roots})
	if err != nil {
		return nil, err
	}
	var groups []string
	if f.group != "" {
		groups = []string{f.group}
	}
	variants, err := t.Select(groups, nil)
	if err != nil {
		return nil, err
	}
	target := "cpu"
	if m := capability.FindStringSubmatch(dev.Info()); m != nil {
		target = "cuda:" + m[1]
	}
	built, err := aot.Build(ctx, variants, aot.BuildOptions{Targets: []string{target}, Roots: f.roots})
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if _, err := built.Writer.WriteTo(&data); err != nil {
		return nil, err
	}
	return bundle.OpenBytes(data.Bytes())
}

// capability is the architecture of a GPU in the line about it.
var capability = regexp.MustCompile(`\bsm_(\d+)`)

// kernelSource returns the configs of a kernel as candidates.
func (f *exploreFlags) kernelSource(file, name string, conf nereid.Config,
	launch tunable.Launch[*exploreCall]) (*exploreSource, error) {
	m, err := nereid.Load(file, nereid.Roots(f.roots...), nereid.With(conf))
	if err != nil {
		return nil, err
	}
	s := &exploreSource{name: name}
	if s.kernel, err = m.Kernel(name); err != nil {
		return nil, err
	}
	if s.dev, err = nereid.OpenDevice(f.device); err != nil {
		return nil, err
	}
	configs, err := s.kernel.Configs(s.dev)
	if err != nil {
		return nil, err
	}
	if len(f.configs) > 0 {
		if configs, err = parseConfigs(f.configs); err != nil {
			return nil, err
		}
	}
	if len(configs) == 0 {
		return nil, usagef("%s has no configs: it is not under @triton.autotune; give some with --config",
			name)
	}
	s.candidates, err = tunable.Kernel(s.kernel, configs, launch)
	return s, err
}

// bundleSource returns the variants of a bundle's group as candidates.
func (f *exploreFlags) bundleSource(b *bundle.Bundle, dev *nereid.Device,
	launch tunable.Launch[*exploreCall]) (*exploreSource, error) {
	groups := b.Groups()
	group := f.group
	if group == "" && len(groups) == 1 {
		group = groups[0]
	}
	if group == "" {
		return nil, usagef("say which group: --group %s", strings.Join(groups, ", --group "))
	}
	s := &exploreSource{name: group, bundle: b, dev: dev}
	var err error
	if s.candidates, err = tunable.Group(b, group, launch); err != nil {
		return nil, err
	}
	variants, err := b.Group(group)
	if err != nil {
		return nil, err
	}
	c, err := variants[0].Load(s.dev)
	if err != nil {
		return nil, err
	}
	s.params = c.Info().Params
	return s, nil
}

// parseConfigs reads configs: BLOCK=1024,num_warps=4.
func parseConfigs(texts []string) (out []nereid.TuneConfig, err error) {
	for _, text := range texts {
		var c nereid.TuneConfig
		options := map[string]*int{
			"num_warps": &c.Options.NumWarps, "num_stages": &c.Options.NumStages,
			"num_ctas": &c.Options.NumCTAs, "maxnreg": &c.Options.MaxNReg,
		}
		for _, part := range splitShapes(text) {
			name, value, ok := strings.Cut(part, "=")
			if !ok {
				return nil, usagef("--config %q: write NAME=VALUE,NAME=VALUE", text)
			}
			if at := options[name]; at != nil {
				if *at, err = strconv.Atoi(value); err != nil {
					return nil, usagef("--config %q: %s is no number", text, value)
				}
				continue
			}
			v, err := parseValue(value)
			if err != nil {
				return nil, usagef("--config %q: %v", text, err)
			}
			c.Args = append(c.Args, nereid.Arg(name, v))
		}
		out = append(out, c)
	}
	return out, nil
}

// call makes up the arguments of a shape.
func (f *exploreFlags) call(src *exploreSource, args []string, shape string) (*exploreCall, error) {
	c := &exploreCall{grid: f.grid, where: f.where, shape: map[string]int64{}}
	var params []string
	args = slices.Clone(args)
	for _, part := range splitShapes(shape) {
		name, value, _ := strings.Cut(part, "=")
		n, err := sweepNumber(value)
		if err != nil {
			return nil, usagef("--shapes %q: %q is no number", shape, value)
		}
		c.names, c.shape[name] = append(c.names, name), n
		args = (&sweep{name: name}).at(args, n)[1:]
		if src.hasParam(name) {
			params = append(params, part)
		}
	}
	var err error
	f.input.partial, f.input.repeat = true, 1<<18-5
	if src.kernel != nil {
		c.in, err = f.input.read(src.kernel, append(args, params...))
	} else {
		c.in, err = f.input.readCode(src.name, src.params, append(args, params...))
	}
	if err != nil {
		return nil, err
	}
	return c, c.setKey(f.key)
}

// hasParam reports whether launches take an argument of that name.
func (s *exploreSource) hasParam(name string) bool {
	if s.kernel != nil {
		return slices.ContainsFunc(s.kernel.Params(), func(p nereid.Param) bool { return p.Name == name })
	}
	return slices.ContainsFunc(s.params, func(p nereid.CodeParam) bool { return p.Name == name })
}

// readCode makes up the arguments of compiled code.
func (f *inputFlags) readCode(name string, params []nereid.CodeParam, given []string) (*inputs, error) {
	texts := map[string]string{}
	for _, g := range given {
		key, value, ok := strings.Cut(g, "=")
		if !ok {
			return nil, usagef("%q is no argument: write NAME=VALUE", g)
		}
		texts[key] = value
	}
	in := &inputs{values: map[string]any{}}
	for _, p := range params {
		text, ok := texts[p.Name]
		delete(texts, p.Name)
		switch {
		case p.Pointer && !ok:
			text = p.Type
			fallthrough
		case p.Pointer:
			t, err := f.describe(p.Name, text)
			if err != nil {
				return nil, err
			}
			in.tensors = append(in.tensors, t)
		case !ok:
			return nil, usagef("%s needs a value for %s: write %[2]s=...", name, p.Name)
		default:
			v, err := parseValue(text)
			if err != nil {
				return nil, usagef("%s=%s: %v", p.Name, text, err)
			}
			in.values[p.Name] = v
		}
		in.order = append(in.order, p.Name)
	}
	for key := range texts {
		return nil, usagef("%s has no parameter %q: it has %s", name, key, strings.Join(in.order, ", "))
	}
	return in, f.allocate(in)
}

// setKey sets the key: the expressions of --key, or the shape.
func (c *exploreCall) setKey(text string) error {
	var parts []string
	for _, n := range c.names {
		parts = append(parts, fmt.Sprintf("%s=%d", strings.ToLower(n), c.shape[n]))
	}
	if text != "" {
		parts = nil
		for _, part := range splitShapes(text) {
			name, value, _ := strings.Cut(part, "=")
			if n, ok := c.shape[value]; ok {
				value = strconv.FormatInt(n, 10)
			}
			parts = append(parts, name+"="+value)
		}
	}
	if len(parts) > len(c.key) {
		return usagef("a key has at most %d parts", len(c.key))
	}
	copy(c.key[:], parts)
	return nil
}

// with returns the arguments for expressions, with the constants of a candidate and the words of the shape.
func (c *exploreCall) with(code *tunable.Code) *inputs {
	in := &inputs{values: maps.Clone(c.in.values), order: slices.Concat(c.in.order, c.names)}
	for name, n := range c.shape {
		in.values[name] = n
	}
	if code != nil {
		for _, name := range code.Constants() {
			in.values[name] = code.Constant(name)
			in.order = append(in.order, name)
		}
	}
	return in
}

// runExplored launches a candidate.
func runExplored(code *tunable.Code, s *nereid.Stream, c *exploreCall) error {
	grid, ok := c.grids.Load(code)
	if !ok {
		g, err := c.with(code).grid(c.grid)
		if err != nil {
			return err
		}
		grid, _ = c.grids.LoadOrStore(code, g)
	}
	a := code.Args()
	for _, v := range c.args {
		a.Value(v)
	}
	return a.Launch(s, grid.(nereid.Grid))
}

// supportsExplored evaluates --where.
func supportsExplored(code *tunable.Code, c *exploreCall) error {
	if c.where == "" {
		return nil
	}
	v, err := c.with(code).eval(c.where)
	if err != nil {
		return usagef("--where: %v", err)
	}
	if b, ok := v.(object.Bool); ok && bool(b) {
		return nil
	}
	return errors.New("not supported: --where " + c.where)
}
