package interp

import (
	"github.com/nereid-lang/nereid/internal/dialect/amdg"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// renames are the operations that may only give a register another type, and when they do: uni says that all
// elements of the operand are equal.
var renames = map[*ir.OpDef]func(op *ir.Op, from, to layout, uni bool) bool{
	tt.Splat:               func(_ *ir.Op, from, to layout, _ bool) bool { return from.kind != kObj },
	tt.Unsplat:             sameRow,
	tt.ExpandDims:          sameRow,
	tt.Reshape:             sameRow,
	ttg.ConvertLayout:      sameRow,
	amdg.InThreadTranspose: sameRow,
	tt.Broadcast:           func(_ *ir.Op, from, to layout, uni bool) bool { return uni || from.n == to.n },
	tt.Trans:               func(op *ir.Op, from, to layout, uni bool) bool { return uni || isIdentity(op) },
	tt.IntToPtr:            sameKind,
	tt.PtrToInt:            sameKind,
	tt.Bitcast:             sameKind,
	arith.Bitcast:          sameKind,
	arith.IndexCast:        sameKind,
	arith.IndexCastUI:      sameKind,
	ir.UnrealizedCast: func(op *ir.Op, from, to layout, uni bool) bool {
		return op.NumOperands() == 1 && op.NumResults() == 1 && sameKind(op, from, to, uni)
	},
}

func sameRow(_ *ir.Op, from, to layout, uni bool) bool { return from.n == to.n }

// sameKind reports whether the elements are held alike. (A float and an integer of one width are not one
// kind.)
func sameKind(_ *ir.Op, from, to layout, _ bool) bool {
	return from.n == to.n && from.kind == to.kind && from.fmt == to.fmt && from.kind != kObj
}

func isIdentity(op *ir.Op) bool {
	order, ok := op.Attr("order").(*ir.DenseArrayAttr)
	if !ok {
		return false
	}
	for i, d := range order.Values {
		if int64(i) != d {
			return false
		}
	}
	return true
}

// constants are the operations whose value is put in place when a frame is made.
var constants = map[*ir.OpDef]func(f *frame, v value, op *ir.Op){
	arith.Constant: initConstant,
	tt.MakeRange:   initRange,
	ub.Poison:      func(*frame, value, *ir.Op) {}, // frames begin zeroed
}

func initRange(f *frame, v value, op *ir.Op) {
	start := op.IntOr("start", 0)
	for i := range v.n {
		f.setInt(v, i, uint64(start+int64(i)))
	}
}

func initConstant(f *frame, v value, op *ir.Op) {
	switch a := op.Attr("value").(type) {
	case *ir.IntegerAttr:
		f.setInt(v, 0, uint64(a.Value))
	case *ir.FloatAttr:
		f.setFloat(v, 0, a.Bits)
	case *ir.DenseAttr:
		for i := range v.regLen() {
			if v.kind.isFloat() {
				f.setFloat(v, i, a.Bits(i))
			} else {
				f.setInt(v, i, a.Bits(i))
			}
		}
	}
}

// setInt sets an element by the low bits of x.
func (f *frame) setInt(v value, i int, x uint64) {
	switch v.kind {
	case kI1:
		row[uint8](f, v.reg)[i] = uint8(x & 1)
	case kI8:
		row[uint8](f, v.reg)[i] = uint8(x)
	case kI16:
		row[uint16](f, v.reg)[i] = uint16(x)
	case kI32:
		row[uint32](f, v.reg)[i] = uint32(x)
	case kI64:
		row[uint64](f, v.reg)[i] = x
	}
}

// setFloat sets an element by its bits in its own format.
func (f *frame) setFloat(v value, i int, bits uint64) {
	switch {
	case v.kind == kF64:
		row[uint64](f, v.reg)[i] = bits
	case v.small():
		row[float32](f, v.reg)[i] = smallFor(v.fmt).decode(uint32(bits))
	default:
		row[uint32](f, v.reg)[i] = uint32(bits)
	}
}

// hoistables are operations, beside the elementwise ones, that may run once for all programs.
var hoistables = map[*ir.OpDef]bool{tt.Broadcast: true, tt.Trans: true, tt.Join: true,
	tt.GetNumPrograms: true}

// bySize picks the instance of a generic step for elements of a size.
func bySize(k kind, s1, s2, s4, s8 step) step {
	switch k.bytes() {
	case 1:
		return s1
	case 2:
		return s2
	case 4:
		return s4
	}
	return s8
}

// strided is a walk through a row in the order of another: the sizes of the result's dimensions, and how far
// apart their elements are in the source.
type strided struct{ dims, steps []int }

// newStrided drops dimensions of one and joins dimensions that follow each other in the source.
func newStrided(dims, steps []int) strided {
	var s strided
	for i, n := range dims {
		if n == 1 {
			continue
		}
		if k := len(s.dims) - 1; k >= 0 && s.steps[k] == steps[i]*n {
			s.dims[k] *= n
			s.steps[k] = steps[i]
			continue
		}
		s.dims, s.steps = append(s.dims, n), append(s.steps, steps[i])
	}
	if len(s.dims) == 0 {
		s.dims, s.steps = []int{1}, []int{1}
	}
	return s
}

func copyStrided[T any](d, src []T, s strided) {
	last := len(s.dims) - 1
	n, step := s.dims[last], s.steps[last]
	index := make([]int, last)
	from := 0
	for ; len(d) > 0; d = d[n:] {
		switch step {
		case 0:
			fill(d[:n], src[from])
		case 1:
			copy(d[:n], src[from:])
		default:
			for i, j := 0, from; i < n; i, j = i+1, j+step {
				d[i] = src[j]
			}
		}
		for k := last - 1; k >= 0; k-- {
			from += s.steps[k]
			if index[k]++; index[k] < s.dims[k] {
				break
			}
			from -= s.dims[k] * s.steps[k]
			index[k] = 0
		}
	}
}

func stridedStep(d, a value, s strided) step {
	return bySize(d.kind, stridedOf[uint8](d.reg, a.reg, s), stridedOf[uint16](d.reg, a.reg, s),
		stridedOf[uint32](d.reg, a.reg, s), stridedOf[uint64](d.reg, a.reg, s))
}

func stridedOf[T any](d, a reg, s strided) step {
	return func(f *frame) { copyStrided(row[T](f, d), row[T](f, a), s) }
}

// rowSteps returns the distance in a row between neighbours along each dimension.
func rowSteps(shape []int64) []int {
	steps := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		steps[i] = n
		n *= int(shape[i])
	}
	return steps
}

