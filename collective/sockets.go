package collective

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// sockets is the transport of all devices but GPUs: connections between all ranks, see mesh.go.
//
// A reduction adds the elements in the order of the ranks. Small ones are sent to all ranks, each of which
// reduces all of them; of large ones each rank reduces a part and sends the results to all. Both give the
// same bits.
type sockets struct {
	rank, size int
	patience   time.Duration
	mesh       *mesh
	ctx        context.Context // ends the communicator
	stop       func() bool     // ends the wait for ctx

	using  sync.Mutex // held by the operation under way
	calls  uint64     // operations of all ranks
	sent   []uint64   // messages to each rank
	got    []uint64   // messages from each rank
	queued *grouped   // operations of a group, or nil
	parts  []byte     // memory for elements of another rank

	state  sync.Mutex
	failed error
	closed bool
}

const (
	// smallest is the size in bytes up to which elements go to all ranks at once. The buffers of the system
	// hold that much, so that writing does not wait for the other side to read.
	smallest = 32 << 10
	// piece is the number of bytes of another rank that are reduced at a time.
	piece = 256 << 10
)

// openSockets connects a rank to all others.
func openSockets(ctx, limit context.Context, c *Comm, cfg *Config) (transport, error) {
	m, err := newMesh(limit, cfg)
	if err != nil {
		return nil, err
	}
	t := &sockets{rank: cfg.Rank, size: cfg.Size, patience: cfg.Patience, mesh: m, ctx: ctx,
		sent: make([]uint64, c.size), got: make([]uint64, c.size)}
	t.stop = context.AfterFunc(ctx, func() { t.abort(context.Cause(ctx)) })
	return t, nil
}

func (t *sockets) name() string { return "sockets" }

func (t *sockets) err() error {
	t.state.Lock()
	defer t.state.Unlock()
	return t.failed
}

// abort ends the communicator: the others read the reason, or find the connections closed.
func (t *sockets) abort(err error) {
	t.state.Lock()
	defer t.state.Unlock()
	if t.failed != nil || t.closed {
		return
	}
	if t.ctx.Err() != nil { // another rank that has the same context may have left first
		err = context.Cause(t.ctx)
	}
	t.failed = err
	t.leave("it has ended the communicator: " + err.Error())
}

// leave closes all connections.
func (t *sockets) leave(reason string) {
	for _, list := range t.mesh.links {
		for _, l := range list {
			if l != nil {
				l.bye(reason)
			}
		}
	}
}

// close ends this rank's part when the operation under way is done.
func (t *sockets) close() error {
	t.using.Lock()
	defer t.using.Unlock()
	t.stop()
	t.state.Lock()
	defer t.state.Unlock()
	if t.failed == nil { // else the connections are closed already
		t.closed = true
		t.leave("it has closed its communicator")
	}
	return nil
}

// grouped are the operations of a group.
type grouped struct {
	streams []*run.Stream
	list    []*operation
}

// group collects the operations that f calls, and then does them: what is sent goes out first, beside
// everything else.
func (t *sockets) group(f func() error) error {
	if t.queued != nil { // of this goroutine, as in run
		return errNested
	}
	t.using.Lock()
	defer t.using.Unlock()
	g, err := t.collect(f)
	if err != nil {
		return err
	}
	for _, s := range g.streams {
		defer t.watch(s)()
	}
	var sends background
	err = t.start(&sends, g)
	for i, o := range g.list {
		if o.kind != send && err == nil {
			err = t.now(g.streams[i], o)
		}
	}
	if err != nil {
		t.abort(err) // so that writes under way end
	}
	return t.fail(errors.Join(err, sends.wait()))
}

// collect returns the operations that f calls.
func (t *sockets) collect(f func() error) (*grouped, error) {
	t.queued = &grouped{}
	defer func() { t.queued = nil }() // also if f panics
	return t.queued, f()
}

// run does an operation, or adds it to the group.
func (t *sockets) run(s *run.Stream, o *operation) error {
	if core.CapturedBy(s, nil) {
		return errGraph
	}
	if g := t.queued; g != nil { // of this goroutine: Group says so
		g.streams, g.list = append(g.streams, s), append(g.list, o)
		return nil
	}
	t.using.Lock()
	defer t.using.Unlock()
	return t.now(s, o)
}

// now does an operation. An error ends the communicator: the others may have done a part of it.
func (t *sockets) now(s *run.Stream, o *operation) error {
	if err := t.err(); err != nil {
		return err
	}
	defer t.watch(s)()
	src, err := bytesOf(s, o.src, true)
	dst := src
	if err == nil && o.dst != o.src {
		dst, err = bytesOf(s, o.dst, false)
	}
	if err == nil {
		err = t.move(o, dst, src)
	}
	if err == nil && t.stores(o) {
		err = giveBack(o.dst, dst)
	}
	return t.fail(err)
}

