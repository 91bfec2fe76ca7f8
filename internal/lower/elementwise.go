package lower

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// element computes an element of op's result, of type t, from one element of each operand.
type element func(l *lowering, op *ir.Op, t ir.Type, args []string) string

// elementwise returns the lowering that applies f to each register. Registers with equal operands share a
// result.
func elementwise(f element) handler {
	return func(l *lowering, op *ir.Op) {
		t := op.Result(0).Type
		elem := ir.ElemOf(t)
		regs := make([]string, l.numRegs(op, t))
		first := l.firstEqual(op.Result(0))
		known := map[string]string{} // result by operands
		for i := range regs {
			if first != nil && first[i] < i {
				regs[i] = regs[first[i]]
				continue
			}
			args := l.elementArgs(op, i)
			key := strings.Join(args, " ")
			if _, ok := known[key]; !ok {
				known[key] = f(l, op, elem, args)
			}
			regs[i] = known[key]
		}
		l.set(op.Result(0), regs)
	}
}

// firstEqual returns, for each register of v, the first register known to hold an equal element, or nil if
// all may differ. For example, 16 neighbours all pass a bound divisible by 16, or none does: one comparison
// is enough.
func (l *lowering) firstEqual(v *ir.Value) []int {
	t, ok := v.Type.(*ir.TensorType)
	if !ok || l.opts.Constancy == nil {
		return nil
	}
	equal := l.opts.Constancy(v)
	if !slices.ContainsFunc(equal, func(n int64) bool { return n > 1 }) {
		return nil
	}
	ll := l.layout(v.Def(), v.Type)
	seen := map[int]int{}
	out := make([]int, ll.InSize(layout.Register))
	for r := range out {
		key := 0 // the group's number, row by row
		for d, c := range registerCoords(ll, r) {
			// the largest power of two that divides the group size: groups begin at its multiples
			n := int(equal[d]) & -int(equal[d])
			key = key*int(t.Shape[d]) + c&^(n-1)
		}
		if _, ok := seen[key]; !ok {
			seen[key] = r
		}
		out[r] = seen[key]
	}
	return out
}

// elementArgs returns register i of each operand. Scalar operands have one register.
func (l *lowering) elementArgs(op *ir.Op, i int) []string {
	args := make([]string, op.NumOperands())
	for k := range args {
		regs := l.regs(op.Operand(k))
		args[k] = regs[min(i, len(regs)-1)]
	}
	return args
}

// instr returns an element that is an LLVM instruction on two operands.
func instr(name string) element {
	return expanded(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.val("%s %s %s, %s", name, llvmType(t), a[0], a[1])
	})
}

// intrinsic returns an element that calls the LLVM intrinsic name.TYPE.
func intrinsic(name string) element {
	return expanded(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		typ := llvmType(t)
		args := make([]string, len(a))
		for i, x := range a {
			args[i] = typ + " " + x
		}
		return l.call(typ, name+"."+suffix(t), args...)
	})
}

// suffix returns the type in the name of an intrinsic.
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
	arith.AddI: exact("add"), arith.SubI: exact("sub"), arith.MulI: multiply,
	arith.AndI: instr("and"), arith.OrI: instr("or"), arith.XOrI: instr("xor"),
	arith.ShLI: instr("shl"), arith.ShRSI: instr("ashr"), arith.ShRUI: instr("lshr"),
	arith.MaxSI: intrinsic("llvm.smax"), arith.MinSI: intrinsic("llvm.smin"),
	arith.MaxUI: intrinsic("llvm.umax"), arith.MinUI: intrinsic("llvm.umin"), arith.CeilDivUI: ceilDivUI,
	arith.CeilDivSI: signedDiv(true), arith.FloorDivSI: signedDiv(false), arith.AddF: instr("fadd"),
	arith.SubF: instr("fsub"), arith.MulF: instr("fmul"), arith.DivF: divide, arith.RemF: mathOp("fmod"),
	arith.MaximumF: intrinsic("llvm.maximum"), arith.MinimumF: intrinsic("llvm.minimum"),
	arith.MaxNumF: intrinsic("llvm.maxnum"), arith.MinNumF: intrinsic("llvm.minnum"),
	tt.PreciseDivF: inFloat(instr("fdiv")), tt.ApproxDivF: divide, tt.MulhiUI: mulhi,
}

