package ops

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// ConvOptions says how a filter moves over images: along height and width, in this order. One-dimensional
// forms use the first number of each.
type ConvOptions struct {
	Stride   [2]int // pixels from one place of the filter to the next; 0: 1
	Padding  [2]int // zeros on each side of the images
	Dilation [2]int // pixels from one element of the filter to the next; 0: 1
	// Groups is into how many parts channels are divided: a part of the result depends on the same part of
	// the input alone. 0: 1.
	Groups int
}

// Conv1D returns the convolution of signals with filters, as neural networks have it: no filter is turned
// around. x has the shape [batch, channels, length], or one without the batch, w [channels of the result,
// channels of a group, length].
func Conv1D(s *Stream, x, w *nereid.Tensor, o ConvOptions, options ...MatMulOption) *nereid.Tensor {
	return s.conv("Conv1D", 1, x, w, o, options)
}

// Conv2D returns the convolution of images with filters. x has the shape [batch, channels, height, width],
// or one without the batch, w [channels of the result, channels of a group, height, width]:
//
//	y := ops.Conv2D(s, x, w, ops.ConvOptions{Padding: [2]int{1, 1}}, ops.Bias(b), ops.ThenReLU)
//
// Types are those of MatMul but those of 8 bits. The options are those of MatMul but Norm and Gated; Bias has
// an element for each channel.
func Conv2D(s *Stream, x, w *nereid.Tensor, o ConvOptions, options ...MatMulOption) *nereid.Tensor {
	return s.conv("Conv2D", 2, x, w, o, options)
}

func (s *Stream) conv(op string, rank int, x, w *nereid.Tensor, o ConvOptions,
	options []MatMulOption) *nereid.Tensor {
	var m MatMulOption
	m.add(options)
	c := s.begin(op)
	c.in("x", x)
	c.in("w", w)
	c.optional("bias", m.bias)
	c.optional("plus", m.plus)
	c.attr(int(m.dt))
	c.attr(len(m.precision))
	o.key(c)
	c.attr(o.Groups)
	if m.then != nil {
		c.attr(m.then.id)
	}
	if c.err == nil && (m.norm != nil || m.gated) {
		c.err = wrong(op, "", "Norm and Gated go with products of matrices")
	}
	return c.run(func(c *call) (*plan, error) {
		v := convolution{product: product{c: c, o: m}, rank: rank, groups: max(o.Groups, 1)}
		v.window = window{stride: o.Stride, padding: o.Padding, dilation: o.Dilation}
		return v.plan()
	})
}

func (o *ConvOptions) key(c *call) {
	for i := range 2 {
		c.attr(o.Stride[i])
		c.attr(o.Padding[i])
		c.attr(o.Dilation[i])
	}
}

// window is how filters and windows of pooling move over images, along height and width.
type window struct{ taps, stride, padding, dilation [2]int }

// flat makes of the window of a signal that of images of height 1.
func (w *window) flat() {
	w.taps = [2]int{1, w.taps[0]}
	w.stride, w.dilation = [2]int{1, w.stride[0]}, [2]int{1, w.dilation[0]}
	w.padding = [2]int{0, w.padding[0]}
}

// over returns the size of what the window makes of images of a size; operand is what an error is about.
func (w *window) over(op, operand string, size [2]int) (out [2]int, err error) {
	for i := range 2 {
		if w.stride[i] == 0 {
			w.stride[i] = 1
		}
		if w.dilation[i] == 0 {
			w.dilation[i] = 1
		}
		if w.stride[i] < 0 || w.dilation[i] < 0 || w.padding[i] < 0 {
			return out, wrong(op, "", "the stride is %v, the dilation %v and the padding %v: none is negative",
				w.stride, w.dilation, w.padding)
		}
		reach := w.dilation[i]*(w.taps[i]-1) + 1
		room := size[i] + 2*w.padding[i]
		if w.taps[i] < 1 || reach > room {
			return out, wrong(op, operand, "%d elements, %d apart, do not fit into %d with the padding %d",
				w.taps[i], w.dilation[i], size[i], w.padding[i])
		}
		out[i] = (room-reach)/w.stride[i] + 1
	}
	return out, nil
}