// watch ends the communicator when the context of a stream ends, until stop is called.
func (t *sockets) watch(s *run.Stream) (stop func() bool) {
	ctx := s.Context()
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { t.abort(context.Cause(ctx)) })
}

// stores reports whether an operation has results for this rank: a reduction may have them for its root
// alone, and the root of a broadcast has none.
func (t *sockets) stores(o *operation) bool {
	switch o.kind {
	case reduce:
		return o.peer == t.rank
	case broadcast:
		return o.peer != t.rank
	}
	return o.dst != nil
}

// fail ends the communicator by an error, and returns the error that has ended it.
func (t *sockets) fail(err error) error {
	if err == nil {
		return nil
	}
	t.abort(err)
	if first := t.err(); first != nil {
		return first
	}
	return err
}

// bytesOf returns the memory of a tensor or, where the host has no access to it, a copy, of the contents if
// they are read. What the stream has queued before is done then, so that it does not meet the results.
func bytesOf(s *run.Stream, tensor *run.Tensor, read bool) ([]byte, error) {
	if tensor == nil {
		return nil, nil
	}
	data, err := core.HostBytes(tensor)
	if data != nil || err != nil {
		return data, err
	}
	data = make([]byte, tensor.Len()*tensor.DType.Size())
	if err := s.Sync(); err != nil || !read {
		return data, err
	}
	return data, tensor.CopyBytesTo(data)
}

// giveBack copies results to a tensor that the host has no access to.
func giveBack(tensor *run.Tensor, data []byte) error {
	if tensor == nil {
		return nil
	}
	if own, err := core.HostBytes(tensor); own != nil || err != nil {
		return err
	}
	return tensor.CopyBytesFrom(data)
}

// background are writes under way.
type background struct {
	sync.WaitGroup
	mu  sync.Mutex
	err error
}

func (b *background) write(l *link, h header, data []byte) {
	b.do(func() error { return l.write(&h, data) })
}

func (b *background) do(f func() error) {
	b.Go(func() {
		if err := f(); err != nil {
			b.mu.Lock()
			b.err = errors.Join(b.err, err)
			b.mu.Unlock()
		}
	})
}

func (b *background) wait() error {
	b.Wait()
	return b.err
}

// start begins to send what a group sends: to each rank in the order of the calls.
func (t *sockets) start(b *background, g *grouped) error {
	type message struct {
		header
		data []byte
	}
	list := map[*link][]message{}
	for i, o := range g.list {
		if o.kind != send {
			continue
		}
		src, err := bytesOf(g.streams[i], o.src, true)
		if err != nil {
			return err
		}
		l, h, err := t.pair(o)
		if err != nil {
			return err
		}
		list[l] = append(list[l], message{h, src})
	}
	for l, messages := range list {
		b.do(func() (err error) {
			for i := 0; i < len(messages) && err == nil; i++ {
				err = l.write(&messages[i].header, messages[i].data)
			}
			return err
		})
	}
	return nil
}

// pair returns the connection of a Send or Receive, and the header of its message.
func (t *sockets) pair(o *operation) (*link, header, error) {
	l := t.mesh.links[pairs][o.peer]
	if l == nil {
		return nil, header{}, fmt.Errorf("collective: %s: there is no rank but this one", o.kind)
	}
	t.limit(l)
	calls := &t.sent[o.peer]
	if o.kind == receive {
		calls = &t.got[o.peer]
	}
	*calls++
	return l, header{kind: send, dt: o.dt, call: *calls, count: uint64(o.n)}, nil
}

// limit bounds the time that a connection waits.
func (t *sockets) limit(l *link) {
	if t.patience > 0 {
		_ = l.SetDeadline(time.Now().Add(t.patience))
	}
}

// move moves the data of an operation.
func (t *sockets) move(o *operation, dst, src []byte) error {
	if o.kind == send || o.kind == receive {
		l, h, err := t.pair(o)
		if err != nil {
			return err
		}
		if o.kind == send {
			return l.write(&h, src)
		}
		if err := l.expect(&h); err != nil {
			return err
		}
		return l.read(dst)
	}
	for _, l := range t.mesh.links[together] {
		if l != nil {
			t.limit(l)
		}
	}
	t.calls++
	h := header{kind: o.kind, op: o.op, dt: o.dt, peer: int32(o.peer), call: t.calls, count: uint64(o.n)}
	switch o.kind {
	case broadcast:
		return t.broadcast(h, dst)
	case allGather:
		return t.allGather(h, dst, src)
	case reduce:
		return t.reduceTo(o, h, dst, src)
	case reduceScatter:
		return t.reduceScatter(o, h, dst, src, func(rank int) (int, int) {
			return rank * len(dst), (rank + 1) * len(dst)
		})
	}
	return t.allReduce(o, h, dst, src)
}

