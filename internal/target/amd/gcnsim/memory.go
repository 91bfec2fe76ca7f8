package gcnsim

import (
	"github.com/nereid-lang/nereid/internal/target/simmem"
	"github.com/nereid-lang/nereid/internal/target/stray"
)

// Memory is global memory.
type Memory = simmem.Memory

// NewMemory returns empty memory.
func NewMemory() *Memory { return simmem.New() }

// Addresses of the windows that flat accesses see.
const (
	codeBase    = 1 << 44 // where the code object lies
	sharedBase  = 1 << 48
	privateBase = 2 << 48
	windowSize  = 1 << 32
)

// global returns n bytes of global memory for a lane of the wave.
func (w *wave) global(lane int, addr uint64, n int, what string) []byte {
	if b := w.last.At(addr, n); b != nil {
		return b
	}
	if b := w.g.run.m.Object.Bytes(addr-codeBase, n); b != nil && addr >= codeBase && what == "load" {
		return b // constants of the kernel
	}
	near, ok := w.g.run.Memory.Near(addr)
	if b := near.At(addr, n); ok && b != nil {
		w.last = near
		return b
	}
	w.stray(lane, addr, n, what, near)
	return nil
}

// stray stops the wave at an access outside of all buffers.
func (w *wave) stray(lane int, addr uint64, n int, what string, near simmem.Span) {
	a := &stray.Access{What: what, Size: n, Word: -1, Offset: int64(addr - near.Addr),
		Bytes: int64(len(near.Data)),
		Null:  addr < 1<<20}
	name := "memory that no argument points to"
	for i, word := range w.g.run.Args {
		if near.Data != nil && word-near.Addr <= uint64(len(near.Data)) {
			a.Word, name = i, argName(i)
		}
	}
	if a.Null {
		name = "a pointer"
	}
	panic(&fault{lane: lane, msg: a.Text(name), access: a})
}