// convolution plans a call. Of the product it has types and options.
type convolution struct {
	product
	rank                            int // 1 or 2
	window                          window
	images, groups, channels, depth int    // depth: channels of a group of the input
	size, result                    [2]int // of images
	xs, ws, os, ps                  [4]int // strides of x, w, the result and plus
}

func (v *convolution) plan() (*plan, error) {
	c := v.c
	if err := v.types(); err != nil {
		return nil, err
	}
	if !v.dt.IsFloat() || v.dt.Size() == 1 {
		return nil, wrong(c.op, "x", "there are no convolutions of %s and %s", c.ins[0].DType, c.ins[1].DType)
	}
	if err := v.shapes(); err != nil {
		return nil, err
	}
	p := &plan{outs: []result{v.out}}
	if p.empty() {
		return p, nil
	}
	switch per := v.channels / v.groups; {
	case v.groups > 1 && v.depth <= fewChannels && per <= fewChannels || v.depth == 0:
		return p, v.direct(p)
	case v.isProduct():
		return p, v.asProduct(p)
	case v.depth >= rowChannels:
		return p, v.byRows(p)
	}
	return p, v.general(p)
}

const (
	fewChannels = 4  // of a group, which is computed without products of matrices
	rowChannels = 16 // from which on the sum goes over the channels of one tap after the other
)

// imageDims returns shape and strides of a tensor in four dimensions: batch, channels, height, width. It
// lacks the batch if its rank says so.
func imageDims(shape, strides []int, rank int) (dims, steps [4]int, ok bool) {
	if len(shape) != rank+1 && len(shape) != rank+2 {
		return dims, steps, false
	}
	shape, strides = slices.Clone(shape), slices.Clone(strides)
	if len(shape) == rank+1 {
		shape, strides = slices.Insert(shape, 0, 1), slices.Insert(strides, 0, 0)
	}
	if rank == 1 {
		shape, strides = slices.Insert(shape, 2, 1), slices.Insert(strides, 2, 0)
	}
	return [4]int(shape), [4]int(strides), true
}

// shapes checks the operands and finds sizes and strides.
func (v *convolution) shapes() error {
	c := v.c
	x, w := c.ins[0], c.ins[1]
	xd, xs, ok := imageDims(x.Shape, core.Strides(x), v.rank)
	if !ok {
		return wrong(c.op, "x", "its shape is %v, not one of %d or %d dimensions", x.Shape, v.rank+1,
			v.rank+2)
	}
	if len(w.Shape) != v.rank+2 {
		return wrong(c.op, "w", "its shape is %v, not one of %d dimensions", w.Shape, v.rank+2)
	}
	wd, ws, _ := imageDims(w.Shape, core.Strides(w), v.rank)
	v.xs, v.ws = xs, ws
	v.images, v.channels, v.depth = xd[0], wd[0], wd[1]
	switch {
	case v.depth*v.groups != xd[1]:
		return wrong(c.op, "w", "its shape is %v: filters of %d channels in %d groups do not fit the %d channels "+
			"of x", w.Shape, v.depth, v.groups, xd[1])
	case v.channels%v.groups != 0:
		return wrong(c.op, "w", "its shape is %v: %d filters are no %d groups", w.Shape, v.channels, v.groups)
	}
	v.size = [2]int{xd[2], xd[3]}
	v.window.taps = [2]int{wd[2], wd[3]}
	if v.rank == 1 {
		v.window.taps = [2]int{wd[3], 0}
		v.window.flat()
	}
	var err error
	if v.result, err = v.window.over(c.op, "w", v.size); err != nil {
		return err
	}
	shape := []int{v.images, v.channels, v.result[0], v.result[1]}
	if v.rank == 1 {
		shape = slices.Delete(shape, 2, 3)
	}
	if len(x.Shape) == v.rank+1 {
		shape = shape[1:]
	}
	v.out.shape = shape
	_, v.os, _ = imageDims(shape, c.outStrides(shape), v.rank)
	return v.extras(shape)
}

