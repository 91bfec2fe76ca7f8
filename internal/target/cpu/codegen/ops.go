package codegen

import (
	"fmt"
	"maps"
	stdmath "math"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// opFunc computes the results of an operation on scalars, for all lanes at once.
type opFunc func(g *gen, op *ir.Op, a []val) []val

// scalarOps holds the operations on elements.
var scalarOps = map[*ir.OpDef]opFunc{}

func init() {
	addFunctions()
	for _, t := range []map[*ir.OpDef]opFunc{intOps, floatOps, castOps, mathOps, powerOps} {
		maps.Copy(scalarOps, t)
	}
	scalarOps[ub.Poison] = func(g *gen, op *ir.Op, _ []val) []val { return one(g.zero(op.Result(0).Type)) }
}

func one(v val) []val { return []val{v} }

// splat returns a scalar in all lanes.
func (g *gen) splat(elem, s string, n int) string {
	if n == 1 {
		return s
	}
	if isConst(s) {
		return "<" + strings.TrimSuffix(strings.Repeat(elem+" "+s+", ", n), ", ") + ">"
	}
	key := elem + s
	if v, ok := g.splats[key]; ok {
		return v
	}
	v := g.op("insertelement <%d x %s> poison, %s %s, i64 0", n, elem, elem, s)
	v = g.op("shufflevector <%d x %s> %s, <%d x %s> poison, <%d x i32> zeroinitializer", n, elem,
		v, n, elem, n)
	if g.splats != nil {
		g.splats[key] = v
	}
	return v
}

// widen returns a value with n lanes.
func (g *gen) widen(v val, n int) val {
	v = g.plain(v, n)
	if v.n == n {
		return v
	}
	return val{s: g.splat(elemType(v.t), v.s, n), t: v.t, n: n}
}

// plain returns the value of an index that is kept as base and lanes.
func (g *gen) plain(v val, n int) val {
	switch {
	case v.idx == nil:
		return v
	case v.idx.uniform():
		return val{s: v.idx.base, t: v.t, n: 1}
	}
	return val{s: g.vecOf(*v.idx, g.lanes), t: v.t, n: g.lanes}
}

// unify gives all values the same number of lanes.
func (g *gen) unify(a ...val) ([]val, int) {
	n := 1
	for _, v := range a {
		n = max(n, v.n)
	}
	out := make([]val, len(a))
	for i, v := range a {
		out[i] = g.widen(v, n)
	}
	return out, n
}

// binary writes an instruction with two operands.
func (g *gen) binary(instr string, t ir.Type, a, b val) val {
	u, n := g.unify(a, b)
	return val{s: g.op("%s %s %s, %s", instr, u[0].typ(), u[0].s, u[1].s), t: t, n: n}
}

// intrinsic calls an LLVM intrinsic named after its operands' type.
func (g *gen) intrinsic(name string, t ir.Type, a ...val) val {
	u, n := g.unify(a...)
	args := make([]string, len(u))
	for i, v := range u {
		args[i] = v.typ() + " " + v.s
	}
	full := "llvm." + name + "." + suffix(elemType(u[0].t), n)
	types := make([]string, len(u))
	for i, v := range u {
		types[i] = v.typ()
	}
	ret := vector(elemType(t), n)
	g.decls[full] = fmt.Sprintf("declare %s @%s(%s)", ret, full, strings.Join(types, ", "))
	return val{s: g.op("call %s @%s(%s)", ret, full, strings.Join(args, ", ")), t: t, n: n}
}

// cast writes a conversion instruction.
func (g *gen) cast(instr string, a val, t ir.Type) val {
	to := vector(elemType(t), a.n)
	if a.typ() == to && (instr == "bitcast" || strings.HasSuffix(instr, "ext") || instr == "trunc") {
		return val{s: a.s, t: t, n: a.n}
	}
	return val{s: g.op("%s %s %s to %s", instr, a.typ(), a.s, to), t: t, n: a.n}
}

func (g *gen) choose(c, a, b val) val {
	if c.s == "true" {
		return a
	}
	if c.n == 1 && a.n == 1 && b.n == 1 {
		return val{s: g.op("select i1 %s, %s %s, %s %s", c.s, a.typ(), a.s, b.typ(), b.s), t: a.t, n: 1}
	}
	u, n := g.unify(a, b)
	if c.n == 1 { // one condition for all lanes
		return val{s: g.op("select i1 %s, %s %s, %s %s", c.s, u[0].typ(), u[0].s, u[1].typ(), u[1].s),
			t: a.t, n: n}
	}
	n = max(n, c.n)
	x, y := g.widen(u[0], n), g.widen(u[1], n)
	return val{s: g.op("select %s %s, %s %s, %s %s", c.typ(), c.s, x.typ(), x.s, y.typ(), y.s), t: a.t, n: n}
}

func (g *gen) compare(instr string, a, b val) val {
	u, n := g.unify(a, b)
	return val{s: g.op("%s %s %s, %s", instr, u[0].typ(), u[0].s, u[1].s), t: ir.I1, n: n}
}

func (g *gen) zero(t ir.Type) val {
	switch elemType(t) {
	case "ptr":
		return val{s: "null", t: t, n: 1}
	case "float", "double":
		return val{s: "0.0", t: t, n: 1}
	case "half":
		return val{s: "0xH0000", t: t, n: 1}
	case "i1":
		return val{s: "false", t: t, n: 1}
	}
	return val{s: "0", t: t, n: 1}
}

// inst returns an operation that is an instruction.
func inst(instr string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		return one(g.binary(instr, op.Result(0).Type, a[0], a[1]))
	}
}

