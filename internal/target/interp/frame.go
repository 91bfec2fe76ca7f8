package interp

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/ir"
)

// step is one operation, its types resolved and its registers known.
type step func(f *frame)

// instr is a step and the operation it comes from, for faults.
type instr struct {
	run  step
	op   *ir.Op
	work int // elements that it computes; 0 if they are few
}

// code is a list of instructions without jumps.
type code []instr

// reg is the number of a register, or of an object, in a frame.
type reg int32

// register is where a row of elements lies. A row of one may stand for a tensor of equal elements.
type register struct {
	p unsafe.Pointer
	n int
}

// frame is one activation of a function: its registers and objects.
type frame struct {
	fn   *function
	w    *worker
	regs []register
	objs []any
	mem  []uint64 // what the registers point into

	lanes int // active lanes of a function over lanes
}

// row returns the elements in a register, as the kind of elements that the compiler put there.
func row[T any](f *frame, r reg) []T {
	x := &f.regs[r]
	return unsafe.Slice((*T)(x.p), x.n)
}

// scalar returns the only element of a register.
func scalar[T any](f *frame, r reg) T { return *(*T)(f.regs[r].p) }

// exec runs a list of instructions.
func (f *frame) exec(c code) {
	w := f.w
	if w.count += int64(len(c)); w.count > w.wake {
		w.pause()
	}
	for i := range c {
		w.at = &c[i]
		if w.opts.Trace != nil {
			w.begins(f, &c[i])
		}
		if n := c[i].work; n > 0 {
			w.worked(n)
		}
		if w.opts.Scopes != nil {
			w.done++
		}
		c[i].run(f)
		if w.opts.Trace != nil {
			w.ended(f, &c[i])
		}
	}
}

// body is a region: its first block is the entry.
type body struct{ blocks []block }

// block is straight code and then a choice of the next block, or leave.
type block struct {
	code code
	next func(f *frame) int // nil: leave
	op   *ir.Op             // the terminator, for faults
}

const leave = -1

// run executes a region until a terminator leaves it.
func (f *frame) run(b *body) {
	for i := 0; i != leave; {
		blk := &b.blocks[i]
		f.exec(blk.code)
		if blk.next == nil {
			return
		}
		next := blk.next(f)
		if next <= i && next != leave {
			f.w.looped()
		}
		i = next
	}
}
