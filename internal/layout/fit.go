package layout

import (
	"fmt"
	"slices"
	"sort"
)

// TensorDim is the name of a tensor's dimension i: "dim0", "dim1", ….
func TensorDim(i int) string {
	if i < len(tensorDims) {
		return tensorDims[i]
	}
	return fmt.Sprintf("dim%d", i)
}

var tensorDims = [...]string{"dim0", "dim1", "dim2", "dim3", "dim4", "dim5"}

// TensorDims are the names of a tensor's dimensions, in their order.
func TensorDims(rank int) []string {
	names := make([]string, rank)
	for i := range names {
		names[i] = TensorDim(i)
	}
	return names
}

// Shape gives a tensor's dimensions their sizes, in their order.
func Shape(sizes []int) []Dim {
	dims := make([]Dim, len(sizes))
	for i, n := range sizes {
		dims[i] = Dim{TensorDim(i), n}
	}
	return dims
}

// IdentityND counts through a tensor of the given shape with one input dimension, order[0] being the
// tensor's fastest dimension. The output dimensions come in that order.
func IdentityND(in string, shape, order []int) Layout {
	var l Layout
	for _, d := range order {
		l = l.Mul(Identity1D(shape[d], in, TensorDim(d)))
	}
	return l
}

// sizeOf is the size that dims gives a dimension.
func sizeOf(dims []Dim, name string) int {
	for _, d := range dims {
		if d.Name == name {
			return d.Size
		}
	}
	panic(fmt.Sprintf("layout: no dimension %q in %v", name, dims))
}

// NotLarger shrinks the output dimensions of l to at most the given sizes: bits that move beyond become
// copies of the same element, the largest strides first.
func (l Layout) NotLarger(sizes []Dim) Layout { return l.notLarger(sizes, nil) }

// NotLargerDropping is NotLarger, except that bits of the named input dimension are taken out instead of
// becoming copies.
func (l Layout) NotLargerDropping(sizes []Dim, in string) Layout { return l.notLarger(sizes, &in) }

func (l Layout) notLarger(sizes []Dim, dropIn *string) Layout {
	cols := slices.Clone(l.cols)
	outs := slices.Clone(l.outs)
	drop := map[int]bool{}
	dropLo, dropHi := 0, 0
	if dropIn != nil && l.HasIn(*dropIn) {
		i, start := l.in(*dropIn)
		dropLo, dropHi = start, start+l.ins[i].bits
	}
	start := 0
	for i, a := range l.outs {
		want := log2(sizeOf(sizes, a.name))
		mask := uint64(1<<a.bits-1) << start
		for _, c := range byStride(cols, mask) {
			if outs[i].bits <= want {
				break
			}
			if dropLo <= c && c < dropHi {
				drop[c] = true
			} else {
				cols[c] &^= mask
			}
			outs[i].bits--
		}
		outs[i].bits = min(outs[i].bits, want)
		start += a.bits
	}
	s := Layout{ins: slices.Clone(l.ins), outs: outs}
	for c := range cols {
		if !drop[c] {
			v := l.outs.unpack(cols[c])
			for i := range v {
				v[i] &= 1<<outs[i].bits - 1
			}
			s.cols = append(s.cols, outs.pack(v))
		}
	}
	if len(drop) > 0 {
		i, _ := s.in(*dropIn)
		s.ins[i].bits -= len(drop)
	}
	return s
}

// byStride lists the columns that have bits in mask, the largest first.
func byStride(cols []uint64, mask uint64) []int {
	var out []int
	for i, c := range cols {
		if c&mask != 0 {
			out = append(out, i)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return cols[out[i]]&mask > cols[out[j]]&mask })
	return out
}

// NotSmaller makes the output dimensions of l at least as large as the given sizes by repeating it: new
// bits of its first input dimension (register, or offset) step over the copies, the first output dimension
// first.
func (l Layout) NotSmaller(sizes []Dim) Layout {
	grown := l
	for _, a := range l.outs {
		if want := log2(sizeOf(sizes, a.name)); want > a.bits {
			grown = grown.Mul(Identity1D(1<<(want-a.bits), l.ins[0].name, a.name))
		}
	}
	return grown
}

// ReshapeTensor is the layout of a tensor after it was reshaped, in row-major order.
func (l Layout) ReshapeTensor(shape []int) Layout {
	names := l.OutNames()
	slices.Reverse(names)
	dims := Shape(shape)
	slices.Reverse(dims)
	return l.TransposeOuts(names...).ReshapeOuts(dims...).TransposeOuts(TensorDims(len(shape))...)
}

// PermuteTensor is the layout of a transposed tensor: what was along dimension order[i] is now along
// dimension i.
func (l Layout) PermuteTensor(order []int) Layout {
	names := l.OutNames()
	moved := make([]string, len(order))
	for i, d := range order {
		moved[i] = names[d]
	}
	return l.TransposeOuts(moved...).RenameOuts(names...)
}

// DropTensorDim is the layout with one of the tensor's dimensions ignored; the later ones move up.
func (l Layout) DropTensorDim(dim int) Layout {
	names := slices.Delete(l.OutNames(), dim, dim+1)
	return l.Sublayout(l.InNames(), names).RenameOuts(TensorDims(len(names))...)
}
