package middle

import (
	stdmath "math"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/ptx"
)

// asmOps are the instructions of PTX that inline assembly may use, by name. The last part of an instruction's
// name is the type of its result in most. Rounding to nearest, flushing subnormals and approximations are as
// exact as the operation is here.
var asmOps map[string]func(s *asmState, in ptxInst)

// noAsmOps are instructions that a program on one thread has no need of: fences, waits, hints.
var noAsmOps = map[string]bool{
	"griddepcontrol": true, "fence": true, "membar": true, "bar": true, "barrier": true, "nanosleep": true,
	"prefetch": true,
}

func init() {
	asmOps = map[string]func(s *asmState, in ptxInst){
		"mov": asmMove, "cvt": asmConvert, "setp": asmCompare, "selp": asmSelect, "mul": asmMul,
		"mad": asmMulAdd, "shr": asmShiftRight,
		"max": func(s *asmState, in ptxInst) {
			s.extreme(in, arith.MaxNumF, arith.MaximumF, arith.MaxSI, arith.MaxUI)
		},
		"min": func(s *asmState, in ptxInst) {
			s.extreme(in, arith.MinNumF, arith.MinimumF, arith.MinSI, arith.MinUI)
		},
		"add": asmBinary(arith.AddF, arith.AddI), "sub": asmBinary(arith.SubF, arith.SubI),
		"and": asmBinary(nil, arith.AndI), "or": asmBinary(nil, arith.OrI), "xor": asmBinary(nil, arith.XOrI),
		"shl": asmShiftLeft,
		"div": asmDivide, "rem": asmRemainder, "not": asmNot, "neg": asmNeg, "fma": asmUnary(math.Fma),
		"ex2": asmUnary(math.Exp2), "lg2": asmUnary(math.Log2), "sin": asmUnary(math.Sin),
		"cos": asmUnary(math.Cos), "tanh": asmUnary(math.Tanh),
		"sqrt": asmUnary(math.Sqrt), "rsqrt": asmUnary(math.Rsqrt), "abs": asmAbs, "rcp": asmReciprocal,
		"shf": asmFunnel, "lop3": asmLogic, "prmt": asmPermute,
		"popc": asmCount(math.CtPop), "clz": asmCount(math.CtLZ),
	}
}

// step does one instruction.
func (s *asmState) step(in ptxInst) {
	if noAsmOps[in.name] {
		return
	}
	if word := pairWord(in); word != "" {
		s.onPairs(in, word)
		return
	}
	f := asmOps[in.name]
	if f == nil || len(in.args) == 0 {
		s.fail("%s", in)
		return
	}
	f(s, in)
}

// specialRegisters are what a program can ask of the machine: here it has one processor. Which thread asks is
// no question of the language.
var specialRegisters = map[string]int64{"%smid": 0, "%nsmid": 1}

// asmTypes are the types of PTX that name a register's type.
var asmTypes = map[string]ir.Type{
	"f16": ir.F16, "bf16": ir.BF16, "f32": ir.F32, "f64": ir.F64, "pred": ir.I1,
	"b8": ir.I8, "u8": ir.I8, "s8": ir.I8, "b16": ir.I16, "u16": ir.I16, "s16": ir.I16,
	"b32": ir.I32, "u32": ir.I32, "s32": ir.I32, "b64": ir.I64, "u64": ir.I64, "s64": ir.I64,
}

// typ returns the type named by the n-th part from the end of an instruction's name: PTX's word and our type.
func (s *asmState) typ(in ptxInst, n int) (string, ir.Type) {
	if n < len(in.parts) {
		word := in.parts[len(in.parts)-1-n]
		if t := asmTypes[word]; t != nil {
			return word, t
		}
	}
	s.fail("%s", in)
	return "b32", ir.I32
}

