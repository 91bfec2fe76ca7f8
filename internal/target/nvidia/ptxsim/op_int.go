package ptxsim

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

var intOps = map[string]decoder{
	"shl": shifts, "shr": shifts, "and": logic, "or": logic, "xor": logic, "not": not,
	"rem": rem, "mad": mad, "popc": popc, "clz": clz, "brev": brev, "bfe": bfe, "bfi": bfi, "prmt": prmt,
	"shf": funnel, "lop3": lop3, "sad": sad, "cnot": cnot, "bfind": bfind, "mul24": mul24, "addc": addCarry,
	"subc": addCarry,
}

// intBinary are the integer forms of instructions that floats have too.
var intBinary = map[string]func(t typ, s *stmt) func(a, b uint64) uint64{
	"add": func(t typ, s *stmt) func(a, b uint64) uint64 {
		if s.has("sat") {
			return func(a, b uint64) uint64 {
				v := t.signed(a) + t.signed(b)
				return t.mask(uint64(min(max(v, -1<<31), 1<<31-1)))
			}
		}
		return func(a, b uint64) uint64 { return t.mask(a + b) }
	},
	"sub": func(t typ, _ *stmt) func(a, b uint64) uint64 {
		return func(a, b uint64) uint64 { return t.mask(a - b) }
	},
	"mul": intMul,
	"min": func(t typ, s *stmt) func(a, b uint64) uint64 {
		if least := relu(s); t.kind == 's' {
			return func(a, b uint64) uint64 {
				return t.mask(uint64(max(least, min(t.signed(a), t.signed(b)))))
			}
		}
		return func(a, b uint64) uint64 { return min(t.mask(a), t.mask(b)) }
	},
	"max": func(t typ, s *stmt) func(a, b uint64) uint64 {
		if least := relu(s); t.kind == 's' {
			return func(a, b uint64) uint64 {
				return t.mask(uint64(max(least, max(t.signed(a), t.signed(b)))))
			}
		}
		return func(a, b uint64) uint64 { return max(t.mask(a), t.mask(b)) }
	},
	"div": intDiv,
}

// relu returns the least result of a minimum or maximum of signed integers: 0 with .relu.
func relu(s *stmt) int64 {
	if s.has("relu") {
		return 0
	}
	return math.MinInt64
}

func intMul(t typ, s *stmt) func(a, b uint64) uint64 {
	switch {
	case s.has("wide"):
		if t.kind == 's' {
			return func(a, b uint64) uint64 { return wide(t).mask(uint64(t.signed(a) * t.signed(b))) }
		}
		return func(a, b uint64) uint64 { return t.mask(a) * t.mask(b) }
	case s.has("hi"):
		return func(a, b uint64) uint64 { return mulhi(t, a, b) }
	}
	return func(a, b uint64) uint64 { return t.mask(a * b) }
}

func wide(t typ) typ { t.bits *= 2; return t }

func mulhi(t typ, a, b uint64) uint64 {
	if t.kind == 's' {
		x, y := t.signed(a), t.signed(b)
		if t.bits < 64 {
			return t.mask(uint64(x * y >> t.bits))
		}
		hi, _ := bits.Mul64(uint64(x), uint64(y))
		if x < 0 {
			hi -= uint64(y)
		}
		if y < 0 {
			hi -= uint64(x)
		}
		return hi
	}
	if t.bits < 64 {
		return t.mask(t.mask(a) * t.mask(b) >> t.bits)
	}
	hi, _ := bits.Mul64(a, b)
	return hi
}

// intDiv by zero gives all ones, as the hardware does.
func intDiv(t typ, _ *stmt) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		switch {
		case t.mask(b) == 0:
			return t.mask(^uint64(0))
		case t.kind == 's':
			if x, y := t.signed(a), t.signed(b); y == -1 {
				return t.mask(uint64(-x))
			} else {
				return t.mask(uint64(x / y))
			}
		}
		return t.mask(a) / t.mask(b)
	}
}

func rem(s *stmt) (action, error) {
	t := s.typ()
	return s.binary(t, func(a, b uint64) uint64 {
		switch {
		case t.mask(b) == 0:
			return t.mask(^uint64(0))
		case t.kind == 's':
			if y := t.signed(b); y == -1 {
				return 0
			} else {
				return t.mask(uint64(t.signed(a) % y))
			}
		}
		return t.mask(a) % t.mask(b)
	})
}

func mad(s *stmt) (action, error) {
	t := s.typ()
	if t.kind == 'f' {
		return fmaOp(s)
	}
	last := t
	if s.has("wide") {
		last = wide(t)
	}
	mul := intMul(t, s)
	return s.ternary(t, last, func(a, b, c uint64) uint64 { return last.mask(mul(a, b) + c) })
}

func mul24(s *stmt) (action, error) {
	t := s.typ()
	return s.binary(t, func(a, b uint64) uint64 { return t.mask((a & 0xffffff) * (b & 0xffffff)) })
}

func shifts(s *stmt) (action, error) {
	t := s.typ()
	return s.binary(t, func(a, b uint64) uint64 {
		n := b & 0xffffffff
		switch {
		case s.name == "shl":
			if n >= uint64(t.bits) {
				return 0
			}
			return t.mask(a << n)
		case t.kind == 's':
			return t.mask(uint64(t.signed(a) >> min(n, uint64(t.bits-1))))
		case n >= uint64(t.bits):
			return 0
		}
		return t.mask(a) >> n
	})
}

