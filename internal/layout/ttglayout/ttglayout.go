// Package ttglayout gives the linear layout of each encoding of the ttg dialect: an encoding and a shape
// come in, a layout.Layout goes out.
//
// A distributed encoding (blocked, slice, dot_op, nvidia_mma, linear, …) becomes a map from (register,
// lane, warp, block) to (dim0, dim1, …); an encoding of shared memory a map from (offset, block), counted
// in elements. The maps are onto, and those of registers have as many lanes and warps as the kernel has:
// threads beyond the tensor hold copies.
//
// An encoding says nothing about the shape that it is used with: a tensor larger than its tile is covered
// by repeating the tile with more registers, a smaller one leaves threads with copies.
package ttglayout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Of is the layout of a tensor or of a buffer in shared memory. A buffer that is a view of a larger one has
// the layout of what was allocated; InvertAndCompose cuts it to size.
func Of(t ir.Type) (layout.Layout, error) {
	if m, ok := ttg.MemDescOf(t); ok {
		alloc := m.Alloc()
		return For(m.Encoding, alloc[len(alloc)-m.Rank():])
	}
	tensor, ok := t.(*ir.TensorType)
	if !ok || tensor.Encoding == nil {
		return layout.Layout{}, fmt.Errorf("'%s' has no layout", t)
	}
	return For(tensor.Encoding, tensor.Shape)
}

// MustOf is Of for types whose layout is known to be good: those of verified IR.
func MustOf(t ir.Type) layout.Layout { return layout.Must(Of(t)) }

// For is the layout of an encoding for a shape, which has the encoding's rank or, for a buffer of buffers,
// one more dimension in front.
func For(enc ir.Attr, shape []int64) (layout.Layout, error) {
	l := ttg.Decode(enc)
	if l == nil {
		return layout.Layout{}, fmt.Errorf("%s has no linear layout", name(enc))
	}
	sizes, err := sizesOf(shape)
	if err != nil {
		return layout.Layout{}, err
	}
	if len(sizes) != l.Rank() {
		return layout.Layout{}, fmt.Errorf("shape %v does not have the rank of %s", shape, enc)
	}
	out, err := build(l, sizes)
	if err != nil {
		return layout.Layout{}, fmt.Errorf("%s on %v: %w", enc, shape, err)
	}
	return out, nil
}

func name(enc ir.Attr) string {
	if enc == nil {
		return "a tensor without encoding"
	}
	return enc.String()
}

// maxElems bounds the shapes we take: far above what a kernel can hold, far below what overflows.
const maxElems = 1 << 40

func sizesOf(shape []int64) ([]int, error) {
	sizes := make([]int, len(shape))
	total := int64(1)
	for i, n := range shape {
		if n <= 0 || n&(n-1) != 0 {
			return nil, fmt.Errorf("size %d of dimension %d is no power of two", n, i)
		}
		if n > maxElems || total > maxElems/n {
			return nil, fmt.Errorf("shape %v is too large", shape)
		}
		total *= n
		sizes[i] = int(n)
	}
	return sizes, nil
}

// build is For on a decoded layout.
func build(l ttg.Layout, shape []int) (layout.Layout, error) {
	switch l := l.(type) {
	case ttg.Blocked:
		return blocked(l, shape)
	case ttg.Slice:
		return slice(l, shape)
	case ttg.DotOp:
		return dotOp(l, shape)
	case ttg.NvidiaMma:
		return nvidiaMma(l, shape)
	case ttg.AMDMfma:
		return amdMfma(l, shape)
	case ttg.AMDWmma:
		return amdWmma(l, shape)
	case ttg.Linear:
		return linear(l, shape)
	case ttg.Swizzled:
		return swizzled(l, shape)
	case ttg.Rotating:
		return rotating(l, shape)
	case ttg.NVMMAShared:
		return nvmmaShared(l, shape)
	case ttg.Padded:
		return padded(l, shape)
	case ttg.SharedLinear:
		return sharedLinear(l, shape)
	}
	return layout.Layout{}, errors.New("no linear layout known")
}

// combine completes the layout of one CTA: cga says which part of the tensor each CTA of the cluster has,
// the CTA's own layout is repeated or shrunk to the rest. The order of cta's output dimensions is that of
// the repetitions.
func combine(cta layout.Layout, cga layout.Layout, shape []int) layout.Layout {
	sizes := layout.Shape(shape)
	cga = cga.NotLarger(sizes).TransposeOuts(cta.OutNames()...)
	per := slices.Clone(sizes)
	for i, d := range per {
		per[i].Size = max(1, d.Size/cga.OutSize(d.Name))
	}
	return cta.NotSmaller(per).NotLarger(per).Mul(cga).TransposeOuts(layout.TensorDims(len(shape))...)
}

// order are the dimensions of a product's result or operand: the last two exchanged unless rowMajor,
// batches last.
func matrixOrder(rank int, rowMajor bool) []int {
	order := layout.RowMajor(rank)
	if !rowMajor && rank > 1 {
		order[0], order[1] = order[1], order[0]
	}
	return order
}

// names are the tensor's dimensions in an order.
func names(order []int) []string {
	out := make([]string, len(order))
	for i, d := range order {
		out[i] = layout.TensorDim(d)
	}
	return out
}

func ints(v []int64) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

func vectors(vs [][]int64) [][]int {
	out := make([][]int, len(vs))
	for i, v := range vs {
		out[i] = ints(v)
	}
	return out
}
