package lower

import (
	"fmt"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/layout"
)

// threadIDs holds the names of the thread's numbers, computed once at the start of the function.
type threadIDs struct {
	tid, lane, warp, block string
	// warp, provably equal in all lanes; "" until uniformPart needs it
	group  string
	coords map[string]string // threadPart by layout and dimension
	zeros  map[string]string // hiddenZero by type
}

func (l *lowering) threadIDs() {
	l.atEntry(l.readThreadIDs)
}

func (l *lowering) readThreadIDs() string {
	tid := l.vendor.threadID(l)
	l.ids = threadIDs{tid: tid, block: "0",
		coords: map[string]string{}, zeros: map[string]string{}}
	l.ids.lane = l.val("and i32 %s, %d", tid, l.lastLane())
	l.ids.warp = "0"
	if l.warps > 1 {
		l.ids.warp = l.val("lshr i32 %s, %d", tid, log2(l.vendor.lanes()))
	}
	if l.ctas > 1 {
		l.ids.block = l.vendor.blockRank(l)
	}
	return ""
}

// lastLane returns the highest number of a lane, which is also the mask of its bits.
func (g *program) lastLane() int { return g.vendor.lanes() - 1 }

// in returns the LLVM value of an input dimension of a layout.
func (l *lowering) in(dim string) string {
	switch dim {
	case layout.Lane:
		return l.ids.lane
	case layout.Warp:
		return l.ids.warp
	}
	return l.ids.block
}

// threadDims lists the input dimensions that the thread's place decides.
var threadDims = []string{layout.Lane, layout.Warp, layout.Block}

// linear emits the part of output out that the thread's place contributes: the xor of the basis vectors of
// its lane, warp and block bits. Bits i to i+n whose images are consecutive powers of two are moved as one
// field. Lanes and warps are bits of one number, so a field may have bits of both: LLVM then sees that such a
// coordinate and a constant are a sum, which it does not for one of several fields (scalar evolution).
func (l *lowering) linear(ll layout.Layout, out string) string {
	images := func(in string) []int {
		if !ll.HasIn(in) {
			return nil
		}
		v := make([]int, ll.InBits(in))
		for i := range v {
			v[i] = ll.BasisAlong(in, i, out)
		}
		return v
	}
	thread := images(layout.Lane)
	if l.warps > 1 {
		thread = append(thread, make([]int, log2(l.vendor.lanes())-len(thread))...)
		thread = append(thread, images(layout.Warp)...)
	}
	fields := append(l.fieldsOf(l.ids.tid, thread), l.fieldsOf(l.ids.block, images(layout.Block))...)
	acc := "0"
	for _, field := range fields {
		acc = l.xor(acc, field)
	}
	return acc
}

// fieldsOf returns the parts whose xor is the image of x under a linear map. images has the image of each
// bit.
func (l *lowering) fieldsOf(x string, images []int) (fields []string) {
	for i := 0; i < len(images); {
		basis := images[i]
		if basis == 0 {
			i++
			continue
		}
		run := 1
		if basis&(basis-1) == 0 {
			for i+run < len(images) && images[i+run] == basis<<run {
				run++
			}
		}
		fields = append(fields, l.field(x, i, run, basis))
		i += run
	}
	return fields
}

// field moves bits i to i+run of x to where basis points. A basis of several bits is selected if bit i is
// set.
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

// threadPart returns the value of linear, computed once in the prologue.
func (l *lowering) threadPart(ll layout.Layout, out string) string {
	key := ll.Key() + "/" + out
	if v, ok := l.ids.coords[key]; ok {
		return v
	}
	v := l.atEntry(func() string { return l.linear(ll, out) })
	l.ids.coords[key] = v
	return v
}

// atEntry emits the instructions of f into the prologue, which dominates everything.
func (l *lowering) atEntry(f func() string) string {
	l.lines, l.prologue = l.prologue, l.lines
	v := f()
	l.lines, l.prologue = l.prologue, l.lines
	return v
}

// coordinate returns dimension out of the element in register reg of this thread.
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

// threadBits returns the bits that the thread's part of out can have.
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

// owns returns the condition under which this thread acts for the elements it holds: true in the first of the
// threads that hold copies, "" if there are no copies.
func (l *lowering) owns(ll layout.Layout) string { return l.ownsAmong(ll, threadDims) }

// ownsInBlock returns the condition of owns within a block: each block of a cluster acts for itself.
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
	// A layout of fewer warps than the program's repeats over the others.
	if n := ll.InSize(layout.Warp); ll.HasIn(layout.Warp) && n < l.warps {
		small := l.val("icmp ult i32 %s, %d", l.ids.warp, n)
		if cond == "" {
			return small
		}
		return l.val("and i1 %s, %s", cond, small)
	}
	return cond
}

// repeats reports whether threads hold copies of elements, that is, whether owns returns a condition.
func (l *lowering) repeats(ll layout.Layout) bool {
	for _, in := range threadDims {
		if ll.HasIn(in) && ll.FreeVariablesIn(in) != 0 {
			return true
		}
	}
	return ll.HasIn(layout.Warp) && ll.InSize(layout.Warp) < l.warps
}

// scalarOwner returns the condition for acting once for the whole program.
func (l *lowering) scalarOwner() string {
	if l.ctas > 1 {
		return l.val("icmp eq i32 %s, 0", l.val("or i32 %s, %s", l.ids.tid, l.ids.block))
	}
	return l.val("icmp eq i32 %s, 0", l.ids.tid)
}
