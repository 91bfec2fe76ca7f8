package nvidia

import (
	"fmt"
	"math"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Code is a compiled kernel.
type Code struct {
	Name     string
	PTX      []byte
	Shared   int // bytes of dynamic shared memory
	NumWarps int
	Params   []int // sizes of the arguments in bytes

	// Scratch is the number of bytes of global memory that each program has for itself. If not 0, the kernel
	// has one more parameter: their address.
	Scratch int `json:",omitempty"`

	NumCTAs     int  `json:",omitempty"` // blocks of a cluster, which is one program; 0 means 1
	Cooperative bool `json:",omitempty"`
	Overlap     bool `json:",omitempty"` // programmatic dependent launch

	// BlocksPerSM is the number of blocks per SM in the launches for which the code is made (device.Way).
	// Depths holds the total stages of its pipelines by the number of blocks per SM; nil if they are the
	// same for all launches.
	BlocksPerSM int   `json:"Sharing,omitempty"`
	Depths      []int `json:",omitempty"`

	// Maps describes the arguments that are tensor maps. A launch has words for each: those of
	// device.Descriptor.Words. It has none for maps with a Tile, which are made of the other arguments.
	Maps []gpucode.TensorMap `json:",omitempty"`

	// Check describes checked code. If not nil, the kernel has more parameters at its end, and launches tell
	// them the bounds of the arguments.
	Check *gpucode.Check `json:",omitempty"`

	// Scopes has the names of the scopes that the code records, by number; nil if it records none.
	Scopes []string `json:",omitempty"`

	Certify bool `json:",omitempty"` // floats are elements of a ring, which only the simulator has

	// Assembled says how a GPU has assembled the PTX, which will be assembled in the same way wherever it is
	// loaded; empty for PTX that no GPU has seen.
	Assembled string `json:",omitempty"`

	// Merge is the number of programs that large launches should have as one, in code of their own; 0 means
	// 1. Merged is that number for such code. Strides holds the arguments that are 1 in launches of further
	// such code; it is empty if there is none.
	Merge   int   `json:",omitempty"`
	Merged  int   `json:",omitempty"`
	Strides []int `json:",omitempty"`

	// Persistent code has three more parameters at its end, the sizes of the grid, and is launched with at
	// most as many programs as the GPU has SMs. Short is the condition under which launches should run
	// persistent code rather than other code; nil for persistent code says that it always holds.
	Persistent bool              `json:",omitempty"`
	Short      gpucode.TileGuard `json:",omitempty"`

	// Uniform computes the words of the last parameter from the others; nil if the host computes nothing.
	Uniform *uniform.Program `json:",omitempty"`

	// Rules holds the overrides of rules that launches and assembling read, as rules.Set.Text writes them.
	Rules string `json:",omitempty"`

	// GridStride and Recurrence say that launches have few programs, which the assembler should give many
	// registers: the programs stride over the grid, or share out the heads and columns of a recurrence.
	GridStride bool `json:",omitempty"`
	Recurrence bool `json:",omitempty"`

	rules *rules.Set // values of the rules: the module's, or those in Rules

	guards *guardTable // cached results of evaluating tile guards
}

// ScratchBytes returns the scratch memory that a launch needs in all.
func (k *Code) ScratchBytes(grid [3]int) int { return k.Scratch * grid[0] * grid[1] * grid[2] }

// GridWords is the number of parameters of persistent code that say what the grid is.
const GridWords = 3

// Stays reports whether a launch should run persistent code instead of this one: it has more programs than
// the GPU has SMs, and their loops are short.
func (k *Code) Stays(grid [3]int, words []uint64, sms int) bool {
	return k.Short != nil && !k.Persistent && grid[0]*grid[1]*grid[2] > sms &&
		k.guarded(k.Short, grid, words)
}

// Staying returns the grid in which persistent code is launched on a GPU with that many SMs.
func (k *Code) Staying(grid [3]int, sms int) [3]int {
	if !k.Persistent {
		return grid
	}
	return [3]int{min(sms, grid[0]*grid[1]*grid[2]), 1, 1}
}

// Count returns the number of programs of a grid, or an error for a grid that no GPU runs: blocks are counted
// in 31 bits along x, where each block of a cluster counts, and in 16 bits along y and z.
func (k *Code) Count(grid [3]int) (int, error) {
	n, err := device.CountPrograms(grid, [3]int{math.MaxInt32 / max(1, k.NumCTAs), math.MaxUint16,
		math.MaxUint16})
	if err == nil && k.Scratch > 0 && n > maxScratch/k.Scratch {
		err = diag.Refuse(fmt.Sprintf("the grid %v", grid), "its %d programs need %d bytes of memory each",
			n, k.Scratch)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", k.Name, err)
	}
	return n, nil
}

// maxScratch bounds the scratch memory of a launch: more than any GPU has.
const maxScratch = 1 << 46

// config returns the driver's launch configuration.
func (k *Code) config(grid [3]int) driver.Config {
	c := driver.Config{
		Grid:        driver.Dim3{X: uint32(grid[0]), Y: uint32(grid[1]), Z: uint32(grid[2])},
		Block:       driver.Dim3{X: uint32(32 * k.NumWarps), Y: 1, Z: 1},
		Shared:      uint32(k.Shared),
		Cooperative: k.Cooperative,
		Overlap:     k.Overlap,
	}
	if k.Merged > 1 {
		c.Grid.X /= uint32(k.Merged)
	}
	if k.NumCTAs > 1 { // the driver counts blocks, the caller programs
		c.Cluster = driver.Dim3{X: uint32(k.NumCTAs), Y: 1, Z: 1}
		c.Grid.X *= uint32(k.NumCTAs)
	}
	return c
}

// Obey sets the values of rules that launches and assembling read. Code that was just compiled needs it.
func (k *Code) Obey(r *rules.Set) { k.rules, k.Rules, k.guards = r, r.Text(), &guardTable{} }

// Facts returns what is known of the code before a GPU loads it.
func (k *Code) Facts() device.Facts {
	f := device.Facts{
		Entry: k.Name, Warps: k.NumWarps, Threads: 32 * k.NumWarps, Cluster: max(1, k.NumCTAs),
		Shared: k.Shared, Scratch: int64(k.Scratch), Params: k.Params, Checked: k.Check != nil,
	}
	for _, m := range k.Maps {
		if m.Tile == nil {
			f.Maps = append(f.Maps, m.Param)
		}
	}
	return f
}

// portableCTAs is the largest cluster that every GPU from sm_90 on supports.
const portableCTAs = 8
