package ops

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid"
	chips "github.com/nereid-lang/nereid/internal/chip"
)

// chip is the kind of a device, by which tiles are chosen.
type chip uint8

const (
	gpuChip chip = iota // real ones, and simulated ones, whose code is the same
	cpuChip
	interpChip
)

func chipOf(d *nereid.Device) chip {
	switch has := d.Abilities(); {
	case has.HostMemory:
		return cpuChip
	case has.Interprets:
		return interpChip
	}
	return gpuChip
}

// engines reports whether a device has programmatic dependent launches, and a copy engine for blocks:
// NVIDIA's GPUs from sm_90 on have both.
func engines(d *nereid.Device) (dependent, copies bool) {
	c := chips.Target(d.Target())
	return c.Dependent, c.TMA
}

// tile is how many rows and columns a program of a generated kernel computes at a time.
type tile struct {
	r, c, warps int
	loop        bool // columns are more than c: a loop
}

// elements is how many elements a tile of an elementwise kernel has, by chip: enough for whole vectors of
// every thread on a GPU; enough to hide what a program costs elsewhere.
var elements = [...]int{gpuChip: 1024, cpuChip: 4096, interpChip: 4096}

// longestRow is how many columns a row may have that is reduced in one tile, by chip: what fits into the
// registers of a block on a GPU, into the first caches elsewhere.
var longestRow = [...]int{gpuChip: 32768, cpuChip: 8192, interpChip: 65536}

// loopColumns is how many columns of a row are read at a time where a loop reads them.
const loopColumns = 4096

// acrossTile is the tile of reductions in parts on a GPU whose operands are contiguous along rows.
var acrossTile = tile{r: 128, c: 128}

// pow2 returns the smallest power of two that is at least n.
func pow2(n int) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(n-1))
}

// tiles returns the rows and columns of an elementwise kernel, whose operands from position outs on are
// outputs. The columns are the dimension along which outputs are the closest to contiguous; the innermost
// dimension of the rows is one along which an input is contiguous, if that is another one, so that tiles of a
// transposition read and write whole vectors.
func (s space) tiles(outs int) (rows, cols space) {
	order := make([]int, len(s.sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.strides[outs][b] - s.strides[outs][a] })
	x := s.pick(order).collapse()
	n := len(x.sizes)
	if n == 0 {
		return space{strides: make([][]int, len(s.strides))}, x
	}
	order = order[:n]
	for i := range order {
		order[i] = i
	}
	inner := n - 2
	for d := range n - 1 {
		for i := range outs {
			if x.strides[i][d] == 1 {
				inner = d
			}
		}
	}
	if inner >= 0 {
		order = append(slices.Delete(order[:n-1], inner, inner+1), inner)
	} else {
		order = order[:0]
	}
	return x.pick(order), x.pick([]int{n - 1})
}

// tile returns the tile of the call's kernel.
func (x *fusion) tile() tile {
	if !x.reduces() {
		return x.flatTile()
	}
	rows, cols := count(x.rows.sizes), count(x.cols.sizes)
	if x.alongRows() {
		t := tile{r: 64, c: 32}
		if x.c.s.chip == gpuChip && x.splits() {
			t = acrossTile
		}
		t.r, t.c = min(pow2(rows), t.r), min(pow2(cols), t.c)
		t.warps = min(max(t.r*t.c/1024, 4), 16)
		t.loop = t.c < cols
		return t
	}
	t := tile{r: 1, c: pow2(cols), warps: 4}
	if limit := longestRow[x.c.s.chip]; t.c > limit || t.c > loopColumns && x.single() {
		t.c, t.loop = min(loopColumns, limit), true
	}
	t.r = max(1, min(pow2(rows), elements[x.c.s.chip]/t.c))
	t.warps = min(max(t.c*t.r/512, 4), 32)
	return t
}

// single reports whether the kernel reads its columns once even in a loop: all results are values of rows,
// and no reduction needs another one.
func (x *fusion) single() bool {
	depths := map[*node]int{}
	for i, r := range x.f.roots {
		if !x.f.rows[i] || r.depth(depths) > 1 {
			return false
		}
	}
	return true
}

// alongRows reports whether operands are contiguous along rows and not along columns.
func (x *fusion) alongRows() bool {
	rows, cols := false, false
	for i := range x.c.n {
		rows = rows || slices.Contains(x.rows.strides[i], 1)
		cols = cols || slices.Contains(x.cols.strides[i], 1)
	}
	return rows && !cols
}

// flatTile returns the tile of an elementwise kernel.
func (x *fusion) flatTile() tile {
	total := elements[x.c.s.chip]
	t := tile{r: 1, c: total, warps: 4}
	if len(x.rows.sizes) == 0 {
		t.c = min(t.c, max(pow2(count(x.cols.sizes)), 16))
		return t
	}
	rows := count(x.rows.sizes)
	if x.transposes() {
		total, t.warps = 4096, 8
		t.c = min(pow2(count(x.cols.sizes)), 64)
	} else {
		t.c = min(pow2(count(x.cols.sizes)), total)
	}
	t.r = min(pow2(rows), total/t.c)
	return t
}

// transposes reports whether an input is contiguous along rows.
func (x *fusion) transposes() bool {
	for i := range x.c.n {
		if s := x.rows.strides[i]; s[len(s)-1] == 1 && !slices.Contains(x.cols.strides[i], 1) {
			return true
		}
	}
	return false
}
