package codegen

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
)

// intOps holds the operations on integers. Where LLVM's result is undefined (division by zero, shifts beyond
// the width), ours is the GPU's.
var intOps = map[*ir.OpDef]opFunc{
	arith.AddI: inst("add"), arith.SubI: inst("sub"), arith.MulI: inst("mul"),
	arith.AndI: inst("and"), arith.OrI: inst("or"), arith.XOrI: inst("xor"),
	arith.ShLI: shift("shl"), arith.ShRUI: shift("lshr"), arith.ShRSI: shift("ashr"),
	arith.MaxSI: function("smax"), arith.MinSI: function("smin"), arith.MaxUI: function("umax"),
	arith.MinUI: function("umin"), arith.DivSI: division("sdiv"), arith.RemSI: division("srem"),
	arith.DivUI: division("udiv"), arith.RemUI: division("urem"), arith.FloorDivSI: floorDiv,
	arith.CeilDivSI: ceilDiv, arith.CeilDivUI: ceilDivUnsigned, arith.MulUIExtended: wideMul("zext"),
	arith.MulSIExtended: wideMul("sext"), arith.AddUIExtended: wideAdd, arith.CmpI: compareInts,
	arith.Select: selectOp,
}

// shift returns a shift in which distances of the width or more shift all bits out. Of a 64-bit distance only
// the lower half counts, as on a GPU.
func shift(instr string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		t := op.Result(0).Type
		width := intWidth(t)
		d := a[1]
		if width == 64 {
			d = g.binary("and", t, d, intConst(0xffffffff, t))
		}
		if k, ok := number(d.s); ok && d.n == 1 && k >= 0 && k < int64(width) {
			return one(g.binary(instr, t, a[0], d))
		}
		if width == 1 {
			if instr == "ashr" {
				return one(a[0])
			}
			return one(g.binary("and", t, a[0], g.not(d)))
		}
		last := intConst(int64(width-1), t)
		in := g.compare("icmp ule", d, last)
		safe := g.choose(in, d, last)
		r := g.binary(instr, t, a[0], safe)
		if instr == "ashr" {
			return one(r)
		}
		return one(g.choose(in, r, intConst(0, t)))
	}
}

func (g *gen) not(v val) val {
	if v.t == ir.Type(ir.I1) {
		return g.binary("xor", v.t, v, val{s: "true", t: ir.I1, n: 1})
	}
	return g.binary("xor", v.t, v, intConst(-1, v.t))
}

func intWidth(t ir.Type) int {
	if t == ir.Index {
		return 64
	}
	return ir.BitWidth(t)
}

func division(instr string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		return one(g.divide(instr, op.Result(0).Type, a[0], a[1]))
	}
}

// divide divides integers without trapping. Division by zero gives all ones; in 64 bits only the lower 32 if
// the dividend has no upper ones. The smallest number divided by -1 overflows.
func (g *gen) divide(instr string, t ir.Type, a, b val) val {
	if k, ok := number(b.s); ok && b.n == 1 && k != 0 && k != -1 {
		return g.binary(instr, t, a, b)
	}
	width := intWidth(t)
	if width == 1 { // one bit by one bit
		wide := g.divide(instr, ir.I8, g.cast("zext", a, ir.I8), g.cast("zext", b, ir.I8))
		return g.cast("trunc", wide, t)
	}
	isZero := g.compare("icmp eq", b, intConst(0, t))
	safe := g.choose(isZero, intConst(1, t), b)
	signed := instr == "sdiv" || instr == "srem"
	if signed { // x / -1 is -x, x % -1 is 0
		minus := g.compare("icmp eq", b, intConst(-1, t))
		safe = g.choose(minus, intConst(1, t), safe)
		r := g.quotient(instr, t, a, safe)
		if instr == "sdiv" {
			r = g.choose(minus, g.binary("sub", t, intConst(0, t), a), r)
		} else {
			r = g.choose(minus, intConst(0, t), r)
		}
		return g.choose(isZero, g.byZero(t, a), r)
	}
	return g.choose(isZero, g.byZero(t, a), g.quotient(instr, t, a, safe))
}

