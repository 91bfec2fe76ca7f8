package gemm

import (
	"fmt"
	"math/bits"
)

// Products in a loop read one block after the other, each from other lines of memory. While a kernel
// multiplies, it fetches the lines of the next block into the second-level cache, a few at a time, so that
// they are there when the next call copies them. Products by tiles of AMX do not: they take so little time
// that the lines in flight delay their own loads.

const cacheLine = 64 // bytes

// ahead fetches the lines of an operand's next block.
type ahead struct {
	next        string // address of the block, or null
	step        string // bytes between runs of neighbouring elements
	shift, mask string // of a line's number: its run, and its place in the run
	count       string // variable: times that fetch was called
	lines       int    // for each call
	run         int    // lines that are certainly side by side
}

// ahead prepares to fetch a block of R×C elements in a number of calls. side is "a" or "b".
func (w *writer) ahead(side string, e Elem, R, C, calls int) *ahead {
	size := elems[e].size
	perRow, perColumn := max(1, C*size/cacheLine), max(1, R*size/cacheLine)
	total := max(R*perRow, C*perColumn)
	f := &ahead{lines: (total + calls - 1) / calls, run: min(perRow, perColumn)}
	rows, columns := w.is("eq", "%"+side+"cs", "1"), w.is("eq", "%"+side+"rs", "1")
	stride := w.val("select i1 %s, i64 %%%srs, i64 %%%scs", rows, side, side)
	f.step = w.mul(stride, fmt.Sprint(size))
	log := func(n int) int { return bits.TrailingZeros(uint(n)) }
	f.shift = w.val("select i1 %s, i64 %d, i64 %d", rows, log(perRow), log(perColumn))
	f.mask = w.val("select i1 %s, i64 %d, i64 %d", rows, perRow-1, perColumn-1)
	contiguous := w.val("or i1 %s, %s", rows, columns) // others are not fetched
	f.next = w.val("select i1 %s, ptr %%%snext, ptr null", contiguous, side)
	f.count = w.val("alloca i64")
	w.do("store i64 0, ptr %s", f.count)
	return f
}

// fetch fetches the next few lines.
func (f *ahead) fetch(w *writer) {
	w.branch(w.val("icmp ne ptr %s, null", f.next), func() {
		n := w.val("load i64, ptr %s", f.count)
		w.do("store i64 %s, ptr %s", w.addN(n, 1), f.count)
		first := w.mul(n, fmt.Sprint(f.lines))
		for i := 0; i < f.lines; {
			line := w.addN(first, i)
			run := w.mul(w.val("lshr i64 %s, %s", line, f.shift), f.step)
			place := w.mul(w.val("and i64 %s, %s", line, f.mask), fmt.Sprint(cacheLine))
			at := w.at("i8", f.next, w.add(run, place))
			for k := 0; k < f.run && i < f.lines; i, k = i+1, k+1 {
				w.prefetch(w.at("i8", at, fmt.Sprint(k*cacheLine)), 2)
			}
		}
	}, nil)
}

// prefetch asks for a line in the second-level cache if near is 2, and in the first-level one if it is 3. The
// address may be anything.
func (w *writer) prefetch(at string, near int) { w.fetchLine(at, 0, near) }

// prefetchWrite asks for a line that is written soon.
func (w *writer) prefetchWrite(at string) { w.fetchLine(at, 1, 3) }

func (w *writer) fetchLine(at string, write, near int) {
	const name = "llvm.prefetch.p0"
	w.lib.declares[name] = "declare void @" + name + "(ptr, i32 immarg, i32 immarg, i32 immarg)"
	w.do("call void @%s(ptr %s, i32 %d, i32 %d, i32 1)", name, at, write, near)
}
