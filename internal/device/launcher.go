package device

import (
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/uniform"
)

// Launcher launches one kernel in which everything is set but the stream, the grid and the arguments. It is
// the quickest way to launch: the host knows the words, and one call passes them to the device. Any number of
// goroutines may use it at once.
type Launcher interface {
	// LaunchWords queues the kernel on a stream of its device, which must be Guarded, for a grid that has
	// programs. The caller has begun a call of the stream's Calls and has looked, after that, whether the
	// memory of the arguments is open.
	//
	// words may be on the caller's stack: LaunchWords must not keep it. Words that the device computes of the
	// arguments are written behind them, if the slice has the capacity; kept says for which launch they are
	// there already, and may be nil.
	LaunchWords(s Stream, x, y, z uint32, words []uint64, kept *uniform.Kept) error
	// Closes returns the counter of the memory that was closed on devices of this kind: as long as it does
	// not change, memory that was open is open.
	Closes() *atomic.Uint32
	// ByHand returns how to launch the kernel without this package; ok is false if that is not possible.
	ByHand() (h ByHand, ok bool)
}

// MaxLauncherWords is the most words of a launch by a Launcher, with those that the device computes.
const MaxLauncherWords = 48

// Direct is an executable that may have a Launcher.
type Direct interface {
	// Launcher returns the Launcher for launches with that many words; nil if there is none.
	Launcher(words int) Launcher
}

// ByHand is what it takes to launch a kernel in C: a thread on which Context is current, as the function at
// GetCurrent says, may call LaunchKernel, which has the parameters of cuLaunchKernel.
type ByHand struct {
	LaunchKernel, GetCurrent uintptr // addresses of the driver's functions
	Context, Function        uintptr // the driver's handles
	Block                    [3]uint32
	Shared                   uint32
	Below                    uint32 // grids with so many blocks along x, or more, may run other code
}
