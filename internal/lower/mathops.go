package lower

import (
	gomath "math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/mathlib"
)

// mathOps holds the lowerings of the math dialect. In f32, exp, exp2, sqrt, rsqrt and division use the
// hardware's approximations, as in Triton; the rest are functions of mathlib.
var mathOps = map[*ir.OpDef]element{
	math.AbsF: intrinsic("llvm.fabs"), math.CopySign: intrinsic("llvm.copysign"),
	math.Fma: intrinsic("llvm.fma"), math.Floor: intrinsic("llvm.floor"), math.Ceil: intrinsic("llvm.ceil"),
	math.Trunc: intrinsic("llvm.trunc"), math.RoundEven: intrinsic("llvm.roundeven"),
	math.Round: mathOp("round"), tt.PreciseSqrt: inFloat(squareRoot),
	math.Sqrt: approx("sqrt", squareRoot), math.Rsqrt: approx("rsqrt", mathOp("rsqrt")),
	math.Exp: exp, math.Exp2: approx("exp2", mathOp("exp2")), math.ExpM1: mathOp("expm1"),
	math.Log: mathOp("log"), math.Log2: mathOp("log2"), math.Log10: mathOp("log10"),
	math.Log1p: mathOp("log1p"), math.Sin: trig("sin"), math.Cos: trig("cos"), math.Tan: trig("tan"),
	math.Asin: mathOp("asin"), math.Acos: mathOp("acos"), math.Atan: mathOp("atan"),
	math.Atan2: mathOp("atan2"), math.Sinh: mathOp("sinh"), math.Cosh: mathOp("cosh"),
	math.Tanh: mathOp("tanh"), math.Asinh: mathOp("asinh"), math.Acosh: mathOp("acosh"),
	math.Atanh: mathOp("atanh"), math.Cbrt: mathOp("cbrt"), math.Erf: mathOp("erf"),
	math.Erfc: mathOp("erfc"), math.PowF: mathOp("pow"),

	math.AbsI: withFlag("llvm.abs"), math.CtLZ: withFlag("llvm.ctlz"), math.CtTZ: withFlag("llvm.cttz"),
	math.CtPop: intrinsic("llvm.ctpop"), math.IsNaN: question("uno"), math.IsInf: question("oeq"),
	math.IsFinite: question("olt"), tt.ClampF: clampf,
}

// mathCall calls a function of mathlib on values of type t, f32 or f64.
func (l *lowering) mathCall(name string, t ir.Type, args ...string) string {
	f, err := l.math.Func(name, precision(t), 1)
	if err != nil {
		panic(err) // the names come from tables in this package
	}
	return l.val("%s", f.Call(args...))
}

func precision(t ir.Type) mathlib.Prec {
	if t == ir.F64 {
		return mathlib.F64
	}
	return mathlib.F32
}

const (
	log2e = 1.44269504088896340735992468100189214
	ln10  = 2.30258509299404568401799145468436421
)

// f32 returns a constant in single precision.
func f32(v float64) string { return literal(uint64(gomath.Float32bits(float32(v))), ir.F32) }

// mathOp returns a function of mathlib. f16 and bf16 are computed in f32.
func mathOp(name string) element {
	return inFloat(func(l *lowering, _ *ir.Op, t ir.Type, a []string) string {
		return l.mathCall(name, t, a...)
	})
}

// trig returns sin, cos or tan. Numbers that f16 holds are so small that none of them needs the branch for
// large ones.
func trig(name string) element {
	any, near := mathOp(name), mathOp(name+"16")
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		small := t == ir.F16
		if wide := op.Operand(0).DefBy(arith.ExtF); t == ir.F32 && wide != nil {
			small = ir.ElemOf(wide.Operand(0).Type) == ir.F16
		}
		switch {
		case (t == ir.F32 || t == ir.F64) && wantsBoth(op):
			return l.sinOrCos(op, t, a[0], small)
		case small:
			return near(l, op, t, a)
		}
		return any(l, op, t, a)
	}
}