// arg returns operand i: a register or a number.
func (s *asmState) arg(in ptxInst, i int, t ir.Type) *ir.Value {
	if i >= len(in.args) {
		s.fail("%s has too few operands", in)
		return arith.ConstInt(s.b, 0, ir.I32)
	}
	name := in.args[i]
	if v := s.regs[name]; v != nil {
		return s.cast(v, t)
	}
	if n, ok := specialRegisters[name]; ok {
		return s.cast(arith.ConstInt(s.b, n, ir.I32), t)
	}
	if ft, ok := t.(*ir.FloatType); ok {
		if x, ok := asmFloat(name); ok {
			return arith.ConstFloat(s.b, x, ft)
		}
	} else if x, err := strconv.ParseInt(strings.TrimSuffix(name, "U"), 0, 64); err == nil {
		return arith.ConstInt(s.b, x, t)
	}
	s.fail("%s: the operand %q", in, name)
	return arith.ConstInt(s.b, 0, ir.I32)
}

// asmFloat reads a number as PTX writes it, or as its bits after 0f or 0d.
func asmFloat(text string) (float64, bool) {
	if len(text) > 2 && text[0] == '0' && strings.ContainsRune("fFdD", rune(text[1])) {
		bits, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		if text[1]|0x20 == 'f' {
			return float64(stdmath.Float32frombits(uint32(bits))), true
		}
		return stdmath.Float64frombits(bits), true
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// set writes the first operand if the guard holds.
func (s *asmState) set(in ptxInst, v *ir.Value) { s.setReg(in, in.args[0], v) }

func (s *asmState) setReg(in ptxInst, reg string, v *ir.Value) {
	if s.err != nil {
		return
	}
	old := s.regs[reg]
	if in.guard != "" && old != nil {
		k := s.regs[in.guard]
		if k == nil {
			s.fail("%s: nothing is in %s", in, in.guard)
			return
		}
		yes, no := v, s.cast(old, v.Type)
		if in.not {
			yes, no = no, yes
		}
		v = s.b.Val(arith.Select, v.Type, s.cast(k, ir.I1), yes, no)
	}
	s.regs[reg] = v
}

// asmMove copies, or takes a register apart, or puts it together: {a, b} has a in the low bits.
func asmMove(s *asmState, in ptxInst) {
	_, t := s.typ(in, 0)
	if s.err != nil || len(in.args) != 2 {
		s.fail("%s", in)
		return
	}
	into, isList := asmList(in.args[0])
	if isList {
		v, bits := s.arg(in, 1, t), ir.BitWidth(t)/len(into)
		for i, x := range s.split(v, bits, len(into)) {
			s.setReg(in, into[i], x)
		}
		return
	}
	if from, isList := asmList(in.args[1]); isList {
		var vs []*ir.Value
		for _, name := range from {
			if s.regs[name] == nil {
				s.fail("%s: nothing is in %s", in, name)
				return
			}
			vs = append(vs, s.cast(s.regs[name], ir.Int(ir.BitWidth(t)/len(from))))
		}
		s.set(in, s.packed(vs))
		return
	}
	s.set(in, s.arg(in, 1, t))
}

func asmList(text string) ([]string, bool) {
	inner, ok := strings.CutPrefix(text, "{")
	if !ok {
		return nil, false
	}
	return ptx.Split(strings.TrimSuffix(inner, "}")), true
}

// split divides a register into n equal parts, the low bits first.
func (s *asmState) split(v *ir.Value, bits, n int) []*ir.Value {
	s.regs[" "] = v
	return s.unpacked(" ", ir.Int(bits), n)
}

func asmUnary(def *ir.OpDef) func(s *asmState, in ptxInst) {
	return func(s *asmState, in ptxInst) {
		_, t := s.typ(in, 0)
		if !ir.IsFloat(t) {
			s.fail("%s", in)
			return
		}
		s.nearest(in)
		var vs []*ir.Value
		for i := range def.Operands {
			vs = append(vs, s.arg(in, 1+i, t))
		}
		if s.err == nil {
			s.set(in, s.saturated(in, s.b.Val(def, t, vs...)))
		}
	}
}

// saturated clamps a value to [0, 1] if the instruction has the suffix .sat.
func (s *asmState) saturated(in ptxInst, v *ir.Value) *ir.Value {
	if !in.has("sat") || !ir.IsFloat(v.Type) {
		return v
	}
	v = s.b.Val(arith.MaxNumF, v.Type, v, arith.ConstFloat(s.b, 0, v.Type))
	return s.b.Val(arith.MinNumF, v.Type, v, arith.ConstFloat(s.b, 1, v.Type))
}

// nearest fails for an instruction that rounds otherwise than to the nearest number: operations have no such
// rounding.
func (s *asmState) nearest(in ptxInst) {
	if in.has("rz") || in.has("rm") || in.has("rp") {
		s.fail("%s", in)
	}
}

func asmBinary(float, integer *ir.OpDef) func(s *asmState, in ptxInst) {
	return func(s *asmState, in ptxInst) {
		_, t := s.typ(in, 0)
		def := integer
		if ir.IsFloat(t) {
			def = float
		}
		x, y := s.arg(in, 1, t), s.arg(in, 2, t)
		if def == nil || in.has("cc") {
			s.fail("%s", in)
		}
		s.nearest(in)
		if s.err == nil {
			s.set(in, s.saturated(in, s.b.Val(def, t, x, y)))
		}
	}
}

// product returns the low or high half of a product, or all of it.
func (s *asmState) product(in ptxInst) (*ir.Value, ir.Type) {
	word, t := s.typ(in, 0)
	x, y := s.arg(in, 1, t), s.arg(in, 2, t)
	s.nearest(in)
	if s.err != nil {
		return nil, t
	}
	signed := word[0] == 's'
	switch {
	case ir.IsFloat(t):
		return s.b.Val(arith.MulF, t, x, y), t
	case in.has("hi"):
		def := arith.MulUIExtended
		if signed {
			def = arith.MulSIExtended
		}
		return s.b.Op(def, []*ir.Value{x, y}, []ir.Type{t, t}).Result(1), t
	case in.has("wide"):
		wide := ir.Int(2 * ir.BitWidth(t))
		def := arith.ExtUI
		if signed {
			def = arith.ExtSI
		}
		return s.b.Val(arith.MulI, wide, s.b.Val(def, wide, x), s.b.Val(def, wide, y)), wide
	}
	return s.b.Val(arith.MulI, t, x, y), t
}

func asmMul(s *asmState, in ptxInst) {
	if v, _ := s.product(in); s.err == nil {
		s.set(in, s.saturated(in, v))
	}
}

func asmMulAdd(s *asmState, in ptxInst) {
	if _, t := s.typ(in, 0); ir.IsFloat(t) {
		asmUnary(math.Fma)(s, in)
		return
	}
	v, t := s.product(in)
	z := s.arg(in, 3, t)
	if s.err == nil {
		s.set(in, s.b.Val(arith.AddI, t, v, z))
	}
}

// pick returns the signed or the unsigned operation, as the PTX type demands.
func pick(word string, signed, unsigned *ir.OpDef) *ir.OpDef {
	if word[0] == 's' {
		return signed
	}
	return unsigned
}

func asmDivide(s *asmState, in ptxInst) {
	word, _ := s.typ(in, 0)
	asmBinary(arith.DivF, pick(word, arith.DivSI, arith.DivUI))(s, in)
}

func asmRemainder(s *asmState, in ptxInst) {
	word, _ := s.typ(in, 0)
	asmBinary(nil, pick(word, arith.RemSI, arith.RemUI))(s, in)
}

// shift shifts by a register of 32 bits; by as many bits as there are or more, all are gone.
func (s *asmState) shift(in ptxInst, def *ir.OpDef) {
	_, t := s.typ(in, 0)
	x, n := s.arg(in, 1, t), s.arg(in, 2, ir.I32)
	if s.err != nil {
		return
	}
	width := ir.BitWidth(t)
	top := int64(width - 1)
	over := s.b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.UGT))}, n,
		arith.ConstInt(s.b, top, ir.I32))
	limited := s.b.Val(arith.Select, ir.I32, over, arith.ConstInt(s.b, top, ir.I32), n)
	v := s.b.Val(def, t, x, s.cast(limited, t))
	if def != arith.ShRSI {
		v = s.b.Val(arith.Select, t, over, arith.ConstInt(s.b, 0, t), v)
	}
	s.set(in, v)
}

