// Package chip has one row for each GPU that code is made for: limits of a multiprocessor, element types,
// instructions. The front end, the passes, the lowering and the targets read the row instead of comparing
// numbers and names of chips. A new chip of a known family is a row.
package chip

import (
	"strconv"
	"strings"
)

// Chip is a GPU as the compiler knows it.
type Chip struct {
	Backend    string // Triton's: "cuda" or "hip"
	Name       string // Triton's: "90", "gfx942"
	Capability int    // compute capability, 90 for sm_90; 0 for AMD's

	// What Python code that asks for the device is told: the usual card with the chip.
	Card            string
	Multiprocessors int

	WarpSize int
	// Limits of a multiprocessor. BlocksPerSM is 0 if they have not been established; code is then assembled
	// as the assembler likes.
	BlocksPerSM, ThreadsPerSM, SharedPerSM int
	SharedPerBlock                         int // bytes of shared memory

	// Element types and products in the language.
	FP8                   []string // 8-bit floats that it converts
	SlowFP8               []string // those whose products are computed in fp16, with a warning
	ImpreciseAccumulators bool     // products of 8-bit floats may accumulate in fewer bits than f32
	DotPrecisions         []string // values of tl.dot's input_precision; the first is the default
	LeastK, LeastK8       int      // least length of the sums of tl.dot, and for operands of 8 bits
	Stages                int      // num_stages of a kernel that does not say
	FP8Conversions        bool     // there are instructions that convert pairs of 8-bit floats

	ROCm string // torch.version.hip; "" for a GPU of CUDA's

	// NoAsyncCopies says that loops do not copy to shared memory asynchronously.
	NoAsyncCopies bool
	// HoistLoads says that Triton's pipeline for the chip has triton-licm.
	HoistLoads bool

	NVIDIA
	AMD
}

// NVIDIA has instructions of NVIDIA's GPUs.
type NVIDIA struct {
	// Arches are the names that LLVM and the assembler know; Own is among them and has the instructions that
	// only this chip has.
	Arches []Arch
	Own    string

	LoadMatrix    bool // ldmatrix
	StoreMatrix   bool // stmatrix
	MMA           bool // products of a warp: mma.sync with asynchronous copies to feed it
	MMAF64        bool // at full speed for f64
	MMAFP8        bool // for 8-bit floats
	WarpGroups    bool // products of four warps: wgmma
	TMA           bool // the copy engine, with tensor maps
	Clusters      bool // clusters of blocks
	WarpReduce    bool // redux.sync
	CachePolicy   bool // createpolicy
	XorSign       bool // fmin.xorsign.abs
	IntToBF16     bool // cvt of integers to bf16
	VectorAtomics bool // sums of up to 16 bytes of floats, and of bf16
	Dependent     bool // programmatic dependent launch: a kernel may begin before the one before it ends
}

// Arch is an architecture by its name in LLVM: the first version of PTX that has it (83 for 8.3), and the
// first LLVM.
type Arch struct {
	Name      string
	PTX, LLVM int
}

// AMD has instructions of AMD's GPUs.
type AMD struct {
	MFMA, WMMA        int  // the version of matrix instructions of each kind, 0 for none
	RDNA              int  // the generation, 0 for CDNA
	PermLaneSwap      bool // lanes 16 and 32 apart exchange registers
	TransposingReads  bool // instructions that read shared memory transposed
	InThreadTranspose bool // Triton transposes operands in registers: MI300 alone gains from it
}

// Known reports whether a multiprocessor's limits are known.
func (c *Chip) Known() bool { return c.BlocksPerSM > 0 }

// CUDA returns NVIDIA's GPU of a compute capability. One without a row has the instructions of the chip
// before it, and unknown limits.
func CUDA(capability int) Chip {
	c := older
	for _, row := range cuda {
		if row.Capability <= capability {
			c = row
		}
	}
	if c.Capability != capability {
		c.Capability, c.Name, c.Arches, c.Own = capability, strconv.Itoa(capability), nil, ""
		c.BlocksPerSM, c.ThreadsPerSM, c.SharedPerSM, c.SharedPerBlock = 0, 0, 0, older.SharedPerBlock
	}
	if c.Own == "" {
		c.Own = "sm_" + c.Name
	}
	return c
}

// HIP returns AMD's GPU by LLVM's name, "gfx942". Others of its family have the same instructions; ok is
// false if code is not made for it.
func HIP(name string) (c Chip, ok bool) {
	c = amd(name, 32, AMD{})
	for _, row := range hip {
		if row.Name == name {
			return row, true
		}
		if len(name) > 4 && len(name) == len(row.Name) && name[:len(name)-1] == row.Name[:len(name)-1] {
			c.WarpSize, c.AMD = row.WarpSize, row.AMD
		}
	}
	return c, false
}

// Of returns the chip of a target as Triton writes it: ("cuda", "90"), ("hip", "gfx942"). Other targets
// follow the rules of cuda:90.
func Of(backend, arch string) Chip {
	switch backend {
	case "cuda":
		n, _ := strconv.Atoi(strings.TrimSuffix(arch, "a"))
		return CUDA(n)
	case "hip":
		c, _ := HIP(arch)
		return c
	}
	return CUDA(90)
}

// Row returns the chip of a back end by the fields that the language shows: a compute capability for cuda, a
// name for hip. Other back ends have the instructions of the compute capability that they name.
func Row(backend string, capability int, name string) Chip {
	if backend == "hip" {
		c, _ := HIP(name)
		return c
	}
	return CUDA(capability)
}

// Target returns the chip of a target, "cuda:90" or "hip:gfx942", or of its simulator, "sim:90". Any other
// text is a chip without instructions of its own.
func Target(text string) Chip {
	backend, arch, _ := strings.Cut(text, ":")
	simulated := backend == "sim"
	if backend == "hip" || simulated && strings.HasPrefix(arch, "gfx") {
		c, _ := HIP(arch)
		return c
	}
	if n, err := strconv.Atoi(arch); (backend == "cuda" || simulated) && err == nil {
		return CUDA(n)
	}
	return Chip{}
}

// Arches returns the architectures of NVIDIA's GPUs, by their names in LLVM.
func Arches() (list []Arch) {
	for _, row := range cuda {
		list = append(list, row.Arches...)
	}
	return list
}

// HIPNames returns the names of AMD's chips.
func HIPNames() (list []string) {
	for _, row := range hip {
		list = append(list, row.Name)
	}
	return list
}