// wantsBoth reports whether the block of op, a sine or cosine, computes the other of the two for the same
// angles.
func wantsBoth(op *ir.Op) bool {
	other := map[*ir.OpDef]*ir.OpDef{math.Sin: math.Cos, math.Cos: math.Sin}[op.Def]
	for u := range op.Operand(0).Users() {
		if u.Def == other && u.Block() == op.Block() {
			return true
		}
	}
	return false
}

// angle is a number of which both the sine and the cosine are computed in a block.
type angle struct {
	block *ir.Block
	value string
}

// sinOrCos returns the sine or the cosine of x, by op. The first of the two computes both, since most of the
// work, the reduction of the angle, is the same.
func (l *lowering) sinOrCos(op *ir.Op, t ir.Type, x string, small bool) string {
	at := angle{op.Block(), x}
	both, ok := l.angles[at]
	f := l.math.SinCos(precision(t), small)
	if !ok {
		both = l.val("%s", f.Call(x))
		l.angles[at] = both
	}
	which := 0
	if op.Def == math.Cos {
		which = 1
	}
	return l.val("extractvalue %s %s, %d", f.Result, both, which)
}

// approx returns an element that is the hardware's approximation in f32, if it has one, and other otherwise.
func approx(name string, other element) element {
	return inFloat(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if t == ir.F32 {
			if v, ok := l.vendor.approximate(l, name, a...); ok {
				return v
			}
		}
		return other(l, op, t, a)
	})
}

// exp approximates e^x. Where results are only added to constants, subnormal ones may as well be zero, which
// saves three of five instructions.
func exp(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if t == ir.F32 && absorbed(op.Result(0)) {
		return approx("expflush", mathOp("exp"))(l, op, t, a)
	}
	return approx("exp", mathOp("exp"))(l, op, t, a)
}

// absorbed reports whether every use of v adds it to a constant so large that a subnormal v makes no
// difference.
func absorbed(v *ir.Value) bool {
	for use := range v.Uses() {
		op := use.Owner()
		if op.Def != arith.AddF && op.Def != arith.SubF {
			return false
		}
		if c, ok := arith.FloatOf(op.Operand(1 - use.Index())); !ok || gomath.Abs(c) < 0x1p-100 {
			return false
		}
	}
	return v.HasUses()
}

// divide emits Triton's division in f32. A reciprocal of 1 + e^x, as in a sigmoid, needs no test whether the
// divisor is so small or large that it must be scaled: a fixed scale keeps both in range.
func divide(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if c, ok := arith.FloatOf(op.Operand(0)); t == ir.F32 && ok && c == 1 && beyondOne(op.Operand(1)) {
		// reassoc lets LLVM multiply the summands, so that a fused multiply-add does both
		quarter := l.val("fmul reassoc float %s, %s", a[1], f32(0.25))
		if r, ok := l.vendor.approximate(l, "rcp", quarter); ok {
			return l.val("fmul float %s, %s", r, f32(0.25))
		}
	}
	if q, ok := divideRow(l, op, t, a); ok {
		return q
	}
	return approx("div", instr("fdiv"))(l, op, t, a)
}

// divideRow divides an element of a row by the row's divisor. The assembler would test for each element
// whether the divisor must be scaled; here LLVM sees that scale and reciprocal are the row's. The result has
// the same bits.
func divideRow(l *lowering, op *ir.Op, t ir.Type, a []string) (string, bool) {
	if t != ir.F32 || op.Operand(1).DefBy(tt.Broadcast) == nil {
		return "", false
	}
	size := l.call("float", "llvm.fabs.f32", "float "+a[1])
	small := l.val("select i1 %s, float %s, float %s",
		l.val("fcmp olt float %s, %s", size, f32(0x1p-126)), f32(0x1p24), f32(1))
	scale := l.val("select i1 %s, float %s, float %s",
		l.val("fcmp ogt float %s, %s", size, f32(0x1p126)), f32(0.25), small)
	r, ok := l.vendor.approximate(l, "rcp", l.val("fmul float %s, %s", a[1], scale))
	if !ok { // the vendor's divisions are exact
		return "", false
	}
	return l.val("fmul float %s, %s", l.val("fmul float %s, %s", a[0], scale), r), true
}

