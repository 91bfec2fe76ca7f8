package mathlib

import (
	"fmt"
	"math"
	"strings"
)

// Builder writes one function. Its values are the names of LLVM values: floats of the builder's type f,
// truths of type b, integers of the floats' size of type i, and 32-bit integers of type n, each a vector
// where there are lanes.
type Builder struct {
	lib        *Library
	prec       Prec
	lanes      int
	f, i, n, b string
	suffix     string // f32, v16f32
	lines      []string
	temps      int
	block      string // label of the current block
}

func (l *Library) builder(p Prec, lanes int) *Builder {
	m := &Builder{lib: l, prec: p, lanes: lanes, block: "entry"}
	float, size, name := "float", "i32", "f32"
	if p == F64 {
		float, size, name = "double", "i64", "f64"
	}
	m.f, m.i, m.n, m.b, m.suffix = Vector(float, lanes), Vector(size, lanes), Vector("i32", lanes),
		Vector("i1", lanes), Suffix(name, lanes)
	return m
}

// do appends an instruction without a result, val one with a result, whose name it returns.
func (m *Builder) do(format string, args ...any) {
	m.lines = append(m.lines, "  "+fmt.Sprintf(format, args...))
}

func (m *Builder) val(format string, args ...any) string {
	name := m.temp()
	m.lines = append(m.lines, "  "+name+" = "+fmt.Sprintf(format, args...))
	return name
}

func (m *Builder) temp() string {
	m.temps++
	return fmt.Sprintf("%%v%d", m.temps)
}

// label is a new name for a block; begin starts it.
func (m *Builder) label(kind string) string {
	m.temps++
	return fmt.Sprintf("%s%d", kind, m.temps)
}

func (m *Builder) begin(label string) {
	m.lines = append(m.lines, label+":")
	m.block = label
}

// call calls an intrinsic; args are "type value".
func (m *Builder) call(ret, name string, args ...string) string {
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = a[:strings.LastIndexByte(a, ' ')]
		if strings.HasSuffix(a, ">") { // a constant vector has spaces
			types[i] = a[:strings.IndexByte(a, '>')+1]
		}
	}
	m.lib.declares[name] = fmt.Sprintf("declare %s @%s(%s)", ret, name, strings.Join(types, ", "))
	return m.val("call %s @%s(%s)", ret, name, strings.Join(args, ", "))
}

// in calls an intrinsic of LLVM's on values of the builder's type.
func (m *Builder) in(name string, args ...string) string {
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = m.f + " " + a
	}
	return m.call(m.f, name+"."+m.suffix, typed...)
}

// splat is a constant in every lane.
func splat(elem, value string, lanes int) string {
	if lanes == 1 {
		return value
	}
	one := elem + " " + value
	return "<" + strings.Repeat(one+", ", lanes-1) + one + ">"
}

// c is a float.
func (m *Builder) c(v float64) string {
	if m.prec == F32 {
		return splat("float", hex(float64(float32(v))), m.lanes)
	}
	return splat("double", hex(v), m.lanes)
}

// hex writes a float as LLVM does, single precision too.
func hex(v float64) string {
	if v != v {
		return "0x7FF8000000000000"
	}
	return fmt.Sprintf("0x%016X", math.Float64bits(v))
}

// k is a 32-bit integer, size one of the floats' size.
func (m *Builder) k(v int) string { return splat("i32", fmt.Sprint(v), m.lanes) }

func (m *Builder) size(v int64) string {
	return splat(pick(m, "i32", "i64"), fmt.Sprint(v), m.lanes)
}

// pick is one of two values by precision.
func pick[T any](m *Builder, single, double T) T {
	if m.prec == F32 {
		return single
	}
	return double
}

func (m *Builder) add(a, b string) string { return m.val("fadd %s %s, %s", m.f, a, b) }
func (m *Builder) sub(a, b string) string { return m.val("fsub %s %s, %s", m.f, a, b) }
func (m *Builder) mul(a, b string) string { return m.val("fmul %s %s, %s", m.f, a, b) }
func (m *Builder) div(a, b string) string { return m.val("fdiv %s %s, %s", m.f, a, b) }
func (m *Builder) neg(a string) string    { return m.val("fneg %s %s", m.f, a) }
func (m *Builder) rcp(a string) string    { return m.div(m.c(1), a) }

// quotient is a/b, but for a last bit in a few cases, for a and b that are far from the ends of the range.
// On GPUs it has no branch and no call, as a division has: with a call in a kernel, products of warp groups
// may not overlap.
func (m *Builder) quotient(a, b string) string {
	if !m.lib.target.NVPTX || m.prec != F32 {
		return m.div(a, b)
	}
	r := m.call("float", "llvm.nvvm.rcp.approx.ftz.f", "float "+b)
	q := m.mul(a, r)
	return m.fma(m.fma(m.neg(q), b, a), r, q)
}

