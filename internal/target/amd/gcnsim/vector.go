package gcnsim

import (
	"math"
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// lanewise is an instruction that computes each lane by itself. types are the kinds of the result and of its
// sources: "fff" is a float32 of two float32.
type lanewise struct {
	types string
	f     func(a, b, c uint64) uint64
}

// buildVector builds the vector instructions that are no comparisons.
func buildVector(p *program, in *gcn.Inst) func(*wave) {
	if strings.HasPrefix(in.Base, "v_cmp") {
		return buildCompare(p, in)
	}
	if f, ok := carries[in.Base]; ok {
		return buildCarry(in, f)
	}
	op, ok := vectorOps[in.Base]
	if !ok {
		return nil
	}
	v := newVector(in, op)
	if v == nil {
		return nil
	}
	if p.ring {
		if run := v.inRing(in, op); run != nil {
			return run
		}
	}
	return v.run
}

// vector is a lanewise instruction with its operands.
type vector struct {
	f       func(a, b, c uint64) uint64
	dst     destination
	sources []source
	dpp     *dpp
}

// destination is where a vector instruction writes.
type destination struct {
	reg, n   int
	kind     kind
	clamp    bool
	omod     int
	sel      int // bytes selected by SDWA
	unused   int
	half     bool // op_sel of the result: the upper half
	keepHalf bool // a 16-bit result leaves the other half alone
}

// multiplyAdds read the register that they write.
var multiplyAdds = map[string]bool{"v_fmac_f32": true, "v_fmac_f16": true, "v_fmac_f64": true,
	"v_mac_f32": true,
	"v_mac_f16": true, "v_fmac_legacy_f32": true, "v_pk_fmac_f16": true, "v_dot2c_f32_f16": true,
	"v_dot2acc_f32_f16": true,
	"v_dot2c_i32_i16":   true, "v_dot4c_i32_i8": true, "v_dot8c_i32_i4": true}

func newVector(in *gcn.Inst, op lanewise) *vector {
	v := &vector{f: op.f, dst: newDestination(in, kind(op.types[0]))}
	if v.dst.clamp && v.dst.kind == kInt {
		if v.f = clamped(in.Base, op); v.f == nil {
			return nil
		}
	}
	i := 1
	for _, a := range in.Args[1:] {
		if i >= len(op.types) {
			return nil
		}
		v.sources = append(v.sources, newSource(in, a, kind(op.types[i])))
		i++
	}
	if multiplyAdds[in.Base] {
		v.sources = append(v.sources, newSource(in, in.Args[0], v.dst.kind))
		i++
	}
	if i != len(op.types) {
		return nil
	}
	if in.HasDPP() {
		v.dpp = newDPP(in)
	}
	return v
}

func newDestination(in *gcn.Inst, k kind) destination {
	a := in.Args[0]
	d := destination{reg: vectorOf(a), n: a.N, kind: k, sel: whole, clamp: in.Field("clamp") != 0,
		omod: int(in.Field("omod"))}
	if strings.HasSuffix(in.Encoding(), "_SDWA") {
		d.sel, d.unused = int(in.Field("dst_sel")), int(in.Field("dst_unused"))
	}
	if a.Half != 0 { // the other half stays
		d.sel, d.unused = 3+a.Half, 2
	}
	if in.Encoding() == "VOP3" && !in.RDNA() {
		d.half = in.OpSel()>>3&1 != 0
		d.keepHalf = d.half
	}
	return d
}

func (v *vector) run(w *wave) {
	exec := w.exec()
	ok := ^uint64(0)
	for i := range v.sources {
		ok &= v.sources[i].load(w, &w.buf[i])
		if i == 0 && v.dpp != nil {
			exec, ok = v.dpp.apply(w, &w.buf[0], exec, ok)
		}
	}
	a, b, c := &w.buf[0], &w.buf[1], &w.buf[2]
	out := &w.buf[3]
	f := v.f
	if exec == ^uint64(0) {
		for i := range out {
			out[i] = f(a[i], b[i], c[i])
		}
	} else {
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			out[i] = f(a[i], b[i], c[i])
		}
	}
	v.dst.store(w, out, exec, ok)
}

// store writes results into the lanes of exec; ok are the lanes whose sources held values.
func (d *destination) store(w *wave, out *[lanes]uint64, exec, ok uint64) {
	if d.omod != 0 || d.clamp || w.mode != modeKeep {
		d.finish(out, w.mode)
	}
	if d.sel != whole || d.half {
		d.merge(w, out)
	}
	lo := &w.v[d.reg]
	if exec == ^uint64(0) {
		for i := range lo {
			lo[i] = uint32(out[i])
		}
	} else {
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			lo[i] = uint32(out[i])
		}
	}
	w.define(d.reg, exec, ok)
	if d.n > 1 {
		hi := &w.v[d.reg+1]
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			hi[i] = uint32(out[i] >> 32)
		}
		w.define(d.reg+1, exec, ok)
	}
}

// define notes that the lanes of exec of a register were written, with values where ok says so.
func (w *wave) define(reg int, exec, ok uint64) {
	w.vOK[reg] = w.vOK[reg]&^exec | exec&ok
	for m := exec &^ ok; m != 0 && len(w.spilled) > 0; m &= m - 1 {
		delete(w.spilled, place{reg, bits.TrailingZeros64(m)})
	}
}

var omodFactors = []float64{1, 2, 4, 0.5}

// finish applies the output modifiers.
func (d *destination) finish(out *[lanes]uint64, mode uint32) {
	for i := range out {
		v := out[i]
		if d.omod != 0 {
			v = fromFloat(toFloat(v, d.kind)*omodFactors[d.omod], d.kind)
		}
		if d.clamp && d.kind != kInt {
			v = toUnit(v, d.kind)
		}
		out[i] = flush(v, d.kind, mode)
	}
}

// clamped returns an instruction with the modifier clamp: integers saturate, floats lie between 0 and 1. It
// is nil for one that is not known.
func clamped(name string, op lanewise) func(a, b, c uint64) uint64 {
	k := kind(op.types[0])
	if k == kInt {
		return saturating[name]
	}
	return func(a, b, c uint64) uint64 { return toUnit(op.f(a, b, c), k) }
}

// toUnit takes a float between 0 and 1; NaN becomes 0.
func toUnit(v uint64, k kind) uint64 {
	x := toFloat(v, k)
	if !(x > 0) {
		x = 0
	}
	return fromFloat(min(x, 1), k)
}

func toFloat(v uint64, k kind) float64 {
	switch k {
	case kHalf:
		return float64(halfToFloat(uint16(v)))
	case kDoub:
		return math.Float64frombits(v)
	}
	return float64(math.Float32frombits(uint32(v)))
}

func fromFloat(x float64, k kind) uint64 {
	switch k {
	case kHalf:
		return num.F16.Encode(x)
	case kDoub:
		return math.Float64bits(x)
	}
	return uint64(math.Float32bits(float32(x)))
}

// merge puts results into their part of the register.
func (d *destination) merge(w *wave, out *[lanes]uint64) {
	shift, n := selection(d.sel)
	preserve := d.unused == 2
	if d.half {
		shift, n, preserve = 16, 16, true
	}
	mask := uint64(1<<n-1) << shift
	old := &w.v[d.reg]
	for i := range out {
		v := out[i] << shift & mask
		switch {
		case preserve:
			v |= uint64(old[i]) &^ mask
		case d.unused == 1:
			v |= uint64(uint32(int32(out[i]<<(32-n))>>(32-n))) << shift & 0xffffffff
		}
		out[i] = v
	}
}
