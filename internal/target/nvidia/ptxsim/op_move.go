package ptxsim

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/num"
)

var moveOps = map[string]decoder{
	"mov": move, "cvt": convert, "cvta": cvta, "setp": setp, "set": set, "selp": selp, "slct": slct,
	"nop": nothing, "nanosleep": nothing,
}

func nothing(*stmt) (action, error) { return func(*block, []int32) {}, nil }

// move copies a value, or packs or unpacks a vector.
func move(s *stmt) (action, error) {
	if err := s.need(2); err != nil {
		return nil, err
	}
	t := s.typ()
	switch {
	case s.ops[0].kind == isVector:
		return unpack(s.ops[0].elems, s.src(1, t), t)
	case s.ops[1].kind == isVector:
		d, err := s.dst(0)
		elems := s.ops[1].elems
		w := t.bits / len(elems)
		return each(d, func(c *block, th int32) uint64 {
			var v uint64
			for i := range elems {
				v |= elems[i].get(c, th) & (1<<w - 1) << (i * w)
			}
			return v
		}), err
	}
	d, err := s.dst(0)
	a := s.src(1, t)
	return each(d, func(c *block, th int32) uint64 { return a.get(c, th) }), err
}

func unpack(elems []operand, a operand, t typ) (action, error) {
	w := t.bits / len(elems)
	return func(c *block, act []int32) {
		for _, th := range act {
			v := a.get(c, th)
			for i, e := range elems {
				if e.kind == isReg {
					c.set(e.reg, th, v>>(i*w)&(1<<w-1))
				}
			}
		}
	}, nil
}

func cvta(s *stmt) (action, error) {
	base := uint64(0)
	switch {
	case s.has("shared"):
		base = sharedBase
	case s.has("local"):
		base = localBase
	case s.has("param"):
		base = paramBase
	}
	t := s.typ()
	if s.has("to") {
		return s.unary(t, func(a uint64) uint64 { return a - base })
	}
	return s.unary(t, func(a uint64) uint64 { return a + base })
}

// comparisons of ordered values: less, equal, greater, unordered.
var comparisons = map[string][4]bool{
	"eq": {false, true, false, false}, "ne": {true, false, true, false}, "lt": {true, false, false, false},
	"le": {true, true, false, false}, "gt": {false, false, true, false}, "ge": {false, true, true, false},
	"equ": {false, true, false, true}, "neu": {true, false, true, true}, "ltu": {true, false, false, true},
	"leu": {true, true, false, true}, "gtu": {false, false, true, true}, "geu": {false, true, true, true},
	"num": {true, true, true, false}, "nan": {false, false, false, true}, "lo": {true, false, false, false},
	"ls": {true, true, false, false}, "hi": {false, false, true, false}, "hs": {false, true, true, false},
}

func (t typ) compare(a, b uint64, table [4]bool) bool {
	switch t.kind {
	case 'f':
		x, y := t.float(a), t.float(b)
		switch {
		case x != x || y != y:
			return table[3]
		case x < y:
			return table[0]
		case x == y:
			return table[1]
		}
		return table[2]
	case 's':
		x, y := t.signed(a), t.signed(b)
		if x < y {
			return table[0]
		}
		if x == y {
			return table[1]
		}
		return table[2]
	}
	x, y := t.mask(a), t.mask(b)
	if x < y {
		return table[0]
	}
	if x == y {
		return table[1]
	}
	return table[2]
}

func setp(s *stmt) (action, error) {
	if err := s.need(3); err != nil {
		return nil, err
	}
	t := s.typ()
	table, ok := comparisons[s.parts[0]]
	if !ok {
		return nil, fmt.Errorf("comparison %s", s.parts[0])
	}
	half := t
	half.lanes = 1
	a, b := s.src(1, t), s.src(2, t)
	outs := []operand{s.ops[0]}
	if s.ops[0].kind == isPair {
		outs = s.ops[0].elems
	}
	var extra operand
	if len(s.ops) > 3 {
		extra = s.ops[3]
	}
	ftz := s.has("ftz")
	return func(c *block, act []int32) {
		for _, th := range act {
			x, y := a.get(c, th), b.get(c, th)
			if ftz {
				x, y = t.flush(x), t.flush(y)
			}
			v := half.compare(half.mask(x), half.mask(y), table)
			both := [2]bool{v, !v}
			if t.lanes == 2 { // a predicate for each half
				both[1] = half.compare(half.mask(x>>t.bits), half.mask(y>>t.bits), table)
			}
			if extra.kind != isNone {
				e := extra.get(c, th)&1 != 0
				for i := range both {
					switch {
					case s.has("and"):
						both[i] = both[i] && e
					case s.has("or"):
						both[i] = both[i] || e
					case s.has("xor"):
						both[i] = both[i] != e
					}
				}
			}
			for i, o := range outs {
				if o.kind == isReg {
					c.set(o.reg, th, truth(both[i]))
				}
			}
		}
	}, nil
}

