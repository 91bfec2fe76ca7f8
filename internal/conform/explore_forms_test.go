package conform

import "github.com/nereid-lang/nereid"

// form is a kind of pipeline whose warps synchronize in its own way.
type form struct {
	name   string
	device string
	least  int // stages
	most   int
	slow   int // with so many stages and more it takes long: CI leaves them out
	launch launchOf
	env    map[string]string
}

// launchOf returns a launch with so many stages and iterations.
type launchOf func(stages int, trips int64) described

const exploredKernels = plantedKernels + `
@triton.jit
def turns(p, q, r, s, n, BM: tl.constexpr):
    rows, keys, cols = tl.arange(0, BM), tl.arange(0, 32), tl.arange(0, 64)
    x = tl.load(p + rows[:, None] * 32 + keys[None, :])
    acc = tl.zeros((BM, 64), tl.float32)
    for k in range(n):
        y = tl.dot(x, tl.load(q + k * 1024 + keys[:, None] * 32 + keys[None, :]).T)
        z = tl.where(y > k, 1.0, 2.0).to(tl.float16)
        acc = tl.dot(z, tl.load(r + k * 2048 + keys[:, None] * 64 + cols[None, :]), acc)
    tl.store(s + rows[:, None] * 64 + cols[None, :], acc)

@triton.jit
def described_turns(p, q, r, s, n, BM: tl.constexpr):
    rows, keys, cols = tl.arange(0, BM), tl.arange(0, 32), tl.arange(0, 64)
    x = tl.load(p + rows[:, None] * 32 + keys[None, :])
    acc = tl.zeros((BM, 64), tl.float32)
    for k in range(0, n * 32, 32):
        y = tl.dot(x, q.load([k, 0]).T)
        acc = tl.dot(tl.where(y > k, 1.0, 2.0).to(tl.float16), r.load([k, 0]), acc)
    tl.store(s + rows[:, None] * 64 + cols[None, :], acc)

@triton.jit
def staying(x, out, y, m, n, depth, sx, sy, so):
    pid = tl.program_id(0)
    p, h = pid % tl.cdiv(m, 128), pid // tl.cdiv(m, 128)
    rows, cols = (p * 128 + tl.arange(0, 128)) % m, (h * 256 + tl.arange(0, 256)) % n
    deep = tl.arange(0, 32)
    a, b = x + rows[:, None] * sx + deep[None, :], y + deep[:, None] * sy + cols[None, :]
    acc = tl.zeros((128, 256), tl.float32)
    for i in range(0, depth, 32):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 32
        b += 32 * sy
    rows, cols = p * 128 + tl.arange(0, 128), h * 256 + tl.arange(0, 256)
    at = out + rows[:, None] * so + cols[None, :]
    tl.store(at, acc.to(tl.float16), mask=(rows[:, None] < m) & (cols[None, :] < n))
`

// forms are the pipelines of which all interleavings are visited: with the least sizes that have the form.
func forms() []form {
	tiles := map[string]string{"NEREID_TILE_LOADS": "all", "NEREID_TILE_STORES": "all"}
	keys := []int64{32, 32, 32, 64}
	return []form{
		{"descriptors, mma.sync", "sim:90", 2, 5, 6, descProduct(16, 32, 32, 1), nil},
		{"descriptors, mma.sync", "sim:90", 2, 5, 6, descProduct(32, 32, 32, 4), nil},
		{"descriptors, mma.sync", "sim:90", 2, 5, 5, descProduct(32, 16, 64, 8), nil},
		{"descriptors, wgmma", "sim:90", 2, 5, 6, descProduct(64, 64, 64, 4), nil},
		{"descriptors, wgmma", "sim:90", 2, 5, 5, descProduct(128, 64, 64, 8), nil},
		{"descriptors made in the kernel", "sim:90", 2, 5, 6, madeProduct, nil},
		{"pointers, mma.sync", "sim:80", 2, 5, 6, pointerProduct(32, 32, 32, 1), nil},
		{"pointers, mma.sync", "sim:90", 2, 5, 6, pointerProduct(32, 32, 32, 1), nil},
		{"pointers, wgmma", "sim:90", 2, 5, 6, pointerProduct(64, 64, 64, 1), nil},
		{"pointers, tile loads and stores", "sim:90", 2, 5, 6, pointerProduct(64, 64, 64, 1), tiles},
		{"pointers, a cluster of two", "sim:90", 2, 5, 6, pointerProduct(128, 64, 32, 2), nil},
		{"a persistent loop", "sim:90", 2, 5, 5, tiledProduct("persistent", 32, 64, 4), nil},
		{"a flattened loop", "sim:90", 2, 5, 5, tiledProduct("flattened", 64, 64, 4), nil},
		{"warps specialized", "sim:90", 2, 3, 3, tiledProduct("specialized", 128, 128, 8), nil},
		{"turns, pointers", "sim:90", 3, 5, 6, productsInTurns("turns", nil), nil},
		{"turns, descriptors", "sim:90", 3, 5, 4, productsInTurns("described_turns", keys), nil},
		{"programs that stay, stores in parts", "sim:90", 2, 4, 4, stayingProduct, nil},
	}
}

