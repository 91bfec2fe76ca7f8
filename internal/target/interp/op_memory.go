package interp

import (
	"cmp"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// access is a load, store or atomic through a row of pointers.
type access struct {
	ptr   reg
	mask  reg // none when every lane takes part
	shape []int64

	undefined bool // Triton does not say what inactive lanes of the load hold
	orders    bool // an atomic that orders what its program does with what others do; see orders
}

const none reg = -1

func (c *compiler) access(ptr, mask *ir.Value) access {
	a := access{ptr: c.full(ptr).reg, mask: none, shape: ir.ShapeOf(ptr.Type)}
	if mask != nil {
		a.mask = c.full(mask).reg
	}
	return a
}

func (a access) rows(f *frame) (ptrs []uint64, mask []uint8) {
	if a.mask != none {
		mask = row[uint8](f, a.mask)
	}
	return row[uint64](f, a.ptr), mask
}

// check finds the buffer that holds a run of elements, or stops the program at the first that none holds. If
// accesses are recorded, it returns nil instead, and settle stops the program.
func (w *worker) check(what string, addr uint64, count, size int, i int, shape []int64) *Buffer {
	b := find(w.table, addr)
	if b != nil && addr%uint64(size) == 0 && b.holds(addr, uint64(count*size)) {
		if whole, at := b.whole(); whole.touched != nil {
			whole.touched.note(what, at+int(addr-b.addr), count*size, w.masked)
		}
		w.noted(what, b, addr, count, size, false)
		w.accessed(what, addr, count*size)
		return b
	}
	first := addr
	for ; ; i, addr = i+1, addr+uint64(size) {
		if b = find(w.table, addr); b == nil || addr%uint64(size) != 0 || !b.holds(addr, uint64(size)) {
			e := w.newFault(explain(w.table, what, addr, size))
			e.Element = unravel(i, shape)
			if b != nil && !b.freed {
				e.Access, e.Buffer = w.accessOf(b, what, addr, size), b.addr
				e.Arg, e.Index = b.name, floorDiv(int64(addr-b.addr), int64(size))
			}
			if w.opts.Record == nil {
				panic(e)
			}
			w.strayed(what, first, count, size)
			w.stray = cmp.Or(w.stray, e)
			return nil
		}
	}
}

// accessOf describes an access to a buffer by the argument that points to it.
func (w *worker) accessOf(b *Buffer, what string, addr uint64, size int) *stray.Access {
	a := &stray.Access{What: what, Size: size, Word: -1, Name: b.name, Offset: int64(addr - b.addr),
		Bytes: int64(len(b.data))}
	for i, word := range w.args {
		if i < len(w.p.Params) && tt.IsPtr(w.p.Params[i]) && find(w.table, word) == b {
			a.Word = i
			break
		}
	}
	return a
}

// runEnd returns the end of the run from lane i of lanes that take part and point to neighbouring
// elements.
func runEnd(ptrs []uint64, mask []uint8, i int, size uint64) int {
	p := ptrs[i]
	j := i + 1
	if mask == nil {
		for p += size; j < len(ptrs) && ptrs[j] == p; j++ {
			p += size
		}
		return j
	}
	mask = mask[:len(ptrs)]
	for p += size; j < len(ptrs) && ptrs[j] == p && mask[j] != 0; j++ {
		p += size
	}
	return j
}

// gather loads d through pointers, by runs of neighbours. Lanes that take no part keep what they have.
func gather[U any](w *worker, d []U, ptrs []uint64, mask []uint8, shape []int64) {
	var zero U
	size := int(unsafe.Sizeof(zero))
	w.masked = mask != nil
	w.lanes("load", len(d), mask)
	for i := 0; i < len(d); {
		if mask != nil && mask[i] == 0 {
			i++
			continue
		}
		j := runEnd(ptrs, mask, i, uint64(size))
		b := w.check("load", ptrs[i], j-i, size, i, shape)
		if b == nil {
			i = j
			continue
		}
		if b.written != nil && w.opts.TrackUninit {
			w.checkWritten(b, ptrs[i], j-i, size, i, shape)
		}
		if w.opts.TrackRaces {
			w.checkRace(b, ptrs[i], (j-i)*size, nil, size, i, shape)
		}
		if j-i == 1 {
			d[i] = at[U](b, ptrs[i], 1)[0]
		} else {
			copy(d[i:j], at[U](b, ptrs[i], j-i))
		}
		i = j
	}
	w.settle()
}

// scatter stores s through pointers, by runs of neighbours.
func scatter[U any](w *worker, s []U, ptrs []uint64, mask []uint8, shape []int64) {
	var zero U
	size := int(unsafe.Sizeof(zero))
	w.masked = mask != nil
	w.lanes("store", len(s), mask)
	for i := 0; i < len(s); {
		if mask != nil && mask[i] == 0 {
			i++
			continue
		}
		j := runEnd(ptrs, mask, i, uint64(size))
		b := w.check("store", ptrs[i], j-i, size, i, shape)
		if b == nil {
			i = j
			continue
		}
		if b.written != nil {
			b.MarkWritten(int(ptrs[i]-b.addr), (j-i)*size)
		}
		if w.opts.TrackRaces {
			w.checkRace(b, ptrs[i], (j-i)*size, view8(s[i:j]), size, i, shape)
		}
		if j-i == 1 {
			at[U](b, ptrs[i], 1)[0] = s[i]
		} else {
			copy(at[U](b, ptrs[i], j-i), s[i:j])
		}
		i = j
	}
	w.settle()
}

// view8 returns a row as bytes.
func view8[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

func lowerLoad(c *compiler, op *ir.Op) step {
	ptr, mask, other := op.Slot(0), op.Slot(1), op.Slot(2)
	if tt.IsTensorPtr(ptr.Type) {
		return lowerBlockLoad(c, op)
	}
	d := c.out(op.Result(0))
	if d.kind == kObj || d.kind == kNone {
		return c.errorf(op, "type %s is not supported", op.Result(0).Type)
	}
	var o *value
	if other != nil {
		v := c.in(other)
		o = &v
	}
	a := c.access(ptr, mask)
	a.undefined = mask != nil && other == nil
	return c.load(d, a, o)
}

// load returns the step that loads a row; inactive lanes become other, or zero when other is nil.
func (c *compiler) load(d value, a access, other *value) step {
	switch {
	case d.small() && d.fmt.Bits == 16:
		t := c.temp(kI16, d.n).reg
		return loadSmall(d, a, other, t, gather[uint16], decodeRow16)
	case d.small():
		t := c.temp(kI8, d.n).reg
		return loadSmall(d, a, other, t, gather[uint8], decodeRow8)
	case d.kind == kI1:
		s := loadRow[uint8](d, a, other)
		return func(f *frame) {
			s(f)
			for r, i := row[uint8](f, d.reg), 0; i < len(r); i++ {
				r[i] = min(r[i], 1)
			}
		}
	case d.kind.bytes() == 1:
		return loadRow[uint8](d, a, other)
	case d.kind.bytes() == 2:
		return loadRow[uint16](d, a, other)
	case d.kind.bytes() == 4:
		return loadRow[uint32](d, a, other)
	}
	return loadRow[uint64](d, a, other)
}

// loadRow loads elements that are held as they lie in memory.
func loadRow[U any](d value, a access, other *value) step {
	return func(f *frame) {
		r := row[U](f, d.reg)
		ptrs, mask := a.rows(f)
		if mask != nil && other != nil {
			f.copyReg(d.reg, other.reg, d.kind)
		} else if mask != nil {
			a.preset(f, view8(r))
		}
		gather(f.w, r, ptrs, mask, a.shape)
	}
}

// preset fills a row with the values of inactive lanes of a load without other: zeros, or all ones
// (Device.FillMasked).
func (a access) preset(f *frame, r []byte) {
	clear(r)
	if a.undefined && f.w.opts.MaskedOnes {
		for i := range r {
			r[i] = 0xff
		}
	}
}

// loadSmall loads floats that are held as float32.
func loadSmall[U any](d value, a access, other *value, temp reg,
	load func(w *worker, d []U, ptrs []uint64, mask []uint8, shape []int64),
	decode func(s *small, d []float32, bits []U)) step {
	s := smallFor(d.fmt)
	return func(f *frame) {
		bits, r := row[U](f, temp), row[float32](f, d.reg)
		ptrs, mask := a.rows(f)
		if mask != nil {
			a.preset(f, view8(bits))
		}
		load(f.w, bits, ptrs, mask, a.shape)
		decode(s, r, bits)
		if mask != nil && other != nil {
			o := row[float32](f, other.reg)
			m := spread(o, len(r))
			for i := range r {
				if mask[i] == 0 {
					r[i] = o[i&m]
				}
			}
		}
	}
}

func lowerStore(c *compiler, op *ir.Op) step {
	ptr := op.Slot(0)
	if tt.IsTensorPtr(ptr.Type) {
		return lowerBlockStore(c, op)
	}
	s := c.full(op.Slot(1))
	if s.kind == kObj || s.kind == kNone {
		return c.errorf(op, "type %s is not supported", op.Slot(1).Type)
	}
	return c.store(s, c.access(ptr, op.Slot(2)))
}

// store returns the step that stores a row.
func (c *compiler) store(s value, a access) step {
	switch {
	case s.small() && s.fmt.Bits == 16:
		t, small := c.temp(kI16, s.n).reg, smallFor(s.fmt)
		return func(f *frame) {
			bits := row[uint16](f, t)
			encodeRow16(small, bits, row[float32](f, s.reg))
			ptrs, mask := a.rows(f)
			scatter(f.w, bits, ptrs, mask, a.shape)
		}
	case s.small():
		t, small := c.temp(kI8, s.n).reg, smallFor(s.fmt)
		return func(f *frame) {
			bits := row[uint8](f, t)
			encodeRow8(small, bits, row[float32](f, s.reg))
			ptrs, mask := a.rows(f)
			scatter(f.w, bits, ptrs, mask, a.shape)
		}
	case s.kind.bytes() == 1:
		return storeRow[uint8](s, a)
	case s.kind.bytes() == 2:
		return storeRow[uint16](s, a)
	case s.kind.bytes() == 4:
		return storeRow[uint32](s, a)
	}
	return storeRow[uint64](s, a)
}

func storeRow[U any](s value, a access) step {
	return func(f *frame) {
		ptrs, mask := a.rows(f)
		scatter(f.w, row[U](f, s.reg), ptrs, mask, a.shape)
	}
}

// lowerAddPtr moves pointers by elements.
func lowerAddPtr(c *compiler, op *ir.Op) step {
	d, p, o := c.out(op.Result(0)).reg, c.in(op.Operand(0)).reg, c.in(op.Operand(1))
	pointee, _, _ := tt.AsPtr(ir.ElemOf(op.Result(0).Type))
	l, err := layoutOf(pointee)
	if err != nil {
		return c.errorf(op, "%v", err)
	}
	size := int64(l.memBytes())
	switch o.kind {
	case kI8:
		return addPtr[int8](d, p, o.reg, size)
	case kI16:
		return addPtr[int16](d, p, o.reg, size)
	case kI32:
		return addPtr[int32](d, p, o.reg, size)
	case kI64:
		return addPtr[int64](d, p, o.reg, size)
	case kI1:
		return func(f *frame) {
			zip(row[int64](f, d), row[int64](f, p), row[uint8](f, o.reg), func(p int64, o uint8) int64 {
				return p - int64(o)*size
			})
		}
	}
	return c.errorf(op, "offsets of type %s are not supported", op.Operand(1).Type)
}

func addPtr[T signedInt](d, p, o reg, size int64) step {
	return func(f *frame) {
		d, p, o := row[int64](f, d), row[int64](f, p), row[T](f, o)
		switch {
		case len(p) == len(d) && len(o) == len(d):
			p, o = p[:len(d)], o[:len(d)]
			for i := range d {
				d[i] = p[i] + int64(o[i])*size
			}
		case len(p) == len(d):
			p = p[:len(d)]
			y := int64(o[0]) * size
			for i := range d {
				d[i] = p[i] + y
			}
		default:
			o = o[:len(d)]
			x := p[0]
			for i := range d {
				d[i] = x + int64(o[i])*size
			}
		}
	}
}

var memoryOps = map[*ir.OpDef]lowering{
	tt.Load:           lowerLoad,
	tt.Store:          lowerStore,
	tt.AddPtr:         lowerAddPtr,
	tt.AtomicRMW:      lowerAtomicRMW,
	tt.AtomicCAS:      lowerAtomicCAS,
	tt.MakeTensorPtr:  lowerMakeTensorPtr,
	tt.Advance:        lowerAdvance,
	tt.MakeTensorDesc: lowerMakeTensorDesc,
	tt.DescLoad:       lowerDescLoad,
	tt.DescStore:      lowerDescStore,
	tt.DescReduce:     lowerDescReduce,
	tt.DescGather:     lowerDescGather,
	tt.DescScatter:    lowerDescScatter,
}
