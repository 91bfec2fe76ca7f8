package collective_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/run"
)

// types are all types of elements.
var types = []run.DType{run.Bool, run.Int8, run.Int16, run.Int32, run.Int64, run.Uint8, run.Uint16,
	run.Uint32, run.Uint64, run.Float16, run.BFloat16, run.Float32, run.Float64, run.Float8E4NV, run.Float8E5,
	run.Float8E4B8, run.Float8E5B16, run.Float8E4B15}

var reductions = []collective.Op{collective.Sum, collective.Prod, collective.Min, collective.Max,
	collective.Avg}

// host returns the device cpu.
func host(t testing.TB) *run.Device {
	t.Helper()
	return txtest.Device(t, "cpu", run.OpenDevice)
}

// rank is what one goroutine of a test has.
type rank struct {
	*collective.Comm
	s     *run.Stream
	place *run.Device // of its tensors; nil for the host
}

func rankOf(c *collective.Comm, s *run.Stream) rank { return rank{c, s, nil} }

// filled returns a tensor with the values of a rank, at the place of this rank's tensors.
func (r rank) filled(dt run.DType, of, from, n int) *run.Tensor {
	return r.placed(filled(dt, of, from, n))
}

// empty returns a tensor of zeros.
func (r rank) empty(dt run.DType, n int) *run.Tensor {
	return r.placed(run.FromBytes(dt, make([]byte, n*dt.Size()), n))
}

func (r rank) placed(t *run.Tensor) *run.Tensor {
	if r.place == nil {
		return t
	}
	t, err := t.To(r.place)
	if err != nil {
		panic(err)
	}
	return t
}

// ranks runs f for each rank of a communicator, in goroutines, and returns their errors.
func ranks(t testing.TB, n int, f func(r rank) error) []error {
	t.Helper()
	dev := host(t)
	list := make([]*run.Device, n)
	for i := range list {
		list[i] = dev
	}
	comms, err := collective.Local(t.Context(), list...)
	if err != nil {
		t.Fatal(err)
	}
	return together(comms, dev, nil, f)
}

// together runs f for each of some ranks on a device, in goroutines, and returns their errors.
func together(comms []*collective.Comm, dev, place *run.Device, f func(r rank) error) []error {
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Go(func() {
			s, err := dev.NewStream(context.Background())
			if err == nil {
				err = f(rank{c, s, place})
			}
			errs[i] = errors.Join(err, c.Close())
		})
	}
	wg.Wait()
	return errs
}

// all fails the test if a rank has an error.
func all(t *testing.T, errs []error) {
	t.Helper()
	for i, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", i, err)
		}
	}
}

// value returns element i of a rank, which all types hold, with the sum of four.
func value(r, i int) float64 { return float64((i+r)%3 + r%2) }

// filled returns a tensor with the values of a rank from an element on.
func filled(dt run.DType, r, from, n int) *run.Tensor {
	t := run.FromBytes(dt, make([]byte, n*dt.Size()), n)
	put(t, func(i int) float64 { return value(r, from+i) })
	return t
}

// put sets all elements.
func put(t *run.Tensor, f func(i int) float64) {
	v := make([]float64, t.Len())
	for i := range v {
		v[i] = f(i)
		if t.DType == run.Bool {
			v[i] = min(v[i], 1)
		}
	}
	if err := run.CopyFrom(t, v); err != nil {
		panic(err)
	}
}

// same returns an error if an element differs from what f says, rounded to the type.
func same(t *run.Tensor, f func(i int) float64) error {
	got := make([]float64, t.Len())
	if err := run.CopyTo(got, t); err != nil {
		return err
	}
	for i, v := range got {
		want := t.DType.Decode(t.DType.Encode(f(i)))
		if t.DType == run.Bool {
			want = min(f(i), 1)
		}
		if v != want {
			return fmt.Errorf("%s: element %d of %d is %v, not %v", t.DType, i, len(got), v, want)
		}
	}
	return nil
}

// reduced returns what a reduction gives for an element.
func reduced(dt run.DType, op collective.Op, n, i int) float64 {
	acc := math.NaN()
	for r := range n {
		v := value(r, i)
		if dt == run.Bool {
			v = min(v, 1)
		}
		switch {
		case r == 0:
			acc = v
		case op == collective.Prod:
			acc *= v
		case op == collective.Min:
			acc = min(acc, v)
		case op == collective.Max:
			acc = max(acc, v)
		default:
			acc += v
		}
	}
	if op == collective.Avg {
		acc /= float64(n)
		if !dt.IsFloat() {
			acc = math.Trunc(acc)
		}
	}
	return acc
}

