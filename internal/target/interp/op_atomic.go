package interp

import (
	"math"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// lock returns the lock that guards atomics on a place in memory. It goes by the host's pointer, since
// several device addresses may lead to one place.
func (r *run) lock(p unsafe.Pointer) *sync.Mutex {
	return &r.mem.locks[uintptr(p)>>3%uintptr(len(r.mem.locks))]
}

// rmwFor returns the function of an atomic_rmw on raw memory: from the value in memory and the operand it
// makes the new value. U is an unsigned integer as wide as the element.
func rmwFor[U unsignedInt](kind int64, l layout, add adder) func(old, val U) U {
	if l.fmt != nil {
		return floatRMW[U](kind, l, add)
	}
	width := int(unsafe.Sizeof(U(0))) * 8
	signed := func(x U) int64 { return int64(x) << (64 - width) >> (64 - width) }
	switch kind {
	case tt.RMWAnd:
		return func(a, b U) U { return a & b }
	case tt.RMWOr:
		return func(a, b U) U { return a | b }
	case tt.RMWXor:
		return func(a, b U) U { return a ^ b }
	case tt.RMWAdd:
		return func(a, b U) U { return a + b }
	case tt.RMWMax:
		return func(a, b U) U { return U(max(signed(a), signed(b))) }
	case tt.RMWMin:
		return func(a, b U) U { return U(min(signed(a), signed(b))) }
	case tt.RMWUMax:
		return func(a, b U) U { return max(a, b) }
	case tt.RMWUMin:
		return func(a, b U) U { return min(a, b) }
	case tt.RMWXchg:
		return func(a, b U) U { return b }
	}
	return nil
}

func floatRMW[U unsignedInt](kind int64, l layout, add adder) func(old, val U) U {
	var f func(a, b float64) float64
	switch kind {
	case tt.RMWFAdd, tt.RMWAdd:
		f = func(a, b float64) float64 { return add(l.fmt, a, b) }
	case tt.RMWMax:
		f = maxNum[float64]
	case tt.RMWMin:
		f = minNum[float64]
	case tt.RMWXchg:
		return func(a, b U) U { return b }
	default:
		return nil
	}
	switch {
	case l.kind == kF64:
		return func(a, b U) U {
			return U(math.Float64bits(f(math.Float64frombits(uint64(a)), math.Float64frombits(uint64(b)))))
		}
	case l.small():
		s := smallFor(l.fmt)
		return func(a, b U) U {
			return U(s.encode(s.round(float32(f(float64(s.decode(uint32(a))),
				float64(s.decode(uint32(b))))))))
		}
	}
	return func(a, b U) U {
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		return U(math.Float32bits(float32(f(float64(x), float64(y)))))
	}
}

func lowerAtomicRMW(c *compiler, op *ir.Op) step {
	d, v := c.out(op.Result(0)), c.full(op.Slot(1))
	raw, old := c.raw(v), c.rawOut(d)
	a := c.access(op.Slot(0), op.Slot(2))
	a.orders = orders(op)
	kind, add := op.IntOr("atomic_rmw_op", 0), c.adder()
	var s step
	switch v.memBytes() {
	case 1:
		s = rmwStep(rmwFor[uint8](kind, v.layout, add), raw, old, a)
	case 2:
		s = rmwStep(rmwFor[uint16](kind, v.layout, add), raw, old, a)
	case 4:
		s = rmwStep(rmwFor[uint32](kind, v.layout, add), raw, old, a)
	case 8:
		s = rmwStep(rmwFor[uint64](kind, v.layout, add), raw, old, a)
	}
	if s == nil {
		return c.errorf(op, "type %s is not supported", op.Slot(1).Type)
	}
	c.emit(op, s)
	return c.fromRaw(d, old)
}

// rmwStep does every lane's part, each in one atomic step.
func rmwStep[U unsignedInt](f func(old, val U) U, val, old reg, a access) step {
	if f == nil {
		return nil
	}
	return func(fr *frame) {
		w := fr.w
		w.looped()
		ptrs, mask := a.rows(fr)
		w.masked = mask != nil
		w.lanes("atomic", len(ptrs), mask)
		d, v := row[U](fr, old), row[U](fr, val)
		for i, p := range ptrs {
			d[i] = 0
			if mask != nil && mask[i] == 0 {
				continue
			}
			m := atomicAt[U](w, p, i, a.shape)
			l := w.lock(unsafe.Pointer(m))
			l.Lock()
			a.order(w, unsafe.Pointer(m))
			d[i] = *m
			*m = f(*m, v[i])
			l.Unlock()
		}
	}
}

// atomicAt returns the memory of an atomic.
func atomicAt[U unsignedInt](w *worker, p uint64, i int, shape []int64) *U {
	size := int(unsafe.Sizeof(U(0)))
	b := w.check("atomic", p, 1, size, i, shape)
	w.settle()
	if b.written != nil {
		if w.opts.TrackUninit {
			w.checkWritten(b, p, 1, size, i, shape)
		}
		b.MarkWritten(int(p-b.addr), size)
	}
	return &at[U](b, p, 1)[0]
}

func lowerAtomicCAS(c *compiler, op *ir.Op) step {
	d := c.out(op.Result(0))
	cmp, val := c.raw(c.full(op.Slot(1))), c.raw(c.full(op.Slot(2)))
	old := c.rawOut(d)
	a := c.access(op.Slot(0), nil)
	a.orders = orders(op)
	var s step
	switch d.memBytes() {
	case 1:
		s = casStep[uint8](cmp, val, old, a)
	case 2:
		s = casStep[uint16](cmp, val, old, a)
	case 4:
		s = casStep[uint32](cmp, val, old, a)
	case 8:
		s = casStep[uint64](cmp, val, old, a)
	default:
		return c.errorf(op, "type %s is not supported", op.Slot(1).Type)
	}
	c.emit(op, s)
	return c.fromRaw(d, old)
}

func casStep[U unsignedInt](cmp, val, old reg, a access) step {
	return func(f *frame) {
		w := f.w
		w.looped()
		ptrs, _ := a.rows(f)
		w.masked = false
		d, x, v := row[U](f, old), row[U](f, cmp), row[U](f, val)
		for i, p := range ptrs {
			m := atomicAt[U](w, p, i, a.shape)
			l := w.lock(unsafe.Pointer(m))
			l.Lock()
			if d[i] = *m; d[i] == x[i] {
				a.order(w, unsafe.Pointer(m))
				*m = v[i]
			}
			l.Unlock()
		}
	}
}

// raw returns a register with a row as it lies in memory: its own, or a scratch one with the bits of small
// floats.
func (c *compiler) raw(v value) reg {
	if !v.small() {
		return v.reg
	}
	t, s := c.rawTemp(v), smallFor(v.fmt)
	if v.fmt.Bits == 16 {
		c.emit(nil, func(f *frame) { encodeRow16(s, row[uint16](f, t), row[float32](f, v.reg)) })
	} else {
		c.emit(nil, func(f *frame) { encodeRow8(s, row[uint8](f, t), row[float32](f, v.reg)) })
	}
	return t
}

func (c *compiler) rawTemp(v value) reg {
	if v.fmt.Bits == 16 {
		return c.temp(kI16, v.n).reg
	}
	return c.temp(kI8, v.n).reg
}

// rawOut returns the register for a row as it lies in memory; fromRaw makes the value of it.
func (c *compiler) rawOut(d value) reg {
	if !d.small() {
		return d.reg
	}
	return c.rawTemp(d)
}

func (c *compiler) fromRaw(d value, raw reg) step {
	if !d.small() {
		return nil
	}
	s := smallFor(d.fmt)
	if d.fmt.Bits == 16 {
		return func(f *frame) { decodeRow16(s, row[float32](f, d.reg), row[uint16](f, raw)) }
	}
	return func(f *frame) { decodeRow8(s, row[float32](f, d.reg), row[uint8](f, raw)) }
}
