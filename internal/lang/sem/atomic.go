package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

func atomicCAS(c *Call) object.Value {
	p := c.pointer("pointer")
	cmp, val := c.tensor("cmp"), c.tensor("val")
	sem, scope := c.order()
	elem, ok := pointee(p).(*DType)
	if !ok || elem.Bits < 16 {
		panic(bad(CodeType, "tl.atomic_cas takes pointers to elements of 16, 32 or 64 bits, not to %s",
			pointee(p)))
	}
	want := WithElem(p.Type, elem).IR()
	if cmp.V.Type != want || val.V.Type != want {
		panic(bad(CodeType, "atomic_cas on %s takes values of type %s, not %s and %s", p.Type, elem, cmp.Type,
			val.Type).
			hint("cast them to the pointer's element type"))
	}
	x := c.B.ValA(tt.AtomicCAS, want, []ir.NamedAttr{sem, scope}, p.V, cmp.V, val.V)
	return &Tensor{x, val.Type}
}

// order returns the memory order and scope that a call asks for.
func (c *Call) order() (sem, scope ir.NamedAttr) { return c.orderOf(semantics) }

// orderOf does what order does, for an operation that has only some orders.
func (c *Call) orderOf(orders words) (sem, scope ir.NamedAttr) {
	return ir.A("sem", ir.I32Attr(orders.get("memory semantic", c.str("sem")))),
		ir.A("scope", ir.I32Attr(scopes.get("memory scope", c.str("scope"))))
}

// The orders of atomic loads and stores; the first is the default.
var (
	loadOrders  = words{"": tt.SemAcquire, "acquire": tt.SemAcquire, "relaxed": tt.SemRelaxed}
	storeOrders = words{"": tt.SemRelease, "release": tt.SemRelease, "relaxed": tt.SemRelaxed}
)

// accessArgs checks and shapes the arguments of an atomic load or store; x is nil for a load.
func (c *Call) accessArgs(x *Tensor) (p, val, mask *Tensor) {
	b := c.B
	p, val, mask = c.pointer("pointer"), x, c.optTensor("mask")
	if x != nil && Scalar(p.Type).(*PtrType).Const {
		panic(bad(CodeType, "cannot store through %s", p.Type).at("pointer"))
	}
	switch {
	case !IsBlock(p.Type):
		checkScalar("val", x)
		checkScalar("mask", mask)
	case x == nil:
		p, mask = b.broadcastArg("mask", p, mask)
	default:
		p, val, mask = b.storeShapes(p, x, mask)
	}
	p = b.bytePointer(p)
	elem, ok := pointee(p).(*DType)
	if !ok {
		panic(bad(CodeType, "tl.%s takes pointers to numbers, not to %s", c.Fn.Name, pointee(p)))
	}
	if val != nil {
		val = b.castTo(val, elem)
	}
	if mask == nil {
		mask = b.splat(&Tensor{b.constInt(1, ir.I1), Int1}, ShapeOf(p.Type))
	}
	checkMask(p, mask)
	return p, val, mask
}

func atomicLoad(c *Call) object.Value {
	asBool := pointee(c.pointer("pointer")) == Int1
	p, _, mask := c.accessArgs(nil)
	sem, scope := c.orderOf(loadOrders)
	x := c.B.opA(tt.AtomicLoad, WithElem(p.Type, pointee(p)), []ir.NamedAttr{sem, scope}, p.V, mask.V)
	if asBool {
		return c.B.cast(x, Int1, noRounding)
	}
	return x
}

func atomicStore(c *Call) object.Value {
	p, x, mask := c.accessArgs(c.tensor("val"))
	sem, scope := c.orderOf(storeOrders)
	c.B.Op(tt.AtomicStore, []*ir.Value{p.V, x.V, mask.V}, nil, sem, scope)
	return object.None
}

// atomicPoll waits for values in memory.
func atomicPoll(c *Call) object.Value {
	b := c.B
	p, want := c.pointer("pointer"), c.tensor("expected_value")
	timeout := c.pollTimeout()
	elem, ok := pointee(p).(*DType)
	if !ok || !elem.IsInt() || elem.Bits < 16 {
		panic(bad(CodeType, "tl.atomic_poll waits for integers of 16, 32 or 64 bits, not for %s", pointee(p)))
	}
	want = b.castTo(want, elem)
	if IsBlock(p.Type) {
		p, want, _ = b.storeShapes(p, want, nil)
	} else {
		checkScalar("expected_value", want)
	}
	sem, scope := c.orderOf(loadOrders)
	var limit *ir.Value
	if timeout != nil {
		limit = b.castTo(timeout, Uint64).V
	}
	t := WithElem(p.Type, Int1)
	op := b.Groups(tt.AtomicPoll, [][]*ir.Value{{p.V}, {want.V}, {limit}}, []ir.Type{b.ir(t)}, sem, scope)
	return &Tensor{op.Result(0), t}
}

// pollTimeout returns the time that a poll may take, or nil.
func (c *Call) pollTimeout() *Tensor {
	if !c.given("timeout_ns") {
		return nil
	}
	if n, ok := smallInt(c.Named("timeout_ns")); ok && n < 0 {
		panic(bad(CodeValue, "the timeout of tl.atomic_poll is negative: %d", n).at("timeout_ns"))
	}
	t := c.tensor("timeout_ns")
	if d, ok := t.Type.(*DType); !ok || !d.IsInt() {
		panic(bad(CodeType, "the timeout of tl.atomic_poll is one integer, not %s", t.Type).at("timeout_ns"))
	}
	return t
}