// TestOperations runs every operation on every type with 1 to 4 ranks, on few elements and on many.
func TestOperations(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4} {
		all(t, ranks(t, n, func(r rank) error {
			for _, dt := range types {
				counts := []int{0, 1, 37}
				if dt == run.Float32 || dt == run.BFloat16 || dt == run.Int8 {
					counts = append(counts, 33001/dt.Size()) // more than is sent to all ranks at once
				}
				for _, count := range counts {
					if err := everything(r, dt, count); err != nil {
						return fmt.Errorf("%d elements: %w", count, err)
					}
				}
			}
			return nil
		}))
	}
}

// everything runs all operations on a type.
func everything(r rank, dt run.DType, n int) error {
	for _, op := range reductions {
		if dt == run.Bool && (op == collective.Sum || op == collective.Avg) ||
			dt == run.Float8E4B15 && op != collective.Min && op != collective.Max {
			continue // there are no sums of bools, and 1.875 is the largest number of the other type
		}
		want := func(i int) float64 { return reduced(dt, op, r.Size(), i) }
		x := r.filled(dt, r.Rank(), 0, n)
		y := r.empty(dt, n)
		whole := r.filled(dt, r.Rank(), 0, n*r.Size())
		part := r.empty(dt, n)
		root := n % r.Size()
		err := errors.Join(r.AllReduce(r.s, y, x, op), same(y, want),
			same(x, func(i int) float64 { return value(r.Rank(), i) }),
			r.ReduceScatter(r.s, part, whole, op),
			same(part, func(i int) float64 { return want(r.Rank()*n + i) }),
			r.Reduce(r.s, y, x, op, root),
			r.AllReduce(r.s, x, x, op), same(x, want),
			same(y, want)) // that of other ranks than the root is as it was
		if err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
	}
	return moves(r, dt, n)
}

// moves runs the operations that do not compute.
func moves(r rank, dt run.DType, n int) error {
	x, root := r.filled(dt, r.Rank(), 0, n), r.Size()-1
	whole := r.empty(dt, n*r.Size())
	gathered := func(i int) float64 { return value(i/max(n, 1), i%max(n, 1)) }
	err := errors.Join(r.AllGather(r.s, whole, x), same(whole, gathered))
	whole = r.empty(dt, n*r.Size())
	mine := whole.Slice(0, r.Rank()*n, (r.Rank()+1)*n, 1)
	put(mine, func(i int) float64 { return value(r.Rank(), i) })
	err = errors.Join(err, r.AllGather(r.s, whole, mine), same(whole, gathered),
		r.Broadcast(r.s, x, root), same(x, func(i int) float64 { return value(root, i) }))
	if r.Size() == 1 || err != nil {
		return err
	}
	// Around a ring: all send before they receive, which only a group can do with many elements.
	next, before := (r.Rank()+1)%r.Size(), (r.Rank()+r.Size()-1)%r.Size()
	put(x, func(i int) float64 { return value(r.Rank(), i) })
	y := r.empty(dt, n)
	return errors.Join(r.Group(func() error {
		return errors.Join(r.Receive(r.s, y, before), r.AllReduce(r.s, mine, mine, collective.Max),
			r.Send(r.s, x, next))
	}), same(y, func(i int) float64 { return value(before, i) }))
}

