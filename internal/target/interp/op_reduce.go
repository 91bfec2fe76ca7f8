package interp

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// regionOps are the operations whose region is a function of scalars.
var regionOps = map[*ir.OpDef]bool{tt.Reduce: true, tt.Scan: true, tt.MapElementwise: true}

// axisOf returns the extent of an op's axis, and of the dimensions before and after it; ok is false when
// there is no such axis.
func axisOf(c *compiler, op *ir.Op) (outer, n, inner int, ok bool) {
	shape := ir.ShapeOf(op.Operand(0).Type)
	axis := int(op.IntOr("axis", 0))
	if axis < 0 || axis >= len(shape) {
		c.errorf(op, "axis %d does not fit %s", axis, op.Operand(0).Type)
		return
	}
	outer, inner = 1, 1
	for i, d := range toInts(shape) {
		switch {
		case i < axis:
			outer *= d
		case i > axis:
			inner *= d
		}
	}
	return outer, int(shape[axis]), inner, true
}

// combination is the common part of reduce and scan: operands, the function, and scratch rows of up to
// maxLanes elements.
type combination struct {
	fn          *scalarFunc
	srcs, out   []value
	left, right []reg
}

func newCombination(c *compiler, op *ir.Op) *combination {
	k := &combination{fn: c.scalarFunc(op), out: c.values(op.Results())}
	if k.fn == nil || c.err != nil {
		return nil
	}
	if n := op.NumOperands(); len(k.fn.fn.params) != 2*n || len(k.fn.fn.results) != n || len(k.out) != n {
		c.errorf(op, "the region does not fit %d operands", n)
		return nil
	}
	for _, v := range op.Operands() {
		s := c.full(v)
		k.srcs = append(k.srcs, s)
		k.left = append(k.left, c.temp(s.kind, maxLanes).reg)
		k.right = append(k.right, c.temp(s.kind, maxLanes).reg)
	}
	return k
}

// args returns the scratch rows as the function's arguments.
func (k *combination) args(f *frame) []unsafe.Pointer {
	args := make([]unsafe.Pointer, 2*len(k.srcs))
	for i := range k.srcs {
		args[i], args[len(k.srcs)+i] = f.regs[k.left[i]].p, f.regs[k.right[i]].p
	}
	return args
}

// lowerReduce combines neighbours along the axis until one is left.
func lowerReduce(c *compiler, op *ir.Op) step {
	outer, n, inner, ok := axisOf(c, op)
	if !ok {
		return nil
	}
	if n&(n-1) != 0 || n == 0 {
		return c.errorf(op, "an axis of %d elements is not supported", n)
	}
	k := newCombination(c, op)
	if k == nil {
		return nil
	}
	work := make([]reg, len(k.srcs))
	for i, s := range k.srcs {
		work[i] = c.temp(s.kind, max(1, s.n/2)).reg
	}
	short := sumsShort(op)
	return func(f *frame) {
		g := k.fn.open(f)
		args, out, rows := k.args(f), make([][]byte, len(k.srcs)), make([][]byte, len(k.srcs))
		for i, s := range k.srcs {
			rows[i] = f.bytes(s.reg, s.kind)
		}
		m := n
		if lanes := f.w.opts.SumLanes; short && lanes > 0 && lanes < n {
			k.sumLanes(f, g, work[0], rows, outer, n/lanes, lanes*inner)
			m = lanes
		}
		for ; m > 1; m /= 2 {
			pairs := outer * m / 2 * inner
			for at := 0; at < pairs; at += maxLanes {
				lanes := min(maxLanes, pairs-at)
				for i, s := range k.srcs {
					size := s.kind.bytes()
					pick(f.bytes(k.left[i], s.kind), rows[i], size, inner, at, lanes, 0)
					pick(f.bytes(k.right[i], s.kind), rows[i], size, inner, at, lanes, 1)
					out[i] = f.bytes(work[i], s.kind)[at*size : (at+lanes)*size]
				}
				k.fn.apply(g, lanes, args, out)
			}
			for i, s := range k.srcs {
				rows[i] = f.bytes(work[i], s.kind)
			}
		}
		for i, d := range k.out {
			copy(f.bytes(d.reg, d.kind), rows[i])
		}
		f.w.release(g)
	}
}

