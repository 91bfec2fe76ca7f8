package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
)

// ConvGeneral implements compute.StandardOps: windows of the input become the rows of a matrix, which is
// multiplied by that of the kernel, for each group.
func (f *Function) ConvGeneral(input, kernel compute.Value, axes compute.ConvolveAxesConfig, strides []int,
	paddings [][2]int, inputDilations, kernelDilations []int, channelGroups,
	batchGroups int) (compute.Value, error) {
	in, err := f.values("ConvGeneral", input, kernel)
	if err != nil {
		return nil, err
	}
	channelGroups, batchGroups = max(channelGroups, 1), max(batchGroups, 1)
	shape, err := shapeinference.ConvGeneral(in[0].shape, in[1].shape, axes, strides, paddings,
		inputDilations, kernelDilations, channelGroups, batchGroups)
	if err != nil {
		return nil, err
	}
	if anyDynamic(in) {
		axes = axes.Clone()
		return f.add(&node{op: compute.OpTypeConvGeneral, shape: shape, inputs: in,
			attr: []any{axes, strides, paddings, inputDilations, kernelDilations, channelGroups, batchGroups},
			again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
				return f.ConvGeneral(in[0], in[1], axes, strides, paddings, inputDilations, kernelDilations,
					channelGroups, batchGroups)
			})}), nil
	}
	c := convolution{f: f, x: in[0], w: in[1], axes: axes, groups: channelGroups * batchGroups, out: shape}
	rank := len(axes.InputSpatial)
	c.a = patchesAttr{rank: rank, strides: orOnes(strides, nil, rank), dilations: orOnes(kernelDilations,
		nil, rank),
		inputDilations: orOnes(inputDilations, nil, rank), before: make([]int, rank)}
	for d, p := range paddings {
		c.a.before[d] = p[0]
	}
	return c.build(batchGroups > 1)
}

// convolution makes the operations of one.
type convolution struct {
	f      *Function
	x, w   *node
	axes   compute.ConvolveAxesConfig
	groups int
	a      patchesAttr
	out    shapes.Shape
}

func (c *convolution) build(batches bool) (compute.Value, error) {
	f, rank := c.f, c.a.rank
	kernel, err := f.dotTypes(&c.x, &c.w, c.out.DType)
	if err != nil {
		return nil, err
	}
	x, err := c.input(batches)
	if err != nil {
		return nil, err
	}
	w, err := c.weights()
	if err != nil {
		return nil, err
	}
	dt := c.x.shape.DType
	// [batch, group, channel, places of windows, place in the window]
	dims := slices.Clone(x.shape.Dimensions[:3])
	places, window := span(3, rank), span(3+rank, rank)
	for _, d := range c.axes.OutputSpatial {
		dims = append(dims, c.out.Dimensions[d])
	}
	dims = append(dims, w.shape.Dimensions[3:]...)
	p := f.add(&node{op: opPatches, shape: shapes.Make(dt, dims...), inputs: []*node{x, f.scalar(dt, 0)},
		attr: c.a})
	// the order along the depth follows the memory of the input
	deepX, deepW := append([]int{2}, window...), append([]int{2}, span(3, rank)...)
	if c.axes.InputChannels == c.x.shape.Rank()-1 {
		deepX, deepW = append(window, 2), append(span(3, rank), 2)
	}
	a, err := f.arranged(p, []int{1}, append([]int{0}, places...), deepX)
	if err != nil {
		return nil, err
	}
	b, err := f.arranged(w, []int{0}, deepW, []int{1})
	if err != nil {
		return nil, err
	}
	y, err := f.dot(a, b, kernel, c.out.DType)
	if err != nil {
		return nil, err
	}
	return c.result(y, dims)
}

// input returns the input as [batch, group, channel, space].
func (c *convolution) input(batches bool) (*node, error) {
	f, s := c.f, c.x.shape
	x, err := f.transposed(c.x, append([]int{c.axes.InputBatch, c.axes.InputChannels},
		c.axes.InputSpatial...))
	if err != nil {
		return nil, err
	}
	n, channels, space := x.shape.Dimensions[0], x.shape.Dimensions[1], x.shape.Dimensions[2:]
	if !batches {
		return f.reshape(x, shapes.Make(s.DType, append([]int{n, c.groups, channels / c.groups},
			space...)...)), nil
	}
	x = f.reshape(x, shapes.Make(s.DType, append([]int{c.groups, n / c.groups, channels}, space...)...))
	return f.transposed(x, append([]int{1, 0, 2}, span(3, len(space))...))
}

// weights returns the kernel as [group, output channel, input channel, window].
func (c *convolution) weights() (*node, error) {
	f, s := c.f, c.w.shape
	w, err := f.transposed(c.w, append([]int{c.axes.KernelOutputChannels, c.axes.KernelInputChannels},
		c.axes.KernelSpatial...))
	if err != nil {
		return nil, err
	}
	d := w.shape.Dimensions
	return f.reshape(w, shapes.Make(s.DType, append([]int{c.groups, d[0] / c.groups}, d[1:]...)...)), nil
}

// result returns the products, [group, batch and places, channel], in the order of the output's axes.
func (c *convolution) result(y *node, dims []int) (compute.Value, error) {
	f, rank := c.f, c.a.rank
	channels := c.out.Dimensions[c.axes.OutputChannels]
	space := dims[3 : 3+rank]
	full := append(append([]int{c.groups, dims[0]}, space...), channels/c.groups)
	y = f.reshape(y, shapes.Make(y.shape.DType, full...))
	if c.groups > 1 { // [batch, space, group, channel]
		var err error
		if y, err = f.transposed(y, append(append(span(1, 1+rank), 0), 2+rank)); err != nil {
			return nil, err
		}
	}
	y = f.reshape(y, shapes.Make(y.shape.DType, append(append([]int{dims[0]}, space...), channels)...))
	order := make([]int, 2+rank)
	order[c.axes.OutputBatch], order[c.axes.OutputChannels] = 0, 1+rank
	for i, d := range c.axes.OutputSpatial {
		order[d] = 1 + i
	}
	return f.transposed(y, order)
}

// span returns n numbers from first on.
func span(first, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = first + i
	}
	return list
}
