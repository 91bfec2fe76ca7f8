package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
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
	// The operand that is no tensor is converted before anything else, whichever side it stands on.
	return b.compare(op, b.toTensor(l), b.toTensor(r)), nil
}

func (b *Builder) compare(op python.CmpOperator, l, r *Tensor) *Tensor {
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

// minMax returns the minimum or maximum. bf16 is widened, since no hardware compares it.
func (b *Builder) minMax(ops map[PropagateNan]byKind, l, r object.Value, nan PropagateNan) *Tensor {
	x, y := b.toTensor(l), b.toTensor(r)
	x, y = b.operands(b.widenBF16(x), b.widenBF16(y), 0)
	return b.same(ops[nan], x, y)
}

func (b *Builder) widenBF16(x *Tensor) *Tensor {
	if Scalar(x.Type) == BFloat16 {
		return b.cast(x, Float32, noRounding)
	}
	return x
}

func (b *Builder) clamp(v, least, most object.Value, nan PropagateNan) *Tensor {
	x, lo, hi := b.toTensor(v), b.toTensor(least), b.toTensor(most)
	x, lo, hi = b.widenBF16(x), b.widenBF16(lo), b.widenBF16(hi)
	lo, hi = b.operands(lo, hi, 0)
	x, lo = b.operands(x, lo, 0)
	x, hi = b.operands(x, hi, 0)
	if t := scalarType(x); !t.IsFloating() || lo.Type != x.Type {
		panic(bad(CodeType,
			"tl.clamp takes floats, not %s: for integers write tl.minimum(tl.maximum(x, lo), hi)", t))
	}
	return b.opA(tt.ClampF, x.Type, []ir.NamedAttr{ir.A("propagateNan", ir.I32Attr(int64(nan)))}, x.V, lo.V,
		hi.V)
}
