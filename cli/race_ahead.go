package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/replay"
)

// aheadBatch is how many cases are compiled at once before they are measured: compilations beside a
// measurement would disturb it.
const aheadBatch = 16

// aheadTurns is how often each way is measured, in turn with the others.
const aheadTurns = 5

// aheadRow compares a recorded launch in three ways: compiled when it comes, in strict mode after a warm-up
// with what the first way recorded, and from a bundle with all forms.
type aheadRow struct {
	Case    string   `json:"case"`
	Kernel  string   `json:"kernel,omitempty"`
	Library string   `json:"library,omitempty"`
	Class   string   `json:"class,omitempty"`
	Failed  string   `json:"failed,omitempty"`
	JIT     float64  `json:"jit"` // microseconds, medians of turns
	Strict  float64  `json:"strict"`
	Bundle  float64  `json:"bundle"`
	Warmup  float64  `json:"warmup_ms"` // compiling what strict mode launches, beside other compilations
	Build   float64  `json:"build_ms"`  // of the bundle, likewise
	Bytes   int      `json:"bytes"`     // of the bundle
	Forms   []string `json:"forms,omitempty"`
}

// aheadCase is a case of which everything is compiled.
type aheadCase struct {
	loadedCase
	row    aheadRow
	list   []nereid.Variant // that the first way recorded
	bundle []byte
}

// ahead compares the cases and prints a row for each, then means by class.
func (r *racer) ahead(ctx context.Context, out io.Writer, paths []string) error {
	dir, err := os.MkdirTemp("", "nereid-race")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kept, err := nereid.OpenCache(nereid.CacheOptions{Dir: dir})
	if err != nil {
		return err
	}
	defer kept.Close()
	r.conf.Cache = kept
	table := &aheadTable{out: out, json: r.json}
	for batch := range slices.Chunk(paths, aheadBatch) {
		for _, a := range r.prepareAll(ctx, batch) {
			if a.err == nil {
				a.err = r.measureAhead(ctx, a)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if a.err != nil {
				a.row.Failed = strings.TrimPrefix(a.err.Error(), a.path+": ")
			}
			table.add(a.row)
		}
	}
	return table.end()
}

func (r *racer) prepareAll(ctx context.Context, paths []string) []*aheadCase {
	list := make([]*aheadCase, len(paths))
	var wg sync.WaitGroup
	for i, path := range paths {
		wg.Go(func() {
			a := &aheadCase{loadedCase: loadedCase{path: path}}
			a.row.Case = strings.TrimSuffix(filepath.Base(path), ".safetensors")
			a.c, a.err = replay.Read(path)
			if a.err == nil {
				a.row.Kernel, a.row.Library, a.row.Class = a.c.Kernel, library(a.c.File),
					cmp.Or(a.c.Class, "other")
				a.err = r.prepareAhead(ctx, a)
			}
			list[i] = a
		})
	}
	wg.Wait()
	return list
}

// prepareAhead compiles everything and compares what each way leaves in memory with what was recorded.
func (r *racer) prepareAhead(ctx context.Context, a *aheadCase) error {
	if a.c.Empty() {
		return fmt.Errorf("the grid %v has no programs: there is nothing to time", a.c.Grid)
	}
	return r.withArguments(ctx, a, func(s *nereid.Stream, mem deviceMemory, args []any) error {
		ways, done, err := r.aheadWays(ctx, a, s, args)
		if err != nil {
			return err
		}
		defer done()
		for i, launch := range ways {
			if err := errors.Join(mem.again(a.c), launch(), s.Sync()); err != nil {
				return fmt.Errorf("%s: %w", aheadNames[i], err)
			}
			after, err := mem.read(a.c)
			if err != nil {
				return err
			}
			if _, err := a.c.Compare(after); err != nil && !r.lessPrecise(ctx, a, args, after) {
				return fmt.Errorf("%s: %w", aheadNames[i], err)
			}
		}
		return nil
	})
}

var aheadNames = [...]string{"JIT", "strict", "bundle"}

// lessPrecise reports whether memory is what was recorded, if that was computed with less precision than its
// types say.
func (r *racer) lessPrecise(ctx context.Context, a *aheadCase, args []any, after map[string][]byte) bool {
	k, err := r.replayer(r.conf).kernel(a.c, a.path, givenStage{})
	if err != nil {
		return false
	}
	ir, err := k.Source(ctx, args...)
	if err != nil || !a.c.LessPrecise(ir) {
		return false
	}
	_, err = a.c.Compare(after)
	return err == nil
}

// withArguments calls f with the arguments of a case on the device.
func (r *racer) withArguments(ctx context.Context, a *aheadCase,
	f func(s *nereid.Stream, mem deviceMemory, args []any) error) error {
	mem := deviceMemory{}
	defer mem.close()
	if err := mem.fill(r.dev, a.c); err != nil {
		return err
	}
	args, err := r.replayer(r.conf).arguments(a.c, mem, guess{dev: r.dev})
	if err != nil {
		return err
	}
	s, err := r.dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s, mem, args)
}

