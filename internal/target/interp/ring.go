package interp

import (
	gomath "math"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
)

// Floats as elements of a finite ring (Options.Certify): the operations that round get the meaning that
// package ring gives them; all others stay.

// lowering returns the lowering of an operation.
func (c *compiler) lowering(def *ir.OpDef) (lowering, bool) {
	if l := ringOps[def]; l != nil && c.ring {
		return l, true
	}
	l, ok := lowerings[def]
	return l, ok
}

// adder returns a + b, of which the caller rounds the result to the format.
type adder func(f *num.Format, a, b float64) float64

func (c *compiler) adder() adder {
	if c.ring {
		return ring.Add
	}
	return func(_ *num.Format, a, b float64) float64 { return a + b }
}

// productFloats returns the product of rows of floats.
func (c *compiler) productFloats() func(p product, f *frame, a, b []float64, batch int, acc, d value) {
	if c.ring {
		return product.ring
	}
	return product.floats
}

// ring computes one batch, as floats does.
func (p product) ring(f *frame, a, b []float64, batch int, acc, d value) {
	s := newSink(f, acc, d)
	out := make([]float64, p.m*p.n)
	at := batch * p.m * p.n
	for i := range out {
		if s.d64 != nil {
			out[i] = s.c64[(at+i)&s.mask]
		} else {
			out[i] = float64(s.c32[(at+i)&s.mask])
		}
	}
	ring.Multiply(d.fmt, out, a, b, p.m, p.n, p.k, 1, p.k)
	for i, v := range out {
		if s.d64 != nil {
			s.d64[at+i] = v
		} else {
			s.d32[at+i] = float32(v)
		}
	}
}

// ringStep makes the step of a function of floats, each of which may have a format of its own.
func ringStep(c *compiler, op *ir.Op, f func(to *num.Format, a []float64) float64) step {
	d, args := c.out(op.Result(0)), c.ins(op)
	for _, a := range append(args, d) {
		if !a.kind.isFloat() {
			return c.errorf(op, "this operation has no meaning in the ring")
		}
	}
	return func(fr *frame) {
		x := make([]float64, len(args))
		for i := range fr.regs[d.reg].n {
			for k, a := range args {
				x[k] = fr.element(a, i)
			}
			if v := f(d.fmt, x); d.kind == kF64 {
				row[float64](fr, d.reg)[i] = v
			} else {
				row[float32](fr, d.reg)[i] = float32(v)
			}
		}
	}
}

// element returns an element of a register, which may hold one for all.
func (f *frame) element(v value, i int) float64 {
	if f.regs[v.reg].n == 1 {
		i = 0
	}
	if v.kind == kF64 {
		return row[float64](f, v.reg)[i]
	}
	return float64(row[float32](f, v.reg)[i])
}

// inRing lowers an operation of the ring.
func inRing(f func(to *num.Format, a []float64) float64) lowering {
	return func(c *compiler, op *ir.Op) step { return ringStep(c, op, f) }
}

func ringBinary(f func(to *num.Format, a, b float64) float64) lowering {
	return inRing(func(to *num.Format, a []float64) float64 { return f(to, a[0], a[1]) })
}

// ringCall lowers a function.
func ringCall(name string) lowering {
	return inRing(func(to *num.Format, a []float64) float64 { return ring.Call(to, name, a...) })
}

// ringCast lowers a conversion between floats: exact to a wider format, and the ring's to another.
func ringCast(c *compiler, op *ir.Op) step {
	from := c.in(op.Operand(0)).fmt
	return ringStep(c, op, func(to *num.Format, a []float64) float64 {
		if !narrower(from, to) {
			return a[0]
		}
		return ring.Round(to, a[0])
	})
}

// noMeaning lowers an operation that code for GPUs computes by other laws than those of the ring.
func noMeaning(why string) lowering {
	return func(c *compiler, op *ir.Op) step { return c.errorf(op, "%s has no meaning in the ring", why) }
}