var unaryOps = map[*ir.OpDef]element{
	arith.NegF: func(l *lowering, _ *ir.Op, t ir.Type, a []string) string {
		return l.val("fneg %s %s", llvmType(t), a[0])
	},
	arith.IndexCast: resize("sext"), arith.IndexCastUI: resize("zext"),
}

// resize returns a conversion between integers of any widths; ext is the instruction that widens.
func resize(ext string) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		from, to := llvmType(op.Operand(0).Type), llvmType(t)
		switch n, m := intBits(from), intBits(to); {
		case n < m:
			return l.val("%s %s %s to %s", ext, from, a[0], to)
		case n > m:
			return l.val("trunc %s %s to %s", from, a[0], to)
		}
		return a[0]
	}
}

func intBits(t string) int {
	n, _ := strconv.Atoi(t[1:])
	return n
}

// inFloat computes f on f16 and bf16 operands in f32, for operations without a 16-bit instruction.
func inFloat(f element) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if t != ir.BF16 && t != ir.F16 {
			return f(l, op, t, a)
		}
		wide := make([]string, len(a))
		for i, x := range a {
			wide[i] = l.extend(x, t, ir.F32)
		}
		return l.truncate(f(l, op, ir.F32, wide), ir.F32, t)
	}
}

// smallInFloat computes f on 8-bit floats in f32: no instruction computes on them.
func smallInFloat(f element) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if !isSmall(t) {
			return f(l, op, t, a)
		}
		wide := make([]string, len(a))
		for i, x := range a {
			wide[i] = l.extend(x, t, ir.F32)
		}
		return l.truncate(f(l, op, ir.F32, wide), ir.F32, t)
	}
}

// signBit returns an element that changes the sign bit of 8-bit floats by the instruction name and mask, and
// is f for other types.
func signBit(name string, mask int, f element) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if !isSmall(t) {
			return f(l, op, t, a)
		}
		return l.val("%s i8 %s, %d", name, a[0], mask)
	}
}

// ceilDivUI divides unsigned integers and rounds up.
func ceilDivUI(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	typ := llvmType(t)
	by := l.divisor(op, typ, a[1])
	q, r := l.val("udiv %s %s, %s", typ, a[0], by), l.val("urem %s %s, %s", typ, a[0], by)
	return l.val("add %s %s, %s", typ, q, l.val("zext i1 %s to %s", l.val("icmp ne %s %s, 0", typ, r), typ))
}

// signedDiv divides signed integers and rounds up or down. The signs of remainder and divisor tell whether
// truncation already rounded that way.
func signedDiv(up bool) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		typ := llvmType(t)
		by := l.divisor(op, typ, a[1])
		q, r := l.val("sdiv %s %s, %s", typ, a[0], by), l.val("srem %s %s, %s", typ, a[0], by)
		differ := l.val("icmp slt %s %s, 0", typ, l.val("xor %s %s, %s", typ, r, by))
		if up {
			differ = l.val("xor i1 %s, true", differ)
		}
		off := l.val("and i1 %s, %s", differ, l.val("icmp ne %s %s, 0", typ, r))
		ext := "sext" // -1 where truncation rounded up
		if up {
			ext = "zext"
		}
		return l.val("add %s %s, %s", typ, q, l.val("%s i1 %s to %s", ext, off, typ))
	}
}

// lowerAddExtended emits a sum and its carry.
func lowerAddExtended(l *lowering, op *ir.Op) {
	typ := llvmType(op.Result(0).Type)
	lowerPairs(l, op, func(a []string) (string, string) {
		sum := l.val("add %s %s, %s", typ, a[0], a[1])
		return sum, l.val("icmp ult %s %s, %s", typ, sum, a[0])
	})
}

