package nereid

import (
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
)

// Code for the CPU computes a load and a store of two arguments in one loop. That is right only if their
// memory does not overlap or is the same. The compiler lists the pairs for which it assumes this
// (target.Assuming). Each launch compares them; if a pair overlaps, it uses code without the assumption
// (Options.Overlap), which is compiled when first needed. So does code for NVIDIA's GPUs whose copy engine
// loads tiles of one argument after stores through another.

// buildOverlap returns the kernel compiled for overlapping arguments.
func (l *launch) buildOverlap(s *Stream) (*code.Build, error) {
	l.opts.Overlap = true
	return l.k.build(s.ctx, l)
}

// overlap reports whether a pair of apart overlaps. Memory that the launch does not know counts as
// overlapping.
func (l *launch) overlap(apart []target.Apart) bool {
	for _, x := range apart {
		a, b := l.memory(x.A), l.memory(x.B)
		switch {
		case a == nil || b == nil:
			return true
		case x.OrEqual && l.frame.Words[x.A] == l.frame.Words[x.B]:
		case a.Lo < b.Hi && b.Lo < a.Hi:
			return true
		}
	}
	return false
}

// memory returns the memory of a word, or nil.
func (l *launch) memory(word int) *target.Memory {
	for i := range l.mem {
		if l.mem[i].Word == word {
			return &l.mem[i]
		}
	}
	return nil
}

// byParameter converts pairs of words to pairs of parameters, for arguments of these classes.
func byParameter(apart []target.Apart, rules []args.Rule, classes []args.Class) (out []target.Apart) {
	var at []int // parameter of each word
	n := 0
	for i := range rules {
		if rules[i].Constexpr {
			n += 3
			continue
		}
		for range classes[n].Words() {
			at = append(at, i)
		}
		n++
	}
	for _, x := range apart {
		out = append(out, target.Apart{A: at[x.A], B: at[x.B], OrEqual: x.OrEqual})
	}
	return out
}

// memoryTensor returns the tensor whose memory an argument is, or nil.
func memoryTensor(v any) *Tensor {
	if d, ok := v.(*args.Descriptor); ok {
		return tensorOf(d.Base)
	}
	return tensorOf(v)
}

// overlap reports whether a pair of arguments overlaps that must not.
func overlap(apart []target.Apart, vals []any) bool {
	for _, x := range apart {
		if memoryTensor(vals[x.A]).overlaps(memoryTensor(vals[x.B]), x.OrEqual) {
			return true
		}
	}
	return false
}

// overlaps reports whether two tensors share memory. With orEqual, tensors that begin at the same address do
// not count.
func (t *Tensor) overlaps(o *Tensor, orEqual bool) bool {
	if t == nil || o == nil {
		return true // memory that is unknown may be any
	}
	if t.end <= o.addr-uint64(o.offset) || o.end <= t.addr-uint64(t.offset) {
		return false // the common case: different memory
	}
	if orEqual && t.addr == o.addr {
		return false
	}
	return t.overlapsPart(o)
}

// overlapsPart is overlaps for parts of the same memory. It is not inlined, to keep the path of every launch
// short.
//
//go:noinline
func (t *Tensor) overlapsPart(o *Tensor) bool {
	a, b := t.addr-uint64(t.offset), o.addr-uint64(o.offset)
	alo, ahi := t.extent()
	blo, bhi := o.extent()
	return a+uint64(alo) < b+uint64(bhi) && b+uint64(blo) < a+uint64(ahi)
}