// extras checks the tensors of Bias and Plus.
func (v *convolution) extras(shape []int) error {
	if t := v.o.bias; t != nil {
		if len(t.Shape) != 1 || t.Shape[0] != v.channels {
			return wrong(v.c.op, "bias", "its shape is %v, and the result has %d channels", t.Shape,
				v.channels)
		}
		v.bias = core.Strides(t)[0]
	}
	if v.o.plus != nil {
		strides, err := v.plus(shape)
		if err != nil {
			return err
		}
		_, v.ps, _ = imageDims(shape, strides, v.rank)
	}
	return nil
}

// precision returns the input precision of products.
func (v *convolution) precision() string {
	if v.o.precision == "" || v.dt != nereid.Float32 {
		return "ieee"
	}
	return v.o.precision
}

// isProduct reports whether the convolution is a product of matrices: filters of one pixel that visit all.
func (v *convolution) isProduct() bool {
	w := v.window
	one := [2]int{1, 1}
	if v.groups != 1 || w.taps != one || w.stride != one || w.padding != [2]int{} {
		return false
	}
	for _, s := range [][4]int{v.xs, v.os, v.ps} { // pixels are one dimension
		if v.size[0] > 1 && s[2] != s[3]*v.size[1] {
			return false
		}
	}
	return true
}

// asProduct plans a product for each image: pixels by channels of x, times channels by channels of w.
func (v *convolution) asProduct(p *plan) error {
	v.m, v.n, v.k = v.size[0]*v.size[1], v.channels, v.depth
	v.row = [4]int{v.xs[3], v.ws[1], v.os[3], v.ps[3]}
	v.col = [4]int{v.xs[1], v.ws[0], v.os[1], v.ps[1]}
	v.batches, v.heads = v.images, 1
	v.batch = [4]int{v.xs[0], 0, v.os[0], v.ps[0]}
	st, err := v.product.step()
	if err != nil {
		return err
	}
	st.slots = append([]slot{{0, 0}, {1, 1}, {2, v.c.n}}, v.optionSlots()...)
	p.steps = []step{st}
	return nil
}

// kernel returns a kernel of conv.py, with the formula of Then as its epilogue.
func (v *convolution) kernel(name string) (*nereid.Kernel, error) {
	if v.o.then == nil {
		return v.c.s.lib.kernel("conv.py", name)
	}
	return v.c.s.lib.withFunction("conv.py", name, epilogueText, v.o.then.function("epilogue", v.acc))
}

// moves returns the arguments that say how the window moves.
func (w *window) moves() []any {
	return []any{w.stride[0], w.stride[1], w.padding[0], w.padding[1], w.dilation[0], w.dilation[1]}
}

// numbers returns strides as arguments.
func numbers(list ...int) (args []any) {
	for _, n := range list {
		args = append(args, n)
	}
	return args
}

// general plans the convolution of tensors of any strides.
func (v *convolution) general(p *plan) error {
	k, err := v.kernel("conv_kernel")
	if err != nil {
		return err
	}
	t := v.tile(generalConvs, v.depth*v.window.taps[0]*v.window.taps[1])
	args := append(v.sizes(), v.bias)
	args = append(args, numbers(slices.Concat(v.xs[:], v.ws[:])...)...)
	args = append(args, v.resultStrides()...)
	args = append(args, v.window.taps[0], v.window.taps[1], t.m, t.n, t.k, v.flat(), v.align(), v.dt, v.acc,
		v.precision(), t.options())
	p.steps = append(p.steps, step{kernel: k, args: args, grid: v.grid(t),
		slots: append([]slot{{0, 0}, {1, 1}, {2, v.c.n}}, v.optionSlots()...)})
	return nil
}

// sizes returns the arguments of kernels up to the strides.
func (v *convolution) sizes() []any {
	pixels := v.images * v.result[0] * v.result[1] / v.align()
	args := []any{nil, nil, nil, nil, nil, pixels, v.channels / v.groups, v.depth, v.size[0], v.size[1],
		v.result[0] * v.result[1] / v.align(), v.result[1]}
	return append(args, v.window.moves()...)
}

