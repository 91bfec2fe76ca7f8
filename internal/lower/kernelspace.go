package lower

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/layout"
)

// place says where an element is held: the numbers of a register, lane, warp and block. Places are vectors of
// bits; xor adds them.
type place struct{ reg, lane, warp, block int }

func (p place) xor(q place) place {
	return place{p.reg ^ q.reg, p.lane ^ q.lane, p.warp ^ q.warp, p.block ^ q.block}
}

// unitPlaces returns the places with a single bit set: registers first, then lanes, warps, blocks.
func unitPlaces(ll layout.Layout) []place {
	var out []place
	for i := range ll.InBits(layout.Register) {
		out = append(out, place{reg: 1 << i})
	}
	for i := range ll.InBits(layout.Lane) {
		out = append(out, place{lane: 1 << i})
	}
	for i := range ll.InBits(layout.Warp) {
		out = append(out, place{warp: 1 << i})
	}
	for i := range ll.InBits(layout.Block) {
		out = append(out, place{block: 1 << i})
	}
	return out
}

// coords returns the coordinates of the element at p.
func coords(ll layout.Layout, p place) []int {
	in := make([]int, len(ll.InDims()))
	for i, d := range ll.InNames() {
		switch d {
		case layout.Register:
			in[i] = p.reg
		case layout.Lane:
			in[i] = p.lane
		case layout.Warp:
			in[i] = p.warp
		case layout.Block:
			in[i] = p.block
		}
	}
	return ll.Apply(in...)
}

// flat returns the row-major number of coordinates.
func flat(c, shape []int) int {
	n := 0
	for i, x := range c {
		n = n*shape[i] + x
	}
	return n
}

// outShape returns the sizes of ll's outputs.
func outShape(ll layout.Layout) []int {
	var out []int
	for _, d := range ll.OutDims() {
		out = append(out, d.Size)
	}
	return out
}

// span is a set of independent vectors of bits, used to test whether another vector depends on them. Each
// vector remembers the place whose image it is.
type span struct {
	images []int
	places []place
}

// reduce subtracts the vectors of s from image as far as possible, and their places from p. The image of an
// independent vector does not become zero.
func (s *span) reduce(image int, p place) (int, place) {
	for i, v := range s.images {
		if image != 0 && bits.Len(uint(image^v)) < bits.Len(uint(image)) {
			image, p = image^v, p.xor(s.places[i])
		}
	}
	return image, p
}

// add inserts a reduced, nonzero vector. Images stay sorted by their highest bit, the highest first: reduce
// relies on it.
func (s *span) add(image int, p place) {
	i := 0
	for i < len(s.images) && bits.Len(uint(s.images[i])) > bits.Len(uint(image)) {
		i++
	}
	s.images = append(s.images[:i], append([]int{image}, s.images[i:]...)...)
	s.places = append(s.places[:i], append([]place{p}, s.places[i:]...)...)
}

// directions says how places move along one dimension while all other coordinates stay.
type directions struct {
	// independent steps that change the coordinate along the dimension: registers first, then lanes, warps,
	// blocks
	along []step
	same  []step // steps to a copy of the same element
}

// step is a direction: xor a place with it to move. bit is its highest bit, which no earlier step has, so
// that the places without any of these bits represent all others.
type step struct {
	place
	bit   place
	image int // change of the coordinate along the dimension
}

// directionsAlong returns the steps of a layout along axis. It considers bits in the order register, lane,
// warp, block, so that as many steps as possible stay in a thread, then in a warp, then in a block: those are
// cheaper.
func directionsAlong(ll layout.Layout, axis int) directions {
	var d directions
	var others, axisSpan span
	shape := outShape(ll)
	restShape := dropAxis(shape, axis)
	for _, u := range unitPlaces(ll) {
		c := coords(ll, u)
		image, p := others.reduce(flat(dropAxis(c, axis), restShape), u)
		if image != 0 {
			others.add(image, p)
			continue
		}
		moved := coords(ll, p)[axis]
		left, q := axisSpan.reduce(moved, p)
		if left == 0 {
			d.same = append(d.same, step{q, u, 0})
			continue
		}
		axisSpan.add(left, q)
		d.along = append(d.along, step{p, u, moved})
	}
	return d
}

// dropAxis returns coords without entry axis.
func dropAxis(coords []int, axis int) []int {
	return append(append([]int{}, coords[:axis]...), coords[axis+1:]...)
}

// registers returns the steps among registers, along the dimension or to copies, the highest bit first.
func (d directions) registers() []step {
	var out []step
	for _, list := range [][]step{d.along, d.same} {
		for _, s := range list {
			if s.bit.reg != 0 {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b step) int { return b.bit.reg - a.bit.reg })
	return out
}