// root is the square root, but for a last bit on GPUs, where it has no branch either.
func (m *Builder) root(a string) string {
	if !m.lib.target.NVPTX || m.prec != F32 {
		return m.sqrt(a)
	}
	return m.call("float", "llvm.nvvm.sqrt.approx.f", "float "+a)
}

func (m *Builder) fma(a, b, c string) string { return m.in("llvm.fma", a, b, c) }
func (m *Builder) abs(a string) string       { return m.in("llvm.fabs", a) }
func (m *Builder) sqrt(a string) string      { return m.in("llvm.sqrt", a) }
func (m *Builder) floor(a string) string     { return m.in("llvm.floor", a) }
func (m *Builder) trunc(a string) string     { return m.in("llvm.trunc", a) }

// rint rounds to the nearest, halves to even.
func (m *Builder) rint(a string) string {
	if m.lib.target.NVPTX {
		return m.in("llvm.roundeven", a)
	}
	// the same in the rounding mode that there is, and known to older instruction sets
	return m.in("llvm.rint", a)
}

// min and max take the other one for NaN. Where NaN may be anything, clamp is cheaper.
func (m *Builder) min(a, b string) string { return m.in("llvm.minnum", a, b) }
func (m *Builder) max(a, b string) string { return m.in("llvm.maxnum", a, b) }

// clamp limits x, and keeps NaN on CPUs; on GPUs, NaN becomes a limit, which is one instruction there.
func (m *Builder) clamp(x string, lo, hi float64) string {
	if m.lib.target.NVPTX {
		return m.min(m.max(x, m.c(lo)), m.c(hi))
	}
	x = m.sel(m.is("olt", x, m.c(lo)), m.c(lo), x)
	return m.sel(m.is("ogt", x, m.c(hi)), m.c(hi), x)
}

// sign gives a the sign of b.
func (m *Builder) sign(a, b string) string { return m.in("llvm.copysign", a, b) }

// is compares floats: olt, oeq, uno and so on.
func (m *Builder) is(pred, a, b string) string { return m.val("fcmp %s %s %s, %s", pred, m.f, a, b) }

func (m *Builder) isNaN(a string) string { return m.is("uno", a, a) }
func (m *Builder) isInf(a string) string { return m.is("oeq", m.abs(a), m.c(math.Inf(1))) }

// negative reports the sign bit.
func (m *Builder) negative(a string) string { return m.cmpBits("slt", m.bits(a), m.size(0)) }

// sel is a where cond holds, else b; selN and selBits choose integers, selB truths.
func (m *Builder) sel(cond, a, b string) string     { return m.choose(m.f, cond, a, b) }
func (m *Builder) selN(cond, a, b string) string    { return m.choose(m.n, cond, a, b) }
func (m *Builder) selBits(cond, a, b string) string { return m.choose(m.i, cond, a, b) }
func (m *Builder) selB(cond, a, b string) string    { return m.choose(m.b, cond, a, b) }

func (m *Builder) choose(typ, cond, a, b string) string {
	return m.val("select %s %s, %s %s, %s %s", m.b, cond, typ, a, typ, b)
}

func (m *Builder) and(a, b string) string { return m.val("and %s %s, %s", m.b, a, b) }
func (m *Builder) or(a, b string) string  { return m.val("or %s %s, %s", m.b, a, b) }
func (m *Builder) xor(a, b string) string { return m.val("xor %s %s, %s", m.b, a, b) }
func (m *Builder) not(a string) string    { return m.xor(a, splat("i1", "true", m.lanes)) }

// any reports, as a scalar, whether a truth holds in some lane.
func (m *Builder) any(a string) string {
	if m.lanes == 1 {
		return a
	}
	return m.call("i1", "llvm.vector.reduce.or."+Suffix("i1", m.lanes), m.b+" "+a)
}

// fn is a call of another function of ours in the same precision.
func (m *Builder) fn(name string, args ...string) string {
	return m.val("%s", m.lib.fn(name, m.prec, m.lanes).Call(args...))
}

// bits and float go between a value and its bits; ib is arithmetic on those.
func (m *Builder) bits(a string) string  { return m.val("bitcast %s %s to %s", m.f, a, m.i) }
func (m *Builder) float(a string) string { return m.val("bitcast %s %s to %s", m.i, a, m.f) }

// ib is arithmetic on bits and i32 on 32-bit integers; the second operand is a value or a constant.
func (m *Builder) ib(op, a string, b any) string {
	switch c := b.(type) {
	case int:
		b = m.size(int64(c))
	case int64:
		b = m.size(c)
	}
	return m.val("%s %s %s, %v", op, m.i, a, b)
}