// resultStrides returns those of the result and of plus as arguments; two of each are without what align
// returns.
func (v *convolution) resultStrides() []any {
	a := v.align()
	return numbers(v.os[0]/a, v.os[1]/a, v.os[2], v.os[3], v.ps[0]/a, v.ps[1]/a, v.ps[2], v.ps[3])
}

// flat reports whether the pixels of an image of the result, and of plus, are one dimension.
func (v *convolution) flat() bool {
	for _, s := range [][4]int{v.os, v.ps} {
		if v.result[0] > 1 && s[2] != s[3]*v.result[1] {
			return false
		}
	}
	return true
}

// align returns the largest power of two, up to 16, that divides the pixels of an image of the result and the
// distances between images and channels of the result and of plus.
func (v *convolution) align() int {
	return aligned(v.result[0]*v.result[1] | v.os[0] | v.os[1] | v.ps[0] | v.ps[1])
}

func aligned(n int) int { return 1 << min(bits.TrailingZeros(uint(n)), 4) }

func (v *convolution) grid(t blocks) nereid.Grid {
	pixels := v.images * v.result[0] * v.result[1]
	return nereid.Grid{nereid.Cdiv(v.channels/v.groups, t.m) * nereid.Cdiv(pixels, t.n), v.groups}
}

// byRows plans the convolution of images whose channels are contiguous; others are copied to scratch memory
// in that order first, and filters too.
func (v *convolution) byRows(p *plan) error {
	k, err := v.kernel("conv_rows_kernel")
	if err != nil {
		return err
	}
	all, h, w := v.depth*v.groups, v.size[0], v.size[1]
	x, err := v.channelsLast(p, 0, &v.xs, [4]int{h * w * all, 1, w * all, all})
	if err != nil {
		return err
	}
	taps := v.window.taps
	filter, err := v.channelsLast(p, 1, &v.ws, [4]int{taps[0] * taps[1] * v.depth, 1, taps[1] * v.depth,
		v.depth})
	if err != nil {
		return err
	}
	t := v.tile(halfConvs, v.depth)
	args := append(v.sizes(), v.bias, v.xs[0], v.xs[2], v.xs[3], v.ws[0])
	args = append(args, v.resultStrides()...)
	args = append(args, taps[0], taps[1], t.m, t.n, t.k, v.flat(), v.align(), v.depth%t.k == 0,
		v.window.padding != [2]int{}, v.dt, v.acc, v.precision(), nereid.Options{NumWarps: t.warps,
			NumStages: t.stages})
	p.steps = append(p.steps, step{kernel: k, args: args, grid: v.grid(t),
		slots: append([]slot{{0, x}, {1, filter}, {2, v.c.n}}, v.optionSlots()...)})
	return nil
}

// channelsLast returns the operand that has input i with these strides: itself, or a copy in scratch memory,
// whose strides have become that.
func (v *convolution) channelsLast(p *plan, i int, have *[4]int, want [4]int) (operand int, err error) {
	c := v.c
	same := have[1] == 1
	if i == 1 {
		same = *have == want
	}
	if same {
		return i, nil
	}
	from := *have
	*have = want
	t := c.ins[i]
	if i == 0 && from[3] == 1 && (v.size[0] == 1 || from[2] == v.size[1]) && v.images < 1<<16 {
		return v.turned(p, from)
	}
	strides := want[:]
	if v.rank == 1 {
		strides = []int{want[0], want[1], want[3]}
	}
	return c.packed(p, i, strides[len(strides)-len(t.Shape):])
}

// turned adds a launch to a plan that copies x, whose pixels are contiguous, to scratch memory with its
// channels contiguous, and returns that operand.
func (v *convolution) turned(p *plan, from [4]int) (operand int, err error) {
	c := v.c
	k, err := c.s.lib.kernel("conv.py", "channels_last_kernel")
	if err != nil {
		return 0, err
	}
	operand = c.n + len(p.outs) + len(p.scratch)
	p.scratch = append(p.scratch, result{c.ins[0].DType, []int{c.ins[0].Len()}})
	channels, pixels := v.depth*v.groups, v.size[0]*v.size[1]
	p.steps = append(p.steps, step{kernel: k, slots: []slot{{0, 0}, {1, operand}},
		grid: nereid.Grid{nereid.Cdiv(pixels, 64), nereid.Cdiv(channels, 64), v.images},
		args: []any{nil, nil, channels, pixels, from[0], from[1], channels * pixels, 64, 64, aligned(from[1]),
			nereid.Options{NumWarps: 8}}})
	return operand, nil
}

