package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// scaledSide is one side of a dot_scaled.
type scaledSide struct {
	v, scale *ir.Value
	elem     int64
	k        int  // the dimension that is summed over
	packed   bool // two e2m1 of a byte are neighbours along k, else along the other dimension
}

// convertDotScaled multiplies out the scales, in f32, and makes a matmul.
func convertDotScaled(c *converter, op *ir.Op) {
	if len(ir.ShapeOf(op.Result(0).Type)) != 2 {
		c.failAt(op, "a dot_scaled of more than two dimensions is not supported")
		return
	}
	side := func(slot, scaleSlot, k int, elem, pack string) *ir.Value {
		s := scaledSide{v: c.val(op.Slot(slot)), elem: op.IntOr(elem, -1), k: k,
			packed: op.IntOr(pack, 1) != 0}
		if x := op.Slot(scaleSlot); x != nil {
			s.scale = c.val(x)
		}
		return c.unscaled(op, s)
	}
	a := side(0, 3, 1, "a_elem_type", "lhs_k_pack")
	b := side(1, 4, 0, "b_elem_type", "rhs_k_pack")
	if c.err == nil {
		c.setVal(op.Result(0), c.matmul(a, b, c.val(op.Slot(2))))
	}
}

// unscaled returns one side as a matrix of f32.
func (c *converter) unscaled(op *ir.Op, s scaledSide) *ir.Value {
	shape := append([]int64(nil), ir.ShapeOf(s.v.Type)...)
	half := -1 // the dimension along which a byte holds two elements
	if s.elem == tt.ElemE2M1 {
		half = 1 - s.k
		if s.packed {
			half = s.k
		}
		shape[half] *= 2
	}
	var table *ir.Value
	if half >= 0 {
		table = arith.Const(c.b, e2m1Table())
	}
	return c.generic(nil, ir.Tensor(shape, ir.F32, nil), func([]*ir.Value) *ir.Value {
		at := []*ir.Value{c.count(0, ir.Index), c.count(1, ir.Index)}
		line, i := at[1-s.k], at[s.k]
		var x *ir.Value
		if half >= 0 {
			x = c.nibble(s.v, table, at, half)
		} else if x = c.toF32(c.extract(s.v, at), s.elem); x == nil {
			c.failAt(op, "elements of type %s are not supported here", ir.ElemOf(s.v.Type))
			return c.zero(ir.F32)
		}
		if s.scale == nil {
			return x
		}
		blocks := ir.ShapeOf(s.scale.Type)[1]
		which := c.b.Val(arith.DivUI, ir.Index, i, c.index(shape[s.k]/blocks))
		return c.b.Val(arith.MulF, ir.F32, x, c.scaleOf(c.extract(s.scale, []*ir.Value{line, which})))
	})
}

// e2m1Table returns what the sixteen patterns of four bits stand for.
func e2m1Table() ir.Attr {
	var bits []uint64
	for _, sign := range []float64{1, -1} {
		for _, v := range []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6} {
			b := num.F32.Encode(v)
			if sign < 0 {
				b |= 1 << 31
			}
			bits = append(bits, b)
		}
	}
	return ir.DenseOf(ir.Tensor([]int64{16}, ir.F32, nil), bits)
}

// nibble returns the element at some indices of a matrix of which a byte holds two, the lower half first.
func (c *converter) nibble(v, table *ir.Value, at []*ir.Value, half int) *ir.Value {
	two := c.index(2)
	place := []*ir.Value{at[0], at[1]}
	place[half] = c.b.Val(arith.DivUI, ir.Index, at[half], two)
	b := c.b.Val(arith.IndexCastUI, ir.Index, c.extract(v, place))
	shift := c.b.Val(arith.MulI, ir.Index, c.b.Val(arith.RemUI, ir.Index, at[half], two), c.index(4))
	bits := c.b.Val(arith.AndI, ir.Index, c.b.Val(arith.ShRUI, ir.Index, b, shift), c.index(15))
	return c.extract(table, []*ir.Value{bits})
}

// byteFormats are the formats of elements that may come as bytes.
var byteFormats = map[int64]*ir.FloatType{tt.ElemE4M3: ir.F8E4M3FN, tt.ElemE5M2: ir.F8E5M2}

// toF32 returns an element of a dot_scaled as an f32, or nil.
func (c *converter) toF32(v *ir.Value, elem int64) *ir.Value {
	if ir.IsInt(v.Type) {
		f := byteFormats[elem]
		if f == nil || ir.BitWidth(v.Type) != 8 {
			return nil
		}
		v = c.b.Val(arith.Bitcast, f, v)
	}
	if v.Type == ir.Type(ir.F32) {
		return v
	}
	return c.b.Val(arith.ExtF, ir.F32, v)
}

// scaleOf returns a scale as an f32: a float, or a byte that is the exponent of a power of two, with 255 for
// NaN.
func (c *converter) scaleOf(v *ir.Value) *ir.Value {
	if ir.IsFloat(v.Type) {
		return c.toF32(v, -1)
	}
	b := c.b.Val(arith.ExtUI, ir.I32, v)
	konst := func(n int64) *ir.Value { return arith.ConstInt(c.b, n, ir.I32) }
	bits := c.b.Val(arith.ShLI, ir.I32, b, konst(23))
	// 2^-127 is subnormal
	bits = c.b.Val(arith.Select, ir.I32, c.compare(arith.EQ, b, konst(0)), konst(1<<22), bits)
	bits = c.b.Val(arith.Select, ir.I32, c.compare(arith.EQ, b, konst(255)), konst(0x7fc00000), bits)
	return c.b.Val(arith.Bitcast, ir.F32, bits)
}
