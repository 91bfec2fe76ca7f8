package chip

import "strconv"

// Cards that Python code is told about.
const (
	ampere, hopper, blackwell = "NVIDIA A100", "NVIDIA H200", "NVIDIA B200"
	instinct                  = "AMD Instinct MI300X"
)

// 8-bit floats of the language.
var (
	oldFP8  = []string{"fp8e4b15", "fp8e5"}
	newFP8  = []string{"fp8e4b15", "fp8e4nv", "fp8e5"}
	slowFP8 = []string{"fp8e4b15"}
	amdFP8  = []string{"fp8e4nv", "fp8e5", "fp8e5b16", "fp8e4b8"}
)

// Instructions that generations share.
var (
	turing = NVIDIA{LoadMatrix: true}
	ga100  = NVIDIA{LoadMatrix: true, MMA: true, MMAF64: true, WarpReduce: true, CachePolicy: true}
	ga10x  = NVIDIA{LoadMatrix: true, MMA: true, WarpReduce: true, CachePolicy: true, XorSign: true}
	gh100  = NVIDIA{LoadMatrix: true, StoreMatrix: true, MMA: true, MMAF64: true, WarpGroups: true, TMA: true,
		Clusters: true, WarpReduce: true, CachePolicy: true, XorSign: true, IntToBF16: true,
		VectorAtomics: true, Dependent: true}
	gb100 = NVIDIA{LoadMatrix: true, StoreMatrix: true, MMA: true, TMA: true, Clusters: true,
		WarpReduce: true, CachePolicy: true, XorSign: true, IntToBF16: true, VectorAtomics: true,
		Dependent: true}
)

// older is a GPU before all rows.
var older = Chip{Backend: "cuda", Card: ampere, Multiprocessors: 108, WarpSize: 32, SharedPerBlock: 99 << 10,
	FP8: oldFP8, DotPrecisions: []string{"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"}, LeastK: 16,
	LeastK8: 32, Stages: 3}

// cuda has NVIDIA's GPUs, the oldest first. From sm_80 on, the system keeps 1 KiB of shared memory.
var cuda = []Chip{
	nvidia(70, older, NVIDIA{}, limits{block: 96}),
	nvidia(75, older, turing, limits{16, 1024, 64, 64}, Arch{"sm_75", 63, 17}),
	nvidia(80, older, ga100, limits{32, 2048, 164, 163}, Arch{"sm_80", 70, 17}),
	nvidia(86, older, ga10x, limits{16, 1536, 100, 99}, Arch{"sm_86", 71, 17}),
	nvidia(87, older, ga10x, limits{16, 2048, 164, 163}, Arch{"sm_87", 74, 17}),
	nvidia(88, older, ga10x, limits{block: 99}, Arch{"sm_88", 90, 22}),
	nvidia(89, ada, with(ga10x, func(n *NVIDIA) { n.MMAFP8 = true }), limits{24, 1536, 100, 99},
		Arch{"sm_89", 78, 17}),
	nvidia(90, h200, with(gh100, func(n *NVIDIA) { n.Own = "sm_90a" }), limits{32, 2048, 228, 227},
		Arch{"sm_90", 78, 17}, Arch{"sm_90a", 80, 18}),
	nvidia(100, b200, gb100, limits{block: 227},
		Arch{"sm_100", 86, 20}, Arch{"sm_100a", 86, 20}, Arch{"sm_100f", 88, 21}),
	nvidia(103, b200, gb100, limits{block: 227},
		Arch{"sm_103", 88, 21}, Arch{"sm_103a", 88, 21}, Arch{"sm_103f", 88, 21}),
	nvidia(110, b200, gb100, limits{block: 99},
		Arch{"sm_110", 90, 22}, Arch{"sm_110a", 90, 22}, Arch{"sm_110f", 90, 22}),
	nvidia(120, b200, with(gb100, func(n *NVIDIA) { n.MMAFP8 = true }), limits{block: 99},
		Arch{"sm_120", 87, 20}, Arch{"sm_120a", 87, 20}, Arch{"sm_120f", 88, 21}),
	nvidia(121, b200, gb100, limits{block: 99},
		Arch{"sm_121", 88, 21}, Arch{"sm_121a", 88, 21}, Arch{"sm_121f", 88, 21}),
}

// What the language sees of a generation.
var (
	ada  = change(older, func(c *Chip) { c.FP8, c.FP8Conversions = newFP8, true })
	b200 = change(ada, func(c *Chip) { c.Card, c.Multiprocessors, c.SlowFP8 = blackwell, 148, slowFP8 })
	h200 = change(b200, func(c *Chip) {
		c.Card, c.Multiprocessors, c.ImpreciseAccumulators = hopper, 132, true
	})
)

// hip has AMD's GPUs.
var hip = []Chip{
	amd("gfx1100", 32, AMD{WMMA: 1, RDNA: 3}),
	amd("gfx1101", 32, AMD{WMMA: 1, RDNA: 3}),
	amd("gfx1102", 32, AMD{WMMA: 1, RDNA: 3}),
	amd("gfx1103", 32, AMD{WMMA: 1, RDNA: 3}),
	amd("gfx1150", 32, AMD{WMMA: 1, RDNA: 3}),
	amd("gfx1151", 32, AMD{WMMA: 1, RDNA: 3}),
	amd("gfx1200", 32, AMD{WMMA: 2, RDNA: 4}),
	amd("gfx1201", 32, AMD{WMMA: 2, RDNA: 4}),
	amd("gfx908", 64, AMD{MFMA: 1}),
	amd("gfx90a", 64, AMD{MFMA: 2}),
	change(amd("gfx942", 64, AMD{MFMA: 3, InThreadTranspose: true}), func(c *Chip) {
		c.DotPrecisions = append(c.DotPrecisions, "tf32")
	}),
	change(amd("gfx950", 64, AMD{MFMA: 4, PermLaneSwap: true, TransposingReads: true}),
		func(c *Chip) { c.SlowFP8 = []string{"fp8e5b16", "fp8e4b8"} }),
}

// limits are those of a multiprocessor: blocks, threads and KiB of shared memory, and KiB for a block. Only
// the last one is known of some.
type limits struct{ blocks, threads, shared, block int }

func nvidia(capability int, like Chip, has NVIDIA, l limits, arches ...Arch) Chip {
	return change(like, func(c *Chip) {
		c.Capability, c.Name, c.NVIDIA = capability, strconv.Itoa(capability), has
		c.Arches = arches
		c.BlocksPerSM, c.ThreadsPerSM = l.blocks, l.threads
		c.SharedPerSM, c.SharedPerBlock = l.shared<<10, l.block<<10
	})
}

func amd(name string, wave int, has AMD) Chip {
	return Chip{Backend: "hip", Name: name, Card: instinct, Multiprocessors: 304, WarpSize: wave,
		SharedPerBlock: 64 << 10, FP8: amdFP8, DotPrecisions: []string{"ieee", "bf16x3", "bf16x6"}, LeastK: 1,
		LeastK8: 1, Stages: 2, ROCm: "6.4", NoAsyncCopies: true, HoistLoads: true, AMD: has}
}

// change returns a changed copy of a chip.
func change(c Chip, by func(*Chip)) Chip {
	by(&c)
	return c
}

// with returns a changed copy of instructions.
func with(n NVIDIA, by func(*NVIDIA)) NVIDIA {
	by(&n)
	return n
}
