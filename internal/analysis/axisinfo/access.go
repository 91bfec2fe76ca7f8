package axisinfo

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// alignment returns how many elements, along a dimension of a tensor's layout, an access through these
// pointers (or offsets) may take at once as far as addresses go: they count up, and the first is aligned to
// that many.
func (a *Analysis) alignment(v *ir.Value, dim int) int {
	info := a.Of(v)
	multiple := max(1, info.Divisibility[dim]/elemBytes(v.Type))
	return int(min(multiple, info.Contiguity[dim], 1<<30))
}

// Contiguity returns the alignment along the fastest dimension, cut to the elements that a thread holds in a
// row: the width of a vectorised access, in elements.
func (a *Analysis) Contiguity(v *ir.Value) int {
	_, l, ok := layoutOf(v)
	if !ok {
		return 1
	}
	dim := l.Order()[0]
	return min(a.alignment(v, dim), l.ContigPerThread()[dim])
}

// MaskAlignment returns how many elements, along the fastest dimension of its layout, share a mask bit.
func (a *Analysis) MaskAlignment(mask *ir.Value) int {
	_, l, ok := layoutOf(mask)
	if !ok {
		return 1
	}
	return int(max(1, min(a.Of(mask).Constancy[l.Order()[0]], 1<<30)))
}

// Constancy returns, for each dimension of a tensor, how many elements of an aligned group are equal.
func (a *Analysis) Constancy(v *ir.Value) []int64 { return a.Of(v).Constancy }

// Runs returns, for each dimension of a tensor, the length of aligned groups of elements that count up by one
// from a multiple of the length.
func (a *Analysis) Runs(v *ir.Value) []int64 {
	info := a.Of(v)
	out := make([]int64, info.Rank())
	for d := range out {
		out[d] = gcd(info.Contiguity[d], info.Divisibility[d])
	}
	return out
}

// Divisor returns a number that divides all elements of an integer tensor.
func (a *Analysis) Divisor(v *ir.Value) int64 {
	info := a.Of(v)
	n := MaxDivisor
	for d, run := range info.Contiguity {
		if run > 1 { // a divisor of each first element only
			return 1
		}
		n = gcd(n, info.Divisibility[d])
	}
	return n
}

func layoutOf(v *ir.Value) (*ir.TensorType, layout.Layout, bool) {
	t, ok := v.Type.(*ir.TensorType)
	if !ok || t.Encoding == nil {
		return nil, layout.Layout{}, false
	}
	l, err := ttglayout.Of(t)
	return t, l, err == nil
}
