package codegen

import (
	"math"
	"regexp"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// floatOps holds the operations on floats. Formats below f32 are computed in f32 and rounded, which gives the
// same result as computing in their own format.
var floatOps = map[*ir.OpDef]opFunc{
	arith.AddF: fusible("fadd"), arith.SubF: fusible("fsub"), arith.MulF: fusible("fmul"),
	arith.DivF: floatInst("fdiv"), arith.MaxNumF: floatFunc("maxnum"), arith.MinNumF: floatFunc("minnum"),
	arith.MaximumF: floatFunc("maximum"), arith.MinimumF: floatFunc("minimum"),
	arith.RemF: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.floating(op.Result(0).Type, a, func(x []val) val { return g.libm(op, "remf", x) }))
	},
	arith.NegF: negate,
	arith.CmpF: compareFloats,
}

func floatInst(instr string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		return one(g.floating(op.Result(0).Type, a, func(x []val) val {
			return g.binary(instr, x[0].t, x[0], x[1])
		}))
	}
}

// fusible returns an instruction that LLVM may fuse with another, unless the options say otherwise.
func fusible(instr string) opFunc {
	fused, plain := floatInst(instr+" contract"), floatInst(instr)
	return func(g *gen, op *ir.Op, a []val) []val {
		if g.opts.NoFusion {
			return plain(g, op, a)
		}
		return fused(g, op, a)
	}
}

func floatFunc(name string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val {
		return one(g.floating(op.Result(0).Type, a, func(x []val) val {
			return g.intrinsic(name, x[0].t, x...)
		}))
	}
}

// floating computes with floats of type t, in f32 if they are smaller.
func (g *gen) floating(t ir.Type, a []val, f func(x []val) val) val {
	if !isSmallFloat(t) {
		return f(a)
	}
	x := make([]val, len(a))
	for i, v := range a {
		x[i] = g.wide(v)
	}
	return g.narrow(f(x), t.(*ir.FloatType), rounding{})
}

func negate(g *gen, op *ir.Op, a []val) []val {
	return one(g.floating(op.Result(0).Type, a, func(x []val) val {
		return val{s: g.op("fneg %s %s", x[0].typ(), x[0].s), t: x[0].t, n: x[0].n}
	}))
}

func compareFloats(g *gen, op *ir.Op, a []val) []val {
	p, _ := arith.CmpFPredicate.Word(op.IntOr("predicate", 0))
	return one(g.compare("fcmp "+p, g.wide(a[0]), g.wide(a[1])))
}

// castOps holds the conversions.
var castOps = map[*ir.OpDef]opFunc{
	arith.ExtSI: castInst("sext"), arith.ExtUI: castInst("zext"), arith.TruncI: castInst("trunc"),
	arith.ExtF: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.toFloat(a[0], op.Result(0).Type, rounding{}))
	},
	arith.TruncF: func(g *gen, op *ir.Op, a []val) []val {
		r := rounding{}
		if m, ok := op.Attr("roundingmode").(*ir.IntegerAttr); ok {
			r.toZero = m.Value == arith.TowardZero
		}
		return one(g.toFloat(a[0], op.Result(0).Type, r))
	},
	arith.SIToFP: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.intToFloat("sitofp", a[0], op.Result(0).Type))
	},
	arith.UIToFP: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.intToFloat("uitofp", a[0], op.Result(0).Type))
	},
	arith.FPToSI: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.floatToInt("fptosi", a[0], op.Result(0).Type))
	},
	arith.FPToUI: func(g *gen, op *ir.Op, a []val) []val {
		return one(g.floatToInt("fptoui", a[0], op.Result(0).Type))
	},
	arith.Bitcast: castInst("bitcast"),
}

func castInst(instr string) opFunc {
	return func(g *gen, op *ir.Op, a []val) []val { return one(g.cast(instr, a[0], op.Result(0).Type)) }
}

// rounding says how to round to a smaller float: to nearest unless toZero.
type rounding struct{ toZero bool }

// toFloat converts between floats.
func (g *gen) toFloat(a val, t ir.Type, r rounding) val {
	to := t.(*ir.FloatType)
	switch {
	case a.t == t:
		return a
	case isSmallFloat(a.t):
		a = g.wide(a)
	}
	switch {
	case isSmallFloat(t):
		if a.t == ir.Type(ir.F64) {
			a = g.toOdd(a)
		}
		return g.narrow(a, to, r)
	case a.t == t:
		return a
	case t == ir.Type(ir.F64):
		return g.cast("fpext", a, t)
	case r.toZero:
		return g.toOddBits(a, false)
	}
	return g.cast("fptrunc", a, t)
}

