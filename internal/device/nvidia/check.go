package nvidia

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/device/stray"
)

// A checked kernel writes its first fault to a record (lower/check.go). The record is memory of the host that
// the GPU writes too, so a launch reads it without a copy, even if the context was lost.

// Bounds is what a launch tells checked code: the memory that its pointers may access.
type Bounds struct {
	code *Code
	grid [3]int
	args []device.Memory // bounds of each argument in Check.Args; empty for a null pointer
	// first byte and size of each piece that a pointer derived from no argument may access
	all []uint64
}

// Bounds returns the bounds of a launch. live returns the buffers of the device; it is called only if the
// code has pointers that are derived from no argument.
func (k *Code) Bounds(grid [3]int, mem []device.Memory, live func() []stray.Span) *Bounds {
	b := &Bounds{code: k, grid: grid, args: make([]device.Memory, len(k.Check.Args))}
	for _, m := range mem {
		if i := slices.Index(k.Check.Args, m.Word); i >= 0 && m.Lo < m.Hi {
			b.args[i] = m
		}
	}
	if !k.Check.Wild() {
		return b
	}
	for _, m := range mem {
		b.all = append(b.all, m.Lo, m.Hi-m.Lo)
	}
	for _, s := range live() {
		b.all = append(b.all, s.Lo, s.Size)
	}
	return b
}

// Size returns the number of bytes of the record.
func (b *Bounds) Size() int { return 8 * (gpucode.RecordWords + len(b.all)) }

// Begin initializes the record before a launch: no fault yet, then the number of buffers and their bounds.
func (b *Bounds) Begin(record []byte) {
	words := make([]uint64, gpucode.RecordWords, gpucode.RecordWords+len(b.all))
	words[1], words[2] = math.MaxUint64, uint64(len(b.all)/2)
	for i, w := range append(words, b.all...) {
		binary.LittleEndian.PutUint64(record[8*i:], w)
	}
}

// Words returns the arguments of a launch behind the kernel's own: the address of the record and the bounds.
func (b *Bounds) Words(record uint64) []uint64 {
	out := []uint64{record}
	for _, m := range b.args {
		out = append(out, m.Lo, m.Hi-m.Lo)
	}
	return out
}

// checkWords returns the number of such arguments.
func (k *Code) checkWords() int {
	if k.Check == nil {
		return 0
	}
	return 1 + 2*len(k.Check.Args)
}

// Fault returns the fault that a launch has left in its record, or nil.
func (b *Bounds) Fault(record []byte) error {
	first, address := binary.LittleEndian.Uint64(record), binary.LittleEndian.Uint64(record[8:])
	site, program := first>>gpucode.SiteShift, int(first&(1<<gpucode.SiteShift-1))
	sites := b.code.Check.Sites
	if first == 0 {
		return nil
	}
	if site == 0 || site > uint64(len(sites)) {
		return fmt.Errorf("%s: the record of its faults was overwritten", b.code.Name)
	}
	s := &sites[site-1]
	f := &stray.Fault{Kernel: b.code.Name, Locs: s.Locs,
		Program: [3]int{program % b.grid[0], program / b.grid[0] % b.grid[1],
			program / b.grid[0] / b.grid[1]}}
	switch {
	case s.What == "":
		f.Msg = "assertion failed: " + s.Message
	case !s.Wild && len(s.Args) == 1:
		i := slices.Index(b.code.Check.Args, s.Args[0])
		f.Access = access(s, address, b.args[i])
		f.Access.Name = b.code.Check.Names[i]
		f.Arg, f.Index = f.Access.Name, f.Access.Index()
		f.Msg = f.Access.Text(fmt.Sprintf("argument %d", s.Args[0]))
	case b.knows(s, address):
		f.Msg = fmt.Sprintf("misaligned %s of %d bytes at address %#x", s.What, s.Bytes, address)
	default:
		f.Msg = fmt.Sprintf("out of bounds %s of %d bytes at address %#x, which is %s", s.What,
			s.Size, address, b.outside(s))
	}
	return f
}

// knows reports whether the bytes at an address lie in memory that the pointers of a site may access.
func (b *Bounds) knows(s *gpucode.Site, address uint64) bool {
	all := b.all
	if !s.Wild {
		all = nil
		for _, a := range s.Args {
			m := b.args[slices.Index(b.code.Check.Args, a)]
			all = append(all, m.Lo, m.Hi-m.Lo)
		}
	}
	for p := range slices.Chunk(all, 2) {
		if off := address - p[0]; off <= p[1] && p[1]-off >= uint64(s.Bytes) {
			return true
		}
	}
	return false
}

