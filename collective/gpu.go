package collective

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nccl"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// library is the transport of GPUs: NCCL or RCCL. All its calls hold mu, so that nobody uses the communicator
// while it is freed.
type library struct {
	c      *Comm
	lib    *nccl.Library
	vendor string
	gpu    device.Accessible
	stop   func() bool             // stops watching the context; as context.AfterFunc returns it
	cancel context.CancelCauseFunc // ends giveUp, so that a call which waits gives way
	end    chan struct{}

	mu      sync.Mutex
	comm    *nccl.Comm // nil when it is freed
	grouped bool       // a group is open, of the goroutine that holds groups
	failed  error
	giveUp  context.Context // ends waiting
	timeout time.Duration   // of close

	groups sync.Mutex
}

// load opens the library of a device.
func load(dev *run.Device) (*nccl.Library, error) {
	if core.Traits(dev).Collectives == "rccl" {
		return nccl.LoadRCCL()
	}
	return nccl.Load()
}

// newLibraryID returns an ID.
func newLibraryID(dev *run.Device) ([]byte, error) {
	lib, err := load(dev)
	if err != nil {
		return nil, fmt.Errorf("collective: %w", err)
	}
	var id nccl.ID
	err = core.BackendOf(dev).(device.Accessible).Current(func() (err error) {
		id, err = lib.NewID()
		return err
	})
	return id[:], err
}

// openLibrary opens a rank. The context's end is the communicator's; limit bounds the opening.
func openLibrary(ctx, limit context.Context, c *Comm, cfg *Config) (transport, error) {
	lib, err := load(c.dev)
	if err != nil {
		return nil, fmt.Errorf("collective: %w", err)
	}
	if len(cfg.ID) == 0 {
		if cfg.ID, err = newLibraryID(c.dev); err != nil {
			return nil, err
		}
	}
	var id nccl.ID
	if copy(id[:], cfg.ID) != len(cfg.ID) || len(cfg.ID) != len(id) {
		return nil, fmt.Errorf("collective: an ID of %d bytes, not %d: NewID makes one for this kind of device",
			len(cfg.ID), len(id))
	}
	t := &library{c: c, lib: lib, vendor: core.Traits(c.dev).Collectives,
		gpu: core.BackendOf(c.dev).(device.Accessible), giveUp: limit, timeout: cfg.Timeout,
		end: make(chan struct{})}
	var own context.Context
	own, t.cancel = context.WithCancelCause(ctx)
	t.mu.Lock()
	err = t.gpu.Current(func() (err error) {
		if t.comm, err = lib.Init(cfg.Size, cfg.Rank, id, cfg.Blocking); err != nil {
			return err
		}
		return t.wait()
	})
	t.giveUp = own
	t.mu.Unlock()
	if err != nil {
		t.abort(err)
		return nil, fmt.Errorf("collective: rank %d of %d: %w", cfg.Rank, cfg.Size, err)
	}
	t.stop = context.AfterFunc(ctx, func() { t.abort(context.Cause(ctx)) })
	go t.watch()
	return t, nil
}

func (t *library) name() string { return t.vendor }

// wait waits until the last call is done. The caller holds mu and is on a thread of the GPU.
func (t *library) wait() error {
	for try := 0; ; try++ {
		done, err := t.comm.Poll()
		if err != nil || done {
			return err
		}
		if err := t.giveUp.Err(); err != nil {
			return fmt.Errorf("while it waited for other ranks: %w", context.Cause(t.giveUp))
		}
		if try > 100 {
			time.Sleep(50 * time.Microsecond)
		}
	}
}

// watchEvery is how often the communicator is asked for errors of operations that are queued.
const watchEvery = 100 * time.Millisecond

// watch aborts the communicator when NCCL reports an error: what is queued would never end.
func (t *library) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.end:
			return
		case <-tick.C:
		}
		t.mu.Lock()
		if t.comm == nil {
			t.mu.Unlock()
			return
		}
		_, err := t.comm.Poll()
		if err != nil {
			t.fail(err)
		}
		t.mu.Unlock()
	}
}

// fail frees the communicator and ends its operations. The caller holds mu.
func (t *library) fail(err error) {
	if t.failed == nil {
		t.failed = fmt.Errorf("collective: the communicator has ended: %w", err)
	}
	if t.comm == nil {
		return
	}
	comm := t.comm
	t.comm = nil
	_ = t.gpu.Current(comm.Abort)
}

func (t *library) abort(err error) {
	t.cancel(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fail(err)
}

func (t *library) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// group queues the operations that f calls as one. NCCL's groups belong to a thread, on which f stays.
func (t *library) group(f func() error) error {
	if t.inGroup() {
		return errNested
	}
	t.groups.Lock()
	defer t.groups.Unlock()
	return t.gpu.Current(func() error {
		if err := t.guarded(t.lib.GroupStart); err != nil {
			return err
		}
		t.setGrouped(true)
		err := f()
		t.setGrouped(false)
		return errors.Join(err, t.guarded(func() error {
			if err := t.lib.GroupEnd(); err != nil {
				return err
			}
			return t.wait()
		}))
	})
}

func (t *library) setGrouped(to bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grouped = to
}

func (t *library) inGroup() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.grouped
}