func asmShiftLeft(s *asmState, in ptxInst) { s.shift(in, arith.ShLI) }

func asmShiftRight(s *asmState, in ptxInst) {
	word, _ := s.typ(in, 0)
	s.shift(in, pick(word, arith.ShRSI, arith.ShRUI))
}

// asmFunnel shifts two registers as one of 64 bits and takes one half.
func asmFunnel(s *asmState, in ptxInst) {
	left := in.has("l")
	lo, hi, n := s.arg(in, 1, ir.I32), s.arg(in, 2, ir.I32), s.arg(in, 3, ir.I32)
	if s.err != nil {
		return
	}
	if in.has("wrap") {
		n = s.b.Val(arith.AndI, ir.I32, n, arith.ConstInt(s.b, 31, ir.I32))
	} else {
		n = s.b.Val(arith.MinUI, ir.I32, n, arith.ConstInt(s.b, 32, ir.I32))
	}
	both, by := s.packed([]*ir.Value{lo, hi}), s.cast(n, ir.I64)
	if left {
		both = s.b.Val(arith.ShLI, ir.I64, both, by)
		both = s.b.Val(arith.ShRUI, ir.I64, both, arith.ConstInt(s.b, 32, ir.I64))
	} else {
		both = s.b.Val(arith.ShRUI, ir.I64, both, by)
	}
	s.set(in, s.cast(both, ir.I32))
}

