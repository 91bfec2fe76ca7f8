package ops

import (
	"maps"

	"github.com/nereid-lang/nereid"
)

// Texts returns the generated files of a library by name.
func (l *Library) Texts() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.texts)
}

// SetConvs makes a config the only one of convolutions with tensor cores: channels, pixels and depth of a
// tile, warps, stages.
func SetConvs(c [5]int) {
	halfConvs = []blocks{{c[0], c[1], c[2], c[3], c[4]}}
	tf32Convs, generalConvs = halfConvs, halfConvs
}

// SetAtOnce makes a config the only one of the backward pass of attention with atomic additions: queries and
// keys of a tile, warps, stages.
func SetAtOnce(c [4]int) {
	t := blocks{c[0], c[1], 0, c[2], c[3]}
	atOnceGrads = [3]blocks{t, t, t}
}

// SetProducts makes a config the only one of products on GPUs: rows, columns and depth of a tile, warps,
// stages.
func SetProducts(c [5]int) {
	list := []blocks{{c[0], c[1], c[2], c[3], c[4]}}
	halfBlocks, singleBlocks, tf32Blocks = list, list, list
}

// SetStrips sets the config of products whose programs compute tiles side by side: rows, columns and depth of
// a tile, the number of tiles, warps, stages; and the least number of such programs. Without tiles there are
// none. It returns a function that sets what was set before.
func SetStrips(c [6]int, programs int) (back func()) {
	b, t, p := stripBlocks, stripTiles, stripPrograms
	stripBlocks, stripTiles, stripPrograms = blocks{c[0], c[1], c[2], c[4], c[5]}, c[3], programs
	return func() { stripBlocks, stripTiles, stripPrograms = b, t, p }
}

// Strips returns how many tiles side by side a program computes of a product of numbers of 16 bits on a GPU.
func Strips(m, n, k int) int {
	s := &Stream{state: &state{chip: gpuChip}}
	p := &product{c: &call{s: s}, dt: nereid.Float16, m: m, n: n, k: k, batches: 1, heads: 1}
	_, tiles := p.strip()
	return tiles
}

// SetFlat sets the elements of a program of elementwise kernels on GPUs.
func SetFlat(n int) { elements[gpuChip] = n }