// mulExtended returns the lowering of both halves of a product.
func mulExtended(ext string) handler {
	return func(l *lowering, op *ir.Op) {
		n := ir.BitWidth(ir.ElemOf(op.Result(0).Type))
		lowerPairs(l, op, func(a []string) (string, string) {
			x, y := l.val("%s i%d %s to i%d", ext, n, a[0], 2*n), l.val("%s i%d %s to i%d", ext, n, a[1], 2*n)
			p := l.val("mul i%d %s, %s", 2*n, x, y)
			return l.val("trunc i%d %s to i%d", 2*n, p, n),
				l.val("trunc i%d %s to i%d", 2*n, l.val("lshr i%d %s, %d", 2*n, p, n), n)
		})
	}
}

// lowerPairs lowers an elementwise operation with two results.
func lowerPairs(l *lowering, op *ir.Op, f func(a []string) (string, string)) {
	n := l.numRegs(op, op.Result(0).Type)
	first, second := make([]string, n), make([]string, n)
	for i := range n {
		first[i], second[i] = f(l.elementArgs(op, i))
	}
	l.set(op.Result(0), first)
	l.set(op.Result(1), second)
}

// mulhi emits the upper half of an unsigned product.
func mulhi(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	n := ir.BitWidth(t)
	h := l.val("lshr i%d %s, %d", 2*n, l.wideProduct(n, a), n)
	return l.val("trunc i%d %s to i%d", 2*n, h, n)
}

// wideProduct emits the product of two unsigned n-bit integers in 2n bits.
func (l *lowering) wideProduct(n int, a []string) string {
	if n == 32 {
		return l.vendor.wideProduct(l, a[0], a[1])
	}
	return l.plainProduct(n, a)
}

// plainProduct is wideProduct in LLVM's instructions.
func (l *lowering) plainProduct(n int, a []string) string {
	x, y := l.val("zext i%d %s to i%d", n, a[0], 2*n), l.val("zext i%d %s to i%d", n, a[1], 2*n)
	return l.val("mul i%d %s, %s", 2*n, x, y)
}

// multiply emits the lower half of a product. If the upper half is computed too, as in each round of Philox,
// it uses the same wide product as mulhi: LLVM merges the two, and one instruction computes both halves.
func multiply(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if n := ir.BitWidth(t); n == 32 && wantsUpperHalf(op) {
		return l.val("trunc i%d %s to i%d", 2*n, l.wideProduct(n, a), n)
	}
	return exact("mul")(l, op, t, a)
}

// exact returns an element that is an LLVM instruction on two integers, with the promises of the operation
// that its result does not overflow.
func exact(name string) element {
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		full := name
		if arith.OverflowOf(op)&arith.NoUnsignedWrap != 0 {
			full += " nuw"
		}
		if arith.OverflowOf(op)&arith.NoSignedWrap != 0 {
			full += " nsw"
		}
		return instr(full)(l, op, t, a)
	}
}

// wantsUpperHalf reports whether some operation computes the upper half of mul.
func wantsUpperHalf(mul *ir.Op) bool {
	x, y := mul.Operand(0), mul.Operand(1)
	few, other := x, y
	if x.DefBy(arith.Constant) != nil { // a constant can have many unrelated users
		few, other = y, x
	}
	for user := range few.Users() {
		if user.Def == tt.MulhiUI && (user.Operand(0) == other || user.Operand(1) == other) {
			return true
		}
	}
	return false
}

// cast returns the lowering of an LLVM conversion between element types.
func cast(name string) handler {
	return elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		return l.val("%s %s %s to %s", name, llvmType(op.Operand(0).Type), a[0], llvmType(t))
	})
}

var castOps = map[*ir.OpDef]handler{
	arith.ExtSI: cast("sext"), arith.ExtUI: cast("zext"), arith.TruncI: cast("trunc"),
	arith.SIToFP: intToFloat("sitofp"), arith.UIToFP: intToFloat("uitofp"),
	arith.FPToSI: floatToInt("fptosi"), arith.FPToUI: floatToInt("fptoui"),
	arith.AddUIExtended: lowerAddExtended, arith.MulSIExtended: mulExtended("sext"),
	arith.MulUIExtended: mulExtended("zext"),
}