func asmNot(s *asmState, in ptxInst) {
	_, t := s.typ(in, 0)
	if x := s.arg(in, 1, t); s.err == nil {
		s.set(in, s.b.Val(arith.XOrI, t, x, arith.ConstInt(s.b, -1, t)))
	}
}

func asmNeg(s *asmState, in ptxInst) {
	_, t := s.typ(in, 0)
	x := s.arg(in, 1, t)
	switch {
	case s.err != nil:
	case ir.IsFloat(t):
		s.set(in, s.b.Val(arith.NegF, t, x))
	default:
		s.set(in, s.b.Val(arith.SubI, t, arith.ConstInt(s.b, 0, t), x))
	}
}

func asmAbs(s *asmState, in ptxInst) {
	_, t := s.typ(in, 0)
	def := math.AbsI
	if ir.IsFloat(t) {
		def = math.AbsF
	}
	if x := s.arg(in, 1, t); s.err == nil {
		s.set(in, s.b.Val(def, t, x))
	}
}

func asmReciprocal(s *asmState, in ptxInst) {
	_, t := s.typ(in, 0)
	if !ir.IsFloat(t) {
		s.fail("%s", in)
	}
	s.nearest(in)
	if x := s.arg(in, 1, t); s.err == nil {
		s.set(in, s.b.Val(arith.DivF, t, arith.ConstFloat(s.b, 1, t), x))
	}
}

func asmCount(def *ir.OpDef) func(s *asmState, in ptxInst) {
	return func(s *asmState, in ptxInst) {
		_, t := s.typ(in, 0)
		if x := s.arg(in, 1, t); s.err == nil {
			s.set(in, s.cast(s.b.Val(def, t, x), ir.I32))
		}
	}
}

// extreme converts min and max. With xorsign.abs they compare magnitudes, and the result has the sign of the
// product.
func (s *asmState) extreme(in ptxInst, float, nan, signed, unsigned *ir.OpDef) {
	word, t := s.typ(in, 0)
	x, y := s.arg(in, 1, t), s.arg(in, 2, t)
	if s.err != nil {
		return
	}
	def := pick(word, signed, unsigned)
	if ir.IsFloat(t) {
		def = float
		if in.has("NaN") {
			def = nan
		}
	}
	if !in.has("xorsign") {
		s.set(in, s.b.Val(def, t, x, y))
		return
	}
	bits := ir.Int(ir.BitWidth(t))
	sign := s.cast(s.b.Val(arith.XOrI, bits, s.cast(x, bits), s.cast(y, bits)), t)
	size := s.b.Val(def, t, s.b.Val(math.AbsF, t, x), s.b.Val(math.AbsF, t, y))
	s.set(in, s.b.Val(math.CopySign, t, size, sign))
}

