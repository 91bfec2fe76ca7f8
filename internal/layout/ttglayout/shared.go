package ttglayout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// swizzled: row after row; within a row, vectors of vec elements are exchanged by a xor with the row's phase.
func swizzled(l ttg.Swizzled, shape []int) (layout.Layout, error) {
	return phased(l, ints(l.Order), shape, func(row int) int {
		return row / int(l.PerPhase) % int(l.MaxPhase) * int(l.Vec)
	})
}

// rotating: as swizzled, with a phase that also depends on the block of rows.
func rotating(l ttg.Rotating, shape []int) (layout.Layout, error) {
	per, n := int(l.PerPhase), int(l.MaxPhase)
	return phased(l, ints(l.Order), shape, func(row int) int {
		return (row/per%n ^ row/n/per%n) * int(l.Vec)
	})
}

// phased is shared memory whose row r begins with the column that shift gives.
func phased(l ttg.Layout, order, shape []int, shift func(row int) int) (layout.Layout, error) {
	cga, err := cgaOf(l)
	if err != nil {
		return cga, err
	}
	per := ctaShape(cga, shape)
	if len(shape) == 1 {
		return combine(layout.Identity1D(per[0], layout.Offset, layout.TensorDim(0)), cga, shape), nil
	}
	cols, rows := per[order[0]], per[order[1]]
	var bases [][]int
	for c := 1; c < cols; c *= 2 {
		bases = append(bases, []int{0, c})
	}
	for r := 1; r < rows; r *= 2 {
		bases = append(bases, []int{r, shift(r) % cols})
	}
	cta, err := layout.New([]layout.Bases{{Name: layout.Offset, Vectors: bases}},
		[]layout.Dim{{Name: layout.TensorDim(order[1]), Size: rows},
			{Name: layout.TensorDim(order[0]), Size: cols}})
	if err != nil {
		return cta, err
	}
	for _, d := range order[2:] {
		cta = cta.Mul(layout.Identity1D(per[d], layout.Offset, layout.TensorDim(d)))
	}
	return combine(cta, cga, shape), nil
}

func ctaShape(cga layout.Layout, shape []int) []int {
	split := cga.CountPerDim(layout.Block)
	out := make([]int, len(shape))
	for i, n := range shape {
		out[i] = n / min(n, split[i])
	}
	return out
}

// nvmmaShared: what TMA writes and wgmma reads: blocks of at most 256 in each dimension whose rows are
// swizzlingByteWidth long and swizzled in units of 16 bytes.
func nvmmaShared(l ttg.NVMMAShared, shape []int) (layout.Layout, error) {
	cga, err := cgaOf(l)
	if err != nil {
		return cga, err
	}
	per := ctaShape(cga, shape)
	block, err := tmaBlock(l, per)
	if err != nil {
		return layout.Layout{}, err
	}
	if l.SwizzlingByteWidth == 0 {
		cta := layout.IdentityND(layout.Offset, block, layout.RowMajor(len(shape)))
		return combine(cta.NotSmaller(layout.Shape(per)), cga, shape), nil
	}
	cta, err := nvmmaBlock(l, block)
	if err != nil {
		return layout.Layout{}, err
	}
	return combine(cta.NotSmaller(layout.Shape(per)), cga, shape), nil
}

// nvmmaBlock is the layout of one block: core matrices of eight rows, repeated.
func nvmmaBlock(l ttg.NVMMAShared, block []int) (layout.Layout, error) {
	rank := len(block)
	if rank < 2 {
		return layout.Layout{}, errors.New("a swizzled layout has two dimensions or more")
	}
	core, err := coreMatrix(l)
	if err != nil {
		return core, err
	}
	// A matrix of rows and columns, of which the columns are contiguous. With more than two dimensions,
	// transposed, Triton counts the dimensions between to the columns, and so do we.
	flat := []int{1, block[rank-1]}
	for _, n := range block[:rank-1] {
		flat[0] *= n
	}
	minorLast := block
	if l.Transposed {
		flat[0], flat[1] = flat[1], flat[0]
		minorLast = append(slices.Clone(block[1:]), block[0])
	}
	if flat[0] < core.OutSize("dim0") || flat[1] < core.OutSize("dim1") {
		return layout.Layout{}, fmt.Errorf("a block of %dx%d is smaller than a core matrix of %dx%d",
			flat[0], flat[1], core.OutSize("dim0"), core.OutSize("dim1"))
	}
	cta := core.NotSmaller(layout.Shape(flat)).ReshapeTensor(minorLast)
	if l.Transposed {
		cta = cta.PermuteTensor(append([]int{rank - 1}, layout.ColumnMajor(rank-1)...))
	}
	return cta, nil
}

