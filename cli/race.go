package cli

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/spf13/cobra"
)

type raceFlags struct {
	device, root string
	env          environment
	json         bool
	warmup, rep  time.Duration
	loads        int
	inAdvance    bool
	to           string
}

func newRaceCmd() *cobra.Command {
	f := &raceFlags{}
	cmd := &cobra.Command{
		Use:   "race [--device D] [--root DIR] CASE.safetensors...",
		Short: "Times launches recorded from Triton beside Triton's own times",
		Long: "Runs launches that peer/capture.py --time recorded from Triton: compares the memory after\n" +
			"the first run with what was recorded, then measures the launch with its tensors on the\n" +
			"device and cold caches, as Triton's do_bench does. Prints a line for each case (result,\n" +
			"time, Triton's time, Triton's time over ours: above 1 is faster than Triton), then the\n" +
			"geometric means by class and over all.\n\n" +
			"Where a module's code happens to lie in a GPU's memory moves kernels of a few microseconds\n" +
			"by up to a tenth. Kernels under 6 µs are therefore loaded --loads times, and the median\n" +
			"counts.\n\n" +
			"With --ahead, each launch runs in three ways instead: compiled when it comes, in strict mode\n" +
			"after a warm-up with what was recorded of the first way, and from a bundle with all forms of\n" +
			"its code. All three are compared with what was recorded of Triton, and measured in turn.\n\n" +
			"With --to, each launch runs by the rules of its own release of Triton (3.6, or that of\n" +
			"--triton) and by those of another one, in turn; above 1 the other one's are faster.",
		Example: "  nereid race --device cuda --root libraries cases/*.safetensors\n" +
			"  nereid race --device cuda --root libraries --to 3.9 cases/*.safetensors",
		Args: named("a recorded launch: CASE.safetensors"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.device, "device", "", "device to run on (default: the best one here)")
	fs.StringVar(&f.root, "root", ".", "folder below which the kernels' files lie")
	f.env.add(fs)
	fs.BoolVar(&f.json, "json", false, "print JSON lines")
	fs.DurationVar(&f.warmup, "warmup", 25*time.Millisecond,
		"how long to run each launch before it is measured")
	fs.DurationVar(&f.rep, "rep", 100*time.Millisecond, "how long to measure each launch")
	fs.BoolVar(&f.inAdvance, "ahead", false, "compare each launch that compiles with the same in strict "+
		"mode after a warm-up, and with a bundle")
	fs.StringVar(&f.to, "to", "", "compare each launch with the same by the rules of another release of "+
		"Triton: 3.9, 3.9+block_ptr")
	fs.IntVar(&f.loads, "loads", 5, "how often to load kernels under 6 µs")
	return cmd
}

func (f *raceFlags) run(cmd *cobra.Command, paths []string) error {
	defer interruptible(cmd)()
	switch {
	case f.loads < 1:
		return usagef("--loads %d: a kernel is loaded at least once", f.loads)
	case f.rep <= 0 || f.warmup < 0:
		return usagef("--rep %v --warmup %v: a launch is measured for some time", f.rep, f.warmup)
	case f.inAdvance && f.to != "":
		return usagef("--ahead and --to are two races")
	}
	if f.to != "" {
		if _, err := triton.Parse(f.to); err != nil {
			return usagef("--to: %w", err)
		}
	}
	dev, err := nereid.OpenDevice(f.device)
	if err != nil {
		return err
	}
	r := &racer{raceFlags: *f, dev: dev, conf: configOf(cmd)}
	if f.inAdvance {
		return r.ahead(contextOf(cmd), cmd.OutOrStdout(), paths)
	}
	if f.to != "" {
		return r.releases(contextOf(cmd), cmd.OutOrStdout(), paths)
	}
	table := &raceTable{out: cmd.OutOrStdout(), json: f.json}
	for row := range r.all(cmd.Context(), paths) {
		table.add(row)
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return table.end()
}

// racer runs recorded launches on a device and measures them.
type racer struct {
	raceFlags
	dev  *nereid.Device
	conf nereid.Config
}

// raceAhead is how many cases are read ahead of the one on the device, and how many are compared behind it.
const raceAhead = 3

// all races the cases one after another. Cases are read before and compared after their turn on the device,
// beside others; their rows come in the order of paths.
func (r *racer) all(ctx context.Context, paths []string) <-chan raceRow {
	cases := make(chan loadedCase, raceAhead)
	go func() {
		defer close(cases)
		for _, path := range paths {
			c, err := replay.Read(path)
			select {
			case cases <- loadedCase{path, c, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	waiting := make(chan chan raceRow, raceAhead)
	go func() {
		defer close(waiting)
		for c := range cases {
			ran := r.race(ctx, c)
			done := make(chan raceRow, 1)
			go func() { done <- ran.row() }()
			waiting <- done
		}
	}()
	rows := make(chan raceRow)
	go func() {
		defer close(rows)
		for done := range waiting {
			rows <- <-done
		}
	}()
	return rows
}

// loadedCase is a case as it was read, or why it could not be.
type loadedCase struct {
	path string
	c    *replay.Case
	err  error
}

// raceRun is a case that was run and measured, with the memory that it left.
type raceRun struct {
	loadedCase
	after map[string][]byte
	ir    []byte // the kernel's IR, which says how precise its results are
	first time.Duration
	time  time.Duration
	info  replay.Timing // without a time
}

// race runs and measures a case on the device.
func (r *racer) race(ctx context.Context, c loadedCase) *raceRun {
	run := &raceRun{loadedCase: c}
	if run.err != nil {
		return run
	}
	times := make(nereid.Times, 0, r.loads)
	for len(times) == 0 || len(times) < r.loads && slices.Max(times) < shortKernel {
		t, err := r.load(ctx, run)
		if err != nil {
			run.err = err
			return run
		}
		times = append(times, t)
	}
	slices.Sort(times)
	run.time = times.Median()
	return run
}

// shortKernel is the time below which a kernel is loaded several times.
const shortKernel = 6 * time.Microsecond

// load reads the kernel of a case anew and measures it. The first time, it keeps what the launch left in
// memory.
func (r *racer) load(ctx context.Context, run *raceRun) (time.Duration, error) {
	rep := &replayer{
		dev: r.dev, root: r.root, env: r.env, conf: r.conf, modules: map[string]*nereid.Module{},
		lost: lost{root: r.root},
	}
	if run.c.Empty() {
		return 0, fmt.Errorf("the grid %v has no programs: there is nothing to time", run.c.Grid)
	}
	k, err := rep.kernel(run.c, run.path, givenStage{})
	if err != nil {
		return 0, err
	}
	mem := deviceMemory{}
	defer mem.close()
	if err := mem.fill(r.dev, run.c); err != nil {
		return 0, err
	}
	args, err := rep.arguments(run.c, mem, guess{dev: r.dev})
	if err != nil {
		return 0, err
	}
	s, err := r.dev.NewStream(ctx)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	launch := func() error { return k.Launch(s, nereid.Grid(run.c.Grid), args...) }
	start := time.Now()
	if err := errors.Join(launch(), s.Sync()); err != nil {
		return 0, err
	}
	if run.after == nil {
		run.first = time.Since(start)
		run.info = resources(ctx, k, s, args, replayOptions(run.c))
		run.ir, _ = k.Source(ctx, args...)
		if run.after, err = mem.read(run.c); err != nil {
			return 0, err
		}
	}
	return s.Measure(r.warmup, r.rep, launch)
}

// row compares what a run left with what was recorded.
func (run *raceRun) row() raceRow {
	row := raceRow{Case: strings.TrimSuffix(filepath.Base(run.path), ".safetensors")}
	if run.err == nil {
		row.Library, row.Class = library(run.c.File), cmp.Or(run.c.Class, "other")
		row.Kernel, row.Triton = run.c.Kernel, run.c.Triton
		row.Nereid = run.info
		row.Nereid.Milliseconds = run.time.Seconds() * 1e3
		row.First = run.first.Seconds() * 1e3
		worst, err := run.c.Compare(run.after)
		if err != nil && run.c.LessPrecise(run.ir) {
			worst, err = run.c.Compare(run.after)
		}
		row.Error, run.err = relativeError(worst), err
	}
	if run.err != nil {
		row.Failed = strings.TrimPrefix(run.err.Error(), run.path+": ")
	}
	return row
}

// library is the folder in which a kernel's file lies, or nothing for one that was written out.
func library(file string) string {
	name, _, below := strings.Cut(file, "/")
	if name == "@" || !below {
		return ""
	}
	return name
}

// deviceMemory holds the storages of a case on a device.
type deviceMemory map[string]*nereid.Tensor

// fill copies a case's storages to the device. A storage gets some bytes more there, so that it holds whole
// elements of any type.
func (m deviceMemory) fill(dev *nereid.Device, c *replay.Case) error {
	for name, data := range c.Before {
		t, err := nereid.NewTensor(dev, nereid.Uint8, (len(data)+7)/8*8+8)
		if err != nil {
			return err
		}
		m[name] = t
		if err := t.Slice(0, 0, len(data), 1).CopyBytesFrom(data); err != nil {
			return err
		}
	}
	for _, a := range c.Args {
		if err := m.point(a); err != nil {
			return fmt.Errorf("argument %s: %w", a.Name, err)
		}
	}
	return nil
}

// point replaces the recorded addresses in a tensor of addresses by those of the same storages here.
func (m deviceMemory) point(a replay.Arg) error {
	if a.Kind != replay.Tensor || len(a.Items) == 0 {
		return nil
	}
	var here []byte
	for _, item := range a.Items {
		t, err := m.tensor(item)
		if err != nil {
			return err
		}
		here = binary.LittleEndian.AppendUint64(here, t.Addr())
	}
	table := m[a.Storage].Slice(0, int(a.Offset), int(a.Offset)+len(here), 1)
	return errors.Join(table.Err(), table.CopyBytesFrom(here))
}

// read copies a case's storages back, with the recorded addresses where point has put others.
func (m deviceMemory) read(c *replay.Case) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, t := range m {
		out[name] = make([]byte, len(c.Before[name]))
		if err := t.Slice(0, 0, len(out[name]), 1).CopyBytesTo(out[name]); err != nil {
			return nil, err
		}
	}
	for _, a := range c.Args {
		if a.Kind == replay.Tensor && len(a.Items) > 0 {
			copy(out[a.Storage][a.Offset:], c.Before[a.Storage][a.Offset:])
		}
	}
	return out, nil
}

func (m deviceMemory) close() {
	for _, t := range m {
		t.Close()
	}
}

func (m deviceMemory) tensor(a replay.Arg) (*nereid.Tensor, error) {
	dt, err := nereid.DTypeOf(a.Dtype)
	if err != nil {
		return nil, err
	}
	t, ok := m[a.Storage]
	if !ok {
		return nil, noStorage(a)
	}
	v := t.As(dt).Offset(int(a.Offset))
	return v, v.Err()
}

// resources returns what the code of the last launch on s takes of the device: k with args, or code for
// launches of its size alone. Where the stream does not tell, it is what the kernel's general code takes;
// zeros where the device does not tell either.
func resources(ctx context.Context, k *nereid.Kernel, s *nereid.Stream, args []any,
	o nereid.Options) replay.Timing {
	if f := core.Launched(s); f.Registers > 0 {
		return replay.Timing{Registers: f.Registers, Spills: f.Spills, Shared: f.Shared}
	}
	sig, err := k.Signature(args...)
	if err != nil {
		return replay.Timing{}
	}
	c, err := k.Compile(ctx, s.Device(), sig, o)
	if err != nil {
		return replay.Timing{}
	}
	info := c.Info()
	return replay.Timing{Registers: info.Registers, Spills: info.Spills, Shared: info.Shared}
}