// asmPredicates are the comparisons of setp: of floats, of integers with signs and without. Those that end in
// u are true of NaN.
var asmPredicates = map[string][3]int64{
	"eq": {arith.FOEQ, arith.EQ, arith.EQ}, "ne": {arith.FONE, arith.NE, arith.NE},
	"lt": {arith.FOLT, arith.SLT, arith.ULT},
	"le": {arith.FOLE, arith.SLE, arith.ULE}, "gt": {arith.FOGT, arith.SGT, arith.UGT},
	"ge":  {arith.FOGE, arith.SGE, arith.UGE},
	"equ": {arith.FUEQ}, "neu": {arith.FUNE}, "ltu": {arith.FULT}, "leu": {arith.FULE}, "gtu": {arith.FUGT},
	"geu": {arith.FUGE},
	"lo":  {0, arith.ULT, arith.ULT}, "ls": {0, arith.ULE, arith.ULE}, "hi": {0, arith.UGT, arith.UGT},
	"hs":  {0, arith.UGE, arith.UGE},
	"num": {arith.FORD}, "nan": {arith.FUNO},
}

func asmCompare(s *asmState, in ptxInst) {
	word, t := s.typ(in, 0)
	preds, ok := asmPredicates[in.parts[0]]
	if !ok || len(in.args) != 3 || strings.Contains(in.args[0], "|") {
		s.fail("%s", in)
	}
	x, y := s.arg(in, 1, t), s.arg(in, 2, t)
	if s.err != nil {
		return
	}
	def, pred := arith.CmpI, preds[2]
	switch {
	case ir.IsFloat(t):
		def, pred = arith.CmpF, preds[0]
	case word[0] == 's':
		pred = preds[1]
	}
	s.set(in, s.b.ValA(def, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(pred))}, x, y))
}

func asmSelect(s *asmState, in ptxInst) {
	_, t := s.typ(in, 0)
	x, y, k := s.arg(in, 1, t), s.arg(in, 2, t), s.arg(in, 3, ir.I1)
	if s.err == nil {
		s.set(in, s.b.Val(arith.Select, t, k, x, y))
	}
}

// asmPairs are types of two floats that share a register.
var asmPairs = map[string]ir.Type{"f16x2": ir.F16, "bf16x2": ir.BF16, "e4m3x2": ir.F8E4M3FN,
	"e5m2x2": ir.F8E5M2}

// asmConvert converts numbers. cvt.TO.FROM $0, $1; into pairs cvt.PAIR.f32 $0, high, low.
func asmConvert(s *asmState, in ptxInst) {
	if len(in.parts) < 2 {
		s.fail("%s", in)
		return
	}
	to, from := in.parts[len(in.parts)-2], in.parts[len(in.parts)-1]
	if elem := asmPairs[to]; elem != nil && from == "f32" && len(in.args) == 3 {
		hi, lo := s.arg(in, 1, ir.F32), s.arg(in, 2, ir.F32)
		if s.err == nil {
			s.set(in, s.packed([]*ir.Value{s.narrowed(lo, elem), s.narrowed(hi, elem)}))
		}
		return
	}
	if a, b := asmPairs[from], asmPairs[to]; a != nil && b != nil && a != b && len(in.args) == 2 {
		s.pairsConverted(in, a, b)
		return
	}
	if to == "e2m1x2" && from == "f32" && len(in.args) == 3 {
		hi, lo := s.arg(in, 1, ir.F32), s.arg(in, 2, ir.F32)
		if s.err == nil {
			hi = s.b.Val(arith.ShLI, ir.I8, s.quarter(hi), arith.ConstInt(s.b, 4, ir.I8))
			s.set(in, s.b.Val(arith.OrI, ir.I8, s.quarter(lo), hi))
		}
		return
	}
	a, b := asmTypes[from], asmTypes[to]
	if a == nil || b == nil || len(in.args) != 2 || in.has("relu") {
		s.fail("%s", in)
		return
	}
	if x := s.arg(in, 1, a); s.err == nil {
		if v := s.converted(in, x, from, to, b); s.err == nil {
			s.set(in, s.saturated(in, v))
		}
	}
}

