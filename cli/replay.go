package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
)

type replayFlags struct {
	device, root, from, against string
	env                         environment
	quiet, check                bool
}

func newReplayCmd() *cobra.Command {
	f := &replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay [--device D] [--root DIR] CASE.safetensors...",
		Short: "Replays launches recorded from Triton",
		Long: "Replays launches that peer/capture.py recorded from Triton, compares the memory\n" +
			"afterwards, and prints ok or FAIL with the largest relative error for each, then a line with " +
			"the\n" +
			"numbers of both.",
		Example: "  nereid replay testdata/replay/*.safetensors\n" +
			"  nereid replay --device sim --from-stage ttgir=add.ttgir " +
			"testdata/replay/0002-add_kernel.safetensors\n" +
			"  nereid replay --device sim:gfx942 --from-stage hsaco=cases --against interp --root " +
			"libraries cases/*.safetensors",
		Args: named("a recorded launch: CASE.safetensors"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.device, "device", "", "device to run on (default: the best one here)")
	fs.StringVar(&f.root, "root", ".", "folder below which the kernels' files lie")
	f.env.add(fs)
	fs.StringVar(&f.from, "from-stage", "", "STAGE=PATH: start from a stage (ttir, ttgir, ...) that is "+
		"given, by a file or by a folder of CASE.STAGE")
	fs.StringVar(&f.against, "against", "",
		"another device: compare with what it makes of the launch, not with what was recorded")
	fs.BoolVar(&f.check, "check", false, "check every access: one outside a tensor's storage is an error "+
		"(on cpu and interp); without it a MiB around it is let pass, as on a GPU")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print failures and the total only")
	return cmd
}

func (f *replayFlags) open() (*nereid.Device, error) {
	if f.check {
		return openBounds(f.device, true)
	}
	return nereid.OpenDevice(f.device)
}