// toOdd converts an f64 to an f32 that rounds to a smaller format as the f64 would: lost bits show in the
// last bit.
func (g *gen) toOdd(a val) val { return g.toOddBits(a, true) }

// toOddBits converts an f64 to an f32, rounded to zero. If sticky, the last bit is set when bits were lost.
func (g *gen) toOddBits(a val, sticky bool) val {
	r := g.cast("fptrunc", a, ir.F32)
	back := g.cast("fpext", r, ir.F64)
	away := g.compare("fcmp ogt", g.intrinsic("fabs", ir.F64, back), g.intrinsic("fabs", ir.F64, a))
	bits := g.cast("bitcast", r, ir.I32)
	bits = g.binary("sub", ir.I32, bits, g.cast("zext", away, ir.I32))
	if sticky {
		lost := g.compare("fcmp one", back, a)
		bits = g.binary("or", ir.I32, bits, g.cast("zext", lost, ir.I32))
	}
	return g.cast("bitcast", bits, ir.F32)
}

// wide converts a small float to f32, which is exact. Other types stay.
func (g *gen) wide(a val) val {
	if !isSmallFloat(a.t) {
		return a
	}
	ft := a.t.(*ir.FloatType)
	f := ft.Format
	switch f {
	case num.F16:
		return g.cast("fpext", a, ir.F32)
	case num.BF16:
		bits := g.binary("shl", ir.I32, g.cast("zext", val{s: a.s, t: ir.I16, n: a.n}, ir.I32),
			intConst(16, ir.I32))
		return g.cast("bitcast", bits, ir.F32)
	case num.F8E5M2: // e5m2 is the upper half of an f16
		h := g.binary("shl", ir.I16, g.cast("zext", val{s: a.s, t: ir.I8, n: a.n}, ir.I16),
			intConst(8, ir.I16))
		return g.cast("fpext", g.cast("bitcast", h, ir.F16), ir.F32)
	}
	// Placed where an f32 has its exponent and mantissa, the bits are the value times a power of two.
	w := g.cast("zext", val{s: a.s, t: ir.Int(f.Bits), n: a.n}, ir.I32)
	mag := g.binary("and", ir.I32, w, intConst(127, ir.I32))
	v := g.cast("bitcast", g.binary("shl", ir.I32, mag, intConst(int64(23-f.Man), ir.I32)), ir.F32)
	v = g.binary("fmul", ir.F32, v, f32Const(math.Ldexp(1, 127-f.Bias)))
	sign := g.binary("shl", ir.I32, g.binary("and", ir.I32, w, intConst(128, ir.I32)), intConst(24, ir.I32))
	v = g.cast("bitcast", g.binary("or", ir.I32, g.cast("bitcast", v, ir.I32), sign), ir.F32)
	switch f.Kind {
	case num.FN:
		v = g.choose(g.compare("icmp eq", mag, intConst(127, ir.I32)), f32Const(math.NaN()), v)
	case num.FNUZ:
		v = g.choose(g.compare("icmp eq", w, intConst(128, ir.I32)), f32Const(math.NaN()), v)
	case num.IEEE: // the mantissa of the largest exponent stays, under f32's largest exponent
		special := g.binary("or", ir.I32, g.cast("bitcast", v, ir.I32), intConst(0x7f800000, ir.I32))
		v = g.choose(g.compare("icmp uge", mag, intConst(int64(f.Overflow()), ir.I32)),
			g.cast("bitcast", special, ir.F32), v)
	}
	return v
}

