package ttglayout

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Linear is the `#ttg.linear` encoding of a register layout.
func Linear(l layout.Layout) ir.Attr {
	return ttg.Linear{
		Register: wide(l.Bases(layout.Register)),
		Lane:     wide(l.Bases(layout.Lane)),
		Warp:     wide(l.Bases(layout.Warp)),
		Block:    wide(l.Bases(layout.Block)),
	}.Attr()
}

func wide(vs [][]int) [][]int64 {
	out := make([][]int64, len(vs))
	for i, v := range vs {
		out[i] = wideInts(v)
	}
	return out
}

func wideInts(v []int) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

// Equivalent reports whether two encodings put every element of a tensor of that shape into the same places.
func Equivalent(a, b ir.Attr, shape []int64) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	la, errA := For(a, shape)
	lb, errB := For(b, shape)
	return errA == nil && errB == nil && la.Equal(lb)
}

// Named is the encoding of a register layout, as a blocked one if there is one for it, else as a linear one.
func Named(l layout.Layout) ir.Attr {
	if b, ok := asBlocked(l); ok {
		return b.Attr()
	}
	return Linear(l)
}

// asBlocked finds the blocked encoding of a layout: its parameters are read off the bases, for each order
// of dimensions, and the result is compared.
func asBlocked(l layout.Layout) (ttg.Blocked, bool) {
	rank := len(l.OutDims())
	shape := make([]int64, rank)
	for i, d := range l.OutDims() {
		shape[i] = int64(d.Size)
	}
	if rank == 0 || l.InBits(layout.Block) > 0 {
		return ttg.Blocked{}, false
	}
	threads, warps := l.CountPerDim(layout.Lane), l.CountPerDim(layout.Warp)
	for _, order := range orders(l) {
		major := order[rank-1] // what goes beyond the tensor can only be here
		b := ttg.Blocked{
			SizePerThread:  wideInts(l.SizePerThread()),
			ThreadsPerWarp: wideInts(threads),
			WarpsPerCTA:    wideInts(warps),
			Order:          wideInts(order),
		}
		b.ThreadsPerWarp[major] *= int64(l.InSize(layout.Lane) / product(threads))
		b.WarpsPerCTA[major] *= int64(l.InSize(layout.Warp) / product(warps))
		if got, err := For(b.Attr(), shape); err == nil && got.Equal(l) {
			return b, true
		}
	}
	return ttg.Blocked{}, false
}

// orders are the orders of dimensions worth trying, the likely ones first.
func orders(l layout.Layout) [][]int {
	rank := len(l.OutDims())
	list := [][]int{l.OrderOf(layout.Register, l.ThreadOrder()), l.ThreadOrder(), layout.RowMajor(rank),
		layout.ColumnMajor(rank)}
	var out [][]int
	for _, o := range list {
		if !slices.ContainsFunc(out, func(p []int) bool { return slices.Equal(o, p) }) {
			out = append(out, o)
		}
	}
	return out
}

func product(v []int) int {
	n := 1
	for _, x := range v {
		n *= x
	}
	return n
}

// Reshape is the encoding of a reshaped tensor whose elements stay where they are, nil if there is none.
func Reshape(enc ir.Attr, from, to []int64) ir.Attr {
	l, err := For(enc, from)
	if err != nil {
		return nil
	}
	sizes, err := sizesOf(to)
	if err != nil || product(sizes) != l.TotalOutSize() {
		return nil
	}
	return Named(l.ReshapeTensor(sizes))
}

// Trans is the encoding of a transposed tensor whose elements stay where they are, nil if there is none.
func Trans(enc ir.Attr, shape, order []int64) ir.Attr {
	if t, err := ttg.InferTrans(enc, shape, order); err != nil || t != nil {
		return t
	}
	l, err := For(enc, shape)
	if err != nil {
		return nil
	}
	return Linear(l.PermuteTensor(ints(order)))
}

