package gomlx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// kernelText writes a kernel that computes nodes of a graph from others, which lie in memory.
type kernelText struct {
	*text
	inMemory func(*node) bool
	leaves   []*node        // what is loaded, in the order of the parameters
	shared   map[*node]bool // leaves that are read elsewhere than where results are written
	home     string         // the flat index of results
	memo     []map[string]value
	rowIn    expr // the mask of rows that exist, "" if all do
	colIn    expr
	wide     bool // indices need 64 bits
	nodes    int
}

func newKernelText(inMemory func(*node) bool) *kernelText {
	return &kernelText{text: newText(), inMemory: inMemory, shared: map[*node]bool{},
		memo: []map[string]value{{}}}
}

// block begins an indented block, whose values end with it.
func (k *kernelText) block(format string, list ...any) {
	k.open(format, list...)
	k.memo = append(k.memo, map[string]value{})
}

func (k *kernelText) end() {
	k.close()
	k.memo = k.memo[:len(k.memo)-1]
}

// leaf returns the parameter of a node in memory.
func (k *kernelText) leaf(n *node) string {
	i := slices.Index(k.leaves, n)
	if i < 0 {
		i = len(k.leaves)
		k.leaves = append(k.leaves, n)
	}
	return fmt.Sprintf("x%d", i)
}

// eval returns the element of a node at an index.
func (k *kernelText) eval(n *node, ix index) value {
	ix.dims = n.shape.Dimensions
	key := fmt.Sprintf("%d|%s", n.id, ix.key())
	for _, m := range k.memo {
		if v, ok := m[key]; ok {
			return v
		}
	}
	var v value
	switch {
	case n.op == compute.OpTypeConstant && n.shape.Size() == 1:
		v = constantValue(n)
	case k.inMemory(n):
		v = k.load(n, ix)
	default:
		k.nodes++
		v = k.compute(n, ix)
	}
	v.expr = k.let(v.expr)
	k.memo[len(k.memo)-1][key] = v
	return v
}

// constantValue returns a constant of one element.
func constantValue(n *node) value {
	var bits uint64
	for i, b := range n.data {
		bits |= uint64(b) << (8 * i)
	}
	dt := n.shape.DType
	c := computed(dt)
	if dt.Bits() < 8 {
		bits &= 1<<dt.Bits() - 1
		if isSigned(dt) && bits>>(dt.Bits()-1) == 1 {
			bits |= ^uint64(0) << dt.Bits()
		}
		return value{expr{s: fmt.Sprintf("tl.full([], %d, %s)", int64(bits), languageNames[c])}, c}
	}
	var lit string
	switch {
	case isFloat(dt):
		lit = floatText(stored[dt].Decode(bits))
	case isSigned(dt):
		shift := 64 - dt.Bits()
		lit = strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	default:
		lit = strconv.FormatUint(bits, 10)
	}
	return value{expr{s: fmt.Sprintf("tl.full([], %s, %s)", lit, languageNames[c])}, c}
}

// load returns an element of a node in memory.
func (k *kernelText) load(n *node, ix index) value {
	dt := n.shape.DType
	at := k.flatten(ix)
	name := k.leaf(n)
	if at.s != k.home {
		k.shared[n] = true
	}
	per := 1
	if dt.Bits() < 8 {
		per = 8 / dt.Bits()
	}
	where := k.div(at, per)
	address := with(name, where)
	if where.s != "0" {
		address.s = name + " + " + where.s
	}
	s := "tl.load(" + k.masked(address, ix.mask) + ")"
	v := with(s, where, ix.mask)
	if ix.mask.s == "" {
		v = with(s, where)
	}
	c := computed(dt)
	switch {
	case per > 1:
		byteAt := k.let(v)
		shift := k.mul(k.mod(at, per), dt.Bits())
		bits := with(fmt.Sprintf("((%s >> (%s).to(tl.uint8)) & %d)", byteAt.s, full(shift), 1<<dt.Bits()-1),
			byteAt, shift)
		if isSigned(dt) {
			half := 1 << (dt.Bits() - 1)
			bits.s = fmt.Sprintf("((%s ^ %d).to(tl.int8) - %d)", bits.s, half, half)
		}
		v = with(bits.s+".to("+languageNames[c]+")", bits)
	case c != dt:
		v.s += ".to(" + languageNames[c] + ")"
	}
	return value{v, c}
}

