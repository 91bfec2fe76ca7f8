package lower

import "github.com/nereid-lang/nereid/internal/layout"

// Places in a buffer, for instructions that move matrices.

// countUp reports whether offsets are 1, 2, 4, …
func countUp(offsets []int) bool {
	for i, o := range offsets {
		if o != 1<<i {
			return false
		}
	}
	return true
}

// apart reports whether all offsets are multiples of row.
func apart(row int, lists ...[]int) bool {
	for _, offsets := range lists {
		for _, o := range offsets {
			if o%row != 0 {
				return false
			}
		}
	}
	return true
}

// offsetsOf returns the offsets that the bits of input name stand for.
func offsetsOf(cvt layout.Layout, name string) []int {
	out := make([]int, cvt.InBits(name))
	for i := range out {
		out[i] = cvt.BasisAlong(name, i, layout.Offset)
	}
	return out
}

// placesLayout returns the layout that maps registers, lanes and warps to offsets in a buffer of the given
// size.
func placesLayout(regs, lanes, warps []int, size int) layout.Layout {
	vectors := func(offsets []int) [][]int {
		out := make([][]int, len(offsets))
		for i, o := range offsets {
			out[i] = []int{o}
		}
		return out
	}
	return layout.Must(layout.New([]layout.Bases{{Name: layout.Register, Vectors: vectors(regs)},
		{Name: layout.Lane, Vectors: vectors(lanes)}, {Name: layout.Warp, Vectors: vectors(warps)}},
		[]layout.Dim{{Name: layout.Offset, Size: size}}))
}
