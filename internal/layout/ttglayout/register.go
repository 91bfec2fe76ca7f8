package ttglayout

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/layout"
)

// blocked: registers, then lanes, then warps, each counting through their block in the given order.
func blocked(l ttg.Blocked, shape []int) (layout.Layout, error) {
	order := ints(l.Order)
	cta := layout.Product(
		layout.IdentityND(layout.Register, ints(l.SizePerThread), order),
		layout.IdentityND(layout.Lane, ints(l.ThreadsPerWarp), order),
		layout.IdentityND(layout.Warp, ints(l.WarpsPerCTA), order))
	return withCluster(cta, l, shape)
}

func withCluster(cta layout.Layout, l ttg.Layout, shape []int) (layout.Layout, error) {
	cga, err := cgaOf(l)
	if err != nil {
		return cga, err
	}
	return combine(cta, cga, shape), nil
}

// slice: the parent with one dimension ignored. Registers that only moved along it are dropped; lanes and
// warps that did hold copies.
func slice(l ttg.Slice, shape []int) (layout.Layout, error) {
	parent := ttg.Decode(l.Parent)
	if parent == nil {
		return layout.Layout{}, fmt.Errorf("%s has no linear layout", name(l.Parent))
	}
	p, err := build(parent, slices.Insert(slices.Clone(shape), int(l.Dim), 1))
	if err != nil {
		return p, err
	}
	return p.DropTensorDim(int(l.Dim)).RemoveZeroBases(layout.Register), nil
}

// linear: the given bases, repeated or cut to the shape.
func linear(l ttg.Linear, shape []int) (layout.Layout, error) {
	whole, err := bitsOf(l)
	if err != nil {
		return whole, err
	}
	sizes := layout.Shape(shape)
	return whole.TransposeOuts(names(whole.Order())...).NotSmaller(sizes).NotLargerDropping(sizes,
		layout.Register).
		TransposeOuts(layout.TensorDims(len(shape))...), nil
}

func bitsOf(l ttg.Linear) (layout.Layout, error) {
	return layout.NewSurjective([]layout.Bases{
		{Name: layout.Register, Vectors: vectors(l.Register)},
		{Name: layout.Lane, Vectors: vectors(l.Lane)},
		{Name: layout.Warp, Vectors: vectors(l.Warp)},
		{Name: layout.Block, Vectors: vectors(l.Block)},
	}, layout.TensorDims(l.Rank()))
}

// kDim is the dimension of a product's operand that is summed over.
func kDim(opIdx int64, rank int) int {
	if opIdx == 0 {
		return rank - 1
	}
	return rank - 2
}

func dotOp(l ttg.DotOp, shape []int) (layout.Layout, error) {
	if l.Rank() < 2 {
		return layout.Layout{}, fmt.Errorf("an operand of a product has two dimensions or more")
	}
	switch parent := ttg.Decode(l.Parent).(type) {
	case ttg.Blocked:
		return fmaOperand(l, parent, shape)
	case ttg.NvidiaMma:
		return nvidiaOperand(l, parent, shape)
	case ttg.AMDMfma:
		return mfmaOperand(l, parent, shape)
	case ttg.AMDWmma:
		return wmmaOperand(l, parent, shape)
	}
	return layout.Layout{}, fmt.Errorf("no linear layout known of an operand whose parent is %s", l.Parent)
}

// fmaOperand: as the result, but each thread holds all of k for its rows or columns.
func fmaOperand(l ttg.DotOp, parent ttg.Blocked, shape []int) (layout.Layout, error) {
	order, k := ints(parent.Order), kDim(l.OpIdx, len(shape))
	perThread := ints(parent.SizePerThread)
	perThread[k] = shape[k]
	cta := layout.Product(
		layout.IdentityND(layout.Register, perThread, order),
		sharingK(layout.Lane, ints(parent.ThreadsPerWarp), order, k),
		sharingK(layout.Warp, ints(parent.WarpsPerCTA), order, k))
	return withCluster(cta, l, shape)
}

// sharingK counts through lanes or warps as for the result of a product; those along k hold the same.
func sharingK(in string, shape, order []int, k int) layout.Layout {
	var l layout.Layout
	for _, d := range order {
		if d == k {
			l = l.Mul(layout.Zeros1D(shape[d], in, layout.TensorDim(d), 1))
		} else {
			l = l.Mul(layout.Identity1D(shape[d], in, layout.TensorDim(d)))
		}
	}
	return l
}
