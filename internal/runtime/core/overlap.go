package core

import (
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Overlap reports whether a pair of apart overlaps. Memory that the launch does not know counts as
// overlapping.
func (l *Launch) Overlap(apart []device.Apart) bool {
	for _, x := range apart {
		a, b := l.memory(x.A), l.memory(x.B)
		switch {
		case a == nil || b == nil:
			return true
		case x.OrEqual && l.Frame.Words[x.A] == l.Frame.Words[x.B]:
		case a.Lo < b.Hi && b.Lo < a.Hi:
			return true
		}
	}
	return false
}

// memory returns the memory of a word, or nil.
func (l *Launch) memory(word int) *device.Memory {
	for i := range l.Mem {
		if l.Mem[i].Word == word {
			return &l.Mem[i]
		}
	}
	return nil
}

// ByParameter converts pairs of words to pairs of parameters, for arguments of these classes.
func ByParameter(apart []device.Apart, rules []args.Rule, classes []args.Class) (out []device.Apart) {
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
		out = append(out, device.Apart{A: at[x.A], B: at[x.B], OrEqual: x.OrEqual})
	}
	return out
}

// memoryTensor returns the tensor whose memory an argument is, or nil.
func memoryTensor(v any) *Tensor {
	if d, ok := v.(*args.Descriptor); ok {
		return TensorOf(d.Base)
	}
	return TensorOf(v)
}

// Overlap reports whether a pair of arguments overlaps that must not.
func Overlap(apart []device.Apart, vals []any) bool {
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