// sumsShort reports whether a reduction sums one tensor of fp16 or bf16, which rounds at each step.
func sumsShort(op *ir.Op) bool {
	if op.NumOperands() != 1 {
		return false
	}
	t := ir.ElemOf(op.Operand(0).Type)
	for inner := range op.Body(0).Ops() {
		if inner.Def != arith.AddF && inner.Def != tt.ReduceReturn {
			return false
		}
	}
	return t == ir.F16 || t == ir.BF16
}

// sumLanes adds, for each of outer, the rows of width elements to the first of them, one after the other. The
// sums become rows[0].
func (k *combination) sumLanes(f *frame, g *frame, work reg, rows [][]byte, outer, count, width int) {
	src := k.srcs[0]
	size, sums, args := src.kind.bytes(), f.bytes(work, src.kind), k.args(f)
	left, right := f.bytes(k.left[0], src.kind), f.bytes(k.right[0], src.kind)
	for o := range outer {
		from, to := rows[0][o*count*width*size:], sums[o*width*size:]
		copy(to[:width*size], from)
		for row := 1; row < count; row++ {
			for at := 0; at < width; at += maxLanes {
				lanes := min(maxLanes, width-at)
				copy(left, to[at*size:(at+lanes)*size])
				copy(right, from[(row*width+at)*size:(row*width+at+lanes)*size])
				k.fn.apply(g, lanes, args, [][]byte{to[at*size : (at+lanes)*size]})
			}
		}
	}
	rows[0] = sums
}

// pick takes, for each lane, the left (0) or right (1) of two neighbours. Lanes are numbered along the
// result, in which pairs of inner elements each have become one.
func pick(d, src []byte, size, inner, at, lanes, which int) {
	if inner == 1 {
		switch size {
		case 1:
			every2(d, src[2*at+which:], lanes)
		case 2:
			every2(view2[uint16](d), view2[uint16](src)[2*at+which:], lanes)
		case 4:
			every2(view2[uint32](d), view2[uint32](src)[2*at+which:], lanes)
		case 8:
			every2(view2[uint64](d), view2[uint64](src)[2*at+which:], lanes)
		}
		return
	}
	for i := 0; i < lanes; {
		pair, within := (at+i)/inner, (at+i)%inner
		n := min(inner-within, lanes-i)
		from := (2*pair+which)*inner + within
		copy(d[i*size:(i+n)*size], src[from*size:])
		i += n
	}
}

// every2 takes every other element.
func every2[T any](d, src []T, n int) {
	d = d[:n]
	src = src[:2*n-1]
	for i := range d {
		d[i] = src[2*i]
	}
}

