package layout

import (
	"fmt"
	"slices"
	"strings"
)

// Picture draws a layout of two output dimensions, or one: a row of text for each row of the tensor, in
// each cell all the inputs that map there. A tensor of more dimensions is drawn as one slice after another.
//
// A cell shows each input dimension of more than one point by its first letter and number, joined by
// colons, "w1:t5:r2" for register 2 of thread 5 of warp 1; where several places hold the element, the
// numbers are listed, "w0,1:t5:r2", or, when they do not form such a list, the places one after the other.
func (l Layout) Picture() string {
	cells := l.cells()
	width := 1
	for _, c := range cells {
		width = max(width, len(c))
	}
	shape := make([]int, len(l.outs))
	for i, a := range l.outs {
		shape[i] = 1 << a.bits
	}
	if len(shape) == 0 {
		return cells[0] + "\n"
	}
	cols := shape[len(shape)-1]
	var b strings.Builder
	for row := range len(cells) / cols {
		l.rowTitle(&b, row, shape)
		for i, c := range cells[row*cols : (row+1)*cols] {
			if i > 0 {
				b.WriteString(" ")
			}
			if i < cols-1 {
				fmt.Fprintf(&b, "%-*s", width, c)
			} else {
				b.WriteString(c)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// rowTitle heads each slice of a tensor of three dimensions or more.
func (l Layout) rowTitle(b *strings.Builder, row int, shape []int) {
	n := len(shape)
	if n < 3 || row%shape[n-2] != 0 {
		return
	}
	at := row / shape[n-2]
	index := make([]string, n-2)
	for i := n - 3; i >= 0; i-- {
		index[i] = fmt.Sprint(at % shape[i])
		at /= shape[i]
	}
	fmt.Fprintf(b, "[%s, :, :]\n", strings.Join(index, ", "))
}

// cells are the texts for all elements in row-major order.
func (l Layout) cells() []string {
	places := make([][]uint64, l.TotalOutSize())
	for p := range uint64(l.TotalInSize()) {
		i := rowMajorIndex(l.outs, l.image(p))
		places[i] = append(places[i], p)
	}
	out := make([]string, len(places))
	for i, ps := range places {
		out[i] = l.cell(ps)
	}
	return out
}

func rowMajorIndex(s space, v uint64) int {
	i := 0
	for d, x := range s.unpack(v) {
		i = i<<s[d].bits | x
	}
	return i
}

// Owner is the first of those that hold an element: the value of each input dimension, by name, and how
// many hold it.
type Owner struct {
	At     map[string]int
	Copies int
}

// Owners returns the owners of all elements in row-major order.
func (l Layout) Owners() []Owner {
	out := make([]Owner, l.TotalOutSize())
	for p := range uint64(l.TotalInSize()) {
		o := &out[rowMajorIndex(l.outs, l.image(p))]
		if o.Copies++; o.Copies > 1 {
			continue
		}
		o.At = map[string]int{}
		for d, x := range l.ins.unpack(p) {
			o.At[l.ins[d].name] = x
		}
	}
	return out
}

// letters abbreviate the dimensions in a picture.
var letters = map[string]string{Register: "r", Lane: "t", Warp: "w", Block: "b", Offset: ""}

func (l Layout) cell(places []uint64) string {
	if len(places) == 0 {
		return "-"
	}
	values := make([][]int, len(l.ins)) // what each input dimension takes on
	count := 1
	for d := range l.ins {
		for _, p := range places {
			if x := l.ins.unpack(p)[d]; !slices.Contains(values[d], x) {
				values[d] = append(values[d], x)
			}
		}
		slices.Sort(values[d])
		count *= len(values[d])
	}
	if count == len(places) {
		return l.place(values)
	}
	parts := make([]string, len(places))
	for i, p := range places {
		one := make([][]int, len(l.ins))
		for d, x := range l.ins.unpack(p) {
			one[d] = []int{x}
		}
		parts[i] = l.place(one)
	}
	return strings.Join(parts, "|")
}

// place writes the values of the input dimensions, the major ones first.
func (l Layout) place(values [][]int) string {
	var parts []string
	for d := len(l.ins) - 1; d >= 0; d-- {
		if l.ins[d].bits == 0 {
			continue
		}
		letter, ok := letters[l.ins[d].name]
		if !ok {
			letter = l.ins[d].name
		}
		parts = append(parts, letter+strings.ReplaceAll(joinInts(values[d]), " ", ""))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, ":")
}
