package lower

import (
	"fmt"
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	dmath "github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// element computes one element of an operation's result from one element of each operand.
type element func(l *lowering, op *ir.Op, t ir.Type, args []string) string

// elementwise is the lowering that applies f to each register.
func elementwise(f element) handler {
	return func(l *lowering, op *ir.Op) {
		t := op.Result(0).Type
		elem := ir.ElemOf(t)
		regs := make([]string, l.numRegs(op, t))
		for i := range regs {
			regs[i] = f(l, op, elem, l.elementArgs(op, i))
		}
		l.set(op.Result(0), regs)
	}
}

// elementArgs are register i of each operand.
func (l *lowering) elementArgs(op *ir.Op, i int) []string {
	args := make([]string, op.NumOperands())
	for k := range args {
		regs := l.regs(op.Operand(k))
		args[k] = regs[min(i, len(regs)-1)]
	}
	return args
}

// instr is a plain instruction on two operands of one type.
func instr(name string) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.val("%s %s %s, %s", name, llvmType(t), a[0], a[1])
	}
}

// intrinsic is a call of an LLVM intrinsic whose name ends in the type.
func intrinsic(name string) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		typ := llvmType(t)
		args := make([]string, len(a))
		for i, x := range a {
			args[i] = typ + " " + x
		}
		return l.call(typ, name+"."+suffix(t), args...)
	}
}

// suffix is a type in the name of an intrinsic.
func suffix(t ir.Type) string {
	if ft, ok := t.(*ir.FloatType); ok {
		if ft == ir.BF16 {
			return "bf16"
		}
		return fmt.Sprintf("f%d", ft.Format.Bits)
	}
	return llvmType(t)
}

var binaryOps = map[*ir.OpDef]element{
	arith.AddI: instr("add"), arith.SubI: instr("sub"), arith.MulI: instr("mul"),
	arith.DivSI: instr("sdiv"), arith.DivUI: instr("udiv"), arith.RemSI: instr("srem"), arith.RemUI: instr("urem"),
	arith.AndI: instr("and"), arith.OrI: instr("or"), arith.XOrI: instr("xor"),
	arith.ShLI: instr("shl"), arith.ShRSI: instr("ashr"), arith.ShRUI: instr("lshr"),
	arith.MaxSI: intrinsic("llvm.smax"), arith.MinSI: intrinsic("llvm.smin"), arith.MaxUI: intrinsic("llvm.umax"), arith.MinUI: intrinsic("llvm.umin"),
	arith.AddF: inFloat(instr("fadd")), arith.SubF: inFloat(instr("fsub")), arith.MulF: inFloat(instr("fmul")),
	arith.DivF: divide, arith.RemF: inFloat(instr("frem")),
	arith.MaximumF: inFloat(intrinsic("llvm.maximum")), arith.MinimumF: inFloat(intrinsic("llvm.minimum")),
	arith.MaxNumF: inFloat(intrinsic("llvm.maxnum")), arith.MinNumF: inFloat(intrinsic("llvm.minnum")),
	tt.PreciseDivF: instr("fdiv"), tt.MulhiUI: mulhi, dmath.CopySign: intrinsic("llvm.copysign"),
}

var unaryOps = map[*ir.OpDef]element{
	arith.NegF: func(l *lowering, _ *ir.Op, t ir.Type, a []string) string {
		return l.val("fneg %s %s", llvmType(t), a[0])
	},
	dmath.AbsF: intrinsic("llvm.fabs"),
	dmath.AbsI: func(l *lowering, _ *ir.Op, t ir.Type, a []string) string {
		return l.call(llvmType(t), "llvm.abs."+llvmType(t), llvmType(t)+" "+a[0], "i1 false")
	},
	dmath.Floor:     intrinsic("llvm.floor"),
	dmath.Ceil:      intrinsic("llvm.ceil"),
	dmath.Trunc:     intrinsic("llvm.trunc"),
	dmath.RoundEven: intrinsic("llvm.roundeven"),
	dmath.Sqrt:      sqrt,
	tt.PreciseSqrt:  intrinsic("llvm.sqrt"),
	dmath.Rsqrt:     rsqrt,
	dmath.Exp:       exp,
	dmath.Exp2:      exp2,
	dmath.CtPop:     intrinsic("llvm.ctpop"),
}

