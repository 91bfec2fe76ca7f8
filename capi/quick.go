//go:build !nereid_run

package main

/*
#include "quick.h"
*/
import "C"

import (
	"sync"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/capi/foreign"
)

// shown holds what C has of a kernel's launches.
type shown struct {
	mu   sync.Mutex
	next int
	ways [C.QUICK_WAYS]func(uint64) // marks of the cuts that C has
}

// Marks of a cut.
const (
	notShown = iota
	isShown
	unfit // C has no room for it
)

// show gives C the launch that was just made, if C can repeat it.
func (k *kernel) show(handle C.uintptr_t, s *nereid.Stream) {
	if d, _ := k.quick.Unshown(); d == nil {
		return
	}
	k.shown.mu.Lock()
	defer k.shown.mu.Unlock()
	d, mark := k.quick.Unshown() // another thread may have been faster
	if d == nil {
		return
	}
	q := written(d, handle, numberOf(s.Device()))
	if q == nil {
		mark(unfit)
		return
	}
	way := k.shown.next % len(k.shown.ways)
	k.shown.next++
	if old := k.shown.ways[way]; old != nil {
		old(notShown)
	}
	k.shown.ways[way] = mark
	mark(isShown)
	if raw := rawStream(s); raw != nil {
		raw.Silence() // launches by C are not known here
	}
	C.quick_show(q, C.uint(way))
}

// show gives C the frozen kernel, if C can launch it.
func (b *bound) show(handle C.uintptr_t) {
	d := b.f.Describe()
	if d == nil {
		return
	}
	if q := written(d, handle, numberOf(b.d.d)); q != nil {
		C.quick_show(q, 0)
	}
}

// written returns C's form of a launch, nil if it has no room for it.
func written(d *foreign.Description, owner C.uintptr_t, device C.uint64_t) *C.struct_quick {
	texts := 1 // place 0 means none
	for i := range d.Steps {
		texts += len(d.Steps[i].Name) + len(d.Steps[i].Text) + 2
	}
	if len(d.Steps) > C.QUICK_ARGS || d.Words > C.QUICK_ARGS || len(d.Fixed) > C.QUICK_FIXED ||
		texts > C.QUICK_TEXT {
		return nil
	}
	q := C.quick_begin()
	if q == nil {
		return nil
	}
	q.owner, q.device = C.uint64_t(owner), device
	q.launch, q.get_current = C.uintptr_t(d.LaunchKernel), C.uintptr_t(d.GetCurrent)
	q.context, q.function = C.uintptr_t(d.Context), C.uintptr_t(d.Function)
	q.shared, q.below, q.flags = C.uint32_t(d.Shared), C.uint32_t(d.Below), C.uint32_t(d.Flags)
	for i := range d.Block {
		q.block[i] = C.uint32_t(d.Block[i])
	}
	for i := range d.Sizes {
		q.sizes[i] = C.int32_t(d.Sizes[i])
	}
	q.n, q.words, q.fixed = C.uint32_t(len(d.Steps)), C.uint32_t(d.Words), 0
	for at, word := range d.Fixed {
		q.fixed_words[q.fixed].at, q.fixed_words[q.fixed].word = C.uint64_t(at), C.uint64_t(word)
		q.fixed++
	}
	writeSteps(q, d.Steps)
	return q
}

// writeSteps writes the steps and their texts.
func writeSteps(q *C.struct_quick, steps []foreign.Step) {
	clear(q.text[:])
	used := 1
	add := func(s string) C.uint16_t {
		at := used
		for i := range len(s) {
			q.text[used+i] = C.char(s[i])
		}
		used += len(s) + 1
		return C.uint16_t(at)
	}
	for i := range steps {
		s, to := &steps[i], &q.steps[i]
		*to = C.struct_quick_step{head: C.uint64_t(s.Head), value: C.uint64_t(s.Value),
			size: C.uint64_t(s.Size), how: C.uint8_t(s.How), look: C.uint8_t(s.Look), at: C.uint8_t(s.At)}
		if s.Name != "" {
			to.name = add(s.Name)
		}
		if foreign.How(s.How) == foreign.SameText {
			to.text = add(s.Text)
		}
	}
}
