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
	t := blocks{c[0], c[1], 0, c[2], c[3]}
	atOnceGrads = [2]blocks{t, t}
}

// SetProducts makes a config the only one of products on GPUs: rows, columns and depth of a tile, warps,
// stages.
func SetProducts(c [5]int) {
	list := []blocks{{c[0], c[1], c[2], c[3], c[4]}}
	halfBlocks, singleBlocks, tf32Blocks = list, list, list
}

// SetFlat sets the elements of a program of elementwise kernels on GPUs.
func SetFlat(n int) { elements[gpuChip] = n }