// set writes all ones, or 1.0, where a comparison holds.
func set(s *stmt) (action, error) {
	if len(s.types) < 2 {
		return nil, fmt.Errorf("set needs two types")
	}
	to, t := s.types[0], s.types[1]
	table, ok := comparisons[s.parts[0]]
	if !ok {
		return nil, fmt.Errorf("comparison %s", s.parts[0])
	}
	yes := to.mask(^uint64(0))
	if to.kind == 'f' {
		yes = to.bitsOf(1)
	}
	return s.binary(t, func(a, b uint64) uint64 {
		return t.halves([]uint64{a, b}, func(a []uint64) uint64 {
			if t.compare(a[0], a[1], table) {
				return yes
			}
			return 0
		})
	})
}

func selp(s *stmt) (action, error) {
	t := s.typ()
	return s.ternary(t, typ{}, func(a, b, p uint64) uint64 {
		if p&1 != 0 {
			return a
		}
		return b
	})
}

func slct(s *stmt) (action, error) {
	t, last := s.types[0], s.types[1]
	return s.ternary(t, last, func(a, b, c uint64) uint64 {
		if last.kind == 'f' && last.float(c) >= 0 || last.kind == 's' && last.signed(c) >= 0 {
			return a
		}
		return b
	})
}

// convert decodes cvt in all its forms.
func convert(s *stmt) (action, error) {
	if err := s.need(2); err != nil {
		return nil, err
	}
	if len(s.types) < 2 {
		return nil, fmt.Errorf("cvt needs two types")
	}
	to, from := s.types[0], s.types[1]
	d, err := s.dst(0)
	if err != nil {
		return nil, err
	}
	width := s.p.widths[d]
	if to.lanes == 2 && from.lanes == 1 { // two values into one register, the first on top
		if err := s.need(3); err != nil {
			return nil, err
		}
		a, b := s.src(1, from), s.src(2, from)
		return each(d, func(c *block, t int32) uint64 {
			return s.toFloat(to, from, a.get(c, t))<<to.bits | s.toFloat(to, from, b.get(c, t))
		}), nil
	}
	a := s.src(1, from)
	if to.lanes == 2 {
		return each(d, func(c *block, t int32) uint64 {
			v := a.get(c, t)
			hi, lo := from.mask(v>>from.bits), from.mask(v)
			return s.toFloat(to, from, hi)<<to.bits | s.toFloat(to, from, lo)
		}), nil
	}
	one := s.converter(to, from, width)
	return each(d, func(c *block, t int32) uint64 { return one(a.get(c, t)) }), nil
}

// converter returns a conversion of single values.
func (s *stmt) converter(to, from typ, width int) func(uint64) uint64 {
	reg := typ{bits: width}
	switch {
	case from.kind == 'f' && to.kind == 'f':
		return func(v uint64) uint64 { return s.toFloat(to, from, from.mask(v)) }
	case from.kind == 'f':
		return func(v uint64) uint64 { return reg.mask(s.toInt(to, from, from.mask(v))) }
	case to.kind == 'f':
		return func(v uint64) uint64 { return s.intToFloat(to, from, v) }
	}
	return func(v uint64) uint64 {
		x := from.mask(v)
		if from.kind == 's' {
			x = uint64(from.signed(x))
		}
		if s.has("sat") {
			x = saturateInt(to, from, x)
		}
		if to.kind == 's' {
			return reg.mask(uint64(to.signed(to.mask(x))))
		}
		return to.mask(x)
	}
}

func saturateInt(to, from typ, x uint64) uint64 {
	if from.kind == 's' {
		v := int64(x)
		lo, hi := int64(0), int64(1)<<(min(to.bits, 63))-1
		if to.kind == 's' {
			lo, hi = -1<<(to.bits-1), 1<<(to.bits-1)-1
		}
		return uint64(min(max(v, lo), hi))
	}
	hi := to.mask(^uint64(0))
	if to.kind == 's' {
		hi >>= 1
	}
	return min(x, hi)
}