func (f *replayFlags) run(cmd *cobra.Command, args []string) error {
	dev, err := f.open()
	if err != nil {
		return err
	}
	r := &replayer{dev: dev, conf: configOf(cmd), root: f.root, env: f.env,
		modules: map[string]*nereid.Module{}, lost: lost{root: f.root}, room: replay.Room}
	if f.check {
		r.room = 0
	}
	if f.against != "" {
		if r.against, err = nereid.OpenDevice(f.against); err != nil {
			return err
		}
	}
	if f.from != "" {
		if err := r.from.parse(f.from, dev.Stages()); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	passed, failed := 0, 0
	bar := newProgress(cmd.ErrOrStderr(), len(args))
	defer bar.done()
	for _, path := range args {
		bar.step(path)
		worst, err := r.replay(cmd.Context(), path)
		bar.done()
		switch {
		case err != nil:
			failed++
			// errors of the file itself begin with its name
			fmt.Fprintf(out, "FAIL %s: %s\n", path, strings.TrimPrefix(err.Error(), path+": "))
		default:
			passed++
			if !f.quiet {
				fmt.Fprintf(out, "ok %s %.2g\n", path, worst)
			}
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return errReported
	}
	return nil
}

// replayer replays cases on one device and keeps the modules it has read.
type replayer struct {
	dev     *nereid.Device
	against *nereid.Device // whose results count; nil for the recorded ones
	root    string
	env     environment
	from    givenStage
	mu      sync.Mutex
	modules map[string]*nereid.Module
	lost    lost
	conf    nereid.Config
	room    int  // around storages, in which accesses are let pass
	certify bool // floats are elements of a ring
}

func (r *replayer) replay(ctx context.Context, path string) (worst float64, err error) {
	c, err := replay.Read(path)
	if err != nil {
		return 0, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	k, err := r.kernel(c, path, r.from)
	if err != nil {
		return 0, err
	}
	if err := r.expect(ctx, c, path); err != nil {
		return 0, err
	}
	again := func(k *nereid.Kernel) (float64, error) { return r.launch(ctx, c, k, guess{dev: r.dev}) }
	if worst, err = again(k); err != nil && undefinedName.MatchString(err.Error()) {
		return r.complete(c, err, again)
	}
	for _, g := range r.guesses(c) {
		if err == nil {
			break
		}
		if w, e := r.launch(ctx, c, k, g); e == nil {
			worst, err = w, nil
		}
	}
	return worst, err
}

// guess is what a file does not record of a launch, and the device that it is tried on.
type guess struct {
	dev    *nereid.Device
	nan    bool // descriptors were made with padding="nan"
	tuples tupleGuess
}

// serialSteps bounds a program that waits for one that comes after it.
const serialSteps = 1 << 24

// guesses are tried in turn where the obvious does not give what was recorded. Programs that store
// different values to one address are run one after another, as a GPU starts them: the last one wins.
func (r *replayer) guesses(c *replay.Case) []guess {
	var out []guess
	if r.dev.Abilities().Interprets && c.Grid != [3]int{1, 1, 1} {
		out = append(out,
			guess{dev: nereid.NewInterpreter(nereid.InterpOptions{Workers: 1, MaxSteps: serialSteps})})
	}
	if slices.ContainsFunc(c.Args, func(a replay.Arg) bool { return a.Kind == replay.Descriptor }) {
		out = append(out, guess{dev: r.dev, nan: true})
	}
	for _, t := range tupleGuesses(c, r.root) {
		out = append(out, guess{dev: r.dev, tuples: t})
	}
	return out
}

// expect has the device that a case is compared with run it, and keeps the results as if they were recorded.
func (r *replayer) expect(ctx context.Context, c *replay.Case, path string) error {
	if r.against == nil {
		return nil
	}
	k, err := r.kernel(c, path, givenStage{})
	if err != nil {
		return err
	}
	mem, _, err := r.run(ctx, c, k, guess{dev: r.against})
	if err != nil {
		return fmt.Errorf("%s: %w", r.against, err)
	}
	c.After = replay.Storages(mem)
	maps.DeleteFunc(c.After, func(s string, data []byte) bool { return bytes.Equal(data, c.Before[s]) })
	return nil
}

// run runs a case and returns the memory that it leaves, and the arguments. An empty case leaves what was
// there: as in Triton, its kernel must only be right.
func (r *replayer) run(ctx context.Context, c *replay.Case, k *nereid.Kernel, g guess) (
	hostMemory, []any, error) {
	mem := hostMemory{}
	for name, data := range c.Before {
		mem[name] = replay.NewBlock(data, r.room)
	}
	args, err := r.arguments(c, mem, g)
	if err != nil {
		return nil, nil, err
	}
	if c.Empty() {
		_, err = k.Source(ctx, args...)
		return mem, args, err
	}
	s, err := g.dev.NewStream(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	if err := k.Launch(s, nereid.Grid(c.Grid), args...); err != nil {
		return nil, nil, err
	}
	return mem, args, s.Sync()
}

// launch runs a case and compares what it leaves.
func (r *replayer) launch(ctx context.Context, c *replay.Case, k *nereid.Kernel, g guess) (
	worst float64, err error) {
	mem, args, err := r.run(ctx, c, k, g)
	if err != nil {
		return 0, err
	}
	if worst, err = c.Compare(replay.Storages(mem)); err == nil {
		return worst, nil
	}
	// What was recorded may have been computed with less precision than its types say, which only the
	// kernel's IR tells.
	if text, e := k.Source(ctx, args...); e == nil && c.LessPrecise(text) {
		return c.Compare(replay.Storages(mem))
	}
	return worst, err
}

// arguments returns the arguments of a launch, its options among them, with tensors in mem.
func (r *replayer) arguments(c *replay.Case, mem replayMemory, g guess) ([]any, error) {
	args := make([]any, 0, len(c.Args)+1)
	for _, a := range c.Args {
		v, err := r.argument(c, a, mem)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.Name, err)
		}
		if d, ok := v.(*nereid.Descriptor); ok {
			d.NaN = d.NaN || g.nan
		}
		if !a.Constexpr {
			v = g.tuples.apply(v)
		}
		args = append(args, nereid.Arg(a.Name, v))
	}
	o := replayOptions(c)
	o.Certify = r.certify
	return append(args, o), nil
}

// kernel returns the kernel of a case, which starts from a stage that is given if from names one.
func (r *replayer) kernel(c *replay.Case, path string, from givenStage) (*nereid.Kernel, error) {
	file := filepath.ToSlash(c.Source(r.root))
	if from.stage != "" { // each case has a module of its own, since the stage may be its alone
		opt, err := from.load(path)
		if err != nil {
			return nil, err
		}
		m, err := nereid.Load(file, nereid.Roots(r.root), r.env.load(), releaseOf(c), opt)
		if err != nil {
			return nil, err
		}
		return m.Kernel(c.Kernel)
	}
	r.mu.Lock()
	key := file + "@" + c.Release
	m := r.modules[key]
	r.mu.Unlock()
	if m == nil {
		var err error
		m, err = nereid.Load(file, nereid.Roots(r.folders(c)...), r.env.load(), nereid.With(r.conf),
			releaseOf(c))
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.modules[key] = m
		r.mu.Unlock()
	}
	k, err := m.Kernel(c.Kernel)
	if names := m.Kernels(); err != nil && strings.HasPrefix(c.File, "@/") && len(names) > 0 &&
		!slices.Contains(names, c.Kernel) {
		// renamed when it was made; a file that was written out ends with the kernel
		return m.Kernel(names[len(names)-1])
	}
	return k, err
}

// releaseOf loads a case's file as the language that its launch was recorded in; nil where it does not say.
func releaseOf(c *replay.Case) nereid.LoadOption {
	if c.Release == "" {
		return nil
	}
	return nereid.Triton(c.Release)
}

// folders are those in which a case's files lie: the root, and the folder of functions that were written out
// if some are arguments.
func (r *replayer) folders(c *replay.Case) []string {
	var written func(list []replay.Arg) bool
	written = func(list []replay.Arg) bool {
		return slices.ContainsFunc(list, func(a replay.Arg) bool {
			return strings.HasPrefix(a.File, "@/") || written(a.Items)
		})
	}
	if written(c.Args) {
		return []string{r.root, c.Resolve(r.root, "@/")}
	}
	return []string{r.root}
}

// argument is a recorded argument as a launch takes it; tensors share the storages in mem.
func (r *replayer) argument(c *replay.Case, a replay.Arg, mem replayMemory) (any, error) {
	switch a.Kind {
	case replay.Tensor:
		return mem.tensor(a)
	case replay.Descriptor:
		t, err := mem.tensor(a)
		if err != nil {
			return nil, err
		}
		return &nereid.Descriptor{Base: t, Shape: a.Shape, Strides: a.Strides, Block: a.BlockShape,
			NaN: a.NaN}, nil
	case replay.None:
		return nil, nil
	case replay.Dtype:
		return nereid.DTypeOf(fmt.Sprint(a.Value))
	case replay.Function:
		return nereid.Func{File: filepath.ToSlash(c.Resolve(r.root, a.File)), Name: fmt.Sprint(a.Value)}, nil
	case replay.Tuple:
		return r.tuple(c, a, mem)
	}
	return a.Value, nil
}

// tuple is a recorded tuple: Fields where its items have names.
func (r *replayer) tuple(c *replay.Case, a replay.Arg, mem replayMemory) (any, error) {
	items, fields := make([]any, len(a.Items)), make(nereid.Fields, 0, len(a.Items))
	for i, item := range a.Items {
		v, err := r.argument(c, item, mem)
		if err != nil {
			return nil, err
		}
		if item.Constexpr {
			v = nereid.Const{Value: v}
		}
		items[i] = v
		if item.Name != "" {
			fields = append(fields, nereid.Arg(item.Name, v))
		}
	}
	if len(fields) == len(items) && len(items) > 0 {
		return fields, nil
	}
	return items, nil
}

// replayMemory holds the storages of a recorded launch.
type replayMemory interface {
	// tensor returns the tensor that an argument describes.
	tensor(a replay.Arg) (*nereid.Tensor, error)
}

// hostMemory holds storages in the host's memory, by name.
type hostMemory map[string]*replay.Block

func (m hostMemory) tensor(a replay.Arg) (*nereid.Tensor, error) {
	dt, err := nereid.DTypeOf(a.Dtype)
	if err != nil {
		return nil, err
	}
	b, ok := m[a.Storage]
	if !ok {
		return nil, noStorage(a)
	}
	if len(a.Items) > 0 {
		return nil, errors.New("it holds addresses of other tensors: `nereid race` runs such launches")
	}
	return nereid.FromBytes(dt, b.All, len(b.All)/dt.Size()).Offset(b.At + int(a.Offset)), nil
}

func noStorage(a replay.Arg) error { return fmt.Errorf("the storage %s is not in the file", a.Storage) }

func debugOf(on, off bool) nereid.Debug {
	switch {
	case on:
		return nereid.DebugOn
	case off:
		return nereid.DebugOff
	}
	return nereid.DebugDefault
}

func replayOptions(c *replay.Case) nereid.Options {
	num := func(name string) int {
		n, _ := c.Options[name].(int64)
		return int(n)
	}
	flag := func(name string) bool {
		on, _ := c.Options[name].(bool)
		return on
	}
	off := func(name string) bool {
		on, ok := c.Options[name].(bool)
		return ok && !on
	}
	return nereid.Options{
		NumWarps: num("num_warps"), NumStages: num("num_stages"), NumCTAs: num("num_ctas"),
		MaxNReg: num("maxnreg"), Debug: debugOf(flag("debug"), off("debug")),
		NoSanitizeOverflow: off("sanitize_overflow"), NoFPFusion: off("enable_fp_fusion"),
		LaunchCooperativeGrid: flag("launch_cooperative_grid"), LaunchPDL: flag("launch_pdl"),
	}
}
