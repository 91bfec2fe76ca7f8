package interp

import (
	"fmt"
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// tensorRef is a block pointer or a descriptor: a tensor in memory, and for a block pointer the block's place
// in it. It is never changed.
type tensorRef struct {
	base    uint64
	shape   []int64
	strides []int64 // in elements
	offsets []int64 // offsets of the block; nil for a descriptor
	nan     bool    // a load outside the tensor gives NaN, not zero
}

// Descriptor describes a tensor in memory to a kernel that takes a tensor descriptor.
type Descriptor struct {
	Base    uint64
	Shape   []int64
	Strides []int64 // in elements
	NaN     bool    // loads outside the tensor give NaN instead of zero
}

// descriptorTag marks the handles that Memory.Descriptor gives out; no address has it.
const descriptorTag = 1 << 63

// Descriptor gives a descriptor a handle, to be passed as a kernel's argument, until FreeDescriptor takes it
// back.
func (m *Memory) Descriptor(d Descriptor) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.descs == nil {
		m.descs = map[uint64]*tensorRef{}
	}
	m.lastDesc++
	m.descs[m.lastDesc] = &tensorRef{base: d.Base, shape: d.Shape, strides: d.Strides, nan: d.NaN}
	return descriptorTag | m.lastDesc
}

// FreeDescriptor ends the life of a handle.
func (m *Memory) FreeDescriptor(handle uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.descs, handle&^descriptorTag)
}

func (w *worker) descriptor(handle uint64) *tensorRef {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	d := w.mem.descs[handle&^descriptorTag]
	if handle&descriptorTag == 0 || d == nil {
		panic(&Fault{Kernel: w.p.Name, Program: w.pid, Loc: ir.Unknown, Op: "tt.func",
			Msg: fmt.Sprintf("an argument that is a tensor descriptor was given %#x, which is no "+
				"handle of one", handle)})
	}
	return d
}

func lowerMakeTensorPtr(c *compiler, op *ir.Op) step {
	d, base := c.out(op.Result(0)).reg, c.in(op.Operand(0)).reg
	shape, strides, offsets := c.intList(op.Group(1)), c.intList(op.Group(2)), c.intList(op.Group(3))
	return func(f *frame) {
		f.objs[d] = &tensorRef{base: scalar[uint64](f, base), shape: shape(f), strides: strides(f),
			offsets: offsets(f)}
	}
}

func lowerAdvance(c *compiler, op *ir.Op) step {
	d, p := c.out(op.Result(0)).reg, c.in(op.Operand(0)).reg
	by := c.intList(op.Group(1))
	return func(f *frame) {
		t := *f.objs[p].(*tensorRef)
		moved := by(f)
		for i := range moved {
			moved[i] = int64(int32(moved[i] + t.offsets[i]))
		}
		t.offsets = moved
		f.objs[d] = &t
	}
}

func lowerMakeTensorDesc(c *compiler, op *ir.Op) step {
	d, base := c.out(op.Result(0)).reg, c.in(op.Operand(0)).reg
	shape, strides := c.intList(op.Group(1)), c.intList(op.Group(2))
	nan := op.IntOr("padding", tt.PadZero) == tt.PadNaN
	return func(f *frame) {
		f.objs[d] = &tensorRef{base: scalar[uint64](f, base), shape: shape(f), strides: strides(f), nan: nan}
	}
}

// intList reads scalars of 32 or 64 bits.
func (c *compiler) intList(vs []*ir.Value) func(f *frame) []int64 {
	in := make([]value, len(vs))
	for i, v := range vs {
		in[i] = c.in(v)
	}
	return func(f *frame) []int64 {
		out := make([]int64, len(in))
		for i, v := range in {
			if v.kind == kI32 {
				out[i] = int64(scalar[int32](f, v.reg))
			} else {
				out[i] = scalar[int64](f, v.reg)
			}
		}
		return out
	}
}

// window is a block of a tensor in memory: from a reference, its place and shape.
type window struct {
	dims   []int64
	size   uint64 // size of an element in memory
	checks []bool // dimensions in which lanes outside the tensor take no part
}

func allTrue(n int) []bool {
	b := make([]bool, n)
	for i := range b {
		b[i] = true
	}
	return b
}

