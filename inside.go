package nereid

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/inside"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

func init() { // package inside says who needs these functions
	inside.Root.Device = func(b target.Backend) any { return &Device{b} }
	inside.Root.Params = func(k any) *args.Params { return k.(*Kernel).params }
	inside.Root.Source = func(k any) *lang.Source { return k.(*Kernel).m.src }
	inside.Root.Stages = func(name string) []string {
		b, err := compilerFor(name)
		if err != nil {
			return nil
		}
		return b.Stages()
	}
	inside.Root.CheckTarget = func(name string) error {
		_, err := compilerFor(name)
		return err
	}
	inside.Root.Compile = func(ctx context.Context, k any, target, signature string, opts target.Options,
		until string, only []string) (*code.Result, error) {
		return k.(*Kernel).compileFor(ctx, target, signature, opts, until, only)
	}
	inside.Root.CompileFor = func(ctx context.Context, k any, target, signature string, opts target.Options,
		until string, only []string) (any, error) {
		x := k.(*Kernel)
		dev, specs, err := x.forTarget(target, signature)
		if err != nil {
			return nil, err
		}
		return x.compile(ctx, dev, specs, opts, until, only)
	}
	inside.Root.StartAt = func(stage string, text, meta []byte) any {
		return LoadOption(func(o *loading) { o.given = &target.Given{Stage: stage, Text: text, Meta: meta} })
	}
	inside.Root.Open = func(name string) (any, error) { return openRuntime(name) }
	inside.Root.Runs = func(dev any, stage, machine string) error {
		d := dev.(*Device)
		if err := d.usable(); err != nil {
			return err
		}
		return device.Runs(d.b, stage, machine)
	}
	inside.Root.Load = func(dev any, s *code.Saved) (any, error) { return loadSaved(dev.(*Device), s) }
	inside.Root.Text = func(k any) (string, error) {
		x := k.(*Kernel)
		return x.m.src.Text(x.name, lang.DefaultTarget)
	}
	inside.Root.Refuse = func(s any, name, what string) error { return s.(*Stream).refuse(name, what) }
	inside.Root.Launched = func(s any) (f target.Facts) {
		if x, ok := s.(*Stream).s.(target.Launched); ok {
			f = x.Launched()
		}
		return f
	}
	inside.Root.Store = func(s any) autotune.Store { return s.(*TuneStore).store() }
	inside.Root.Built = func(dev any) (model, driver, compiler string) {
		b := dev.(*Device).b
		model, compiler = b.Info(), cache.Build()
		if m, ok := b.(target.Modelled); ok {
			model, driver = m.Model()
		}
		if k, ok := b.(target.Keeper); ok {
			compiler += " " + k.Fingerprint()
		}
		return model, driver, compiler
	}
	inside.Root.Forms = func(ctx context.Context, k any, target, signature string, opts target.Options,
		until string) ([]code.SavedForm, error) {
		x := k.(*Kernel)
		dev, specs, err := x.forTarget(target, signature)
		if err != nil {
			return nil, err
		}
		return x.code.Forms(ctx, compile.Spec{Dev: dev.core(), Args: specs, Opts: opts}, until)
	}
	inside.Root.LaunchConfig = func(k, s, g any, list []any, config string, ahead bool) error {
		return k.(*Kernel).launchConfig(s.(*Stream), g.(Programs), list, config, ahead)
	}
	inside.Root.Clone = func(t any) (any, error) { return t.(*Tensor).clone() }
	inside.Root.Bytes = func(t any) ([]byte, error) { return t.(*Tensor).bytes() }
	inside.Root.Launch = func(k, s, grid any, list []any, note func(*warm.Plan, bool)) error {
		p, _ := grid.(Programs)
		return k.(*Kernel).launch(s.(*Stream), p, list, note)
	}
	inside.Root.Freeze = func(k, s any, list []any, signature string, apart bool) (*warm.Plan, error) {
		return k.(*Kernel).freeze(s.(*Stream), list, signature, apart)
	}
	inside.Root.LaunchPlan = func(p *warm.Plan, k, s any, grid [3]int, words []uint64,
		held args.Holder) error {
		g, err := Grid(grid).valid()
		if err != nil {
			return fmt.Errorf("nereid: %s: %w", k.(*Kernel).name, err)
		}
		return launchPlan(p, s.(*Stream), g, words, held)
	}
	inside.Root.Overlap = func(a, b *args.Tensor, orEqual bool) bool {
		return (*Tensor)(unsafe.Pointer(a)).overlaps((*Tensor)(unsafe.Pointer(b)), orEqual)
	}
	inside.Root.Grid = func(p *warm.Plan, k, grid any, values inside.Values) ([3]int, error) {
		return k.(*Kernel).gridOf(p, grid.(GridFunc), values)
	}
}

// gridOf calls a GridFunc with the arguments of generated code.
func (k *Kernel) gridOf(p *warm.Plan, grid GridFunc, values inside.Values) (Grid, error) {
	m := k.metas.Get()
	m.of, m.plan = values, p
	g, err := resolve(grid, m)
	*m = meta{}
	k.metas.Put(m)
	if err != nil {
		return g, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	return g, nil
}

// compileFor compiles like CompileFor; the texts of stages that are not in only are not kept.
func (k *Kernel) compileFor(ctx context.Context, target, signature string, opts target.Options, until string,
	only []string) (*code.Result, error) {
	dev, specs, err := k.forTarget(target, signature)
	if err != nil {
		return nil, err
	}
	r, err := k.code.CompileKeeping(ctx, compile.Spec{Dev: dev.core(), Args: specs, Opts: opts}, until, only)
	return r, compileError(err)
}
