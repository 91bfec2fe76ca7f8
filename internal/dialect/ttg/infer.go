package ttg

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

func init() {
	tt.Layouts = tt.LayoutRules{
		ExpandDims: inferExpandDims,
		Reduce: func(enc ir.Attr, axis int) (ir.Attr, error) {
			return Slice{int64(axis), enc}.Attr(), nil
		},
		Trans: InferTrans,
		Join:  inferJoin,
		Split: inferSplit,
		Dot:   verifyDot,
	}
}

func inferExpandDims(enc ir.Attr, axis int) (ir.Attr, error) {
	s, ok := As[Slice](enc)
	if !ok {
		return nil, fmt.Errorf("a dimension is added to a slice of a layout, but the encoding is %s", enc)
	}
	if int(s.Dim) != axis {
		return nil, fmt.Errorf("dimension %d is added to a slice that lacks dimension %d", axis, s.Dim)
	}
	return s.Parent, nil
}

// InferTrans is the encoding of a transposed tensor or buffer, such that nothing moves: what belonged to
// dimension order[i] now belongs to dimension i. It is nil for encodings that become a linear one.
func InferTrans(enc ir.Attr, shape, order []int64) (ir.Attr, error) {
	if isIota(order) {
		return enc, nil
	}
	l := Decode(enc)
	if l == nil {
		return nil, nil
	}
	if l.Rank() != len(order) {
		return nil, fmt.Errorf("the encoding has %d dimensions, order %v has %d", l.Rank(), order, len(order))
	}
	switch l := l.(type) {
	case Blocked:
		return Blocked{pick(l.SizePerThread, order), pick(l.ThreadsPerWarp, order),
			pick(l.WarpsPerCTA, order), rename(l.Order, order), pickAll(l.CGALayout, order)}.Attr(), nil
	case Swizzled:
		l.Order, l.CGALayout = rename(l.Order, order), pickAll(l.CGALayout, order)
		return l.Attr(), nil
	case NVMMAShared:
		if slices.Equal(order, []int64{1, 0}) {
			l.Transposed, l.CGALayout = !l.Transposed, pickAll(l.CGALayout, order)
			return l.Attr(), nil
		}
	case Linear:
		return Linear{pickAll(l.Register, order), pickAll(l.Lane, order), pickAll(l.Warp, order),
			pickAll(l.Block, order)}.Attr(), nil
	case SharedLinear:
		l.Offset, l.Block = pickAll(l.Offset, order), pickAll(l.Block, order)
		return l.Attr(), nil
	case Padded:
		l.Offset, l.Block = pickAll(l.Offset, order), pickAll(l.Block, order)
		return l.Attr(), nil
	}
	return nil, nil
}

func isIota(order []int64) bool {
	for i, d := range order {
		if int64(i) != d {
			return false
		}
	}
	return true
}

// pick is v's entries in the given order.
func pick(v, order []int64) []int64 {
	out := make([]int64, len(order))
	for i, d := range order {
		out[i] = v[d]
	}
	return out
}

func pickAll(vs [][]int64, order []int64) [][]int64 {
	var out [][]int64
	for _, v := range vs {
		out = append(out, pick(v, order))
	}
	return out
}

// rename is a list of dimensions under their new numbers.
func rename(dims, order []int64) []int64 {
	out := make([]int64, len(dims))
	for i, d := range dims {
		out[i] = int64(slices.Index(order, d))
	}
	return out
}

// inferJoin puts both elements of the new last dimension, the fastest, into one thread. Only blocked
// layouts are known here.
func inferJoin(enc ir.Attr, shape []int64) (ir.Attr, error) {
	l, ok := As[Blocked](enc)
	if !ok {
		return nil, nil
	}
	n := int64(l.Rank())
	joined := Blocked{
		SizePerThread:  append(slices.Clone(l.SizePerThread), 2),
		ThreadsPerWarp: append(slices.Clone(l.ThreadsPerWarp), 1),
		WarpsPerCTA:    append(slices.Clone(l.WarpsPerCTA), 1),
		Order:          append([]int64{n}, l.Order...),
	}
	for _, v := range l.CGALayout {
		joined.CGALayout = append(joined.CGALayout, append(slices.Clone(v), 0))
	}
	return joined.Attr(), nil
}

// inferSplit undoes inferJoin.
func inferSplit(enc ir.Attr, shape []int64) (ir.Attr, error) {
	l, ok := As[Blocked](enc)
	n := len(shape) - 1
	if !ok || l.Rank() != n+1 || l.SizePerThread[n] != 2 || l.ThreadsPerWarp[n] != 1 ||
		l.WarpsPerCTA[n] != 1 {
		return nil, nil
	}
	for _, v := range l.CGALayout {
		if v[n] != 0 {
			return nil, nil
		}
	}
	split := Blocked{SizePerThread: l.SizePerThread[:n], ThreadsPerWarp: l.ThreadsPerWarp[:n],
		WarpsPerCTA: l.WarpsPerCTA[:n]}
	for _, d := range l.Order {
		if d != int64(n) {
			split.Order = append(split.Order, d)
		}
	}
	for _, v := range l.CGALayout {
		split.CGALayout = append(split.CGALayout, v[:n])
	}
	return split.Attr(), nil
}

// verifyDot checks the encodings of tt.dot: operands in the dot layout of the result's, with one kWidth.
func verifyDot(a, b, d ir.Attr) error {
	da, okA := As[DotOp](a)
	db, okB := As[DotOp](b)
	if !okA || !okB {
		return fmt.Errorf("operands in a dot layout (#ttg.dot_op) are expected, not %s and %s", a, b)
	}
	switch {
	case da.OpIdx != 0 || db.OpIdx != 1:
		return fmt.Errorf("opIdx is 0 for the first operand and 1 for the second, not %d and %d",
			da.OpIdx, db.OpIdx)
	case da.Parent != d || db.Parent != d:
		return fmt.Errorf("the dot layouts of the operands belong to %s and %s, not to the result's %s",
			da.Parent, db.Parent, d)
	case da.KWidth != db.KWidth:
		return fmt.Errorf("the operands have different kWidth, %d and %d", da.KWidth, db.KWidth)
	}
	return nil
}
