package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Bytes of which both layouts of a conversion hold two neighbours in one thread, as results of products do,
// move as pairs: shuffles take half as many steps, and stmatrix stores 16-bit elements only.

// pairConversion returns the conversion of pairs of bytes, ok is false if threads hold no pairs.
func (l *lowering) pairConversion(from, to layout.Layout) (c conversion, ok bool) {
	to = to.TransposeOuts(from.OutNames()...)
	a, b := from.Bases(layout.Register), to.Bases(layout.Register)
	if l.ctas > 1 || len(a) == 0 || len(b) == 0 || !slices.Equal(a[0], b[0]) {
		return c, false
	}
	dim := slices.Index(a[0], 1)
	if dim < 0 || !isUnit(a[0]) {
		return c, false
	}
	half, okFrom := halved(from, dim)
	other, okTo := halved(to, dim)
	if !okFrom || !okTo {
		return c, false
	}
	c = newConversion(l.rules, half, other, ir.I16)
	c.pairs = true
	return c, true
}

// isUnit reports whether a vector of coordinates is one step along one dimension.
func isUnit(v []int) bool {
	sum := 0
	for _, x := range v {
		sum += x
	}
	return sum == 1
}

// halved returns the layout of pairs along a dimension, which the lowest register bit counts; ok is false if
// another bit tells their elements apart too.
func halved(ll layout.Layout, dim int) (out layout.Layout, ok bool) {
	dims := ll.OutDims()
	dims[dim].Size /= 2
	bases := ll.AllBases()
	for i, b := range bases {
		vectors := b.Vectors
		if b.Name == layout.Register {
			vectors = vectors[1:]
		}
		bases[i].Vectors = nil
		for _, v := range vectors {
			if v[dim]%2 != 0 {
				return out, false
			}
			v = slices.Clone(v)
			v[dim] /= 2
			bases[i].Vectors = append(bases[i].Vectors, v)
		}
	}
	out, err := layout.New(bases, dims)
	return out, err == nil
}

// movePairs returns the registers of bytes in the layout of the result.
func (l *lowering) movePairs(src []string, elem ir.Type, c conversion, room interval) []string {
	a := newAccess(elem, 2)
	pairs := make([]string, len(src)/2)
	for r := range pairs {
		pairs[r] = l.pack(a, src[2*r:2*r+2])[0]
	}
	var out []string
	for _, pair := range l.convert(pairs, ir.I16, c, room) {
		out = append(out, l.unpack(a, []string{pair})...)
	}
	return out
}