func logic(s *stmt) (action, error) {
	t := s.typ()
	switch s.name {
	case "and":
		return s.binary(t, func(a, b uint64) uint64 { return a & b })
	case "or":
		return s.binary(t, func(a, b uint64) uint64 { return a | b })
	}
	return s.binary(t, func(a, b uint64) uint64 { return a ^ b })
}

func not(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 { return t.mask(^a) })
}

func cnot(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 {
		if t.mask(a) == 0 {
			return 1
		}
		return 0
	})
}

func popc(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 { return uint64(bits.OnesCount64(t.mask(a))) })
}

func clz(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 { return uint64(bits.LeadingZeros64(t.mask(a)) - (64 - t.bits)) })
}

func brev(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - t.bits) })
}

// bfind decodes bfind: the place of the highest bit that is not the sign.
func bfind(s *stmt) (action, error) {
	t := s.typ()
	return s.unary(t, func(a uint64) uint64 {
		v := t.mask(a)
		if t.kind == 's' && t.signed(v) < 0 {
			v = t.mask(^v)
		}
		n := bits.Len64(v) - 1
		if n >= 0 && s.has("shiftamt") {
			n = t.bits - 1 - n
		}
		return uint64(uint32(int32(n)))
	})
}

func bfe(s *stmt) (action, error) {
	t := s.typ()
	if err := s.need(4); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	u32 := types["u32"]
	a, b, e := s.src(1, t), s.src(2, u32), s.src(3, u32)
	return each(d, func(c *block, th int32) uint64 {
		v, pos, n := t.mask(a.get(c, th)), b.get(c, th)&0xff, e.get(c, th)&0xff
		if n == 0 {
			return 0
		}
		if t.kind == 's' {
			x := t.signed(v) >> min(pos, 63)
			if pos+n >= uint64(t.bits) {
				return t.mask(uint64(x))
			}
			return t.mask(uint64(x << (64 - n) >> (64 - n)))
		}
		if pos >= 64 {
			return 0
		}
		v >>= pos
		if n < 64 {
			v &= 1<<n - 1
		}
		return v
	}), err
}

func bfi(s *stmt) (action, error) {
	t := s.typ()
	if err := s.need(5); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	u32 := types["u32"]
	a, b, e, f := s.src(1, t), s.src(2, t), s.src(3, u32), s.src(4, u32)
	return each(d, func(c *block, th int32) uint64 {
		x, y, pos, n := a.get(c, th), b.get(c, th), e.get(c, th)&0xff, f.get(c, th)&0xff
		if pos >= 64 || n == 0 {
			return t.mask(y)
		}
		m := ^uint64(0)
		if n < 64 {
			m = 1<<n - 1
		}
		return t.mask(y&^(m<<pos) | x&m<<pos)
	}), err
}

// prmt picks bytes of two words.
func prmt(s *stmt) (action, error) {
	t := types["b32"]
	if t2 := s.typ(); t2.bits != 32 || len(s.parts) > 1 {
		return nil, fmt.Errorf("this form of prmt is not known")
	}
	return s.ternary(t, t, func(a, b, sel uint64) uint64 {
		all := a&0xffffffff | b<<32
		var out uint64
		for i := range 4 {
			k := sel >> (4 * i) & 0xf
			by := all >> (8 * (k & 7)) & 0xff
			if k&8 != 0 {
				by = uint64(uint8(int8(by) >> 7))
			}
			out |= by << (8 * i)
		}
		return out
	})
}

// funnel shifts two words as one.
func funnel(s *stmt) (action, error) {
	t := types["b32"]
	return s.ternary(t, t, func(lo, hi, n uint64) uint64 {
		if s.has("wrap") {
			n &= 31
		} else {
			n = min(n&0xffffffff, 32)
		}
		both := lo&0xffffffff | hi<<32
		if s.has("l") {
			return both << n >> 32 & 0xffffffff
		}
		return both >> n & 0xffffffff
	})
}

func lop3(s *stmt) (action, error) {
	if err := s.need(5); err != nil {
		return nil, err
	}
	table := s.ops[4].imm
	t := types["b32"]
	return s.ternary(t, t, func(a, b, c uint64) uint64 {
		var out uint64
		for i := range 32 {
			k := a>>i&1<<2 | b>>i&1<<1 | c>>i&1
			out |= table >> k & 1 << i
		}
		return out
	})
}

func sad(s *stmt) (action, error) {
	t := s.typ()
	return s.ternary(t, t, func(a, b, c uint64) uint64 {
		if t.kind == 's' {
			d := t.signed(a) - t.signed(b)
			return t.mask(uint64(max(d, -d)) + c)
		}
		x, y := t.mask(a), t.mask(b)
		return t.mask(max(x, y) - min(x, y) + c)
	})
}

// addCarry decodes add, addc, sub or subc with the carry: .cc writes it, the names with a c read it.
func addCarry(s *stmt) (action, error) {
	if err := s.need(3); err != nil {
		return nil, err
	}
	t := s.typ()
	d, err := s.dst(0)
	a, b := s.src(1, t), s.src(2, t)
	minus := strings.HasPrefix(s.name, "sub")
	reads, writes := len(s.name) == 4, s.has("cc")
	return each(d, func(c *block, th int32) uint64 {
		x, y, in := t.mask(a.get(c, th)), t.mask(b.get(c, th)), uint64(0)
		if reads {
			in = c.carry[th]
		}
		var out uint64
		if minus {
			x, out = bits.Sub64(x, y, in)
			if t.bits < 64 {
				out = x >> t.bits & 1
			}
		} else {
			x, out = bits.Add64(x, y, in)
			if t.bits < 64 {
				out = x >> t.bits & 1
			}
		}
		if writes {
			c.carry[th] = out
		}
		return t.mask(x)
	}), err
}
