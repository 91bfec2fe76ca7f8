package lower

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/mathlib"
)

// Functions of device libraries on AMD's GPUs, under the names that Triton's table for HIP gives them. ROCm's
// library is not linked: each function is a few instructions or a function of mathlib.

// The prefixes of the names: ROCm's library, and functions that Triton writes itself.
const (
	ocmlPrefix = "__ocml_"
	hipPrefix  = "__triton_hip_"
)

func (v amd) extern(symbol string, t ir.Type) externFunc {
	if name, ok := strings.CutPrefix(symbol, hipPrefix); ok {
		return v.hipFunc(name, t)
	}
	name, ok := strings.CutPrefix(symbol, ocmlPrefix)
	if !ok {
		return nil
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_f32"), "_f64")
	switch in := ocmlIntrinsics[name]; {
	case name == "sqrt":
		return func(l *lowering, a []string) string { return squareRoot(l, nil, t, a) }
	case in != "":
		return onFloats(t, in)
	case mathlib.HasDevice(symbol):
		return deviceFunc(symbol)
	}
	return nil
}

// ocmlIntrinsics has the functions of ROCm's library that LLVM knows.
var ocmlIntrinsics = map[string]string{
	"floor": "llvm.floor", "ceil": "llvm.ceil", "trunc": "llvm.trunc", "nearbyint": "llvm.rint",
	"copysign": "llvm.copysign", "fma": "llvm.fma",
}

// hipFunc returns a function of Triton's own on values of a type, or nil. The fast ones are for f32.
func (v amd) hipFunc(name string, t ir.Type) externFunc {
	typ := llvmType(t)
	return map[string]externFunc{
		"fabs": onFloats(t, "llvm.fabs"),
		"iabs": func(l *lowering, a []string) string {
			return l.call(typ, "llvm.abs."+typ, typ+" "+a[0], "i1 false")
		},
		"llrint": func(l *lowering, a []string) string {
			return l.val("fptosi %s %s to i64", typ, onFloats(t, "llvm.rint")(l, a))
		},
		"fast_fdividef": func(l *lowering, a []string) string {
			return l.val("fmul float %s, %s", a[0], l.call("float", "llvm.amdgcn.rcp.f32", "float "+a[1]))
		},
		"fast_expf":  v.fastExp,
		"fast_tanhf": v.fastTanh,
	}[name]
}

// fastExp returns e^x. Subnormal results are zero.
func (amd) fastExp(l *lowering, a []string) string {
	power := l.val("fmul float %s, %s", a[0], f32(log2e))
	return l.call("float", "llvm.amdgcn.exp2.f32", "float "+power)
}

// fastTanh returns 1 - 2/(e^2|x| + 1) with the sign of x: the power may overflow, the quotient is then zero.
func (v amd) fastTanh(l *lowering, a []string) string {
	x := l.call("float", "llvm.fabs.f32", "float "+a[0])
	power := v.fastExp(l, []string{l.val("fmul float %s, %s", x, f32(2))})
	part := l.val("fdiv float %s, %s", f32(2), l.val("fadd float %s, %s", power, f32(1)))
	r := l.val("fsub float %s, %s", f32(1), part)
	return l.call("float", "llvm.copysign.f32", "float "+r, "float "+a[0])
}
