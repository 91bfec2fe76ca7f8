package bench

import (
	"fmt"
	"math"

	"github.com/nereid-lang/nereid"
)

// expect is what a kernel must leave in a tensor, in float64.
type expect struct {
	out *nereid.Tensor
	// want returns element i, and the size of its neighbours, in which an error of an element near 0 counts.
	want func(i int) (value, size float64)
	cols int     // elements in a row: those of one row are cheap to compute one after another
	tol  float64 // the largest error, in parts of the value or of the size
	// dropped says that some elements, neither none nor all, are 0 instead.
	dropped bool

	list []sample // made when first needed: computing them takes longer than most kernels
}

// sample is an element that is looked at.
type sample struct {
	i           int
	value, size float64
}

// tolerances of kernels that round their results to a type, and inner values at most once. Those of fp8 are
// for products of such operands: tensor cores of sm_90 keep 14 bits of their sums, and cut the rest off.
var tolerances = map[nereid.DType]float64{
	nereid.Float8E4NV: 6e-2, nereid.Float16: 4e-3, nereid.BFloat16: 2e-2, nereid.Float32: 1e-4,
}

// How much of an output is looked at.
const (
	sampledRows = 12
	sampledCols = 8
)

// samples returns elements of the output, row by row: the first and the last, and others that are spread as
// random numbers are.
func (e *expect) samples() []sample {
	if e.list != nil {
		return e.list
	}
	total := e.out.Len()
	rows := total / e.cols
	at := []int{0}
	for r := range uint64(sampledRows) {
		row := int(place(7, r)) * rows >> 16
		for c := range uint64(sampledCols) {
			at = append(at, row*e.cols+int(place(8+r, c))*e.cols>>16)
		}
	}
	for _, i := range append(at, total-1) {
		value, size := e.want(i)
		e.list = append(e.list, sample{i, value, size})
	}
	return e.list
}

// spoil overwrites what check looks at, so that the results of an earlier launch are not taken for new ones.
func (e *expect) spoil() error {
	nan := make([]byte, e.out.DType.Size())
	for i := range nan {
		nan[i] = 0xff
	}
	for _, x := range e.samples() {
		if err := e.out.Offset(x.i * len(nan)).CopyBytesFrom(nan); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if an element is wrong.
func (e *expect) check() error {
	zeros, list := 0, e.samples()
	for _, x := range list {
		got, err := e.out.At(x.i)
		if err != nil {
			return err
		}
		if e.dropped && got == 0 {
			zeros++
			continue
		}
		if off := math.Abs(got-x.value) / max(math.Abs(x.value), x.size); !(off <= e.tol) {
			return fmt.Errorf("wrong: element %d is %v, not %v", x.i, got, x.value)
		}
	}
	if e.dropped && (zeros == 0 || zeros == len(list)) {
		return fmt.Errorf("wrong: %d of %d elements are 0", zeros, len(list))
	}
	return nil
}

// rowwise returns the want of a kernel whose reference computes a row at a time.
func rowwise(cols int, row func(r int) []float64) func(i int) (float64, float64) {
	have, vals, size := -1, []float64(nil), 0.0
	return func(i int) (float64, float64) {
		if r := i / cols; r != have {
			have, vals = r, row(r)
			size = rootMeanSquare(vals)
		}
		return vals[i%cols], size
	}
}

func rootMeanSquare(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(max(1, len(x))))
}

// elementwise returns the want of a kernel whose elements are of size 1.
func elementwise(f func(i int) float64) func(i int) (float64, float64) {
	return func(i int) (float64, float64) { return f(i), 1 }
}

// row returns row r of a matrix.
func (x *input) row(r, cols int) []float64 {
	out := make([]float64, cols)
	for i := range out {
		out[i] = x.at(r*cols + i)
	}
	return out
}

// softmaxOf changes scores into probabilities and returns the logarithm of the sum of their exponentials.
func softmaxOf(x []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
	return top + math.Log(sum)
}

// productOf returns the want of a product of square matrices; b's strides are given.
func productOf(a, b *input, n int, strides [2]int) func(i int) (float64, float64) {
	size := math.Sqrt(float64(n))
	return func(i int) (float64, float64) {
		row, col, sum := i/n, i%n, 0.0
		for k := range n {
			sum += a.at(row*n+k) * b.at(k*strides[0]+col*strides[1])
		}
		return sum, size
	}
}

// attentionOf returns the want of attention over seq positions in heads of d.
func attentionOf(q, k, v *input, seq, d int, causal bool) func(i int) (float64, float64) {
	scale := 1 / math.Sqrt(float64(d))
	return rowwise(d, func(r int) []float64 {
		head, last := r/seq*seq, seq
		if causal {
			last = r%seq + 1
		}
		query, p := q.row(r, d), make([]float64, last)
		for j := range p {
			for i, x := range query {
				p[j] += x * k.at((head+j)*d+i) * scale
			}
		}
		softmaxOf(p)
		out := make([]float64, d)
		for j, w := range p {
			for i := range out {
				out[i] += w * v.at((head+j)*d+i)
			}
		}
		return out
	})
}

// normOf returns the want of a norm of rows.
func normOf(x *input, cols int, mean bool, eps float64,
	w, b func(i int) float64) func(int) (float64, float64) {
	return rowwise(cols, func(r int) []float64 {
		v, m := x.row(r, cols), 0.0
		if mean {
			for _, f := range v {
				m += f / float64(cols)
			}
		}
		sum := 0.0
		for _, f := range v {
			sum += (f - m) * (f - m)
		}
		scale := 1 / math.Sqrt(sum/float64(cols)+eps)
		for i, f := range v {
			v[i] = (f-m)*scale*w(i) + b(i)
		}
		return v
	})
}
