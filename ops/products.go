package ops

import "github.com/nereid-lang/nereid"

// vectorRows is up to how many rows a product is one of vectors: tensor cores have 16 rows at least, and
// threads alone reach the bandwidth of the memory.
const vectorRows = 2

// skinnyRows is up to how many rows a product has few; up to fewRows it still waits for the weights.
const skinnyRows, fewRows = 16, 128

// blocks is a config of a product: the tile of a program, warps and stages of a GPU.
type blocks struct{ m, n, k, warps, stages int }

// options returns those of a launch.
func (t blocks) options() nereid.Options {
	return nereid.Options{NumWarps: t.warps, NumStages: t.stages}
}

// The shipped configs of products on GPUs; a product takes the first whose programs are enough for the SMs.
// They are those of kernels/matmul.py with which an H200 is fastest (docs/PERFORMANCE.md, "Matrix products
// and attention"). docs/OPERATORS.md has what this package's kernel reaches with them.
var (
	halfBlocks   = []blocks{{128, 256, 64, 8, 3}, {64, 128, 128, 4, 3}, {64, 64, 64, 4, 4}}
	eightBlocks  = []blocks{{128, 256, 128, 8, 4}, {128, 128, 128, 4, 4}, {64, 64, 128, 4, 4}}
	singleBlocks = []blocks{{128, 128, 64, 8, 2}, {64, 64, 32, 4, 2}}
	tf32Blocks   = []blocks{{128, 256, 32, 8, 3}, {64, 64, 32, 4, 4}}
	doubleBlocks = []blocks{{32, 32, 16, 4, 2}}
	// few rows: what counts is how many bytes of the weights are under way
	skinnyBlocks = []blocks{{16, 32, 128, 4, 5}}
	fewBlocks    = []blocks{{64, 64, 128, 4, 4}}
	// one row or two, without tensor cores
	vectorBlocks = blocks{n: 2, k: 4096, warps: 4}
)

// The configs on CPUs: large blocks, which a core's caches hold.
var cpuBlocks = []blocks{{128, 128, 128, 1, 1}, {64, 64, 128, 1, 1}, {32, 64, 64, 1, 1}}

// enough is how many programs keep a GPU busy: one for most of an H200's 132 SMs.
const enough = 100

// tile returns the config of the product.
func (p *product) tile() blocks {
	list := halfBlocks
	switch {
	case p.c.s.chip != gpuChip:
		list = cpuBlocks
	case p.dt.Size() == 1:
		list = eightBlocks
	case p.m <= skinnyRows && p.dt.Size() == 2:
		list = skinnyBlocks
	case p.m <= fewRows && p.dt.Size() == 2 && p.batches*p.heads == 1:
		list = fewBlocks
	case p.dt == nereid.Float32 && p.o.precision == "":
		list = singleBlocks
	case p.dt == nereid.Float32:
		list = tf32Blocks
	case p.dt == nereid.Float64:
		list = doubleBlocks
	}
	want := enough
	if p.c.s.chip != gpuChip {
		want = 4
	}
	t := list[len(list)-1]
	for _, x := range list {
		if nereid.Cdiv(p.m, x.m)*nereid.Cdiv(p.n, x.n)*p.batches*p.heads >= want {
			t = x
			break
		}
	}
	least := 16 // the smallest block of a product
	if p.dt.Size() == 1 {
		least = 32
	}
	t.m, t.n = min(t.m, max(pow2(p.m), 16)), min(t.n, max(pow2(p.n), 16))
	t.k = min(t.k, max(pow2(p.k), least))
	return t
}

// The config of programs that compute tiles side by side: how many at most, and how many programs at least.
var (
	stripBlocks   = blocks{128, 128, 64, 8, 4}
	stripTiles    = 8
	stripPrograms = 2 * enough
)

// mostAcross is how many programs a GPU takes along the second dimension of a grid.
const mostAcross = 1<<16 - 1

// strip returns the config of a product whose programs compute tiles side by side, and their number; 0 if
// they do not. The sums of such a product are so short that its time is that of storing the result: a program
// stores a tile while it computes the next one. On an H200, 64 products of 1024x1024x64 take 47.2 µs instead
// of 51.5.
func (p *product) strip() (blocks, int) {
	t := stripBlocks
	if p.c.s.chip != gpuChip || p.dt.Size() != 2 || p.k > t.k || p.m < t.m {
		return t, 0
	}
	t.k = max(pow2(p.k), 16)
	tiles := min(stripTiles, nereid.Cdiv(p.n, t.n))
	if tiles == 0 || 2*tiles < stripTiles { // a strip is to be longer than its first tile takes to be loaded
		return t, 0
	}
	high := nereid.Cdiv(p.m, t.m)
	programs := nereid.Cdiv(p.n, t.n*tiles) * high * p.batches * p.heads
	if programs < stripPrograms || high > mostAcross {
		return t, 0
	}
	return t, tiles
}

// groupRows returns how many rows of tiles make a group. The 132 tiles of 128x256 that an H200 computes at a
// time read the fewest rows and columns with 16; with 8 the last group of a small product is fuller. TF32,
// whose operands have twice the bytes of others, gains by 16 (4096 cubed: 344 instead of 350 µs).
func (p *product) groupRows() int {
	if p.c.s.chip == gpuChip && p.dt == nereid.Float32 && p.o.precision != "" {
		return 16
	}
	return 8
}

// vectorTile returns the config of a product of few rows.
func vectorTile(p *product) blocks {
	t := vectorBlocks
	if p.col[1] == 1 && p.row[1] != 1 { // b is contiguous along columns
		t = blocks{n: min(pow2(p.n), 64), k: 64, warps: 4}
	} else if p.c.s.chip != gpuChip {
		t = blocks{n: 4, k: 1024, warps: 4}
	}
	t.k = min(pow2(p.k), t.k)
	return t
}
