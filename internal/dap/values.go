package dap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/interp"
)

// shownElements is the number of elements that a summary begins with.
const shownElements = 4

// summary is a value in one line: a scalar, or the first elements of a tensor, its extremes, and how many NaN
// and infinities it has.
func summary(v interp.TraceValue, tensors []Tensor) string {
	if v.Len() == 1 && len(v.Shape) == 0 {
		return element(v, 0, tensors)
	}
	var parts []string
	for i := range min(v.Len(), shownElements) {
		parts = append(parts, element(v, i, tensors))
	}
	text := strings.Join(parts, ", ")
	if v.Len() > shownElements {
		text += ", …"
	}
	text = "[" + text + "]"
	if _, float := v.Number(0); !float {
		return text
	}
	lo, hi, nan, inf := math.Inf(1), math.Inf(-1), 0, 0
	for i := range v.Len() {
		x, _ := v.Number(i)
		switch {
		case math.IsNaN(x):
			nan++
		case math.IsInf(x, 0):
			inf++
		default:
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo <= hi {
		text += fmt.Sprintf(" from %.6g to %.6g", lo, hi)
	}
	if nan > 0 {
		text += fmt.Sprintf(", %d NaN", nan)
	}
	if inf > 0 {
		text += fmt.Sprintf(", %d infinite", inf)
	}
	return text
}

// coordinates returns the place of element i in a tensor.
func coordinates(i int, shape []int64) string {
	at := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = fmt.Sprint(i % int(shape[d]))
		i /= int(shape[d])
	}
	return "[" + strings.Join(at, ", ") + "]"
}

// Tensor is memory that a kernel got as an argument.
type Tensor struct {
	Name  string
	Addr  uint64
	Bytes int
}

// element returns an element of a value as text. A pointer is an element of the tensor that it points to.
func element(v interp.TraceValue, i int, tensors []Tensor) string {
	if v.Points == 0 || len(tensors) == 0 {
		return v.At(i)
	}
	return pointer(uint64(v.Int(i)), v.Points, tensors)
}

// pointer returns the place that an address names, in elements of a size: "x_ptr[17]".
func pointer(addr uint64, size int, tensors []Tensor) string {
	t := slices.MinFunc(tensors, func(a, b Tensor) int {
		return cmp.Compare(a.distance(addr), b.distance(addr))
	})
	off := int64(addr - t.Addr)
	index := off / int64(size)
	if off%int64(size) < 0 {
		index--
	}
	text := fmt.Sprintf("%s[%d]", t.Name, index)
	if rest := off - index*int64(size); rest != 0 {
		text += fmt.Sprintf(" and %d bytes", rest)
	}
	if off < 0 || off >= int64(t.Bytes) {
		text += " (outside)"
	}
	return text
}

// distance returns how many bytes an address is away from a tensor.
func (t Tensor) distance(addr uint64) uint64 {
	switch {
	case addr < t.Addr:
		return t.Addr - addr
	case addr >= t.Addr+uint64(t.Bytes):
		return addr - t.Addr - uint64(t.Bytes) + 1
	}
	return 0
}