// others calls f for the connection of every other rank, in the order of the ranks.
func (t *sockets) others(f func(l *link) error) error {
	for _, l := range t.mesh.links[together] {
		if l != nil {
			if err := f(l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *sockets) broadcast(h header, data []byte) error {
	if int(h.peer) != t.rank {
		l := t.mesh.links[together][h.peer]
		if err := l.expect(&h); err != nil {
			return err
		}
		return l.read(data)
	}
	return t.toAll(h, data)
}

// toAll sends the same bytes to all other ranks.
func (t *sockets) toAll(h header, data []byte) error {
	if len(data) <= smallest {
		return t.others(func(l *link) error { return l.write(&h, data) })
	}
	var b background
	_ = t.others(func(l *link) error { b.write(l, h, data); return nil })
	return b.wait()
}

// exchange sends bytes to all other ranks while it reads from each what read takes.
func (t *sockets) exchange(h header, part func(rank int) []byte, read func() error) error {
	var b background
	err := t.others(func(l *link) error {
		data := part(l.rank)
		if len(data) > smallest {
			b.write(l, h, data)
			return nil
		}
		return l.write(&h, data)
	})
	if err == nil {
		err = read()
	}
	if err != nil {
		t.abort(err) // so that writes under way end
	}
	return errors.Join(err, b.wait())
}

func (t *sockets) allGather(h header, dst, src []byte) error {
	n := len(src)
	copy(dst[t.rank*n:], src)
	return t.exchange(h, func(int) []byte { return src }, func() error {
		return t.others(func(l *link) error {
			if err := l.expect(&h); err != nil {
				return err
			}
			return l.read(dst[l.rank*n : (l.rank+1)*n])
		})
	})
}

// allReduce is allGather and a reduction for few elements, reduceScatter and allGather for many.
func (t *sockets) allReduce(o *operation, h header, dst, src []byte) error {
	if len(src) <= smallest {
		return t.exchange(h, func(int) []byte { return src }, func() error {
			return t.reduceAll(o, h, dst, src)
		})
	}
	size := o.dt.Size()
	bounds := func(rank int) (int, int) {
		return rank * o.n / t.size * size, (rank + 1) * o.n / t.size * size
	}
	lo, hi := bounds(t.rank)
	if err := t.reduceScatter(o, h, dst[lo:hi], src, bounds); err != nil {
		return err
	}
	t.calls++
	h.call = t.calls
	return t.exchange(h, func(int) []byte { return dst[lo:hi] }, func() error {
		return t.others(func(l *link) error {
			if err := l.expect(&h); err != nil {
				return err
			}
			lo, hi := bounds(l.rank)
			return l.read(dst[lo:hi])
		})
	})
}

// reduceScatter sends each rank its part of src, and reduces this rank's parts of all.
func (t *sockets) reduceScatter(o *operation, h header, dst, src []byte,
	bounds func(rank int) (int, int)) error {
	part := func(rank int) []byte {
		lo, hi := bounds(rank)
		return src[lo:hi]
	}
	return t.exchange(h, part, func() error { return t.reduceAll(o, h, dst, part(t.rank)) })
}

// reduceTo reduces on the root what the others send.
func (t *sockets) reduceTo(o *operation, h header, dst, src []byte) error {
	if o.peer != t.rank {
		return t.mesh.links[together][o.peer].write(&h, src)
	}
	return t.reduceAll(o, h, dst, src)
}

// reduceAll reduces own elements and as many of each other rank, in the order of the ranks.
func (t *sockets) reduceAll(o *operation, h header, dst, own []byte) error {
	if err := t.others(func(l *link) error { return l.expect(&h) }); err != nil {
		return err
	}
	acc := newAccumulator(o.dt, o.op, t.size)
	if t.parts == nil {
		t.parts = make([]byte, piece)
	}
	for at := 0; at < len(own); at += piece {
		end := min(at+piece, len(own))
		for rank := range t.size {
			elements := own[at:end]
			if rank != t.rank {
				elements = t.parts[:end-at]
				if err := t.mesh.links[together][rank].read(elements); err != nil {
					return err
				}
			}
			acc.add(elements)
		}
		acc.store(dst[at:end])
	}
	return nil
}
