package axisinfo

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Alignment is how many elements, along the fastest dimension of a tensor's layout, an access through these pointers (or
// offsets) may take at once as far as addresses are concerned: they count up, and the first is aligned to that many.
func (a *Analysis) Alignment(v *ir.Value) int {
	_, l, ok := layoutOf(v)
	if !ok {
		return 1
	}
	return a.alignment(v, l.Order()[0])
}

func (a *Analysis) alignment(v *ir.Value, dim int) int {
	info := a.Of(v)
	multiple := max(1, info.Divisibility[dim]/elemBytes(v.Type))
	return int(min(multiple, info.Contiguity[dim], 1<<30))
}

// Contiguity is Alignment cut to what a thread holds in a row: the width of a vectorised access, in elements.
func (a *Analysis) Contiguity(v *ir.Value) int {
	_, l, ok := layoutOf(v)
	if !ok {
		return 1
	}
	dim := l.Order()[0]
	return min(a.alignment(v, dim), l.ContigPerThread()[dim])
}

// MaskAlignment is how many elements, along the fastest dimension of its layout, share a mask bit.
func (a *Analysis) MaskAlignment(mask *ir.Value) int {
	_, l, ok := layoutOf(mask)
	if !ok {
		return 1
	}
	return int(max(1, min(a.Of(mask).Constancy[l.Order()[0]], 1<<30)))
}

// Constancy is, for each dimension of a tensor, how many elements of an aligned group are equal.
func (a *Analysis) Constancy(v *ir.Value) []int64 { return a.Of(v).Constancy }

// VectorWidth is how many elements a load, store or atomic may move with one instruction of at most maxBits: what the
// pointers and the mask (nil for none) allow.
func (a *Analysis) VectorWidth(ptr, mask *ir.Value, maxBits int) int {
	pointee := tt.Pointee(ptr.Type)
	if pointee == nil {
		return 1
	}
	bits := max(8, ir.BitWidth(ir.ElemOf(pointee)))
	n := min(max(1, maxBits/bits), a.Contiguity(ptr))
	if mask != nil {
		n = min(n, a.MaskAlignment(mask))
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
