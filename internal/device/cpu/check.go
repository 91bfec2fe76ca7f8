package cpu

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/cpu/pool"
	"github.com/nereid-lang/nereid/internal/device/stray"
)

// add records a buffer until it is removed or collected. It does not keep the buffer alive.
func (d *Device) add(b *buffer) {
	b.of, b.id = &d.memory, d.memory.Add(b.Addr(), uint64(b.Size()))
	runtime.AddCleanup(b, d.memory.Remove, b.id)
}

// bounds returns the words that a checked kernel reads: for each argument the memory of its tensor, empty if
// it is none; then, if the kernel has pointers not derived from arguments, all memory they may point into:
// the tensors of this launch and the buffers of the device.
func (k *kernel) bounds(words int, mem []device.Memory) []uint64 {
	out := make([]uint64, 2*words+1, 2*words+1+2*len(mem))
	for _, m := range mem {
		if m.Word < words && m.Lo < m.Hi {
			out[2*m.Word], out[2*m.Word+1] = m.Lo, m.Hi-m.Lo
		}
	}
	if !k.wild {
		return out
	}
	for _, m := range mem {
		out = append(out, m.Lo, m.Hi-m.Lo)
	}
	for _, s := range k.dev.memory.Spans() {
		out = append(out, s.Lo, s.Size)
	}
	out[2*words] = uint64(len(out)-2*words-1) / 2
	return out
}

// wild reports whether a kernel checks pointers that were derived from no argument.
func wild(sites []Site) bool {
	return slices.ContainsFunc(sites, func(s Site) bool { return s.Wild })
}

// Fault is the error of a kernel that stopped: a failed assertion or, in checked code, an access out of
// bounds.
type Fault = stray.Fault

// fault returns the error for the site at which a kernel stopped.
func (k *kernel) fault(t *pool.Trap, grid [3]int, words, bounds []uint64) error {
	if t.Code < 1 || int(t.Code) > len(k.sites) {
		return fmt.Errorf("%s: %w", k.name, t)
	}
	site, p := k.sites[t.Code-1], int(t.Words[0])
	f := &Fault{Kernel: k.name, Op: site.Op, Locs: site.Locs}
	f.Program = [3]int{p % grid[0], p / grid[0] % grid[1], p / (grid[0] * grid[1])}
	if site.Kind == Assertion {
		f.Msg = "assertion failed: " + site.What
		return f
	}
	f.Msg = "out of bounds " + site.What
	i := site.Arg
	switch addr := t.Words[1]; {
	case (i < 0 || i >= len(words)) && site.Wild:
		f.Msg += fmt.Sprintf(" at address %#x, which is in no tensor of the launch and in no buffer of the "+
			"device", addr)
	case i < 0 || i >= len(words):
		f.Msg += fmt.Sprintf(" at address %#x, which is outside of the tensor that the pointer belongs to",
			addr)
	case words[i] == 0:
		f.Access = &stray.Access{What: kindOf(site), Size: int(accessed(site)), Word: i, Name: site.Name,
			Null: true}
		f.Msg += fmt.Sprintf(" at address %#x: %s is null", addr, argument(site))
	default:
		offset := int64(addr - bounds[2*i])
		f.Msg += fmt.Sprintf(" at offset %d of %s (%d bytes)", offset, argument(site), bounds[2*i+1])
		f.Access = &stray.Access{What: kindOf(site), Size: int(accessed(site)), Word: i, Name: site.Name,
			Offset: offset, Bytes: int64(bounds[2*i+1])}
		f.Arg, f.Index = site.Name, f.Access.Index()
	}
	return f
}

// kindOf returns "load", "store" or "atomic".
func kindOf(s Site) string {
	what, _, _ := strings.Cut(s.What, " of ")
	return what
}

// accessed returns the bytes of an element that a site accesses.
func accessed(s Site) int64 {
	var n int64
	if _, of, ok := strings.Cut(s.What, " of "); ok {
		fmt.Sscanf(of, "%d bytes", &n)
	}
	return max(n, 1)
}

// argument returns the name of a site's argument for messages.
func argument(s Site) string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprintf("argument %d", s.Arg)
}