// narrow rounds an f32 to a small format.
func (g *gen) narrow(a val, t *ir.FloatType, r rounding) val {
	f := t.Format
	switch {
	case f == num.F16 && !r.toZero:
		return g.cast("fptrunc", a, t)
	case f == num.BF16:
		return g.narrowBF16(a, t, r)
	}
	i32 := func(x int64) val { return intConst(x, ir.I32) }
	drop := int64(23 - f.Man)
	bits := g.cast("bitcast", a, ir.I32)
	u := g.binary("and", ir.I32, bits, i32(0x7fffffff))
	size := g.cast("bitcast", u, ir.F32)
	least := math.Ldexp(1, 1-f.Bias-f.Man) // smallest positive value

	normal := u
	if !r.toZero {
		half := g.binary("add", ir.I32, g.binary("and", ir.I32, g.binary("lshr", ir.I32, u, i32(drop)),
			i32(1)), i32(1<<(drop-1)-1))
		normal = g.binary("add", ir.I32, u, half)
	}
	out := g.binary("sub", ir.I32, g.binary("lshr", ir.I32, normal, i32(drop)), i32(int64(127-f.Bias)<<f.Man))
	var tiny val
	if r.toZero {
		units := g.binary("fmul", ir.F32, size, f32Const(1/least))
		limited := g.intrinsic("minnum", ir.F32, units, f32Const(1<<20))
		tiny = g.cast("fptoui", limited, ir.I32)
	} else {
		magic := f32Const(least * (1 << 23))
		sum := g.cast("bitcast", g.binary("fadd", ir.F32, size, magic), ir.I32)
		tiny = g.binary("sub", ir.I32, sum, i32(int64(math.Float32bits(float32(least*(1<<23))))))
	}
	isTiny := g.compare("icmp ult", u, i32(int64(math.Float32bits(float32(math.Ldexp(1, 1-f.Bias))))))
	out = g.choose(isTiny, tiny, out)
	top := int64(f.Max())
	over := g.compare("icmp sgt", out, i32(top))
	infinite := g.compare("icmp uge", u, i32(0x7f800000))
	beyond := int64(f.NaN()) & (1<<(f.Bits-1) - 1)
	inf := beyond
	if f.Kind == num.IEEE {
		inf = int64(1)<<f.Exp - 1
		inf <<= f.Man
	}
	if f.Kind == num.FNUZ {
		beyond, inf = 0, 0 // the sign is set below
	}
	limit := inf
	if r.toZero {
		limit = top
	}
	out = g.choose(over, i32(limit), out)
	out = g.choose(infinite, i32(inf), out)
	isNaN := g.compare("icmp ugt", u, i32(0x7f800000))
	out = g.choose(isNaN, i32(beyond), out)
	sign := g.binary("lshr", ir.I32, g.binary("and", ir.I32, bits, i32(-1<<31)), i32(int64(32-f.Bits)))
	signed := g.binary("or", ir.I32, out, sign)
	if f.Kind == num.FNUZ { // zero has no sign, and its negative is NaN
		signed = g.choose(g.compare("icmp eq", out, i32(0)), i32(0), signed)
		nan := g.binary("or", ir.I1, isNaN, infinite)
		if !r.toZero {
			nan = g.binary("or", ir.I1, nan, over)
		}
		signed = g.choose(nan, i32(1<<(f.Bits-1)), signed)
	}
	v := g.cast("trunc", signed, ir.Int(f.Bits))
	if f == num.F16 {
		return g.cast("bitcast", v, t)
	}
	v.t = t
	return v
}

func (g *gen) narrowBF16(a val, t *ir.FloatType, r rounding) val {
	if a.n == bf16Lanes && a.t == ir.Type(ir.F32) && !r.toZero && g.convertsBF16() {
		return g.quickBF16(a, t)
	}
	u := g.cast("bitcast", a, ir.I32)
	top := g.binary("lshr", ir.I32, u, intConst(16, ir.I32))
	rounded := top
	if !r.toZero {
		half := g.binary("add", ir.I32, g.binary("and", ir.I32, top, intConst(1, ir.I32)),
			intConst(0x7fff, ir.I32))
		rounded = g.binary("lshr", ir.I32, g.binary("add", ir.I32, u, half), intConst(16, ir.I32))
	}
	nan := g.compare("fcmp uno", a, a)
	out := g.choose(nan, g.binary("or", ir.I32, top, intConst(0x40, ir.I32)), rounded)
	v := g.cast("trunc", out, ir.I16)
	v.t = t
	return v
}

// bf16Lanes are the lanes of the processor's own conversion to bf16.
const bf16Lanes = 16

func (g *gen) convertsBF16() bool {
	has := func(f string) bool { return strings.Contains(","+g.opts.Features+",", ",+"+f+",") }
	return has("avx512bf16") && has("avx512dq")
}

// quickBF16 rounds by the processor's own instruction. It takes subnormal numbers for zero, so a vector that
// contains some is rounded as elsewhere.
func (g *gen) quickBF16(a val, t *ir.FloatType) val {
	const name = "nereid.bf16"
	if !g.known[name] {
		g.known[name] = true
		g.globals = append(g.globals, bf16Function())
		for n, d := range bf16Declares {
			g.decls[n] = d
		}
	}
	a = g.plain(a, bf16Lanes)
	return val{s: g.op("call <16 x i16> @%s(<16 x float> %s)", name, a.s), t: t, n: bf16Lanes}
}

