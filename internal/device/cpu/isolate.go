package cpu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
)

// Isolated launches run in child processes: the program's own executable, started again, in which
// ServeIsolated takes over before main. A child receives the kernel as an object file, links it, and runs one
// launch at a time; it is kept for later launches. Tensors are in an arena of shared memory, which every
// process maps at the same addresses. Once isolation is enabled, Alloc allocates there; other memory is
// copied there for a launch, and changed bytes are copied back.
//
// A child that dies fails only its own launch, whose error says why; the next launch starts a new child. The
// end of a launch's context kills its child.

// isolatedEnv tells a process that it is a child: its value is the arena's address and size.
const isolatedEnv = "NEREID_ISOLATED_CHILD"

// maxChildKernels is the number of kernels a child may hold before another replaces it.
const maxChildKernels = 1024

// isolationRequest is a launch. Code is set if the child does not have the kernel yet.
type isolationRequest struct {
	Kernel uint64
	Name   string
	Code   *device.Code
	Grid   [3]int
	Words  []uint64
	Memory []device.Memory
}

// isolationReply is the result of a launch.
type isolationReply struct {
	Err   string
	Fault []byte // the Fault as JSON, if the error is one
}

// isolation is the state that the launches of a process share.
type isolation struct {
	arena *arena
	slots chan struct{} // bounds the children that run at once
	mu    sync.Mutex
	idle  []*child
	last  atomic.Uint64 // number of the last kernel
}

var isolating struct {
	sync.Mutex
	on *isolation
}

// EnableIsolation creates the arena, so that tensors made from then on need not be copied for isolated
// launches.
func EnableIsolation() error {
	_, err := enableIsolation()
	return err
}

func enableIsolation() (*isolation, error) {
	isolating.Lock()
	defer isolating.Unlock()
	if isolating.on != nil {
		return isolating.on, nil
	}
	a, err := newArena()
	if err != nil {
		return nil, fmt.Errorf("launches cannot be isolated: %w", err)
	}
	isolating.on = &isolation{arena: a, slots: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
	return isolating.on, nil
}

// sharedArena returns the arena if isolation is enabled, else nil.
func sharedArena() *arena {
	isolating.Lock()
	defer isolating.Unlock()
	if isolating.on == nil {
		return nil
	}
	return isolating.on.arena
}

// Isolate returns an executable of this device whose launches run in a child process.
func (d *Device) Isolate(e device.Executable) (device.Executable, error) {
	k, ok := e.(*kernel)
	if !ok {
		return nil, fmt.Errorf("this executable cannot be isolated")
	}
	on, err := enableIsolation()
	if err != nil {
		return nil, err
	}
	code, err := k.Code()
	if err != nil {
		return nil, diag.Refuse("Config.Isolate", "%v, which a child process cannot do",
			err).By(d.Name()).Instead("launch it without isolation")
	}
	return &isolated{k, on, on.last.Add(1), code}, nil
}

// isolated is a kernel that runs in child processes.
type isolated struct {
	*kernel
	on   *isolation
	id   uint64
	code device.Code
}

func (x *isolated) Bounded() bool { return true }

func (x *isolated) Launch(context.Context, device.Stream, [3]int, []uint64) error {
	return fmt.Errorf("%s runs in another process, and was not told the memory of its arguments", x.name)
}

func (x *isolated) LaunchBounded(ctx context.Context, _ device.Stream, grid [3]int, words []uint64,
	mem []device.Memory) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(words) != x.params {
		return fmt.Errorf("%s takes %d arguments, not %d", x.name, x.params, len(words))
	}
	select {
	case x.on.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-x.on.slots }()
	moved, err := x.on.arena.move(words, mem)
	if err != nil {
		return err
	}
	defer moved.release()
	if err := x.run(ctx, &isolationRequest{Kernel: x.id, Name: x.name, Grid: grid, Words: moved.words,
		Memory: moved.mem}); err != nil {
		return err
	}
	moved.back()
	return nil
}

