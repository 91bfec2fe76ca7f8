package dl

// Frame is a call to a C function with up to 11 integers and pointers, in memory that is used again: what
// the launch path calls with. The result is in memory of C's, so a Frame belongs to one goroutine at a time
// and must lie on the heap; the caller keeps alive what the arguments point at.
type Frame struct {
	Fn     uintptr
	Args   [11]uintptr
	result uintptr
}