// TestGroups: what a group sends to one rank arrives in the order of the calls. A group, or Close, within a
// group is an error, and one whose function panics leaves nothing behind.
func TestGroups(t *testing.T) {
	all(t, ranks(t, 2, func(r rank) error {
		list := make([]*run.Tensor, 8)
		for range 10 {
			err := r.Group(func() (err error) {
				for i := range list {
					list[i] = r.filled(run.Float32, i, 0, 1000)
					if r.Rank() == 0 {
						err = errors.Join(err, r.Send(r.s, list[i], 1))
						continue
					}
					list[i] = r.empty(run.Float32, 1000)
					err = errors.Join(err, r.Receive(r.s, list[i], 0))
				}
				return err
			})
			for i, x := range list {
				err = errors.Join(err, same(x, func(j int) float64 { return value(i, j) }))
			}
			if err != nil {
				return err
			}
		}
		var inner, closing error
		func() {
			defer func() { _ = recover() }()
			_ = r.Group(func() error {
				inner = r.Group(func() error { return nil })
				closing = r.Close()
				panic("enough")
			})
		}()
		if closing == nil || !strings.Contains(closing.Error(), "close it when Group has returned") {
			return fmt.Errorf("closing within a group: %v", closing)
		}
		if inner == nil || !strings.Contains(inner.Error(), "group within a group") {
			return fmt.Errorf("a group within a group: %v", inner)
		}
		return errors.Join(r.AllReduce(r.s, list[0], list[0], collective.Max),
			same(list[0], func(j int) float64 { return value(0, j) }))
	}))
}

