package nereid

import (
	"context"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/inside"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

func init() { // package inside says who needs these functions
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
	inside.Root.Forms = func(ctx context.Context, k any, target, signature string, opts target.Options,
		until string) ([]code.SavedForm, error) {
		x := k.(*Kernel)
		dev, specs, err := x.forTarget(target, signature)
		if err != nil {
			return nil, err
		}
		return x.code.Forms(ctx, compile.Spec{Dev: core.DeviceCore(dev), Args: specs, Opts: opts}, until,
			nil)
	}
	inside.Root.Launch = func(k, s, grid any, list []any, note func(*warm.Plan, bool)) error {
		p, _ := grid.(Programs)
		return k.(*Kernel).launch(s.(*Stream), p, list, note)
	}
	inside.Root.Freeze = func(k, s any, list []any, signature string, apart bool) (*warm.Plan, error) {
		return k.(*Kernel).freeze(s.(*Stream), list, signature, apart)
	}
	inside.Root.LaunchPlan = func(p *warm.Plan, k, s any, grid [3]int, words []uint64,
		held args.Holder) error {
		g, err := core.ValidGrid(k.(*Kernel).name, grid)
		if err != nil {
			return err
		}
		return core.LaunchPlan(p, s.(*Stream), g, words, held)
	}
	inside.Root.Grid = func(p *warm.Plan, k, grid any, values core.Values) ([3]int, error) {
		return k.(*Kernel).metas.Grid(k.(*Kernel).name, p, grid.(GridFunc), values)
	}
}

// compileFor compiles like CompileFor; the texts of stages that are not in only are not kept.
func (k *Kernel) compileFor(ctx context.Context, target, signature string, opts target.Options, until string,
	only []string) (*code.Result, error) {
	dev, specs, err := k.forTarget(target, signature)
	if err != nil {
		return nil, err
	}
	spec := compile.Spec{Dev: core.DeviceCore(dev), Args: specs, Opts: opts}
	r, err := k.code.CompileKeeping(ctx, spec, until, only)
	return r, compileError(err)
}
