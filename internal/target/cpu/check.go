package cpu

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/target/cpu/codegen"
	"github.com/nereid-lang/nereid/internal/target/cpu/pool"
)

// registry knows the buffers of a device whose kernels check their accesses. It keeps none of them alive: one that the garbage collector
// took is forgotten when another comes to lie there.
type registry struct {
	mu   sync.Mutex
	list []span // in order, none overlapping another
}

// span is the first byte of a buffer and the one after the last.
type span struct{ lo, hi uint64 }

// known puts a buffer into the registry where that is of use.
func (d *Device) known(b buffer) buffer {
	if d.Check {
		b.of = &d.memory
		d.memory.add(b.Addr(), uint64(b.Size()))
	}
	return b
}

func (r *registry) add(addr, size uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := span{addr, addr + size}
	r.list = slices.DeleteFunc(r.list, func(t span) bool { return t.lo < s.hi && s.lo < t.hi || t.lo == s.lo })
	i, _ := slices.BinarySearchFunc(r.list, s.lo, func(t span, lo uint64) int { return cmp(t.lo, lo) })
	r.list = slices.Insert(r.list, i, s)
}

func (r *registry) remove(addr uint64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(t span) bool { return t.lo == addr })
}

func cmp(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// bounds is what a checked kernel reads: for each argument the buffer that it points into, or all memory when it is in none, and nothing
// for null; then all buffers.
func (r *registry) bounds(words []uint64) []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]uint64, 0, 2*len(words)+1+2*len(r.list))
	for _, w := range words {
		s := span{0, 1<<64 - 1}
		i, found := slices.BinarySearchFunc(r.list, w, func(t span, at uint64) int { return cmp(t.lo, at) })
		switch {
		case found:
			s = r.list[i]
		case i > 0 && w <= r.list[i-1].hi: // also one just behind the end, of which nothing can be read
			s = r.list[i-1]
		case w == 0:
			s = span{}
		}
		out = append(out, s.lo, s.hi)
	}
	out = append(out, uint64(len(r.list)))
	for _, s := range r.list {
		out = append(out, s.lo, s.hi)
	}
	return out
}

// Fault is what stopped a kernel: an assertion that failed, or, where accesses are checked, one out of bounds.
type Fault struct {
	Kernel  string
	Program [3]int
	Msg     string
	Op      string
	Locs    []string // the place in the source, then the calls that led there
}

// Error is the place in the kernel's source, what is wrong, and where in the grid; then the calls that led there.
//
//	softmax.py:14:9: out of bounds load of 4 bytes at offset 400 of x_ptr (400 bytes)
//	    bufferization.to_tensor in softmax_kernel, program (3, 0, 0)
func (f *Fault) Error() string {
	var b strings.Builder
	if len(f.Locs) > 0 {
		b.WriteString(f.Locs[0] + ": ")
	}
	b.WriteString(f.Msg)
	fmt.Fprintf(&b, "\n    %s in %s, program (%d, %d, %d)", f.Op, f.Kernel, f.Program[0], f.Program[1], f.Program[2])
	for _, p := range f.Locs[min(1, len(f.Locs)):] {
		b.WriteString("\n    called at " + p)
	}
	return b.String()
}

// fault says what a kernel stopped with.
func (k *kernel) fault(t *pool.Trap, grid [3]int, words, bounds []uint64) error {
	if t.Code < 1 || int(t.Code) > len(k.sites) {
		return fmt.Errorf("%s: %w", k.name, t)
	}
	site, p := k.sites[t.Code-1], int(t.Words[0])
	f := &Fault{Kernel: k.name, Op: site.Op, Locs: site.Locs}
	f.Program = [3]int{p % grid[0], p / grid[0] % grid[1], p / (grid[0] * grid[1])}
	if site.Kind == codegen.Assertion {
		f.Msg = "device assertion failed: " + site.What
		return f
	}
	f.Msg = "out of bounds " + site.What
	i := site.Arg
	switch addr := t.Words[1]; {
	case i < 0 || i >= len(words):
		f.Msg += fmt.Sprintf(" at address %#x, which is in no buffer", addr)
	case words[i] == 0:
		f.Msg += fmt.Sprintf(" at address %#x: %s is null", addr, argument(site))
	default:
		lo, hi := bounds[2*i], bounds[2*i+1]
		f.Msg += fmt.Sprintf(" at offset %d of %s (%d bytes)", int64(addr-lo), argument(site), hi-lo)
	}
	return f
}

// argument is what to call the argument of a site.
func argument(s codegen.Site) string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprintf("argument %d", s.Arg)
}
