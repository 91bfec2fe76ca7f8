package gcnsim

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/interleave"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// Launch is a launch of a kernel.
type Launch struct {
	Kernel  string
	Grid    [3]int // workgroups
	Threads int    // threads of a workgroup, all in its first dimension
	LDS     int    // bytes in all; at least what the kernel declares
	Args    []uint64
	Memory  *Memory

	Steps   int   // instructions of a wave at most; 0 stands for maxSteps
	Order   Order // schedule of waves and of other choices that the hardware leaves open
	NoRaces bool  // do not look for races
	// NoGlobal says not to look for races on global memory. Where waves hold copies of data, Triton's code
	// has all of them load what one of them stores in place; the copies are not used.
	NoGlobal bool
	NoUndef  bool // do not look for values that nothing wrote
	Count    *Counts
	Explored func(interleave.Result) // told about each workgroup whose interleavings were visited
	// Counts, if not nil, is told at the end what each instruction did, and Chart what the waves of the first
	// workgroup did one after the other; cut says that they did more than a chart holds.
	Counts func([]simcount.Count)
	Chart  func(marks []simcount.Mark, cut bool)
}

// Counts are statistics of a launch.
type Counts struct {
	Instructions uint64 // instructions executed by waves
	Lanes        uint64 // executions in active lanes, a scalar instruction counts as one
}

const maxSteps = 1 << 28

// Module is a code object made ready to run.
type Module struct {
	Object  *gcn.Object
	kernels map[string]*program
}

// Load makes a code object ready to run.
func Load(hsaco []byte) (*Module, error) { return load(hsaco, false) }

func load(hsaco []byte, ring bool) (*Module, error) {
	o, err := gcn.Read(hsaco)
	if err != nil {
		return nil, err
	}
	set, err := gcn.SetOf(o.Processor)
	if err != nil {
		return nil, err
	}
	m := &Module{Object: o, kernels: map[string]*program{}}
	for _, k := range o.Kernels {
		p, err := newProgram(set, o, k, ring)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		m.kernels[k.Name] = p
	}
	return m, nil
}

// Run runs a kernel of a code object: the whole grid, one workgroup after another.
func Run(ctx context.Context, hsaco []byte, l *Launch) error {
	m, err := Load(hsaco)
	if err != nil {
		return err
	}
	return m.Run(ctx, l)
}

// run is a launch under way.
type run struct {
	*Launch
	ctx      context.Context
	m        *Module
	p        *program
	kernarg  uint64
	packed   []byte
	epoch    uint32 // number of barriers so far, of all workgroups
	lds      *lds
	accesses *shadow // to global memory
	spare    []*transfer
	steps    int
	random   *rand.Rand
	tally    *tally // nil if the launch does not count
}

// Run runs a kernel: the whole grid, one workgroup after another.
func (m *Module) Run(ctx context.Context, l *Launch) error {
	k, err := m.Object.Kernel(l.Kernel)
	if err != nil {
		return err
	}
	if l.Threads <= 0 || l.Threads > 1024 || k.MaxThreads > 0 && l.Threads > k.MaxThreads {
		return fmt.Errorf("gcnsim: %s: %d threads in a workgroup; expected 1 to %d", k.Name, l.Threads,
			max(k.MaxThreads, 1))
	}
	if l.LDS > MaxLDS || k.LDS > MaxLDS {
		return fmt.Errorf("gcnsim: %s: %d bytes of LDS; a workgroup has %d", k.Name,
			max(l.LDS, k.LDS), MaxLDS)
	}
	r := &run{Launch: l, ctx: ctx, m: m, p: m.kernels[l.Kernel], lds: newLDS(max(l.LDS, k.LDS)),
		accesses: newShadow("global address", sameGlobal), random: newRandom(l.Order.Seed),
		steps: maxSteps}
	if l.Steps > 0 {
		r.steps = l.Steps
	}
	r.tally = newTally(r.p, l)
	if r.packed, err = packArgs(k, l); err != nil {
		return err
	}
	r.kernarg = l.Memory.Alloc(r.packed)
	defer l.Memory.Free(r.kernarg)
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				if err := r.group([3]int{x, y, z}); err != nil {
					return err
				}
			}
		}
	}
	if l.Counts != nil {
		l.Counts(r.tally.report(r))
	}
	if l.Chart != nil {
		l.Chart(r.tally.chart.Marks, r.tally.chart.Cut)
	}
	return nil
}

// hidden are arguments that the runtime fills in.
var hidden = map[string]func(*Launch) uint64{
	"hidden_block_count_x": func(l *Launch) uint64 { return uint64(l.Grid[0]) },
	"hidden_block_count_y": func(l *Launch) uint64 { return uint64(l.Grid[1]) },
	"hidden_block_count_z": func(l *Launch) uint64 { return uint64(l.Grid[2]) },
	"hidden_group_size_x":  func(l *Launch) uint64 { return uint64(l.Threads) },
	"hidden_group_size_y":  func(*Launch) uint64 { return 1 },
	"hidden_group_size_z":  func(*Launch) uint64 { return 1 },
	"hidden_grid_dims":     func(*Launch) uint64 { return 3 },
	"hidden_shared_base":   func(*Launch) uint64 { return sharedBase >> 32 },
	"hidden_private_base":  func(*Launch) uint64 { return privateBase >> 32 },
}

// kernargRoom is how far compilers read behind the arguments, whose memory a runtime gives in such blocks.
const kernargRoom = 64

// packArgs writes the arguments as the kernel's metadata say. Arguments that the caller leaves out are 0.
func packArgs(k *gcn.Kernel, l *Launch) ([]byte, error) {
	out := make([]byte, (k.Kernarg+kernargRoom)&^(kernargRoom-1)+kernargRoom)
	at := 0
	for _, a := range k.Args {
		var v uint64
		if f, ok := hidden[a.Kind]; ok {
			v = f(l)
		} else if len(a.Kind) > 7 && a.Kind[:7] == "hidden_" {
			continue
		} else if at < len(l.Args) {
			v = l.Args[at]
			at++
		}
		if a.Offset < 0 || a.Size < 0 || a.Size > 8 || a.Offset+a.Size > len(out) {
			return nil, fmt.Errorf("gcnsim: %s: an argument of %d bytes at %d of %d", k.Name, a.Size,
				a.Offset, len(out))
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(out[a.Offset:], word[:a.Size])
	}
	if at < len(l.Args) {
		return nil, fmt.Errorf("gcnsim: %s takes %d arguments, got %d", k.Name, at, len(l.Args))
	}
	return out, nil
}