// Join is the encoding of two tensors of a shape joined along a new last dimension: both elements of a pair
// in one thread, side by side. A slice whose parent is just that gives the parent.
func Join(enc ir.Attr, shape []int64) ir.Attr {
	joined := append(slices.Clone(shape), 2)
	if s, ok := ttg.As[ttg.Slice](enc); ok && int(s.Dim) == len(shape) {
		if split := Split(s.Parent, joined); split != nil && Equivalent(split, enc, shape) {
			return s.Parent
		}
	}
	if b, ok := ttg.As[ttg.Blocked](enc); ok {
		n := int64(b.Rank())
		grown := ttg.Blocked{
			SizePerThread:  append(slices.Clone(b.SizePerThread), 2),
			ThreadsPerWarp: append(slices.Clone(b.ThreadsPerWarp), 1),
			WarpsPerCTA:    append(slices.Clone(b.WarpsPerCTA), 1),
			Order:          append([]int64{n}, b.Order...),
		}
		for _, v := range b.CGALayout {
			grown.CGALayout = append(grown.CGALayout, append(slices.Clone(v), 0))
		}
		return grown.Attr()
	}
	l, err := For(enc, shape)
	if err != nil {
		return nil
	}
	last := layout.TensorDim(len(shape))
	pair := layout.Identity1D(2, layout.Register, last)
	return Linear(pair.Mul(l).TransposeOuts(layout.TensorDims(len(joined))...))
}

// Split is the encoding of the halves of a tensor of a shape, split along its last dimension, nil where no
// thread holds both elements of a pair.
func Split(enc ir.Attr, shape []int64) ir.Attr {
	n := len(shape) - 1
	if n < 1 || shape[n] != 2 {
		return nil
	}
	if b, ok := ttg.As[ttg.Blocked](enc); ok && isPaired(b, n) {
		half := ttg.Blocked{SizePerThread: b.SizePerThread[:n], ThreadsPerWarp: b.ThreadsPerWarp[:n],
			WarpsPerCTA: b.WarpsPerCTA[:n]}
		for _, d := range b.Order {
			if d != int64(n) {
				half.Order = append(half.Order, d)
			}
		}
		for _, v := range b.CGALayout {
			half.CGALayout = append(half.CGALayout, v[:n])
		}
		return half.Attr()
	}
	l, err := For(enc, shape)
	if err != nil {
		return nil
	}
	half, ok := halve(l, n)
	if !ok {
		return nil
	}
	return Linear(half.DropOut(layout.TensorDim(n)))
}

// isPaired reports whether a thread holds both elements of each pair, and nothing but a thread.
func isPaired(b ttg.Blocked, last int) bool {
	for _, v := range b.CGALayout {
		if v[last] != 0 {
			return false
		}
	}
	return b.SizePerThread[last] == 2 && b.ThreadsPerWarp[last] == 1 && b.WarpsPerCTA[last] == 1
}

// halve takes the register bit that moves by one along a dimension out of a layout.
func halve(l layout.Layout, dim int) (layout.Layout, bool) {
	bases, outs := l.AllBases(), l.OutDims()
	outs[dim].Size /= 2
	found := false
	for i := range bases {
		bases[i].Vectors = slices.DeleteFunc(bases[i].Vectors, func(v []int) bool {
			drop := v[dim] == 1 && bases[i].Name == layout.Register
			found = found || drop
			v[dim] /= 2
			return drop
		})
	}
	half, err := layout.New(bases, outs)
	return half, found && err == nil && half.IsSurjective()
}

// Unpack is the encoding of the result of ttg.fp4_to_fp, whose elements along axis come in pairs; Pack is
// its operand's. Both are nil where there is none. The shape is that of the tensor with the given encoding.
func Unpack(enc ir.Attr, shape []int64, axis int) ir.Attr {
	l, err := For(enc, shape)
	if err != nil {
		return nil
	}
	if l.Order()[0] == axis {
		switch e := ttg.Decode(enc).(type) {
		case ttg.DotOp:
			e.KWidth *= 2
			return e.Attr()
		case ttg.Blocked:
			e.SizePerThread = slices.Clone(e.SizePerThread)
			e.SizePerThread[axis] *= 2
			return e.Attr()
		}
	}
	return Linear(layout.Identity1D(2, layout.Register, layout.TensorDim(axis)).Mul(l))
}

// Pack undoes Unpack.
func Pack(enc ir.Attr, shape []int64, axis int) ir.Attr {
	l, err := For(enc, shape)
	if err != nil {
		return nil
	}
	if l.Order()[0] == axis {
		switch e := ttg.Decode(enc).(type) {
		case ttg.DotOp:
			if e.KWidth <= 1 {
				return nil
			}
			e.KWidth /= 2
			return e.Attr()
		case ttg.Blocked:
			if e.SizePerThread[axis] <= 1 {
				return nil
			}
			e.SizePerThread = slices.Clone(e.SizePerThread)
			e.SizePerThread[axis] /= 2
			return e.Attr()
		}
	}
	half, ok := halve(l, axis)
	if !ok {
		return nil
	}
	return Linear(half)
}
