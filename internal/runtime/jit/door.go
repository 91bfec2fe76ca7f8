package jit

import (
	"context"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

// What packages of this module ask of kernels and targets, and users do not see.

// Params returns the parameters of a kernel.
func Params(k *Kernel) *args.Params { return k.params }

// Source returns the file of a kernel.
func Source(k *Kernel) *lang.Source { return k.m.src }

// StagesOf returns the names of the stages of a target of Kernel.CompileFor, or nil for an unknown target.
func StagesOf(target string) []string {
	b, err := compilerFor(target)
	if err != nil {
		return nil
	}
	return b.Stages()
}

// DefaultsFor returns options of a target of Kernel.CompileFor with unset ones filled in.
func DefaultsFor(target string, o device.Options) device.Options {
	b, err := compilerFor(target)
	if err != nil {
		return o.Defaults()
	}
	return device.DefaultsOn(b, o)
}

// CheckTarget returns an error for a name that is no target of Kernel.CompileFor.
func CheckTarget(name string) error {
	_, err := compilerFor(name)
	return err
}

// Compile compiles like Kernel.CompileFor; texts of stages that are not in only are not kept.
func Compile(ctx context.Context, k *Kernel, target, signature string, opts target.Options, until string,
	only []string) (*code.Result, error) {
	dev, specs, err := k.forTarget(target, signature)
	if err != nil {
		return nil, err
	}
	spec := compile.Spec{Dev: core.DeviceCore(dev), Args: specs, Opts: opts}
	r, err := k.code.CompileKeeping(ctx, spec, until, only)
	return r, compileError(err)
}

// CompileFor is like Compile and returns a Compiled, also beside an error.
func CompileFor(ctx context.Context, k *Kernel, target, signature string, opts target.Options, until string,
	only []string) (*core.Compiled, error) {
	dev, specs, err := k.forTarget(target, signature)
	if err != nil {
		return nil, err
	}
	return k.compile(ctx, dev, specs, opts, until, only)
}

// FormsFor compiles the forms of a specialization for a target, beside what Compile compiles.
func FormsFor(ctx context.Context, k *Kernel, target, signature string, opts target.Options,
	until string) ([]code.SavedForm, error) {
	dev, specs, err := k.forTarget(target, signature)
	if err != nil {
		return nil, err
	}
	return k.code.Forms(ctx, compile.Spec{Dev: core.DeviceCore(dev), Args: specs, Opts: opts}, until, nil)
}

// StartAt makes kernels of the file start from the text of a stage, made by another compiler or by hand. The
// description of the code (target.Given.Meta) may be nil.
func StartAt(stage string, text, meta []byte) LoadOption {
	return func(o *loading) { o.given = &target.Given{Stage: stage, Text: text, Meta: meta} }
}

// WatchPasses has f see the module before and after each pass. Compilations of the file's kernels must not
// run at the same time.
func WatchPasses(f target.PassWatcher) LoadOption { return func(o *loading) { o.watch = f } }

// OnDisk says of a text for Parse that it is that of the file of its name, as an editor has it: imports are
// found as Load finds them.
func OnDisk() LoadOption { return func(o *loading) { o.lang.OnDisk = true } }

// Launch launches a kernel without a plan. note receives the plan, and byValue if the plan holds only for
// arguments of the same values.
func Launch(k *Kernel, s *core.Stream, grid core.Programs, list []any,
	note func(p *warm.Plan, byValue bool)) error {
	return k.launch(s, grid, list, note)
}

// Freeze returns the plan of launches on the device of a stream, with arguments like those of list or, if it
// is not "", of a signature. Unless apart is set, their memory may overlap.
func Freeze(k *Kernel, s *core.Stream, list []any, signature string, apart bool) (*warm.Plan, error) {
	return k.freeze(s, list, signature, apart)
}

// LaunchPlan launches a kernel by a plan. held holds the tensors, if there are any.
func LaunchPlan(p *warm.Plan, k *Kernel, s *core.Stream, grid [3]int, words []uint64,
	held args.Holder) error {
	g, err := core.ValidGrid(k.name, grid)
	if err != nil {
		return err
	}
	return core.LaunchPlan(p, s, g, words, held)
}

// GridOf calls a grid function with the arguments of a plan.
func GridOf(p *warm.Plan, k *Kernel, grid core.GridFunc, values core.Values) ([3]int, error) {
	return k.metas.Grid(k.name, p, grid, values)
}

// CompilesAhead reports whether there is code ahead of time for targets like one, which the interpreter has
// not.
func CompilesAhead(name string) bool {
	kind, _, _ := strings.Cut(name, ":")
	_, ok := compilers[kind]
	return ok && !TraitsFor(kind).Interprets
}

// CheckAhead returns an error for a target that code cannot be made for here.
func CheckAhead(name string) error {
	if err := CheckTarget(name); err != nil {
		return err
	}
	lib, err := llvm.Load()
	if err != nil {
		return err
	}
	kind, arch, _ := strings.Cut(name, ":")
	if c := compilers[kind]; c.check != nil {
		if err := c.check(lib, arch); err != nil {
			return fmt.Errorf("the target %q: %w", name, err)
		}
	}
	return nil
}

// FullTarget returns the name of a target with its architecture: this machine's, if the target names none.
func FullTarget(name string) (string, error) {
	if c := compilers[name]; c.host != nil {
		arch, err := c.host()
		return name + ":" + arch, err
	}
	return name, nil
}

// NamesTarget reports whether a name is that of a target, not of a device: "cuda:90", but not "cuda:0".
func NamesTarget(name string) bool {
	kind, arch, _ := strings.Cut(name, ":")
	c := compilers[kind]
	return c.isArch != nil && c.isArch(arch)
}

// TraitsFor returns what is fixed of the devices that run a target's code, as its compiler knows it; nothing
// for a name that is no target.
func TraitsFor(name string) device.Traits {
	switch b, _ := compilerFor(name); b := b.(type) {
	case nil:
		return device.Traits{}
	case offline:
		return b.compiler.Traits()
	default:
		return b.Traits()
	}
}