// measureAhead measures the ways in turn. Kernels of a few microseconds are loaded several times, as race
// does; the medians count.
func (r *racer) measureAhead(ctx context.Context, a *aheadCase) error {
	return r.withArguments(ctx, a, func(s *nereid.Stream, _ deviceMemory, args []any) error {
		times := make([]nereid.Times, len(aheadNames))
		for n := 0; n == 0 || n < r.loads && slices.Max(times[0]) < shortKernel; n++ {
			if err := r.measureLoaded(ctx, a, s, args, times); err != nil {
				return err
			}
		}
		for i, to := range []*float64{&a.row.JIT, &a.row.Strict, &a.row.Bundle} {
			slices.Sort(times[i])
			*to = times[i].Median().Seconds() * 1e6
		}
		return nil
	})
}

// measureLoaded loads the ways anew and appends what the turns of each took.
func (r *racer) measureLoaded(ctx context.Context, a *aheadCase, s *nereid.Stream, args []any,
	times []nereid.Times) error {
	ways, done, err := r.aheadWays(ctx, a, s, args)
	if err != nil {
		return err
	}
	defer done()
	for range aheadTurns {
		for i, launch := range ways {
			t, err := s.Measure(r.warmup, r.rep, launch)
			if err != nil {
				return err
			}
			times[i] = append(times[i], t)
		}
	}
	return nil
}

// aheadWays loads a case in all ways and returns their launches. The first time, it compiles, and keeps what
// the first way recorded and the bundle.
func (r *racer) aheadWays(ctx context.Context, a *aheadCase, s *nereid.Stream, args []any) (
	ways []func() error, done func(), err error) {
	grid := nereid.Grid(a.c.Grid)
	var seen nereid.Recorder
	conf := r.conf
	conf.Record = &seen
	jit, err := r.replayer(conf).kernel(a.c, a.path, givenStage{})
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(jit.Launch(s, grid, args...), s.Sync()); err != nil {
		return nil, nil, err
	}
	if a.list == nil {
		a.list = seen.Variants()
		for _, v := range a.list {
			if v.Form != "" {
				a.row.Forms = append(a.row.Forms, v.Form)
			}
		}
	}
	strict, err := r.strictKernel(ctx, a)
	if err != nil {
		return nil, nil, fmt.Errorf("strict: %w", err)
	}
	b, v, err := r.bundled(ctx, a)
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %w", err)
	}
	c, err := v.Load(r.dev)
	if err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	own := launchArguments(c, args)
	return []func() error{
		func() error { return jit.Launch(s, grid, args...) },
		func() error { return strict.Launch(s, grid, args...) },
		func() error { return v.Launch(s, grid, own...) },
	}, func() { b.Close() }, nil
}

// strictKernel returns a case's kernel in strict mode, warmed up with what was recorded.
func (r *racer) strictKernel(ctx context.Context, a *aheadCase) (*nereid.Kernel, error) {
	conf := r.conf
	conf.Strict = true
	rep := r.replayer(conf)
	k, err := rep.kernel(a.c, a.path, givenStage{})
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for _, m := range rep.modules {
		if err := m.Warmup(ctx, r.dev, a.list, nil); err != nil {
			return nil, err
		}
	}
	if a.row.Warmup == 0 {
		a.row.Warmup = time.Since(start).Seconds() * 1e3
	}
	return k, nil
}

// bundled opens the bundle of a case's kernel, and builds it if there is none yet.
func (r *racer) bundled(ctx context.Context, a *aheadCase) (*bundle.Bundle, *bundle.Variant, error) {
	if a.bundle == nil {
		start := time.Now()
		if err := r.buildBundle(ctx, a); err != nil {
			return nil, nil, err
		}
		a.row.Bytes, a.row.Build = len(a.bundle), time.Since(start).Seconds()*1e3
	}
	b, err := bundle.OpenBytes(a.bundle)
	if err != nil {
		return nil, nil, err
	}
	v, err := b.Lookup(aheadVariant)
	return b, v, err
}