func toInts(xs []int64) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}

func lowerBroadcast(c *compiler, op *ir.Op) step {
	from, to := ir.ShapeOf(op.Operand(0).Type), ir.ShapeOf(op.Result(0).Type)
	if len(from) != len(to) {
		return c.errorf(op, "from %s to %s is not supported", op.Operand(0).Type, op.Result(0).Type)
	}
	steps := rowSteps(from)
	for i, n := range from {
		if n == 1 {
			steps[i] = 0
		}
	}
	return stridedStep(c.out(op.Result(0)), c.in(op.Operand(0)), newStrided(toInts(to), steps))
}

func lowerTrans(c *compiler, op *ir.Op) step {
	from := ir.ShapeOf(op.Operand(0).Type)
	order, ok := op.Attr("order").(*ir.DenseArrayAttr)
	if !ok || len(order.Values) != len(from) {
		return c.errorf(op, "the order does not fit %s", op.Operand(0).Type)
	}
	return stridedStep(c.out(op.Result(0)), c.in(op.Operand(0)), permuted(from, order.Values))
}

// permuted walks a row of a shape in the order of its permutation.
func permuted(shape []int64, order []int64) strided {
	src := rowSteps(shape)
	dims, steps := make([]int, len(order)), make([]int, len(order))
	for i, o := range order {
		dims[i], steps[i] = int(shape[o]), src[o]
	}
	return newStrided(dims, steps)
}

func lowerJoin(c *compiler, op *ir.Op) step {
	d, a, b := c.out(op.Result(0)), c.in(op.Operand(0)).reg, c.in(op.Operand(1)).reg
	return bySize(d.kind, joinOf[uint8](d.reg, a, b), joinOf[uint16](d.reg, a, b),
		joinOf[uint32](d.reg, a, b), joinOf[uint64](d.reg, a, b))
}

func joinOf[T any](d, a, b reg) step {
	return func(f *frame) {
		d, a, b := row[T](f, d), row[T](f, a), row[T](f, b)
		n := len(d) / 2
		ma, mb := spread(a, n), spread(b, n)
		for i := range n {
			d[2*i], d[2*i+1] = a[i&ma], b[i&mb]
		}
	}
}

func lowerSplit(c *compiler, op *ir.Op) step {
	l, r, a := c.out(op.Result(0)), c.out(op.Result(1)).reg, c.full(op.Operand(0)).reg
	return bySize(l.kind, splitOf[uint8](l.reg, r, a), splitOf[uint16](l.reg, r, a),
		splitOf[uint32](l.reg, r, a), splitOf[uint64](l.reg, r, a))
}

