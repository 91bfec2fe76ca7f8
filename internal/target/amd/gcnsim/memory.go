package gcnsim

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/target/simmem"
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

// sameGlobal reports whether writes of two waves to a place of global memory need no order: one store, whose
// winner is left to chance in Triton too, or the same value.
func sameGlobal(a, b touch, same bool) bool { return same || a.at == b.at }

// writer returns the last write to a byte's word that another wave of the workgroup made, or any wave if
// mine counts too; nil for none.
func (w *wave) writer(addr uint64, mine bool) *touch {
	x := w.g.run.accesses.at(addr)
	for i := range x.writers {
		if t := &x.writers[i]; t.epoch >= w.g.first && (mine || int(t.wave) != w.id) {
			return t
		}
	}
	return nil
}

// checkCached stops a wave of which others of the workgroup run on another processor, at a load that may find
// an old value in its own cache: a buffer_gl0_inv must lie behind the barrier that the write came before.
func (w *wave) checkCached(lane int, addr uint64, n int) {
	for at := addr &^ 3; at < addr+uint64(n); at += 4 {
		if t := w.writer(at, false); t != nil && t.epoch >= w.fresh {
			panic(&fault{lane: lane, race: true, other: int(t.at) + 1,
				msg: fmt.Sprintf("the cache may hold an old value of global address %#x, which wave %d "+
					"wrote at %s: buffer_gl0_inv is missing", at, t.wave, w.where(int(t.at)))})
		}
	}
}

// checkScalar stops the wave at a scalar load of memory that the workgroup has written: it reads a cache of
// its own, which no store updates.
func (w *wave) checkScalar(addr uint64) {
	if w.shadowOf(inGlobal) == nil {
		return
	}
	if t := w.writer(addr, true); t != nil {
		panic(&fault{lane: -1, race: true, other: int(t.at) + 1,
			msg: fmt.Sprintf("a scalar load of global address %#x, which wave %d wrote at %s: the scalar "+
				"cache does not see stores", addr, t.wave, w.where(int(t.at)))})
	}
}
