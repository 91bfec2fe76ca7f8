package ptxsim

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
)

// Floats as elements of a finite ring (ParseRing): instructions that round get the meaning that package ring
// gives them; all others stay. The instruction ring.NAME.TYPE, which no GPU has, stands for a function that
// code for GPUs computes in many steps.

// ParseRing reads a module whose floats are elements of a finite ring.
func ParseRing(text []byte) (*Module, error) { return parse(text, true) }

// decoder returns the decoder of an instruction, nil if it is not known.
func (s *stmt) decoder() decoder {
	if d := ringOps[s.name]; d != nil && s.p.ring && s.rounds() {
		return d
	}
	return decoders[s.name]
}

// rounds reports whether an instruction of ringOps rounds floats.
func (s *stmt) rounds() bool {
	if len(s.types) == 0 {
		return false
	}
	if s.name != "cvt" {
		return s.typ().kind == 'f'
	}
	if len(s.types) < 2 || s.types[0].kind != 'f' {
		return false
	}
	if s.types[1].kind != 'f' {
		return s.types[0].bits < 32
	}
	to, from := s.types[0].fmt, s.types[1].fmt
	return from.Man > to.Man || from.Exp > to.Exp
}

// ringOps are the instructions that round. All of those on floats that are no conversions are functions of
// operands of one type.
var ringOps = map[string]decoder{
	"add": ringBinary(ring.Add), "sub": ringBinary(ring.Sub), "mul": ringBinary(ring.Mul),
	"div": ringBinary(ring.Div),
	"fma": ringFunc(func(f *num.Format, a []float64) float64 { return ring.Fma(f, a[0], a[1], a[2]) }),
	"rcp": ringCall("rcp"), "sqrt": ringCall("sqrt"), "rsqrt": ringCall("rsqrt"), "ex2": ringCall("exp2"),
	"lg2": ringCall("log2"), "sin": ringCall("sin"), "cos": ringCall("cos"), "tanh": ringCall("tanh"),
	"ring": ringNamed, "cvt": ringConvert,
}

func ringBinary(f func(to *num.Format, a, b float64) float64) decoder {
	return ringFunc(func(to *num.Format, a []float64) float64 { return f(to, a[0], a[1]) })
}

func ringCall(name string) decoder {
	return ringFunc(func(to *num.Format, a []float64) float64 { return ring.Call(to, name, a...) })
}

// ringNamed decodes ring.NAME.f32, a unit.
func ringNamed(s *stmt) (action, error) {
	t, name := types["f32"], s.parts[0]
	switch len(s.ops) {
	case 2:
		return s.unary(t, func(a uint64) uint64 { return ring.Unit(name, a) })
	case 3:
		return s.binary(t, func(a, b uint64) uint64 { return ring.Unit(name, a, b) })
	}
	d, err := s.dst(0)
	return each(d, func(c *block, th int32) uint64 {
		args := make([]uint64, len(s.ops)-1)
		for i := range args {
			o := s.src(i+1, t)
			args[i] = o.get(c, th)
		}
		return ring.Unit(name, args...)
	}), err
}

// ringFunc decodes a function of as many operands as the instruction has.
func ringFunc(f func(to *num.Format, a []float64) float64) decoder {
	return func(s *stmt) (action, error) {
		t := s.typ()
		one := func(bits []uint64) uint64 {
			x := make([]float64, len(bits))
			for i, b := range bits {
				x[i] = t.float(b)
			}
			r := t.round(f(t.fmt, x))
			if s.has("sat") {
				r = t.saturate(r)
			}
			if s.has("relu") && t.float(r) < 0 {
				r = 0
			}
			return r
		}
		switch len(s.ops) {
		case 2:
			return s.unary(t, func(a uint64) uint64 { return t.halves([]uint64{a}, one) })
		case 3:
			return s.binary(t, func(a, b uint64) uint64 { return t.halves([]uint64{a, b}, one) })
		case 4:
			return s.ternary(t, t, func(a, b, c uint64) uint64 { return t.halves([]uint64{a, b, c}, one) })
		}
		return nil, fmt.Errorf("%d operands", len(s.ops))
	}
}

// ringConvert decodes cvt to a narrower format for floats of the finite ring. A conversion to tf32 is one to
// f32, since products in the ring do not round their operands. Integers are converted to f32 first.
func ringConvert(s *stmt) (action, error) {
	s.narrow = func(to typ, f float64) uint64 {
		if to.fmt == num.TF32 {
			return types["f32"].round(f)
		}
		return to.round(ring.Round(to.fmt, f))
	}
	to, from := s.types[0], s.types[1]
	if from.kind == 'f' {
		return convert(s)
	}
	return s.unary(from, func(a uint64) uint64 {
		return s.narrow(to, types["f32"].float(s.intToFloat(types["f32"], from, a)))
	})
}

// sum returns the sum of two values of an instruction.
func (s *stmt) sum(t typ, a, b uint64) uint64 {
	if s.p.ring {
		return t.round(ring.Add(t.fmt, t.float(a), t.float(b)))
	}
	return t.compute("add", "rn", t.float(a), t.float(b))
}

// multiplier returns the function that adds the product of a, m rows of k, and b, k rows of n, to acc, whose
// type is t.
func (s *stmt) multiplier(t typ) func(a, b, acc []float64, m, n, k int) {
	if !s.p.ring || t.kind != 'f' {
		return multiply
	}
	return func(a, b, acc []float64, m, n, k int) { ring.Multiply(t.fmt, acc, a, b, m, n, k, n, 1) }
}

// factor returns the type of the operands of a product.
func (s *stmt) factor(t typ) typ {
	if s.p.ring && t.fmt == num.TF32 {
		return types["f32"]
	}
	return t
}
