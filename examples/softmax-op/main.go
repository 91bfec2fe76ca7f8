// Command softmax-op computes softmax with kernels that were compiled ahead of time, and picks among them by
// measurement: on a GPU and on the CPU, without a compiler.
//
//	main.go     flags, a computation, the table of all candidates
//	softmax.go  Softmax(x): the op, its parameters, its candidates
//	softmax.py  the kernel and the table of its variants; group_norm.py is a larger table
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/run"
)

//go:generate go -C ../.. run ./cmd/nereid aot examples/softmax-op/softmax.py -o examples/softmax-op/softmax.nrb --targets cuda:90,cpu

type options struct {
	bundle, device, store string
	rows, cols            int
	sweep, overhead       bool
	rep                   time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.bundle, "bundle", "softmax.nrb", "bundle of the kernels: go generate makes it")
	flag.StringVar(&o.device, "device", "", "cuda, cpu (default: the best that is here)")
	flag.StringVar(&o.store, "store", "tuned.json", "file of the results of tunings")
	flag.IntVar(&o.rows, "rows", 4096, "rows of the input")
	flag.IntVar(&o.cols, "cols", 1000, "columns of the input")
	flag.BoolVar(&o.sweep, "sweep", false,
		"measure every candidate for 12 shapes and 2 types, and what the op picks")
	flag.BoolVar(&o.overhead, "overhead", false,
		"measure what a tuned call costs the host over a direct launch")
	flag.DurationVar(&o.rep, "rep", 0, "how long to measure each candidate (default 100ms)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compute(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "softmax-op:", err)
		os.Exit(1)
	}
}

func compute(ctx context.Context, o options, out io.Writer) error {
	b, err := bundle.Open(o.bundle)
	if err != nil {
		return fmt.Errorf("%w (`go generate` makes the bundle)", err)
	}
	defer b.Close()
	dev, err := bundle.Device(o.device)
	if err != nil {
		return err
	}
	store, err := run.OpenTuneStore(run.TuneStoreOptions{File: o.store})
	if err != nil {
		return err
	}
	defer store.Close()
	op, err := newSoftmax(b, store, o.rep)
	if err != nil {
		return err
	}
	s, err := dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if o.sweep {
		return sweep(op, s, o.rows, out)
	}
	if o.overhead {
		limit := 2 * time.Second
		if o.rep > 0 {
			limit = 20 * o.rep
		}
		return overhead(b, op, s, limit, out)
	}
	return once(op, s, o.rows, o.cols, out)
}

