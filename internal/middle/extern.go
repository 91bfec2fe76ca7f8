package middle

import (
	stdmath "math"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
)

// externs are the functions of device libraries that MLIR has operations for, by name: NVIDIA's without its
// prefix and without the f of single precision, AMD's without prefix and suffix.
var externs = map[string]*ir.OpDef{
	"fabs": math.AbsF, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "rint": math.RoundEven,
	"nearbyint": math.RoundEven, "round": math.Round, "sqrt": math.Sqrt, "rsqrt": math.Rsqrt,
	"cbrt": math.Cbrt, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.ExpM1, "log": math.Log,
	"log2": math.Log2, "log10": math.Log10,
	"log1p": math.Log1p, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin,
	"acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "erf": math.Erf, "erfc": math.Erfc,
	"pow": math.PowF, "atan2": math.Atan2,
	"copysign": math.CopySign, "fma": math.Fma, "fmod": arith.RemF, "abs": math.AbsI, "llabs": math.AbsI,
	"fast_sin": math.Sin, "fast_cos": math.Cos, "fast_tan": math.Tan, "fast_exp": math.Exp,
	"fast_log": math.Log, "fast_log2": math.Log2, "fast_log10": math.Log10, "fast_pow": math.PowF,
	"fast_fdivide": arith.DivF, "fadd_rn": arith.AddF, "fsub_rn": arith.SubF, "fmul_rn": arith.MulF,
	"fdiv_rn": arith.DivF, "fsqrt_rn": math.Sqrt,
	"fma_rn": math.Fma, "dadd_rn": arith.AddF, "dsub_rn": arith.SubF, "dmul_rn": arith.MulF,
	"ddiv_rn":  arith.DivF,
	"dsqrt_rn": math.Sqrt, "fmaf_rn": math.Fma, "fmin": arith.MinNumF, "fmax": arith.MaxNumF,
	"popc": math.CtPop, "clz": math.CtLZ,
	"float_as_int": arith.Bitcast, "float_as_uint": arith.Bitcast, "int_as_float": arith.Bitcast,
	"uint_as_float":      arith.Bitcast,
	"double_as_longlong": arith.Bitcast, "longlong_as_double": arith.Bitcast,
}

// externTests are those that answer with an integer.
var externTests = map[string]*ir.OpDef{
	"isnan": math.IsNaN, "isfinite": math.IsFinite, "finite": math.IsFinite,
}

// libraryName returns the name of a function of a device library, without what tells precisions and libraries
// apart.
func libraryName(symbol string) string {
	if name, ok := strings.CutPrefix(symbol, "__nv_"); ok {
		return name
	}
	name, ok := strings.CutPrefix(symbol, "__ocml_")
	if !ok {
		return ""
	}
	for _, end := range []string{"_f32", "_f64"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// scalarExtern calls a function of a device library: an operation where there is one, and otherwise the
// function itself, declared under its own name.
func scalarExtern(c *converter, op *ir.Op, args []*ir.Value) ([]*ir.Value, error) {
	name := libraryName(op.Text("symbol"))
	t := dataElem(ir.ElemOf(op.Result(0).Type))
	for _, n := range []string{name, strings.TrimSuffix(name, "f"), strings.TrimSuffix(name, "d")} {
		if def := externs[n]; def != nil && fits(def, t, args) {
			return one(c.b.Val(def, t, args...))
		}
		if yes := c.externTest(n, args); yes != nil && ir.IsInt(t) {
			if t == ir.I1 {
				return one(yes)
			}
			return one(c.b.Val(arith.ExtUI, t, yes))
		}
	}
	if op.Text("symbol") == "" {
		return nil, errAt(op, "names no function")
	}
	return c.call(op.Text("symbol"), args, []ir.Type{t}, false), nil
}

// externTest asks a question about a float, or returns nil when there is none of that name.
func (c *converter) externTest(name string, args []*ir.Value) *ir.Value {
	if len(args) != 1 || !ir.IsFloat(args[0].Type) {
		return nil
	}
	if def := externTests[name]; def != nil {
		return c.b.Val(def, ir.I1, args[0])
	}
	if name == "isinf" { // math.isinf has no lowering in MLIR 22
		t := args[0].Type
		size := c.b.Val(math.AbsF, t, args[0])
		return c.b.ValA(arith.CmpF, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.FOEQ))}, size,
			arith.ConstFloat(c.b, stdmath.Inf(1), t))
	}
	return nil
}

// fits reports whether an operation takes these operands and gives that result.
func fits(def *ir.OpDef, t ir.Type, args []*ir.Value) bool {
	if len(def.Operands) != len(args) || !def.Results[0].Ok(t) {
		return false
	}
	for i, s := range def.Operands {
		if !s.Ok(args[i].Type) || def.Has(ir.SameOperandsAndResultType) && args[i].Type != t {
			return false
		}
	}
	return def != arith.Bitcast || ir.BitWidth(t) == ir.BitWidth(args[0].Type)
}
