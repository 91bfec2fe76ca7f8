package layout

import (
	"fmt"
	"slices"
)

// Action picks and reorders bits of one input dimension: bit i afterwards is bit Bits[i] before. For the
// registers of a tensor it is a reordering of the values that a thread holds; bits left out are copies that
// are dropped.
type Action struct {
	Dim  string
	Bits []int
	From int // how many bits the dimension has before
}

// IsIdentity reports whether the action changes nothing.
func (a Action) IsIdentity() bool {
	for i, b := range a.Bits {
		if i != b {
			return false
		}
	}
	return len(a.Bits) == a.From
}

// Apply reorders a layout's basis vectors.
func (a Action) Apply(l Layout) Layout {
	i, start := l.in(a.Dim)
	if l.ins[i].bits != a.From {
		panic(fmt.Sprintf("layout: an action on %d bits of %s does not fit%s", a.From, a.Dim, l))
	}
	ins := slices.Clone(l.ins)
	ins[i].bits = len(a.Bits)
	cols := slices.Clone(l.cols[:start])
	for _, b := range a.Bits {
		cols = append(cols, l.cols[start+b])
	}
	return Layout{ins, l.outs, append(cols, l.cols[start+a.From:]...)}
}

// Index says which of the old places the value in a new place comes from.
func (a Action) Index(i int) int {
	old := 0
	for k, b := range a.Bits {
		old |= i >> k & 1 << b
	}
	return old
}

// Inverse undoes a reordering that leaves no bit out.
func (a Action) Inverse() Action {
	if len(a.Bits) != a.From {
		panic("layout: an action that drops bits has no inverse")
	}
	inv := make([]int, a.From)
	for i, b := range a.Bits {
		inv[b] = i
	}
	return Action{a.Dim, inv, a.From}
}

// Then is a followed by b, which acts on what a leaves.
func (a Action) Then(b Action) Action {
	if a.Dim != b.Dim || b.From != len(a.Bits) {
		panic("layout: actions that do not fit together")
	}
	bits := make([]int, len(b.Bits))
	for i, k := range b.Bits {
		bits[i] = a.Bits[k]
	}
	return Action{a.Dim, bits, a.From}
}

// Permute applies an action to the values that a thread holds: a slice with an entry for each register.
func Permute[T any](a Action, values []T) []T {
	if len(values) != 1<<a.From {
		panic(fmt.Sprintf("layout: an action on %d values applied to %d", 1<<a.From, len(values)))
	}
	if a.IsIdentity() {
		return values
	}
	out := make([]T, 1<<len(a.Bits))
	for i := range out {
		out[i] = values[a.Index(i)]
	}
	return out
}

// IdentityAction leaves a dimension of l as it is.
func IdentityAction(l Layout, dim string) Action {
	n := l.InBits(dim)
	a := Action{dim, make([]int, n), n}
	for i := range a.Bits {
		a.Bits[i] = i
	}
	return a
}

// NonZero drops the bits of an input dimension that move nothing.
func NonZero(l Layout, dim string) Action {
	cols := l.columns(dim)
	a := Action{Dim: dim, From: len(cols)}
	for i, c := range cols {
		if c != 0 {
			a.Bits = append(a.Bits, i)
		}
	}
	return a
}

// RegistersFirst reorders the registers of l so that tile divides it on the left, as far as registers are
// concerned: tile's register bases first. It reports whether l has them all.
func RegistersFirst(l, tile Layout) (Action, bool) {
	var ones Layout // gives tile all of l's output dimensions
	for _, o := range l.outs {
		ones = ones.Mul(Identity1D(1, Register, o.name))
	}
	t := ones.Mul(tile)
	want := repackLarger(t.columns(Register), t.outs, l.outs)
	if want == nil {
		return Action{}, false
	}
	cols := l.columns(Register)
	a := Action{Dim: Register, From: len(cols)}
	for _, w := range want {
		found := -1
		for j, c := range cols {
			if c == w && !slices.Contains(a.Bits, j) {
				found = j
				break
			}
		}
		if found < 0 {
			return Action{}, false
		}
		a.Bits = append(a.Bits, found)
	}
	for j := range cols {
		if !slices.Contains(a.Bits, j) {
			a.Bits = append(a.Bits, j)
		}
	}
	return a, true
}

// repackLarger is repack, or nil when a dimension of from is larger in to than in from.
func repackLarger(cols []uint64, from, to space) []uint64 {
	for _, a := range from {
		if i, _ := to.find(a.name); i < 0 || to[i].bits < a.bits {
			return nil
		}
	}
	return repack(cols, from, to)
}

// LargestVector finds the widest access that a conversion from registers to memory offsets allows: the
// number of elements, at most maxElems, and the order of registers that puts those elements side by side.
// cvt maps (register, …) to (offset, …).
func LargestVector(cvt Layout, maxElems int) (elems int, order Action) {
	for v := maxElems; v > 1; v /= 2 {
		tile := Identity1D(v, Register, Offset)
		if a, ok := RegistersFirst(cvt, tile); ok {
			if _, ok := a.Apply(cvt).DivideLeft(tile); ok {
				return v, a
			}
		}
	}
	return 1, IdentityAction(cvt, Register)
}
