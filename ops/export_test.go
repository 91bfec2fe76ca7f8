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

// SetGrads makes configs the only ones of the backward pass of attention with tensor cores, for the kernel of
// keys and values and for that of queries: queries and keys of a tile, warps, stages.
func SetGrads(kv, q [4]int) {
	smallGrads = [2]blocks{{kv[0], kv[1], 0, kv[2], kv[3]}, {q[0], q[1], 0, q[2], q[3]}}
	largeGrads = smallGrads
}

// SetTogether does so for the kernel with atomic additions.
func SetTogether(c [4]int) {
	togetherGrads = blocks{c[0], c[1], 0, c[2], c[3]}
}