// TestOrder: results have the bits of a reduction in the order of the ranks, whatever the number of elements.
func TestOrder(t *testing.T) {
	terms := []float32{1e8, 1, -1e8, 0.5} // other orders give other sums
	want := ((terms[0] + terms[1]) + terms[2]) + terms[3]
	all(t, ranks(t, 4, func(r rank) error {
		for _, n := range []int{3, 8192, 8193, 300001} {
			x := run.FromSlice(make([]float32, n))
			put(x, func(int) float64 { return float64(terms[r.Rank()]) })
			err := errors.Join(r.AllReduce(r.s, x, x, collective.Sum),
				same(x, func(int) float64 { return float64(want) }))
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestDisagreement: ranks that call different operations get an error that names both.
func TestDisagreement(t *testing.T) {
	errs := ranks(t, 2, func(r rank) error {
		x := run.FromSlice(make([]float32, 4+r.Rank()))
		return r.AllReduce(r.s, x, x, collective.Sum)
	})
	text := fmt.Sprint(errs)
	for _, want := range []string{"AllReduce (sum) of 4 fp32", "AllReduce (sum) of 5 fp32"} {
		if errs[0] == nil || errs[1] == nil || !strings.Contains(text, want) {
			t.Errorf("no %q in %v", want, text)
		}
	}
	errs = ranks(t, 3, func(r rank) error {
		x := run.FromSlice(make([]float32, 4))
		if r.Rank() == 1 {
			return r.Broadcast(r.s, x, 1)
		}
		return r.AllReduce(r.s, x, x, collective.Sum)
	})
	for i, err := range errs {
		var e *collective.RankError
		if i != 1 && !errors.As(err, &e) { // the root of a broadcast waits for nobody
			t.Errorf("rank %d: %v", i, err)
		}
	}
}

// TestLeaving: a rank that closes, aborts, or whose context ends, ends the operations of the others.
func TestLeaving(t *testing.T) {
	for name, leave := range map[string]func(r rank) error{
		"close": func(r rank) error { return r.Close() },
		"abort": func(r rank) error { r.Abort(); return nil },
		"context": func(r rank) error {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			s, err := r.Device().NewStream(ctx)
			if err != nil {
				return err
			}
			x := run.FromSlice(make([]float32, 4))
			if err := r.Receive(s, x, 1); !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("a receive without a sender: %v", err)
			}
			return nil
		},
		"context of a group": func(r rank) error {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			s, err := r.Device().NewStream(ctx)
			if err != nil {
				return err
			}
			x := run.FromSlice(make([]float32, 8<<20)) // more than a connection holds
			err = r.Group(func() error { return r.Send(s, x, 1) })
			if !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("a send without a receiver: %v", err)
			}
			return nil
		},
	} {
		begin := time.Now()
		errs := ranks(t, 3, func(r rank) error {
			if r.Rank() == 2 {
				return leave(r)
			}
			x := run.FromSlice(make([]float32, 100000))
			return r.AllReduce(r.s, x, x, collective.Sum)
		})
		var e *collective.RankError
		if errs[2] != nil || !errors.As(errs[0], &e) || !errors.As(errs[1], &e) ||
			time.Since(begin) > 20*time.Second {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// TestClosed: what is done with a communicator after Close, or after an error.
func TestClosed(t *testing.T) {
	all(t, ranks(t, 2, func(r rank) error {
		x := run.FromSlice(make([]float32, 1))
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			return err
		}
		if err := r.AllReduce(r.s, x, x, collective.Sum); !errors.Is(err, run.ErrClosed) {
			return fmt.Errorf("after Close: %v", err)
		}
		if err := r.Group(func() error { return nil }); !errors.Is(err, run.ErrClosed) {
			return fmt.Errorf("a group after Close: %v", err)
		}
		return nil
	}))
	errs := ranks(t, 2, func(r rank) error {
		r.Abort()
		return r.Err()
	})
	if errs[0] == nil || errs[1] == nil {
		t.Errorf("after Abort: %v", errs)
	}
}

// TestArguments: wrong arguments are errors that name the operation and the argument, and end nothing.
func TestArguments(t *testing.T) {
	all(t, ranks(t, 2, func(r rank) error {
		x, y := run.FromSlice(make([]float32, 4)), run.FromSlice(make([]float32, 6))
		ints := run.FromSlice(make([]int32, 4))
		flags := run.FromSlice(make([]bool, 4))
		columns := run.FromSlice(make([]float32, 16), 4, 4).Slice(1, 0, 1, 1)
		for _, c := range []struct {
			err  error
			want string
		}{
			{r.AllReduce(r.s, y, x, collective.Sum), "AllReduce: dst has 6 elements and src 4"},
			{r.AllReduce(r.s, ints, x, collective.Sum), "dst is of i32, src of fp32"},
			{r.AllReduce(r.s, x, nil, collective.Sum), "src: nereid: the tensor is nil"},
			{r.AllReduce(r.s, columns, columns, collective.Sum), "contiguous"},
			{r.AllReduce(r.s, x, x, 9), "unknown reduction Op(9)"},
			{r.AllReduce(r.s, flags, flags, collective.Sum), "no sum of i1"},
			{r.AllReduce(nil, x, x, collective.Sum), "no stream"},
			{r.AllGather(r.s, x, x), "AllGather: dst has 4 elements and src 4, for 2 ranks"},
			{r.ReduceScatter(r.s, x, x, collective.Sum), "ReduceScatter: dst has 4"},
			{r.Broadcast(r.s, x, 2), "there is no rank 2"},
			{r.Send(r.s, x, r.Rank()), "is this rank"},
			{r.Receive(r.s, x, -1), "there is no rank -1"},
		} {
			if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
				return fmt.Errorf("%v, want %q", c.err, c.want)
			}
		}
		return errors.Join(r.Err(), r.AllReduce(r.s, x, x, collective.Sum))
	}))
}

// TestSimulated: tensors in memory that the host has no access to are moved too, here between ranks on a
// simulated GPU.
func TestSimulated(t *testing.T) {
	dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
	comms, err := collective.Local(t.Context(), dev, dev)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, c := range comms {
		wg.Go(func() {
			s, err := dev.NewStream(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			x := onDevice(dev, run.BFloat16, c.Rank(), 100)
			y := onDevice(dev, run.BFloat16, 0, 200)
			if err := errors.Join(c.AllGather(s, y, x),
				same(y, func(i int) float64 { return value(i/100, i%100) }),
				c.AllReduce(s, x, x, collective.Sum),
				same(x, func(i int) float64 { return reduced(run.BFloat16, collective.Sum, 2, i) }),
				x.Close(), y.Close(), c.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestEndlessPatience: without a limit, a connection lasts longer than the 5 seconds that strangers have to
// say who they are.
func TestEndlessPatience(t *testing.T) {
	t.Parallel()
	dev := host(t)
	comms := pair(t, dev, collective.Config{Patience: -1})
	all(t, together(comms, dev, nil, func(r rank) error {
		time.Sleep(5200 * time.Millisecond)
		return everything(r, run.Float32, 3)
	}))
}

// pair opens two ranks on a device.
func pair(t *testing.T, dev *run.Device, cfg collective.Config) []*collective.Comm {
	t.Helper()
	id, err := collective.NewID(dev, cfg)
	if err != nil {
		t.Fatal(err)
	}
	comms, errs := make([]*collective.Comm, 2), make([]error, 2)
	var opened sync.WaitGroup
	for i := range comms {
		of := cfg
		of.Rank, of.Size, of.ID = i, len(comms), id
		opened.Go(func() { comms[i], errs[i] = collective.Open(t.Context(), dev, of) })
	}
	opened.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return comms
}