// ringDot refuses products of which the operands are split into parts that do not make up the whole.
func ringDot(c *compiler, op *ir.Op) step {
	switch op.IntOr("inputPrecision", tt.PrecisionIEEE) {
	case tt.PrecisionIEEE, tt.PrecisionTF32:
		return lowerDot(c, op)
	}
	return noMeaning("a product of operands in parts")(c, op)
}

// ringRemainder lowers x mod y, which is that of floats but for those of 64 bits: code computes these by
// quotients that are rounded.
func ringRemainder(otherwise lowering) lowering {
	return func(c *compiler, op *ir.Op) step {
		if c.out(op.Result(0)).kind == kF64 {
			return noMeaning("a remainder of fp64")(c, op)
		}
		return otherwise(c, op)
	}
}

// ringToInt lowers a conversion to signed integers, which is that of floats. LLVM leaves open what becomes of
// a constant that no integer holds, such as the infinity for elements that are not loaded.
func ringToInt(c *compiler, op *ir.Op) step {
	if v, ok := arith.FloatOf(op.Operand(0)); ok && !(gomath.Abs(v) < 0x1p63) {
		return noMeaning("an infinity or NaN as an integer")(c, op)
	}
	return lowerings[arith.FPToSI](c, op)
}

// ringFromInt lowers a conversion of integers: to formats below f32 it goes through f32.
func ringFromInt(op *ir.OpDef) lowering {
	return func(c *compiler, o *ir.Op) step {
		d, a := c.out(o.Result(0)), c.in(o.Operand(0))
		if !d.small() || !a.kind.isInt() {
			return lowerings[op](c, o)
		}
		signed := op == arith.SIToFP
		return func(f *frame) {
			out := row[float32](f, d.reg)
			for i := range out { // in place where both have one register
				out[i] = float32(ring.Round(d.fmt, float64(f.integer(a, i, signed))))
			}
		}
	}
}

// integer returns an element of a register of integers in single precision.
func (f *frame) integer(v value, i int, signed bool) float32 {
	n := v.kind.bytes() * 8
	if f.regs[v.reg].n == 1 {
		i = 0
	}
	b := f.bitsOf(v, i)
	if signed {
		x := int64(b<<(64-n)) >> (64 - n)
		if v.kind == kI1 {
			x = -int64(b & 1)
		}
		return float32(x)
	}
	return float32(b)
}

// ringExtern lowers a function of a device library: those of mathematics are functions of the ring.
func ringExtern(c *compiler, op *ir.Op) step {
	name := externName(op.Text("symbol"))
	if f := ringExterns[name]; f != nil {
		return f(c, op)
	}
	if outside[name] {
		return c.errorf(op, "function %q has no meaning in the ring", op.Text("symbol"))
	}
	return lowerExtern(c, op)
}

// externName returns the name of a function without its library's prefix and its type.
func externName(symbol string) string {
	if name, ok := strings.CutPrefix(symbol, "__nv_"); ok {
		if ringExterns[name] == nil {
			name = strings.TrimPrefix(name, "fast_")
		}
		if ringExterns[name] != nil {
			return name
		}
		return strings.TrimSuffix(name, "f")
	}
	name := strings.TrimPrefix(symbol, "__ocml_")
	return strings.TrimSuffix(strings.TrimSuffix(name, "_f32"), "_f64")
}

// outside are functions that code computes from the bits of floats.
var outside = map[string]bool{"jn": true, "yn": true, "powi": true, "rcp64h": true, "ldexp": true,
	"scalbn": true, "pown": true}

// ringExterns has the functions of device libraries that round.
var ringExterns = map[string]lowering{"fdivide": ringBinary(ring.Div)}