// coreMatrix is eight rows of swizzlingByteWidth bytes.
func coreMatrix(l ttg.NVMMAShared) (layout.Layout, error) {
	if l.ElementBitWidth <= 0 || 128%l.ElementBitWidth != 0 {
		return layout.Layout{}, fmt.Errorf("elements of %d bits", l.ElementBitWidth)
	}
	width := int(l.SwizzlingByteWidth)
	vec, perPhase, maxPhase := 128/int(l.ElementBitWidth), 128/width, width/16
	pack := func(col int) int { return col }
	if l.Fp4Padded { // of each 16 places only 8 hold something, the others are copies
		pack = func(col int) int { return col/16*8 + col%8 }
	}
	var bases [][]int
	for c := 1; c < 8*width/int(l.ElementBitWidth); c *= 2 {
		bases = append(bases, []int{0, pack(c)})
	}
	for r := 1; r < 8; r *= 2 {
		bases = append(bases, []int{r, pack(vec * (r / perPhase % maxPhase))})
	}
	return layout.NewSurjective([]layout.Bases{{Name: layout.Offset, Vectors: bases}}, layout.TensorDims(2))
}

// tmaBlock is the part of a tensor that one TMA instruction copies: at most 256 in each dimension, and
// swizzlingByteWidth in the contiguous one.
func tmaBlock(l ttg.NVMMAShared, shape []int) ([]int, error) {
	block := slices.Clone(shape)
	contig := len(block) - 1
	if l.Transposed {
		contig = 0
	}
	if l.Fp4Padded {
		block[contig] *= 2
	}
	for i := range block {
		block[i] = min(block[i], 256)
	}
	if l.SwizzlingByteWidth != 0 {
		if l.ElementBitWidth <= 0 || l.ElementBitWidth&(l.ElementBitWidth-1) != 0 || l.ElementBitWidth > 128 {
			return nil, fmt.Errorf("elements of %d bits", l.ElementBitWidth)
		}
		n := 8 * int(l.SwizzlingByteWidth) / int(l.ElementBitWidth)
		if block[contig] < n {
			return nil, fmt.Errorf("%d elements in a row are too few for swizzling by %d bytes",
				block[contig], l.SwizzlingByteWidth)
		}
		block[contig] = n
	}
	if l.Fp4Padded {
		block[contig] /= 2
	}
	return block, nil
}

// padded: the order of the elements. Where the paddings go is not linear; see PaddedOffset.
func padded(l ttg.Padded, shape []int) (layout.Layout, error) {
	return fixedOffsets(l.Offset, l.Block, shape)
}

// sharedLinear: the given bases.
func sharedLinear(l ttg.SharedLinear, shape []int) (layout.Layout, error) {
	return fixedOffsets(l.Offset, l.Block, shape)
}

// fixedOffsets is a layout that fits one shape only.
func fixedOffsets(offset, block [][]int64, shape []int) (layout.Layout, error) {
	l, err := offsetBits(offset, block, len(shape))
	if err != nil {
		return l, err
	}
	for i, d := range l.OutDims() {
		if d.Size != shape[i] {
			return layout.Layout{}, fmt.Errorf("the layout is one of size %d in dimension %d, where the "+
				"shape has %d", d.Size, i, shape[i])
		}
	}
	return l, nil
}

func offsetBits(offset, block [][]int64, rank int) (layout.Layout, error) {
	return layout.NewSurjective([]layout.Bases{
		{Name: layout.Offset, Vectors: vectors(offset)},
		{Name: layout.Block, Vectors: vectors(block)},
	}, layout.TensorDims(rank))
}

// PaddedOffset is where element number i of a padded buffer lies, counted in elements with the paddings
// before it.
func PaddedOffset(l ttg.Padded, i int) int {
	at := i
	for k, interval := range l.Intervals {
		at += i / int(interval) * int(l.Paddings[k])
	}
	return at
}

// PaddedSize is the number of places of a padded buffer of n elements. Nothing follows the last element.
func PaddedSize(l ttg.Padded, n int) int {
	size := n
	for k, interval := range l.Intervals {
		size += n / int(interval) * int(l.Paddings[k])
		if n%int(interval) == 0 {
			size -= int(l.Paddings[k])
		}
	}
	return size
}

// Box is the part of a tensor of the given shape that one instruction of the copy engine moves to or from
// shared memory with encoding enc; nil if enc is none that it writes.
func Box(enc ir.Attr, shape []int64) []int {
	l, ok := ttg.As[ttg.NVMMAShared](enc)
	if !ok {
		return nil
	}
	part, err := ShapePerCTA(enc, shape)
	if err != nil {
		return nil
	}
	box, err := tmaBlock(l, ints(part))
	if err != nil {
		return nil
	}
	return box
}
