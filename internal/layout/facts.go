package layout

import "slices"

// CountPerDim says how many points an input dimension has along each output dimension, as if each of its
// bits moved along one of them: threads per warp for lanes, warps per CTA for warps. Bits that move nothing
// do not count.
func (l Layout) CountPerDim(in string) []int { return l.countPerDim(in, false) }

// CountPerDimWithCopies is CountPerDim with bits that move nothing counted to the dimension of the bit
// before them.
func (l Layout) CountPerDimWithCopies(in string) []int { return l.countPerDim(in, true) }

func (l Layout) countPerDim(in string, copies bool) []int {
	n := slices.Repeat([]int{1}, len(l.outs))
	at := 0
	for _, v := range l.Bases(in) {
		d := firstNonZero(v)
		if d >= 0 {
			at = d
		}
		if (d >= 0 || copies) && len(n) > 0 {
			n[at] *= 2
		}
	}
	return n
}

func firstNonZero(v []int) int { return slices.IndexFunc(v, func(x int) bool { return x != 0 }) }

// OrderOf lists the output dimensions as the bits of an input dimension first move along them, then the
// others in the order of rest.
func (l Layout) OrderOf(in string, rest []int) []int {
	var order []int
	add := func(d int) {
		if d >= 0 && !slices.Contains(order, d) {
			order = append(order, d)
		}
	}
	for _, v := range l.Bases(in) {
		add(firstNonZero(v))
	}
	for _, d := range rest {
		add(d)
	}
	return order
}

// Order lists a tensor's dimensions as the registers of a thread go through them, the fastest first; those
// that they do not move along come last, the last dimension first.
func (l Layout) Order() []int { return l.OrderOf(l.ins[0].name, RowMajor(len(l.outs))) }

// ThreadOrder and WarpOrder list a tensor's dimensions as lanes or warps go through them, then by Order.
func (l Layout) ThreadOrder() []int { return l.OrderOf(Lane, l.Order()) }
func (l Layout) WarpOrder() []int   { return l.OrderOf(Warp, l.Order()) }

// RowMajor is the order in which the last dimension is the fastest.
func RowMajor(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return order
}

// ContigPerThread is, for each dimension of a tensor, how many elements in a row the registers of a thread
// hold, from register 0 on, the dimensions taken by Order.
func (l Layout) ContigPerThread() []int {
	return l.contig(Register, slices.Repeat([]int{1}, len(l.outs)))
}

// ContigPerWarp is ContigPerThread with the lanes of a warp taken together.
func (l Layout) ContigPerWarp() []int { return l.contig(Lane, l.ContigPerThread()) }

func (l Layout) contig(in string, from []int) []int {
	n := slices.Clone(from)
	cols := l.columns(in)
	start := make([]int, len(l.outs))
	for i := 1; i < len(start); i++ {
		start[i] = start[i-1] + l.outs[i-1].bits
	}
	for _, d := range l.Order() {
		for len(cols) > 0 && n[d] < 1<<l.outs[d].bits && cols[0] == uint64(n[d])<<start[d] {
			n[d] *= 2
			cols = cols[1:]
		}
	}
	return n
}

// SizePerThread is the tile of a tensor that a thread holds before the layout starts over: its registers
// without the repetitions that fill up the tensor, those of the highest bits.
func (l Layout) SizePerThread() []int {
	shape := make([]int, len(l.outs))
	split := slices.Repeat([]int{1}, len(l.outs))
	if l.HasIn(Block) {
		split = l.CountPerDim(Block)
	}
	for i, a := range l.outs {
		shape[i] = 1 << a.bits / split[i]
	}
	regs := l.Bases(Register)
	last := -1
	var seen []int
	for len(regs) > 0 {
		v := regs[len(regs)-1]
		d := firstNonZero(v)
		if d < 0 {
			break
		}
		if !slices.Contains(seen, d) {
			seen = append(seen, d)
			last = d
		}
		if d != last || 2*v[d] != shape[d] {
			break
		}
		shape[d] /= 2
		regs = regs[:len(regs)-1]
	}
	return l.ResizeIn(Register, 1<<len(regs)).CountPerDim(Register)
}

// ColumnMajor is 0, 1, …: the order in which the first dimension is the fastest.
func ColumnMajor(rank int) []int {
	order := RowMajor(rank)
	slices.Reverse(order)
	return order
}
