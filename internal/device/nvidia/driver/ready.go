package driver

import (
	"runtime"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Ready is a kernel in which everything is set but the grid, the stream and the arguments. The driver evicts
// our memory from the processor's nearest cache, so a launch costs the memory that it touches, including
// code: here one cache line, which never changes, unless there is something to compute. The rest is on the
// stack. Any number of goroutines may use it at once.
type Ready struct {
	kernel dl.Kernel
	fn     *Function
	state  *shared

	uniform *uniform.Memo // computes the words of the last parameter; nil if there is none of that kind
}

// MaxReady is the most parameters of a kernel that a Ready launches.
const MaxReady = dl.MaxWords

// Ready returns the Ready for launches whose parameters have up to 8 bytes, each in a word of its own. The
// driver reads as many of its low bytes as the parameter has. The configuration must be Plain; its grid is
// ignored. computed makes the last parameter of the others; it may be nil.
func (f *Function) Ready(c Config, computed *uniform.Program) Ready {
	block := [3]uint32{c.Block.X, c.Block.Y, c.Block.Z}
	return Ready{
		kernel: dl.NewKernel(f.ctx.driver.raw.launchKernel, uintptr(f.ref), block, c.Shared),
		fn:     f, state: &f.ctx.driver.shared, uniform: uniform.NewMemo(computed),
	}
}

// Is reports whether Function.Ready made it.
func (r *Ready) Is() bool { return r.fn != nil }

// Parts is what it takes to launch a kernel by hand, in C: a thread on which Context is current, as the
// function at GetCurrent says, may call LaunchKernel, which is cuLaunchKernel.
type Parts struct {
	LaunchKernel, GetCurrent uintptr // addresses of the driver's functions
	Context, Function        uintptr // CUcontext, CUfunction
	Block                    [3]uint32
	Shared                   uint32
	Below                    uint32 // grids with so many blocks along x, or more, may run other code
}

// Computes reports whether a launch computes parameters, which Parts says nothing about.
func (r *Ready) Computes() bool { return r.uniform != nil }

// Parts returns how to launch the kernel by hand.
func (r *Ready) Parts() Parts {
	fn, function := r.kernel.Call()
	ctx := r.fn.ctx
	return Parts{fn, ctx.driver.raw.ctxGetCurrentAt, uintptr(ctx.ref), function, r.kernel.Block,
		r.kernel.Shared, r.fn.below()}
}

// Launch queues the kernel on a stream, as Function.Launch does, for a grid that has blocks. words may be on
// the stack. Numbers that the host computes are written behind them, if the slice has the capacity. kept says
// which numbers are there already; it may be nil.
func (r *Ready) Launch(s *Stream, x, y, z uint32, words []uint64, kept *uniform.Kept) error {
	if xy, zShared := pair(x, y), pair(z, r.kernel.Shared); !s.last.is(r.fn, xy, zShared) {
		// a launch of other code is the stream's last, so that the next one of this code comes here again
		if large := r.fn.Large.of(x, words); large != nil {
			if m := large.get(s); m != nil {
				return m.Launch(s, x/large.By, y, z, words, kept)
			}
		}
		if r.fn.Other != nil {
			if m := r.fn.other(s, x, y, z); m != nil {
				return m.Launch(s, x, y, z, words, kept)
			}
		}
		if err := s.note(r.fn, xy, zShared); err != nil {
			return err
		}
	}
	if r.uniform != nil {
		n := len(words)
		if cap(words) < n+r.uniform.Words() {
			return r.compute(s, x, y, z, words)
		}
		if kept == nil {
			r.uniform.Fill(words[:cap(words)], x, y, z)
		} else if !kept.Has(r.uniform, x, y, z) {
			r.uniform.Fill(words[:cap(words)], x, y, z)
			kept.Set(r.uniform, x, y, z)
		}
		words = words[:n+1] // the last parameter has the words from there on
	}
	return r.launch(s, x, y, z, words)
}

// compute launches with the words of the arguments and those that are computed of them, in memory of its own.
func (r *Ready) compute(s *Stream, x, y, z uint32, words []uint64) error {
	var room [MaxReady]uint64
	n := copy(room[:], words)
	r.uniform.Fill(room[:], x, y, z)
	return r.launch(s, x, y, z, room[:n+1])
}

// launch launches with all words.
func (r *Ready) launch(s *Stream, x, y, z uint32, words []uint64) error {
	var l dl.Launch // a literal would be copied
	l.Kernel, l.Stream = &r.kernel, uintptr(s.ref)
	l.Grid[0], l.Grid[1], l.Grid[2] = x, y, z
	l.Words, l.N = dl.WordsOf(words)
	if r.state.contexts.Load() == 1 {
		res := Result(l.Call())
		if res == success {
			return nil
		}
		if res != ErrInvalidContext && res != ErrInvalidHandle {
			return r.failed(&l, res)
		}
	}
	return r.current(&l)
}

// current launches after making the context current.
func (r *Ready) current(l *dl.Launch) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx := r.fn.ctx
	before, err := ctx.enter()
	if err != nil {
		return err
	}
	defer ctx.leave(before)
	if res := Result(l.Call()); res != success {
		return r.failed(l, res)
	}
	return nil
}

func (r *Ready) failed(l *dl.Launch, res Result) error {
	return r.fn.failed(&Config{Grid: dim3(l.Grid), Block: dim3(r.kernel.Block), Shared: r.kernel.Shared}, res)
}

func dim3(d [3]uint32) Dim3 { return Dim3{d[0], d[1], d[2]} }