const aheadVariant = "v"

func (r *racer) buildBundle(ctx context.Context, a *aheadCase) error {
	rep, v := r.replayer(r.conf), a.list[0]
	built, err := aot.Build(ctx, []aot.Variant{{Name: aheadVariant, File: a.c.Source(r.root),
		Kernel: v.Kernel, Signature: v.Signature, Options: v.Options}},
		aot.BuildOptions{Targets: []string{r.dev.Target()}, Forms: true, Roots: rep.folders(a.c)})
	if err != nil {
		return err
	}
	var data bytes.Buffer
	if _, err := built.Writer.WriteTo(&data); err != nil {
		return err
	}
	a.bundle = data.Bytes()
	return nil
}

// launchArguments returns the arguments that compiled code takes: the values of those that are not compiled
// in.
func launchArguments(c *nereid.Compiled, args []any) (out []any) {
	constants := c.Info().Constants
	for _, x := range args {
		if a, ok := x.(nereid.Named); ok {
			if _, in := constants[a.Name]; !in {
				out = append(out, a.Value)
			}
		}
	}
	return out
}

// replayer returns a replayer whose modules have a configuration.
func (r *racer) replayer(conf nereid.Config) *replayer {
	return &replayer{dev: r.dev, root: r.root, env: r.env, conf: conf, modules: map[string]*nereid.Module{},
		lost: lost{root: r.root}}
}

// aheadTable prints rows as they come and their summary.
type aheadTable struct {
	out    io.Writer
	json   bool
	rows   []aheadRow
	failed int
}

func (t *aheadTable) add(r aheadRow) {
	t.rows = append(t.rows, r)
	switch {
	case t.json:
		text, _ := json.Marshal(r)
		fmt.Fprintf(t.out, "%s\n", text)
	case r.Failed != "":
		fmt.Fprintf(t.out, "FAIL %s: %s\n", r.Case, r.Failed)
	default:
		fmt.Fprintf(t.out, "ok %9.2f µs, strict %.3f, bundle %.3f of its speed; warm-up %.1f s, "+
			"bundle %.1f s, %d bytes: %s\n", r.JIT, r.JIT/r.Strict, r.JIT/r.Bundle, r.Warmup/1e3,
			r.Build/1e3, r.Bytes, r.Case)
	}
	if r.Failed != "" {
		t.failed++
	}
}

// end prints the means, and returns an error if a case failed.
func (t *aheadTable) end() error {
	if !t.json {
		t.summary()
	}
	if t.failed > 0 {
		return errReported
	}
	return nil
}

func (t *aheadTable) summary() {
	strict, bundled := map[string][]float64{}, map[string][]float64{}
	bytes, build, warm := 0, 0.0, 0.0
	for _, r := range t.rows {
		if r.Failed != "" {
			continue
		}
		for _, class := range []string{r.Class, "all"} {
			strict[class] = append(strict[class], r.JIT/r.Strict)
			bundled[class] = append(bundled[class], r.JIT/r.Bundle)
		}
		bytes, build, warm = bytes+r.Bytes, build+r.Build, warm+r.Warmup
	}
	fmt.Fprintf(t.out, "\n%-24s %6s %12s %8s %8s %12s %8s %8s\n", "class", "cases", "strict mean", "least",
		">= 0.95", "bundle mean", "least", ">= 0.95")
	for _, class := range slices.Sorted(maps.Keys(strict)) {
		s, b := strict[class], bundled[class]
		fmt.Fprintf(t.out, "%-24s %6d %12.3f %8.3f %8d %12.3f %8.3f %8d\n", class, len(s), geometricMean(s),
			slices.Min(s), atLeast(s, 0.95), geometricMean(b), slices.Min(b), atLeast(b, 0.95))
	}
	fmt.Fprintf(t.out, "bundles: %d bytes, built in %.1f s; warm-ups: %.1f s (%d at a time)\n", bytes,
		build/1e3, warm/1e3, aheadBatch)
	fmt.Fprintf(t.out, "%d passed, %d failed\n", len(t.rows)-t.failed, t.failed)
}
