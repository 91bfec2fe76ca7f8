package lower

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Mathematics that the hardware has no instruction for. A function is written once, with a builder that makes LLVM IR of single or of
// double precision, and becomes an LLVM function that the kernel calls for each element; LLVM inlines it. All follow IEEE on zeros,
// infinities and NaN; the tests hold them to a few units in the last place.

// mathFunc builds a function's body from its arguments.
type mathFunc func(m *mathBuilder, a []string) string

// mathFuncs are the functions that are written for both precisions; singles those that are for single precision alone, where they
// come first; what is in neither is computed in double precision.
var mathFuncs, singles map[string]mathFunc

func init() { // functions call each other through these tables
	mathFuncs, singles = map[string]mathFunc{}, map[string]mathFunc{}
	for _, t := range []map[string]mathFunc{expFuncs, logFuncs, trigFuncs, hyperbolicFuncs, rootFuncs, powFuncs, erfFuncs, gammaFuncs, besselFuncs, roundFuncs} {
		for name, f := range t {
			if base, ok := strings.CutSuffix(name, "/f32"); ok {
				singles[base] = f
			} else {
				mathFuncs[name] = f
			}
		}
	}
}

// mathBuilder writes one function.
type mathBuilder struct {
	*lowering
	t ir.Type // F32 or F64
	f string  // its LLVM type
	i string  // the integer of its size
}

// mathCall calls a function on values of type t, which is f32 or f64.
func (l *lowering) mathCall(name string, t ir.Type, args ...string) string {
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = llvmType(t) + " " + a
	}
	return l.val("call %s @%s(%s)", llvmType(t), l.helper(name, t, len(args)), strings.Join(typed, ", "))
}

// helper is the name of the LLVM function for a function of ours.
func (g *program) helper(name string, t ir.Type, n int) string {
	full := fmt.Sprintf("nereid.%s.%s", name, suffix(t))
	if _, ok := g.helpers[full]; ok {
		return full
	}
	g.helpers[full] = ""
	m := &mathBuilder{lowering: &lowering{writer: newWriter(g.decls), program: g}, t: t, f: llvmType(t), i: "i32"}
	if t == ir.F64 {
		m.i = "i64"
	}
	args, params := make([]string, n), make([]string, n)
	for i := range args {
		args[i] = fmt.Sprintf("%%a%d", i)
		params[i] = m.f + " " + args[i]
	}
	r := m.build(name, args)
	g.helpers[full] = fmt.Sprintf("define internal %s @%s(%s) #1 {\nentry:\n%s\n  ret %s %s\n}\n\n", m.f, full, strings.Join(params, ", "),
		strings.Join(m.lines, "\n"), m.f, r)
	g.helperOrder = append(g.helperOrder, full)
	return full
}

func (m *mathBuilder) build(name string, a []string) string {
	if f := singles[name]; f != nil && m.t == ir.F32 {
		return f(m, a)
	}
	f := mathFuncs[name]
	if f == nil {
		panic("lower: no function " + name)
	}
	if m.t == ir.F32 && doubles[name] {
		wide := make([]string, len(a))
		for i, x := range a {
			wide[i] = m.extend(x, ir.F32, ir.F64)
		}
		return m.truncate(m.mathCall(name, ir.F64, wide...), ir.F64, ir.F32)
	}
	return f(m, a)
}

// doubles are functions that single precision computes in double.
var doubles = map[string]bool{}

// helperText are the functions of our own that were asked for.
func (g *program) helperText() string {
	var b strings.Builder
	for _, n := range g.helperOrder {
		b.WriteString(g.helpers[n])
	}
	return b.String()
}

// c is a constant.
func (m *mathBuilder) c(v float64) string {
	if m.t == ir.F32 {
		return f32(v)
	}
	return literal(math.Float64bits(v), ir.F64)
}

// f32 is a constant in single precision.
func f32(v float64) string { return literal(uint64(math.Float32bits(float32(v))), ir.F32) }

// pick is one of two values by precision.
func pick[T any](m *mathBuilder, single, double T) T {
	if m.t == ir.F32 {
		return single
	}
	return double
}

func (m *mathBuilder) add(a, b string) string { return m.val("fadd %s %s, %s", m.f, a, b) }
func (m *mathBuilder) sub(a, b string) string { return m.val("fsub %s %s, %s", m.f, a, b) }
func (m *mathBuilder) mul(a, b string) string { return m.val("fmul %s %s, %s", m.f, a, b) }
func (m *mathBuilder) div(a, b string) string { return m.val("fdiv %s %s, %s", m.f, a, b) }
func (m *mathBuilder) neg(a string) string    { return m.val("fneg %s %s", m.f, a) }
func (m *mathBuilder) rcp(a string) string    { return m.div(m.c(1), a) }

// in calls an intrinsic of LLVM's on values of the builder's type.
func (m *mathBuilder) in(name string, args ...string) string {
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = m.f + " " + a
	}
	return m.call(m.f, name+"."+suffix(m.t), typed...)
}

func (m *mathBuilder) fma(a, b, c string) string { return m.in("llvm.fma", a, b, c) }
func (m *mathBuilder) abs(a string) string       { return m.in("llvm.fabs", a) }
func (m *mathBuilder) sqrt(a string) string      { return m.in("llvm.sqrt", a) }
func (m *mathBuilder) rint(a string) string      { return m.in("llvm.roundeven", a) }
func (m *mathBuilder) floor(a string) string     { return m.in("llvm.floor", a) }
func (m *mathBuilder) trunc(a string) string     { return m.in("llvm.trunc", a) }
func (m *mathBuilder) min(a, b string) string    { return m.in("llvm.minnum", a, b) }
func (m *mathBuilder) max(a, b string) string    { return m.in("llvm.maxnum", a, b) }

