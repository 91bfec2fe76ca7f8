package target

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/backend"
)

// deviceTarget is a back end with devices that work as GPUs do: each has memory of its own, and streams that
// run their work while the program goes on. They are made of goroutines and of the host's memory, and take
// no address that is not theirs.
type deviceTarget struct{ devices [2]*cDevice }

func init() {
	t := &deviceTarget{}
	for i := range t.devices {
		t.devices[i] = &cDevice{number: i, memory: map[uint64][]byte{}}
	}
	backend.Register(t)
}

func (*deviceTarget) Name() string          { return "c-device" }
func (*deviceTarget) Info() (string, error) { return theTarget.Info() }
func (*deviceTarget) Input() backend.Stage  { return backend.TTGIR }
func (*deviceTarget) Form() backend.Form    { return backend.Form{Pretty: true} }
func (*deviceTarget) Stages() []string      { return []string{"c", "so"} }
func (*deviceTarget) Version() string       { return version(1) }

func (*deviceTarget) Options() []backend.Option { return options }

// Specialization asks for none: C gains nothing by knowing that numbers are divisible by 16.
func (*deviceTarget) Specialization() backend.Specialization { return backend.Specialization{} }

func (*deviceTarget) Compile(ctx context.Context, k *backend.Kernel) (*backend.Code, error) {
	return compile(ctx, k, EmitTTGIR)
}

func (t *deviceTarget) Devices() ([]backend.Device, error) {
	var list []backend.Device
	for _, d := range t.devices {
		list = append(list, d)
	}
	return list, nil
}

// cDevice is a device: memory by its address.
type cDevice struct {
	number int
	mu     sync.RWMutex
	memory map[uint64][]byte
}

func (d *cDevice) Info() string {
	return fmt.Sprintf("device %d of C, %d threads", d.number, runtime.GOMAXPROCS(0))
}

// memoryAlign is the alignment of memory, that of a cache line.
const memoryAlign = 64

func (d *cDevice) Alloc(n int) (uint64, error) {
	data := make([]byte, n+memoryAlign)
	skip := -uintptr(unsafe.Pointer(&data[0])) & (memoryAlign - 1)
	data = data[skip : skip+uintptr(n)]
	addr := uint64(uintptr(unsafe.Pointer(&data[0])))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory[addr] = data
	return addr, nil
}

func (d *cDevice) Free(addr uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.memory[addr] == nil {
		return fmt.Errorf("there is no memory at %#x", addr)
	}
	delete(d.memory, addr)
	return nil
}

// at returns the bytes from an address to the end of its memory.
func (d *cDevice) at(addr uint64, n int) ([]byte, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for base, data := range d.memory {
		if addr >= base && addr-base <= uint64(len(data)) && uint64(n) <= uint64(len(data))-(addr-base) {
			return data[addr-base:][:n], nil
		}
	}
	return nil, fmt.Errorf("%d bytes at %#x are no memory of device %d", n, addr, d.number)
}

func (d *cDevice) Write(addr uint64, from []byte) error {
	to, err := d.at(addr, len(from))
	copy(to, from)
	return err
}

func (d *cDevice) Read(into []byte, addr uint64) error {
	from, err := d.at(addr, len(into))
	copy(into, from)
	return err
}

// Load opens the code. All devices run the same.
func (d *cDevice) Load(_ context.Context, k *backend.Kernel, code *backend.Code) (backend.Executable, error) {
	x, err := open(k, code)
	if err != nil {
		return nil, err
	}
	return &deviceCode{x, d, k.Params}, nil
}

// deviceCode is code on a device.
type deviceCode struct {
	*executable
	on     *cDevice
	params []backend.Param
}

// Launch runs a kernel. An address that is not the device's ends it before C would.
func (x *deviceCode) Launch(ctx context.Context, grid [3]int, words []uint64) error {
	for i, p := range x.params {
		if !p.Pointer || words[i] == 0 {
			continue
		}
		if _, err := x.on.at(words[i], 0); err != nil {
			return fmt.Errorf("kernel %s: argument %s: %w", x.kernel, p.Name, err)
		}
	}
	return x.executable.Launch(ctx, grid, words)
}

// queue is a stream: a goroutine that runs work in order.
type queue struct {
	on   *cDevice
	mu   sync.Mutex
	more sync.Cond // there is work, or none is left, or the queue is closed
	work []func() error
	busy bool  // some work runs
	err  error // the first since the last Sync
	end  bool
}

func (d *cDevice) NewStream() (backend.Stream, error) {
	q := &queue{on: d}
	q.more.L = &q.mu
	go q.run()
	return q, nil
}

// run does the work.
func (q *queue) run() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.work) == 0 && !q.end {
			q.more.Wait()
		}
		if len(q.work) == 0 {
			return
		}
		f := q.work[0]
		q.work, q.busy = q.work[1:], true
		q.mu.Unlock()
		err := f()
		q.mu.Lock()
		if q.busy = false; q.err == nil {
			q.err = err
		}
		q.more.Broadcast()
	}
}

// add queues work.
func (q *queue) add(f func() error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end {
		return errors.New("the stream is closed")
	}
	q.work = append(q.work, f)
	q.more.Broadcast()
	return nil
}

func (q *queue) Launch(ctx context.Context, x backend.Executable, grid [3]int, words []uint64) error {
	return q.add(func() error { return x.Launch(ctx, grid, words) })
}

func (q *queue) Sync() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.busy || len(q.work) > 0 {
		q.more.Wait()
	}
	err := q.err
	q.err = nil
	return err
}

func (q *queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end = true
	q.more.Broadcast()
	return nil
}

// Zero and Copy change memory in order with launches.
func (q *queue) Zero(addr uint64, n int) error {
	return q.add(func() error {
		to, err := q.on.at(addr, n)
		clear(to)
		return err
	})
}

func (q *queue) Copy(to, from uint64, n int) error {
	return q.add(func() error {
		dst, err := q.on.at(to, n)
		src, srcErr := q.on.at(from, n)
		copy(dst, src)
		return errors.Join(err, srcErr)
	})
}

// event is a point of a queue: the time at which it was reached, 0 before.
type event struct{ reached atomic.Int64 }

// start is the beginning of the devices' time.
var start = time.Now()

func (q *queue) Record() (backend.Event, error) {
	e := &event{}
	return e, q.add(func() error {
		e.reached.Store(max(1, int64(time.Since(start))))
		return nil
	})
}

func (e *event) Done() (bool, error) { return e.reached.Load() != 0, nil }
func (e *event) Close() error        { return nil }

func (e *event) Since(earlier backend.Event) (time.Duration, error) {
	o, ok := earlier.(*event)
	if !ok {
		return 0, errors.New("an event of another back end")
	}
	return time.Duration(e.reached.Load() - o.reached.Load()), nil
}
