package ops

import "maps"

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
	b := blocks{c[0], c[1], 0, c[2], c[3]}
	atOnceGrads = [2]blocks{b, b}
}

// SetProducts makes a config the only one of products on GPUs: rows, columns and depth of a tile, warps, stages.
func SetProducts(c [5]int) {
	list := []blocks{{c[0], c[1], c[2], c[3], c[4]}}
	halfBlocks, singleBlocks, tf32Blocks = list, list, list
}

// SetVectors does so for products of one or two rows: columns and depth of a tile, warps.
func SetVectors(c [3]int) { vectorBlocks = blocks{n: c[0], k: c[1], warps: c[2]} }

// SetReductions sets the columns of a tile of loops, the tile of reductions across rows (rows, columns, warps),
// and for reductions in parts how many programs they have at most and tiles a program at least, and whether the
// second kernel may begin early.
func SetReductions(columns int, across [3]int, programs, turns int, early bool) {
	loopColumns, acrossTile = columns, tile{r: across[0], c: across[1], warps: across[2]}
	splitPrograms, splitTurns, splitEarly = programs, turns, early
}

// SetSoftmax sets the block of long rows of softmax, and its warps.
func SetSoftmax(c [2]int) { softmaxTile.block, softmaxTile.warps = c[0], c[1] }

// SetFlat sets the elements of a program of padding, and of elementwise kernels on GPUs.
func SetFlat(pad, flat int) { padBlock, elements[gpuChip] = pad, flat }

// SetGradBlock sets the elements of a program of the gradient of cross entropy.
func SetGradBlock(n int) { gradBlock[gpuChip] = n }
