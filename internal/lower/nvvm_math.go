package lower

import "github.com/nereid-lang/nereid/internal/ir"

// approximations holds the instructions behind Triton's approximate functions in f32.
var approximations = map[string]string{
	"div":  "llvm.nvvm.div.full", // accurate to 2 ulp
	"rcp":  "llvm.nvvm.rcp.approx.ftz.f",
	"exp2": "llvm.nvvm.ex2.approx.ftz.f",
	"sqrt": "llvm.nvvm.sqrt.approx.ftz.f", "rsqrt": "llvm.nvvm.rsqrt.approx.ftz.f",
}

// approximate computes exp as 2^(x·log2 e), as Triton does.
func (nvidia) approximate(l *lowering, name string, args ...string) (v string, ok bool) {
	in := map[string]string{"exp": "llvm.nvvm.ex2.approx.f", "expflush": "llvm.nvvm.ex2.approx.ftz.f"}[name]
	if in != "" {
		return l.call("float", in, "float "+l.val("fmul float %s, %s", args[0], f32(log2e))), true
	}
	return l.call("float", approximations[name], typed("float", args)...), true
}

func (nvidia) keepsSubnormals() bool { return true }

// clip has an instruction that Triton uses too: the smaller magnitude, with the sign of x. A
// NaN that does not propagate becomes the limit with the NaN's sign.
func (v nvidia) clip(l *lowering, x, limit string, nans bool) (string, bool) {
	name := "llvm.nvvm.fmin.xorsign.abs.f"
	if nans {
		name = "llvm.nvvm.fmin.nan.xorsign.abs.f"
	}
	if !v.chip.XorSign {
		return "", false
	}
	return l.call("float", name, typed("float", []string{x, limit})...), true
}

func (v nvidia) intToBF16(l *lowering, typ, x string, signed bool) (string, bool) {
	if !v.chip.IntToBF16 {
		return "", false
	}
	from := map[bool]string{true: "s", false: "u"}[signed] + typ[1:]
	constraints := map[string]string{"i32": "=h,r", "i64": "=h,l"}[typ]
	r := l.asm("i16", "cvt.rn.bf16."+from+" $0, $1;", constraints, false, typ+" "+x)
	return l.val("bitcast i16 %s to bfloat", r), true
}

// smallPairs holds for e4m3fn and e5m2 if the chip converts them.
func (v nvidia) smallPairs(from, to ir.Type) bool {
	hw := func(t ir.Type) bool { return smallNames[t] != "" }
	wide := func(t ir.Type) bool { return t == ir.F32 || t == ir.F16 || t == ir.BF16 }
	return v.chip.FP8Conversions && (hw(from) && wide(to) || wide(from) && hw(to))
}

var smallNames = map[ir.Type]string{ir.F8E4M3FN: "e4m3x2", ir.F8E5M2: "e5m2x2"}

func (nvidia) toSmallPair(l *lowering, lo, hi string, to ir.Type) string {
	code := "cvt.rn.satfinite." + smallNames[to] + ".f32 $0, $1, $2;"
	return l.asm("i16", code, "=h,f,f", false, "float "+hi, "float "+lo)
}

func (nvidia) fromSmallPair(l *lowering, pair string, from ir.Type) string {
	r := l.asm("i32", "cvt.rn.f16x2."+smallNames[from]+" $0, $1;", "=r,h", false, "i16 "+pair)
	return l.val("bitcast i32 %s to <2 x half>", r)
}

func (nvidia) difference(l *lowering, x, y string) string {
	return l.val(`call i32 asm "sub.s32 $0, $1, $2;", "=r,r,r"(i32 %s, i32 %s) memory(none)`, x, y)
}

// mulHigh calls LLVM's function for the instruction: a product of widened numbers is one for LLVM only if
// both are widened beside it, not outside of a loop.
func (nvidia) mulHigh(l *lowering, typ, a, b string) string {
	name := map[string]string{"i32": "llvm.nvvm.mulhi.i", "i64": "llvm.nvvm.mulhi.ll"}[typ]
	return l.call(typ, name, typ+" "+a, typ+" "+b)
}

func (nvidia) hiddenZero(l *lowering) string {
	return l.val(`call i32 asm "mov.b32 $0, 0;", "=r"() memory(none)`)
}

// wideProduct hides the product from LLVM, which would compute with the upper half in 64 bits from then on,
// and take three instructions for the next product of Philox, whose factors it no longer knows to be short.
func (nvidia) wideProduct(l *lowering, x, y string) string {
	if x == "0" || y == "0" {
		return "0"
	}
	if x > y { // so that LLVM merges the products of both halves
		x, y = y, x
	}
	return l.val(`call i64 asm "mul.wide.u32 $0, $1, $2;", "=l,r,r"(i32 %s, i32 %s) memory(none)`, x, y)
}

func (nvidia) roundToZero(l *lowering, x string, from, to ir.Type) string {
	if to == ir.F32 {
		return l.asm("float", "cvt.rz.f32.f64 $0, $1;", "=f,d", false, "double "+x)
	}
	r := l.asm("i16", "cvt.rz."+suffix(to)+".f32 $0, $1;", "=h,f", false, "float "+x)
	return l.val("bitcast i16 %s to %s", r, llvmType(to))
}