// full returns the text of an index as a value, also if it is a number.
func full(e expr) string {
	if _, ok := e.constant(); ok {
		return "tl.full([], " + e.s + ", tl.int32)"
	}
	return e.s
}

// masked returns an address with the mask that it needs: of rows and columns along which it differs, and
// that of its index.
func (k *kernelText) masked(at, mask expr) string {
	m := mask
	if at.row || mask.row {
		m = k.and(m, k.rowIn)
	}
	if at.col || mask.col {
		m = k.and(m, k.colIn)
	}
	if m.s == "" {
		return at.s
	}
	if m.row && !at.row {
		at.s += " + row * 0"
	}
	if m.col && !at.col {
		at.s += " + col * 0"
	}
	return at.s + ", mask=" + m.s + ", other=0"
}

// operand returns an operand of an elementwise operation, which is broadcast to the result.
func (k *kernelText) operand(in, out *node, ix index) value {
	dims := in.shape.Dimensions
	if slices.Equal(dims, out.shape.Dimensions) {
		return k.eval(in, ix)
	}
	at := index{dims: dims, axes: make([]expr, len(dims)), mask: ix.mask}
	if in.shape.Size() == 1 {
		for d := range dims {
			at.axes[d] = number(0)
		}
		return k.eval(in, at)
	}
	for d, a := range k.along(ix) {
		at.axes[d] = a
		if dims[d] == 1 {
			at.axes[d] = number(0)
		}
	}
	return k.eval(in, at)
}

// compute returns the element of a node that is not in memory.
func (k *kernelText) compute(n *node, ix index) value {
	if x, ok := k.moved(n, ix); ok {
		return x
	}
	args := make([]value, len(n.inputs))
	for i, in := range n.inputs {
		args[i] = k.operand(in, n, ix)
	}
	return k.apply(n, args)
}

// moved returns the element of an operation that only says where it comes from.
func (k *kernelText) moved(n *node, ix index) (value, bool) {
	switch n.op {
	case compute.OpTypeReshape, compute.OpTypeIdentity:
		return k.eval(n.inputs[0], index{flat: k.flatten(ix), mask: ix.mask}), true
	case compute.OpTypeBroadcastInDim:
		return k.broadcast(n, ix), true
	case compute.OpTypeTranspose:
		order, axes := n.attr.([]int), k.along(ix)
		at := make([]expr, len(order))
		for i, d := range order {
			at[d] = axes[i]
		}
		return k.eval(n.inputs[0], index{axes: at, mask: ix.mask}), true
	case compute.OpTypeIota:
		e := k.along(ix)[n.attr.(int)]
		return k.converted(value{expr{full(e), e.row, e.col}, dtypes.Int32}, n.shape.DType), true
	case compute.OpTypeSlice:
		a, axes := n.attr.(sliceAttr), k.along(ix)
		at := make([]expr, len(axes))
		for d := range axes {
			at[d] = k.add(k.mul(axes[d], a.strides[d]), number(a.starts[d]))
		}
		return k.eval(n.inputs[0], index{axes: at, mask: ix.mask}), true
	case compute.OpTypeReverse:
		at := slices.Clone(k.along(ix))
		for _, d := range n.attr.([]int) {
			at[d] = k.let(with(fmt.Sprintf("%d - %s", n.shape.Dimensions[d]-1, at[d].s), at[d]))
			if x, ok := k.along(ix)[d].constant(); ok {
				at[d] = number(n.shape.Dimensions[d] - 1 - x)
			}
		}
		return k.eval(n.inputs[0], index{axes: at, mask: ix.mask}), true
	case compute.OpTypePad:
		return k.pad(n, ix), true
	case opPatches:
		return k.patches(n, ix), true
	case compute.OpTypeConcatenate:
		return k.concatenate(n, ix), true
	case compute.OpTypeGather:
		return k.gather(n, ix), true
	case compute.OpTypeDynamicSlice:
		at := slices.Clone(k.along(ix))
		for d := range at {
			at[d] = k.add(at[d], k.start(n.inputs[1+d],
				n.inputs[0].shape.Dimensions[d]-n.shape.Dimensions[d]))
		}
		return k.eval(n.inputs[0], index{axes: at, mask: ix.mask}), true
	case compute.OpTypeDynamicUpdateSlice:
		return k.update(n, ix), true
	}
	return value{}, false
}