// function returns an operation that is an intrinsic.
func function(name string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val { return one(g.intrinsic(name, op.Result(0).Type, a...)) }
}

// elementwise computes an operation on elements.
func (g *gen) elementwise(op *ir.Op, a []val) []val {
	if op.Def == arith.IndexCast || op.Def == arith.IndexCastUI {
		return one(g.indexCast(op, a[0]))
	}
	for i, v := range a {
		if v.idx != nil {
			a[i] = g.plain(v, g.lanes)
		}
	}
	if op.Def == arith.Constant {
		if v, ok := constant(op.Attr("value")); ok {
			return one(v)
		}
	}
	if op.Def == funcd.Call {
		return g.callElement(op, a)
	}
	if f := scalarOps[op.Def]; f != nil {
		out := f(g, op, a)
		if len(out) == 1 {
			out[0] = g.sigmoid(op, a, out[0])
		}
		return out
	}
	g.fail(op, "not supported on the CPU")
	return g.zeros(op)
}

func (g *gen) zeros(op *ir.Op) []val {
	out := make([]val, op.NumResults())
	for i, v := range op.Results() {
		out[i] = g.zero(v.Type)
	}
	return out
}

// indexCast converts between index and integers. The lanes of an index stay constants.
func (g *gen) indexCast(op *ir.Op, a val) val {
	t := op.Result(0).Type
	if a.idx == nil || a.idx.vec != "" {
		a = g.plain(a, g.lanes)
		from, to := ir.BitWidth(a.t), ir.BitWidth(t)
		if a.t == ir.Index {
			from = 64
		}
		if t == ir.Index {
			to = 64
		}
		switch {
		case from == to:
			return val{s: a.s, t: t, n: a.n}
		case from > to:
			return g.cast("trunc", a, t)
		case op.Def == arith.IndexCastUI:
			return g.cast("zext", a, t)
		}
		return g.cast("sext", a, t)
	}
	base := val{s: a.idx.base, t: ir.Index, n: 1}
	if t != ir.Index && ir.BitWidth(t) < 64 {
		if _, ok := number(base.s); ok {
			base = val{s: base.s, t: t, n: 1}
		} else {
			base = g.cast("trunc", base, t)
		}
	}
	base.t = t
	if a.idx.lanes == nil {
		return base
	}
	n := len(a.idx.lanes)
	lanes := val{s: constVector(elemType(t), a.idx.lanes), t: t, n: n}
	if base.s == "0" {
		return lanes
	}
	return g.binary("add", t, base, lanes)
}

