package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// PoolOptions says how a window moves over images: along height and width, in this order. One-dimensional
// forms use the first number of each.
type PoolOptions struct {
	Window   [2]int // size of the window
	Stride   [2]int // pixels from one place of the window to the next; 0: the size of the window
	Padding  [2]int // pixels on each side of the images, at most half a window
	Dilation [2]int // of MaxPool: pixels from one element of the window to the next; 0: 1
	// InsideOnly is for AvgPool: padding, which is zeros, does not count in the mean.
	InsideOnly bool
}

// MaxPool1D returns the largest element of each place of a window over signals, of the shape [batch,
// channels, length], or one without the batch. NaN is larger than all.
func MaxPool1D(s *Stream, x *nereid.Tensor, o PoolOptions) *nereid.Tensor {
	return s.pool(pooling{op: "MaxPool1D", rank: 1, o: o}, x)
}

// MaxPool2D returns the largest element of each place of a window over images, of the shape [batch, channels,
// height, width], or one without the batch. NaN is larger than all.
func MaxPool2D(s *Stream, x *nereid.Tensor, o PoolOptions) *nereid.Tensor {
	return s.pool(pooling{op: "MaxPool2D", rank: 2, o: o}, x)
}

// AvgPool1D returns the mean of each place of a window over signals, as MaxPool1D has them.
func AvgPool1D(s *Stream, x *nereid.Tensor, o PoolOptions) *nereid.Tensor {
	return s.pool(pooling{op: "AvgPool1D", rank: 1, mean: true, o: o}, x)
}

// AvgPool2D returns the mean of each place of a window over images, as MaxPool2D has them.
func AvgPool2D(s *Stream, x *nereid.Tensor, o PoolOptions) *nereid.Tensor {
	return s.pool(pooling{op: "AvgPool2D", rank: 2, mean: true, o: o}, x)
}

// AdaptiveMaxPool returns images of a size: each pixel is the largest element of its part of x. x has one
// dimension for each number of size, with channels and the batch before them.
func AdaptiveMaxPool(s *Stream, x *nereid.Tensor, size ...int) *nereid.Tensor {
	return s.adaptivePool("AdaptiveMaxPool", false, x, size)
}

// AdaptiveAvgPool returns images of a size: each pixel is the mean of its part of x, as AdaptiveMaxPool has
// it. Parts overlap where their number does not divide the size of x.
func AdaptiveAvgPool(s *Stream, x *nereid.Tensor, size ...int) *nereid.Tensor {
	return s.adaptivePool("AdaptiveAvgPool", true, x, size)
}

func (s *Stream) adaptivePool(op string, mean bool, x *nereid.Tensor, size []int) *nereid.Tensor {
	l := pooling{op: op, rank: len(size), mean: mean, adaptive: true}
	if copy(l.result[:], size) < 1 || len(size) > 2 {
		l.rank = 0
	}
	return s.pool(l, x)
}

func (s *Stream) pool(l pooling, x *nereid.Tensor) *nereid.Tensor {
	c := s.begin(l.op)
	c.in("x", x)
	for i := range 2 {
		c.attr(l.o.Window[i])
		c.attr(l.o.Stride[i])
		c.attr(l.o.Padding[i])
		c.attr(l.o.Dilation[i])
		c.attr(l.result[i])
	}
	c.attr(l.rank<<1 | int(b2i(l.o.InsideOnly)))
	return c.run(func(c *call) (*plan, error) {
		l.c = c
		return l.plan()
	})
}

// pooling plans a call.
type pooling struct {
	c              *call
	op             string
	rank           int // 1 or 2
	mean, adaptive bool
	o              PoolOptions
	window         window
	dims, xs, os   [4]int
	result         [2]int
}

