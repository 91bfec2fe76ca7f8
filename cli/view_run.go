package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	amdsim "github.com/nereid-lang/nereid/internal/target/amd/sim"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/target/simcount"
	"github.com/nereid-lang/nereid/internal/view"
)

// The interpreter stops a program after so many steps, and a run after so long: two programs that wait for
// one another would have the page wait too.
const (
	viewSteps = 1 << 28
	viewTime  = 30 * time.Second
)

// Run implements view.Compiler.
func (v *viewer) Run(ctx context.Context, text []byte) *view.Run {
	run, err := v.launch(ctx, text)
	if run == nil {
		return &view.Run{Error: plainText(err)}
	}
	return run
}

func plainText(err error) string { return strings.TrimPrefix(err.Error(), "nereid: ") }

// launch runs the kernel in the interpreter, which records each access, and once more with checks for races
// and for reads of what nobody wrote.
func (v *viewer) launch(ctx context.Context, text []byte) (*view.Run, error) {
	var shown []view.Tensor
	var spoiled []spoiledTensor
	var took time.Duration
	d := watched(interp.DeviceOptions{})
	record := d.Record()
	files := view.NewFiles(v.file, text, stdlibFile)
	err := v.watch(ctx, text, d, func(launch func() error, tensors map[string]*nereid.Tensor) error {
		shown = v.tensors(tensors)
		start := time.Now()
		err := launch()
		took = time.Since(start)
		if err == nil {
			spoiled, err = v.spoiled(tensors)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	run := view.NewRun(record, v.grid, shown, took, files)
	if took < maxAgain {
		checked := watched(interp.DeviceOptions{CheckRaces: true, CheckUninit: true})
		again := checked.Record() // so that every program that is at fault is heard of
		var there []view.Tensor
		err := v.watch(ctx, text, checked, func(launch func() error, on map[string]*nereid.Tensor) error {
			there = v.tensors(on)
			return launch()
		})
		if err != nil {
			return nil, err
		}
		run.Checked(again.Faults(), there, files)
	}
	v.program, v.clean = 0, ""
	if len(run.Faults) == 0 {
		v.clean = string(text)
	}
	for i, s := range spoiled {
		if p := run.Spoiled(s.name, s.count, s.first); i == 0 {
			v.program = p
		}
	}
	return run, nil
}

// tensors describes the tensors of a launch.
func (v *viewer) tensors(tensors map[string]*nereid.Tensor) (out []view.Tensor) {
	for _, t := range v.in.tensors {
		out = append(out, view.Tensor{Name: t.name, Type: t.dtype.String(), Shape: t.shape,
			Size: t.dtype.Size(), Addr: tensors[t.name].Addr()})
	}
	return out
}

// spoiledTensor is a tensor in which a launch has left NaN.
type spoiledTensor struct {
	name  string
	count int
	first int64
}

// spoiled looks for NaN in what a launch has written.
func (v *viewer) spoiled(tensors map[string]*nereid.Tensor) (out []spoiledTensor, err error) {
	for _, a := range v.in.tensors {
		if !a.dtype.IsFloat() {
			continue
		}
		t := tensors[a.name]
		data := make([]byte, t.Len()*t.DType.Size())
		if err := t.CopyBytesTo(data); err != nil {
			return nil, err
		}
		s := spoiledTensor{name: a.name, first: -1}
		for i := range a.len() {
			if math.IsNaN(a.at(data, i)) && !math.IsNaN(a.at(a.data, i)) {
				if s.first < 0 {
					s.first = int64(i)
				}
				s.count++
			}
		}
		if s.count > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// watch loads the text and runs do with its launch in an interpreter. A fault of the kernel is no error:
// what the interpreter recorded until then shows it.
func (v *viewer) watch(ctx context.Context, text []byte, d *interp.Device,
	do func(launch func() error, tensors map[string]*nereid.Tensor) error) error {
	if err := v.prepare(ctx, text); err != nil {
		return err
	}
	k, err := v.load(text, nereid.With(quietConfig()))
	if err != nil {
		return err
	}
	return v.in.watch(ctx, d, func(s *nereid.Stream, args []any, tensors map[string]*nereid.Tensor) error {
		return do(func() error { return k.Launch(s, v.grid, append(args, v.opts)...) }, tensors)
	})
}

// Values implements view.Compiler.
func (v *viewer) Values(ctx context.Context, text []byte, program int64) *view.Values {
	d := watched(interp.DeviceOptions{})
	t := d.Trace(program)
	err := v.watch(ctx, text, d, func(launch func() error, _ map[string]*nereid.Tensor) error {
		return launch()
	})
	if n := int64(v.grid[0] * v.grid[1] * v.grid[2]); err == nil && (program < 0 || program >= n) {
		err = fmt.Errorf("there is no program %d: the grid has %d", program, n)
	}
	if err != nil {
		return &view.Values{Program: program, List: []view.Value{}, NaN: -1, Inf: -1, Error: plainText(err)}
	}
	return view.NewValues(t, view.NewFiles(v.file, text, stdlibFile))
}

// costTime bounds a simulation for a page: the simulator takes about a microsecond for a lane's instruction.
const costTime = 10 * time.Second

// Cost implements view.Compiler.
func (v *viewer) Cost(ctx context.Context, text []byte) *view.Cost {
	c := v.simulated(ctx, text)
	c.CPU = v.cpuTime(ctx, text)
	return c
}

// simulated returns what the kernel does on a simulated GPU, or why that is not known.
func (v *viewer) simulated(ctx context.Context, text []byte) *view.Cost {
	name := ""
	for _, t := range v.flags.targets {
		if c := chip.Target(t); c.Name != "" && name == "" {
			name = "sim:" + c.Name
		}
	}
	if name == "" {
		return &view.Cost{Lines: []view.LineCost{},
			Error: "only GPUs are simulated with counts: --target cuda:90 or hip:gfx942"}
	}
	c, err := v.simulate(ctx, text, name)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the simulation takes longer than %s: give a smaller --grid", costTime)
	}
	if err != nil {
		return &view.Cost{Device: name, Lines: []view.LineCost{}, Error: plainText(err)}
	}
	return c
}

// counted is what the simulators tell about a launch.
type counted struct {
	counts []simcount.Count
	piece  int // bytes of global memory that the GPU moves at once
	marks  []simcount.Mark
	cut    bool
}

// watch returns a context in which launches on either vendor's simulator are counted.
func (n *counted) watch(ctx context.Context) context.Context {
	counts := func(piece int) func(list []simcount.Count) {
		return func(list []simcount.Count) { n.counts, n.piece = list, piece }
	}
	chart := func(list []simcount.Mark, cut bool) { n.marks, n.cut = list, cut }
	ctx = sim.WithWatch(ctx, sim.Watch{Counts: counts(simcount.SectorBytes), Chart: chart})
	return amdsim.WithWatch(ctx, amdsim.Watch{Counts: counts(simcount.RequestBytes), Chart: chart})
}

// simulate runs the kernel on a simulated GPU and counts what it does.
func (v *viewer) simulate(ctx context.Context, text []byte, name string) (*view.Cost, error) {
	if err := v.prepare(ctx, text); err != nil {
		return nil, err
	}
	dev, err := nereid.OpenDevice(name)
	if err != nil {
		return nil, err
	}
	k, err := v.load(text, nereid.With(quietConfig()))
	if err != nil {
		return nil, err
	}
	if d := sim.Card(chip.Target(name).Capability); d != nil {
		dev = core.NewDevice(d)
	}
	var n counted
	ctx, cancel := context.WithTimeout(ctx, costTime)
	defer cancel()
	var took time.Duration
	err = v.in.launch(n.watch(ctx), dev,
		func(s *nereid.Stream, args []any, _ map[string]*nereid.Tensor) error {
			start := time.Now()
			if err := k.Launch(s, v.grid, append(args, v.opts)...); err != nil {
				return err
			}
			err := s.Sync()
			took = time.Since(start)
			return err
		})
	if err != nil {
		return nil, err
	}
	files := view.NewFiles(v.file, text, stdlibFile)
	c := view.NewCost(name, n.piece, n.counts, files)
	c.Chart = view.NewChart(n.marks, n.cut, files)
	c.Took = float64(took.Microseconds()) / 1000
	return c, nil
}

// watched returns an interpreter whose runs are shown: it prints nothing and stops programs that run on.
func watched(o interp.DeviceOptions) *interp.Device {
	o.Stdout, o.MaxSteps = io.Discard, viewSteps
	return interp.NewDevice(o)
}

// watch launches in an interpreter, for as long as a page may wait. A fault of the kernel is no error: what
// the interpreter recorded until then shows it.
func (in *inputs) watch(ctx context.Context, d *interp.Device,
	launch func(s *nereid.Stream, args []any, tensors map[string]*nereid.Tensor) error) error {
	ctx, cancel := context.WithTimeout(ctx, viewTime)
	defer cancel()
	err := in.launch(ctx, core.NewDevice(d), launch)
	if fault := (*nereid.Fault)(nil); errors.As(err, &fault) {
		return nil
	}
	return err
}
