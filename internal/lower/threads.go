package lower

import (
	"fmt"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/layout"
)

// threadIDs are the names of the thread's place: computed once at the kernel's start.
type threadIDs struct {
	tid, lane, warp, block string
	group                  string            // the warp, known to be the same in all lanes; "" before it is wanted
	coords                 map[string]string // thread parts of coordinates, by layout and dimension
}

func (l *lowering) threadIDs() {
	l.atEntry(l.readThreadIDs)
}

func (l *lowering) readThreadIDs() string {
	w := l.writer
	tid := w.call("i32", "llvm.nvvm.read.ptx.sreg.tid.x")
	l.ids = threadIDs{tid: tid, coords: map[string]string{}, block: "0"}
	l.ids.lane = w.val("and i32 %s, 31", tid)
	l.ids.warp = "0"
	if l.warps > 1 {
		l.ids.warp = w.val("lshr i32 %s, 5", tid)
	}
	if l.ctas > 1 {
		l.ids.block = w.call("i32", "llvm.nvvm.read.ptx.sreg.cluster.ctarank")
	}
	return ""
}

// in is the LLVM value of an input dimension of a layout.
func (l *lowering) in(dim string) string {
	switch dim {
	case layout.Lane:
		return l.ids.lane
	case layout.Warp:
		return l.ids.warp
	}
	return l.ids.block
}

// threadDims are the input dimensions that a thread's place decides.
var threadDims = []string{layout.Lane, layout.Warp, layout.Block}

// linear is the part of output dim of a layout that the thread's place gives: the exclusive or, over the bits of lane, warp and block, of
// their basis vectors. Bits that move together, i to i+n with images 1<<s onwards, are moved as one field.
func (l *lowering) linear(ll layout.Layout, out string) string {
	acc := ""
	for _, in := range threadDims {
		if !ll.HasIn(in) {
			continue
		}
		n := ll.InBits(in)
		for i := 0; i < n; {
			basis := ll.BasisAlong(in, i, out)
			if basis == 0 {
				i++
				continue
			}
			run := 1
			if basis&(basis-1) == 0 {
				for i+run < n && ll.BasisAlong(in, i+run, out) == basis<<run {
					run++
				}
			}
			field := l.field(l.in(in), i, run, basis)
			if acc == "" {
				acc = field
			} else {
				acc = l.val("xor i32 %s, %s", acc, field)
			}
			i += run
		}
	}
	if acc == "" {
		return "0"
	}
	return acc
}

// field moves bits i to i+run of x to where basis points; a basis of several bits is taken when the bit is set.
func (l *lowering) field(x string, i, run, basis int) string {
	if x == "0" {
		return "0"
	}
	if basis&(basis-1) != 0 {
		bit := l.val("and i32 %s, %d", x, 1<<i)
		set := l.val("icmp ne i32 %s, 0", bit)
		return l.val("select i1 %s, i32 %d, i32 0", set, basis)
	}
	masked := l.val("and i32 %s, %d", x, (1<<run-1)<<i)
	switch s := bits.TrailingZeros(uint(basis)) - i; {
	case s > 0:
		return l.val("shl nuw nsw i32 %s, %d", masked, s)
	case s < 0:
		return l.val("lshr exact i32 %s, %d", masked, -s)
	}
	return masked
}

// threadPart is linear, computed once in the prologue.
func (l *lowering) threadPart(ll layout.Layout, out string) string {
	key := ll.Key() + "/" + out
	if v, ok := l.ids.coords[key]; ok {
		return v
	}
	v := l.atEntry(func() string { return l.linear(ll, out) })
	l.ids.coords[key] = v
	return v
}

// atEntry writes instructions into the kernel's prologue, where they dominate everything.
func (l *lowering) atEntry(f func() string) string {
	l.lines, l.prologue = l.prologue, l.lines
	v := f()
	l.lines, l.prologue = l.prologue, l.lines
	return v
}

// coordinate is dimension out of the element that register reg of this thread holds.
func (l *lowering) coordinate(ll layout.Layout, reg int, out string) string {
	part := l.threadPart(ll, out)
	c := 0
	for i := range ll.InBits(layout.Register) {
		if reg>>i&1 != 0 {
			c ^= ll.BasisAlong(layout.Register, i, out)
		}
	}
	switch {
	case c == 0:
		return part
	case part == "0":
		return fmt.Sprint(c)
	case c&l.threadBits(ll, out) == 0:
		return l.val("or disjoint i32 %s, %d", part, c)
	}
	return l.val("xor i32 %s, %d", part, c)
}

// threadBits are the bits that the thread part of a coordinate can have.
func (l *lowering) threadBits(ll layout.Layout, out string) int {
	m := 0
	for _, in := range threadDims {
		if ll.HasIn(in) {
			for i := range ll.InBits(in) {
				m |= ll.BasisAlong(in, i, out)
			}
		}
	}
	return m
}

// owns is the condition under which this thread is the one to act for the elements it holds: among threads with copies of the same
// elements only the first does. It is "" when there are no copies.
func (l *lowering) owns(ll layout.Layout) string { return l.ownsAmong(ll, threadDims) }

// ownsInBlock is owns for what each block of a cluster does for itself.
func (l *lowering) ownsInBlock(ll layout.Layout) string { return l.ownsAmong(ll, blockDims) }

func (l *lowering) ownsAmong(ll layout.Layout, dims []string) string {
	cond := ""
	for _, in := range dims {
		if !ll.HasIn(in) {
			continue
		}
		free := ll.FreeVariablesIn(in)
		if free == 0 || l.in(in) == "0" {
			continue
		}
		bit := l.val("and i32 %s, %d", l.in(in), free)
		zero := l.val("icmp eq i32 %s, 0", bit)
		if cond == "" {
			cond = zero
		} else {
			cond = l.val("and i1 %s, %s", cond, zero)
		}
	}
	// A layout smaller than the program's warps repeats over those it does not mention.
	if n := ll.InSize(layout.Warp); ll.HasIn(layout.Warp) && n < l.warps {
		small := l.val("icmp ult i32 %s, %d", l.ids.warp, n)
		if cond == "" {
			return small
		}
		return l.val("and i1 %s, %s", cond, small)
	}
	return cond
}

// repeats reports whether threads have copies of the same elements: owns has something to say.
func (l *lowering) repeats(ll layout.Layout) bool {
	for _, in := range threadDims {
		if ll.HasIn(in) && ll.FreeVariablesIn(in) != 0 {
			return true
		}
	}
	return ll.HasIn(layout.Warp) && ll.InSize(layout.Warp) < l.warps
}

// scalarOwner is the condition for acting once for the whole program.
func (l *lowering) scalarOwner() string {
	if l.ctas > 1 {
		return l.val("icmp eq i32 %s, 0", l.val("or i32 %s, %s", l.ids.tid, l.ids.block))
	}
	return l.val("icmp eq i32 %s, 0", l.ids.tid)
}
