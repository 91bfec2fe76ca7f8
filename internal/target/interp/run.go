package interp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Options choose how a grid is run. The zero value runs it as fast as it goes.
type Options struct {
	Workers     int  // goroutines that run programs; 0 is GOMAXPROCS
	TrackUninit bool // a load of bytes that nobody wrote is a fault; see Memory.AllocUninit
	// two programs storing different values to one address, or one loading what another has stored, is a
	// fault unless atomics order them; programs then run one after another
	TrackRaces bool
	TF32       bool                   // round the inputs of a dot to tf32 where its inputPrecision says so
	Stdout     io.Writer              // where device_print goes, ordered by program; nil drops it
	Scopes     func(device.ScopeMark) // called at the marks of scopes, by any worker; may be nil
	MaxSteps   int64                  // operations that one program may execute; 0 is no limit
	SumLanes   int                    // see Device.SumInLanes
	MaskedOnes bool                   // see Device.FillMasked
	Record     *Record                // receives accesses; nil if nobody asks for them
	Trace      *Trace                 // receives the execution of one program; nil if nobody asks for it
}

// run is one execution of a grid: the state that its workers share.
type run struct {
	p     *Program
	opts  Options
	mem   *Memory
	table []*Buffer
	grid  [3]int
	args  []uint64

	total int64
	next  atomic.Int64 // the first program that nobody has begun
	limit atomic.Int64 // programs from here on need not run: the lowest that failed, or 0 when cancelled
	wg    sync.WaitGroup
	extra atomic.Int64 // workers beyond those asked for

	mu    sync.Mutex
	fault *Fault
	out   ordered

	faultAt int64 // program of the fault, where others go on after one

	races raceTable
}

// maxExtra bounds the workers started because programs wait for one another.
const maxExtra = 1 << 14

// Run executes every program of the grid. args are the bits of the kernel's arguments in order: scalars in
// their own format, addresses of buffers, handles of descriptors. The error is a *Fault, of the lowest
// program that failed, or ctx's.
//
// Programs run in parallel and in no order but this: each begins after all before it have begun.
func (p *Program) Run(ctx context.Context, mem *Memory, grid [3]int, args []uint64, opts Options) error {
	total, err := gridSize(grid)
	if err != nil || total == 0 {
		return err
	}
	if len(args) != len(p.kernel.params) {
		return fmt.Errorf("interp: %s takes %d arguments, not %d", p.Name, len(p.kernel.params), len(args))
	}
	r := &run{p: p, opts: opts, mem: mem, table: mem.table(), grid: grid, args: args, total: total}
	r.limit.Store(total)
	r.out.w = opts.Stdout
	n := opts.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if opts.TrackRaces {
		n = 1
	}
	stop := context.AfterFunc(ctx, func() { r.limit.Store(0) })
	defer stop()
	for range min(int64(n), total) {
		r.start()
	}
	r.wg.Wait()
	if r.fault != nil {
		return r.fault
	}
	return ctx.Err()
}

// gridSize returns the number of programs of a grid. Their ids are i32.
func gridSize(grid [3]int) (int64, error) {
	n, err := device.CountPrograms(grid, [3]int{math.MaxInt32, math.MaxInt32, math.MaxInt32})
	if err != nil {
		return 0, fmt.Errorf("interp: %w", err)
	}
	return int64(n), nil
}

func (r *run) start() {
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		w := r.p.worker(r)
		for {
			id := r.next.Add(1) - 1
			if id >= r.limit.Load() {
				break
			}
			w.program(id)
		}
		r.p.release(w)
	}()
}

// letOthersStart adds a worker when there are programs that nobody has begun: the caller may be waiting for
// one of them.
func (r *run) letOthersStart() {
	if r.next.Load() < r.limit.Load() && r.extra.Add(1) <= maxExtra {
		r.start()
	}
	runtime.Gosched()
}

// failed records a fault and stops the programs above it.
func (r *run) failed(id int64, e *Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opts.Record != nil { // the others go on
		if r.fault == nil || id < r.faultAt {
			r.fault, r.faultAt = e, id
		}
		return
	}
	if id < r.limit.Load() {
		r.limit.Store(id)
		r.fault = e
	}
}

// worker runs programs one after another, in frames that it keeps.
type worker struct {
	*run
	id     int64
	pid    [3]int
	at     *instr
	masked bool // the access has a mask
	tile   Tile // being recorded; see Record
	stray  *Fault
	count  int64 // operations executed by the program, those of a list from its beginning on
	done   int64 // the same one by one, while scopes are recorded
	wake   int64 // when to pause next
	work   int   // elements computed since the last look at whether to stop
	spins  int
	calls  []*ir.Op
	frames [][]*frame // free ones of each function
	kernel *frame
	text   bytes.Buffer // what the program printed
	order  order        // see raceTable
}

// stride is the number of operations between two pauses.
const stride = 1 << 14

// stopped is the panic that unwinds a program that need not go on.
type stopped struct{}

