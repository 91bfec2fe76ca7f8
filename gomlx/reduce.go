package gomlx

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// reduction is how elements are combined: the function of kernels/functions.py for floats and for
// others, and the value that combines with any other to that other.
type reduction struct {
	name, float, other string
	identity           func(dt dtypes.DType) string
	index              bool // the result is the place of the element
}

func always(s string) func(dtypes.DType) string { return func(dtypes.DType) string { return s } }
func lowest(dt dtypes.DType) string             { return extreme(dt, true) }
func highest(dt dtypes.DType) string            { return extreme(dt, false) }

// ones returns the number whose bits are all set.
func ones(dt dtypes.DType) string {
	if isSigned(dt) {
		return "-1"
	}
	return highest(dt)
}

var (
	sumReduction  = &reduction{"sum", "add", "add", always("0"), false}
	prodReduction = &reduction{"product", "mul", "mul", always("1"), false}
	maxReduction  = &reduction{"max", "maximum", "max_of", lowest, false}
	minReduction  = &reduction{"min", "minimum", "min_of", highest, false}
	andReduction  = &reduction{"and", "", "and_of", ones, false}
	orReduction   = &reduction{"or", "", "or_of", always("0"), false}
	xorReduction  = &reduction{"xor", "", "xor_of", always("0"), false}
	argMax        = &reduction{"argmax", "first_max", "first_max", lowest, true}
	argMin        = &reduction{"argmin", "first_min", "first_min", highest, true}
)

var windowReductions = map[compute.ReduceOpType]*reduction{compute.ReduceOpSum: sumReduction,
	compute.ReduceOpProduct: prodReduction, compute.ReduceOpMax: maxReduction,
	compute.ReduceOpMin: minReduction}

// reduceAttr are the attributes of a reduction.
type reduceAttr struct {
	how  *reduction
	axes []int
}

func (a reduceAttr) String() string { return fmt.Sprint(a.how.name, a.axes) }

func (f *Function) reduce(how *reduction, x compute.Value, axes []int) (compute.Value, error) {
	in, err := f.values("Reduce", x)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		for d := range in[0].shape.Rank() {
			axes = append(axes, d)
		}
	}
	axes = slices.Clone(axes)
	shape, err := shapeinference.Reduce(in[0].shape, axes)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return in[0], nil
	}
	slices.Sort(axes)
	return f.add(&node{op: opReduce, shape: shape, inputs: in, attr: reduceAttr{how, axes},
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.reduce(how, in[0], axes)
		})}), nil
}

// ArgMinMax implements compute.StandardOps.
func (f *Function) ArgMinMax(x compute.Value, axis int, dt dtypes.DType, isMin bool) (compute.Value,
	error) {
	in, err := f.values("ArgMinMax", x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.ArgMinMax(in[0].shape, axis, dt)
	if err != nil {
		return nil, err
	}
	how := argMax
	if isMin {
		how = argMin
	}
	if axis < 0 {
		axis += in[0].shape.Rank()
	}
	return f.add(&node{op: opReduce, shape: shape, inputs: in, attr: reduceAttr{how, []int{axis}},
		again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
			return f.ArgMinMax(in[0], axis, dt, isMin)
		})}), nil
}

// ReduceSum and the others implement compute.StandardOps.

func (f *Function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(sumReduction, x, axes)
}
func (f *Function) ReduceProduct(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(prodReduction, x, axes)
}
func (f *Function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(maxReduction, x, axes)
}
func (f *Function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(minReduction, x, axes)
}
func (f *Function) ReduceBitwiseAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(andReduction, x, axes)
}
func (f *Function) ReduceBitwiseOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(orReduction, x, axes)
}
func (f *Function) ReduceBitwiseXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(xorReduction, x, axes)
}
func (f *Function) ReduceLogicalAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(andReduction, x, axes)
}
func (f *Function) ReduceLogicalOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(orReduction, x, axes)
}
func (f *Function) ReduceLogicalXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(xorReduction, x, axes)
}

// identity returns the neutral value of a reduction as a constant.
func (f *Function) identity(how *reduction, dt dtypes.DType) (compute.Value, error) {
	switch {
	case how == sumReduction:
		return f.scalar(dt, 0), nil
	case how == prodReduction:
		return f.scalar(dt, 1), nil
	case isFloat(dt) && how == maxReduction:
		return f.scalar(dt, math.Inf(-1)), nil
	case isFloat(dt):
		return f.scalar(dt, math.Inf(1)), nil
	}
	v := dt.LowestValue()
	if how == minReduction {
		v = dt.HighestValue()
	}
	return f.Constant(sliceOf(v))
}

