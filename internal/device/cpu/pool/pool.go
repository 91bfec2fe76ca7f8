package pool

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Work is a kernel that is launched repeatedly. The zero value with Fn is ready; it must not be copied after
// its first use.
type Work struct {
	// Fn is the address of
	//
	//	void fn(ptr args, ptr grid, i64 first, i64 end, ptr scratch, ptr status)
	//
	// which runs programs first to end, not including end. status points at four words, the first 0. A first
	// word that is not 0 afterwards stops the launch, and the next two say more. The second word is 1 if
	// scratch is as an earlier call of the launch left it, else 0. The fourth is the address of an int32 that
	// is 0 until the launch is to end: a function that may take long reads it now and then and, if it is set,
	// returns with Stopped in the status.
	Fn uintptr
	// Scratch is the number of bytes of scratch memory that the function needs, which no other call uses
	// meanwhile. They are aligned to 64 bytes and have arbitrary contents.
	Scratch int
	// Shares says that a program is faster behind its neighbour on the same thread: each thread begins with a
	// range of programs of its own.
	Shares bool

	cost atomic.Int64 // cost of a program in 1/16 ns, as last measured; 0 before
}

// Stopped is the code of a native function that returned because the launch is to end.
const Stopped = -1

// Trap is the error of a native function that stopped.
type Trap struct {
	Code  int64
	Words [2]uint64 // the program and the address
	First int       // the chunk of programs that it ran
	End   int
}

func (t *Trap) Error() string {
	return fmt.Sprintf("native code stopped with code %d in programs %d to %d", t.Code, t.First, t.End-1)
}

// Panic is the error of a Go function that native code called and that panicked.
type Panic struct{ Value any }

func (p *Panic) Error() string { return fmt.Sprintf("panic in a callback: %v", p.Value) }

const (
	inline = 20 * time.Microsecond // a shorter launch runs on the caller
	// intended duration of a chunk: Go's scheduler intervenes in longer calls, at some cost
	chunk = time.Millisecond
	// how long threads look for work, or for the end of others' work, before they sleep: a processor that
	// sleeps wakes late, with a low clock and perhaps empty caches
	awake    = 50 * time.Microsecond
	maxFree  = 64 // runs kept for later launches
	costUnit = 16 // units of Work.cost per ns
)

// Pool has a worker for each core but one; the caller is the last. Workers start with the first launch that
// needs them.
type Pool struct {
	// Pin gives each worker a processor of its own, of those that the process may use, if there are enough.
	// It must be set before the first launch. The caller's thread is not pinned: it belongs to somebody else.
	// Without Pin, threads only begin a launch on different processors.
	Pin bool

	size   int // workers and caller
	start  sync.Once
	pinned cpuSet // processors of pinned workers
	tokens chan token
	spare  atomic.Pointer[run] // taken first: a launch alone in the process needs no lock
	mu     sync.Mutex
	free   []*run
	watch  watch
}

// token asks a worker to help with a run if it is still of that generation.
type token struct {
	r   *run
	gen uint64
	cpu int // the caller's processor, or -1
}

// New returns a pool of that many threads; 0 means one for each processor that Go may use.
func New(threads int) *Pool {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Pool{size: threads, tokens: make(chan token, 4*threads)}
}

// Threads returns the number of programs that run at once.
func (p *Pool) Threads() int { return p.size }

// Run runs programs 0 to n-1. args and grid are passed to native code: the caller must keep the memory alive
// and in place. Run returns when no program runs any more. It notices the end of ctx between chunks, or
// within a few milliseconds in functions that read their stop word.
func (p *Pool) Run(ctx context.Context, w *Work, args, grid unsafe.Pointer, n int) error {
	if err := ctx.Err(); err != nil || n <= 0 {
		return err
	}
	r := p.take()
	r.work, r.args, r.grid, r.n, r.ctx = w, args, grid, int64(n), ctx
	if done := ctx.Done(); done != nil {
		p.watch.begin(p, r, done)
	}
	cost := w.cost.Load()
	// One program runs on the caller whatever it costs, so that only its first launch is timed.
	r.timed = n > 1 || cost == 0
	r.threads = p.size
	r.split(w.Shares)
	if p.size == 1 || n == 1 || cost > 0 && cost*int64(n) < int64(inline)*costUnit {
		r.chunk = w.chunkSize(cost, n, 1)
		r.workOn(&r.own)
	} else {
		r.chunk = w.chunkSize(cost, n, p.size)
		p.share(r)
	}
	err := r.err // no helper is left that could write it
	p.put(r)
	return err
}

