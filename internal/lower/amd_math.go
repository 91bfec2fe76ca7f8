package lower

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// amdApproximations has instructions that are right to one unit in the last place. Subnormal inputs and
// results are zero, but for the reciprocal's.
var amdApproximations = map[string]string{"exp2": "llvm.amdgcn.exp2.f32", "rsqrt": "llvm.amdgcn.rsq.f32"}

// approximate computes exp as 2^(x·log2 e), as Triton does, subnormal results included. Division and square
// roots are exact.
func (v amd) approximate(l *lowering, name string, args ...string) (r string, ok bool) {
	switch name {
	case "exp":
		return l.call("float", "llvm.exp2.f32", "float "+l.val("fmul float %s, %s", args[0], f32(log2e))),
			true
	case "expflush":
		return v.fastExp(l, args), true
	}
	if in := amdApproximations[name]; in != "" {
		return l.call("float", in, typed("float", args)...), true
	}
	return "", false
}

func (amd) clip(*lowering, string, string, bool) (string, bool) { return "", false }

func (amd) intToBF16(*lowering, string, string, bool) (string, bool) { return "", false }

func (amd) smallPairs(_, _ ir.Type) bool { return false }

// toSmallPair and fromSmallPair are never asked for: no pair is converted by the hardware.
func (amd) toSmallPair(*lowering, string, string, ir.Type) string { return "" }
func (amd) fromSmallPair(*lowering, string, ir.Type) string       { return "" }

// keepsSubnormals is false: it is done in f32, where kernels may ask for zeros instead.
func (amd) keepsSubnormals() bool { return false }

func (amd) difference(l *lowering, x, y string) string { return l.val("sub i32 %s, %s", x, y) }

func (amd) mulHigh(l *lowering, typ, a, b string) string {
	bits := intBits(typ)
	wide := func(v string) string { return l.val("sext %s %s to i%d", typ, v, 2*bits) }
	p := l.val("mul i%d %s, %s", 2*bits, wide(a), wide(b))
	return l.val("trunc i%d %s to %s", 2*bits, l.val("lshr i%d %s, %d", 2*bits, p, bits), typ)
}

func (amd) hiddenZero(l *lowering) string {
	return l.val(`call i32 asm "s_mov_b32 $0, 0", "=s"() memory(none)`)
}

func (amd) wideProduct(l *lowering, x, y string) string { return l.plainProduct(32, []string{x, y}) }

// roundToZero rounds to nearest, and takes a step back where that went away from zero. f32 to f16 is an
// instruction; bf16 is the upper half of an f32.
func (amd) roundToZero(l *lowering, x string, from, to ir.Type) string {
	switch to {
	case ir.F16:
		pair := l.call("<2 x half>", "llvm.amdgcn.cvt.pkrtz", "float "+x, "float 0.0")
		return l.val("extractelement <2 x half> %s, i32 0", pair)
	case ir.BF16:
		bits := l.val("bitcast float %s to i32", x)
		nan := l.val("fcmp uno float %s, %s", x, x)
		kept := l.val("select i1 %s, i32 %s, i32 %s", nan, l.val("or i32 %s, 4194304", bits), bits)
		half := l.val("trunc i32 %s to i16", l.val("lshr i32 %s, 16", kept))
		return l.val("bitcast i16 %s to bfloat", half)
	}
	near := l.val("fptrunc double %s to float", x)
	wide := l.call("double", "llvm.fabs.f64", "double "+l.val("fpext float %s to double", near))
	beyond := l.val("fcmp ogt double %s, %s", wide, l.call("double", "llvm.fabs.f64", "double "+x))
	bits := l.val("bitcast float %s to i32", near)
	less := l.val("sub i32 %s, %s", bits, l.val("zext i1 %s to i32", beyond))
	return l.val("bitcast i32 %s to float", less)
}

// printf is never asked for: ops refuses tl.device_print.
func (amd) printf(*lowering, string, []arg) {}

// assertFail ends the kernel. There is nobody to tell the message.
func (amd) assertFail(l *lowering, _, _ string, _ int, _ string) { l.call("void", "llvm.trap") }