// sign gives a the sign of b.
func (m *mathBuilder) sign(a, b string) string { return m.in("llvm.copysign", a, b) }

// is compares: olt, oeq, uno and so on.
func (m *mathBuilder) is(pred, a, b string) string {
	return m.val("fcmp %s %s %s, %s", pred, m.f, a, b)
}

func (m *mathBuilder) isNaN(a string) string { return m.is("uno", a, a) }
func (m *mathBuilder) isInf(a string) string { return m.is("oeq", m.abs(a), m.c(math.Inf(1))) }

// sel is a where cond holds, else b.
func (m *mathBuilder) sel(cond, a, b string) string {
	return m.val("select i1 %s, %s %s, %s %s", cond, m.f, a, m.f, b)
}

func (m *mathBuilder) and(a, b string) string { return m.val("and i1 %s, %s", a, b) }
func (m *mathBuilder) or(a, b string) string  { return m.val("or i1 %s, %s", a, b) }
func (m *mathBuilder) not(a string) string    { return m.val("xor i1 %s, true", a) }

// fn is a call of another function of ours in the same precision.
func (m *mathBuilder) fn(name string, args ...string) string { return m.mathCall(name, m.t, args...) }

// bits and float go between a value and its bits; ib is arithmetic on those.
func (m *mathBuilder) bits(a string) string  { return m.val("bitcast %s %s to %s", m.f, a, m.i) }
func (m *mathBuilder) float(a string) string { return m.val("bitcast %s %s to %s", m.i, a, m.f) }
func (m *mathBuilder) ib(op, a string, b any) string {
	return m.val("%s %s %s, %v", op, m.i, a, b)
}

// toInt and fromInt convert to and from i32.
func (m *mathBuilder) toInt(a string) string   { return m.val("fptosi %s %s to i32", m.f, a) }
func (m *mathBuilder) fromInt(a string) string { return m.val("sitofp i32 %s to %s", a, m.f) }

// i32 is arithmetic on i32.
func (m *mathBuilder) i32(op, a string, b any) string { return m.val("%s i32 %s, %v", op, a, b) }

// poly evaluates a polynomial of mathcoef.
func (m *mathBuilder) poly(x string, p poly) string { return m.horner(x, pick(m, p.f32, p.f64)...) }

// horner evaluates a polynomial, the constant term first.
func (m *mathBuilder) horner(x string, c ...float64) string {
	acc := m.c(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		acc = m.fma(acc, x, m.c(c[i]))
	}
	return acc
}

// manBits is the number of bits of the mantissa, bias the bias of the exponent.
func (m *mathBuilder) manBits() int { return pick(m, 23, 52) }
func (m *mathBuilder) bias() int    { return pick(m, 127, 1023) }

// pow2 is 2^n for an i32 n for which that is a normal number.
func (m *mathBuilder) pow2(n string) string {
	e := m.i32("add", n, m.bias())
	if m.t == ir.F64 {
		e = m.val("zext i32 %s to i64", e)
	}
	return m.float(m.ib("shl", e, m.manBits()))
}

// scale is x·2^n for any i32 n, rounded once unless the result is subnormal: in two steps, each a power of two that there is.
func (m *mathBuilder) scale(x, n string) string {
	half := m.i32("ashr", n, 1)
	return m.mul(m.mul(x, m.pow2(half)), m.pow2(m.i32("sub", n, half)))
}

// split is x = hi + lo with the upper half of the bits of x in hi.
func (m *mathBuilder) split(x string) (hi, lo string) {
	mask := int64(-1) << pick(m, 12, 27)
	if m.t == ir.F32 {
		mask = int64(int32(mask))
	}
	hi = m.float(m.ib("and", m.bits(x), mask))
	return hi, m.sub(x, hi)
}

// twoProd is a·b as a sum of two numbers, exactly.
func (m *mathBuilder) twoProd(a, b string) (hi, lo string) {
	hi = m.mul(a, b)
	return hi, m.fma(a, b, m.neg(hi))
}

// fastTwoSum is a+b as a sum of two numbers, exactly, for |a| >= |b|.
func (m *mathBuilder) fastTwoSum(a, b string) (hi, lo string) {
	hi = m.add(a, b)
	return hi, m.sub(b, m.sub(hi, a))
}

// twoSum is a+b as a sum of two numbers, exactly.
func (m *mathBuilder) twoSum(a, b string) (hi, lo string) {
	hi = m.add(a, b)
	v := m.sub(hi, a)
	return hi, m.add(m.sub(a, m.sub(hi, v)), m.sub(b, v))
}

// branch computes one of two values, without the work of the other.
func (m *mathBuilder) branch(cond string, yes, no func() string) string {
	a, b, end := m.label("yes"), m.label("no"), m.label("end")
	m.condBr(cond, a, b)
	m.begin(a)
	x := yes()
	fromA := m.writer.block
	m.br(end)
	m.begin(b)
	y := no()
	fromB := m.writer.block
	m.br(end)
	m.begin(end)
	return m.val("phi %s [ %s, %%%s ], [ %s, %%%s ]", m.f, x, fromA, y, fromB)
}
