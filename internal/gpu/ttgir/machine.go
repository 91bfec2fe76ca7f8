package ttgir

// Machine describes the hardware that a kernel is compiled for.
type Machine struct {
	Target         string // for example "cuda:90"
	NumWarps       int
	ThreadsPerWarp int // 0 means 32
	NumCTAs        int // 0 means 1
}

// GroupWarps is the number of warps of a group.
const GroupWarps = 4
