package middle

import (
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
)

// This file has the instructions of PTX that look at a register as several numbers, or as bits.

// pairWord returns the type of an instruction on pairs, as PTX names one of the two: f16 of fma.rn.f16x2.
func pairWord(in ptxInst) string {
	if len(in.parts) == 0 || in.name == "cvt" {
		return ""
	}
	word, ok := strings.CutSuffix(in.parts[len(in.parts)-1], "x2")
	if !ok || asmTypes[word] == nil {
		return ""
	}
	return word
}

// onPairs does an instruction for the low halves of its registers, then for the high ones.
func (s *asmState) onPairs(in ptxInst, word string) {
	half := in
	half.guard, half.parts = "", append(append([]string{}, in.parts[:len(in.parts)-1]...), word)
	bits := ir.BitWidth(asmTypes[word])
	names := make([][]string, len(in.args)) // of the halves
	for i, name := range in.args {
		names[i] = []string{name + ".lo", name + ".hi"}
		if i == 0 {
			continue
		}
		v := s.arg(in, i, ir.Int(2*bits))
		if s.err != nil {
			return
		}
		for j, x := range s.split(v, bits, 2) {
			s.regs[names[i][j]] = x
		}
	}
	both := make([]*ir.Value, 2)
	for j := range both {
		half.args = nil
		for i := range names {
			half.args = append(half.args, names[i][j])
		}
		if s.step(half); s.err != nil {
			return
		}
		both[j] = s.cast(s.regs[names[0][j]], ir.Int(bits))
	}
	s.set(in, s.packed(both))
}

// number returns the value of an operand that must be known: a literal, or a register that holds a constant.
func (s *asmState) number(in ptxInst, i int) int64 {
	if i < len(in.args) {
		if v := s.regs[in.args[i]]; v != nil {
			if n, ok := arith.IntOf(v); ok {
				return n
			}
		}
		if n, err := strconv.ParseInt(strings.TrimSuffix(in.args[i], "U"), 0, 64); err == nil {
			return n
		}
	}
	s.fail("%s: operand %d is no number", in, i)
	return 0
}

// asmLogic converts lop3, any function of three bits given by its truth table.
func asmLogic(s *asmState, in ptxInst) {
	table := s.number(in, 4)
	yes := []*ir.Value{s.arg(in, 1, ir.I32), s.arg(in, 2, ir.I32), s.arg(in, 3, ir.I32)}
	if s.err != nil {
		return
	}
	all := arith.ConstInt(s.b, -1, ir.I32)
	sum := arith.ConstInt(s.b, 0, ir.I32)
	for row := range 8 {
		if table>>row&1 == 0 {
			continue
		}
		term := all
		for i, v := range yes {
			if row>>(2-i)&1 == 0 {
				v = s.b.Val(arith.XOrI, ir.I32, v, all)
			}
			term = s.b.Val(arith.AndI, ir.I32, term, v)
		}
		sum = s.b.Val(arith.OrI, ir.I32, sum, term)
	}
	s.set(in, sum)
}

// asmPermute converts prmt: four of the eight bytes of two registers, or their signs, chosen by four hex
// digits.
func asmPermute(s *asmState, in ptxInst) {
	lo, hi := s.arg(in, 1, ir.I32), s.arg(in, 2, ir.I32)
	if len(in.parts) != 1 {
		s.fail("%s", in)
	}
	if s.err != nil {
		return
	}
	word := s.packed([]*ir.Value{lo, hi})
	if len(in.args) < 4 || !isRegister(in.args[3]) {
		s.permute(in, word, s.number(in, 3))
		return
	}
	if choice := s.arg(in, 3, ir.I32); s.err == nil {
		s.permuteBy(in, word, choice)
	}
}

// isRegister reports whether an operand is a register, not a literal.
func isRegister(name string) bool { return name != "" && (name[0] < '0' || name[0] > '9') }

func (s *asmState) permute(in ptxInst, word *ir.Value, choice int64) {
	if s.err != nil {
		return
	}
	from := s.split(word, 8, 8)
	to := make([]*ir.Value, 4)
	for i := range to {
		c := choice >> (4 * i)
		to[i] = from[c&7]
		if c&8 != 0 {
			to[i] = s.b.Val(arith.ShRSI, ir.I8, to[i], arith.ConstInt(s.b, 7, ir.I8))
		}
	}
	s.set(in, s.packed(to))
}

// permuteBy converts prmt with a selector in a register: each byte is shifted down by as many bits as its
// digit says.
func (s *asmState) permuteBy(in ptxInst, word, choice *ir.Value) {
	eight := arith.ConstInt(s.b, 8, ir.I32)
	to := make([]*ir.Value, 4)
	for i := range to {
		c := s.b.Val(arith.ShRUI, ir.I32, choice, arith.ConstInt(s.b, int64(4*i), ir.I32))
		place := s.b.Val(arith.MulI, ir.I32, s.b.Val(arith.AndI, ir.I32, c, arith.ConstInt(s.b, 7, ir.I32)),
			eight)
		x := s.b.Val(arith.ShRUI, ir.I64, word, s.b.Val(arith.ExtUI, ir.I64, place))
		x = s.b.Val(arith.TruncI, ir.I8, x)
		sign := s.b.Val(arith.ShRSI, ir.I8, x, arith.ConstInt(s.b, 7, ir.I8))
		plain := s.b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.EQ))},
			s.b.Val(arith.AndI, ir.I32, c, eight), arith.ConstInt(s.b, 0, ir.I32))
		to[i] = s.b.Val(arith.Select, ir.I8, plain, x, sign)
	}
	s.set(in, s.packed(to))
}

// pairsConverted converts cvt.f16x2.e4m3x2 and its like: both floats of a pair change their format.
func (s *asmState) pairsConverted(in ptxInst, from, to ir.Type) {
	v := s.arg(in, 1, ir.Int(2*ir.BitWidth(from)))
	if s.err != nil {
		return
	}
	both := s.split(v, ir.BitWidth(from), 2)
	for i, x := range both {
		x = s.cast(x, from)
		if ir.BitWidth(from) < ir.BitWidth(to) {
			x = s.b.Val(arith.ExtF, to, x)
		} else {
			x = s.narrowed(x, to)
		}
		both[i] = s.cast(x, ir.Int(ir.BitWidth(to)))
	}
	s.set(in, s.packed(both))
}