// rmw makes tt.atomic_rmw with one memory order and scope.
type rmw struct {
	b          *Builder
	sem, scope ir.NamedAttr
}

func (r rmw) op(kind int64, p, x, mask *Tensor) *Tensor {
	attrs := []ir.NamedAttr{ir.A("atomic_rmw_op", ir.I32Attr(kind)), r.sem, r.scope}
	return &Tensor{r.b.ValA(tt.AtomicRMW, WithElem(p.Type, pointee(p)).IR(), attrs, p.V, x.V, mask.V), x.Type}
}

// atomicArgs checks and shapes the arguments of an atomic; op is the name without "atomic_".
func (c *Call) atomicArgs(op string) (r rmw, p, x, mask *Tensor) {
	b := c.B
	p = c.pointer("pointer")
	x = c.tensor("val")
	mask = c.optTensor("mask")
	if Scalar(p.Type).(*PtrType).Const {
		panic(bad(CodeType, "cannot store through %s", p.Type).at("pointer"))
	}
	elem, ok := pointee(p).(*DType)
	if !ok || elem.Bits < 16 || elem == Int16 || elem == Uint16 || (elem == Float16 || elem == BFloat16) &&
		op != "add" {
		panic(bad(CodeType, "atomic_%s does not support %s", op, pointee(p)))
	}
	if shape := ShapeOf(p.Type); shape != nil && b.has(triton.WideAtomics) {
		p, x, mask = b.storeShapes(p, x, mask)
	} else if shape != nil {
		if mask != nil {
			mask = b.broadcastTo(mask, shape)
		}
		x = b.broadcastTo(x, shape)
	} else {
		checkScalar("value", x)
		checkScalar("mask", mask)
	}
	x = b.castTo(x, elem)
	if mask == nil {
		mask = b.splat(&Tensor{b.constInt(1, ir.I1), Int1}, ShapeOf(p.Type))
	}
	checkMask(p, mask)
	sem, scope := c.order()
	return rmw{b, sem, scope}, p, x, mask
}

// atomicKind returns an atomic that is one operation whatever the type.
func atomicKind(op string, kind int64) impl {
	return func(c *Call) object.Value {
		r, p, x, mask := c.atomicArgs(op)
		return r.op(kind, p, x, mask)
	}
}

func atomicAdd(c *Call) object.Value {
	r, p, x, mask := c.atomicArgs("add")
	if scalarType(x).IsFloating() {
		return r.op(tt.RMWFAdd, p, x, mask)
	}
	return r.op(tt.RMWAdd, p, x, mask)
}

// extreme has the integer operations that an atomic minimum or maximum is made of.
type extreme struct {
	name             string
	signed, unsigned int64
	negative         int64 // for the bits of negative floats, which order the other way round
}

var (
	atomicMaxOp = extreme{"max", tt.RMWMax, tt.RMWUMax, tt.RMWUMin}
	atomicMinOp = extreme{"min", tt.RMWMin, tt.RMWUMin, tt.RMWUMax}
)

func atomicMax(c *Call) object.Value { return c.atomicExtreme(atomicMaxOp) }
func atomicMin(c *Call) object.Value { return c.atomicExtreme(atomicMinOp) }

func (c *Call) atomicExtreme(e extreme) *Tensor {
	r, p, x, mask := c.atomicArgs(e.name)
	switch t := scalarType(x); {
	case t.IsSigned():
		return r.op(e.signed, p, x, mask)
	case t.IsInt():
		return r.op(e.unsigned, p, x, mask)
	case t == Float32:
		return r.floatExtreme(e, p, x, mask, Int32, Uint32)
	case t == Float64:
		return r.floatExtreme(e, p, x, mask, Int64, Uint64)
	default:
		panic(bad(CodeType, "atomic_%s not supported for dtype %s", e.name, t))
	}
}

// floatExtreme computes on the bits of floats: those of floats that are not negative order like signed
// integers, those of negative ones, as unsigned integers, the other way round. One of two masked atomics
// takes effect.
func (r rmw) floatExtreme(e extreme, p, x, mask *Tensor, i, u *DType) *Tensor {
	b := r.b
	ix, ip := b.bitcast(x, i), b.bitcast(p, Ptr(i))
	ux, up := b.bitcast(x, u), b.bitcast(p, Ptr(u))
	neg := b.signBit(x)
	pos := b.not(neg)
	posOut := r.op(e.signed, ip, ix, b.and(mask, pos))
	negOut := r.op(e.negative, up, ux, b.and(mask, neg))
	if e == atomicMinOp && !b.has(triton.WideAtomics) { // Triton makes one type of them for max only
		negOut.Type = posOut.Type
	}
	return b.bitcast(b.where(pos, posOut, negOut), scalarType(x))
}

func (b *Builder) signBit(x *Tensor) *Tensor {
	bits := int64(scalarType(x).Bits)
	unsigned := intType(bits, false)
	top := b.shr(b.bitcast(x, unsigned), object.MakeInt(bits-1))
	return b.cast(top, Int1, noRounding)
}

// intType returns the integer type of a width, or nil.
func intType(bits int64, signed bool) *DType {
	for _, t := range []*DType{Int1, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64} {
		if int64(t.Bits) == bits && (t.IsSigned() == signed || t == Int1) {
			return t
		}
	}
	return nil
}

func getIntDType(c *Call) object.Value {
	t := intType(c.int("bitwidth"), c.bool("signed"))
	if t == nil {
		panic(bad(CodeValue, "unsupported bitwidth %d and signedness %v", c.int("bitwidth"),
			c.bool("signed")))
	}
	return t
}
