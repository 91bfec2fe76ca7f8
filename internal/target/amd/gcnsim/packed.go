package gcnsim

import (
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// packedOps are the instructions on two halves of a register, by the instruction on one half.
var packedOps = map[string]string{
	"v_pk_add_f16": "v_add_f16", "v_pk_mul_f16": "v_mul_f16", "v_pk_fma_f16": "v_fma_f16",
	"v_pk_min_f16": "v_min_f16",
	"v_pk_max_f16": "v_max_f16", "v_pk_add_u16": "v_add_u16", "v_pk_sub_u16": "v_sub_u16",
	"v_pk_mul_lo_u16": "v_mul_lo_u16",
	"v_pk_mad_u16":    "v_mad_u16", "v_pk_mad_i16": "v_mad_u16", "v_pk_add_i16": "v_add_u16",
	"v_pk_sub_i16": "v_sub_u16",
	"v_pk_min_i16": "v_min_i16", "v_pk_max_i16": "v_max_i16", "v_pk_min_u16": "v_min_u16",
	"v_pk_max_u16":     "v_max_u16",
	"v_pk_lshlrev_b16": "v_lshlrev_b16", "v_pk_lshrrev_b16": "v_lshrrev_b16",
	"v_pk_ashrrev_i16": "v_ashrrev_i16",
	"v_pk_add_f32":     "v_add_f32", "v_pk_mul_f32": "v_mul_f32", "v_pk_fma_f32": "v_fma_f32",
	"v_pk_mov_b32": "pk_mov",
}

// packed is an instruction on two halves, of 16 or 32 bits.
type packed struct {
	f       func(a, b, c uint64) uint64
	sources []packedSource
	dst     destination
	width   int // bits of a half
}

// packedSource is a source of which each half of the result takes a half.
type packedSource struct {
	source
	sel [2]int // the half that each half of the result takes
	neg [2]bool
}

// buildPacked builds v_pk_*, v_fma_mix* and v_dot*.
func buildPacked(prog *program, in *gcn.Inst) func(*wave) {
	if in.HasDPP() {
		return nil
	}
	if in.IsMix() {
		return buildMix(prog, in)
	}
	if strings.HasPrefix(in.Base, "v_wmma") {
		return buildWMMA(prog, in)
	}
	if bits := mixedDots[in.Base]; bits != 0 {
		return buildMixedDot(in, bits)
	}
	if _, ok := vectorOps[in.Base]; ok {
		return buildVector(prog, in)
	}
	name := packedOps[in.Base]
	op, ok := vectorOps[name]
	if name == "pk_mov" {
		op, ok = lanewise{"iii", nil}, true
	}
	if !ok {
		return nil
	}
	if f := ringOf(name, op); prog.ring && f != nil {
		op.f = f
	}
	p := &packed{f: op.f, dst: newDestination(in, kInt), width: 16}
	if p.dst.clamp {
		if p.f = clamped(name, op); p.f == nil {
			return nil
		}
	}
	if in.Args[0].N == 2 {
		p.width = 32
	}
	p.dst.clamp = false
	for i, a := range in.Args[1:] {
		p.sources = append(p.sources, newPackedSource(in, a, kind(op.types[min(i+1, len(op.types)-1)]),
			i, p.width))
	}
	return p.run
}

// mixedDots has the bits of the factors of products where neg says of each source whether it is signed.
var mixedDots = map[string]int{"v_dot4_i32_iu8": 8, "v_dot8_i32_iu4": 4}

func buildMixedDot(in *gcn.Inst, bits int) func(*wave) {
	neg := in.Field("neg")
	v := newVector(in, lanewise{"iiii", dotBits(bits, neg&1 != 0, neg&2 != 0)})
	for i := range v.sources {
		v.sources[i].mods = gcn.Mods{}
	}
	return v.run
}

func newPackedSource(in *gcn.Inst, a gcn.Operand, k kind, i, width int) packedSource {
	if width == 32 {
		k = kFloat
	}
	s := packedSource{source: newSource(in, a, k)}
	s.mods = gcn.Mods{}
	s.half = false
	s.sel = [2]int{int(in.Field("op_sel") >> i & 1), int(in.HighHalves() >> i & 1)}
	s.neg = [2]bool{in.Field("neg")>>i&1 != 0, in.Field("neg_hi")>>i&1 != 0}
	if width == 32 && s.vector < 0 && s.scalar < 0 { // a constant fills both halves
		s.value = uint64(uint32(constant(a.Code, 1, kFloat)))
		s.value |= s.value << 32
	}
	return s
}

// part returns the half of a value that a half of the result takes.
func (s *packedSource) part(v uint64, which, width int) uint64 {
	x := v >> (s.sel[which] * width) & (1<<width - 1)
	if s.neg[which] {
		x ^= 1 << (width - 1)
	}
	return x
}

// known returns the lanes in which the word that a half of the result takes holds a value.
func (s *packedSource) known(w *wave, which int) uint64 { return s.word(w, s.sel[which]) }

// word returns the lanes in which a word of the source holds a value.
func (s *source) word(w *wave, word int) uint64 {
	switch {
	case s.vector >= 0:
		return w.vOK[s.vector+word]
	case s.scalar >= 0 && w.sUndef[s.scalar+word] != 0:
		return 0
	}
	return ^uint64(0)
}

// halves returns, for words, the lanes in which each half of the result has a value: a half does not depend
// on words that only the other takes.
func (p *packed) halves(w *wave) (ok [2]uint64) {
	if p.f == nil { // each half of v_pk_mov_b32 has a source of its own
		return [2]uint64{p.sources[0].known(w, 0), p.sources[1].known(w, 0)}
	}
	for half := range ok {
		ok[half] = ^uint64(0)
		for i := range p.sources {
			ok[half] &= p.sources[i].known(w, half)
		}
	}
	return ok
}

func (p *packed) run(w *wave) {
	ok := ^uint64(0)
	for i := range p.sources {
		ok &= p.sources[i].fetch(w, &w.buf[i])
	}
	exec := w.exec()
	words := [2]uint64{ok, ok}
	if p.width == 32 {
		words = p.halves(w)
	}
	for e := exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		if p.f == nil { // v_pk_mov_b32: the low half from the first source, the high half from the second
			w.buf[3][lane] = p.sources[0].part(w.buf[0][lane], 0, 32) | p.sources[1].part(w.buf[1][lane],
				0, 32)<<32
			continue
		}
		var in [3]uint64
		var out uint64
		for h := range 2 {
			for i := range p.sources {
				in[i] = p.sources[i].part(w.buf[i][lane], h, p.width)
			}
			out |= p.f(in[0], in[1], in[2]) << (h * p.width)
		}
		w.buf[3][lane] = out
	}
	p.dst.store(w, &w.buf[3], exec, ok)
	for half := range p.dst.n {
		w.define(p.dst.reg+half, exec, words[half])
	}
}