func (k *kernelText) broadcast(n *node, ix index) value {
	in := n.inputs[0]
	dims := in.shape.Dimensions
	at := index{axes: make([]expr, len(dims)), mask: ix.mask}
	if in.shape.Size() == 1 {
		for i := range dims {
			at.axes[i] = number(0)
		}
		return k.eval(in, at)
	}
	if in.shape.Size() == n.shape.Size() { // the same elements in the same order
		return k.eval(in, index{flat: k.flatten(ix), mask: ix.mask})
	}
	axes := k.along(ix)
	for i, d := range n.attr.([]int) {
		at.axes[i] = axes[d]
		if dims[i] == 1 {
			at.axes[i] = number(0)
		}
	}
	return k.eval(in, at)
}

// start returns a start index of a slice, so that the slice is inside.
func (k *kernelText) start(n *node, most int) expr {
	if most == 0 {
		return number(0)
	}
	v := k.eval(n, index{axes: []expr{}})
	return k.let(with(fmt.Sprintf("tl.minimum(tl.maximum(%s.to(tl.int64), 0), %d).to(%s)", v.s, most,
		k.indexType()), v.expr))
}

func (k *kernelText) indexType() string {
	if k.wide {
		return "tl.int64"
	}
	return "tl.int32"
}

// inside returns whether an index lies in [0, n).
func (k *kernelText) inside(e expr, n int) expr {
	return k.let(with(fmt.Sprintf("(%s >= 0) & (%s < %d)", e.s, e.s, n), e))
}

func (k *kernelText) pad(n *node, ix index) value {
	in, fill := n.inputs[0], k.eval(n.inputs[1], index{axes: []expr{}})
	if in.shape.Size() == 0 {
		return fill
	}
	at, exists := slices.Clone(k.along(ix)), expr{}
	for d, p := range n.attr.([]compute.PadAxis) {
		size := in.shape.Dimensions[d]
		if p == (compute.PadAxis{}) {
			continue
		}
		e := k.add(at[d], number(-p.Start))
		if p.Interior > 0 {
			step := p.Interior + 1
			exists = k.and(exists, k.let(with(fmt.Sprintf("%s %% %d == 0", full(e), step), e)))
			exists = k.and(exists, k.inside(expr{full(e), e.row, e.col}, size*step))
			e = k.div(e, step)
		} else {
			exists = k.and(exists, k.inside(expr{full(e), e.row, e.col}, size))
		}
		at[d] = e
	}
	x := k.eval(in, index{axes: at, mask: k.and(ix.mask, exists)})
	if exists.s == "" {
		return x
	}
	return value{with(fmt.Sprintf("tl.where(%s, %s, %s)", exists.s, x.s, fill.s), exists, x.expr,
		fill.expr), x.dt}
}

// patchesAttr says how windows lie on the last axes of a tensor: rank of them, one window for each
// element of the result. The shape of a patches node is that of the other axes, of the windows, and of
// one window.
type patchesAttr struct {
	rank                               int
	strides, dilations, inputDilations []int
	before                             []int // padding
}

func (k *kernelText) patches(n *node, ix index) value {
	a, in, fill := n.attr.(patchesAttr), n.inputs[0], k.eval(n.inputs[1], index{axes: []expr{}})
	axes := k.along(ix)
	others := len(axes) - 2*a.rank
	at, exists := slices.Clone(axes[:others]), expr{}
	for d := range a.rank {
		size := in.shape.Dimensions[others+d]
		e := k.add(k.mul(axes[others+d], a.strides[d]), k.mul(axes[others+a.rank+d], a.dilations[d]))
		e = k.add(e, number(-a.before[d]))
		e.s = full(e)
		places, window := n.shape.Dimensions[others+d], n.shape.Dimensions[others+a.rank+d]
		reach := (places-1)*a.strides[d] + (window-1)*a.dilations[d] - a.before[d]
		if step := a.inputDilations[d]; step > 1 {
			exists = k.and(exists, k.let(with(fmt.Sprintf("%s %% %d == 0", e.s, step), e)))
			exists = k.and(exists, k.inside(e, size*step))
			e = k.div(e, step)
		} else if a.before[d] > 0 || reach >= size {
			exists = k.and(exists, k.inside(e, size))
		}
		at = append(at, e)
	}
	x := k.eval(in, index{axes: at, mask: k.and(ix.mask, exists)})
	if exists.s == "" {
		return x
	}
	return value{with(fmt.Sprintf("tl.where(%s, %s, %s)", exists.s, x.s, fill.s), exists, x.expr,
		fill.expr), x.dt}
}

