package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// spreadOverLanes reports whether the lanes of a warp hold partial results of different elements. With
// throughShared, which has the warps' partial results of an element side by side, their accesses would then
// meet in a few banks.
func (r *reduction) spreadOverLanes() bool {
	if _, ok := r.to.(*ir.TensorType); !ok || r.l.ctas > 1 {
		return false
	}
	for i := range r.ll.InBits(layout.Lane) {
		if r.restAt(r.ll, place{lane: 1 << i}) != 0 {
			return true
		}
	}
	return false
}

// restAt returns the flat position, without the axis, of the element at p in ll, the operand's layout.
func (r *reduction) restAt(ll layout.Layout, p place) int {
	return flat(dropAxis(coords(ll, p), r.axis), dropAxis(outShape(ll), r.axis))
}

// throughSharedInRows does what throughShared does with a row for each warp: neighbouring lanes access
// neighbouring elements, and a thread several at once.
func (r *reduction) throughSharedInRows(warps []step) {
	l := r.l
	size := r.places().size
	clear := r.canonicalBits()
	var own, images []int
	for i := range r.ll.InBits(layout.Register) {
		if bit := 1 << i; bit&clear == 0 {
			own, images = append(own, bit), append(images, r.restAt(r.ll, place{reg: bit}))
		}
	}
	cvt := tableLayout(size<<len(warps), images, r.ll, func(p place) int {
		row := 0
		for i, s := range warps {
			if p.warp&s.bit.warp != 0 {
				row |= 1 << i
			}
		}
		return row*size + r.restAt(r.ll, p)
	})
	bases, writer := l.alloc.scratch(r.op), r.writers(warps)
	for e, elem := range r.elems {
		regs := make([]string, 1<<len(own))
		for i := range regs {
			regs[i] = r.acc[spread(i, own)][e]
		}
		l.storeAll(scratchAt(bases[e], elem), cvt, regs, 0, writer)
	}
	l.barrier()
	rows := 1 << len(warps)
	if r.readsOften(size, rows) {
		r.sumInPlace(size, rows, bases)
		l.barrier()
		rows = 1
	}
	results := r.sumRows(size, rows, bases)
	r.finishAt(func(reg int, _ []int) []string { return results[reg] })
}

// readsOften reports whether threads would read many partial results each that other threads read as well.
// Combining them first takes a barrier more.
func (r *reduction) readsOften(size, rows int) bool {
	threads := r.l.threads()
	each := rows << len(ownBits(r.l.layout(r.op, r.to)))
	return each >= 2*rows*max(1, size/threads) && rules.Holds(r.l.rules, rules.OftenRead, each)
}

// sumInPlace combines the rows that throughSharedInRows has written, each element by one thread, into the
// first row.
func (r *reduction) sumInPlace(size, rows int, bases []int) {
	l := r.l
	threads := l.threads()
	for first := 0; first < size; first += threads {
		at := l.add(l.ids.tid, itoa(first))
		sum := func() {
			var acc []string
			for row := range rows {
				vals := make([]string, len(r.elems))
				for e, t := range r.elems {
					vals[e] = l.loadFrom(t, bases[e], l.add(at, itoa(row*size)), "")
				}
				if acc != nil {
					vals = l.combine(r.op, acc, vals)
				}
				acc = vals
			}
			for e, t := range r.elems {
				l.storeShared(acc[e], t, bases[e], at, "")
			}
		}
		if first+threads > size {
			l.when(l.val("icmp ult i32 %s, %d", l.ids.tid, size-first), sum)
			continue
		}
		sum()
	}
}

// sumRows combines the rows that throughSharedInRows has written, for each register of the result. Registers
// that one access reads advance together, row by row, so that few values are alive at a time.
func (r *reduction) sumRows(size, rows int, bases []int) [][]string {
	l := r.l
	to := l.layout(r.op, r.to)
	shape := outShape(to)
	var images []int
	for i := range to.InBits(layout.Register) {
		images = append(images, flat(registerCoords(to, 1<<i), shape))
	}
	n := len(images)
	for w := 1; w < rows; w *= 2 {
		images = append(images, w*size)
	}
	cvt := tableLayout(size*rows, images, to, func(p place) int { return flat(coords(to, p), shape) })
	var loads []lazyLoad
	for e, elem := range r.elems {
		loads = append(loads, l.lazyLoad(scratchAt(bases[e], elem), cvt))
	}
	groups, keys := map[int][]int{}, []int{}
	for reg := range 1 << n {
		k := loads[0].vector(reg)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], reg)
	}
	out := make([][]string, 1<<n)
	for _, k := range keys {
		for w := range rows {
			for _, reg := range groups[k] {
				vals := make([]string, len(loads))
				for e, z := range loads {
					vals[e] = z.get(w<<n | reg)
				}
				if w > 0 {
					vals = l.combine(r.op, out[reg], vals)
				}
				out[reg] = vals
			}
		}
	}
	return out
}

// ownBits returns the bits of a layout's registers that hold elements of their own. The zero layout has none.
func ownBits(ll layout.Layout) (out []int) {
	if !slices.Contains(ll.InNames(), layout.Register) {
		return nil
	}
	free := ll.FreeVariablesIn(layout.Register)
	for i := range ll.InBits(layout.Register) {
		if free>>i&1 == 0 {
			out = append(out, 1<<i)
		}
	}
	return out
}

// byLanes combines the n partial results of each element of a result that all lanes hold: each lane reads
// one of one element, so that a combination serves several elements, and sends what comes of it to all.
func (r *reduction) byLanes(to layout.Layout, at places, n int, bases []int) {
	l, shape, bits := r.l, outShape(to), ownBits(to)
	near := bits[:min(len(bits), log2(l.vendor.lanes()/n))] // elements that lanes read at once
	far := bits[len(near):]
	row := l.atEntry(func() string {
		row := "0"
		for i, b := range near {
			bit := l.val("and i32 %s, %d", l.ids.lane, n<<i)
			set := l.val("icmp ne i32 %s, 0", bit)
			image := flat(registerCoords(to, b), shape)
			row = l.xor(row, l.val("select i1 %s, i32 %d, i32 0", set, image))
		}
		return row
	})
	out := map[int][]string{}
	for i := range 1 << len(far) {
		first := spread(i, far)
		off := l.xor(at.read(first, registerCoords(to, first)), row)
		vals := r.gather(l.mul(off, n), n, n, bases, "")
		for j := range 1 << len(near) {
			c := registerCoords(to, first|spread(j, near))
			for e, v := range vals {
				out[flat(c, shape)] = append(out[flat(c, shape)], l.shuffleIdx(v, r.elems[e], itoa(j*n)))
			}
		}
	}
	r.finish(func(c []int) []string { return out[flat(c, shape)] })
}