// narrowed converts a float to a smaller format as Triton does: conversions to eight bits do not overflow.
func (s *asmState) narrowed(v *ir.Value, t ir.Type) *ir.Value {
	if ir.BitWidth(t) == 8 {
		f := t.(*ir.FloatType)
		top := f.Format.Decode(f.Format.Max())
		v = s.b.Val(arith.MinimumF, v.Type, v, arith.ConstFloat(s.b, top, v.Type))
		v = s.b.Val(arith.MaximumF, v.Type, v, arith.ConstFloat(s.b, -top, v.Type))
	}
	return s.b.Val(arith.TruncF, t, v)
}

// quarter returns a float as e2m1, four bits: a sign, and how many of the seven halfway points its magnitude
// is beyond. At a point itself it goes to the even one.
func (s *asmState) quarter(v *ir.Value) *ir.Value {
	size := s.b.Val(math.AbsF, v.Type, v)
	code := arith.ConstInt(s.b, 0, ir.I8)
	for i, half := range []float64{0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5} {
		pred := arith.FUGT
		if i%2 == 1 {
			pred = arith.FUGE
		}
		beyond := s.b.ValA(arith.CmpF, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(pred))}, size,
			arith.ConstFloat(s.b, half, v.Type))
		code = s.b.Val(arith.AddI, ir.I8, code, s.b.Val(arith.ExtUI, ir.I8, beyond))
	}
	sign := s.b.Val(arith.ShRUI, ir.I32, s.cast(v, ir.I32), arith.ConstInt(s.b, 31, ir.I32))
	sign = s.b.Val(arith.ShLI, ir.I8, s.cast(sign, ir.I8), arith.ConstInt(s.b, 3, ir.I8))
	return s.b.Val(arith.OrI, ir.I8, code, sign)
}

// asmRounds are the ways to round a float to a whole number.
var asmRounds = map[string]*ir.OpDef{"rni": math.RoundEven, "rmi": math.Floor, "rpi": math.Ceil,
	"rzi": math.Trunc}

func (s *asmState) converted(in ptxInst, x *ir.Value, from, to string, t ir.Type) *ir.Value {
	n, m := ir.BitWidth(x.Type), ir.BitWidth(t)
	for _, word := range in.parts {
		if def := asmRounds[word]; def != nil && ir.IsFloat(x.Type) {
			x = s.b.Val(def, x.Type, x)
		}
	}
	switch {
	case ir.IsFloat(x.Type) && ir.IsFloat(t):
		switch {
		case n == m && x.Type != t:
			return s.b.Val(arith.TruncF, t, s.b.Val(arith.ExtF, ir.F32, x))
		case n < m:
			return s.b.Val(arith.ExtF, t, x)
		case n > m && in.has("rz"):
			return s.b.ValA(arith.TruncF, t,
				[]ir.NamedAttr{ir.A("roundingmode", ir.I32Attr(arith.TowardZero))}, x)
		case n > m:
			return s.b.Val(arith.TruncF, t, x)
		}
		return x
	case ir.IsFloat(x.Type):
		return s.b.Val(pick(to, arith.FPToSI, arith.FPToUI), t, x)
	case ir.IsFloat(t):
		return s.b.Val(pick(from, arith.SIToFP, arith.UIToFP), t, x)
	case n < m:
		return s.b.Val(pick(from, arith.ExtSI, arith.ExtUI), t, x)
	}
	return s.cast(x, t)
}
