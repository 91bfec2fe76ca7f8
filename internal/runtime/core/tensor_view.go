package core

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// Views share the memory of their tensor and are not closed: closing the tensor ends them. A view that
// cannot be made is a tensor with an error, see Err.

// Contiguous reports whether the elements lie in the order of their indices without gaps.
func (t *Tensor) Contiguous() bool {
	if t.Err() != nil {
		return false
	}
	if slices.Contains(t.Shape, 0) {
		return true
	}
	n, strides := 1, t.strides()
	for i := len(t.Shape) - 1; i >= 0; i-- {
		if t.Shape[i] != 1 && strides[i] != n {
			return false
		}
		n *= t.Shape[i]
	}
	return true
}

// strides returns Strides, or those of a contiguous tensor if Strides and Shape differ in length.
func (t *Tensor) strides() []int {
	if len(t.Strides) == len(t.Shape) {
		return t.Strides
	}
	return contiguous(t.Shape)
}

// fits returns an error unless all elements, by shape and strides, lie in the tensor's memory.
func (t *Tensor) fits() error {
	if err := t.Err(); err != nil {
		return err
	}
	if err := checkShape(t.DType, t.Shape); err != nil {
		return err
	}
	size, strides := t.DType.Size(), t.strides()
	lo, hi := t.offset, t.offset+size
	for i, n := range t.Shape {
		if n == 0 {
			return nil
		}
		if reach := times(times(n-1, strides[i]), size); reach < 0 {
			lo += reach
		} else {
			hi += reach
		}
	}
	if lo < 0 || hi > t.buf.Size() {
		return fmt.Errorf("nereid: a tensor of %s with the shape %v and the strides %v at byte %d leaves "+
			"its memory of %d bytes",
			t.DType, t.Shape, strides, t.offset, t.buf.Size())
	}
	return nil
}

// view returns a tensor over the same memory that begins begin elements further in.
func (t *Tensor) view(begin int, shape, strides []int) *Tensor {
	c := t.same()
	bytes := begin * t.DType.Size()
	c.offset += bytes
	c.addr += uint64(bytes)
	c.Shape, c.Strides = shape, strides
	return c
}

// wrong returns a tensor with an error for a view of t that cannot be made.
func (t *Tensor) wrong(format string, list ...any) *Tensor {
	err := fmt.Errorf("nereid: of a tensor with the shape %v: %s", t.Shape, fmt.Sprintf(format, list...))
	return broken(t.DType, t.Shape, err)
}

// base returns nil if views of t can be made, else the tensor with an error that they all are.
func (t *Tensor) base() *Tensor {
	if err := t.fits(); err != nil {
		return broken(Invalid, nil, err)
	}
	return nil
}

// Slice returns the view of elements start, start+step, start+2*step … below stop along a dimension. Bounds
// are those of a Go slice, 0 <= start <= stop <= Shape[dim], and step is at least 1.
func (t *Tensor) Slice(dim, start, stop, step int) *Tensor {
	if b := t.base(); b != nil {
		return b
	}
	if dim < 0 || dim >= len(t.Shape) {
		return t.wrong("there is no dimension %d", dim)
	}
	if start < 0 || stop < start || stop > t.Shape[dim] || step < 1 {
		return t.wrong("there is no slice [%d:%d:%d] of dimension %d", start, stop, step, dim)
	}
	n := (stop - start) / step
	if (stop-start)%step > 0 {
		n++
	}
	shape, strides := slices.Clone(t.Shape), slices.Clone(t.strides())
	begin := start * strides[dim]
	shape[dim] = n
	strides[dim] *= step
	if n <= 1 { // no step is taken
		strides[dim] = t.strides()[dim]
	}
	if slices.Contains(shape, 0) { // an empty view could otherwise begin behind the last element
		begin = 0
	}
	return t.view(begin, shape, strides)
}

// Select returns the view of one index along a dimension, which the view does not have: for dimension 0 of
// a matrix, a row.
func (t *Tensor) Select(dim, index int) *Tensor {
	if b := t.base(); b != nil {
		return b
	}
	if dim < 0 || dim >= len(t.Shape) || index < 0 || index >= t.Shape[dim] {
		return t.wrong("there is no index %d of dimension %d", index, dim)
	}
	v := t.Slice(dim, index, index+1, 1)
	v.Shape, v.Strides = slices.Delete(v.Shape, dim, dim+1), slices.Delete(v.Strides, dim, dim+1)
	return v
}

