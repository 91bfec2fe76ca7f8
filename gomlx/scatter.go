package gomlx

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// scatterAttr are the attributes of a scatter.
type scatterAttr struct {
	atomic                     string // the operation on memory
	vector                     int
	windows, inserted, targets []int
}

// atomicType returns the type in which memory is updated by several programs at once.
func atomicType(dt dtypes.DType) dtypes.DType {
	switch dt {
	case dtypes.Float16, dtypes.BFloat16:
		return dtypes.Float32
	}
	return accumulator(dt)
}

func (f *Function) scatter(op compute.OpType, operand, indices, updates compute.Value, vector int,
	windows, inserted,
	targets []int) (compute.Value, error) {
	in, err := f.values(op.String(), operand, indices, updates)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Scatter(in[0].shape, in[1].shape, in[2].shape, vector, windows, inserted,
		targets)
	if err != nil {
		return nil, err
	}
	a := scatterAttr{map[compute.OpType]string{compute.OpTypeScatterSum: "add",
		compute.OpTypeScatterMax: "max",
		compute.OpTypeScatterMin: "min"}[op], vector, slices.Clone(windows), slices.Clone(inserted),
		slices.Clone(targets)}
	dt := in[0].shape.DType
	return f.inType(atomicType(dt), dt, []int{0, 2}, in, func(in []*node) compute.Value {
		s := shape.Clone()
		s.DType = in[0].shape.DType
		return f.add(&node{op: compute.OpTypeScatterSum, shape: s, inputs: in, attr: a,
			again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
				return f.scatter(op, in[0], in[1], in[2], vector, a.windows, a.inserted, a.targets)
			})})
	})
}

// inType makes an operation with some operands converted to a type, and its result converted back.
func (f *Function) inType(to, from dtypes.DType, which []int, in []*node,
	op func(in []*node) compute.Value) (
	compute.Value, error) {
	in = slices.Clone(in)
	for _, i := range which {
		v, err := f.ConvertDType(in[i], to)
		if err != nil {
			return nil, err
		}
		in[i] = v.(*node)
	}
	return f.ConvertDType(op(in), from)
}

// ScatterSum implements compute.StandardOps.
func (f *Function) ScatterSum(operand, indices, updates compute.Value, vector int, windows, inserted,
	targets []int,
	_, _ bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterSum, operand, indices, updates, vector, windows, inserted, targets)
}

// ScatterMax implements compute.StandardOps.
func (f *Function) ScatterMax(operand, indices, updates compute.Value, vector int, windows, inserted,
	targets []int,
	_, _ bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterMax, operand, indices, updates, vector, windows, inserted, targets)
}

// ScatterMin implements compute.StandardOps.
func (f *Function) ScatterMin(operand, indices, updates compute.Value, vector int, windows, inserted,
	targets []int,
	_, _ bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterMin, operand, indices, updates, vector, windows, inserted, targets)
}

// updateText begins a kernel of node n that goes over the elements of another node. It returns where each of
// them is.
func (l *lowering) updateText(n, over *node) (*kernelText, index) {
	k := newKernelText(func(*node) bool { return true })
	k.wide = l.wide(n)
	k.line("i = tl.program_id(0)%s * C + tl.arange(0, C)", map[bool]string{true: ".to(tl.int64)"}[k.wide])
	k.line("inside = i < n")
	k.colIn = expr{"inside", false, true}
	return k, index{dims: over.shape.Dimensions, flat: expr{"i", false, true}}
}

// lowerScatter copies the operand, and updates it element by element.
func lowerScatter(l *lowering, n *node) error {
	a, out := n.attr.(scatterAttr), l.slotOf[n]
	l.copyStep(l.slotOf[n.inputs[0]], out)
	updates := n.inputs[2]
	size := updates.shape.Size()
	if size == 0 {
		return nil
	}
	k, at := l.updateText(n, updates)
	v := k.eval(updates, at)
	where, exists := k.target(n, a, k.along(at))
	mask := k.and(expr{"inside", false, true}, exists)
	k.line("tl.atomic_%s(out0 + %s, %s, mask=%s, sem=\"relaxed\")", a.atomic,
		full(k.add(where, k.mul(expr{"i", false, true}, 0)))+" + i * 0", storedText(v, n.shape.DType), mask.s)
	c := min(l.b.tileElements(), max(16, pow2(size)))
	return l.launchStep("scatter", source("scatter", k, 1, "n", "C: tl.constexpr"), k, []int{out},
		nereid.Grid{nereid.Cdiv(size, c)}, size, c)
}