// ReduceWindow implements compute.StandardOps.
func (f *Function) ReduceWindow(x compute.Value, kind compute.ReduceOpType, window, strides, inputDilations,
	dilations []int, paddings [][2]int) (compute.Value, error) {
	in, err := f.values("ReduceWindow", x)
	if err != nil {
		return nil, err
	}
	how := windowReductions[kind]
	if how == nil {
		return nil, errors.Errorf("ReduceWindow: a reduction %s", kind)
	}
	shape, err := shapeinference.ReduceWindow(in[0].shape, window, strides, inputDilations, dilations,
		paddings)
	if err != nil {
		return nil, err
	}
	redo := again(func(f *Function, in []compute.Value) (compute.Value, error) {
		return f.ReduceWindow(in[0], kind, window, strides, inputDilations, dilations, paddings)
	})
	if anyDynamic(in) {
		return f.add(&node{op: compute.OpTypeReduceWindow, shape: shape, inputs: in, again: redo}), nil
	}
	rank := in[0].shape.Rank()
	a := patchesAttr{rank: rank, strides: orOnes(strides, window), dilations: orOnes(dilations, nil, rank),
		inputDilations: orOnes(inputDilations, nil, rank), before: make([]int, rank)}
	for d, p := range paddings {
		a.before[d] = p[0]
	}
	fill, err := f.identity(how, in[0].shape.DType)
	if err != nil {
		return nil, err
	}
	dims := append(slices.Clone(shape.Dimensions), window...)
	p := f.add(&node{op: opPatches, shape: shapes.Make(shape.DType, dims...), inputs: []*node{in[0],
		fill.(*node)},
		attr: a})
	axes := make([]int, rank)
	for d := range axes {
		axes[d] = rank + d
	}
	return f.reduce(how, p, axes)
}

// orOnes returns a list, or another one in its place, or ones.
func orOnes(list, other []int, n ...int) []int {
	switch {
	case len(list) > 0:
		return slices.Clone(list)
	case len(other) > 0:
		return slices.Clone(other)
	}
	return slices.Repeat([]int{1}, n[0])
}

func anyDynamic(list []*node) bool {
	return slices.ContainsFunc(list, func(n *node) bool { return n.shape.IsDynamic() })
}

// accumulator returns the type in which values of a type are combined.
func accumulator(dt dtypes.DType) dtypes.DType {
	switch dt {
	case dtypes.Bool, dtypes.Int8, dtypes.Int16:
		return dtypes.Int32
	case dtypes.Uint8, dtypes.Uint16:
		return dtypes.Uint32
	}
	return dt
}

// reduceTile is how a reduction is divided.
type reduceTile struct {
	rows, cols int
	r, c       int
	parts      int // programs for a row
}

func (l *lowering) reduceTile(n *node) reduceTile {
	a, dims := n.attr.(reduceAttr), n.inputs[0].shape.Dimensions
	t := reduceTile{cols: 1, parts: 1}
	for _, d := range a.axes {
		t.cols *= dims[d]
	}
	t.rows = n.shape.Size()
	total := l.b.tileElements()
	if slices.Contains(a.axes, len(dims)-1) {
		t.c = min(pow2(t.cols), total)
		t.r = max(1, min(pow2(t.rows), total/t.c))
	} else {
		t.r = min(pow2(t.rows), 64)
		t.c = min(pow2(t.cols), 32)
	}
	if total := pow2(t.rows) * pow2(t.cols); !l.b.gpu && total <= smallDot { // one program
		t.r, t.c = pow2(t.rows), pow2(t.cols)
	}
	programs, enough := nereid.Cdiv(t.rows, t.r), 4
	if l.b.gpu {
		enough = 128
	}
	if programs < enough && t.cols >= 8*t.c && !a.how.index {
		t.parts = min(nereid.Cdiv(t.cols, 4*t.c), nereid.Cdiv(enough, programs)*2)
	}
	return t
}

// lowerReduce makes the kernel of a reduction, and of all that it computes on the way.
func lowerReduce(l *lowering, n *node) error {
	in, a := n.inputs[0], n.attr.(reduceAttr)
	if l.inMemory[in] {
		if _, ok := l.slotOf[in]; !ok {
			return errors.Errorf("%s is not in memory", opName(in))
		}
	}
	t := l.reduceTile(n)
	if t.cols == 0 {
		return l.fillStep(n, a.how.identity(accumulator(computed(n.shape.DType))))
	}
	out := l.slotOf[n]
	if t.parts == 1 {
		return l.reduceStep(n, t, out, n.shape.DType)
	}
	acc := accumulator(computed(in.shape.DType))
	part := shapes.Make(acc, t.parts, t.rows)
	slot := l.newSlot(tempBlock, part)
	if err := l.reduceStep(n, t, slot, acc); err != nil {
		return err
	}
	// the parts are reduced like a tensor of them
	sum := &node{fn: n.fn, id: len(n.fn.nodes) + len(l.slotOf), op: compute.OpTypeParameter, shape: part}
	l.inMemory[sum], l.slotOf[sum] = true, slot
	last := &node{fn: n.fn, id: sum.id + 1, op: opReduce, shape: shapes.Make(n.shape.DType, t.rows),
		inputs: []*node{sum},
		attr:   reduceAttr{a.how, []int{0}}}
	u := reduceTile{rows: t.rows, cols: t.parts, r: min(pow2(t.rows), 64), c: pow2(t.parts), parts: 1}
	return l.reduceStep(last, u, out, n.shape.DType)
}

