package compile

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// job is a compilation of a kernel.
type job struct {
	k    *Kernel
	dev  *args.Device
	spec Spec
	in   *target.Input
	keep bool // keep the text of each stage
	out  *code.Result

	folder  string   // name of the specialization, for folders of stages
	keyText string   // the kernel's part of its cache key
	cached  bool     // stages are kept for the cache
	only    []string // stages whose text is kept; nil means all
	ahead   bool     // strict mode allows the compilation
	stored  []bool   // arguments through which the kernel may write; nil if that is not known
}

// Compile compiles a specialization and keeps the text of each stage. until is the last stage; "" means all.
// It uses no cache, and strict mode does not apply.
func (k *Kernel) Compile(ctx context.Context, s Spec, until string) (*code.Result, error) {
	return k.CompileKeeping(ctx, s, until, nil)
}

// CompileKeeping compiles like Compile and keeps the text of some stages only: texts that nobody reads cost
// time, assembly another run of LLVM. nil means all.
func (k *Kernel) CompileKeeping(ctx context.Context, s Spec, until string, only []string) (*code.Result,
	error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if until != "" && s.Dev != nil {
		if stages := device.Stages(s.Dev.Backend); !slices.Contains(stages, until) {
			return nil, fmt.Errorf("nereid: there is no stage %s for %s: there are %s", until, s.Dev,
				strings.Join(stages, ", "))
		}
	}
	ctx, meter, cancel := k.budget(ctx)
	defer cancel()
	j, err := k.begin(meter, s, true, until)
	if err != nil {
		return nil, err
	}
	j.only = only
	err = j.finish(ctx)
	j.out.Saved = k.describe(s, j.out)
	markStored(j.out.Saved.Args, j.stored)
	return j.out, err
}

// begin runs the front end.
func (k *Kernel) begin(meter *budget.Meter, s Spec, keep bool, until string) (*job, error) {
	opts := s.Dev.Defaults(s.Opts)
	if err := checkOptions(opts); err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", k.Name, err)
	}
	if s.Dev != nil {
		err := device.CheckCertify(s.Dev.Backend, opts)
		if err == nil {
			err = device.CheckExtra(s.Dev.Backend, opts)
		}
		if err != nil {
			return nil, fmt.Errorf("nereid: %s: %w", k.Name, err)
		}
	}
	if k.Set.Debug {
		opts.Debug = device.DebugOn
	}
	opts.NoFPFusion = opts.NoFPFusion || knob.NoFPFusion.Get()
	libs, err := target.ReadLibs(opts.ExternLibs)
	if err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", k.Name, err)
	}
	opts.Check = opts.Check || k.Set.Check
	j := &job{k: k, dev: s.Dev, spec: s, keep: keep, out: &code.Result{Variant: k.variant(s.Args, opts)}}
	start := time.Now()
	mod, err := k.Source.Compile(k.Name, s.Args, lang.Options{
		Target: TargetOf(s.Dev), NumWarps: opts.NumWarps, NumStages: opts.NumStages, NumCTAs: opts.NumCTAs,
		Debug: opts.Debug == device.DebugOn, NoOverflow: opts.NoSanitizeOverflow, Meter: meter,
		Stdout: k.Set.Printer(k.Name), Scopes: recordsScopes(s.Dev),
	})
	if err != nil {
		return nil, err
	}
	if j.lineless() {
		dropLines(mod)
	}
	if err := k.setRules(mod); err != nil {
		return nil, err
	}
	j.in = &target.Input{
		Module: mod, Kernel: target.EntryOf(mod, k.Name), Options: opts, Stages: j.record, Until: until,
		Passes: k.Set.Passes, Dump: os.Stderr, Watch: k.Set.Watch, Budget: meter, Given: k.Set.Given,
		Libs: libs,
	}
	j.in.Params, j.in.Constants = describeArgs(k.Params, s.Args)
	j.out.Params, j.out.Constants = j.in.Params, j.in.Constants
	if k.Set.Dump != "" || k.Set.Override != "" {
		j.folder = folderName(k.Name, s.Dev.String(), mod, opts)
	}
	if k.Set.Override != "" {
		j.in.Override = j.override
	}
	if f := k.Set.Hooks.Replace; f != nil {
		j.in.Edit = func(stage string, text []byte) []byte { return f(j.out.Variant, stage, text) }
	}
	if err := j.in.Replace("source"); err != nil {
		return nil, err
	}
	if mod != j.in.Module {
		j.in.Kernel = target.EntryOf(j.in.Module, j.in.Kernel)
		copyPointerAttrs(mod, j.in.Module)
	}
	if keep {
		j.stored = storedArgs(j.in.Module, j.in.Kernel)
	}
	j.record("source", time.Since(start), func() []byte { return target.Text(j.in.Module) })
	if err := j.startFromGluon(); err != nil {
		return nil, err
	}
	return j, nil
}

// startFromGluon takes a kernel of Gluon to TTGIR, from which the stages begin.
func (j *job) startFromGluon() error {
	if j.in.Until == "source" {
		return nil
	}
	var b target.Backend
	if j.dev != nil {
		b, _ = j.dev.Backend.(target.Backend)
	}
	return j.in.StartFromGluon(b)
}

