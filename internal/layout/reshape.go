package layout

import (
	"fmt"
	"slices"
)

// TransposeIns puts the input dimensions into another order.
func (l Layout) TransposeIns(names ...string) Layout {
	l.needPermutation(names, l.ins)
	t := Layout{outs: l.outs}
	for _, n := range names {
		i, _ := l.ins.find(n)
		t.ins = append(t.ins, l.ins[i])
		t.cols = append(t.cols, l.columns(n)...)
	}
	return t
}

// TransposeOuts puts the output dimensions into another order. The map stays; what is minor changes.
func (l Layout) TransposeOuts(names ...string) Layout {
	l.needPermutation(names, l.outs)
	t := Layout{ins: l.ins}
	for _, n := range names {
		i, _ := l.outs.find(n)
		t.outs = append(t.outs, l.outs[i])
	}
	t.cols = repack(l.cols, l.outs, t.outs)
	return t
}

func (l Layout) needPermutation(names []string, s space) {
	if !sameNames(names, s.names()) {
		panic(fmt.Sprintf("layout: %v is no order of %s", names, s))
	}
}

// repack moves packed vectors of one space into another that has all its dimensions, at least as large.
func repack(cols []uint64, from, to space) []uint64 {
	at := placement(from, to, nil)
	out := make([]uint64, len(cols))
	for i, c := range cols {
		out[i] = move(from, at, c)
	}
	return out
}

// ReshapeIns cuts the input bits, in their order, into other dimensions of the same total size.
func (l Layout) ReshapeIns(dims ...Dim) Layout {
	s := spaceOf(dims)
	if s.total() != l.ins.total() {
		panic(fmt.Sprintf("layout: inputs %s do not have the size of %s", l.ins, s))
	}
	return Layout{s, l.outs, l.cols}
}

// ReshapeOuts cuts the output bits, in their order, into other dimensions of the same total size.
func (l Layout) ReshapeOuts(dims ...Dim) Layout {
	s := spaceOf(dims)
	if s.total() != l.outs.total() {
		panic(fmt.Sprintf("layout: outputs %s do not have the size of %s", l.outs, s))
	}
	return Layout{l.ins, s, l.cols}
}

// FlattenIns joins the input dimensions into one, which has the name of the first.
func (l Layout) FlattenIns() Layout {
	if len(l.ins) == 0 {
		return l
	}
	return l.ReshapeIns(Dim{l.ins[0].name, l.TotalInSize()})
}

// FlattenOuts joins the output dimensions into one, which has the name of the first.
func (l Layout) FlattenOuts() Layout {
	if len(l.outs) == 0 {
		return l
	}
	return l.ReshapeOuts(Dim{l.outs[0].name, l.TotalOutSize()})
}

// ResizeIn makes an input dimension smaller: only its first size points are kept.
func (l Layout) ResizeIn(name string, size int) Layout {
	i, start := l.in(name)
	n := log2(size)
	if n > l.ins[i].bits {
		panic(fmt.Sprintf("layout: %s has not %d points in%s", name, size, l))
	}
	ins := slices.Clone(l.ins)
	ins[i].bits = n
	cols := slices.Concat(l.cols[:start+n], l.cols[start+l.ins[i].bits:])
	return Layout{ins, l.outs, cols}
}

// ResizeOut makes an output dimension smaller. Basis vectors that move beyond the new size no longer move
// along it.
func (l Layout) ResizeOut(name string, size int) Layout {
	i, _ := l.out(name)
	n := log2(size)
	if n > l.outs[i].bits {
		panic(fmt.Sprintf("layout: %s has not %d points in%s", name, size, l))
	}
	outs := slices.Clone(l.outs)
	outs[i].bits = n
	cols := make([]uint64, len(l.cols))
	for j, c := range l.cols {
		v := l.outs.unpack(c)
		if v[i] >= size {
			v[i] = 0
		}
		cols[j] = outs.pack(v)
	}
	return Layout{l.ins, outs, cols}
}