var bf16Declares = map[string]string{
	"llvm.x86.avx512.fpclass.ps.512": "declare <16 x i1> " +
		"@llvm.x86.avx512.fpclass.ps.512(<16 x float>, i32 immarg)",
	"llvm.x86.avx512bf16.cvtneps2bf16.512": "declare <16 x bfloat> " +
		"@llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float>)",
}

// bf16Function returns the function that rounds. Class 32 are subnormal numbers; "each 16" is a vector.
func bf16Function() string {
	return eachLane.ReplaceAllStringFunc(bf16Text, func(s string) string {
		lane := "i32 " + strings.TrimPrefix(s, "each ")
		return "<" + strings.Repeat(lane+", ", bf16Lanes-1) + lane + ">"
	})
}

var eachLane = regexp.MustCompile(`each [0-9]+`)

const bf16Text = `define internal <16 x i16> @nereid.bf16(<16 x float> %x) alwaysinline nounwind {
  %class = call <16 x i1> @llvm.x86.avx512.fpclass.ps.512(<16 x float> %x, i32 32)
  %some = bitcast <16 x i1> %class to i16
  %none = icmp eq i16 %some, 0
  br i1 %none, label %quick, label %exact
quick:
  %narrow = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %x)
  %a = bitcast <16 x bfloat> %narrow to <16 x i16>
  br label %done
exact:
  %bits = bitcast <16 x float> %x to <16 x i32>
  %top = lshr <16 x i32> %bits, each 16
  %odd = and <16 x i32> %top, each 1
  %half = add <16 x i32> %odd, each 32767
  %sum = add <16 x i32> %bits, %half
  %rounded = lshr <16 x i32> %sum, each 16
  %nan = fcmp uno <16 x float> %x, %x
  %quiet = or <16 x i32> %top, each 64
  %out = select <16 x i1> %nan, <16 x i32> %quiet, <16 x i32> %rounded
  %b = trunc <16 x i32> %out to <16 x i16>
  br label %done
done:
  %r = phi <16 x i16> [ %a, %quick ], [ %b, %exact ]
  ret <16 x i16> %r
}
`

// intToFloat rounds once. Formats below f32 go through f64, which holds every 32-bit integer; lost bits of
// longer integers are kept in the last bit.
func (g *gen) intToFloat(instr string, a val, t ir.Type) val {
	if !isSmallFloat(t) {
		return g.cast(instr, a, t)
	}
	if intWidth(a.t) == 64 {
		lost := g.binary("and", a.t, a, intConst(0x7ff, a.t))
		some := g.cast("zext", g.compare("icmp ne", lost, intConst(0, a.t)), a.t)
		cut := g.binary("or", a.t, g.binary("sub", a.t, a, lost),
			g.binary("shl", a.t, some, intConst(11, a.t)))
		shifted := g.binary("add", a.t, a, intConst(1<<53, a.t))
		fits := g.compare("icmp ule", shifted, intConst(1<<54, a.t))
		if instr == "uitofp" {
			fits = g.compare("icmp ule", a, intConst(1<<53, a.t))
		}
		a = g.choose(fits, a, cut)
	}
	return g.narrow(g.toOdd(g.cast(instr, a, ir.F64)), t.(*ir.FloatType), rounding{})
}

// floatToInt saturates as the GPU's conversion does: to 16 bits or more, of which narrower types are cut. NaN
// becomes zero, or the smallest integer if either side has 64 bits.
func (g *gen) floatToInt(instr string, a val, t ir.Type) val {
	w := max(16, intWidth(t))
	x := g.wide(a)
	wideType := ir.Int(w)
	name := "llvm." + instr + ".sat." + suffix("i"+itoa(int64(w)), x.n) + "." + suffix(elemType(x.t), x.n)
	ret := vector("i"+itoa(int64(w)), x.n)
	g.decls[name] = "declare " + ret + " @" + name + "(" + x.typ() + ")"
	v := val{s: g.op("call %s @%s(%s %s)", ret, name, x.typ(), x.s), t: wideType, n: x.n}
	if a.t == ir.Type(ir.F64) || intWidth(t) == 64 {
		low := int64(-1) << (w - 1)
		v = g.choose(g.compare("fcmp uno", x, x), intConst(low, wideType), v)
	}
	if w > intWidth(t) {
		return g.cast("trunc", v, t)
	}
	v.t = t
	return v
}
