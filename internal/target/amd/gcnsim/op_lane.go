package gcnsim

import (
	"math"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// specials are the instructions that are built in a way of their own.
var specials = func() map[string]builder {
	m := map[string]builder{
		"v_permlane16_b32": buildPermLane, "v_permlanex16_b32": buildPermLane,
		"s_waitcnt_vscnt": buildWaitStores, "v_readlane_b32": buildReadLane,
		"v_readfirstlane_b32": buildReadLane, "v_writelane_b32": buildWriteLane,
		"v_mbcnt_lo_u32_b32": buildCount, "v_mbcnt_hi_u32_b32": buildCount, "v_cndmask_b32": buildSelect,
		"v_cndmask_b16": buildSelect, "v_mov_b64": buildMove64, "v_div_scale_f32": buildDivScale,
		"v_div_scale_f64": buildDivScale, "v_div_fmas_f32": buildDivFMAs, "v_div_fmas_f64": buildDivFMAs,
		"v_swap_b32": buildSwap, "v_nop": buildNothing, "v_mad_u64_u32": buildMad64,
		"v_mad_i64_i32": buildMad64, "s_getpc_b64": buildGetPC, "s_setpc_b64": buildSetPC,
		"s_swappc_b64": buildSetPC, "s_setreg_b32": buildSetReg, "s_setreg_imm32_b32": buildSetReg,
		"s_getreg_b32": buildGetReg, "v_accvgpr_read_b32": buildPlain, "v_accvgpr_write_b32": buildPlain,
		"v_cvt_pk_fp8_f32": buildPackSmall, "v_cvt_pk_bf8_f32": buildPackSmall, "s_and_b32": buildCut,
		"s_mov_b32": buildCopyCut, "s_mov_b64": buildCopyCut,
	}
	for name := range saveExec {
		m[name+"_b32"], m[name+"_b64"] = buildSaveExec, buildSaveExec
	}
	return m
}()

func buildNothing(*program, *gcn.Inst) func(*wave) { return func(*wave) {} }

func buildPlain(_ *program, in *gcn.Inst) func(*wave) { return newVector(in, vectorOps[in.Base]).run }

func buildReadLane(_ *program, in *gcn.Inst) func(*wave) {
	dst, src := in.Args[0].Code, newSource(in, in.Args[1], kInt)
	var at *source
	if len(in.Args) > 2 {
		s := newSource(in, in.Args[2], kInt)
		at = &s
	}
	return func(w *wave) {
		lane := bits.TrailingZeros64(w.exec()) % w.p.lanes
		if at != nil {
			v, _ := at.uniform(w)
			lane = int(v) % w.p.lanes
		}
		ok := src.fetch(w, &w.buf[0])
		w.setS(dst, uint32(w.buf[0][lane]))
		if ok>>lane&1 != 0 {
			return
		}
		w.sUndef[dst] = ^uint32(0)
		if bits, ok := w.spilled[place{src.vector, lane}]; ok {
			w.sUndef[dst] = bits
		}
	}
}

func buildWriteLane(_ *program, in *gcn.Inst) func(*wave) {
	dst, src, at := vectorOf(in.Args[0]), newSource(in, in.Args[1], kInt), newSource(in, in.Args[2], kInt)
	return func(w *wave) {
		v, undef := src.uniform(w)
		n, _ := at.uniform(w)
		lane := int(n % lanes)
		w.v[dst][lane] = uint32(v)
		w.define(dst, 1<<lane, -bit(undef == 0))
		if uint32(undef) != 0 {
			if w.spilled == nil {
				w.spilled = map[place]uint32{}
			}
			w.spilled[place{dst, lane}] = uint32(undef)
		}
	}
}

// buildMove64 builds v_mov_b64, each of whose words is known apart: compilers move a pair to use one word.
func buildMove64(p *program, in *gcn.Inst) func(*wave) {
	if in.Encoding() != "VOP1" {
		return buildVector(p, in)
	}
	src, dst := newSource(in, in.Args[1], kInt), newDestination(in, kInt)
	return func(w *wave) {
		known := [2]uint64{src.word(w, 0), src.word(w, 1)} // before the source is overwritten
		src.fetch(w, &w.buf[0])
		exec := w.exec()
		dst.store(w, &w.buf[0], exec, 0)
		for i, ok := range known {
			w.define(dst.reg+i, exec, ok)
		}
	}
}

// buildCount builds v_mbcnt: the bits of a mask for lanes below each lane.
func buildCount(_ *program, in *gcn.Inst) func(*wave) {
	a, b, dst := newSource(in, in.Args[1], kInt), newSource(in, in.Args[2], kInt), newDestination(in, kInt)
	high := in.Base == "v_mbcnt_hi_u32_b32"
	return func(w *wave) {
		ok := a.load(w, &w.buf[0]) & b.load(w, &w.buf[1])
		for i := range lanes {
			below := uint64(1)<<i - 1
			if high {
				below >>= 32
			}
			w.buf[3][i] = uint64(bits.OnesCount32(uint32(w.buf[0][i]&below))) + w.buf[1][i]
		}
		dst.store(w, &w.buf[3], w.exec(), ok)
	}
}

// buildSelect builds v_cndmask_b32 and v_cndmask_b16: the lanes of a mask take the second source.
func buildSelect(_ *program, in *gcn.Inst) func(*wave) {
	k := kFloat
	if in.Base == "v_cndmask_b16" {
		k = kHalf
	}
	a, b, dst := newSource(in, in.Args[1], k), newSource(in, in.Args[2], k), newDestination(in, kInt)
	if k == kFloat {
		a.kind, b.kind = kInt, kInt // neg and abs change the sign bit; denormals stay
	}
	mask := newSource(in, in.Args[3], kInt)
	mask.mods = gcn.Mods{}
	var d *dpp
	if in.HasDPP() {
		d = newDPP(in)
	}
	return func(w *wave) {
		m, undef := mask.uniform(w)
		exec := w.exec()
		okA := a.load(w, &w.buf[0])
		if d != nil {
			exec, okA = d.apply(w, &w.buf[0], exec, okA)
		}
		okB := b.load(w, &w.buf[1])
		for i := range lanes {
			w.buf[3][i] = w.buf[m>>i&1][i]
		}
		dst.store(w, &w.buf[3], exec, (okA&^m|okB&m)&^undef)
	}
}

func buildSwap(_ *program, in *gcn.Inst) func(*wave) {
	a, b := vectorOf(in.Args[0]), vectorOf(in.Args[1])
	return func(w *wave) {
		exec := w.exec()
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			w.v[a][i], w.v[b][i] = w.v[b][i], w.v[a][i]
		}
		okA, okB := w.vOK[a], w.vOK[b]
		w.define(a, exec, okB)
		w.define(b, exec, okA)
	}
}