func (m *Builder) i32(op, a string, b any) string {
	if c, ok := b.(int); ok {
		b = m.k(c)
	}
	return m.val("%s %s %s, %v", op, m.n, a, b)
}

func (m *Builder) cmpBits(pred, a, b string) string {
	return m.val("icmp %s %s %s, %s", pred, m.i, a, b)
}

// isN compares 32-bit integers.
func (m *Builder) isN(pred, a string, b int) string {
	return m.val("icmp %s %s %s, %s", pred, m.n, a, m.k(b))
}

// narrow makes 32 bits of bits, widen the reverse, without sign.
func (m *Builder) narrow(a string) string {
	if m.prec == F32 {
		return a
	}
	return m.val("trunc %s %s to %s", m.i, a, m.n)
}

func (m *Builder) widen(a string) string {
	if m.prec == F32 {
		return a
	}
	return m.val("zext %s %s to %s", m.n, a, m.i)
}

// toInt and fromInt convert to and from 32-bit integers. Beyond their range, and for NaN, toInt gives
// anything.
func (m *Builder) toInt(a string) string {
	if m.lib.target.NVPTX {
		return m.val("fptosi %s %s to %s", m.f, a, m.n)
	}
	return m.val("freeze %s %s", m.n, m.val("fptosi %s %s to %s", m.f, a, m.n))
}

func (m *Builder) fromInt(a string) string { return m.val("sitofp %s %s to %s", m.n, a, m.f) }

// poly evaluates a polynomial of coef.go.
func (m *Builder) poly(x string, p poly) string { return m.horner(x, pick(m, p.f32, p.f64)...) }

// horner evaluates a polynomial, the constant term first.
func (m *Builder) horner(x string, c ...float64) string {
	acc := m.c(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		acc = m.fma(acc, x, m.c(c[i]))
	}
	return acc
}

// manBits is the number of bits of the mantissa, bias the bias of the exponent.
func (m *Builder) manBits() int { return pick(m, 23, 52) }
func (m *Builder) bias() int    { return pick(m, 127, 1023) }

// pow2 is 2^n for a 32-bit n for which that is a normal number.
func (m *Builder) pow2(n string) string {
	return m.float(m.ib("shl", m.widen(m.i32("add", n, m.bias())), m.manBits()))
}

// scale is x·2^n for any 32-bit n, rounded once unless the result is subnormal: in two steps, each a power
// of two that there is.
func (m *Builder) scale(x, n string) string {
	half := m.i32("ashr", n, 1)
	return m.mul(m.mul(x, m.pow2(half)), m.pow2(m.i32("sub", n, half)))
}

// hasScale reports whether there is an instruction that scales by powers of two, for vectors of this size.
func (m *Builder) hasScale() bool {
	bits := pick(m, 32, 64) * m.lanes
	return m.lib.target.AVX512 && (bits == 128 || bits == 256 || bits == 512)
}

// scaleBy is x·2^n for a whole number n as a float, rounded once, by that instruction. n may be infinite.
func (m *Builder) scaleBy(x, n string) string { return m.avx512("scalef", x, m.f+" "+n) }

// fraction is x minus the nearest whole number, where hasScale holds. It is 0 for infinities.
func (m *Builder) fraction(x string) string {
	return m.avx512("reduce", x, "i32 0") // to nearest, ties to even
}

// avx512 calls an instruction on a vector and another operand, for all lanes.
func (m *Builder) avx512(name, x, operand string) string {
	bits := pick(m, 32, 64) * m.lanes
	mask := "i16 -1"
	if m.lanes <= 8 {
		mask = "i8 -1"
	}
	args := []string{m.f + " " + x, operand, m.f + " " + x, mask}
	if bits == 512 {
		args = append(args, "i32 4") // rounding as the mode is
	}
	return m.call(m.f, fmt.Sprintf("llvm.x86.avx512.mask.%s.%s.%d", name, pick(m, "ps", "pd"), bits), args...)
}

// twoProd is a·b as a sum of two numbers, exactly.
func (m *Builder) twoProd(a, b string) (hi, lo string) {
	hi = m.mul(a, b)
	return hi, m.fma(a, b, m.neg(hi))
}

// fastTwoSum is a+b as a sum of two numbers, exactly, for |a| >= |b|.
func (m *Builder) fastTwoSum(a, b string) (hi, lo string) {
	hi = m.add(a, b)
	return hi, m.sub(b, m.sub(hi, a))
}

// twoSum is a+b as a sum of two numbers, exactly.
func (m *Builder) twoSum(a, b string) (hi, lo string) {
	hi = m.add(a, b)
	v := m.sub(hi, a)
	return hi, m.add(m.sub(a, m.sub(hi, v)), m.sub(b, v))
}
