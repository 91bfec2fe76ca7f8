package aot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/target"
)

// BuildOptions says what variants are compiled for, and how.
type BuildOptions struct {
	Targets []string
	Roots   []string // more folders in which imports are found
	Workers int      // compilations at a time; 0 means one for each processor
	Lines   bool     // GPU code has line information, which contains the path of the kernel's file
	Forms   bool     // every form of code that launches may choose, on targets that have several
	Skip    bool     // a variant that does not compile is left out; without it, it is an error

	// Certify compares code with its source; nil means that it is not compared.
	Certify *CertifyOptions

	// Step is called when a compilation begins, for one at a time: the number of those that began, of all of
	// them, and what is compiled. It may be nil.
	Step func(begun, all int, what string)
}

// Built is the outcome of Build.
type Built struct {
	Writer  *bundle.Writer
	Stats   Stats
	Skipped []error // of variants that were left out

	Uncertified []Uncertified // with BuildOptions.Certify
}

// work is code to be made: a compilation for one target, and the variants whose code it is.
type work struct {
	target   string
	variants []Variant // the first one is compiled
	kernel   *nereid.Kernel
	out      *code.Result
	took     time.Duration
	err      error
	forms    []code.SavedForm // with BuildOptions.Forms

	certificate *bundle.Certificate
}

// builder builds a bundle.
type builder struct {
	o         BuildOptions
	modules   map[string]*nereid.Module // by file
	generator map[string]string         // compilers with their versions, by kind of target
	cubins    bool                      // there is an assembler

	mu    sync.Mutex // of begun and Step
	begun int
}

// Build compiles variants for targets, several at a time. Variants whose code is the same, as with options
// that a target does not have, are compiled once. A variant that does not compile is an error, after all have
// been tried.
func Build(ctx context.Context, variants []Variant, o BuildOptions) (*Built, error) {
	return newBuilder(o).build(ctx, variants)
}

func newBuilder(o BuildOptions) *builder {
	return &builder{o: o, modules: map[string]*nereid.Module{}, generator: map[string]string{}}
}

func (b *builder) build(ctx context.Context, variants []Variant) (*Built, error) {
	start, o := time.Now(), b.o
	if err := CheckTargets(o.Targets); err != nil {
		return nil, err
	}
	if err := b.findCompilers(ctx); err != nil {
		return nil, err
	}
	list, err := b.plan(variants)
	if err != nil {
		return nil, err
	}
	b.each(ctx, len(list), func(i int) { b.compile(ctx, list[i], len(list)) })
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stopped: %w", err)
	}
	out := &Built{Writer: &bundle.Writer{}}
	done, err := out.settle(list, o.Skip)
	if err != nil {
		return nil, err
	}
	if o.Certify != nil {
		if err := b.certifyAll(ctx, out, done); err != nil {
			return nil, err
		}
	}
	begin := time.Now()
	errs := make([]error, len(done))
	b.each(ctx, len(done), func(i int) { errs[i] = b.add(out.Writer, done[i]) })
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	out.Stats = newStats(done, time.Since(begin), time.Since(start))
	return out, nil
}

// findCompilers notes the versions of what makes code.
func (b *builder) findCompilers(ctx context.Context) error {
	if !slices.ContainsFunc(b.o.Targets, func(t string) bool { return !fromOutside(t) }) {
		return ctx.Err()
	}
	lib, err := llvm.Load()
	if err != nil {
		return err
	}
	b.generator["cpu"] = "llvm " + lib.Version().String()
	b.generator["cuda"], b.generator["hip"] = b.generator["cpu"], b.generator["cpu"]
	if version, err := devnvidia.AssemblerVersion(ctx); err == nil {
		b.cubins = true
		b.generator["cuda"] += ", " + version
	}
	return ctx.Err()
}

// same is what code depends on: variants that agree in it share their code.
type same struct {
	file, kernel, signature, target string
	options                         target.Options
}