func (g *gen) byZero(t ir.Type, a val) val {
	if intWidth(t) < 64 {
		return intConst(-1, t)
	}
	short := g.compare("icmp ult", a, intConst(1<<32, t))
	return g.choose(short, intConst(1<<32-1, t), intConst(-1, t))
}

// quotient divides where nothing can trap. Vectors of at most 32 bits go through double precision, which is
// exact: x86 has no division of integer vectors.
func (g *gen) quotient(instr string, t ir.Type, a, b val) val {
	if max(a.n, b.n) == 1 || b.n == 1 && isConst(b.s) || intWidth(t) > 32 {
		return g.binary(instr, t, a, b)
	}
	to, from := "sitofp", "fptosi"
	if instr == "udiv" || instr == "urem" {
		to, from = "uitofp", "fptoui"
	}
	x, y := g.cast(to, g.widen(a, max(a.n, b.n)), ir.F64), g.cast(to, g.widen(b, max(a.n, b.n)), ir.F64)
	q := g.cast(from, g.binary("fdiv", ir.F64, x, y), t)
	if instr == "sdiv" || instr == "udiv" {
		return q
	}
	return g.binary("sub", t, a, g.binary("mul", t, q, b))
}

func floorDiv(g *gen, op *ir.Op, a []val) []val {
	t := op.Result(0).Type
	q := g.divide("sdiv", t, a[0], a[1])
	return one(g.binary("sub", t, q, g.boolAs(g.inexact(t, a, q, "icmp slt"), t)))
}

func ceilDiv(g *gen, op *ir.Op, a []val) []val {
	t := op.Result(0).Type
	q := g.divide("sdiv", t, a[0], a[1])
	return one(g.binary("add", t, q, g.boolAs(g.inexact(t, a, q, "icmp sge"), t)))
}

// inexact returns the condition that a division left a remainder and the product of its operands' signs
// compares with zero as sign says.
func (g *gen) inexact(t ir.Type, a []val, q val, sign string) val {
	rest := g.binary("sub", t, a[0], g.binary("mul", t, q, a[1]))
	some := g.compare("icmp ne", rest, intConst(0, t))
	s := g.compare(sign, g.binary("xor", t, a[0], a[1]), intConst(0, t))
	divides := g.compare("icmp ne", a[1], intConst(0, t))
	return g.binary("and", ir.I1, divides, g.binary("and", ir.I1, some, s))
}

func ceilDivUnsigned(g *gen, op *ir.Op, a []val) []val {
	t := op.Result(0).Type
	q := g.divide("udiv", t, a[0], a[1])
	rest := g.binary("sub", t, a[0], g.binary("mul", t, q, a[1]))
	some := g.binary("and", ir.I1, g.compare("icmp ne", rest, intConst(0, t)),
		g.compare("icmp ne", a[1], intConst(0, t)))
	return one(g.binary("add", t, q, g.boolAs(some, t)))
}

func (g *gen) boolAs(v val, t ir.Type) val { return g.cast("zext", v, t) }

// wideMul returns both halves of a product.
func wideMul(ext string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		t := op.Result(0).Type
		w := intWidth(t)
		wide := ir.Int(2 * w)
		u, _ := g.unify(a...)
		p := g.binary("mul", wide, g.cast(ext, u[0], wide), g.cast(ext, u[1], wide))
		hi := g.binary("lshr", wide, p, intConst(int64(w), wide))
		return []val{g.cast("trunc", p, t), g.cast("trunc", hi, t)}
	}
}

func wideAdd(g *gen, op *ir.Op, a []val) []val {
	t := op.Result(0).Type
	sum := g.binary("add", t, a[0], a[1])
	return []val{sum, g.compare("icmp ult", sum, a[0])}
}

var intPredicates = map[int64]string{
	arith.EQ: "eq", arith.NE: "ne", arith.SLT: "slt", arith.SLE: "sle", arith.SGT: "sgt", arith.SGE: "sge",
	arith.ULT: "ult", arith.ULE: "ule", arith.UGT: "ugt", arith.UGE: "uge",
}

func compareInts(g *gen, op *ir.Op, a []val) []val {
	return one(g.compare("icmp "+intPredicates[op.IntOr("predicate", 0)], a[0], a[1]))
}

func selectOp(g *gen, op *ir.Op, a []val) []val { return one(g.choose(a[0], a[1], a[2])) }
