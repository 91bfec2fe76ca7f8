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
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/replay"
)

// aheadBatch is how many cases are compiled and loaded before they are measured: compilations beside a
// measurement would disturb it, and processors would wait for the slowest of few cases.
const aheadBatch = 48

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
	ready  *aheadLoaded
	times  [len(aheadNames)]nereid.Times
}

// aheadLoaded is a case on the device, with the launches of its ways.
type aheadLoaded struct {
	stream *nereid.Stream
	mem    deviceMemory
	args   []any
	ways   []func() error
	bundle *bundle.Bundle
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
		list := make([]*aheadCase, len(batch))
		for i, path := range batch {
			list[i] = &aheadCase{loadedCase: loadedCase{path: path}}
		}
		r.prepareAll(ctx, list)
		r.measureAll(ctx, list)
		for _, a := range list {
			if ctx.Err() == nil || len(a.times[0]) > 0 {
				table.add(a.finished())
			}
		}
		if err := ctx.Err(); err != nil {
			return errors.Join(err, table.end())
		}
	}
	return table.end()
}

// beside calls f for the cases that have not failed, as many at once as there are processors, and keeps what
// failed.
func beside(list []*aheadCase, f func(a *aheadCase) error) {
	var wg sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, a := range list {
		if a.err != nil {
			continue
		}
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			a.err = f(a)
		})
	}
	wg.Wait()
}

// prepareAll compiles the cases, loads them and compares what each way leaves in memory.
func (r *racer) prepareAll(ctx context.Context, list []*aheadCase) {
	beside(list, func(a *aheadCase) (err error) {
		a.row.Case = strings.TrimSuffix(filepath.Base(a.path), ".safetensors")
		if a.c, err = replay.Read(a.path); err != nil {
			return err
		}
		a.row.Kernel, a.row.Library, a.row.Class = a.c.Kernel, library(a.c.File), cmp.Or(a.c.Class, "other")
		if a.c.Empty() {
			return fmt.Errorf("the grid %v has no programs: there is nothing to time", a.c.Grid)
		}
		if err := r.loadAhead(ctx, a); err != nil {
			return err
		}
		return r.compareAhead(ctx, a)
	})
}

// compareAhead compares what each way leaves in memory with what was recorded.
func (r *racer) compareAhead(ctx context.Context, a *aheadCase) error {
	on := a.ready
	for i, launch := range on.ways {
		if err := errors.Join(on.mem.again(a.c), launch(), on.stream.Sync()); err != nil {
			return fmt.Errorf("%s: %w", aheadNames[i], err)
		}
		after, err := on.mem.read(a.c)
		if err != nil {
			return err
		}
		if _, err := a.c.Compare(after); err != nil && !r.lessPrecise(ctx, a, on.args, after) {
			return fmt.Errorf("%s: %w", aheadNames[i], err)
		}
	}
	return nil
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

// loadAhead puts a case's memory on the device and loads its ways.
func (r *racer) loadAhead(ctx context.Context, a *aheadCase) (err error) {
	on := &aheadLoaded{mem: deviceMemory{}}
	defer func() {
		if a.ready = on; err != nil {
			a.unload()
		}
	}()
	if err := on.mem.fill(r.dev, a.c); err != nil {
		return err
	}
	if on.args, err = r.replayer(r.conf).arguments(a.c, on.mem, guess{dev: r.dev}); err != nil {
		return err
	}
	if on.stream, err = r.dev.NewStream(ctx); err != nil {
		return err
	}
	return r.aheadWays(ctx, a, on)
}

// unload takes a case from the device.
func (a *aheadCase) unload() {
	on := a.ready
	if a.ready = nil; on == nil {
		return
	}
	if on.bundle != nil {
		on.bundle.Close()
	}
	if on.stream != nil {
		on.stream.Close()
	}
	on.mem.close()
}

// measureAll measures the cases one after another. Kernels of a few microseconds are loaded several times, as
// race does.
func (r *racer) measureAll(ctx context.Context, list []*aheadCase) {
	for n := 0; n < r.loads && ctx.Err() == nil; n++ {
		if n > 0 {
			list = slices.DeleteFunc(slices.Clone(list), func(a *aheadCase) bool {
				return a.err != nil || slices.Max(a.times[0]) >= shortKernel
			})
			beside(list, func(a *aheadCase) error { return r.loadAhead(ctx, a) })
		}
		for _, a := range list {
			if a.err == nil && ctx.Err() == nil {
				a.err = r.measureLoaded(a)
			}
			a.unload()
		}
	}
}

// measureLoaded measures the ways in turn.
func (r *racer) measureLoaded(a *aheadCase) error {
	if err := a.ready.mem.again(a.c); err != nil {
		return err
	}
	for range aheadTurns {
		for i, launch := range a.ready.ways {
			t, err := a.ready.stream.Measure(r.warmup, r.rep, launch)
			if err != nil {
				return err
			}
			a.times[i] = append(a.times[i], t)
		}
	}
	return nil
}

// finished returns a case's row: the medians count.
func (a *aheadCase) finished() aheadRow {
	if a.err != nil {
		a.row.Failed = strings.TrimPrefix(a.err.Error(), a.path+": ")
		return a.row
	}
	for i, to := range []*float64{&a.row.JIT, &a.row.Strict, &a.row.Bundle} {
		slices.Sort(a.times[i])
		*to = a.times[i].Median().Seconds() * 1e6
	}
	return a.row
}

// aheadWays loads a case in all ways. The first time, it compiles, and keeps what the first way recorded and
// the bundle.
func (r *racer) aheadWays(ctx context.Context, a *aheadCase, on *aheadLoaded) error {
	grid, s, args := nereid.Grid(a.c.Grid), on.stream, on.args
	var seen nereid.Recorder
	conf := r.conf
	conf.Record = &seen
	jit, err := r.replayer(conf).kernel(a.c, a.path, givenStage{})
	if err != nil {
		return err
	}
	if err := errors.Join(jit.Launch(s, grid, args...), s.Sync()); err != nil {
		return err
	}
	a.keep(seen.Variants())
	strict, err := r.strictKernel(ctx, a)
	if err != nil {
		return fmt.Errorf("strict: %w", err)
	}
	b, v, err := r.bundled(ctx, a)
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	on.bundle = b
	c, err := v.Load(r.dev)
	if err != nil {
		return err
	}
	own := launchArguments(c, args)
	on.ways = []func() error{
		func() error { return jit.Launch(s, grid, args...) },
		func() error { return strict.Launch(s, grid, args...) },
		func() error { return v.Launch(s, grid, own...) },
	}
	return nil
}

// keep notes what the first way recorded when it was first loaded.
func (a *aheadCase) keep(list []nereid.Variant) {
	if a.list != nil {
		return
	}
	a.list = list
	for _, v := range list {
		if v.Form != "" {
			a.row.Forms = append(a.row.Forms, v.Form)
		}
	}
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
		build/1e3, warm/1e3, runtime.GOMAXPROCS(0))
	fmt.Fprintf(t.out, "%d passed, %d failed\n", len(t.rows)-t.failed, t.failed)
}