// guarded makes a call while the communicator works. A call that fails ends it: ranks no longer agree on
// what was called.
func (t *library) guarded(call func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.comm == nil {
		if t.failed == nil {
			return errClosed
		}
		return t.failed
	}
	err := call()
	if err != nil {
		t.fail(err)
	}
	return err
}

// run queues an operation on a stream.
func (t *library) run(s *run.Stream, o *operation) error {
	q, ok := core.QueueOf(s).(device.Handled)
	if !ok {
		return fmt.Errorf("collective: %s: the stream is of %s, which has no handles", o.kind, s.Device())
	}
	dt, n, err := t.elements(o)
	if err != nil {
		return fmt.Errorf("collective: %s: %w", o.kind, err)
	}
	defer q.Calls().Begin().End() // from here on nothing that is open is destroyed
	for _, tensor := range []*run.Tensor{o.dst, o.src} {
		if tensor == nil {
			continue
		}
		if err := tensor.Err(); err != nil {
			return err
		}
	}
	handle, err := q.Handle()
	if err != nil {
		return err
	}
	if core.CapturedBy(s, nil) {
		core.CapturedBy(s, t.c.hold())
	}
	return t.gpu.Current(func() error {
		return t.guarded(func() error {
			if err := t.call(o, dt, n, handle); err != nil || t.grouped {
				return err
			}
			return t.wait()
		})
	})
}

// call calls the library.
func (t *library) call(o *operation, dt nccl.DataType, n int, stream uintptr) error {
	var src, dst uint64
	if o.src != nil {
		src = o.src.Addr()
	}
	if o.dst != nil {
		dst = o.dst.Addr()
	}
	op := reductions[o.op]
	if t.c.size == 1 {
		op = nccl.Sum // all are the same; NCCL before 2.29.7 leaves out the last elements of averages
	}
	switch o.kind {
	case allReduce:
		return t.comm.AllReduce(src, dst, n, dt, op, stream)
	case reduce:
		return t.comm.Reduce(src, dst, n, dt, op, o.peer, stream)
	case reduceScatter:
		return t.comm.ReduceScatter(src, dst, n, dt, op, stream)
	case allGather:
		return t.comm.AllGather(src, dst, n, dt, stream)
	case broadcast:
		return t.comm.Broadcast(src, dst, n, dt, o.peer, stream)
	case send:
		return t.comm.Send(src, n, dt, o.peer, stream)
	default:
		return t.comm.Recv(dst, n, dt, o.peer, stream)
	}
}

var reductions = map[Op]nccl.Op{Sum: nccl.Sum, Prod: nccl.Prod, Min: nccl.Min, Max: nccl.Max, Avg: nccl.Avg}

// dataTypes are the types that NCCL has, and Bool, whose bytes are 0 and 1.
var dataTypes = map[run.DType]nccl.DataType{
	run.Int8: nccl.Int8, run.Uint8: nccl.Uint8, run.Bool: nccl.Uint8, run.Int32: nccl.Int32,
	run.Uint32: nccl.Uint32, run.Int64: nccl.Int64, run.Uint64: nccl.Uint64, run.Float16: nccl.Float16,
	run.BFloat16: nccl.BFloat16, run.Float32: nccl.Float32, run.Float64: nccl.Float64,
	run.Float8E4NV: nccl.Float8E4M3, run.Float8E5: nccl.Float8E5M2,
}

// firstFloat8 is the version of NCCL that has floats of 8 bits.
const firstFloat8 = 22400

// elements returns the type and number of an operation's elements for the library. What is only moved may be
// of any type: as bytes if the library does not have it.
func (t *library) elements(o *operation) (nccl.DataType, int, error) {
	dt, ok := dataTypes[o.dt]
	if small := dt == nccl.Float8E4M3 || dt == nccl.Float8E5M2; small &&
		(t.vendor == "rccl" || t.lib.Version() < firstFloat8) {
		ok = false // RCCL's are other formats on some chips
	}
	switch {
	case ok:
		return dt, o.n, nil
	case o.kind.reduces():
		return 0, 0, fmt.Errorf("%s %d has no reductions of %s: cast the tensor first", t.vendor,
			t.lib.Version(), o.dt)
	}
	return nccl.Uint8, o.n * o.dt.Size(), nil
}

// close ends the communicator when its operations are done.
func (t *library) close() error {
	close(t.end)
	t.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.cancel(errClosed)
	if t.comm == nil {
		return nil
	}
	if t.giveUp.Err() != nil {
		t.fail(context.Cause(t.giveUp))
		return nil
	}
	comm := t.comm
	limit, done := context.WithTimeout(t.giveUp, t.timeout)
	defer done()
	t.giveUp = limit
	return t.gpu.Current(func() error {
		err := comm.Finalize()
		if err == nil {
			err = t.wait()
		}
		t.comm = nil
		if err != nil {
			return errors.Join(err, comm.Abort())
		}
		return comm.Destroy()
	})
}