// plan returns the compilations for variants.
func (b *builder) plan(variants []Variant) ([]*work, error) {
	var list []*work
	known := map[same]*work{}
	for _, v := range variants {
		k, err := b.kernel(v)
		if err != nil {
			return nil, err
		}
		for _, t := range b.o.Targets {
			if len(v.Targets) > 0 && !slices.Contains(v.Targets, t) {
				continue
			}
			key := same{v.File, v.Kernel, v.Signature, t, effective(t, v)}
			w := known[key]
			if w == nil {
				w = &work{target: t, kernel: k}
				known[key] = w
				list = append(list, w)
			}
			w.variants = append(w.variants, v)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no variant is for any of the targets")
	}
	return list, nil
}

// effective returns the options on which a variant's code for a target depends.
func effective(t string, v Variant) target.Options {
	o := defaults(t, v)
	if jit.TraitsFor(t).HostOnly {
		return device.HostOptions(o)
	}
	return o
}

// defaults returns the options of a variant for a target with unset ones filled in.
func defaults(t string, v Variant) target.Options {
	return jit.DefaultsFor(t, target.Options(v.Options))
}

// kernel returns a variant's kernel. Each file is read once.
func (b *builder) kernel(v Variant) (*nereid.Kernel, error) {
	m := b.modules[v.File]
	if m == nil {
		var err error
		conf := nereid.Config{NoLines: !b.o.Lines, Print: io.Discard, Triton: knob.Triton.Get(),
			Budget: nereid.Budget{Time: -1}} // on a busy machine, ptxas takes minutes for a large variant
		if m, err = nereid.Load(v.File, nereid.Roots(b.o.Roots...), nereid.With(conf)); err != nil {
			return nil, err
		}
		b.modules[v.File] = m
	}
	return m.Kernel(v.Kernel)
}

// each calls f with the numbers below n, from several goroutines, until ctx ends.
func (b *builder) each(ctx context.Context, n int, f func(i int)) {
	workers := b.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					f(i)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
}

// compile makes the code of a work.
func (b *builder) compile(ctx context.Context, w *work, all int) {
	v := w.variants[0]
	b.step(all, v.Name+" for "+w.target)
	start := time.Now()
	keep := []string{bundle.PartPTX}
	if b.o.Certify != nil {
		keep = append(keep, irStages...)
	}
	w.out, w.err = jit.Compile(ctx, w.kernel, w.target, v.Signature, target.Options(v.Options),
		b.until(w.target), keep)
	if w.err == nil && b.o.Forms {
		w.forms, w.err = jit.FormsFor(ctx, w.kernel, w.target, v.Signature, target.Options(v.Options),
			b.until(w.target))
		w.dropSame()
	}
	w.took = time.Since(start)
}

// dropSame leaves a form out that is alone and the same as the general code.
func (w *work) dropSame() {
	if kept, ok := w.out.Exec.(target.Kept); ok {
		if c, err := kept.Code(); err == nil {
			w.forms = code.Differ(w.forms, c)
		}
	}
}

// step says that work on something begins.
func (b *builder) step(all int, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun++; b.o.Step != nil {
		b.o.Step(b.begun, all, what)
	}
}

// until returns the last stage of compilations for a target.
func (b *builder) until(t string) string {
	switch {
	case !slices.Contains(jit.StagesOf(t), bundle.PartPTX):
		return ""
	case b.cubins:
		return bundle.PartCubin
	}
	return bundle.PartPTX
}

// settle returns the compilations that succeeded. Without skip, one that did not is an error.
func (out *Built) settle(list []*work, skip bool) (done []*work, err error) {
	var failed []error
	for _, w := range list {
		switch {
		case w.err != nil:
			failed = append(failed, fmt.Errorf("%s for %s: %w", w.variants[0].Name, w.target, w.err))
		case w.out == nil || w.out.Exec == nil:
			failed = append(failed,
				fmt.Errorf("%s for %s: it has no code that can be kept: kernels that print have none",
					w.variants[0].Name, w.target))
		default:
			done = append(done, w)
		}
	}
	switch {
	case len(failed) == 0:
		return done, nil
	case skip && len(done) > 0:
		out.Skipped = failed
		return done, nil
	}
	shown := min(len(failed), maxFaults)
	err = errors.Join(failed[:shown]...)
	return nil, fmt.Errorf("%w\n%d of %d compilations failed", err, len(failed), len(list))
}
