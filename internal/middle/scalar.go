package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// scalarOps are Triton's operations on elements, in arith and math.
var scalarOps = map[*ir.OpDef]func(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error){
	tt.ClampF:            scalarClamp,
	tt.PreciseSqrt:       renamed(math.Sqrt),
	tt.PreciseDivF:       renamed(arith.DivF),
	tt.ApproxDivF:        renamed(arith.DivF),
	tt.MulhiUI:           scalarMulHigh,
	tt.FpToFp:            scalarConvert,
	tt.Bitcast:           scalarBitcast,
	tt.ExternElementwise: scalarExtern,
}

func one(v *ir.Value) ([]*ir.Value, error) { return []*ir.Value{v}, nil }

// renamed converts an operation that only has another name in MLIR.
func renamed(def *ir.OpDef) func(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	return func(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
		return one(c.b.Val(def, ir.ElemOf(op.Result(0).Type), args...))
	}
}

func scalarClamp(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	lower, upper := arith.MaxNumF, arith.MinNumF
	if op.IntOr("propagateNan", tt.NaNNone) == tt.NaNAll {
		lower, upper = arith.MaximumF, arith.MinimumF
	}
	t := ir.ElemOf(op.Result(0).Type)
	return one(c.b.Val(upper, t, c.b.Val(lower, t, args[0], args[1]), args[2]))
}

func scalarMulHigh(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	t := ir.ElemOf(op.Result(0).Type)
	return one(c.b.Op(arith.MulUIExtended, args, []ir.Type{t, t}).Result(1))
}

// scalarConvert converts between float formats, through f32 if neither format contains the other.
func scalarConvert(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	to := ir.ElemOf(op.Result(0).Type)
	v := args[0]
	if v.Type == to {
		return one(v)
	}
	from, wide := ir.BitWidth(v.Type), ir.BitWidth(to)
	if from == wide || from < 16 && wide == 16 && to == ir.Type(ir.BF16) || wide < 16 && from == 16 {
		v = c.b.Val(arith.ExtF, ir.F32, v)
		from = 32
	}
	toZero := op.IntOr("rounding", tt.RoundNearest) == tt.RoundZero
	if wide == 8 && !toZero { // toward zero, infinities stay infinite
		v = c.saturate(v, to.(*ir.FloatType))
	}
	switch {
	case from < wide:
		return one(c.b.Val(arith.ExtF, to, v))
	case toZero:
		return one(c.b.ValA(arith.TruncF, to,
			[]ir.NamedAttr{ir.A("roundingmode", ir.I32Attr(arith.TowardZero))}, v))
	}
	return one(c.b.Val(arith.TruncF, to, v))
}

// saturate limits a float to the largest finite one of another format: Triton's conversions to 8 bits do not
// overflow. NaN stays.
func (c *converter) saturate(v *ir.Value, to *ir.FloatType) *ir.Value {
	top := to.Format.Decode(to.Format.Max())
	v = c.b.Val(arith.MinimumF, v.Type, v, arith.ConstFloat(c.b, top, v.Type))
	return c.b.Val(arith.MaximumF, v.Type, v, arith.ConstFloat(c.b, -top, v.Type))
}

func scalarBitcast(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	t := ir.ElemOf(op.Result(0).Type)
	switch {
	case args[0].Type == t:
		return args, nil
	case ir.BitWidth(args[0].Type) == ir.BitWidth(t):
		return one(c.b.Val(arith.Bitcast, t, args[0]))
	}
	return nil, errAt(op, "a bitcast from %s to %s is not supported", args[0].Type, t)
}