// view2 returns bytes seen as larger elements.
func view2[T any](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// lowerScan combines each element with the one d before it, for d = 1, 2, 4 and so on.
func lowerScan(c *compiler, op *ir.Op) step {
	outer, n, inner, ok := axisOf(c, op)
	if !ok {
		return nil
	}
	k := newCombination(c, op)
	if k == nil {
		return nil
	}
	reverse := op.IntOr("reverse", 0) != 0
	return func(f *frame) {
		for i, s := range k.srcs {
			f.copyReg(k.out[i].reg, s.reg, s.kind)
		}
		g := k.fn.open(f)
		args, out := k.args(f), make([][]byte, len(k.srcs))
		for d := inner; d < n*inner; d *= 2 {
			for o := range outer {
				k.double(f, g, args, out, o*n*inner, n*inner, d, reverse)
			}
		}
		f.w.release(g)
	}
}

// double combines elements that are d apart in count of them from base on: elements that others still need
// come last.
func (k *combination) double(f, g *frame, args []unsafe.Pointer, out [][]byte, base, count, d int,
	reverse bool) {
	todo := count - d
	for done := 0; done < todo; done += maxLanes {
		lanes := min(maxLanes, todo-done)
		to, from := base+count-done-lanes, base+count-done-lanes-d
		if reverse {
			to, from = base+done, base+done+d
		}
		for i, v := range k.out {
			size, y := v.kind.bytes(), f.bytes(v.reg, v.kind)
			copy(f.bytes(k.left[i], v.kind), y[from*size:(from+lanes)*size])
			copy(f.bytes(k.right[i], v.kind), y[to*size:(to+lanes)*size])
			out[i] = y[to*size : (to+lanes)*size]
		}
		k.fn.apply(g, lanes, args, out)
	}
}

// lowerMap applies a function to groups of neighbouring elements.
func lowerMap(c *compiler, op *ir.Op) step {
	fn := c.scalarFunc(op)
	if fn == nil || c.err != nil {
		return nil
	}
	pack := int(op.IntOr("pack", 1))
	srcs, out := make([]value, op.NumOperands()), c.values(op.Results())
	for i, v := range op.Operands() {
		srcs[i] = c.full(v)
	}
	if len(srcs) == 0 || pack < 1 || srcs[0].n%pack != 0 || len(fn.fn.params) != pack*len(srcs) ||
		len(fn.fn.results) != pack*len(out) {
		return c.errorf(op, "the region does not fit %d operands in groups of %d", len(srcs), pack)
	}
	m := mapping{fn: fn, srcs: srcs, dsts: out, pack: pack, groups: srcs[0].n / pack}
	for _, p := range fn.fn.params {
		m.in = append(m.in, c.temp(p.kind, maxLanes).reg)
	}
	for _, r := range fn.fn.results {
		m.out = append(m.out, c.temp(r.kind, maxLanes).reg)
	}
	return m.run
}

// mapping is a map_elementwise: parameter p of operand i is a scratch row of element p of each group.
type mapping struct {
	fn         *scalarFunc
	srcs, dsts []value
	in, out    []reg
	pack       int
	groups     int
}

func (m *mapping) run(f *frame) {
	g := m.fn.open(f)
	args, out := make([]unsafe.Pointer, len(m.in)), make([][]byte, len(m.out))
	for at := 0; at < m.groups; at += maxLanes {
		lanes := min(maxLanes, m.groups-at)
		for i, r := range m.in {
			s := m.srcs[i/m.pack]
			size := s.kind.bytes()
			m.spread(f.bytes(r, s.kind), f.bytes(s.reg, s.kind), size, at, lanes, i%m.pack, true)
			args[i] = f.regs[r].p
		}
		for i, r := range m.out {
			size := m.dsts[i/m.pack].kind.bytes()
			out[i] = f.bytes(r, m.dsts[i/m.pack].kind)[:lanes*size]
		}
		m.fn.apply(g, lanes, args, out)
		for i, d := range m.out {
			v := m.dsts[i/m.pack]
			m.spread(f.bytes(d, v.kind), f.bytes(v.reg, v.kind), v.kind.bytes(), at, lanes, i%m.pack, false)
		}
	}
	f.w.release(g)
}

// spread copies element p of each group to or from a row.
func (m *mapping) spread(lane, tensor []byte, size, at, lanes, p int, read bool) {
	for i := range lanes {
		e := tensor[((at+i)*m.pack+p)*size:][:size]
		l := lane[i*size:][:size]
		if read {
			copy(l, e)
		} else {
			copy(e, l)
		}
	}
}

var reduceOps = map[*ir.OpDef]lowering{
	tt.Reduce:         lowerReduce,
	tt.Scan:           lowerScan,
	tt.MapElementwise: lowerMap,
}