// chunkSize returns the number of programs for a call: as many as take about the time of a chunk, but few
// enough that all threads end at about the same time. Before the first measurement it is one.
func (w *Work) chunkSize(cost int64, n, threads int) int64 {
	if cost == 0 || n == 1 {
		return 1
	}
	size := int64(chunk) * costUnit / cost
	if threads > 1 {
		size = min(size, int64(n)/int64(8*threads))
	}
	return max(1, size)
}

// share runs on the caller and on workers.
func (p *Pool) share(r *run) {
	p.start.Do(func() {
		places := make([]int, p.size-1)
		if p.Pin {
			places = processors(p.size)
		}
		for _, cpu := range places {
			if cpu > 0 {
				p.pinned.add(cpu)
			}
			go p.worker(cpu)
		}
	})
	helpers := min(p.size-1, int((r.n+r.chunk-1)/r.chunk)-1)
	r.places.reset(&p.pinned)
	cpu := r.places.settle()
	gen := r.open()
	for range helpers {
		select {
		case p.tokens <- token{r, gen, cpu}:
		default: // all workers are busy
		}
	}
	r.workOn(&r.own)
	r.close()
}

// Labels says that workers carry the profiler's labels of the launch that they help with. It costs a worker
// some 100 ns for each launch.
var Labels atomic.Bool

// worker helps with launches, on one processor if cpu is not 0.
func (p *Pool) worker(cpu int) {
	if cpu > 0 {
		runtime.LockOSThread()
		pin(cpu)
	}
	pprof.SetGoroutineLabels(context.Background()) // those of the launch that started it are not its own
	own := &slot{}
	for {
		t := p.next()
		if t.r.join(t.gen) {
			if cpu == 0 {
				t.r.places.settle()
			}
			if Labels.Load() {
				pprof.SetGoroutineLabels(t.r.ctx)
				t.r.workOn(own)
				pprof.SetGoroutineLabels(context.Background())
			} else {
				t.r.workOn(own)
			}
			t.r.leave()
		} else if cpu == 0 { // too late, perhaps because the caller kept its processor busy
			var caller places
			caller.taken.add(t.cpu)
			caller.settle()
		}
	}
}

// next returns the next token. The worker looks for it for a while before it sleeps; meanwhile, other
// goroutines may have its thread.
func (p *Pool) next() token {
	for start := nanotime(); nanotime()-start < int64(awake); runtime.Gosched() {
		select {
		case t := <-p.tokens:
			return t
		default:
		}
	}
	return <-p.tokens
}

// take returns a run that nobody uses.
func (p *Pool) take() *run {
	if r := p.spare.Swap(nil); r != nil {
		return r
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := len(p.free); k > 0 {
		r := p.free[k-1]
		p.free = p.free[:k-1]
		return r
	}
	return &run{idle: make(chan struct{}, 1), ranges: make([]programs, p.size)}
}

func (p *Pool) put(r *run) {
	if r.watched {
		p.watch.end(p, r)
	}
	r.reset()
	if p.spare.CompareAndSwap(nil, r) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, r)
	}
}

// run is the state of a launch.
type run struct {
	work  *Work
	args  unsafe.Pointer
	grid  unsafe.Pointer
	ctx   context.Context
	n     int64
	chunk int64 // programs in the first chunk

	threads int
	timed   bool // the duration of programs is measured

	places places
	ranges []programs    // room for as many as threads; see split
	joined atomic.Int64  // threads that have begun
	state  atomic.Uint64 // generation << 32 | closed << 31 | helpers
	idle   chan struct{} // signalled when the last helper leaves after close

	own slot // the caller's slot

	watched bool            // watch.end must be called
	done    <-chan struct{} // channel of ctx; does not change while the run is watched
	place   int             // index in watch.runs, guarded by the pool's lock
	stop    atomic.Int32    // not 0 once ctx has ended

	mu  sync.Mutex
	err error
}

const closed = 1 << 31

// open lets helpers join. close lets no more join and waits for those that did.
func (r *run) open() (gen uint64) {
	gen = r.state.Load()>>32 + 1
	r.state.Store(gen << 32)
	return gen
}

func (r *run) close() {
	if old := r.state.Or(closed); old&(closed-1) != 0 {
		r.wait()
	}
}

