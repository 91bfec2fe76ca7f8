package nereid

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/target"
)

// request says what a caller wants besides the executable.
type request struct {
	keep  bool   // keep the text of each stage
	until string // last stage wanted; "" means all
}

// job is a compilation of a kernel.
type job struct {
	k    *Kernel
	dev  *Device
	in   *target.Input
	want request
	out  *Compiled
	name string // name of the variant, for folders of stages

	keyText string // the kernel's part of its cache key
	keeping bool   // stages are kept for the cache
	variant Variant
}

func (k *Kernel) compile(ctx context.Context, dev *Device, specs []lang.ArgSpec, opts target.Options, want request) (*Compiled, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if dev != nil && dev.b == nil {
		return nil, dev.usable()
	}
	if want.until != "" && dev != nil && !slices.Contains(dev.Stages(), want.until) {
		return nil, fmt.Errorf("nereid: there is no stage %s for %s: there are %s", want.until, dev, strings.Join(dev.Stages(), ", "))
	}
	ctx, meter, cancel := k.budget(ctx)
	defer cancel()
	j, err := k.begin(meter, dev, specs, opts, want)
	if err != nil {
		return nil, err
	}
	err = j.finish(ctx)
	j.out.own()
	return j.out, err
}

// budget returns a meter for a compilation that begins now, and a context that ends when its time is up.
func (k *Kernel) budget(ctx context.Context) (context.Context, *budget.Meter, context.CancelFunc) {
	meter := budget.New(ctx, budget.Limits(k.m.conf.Budget))
	ctx, cancel := meter.Context(ctx, k.name)
	return ctx, meter, cancel
}

// begin runs the front end.
func (k *Kernel) begin(meter *budget.Meter, dev *Device, specs []lang.ArgSpec, opts target.Options, want request) (*job, error) {
	opts = opts.Defaults()
	if err := checkOptions(opts); err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	opts.Debug = opts.Debug || k.m.conf.Debug
	opts.Check = opts.Check || k.m.conf.Check
	j := &job{k: k, dev: dev, want: want, out: &Compiled{Kernel: k}, variant: k.variant(specs, opts)}
	start := time.Now()
	mod, err := k.source(meter, specs, dev.target(), opts)
	if err != nil {
		return nil, compileError(err)
	}
	if j.lineless() {
		dropLines(mod)
	}
	j.in = &target.Input{Module: mod, Kernel: k.name, Options: opts, Stages: j.record, Until: want.until, Passes: k.m.conf.passes(), Dump: os.Stderr, Budget: meter}
	j.in.Params, j.in.Constants = args.Describe(k.params.List, specs)
	if k.m.conf.Dump != "" || k.m.conf.Override != "" {
		j.name = variantName(k.name, dev.String(), mod, opts)
	}
	if k.m.conf.Override != "" {
		j.in.Override = j.override
		if err := j.in.Replace("source"); err != nil {
			return nil, compileError(err)
		}
	}
	j.record("source", time.Since(start), func() []byte { return target.Text(j.in.Module) })
	return j, nil
}

// lineless reports whether code omits line information: on GPUs with Config.NoLines.
func (j *job) lineless() bool {
	return j.k.m.conf.NoLines && !knob.Checked.Get() && !j.variant.Options.Check && j.dev != nil && !slices.Contains([]string{"cpu", "interp"}, targetName(j.dev))
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
	return nil
}

// finish runs the kernel through the device's stages.
func (j *job) finish(ctx context.Context) (err error) {
	switch {
	case j.want.until == "source":
	case j.dev == nil:
		err = j.in.TTIR(lang.DefaultTarget)
	default:
		j.out.exec, err = j.dev.b.Compile(ctx, j.in)
	}
	return compileError(err)
}

// source returns the kernel's Triton IR before any pass.
func (k *Kernel) source(meter *budget.Meter, specs []lang.ArgSpec, target lang.Target, opts target.Options) (*ir.Module, error) {
	return k.m.src.Compile(k.name, specs, lang.Options{
		Target: target, NumWarps: opts.NumWarps, NumStages: opts.NumStages, NumCTAs: opts.NumCTAs, Debug: opts.Debug, NoOverflow: opts.NoSanitizeOverflow,
		Meter: meter, Stdout: k.m.conf.printer(k.name),
	})
}

// passes returns the options for running passes.
func (c *Config) passes() pass.Options {
	return pass.Options{Verify: c.Verify, DumpAfter: c.DumpPasses, Reproducers: c.Reproducers}
}

// record adds a stage: it dumps, times and keeps it, and calls the hook.
func (j *job) record(stage string, took time.Duration, text func() []byte) {
	s := Stage{Name: stage, Took: took}
	// the cache omits assembly, which takes another run of LLVM
	if j.want.keep && !(j.keeping && stage == "asm") || j.k.m.conf.Dump != "" {
		s.Text = text()
	}
	j.k.m.conf.dump(j.name, j.k.name, s)
	j.k.m.conf.timed(j.k.name, s)
	if f := j.k.m.conf.Hooks.Stage; f != nil {
		f(j.variant, s)
	}
	j.out.Stages = append(j.out.Stages, s)
}

// variantName returns the folder name of a specialization for a device. It is the same in every build of the
// compiler, so that files edited by a user are still found.
func variantName(kernel, device string, m *ir.Module, opts target.Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %+v\n", device, opts)
	if err := ir.Print(h, m.Op, ir.PrintOptions{}); err != nil {
		return kernel
	}
	return kernel + "-" + hex.EncodeToString(h.Sum(nil)[:6])
}

// stageFile returns the file of a stage of a variant below a folder of dumps.
func stageFile(dir, variant, kernel, stage string) string {
	return filepath.Join(dir, variant, kernel+"."+stage)
}

// dump writes a stage to Config.Dump. Failure to write does not fail a launch.
func (c *Config) dump(variant, kernel string, s Stage) {
	if c.Dump == "" || s.Text == nil {
		return
	}
	file := stageFile(c.Dump, variant, kernel, s.Name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err == nil {
		os.WriteFile(file, s.Text, 0o666)
	}
}

// maxStage bounds the size of a stage's file.
const maxStage = 256 << 20

// override returns the user's file that replaces a stage, or nil: the variant's, or one in the folder itself,
// which applies to all variants of a kernel.
func (j *job) override(stage string) []byte {
	for _, variant := range []string{j.name, ""} {
		if text, err := safefile.Read(stageFile(j.k.m.conf.Override, variant, j.k.name, stage), maxStage); err == nil {
			return text
		}
	}
	return nil
}