// packed adds a launch to a plan that copies input i to scratch memory, and returns that operand.
func (c *call) packed(p *plan, i int, strides []int) (operand int, err error) {
	operand = c.n + len(p.outs) + len(p.scratch)
	t := c.ins[i]
	p.scratch = append(p.scratch, result{t.DType, []int{t.Len()}})
	x := &fusion{f: copyOp, dt: t.DType, into: strides}
	return operand, c.formula(p, x, operand, i)
}

// direct plans the convolution in groups of few channels.
func (v *convolution) direct(p *plan) error {
	k, err := v.kernel("conv_direct_kernel")
	if err != nil {
		return err
	}
	pixels, taps := v.result[0]*v.result[1], v.window.taps
	block := min(max(pow2(pixels), 16), elements[v.c.s.chip])
	args := []any{nil, nil, nil, nil, nil, pixels, v.channels / v.groups, v.depth, v.size[0], v.size[1],
		v.result[1]}
	args = append(args, v.window.moves()...)
	args = append(args, v.channels, v.bias)
	args = append(args, numbers(slices.Concat(v.xs[:], v.ws[:], v.os[:], v.ps[:])...)...)
	args = append(args, taps[0], taps[1], block, taps[0]*taps[1] <= unrolledTaps, v.acc,
		nereid.Options{NumWarps: 4})
	p.steps = append(p.steps, step{kernel: k, args: args,
		grid:  nereid.Grid{v.images * v.channels, nereid.Cdiv(pixels, block)},
		slots: append([]slot{{0, 0}, {1, 1}, {2, v.c.n}}, v.optionSlots()...)})
	return nil
}

// unrolledTaps is up to how many elements of a window a kernel has the loads one after the other, not in a
// loop.
const unrolledTaps = 25

// The shipped configs of convolutions on GPUs: channels, pixels and depth of a tile; a convolution takes the
// first that its channels fill and whose programs are enough for the SMs. docs/OPERATORS.md has what an H200
// reaches with them.
var (
	halfConvs = []blocks{{128, 256, 64, 8, 3}, {128, 128, 64, 8, 3}, {64, 256, 64, 8, 4}, {128, 64, 64, 4, 4},
		{64, 64, 64, 4, 4}}
	generalConvs = []blocks{{64, 64, 64, 4, 4}} // it loads single elements, which more programs hide better
	singleConvs  = []blocks{{128, 128, 32, 8, 2}, {64, 64, 32, 4, 2}}
	tf32Convs    = []blocks{{64, 64, 64, 4, 4}}
)

// tile returns the config of a convolution whose sum is over so many elements at a time; list has those for
// floats of 16 bits on GPUs.
func (v *convolution) tile(list []blocks, depth int) blocks {
	switch {
	case v.c.s.chip != gpuChip:
		list = cpuBlocks
	case v.dt == nereid.Float32 && v.o.precision == "":
		list = singleConvs
	case v.dt == nereid.Float32:
		list = tf32Convs
	case v.dt == nereid.Float64:
		list = doubleBlocks
	}
	want := enough
	if v.c.s.chip != gpuChip {
		want = 4
	}
	per, t := v.channels/v.groups, list[len(list)-1]
	for _, x := range list {
		g := v.grid(x)
		if x.m <= max(pow2(per), 64) && g[0]*g[1] >= want {
			t = x
			break
		}
	}
	t.m, t.n = min(t.m, max(pow2(per), 16)), min(t.n, max(pow2(v.images*v.result[0]*v.result[1]), 16))
	t.k = min(t.k, max(pow2(depth), 16))
	return t
}