// outside says where a pointer that may be derived from several arguments, or from none, points.
func (b *Bounds) outside(s *gpucode.Site) string {
	if s.Wild {
		return "in no tensor of the launch and in no buffer of the device"
	}
	var names []string
	for _, a := range s.Args {
		names = append(names, b.code.Check.Names[slices.Index(b.code.Check.Args, a)])
	}
	return "outside of the tensors that the pointer may belong to: " + strings.Join(names, ", ")
}

// access describes an access to an argument's memory: by its first element that is not there or, if all are
// there, by its address, which is not aligned.
func access(s *gpucode.Site, address uint64, m device.Memory) *stray.Access {
	a := &stray.Access{What: s.What, Size: s.Size, Word: s.Args[0], Null: m.Hi == 0,
		Offset: int64(address - m.Lo), Bytes: int64(m.Hi - m.Lo)}
	switch {
	case a.Null || a.Offset < 0:
	case a.Offset+int64(s.Bytes) <= a.Bytes:
		a.Misaligned = true
		if address%uint64(s.Size) == 0 { // the elements are, but not the instruction that loads them all
			a.Size = s.Bytes
		}
	case a.Offset < a.Bytes:
		a.Offset += (a.Bytes - a.Offset) / int64(s.Size) * int64(s.Size)
	}
	return a
}

// plain reports whether the parameters of a launch are the words of its arguments, and what Uniform computes.
func (k *Code) plain() bool {
	return k.Scratch == 0 && k.Maps == nil && k.Check == nil && !k.Persistent &&
		k.Scopes == nil
}

// checkCheck returns an error if code from a cache does not describe its sites well.
func (k *Code) checkCheck() error {
	c := k.Check
	if c == nil {
		return nil
	}
	bad := len(c.Names) != len(c.Args) || len(k.Maps) > 0 ||
		slices.ContainsFunc(c.Args, func(a int) bool { return a < 0 || a >= len(k.Params) })
	for _, s := range c.Sites {
		bad = bad || s.What != "" && (s.Size < 1 || s.Bytes < s.Size) ||
			slices.ContainsFunc(s.Args, func(a int) bool { return !slices.Contains(c.Args, a) })
	}
	if bad {
		return fmt.Errorf("the kernel's description of its checks is not right")
	}
	return nil
}

// records keeps the records of a device for later launches.
type records struct {
	mu    sync.Mutex
	spare []*driver.HostBuffer
}

// get returns a record of at least that many bytes.
func (r *records) get(c *driver.Context, size int) (*driver.HostBuffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.spare, func(b *driver.HostBuffer) bool {
		return len(b.Bytes()) >= size
	}); i >= 0 {
		b := r.spare[i]
		r.spare = slices.Delete(r.spare, i, i+1)
		return b, nil
	}
	return c.AllocHost(max(size, minRecord))
}

// minRecord is the least size of an allocated record: with one size for nearly all kernels, a launch can
// reuse the record of any earlier one.
const minRecord = 4096

func (r *records) put(b *driver.HostBuffer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = append(r.spare, b)
}

// Bounded reports whether the code checks its accesses.
func (k *kernel) Bounded() bool { return k.code.Check != nil }

// Apart returns the arguments whose memory the code assumes not to overlap.
func (k *kernel) Apart() []device.Apart { return k.code.Apart() }

// LaunchBounded launches checked code and waits for it, because only its end shows whether all was well.
func (k *kernel) LaunchBounded(_ context.Context, s device.Stream, grid [3]int, words []uint64,
	mem []device.Memory) error {
	on := s.(stream)
	if is, err := on.Capturing(); err != nil || is {
		return errors.Join(fmt.Errorf("%s: a checked launch waits for its kernel: %w", k.code.Name,
			device.ErrCapturing), err)
	}
	if _, err := k.code.Count(grid); err != nil || len(words) != k.words {
		return errors.Join(err, k.misfit(words))
	}
	b := k.code.Bounds(grid, mem, k.dev.memory.Spans)
	record, err := k.dev.records.get(k.fn.Context(), b.Size())
	if err != nil {
		return err
	}
	b.Begin(record.Bytes())
	if err := k.launchAny(s, grid, words, b.Words(record.Addr())); err != nil {
		k.dev.records.put(record)
		return err
	}
	if err := on.Sync(); err != nil {
		return errors.Join(b.Fault(record.Bytes()), err) // the device may still write to the record
	}
	defer k.dev.records.put(record)
	return b.Fault(record.Bytes())
}

// misfit returns an error unless there are as many words as the arguments have.
func (k *kernel) misfit(words []uint64) error {
	if len(words) == k.words {
		return nil
	}
	return fmt.Errorf("%s takes %d words of arguments, not %d", k.code.Name, k.words, len(words))
}
