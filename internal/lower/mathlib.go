package lower

import (
	"math"

	dmath "github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Functions that the hardware has no instruction for, in single precision, as polynomials after a reduction of the argument. Their
// errors are stated where they are; all follow IEEE on zeros, infinities and NaN.

func init() {
	unaryOps[dmath.Log] = single("log", func(l *lowering, x string) string { return l.logarithm(x, math.Ln2, 1) })
	unaryOps[dmath.Log2] = single("log2", func(l *lowering, x string) string { return l.logarithm(x, 1, math.Log2E) })
	unaryOps[dmath.Log10] = single("log10", func(l *lowering, x string) string { return l.logarithm(x, math.Ln2*math.Log10E, math.Log10E) })
}

// single is a function that is known for f32 alone.
func single(name string, f func(l *lowering, x string) string) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if t != ir.F32 {
			l.fail(op, "%s of %s", name, t)
		}
		return f(l, a[0])
	}
}

// f32 is a constant.
func f32(v float64) string { return literal(uint64(math.Float32bits(float32(v))), ir.F32) }

// fmaf is a·b + c.
func (l *lowering) fmaf(a, b, c string) string {
	return l.call("float", "llvm.fma.f32", "float "+a, "float "+b, "float "+c)
}

// horner evaluates a polynomial, the highest coefficient first.
func (l *lowering) horner(x string, coeffs ...float64) string {
	acc := f32(coeffs[0])
	for _, c := range coeffs[1:] {
		acc = l.fmaf(acc, x, f32(c))
	}
	return acc
}

// logarithm is log(x) in the base for which log(2) is perTwo and log(e) is perE, within 2 ulp: x = 2^e·m with m in [√½, √2), and a
// polynomial for log(m).
func (l *lowering) logarithm(x string, perTwo, perE float64) string {
	tiny := l.val("fcmp olt float %s, %s", x, f32(0x1p-126))
	scaled := l.val("select i1 %s, float %s, float %s", tiny, l.val("fmul float %s, %s", x, f32(0x1p25)), x)
	bits := l.val("bitcast float %s to i32", scaled)
	// Subtracting the bits of √½ makes the exponent that of m in [√½, √2).
	shifted := l.val("sub i32 %s, %d", bits, int32(math.Float32bits(math.Sqrt2/2)))
	e := l.val("ashr i32 %s, 23", shifted)
	m := l.val("bitcast i32 %s to float", l.val("sub i32 %s, %s", bits, l.val("shl i32 %s, 23", e)))
	ef := l.val("sitofp i32 %s to float", e)
	ef = l.val("fadd float %s, %s", ef, l.val("select i1 %s, float %s, float %s", tiny, f32(-25), f32(0)))

	f := l.val("fsub float %s, %s", m, f32(1))
	z := l.val("fmul float %s, %s", f, f)
	p := l.horner(f, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
		2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	r := l.val("fmul float %s, %s", l.val("fmul float %s, %s", p, f), z)
	r = l.fmaf(z, f32(-0.5), r) // log(m) - f
	r = l.val("fadd float %s, %s", f, r)
	if perE != 1 {
		r = l.val("fmul float %s, %s", r, f32(perE))
	}
	r = l.fmaf(ef, f32(perTwo), r)

	inf := l.val("fcmp oeq float %s, %s", x, f32(math.Inf(1)))
	r = l.val("select i1 %s, float %s, float %s", inf, x, r)
	zero := l.val("fcmp oeq float %s, %s", x, f32(0))
	r = l.val("select i1 %s, float %s, float %s", zero, f32(math.Inf(-1)), r)
	bad := l.val("fcmp ult float %s, %s", x, f32(0)) // negative or NaN
	return l.val("select i1 %s, float %s, float %s", bad, f32(math.NaN()), r)
}