// Permute returns the view whose dimension i is dimension dims[i] of the tensor.
func (t *Tensor) Permute(dims ...int) *Tensor {
	if b := t.base(); b != nil {
		return b
	}
	seen := make([]bool, len(t.Shape))
	shape, strides := make([]int, len(t.Shape)), make([]int, len(t.Shape))
	for i, d := range dims {
		if len(dims) != len(t.Shape) || d < 0 || d >= len(t.Shape) || seen[d] {
			return t.wrong("%v is no order of its %d dimensions", dims, len(t.Shape))
		}
		seen[d] = true
		shape[i], strides[i] = t.Shape[d], t.strides()[d]
	}
	if len(dims) != len(t.Shape) {
		return t.wrong("%v is no order of its %d dimensions", dims, len(t.Shape))
	}
	return t.view(0, shape, strides)
}

// Transpose returns the view with two dimensions exchanged.
func (t *Tensor) Transpose(a, b int) *Tensor {
	if b := t.base(); b != nil {
		return b
	}
	if n := len(t.Shape); a < 0 || a >= n || b < 0 || b >= n {
		return t.wrong("there are no dimensions %d and %d", a, b)
	}
	dims := make([]int, len(t.Shape))
	for i := range dims {
		dims[i] = i
	}
	dims[a], dims[b] = b, a
	return t.Permute(dims...)
}

// Reshape returns a view of a contiguous tensor in another shape with the same number of elements. One size
// may be -1, which is computed.
func (t *Tensor) Reshape(shape ...int) *Tensor {
	if b := t.base(); b != nil {
		return b
	}
	if !t.Contiguous() {
		return t.wrong("it has the strides %v and is not contiguous, so there is no other shape of it: "+
			"copy it", t.Strides)
	}
	shape = slices.Clone(shape)
	if i := slices.Index(shape, -1); i >= 0 {
		shape[i] = 1
		if err := checkShape(t.DType, shape); err != nil || count(shape) == 0 || t.Len()%count(shape) != 0 {
			shape[i] = -1
			return t.wrong("its %d elements do not have the shape %v", t.Len(), shape)
		}
		shape[i] = t.Len() / count(shape)
	}
	if err := checkShape(t.DType, shape); err != nil || count(shape) != t.Len() {
		return t.wrong("its %d elements do not have the shape %v", t.Len(), shape)
	}
	return t.view(0, shape, contiguous(shape))
}

// Skip returns the tensor that begins n elements further into the same memory, or before if n is negative:
// Offset in elements.
func (t *Tensor) Skip(n int) *Tensor {
	if err := t.Err(); err != nil {
		return broken(Invalid, nil, err)
	}
	return t.Offset(times(n, t.DType.Size()))
}

// atStrided returns an element like At, for a tensor that is not contiguous.
func (t *Tensor) atStrided(i int) (float64, error) {
	if err := t.fits(); err != nil {
		return 0, err
	}
	if i < 0 || i >= t.Len() {
		return 0, fmt.Errorf("nereid: there is no element %d in a tensor of the shape %v", i, t.Shape)
	}
	at, strides := 0, t.strides()
	for d := len(t.Shape) - 1; d >= 0; d-- {
		at += i % t.Shape[d] * strides[d]
		i /= t.Shape[d]
	}
	return t.view(at, nil, nil).At(0)
}

// zeroStrided clears like zero, for a tensor that is not contiguous: memory between its elements stays.
func (t *Tensor) zeroStrided() error {
	if err := t.fits(); err != nil {
		return err
	}
	return t.copy(dtype.Type(t.DType), make([]byte, t.Len()*t.DType.Size()), true)
}

// As returns a view of the same memory as elements of another type, in one dimension. The tensor is
// contiguous, and its bytes are a whole number of the other type's elements.
func (t *Tensor) As(dt DType) *Tensor {
	if err := t.fits(); err != nil {
		return broken(dt, nil, err)
	}
	size := dt.Size()
	if size == 0 {
		return t.wrong("there is no type %v to view it as", dt)
	}
	if !t.Contiguous() {
		return t.wrong("a view as %s needs elements without gaps; the strides are %v", dt, t.strides())
	}
	bytes := t.Len() * t.DType.Size()
	if bytes%size != 0 {
		return t.wrong("%d bytes are no whole number of elements of %s", bytes, dt)
	}
	c := t.same()
	c.DType, c.Shape, c.Strides = dt, []int{bytes / size}, []int{1}
	return c
}