// intToFloat converts to bf16 through f32, because not every target has a direct conversion; longer integers
// are rounded once all the same.
func intToFloat(name string) handler {
	return elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		from, x := l.ringBool(llvmType(op.Operand(0).Type), a[0], name == "sitofp")
		if t == ir.BF16 && !l.opts.Certify && (from == "i32" || from == "i64") {
			if v, ok := l.vendor.intToBF16(l, from, x, name == "sitofp"); ok {
				return v
			}
			if from == "i64" {
				wide := l.val("%s i64 %s to double", name, l.cutInt(name, from, x, 53))
				return l.truncate(wide, ir.F64, ir.BF16)
			}
			x = l.cutInt(name, from, x, 24)
		}
		if t == ir.BF16 {
			return l.truncate(l.val("%s %s %s to float", name, from, x), ir.F32, ir.BF16)
		}
		return l.val("%s %s %s to %s", name, from, x, llvmType(t))
	})
}

// cutInt returns an integer of at most so many significant bits that bf16 rounds as it rounds x. Of a longer
// x, the last bit kept says whether any of the lost bits is set.
func (l *lowering) cutInt(convert, typ, x string, keep int) string {
	drop := 32 - keep
	if typ == "i64" {
		drop = 64 - keep
	}
	near, span := x, uint64(1)<<keep
	if convert == "sitofp" { // -1<<keep to 1<<keep
		near, span = l.val("add %s %s, %d", typ, x, span), 2*span
	}
	short := l.val("icmp ule %s %s, %d", typ, near, span)
	lost := l.val("and %s %s, %d", typ, x, 1<<drop-1)
	some := l.val("zext i1 %s to %s", l.val("icmp ne %s %s, 0", typ, lost), typ)
	kept := l.val("xor %s %s, %s", typ, x, lost)
	kept = l.val("or %s %s, %s", typ, kept, l.val("shl %s %s, %d", typ, some, drop))
	return l.val("select i1 %s, %s %s, %s %s", short, typ, x, typ, kept)
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

func lowerSelect(l *lowering, op *ir.Op) {
	elementwise(func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		typ := llvmType(t)
		return l.val("select i1 %s, %s %s, %s %s", a[0], typ, a[1], typ, a[2])
	})(l, op)
}

var intPredicates = []string{"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}

func lowerCmpI(l *lowering, op *ir.Op) {
	pred, typ := intPredicates[op.IntOr("predicate", 0)], llvmType(op.Operand(0).Type)
	if l.lowerEqualRuns(op, pred) {
		return
	}
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, a []string) string {
		return l.val("icmp %s %s %s, %s", pred, typ, a[0], a[1])
	})(l, op)
}

var floatPredicates = []string{"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
	"ult", "ule", "une", "uno", "true"}

func lowerCmpF(l *lowering, op *ir.Op) {
	pred, t := floatPredicates[op.IntOr("predicate", 0)], ir.ElemOf(op.Operand(0).Type)
	elementwise(func(l *lowering, _ *ir.Op, _ ir.Type, a []string) string {
		x, y, typ := a[0], a[1], llvmType(t)
		if t == ir.BF16 || isSmall(t) {
			x, y, typ = l.extend(x, t, ir.F32), l.extend(y, t, ir.F32), "float"
		}
		return l.val("fcmp %s %s %s, %s", pred, typ, x, y)
	})(l, op)
}

// doubleBits returns the bits of an f32 or f64 constant in double precision, as LLVM writes both.
func doubleBits(t *ir.FloatType, bits uint64) uint64 {
	if t == ir.F64 {
		return bits
	}
	f := math.Float32frombits(uint32(bits))
	if f != f { // keep the payload of a NaN
		return bits&0x80000000<<32 | 0x7ff<<52 | bits&0x7fffff<<29
	}
	return math.Float64bits(float64(f))
}
