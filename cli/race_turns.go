package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
)

// turnBatch is how many cases are compiled and loaded before they are measured: compilations beside a
// measurement would disturb it, and processors would wait for the slowest of few cases.
const turnBatch = 48

// turns is how often each way is measured, in turn with the others.
const turns = 5

// ways are several ways to run a recorded launch.
type ways interface {
	// names says what to call each.
	names() []string
	// load returns a launch for each way, with the memory of c.ready. It is called again for kernels that
	// are loaded several times.
	load(ctx context.Context, r *racer, c *turnCase) ([]func() error, error)
	// differs is called for a way that leaves other memory than was recorded. The case fails with the error
	// that it returns, if any.
	differs(way int, err error) error
}

// turnHead says which launch a row is about.
type turnHead struct {
	Case    string `json:"case"`
	Kernel  string `json:"kernel,omitempty"`
	Library string `json:"library,omitempty"`
	Class   string `json:"class,omitempty"`
	Failed  string `json:"failed,omitempty"`
}

// turnCase is a case whose ways are measured in turn.
type turnCase struct {
	loadedCase
	ways  ways
	head  turnHead
	ready *turnLoaded
	times []nereid.Times // of each way
}

// turnLoaded is a case on the device, with the launches of its ways.
type turnLoaded struct {
	stream   *nereid.Stream
	mem      deviceMemory
	args     []any
	launches []func() error
	close    func() // what the ways hold besides, if any
}