// program runs one program of the grid.
func (w *worker) program(id int64) {
	x, y := int64(w.grid[0]), int64(w.grid[1])
	w.id, w.pid = id, [3]int{int(id % x), int(id / x % y), int(id / x / y)}
	w.count, w.done, w.spins, w.calls = 0, 0, 0, w.calls[:0]
	w.wake, w.order = min(stride, w.maxSteps()), order{}
	e := w.execute()
	w.recorded(e)
	if t := w.opts.Trace; t != nil && t.Program == id {
		t.Fault = e
	}
	if e != nil {
		w.failed(id, e)
	}
	if w.p.prints {
		w.out.flush(id, &w.text)
	}
}

// maxSteps returns the limit of operations of one program.
func (w *worker) maxSteps() int64 {
	if w.opts.MaxSteps > 0 {
		return w.opts.MaxSteps
	}
	return math.MaxInt64
}

func (w *worker) execute() (fault *Fault) {
	defer func() {
		switch e := recover().(type) {
		case nil, stopped:
		case *Fault:
			fault = e
		default:
			fault = w.newFault(fmt.Sprintf("%v\n%s", e, debug.Stack()))
			fault.Bug = true
		}
	}()
	if w.kernel == nil {
		w.kernel = w.enter()
	}
	w.kernel.run(&w.kernel.fn.body)
	return nil
}

// enter makes the kernel's frame, with its arguments in place and all computed that no program changes.
func (w *worker) enter() *frame {
	f := w.frame(w.p.kernel)
	for i, v := range f.fn.params {
		w.bind(f, v, w.args[i])
	}
	f.exec(f.fn.setup)
	return f
}

// pause checks a running program: its limit of steps, and whether it should stop.
func (w *worker) pause() {
	if limit := w.maxSteps(); w.count > limit {
		w.failf("stopped after %d steps", limit)
	}
	if w.id >= w.limit.Load() {
		panic(stopped{})
	}
	w.wake = min(w.count+stride, w.maxSteps())
}

// workStride is the number of elements between two looks at whether to stop: some milliseconds, also where
// each is computed by a function that is rounded exactly.
const workStride = 1 << 16

// worked counts n elements that are computed next: operations on large tensors take long, and few of them
// make a long time between two pauses.
func (w *worker) worked(n int) {
	if w.work += n; w.work < workStride {
		return
	}
	w.work = 0
	if w.id >= w.limit.Load() {
		panic(stopped{})
	}
}

// inParts calls f for parts of n elements, and looks between them at whether to stop.
func (w *worker) inParts(n int, f func(from, to int)) {
	for from := 0; from < n; from += workStride {
		to := min(from+workStride, n)
		f(from, to)
		w.worked(to - from)
	}
}

// partOf returns elements of a row; a row of one stands for equal elements.
func partOf[T any](a []T, from, to int) []T {
	if len(a) == 1 {
		return a
	}
	return a[from:to]
}

// looped runs at every turn of a loop without a known end, and at atomics: such a program may be waiting
// for another.
func (w *worker) looped() {
	if w.spins++; w.spins%512 == 0 {
		w.letOthersStart()
		if w.id >= w.limit.Load() {
			panic(stopped{})
		}
	}
}

// newFault returns a fault at the current operation.
func (w *worker) newFault(msg string) *Fault {
	e := &Fault{Kernel: w.p.Name, Program: w.pid, Msg: msg, Loc: ir.Unknown}
	if w.at != nil && w.at.op != nil {
		e.Op, e.Loc = w.at.op.Name(), w.at.op.Loc
	}
	if len(w.calls) == 0 {
		return e
	}
	caller := w.calls[0].Loc
	for _, call := range w.calls[1:] {
		caller = ir.CallSite(call.Loc, caller)
	}
	e.Loc = ir.CallSite(e.Loc, caller)
	return e
}

// failf stops the program.
func (w *worker) failf(format string, args ...any) { panic(w.newFault(fmt.Sprintf(format, args...))) }

// failAt stops the program because of one element of a tensor of the given shape.
func (w *worker) failAt(i int, shape []int64, format string, args ...any) {
	e := w.newFault(fmt.Sprintf(format, args...))
	e.Element = unravel(i, shape)
	panic(e)
}

// unravel returns the coordinates of element i; nil for a scalar.
func unravel(i int, shape []int64) []int {
	if len(shape) == 0 {
		return nil
	}
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % int(shape[d])
		i /= int(shape[d])
	}
	return at
}

// frame returns a frame for a function: an idle one, or a new one.
func (w *worker) frame(fn *function) *frame {
	if free := w.frames[fn.id]; len(free) > 0 {
		f := free[len(free)-1]
		w.frames[fn.id] = free[:len(free)-1]
		return f
	}
	return fn.newFrame(w)
}

func (w *worker) release(f *frame) { w.frames[f.fn.id] = append(w.frames[f.fn.id], f) }

// ordered writes the output of programs in the order of the programs.
type ordered struct {
	mu      sync.Mutex
	w       io.Writer
	next    int64
	waiting map[int64][]byte
}

// flush takes the output of a program, and writes all output whose turn has come.
func (o *ordered) flush(id int64, text *bytes.Buffer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.w == nil {
		text.Reset()
		return
	}
	if o.waiting == nil {
		o.waiting = map[int64][]byte{}
	}
	o.waiting[id] = bytes.Clone(text.Bytes())
	text.Reset()
	for {
		b, ok := o.waiting[o.next]
		if !ok {
			return
		}
		o.w.Write(b)
		delete(o.waiting, o.next)
		o.next++
	}
}
