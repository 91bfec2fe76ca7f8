package gcnsim

import (
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// kind is the type of an operand, which says what its modifiers and constants mean.
type kind byte

const (
	kInt   kind = 'i'
	kHalf  kind = 'h'
	kFloat kind = 'f'
	kDoub  kind = 'd'
)

// source is an operand that an instruction reads.
type source struct {
	arg    gcn.Operand
	kind   kind
	vector int    // the first register; -1 for what is the same in all lanes
	scalar int    // the first SGPR; -1 for a constant
	value  uint64 // value of a constant
	mods   gcn.Mods
	half   bool // reads the upper half of the register
	sel    int  // bytes selected by SDWA: 0 to 3 bytes, 4 and 5 halves, 6 all
}

// whole is the selection of SDWA that takes all bits.
const whole = 6

// newSource returns the i-th source of a vector instruction.
func newSource(in *gcn.Inst, a gcn.Operand, k kind) source {
	s := source{arg: a, kind: k, vector: -1, scalar: -1, sel: whole}
	switch {
	case a.File == gcn.Vector || a.File == gcn.Acc:
		s.vector = vectorOf(a)
	case a.File == gcn.Literal:
		s.value = literal(a, k)
	case a.File == gcn.Number:
		s.value = uint64(a.Value)
	case a.Code < sgprs:
		s.scalar = a.Code
	default:
		s.value = constant(a.Code, a.N, k)
	}
	s.half = a.Half == gcn.HighHalf
	if strings.HasPrefix(a.Field, "src") || a.Field == "vsrc1" {
		i := int(a.Field[len(a.Field)-1] - '0')
		s.mods = in.SourceMods(i)
		if in.Encoding() == "VOP3" && !in.RDNA() {
			s.half = in.OpSel()>>i&1 != 0
		}
		if strings.HasSuffix(in.Encoding(), "_SDWA") {
			s.sel = int(in.Field([]string{"src0_sel", "src1_sel"}[i]))
		}
	}
	return s
}

// literal returns the value of a literal: of a float64 it is the upper half.
func literal(a gcn.Operand, k kind) uint64 {
	switch {
	case k == kDoub:
		return uint64(a.Value) << 32
	case a.N == 2:
		return uint64(int64(int32(a.Value)))
	}
	return uint64(a.Value)
}

// inlineFloats are the constants from code 240 on.
var inlineFloats = []float64{0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 * math.Pi)}

// constant returns the value of a code of a scalar operand that is no register.
func constant(code, n int, k kind) uint64 {
	var v int64
	switch {
	case code >= gcn.Zero && code <= 192:
		v = int64(code - gcn.Zero)
	case code > 192 && code <= 208:
		v = int64(192 - code)
	case code >= 240 && code < 240+len(inlineFloats):
		return floatBits(inlineFloats[code-240], n, k)
	case code == gcn.SharedBase:
		return sharedBase
	case code == gcn.SharedLimit:
		return sharedBase + windowSize - 1
	case code == gcn.PrivateBase:
		return privateBase
	case code == gcn.PrivateLimit:
		return privateBase + windowSize - 1
	}
	if n == 1 {
		return uint64(uint32(v))
	}
	return uint64(v)
}

func floatBits(v float64, n int, k kind) uint64 {
	switch {
	case k == kHalf:
		return num.F16.Encode(v)
	case k == kDoub || n == 2 && k == kInt:
		return math.Float64bits(v)
	}
	return uint64(math.Float32bits(float32(v)))
}

// load puts the values of the lanes into buf and returns the lanes that hold values.
func (s *source) load(w *wave, buf *[lanes]uint64) uint64 {
	ok := s.fetch(w, buf)
	if s.sel != whole || s.half {
		s.selectBits(buf)
	}
	if s.mods.Abs || s.mods.Neg {
		s.modify(buf)
	}
	if (s.kind == kFloat || s.kind == kDoub || s.kind == kHalf) && w.mode != modeKeep {
		flushAll(buf, s.kind, w.mode)
	}
	return ok
}

func (s *source) fetch(w *wave, buf *[lanes]uint64) uint64 {
	if s.vector < 0 {
		v, undef := s.uniform(w)
		for i := range buf {
			buf[i] = v
		}
		if undef != 0 {
			return 0
		}
		return ^uint64(0)
	}
	lo := &w.v[s.vector]
	if s.arg.N == 1 {
		for i := range buf {
			buf[i] = uint64(lo[i])
		}
		return w.vOK[s.vector]
	}
	hi := &w.v[s.vector+1]
	for i := range buf {
		buf[i] = uint64(lo[i]) | uint64(hi[i])<<32
	}
	return w.vOK[s.vector] & w.vOK[s.vector+1]
}

// uniform returns a value that is the same in all lanes, and its bits that nothing wrote.
func (s *source) uniform(w *wave) (v, undef uint64) {
	switch {
	case s.scalar < 0:
		return s.special(w), 0
	case s.arg.N == 1:
		return uint64(w.s[s.scalar]), uint64(w.sUndef[s.scalar])
	}
	return w.pair(s.scalar), uint64(w.sUndef[s.scalar]) | uint64(w.sUndef[s.scalar+1])<<32
}

// special returns a constant, or one of the operands that are conditions.
func (s *source) special(w *wave) uint64 {
	if s.arg.File != gcn.Scalar {
		return s.value
	}
	switch s.arg.Code {
	case gcn.SCC:
		return bit(w.scc)
	case gcn.VCCZ:
		v, _ := w.mask(gcn.VCC)
		return bit(v == 0)
	case gcn.ExecZ:
		return bit(w.exec() == 0)
	}
	return s.value
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// selectBits takes a byte or half of each value.
func (s *source) selectBits(buf *[lanes]uint64) {
	shift, n := selection(s.sel)
	if s.half {
		shift, n = 16, 16
	}
	for i := range buf {
		v := buf[i] >> shift & (1<<n - 1)
		if s.mods.Sext {
			v = uint64(uint32(int32(v<<(32-n)) >> (32 - n)))
		}
		buf[i] = v
	}
}

// selection returns the bits that a selection of SDWA takes.
func selection(sel int) (shift, n int) {
	switch {
	case sel < 4:
		return 8 * sel, 8
	case sel < 6:
		return 16 * (sel - 4), 16
	}
	return 0, 32
}

// signBits are the sign bits of the float types.
var signBits = map[kind]uint64{kHalf: 1 << 15, kFloat: 1 << 31, kDoub: 1 << 63, kInt: 1 << 31}

func (s *source) modify(buf *[lanes]uint64) {
	sign := signBits[s.kind]
	if s.kind == kInt && s.arg.N == 2 {
		sign = 1 << 63
	}
	for i := range buf {
		if s.mods.Abs {
			buf[i] &^= sign
		}
		if s.mods.Neg {
			buf[i] ^= sign
		}
	}
}
