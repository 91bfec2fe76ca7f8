package codegen

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Kernels write the sigmoid as 1/(1 + exp(0 - x)), four operations that each round. Here they are recognized
// and become one function, which is more accurate and does not underflow early.

// step says which part of a sigmoid a value is.
type step struct {
	of  *ir.OpDef // operation that computed it
	arg val       // x
}

// sigmoid returns the value of an operation that completes a sigmoid, and remembers the parts of others. LLVM
// removes the parts that become unused.
func (g *gen) sigmoid(op *ir.Op, a []val, result val) val {
	if result.t != ir.Type(ir.F32) && result.t != ir.Type(ir.F64) {
		return result
	}
	switch op.Def {
	case arith.SubF:
		if isFloatConst(a[0], 0) {
			g.steps[result.s] = step{arith.SubF, a[1]}
		}
	case arith.NegF:
		g.steps[result.s] = step{arith.SubF, a[0]}
	case math.Exp:
		g.follow(a[0], arith.SubF, math.Exp, result)
	case arith.AddF:
		for i := range a {
			if isFloatConst(a[i], 1) {
				g.follow(a[1-i], math.Exp, arith.AddF, result)
			}
		}
	case arith.DivF:
		if s := g.steps[a[1].s]; s.of == arith.AddF && isFloatConst(a[0], 1) {
			return g.libm(op, "sigmoid", []val{s.arg})
		}
	}
	return result
}

// follow records that next made result from a value that before made.
func (g *gen) follow(a val, before, next *ir.OpDef, result val) {
	if s := g.steps[a.s]; s.of == before {
		g.steps[result.s] = step{next, s.arg}
	}
}

// isFloatConst reports whether v is the constant x.
func isFloatConst(v val, x float64) bool {
	t, ok := v.t.(*ir.FloatType)
	return ok && v.s == floatBits(t.Format.Encode(x), t)
}