// run runs a launch in a child.
func (x *isolated) run(ctx context.Context, req *isolationRequest) error {
	c, err := x.on.take()
	if err != nil {
		return err
	}
	if !c.has[x.id] {
		req.Code = &x.code
	}
	stop := context.AfterFunc(ctx, c.kill)
	reply, err := c.call(req)
	if !stop() || err != nil { // the child is dead, or being killed
		c.kill()
		how := c.end()
		if err == nil {
			return reply.error()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		how.Kernel = x.name
		return how
	}
	c.has[x.id] = true
	x.on.put(c)
	return reply.error()
}

func (r *isolationReply) error() error {
	var f Fault
	switch {
	case r.Err == "":
		return nil
	case r.Fault != nil && json.Unmarshal(r.Fault, &f) == nil:
		return &f
	}
	return errors.New(r.Err)
}

func (on *isolation) take() (*child, error) {
	on.mu.Lock()
	if n := len(on.idle); n > 0 {
		c := on.idle[n-1]
		on.idle = on.idle[:n-1]
		on.mu.Unlock()
		return c, nil
	}
	on.mu.Unlock()
	return on.arena.start()
}

func (on *isolation) put(c *child) {
	if len(c.has) >= maxChildKernels {
		c.kill()
		c.end()
		return
	}
	on.mu.Lock()
	defer on.mu.Unlock()
	on.idle = append(on.idle, c)
}

// moved is the arguments of a launch with all memory in the arena.
type moved struct {
	a      *arena
	words  []uint64
	mem    []device.Memory
	copies []movedBlock
}

// movedBlock is memory of the process and its copy in the arena.
type movedBlock struct {
	base, end uint64
	block     block
	data      []byte // copy in the arena
	before    []byte // contents when it was copied
}

// move copies memory that is not in the arena. Overlapping memory is copied in one piece.
func (a *arena) move(words []uint64, mem []device.Memory) (*moved, error) {
	m := &moved{a: a, words: slices.Clone(words), mem: slices.Clone(mem)}
	for _, x := range mem {
		if x.Base < x.End && !a.holds(x.Base) {
			m.copies = append(m.copies, movedBlock{base: x.Base, end: x.End})
		}
	}
	slices.SortFunc(m.copies, func(x, y movedBlock) int { return compare(x.base, y.base) })
	merged := m.copies[:0]
	for _, c := range m.copies {
		if n := len(merged); n > 0 && c.base < merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, c.end)
		} else {
			merged = append(merged, c)
		}
	}
	m.copies = merged
	for i := range m.copies {
		c := &m.copies[i]
		const align = 64 // at least the alignment that the kernel was specialized for
		skip := int(c.base % align)
		b, err := a.alloc(int(c.end-c.base) + skip)
		if err != nil {
			m.copies = m.copies[:i]
			m.release()
			return nil, err
		}
		c.block, c.data, c.before = b, a.bytes(b)[skip:skip+int(c.end-c.base)], snapshot(c.base, c.end)
		copy(c.data, c.before)
	}
	for i, x := range m.mem {
		for _, c := range m.copies {
			if x.Base >= c.base && x.Base < c.end {
				by := uint64(uintptr(unsafe.Pointer(&c.data[0]))) - c.base
				m.words[x.Word] += by
				m.mem[i] = device.Memory{Word: x.Word, Lo: x.Lo + by, Hi: x.Hi + by, Base: x.Base + by,
					End: x.End + by}
			}
		}
	}
	return m, nil
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// snapshot returns a copy of memory. Other launches may write to parts of it meanwhile that this launch does
// not use, as native code does: the race detector must not report them.
//
//go:norace
func snapshot(base, end uint64) []byte {
	out := make([]byte, end-base)
	copy(out, memoryAt(base, end))
	return out
}

// back copies changed bytes back, and no others: concurrent launches may use parts of the same memory.
//
//go:norace
func (m *moved) back() {
	const step = 4096
	for _, c := range m.copies {
		to := memoryAt(c.base, c.end)
		for at := 0; at < len(to); at += step {
			end := min(at+step, len(to))
			if bytes.Equal(c.data[at:end], c.before[at:end]) {
				continue
			}
			for i := at; i < end; i++ {
				if v := c.data[i]; v != c.before[i] {
					to[i] = v
				}
			}
		}
	}
}

func (m *moved) release() {
	for _, c := range m.copies {
		m.a.free(c.block)
	}
}

// memoryAt returns memory of this process, which its tensor keeps alive.
func memoryAt(base, end uint64) []byte {
	at := uintptr(base)
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), end-base)
}

// crashSignal finds the signal in the output of Go's runtime when it dies.
var crashSignal = regexp.MustCompile(`\[signal (SIG[A-Z]+)|^(SIG[A-Z]+):`)

// serve runs launches from the connection, in a child.
func serve(conn *os.File) error {
	d := New()
	dec, enc := json.NewDecoder(conn), json.NewEncoder(conn)
	kernels := map[uint64]device.Executable{}
	for {
		var req isolationRequest
		if err := dec.Decode(&req); err == io.EOF { // the parent has closed the connection
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(d.isolatedLaunch(kernels, &req)); err != nil {
			return err
		}
	}
}

func (d *Device) isolatedLaunch(kernels map[uint64]device.Executable, req *isolationRequest) isolationReply {
	k := kernels[req.Kernel]
	if k == nil && req.Code != nil {
		var err error
		if k, err = d.Restore(context.Background(), req.Name, *req.Code); err != nil {
			return isolationReply{Err: err.Error()}
		}
		kernels[req.Kernel] = k
	}
	b, ok := k.(device.Bounded)
	if !ok {
		return isolationReply{Err: "the child process has no such kernel"}
	}
	err := b.LaunchBounded(context.Background(), nil, req.Grid, req.Words, req.Memory)
	if err == nil {
		return isolationReply{}
	}
	r := isolationReply{Err: err.Error()}
	var f *Fault
	if errors.As(err, &f) {
		r.Fault, _ = json.Marshal(f)
	}
	return r
}
