package memfuzz

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options says how many kernels to run, and where.
type Options struct {
	Seed    uint64
	Values  bool   // kernels compute more than they move: gen_values.go
	First   uint64 // the first kernel
	Count   int
	Workers int
	Time    time.Duration // ends the run early; 0 for no limit
	Devices []string      // "sim" stands for sim:90 and sim:80 in turn
	Shrink  int           // how many smaller kernels to try for one that differs
	Stop    int           // ends the run after that many findings; 0 for never

	Begin  func(i uint64) // is called before each kernel, from any goroutine; may be nil
	Report func(*Finding) // is called for each difference, by one goroutine at a time
}

// Finding is a kernel that differs.
type Finding struct {
	Seed, Index uint64
	Diff        *Diff
	Kernel      *Kernel // as small as it was made
}

func (f *Finding) String() string {
	return fmt.Sprintf("# seed %d, kernel %d: %s\n%s", f.Seed, f.Index,
		strings.ReplaceAll(f.Diff.String(), "\n", "\n# "), f.Kernel.Case().File())
}

// fuzzer runs kernels on all its workers.
type fuzzer struct {
	Options
	judge   *Judge
	devices [][]*Device // each runs on one of its list, in turn
	next    atomic.Uint64
	ran     atomic.Int64
	mu      sync.Mutex
	found   []*Finding
	err     error
	cancel  context.CancelFunc
}

// Run runs random kernels and returns how many, and those that differ. The error tells of a kernel that the
// interpreter refuses, which is a fault of the generator.
func Run(ctx context.Context, o Options) (ran int, found []*Finding, err error) {
	f := &fuzzer{Options: o}
	if f.judge, err = NewJudge(); err != nil {
		return 0, nil, err
	}
	if f.devices, err = openAll(o.Devices); err != nil {
		return 0, nil, err
	}
	ctx, f.cancel = context.WithCancel(ctx)
	if o.Time > 0 {
		ctx, f.cancel = context.WithTimeout(ctx, o.Time)
	}
	defer f.cancel()
	var wg sync.WaitGroup
	for range max(1, o.Workers) {
		wg.Go(func() { f.work(ctx) })
	}
	wg.Wait()
	return int(f.ran.Load()), f.found, f.err
}

// groups has the names that stand for several devices, which take turns.
var groups = map[string][]string{"sim": {"sim:90", "sim:80"}}

func openAll(names []string) (out [][]*Device, err error) {
	for _, name := range names {
		var turns []*Device
		list := groups[name]
		if list == nil {
			list = []string{name}
		}
		for _, n := range list {
			d, err := Open(n)
			if err != nil {
				return nil, err
			}
			turns = append(turns, d)
		}
		out = append(out, turns)
	}
	return out, nil
}

func (f *fuzzer) work(ctx context.Context) {
	for ctx.Err() == nil {
		n := f.next.Add(1) - 1
		if n >= uint64(f.Count) {
			return
		}
		f.one(ctx, f.First+n)
	}
}

// one runs kernel i.
func (f *fuzzer) one(ctx context.Context, i uint64) {
	if f.Begin != nil {
		f.Begin(i)
	}
	k := generate(f.Seed, i, f.Values)
	var devices []*Device
	for _, turns := range f.devices {
		devices = append(devices, turns[i%uint64(len(turns))])
	}
	diffs, err := f.judge.Compare(ctx, k.Case(), devices...)
	if ctx.Err() != nil {
		return
	}
	f.ran.Add(1)
	if err != nil {
		f.fail(fmt.Errorf("seed %d, kernel %d: the interpreter refuses it: %w\n%s", f.Seed, i, err,
			k.Case().File()))
	}
	for _, d := range diffs {
		f.report(ctx, i, k, d, devices)
	}
}

func (f *fuzzer) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.cancel()
}

// report makes a kernel that differs smaller and notes it.
func (f *fuzzer) report(ctx context.Context, i uint64, k *Kernel, d *Diff, devices []*Device) {
	var dev *Device
	for _, x := range devices {
		if x.Name == d.Device {
			dev = x
		}
	}
	last := d
	small := Shrink(k, f.Shrink, func(k *Kernel) bool {
		diffs, err := f.judge.Compare(ctx, k.Case(), dev)
		if err != nil || len(diffs) == 0 || (diffs[0].Err == nil) != (d.Err == nil) {
			return false
		}
		last = diffs[0]
		return true
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	found := &Finding{f.Seed, i, last, small}
	f.found = append(f.found, found)
	if f.Report != nil {
		f.Report(found)
	}
	if f.Stop > 0 && len(f.found) >= f.Stop {
		f.cancel()
	}
}