// WithOutSize makes an output dimension larger; the map stays.
func (l Layout) WithOutSize(name string, size int) Layout {
	i, _ := l.out(name)
	n := log2(size)
	if n < l.outs[i].bits {
		panic(fmt.Sprintf("layout: %s is larger than %d in%s", name, size, l))
	}
	outs := slices.Clone(l.outs)
	outs[i].bits = n
	return Layout{l.ins, outs, repack(l.cols, l.outs, outs)}
}

// RenameIn and RenameOut give a dimension another name; it keeps its place.
func (l Layout) RenameIn(from, to string) Layout {
	i, _ := l.in(from)
	l.ins = slices.Clone(l.ins)
	l.ins[i].name = to
	return l
}

func (l Layout) RenameOut(from, to string) Layout {
	i, _ := l.out(from)
	l.outs = slices.Clone(l.outs)
	l.outs[i].name = to
	return l
}

// RenameOuts gives all output dimensions other names.
func (l Layout) RenameOuts(names ...string) Layout {
	if len(names) != len(l.outs) {
		panic(fmt.Sprintf("layout: %d names for %s", len(names), l.outs))
	}
	l.outs = slices.Clone(l.outs)
	for i, n := range names {
		l.outs[i].name = n
	}
	return l
}

// ConcatIns adds the input dimensions of m, which maps to the same output dimensions.
func (l Layout) ConcatIns(m Layout) Layout {
	if !slices.Equal(l.outs, m.outs) {
		panic(fmt.Sprintf("layout: outputs %s and %s differ", l.outs, m.outs))
	}
	for _, a := range m.ins {
		if l.ins.has(a.name) {
			panic(fmt.Sprintf("layout: input dimension %q twice", a.name))
		}
	}
	return Layout{slices.Concat(l.ins, m.ins), l.outs, slices.Concat(l.cols, m.cols)}
}

// ConcatOuts adds the output dimensions of m, which maps from the same input dimensions.
func (l Layout) ConcatOuts(m Layout) Layout {
	if !slices.Equal(l.ins, m.ins) {
		panic(fmt.Sprintf("layout: inputs %s and %s differ", l.ins, m.ins))
	}
	for _, a := range m.outs {
		if l.outs.has(a.name) {
			panic(fmt.Sprintf("layout: output dimension %q twice", a.name))
		}
	}
	cols := make([]uint64, len(l.cols))
	for i := range cols {
		cols[i] = l.cols[i] | m.cols[i]<<l.outs.total()
	}
	return Layout{l.ins, slices.Concat(l.outs, m.outs), cols}
}

// DropIn and DropOut take out a dimension of size 1.
func (l Layout) DropIn(name string) Layout {
	i, _ := l.in(name)
	if l.ins[i].bits != 0 {
		panic(fmt.Sprintf("layout: %s is no dimension of size 1 in%s", name, l))
	}
	l.ins = slices.Delete(slices.Clone(l.ins), i, i+1)
	return l
}

func (l Layout) DropOut(name string) Layout {
	i, _ := l.out(name)
	if l.outs[i].bits != 0 {
		panic(fmt.Sprintf("layout: %s is no dimension of size 1 in%s", name, l))
	}
	l.outs = slices.Delete(slices.Clone(l.outs), i, i+1)
	return l
}

// RemoveZeroBases takes out the bits of an input dimension that move nothing: registers that hold copies.
func (l Layout) RemoveZeroBases(name string) Layout { return NonZero(l, name).Apply(l) }

// WithBases replaces the basis vectors of an input dimension, or adds the dimension.
func (l Layout) WithBases(name string, vectors [][]int) Layout {
	bases := l.AllBases()
	if i := slices.IndexFunc(bases, func(b Bases) bool { return b.Name == name }); i >= 0 {
		bases[i].Vectors = vectors
	} else {
		bases = append(bases, Bases{name, vectors})
	}
	return Must(New(bases, l.OutDims()))
}