// inFull returns a tensor for pointers, inBlocks one for a descriptor.
func inFull(dt nereid.DType, shape ...int64) tile { return tile{dt, shape, nil} }

func inBlocks(dt nereid.DType, rows, columns, high, wide int64) tile {
	return tile{dt, []int64{rows, columns}, []int64{high, wide}}
}

// single returns the launch of one program.
func single(kernel string, warps, stages int, args ...any) described {
	o := nereid.Options{NumWarps: warps, NumStages: stages}
	return described{kernel, nereid.Grid{1}, o, 0, args}
}

func descProduct(m, n, k int64, warps int) launchOf {
	return func(stages int, trips int64) described {
		size := trips * k
		return single("desc_mm", warps, stages, inBlocks(nereid.Float16, m, size, m, k),
			inBlocks(nereid.Float16, n, size, n, k), inBlocks(nereid.Float32, m, n, m, n),
			m, n, size, m, n, k)
	}
}

func madeProduct(stages int, trips int64) described {
	return single("made_here", 4, stages, inFull(nereid.Float16, 64, trips*64),
		inFull(nereid.Float16, trips*64, 64), inFull(nereid.Float16, 64, 64), 64, 64, trips*64, 64, 64, 64)
}

func pointerProduct(m, n, k int64, ctas int) launchOf {
	return func(stages int, trips int64) described {
		size := trips * k
		d := single("mm", 4, stages, inFull(nereid.Float16, m, size), inFull(nereid.Float16, n, size),
			inFull(nereid.Float32, m, n), size, m, n, k)
		d.opts.NumCTAs = ctas
		return d
	}
}

// tiledProduct returns launches of kernels that go over the two tiles of a product.
func tiledProduct(kernel string, out, block int64, warps int) launchOf {
	return func(stages int, trips int64) described {
		k := trips * 64
		return single(kernel, warps, stages, inBlocks(nereid.Float16, 2*block, k, block, 64),
			inBlocks(nereid.Float16, block, k, block, 64),
			inBlocks(nereid.Float16, 2*block, block, block, out),
			2*block, block, k, block, block, 64, 1)
	}
}

// productsInTurns returns launches of two products, whose warp groups take turns.
func productsInTurns(kernel string, blocks []int64) launchOf {
	return func(stages int, trips int64) described {
		q, r := inFull(nereid.Float16, 32*trips, 32), inFull(nereid.Float16, 32*trips, 64)
		if blocks != nil {
			q.block, r.block = blocks[:2], blocks[2:]
		}
		return single(kernel, 8, stages, inFull(nereid.Float16, 256, 32), q, r,
			inFull(nereid.Float32, 256, 64), trips, 256)
	}
}

// stayingProduct launches three programs, of which the two SMs of the simulator hold two.
func stayingProduct(stages int, trips int64) described {
	k := trips * 32
	d := single("staying", 8, stages, inFull(nereid.Float16, 384, k), inFull(nereid.Float16, 384, 256),
		inFull(nereid.Float16, k, 256), 384, 256, k, k, 256, 256)
	d.grid = nereid.Grid{3}
	return d
}
