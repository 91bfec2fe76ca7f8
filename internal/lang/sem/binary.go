package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Binary returns the value of `l op r` where at least one side is a device value.
func (b *Builder) Binary(op python.Operator, l, r object.Value) (t *Tensor, err error) {
	defer guard(&err)
	f := binaryOps[op]
	if f == nil {
		panic(bad(CodeType, "operator %s is not defined for tensors", op).hint("%s", binaryHints[op]))
	}
	return f(b, l, r), nil
}

var binaryOps = map[python.Operator]func(b *Builder, l, r object.Value) *Tensor{
	python.Add:      func(b *Builder, l, r object.Value) *Tensor { return b.add(l, r, true) },
	python.Sub:      func(b *Builder, l, r object.Value) *Tensor { return b.sub(l, r, true) },
	python.Mult:     func(b *Builder, l, r object.Value) *Tensor { return b.mul(l, r, true) },
	python.Div:      (*Builder).truediv,
	python.FloorDiv: (*Builder).floordiv,
	python.Mod:      (*Builder).mod,
	python.BitAnd:   (*Builder).and,
	python.BitOr:    (*Builder).or,
	python.BitXor:   (*Builder).xor,
	python.LShift:   (*Builder).shl,
	python.RShift:   (*Builder).shr,
}

var binaryHints = map[python.Operator]string{
	python.Pow:     "multiply, or use libdevice.pow",
	python.MatMult: "use tl.dot",
}

// byKind has the float, signed and unsigned form of an operation.
type byKind struct{ float, signed, unsigned *ir.OpDef }

// pick returns the form for a type.
func (k byKind) pick(t *DType) *ir.OpDef {
	switch {
	case t == nil || t == Float8E4B15:
		return nil
	case t.IsFloating():
		return k.float
	case t.IsSigned():
		return k.signed
	case t.IsInt():
		return k.unsigned
	}
	return nil
}

// same returns the result of the operation on two operands of one type.
func (b *Builder) same(k byKind, x, y *Tensor) *Tensor {
	checkSame(x, y)
	def := k.pick(scalarType(x))
	if def == nil {
		panic(bad(CodeType, "arithmetic is not defined for %s", Scalar(x.Type)))
	}
	return b.op(def, x.Type, x.V, y.V)
}

// checkSame refuses operands that promotion left different: fp8e4b15 converts to fp16 whatever it should
// become.
func checkSame(x, y *Tensor) {
	if x.Type != y.Type {
		panic(bad(CodeType, "invalid operands of type %s and %s", Scalar(x.Type), Scalar(y.Type)))
	}
}

var (
	addOp = byKind{arith.AddF, arith.AddI, arith.AddI}
	subOp = byKind{arith.SubF, arith.SubI, arith.SubI}
	mulOp = byKind{arith.MulF, arith.MulI, arith.MulI}
	divOp = byKind{nil, arith.DivSI, arith.DivUI}
	modOp = byKind{arith.RemF, arith.RemSI, arith.RemUI}
)

func (b *Builder) add(l, r object.Value, sanitize bool) *Tensor {
	x, y := b.operands(l, r, ptrLeft|ptrRight)
	xp, yp := IsPtr(Scalar(x.Type)), IsPtr(Scalar(y.Type))
	switch {
	case xp && yp:
		panic(bad(CodeType, "two pointers cannot be added: %s and %s", x.Type, y.Type))
	case yp:
		return b.addPtr(y, x)
	case xp:
		return b.addPtr(x, y)
	}
	return b.checked("add", addOp, x, y, sanitize, (*Builder).add)
}

// addPtr moves a pointer. The operation takes its offset as signed, so an unsigned one is widened first.
func (b *Builder) addPtr(p, offset *Tensor) *Tensor {
	if IsBlockPtr(Scalar(p.Type)) {
		panic(bad(CodeType, "invalid operands of type %s and %s", p.Type, Scalar(offset.Type)).
			hint("a block pointer moves with tl.advance"))
	}
	v := offset.V
	if t := scalarType(offset); t.Kind == UnsignedInt && t.Bits < 64 {
		v = b.intCast(v, WithElem(offset.Type, Int64).IR(), false)
	}
	return b.op(tt.AddPtr, p.Type, p.V, v)
}