// toFloat converts a float to a float.
func (s *stmt) toFloat(to, from typ, v uint64) uint64 {
	if s.has("ftz") {
		v = from.flush(v)
	}
	f := from.float(v)
	if from.bits == to.bits && from.fmt == to.fmt { // to an integer value
		switch {
		case s.has("rni"):
			return to.bitsOf(math.RoundToEven(f))
		case s.has("rzi"):
			return to.bitsOf(math.Trunc(f))
		case s.has("rmi"):
			return to.bitsOf(math.Floor(f))
		case s.has("rpi"):
			return to.bitsOf(math.Ceil(f))
		}
	}
	if s.has("relu") && f < 0 {
		f = 0
	}
	r := s.encode(to, f)
	if s.has("sat") {
		r = to.saturate(r)
	}
	if s.has("ftz") {
		r = to.flush(r)
	}
	return r
}

// encode rounds to a format as the instruction says.
func (s *stmt) encode(to typ, f float64) uint64 {
	if s.narrow != nil {
		return s.narrow(to, f)
	}
	if to.fmt == num.TF32 {
		return encodeTF32(f, s.has("rna"))
	}
	if f != f {
		if to.bits == 8 {
			return 0x7f
		}
		return to.canonical()
	}
	if s.has("satfinite") {
		top := to.fmt.Decode(to.fmt.Max())
		f = min(max(f, -top), top)
	}
	if s.has("rn") || s.rounding() == "rn" {
		return to.bitsOf(f)
	}
	return to.toward(f, s.rounding())
}

// toward rounds towards zero, down or up: from the nearest value, one step where that went the wrong way.
func (t typ) toward(f float64, mode string) uint64 {
	r := t.bitsOf(f)
	g := t.float(r)
	up := mode == "rp" || mode == "rz" && f < 0
	switch {
	case g > f && !up, g < f && up:
		toZero := (g > f) == (g > 0)
		if toZero {
			return r - 1
		}
		return r + 1
	}
	return r
}

func encodeTF32(f float64, away bool) uint64 {
	b := uint64(math.Float32bits(float32(f)))
	if f != f || math.IsInf(f, 0) {
		return b
	}
	if away {
		return (b + 0x1000) &^ 0x1fff
	}
	return (b + 0xfff + b>>13&1) &^ 0x1fff
}

// toInt converts a float to an integer, which saturates.
func (s *stmt) toInt(to, from typ, v uint64) uint64 {
	if s.has("ftz") {
		v = from.flush(v)
	}
	f := from.float(v)
	if f != f {
		if from.bits == 64 || to.bits == 64 {
			return 1 << (to.bits - 1)
		}
		return 0
	}
	switch {
	case s.has("rni"):
		f = math.RoundToEven(f)
	case s.has("rmi"):
		f = math.Floor(f)
	case s.has("rpi"):
		f = math.Ceil(f)
	default:
		f = math.Trunc(f)
	}
	if to.kind == 's' {
		lim := math.Ldexp(1, to.bits-1)
		switch {
		case f >= lim:
			return 1<<(to.bits-1) - 1
		case f < -lim:
			return uint64(int64(-1) << (to.bits - 1))
		}
		return uint64(int64(f))
	}
	switch {
	case f <= 0:
		return 0
	case f >= math.Ldexp(1, to.bits):
		return to.mask(^uint64(0))
	}
	return uint64(f)
}

func (s *stmt) intToFloat(to, from typ, v uint64) uint64 {
	if m := s.rounding(); m != "rn" {
		return to.intToward(from, v, m)
	}
	x, sign := from.mask(v), 1.0
	if from.kind == 's' && from.signed(v) < 0 {
		x, sign = -uint64(from.signed(v)), -1
	}
	f := float64(x)
	switch {
	case to.fmt == num.F32:
		f = float64(float32(x))
	case to.bits < 32:
		f = oddFloat(x)
	}
	return to.round(sign * f)
}

var bigModes = map[string]big.RoundingMode{"rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}

// intToward rounds an integer to a float in a direction.
func (t typ) intToward(from typ, v uint64, mode string) uint64 {
	x := new(big.Float).SetPrec(uint(t.fmt.Man + 1)).SetMode(bigModes[mode])
	if from.kind == 's' {
		x.SetInt64(from.signed(v))
	} else {
		x.SetUint64(from.mask(v))
	}
	f, _ := x.Float64()
	return t.bitsOf(f)
}

// oddFloat returns a number that narrower formats round as they would round x: its last bit says whether any
// of the bits that it lacks is set.
func oddFloat(x uint64) float64 {
	drop := max(bits.Len64(x)-53, 0)
	kept := x >> drop
	if kept<<drop != x {
		kept |= 1
	}
	return math.Ldexp(float64(kept), drop)
}
