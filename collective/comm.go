package collective

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// Op says how elements of several ranks become one.
type Op uint8

// The reductions.
const (
	Sum Op = iota
	Prod
	Min
	Max
	Avg // the sum divided by the number of ranks; of integers, rounded toward zero
)

// String returns "sum", "prod", "min", "max" or "avg".
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

var opNames = []string{"sum", "prod", "min", "max", "avg"}

// Comm is one rank of a communicator. Operations of several goroutines run one at a time; all ranks must call
// the same operations in the same order.
type Comm struct {
	rank, size int
	dev        *run.Device
	t          transport
	graphs     atomic.Int32 // open graphs with operations of the communicator
	groups     atomic.Int32 // functions that Group has called
	closing    sync.Mutex
	closed     atomic.Bool
}

// transport moves the data of operations between ranks.
type transport interface {
	// name returns what moves the data: "nccl", "sockets".
	name() string
	// run does an operation, or queues it on the stream.
	run(s *run.Stream, o *operation) error
	// group calls f, and does the operations that f calls as one.
	group(f func() error) error
	// err returns the error that has ended the communicator, or nil.
	err() error
	// abort ends all operations with an error.
	abort(err error)
	// close waits for the operations, and frees everything.
	close() error
}

// Rank returns the number of this rank, from 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.size }

// Device returns the device of this rank.
func (c *Comm) Device() *run.Device { return c.dev }

// Transport returns what moves the data: "nccl", "rccl" or "sockets".
func (c *Comm) Transport() string { return c.t.name() }

// AllReduce reduces the elements of src over all ranks, and stores the same results in dst on each. dst may
// be src.
func (c *Comm) AllReduce(s *run.Stream, dst, src *run.Tensor, op Op) error {
	return c.do(s, &operation{kind: allReduce, dst: dst, src: src, op: op})
}

// Reduce reduces the elements of src over all ranks and stores the results in dst of the rank root; other
// ranks may have nil there.
func (c *Comm) Reduce(s *run.Stream, dst, src *run.Tensor, op Op, root int) error {
	return c.do(s, &operation{kind: reduce, dst: dst, src: src, op: op, peer: root})
}

// ReduceScatter reduces the elements of src, of which there are Size times those of dst, over all ranks, and
// stores in dst the results that are this rank's part: rank 0 has the first.
func (c *Comm) ReduceScatter(s *run.Stream, dst, src *run.Tensor, op Op) error {
	return c.do(s, &operation{kind: reduceScatter, dst: dst, src: src, op: op})
}

// AllGather stores the elements of src of all ranks in dst, in the order of the ranks. src may be this rank's
// part of dst.
func (c *Comm) AllGather(s *run.Stream, dst, src *run.Tensor) error {
	return c.do(s, &operation{kind: allGather, dst: dst, src: src})
}

// Broadcast stores the elements of t of the rank root in t of all others.
func (c *Comm) Broadcast(s *run.Stream, t *run.Tensor, root int) error {
	return c.do(s, &operation{kind: broadcast, dst: t, src: t, peer: root})
}

// Send sends the elements of src to another rank, which receives as many of the same type. Outside of a
// Group it may wait for the other rank.
func (c *Comm) Send(s *run.Stream, src *run.Tensor, to int) error {
	return c.do(s, &operation{kind: send, src: src, peer: to})
}

// Receive receives the elements of dst from another rank.
func (c *Comm) Receive(s *run.Stream, dst *run.Tensor, from int) error {
	return c.do(s, &operation{kind: receive, dst: dst, peer: from})
}

// Group calls f, and does the operations of the communicator that f calls as one when f returns: ranks may
// send to each other and receive from each other in any order. f calls them on the goroutine that it runs
// on; their errors may come from Group. If f fails, those that it has called before may be done or not.
func (c *Comm) Group(f func() error) error {
	if err := c.usable(); err != nil {
		return err
	}
	if f == nil {
		return errors.New("collective: the function of the group is nil")
	}
	return c.t.group(func() error {
		c.groups.Add(1)
		defer c.groups.Add(-1)
		return f()
	})
}

// Err returns the error that has ended the communicator: a rank that is gone, a context that has ended, an
// operation that the ranks did not agree on. It is nil while the communicator works.
func (c *Comm) Err() error { return c.t.err() }

// Abort ends the operations under way, here and on the other ranks, with an error. Close comes afterwards.
func (c *Comm) Abort() { c.t.abort(errAborted) }

var (
	errAborted = errors.New("collective: the communicator was aborted")
	errClosed  = fmt.Errorf("collective: the communicator is %w", run.ErrClosed)
)

// Close waits for the operations of this rank and frees the communicator; closing twice is harmless. Graphs
// with operations of it are closed before, and groups have ended.
func (c *Comm) Close() error {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.closed.Load() {
		return nil
	}
	if n := c.graphs.Load(); n > 0 {
		return fmt.Errorf("collective: %d operations of the communicator are in open graphs: close these first", n)
	}
	if c.groups.Load() > 0 {
		return errors.New("collective: the communicator is in a group: close it when Group has returned")
	}
	c.closed.Store(true)
	return c.t.close()
}

func (c *Comm) usable() error {
	switch {
	case c == nil || c.t == nil:
		return errors.New("collective: there is no communicator: Open makes one")
	case c.closed.Load():
		return errClosed
	}
	return c.t.err()
}

// do checks an operation and hands it to the transport.
func (c *Comm) do(s *run.Stream, o *operation) error {
	if err := c.usable(); err != nil {
		return err
	}
	if err := core.Usable(s); err != nil {
		return err
	}
	if err := o.check(c); err != nil {
		return fmt.Errorf("collective: %s: %w", o.kind, err)
	}
	if s.Device() != c.dev {
		return fmt.Errorf("collective: %s: the stream is of %s, the communicator of %s", o.kind, s.Device(),
			c.dev)
	}
	if err := s.Context().Err(); err != nil {
		return err
	}
	return c.t.run(s, o)
}

// hold notes that a graph has operations of the communicator; the result ends it.
func (c *Comm) hold() func() {
	c.graphs.Add(1)
	return func() { c.graphs.Add(-1) }
}
