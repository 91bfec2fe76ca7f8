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

// request says what is wanted of a compilation besides the executable.
type request struct {
	keep  bool   // the text of each stage
	until string // the last stage wanted; "" for all
}

// job is one compilation of a kernel.
type job struct {
	k    *Kernel
	dev  *Device
	in   *target.Input
	want request
	out  *Compiled
	name string // of the variant, for folders of stages

	keyText string // what of the kernel is in its key
	keeping bool   // for the cache
	variant Variant
}

func (k *Kernel) compile(ctx context.Context, dev *Device, specs []lang.ArgSpec, opts Options, want request) (*Compiled, error) {
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

// budget is a meter for a compilation that begins now, and the context that ends when its time is up.
func (k *Kernel) budget(ctx context.Context) (context.Context, *budget.Meter, context.CancelFunc) {
	meter := budget.New(ctx, k.m.conf.Budget)
	ctx, cancel := meter.Context(ctx, k.name)
	return ctx, meter, cancel
}

// begin runs the front end.
func (k *Kernel) begin(meter *budget.Meter, dev *Device, specs []lang.ArgSpec, opts Options, want request) (*job, error) {
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

// lineless reports whether code is to say no lines where it usually does: on GPUs.
func (j *job) lineless() bool {
	return j.k.m.conf.NoLines && !knob.Checked.Get() && !j.variant.Options.Check && j.dev != nil && !slices.Contains([]string{"cpu", "interp"}, targetName(j.dev))
}

// dropLines takes the places of functions away, without which code says no lines. Operations keep theirs: assertions and errors say them.
func dropLines(m *ir.Module) {
	for op := range m.Ops() {
		if op.Def == tt.Func {
			op.Loc = ir.Unknown
		}
	}
}

// checkOptions finds what makes no sense on any device.
func checkOptions(o Options) error {
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() && f.Int() < 0 {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return fmt.Errorf("%s=%d makes no sense", name, f.Int())
		}
	}
	return nil
}

// finish takes the kernel through the device's stages.
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

// source is the kernel's Triton IR before any pass.
func (k *Kernel) source(meter *budget.Meter, specs []lang.ArgSpec, target lang.Target, opts Options) (*ir.Module, error) {
	return k.m.src.Compile(k.name, specs, lang.Options{
		Target: target, NumWarps: opts.NumWarps, NumStages: opts.NumStages, NumCTAs: opts.NumCTAs, Debug: opts.Debug, NoOverflow: opts.NoSanitizeOverflow,
		Meter: meter,
	})
}

// passes is what is done around passes.
func (c *Config) passes() pass.Options {
	return pass.Options{Verify: c.Verify, DumpAfter: c.DumpPasses, Reproducers: c.Reproducers}
}

// record is told of each stage.
func (j *job) record(stage string, took time.Duration, text func() []byte) {
	s := Stage{Name: stage, Took: took}
	if j.want.keep && !(j.keeping && stage == "asm") || j.k.m.conf.Dump != "" { // assembly is another run of LLVM: too much for the cache
		s.Text = text()
	}
	j.k.m.conf.dump(j.name, j.k.name, s)
	j.k.m.conf.timed(j.k.name, s)
	if f := j.k.m.conf.Hooks.Stage; f != nil {
		f(j.variant, s)
	}
	j.out.Stages = append(j.out.Stages, s)
}

// variantName names one specialisation of a kernel for one device, the same in every build of the compiler: what a user has edited
// stays found.
func variantName(kernel, device string, m *ir.Module, opts Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %+v\n", device, opts)
	if err := ir.Print(h, m.Op, ir.PrintOptions{}); err != nil {
		return kernel
	}
	return kernel + "-" + hex.EncodeToString(h.Sum(nil)[:6])
}

// stageFile is where a stage of a variant is below a folder of dumps.
func stageFile(dir, variant, kernel, stage string) string {
	return filepath.Join(dir, variant, kernel+"."+stage)
}

// dump writes a stage. That it cannot is no reason to fail a launch.
func (c *Config) dump(variant, kernel string, s Stage) {
	if c.Dump == "" || s.Text == nil {
		return
	}
	file := stageFile(c.Dump, variant, kernel, s.Name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err == nil {
		os.WriteFile(file, s.Text, 0o666)
	}
}

// maxStage bounds the file of a stage.
const maxStage = 256 << 20

// override is the user's file in the place of a stage, or nil: one of the variant, or one of the folder itself, which is for all
// variants of a kernel.
func (j *job) override(stage string) []byte {
	for _, variant := range []string{j.name, ""} {
		if text, err := safefile.Read(stageFile(j.k.m.conf.Override, variant, j.k.name, stage), maxStage); err == nil {
			return text
		}
	}
	return nil
}
