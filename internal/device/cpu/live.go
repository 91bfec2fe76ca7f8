package cpu

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/cpu/pool"
	"github.com/nereid-lang/nereid/internal/objcode"
)

// linked is the native code of a kernel. Its kernel and running launches hold it; the collector frees the
// code when neither does.
type linked struct {
	work pool.Work
	used atomic.Bool // launched since the hand of the clock passed
	of   *kernel
	mem  *codeMemory
}

// codeMemory is the memory of linked code.
type codeMemory struct {
	code    Native
	size    int
	evicted bool // new launches do not find it
	freed   bool
}

// Native is linked code, whoever linked it.
type Native interface {
	Size() int // bytes of memory; 0 means that they are not known
	Close() error
}

// liveCode bounds the native code of a device. The code of kernels that were not launched for long is evicted
// first, by the clock algorithm: a launch marks its kernel; the hand evicts the first without a mark and
// clears the marks that it passes. The next launch of an evicted kernel links it again from its object file,
// which stays.
type liveCode struct {
	limit int // bytes

	mu    sync.Mutex
	clock []weak.Pointer[linked]
	sweep int // length of clock at which freed code is removed from it
	hand  int
	bytes int // bytes that are not freed
	going int // evicted bytes among them

	collecting bool // a collection for evicted code is running
}

// sessionSize is the approximate memory of code that LLVM itself holds.
const sessionSize = 128 << 10

// add puts code on the clock, after making room for it.
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
	l.collectMuch()
}

// collectMuch collects garbage when much code waits for it: the collector does not see its memory.
func (l *liveCode) collectMuch() {
	if l.going > l.limit && !l.collecting {
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

// evict evicts the code of one kernel and reports whether there was any.
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

// free frees code that no launch runs, once.
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

// link links the object file of a kernel into this process, unless another launch has.
func (k *kernel) link() (*linked, error) {
	k.linking.Lock()
	defer k.linking.Unlock()
	if c := k.live.Load(); c != nil {
		return c, nil
	}
	if k.closed.Load() {
		return nil, fmt.Errorf("%s is %w", k.name, device.ErrClosed)
	}
	d := k.dev
	code, entry, err := d.linkObject(k.code.Obj, k.code.Entry)
	if err != nil {
		return nil, err
	}
	c := &linked{of: k, mem: &codeMemory{code: code, size: code.Size()}}
	if c.mem.size == 0 {
		c.mem.size = sessionSize
	}
	c.work.Fn, c.work.Scratch, c.work.Shares = entry, int(k.code.Scratch), k.code.Shares
	k.live.Store(c)
	d.live.add(c)
	return c, nil
}

// linkObject links an object file: without LLVM, unless debuggers and profilers are to be told of the code or
// the file needs LLVM's linker.
func (d *Device) linkObject(obj []byte, entry string) (Native, uintptr, error) {
	if d.Lines && d.Linker != nil {
		if c, at, err := d.Linker(obj, entry, true); !errors.Is(err, ErrNoLinker) {
			return c, at, err
		}
	}
	c, err := objcode.Link(obj, entry, symbols())
	switch {
	case err == nil:
		return c, c.Entry, nil
	case !errors.Is(err, objcode.ErrUnsupported):
		return nil, 0, err
	case d.Linker == nil:
		return nil, 0, fmt.Errorf("%w, and this program has no LLVM", err)
	}
	linked, at, missing := d.Linker(obj, entry, false)
	if errors.Is(missing, ErrNoLinker) {
		missing = fmt.Errorf("%w, and LLVM's linker is not here: %w", err, missing)
	}
	return linked, at, missing
}

// ErrNoLinker is wrapped by the error of a Linker that is not here.
var ErrNoLinker = errors.New("no linker")

// Symbols returns the functions that kernels call, for a Linker.
func Symbols() map[string]uintptr { return symbols() }

// Close makes later launches fail. The collector frees the code when the launches under way, which hold it,
// have ended. Closing twice is harmless.
func (k *kernel) Close() error {
	k.linking.Lock()
	defer k.linking.Unlock()
	k.closed.Store(true)
	if c := k.live.Swap(nil); c != nil {
		k.dev.live.drop(c)
	}
	return nil
}

// drop counts code that new launches do not find any more.
func (l *liveCode) drop(c *linked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.mem.evicted = true
	l.going += c.mem.size
	l.collectMuch()
}
