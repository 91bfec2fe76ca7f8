package dl

import "unsafe"

// Kernel is what calls of a function like cuLaunchKernel have in common, and Launch is one of them.
// NewKernel makes it.
type Kernel struct {
	entry    uintptr // the code that takes a Launch apart
	fn       uintptr
	function uintptr
	Block    [3]uint32
	Shared   uint32
}

// NewKernel is for calls of fn, a function of C (function, grid ×3, block ×3, shared, stream, params,
// extra) that does not call back.
func NewKernel(fn, function uintptr, block [3]uint32, shared uint32) Kernel {
	return Kernel{launchEntry(), fn, function, block, shared}
}

// Call returns the function of C and its first argument.
func (k *Kernel) Call() (fn, function uintptr) { return k.fn, k.function }

// MaxWords is the most arguments of a Launch.
const MaxWords = 48

// Launch is a call that may lie on the stack of its goroutine, as may the words that it points at: neither
// is copied or shared with anybody, so it takes no lock and no memory of the heap. C finds each word of the
// N through a pointer.
type Launch struct {
	Kernel *Kernel
	Grid   [3]uint32
	N      uint32
	Stream uintptr
	Words  *uint64
}

// WordsOf makes the words of a launch those of a slice.
func WordsOf(s []uint64) (*uint64, uint32) { return unsafe.SliceData(s), uint32(len(s)) }