// addresses puts the address of each element of a block, and whether it takes part, into rows.
func (b *window) addresses(t *tensorRef, at []int64, ptrs []uint64, mask []uint8) {
	rank := len(b.dims)
	last := rank - 1
	index := make([]int64, rank)
	for i := 0; i < len(ptrs); {
		p, in := t.base, uint8(1)
		for d := range last {
			x := at[d] + index[d]
			p += uint64(x*t.strides[d]) * b.size
			if b.checks[d] && (x < 0 || x >= t.shape[d]) {
				in = 0
			}
		}
		step := uint64(t.strides[last]) * b.size
		p += uint64(at[last]) * step
		for x := range b.dims[last] {
			ptrs[i], mask[i] = p, in
			if k := at[last] + x; b.checks[last] && (k < 0 || k >= t.shape[last]) {
				mask[i] = 0
			}
			p += step
			i++
		}
		for d := last - 1; d >= 0; d-- {
			if index[d]++; index[d] < b.dims[d] {
				break
			}
			index[d] = 0
		}
	}
}

// blockAccess emits the step that turns a block into rows of pointers and a mask.
func (c *compiler) blockAccess(op *ir.Op, ref reg, b window, n int, shape []int64,
	at func(f *frame, t *tensorRef) []int64) access {
	a := access{ptr: c.temp(kI64, n).reg, mask: c.temp(kI1, n).reg, shape: shape}
	c.emit(op, func(f *frame) {
		t := f.objs[ref].(*tensorRef)
		b.addresses(t, at(f, t), row[uint64](f, a.ptr), row[uint8](f, a.mask))
	})
	return a
}

func ownOffsets(_ *frame, t *tensorRef) []int64 { return t.offsets }

// tensorPtrAccess returns the access of a load or store through a block pointer.
func (c *compiler) tensorPtrAccess(op *ir.Op, block *ir.TensorType) access {
	l, _ := layoutOf(block)
	b := window{dims: block.Shape, size: uint64(l.memBytes()), checks: make([]bool, len(block.Shape))}
	if list, ok := op.Attr("boundaryCheck").(*ir.DenseArrayAttr); ok {
		for _, d := range list.Values {
			if d >= 0 && d < int64(len(b.checks)) {
				b.checks[d] = true
			}
		}
	}
	return c.blockAccess(op, c.in(op.Slot(0)).reg, b, l.n, block.Shape, ownOffsets)
}

func lowerBlockLoad(c *compiler, op *ir.Op) step {
	d := c.out(op.Result(0))
	a := c.tensorPtrAccess(op, op.Result(0).Type.(*ir.TensorType))
	var other *value
	if op.IntOr("padding", tt.PadZero) == tt.PadNaN {
		v, ok := c.nan(d)
		if !ok {
			return c.errorf(op, "padding with NaN of type %s is not supported", op.Result(0).Type)
		}
		other = &v
	}
	return c.load(d, a, other)
}

// nan returns a register that holds one NaN of a float type, and false for other types.
func (c *compiler) nan(like value) (value, bool) {
	if !like.kind.isFloat() {
		return value{}, false
	}
	v := value{layout: like.layout, uni: like.n > 1, reg: c.newReg(like.kind, 1, false)}
	c.fn.inits = append(c.fn.inits, func(f *frame) {
		if like.kind == kF64 {
			row[float64](f, v.reg)[0] = num.F64.Decode(num.F64.NaN())
		} else {
			row[float32](f, v.reg)[0] = float32(math.NaN())
		}
	})
	return v, true
}

func lowerBlockStore(c *compiler, op *ir.Op) step {
	s := c.full(op.Slot(1))
	return c.store(s, c.tensorPtrAccess(op, op.Slot(1).Type.(*ir.TensorType)))
}

// descAccess returns the access of a descriptor's block at the op's indices. The block's shape is the
// descriptor's, which may have leading dimensions of one that the tensor lacks.
func (c *compiler) descAccess(op *ir.Op, indices []*ir.Value, tensor ir.Type) access {
	block := tt.DescTensor(op.Operand(0).Type)
	l, err := layoutOf(block)
	if t, _ := layoutOf(tensor); err != nil || t.n != l.n {
		c.errorf(op, "a block of %s is no %s", block, tensor)
		return access{}
	}
	b := window{dims: block.Shape, size: uint64(l.memBytes()), checks: allTrue(len(block.Shape))}
	at := c.intList(indices)
	return c.blockAccess(op, c.in(op.Operand(0)).reg, b, l.n, ir.ShapeOf(tensor),
		func(f *frame, _ *tensorRef) []int64 {
			return at(f)
		})
}

func lowerDescLoad(c *compiler, op *ir.Op) step {
	d := c.out(op.Result(0))
	a := c.descAccess(op, op.Group(1), op.Result(0).Type)
	return c.descLoad(op, d, a)
}

