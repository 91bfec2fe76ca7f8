package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// atomicOps change memory in one step for each element.
var atomicOps = table{
	tt.AtomicRMW: convertRMW,
	tt.AtomicCAS: convertCAS,
}

// rmwKinds are the words of memref.atomic_rmw.
var rmwKinds = map[int64]string{
	tt.RMWAnd: "andi", tt.RMWOr: "ori", tt.RMWXor: "xori", tt.RMWAdd: "addi", tt.RMWFAdd: "addf",
	tt.RMWMax: "maxs", tt.RMWMin: "mins", tt.RMWUMax: "maxu", tt.RMWUMin: "minu", tt.RMWXchg: "assign",
}

// step is one atomic step on the only element of a view; it returns what was there.
type step func(view *ir.Value, args []*ir.Value) *ir.Value

func convertRMW(c *converter, op *ir.Op) {
	rmw := op.IntOr("atomic_rmw_op", 0)
	elem := dataElem(ir.ElemOf(op.Operand(1).Type))
	word := rmwKinds[rmw]
	if ir.IsFloat(elem) {
		if w := floatKinds[rmw]; w != "" {
			word = w
		} else {
			elem = ir.Int(ir.BitWidth(elem))
		}
	}
	kind, ok := memref.AtomicKind.Value(word)
	if !ok {
		c.failAt(op, "this atomic operation is not supported")
		return
	}
	c.atomic(op, elem, op.Operands()[1:2], op.Slot(2), func(view *ir.Value, args []*ir.Value) *ir.Value {
		v := c.toMemory(args[0], elem)
		return c.b.ValA(memref.AtomicRMW, elem, []ir.NamedAttr{ir.A("kind", ir.I64Attr(kind))}, v,
			view, c.index(0))
	})
}

// floatKinds are the operations that floats have; the others are done on their bits.
var floatKinds = map[int64]string{tt.RMWFAdd: "addf", tt.RMWXchg: "assign", tt.RMWMax: "maxnumf",
	tt.RMWMin: "minnumf"}

// convertCAS compares bits, as hardware does.
func convertCAS(c *converter, op *ir.Op) {
	bits := ir.Int(ir.BitWidth(dataElem(ir.ElemOf(op.Operand(1).Type))))
	c.atomic(op, bits, op.Operands()[1:3], nil, func(view *ir.Value, args []*ir.Value) *ir.Value {
		want, val := c.toMemory(args[0], bits), c.toMemory(args[1], bits)
		return c.exchange(view, func(old *ir.Value) *ir.Value {
			return c.b.Val(arith.Select, bits, c.compare(arith.EQ, old, want), val, old)
		})
	})
}

// exchange replaces the only element of a view by what f makes of it.
func (c *converter) exchange(view *ir.Value, f func(old *ir.Value) *ir.Value) *ir.Value {
	mem := ir.ElemOf(view.Type)
	body := ir.NewBlock(mem)
	op := c.b.Create(ir.State{
		Def: memref.GenericAtomicRMW, Operands: []*ir.Value{view, c.index(0)}, Results: []ir.Type{mem},
		Regions: []*ir.Region{ir.NewRegion(body)},
	})
	c.within(body, func() { c.b.Op(memref.AtomicYield, []*ir.Value{f(body.Arg(0))}, nil) })
	return op.Result(0)
}

// atomic does a step, on memory seen as elements of the given type, for each element that the mask admits.
// Where the result is used, that of the others is zero.
func (c *converter) atomic(op *ir.Op, elem ir.Type, operands []*ir.Value, maskv *ir.Value, f step) {
	ptr, v := op.Operand(0), op.Result(0)
	if _, tensor := ptr.Type.(*ir.TensorType); !tensor {
		c.atomicScalar(op, elem, operands, maskv, f)
		return
	}
	a := c.access(ptr, maskv)
	var buf *ir.Value
	if c.needed[v] {
		buf = c.alloc(a.shape, elem)
		if !a.full {
			c.fillBuffer(c.zero(elem), buf)
		}
	}
	if !a.addr.bottom {
		vals := make([]*ir.Value, len(operands))
		for i, x := range operands {
			vals[i] = c.val(x)
			if tt.IsPtrLike(x.Type) {
				vals[i] = c.absolute(x)
			}
		}
		var memory *ir.Value
		if a.addr.src != nil {
			memory = c.withElem(a.addr.src, elem)
		}
		c.pieces(a, true, func(p piece) {
			p.src = memory
			args := make([]*ir.Value, len(vals))
			for i, x := range vals {
				args[i] = c.extract(x, offsetsOf(p.block))
			}
			old := f(c.view(p, elem), args)
			if buf != nil {
				c.store(old, buf, p.block)
			}
		})
	}
	if buf != nil {
		c.setVal(v, c.asValues(c.toTensor(buf), dataElem(a.elem)))
	}
}

func (c *converter) atomicScalar(op *ir.Op, mem ir.Type, operands []*ir.Value, maskv *ir.Value, f step) {
	v, s := op.Result(0), c.stateOf(op.Operand(0))
	elem := dataElem(ir.ElemOf(v.Type))
	do := func() *ir.Value {
		if s.bottom {
			return c.zero(elem)
		}
		var args []*ir.Value
		for _, x := range operands {
			if tt.IsPtr(x.Type) {
				args = append(args, c.address(c.stateOf(x)))
			} else {
				args = append(args, c.val(x))
			}
		}
		view := c.view(piece{src: c.withElem(s.src, mem), off: c.expr(s.off)}, mem)
		return c.fromMemory(f(view, args), elem)
	}
	var old *ir.Value
	switch {
	case maskv == nil || isTrue(maskv):
		old = do()
	case c.needed[v]:
		old = c.choose(c.val(maskv), elem, do, func() *ir.Value { return c.zero(elem) })
	default:
		c.ifThen(c.val(maskv), func() { do() })
		return
	}
	if tt.IsPtr(v.Type) {
		c.root(v, old)
		return
	}
	c.setVal(v, old)
}

// isTrue reports whether a scalar condition is known to hold.
func isTrue(v *ir.Value) bool {
	k, ok := arith.IntOf(v)
	return ok && k != 0
}
