package ttglayout

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Lanes of a wave: CDNA, which has MFMA, and RDNA, which has WMMA.
const (
	cdnaLanes = 64
	rdnaLanes = 32
)

// tiled is what the results of MFMA and WMMA have in common: tiles of an instruction, dealt out to warps.
type tiled struct {
	instr, tiles, warps []int
	rank                int
}

func newTiled(instr, tiles, warps []int64, rank int) (tiled, error) {
	if rank < 2 || len(instr) < 2 || len(warps) != rank {
		return tiled{}, fmt.Errorf("the result of a matrix instruction has two dimensions or more")
	}
	t := tiled{ints(instr), ints(tiles), ints(warps), rank}
	for len(t.tiles) < rank {
		t.tiles = append([]int{1}, t.tiles...)
	}
	return t, nil
}

// operandWidth returns how many elements along the sum a lane holds side by side.
func operandWidth(l ttg.DotOp) (int, error) {
	if w := l.KWidth; w <= 0 || w&(w-1) != 0 || w > maxElems {
		return 0, fmt.Errorf("kWidth %d of an operand is no power of two", w)
	}
	return int(l.KWidth), nil
}

// spread repeats a tile over the result: along n over the tiles of a warp, the warps, and the whole width,
// then along m over the tiles of a warp and the warps. Batches come last.
func (t tiled) spread(tile layout.Layout, shape []int) layout.Layout {
	m, n := t.rank-2, t.rank-1
	dimM, dimN := layout.TensorDim(m), layout.TensorDim(n)
	l := layout.Product(tile.TransposeOuts(dimN, dimM),
		layout.Identity1D(t.tiles[n], layout.Register, dimN),
		layout.Identity1D(t.warps[n], layout.Warp, dimN),
		layout.Identity1D(max(1, shape[n]/(t.instr[1]*t.warps[n]*t.tiles[n])), layout.Register, dimN),
		layout.Identity1D(t.tiles[m], layout.Register, dimM),
		layout.Identity1D(t.warps[m], layout.Warp, dimM))
	if t.rank == 3 {
		l = l.Mul(layout.Identity1D(t.warps[0], layout.Warp, layout.TensorDim(0)))
	}
	return l
}

// amdMfma: each lane holds four elements of a column, or of a row if transposed; lanes lie side by side, then
// below each other, and groups of four repeat until the tile is full.
func amdMfma(l ttg.AMDMfma, shape []int) (layout.Layout, error) {
	t, err := newTiled(l.InstrShape, l.TilesPerWarp, l.WarpsPerCTA, len(shape))
	if err != nil {
		return layout.Layout{}, err
	}
	along, across := layout.TensorDim(t.rank-2), layout.TensorDim(t.rank-1)
	width := t.instr[1]
	if l.IsTransposed {
		along, across, width = across, along, t.instr[0]
	}
	group := 4
	if l.ElementBitWidth == 64 {
		group = 1
	}
	tile := layout.Product(
		layout.Identity1D(group, layout.Register, along),
		layout.Identity1D(width, layout.Lane, across),
		layout.Identity1D(cdnaLanes/width, layout.Lane, along),
		layout.Identity1D(max(1, t.instr[0]*t.instr[1]/(cdnaLanes*group)), layout.Register, along))
	return withCluster(t.spread(tile, shape), l, shape)
}

// amdWmma: each lane holds eight elements of a column, or of a row if transposed; half of the lanes lie side
// by side, and the others hold every second row (first version) or the rows below.
func amdWmma(l ttg.AMDWmma, shape []int) (layout.Layout, error) {
	instr := l.InstrShape
	if instr == nil {
		instr = []int64{16, 16, 16}
	}
	t, err := newTiled(instr, l.TilesPerWarp, l.WarpsPerCTA, len(shape))
	if err != nil {
		return layout.Layout{}, err
	}
	along, across := layout.TensorDim(t.rank-2), layout.TensorDim(t.rank-1)
	if l.IsTransposed {
		along, across = across, along
	}
	inner, outer := layout.Identity1D(8, layout.Register, along), layout.Identity1D(2, layout.Lane, along)
	if l.Version == 1 {
		inner, outer = outer, inner
	}
	tile := layout.Product(layout.Identity1D(1, layout.Register, across), // registers are the first dimension
		layout.Identity1D(16, layout.Lane, across), inner, outer)
	return withCluster(t.spread(tile, shape), l, shape)
}

