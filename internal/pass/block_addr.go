package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// blockAddr makes the pointers and masks for a block of a tensor in memory. The range of each dimension, a
// tensor of i64 that is the block's size along that dimension and 1 along the others, is computed once and
// used for both.
type blockAddr struct {
	b              *ir.Builder
	base           *ir.Value
	shape, strides []*ir.Value // i64
	block          []int64     // the block's shape
	offset         func(dim int) *ir.Value
	ranges         []*ir.Value
}

// rangeOf returns the indices of the block along a dimension, expanded to the block's rank.
func (a *blockAddr) rangeOf(dim int) *ir.Value {
	if a.ranges == nil {
		a.ranges = make([]*ir.Value, len(a.block))
	}
	if a.ranges[dim] == nil {
		a.ranges[dim] = expandAround(a.b, a.offset(dim), dim, len(a.block))
	}
	return a.ranges[dim]
}

// fromStart returns the offsets start, start+1, … of a block along a dimension of size n.
func fromStart(b *ir.Builder, start *ir.Value, n int64) *ir.Value {
	row := ir.Tensor([]int64{n}, ir.I64, nil)
	splat := b.Val(tt.Splat, row, start)
	count := b.ValA(tt.MakeRange, ir.Tensor([]int64{n}, ir.I32, nil),
		[]ir.NamedAttr{ir.A("start", ir.I32Attr(0)), ir.A("end", ir.I32Attr(n))})
	return b.Val(arith.AddI, row, splat, b.Val(arith.ExtSI, row, count))
}

// expandAround gives a vector along dimension dim the given rank.
func expandAround(b *ir.Builder, v *ir.Value, dim, rank int) *ir.Value {
	for j := range rank {
		if j == dim {
			continue
		}
		shape := append([]int64(nil), ir.ShapeOf(v.Type)...)
		shape = append(shape[:j:j], append([]int64{1}, shape[j:]...)...)
		v = b.ValA(tt.ExpandDims, ir.Tensor(shape, ir.ElemOf(v.Type), nil),
			[]ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(j)))}, v)
	}
	return v
}

// ptr returns the pointers to the block's elements.
func (a *blockAddr) ptr() *ir.Value {
	t := ir.Tensor(a.block, a.base.Type, nil)
	offsets := ir.Tensor(a.block, ir.I64, nil)
	p := a.b.Val(tt.Splat, t, a.base)
	for i := range a.block {
		r := a.rangeOf(i)
		stride := a.b.Val(tt.Splat, r.Type, a.strides[i])
		p = a.b.Val(tt.AddPtr, t, p, a.b.Val(tt.Broadcast, offsets, a.b.Val(arith.MulI, r.Type, r, stride)))
	}
	return p
}

// mask returns a mask that is true where the block lies inside the tensor along the given dimensions; nil for
// no dimensions.
func (a *blockAddr) mask(dims []int64) *ir.Value {
	t := ir.Tensor(a.block, ir.I1, nil)
	var mask *ir.Value
	for _, d := range dims {
		r := a.rangeOf(int(d))
		low := cmpi(a.b, arith.SGE, r, arith.ConstInt(a.b, 0, r.Type))
		high := cmpi(a.b, arith.SLT, r, a.b.Val(tt.Splat, r.Type, a.shape[d]))
		in := a.b.Val(tt.Broadcast, t, a.b.Val(arith.AndI, low.Type, low, high))
		if mask != nil {
			in = a.b.Val(arith.AndI, t, mask, in)
		}
		mask = in
	}
	return mask
}

// iota64 returns 0, 1, … n-1.
func iota64(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

// nanOf returns NaN in every element of a float type, or nil.
func nanOf(t ir.Type) ir.Attr {
	ft, ok := ir.ElemOf(t).(*ir.FloatType)
	if !ok {
		return nil
	}
	return constfold.Splat(t, ir.FloatBits(ft.Format.NaN(), ft))
}

// wide returns an i32 as an i64.
func wide(b *ir.Builder, v *ir.Value) *ir.Value {
	if v.Type == ir.I64 {
		return v
	}
	return b.Val(arith.ExtSI, ir.I64, v)
}

func wideAll(b *ir.Builder, vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = wide(b, v)
	}
	return out
}