// carries are the instructions on integers that carry: a and b, the carry in, and the result with its carry.
var carries = map[string]func(a, b, c uint64) (uint64, bool){
	"v_add_co_u32": func(a, b, _ uint64) (uint64, bool) {
		r := a + b
		return uint64(uint32(r)), r>>32 != 0
	},
	"v_sub_co_u32":    func(a, b, _ uint64) (uint64, bool) { return uint64(uint32(a - b)), b > a },
	"v_subrev_co_u32": func(a, b, _ uint64) (uint64, bool) { return uint64(uint32(b - a)), a > b },
	"v_addc_co_u32": func(a, b, c uint64) (uint64, bool) {
		r := a + b + c
		return uint64(uint32(r)), r>>32 != 0
	},
	"v_subb_co_u32":    func(a, b, c uint64) (uint64, bool) { return uint64(uint32(a - b - c)), b+c > a },
	"v_subbrev_co_u32": func(a, b, c uint64) (uint64, bool) { return uint64(uint32(b - a - c)), a+c > b },
}

func buildCarry(in *gcn.Inst, f func(a, b, c uint64) (uint64, bool)) func(*wave) {
	dst, out := newDestination(in, kInt), in.Args[1].Code
	a, b := newSource(in, in.Args[2], kInt), newSource(in, in.Args[3], kInt)
	var carry *source
	if len(in.Args) > 4 {
		c := newSource(in, in.Args[4], kInt)
		carry = &c
	}
	var d *dpp
	if in.HasDPP() {
		d = newDPP(in)
	}
	return func(w *wave) {
		exec, ok := w.exec(), a.load(w, &w.buf[0])
		if d != nil {
			exec, ok = d.apply(w, &w.buf[0], exec, ok)
		}
		ok &= b.load(w, &w.buf[1])
		var c, undef, mask uint64
		if carry != nil {
			c, undef = carry.uniform(w)
		}
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			r, over := f(w.buf[0][i], w.buf[1][i], c>>i&1)
			w.buf[3][i] = r
			mask |= bit(over) << i
		}
		ok &^= undef
		dst.store(w, &w.buf[3], exec, ok)
		w.setMask(out, mask, exec&^ok)
	}
}

