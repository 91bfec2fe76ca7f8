package ttglayout

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/layout"
)

// mmaTile is the fragment of a matrix that one warp of an mma or wgmma instruction holds, as the PTX manual
// draws them: four lanes side by side along the inner dimension with kWidth elements each, eight such rows,
// then repeated along the outer and last along the inner dimension until the tile is full.
func mmaTile(tile []int, kWidth int, order, repOrder []int) (layout.Layout, error) {
	inner, outer := order[0], order[1]
	m, n := tile[outer], tile[inner]
	if m < 8 || m%8 != 0 || kWidth <= 0 || n < 4*kWidth || n%(4*kWidth) != 0 {
		return layout.Layout{}, fmt.Errorf("a tile of %dx%d with %d elements in a row is no fragment of "+
			"an mma instruction", m, n, kWidth)
	}
	for _, x := range []int{m, n, kWidth} {
		if x&(x-1) != 0 {
			return layout.Layout{}, fmt.Errorf("%d is no power of two", x)
		}
	}
	var l layout.Layout
	for _, d := range repOrder {
		l = l.Mul(layout.Identity1D(1, layout.Register, layout.TensorDim(d)))
	}
	in, out := layout.TensorDim(inner), layout.TensorDim(outer)
	return layout.Product(l,
		layout.Identity1D(kWidth, layout.Register, in),
		layout.Identity1D(4, layout.Lane, in),
		layout.Identity1D(8, layout.Lane, out),
		layout.Identity1D(m/8, layout.Register, out),
		layout.Identity1D(n/(4*kWidth), layout.Register, in)), nil
}

const hopper = 3 // the major version whose warps lie one below the other first

// nvidiaMma: the accumulator, two elements in a row for each lane.
func nvidiaMma(l ttg.NvidiaMma, shape []int) (layout.Layout, error) {
	rank := len(shape)
	if rank < 2 || len(l.InstrShape) < 2 {
		return layout.Layout{}, fmt.Errorf("the result of an mma has two dimensions or more")
	}
	instr := ints(l.InstrShape)
	switch {
	case l.VersionMajor == hopper:
		instr = instr[:2] // m, n, k
	case l.VersionMajor != 2:
		return layout.Layout{}, fmt.Errorf("no linear layout known of mma version %d", l.VersionMajor)
	}
	if len(instr) != rank {
		return layout.Layout{}, fmt.Errorf("an instruction of rank %d for a tensor of rank %d",
			len(instr), rank)
	}
	rowMajor := layout.RowMajor(rank)
	cta, err := mmaTile(instr, 2, rowMajor, rowMajor)
	if err != nil {
		return cta, err
	}
	warps := layout.IdentityND(layout.Warp, ints(l.WarpsPerCTA), matrixOrder(rank, l.VersionMajor != hopper))
	return withCluster(cta.Mul(warps.TransposeOuts(cta.OutNames()...)), l, shape)
}

// nvidiaOperand: an operand in registers, of mma.sync or, the left one only, of wgmma.
func nvidiaOperand(l ttg.DotOp, parent ttg.NvidiaMma, shape []int) (layout.Layout, error) {
	rank, kWidth := len(shape), int(l.KWidth)
	tile := make([]int, rank)
	for i := range tile {
		tile[i] = 1
	}
	if l.OpIdx == 0 {
		tile[rank-2], tile[rank-1] = 16, 8*kWidth
	} else if parent.VersionMajor == hopper {
		return layout.Layout{}, fmt.Errorf("wgmma takes its right operand from shared memory")
	} else {
		tile[rank-2], tile[rank-1] = 8*kWidth, 8
	}
	order := matrixOrder(rank, l.OpIdx == 0) // along k first
	cta, err := mmaTile(tile, kWidth, order, order)
	if err != nil {
		return cta, err
	}
	warps := sharingK(layout.Warp, ints(parent.WarpsPerCTA), matrixOrder(rank, parent.VersionMajor != hopper),
		kDim(l.OpIdx, rank))
	return withCluster(cta.Mul(warps.TransposeOuts(cta.OutNames()...)), l, shape)
}