// wait waits for the last helper, for a while without sleeping.
func (r *run) wait() {
	for start := nanotime(); nanotime()-start < int64(awake); {
		select {
		case <-r.idle:
			return
		default:
		}
	}
	<-r.idle
}

func (r *run) join(gen uint64) bool {
	for {
		s := r.state.Load()
		if s>>32 != gen || s&closed != 0 {
			return false
		}
		if r.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

func (r *run) leave() {
	if s := r.state.Add(^uint64(0)); s&closed != 0 && s&(closed-1) == 0 {
		r.idle <- struct{}{}
	}
}

func (r *run) reset() {
	r.work, r.args, r.grid, r.ctx, r.err = nil, nil, nil, nil, nil
	r.joined.Store(0)
}

// programs is a range of programs that are not taken yet. Padded to a cache line, so that threads that take
// from different ranges do not disturb each other.
type programs struct {
	next atomic.Int64
	end  int64
	_    [48]byte
}

// split divides the programs into ranges: one for each thread if neighbours share work, else one for all.
func (r *run) split(each bool) {
	k := 1
	if each {
		k = min(cap(r.ranges), int(r.n))
	}
	r.ranges = r.ranges[:k]
	for i := range r.ranges {
		r.ranges[i].next.Store(int64(i) * r.n / int64(k))
		r.ranges[i].end = int64(i+1) * r.n / int64(k)
	}
}

// grab takes up to size programs for a thread, from its own range first, then from those of others.
func (r *run) grab(thread int, size int64) (first, end int64, ok bool) {
	for i := range r.ranges {
		p := &r.ranges[(thread+i)%len(r.ranges)]
		if p.next.Load() >= p.end {
			continue
		}
		if end = p.next.Add(size); end-size < p.end {
			return end - size, min(end, p.end), true
		}
	}
	return 0, 0, false
}

// workOn takes chunks until none are left.
func (r *run) workOn(s *slot) {
	defer r.recovered()
	s.status = [4]int64{3: int64(uintptr(unsafe.Pointer(&r.stop)))}
	s.words = [6]uintptr{uintptr(r.args), uintptr(r.grid), 0, 0, s.scratch(r.work.Scratch),
		uintptr(unsafe.Pointer(&s.status[0]))}
	thread := int(r.joined.Add(1) - 1)
	var took, done int64
	for size := r.chunk; ; {
		first, end, ok := r.grab(thread, size)
		if !ok {
			break
		}
		if err := r.ctx.Err(); err != nil {
			r.fail(err)
			break
		}
		s.words[2], s.words[3] = uintptr(first), uintptr(end)
		var start int64
		if r.timed {
			start = nanotime()
		}
		dl.Call(r.work.Fn, s.words[:]...)
		if r.timed {
			took += nanotime() - start
		}
		done += end - first
		if s.status[0] != 0 {
			r.fail(r.failure(s, first, end))
			break
		}
		s.status[1] = 1
		// arguments may make programs slower than before
		size = r.work.chunkSize(max(1, took*costUnit/done), int(r.n), r.threads)
	}
	if r.timed && done > 0 {
		r.work.cost.Store(max(1, took*costUnit/done))
	}
}

// failure returns the error of a call whose status is not 0.
func (r *run) failure(s *slot, first, end int64) error {
	if err := r.ctx.Err(); err != nil && s.status[0] == Stopped {
		return err
	}
	return &Trap{Code: s.status[0], Words: [2]uint64{uint64(s.status[1]), uint64(s.status[2])},
		First: int(first), End: int(end)}
}

// before reports whether both errors are traps, the first one of an earlier program.
func before(a, b error) bool {
	x, ok1 := a.(*Trap)
	y, ok2 := b.(*Trap)
	return ok1 && ok2 && x.Words[0] < y.Words[0]
}

func (r *run) recovered() {
	if v := recover(); v != nil {
		r.fail(&Panic{v})
	}
}

// fail keeps the first error and leaves no programs to others. Of several traps it keeps that of the first
// program: chunks before its own have begun already, unless threads have ranges of their own, so that the
// same launch ends with the same error each time.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.err == nil || before(err, r.err) {
		r.err = err
	}
	r.mu.Unlock()
	for i := range r.ranges {
		r.ranges[i].next.Store(r.ranges[i].end)
	}
}

var epoch = time.Now()

func nanotime() int64 { return int64(time.Since(epoch)) }
