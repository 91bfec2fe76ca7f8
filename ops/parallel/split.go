package parallel

import (
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/ops"
)

// Part returns which of n things are a rank's: those from the first number up to the second, without it. All
// ranks have the same number of them, a multiple of unit.
func Part(rank, ranks, n, unit int) (from, to int, err error) {
	if ranks < 1 || rank < 0 || rank >= ranks {
		return 0, 0, fmt.Errorf("parallel: rank %d of %d", rank, ranks)
	}
	if unit < 1 || n%(ranks*unit) != 0 {
		return 0, 0, fmt.Errorf("parallel: %d are not %d equal parts of whole units of %d", n, ranks, unit)
	}
	return rank * (n / ranks), (rank + 1) * (n / ranks), nil
}

// SplitColumns returns the view of a rank's columns of a matrix, which are as many for each rank.
func SplitColumns(c *collective.Comm, w *nereid.Tensor) *nereid.Tensor { return split(c, w, 1) }

// SplitRows returns the view of a rank's rows of a matrix, which are as many for each rank.
func SplitRows(c *collective.Comm, w *nereid.Tensor) *nereid.Tensor { return split(c, w, 2) }

// split returns the view of a rank's part along the dimension that is so many from the last one.
func split(c *collective.Comm, w *nereid.Tensor, fromLast int) *nereid.Tensor {
	if err := w.Err(); err != nil {
		return w
	}
	dim := len(w.Shape) - fromLast
	if dim < 0 {
		return core.Broken(fmt.Errorf("parallel: the shape %v is no matrix", w.Shape))
	}
	from, to, err := Part(c.Rank(), c.Size(), w.Shape[dim], 1)
	if err != nil {
		return core.Broken(err)
	}
	return w.Slice(dim, from, to, 1)
}

// SplitInputs returns the bytes of a rank's inputs of a matrix of weights in blocks, which has a row for each
// output: the same blocks of every row. Blocks are never cut: a format whose blocks of 32 or 256 weights do
// not make equal parts is an error.
func SplitInputs(rank, ranks int, f ops.Format, rows, cols int, data []byte) ([]byte, error) {
	weights, size := f.Block()
	from, to, err := Part(rank, ranks, cols, weights)
	if err != nil {
		return nil, fmt.Errorf("parallel: rows of %d weights in blocks of %d (%s) cannot be split over %d ranks: "+
			"use another number of ranks, or a format with smaller blocks", cols, weights, f, ranks)
	}
	if len(data) != f.Bytes(rows, cols) {
		return nil, fmt.Errorf("parallel: a %dx%d matrix of %s has %d bytes, not %d", rows, cols, f,
			f.Bytes(rows, cols), len(data))
	}
	row := cols / weights * size
	out := make([]byte, 0, len(data)/ranks)
	for i := range rows {
		out = append(out, data[i*row+from/weights*size:i*row+to/weights*size]...)
	}
	return out, nil
}