// buildMix builds v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16: sources are float32, or halves.
func buildMix(p *program, in *gcn.Inst) func(*wave) {
	var src [3]source
	for i, a := range in.Args[1:] {
		src[i] = newSource(in, a, kFloat)
		if in.HighHalves()>>i&1 != 0 {
			src[i].kind = kHalf
			src[i].value = constant(a.Code, 1, kHalf)
		}
	}
	sel := in.Field("op_sel")
	dst := newDestination(in, kFloat)
	half := in.Base != "v_fma_mix_f32"
	if half {
		dst.sel, dst.unused, dst.kind = 4, 2, kHalf
	}
	if in.Base == "v_fma_mixhi_f16" {
		dst.sel = 5
	}
	return func(w *wave) {
		ok := ^uint64(0)
		for i := range src {
			ok &= src[i].fetch(w, &w.buf[i])
			src[i].toFloats(&w.buf[i], sel>>i&1 != 0)
		}
		for i := range lanes {
			r := p.fma(w.buf[0][i], w.buf[1][i], w.buf[2][i], kFloat)
			w.buf[3][i] = r
			if half {
				w.buf[3][i] = p.toHalf(r)
			}
		}
		dst.store(w, &w.buf[3], w.exec(), ok)
	}
}

// toFloats turns the source of a mixed instruction into float32 and applies its modifiers.
func (s *source) toFloats(buf *[lanes]uint64, high bool) {
	if s.kind == kHalf {
		for i := range buf {
			h := buf[i]
			if high {
				h >>= 16
			}
			buf[i] = fromF32(halfToFloat(uint16(h)))
		}
	}
	f := source{kind: kFloat, mods: s.mods, arg: gcn.Operand{N: 1}}
	f.modify(buf)
}
