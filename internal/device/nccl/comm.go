package nccl

import "errors"

// NewID returns an ID for a communicator. The process that calls it takes part in the communicator.
func (l *Library) NewID() (id ID, err error) {
	return id, l.check("ncclGetUniqueId", 0, l.raw.getUniqueID(&id))
}

// Comm is a rank of a communicator.
type Comm struct {
	lib *Library
	ref commRef
}

// Init begins to make a communicator on the calling thread's current GPU. Without blocking, it and all other
// calls return at once, and Poll reports when they are done; with it they return when they are.
func (l *Library) Init(ranks, rank int, id ID, blocking bool) (*Comm, error) {
	c := &Comm{lib: l}
	err := c.check("ncclCommInitRankConfig", l.raw.initRank(&c.ref, ranks, id, rank, newConfig(blocking)))
	if err != nil {
		return nil, err
	}
	if c.ref == 0 {
		return nil, errors.New("ncclCommInitRankConfig made no communicator")
	}
	return c, nil
}

func (c *Comm) check(call string, r Result) error { return c.lib.check(call, c.ref, r) }

// Poll reports whether the last call is done, and returns the error of the communicator, if there is one.
func (c *Comm) Poll() (done bool, err error) {
	var state Result
	if err := c.check("ncclCommGetAsyncError", c.lib.raw.commGetAsyncError(c.ref, &state)); err != nil {
		return true, err
	}
	return state != inProgress, c.check("the communicator", state)
}

// Finalize begins to end the communicator: what is queued is done first. Destroy follows, when Poll says so.
func (c *Comm) Finalize() error { return c.check("ncclCommFinalize", c.lib.raw.commFinalize(c.ref)) }

// Destroy frees the communicator.
func (c *Comm) Destroy() error {
	return c.lib.check("ncclCommDestroy", 0, c.lib.raw.commDestroy(c.ref))
}

// Abort ends the communicator and its operations, finished or not, and frees it.
func (c *Comm) Abort() error { return c.lib.check("ncclCommAbort", 0, c.lib.raw.commAbort(c.ref)) }

// GroupStart begins a group on the calling thread: operations up to GroupEnd are queued as one.
func (l *Library) GroupStart() error { return l.check("ncclGroupStart", 0, l.raw.groupStart()) }

// GroupEnd ends a group.
func (l *Library) GroupEnd() error { return l.check("ncclGroupEnd", 0, l.raw.groupEnd()) }

// AllReduce queues the reduction of n elements of all ranks, for all ranks.
func (c *Comm) AllReduce(from, to uint64, n int, t DataType, o Op, stream uintptr) error {
	return c.check("ncclAllReduce", c.lib.raw.allReduce(from, to, uintptr(n), t, o, c.ref, stream))
}

// Reduce queues the reduction of n elements of all ranks, for one.
func (c *Comm) Reduce(from, to uint64, n int, t DataType, o Op, root int, stream uintptr) error {
	return c.check("ncclReduce", c.lib.raw.reduce(from, to, uintptr(n), t, o, int32(root), c.ref, stream))
}

// ReduceScatter queues the reduction of all ranks' elements, of which each rank gets n.
func (c *Comm) ReduceScatter(from, to uint64, n int, t DataType, o Op, stream uintptr) error {
	return c.check("ncclReduceScatter", c.lib.raw.reduceScatter(from, to, uintptr(n), t, o, c.ref, stream))
}

// AllGather queues the concatenation of n elements of each rank, for all ranks.
func (c *Comm) AllGather(from, to uint64, n int, t DataType, stream uintptr) error {
	return c.check("ncclAllGather", c.lib.raw.allGather(from, to, uintptr(n), t, c.ref, stream))
}

// Broadcast queues a copy of n elements of one rank to all.
func (c *Comm) Broadcast(from, to uint64, n int, t DataType, root int, stream uintptr) error {
	return c.check("ncclBroadcast",
		c.lib.raw.broadcast(from, to, uintptr(n), t, int32(root), c.ref, stream))
}

// Send queues n elements for another rank.
func (c *Comm) Send(from uint64, n int, t DataType, peer int, stream uintptr) error {
	return c.check("ncclSend", c.lib.raw.send(from, uintptr(n), t, int32(peer), c.ref, stream))
}

// Recv queues n elements from another rank.
func (c *Comm) Recv(to uint64, n int, t DataType, peer int, stream uintptr) error {
	return c.check("ncclRecv", c.lib.raw.recv(to, uintptr(n), t, int32(peer), c.ref, stream))
}