// inFloat computes bf16 arithmetic in f32, which every target has; the others as they are.
func inFloat(f element) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if t != ir.BF16 {
			return f(l, op, t, a)
		}
		wide := make([]string, len(a))
		for i, x := range a {
			wide[i] = l.extend(x, ir.BF16, ir.F32)
		}
		return l.truncate(f(l, op, ir.F32, wide), ir.F32, ir.BF16)
	}
}

// divide is fdiv as Triton has it: div.full for f32, within 2 ulp.
func divide(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	switch t {
	case ir.F32:
		return l.call("float", "llvm.nvvm.div.full", "float "+a[0], "float "+a[1])
	case ir.BF16, ir.F16:
		x, y := l.extend(a[0], t, ir.F32), l.extend(a[1], t, ir.F32)
		return l.truncate(l.call("float", "llvm.nvvm.div.full", "float "+x, "float "+y), ir.F32, t)
	}
	return l.val("fdiv %s %s, %s", llvmType(t), a[0], a[1])
}

func sqrt(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if t == ir.F32 {
		return l.call("float", "llvm.nvvm.sqrt.approx.ftz.f", "float "+a[0])
	}
	return intrinsic("llvm.sqrt")(l, op, t, a)
}

func rsqrt(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if t == ir.F32 {
		return l.call("float", "llvm.nvvm.rsqrt.approx.ftz.f", "float "+a[0])
	}
	return l.call("double", "llvm.nvvm.rsqrt.approx.d", "double "+a[0])
}

// exp is 2^(x·log2 e), as Triton approximates it.
func exp(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if t != ir.F32 {
		l.fail(op, "exp of %s", t)
	}
	scaled := l.val("fmul float %s, %s", a[0], literal(uint64(math.Float32bits(math.Log2E)), ir.F32))
	return l.call("float", "llvm.nvvm.ex2.approx.f", "float "+scaled)
}

func exp2(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if t != ir.F32 {
		l.fail(op, "exp2 of %s", t)
	}
	return l.call("float", "llvm.nvvm.ex2.approx.ftz.f", "float "+a[0])
}

func fma(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	return intrinsic("llvm.fma")(l, op, t, a)
}

func clampf(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	low := intrinsic("llvm.maxnum")(l, op, t, []string{a[0], a[1]})
	v := intrinsic("llvm.minnum")(l, op, t, []string{low, a[2]})
	if op.IntOr("propagateNan", 0) == 0 {
		return v
	}
	typ := llvmType(t)
	nan := l.val("fcmp uno %s %s, %s", typ, a[0], a[0])
	return l.val("select i1 %s, %s %s, %s %s", nan, typ, a[0], typ, v)
}

// mulhi is the upper half of a product.
func mulhi(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	n := ir.BitWidth(t)
	x, y := l.val("zext i%d %s to i%d", n, a[0], 2*n), l.val("zext i%d %s to i%d", n, a[1], 2*n)
	p := l.val("mul i%d %s, %s", 2*n, x, y)
	h := l.val("lshr i%d %s, %d", 2*n, p, n)
	return l.val("trunc i%d %s to i%d", 2*n, h, n)
}

// cast is an LLVM conversion between element types.
func cast(name string) handler {
	return elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.val("%s %s %s to %s", name, llvmType(op.Operand(0).Type), a[0], llvmType(t))
	})
}

var castOps = map[*ir.OpDef]handler{
	arith.ExtSI: cast("sext"), arith.ExtUI: cast("zext"), arith.TruncI: cast("trunc"),
	arith.SIToFP: intToFloat("sitofp"), arith.UIToFP: intToFloat("uitofp"),
	arith.FPToSI: floatToInt("fptosi"), arith.FPToUI: floatToInt("fptoui"),
}

