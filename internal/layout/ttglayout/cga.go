package ttglayout

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// CGA is how an encoding distributes a tensor over the CTAs of a cluster: a map from (block) to (dim0,
// dim1, …), in units of what one CTA has.
func CGA(enc ir.Attr) (layout.Layout, error) {
	l := ttg.Decode(enc)
	if l == nil {
		return layout.Layout{}, fmt.Errorf("%s has no layout of a cluster", name(enc))
	}
	return cgaOf(l)
}

func cgaOf(l ttg.Layout) (layout.Layout, error) {
	switch l := l.(type) {
	case ttg.Blocked:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.NvidiaMma:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.AMDMfma:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.AMDWmma:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.Swizzled:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.Rotating:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.NVMMAShared:
		return clusterOf(l.CGALayout, l.Rank())
	case ttg.Slice:
		parent, err := CGA(l.Parent)
		if err != nil {
			return parent, err
		}
		return parent.DropTensorDim(int(l.Dim)), nil
	case ttg.DotOp:
		parent, err := CGA(l.Parent)
		if err != nil {
			return parent, err
		}
		return withoutDim(parent, kDim(l.OpIdx, l.Rank())), nil
	case ttg.Linear:
		whole, err := bitsOf(l)
		if err != nil {
			return whole, err
		}
		return clusterPart(whole)
	case ttg.Padded:
		whole, err := offsetBits(l.Offset, l.Block, l.Rank())
		if err != nil {
			return whole, err
		}
		return clusterPart(whole)
	case ttg.SharedLinear:
		whole, err := offsetBits(l.Offset, l.Block, l.Rank())
		if err != nil {
			return whole, err
		}
		return clusterPart(whole)
	}
	return layout.Layout{}, fmt.Errorf("%T has no layout of a cluster", l)
}

// clusterOf is the map that a list of CGALayout stands for.
func clusterOf(bases [][]int64, rank int) (layout.Layout, error) {
	return layout.NewSurjective([]layout.Bases{{Name: layout.Block, Vectors: vectors(bases)}},
		layout.TensorDims(rank))
}

// withoutDim is a map that no longer moves along a dimension: all CTAs share it.
func withoutDim(l layout.Layout, dim int) layout.Layout { return l.ResizeOut(layout.TensorDim(dim), 1) }

// clusterPart takes the CTAs out of a whole layout: what is left after dividing by the layout of one CTA.
func clusterPart(whole layout.Layout) (layout.Layout, error) {
	split := whole.CountPerDim(layout.Block)
	ins := whole.InNames()
	one := whole.Sublayout(ins[:len(ins)-1], whole.OutNames())
	for i, d := range whole.OutDims() {
		one = one.ResizeOut(d.Name, d.Size/split[i])
	}
	q, ok := whole.DivideLeft(one)
	if !ok {
		return layout.Layout{}, fmt.Errorf("the CTAs do not have equal parts:%s", whole)
	}
	return q.Sublayout([]string{layout.Block}, whole.OutNames()), nil
}

// ShapePerCTA is the part of a shape that one CTA of the cluster has.
func ShapePerCTA(enc ir.Attr, shape []int64) ([]int64, error) {
	cga, err := CGA(enc)
	if err != nil {
		return nil, err
	}
	return perCTA(cga, shape), nil
}

func perCTA(cga layout.Layout, shape []int64) []int64 {
	split := cga.CountPerDim(layout.Block)
	out := make([]int64, len(shape))
	for i, n := range shape {
		// A shape may have dimensions in front, of a pipeline's stages, that the encoding does not know.
		out[i] = n
		if j := i - (len(shape) - len(split)); j >= 0 {
			out[i] = n / min(n, int64(split[j]))
		}
	}
	return out
}

// NumCTAs is the number of CTAs in the cluster.
func NumCTAs(enc ir.Attr) int {
	cga, err := CGA(enc)
	if err != nil {
		return 1
	}
	return cga.TotalInSize()
}