// beyondOne reports whether v is the sum of a constant of at least 1 and an exponential.
func beyondOne(v *ir.Value) bool {
	sum := v.DefBy(arith.AddF)
	if sum == nil {
		return false
	}
	for k := range 2 {
		c, ok := arith.FloatOf(sum.Operand(k))
		e := sum.Operand(1 - k)
		if ok && c >= 1 && (e.DefBy(math.Exp) != nil || e.DefBy(math.Exp2) != nil) {
			return true
		}
	}
	return false
}

// withFlag returns an intrinsic on integers whose last argument says that special inputs, such as zero for
// ctlz, are undefined. Here they are always defined.
func withFlag(name string) element {
	return func(l *lowering, _ *ir.Op, t ir.Type, a []string) string {
		return l.call(llvmType(t), name+"."+llvmType(t), llvmType(t)+" "+a[0], "i1 false")
	}
}

// question compares the absolute value of a float with infinity. "uno" holds for NaN alone.
func question(pred string) element {
	return func(l *lowering, op *ir.Op, _ ir.Type, a []string) string {
		t, x := ir.ElemOf(op.Operand(0).Type), a[0]
		if t != ir.F32 && t != ir.F64 {
			t, x = ir.F32, l.extend(x, t, ir.F32)
		}
		inf := literal(t.(*ir.FloatType).Format.Overflow(), t)
		return l.val("fcmp %s %s %s, %s", pred, llvmType(t), onFloats(t, "llvm.fabs")(l, []string{x}), inf)
	}
}

func clampf(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	nans := op.IntOr("propagateNan", 0) != 0
	low, isLow := arith.FloatOf(op.Operand(1))
	if high, ok := arith.FloatOf(op.Operand(2)); ok && isLow && low == -high && high >= 0 && t == ir.F32 {
		if v, ok := l.vendor.clip(l, a[0], a[2], nans); ok {
			return v
		}
	}
	from := intrinsic("llvm.maxnum")(l, op, t, []string{a[0], a[1]})
	v := intrinsic("llvm.minnum")(l, op, t, []string{from, a[2]})
	if !nans {
		return v
	}
	typ := llvmType(t)
	nan := l.val("fcmp uno %s %s, %s", typ, a[0], a[0])
	return l.val("select i1 %s, %s %s, %s %s", nan, typ, a[0], typ, v)
}

// externFunc emits a function of a device library and returns its value.
type externFunc func(l *lowering, a []string) string

// lowerExtern calls a function of the vendor's device library on each element.
func lowerExtern(l *lowering, op *ir.Op) {
	f := l.vendor.extern(op.Text("symbol"), ir.ElemOf(op.Operand(0).Type))
	if f == nil && l.opts.Externs {
		f = linked(op)
	}
	if f == nil {
		l.fail(op, "function %q of library %q is not known: name its file in extern_libs", op.Text("symbol"),
			op.Text("libname"))
	}
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, a []string) string { return f(l, a) })(l, op)
}

// linked calls a function of a library that is linked later.
func linked(op *ir.Op) externFunc {
	return func(l *lowering, a []string) string {
		typed := make([]string, len(a))
		for i, x := range a {
			typed[i] = llvmType(ir.ElemOf(op.Operand(i).Type)) + " " + x
		}
		return l.call(llvmType(ir.ElemOf(op.Result(0).Type)), op.Text("symbol"), typed...)
	}
}

// onFloats returns an LLVM intrinsic on values of type t.
func onFloats(t ir.Type, name string) externFunc {
	return func(l *lowering, a []string) string {
		typed := make([]string, len(a))
		for i, x := range a {
			typed[i] = llvmType(t) + " " + x
		}
		return l.call(llvmType(t), name+"."+suffix(t), typed...)
	}
}
