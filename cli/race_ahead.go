package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
)

// aheadRow compares a recorded launch in three ways: compiled when it comes, in strict mode after a warm-up
// with what the first way recorded, and from a bundle with all forms.
type aheadRow struct {
	turnHead
	JIT    float64  `json:"jit"` // microseconds, medians of turns
	Strict float64  `json:"strict"`
	Bundle float64  `json:"bundle"`
	Warmup float64  `json:"warmup_ms"` // compiling what strict mode launches, beside other compilations
	Build  float64  `json:"build_ms"`  // of the bundle, likewise
	Bytes  int      `json:"bytes"`     // of the bundle
	Forms  []string `json:"forms,omitempty"`
}

// aheadWays runs a case in these three ways.
type aheadWays struct {
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
	table := &aheadTable{turnTable: turnTable{out: out, json: r.json}}
	var list []*turnCase
	for _, path := range paths {
		list = append(list, &turnCase{loadedCase: loadedCase{path: path}, ways: &aheadWays{}})
	}
	err = r.inTurns(ctx, list, func(c *turnCase) { table.add(c.ways.(*aheadWays).finished(c)) })
	return table.end(err, table.summary)
}

func (*aheadWays) names() []string { return []string{"JIT", "strict", "bundle"} }

// differs: all three are compared with what was recorded of Triton.
func (*aheadWays) differs(_ int, err error) error { return err }

// finished returns a case's row: the medians count.
func (a *aheadWays) finished(c *turnCase) aheadRow {
	a.row.turnHead = c.head
	if c.err == nil {
		a.row.JIT, a.row.Strict, a.row.Bundle = c.microseconds(0), c.microseconds(1), c.microseconds(2)
	}
	return a.row
}

// load loads a case in all ways. The first time, it compiles, and keeps what the first way recorded and the
// bundle.
func (a *aheadWays) load(ctx context.Context, r *racer, c *turnCase) ([]func() error, error) {
	grid, s, args := nereid.Grid(c.c.Grid), c.ready.stream, c.ready.args
	var seen nereid.Recorder
	conf := r.conf
	conf.Record = &seen
	jit, err := r.replayer(conf).kernel(c.c, c.path, givenStage{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(jit.Launch(s, grid, args...), s.Sync()); err != nil {
		return nil, err
	}
	a.keep(seen.Variants())
	strict, err := r.strictKernel(ctx, c, a)
	if err != nil {
		return nil, fmt.Errorf("strict: %w", err)
	}
	b, v, err := r.bundled(ctx, c, a)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	c.ready.close = func() { b.Close() }
	code, err := v.Load(r.dev)
	if err != nil {
		return nil, err
	}
	own := launchArguments(code, args)
	return []func() error{
		func() error { return jit.Launch(s, grid, args...) },
		func() error { return strict.Launch(s, grid, args...) },
		func() error { return v.Launch(s, grid, own...) },
	}, nil
}

// keep notes what the first way recorded when it was first loaded.
func (a *aheadWays) keep(list []nereid.Variant) {
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
func (r *racer) strictKernel(ctx context.Context, c *turnCase, a *aheadWays) (*nereid.Kernel, error) {
	conf := r.conf
	conf.Strict = true
	rep := r.replayer(conf)
	k, err := rep.kernel(c.c, c.path, givenStage{})
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
func (r *racer) bundled(ctx context.Context, c *turnCase, a *aheadWays) (
	*bundle.Bundle, *bundle.Variant, error) {
	if a.bundle == nil {
		start := time.Now()
		if err := r.buildBundle(ctx, c, a); err != nil {
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

func (r *racer) buildBundle(ctx context.Context, c *turnCase, a *aheadWays) error {
	rep, v := r.replayer(r.conf), a.list[0]
	built, err := aot.Build(ctx, []aot.Variant{{Name: aheadVariant, File: c.c.Source(r.root),
		Kernel: v.Kernel, Signature: v.Signature, Options: v.Options}},
		aot.BuildOptions{Targets: []string{r.dev.Target()}, Forms: true, Roots: rep.folders(c.c)})
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

// aheadTable prints rows as they come and their summary.
type aheadTable struct {
	turnTable
	rows []aheadRow
}

func (t *aheadTable) add(r aheadRow) {
	t.rows = append(t.rows, r)
	line := fmt.Sprintf("ok %9.2f µs, strict %.3f, bundle %.3f of its speed; warm-up %.1f s, "+
		"bundle %.1f s, %d bytes: %s", r.JIT, r.JIT/r.Strict, r.JIT/r.Bundle, r.Warmup/1e3, r.Build/1e3,
		r.Bytes, r.Case)
	t.print(r, r.turnHead, line)
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