// target returns the place of an update in the result, and whether there is one.
func (k *kernelText) target(n *node, a scatterAttr, axes []expr) (expr, expr) {
	dims, indices, updates := n.shape.Dimensions, n.inputs[1], n.inputs[2]
	var batch []expr
	for d, e := range axes {
		if !slices.Contains(a.windows, d) {
			batch = append(batch, e)
		}
	}
	at, window, next := make([]expr, len(dims)), slices.Repeat([]int{1}, len(dims)), 0
	for d := range at {
		at[d] = number(0)
		if !slices.Contains(a.inserted, d) {
			at[d] = axes[a.windows[next]]
			window[d] = updates.shape.Dimensions[a.windows[next]]
			next++
		}
	}
	exists := expr{}
	for i, d := range a.targets {
		where := slices.Clone(batch)
		if a.vector < indices.shape.Rank() {
			where = slices.Insert(where, a.vector, number(i))
		}
		v := k.eval(indices, index{axes: where})
		start := k.let(with(v.s+".to(tl.int64)", v.expr))
		exists = k.and(exists, k.inside(start, dims[d]-window[d]+1))
		at[d] = k.let(with(fmt.Sprintf("%s + %s", start.s, at[d].s), start, at[d]))
	}
	return k.flatten(index{dims: dims, axes: at}), exists
}

// selectAttr are the attributes of SelectAndScatter.
type selectAttr struct {
	max             bool
	window, strides []int
	before          []int
}

func (f *Function) selectAndScatter(op compute.OpType, operand, source compute.Value, window, strides []int,
	paddings [][2]int) (compute.Value, error) {
	in, err := f.values(op.String(), operand, source)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.SelectAndScatter(in[0].shape, in[1].shape, window, strides, paddings)
	if err != nil {
		return nil, err
	}
	a := selectAttr{max: op == compute.OpTypeSelectAndScatterMax, window: slices.Clone(window),
		strides: orOnes(strides, window), before: make([]int, len(window))}
	for d, p := range paddings {
		a.before[d] = p[0]
	}
	dt := in[0].shape.DType
	return f.inType(atomicType(dt), dt, []int{0, 1}, in, func(in []*node) compute.Value {
		return f.add(&node{op: compute.OpTypeSelectAndScatterMax, inputs: in, attr: a,
			shape: shapes.Make(in[0].shape.DType, shape.Dimensions...),
			again: again(func(f *Function, in []compute.Value) (compute.Value, error) {
				return f.selectAndScatter(op, in[0], in[1], window, strides, paddings)
			})})
	})
}

// SelectAndScatterMax implements compute.StandardOps.
func (f *Function) SelectAndScatterMax(operand, source compute.Value, window, strides []int,
	paddings [][2]int) (
	compute.Value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMax, operand, source, window, strides, paddings)
}

// SelectAndScatterMin implements compute.StandardOps.
func (f *Function) SelectAndScatterMin(operand, source compute.Value, window, strides []int,
	paddings [][2]int) (
	compute.Value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMin, operand, source, window, strides, paddings)
}

// lowerSelect finds the element that each window selects, and adds the window's source there.
func lowerSelect(l *lowering, n *node) error {
	a, out := n.attr.(selectAttr), l.slotOf[n]
	x, src := n.inputs[0], n.inputs[1]
	if err := l.fillSlot(out, "0"); err != nil {
		return err
	}
	size := src.shape.Size()
	if size == 0 {
		return nil
	}
	k, at := l.updateText(n, src)
	v := k.eval(src, at)
	axes := k.along(at)
	dt := computed(x.shape.DType)
	fn := "first_max"
	if !a.max {
		fn = "first_min"
	}
	k.line("best = tl.full([C], %s, %s)", extreme(dt, a.max), languageNames[dt])
	k.line("where = tl.full([C], -1, tl.int64)")
	k.block("for w in range(%d):", product(a.window))
	steps := k.split(expr{"w", false, false}, a.window)
	place, exists := make([]expr, len(axes)), expr{"inside", false, true}
	for d := range axes {
		e := k.add(k.add(k.mul(axes[d], a.strides[d]), steps[d]), number(-a.before[d]))
		e.s = full(e)
		exists = k.and(exists, k.inside(e, x.shape.Dimensions[d]))
		place[d] = e
	}
	flat := k.flatten(index{dims: x.shape.Dimensions, axes: place})
	k.line("here = tl.load(x%d + %s + i * 0, mask=%s, other=0)", 1, full(flat), exists.s)
	k.line("better = %s & ((where < 0) | %s)", exists.s, map[string]string{
		"first_max": "(here > best) | ((here != here) & (best == best))",
		"first_min": "(here < best) | ((here != here) & (best == best))"}[fn])
	k.line("best = tl.where(better, here, best)")
	k.line("where = tl.where(better, (%s).to(tl.int64), where)", full(flat))
	k.end()
	k.leaf(x)
	k.line("tl.atomic_add(out0 + where, %s, mask=inside & (where >= 0), sem=\"relaxed\")", storedText(v,
		n.shape.DType))
	if len(k.leaves) != 2 || k.leaves[1] != x {
		return errors.New("the operands are not in order")
	}
	c := min(l.b.tileElements(), max(16, pow2(size)))
	return l.launchStep("select", source("select", k, 1, "n", "C: tl.constexpr"), k, []int{out},
		nereid.Grid{nereid.Cdiv(size, c)}, size, c)
}