// intToFloat goes through f32 for bf16, which has no conversion of its own on every target.
func intToFloat(name string) handler {
	return elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		from := llvmType(op.Operand(0).Type)
		if t == ir.BF16 {
			return l.truncate(l.val("%s %s %s to float", name, from, a[0]), ir.F32, ir.BF16)
		}
		return l.val("%s %s %s to %s", name, from, a[0], llvmType(t))
	})
}

func floatToInt(name string) handler {
	return elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		from := ir.ElemOf(op.Operand(0).Type)
		x, typ := a[0], llvmType(from)
		if from == ir.BF16 {
			x, typ = l.extend(x, from, ir.F32), "float"
		}
		return l.val("%s %s %s to %s", name, typ, x, llvmType(t))
	})
}

func lowerBitcast(l *lowering, op *ir.Op) {
	from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	a, b := llvmType(from), llvmType(to)
	if a == b || tt.IsPtr(from) {
		l.vals[op.Result(0)] = l.vals[op.Operand(0)]
		return
	}
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, x []string) string {
		return l.val("bitcast %s %s to %s", a, x[0], b)
	})(l, op)
}

// extend and truncate convert between float types.
func (l *lowering) extend(x string, from, to ir.Type) string {
	if from == to {
		return x
	}
	return l.val("fpext %s %s to %s", llvmType(from), x, llvmType(to))
}

func (l *lowering) truncate(x string, from, to ir.Type) string {
	if from == to {
		return x
	}
	return l.val("fptrunc %s %s to %s", llvmType(from), x, llvmType(to))
}

func lowerExtF(l *lowering, op *ir.Op) {
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.extend(a[0], ir.ElemOf(op.Operand(0).Type), t)
	})(l, op)
}

func lowerTruncF(l *lowering, op *ir.Op) {
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.truncate(a[0], ir.ElemOf(op.Operand(0).Type), t)
	})(l, op)
}

// lowerFpToFp converts between floats of which one has 8 bits, or with a rounding mode.
func lowerFpToFp(l *lowering, op *ir.Op) {
	from, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	if ir.BitWidth(from) == 8 || ir.BitWidth(to) == 8 {
		l.fail(op, "conversion of 8-bit floats")
	}
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if ir.BitWidth(from) < ir.BitWidth(to) {
			return l.extend(a[0], from, t)
		}
		return l.truncate(a[0], from, t)
	})(l, op)
}

func lowerSelect(l *lowering, op *ir.Op) {
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		typ := llvmType(t)
		return l.val("select i1 %s, %s %s, %s %s", a[0], typ, a[1], typ, a[2])
	})(l, op)
}

var intPredicates = []string{"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}

func lowerCmpI(l *lowering, op *ir.Op) {
	pred, typ := intPredicates[op.IntOr("predicate", 0)], llvmType(op.Operand(0).Type)
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, a []string) string {
		return l.val("icmp %s %s %s, %s", pred, typ, a[0], a[1])
	})(l, op)
}

var floatPredicates = []string{"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}

func lowerCmpF(l *lowering, op *ir.Op) {
	pred, t := floatPredicates[op.IntOr("predicate", 0)], ir.ElemOf(op.Operand(0).Type)
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, a []string) string {
		x, y, typ := a[0], a[1], llvmType(t)
		if t == ir.BF16 {
			x, y, typ = l.extend(x, t, ir.F32), l.extend(y, t, ir.F32), "float"
		}
		return l.val("fcmp %s %s %s, %s", pred, typ, x, y)
	})(l, op)
}

// doubleBits are the bits of a float or double constant as LLVM writes it: in double precision.
func doubleBits(t *ir.FloatType, bits uint64) uint64 {
	if t == ir.F64 {
		return bits
	}
	f := math.Float32frombits(uint32(bits))
	if f != f { // keep the payload
		return bits&0x80000000<<32 | 0x7ff<<52 | bits&0x7fffff<<29
	}
	return math.Float64bits(float64(f))
}