// overhead compares the host's time for a tuned call, for Softmax, which checks its arguments as well, and
// for a direct launch of the variant that they run, by the least times of many batches.
func overhead(b *bundle.Bundle, op *softmax, s *run.Stream, limit time.Duration, out io.Writer) error {
	const width = 1024
	x, y, err := tensors(s.Device(), run.Float32, 1, width)
	if err != nil {
		return err
	}
	defer x.Close()
	defer y.Close()
	p := params{y, x, 1, width}
	name, err := op.ops[x.DType].Picked(s, p)
	if err != nil {
		return err
	}
	v, err := b.Lookup(name)
	if err != nil {
		return err
	}
	args := []any{y, x, width, width, width}
	tuned := op.ops[x.DType]
	calls := []func() error{
		func() error { return tuned.Call(s, p) },
		func() error { return op.Softmax(s, y, x) },
		func() error { return v.Launch(s, run.Grid{1}, args...) },
	}
	least := []time.Duration{time.Hour, time.Hour, time.Hour}
	const batch = 100
	runs, mallocs := 0, uint64(0)
	var before, after runtime.MemStats
	for end := time.Now().Add(limit); time.Now().Before(end); runs += len(calls) * batch {
		for i, call := range calls {
			runtime.ReadMemStats(&before)
			begin := time.Now()
			for range batch {
				if err := call(); err != nil {
					return err
				}
			}
			least[i] = min(least[i], time.Since(begin)/batch)
			runtime.ReadMemStats(&after)
			mallocs += after.Mallocs - before.Mallocs
			if err := s.Sync(); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintf(out,
		"a tuned call takes %v, Softmax %v, a direct launch %v; %.3f allocations for each\n", least[0],
		least[1], least[2], float64(mallocs)/float64(runs))
	return err
}

// once computes one softmax of each type and says which candidate the op picked.
func once(op *softmax, s *run.Stream, rows, cols int, out io.Writer) error {
	for _, dt := range types {
		x, y, err := tensors(s.Device(), dt, rows, cols)
		if err != nil {
			return err
		}
		begin := time.Now()
		if err := op.Softmax(s, y, x); err != nil {
			return err
		}
		if err := s.Sync(); err != nil {
			return err
		}
		took := time.Since(begin)
		name, err := op.ops[dt].Picked(s, params{y, x, rows, cols})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %dx%d on %s: %s, first call %v\n", dt, rows, cols, s.Device(), name, took)
		x.Close()
		y.Close()
	}
	return nil
}

// tensors returns an input and an output on a device.
func tensors(dev *run.Device, dt run.DType, rows, cols int) (x, y *run.Tensor, err error) {
	if x, err = run.NewTensor(dev, dt, rows, cols); err != nil {
		return nil, nil, err
	}
	data := make([]float32, rows*cols)
	for i := range data {
		data[i] = float32((i*7919)%1000)/250 - 2
	}
	if err = run.CopyFrom(x, data); err == nil {
		y, err = run.NewTensor(dev, dt, rows, cols)
	}
	if err != nil {
		x.Close()
		return nil, nil, err
	}
	return x, y, nil
}

// widths are the columns of the twelve shapes.
var widths = []int{64, 256, 781, 1024, 1500, 2048, 3000, 4096, 6000, 8192, 12000, 16384}

// sweep measures every candidate for the shapes and types, and compares the op's pick with the fastest.
func sweep(op *softmax, s *run.Stream, rows int, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "softmax on %s, %d rows\n", s.Device().Info(), rows)
	fmt.Fprintln(w, "type\tcols\tpick\ttime\tGB/s\tbest\ttime\tpick/best\tothers")
	worst := 1.0
	for _, dt := range types {
		for _, cols := range widths {
			ratio, err := line(op, s, dt, rows, cols, w)
			if err != nil {
				return fmt.Errorf("%s %dx%d: %w", dt, rows, cols, err)
			}
			worst = max(worst, ratio)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d lines; the pick takes at most %.3f times as long as the best\n",
		len(types)*len(widths), worst)
	return err
}

// line measures one shape of one type. It returns the time of the pick divided by the best time.
func line(op *softmax, s *run.Stream, dt run.DType, rows, cols int, w io.Writer) (float64, error) {
	x, y, err := tensors(s.Device(), dt, rows, cols)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	defer y.Close()
	list, err := op.ops[dt].Explore(s, params{y, x, rows, cols}) // tunes first
	if err != nil {
		return 0, err
	}
	pick, best := list[0], list[0]
	var others []string
	for _, r := range list {
		if r.Failed != "" {
			continue
		}
		if r.Median < best.Median {
			best = r
		}
		if !r.Picked {
			others = append(others, fmt.Sprintf("%s %v", short(r.Candidate), r.Median))
		}
	}
	ratio := float64(pick.Median) / float64(best.Median)
	rate := float64(2*rows*cols*dt.Size()) / pick.Median.Seconds() / 1e9
	fmt.Fprintf(w, "%s\t%d\t%s\t%v\t%.0f\t%s\t%v\t%.3f\t%s\n", dt, cols, short(pick.Candidate), pick.Median,
		rate, short(best.Candidate), best.Median, ratio, strings.Join(others, ", "))
	return ratio, nil
}

// short returns the block size of a variant: that is what tells candidates apart.
func short(name string) string { return name[strings.LastIndexByte(name, '_')+1:] }