// mathOps holds the elementary functions. Package vmath has the vector forms.
var mathOps = map[*ir.OpDef]opFunc{
	math.AbsF: floatFunc("fabs"), math.Floor: floatFunc("floor"), math.Ceil: floatFunc("ceil"),
	math.Trunc: floatFunc("trunc"), math.RoundEven: floatFunc("roundeven"), math.Round: floatFunc("round"),
	math.Sqrt: floatFunc("sqrt"), math.CopySign: floatFunc("copysign"), math.Fma: floatFunc("fma"),
	math.CtPop: function("ctpop"), math.CtLZ: bitCount("ctlz"), math.CtTZ: bitCount("cttz"),
	math.AbsI: absInt, math.IsNaN: func(g *gen, op *ir.Op, a []val) []val {
		x := g.wide(a[0])
		return one(g.compare("fcmp uno", x, x))
	},
	math.IsFinite: func(g *gen, op *ir.Op, a []val) []val { return one(g.infinite("fcmp one", a[0])) },
	math.IsInf:    func(g *gen, op *ir.Op, a []val) []val { return one(g.infinite("fcmp oeq", a[0])) },
	math.IsNormal: func(g *gen, op *ir.Op, a []val) []val {
		x := g.intrinsic("fabs", g.wide(a[0]).t, g.wide(a[0]))
		least := val{s: floatBits(x.t.(*ir.FloatType).Format.Encode(leastNormal(a[0].t)),
			x.t.(*ir.FloatType)), t: x.t, n: 1}
		return one(g.binary("and", ir.I1, g.infinite("fcmp one", a[0]), g.compare("fcmp oge", x, least)))
	},
	math.ClampF: func(g *gen, op *ir.Op, a []val) []val {
		lo := g.floating(op.Result(0).Type, a[:2], func(x []val) val {
			return g.intrinsic("maxnum", x[0].t, x...)
		})
		return one(g.floating(op.Result(0).Type, []val{lo, a[2]}, func(x []val) val {
			return g.intrinsic("minnum", x[0].t, x...)
		}))
	},
}

// addFunctions adds the functions of vmath to mathOps.
func addFunctions() {
	for _, def := range []*ir.OpDef{
		math.Acos, math.Acosh, math.Asin, math.Asinh, math.Atan, math.Atanh, math.Cbrt, math.Cos, math.Cosh,
		math.Erf, math.Erfc, math.Exp, math.Exp2, math.ExpM1, math.Log, math.Log10, math.Log1p, math.Log2,
		math.Rsqrt, math.Sin, math.Sinh, math.Tan, math.Tanh, math.Atan2, math.PowF,
	} {
		name := def.Name
		mathOps[def] = func(g *gen, op *ir.Op, a []val) []val {
			return one(g.floating(op.Result(0).Type, a, func(x []val) val { return g.libm(op, name, x) }))
		}
	}
}

// leastNormal returns the smallest normal number of a format.
func leastNormal(t ir.Type) float64 { return stdmath.Ldexp(1, 1-t.(*ir.FloatType).Format.Bias) }

// libm calls a function of vmath.
func (g *gen) libm(op *ir.Op, name string, a []val) val {
	u, n := g.unify(a...)
	f, err := g.math.Func(name, elemType(u[0].t), n)
	if err != nil {
		g.fail(op, "%v", err)
		return u[0]
	}
	args := make([]string, len(u))
	for i, v := range u {
		args[i] = v.s
	}
	return val{s: g.op("%s", f.Call(args...)), t: u[0].t, n: n}
}

// infinite compares the magnitude of a float with infinity.
func (g *gen) infinite(cmp string, a val) val {
	x := g.wide(a)
	inf := val{s: "0x7FF0000000000000", t: x.t, n: 1}
	return g.compare(cmp, g.intrinsic("fabs", x.t, x), inf)
}

func bitCount(name string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		full := "llvm." + name + "." + suffix(elemType(a[0].t), a[0].n)
		g.decls[full] = fmt.Sprintf("declare %s @%s(%s, i1)", a[0].typ(), full, a[0].typ())
		return one(val{s: g.op("call %s @%s(%s %s, i1 false)", a[0].typ(), full, a[0].typ(), a[0].s),
			t: a[0].t, n: a[0].n})
	}
}

func absInt(g *gen, op *ir.Op, a []val) []val {
	full := "llvm.abs." + suffix(elemType(a[0].t), a[0].n)
	g.decls[full] = fmt.Sprintf("declare %s @%s(%s, i1)", a[0].typ(), full, a[0].typ())
	return one(val{s: g.op("call %s @%s(%s %s, i1 false)", a[0].typ(), full, a[0].typ(), a[0].s), t: a[0].t,
		n: a[0].n})
}
