package core

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// String shows the first and last shownEdge indices of a dimension with more than shownAll.
const (
	shownAll  = 8
	shownEdge = 3
)

// String returns the type, shape and device, and a few elements:
//
//	fp16[2, 3] on cpu [[1, 2, 3], [4, 5, 6]]
//
// Elements on a GPU are read once all launched work is done. A tensor that cannot be read shows why.
func (t *Tensor) String() string {
	if t == nil {
		return "no tensor"
	}
	head := t.DType.String() + "[" + join(t.Shape, ", ") + "] on " + t.place()
	if err := t.fits(); err != nil {
		return head + " (" + strings.TrimPrefix(err.Error(), "nereid: ") + ")"
	}
	p := printer{t: t.edges()}
	p.values = make([]float64, p.t.Len())
	if err := p.read(); err != nil {
		return head + " (" + strings.TrimPrefix(err.Error(), "nereid: ") + ")"
	}
	p.print(t.Shape)
	return head + " " + p.b.String()
}

// place returns the name of the tensor's device.
func (t *Tensor) place() string {
	on := t.on()
	if on == nil || on == nowhere || on == gone {
		return "host"
	}
	return on.String()
}

func join(list []int, sep string) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, sep)
}

// edges returns a copy of the shown elements, in host memory.
func (t *Tensor) edges() *Tensor {
	shape := slices.Clone(t.Shape)
	for d, n := range shape {
		if n > shownAll {
			shape[d] = 2 * shownEdge
		}
	}
	out := FromBytes(t.DType, make([]byte, count(shape)*t.DType.Size()), shape...)
	if err := copyEdges(out, t, 0); err != nil {
		return broken(t.DType, shape, err)
	}
	return out
}

// copyEdges copies the shown elements of src, from dimension dim on, to dst.
func copyEdges(dst, src *Tensor, dim int) error {
	for dim < len(src.Shape) && src.Shape[dim] <= shownAll {
		dim++
	}
	if dim == len(src.Shape) {
		data := make([]byte, src.Len()*src.DType.Size())
		if err := src.copy(dtype.Type(src.DType), data, false); err != nil {
			return err
		}
		return dst.copy(dtype.Type(src.DType), data, true)
	}
	n := src.Shape[dim]
	if err := copyEdges(dst.Slice(dim, 0, shownEdge, 1), src.Slice(dim, 0, shownEdge, 1), dim+1); err != nil {
		return err
	}
	return copyEdges(dst.Slice(dim, shownEdge, 2*shownEdge, 1), src.Slice(dim, n-shownEdge, n, 1), dim+1)
}

// printer prints the elements of a small tensor in brackets.
type printer struct {
	t      *Tensor
	values []float64
	b      strings.Builder
}

func (p *printer) read() error {
	return CopyTo(p.values, p.t)
}

// print prints the next elements as an array; shape is that of the whole tensor.
func (p *printer) print(shape []int) {
	if len(shape) == 0 {
		p.b.WriteString(p.element(p.values[0]))
		p.values = p.values[1:]
		return
	}
	p.b.WriteByte('[')
	shown := shape[0]
	if shown > shownAll {
		shown = 2 * shownEdge
	}
	if slices.Contains(shape, 0) {
		shown = 0
	}
	for i := range shown {
		if i > 0 {
			p.b.WriteString(", ")
		}
		if i == shownEdge && shown < shape[0] {
			p.b.WriteString("..., ")
		}
		p.print(shape[1:])
	}
	p.b.WriteByte(']')
}

func (p *printer) element(v float64) string {
	switch {
	case p.t.DType == Bool:
		return strconv.FormatBool(v != 0)
	case p.t.DType.IsFloat():
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// AllClose returns nil if two tensors of the same shape hold nearly the same values: each element of a is
// equal to that of b or differs by at most atol + rtol*|b|; a NaN equals a NaN. Types and devices may
// differ. The error says how many elements differ, where the first is, and where the largest difference is.
func AllClose(a, b *Tensor, rtol, atol float64) error {
	for _, t := range []*Tensor{a, b} {
		if err := t.fits(); err != nil {
			return err
		}
	}
	if !slices.Equal(a.Shape, b.Shape) {
		return fmt.Errorf("nereid: tensors of the shapes %v and %v cannot be compared", a.Shape, b.Shape)
	}
	x, y := make([]float64, a.Len()), make([]float64, b.Len())
	if err := CopyTo(x, a); err != nil {
		return err
	}
	if err := CopyTo(y, b); err != nil {
		return err
	}
	differ, first, worst := 0, 0, 0
	for i := range x {
		if near(x[i], y[i], rtol, atol) {
			continue
		}
		if differ == 0 {
			first, worst = i, i
		}
		differ++
		if gap(x[i], y[i]) > gap(x[worst], y[worst]) {
			worst = i
		}
	}
	if differ == 0 {
		return nil
	}
	text := fmt.Sprintf("nereid: %d of %d elements differ; first at %s", differ, len(x),
		difference(a.Shape, first, x, y))
	if worst != first {
		text += "; most at " + difference(a.Shape, worst, x, y)
	}
	return fmt.Errorf("%s (rtol %g, atol %g)", text, rtol, atol)
}

func near(x, y, rtol, atol float64) bool {
	if x == y || x != x && y != y {
		return true
	}
	return math.Abs(x-y) <= atol+rtol*math.Abs(y) && !math.IsInf(x, 0) && !math.IsInf(y, 0)
}

// gap returns the distance between two values; a NaN counts as infinitely far.
func gap(x, y float64) float64 {
	if d := math.Abs(x - y); d == d {
		return d
	}
	return math.Inf(1)
}

// difference describes the elements at a flat position.
func difference(shape []int, i int, x, y []float64) string {
	index := make([]int, len(shape))
	for d, rest := len(shape)-1, i; d >= 0; d-- {
		index[d], rest = rest%shape[d], rest/shape[d]
	}
	return fmt.Sprintf("[%s]: %g and %g, by %.3g", join(index, ", "), x[i], y[i], math.Abs(x[i]-y[i]))
}