// descLoad loads a block; elements outside the tensor become zero or NaN, as the descriptor asks.
func (c *compiler) descLoad(op *ir.Op, d value, a access) step {
	zero := c.load(d, a, nil)
	nan, ok := c.nan(d)
	if !ok {
		return zero
	}
	withNaN := c.load(d, a, &nan)
	ref := c.in(op.Operand(0)).reg
	return func(f *frame) {
		if f.objs[ref].(*tensorRef).nan {
			withNaN(f)
		} else {
			zero(f)
		}
	}
}

func lowerDescStore(c *compiler, op *ir.Op) step {
	s := c.full(op.Slot(1))
	return c.store(s, c.descAccess(op, op.Group(2), op.Slot(1).Type))
}

// gatherAccess returns the access of rows that a tensor of indices picks, from a column on.
func (c *compiler) gatherAccess(op *ir.Op, tensor ir.Type) access {
	shape := ir.ShapeOf(tensor)
	block := tt.DescTensor(op.Operand(0).Type)
	l, err := layoutOf(tensor)
	if err != nil || len(shape) != 2 || len(block.Shape) != 2 {
		c.errorf(op, "from %s to %s is not supported", op.Operand(0).Type, tensor)
		return access{}
	}
	a := access{ptr: c.temp(kI64, l.n).reg, mask: c.temp(kI1, l.n).reg, shape: shape}
	b := window{dims: []int64{1, shape[1]}, size: uint64(l.memBytes()), checks: allTrue(2)}
	ref, rows, col, width := c.in(op.Operand(0)).reg, c.full(op.Operand(1)).reg, c.in(op.Operand(2)).reg,
		int(shape[1])
	c.emit(op, func(f *frame) {
		t := f.objs[ref].(*tensorRef)
		ptrs, mask := row[uint64](f, a.ptr), row[uint8](f, a.mask)
		y := int64(scalar[int32](f, col))
		for i, x := range row[int32](f, rows) {
			b.addresses(t, []int64{int64(x), y}, ptrs[i*width:(i+1)*width], mask[i*width:(i+1)*width])
		}
	})
	return a
}

func lowerDescGather(c *compiler, op *ir.Op) step {
	a := c.gatherAccess(op, op.Result(0).Type)
	return c.descLoad(op, c.out(op.Result(0)), a)
}

func lowerDescScatter(c *compiler, op *ir.Op) step {
	s := c.full(op.Operand(3))
	return c.store(s, c.gatherAccess(op, op.Operand(3).Type))
}

// descRMW maps the kind of a descriptor_reduce to the atomic on each element.
var descRMW = map[int64][2]int64{ // of signed, of unsigned integers
	tt.ReduceAdd: {tt.RMWAdd, tt.RMWAdd},
	tt.ReduceMin: {tt.RMWMin, tt.RMWUMin},
	tt.ReduceMax: {tt.RMWMax, tt.RMWUMax},
	tt.ReduceAnd: {tt.RMWAnd, tt.RMWAnd},
	tt.ReduceOr:  {tt.RMWOr, tt.RMWOr},
	tt.ReduceXor: {tt.RMWXor, tt.RMWXor},
}

func lowerDescReduce(c *compiler, op *ir.Op) step {
	s := c.full(op.Slot(1))
	return c.descReduce(op, s, c.descAccess(op, op.Group(2), op.Slot(1).Type))
}

// descReduce combines a row with memory.
func (c *compiler) descReduce(op *ir.Op, s value, a access) step {
	kinds, ok := descRMW[op.IntOr("kind", 0)]
	if !ok {
		return c.errorf(op, "this kind of reduction is not supported")
	}
	kind := kinds[0]
	if it, isInt := tt.DescBlock(op.Operand(0).Type).Elem.(*ir.IntegerType); isInt && it.Sign == ir.Unsigned {
		kind = kinds[1]
	}
	raw, old := c.raw(s), c.rawOld(s)
	var out step
	switch s.memBytes() {
	case 1:
		out = rmwStep(rmwFor[uint8](kind, s.layout, c.adder()), raw, old, a)
	case 2:
		out = rmwStep(rmwFor[uint16](kind, s.layout, c.adder()), raw, old, a)
	case 4:
		out = rmwStep(rmwFor[uint32](kind, s.layout, c.adder()), raw, old, a)
	case 8:
		out = rmwStep(rmwFor[uint64](kind, s.layout, c.adder()), raw, old, a)
	}
	if out == nil {
		return c.errorf(op, "type %s is not supported", op.Operand(0).Type)
	}
	return out
}

// rawOld returns a scratch register for the value that an atomic found.
func (c *compiler) rawOld(s value) reg {
	return c.temp(map[int]kind{1: kI8, 2: kI16, 4: kI32, 8: kI64}[s.memBytes()], s.n).reg
}