func (b *Builder) sub(l, r object.Value, sanitize bool) *Tensor {
	x, y := b.operands(l, r, ptrLeft)
	if IsPtr(Scalar(x.Type)) {
		return b.add(x, b.minus(y), false)
	}
	return b.checked("sub", subOp, x, y, sanitize, (*Builder).sub)
}

func (b *Builder) mul(l, r object.Value, sanitize bool) *Tensor {
	x, y := b.operands(l, r, 0)
	return b.checked("mul", mulOp, x, y, sanitize, (*Builder).mul)
}

// arithmetic is add, sub or mul; sanitize says whether to check for overflow.
type arithmetic func(b *Builder, l, r object.Value, sanitize bool) *Tensor

// checked returns the result of an operation on two operands of one type. For integers it first checks
// whether the result overflows.
func (b *Builder) checked(name string, k byKind, x, y *Tensor, sanitize bool, again arithmetic) *Tensor {
	if t := scalarType(x); sanitize && t != nil && t.IsInt() && t.Bits < 64 && b.Opts.SanitizeOverflow {
		b.checkOverflow(name, x, y, again)
	}
	return b.same(k, x, y)
}

// checkOverflow computes in 64 bits and compares with the limits of the type. Only debug mode makes an
// assertion of it, but Triton computes it always.
func (b *Builder) checkOverflow(name string, x, y *Tensor, again arithmetic) {
	t := scalarType(x)
	wide := again(b, b.cast(x, Int64, noRounding), b.cast(y, Int64, noRounding), false)
	lo, hi := intRange(t)
	most := b.scalar(object.BigInt(hi), Int64)
	least := b.scalar(object.BigInt(lo), Int64)
	ok := b.and(b.compare(python.LtE, wide, most), b.compare(python.GtE, wide, least))
	b.deviceAssert(ok, "int"+t.widthText()+" overflow detected for operation "+name, nil)
}

func (b *Builder) truediv(l, r object.Value) *Tensor {
	x, y := b.operands(l, r, division)
	switch xt, yt := scalarType(x), scalarType(y); {
	case xt.IsInt():
		x, y = b.cast(x, Float32, noRounding), b.cast(y, Float32, noRounding)
	case xt.Man > yt.Man:
		y = b.cast(y, xt, noRounding)
	default:
		x = b.cast(x, yt, noRounding)
	}
	return b.same(byKind{float: arith.DivF}, x, y)
}

func (b *Builder) floordiv(l, r object.Value) *Tensor {
	x, y := b.operands(l, r, division)
	if t := scalarType(x); t != nil && t.IsFloating() {
		panic(bad(CodeType, "// is not defined for %s", t).hint("use tl.floor(x / y)"))
	}
	return b.same(divOp, x, y)
}

func (b *Builder) mod(l, r object.Value) *Tensor {
	x, y := b.operands(l, r, division)
	return b.same(modOp, x, y)
}

// fdiv divides floats of any two types that need no conversion.
func (b *Builder) fdiv(x, y *Tensor, def *ir.OpDef) *Tensor {
	for _, o := range []*Tensor{x, y} {
		if t := scalarType(o); t == nil || !t.IsFloating() {
			panic(bad(CodeType, "tl.fdiv divides floats, but an operand has elements of type %s",
				Scalar(o.Type)))
		}
	}
	x, y = b.operands(x, y, asIs|division)
	return b.same(byKind{float: def}, x, y)
}

// bitOperands makes two integer operands of one type.
func (b *Builder) bitOperands(l, r object.Value) (*Tensor, *Tensor) {
	x, y := b.operands(l, r, 0)
	if t := scalarType(x); !t.IsInt() {
		panic(bad(CodeType, "bit operations need integers, not %s",
			t).hint("cast with .to(tl.int32, bitcast=True) to work on the bits of a float"))
	}
	return x, y
}