// reduceStep adds the launch that reduces a node's operand to a slot.
func (l *lowering) reduceStep(n *node, t reduceTile, out int, dt dtypes.DType) error {
	a, in := n.attr.(reduceAttr), n.inputs[0]
	k := newKernelText(l.reads(n))
	k.wide = l.wide(n)
	k.tile(t.rows, t.cols, "")
	fn := a.how.other
	acc := accumulator(computed(in.shape.DType))
	if isFloat(acc) && a.how.float != "" {
		fn = a.how.float
	}
	id := fmt.Sprintf("tl.full([], %s, %s)", a.how.identity(acc), languageNames[acc])
	body := func() {
		v := k.converted(k.eval(in, reduceIndex(k, in.shape.Dimensions, a.axes, t)), acc)
		k.line("part = tl.where(row_in & col_in, %s, %s)", v.s, id)
	}
	if t.c >= t.cols && t.parts == 1 {
		k.columns(t.cols, "")
		body()
		k.line("acc = part")
		if a.how.index {
			k.line("at = tl.broadcast_to(col, [R, C])")
		}
	} else {
		k.line("acc = tl.full([R, C], %s, %s)", a.how.identity(acc), languageNames[acc])
		if a.how.index {
			k.line("at = tl.full([R, C], 0, tl.int32)")
		}
		if t.parts > 1 {
			span := nereid.Cdiv(nereid.Cdiv(t.cols, t.parts), t.c) * t.c
			k.line("first = tl.program_id(1) * %d", span)
			k.block("for start in range(first, tl.minimum(first + %d, %d), C):", span, t.cols)
		} else {
			k.block("for start in range(0, %d, C):", t.cols)
		}
		k.columns(t.cols, "start + ")
		body()
		if a.how.index {
			k.line("acc, at = functions.%s(acc, at, part, col)", fn)
		} else {
			k.line("acc = functions.%s(acc, part)", fn)
		}
		k.end()
	}
	where := "row"
	if t.parts > 1 {
		where = fmt.Sprintf("tl.program_id(1) * %d + row", t.rows)
	}
	result := value{expr{"total", true, false}, acc}
	if a.how.index {
		k.line("total = tl.reduce((acc, at), 1, functions.%s, keep_dims=True)[1]", fn)
		result.dt = dtypes.Int32
	} else {
		k.line("total = tl.reduce(acc, 1, functions.%s, keep_dims=True)", fn)
	}
	k.line("tl.store(out0 + %s, %s, mask=row_in)", where, storedText(result, dt))
	name := "reduce_" + a.how.name
	return l.launchStep(name, source(name, k, 1, "R: tl.constexpr", "C: tl.constexpr"), k, []int{out},
		nereid.Grid{nereid.Cdiv(t.rows, t.r), t.parts}, t.r, t.c)
}

// reduceIndex returns the index of a reduction's operand in a tile: rows are the axes that stay, columns
// those that are reduced.
func reduceIndex(k *kernelText, dims, axes []int, t reduceTile) index {
	row, col := expr{"row", true, false}, expr{"col", false, true}
	var kept, gone []int
	for d := range dims {
		if slices.Contains(axes, d) {
			gone = append(gone, d)
		} else {
			kept = append(kept, d)
		}
	}
	ix := index{dims: dims, lazy: func() []expr {
		list := make([]expr, len(dims))
		for i, e := range k.split(row, pick(dims, kept)) {
			list[kept[i]] = e
		}
		for i, e := range k.split(col, pick(dims, gone)) {
			list[gone[i]] = e
		}
		return list
	}}
	switch {
	case len(kept) == 0:
		ix.flat = k.add(k.mul(row, t.cols), col)
	case kept[len(kept)-1] < gone[0]:
		ix.flat = k.add(k.mul(row, t.cols), col)
	case gone[len(gone)-1] < kept[0]:
		ix.flat = k.add(k.mul(col, t.rows), row)
	default:
		at := number(0)
		strides := contiguous(dims)
		for d, e := range ix.lazy() {
			at = k.add(at, k.mul(e, strides[d]))
		}
		ix.flat = at
	}
	return ix
}

func pick(list, at []int) []int {
	out := make([]int, len(at))
	for i, d := range at {
		out[i] = list[d]
	}
	return out
}

// fillStep fills a node's slot with a number.
func (l *lowering) fillStep(n *node, text string) error {
	return l.fillSlot(l.slotOf[n], text)
}

func (l *lowering) fillSlot(s int, text string) error {
	size := product(l.slots[s].dims)
	c := min(l.b.tileElements(), max(16, pow2(size)))
	lines := []string{"    i = tl.program_id(0).to(tl.int64) * C + tl.arange(0, C)",
		fmt.Sprintf("    tl.store(out0 + i, tl.full([C], %s, out0.dtype.element_ty), mask=i < n)", text)}
	return l.launchOn("fill", sourceOf("fill", []string{"out0", "n", "C: tl.constexpr"}, lines), []int{s},
		nereid.Grid{nereid.Cdiv(size, c)}, size, c)
}