// inTurns runs the cases in all ways and calls add for each when it is done.
func (r *racer) inTurns(ctx context.Context, list []*turnCase, add func(c *turnCase)) error {
	for batch := range slices.Chunk(list, turnBatch) {
		r.prepareAll(ctx, batch)
		r.measureAll(ctx, batch)
		for _, c := range batch {
			if measured := len(c.times) > 0 && len(c.times[0]) > 0; ctx.Err() == nil || measured {
				c.finish()
				add(c)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// turnTable prints rows as they come.
type turnTable struct {
	out    io.Writer
	json   bool
	failed int
}

// print prints a row: as JSON, or as a line.
func (t *turnTable) print(row any, head turnHead, line string) {
	if head.Failed != "" {
		t.failed++
		line = fmt.Sprintf("FAIL %s: %s", head.Case, head.Failed)
	}
	if t.json {
		printRow(t.out, row)
		return
	}
	fmt.Fprintln(t.out, line)
}

// end prints the summary of a table, also of a race that was interrupted, and returns an error if that was
// so or a case failed.
func (t *turnTable) end(err error, summary func()) error {
	if !t.json {
		summary()
	}
	if err == nil && t.failed > 0 {
		return errReported
	}
	return err
}

// beside calls f for the cases that have not failed, as many at once as there are processors, and keeps what
// failed.
func beside(list []*turnCase, f func(c *turnCase) error) {
	var wg sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, c := range list {
		if c.err != nil {
			continue
		}
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			c.err = f(c)
		})
	}
	wg.Wait()
}

// prepareAll compiles the cases, loads them and compares what each way leaves in memory.
func (r *racer) prepareAll(ctx context.Context, list []*turnCase) {
	beside(list, func(c *turnCase) (err error) {
		c.head.Case = strings.TrimSuffix(filepath.Base(c.path), ".safetensors")
		if c.c, err = replay.Read(c.path); err != nil {
			return err
		}
		c.head.Kernel, c.head.Library = c.c.Kernel, library(c.c.File)
		c.head.Class = cmp.Or(c.c.Class, "other")
		if c.c.Empty() {
			return fmt.Errorf("the grid %v has no programs: there is nothing to time", c.c.Grid)
		}
		if err := r.loadWays(ctx, c); err != nil {
			return err
		}
		return r.compareWays(ctx, c)
	})
}

// loadWays puts a case's memory on the device and loads its ways.
func (r *racer) loadWays(ctx context.Context, c *turnCase) (err error) {
	on := &turnLoaded{mem: deviceMemory{}}
	c.ready = on
	defer func() {
		if err != nil {
			c.unload()
		}
	}()
	if err := on.mem.fill(r.dev, c.c); err != nil {
		return err
	}
	if on.args, err = r.replayer(r.conf).arguments(c.c, on.mem, guess{dev: r.dev}); err != nil {
		return err
	}
	if on.stream, err = r.dev.NewStream(ctx); err != nil {
		return err
	}
	if on.launches, err = c.ways.load(ctx, r, c); err == nil && c.times == nil {
		c.times = make([]nereid.Times, len(on.launches))
	}
	return err
}

// unload takes a case from the device.
func (c *turnCase) unload() {
	on := c.ready
	if c.ready = nil; on == nil {
		return
	}
	if on.close != nil {
		on.close()
	}
	if on.stream != nil {
		on.stream.Close()
	}
	on.mem.close()
}

// compareWays compares what each way leaves in memory with what was recorded.
func (r *racer) compareWays(ctx context.Context, c *turnCase) error {
	on := c.ready
	for i, launch := range on.launches {
		if err := errors.Join(on.mem.again(c.c), launch(), on.stream.Sync()); err != nil {
			return fmt.Errorf("%s: %w", c.ways.names()[i], err)
		}
		after, err := on.mem.read(c.c)
		if err != nil {
			return err
		}
		if _, err := c.c.Compare(after); err != nil && !r.lessPrecise(ctx, c, after) {
			if err := c.ways.differs(i, err); err != nil {
				return fmt.Errorf("%s: %w", c.ways.names()[i], err)
			}
		}
	}
	return nil
}

// lessPrecise reports whether memory is what was recorded, if that was computed with less precision than its
// types say.
func (r *racer) lessPrecise(ctx context.Context, c *turnCase, after map[string][]byte) bool {
	k, err := r.replayer(r.conf).kernel(c.c, c.path, givenStage{})
	if err != nil {
		return false
	}
	ir, err := k.Source(ctx, c.ready.args...)
	if err != nil || !c.c.LessPrecise(ir) {
		return false
	}
	_, err = c.c.Compare(after)
	return err == nil
}

// measureAll measures the cases one after another. Kernels of a few microseconds are loaded several times, as
// race does.
func (r *racer) measureAll(ctx context.Context, list []*turnCase) {
	for n := 0; n < r.loads && ctx.Err() == nil; n++ {
		if n > 0 {
			list = slices.DeleteFunc(slices.Clone(list), func(c *turnCase) bool {
				return c.err != nil || slices.Max(c.times[0]) >= shortKernel
			})
			beside(list, func(c *turnCase) error { return r.loadWays(ctx, c) })
		}
		for _, c := range list {
			if c.err == nil && ctx.Err() == nil {
				c.err = r.measureLoaded(c)
			}
			c.unload()
		}
	}
}

// measureLoaded measures the ways in turn.
func (r *racer) measureLoaded(c *turnCase) error {
	if err := c.ready.mem.again(c.c); err != nil {
		return err
	}
	for range turns {
		for i, launch := range c.ready.launches {
			t, err := c.ready.stream.Measure(r.warmup, r.rep, launch)
			if err != nil {
				return err
			}
			c.times[i] = append(c.times[i], t)
		}
	}
	return nil
}

// finish sorts a case's times and says why it failed, if it did.
func (c *turnCase) finish() {
	if c.err != nil {
		c.head.Failed = strings.TrimPrefix(c.err.Error(), c.path+": ")
		return
	}
	for _, t := range c.times {
		slices.Sort(t)
	}
}

// microseconds is the median of a way's times.
func (c *turnCase) microseconds(way int) float64 {
	return c.times[way].Median().Seconds() * 1e6
}

// replayer returns a replayer whose modules have a configuration.
func (r *racer) replayer(conf nereid.Config) *replayer {
	return &replayer{dev: r.dev, root: r.root, env: r.env, conf: conf, modules: map[string]*nereid.Module{},
		lost: lost{root: r.root}}
}