func (b *Builder) bit(def *ir.OpDef, l, r object.Value) *Tensor {
	x, y := b.bitOperands(l, r)
	return b.op(def, x.Type, x.V, y.V)
}

func (b *Builder) and(l, r object.Value) *Tensor { return b.bit(arith.AndI, l, r) }
func (b *Builder) or(l, r object.Value) *Tensor  { return b.bit(arith.OrI, l, r) }
func (b *Builder) xor(l, r object.Value) *Tensor { return b.bit(arith.XOrI, l, r) }

func (b *Builder) shl(l, r object.Value) *Tensor {
	b.checkShift(l, r)
	return b.bit(arith.ShLI, l, r)
}

// shr shifts by the sign of the left operand's type or, where that operand is a number, of the right one's.
func (b *Builder) shr(l, r object.Value) *Tensor {
	b.checkShift(l, r)
	self, ok := l.(*Tensor)
	if !ok {
		self = b.toTensor(r)
	}
	if t := scalarType(self); t != nil && t.IsSigned() {
		return b.bit(arith.ShRSI, l, r)
	}
	return b.bit(arith.ShRUI, l, r)
}

// checkShift warns of a compile-time distance that is too large.
func (b *Builder) checkShift(l, r object.Value) {
	x, ok := l.(*Tensor)
	if !ok {
		return
	}
	t := scalarType(x)
	if n, isInt := integer(r); isInt && t != nil && n.IsInt64() && n.Int64() >= int64(t.Bits) {
		b.Opts.warn("a shift by " + n.String() + " leaves no bit of " + t.Name + ", which has " +
			t.widthText() + " bits: its result is undefined")
	}
}

// LogicalAnd returns `l and r` of two device values, which must be bools.
func (b *Builder) LogicalAnd(l, r object.Value) (t *Tensor, err error) {
	defer guard(&err)
	return b.logical((*Builder).and, l, r), nil
}

// LogicalOr returns `l or r` of two device values, which must be bools.
func (b *Builder) LogicalOr(l, r object.Value) (t *Tensor, err error) {
	defer guard(&err)
	return b.logical((*Builder).or, l, r), nil
}

// LogicalNot returns `not v` of a device value, which must be a bool.
func (b *Builder) LogicalNot(v object.Value) (t *Tensor, err error) {
	defer guard(&err)
	return b.not(b.toTensor(v)), nil
}

func (b *Builder) logical(f func(*Builder, object.Value, object.Value) *Tensor, l, r object.Value) *Tensor {
	x, y := b.toTensor(l), b.toTensor(r)
	x = b.bitcast(x, Int1)
	y = b.bitcast(y, Int1)
	return f(b, x, y)
}

func (b *Builder) not(x *Tensor) *Tensor { return b.invert(b.bitcast(x, Int1)) }

// Unary returns the value of an operator with one operand.
func (b *Builder) Unary(op python.UnaryOperator, v object.Value) (t *Tensor, err error) {
	defer guard(&err)
	x := b.toTensor(v)
	switch op {
	case python.USub:
		return b.minus(x), nil
	case python.Invert:
		return b.invert(x), nil
	case python.Not:
		return b.not(x), nil
	}
	panic(bad(CodeType, "operator %s is not defined for tensors", op))
}

func (b *Builder) minus(x *Tensor) *Tensor {
	t := scalarType(x)
	if t == nil {
		panic(bad(CodeType, "unary - is not defined for %s", Scalar(x.Type)))
	}
	if b.has(triton.Negation) && t.IsFloating() && t != Float8E4B15 {
		return b.op(arith.NegF, x.Type, x.V)
	}
	return b.sub(b.null(t), x, true)
}

func (b *Builder) invert(x *Tensor) *Tensor {
	t := scalarType(x)
	if t == nil || !t.IsInt() {
		panic(bad(CodeType, "~ is not defined for %s",
			Scalar(x.Type)).hint("it flips the bits of integers and bools"))
	}
	return b.xor(x, &Tensor{b.constInt(-1, t.ir), t})
}
