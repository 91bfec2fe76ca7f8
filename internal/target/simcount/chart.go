package simcount

// Mark is something that a warp of a launch's first program did: a copy, a wait, a product, a barrier. Marks
// are in an order in which they can have happened.
type Mark struct {
	Warp int
	At   int    // number of instructions that the warp issued before this one
	Kind string // "load", "store", "copy", "commit", "wait", "product", "barrier", "arrive"
	// Async names what waits for the mark: "" if nothing does. On NVIDIA's GPUs it is "cp" for groups of
	// cp.async, "bulk" for groups of bulk copies, "wgmma" or "mbarrier", on AMD's "vmcnt" or "lgkmcnt".
	Async  string
	Left   int // groups that a wait leaves under way
	Object int // number of a barrier, address of an mbarrier

	Inst int // the instruction: its line of PTX, or its number
	File string
	Line int // 0 if the code says no lines
}

// maxMarks bounds a chart: longer loops are cut.
const maxMarks = 1 << 14

// Chart collects the marks of a launch's first program.
type Chart struct {
	Marks []Mark
	Cut   bool
	now   []int // instructions of each warp
}

// Issue counts an instruction of a warp and returns how many it had issued before.
func (h *Chart) Issue(warp int) int {
	for len(h.now) <= warp {
		h.now = append(h.now, 0)
	}
	h.now[warp]++
	return h.now[warp] - 1
}

// Last returns the number of the instruction that a warp issued last.
func (h *Chart) Last(warp int) int { return h.now[warp] - 1 }

// Add adds a mark.
func (h *Chart) Add(m Mark) {
	if len(h.Marks) == maxMarks {
		h.Cut = true
		return
	}
	h.Marks = append(h.Marks, m)
}
