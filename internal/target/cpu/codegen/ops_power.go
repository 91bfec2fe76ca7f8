package codegen

import (
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
)

// powerOps holds powers with integers and other operations without an instruction or function of their own.
var powerOps = map[*ir.OpDef]opFunc{
	math.IPowI: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.intPower(op.Result(0).Type, a[0], a[1]))
	},
	math.FPowI: func(g *gen, op *ir.Op, a []val) []val {
		t := op.Result(0).Type
		n := g.intToFloat("sitofp", a[1], g.wide(a[0]).t)
		return one(g.floating(t, []val{a[0]}, func(x []val) val {
			return g.libm(op, "powf", []val{x[0], n})
		}))
	},
	math.SinCos: func(g *gen, op *ir.Op, a []val) []val {
		t := op.Result(0).Type
		return []val{
			g.floating(t, a, func(x []val) val { return g.libm(op, "sin", x) }),
			g.floating(t, a, func(x []val) val { return g.libm(op, "cos", x) }),
		}
	},
}

// intPower computes a power by squaring. A negative exponent gives the reciprocal, rounded to zero.
func (g *gen) intPower(t ir.Type, a, b val) val {
	zero, unit := intConst(0, t), intConst(1, t)
	r, x := unit, a
	for bit := range intWidth(t) - 1 {
		mask := g.binary("and", t, b, intConst(1<<bit, t))
		r = g.choose(g.compare("icmp ne", mask, zero), g.binary("mul", t, r, x), r)
		if bit < intWidth(t)-2 {
			x = g.binary("mul", t, x, x)
		}
	}
	odd := g.binary("and", t, b, unit)
	sign := g.binary("sub", t, unit, g.binary("add", t, odd, odd)) // the power of -1
	small := g.choose(g.compare("icmp eq", a, unit), unit, g.choose(g.compare("icmp eq", a, intConst(-1, t)),
		sign, zero))
	return g.choose(g.compare("icmp slt", b, zero), small, r)
}
