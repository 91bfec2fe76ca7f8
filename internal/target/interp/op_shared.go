package interp

import (
	"github.com/nereid-lang/nereid/internal/dialect/amdg"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// sharedBuf is a view of a buffer in shared (or tensor) memory. Its elements lie there as in registers, in
// the order of their coordinates: layouts and swizzling are for hardware. All copies into it are done when
// they are started, so waits and barriers have nothing to do.
type sharedBuf struct {
	layout
	data        []byte
	off         int // in elements
	dims, steps []int
}

// memDescLayout returns the layout of the tensors that a descriptor's buffer holds.
func (c *compiler) memDescLayout(op *ir.Op, t ir.Type) (ttg.MemDesc, layout) {
	m, ok := ttg.MemDescOf(t)
	if !ok {
		c.errorf(op, "%s is no memory descriptor", t)
		return m, layout{}
	}
	l, err := layoutOf(ir.Tensor(m.Shape, m.Elem, nil))
	if err != nil {
		c.errorf(op, "%v", err)
	}
	return m, l
}

// runs calls f for each stretch of neighbours along the last dimension: where it begins in a row and in the
// buffer.
func (b *sharedBuf) runs(f func(at, off, n, step int)) {
	s := newStrided(b.dims, b.steps)
	last := len(s.dims) - 1
	index := make([]int, last)
	off, n := b.off, s.dims[last]
	for at := 0; at < b.n; at += n {
		f(at, off, n, s.steps[last])
		for k := last - 1; k >= 0; k-- {
			off += s.steps[k]
			if index[k]++; index[k] < s.dims[k] {
				break
			}
			off -= s.dims[k] * s.steps[k]
			index[k] = 0
		}
	}
}

// load copies the view into a row of bytes, store a row into the view.

func (b *sharedBuf) load(row []byte) {
	size := b.kind.bytes()
	b.runs(func(at, off, n, step int) {
		if step == 1 {
			copy(row[at*size:(at+n)*size], b.data[off*size:])
			return
		}
		for i := range n {
			copy(row[(at+i)*size:(at+i+1)*size], b.data[(off+i*step)*size:])
		}
	})
}

func (b *sharedBuf) store(row []byte) {
	size := b.kind.bytes()
	b.runs(func(at, off, n, step int) {
		if step == 1 {
			copy(b.data[off*size:], row[at*size:(at+n)*size])
			return
		}
		for i := range n {
			copy(b.data[(off+i*step)*size:], row[(at+i)*size:(at+i+1)*size])
		}
	})
}

func lowerLocalAlloc(c *compiler, op *ir.Op) step {
	m, l := c.memDescLayout(op, op.Result(0).Type)
	d, dims := c.out(op.Result(0)).reg, toInts(m.Shape)
	steps := rowSteps(m.Shape)
	src := none
	if op.NumOperands() > 0 {
		src = c.full(op.Operand(0)).reg
	}
	return func(f *frame) {
		b := &sharedBuf{layout: l, data: make([]byte, l.n*l.kind.bytes()), dims: dims, steps: steps}
		if src != none {
			copy(b.data, f.bytes(src, l.kind))
		}
		f.objs[d] = b
	}
}

func lowerLocalLoad(c *compiler, op *ir.Op) step {
	return sharedLoad(c.out(op.Result(0)), c.in(op.Operand(0)).reg)
}

func sharedLoad(d value, from reg) step {
	return func(f *frame) { f.objs[from].(*sharedBuf).load(f.bytes(d.reg, d.kind)) }
}

func sharedStore(s value, to reg) step {
	return func(f *frame) { f.objs[to].(*sharedBuf).store(f.bytes(s.reg, s.kind)) }
}

func lowerLocalStore(c *compiler, op *ir.Op) step {
	return sharedStore(c.full(op.Operand(0)), c.in(op.Operand(1)).reg)
}

// lowerView makes a view from another.
func lowerView(change func(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame,
	b *sharedBuf)) lowering {
	return func(c *compiler, op *ir.Op) step {
		m, l := c.memDescLayout(op, op.Result(0).Type)
		d, s := c.out(op.Result(0)).reg, c.in(op.Operand(0)).reg
		f := change(c, op, m, l)
		return func(fr *frame) {
			b := *fr.objs[s].(*sharedBuf)
			b.n = l.n
			f(fr, &b)
			fr.objs[d] = &b
		}
	}
}

func viewIndex(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame, b *sharedBuf) {
	at := c.in(op.Operand(1)).reg
	return func(f *frame, b *sharedBuf) {
		i := int(scalar[int32](f, at))
		if i < 0 || i >= b.dims[0] {
			f.w.failf("index %d of a buffer with %d entries", i, b.dims[0])
		}
		b.off += i * b.steps[0]
		b.dims, b.steps = b.dims[1:], b.steps[1:]
		if len(b.dims) == 0 {
			b.dims, b.steps = []int{1}, []int{1}
		}
	}
}

func viewSubslice(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame, b *sharedBuf) {
	offsets, _ := op.Attr("offsets").(*ir.DenseArrayAttr)
	dims := toInts(m.Shape)
	if offsets == nil || len(offsets.Values) != len(dims) {
		c.errorf(op, "the offsets do not fit")
		return nil
	}
	return func(f *frame, b *sharedBuf) {
		for i, o := range offsets.Values {
			b.off += int(o) * b.steps[i]
		}
		b.dims = dims
	}
}

func viewTrans(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame, b *sharedBuf) {
	order, _ := op.Attr("order").(*ir.DenseArrayAttr)
	if order == nil || len(order.Values) != len(m.Shape) {
		c.errorf(op, "the order does not fit")
		return nil
	}
	return func(f *frame, b *sharedBuf) {
		dims, steps := make([]int, len(order.Values)), make([]int, len(order.Values))
		for i, o := range order.Values {
			dims[i], steps[i] = b.dims[o], b.steps[o]
		}
		b.dims, b.steps = dims, steps
	}
}

// viewReshape keeps the order of the elements, which must follow each other.
func viewReshape(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame, b *sharedBuf) {
	return func(f *frame, b *sharedBuf) {
		if s := newStrided(b.dims, b.steps); len(s.dims) != 1 || s.steps[0] != 1 {
			f.w.failf("a view of elements that do not follow each other is given another shape")
		}
		b.dims, b.steps = toInts(m.Shape), rowSteps(m.Shape)
	}
}

// viewReinterpret returns the view of a reshape that may change the type: the elements must be held alike.
func viewReinterpret(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame, b *sharedBuf) {
	reshape := viewReshape(c, op, m, l)
	return func(f *frame, b *sharedBuf) {
		if b.kind != l.kind || b.fmt != l.fmt {
			f.w.failf("a view of a buffer with elements of another type is not supported")
		}
		reshape(f, b)
	}
}

func viewColumns(c *compiler, op *ir.Op, m ttg.MemDesc, l layout) func(f *frame, b *sharedBuf) {
	n, dims := int(op.IntOr("N", 0)), toInts(m.Shape)
	return func(f *frame, b *sharedBuf) {
		b.off += n * b.steps[len(b.steps)-1]
		b.dims = dims
	}
}

// tempLike returns a scratch register for a tensor that a buffer holds.
func (c *compiler) tempLike(op *ir.Op, t ir.Type) value {
	_, l := c.memDescLayout(op, t)
	v := c.temp(l.kind, l.n)
	v.layout = l
	return v
}

func lowerAsyncCopy(c *compiler, op *ir.Op) step {
	t := c.tempLike(op, op.Slot(1).Type)
	var other *value
	if v := op.Slot(3); v != nil {
		o := c.in(v)
		other = &o
	}
	c.emit(op, c.load(t, c.access(op.Slot(0), op.Slot(2)), other))
	return sharedStore(t, c.in(op.Slot(1)).reg)
}

// operand returns an operand of a product as a tensor, loaded first when it lies in shared memory.
func (c *compiler) operand(op *ir.Op, v *ir.Value) value {
	if !ttg.IsMemDesc(v.Type) {
		return c.full(v)
	}
	t := c.tempLike(op, v.Type)
	c.emit(op, sharedLoad(t, c.in(v).reg))
	return t
}

// asTensor returns the type of the tensor that a buffer holds.
func asTensor(t ir.Type) ir.Type {
	if m, ok := ttg.MemDescOf(t); ok {
		return ir.Tensor(m.Shape, m.Elem, nil)
	}
	return t
}

func lowerWarpGroupDot(c *compiler, op *ir.Op) step {
	p, ok := productOf(asTensor(op.Operand(0).Type), asTensor(op.Operand(1).Type))
	if !ok {
		return c.errorf(op, "%s times %s is not supported", op.Operand(0).Type, op.Operand(1).Type)
	}
	a, b, acc := c.operand(op, op.Operand(0)), c.operand(op, op.Operand(1)), c.in(op.Operand(2))
	if op.NumOperands() > 3 {
		acc = c.orZero(op, c.full(op.Operand(2)), c.in(op.Operand(3)).reg)
	}
	return c.dot(op, p, a, b, acc, c.out(op.Result(0)))
}

// orZero returns a tensor, or zeros when a flag does not hold.
func (c *compiler) orZero(op *ir.Op, v value, flag reg) value {
	t := c.temp(v.kind, v.n)
	t.layout = v.layout
	c.emit(op, func(f *frame) {
		if scalar[uint8](f, flag) != 0 {
			f.copyReg(t.reg, v.reg, v.kind)
		} else {
			clear(f.bytes(t.reg, t.kind))
		}
	})
	return t
}

// lowerTCGen5MMA adds a product to tensor memory.
func lowerTCGen5MMA(c *compiler, op *ir.Op) step {
	a, b, d := op.Slot(0), op.Slot(1), op.Slot(2)
	p, ok := productOf(asTensor(a.Type), asTensor(b.Type))
	if !ok {
		return c.errorf(op, "%s times %s is not supported", a.Type, b.Type)
	}
	return c.predicated(op, op.Slot(5), func() {
		x, y, z := c.operand(op, a), c.operand(op, b), c.operand(op, d)
		acc := c.orZero(op, z, c.in(op.Slot(4)).reg)
		c.emit(op, c.dot(op, p, x, y, acc, z))
		c.emit(op, sharedStore(z, c.in(d).reg))
	})
}

// predicated returns a step that runs the code of emit only where a flag holds.
func (c *compiler) predicated(op *ir.Op, flag *ir.Value, emit func()) step {
	saved := c.code
	c.code = nil
	emit()
	body := c.code
	c.code = saved
	if flag == nil {
		return func(f *frame) { f.exec(body) }
	}
	p := c.in(flag).reg
	return func(f *frame) {
		if scalar[uint8](f, p) != 0 {
			f.exec(body)
		}
	}
}

func lowerTMALoad(c *compiler, op *ir.Op) step {
	dst := op.Operand(op.NumOperands() - 2)
	coords := op.Operands()[1 : op.NumOperands()-3]
	return c.predicated(op, op.Operand(op.NumOperands()-1), func() {
		t := c.tempLike(op, dst.Type)
		a := c.descAccess(op, coords, asTensor(dst.Type))
		c.emit(op, c.descLoad(op, t, a))
		c.emit(op, sharedStore(t, c.in(dst).reg))
	})
}

func lowerTMAStore(c *compiler, op *ir.Op) step {
	src := op.Operand(op.NumOperands() - 1)
	s := c.operand(op, src)
	return c.store(s, c.descAccess(op, op.Operands()[1:op.NumOperands()-1], asTensor(src.Type)))
}

func lowerTMAReduce(c *compiler, op *ir.Op) step {
	src := op.Operand(op.NumOperands() - 1)
	s := c.operand(op, src)
	a := c.descAccess(op, op.Operands()[1:op.NumOperands()-1], asTensor(src.Type))
	return c.descReduce(op, s, a)
}

func lowerTMAGather(c *compiler, op *ir.Op) step {
	return c.predicated(op, op.Operand(5), func() {
		dst := op.Operand(4)
		t := c.tempLike(op, dst.Type)
		a := c.gatherAccess(op, asTensor(dst.Type))
		c.emit(op, c.descLoad(op, t, a))
		c.emit(op, sharedStore(t, c.in(dst).reg))
	})
}

func lowerTMAScatter(c *compiler, op *ir.Op) step {
	src := op.Operand(3)
	s := c.operand(op, src)
	return c.store(s, c.gatherAccess(op, asTensor(src.Type)))
}

func lowerTMEMStore(c *compiler, op *ir.Op) step {
	dst := op.Operand(0)
	src, pred := op.Operand(op.NumOperands()-2), op.Operand(op.NumOperands()-1)
	return c.predicated(op, pred, func() { c.emit(op, sharedStore(c.full(src), c.in(dst).reg)) })
}

func lowerTMEMCopy(c *compiler, op *ir.Op) step {
	t := c.operand(op, op.Operand(0))
	return sharedStore(t, c.in(op.Operand(1)).reg)
}

// lowerMask runs a region where a flag holds; the results are zero elsewhere.
func lowerMask(c *compiler, op *ir.Op) step {
	out, cond := c.values(op.Results()), c.in(op.Operand(0)).reg
	body := c.yieldTo(op.Region(0), out)
	return func(f *frame) {
		if scalar[uint8](f, cond) != 0 {
			f.exec(body)
			return
		}
		for _, v := range out {
			if v.kind != kObj && v.kind != kNone {
				clear(f.bytes(v.reg, v.kind))
			}
		}
	}
}

// lowerPredicateStage lowers the predicate of stage s of a pipelined loop, which works while iv +
// (maxStage-s)*step is below the bound.
func lowerPredicateStage(c *compiler, op *ir.Op) step {
	vs, d := c.intList(op.Operands()), c.out(op.Result(0)).reg
	ahead := op.IntOr("maxStage", 0) - op.IntOr("stage", 0)
	return func(f *frame) {
		x := vs(f)
		row[uint8](f, d)[0] = 0
		if x[0] < x[1]-x[2]*ahead {
			row[uint8](f, d)[0] = 1
		}
	}
}

// lowerFp4ToFp unpacks two 4-bit floats from each byte along an axis, the low half first.
func lowerFp4ToFp(c *compiler, op *ir.Op) step {
	d, a := c.out(op.Result(0)), c.full(op.Operand(0)).reg
	shape := ir.ShapeOf(op.Operand(0).Type)
	axis := int(op.IntOr("axis", 0))
	if axis < 0 || axis >= len(shape) || d.kind != kF32 {
		return c.errorf(op, "axis %d does not fit %s", axis, op.Operand(0).Type)
	}
	inner := rowSteps(shape)[axis]
	return func(f *frame) {
		out := row[float32](f, d.reg)
		for i, b := range row[uint8](f, a) {
			at := i/inner*2*inner + i%inner
			out[at], out[at+inner] = float32(f4E2M1[b&15]), float32(f4E2M1[b>>4])
		}
	}
}

// bufferAccess returns the access through a base pointer and offsets of AMD's buffer instructions.
func (c *compiler) bufferAccess(op *ir.Op, ptr, offsets, mask *ir.Value) access {
	base, off := c.in(ptr).reg, c.full(offsets)
	pointee, _, _ := tt.AsPtr(ptr.Type)
	l, err := layoutOf(pointee)
	if err != nil {
		c.errorf(op, "%v", err)
	}
	a := access{ptr: c.temp(kI64, off.n).reg, mask: none, shape: ir.ShapeOf(offsets.Type)}
	c.emit(op, addPtr[int32](a.ptr, base, off.reg, int64(l.memBytes())))
	if mask != nil {
		a.mask = c.full(mask).reg
	}
	return a
}

func lowerBufferLoad(c *compiler, op *ir.Op) step {
	var other *value
	if v := op.Slot(4); v != nil {
		o := c.in(v)
		other = &o
	}
	return c.load(c.out(op.Result(0)), c.bufferAccess(op, op.Slot(0), op.Slot(1), op.Slot(3)), other)
}

func lowerBufferLoadToLocal(c *compiler, op *ir.Op) step {
	t := c.tempLike(op, op.Slot(0).Type)
	var other *value
	if v := op.Slot(4); v != nil {
		o := c.in(v)
		other = &o
	}
	c.emit(op, c.load(t, c.bufferAccess(op, op.Slot(1), op.Slot(2), op.Slot(3)), other))
	return sharedStore(t, c.in(op.Slot(0)).reg)
}

func lowerBufferStore(c *compiler, op *ir.Op) step {
	return c.store(c.full(op.Slot(0)), c.bufferAccess(op, op.Slot(1), op.Slot(2), op.Slot(4)))
}

var sharedOps = map[*ir.OpDef]lowering{
	ttg.LocalAlloc:         lowerLocalAlloc,
	ttg.LocalDealloc:       nothing,
	ttg.LocalLoad:          lowerLocalLoad,
	ttg.LocalStore:         lowerLocalStore,
	ttg.LocalBarrier:       nothing,
	ttg.MemDescIndex:       lowerView(viewIndex),
	ttg.MemDescSubslice:    lowerView(viewSubslice),
	ttg.MemDescTrans:       lowerView(viewTrans),
	ttg.MemDescReshape:     lowerView(viewReshape),
	ttg.MemDescReinterpret: lowerView(viewReinterpret),
	ttg.AsyncCopy:          lowerAsyncCopy,
	ttg.AsyncCommitGroup:   nothing,
	ttg.AsyncWait:          nothing,
	ttg.Mask:               lowerMask,
	ttg.PredicateStage:     lowerPredicateStage,
	ttg.Fp4ToFp:            lowerFp4ToFp,

	ttng.FenceAsyncShared:          nothing,
	ttng.ClusterArrive:             nothing,
	ttng.ClusterWait:               nothing,
	ttng.WarpGroupDot:              lowerWarpGroupDot,
	ttng.InitBarrier:               nothing,
	ttng.InvalBarrier:              nothing,
	ttng.BarrierExpect:             nothing,
	ttng.WaitBarrier:               nothing,
	ttng.ArriveBarrier:             nothing,
	ttng.AsyncCopyMbarrierArrive:   nothing,
	ttng.AsyncTMAStoreWait:         nothing,
	ttng.AsyncTMACopyGlobalToLocal: lowerTMALoad,
	ttng.AsyncTMACopyLocalToGlobal: lowerTMAStore,
	ttng.AsyncTMAReduce:            lowerTMAReduce,
	ttng.AsyncTMAGather:            lowerTMAGather,
	ttng.AsyncTMAScatter:           lowerTMAScatter,
	ttng.TMEMAlloc:                 lowerLocalAlloc,
	ttng.TMEMLoad:                  lowerLocalLoad,
	ttng.TMEMStore:                 lowerTMEMStore,
	ttng.TMEMCopy:                  lowerTMEMCopy,
	ttng.TMEMSubSlice:              lowerView(viewColumns),
	ttng.TCGen5MMA:                 lowerTCGen5MMA,
	ttng.TCGen5Commit:              nothing,

	amdg.BufferLoad:        lowerBufferLoad,
	amdg.BufferLoadToLocal: lowerBufferLoadToLocal,
	amdg.BufferStore:       lowerBufferStore,
	amdg.CondBarrier:       nothing,
}
