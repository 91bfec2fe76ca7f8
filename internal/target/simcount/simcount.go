package simcount

import "slices"

// Count says what one instruction did in a launch.
type Count struct {
	Inst int    // its line of PTX, or its number
	Text string // the instruction

	// The place in the kernel's file; File is "" and Line 0 if the code says no lines.
	File         string
	Line, Column int // from 1

	Work
}

// Work holds the counters of a launch.
type Work struct {
	Issued int64 `json:"issued"` // instructions issued; groups of diverged lanes of a warp count separately
	Lanes  int64 `json:"-"`      // active lanes, summed over all issues

	Loaded  int64 `json:"loaded"`  // bytes of global memory that lanes read
	Stored  int64 `json:"stored"`  // and wrote
	Sectors int64 `json:"sectors"` // 32-byte sectors touched, counted for each warp separately
	Least   int64 `json:"least"`   // fewest sectors that hold as many bytes

	Wavefronts int64 `json:"wavefronts"` // of shared memory
	Ideal      int64 `json:"ideal"`      // wavefronts if the words were spread evenly over the banks

	FLOPs    int64 `json:"flops"`    // sums and products of floats outside of tensor cores; fma is two
	Products int64 `json:"products"` // multiplications, each with a sum, of tensor cores
}

// Add adds the numbers of other instructions.
func (w *Work) Add(o Work) {
	w.Issued += o.Issued
	w.Lanes += o.Lanes
	w.Loaded += o.Loaded
	w.Stored += o.Stored
	w.Sectors += o.Sectors
	w.Least += o.Least
	w.Wavefronts += o.Wavefronts
	w.Ideal += o.Ideal
	w.FLOPs += o.FLOPs
	w.Products += o.Products
}

// Pieces of global memory that GPUs move at once: NVIDIA's have sectors of 32 bytes, and AMD's compute units
// ask their L2 cache for 64.
const (
	SectorBytes  = 32
	RequestBytes = 64
)

// Row is bytes of global memory that follow each other.
type Row struct {
	Addr uint64
	N    int
}

// Global counts accesses to global memory, which moves pieces of a size at once.
type Global struct {
	Piece uint64
	seen  []uint64
}

// Access adds one access of a warp, or of a bulk copy.
func (g *Global) Access(w *Work, rows []Row, write bool) {
	if len(rows) == 0 {
		return
	}
	g.seen = g.seen[:0]
	bytes := uint64(0)
	for _, r := range rows {
		bytes += uint64(r.N)
		for s := r.Addr / g.Piece; r.N > 0 && s <= (r.Addr+uint64(r.N)-1)/g.Piece; s++ {
			g.seen = append(g.seen, s)
		}
	}
	slices.Sort(g.seen)
	w.Sectors += int64(len(slices.Compact(g.seen)))
	w.Least += int64((bytes + g.Piece - 1) / g.Piece)
	if write {
		w.Stored += int64(bytes)
	} else {
		w.Loaded += int64(bytes)
	}
}