func init() {
	for name := range strings.FieldsSeq(`sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p
		sin cos tan sinpi cospi asin acos atan sinh cosh tanh asinh acosh atanh j0 j1 y0 y1 cyl_bessel_i0
		cyl_bessel_i1 erf erfc erfinv erfcinv erfcx normcdf normcdfinv lgamma tgamma atan2 hypot rhypot pow
		norm3d rnorm3d norm4d rnorm4d`) {
		ringExterns[name] = ringCall(name)
	}
	ringExterns["frsqrt_rn"] = ringCall("rsqrt")
	ringExterns["fast_tanf"] = inRing(func(to *num.Format, a []float64) float64 {
		return ring.Div(to, ring.Call(to, "sin", a[0]), ring.Call(to, "cos", a[0]))
	})
	ringExterns["fast_powf"] = inRing(func(to *num.Format, a []float64) float64 {
		return ring.Call(to, "exp2", ring.Mul(to, a[1], ring.Call(to, "log2", a[0])))
	})
	for _, name := range []string{"fmod", "remainder"} {
		ringExterns[name] = ringRemainder(lowerExtern)
	}
	ringExterns["fdim"] = ringCall("fdim")
	ringOps[arith.FPToSI] = ringToInt
	ringOps[arith.RemF] = ringRemainder(lowerings[arith.RemF])
	fma := ringOps[math.Fma]
	ringExterns["fma"] = fma
	for _, mode := range []string{"_rn", "_rz", "_rd", "_ru"} {
		for _, t := range []string{"f", "d"} {
			ringExterns[t+"add"+mode], ringExterns[t+"sub"+mode] = ringBinary(ring.Add), ringBinary(ring.Sub)
			ringExterns[t+"mul"+mode], ringExterns[t+"div"+mode] = ringBinary(ring.Mul), ringBinary(ring.Div)
			ringExterns[t+"rcp"+mode], ringExterns[t+"sqrt"+mode] = ringCall("rcp"), ringCall("sqrt")
		}
		ringExterns["fma"+mode], ringExterns["fmaf"+mode] = fma, fma
		ringExterns["double2float"+mode] = ringCast
	}
	ringOps[tt.ExternElementwise] = ringExtern
}

var ringOps = map[*ir.OpDef]lowering{
	arith.AddF: ringBinary(ring.Add), arith.SubF: ringBinary(ring.Sub), arith.MulF: ringBinary(ring.Mul),
	arith.DivF: ringBinary(ring.Div), tt.PreciseDivF: ringBinary(ring.Div),
	tt.ApproxDivF: ringBinary(ring.Div),
	math.Fma: inRing(func(to *num.Format, a []float64) float64 {
		return ring.Fma(to, a[0], a[1], a[2])
	}),
	arith.SIToFP: ringFromInt(arith.SIToFP), arith.UIToFP: ringFromInt(arith.UIToFP),
	arith.FPToUI: noMeaning("a float, which may be negative, as an unsigned integer"), tt.Dot: ringDot,
	arith.TruncF: ringCast, arith.ExtF: ringCast, tt.FpToFp: ringCast,
	tt.PreciseSqrt: ringCall("sqrt"), math.Sqrt: ringCall("sqrt"), math.Rsqrt: ringCall("rsqrt"),
	math.Exp: ringCall("exp"), math.Exp2: ringCall("exp2"), math.ExpM1: ringCall("expm1"),
	math.Log: ringCall("log"), math.Log2: ringCall("log2"), math.Log10: ringCall("log10"),
	math.Log1p: ringCall("log1p"), math.Sin: ringCall("sin"), math.Cos: ringCall("cos"),
	math.Tan: ringCall("tan"), math.Asin: ringCall("asin"), math.Acos: ringCall("acos"),
	math.Atan: ringCall("atan"), math.Atan2: ringCall("atan2"), math.Sinh: ringCall("sinh"),
	math.Cosh: ringCall("cosh"), math.Tanh: ringCall("tanh"), math.Asinh: ringCall("asinh"),
	math.Acosh: ringCall("acosh"), math.Atanh: ringCall("atanh"), math.Cbrt: ringCall("cbrt"),
	math.Erf: ringCall("erf"), math.Erfc: ringCall("erfc"), math.PowF: ringCall("pow"),
}
