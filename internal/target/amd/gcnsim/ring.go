package gcnsim

import (
	"math"
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// Floats as elements of a finite ring (LoadRing): instructions that round get the meaning that package ring
// gives them; all others stay. An instruction with the literal of a unit (ring.UnitOf) stands for a function
// that code computes in many steps.
//
// LLVM divides integers in floats, and converts integers of 64 bits in parts. Such floats stay floats: they
// come of v_rcp_iflag_f32, v_ldexp_f64, or of products with constants of the expansion, and what is computed
// with them is of their kind.

// LoadRing makes a code object ready to run with floats that are elements of a finite ring.
func LoadRing(hsaco []byte) (*Module, error) { return load(hsaco, true) }

// formatOf returns the format of a kind of operand.
var formatOf = map[kind]*num.Format{kHalf: num.F16, kFloat: num.F32, kDoub: num.F64}

// ringFunc computes an instruction in a format.
type ringFunc func(f *num.Format, a [3]float64) float64

func ringCall(name string) ringFunc {
	return func(f *num.Format, a [3]float64) float64 { return ring.Call(f, name, a[0]) }
}

func ringFma(f *num.Format, a [3]float64) float64 { return ring.Fma(f, a[0], a[1], a[2]) }

func ringRound(f *num.Format, a [3]float64) float64 { return ring.Round(f, a[0]) }

// ringFixup returns the quotient, or that of infinities and NaN.
func ringFixup(f *num.Format, a [3]float64) float64 {
	if !ring.Finite(a[1]) || !ring.Finite(a[2]) {
		return f.Round(a[2] / a[1])
	}
	return a[0]
}

// ringOps are the instructions that round, by their names without the type of the result.
var ringOps = map[string]ringFunc{
	"v_add":    func(f *num.Format, a [3]float64) float64 { return ring.Add(f, a[0], a[1]) },
	"v_sub":    func(f *num.Format, a [3]float64) float64 { return ring.Sub(f, a[0], a[1]) },
	"v_subrev": func(f *num.Format, a [3]float64) float64 { return ring.Sub(f, a[1], a[0]) },
	"v_mul":    func(f *num.Format, a [3]float64) float64 { return ring.Mul(f, a[0], a[1]) },
	"v_fma":    ringFma, "v_fmac": ringFma, "v_fmaak": ringFma, "v_fmamk": ringFma, "v_mad": ringFma,
	"v_mac": ringFma, "v_madak": ringFma, "v_madmk": ringFma,
	"v_rcp": ringCall("rcp"), "v_rsq": ringCall("rsqrt"), "v_sqrt": ringCall("sqrt"),
	"v_exp": ringCall("exp2"), "v_log": ringCall("log2"), "v_sin": ringCall("sin of turns"),
	"v_cos": ringCall("cos of turns"),
	"v_fract": func(f *num.Format, a [3]float64) float64 {
		return ring.Sub(f, a[0], math.Floor(a[0]))
	},
	"v_div_fixup": ringFixup, "v_cvt_f16_f32": ringRound, "v_cvt_f32_f64": ringRound,
	"v_cvt_f16_u16": ringRound, "v_cvt_f16_i16": ringRound,
}

// ringOf returns an instruction in the ring, nil if it does not round.
func ringOf(name string, op lanewise) func(a, b, c uint64) uint64 {
	switch name {
	case "v_cvt_pkrtz_f16_f32":
		return func(a, b, _ uint64) uint64 { return ring.Unit("f16", a) | ring.Unit("f16", b)<<16 }
	case "v_dot2c_f32_f16", "v_dot2acc_f32_f16", "v_dot2_f32_f16":
		return ringDot2
	case "v_rcp_iflag_f32":
		return nil
	}
	g := ringOps[name]
	if i := strings.LastIndexByte(name, '_'); g == nil && i > 0 {
		g = ringOps[name[:i]]
	}
	to := formatOf[kind(op.types[0])]
	if g == nil || to == nil {
		return nil
	}
	from := [3]kind{}
	for i := range op.types[1:] {
		from[i] = kind(op.types[i+1])
	}
	return func(a, b, c uint64) uint64 {
		var x [3]float64
		for i, v := range [3]uint64{a, b, c} {
			x[i] = ringValue(v, from[i], name)
		}
		return to.Encode(g(to, x))
	}
}

// ringValue returns the value of an operand.
func ringValue(v uint64, k kind, name string) float64 {
	switch {
	case k == kInt && name == "v_cvt_f16_i16":
		return float64(int16(v))
	case k == kInt:
		return float64(uint16(v))
	case k == 0:
		return 0
	}
	return toFloat(v, k)
}

func ringDot2(a, b, c uint64) uint64 {
	x, y := []float64{f16(a), f16(a >> 16)}, []float64{f16(b), f16(b >> 16)}
	return fromF32(float32(ring.Dot(num.F32, x, y, float64(f32(c)))))
}

// integerLiterals are the constants by which LLVM's expansions of integer divisions, and of conversions from
// and to integers of 64 bits, multiply.
var integerLiterals = map[uint32]bool{0x4f7ffffe: true, 0x5f7ffffc: true, 0x2f800000: true, 0xcf800000: true,
	0x4f800000: true, 0xc1f00000: true}

// fromExpansion reports whether an SGPR holds a constant of such an expansion: no element of the ring has a
// magnitude near these, and integers that were converted lie in VGPRs.
func fromExpansion(v uint32) bool { return integerLiterals[v] && v != 0xc1f00000 }

// ringVector is a vector instruction in the ring; plain is the same on floats.
type ringVector struct {
	*vector
	plain func(a, b, c uint64) uint64
	seed  bool // the result stays a float

	// so does that of v_mov_b32, and of v_ldexp_f64: the upper half of an integer, to which the lower is
	// added
	plainBits bool
}

// inRing returns the function of a vector instruction in the ring, or nil if it has none of its own.
func (v *vector) inRing(in *gcn.Inst, op lanewise) func(*wave) {
	r := &ringVector{vector: v, plain: v.f, seed: in.Base == "v_rcp_iflag_f32" || in.Base == "v_ldexp_f64"}
	for _, a := range in.Args {
		if a.File != gcn.Literal {
			continue
		}
		if name, ok := ring.UnitOf(a.Value); ok {
			return v.unit(in, name)
		}
		r.seed = r.seed || integerLiterals[a.Value]
	}
	f := ringOf(in.Base, op)
	r.plainBits = in.Base == "v_ldexp_f64" || in.Base == "v_mov_b32"
	switch {
	case f == nil && (r.seed || in.Base == "v_trunc_f32" || in.Base == "v_floor_f32"):
		f = v.f
	case f == nil:
		return nil
	}
	v.f = f
	return r.run
}

// unit stands for a function: of one argument, a literal xor it, or of two with the literal as the third.
func (v *vector) unit(in *gcn.Inst, name string) func(*wave) {
	switch in.Base {
	case "v_xor_b32":
		v.f = func(_, b, _ uint64) uint64 { return ring.Unit(name, b) }
	case "v_fmaak_f32":
		v.f = func(a, b, _ uint64) uint64 { return ring.Unit(name, a, b) }
	default:
		return nil
	}
	return v.run
}

// run is that of a vector, but in lanes where a source stays a float the instruction is that on floats.
func (r *ringVector) run(w *wave) {
	floats := w.floats(r.sources)
	if r.seed {
		floats = ^uint64(0)
	}
	if floats == 0 {
		r.vector.run(w)
		return
	}
	v := *r.vector
	lane := 0
	exec := w.exec()
	v.f = func(a, b, c uint64) uint64 {
		i := bits.TrailingZeros64(exec &^ (1<<lane - 1))
		lane = i + 1
		if floats>>i&1 != 0 {
			return r.plain(a, b, c)
		}
		return r.f(a, b, c)
	}
	v.run(w)
	if v.dst.kind == kFloat || r.plainBits {
		w.keepFloats(lastRegister(v.dst.reg, v.dst.kind), exec&floats)
	} else {
		w.dropDoubles(r.sources)
	}
}

// floats returns the lanes in which some source stays a float.
func (w *wave) floats(sources []source) (out uint64) {
	for k := range sources {
		s := &sources[k]
		if s.vector < 0 {
			if v, _ := s.uniform(w); s.kind == kFloat && s.scalar >= 0 && fromExpansion(uint32(v)) {
				return ^uint64(0)
			}
			continue
		}
		if len(w.plain) == 0 {
			continue
		}
		reg := lastRegister(s.vector, s.kind)
		for i, v := range &w.v[reg] {
			if old, ok := w.plain[place{reg, i}]; ok && old == v {
				out |= 1 << i
			}
		}
	}
	return out
}

// lastRegister returns the register with the upper bits of a value, which tell it from others: the lower ones
// of a double are often 0.
func lastRegister(first int, k kind) int {
	if k == kDoub {
		return first + 1
	}
	return first
}

// dropDoubles forgets the upper half of an integer, which is 0 at times, once the lower half is added: a 0 of
// the ring may be in its place next.
func (w *wave) dropDoubles(sources []source) {
	for _, s := range sources {
		if s.vector < 0 || s.kind != kDoub {
			continue
		}
		for i := range lanes {
			delete(w.plain, place{s.vector + 1, i})
		}
	}
}

// keepFloats notes that lanes of a register hold floats. A register that is written again holds another
// value then.
func (w *wave) keepFloats(reg int, mask uint64) {
	if w.plain == nil {
		w.plain = map[place]uint32{}
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		w.plain[place{reg, i}] = w.v[reg][i]
	}
}

// ringAtomics are the atomics that round.
var ringAtomics = map[string]atomicOp{
	"add_f32": func(a, v uint64) uint64 {
		return fromF32(float32(ring.Add(num.F32, float64(f32(a)), float64(f32(v)))))
	},
	"add_f64":    func(a, v uint64) uint64 { return math.Float64bits(ring.Add(num.F64, f64(a), f64(v))) },
	"pk_add_f16": ringPair(num.F16), "pk_add_bf16": ringPair(num.BF16),
}

func ringPair(f *num.Format) atomicOp {
	one := func(a, v uint64) uint64 {
		return f.Encode(ring.Add(f, f.Decode(a&0xffff), f.Decode(v&0xffff)))
	}
	return func(a, v uint64) uint64 { return one(a, v) | one(a>>16, v>>16)<<16 }
}

// atomic returns an atomic in the arithmetic of the program.
func (p *program) atomic(base string, op atomicOp) atomicOp {
	if !p.ring || op == nil {
		return op
	}
	for name, f := range ringAtomics {
		if strings.HasSuffix(strings.Replace(base, "_rtn", "", 1), name) {
			return f
		}
	}
	return op
}