func splitOf[T any](l, r, a reg) step {
	return func(f *frame) {
		l, r, a := row[T](f, l), row[T](f, r), row[T](f, a)
		for i := range l {
			l[i], r[i] = a[2*i], a[2*i+1]
		}
	}
}

func lowerCat(c *compiler, op *ir.Op) step {
	d, a, b := c.out(op.Result(0)), c.full(op.Operand(0)).reg, c.full(op.Operand(1)).reg
	return func(f *frame) {
		bytes := f.bytes(d.reg, d.kind)
		n := copy(bytes, f.bytes(a, d.kind))
		copy(bytes[n:], f.bytes(b, d.kind))
	}
}

func lowerGather(c *compiler, op *ir.Op) step {
	d, a, i := c.out(op.Result(0)), c.full(op.Operand(0)).reg, c.full(op.Operand(1))
	src, dst := ir.ShapeOf(op.Operand(0).Type), ir.ShapeOf(op.Result(0).Type)
	axis := op.IntOr("axis", 0)
	if axis < 0 || axis >= int64(len(src)) || len(src) != len(dst) {
		return c.errorf(op, "axis %d does not fit %s", axis, op.Operand(0).Type)
	}
	index := c.temp(kI64, i.n).reg
	// indices of fewer than 32 bits have no sign, as in Triton
	widen, ok := intCast(i.kind, kI64, ir.BitWidth(ir.ElemOf(op.Operand(1).Type)) >= 32)
	if !ok {
		return c.errorf(op, "indices of type %s are not supported", op.Operand(1).Type)
	}
	c.emit(op, widen(index, i.reg))
	g := gatherer{int(axis), src, dst, rowSteps(src)}
	return bySize(d.kind, gatherOf[uint8](d.reg, a, index, g), gatherOf[uint16](d.reg, a, index, g),
		gatherOf[uint32](d.reg, a, index, g), gatherOf[uint64](d.reg, a, index, g))
}

type gatherer struct {
	axis     int
	src, dst []int64
	steps    []int
}

func gatherOf[T any](d, a, index reg, g gatherer) step {
	return func(f *frame) {
		d, a := row[T](f, d), row[T](f, a)
		for i, x := range row[int64](f, index) {
			if x < 0 || x >= g.src[g.axis] {
				f.w.failAt(i, g.dst, "index %d is out of bounds for axis %d of size %d", x, g.axis,
					g.src[g.axis])
			}
			d[i] = a[g.offset(i, int(x))]
		}
	}
}

// offset returns the place in the source of element i of the result.
func (g *gatherer) offset(i, x int) int {
	off := 0
	for k := len(g.dst) - 1; k >= 0; k-- {
		at := i % int(g.dst[k])
		i /= int(g.dst[k])
		if k == g.axis {
			at = x
		}
		off += at * g.steps[k]
	}
	return off
}

// lowerHistogram counts values modulo the number of bins, as the GPU does.
func lowerHistogram(c *compiler, op *ir.Op) step {
	d, a := c.out(op.Result(0)), c.full(op.Operand(0))
	mask := none
	if op.NumOperands() > 1 {
		mask = c.full(op.Operand(1)).reg
	}
	wide := c.temp(kI64, a.n).reg
	widen, ok := intCast(a.kind, kI64, false)
	if !ok || d.kind != kI32 && d.kind != kI64 {
		return c.errorf(op, "from %s to %s is not supported", op.Operand(0).Type, op.Result(0).Type)
	}
	c.emit(op, widen(wide, a.reg))
	if d.kind == kI32 {
		return histogramOf[int32](d.reg, wide, mask)
	}
	return histogramOf[int64](d.reg, wide, mask)
}

func histogramOf[T signedInt](d, a, mask reg) step {
	return func(f *frame) {
		d := row[T](f, d)
		clear(d)
		for i, x := range row[uint64](f, a) {
			if mask == none || row[uint8](f, mask)[i] != 0 {
				d[x%uint64(len(d))]++
			}
		}
	}
}

var shapeOps = map[*ir.OpDef]lowering{
	tt.Broadcast: lowerBroadcast,
	tt.Trans:     lowerTrans,
	tt.Join:      lowerJoin,
	tt.Split:     lowerSplit,
	tt.Cat:       lowerCat,
	tt.Gather:    lowerGather,
	tt.Histogram: lowerHistogram,
}