// buildMad64 builds the product of 32 bits with a sum of 64.
func buildMad64(_ *program, in *gcn.Inst) func(*wave) {
	dst, out := newDestination(in, kInt), in.Args[1].Code
	a, b, c := newSource(in, in.Args[2], kInt), newSource(in, in.Args[3], kInt),
		newSource(in, in.Args[4], kInt)
	signed := in.Base == "v_mad_i64_i32"
	return func(w *wave) {
		okLow := a.load(w, &w.buf[0]) & b.load(w, &w.buf[1])
		switch { // the low word does not depend on the sum's high word
		case c.vector >= 0:
			okLow &= w.vOK[c.vector]
		case c.scalar >= 0 && w.sUndef[c.scalar] != 0:
			okLow = 0
		}
		ok := okLow & c.load(w, &w.buf[2])
		exec, mask := w.exec(), uint64(0)
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			p := w.buf[0][i] * w.buf[1][i]
			if signed {
				p = uint64(int64(int32(w.buf[0][i])) * int64(int32(w.buf[1][i])))
			}
			r, over := bits.Add64(p, w.buf[2][i], 0)
			w.buf[3][i] = r
			mask |= over << i
		}
		dst.store(w, &w.buf[3], exec, ok)
		w.define(dst.reg, exec, okLow)
		w.setMask(out, mask, exec&^ok)
	}
}

// buildPackSmall builds conversions of two floats to 8 bits each, into one half of a register.
func buildPackSmall(p *program, in *gcn.Inst) func(*wave) {
	format := num.F8E4M3FNUZ
	if in.Base == "v_cvt_pk_bf8_f32" {
		format = num.F8E5M2FNUZ
	}
	dst, a, b := newDestination(in, kInt), newSource(in, in.Args[1], kFloat),
		newSource(in, in.Args[2], kFloat)
	dst.sel, dst.unused = 4, 2 // a half, the other is kept
	if dst.half {
		dst.sel = 5
	}
	dst.half = false
	convert := func(v uint64) uint64 { return small(format, v) }
	if p.ring {
		convert = func(v uint64) uint64 { return ring.Unit(format.Name, v) }
	}
	return func(w *wave) {
		ok := a.load(w, &w.buf[0]) & b.load(w, &w.buf[1])
		for i := range lanes {
			w.buf[3][i] = convert(w.buf[0][i]) | convert(w.buf[1][i])<<8
		}
		dst.store(w, &w.buf[3], w.exec(), ok)
	}
}

// small converts a float32 to a format of 8 bits; what is too large becomes the largest.
func small(f *num.Format, v uint64) uint64 {
	x := float64(f32(v))
	if limit := f.Decode(f.Max()); math.Abs(x) > limit && !math.IsInf(x, 0) {
		x = math.Copysign(limit, x)
	}
	return f.Encode(x)
}
