package layout

import "fmt"

// InvertAndCompose is the conversion from l to outer: a map C from the inputs of l to those of outer with
// outer(C(x)) = l(x). For two layouts of one tensor it says, for each place x of the first, which place of
// the second holds the same element. Outputs of l may be smaller than those of outer; every coordinate of l
// must be one that outer reaches.
//
// Where outer holds an element in several places, C is not unique. The dimensions in which both layouts are
// equal map to themselves if the others can be solved without them, so that what does not have to move does
// not; else C takes the first place, the one with zeros in the bits that outer repeats.
func (l Layout) InvertAndCompose(outer Layout) Layout {
	c, ok := l.TryInvertAndCompose(outer)
	if !ok {
		panic(fmt.Sprintf("layout: coordinates of%s\nare not reached by%s", l, outer))
	}
	return c
}

// TryInvertAndCompose is InvertAndCompose where outer may not reach all of l's coordinates.
func (l Layout) TryInvertAndCompose(outer Layout) (Layout, bool) {
	if !sameNames(l.OutNames(), outer.OutNames()) {
		panic(fmt.Sprintf("layout: outputs of%s\nand of%s\ndiffer", l, outer))
	}
	a := outer.TransposeOuts(l.OutNames()...)
	for i, o := range l.outs {
		if o.bits > a.outs[i].bits {
			panic(fmt.Sprintf("layout: %s is larger in%s\nthan in%s", o.name, l, outer))
		}
	}
	same := l.equalDims(a)
	restA, restB := without(a.InNames(), same), without(l.InNames(), same)
	c, ok := solve(a.Sublayout(restA, a.OutNames()), l.Sublayout(restB, l.OutNames()))
	if !ok {
		return solve(a, l)
	}
	for _, d := range same {
		c = c.Mul(Identity1D(a.InSize(d), d, d))
	}
	return c.TransposeIns(l.InNames()...).TransposeOuts(a.InNames()...), true
}

// equalDims are the input dimensions in which both layouts are the same map.
func (l Layout) equalDims(m Layout) []string {
	var same []string
	for _, d := range m.InNames() {
		if l.HasIn(d) && l.Sublayout([]string{d},
			l.OutNames()).Equal(m.Sublayout([]string{d}, m.OutNames())) {
			same = append(same, d)
		}
	}
	return same
}

// solve finds x with a(x) = b, whose outputs are those of a or smaller. Of the bits of a's input, only
// those independent of the bits before them are used.
func solve(a, b Layout) (Layout, bool) {
	s := spanOf(a.cols)
	x := Layout{ins: b.ins, outs: a.ins, cols: make([]uint64, len(b.cols))}
	for i, c := range repack(b.cols, b.outs, a.outs) {
		combo, ok := s.solve(c)
		if !ok {
			return Layout{}, false
		}
		x.cols[i] = combo
	}
	return x, true
}

// FirstPlaces is, for each place of l, the first place of outer that holds the same element: the one with
// zeros in the bits that outer repeats (FreeVariables). Both are layouts of tensors of one shape.
func (l Layout) FirstPlaces(outer Layout) (Layout, bool) {
	if !sameNames(l.OutNames(), outer.OutNames()) {
		return Layout{}, false
	}
	a := outer.TransposeOuts(l.OutNames()...)
	for i, o := range l.outs {
		if o.bits > a.outs[i].bits {
			return Layout{}, false
		}
	}
	return solve(a, l)
}

// Invert is the inverse of an invertible layout.
func (l Layout) Invert() Layout {
	if !l.IsInvertible() {
		panic(fmt.Sprintf("layout: not invertible:%s", l))
	}
	return l.PseudoInvert()
}

// PseudoInvert maps each output coordinate of a surjective layout to the first input that gives it.
func (l Layout) PseudoInvert() Layout {
	var id Layout
	for _, a := range l.outs {
		id = id.Mul(Identity1D(1<<a.bits, a.name, a.name))
	}
	return id.InvertAndCompose(l)
}

// FreeVariables gives for each input dimension, in order, the mask of the bits that do not matter once the
// lower ones are known: each set bit of a mask doubles the number of places that hold the same element.
func (l Layout) FreeVariables() []int {
	free := ^spanOf(l.cols).pivots
	masks := make([]int, len(l.ins))
	for i, a := range l.ins {
		masks[i] = int(free & (1<<a.bits - 1))
		free >>= a.bits
	}
	return masks
}

// FreeVariablesIn is the mask of one input dimension; see FreeVariables.
func (l Layout) FreeVariablesIn(name string) int {
	i, _ := l.in(name)
	return l.FreeVariables()[i]
}