// copyPointerAttrs marks the descriptors that the launch must access by pointers in a module that takes the
// place of the front end's: the launch knows them, the user's text does not.
func copyPointerAttrs(from, to *ir.Module) {
	own, given := entry(from), entry(to)
	if own == nil || given == nil {
		return
	}
	for i := range min(len(own.Body(0).Args()), len(given.Body(0).Args())) {
		if a := funclike.ArgAttr(own, i, tt.PointerAttr); a != nil {
			funclike.SetArgAttr(given, i, tt.PointerAttr, a)
		}
	}
}

// entry returns the public function of a module, or nil.
func entry(m *ir.Module) *ir.Op {
	for _, op := range m.Symbols() {
		if op.Def == tt.Func && op.Text("sym_visibility") == "public" {
			return op
		}
	}
	return nil
}

// setRules gives a module the overrides of rules, as an attribute: they are part of its key in the cache.
func (k *Kernel) setRules(m *ir.Module) error {
	s, err := rules.Parse(k.Set.Rules)
	if err != nil {
		return fmt.Errorf("nereid: %s: %w", k.Name, err)
	}
	if text := s.Text(); text != "" {
		m.Op.SetAttr(rules.Attr, ir.Str(text))
	}
	return nil
}

// lineless reports whether code omits line information: with Settings.NoLines, on devices whose code has it.
func (j *job) lineless() bool {
	return j.k.Set.NoLines && !knob.Checked.Get() && !j.out.Variant.Options.Check && j.dev != nil &&
		j.dev.Backend.Traits().HasLines
}

// dropLines removes the locations of functions, without which code has no line information. Operations keep
// theirs for assertions and errors.
func dropLines(m *ir.Module) {
	for op := range m.Ops() {
		if op.Def == tt.Func {
			op.Loc = ir.Unknown
		}
	}
}

// checkOptions returns an error for options that no device can have.
func checkOptions(o target.Options) error {
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() && f.Int() < 0 {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return fmt.Errorf("%s=%d makes no sense", name, f.Int())
		}
	}
	if n := o.NumWarps; n&(n-1) != 0 {
		return diag.Refuse(fmt.Sprintf("num_warps=%d", n), "must be a power of two").
			Instead(fmt.Sprintf("take %d", 1<<(bits.Len(uint(n))-1)))
	}
	return nil
}

// finish runs the kernel through the device's stages.
func (j *job) finish(ctx context.Context) (err error) {
	switch {
	case j.in.Until == "source":
	case j.dev == nil:
		err = j.in.TTIR(lang.DefaultTarget)
	default:
		j.out.Exec, err = compileOn(ctx, j.dev, j.in)
		err = diag.RefusedBy(err, device.Kind(j.dev.Backend))
	}
	return err
}

// compileOn has a device compile a kernel.
func compileOn(ctx context.Context, dev *args.Device, in *target.Input) (target.Executable, error) {
	b, ok := dev.Backend.(target.Backend)
	if !ok {
		return nil, diag.Refuse("compiling for "+dev.String(), "the device runs compiled code alone").
			Instead("open it with nereid.OpenDevice")
	}
	return b.Compile(ctx, in)
}

// record adds a stage: it dumps, times and keeps it, and calls the hook. A stage that is made again, because
// a later one showed that it should have gone another way, takes the place of the first.
func (j *job) record(stage string, took time.Duration, text func() []byte) {
	s := code.Stage{Name: stage, Took: took, Target: targetName(j.dev)}
	// the cache omits assembly, which takes another run of LLVM
	omitted := j.cached && (stage == "asm" || stage == "amdgcn")
	kept := j.keep && !omitted && (j.only == nil || slices.Contains(j.only, stage))
	printed := slices.Contains(j.k.Set.Print, stage)
	if kept || printed || j.k.Set.Dump != "" {
		s.Text = text()
	}
	j.dump(s)
	if printed {
		fmt.Fprintf(os.Stderr, "// %s for %s: %s\n%s\n", stage, j.dev, j.k.Name, s.Text)
	}
	if w := j.k.Set.Timing; w != nil {
		fmt.Fprintf(w, "%s %s %.3f ms\n", j.k.Name, s.Name, float64(s.Took.Microseconds())/1000)
	}
	if l := timeline.On(); l != nil {
		end := time.Now()
		l.Span(timeline.Stage, s.Name, end.Add(-took), end, timeline.Arg{Key: "kernel", Value: j.k.Name})
	}
	if f := j.k.Set.Hooks.Stage; f != nil {
		f(j.out.Variant, s)
	}
	if i := slices.IndexFunc(j.out.Stages, func(o code.Stage) bool { return o.Name == stage }); i >= 0 {
		s.Took += j.out.Stages[i].Took
		j.out.Stages[i] = s
		return
	}
	j.out.Stages = append(j.out.Stages, s)
}

// recordsScopes reports whether code for a device records the scopes of kernels.
func recordsScopes(dev *args.Device) bool {
	return dev != nil && timeline.On().RecordsScopes() && dev.Backend.Traits().Scopes
}
