package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// predicates has the float, signed and unsigned form of a comparison.
type predicates struct{ float, signed, unsigned int64 }

var comparisons = map[python.CmpOperator]predicates{
	python.Lt:    {arith.FOLT, arith.SLT, arith.ULT},
	python.LtE:   {arith.FOLE, arith.SLE, arith.ULE},
	python.Gt:    {arith.FOGT, arith.SGT, arith.UGT},
	python.GtE:   {arith.FOGE, arith.SGE, arith.UGE},
	python.Eq:    {arith.FOEQ, arith.EQ, arith.EQ},
	python.NotEq: {arith.FUNE, arith.NE, arith.NE},
}

// Compare returns the value of `l op r`, a bool for each element. A compile-time number takes part with the
// type that it has by itself.
func (b *Builder) Compare(op python.CmpOperator, l, r object.Value) (t *Tensor, err error) {
	defer guard(&err)
	if _, ok := comparisons[op]; !ok {
		panic(bad(CodeType, "operator %s is not defined for tensors", op))
	}
	return b.compare(op, b.fixed(l), b.fixed(r)), nil
}

// fixed returns an operand with the type that it has by itself; in languages in which numbers adapt to the
// other operand, a number stays a number.
func (b *Builder) fixed(v object.Value) object.Value {
	if b.has(triton.ScalarsAdapt) && isNumber(v) {
		return v
	}
	return b.toTensor(v)
}

func (b *Builder) compare(op python.CmpOperator, l, r object.Value) *Tensor {
	x, y := b.operands(l, r, 0)
	checkSame(x, y)
	t, p := scalarType(x), comparisons[op]
	def, predicate := arith.CmpI, p.unsigned
	switch {
	case t == nil || t == Float8E4B15:
		panic(bad(CodeType, "comparison is not defined for %s", Scalar(x.Type)))
	case t.IsFloating():
		def, predicate = arith.CmpF, p.float
	case t.IsSigned():
		predicate = p.signed
	}
	return b.opA(def, WithElem(x.Type, Int1), []ir.NamedAttr{ir.A("predicate", ir.I64Attr(predicate))}, x.V,
		y.V)
}

// Where picks from x where the condition holds, and from y elsewhere.
func (b *Builder) Where(cond, x, y object.Value) (t *Tensor, err error) {
	defer guard(&err)
	return b.where(b.toTensor(cond), x, y), nil
}

func (b *Builder) where(cond *Tensor, l, r object.Value) *Tensor {
	if Scalar(cond.Type) != Int1 {
		b.Opts.warn("the condition of tl.where is " + Scalar(cond.Type).String() +
			", which later versions of Triton refuse: compare it with 0")
	}
	cond = b.castTo(cond, Int1)
	x, y := b.operands(l, r, ptrLeft|ptrRight)
	if IsBlock(cond.Type) {
		cond, x = b.broadcastValues(cond, x)
		x, y = b.broadcastValues(x, y)
	} else {
		cond, _ = b.broadcastValues(cond, x)
	}
	if x.Type != y.Type {
		panic(bad(CodeType, "tl.where cannot choose between %s and %s", x.Type, y.Type))
	}
	return b.op(arith.Select, x.Type, cond.V, x.V, y.V)
}

// PropagateNan says whether minimum, maximum and clamp pass NaN on.
type PropagateNan int64

const (
	NanNone = PropagateNan(tt.NaNNone)
	NanAll  = PropagateNan(tt.NaNAll)
)

// TypeName returns the class's name in Triton.
func (PropagateNan) TypeName() string { return "PROPAGATE_NAN" }

func (p PropagateNan) String() string {
	if p == NanAll {
		return "PROPAGATE_NAN.ALL"
	}
	return "PROPAGATE_NAN.NONE"
}

var (
	minOps = map[PropagateNan]byKind{
		NanNone: {arith.MinNumF, arith.MinSI, arith.MinUI},
		NanAll:  {arith.MinimumF, arith.MinSI, arith.MinUI},
	}
	maxOps = map[PropagateNan]byKind{
		NanNone: {arith.MaxNumF, arith.MaxSI, arith.MaxUI},
		NanAll:  {arith.MaximumF, arith.MaxSI, arith.MaxUI},
	}
)

// minMax returns the minimum or maximum. Up to 3.8 bf16 is widened, since older hardware cannot compare it.
func (b *Builder) minMax(ops map[PropagateNan]byKind, l, r object.Value, nan PropagateNan) *Tensor {
	l, r = b.fixed(l), b.fixed(r)
	x, y := b.operands(b.widenBF16(l), b.widenBF16(r), 0)
	return b.same(ops[nan], x, y)
}

func (b *Builder) widenBF16(v object.Value) object.Value {
	if x, ok := v.(*Tensor); ok && Scalar(x.Type) == BFloat16 && !b.has(triton.KeepBF16) {
		return b.cast(x, Float32, noRounding)
	}
	return v
}

// clampAny limits floats or integers.
func (b *Builder) clampAny(v, least, most object.Value, nan PropagateNan) *Tensor {
	x, lo, hi := b.threeOperands(v, least, most)
	switch t := scalarType(x); {
	case t == nil || t == Float8E4B15:
		panic(bad(CodeType, "tl.clamp takes numbers, not %s", Scalar(x.Type)))
	case t.IsInt():
		return b.minMax(minOps, b.minMax(maxOps, x, lo, nan), hi, nan)
	}
	return b.clampF(x, lo, hi, nan)
}

func (b *Builder) clampF(x, lo, hi *Tensor, nan PropagateNan) *Tensor {
	return b.opA(tt.ClampF, x.Type, []ir.NamedAttr{ir.A("propagateNan", ir.I32Attr(int64(nan)))}, x.V, lo.V,
		hi.V)
}

func (b *Builder) clamp(v, least, most object.Value, nan PropagateNan) *Tensor {
	if b.has(triton.IntegerClamp) {
		return b.clampAny(v, least, most, nan)
	}
	v, least, most = b.toTensor(v), b.toTensor(least), b.toTensor(most)
	v, least, most = b.widenBF16(v), b.widenBF16(least), b.widenBF16(most)
	x := b.toTensor(v)
	lo, hi := b.operands(least, most, 0)
	x, lo = b.operands(x, lo, 0)
	x, hi = b.operands(x, hi, 0)
	if t := scalarType(x); !t.IsFloating() || lo.Type != x.Type {
		panic(bad(CodeType,
			"tl.clamp takes floats, not %s: for integers write tl.minimum(tl.maximum(x, lo), hi)", t))
	}
	return b.clampF(x, lo, hi, nan)
}
