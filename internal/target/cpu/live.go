package cpu

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target/cpu/pool"
)

// linked is the native code of a kernel as launches find it. Whoever runs it holds it: the collector frees the code when neither its
// kernel nor a launch does.
type linked struct {
	work pool.Work
	used atomic.Bool // launched since the hand of the clock came by
	of   *kernel
	mem  *codeMemory
}

// codeMemory is what linked code takes.
type codeMemory struct {
	code    *llvm.Code
	size    int
	evicted bool // no new launch finds it
	freed   bool
}

// liveCode bounds the native code of a device. The code of kernels that were not launched for long goes first: kernels stand on a clock, a
// launch marks its kernel, and the hand takes the first without a mark and wipes the marks that it passes. A kernel whose code is gone is
// linked again by its next launch: its object file stays with it.
type liveCode struct {
	limit int // bytes

	mu    sync.Mutex
	clock []weak.Pointer[linked]
	sweep int // the length at which code that was freed leaves the clock
	hand  int
	bytes int // that are not freed
	going int // of these, evicted

	collecting bool // the collector runs for this
}

// sessionSize is about what code takes that LLVM holds itself.
const sessionSize = 128 << 10

// add puts code on the clock, after it has made room for it.
func (l *liveCode) add(c *linked) {
	runtime.AddCleanup(c, l.free, c.mem)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.clock) >= l.sweep {
		l.clock = slices.DeleteFunc(l.clock, func(w weak.Pointer[linked]) bool { return w.Value() == nil })
		l.sweep = 2*len(l.clock) + 64
	}
	l.bytes += c.mem.size
	for l.bytes-l.going > l.limit && l.evict() {
	}
	l.clock = append(l.clock, weak.Make(c))
	if l.going > l.limit && !l.collecting { // the collector does not see this memory
		l.collecting = true
		go l.collect()
	}
}

func (l *liveCode) collect() {
	runtime.GC()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collecting = false
}

// evict takes the code of one kernel from it, and reports whether there was any.
func (l *liveCode) evict() bool {
	for range 2*len(l.clock) + 1 {
		if l.hand >= len(l.clock) {
			l.hand = 0
		}
		if len(l.clock) == 0 {
			return false
		}
		c := l.clock[l.hand].Value()
		if c != nil && c.used.Swap(false) {
			l.hand++
			continue
		}
		l.clock = slices.Delete(l.clock, l.hand, l.hand+1)
		if c != nil && c.of.live.CompareAndSwap(c, nil) {
			c.mem.evicted = true
			l.going += c.mem.size
			return true
		}
	}
	return false
}

// free frees code that nobody runs, once.
func (l *liveCode) free(m *codeMemory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.freed {
		return
	}
	m.freed = true
	l.bytes -= m.size
	if m.evicted {
		l.going -= m.size
	}
	_ = m.code.Close()
}

// link makes the object file of a kernel part of this process, or finds that another launch has.
func (k *kernel) link() (*linked, error) {
	k.linking.Lock()
	defer k.linking.Unlock()
	if c := k.live.Load(); c != nil {
		return c, nil
	}
	if k.closed.Load() {
		return nil, fmt.Errorf("%s is closed", k.name)
	}
	d := k.dev
	code, err := d.lib.Link(k.code.obj, k.code.entry, llvm.JITOptions{Symbols: symbols(), GDB: d.Lines, Perf: d.Lines})
	if err != nil {
		return nil, err
	}
	c := &linked{of: k, mem: &codeMemory{code: code, size: code.Size()}}
	if c.mem.size == 0 {
		c.mem.size = sessionSize
	}
	c.work.Fn, c.work.Scratch = code.Entry, int(k.code.scratch)
	k.live.Store(c)
	d.live.add(c)
	return c, nil
}

// Close frees the code. No launch may be under way. Closing twice is harmless.
func (k *kernel) Close() error {
	printers.Delete(k.printer)
	k.closed.Store(true)
	if c := k.live.Swap(nil); c != nil {
		k.dev.live.free(c.mem)
	}
	return nil
}