func (l *pooling) plan() (*plan, error) {
	x := l.c.ins[0]
	if !x.DType.IsFloat() {
		return nil, wrong(l.op, "x", "it is of %s, not of floats", x.DType)
	}
	if l.rank == 0 {
		return nil, wrong(l.op, "", "a size has one or two numbers")
	}
	var ok bool
	if l.dims, l.xs, ok = imageDims(x.Shape, core.Strides(x), l.rank); !ok {
		return nil, wrong(l.op, "x", "its shape is %v, not one of %d or %d dimensions", x.Shape, l.rank+1,
			l.rank+2)
	}
	if err := l.windows([2]int{l.dims[2], l.dims[3]}); err != nil {
		return nil, err
	}
	shape := slices.Clone(x.Shape)
	if shape[len(shape)-1] = l.result[1]; l.rank == 2 {
		shape[len(shape)-2] = l.result[0]
	}
	p := &plan{outs: []result{l.c.outcome(result{x.DType, shape})}}
	if p.empty() {
		return p, nil
	}
	if l.adaptive && l.result == [2]int{1, 1} && (!l.c.s.into || l.c.s.n == 1 && l.c.s.outs[0].Contiguous()) {
		return l.whole(p)
	}
	_, l.os, _ = imageDims(shape, l.c.outStrides(shape), l.rank)
	return p, l.step(p)
}

// windows determines the window and the size of the result.
func (l *pooling) windows(size [2]int) (err error) {
	w := &l.window
	if l.adaptive {
		if l.rank == 1 {
			l.result = [2]int{1, l.result[0]}
		}
		for i := range 2 {
			if l.result[i] < 1 || size[i] < 1 {
				return wrong(l.op, "x", "there are no windows from %v to %v", size, l.result)
			}
			w.taps[i] = widestPart(size[i], l.result[i])
			w.stride[i], w.dilation[i] = 1, 1
		}
		return nil
	}
	if l.mean && l.o.Dilation != [2]int{} {
		return wrong(l.op, "", "windows of means have no dilation")
	}
	*w = window{l.o.Window, l.o.Stride, l.o.Padding, l.o.Dilation}
	if l.rank == 1 {
		w.flat()
	}
	for i := range 2 {
		if w.stride[i] == 0 {
			w.stride[i] = w.taps[i]
		}
		if 2*w.padding[i] > w.taps[i] {
			return wrong(l.op, "x", "the padding %v is more than half of the window %v", w.padding, w.taps)
		}
	}
	l.result, err = w.over(l.op, "x", size)
	return err
}

// widestPart returns the size of the largest of the parts of adaptive pooling.
func widestPart(size, parts int) (most int) {
	for i := range parts {
		most = max(most, nereid.Cdiv((i+1)*size, parts)-i*size/parts)
	}
	return most
}

// whole plans images of one pixel: a reduction.
func (l *pooling) whole(p *plan) (*plan, error) {
	f, axes := fnMax.fused, []int{-1}
	if l.mean {
		f = meanOp
	}
	if l.rank == 2 {
		axes = []int{-2, -1}
	}
	reduced, err := (&fusion{f: f, axes: axes}).plan(l.c)
	if err == nil {
		reduced.outs = p.outs
	}
	return reduced, err
}

// step adds the launch to a plan.
func (l *pooling) step(p *plan) error {
	c, w := l.c, l.window
	k, err := c.s.lib.kernel("conv.py", "pool_kernel")
	if err != nil {
		return err
	}
	rows, pixels, unrolled := l.dims[0]*l.dims[1], l.result[0]*l.result[1], w.taps
	if w.taps[0]*w.taps[1] > unrolledTaps {
		unrolled = [2]int{}
	}
	cols := min(pow2(pixels), poolElements[c.s.chip])
	height := min(pow2(rows), poolElements[c.s.chip]/cols)
	args := []any{nil, nil, rows, pixels, l.dims[1], l.dims[2], l.dims[3], l.result[0], l.result[1],
		w.taps[0],
		w.taps[1]}
	args = append(args, w.moves()...)
	args = append(args, numbers(slices.Concat(l.xs[:], l.os[:])...)...)
	args = append(args, l.mean, l.adaptive, !l.o.InsideOnly && !l.adaptive, w.padding != [2]int{},
		unrolled[0], unrolled[1],
		computed(c.ins[0].DType), height, cols, nereid.Options{NumWarps: 4})
	p.steps = []step{{kernel: k, args: args, slots: []slot{{0, 0}, {1, c.n}},
		grid: nereid.Grid{nereid.Cdiv(rows, height), nereid.Cdiv(pixels, cols)}}}
	return nil
}

// poolElements is how many elements a tile of pooling has, by chip.
var poolElements = [...]int{gpuChip: 512, cpuChip: 1024, interpChip: 4096}
