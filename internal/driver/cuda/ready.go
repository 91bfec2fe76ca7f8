package cuda

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Ready is a launch of a kernel of which all is set but the grid, the stream and the arguments. The driver leaves nothing of ours in the
// processor's nearest cache, so what a launch costs is the memory that it touches: here it lies together, and little of it is written
// again. One goroutine uses it at a time.
type Ready struct {
	frame  dl.Frame // of the call, to cuLaunchKernel
	words  []uint64
	fn     *Function
	alone  *atomic.Int32 // devices in use
	block  Dim3
	shared uint32
	params []unsafe.Pointer
	room   readyRoom
}

// readyRoom is for the arguments of most kernels.
type readyRoom struct {
	words  [16]uint64
	params [16]unsafe.Pointer
}

// Ready prepares r, which lies on the heap, for launches of a kernel of n parameters of up to 8 bytes, each in a word of its own: the driver reads as many bytes of it
// as the parameter has, the low ones. The configuration must be one that cuLaunchKernel takes, and its grid is not looked at.
func (f *Function) Ready(r *Ready, c Config, n int) {
	*r = Ready{fn: f, alone: &f.ctx.driver.contexts, block: c.Block, shared: c.Shared}
	r.words, r.params = r.room.words[:], r.room.params[:]
	if n > len(r.words) {
		r.words, r.params = make([]uint64, n), make([]unsafe.Pointer, n)
	}
	r.words = r.words[:n]
	for i := range r.words {
		r.params[i] = unsafe.Pointer(&r.words[i])
	}
	r.frame.Fn = f.ctx.driver.raw.launchKernel
	r.frame.Args = [11]uintptr{
		0: uintptr(f.ref), 4: uintptr(c.Block.X), 5: uintptr(c.Block.Y), 6: uintptr(c.Block.Z), 7: uintptr(c.Shared),
		9: uintptr(unsafe.Pointer(&r.params[0])),
	}
}

// Prepared reports whether Function.Ready has seen it.
func (r *Ready) Prepared() bool { return r.fn != nil }

// Words are the arguments.
func (r *Ready) Words() []uint64 { return r.words }

// Launch queues the kernel on a stream, as Function.Launch does.
func (r *Ready) Launch(s *Stream, grid Dim3) error {
	if grid.X == 0 || grid.Y == 0 || grid.Z == 0 {
		return nil
	}
	s.launched(r.fn, grid, r.shared)
	a := &r.frame.Args
	a[1], a[2], a[3], a[8] = uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z), uintptr(s.ref)
	if r.alone.Load() == 1 {
		res := Result(r.frame.Call())
		if res == success {
			return nil
		}
		if res != ErrInvalidContext && res != ErrInvalidHandle {
			return r.failed(grid, res)
		}
	}
	return r.current(grid)
}

// current launches after making the context current.
func (r *Ready) current(grid Dim3) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx := r.fn.ctx
	if err := ctx.driver.check("cuCtxSetCurrent", ctx.driver.raw.ctxSetCurrent(ctx.ref)); err != nil {
		return err
	}
	if res := Result(r.frame.Call()); res != success {
		return r.failed(grid, res)
	}
	return nil
}

func (r *Ready) failed(grid Dim3, res Result) error {
	return r.fn.failed(&Config{Grid: grid, Block: r.block, Shared: r.shared}, res)
}