// mfmaOperand: each lane holds kWidth elements along k; lanes lie along the other dimension, then along k.
func mfmaOperand(l ttg.DotOp, parent ttg.AMDMfma, shape []int) (layout.Layout, error) {
	rank := len(shape)
	t, err := newTiled(parent.InstrShape, parent.TilesPerWarp, parent.WarpsPerCTA, rank)
	if err != nil {
		return layout.Layout{}, err
	}
	kWidth, err := operandWidth(l)
	if err != nil {
		return layout.Layout{}, err
	}
	k, other := kDim(l.OpIdx, rank), kDim(1-l.OpIdx, rank)
	width := t.instr[l.OpIdx]
	depth := cdnaLanes / width * kWidth
	repeat := 1
	if width == 64 && t.instr[1-l.OpIdx] == 4 {
		repeat = 16 // an instruction of 64x4 multiplies 16 blocks
	}
	return operandOf(l, t, shape, layout.Product(
		layout.Identity1D(kWidth, layout.Register, layout.TensorDim(k)),
		layout.Identity1D(width, layout.Lane, layout.TensorDim(other)),
		layout.Identity1D(cdnaLanes/width, layout.Lane, layout.TensorDim(k)),
		layout.Identity1D(repeat, layout.Register, layout.TensorDim(k)),
		layout.Identity1D(max(1, shape[k]/(depth*repeat)), layout.Register, layout.TensorDim(k)),
		layout.Identity1D(t.tiles[other], layout.Register, layout.TensorDim(other))))
}

// wmmaOperand: as mfmaOperand; in the first version, both halves of a wave hold the same.
func wmmaOperand(l ttg.DotOp, parent ttg.AMDWmma, shape []int) (layout.Layout, error) {
	rank := len(shape)
	instr := parent.InstrShape
	if instr == nil {
		instr = []int64{16, 16, 16}
	}
	t, err := newTiled(instr, parent.TilesPerWarp, parent.WarpsPerCTA, rank)
	if err != nil {
		return layout.Layout{}, err
	} else if len(instr) < 3 {
		return layout.Layout{}, fmt.Errorf("an operand of WMMA needs an instruction's shape of three numbers")
	}
	kWidth, err := operandWidth(l)
	if err != nil {
		return layout.Layout{}, err
	}
	k, other := kDim(l.OpIdx, rank), kDim(1-l.OpIdx, rank)
	width := t.instr[l.OpIdx]
	depth := rdnaLanes / width
	below := layout.Identity1D(depth, layout.Lane, layout.TensorDim(k))
	if parent.Version == 1 {
		below = layout.Zeros1D(depth, layout.Lane, layout.TensorDim(k), 1)
	}
	full := t.instr[2]
	if t.tiles[other] > 1 {
		full = max(full, shape[k])
	}
	return operandOf(l, t, shape, layout.Product(
		layout.Identity1D(kWidth, layout.Register, layout.TensorDim(k)),
		layout.Identity1D(width, layout.Lane, layout.TensorDim(other)),
		below,
		layout.Identity1D(max(1, full/(depth*kWidth)), layout.Register, layout.TensorDim(k)),
		layout.Identity1D(t.tiles[other], layout.Register, layout.TensorDim(other))))
}

// operandOf gives an operand's tile to the warps; those along k hold the same.
func operandOf(l ttg.DotOp, t tiled, shape []int, tile layout.Layout) (layout.Layout, error) {
	rank := len(shape)
	for d := range rank {
		tile = tile.Mul(layout.Identity1D(1, layout.Register, layout.TensorDim(d)))
	}
	order := matrixOrder(rank, l.OpIdx == 0) // along k first
	cta := tile.TransposeOuts(names(order)...)
	warps := sharingK(layout.Warp, t.warps, layout.RowMajor(rank), kDim(l.OpIdx, rank))
	return withCluster(cta.Mul(warps.TransposeOuts(cta.OutNames()...)), l, shape)
}