func (k *kernelText) concatenate(n *node, ix index) value {
	axis, axes, begin := n.attr.(int), k.along(ix), 0
	var all value
	for _, in := range n.inputs {
		size := in.shape.Dimensions[axis]
		if size == 0 {
			continue
		}
		at := slices.Clone(axes)
		at[axis] = k.add(axes[axis], number(-begin))
		e := expr{full(axes[axis]), axes[axis].row, axes[axis].col}
		here := k.let(with(fmt.Sprintf("(%s >= %d) & (%s < %d)", e.s, begin, e.s, begin+size), e))
		x := k.eval(in, index{axes: at, mask: k.and(ix.mask, here)})
		if all.s == "" {
			all = x
		} else {
			all = value{k.let(with(fmt.Sprintf("tl.where(%s, %s, %s)", here.s, x.s, all.s), here, x.expr,
				all.expr)), x.dt}
		}
		begin += size
	}
	return all
}

func (k *kernelText) gather(n *node, ix index) value {
	a, in, indices := n.attr.(gatherAttr), n.inputs[0], n.inputs[1]
	axes := k.along(ix)
	var batch []expr
	for d, e := range axes {
		if !slices.Contains(a.offsets, d) {
			batch = append(batch, e)
		}
	}
	at, next := make([]expr, in.shape.Rank()), 0
	for d := range at {
		at[d] = number(0)
		if !slices.Contains(a.collapsed, d) {
			at[d] = axes[a.offsets[next]]
			next++
		}
	}
	for i, d := range a.from {
		where := slices.Clone(batch)
		if a.vector < indices.shape.Rank() {
			where = slices.Insert(where, a.vector, number(i))
		}
		v := k.eval(indices, index{axes: where, mask: ix.mask})
		at[d] = k.add(at[d], k.clamped(v, in.shape.Dimensions[d]-a.sizes[d]))
	}
	return k.eval(in, index{axes: at, mask: ix.mask})
}

// clamped returns an index of a tensor of indices, at least 0 and at most most.
func (k *kernelText) clamped(v value, most int) expr {
	if most <= 0 {
		return number(0)
	}
	low := v.s
	if v.dt == dtypes.Uint64 { // larger ones are past the end as well
		low = fmt.Sprintf("tl.minimum(%s, %d)", v.s, most)
	}
	return k.let(with(fmt.Sprintf("tl.minimum(tl.maximum(%s.to(tl.int64), 0), %d).to(%s)", low, most,
		k.indexType()), v.expr))
}

func (k *kernelText) update(n *node, ix index) value {
	in, part := n.inputs[0], n.inputs[1]
	old := k.eval(in, ix)
	if part.shape.Size() == 0 {
		return old
	}
	at, here := slices.Clone(k.along(ix)), expr{}
	for d := range at {
		size := part.shape.Dimensions[d]
		begin := k.start(n.inputs[2+d], n.shape.Dimensions[d]-size)
		if begin.s != "0" {
			at[d] = k.let(with(fmt.Sprintf("%s - %s", at[d].s, begin.s), at[d], begin))
		}
		if size != n.shape.Dimensions[d] {
			here = k.and(here, k.inside(expr{full(at[d]), at[d].row, at[d].col}, size))
		}
	}
	x := k.eval(part, index{axes: at, mask: k.and(ix.mask, here)})
	if here.s == "" {
		return x
	}
	return value{with(fmt.Sprintf("tl.where(%s, %s, %s)", here.s, x.s, old.s), here, x.expr, old.expr), x.dt}
}

// floatText returns a float as Python writes it.
func floatText(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	switch {
	case v != v:
		return `float("nan")`
	case text == "+Inf":
		return `float("inf")`
	case text == "-Inf":
		return `float("-inf")`
	case !strings.ContainsAny(text, ".e"):
		text += ".0"
	}
	return text
}
