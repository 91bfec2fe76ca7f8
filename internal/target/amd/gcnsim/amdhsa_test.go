package gcnsim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// TestUnaligned: amdhsa runs kernels in the unaligned access mode, in which loads and stores of global memory
// and of LDS need no alignment. Those of two places in LDS, and atomics, do.
func TestUnaligned(t *testing.T) {
	for _, c := range []struct {
		text  string
		code  []byte
		fault bool
	}{
		{"global_load_dwordx2 v[4:5], v[2:3], off offset:2",
			[]byte{0x02, 0x80, 0x54, 0xdc, 0x02, 0x00, 0x7f, 0x04}, false},
		{"global_store_dwordx4 v[2:3], v[4:7], off offset:1",
			[]byte{0x01, 0x80, 0x7c, 0xdc, 0x02, 0x04, 0x7f, 0x00}, false},
		{"ds_read_b64 v[4:5], v2 offset:3", []byte{0x03, 0x00, 0xec, 0xd8, 0x02, 0x00, 0x00, 0x04}, false},
		{"ds_write_b32 v2, v4 offset:1", []byte{0x01, 0x00, 0x1a, 0xd8, 0x02, 0x04, 0x00, 0x00}, false},
		{"global_atomic_add v[2:3], v4, off offset:2",
			[]byte{0x02, 0x80, 0x08, 0xdd, 0x02, 0x04, 0x7f, 0x00}, true},
	} {
		w, decode := newTestWave(t)
		s := decode(c.text, c.code...)
		w.g.run.lds, w.g.run.m = newLDS(64), &Module{Object: &gcn.Object{}}
		w.g.run.Memory = NewMemory()
		addr := uint64(0)
		if c.text[0] == 'g' {
			addr = w.g.run.Memory.Alloc(make([]byte, 64))
		}
		for r := range 6 {
			w.define(2+r, ^uint64(0), ^uint64(0))
		}
		for lane := range lanes {
			w.setValue(2, lane, 8, addr)
		}
		if got := faults(func() { s.run(w) }); got != c.fault {
			t.Errorf("%s: a fault is %v, expected %v", c.text, got, c.fault)
		}
	}
}

// TestUnalignedTwo: ds_read2 needs addresses that are multiples of 4.
func TestUnalignedTwo(t *testing.T) {
	w, decode := newTestWave(t)
	s := decode("ds_read2_b32 v[4:5], v2 offset1:1", 0x00, 0x01, 0x6e, 0xd8, 0x02, 0x00, 0x00, 0x04)
	w.g.run.lds = newLDS(64)
	w.define(2, ^uint64(0), ^uint64(0))
	if faults(func() { s.run(w) }) {
		t.Error("the address 0 is refused")
	}
	w.v[2][5] = 2
	if !faults(func() { s.run(w) }) {
		t.Error("the address 2 is not refused")
	}
}

// quotient divides as LLVM's code does: by a reciprocal that is made better, on scaled numbers.
func (d division) quotient(num, den float64) float64 {
	k := d.kind
	fma := func(a, b, c float64) float64 {
		return toFloat(d.multiplyAdd(fromFloat(a, k), fromFloat(b, k), fromFloat(c, k), false), k)
	}
	round := func(x float64) float64 { return toFloat(fromFloat(x, k), k) }
	bottom, _ := d.scaled(den, den, num)
	top, back := d.scaled(num, den, num)
	bottom, top = round(bottom), round(top)
	r := round(1 / bottom)
	if math.Abs(r) < d.tiny {
		r = 0 // v_rcp_f32 has no denormals
	}
	for range 2 {
		r = fma(fma(-bottom, r, 1), r, r)
	}
	q := round(top * r)
	q = fma(fma(-bottom, q, top), r, q)
	rest := fma(-bottom, q, top)
	out := d.multiplyAdd(fromFloat(rest, k), fromFloat(r, k), fromFloat(q, k), back)
	return d.fixup(toFloat(out, k), den, num)
}

// TestDivision: the scaled division is rounded correctly for numbers of all sizes.
func TestDivision(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	check := func(k kind, num, den float64) {
		t.Helper()
		num, den = toFloat(fromFloat(num, k), k), toFloat(fromFloat(den, k), k)
		got, want := fromFloat(divisions[k].quotient(num, den), k), fromFloat(num/den, k)
		if got != want && !(math.IsNaN(toFloat(got, k)) && math.IsNaN(num/den)) {
			t.Errorf("%g / %g of type %c is %g, expected %g", num, den, k, toFloat(got, k), num/den)
		}
	}
	for _, k := range []kind{kFloat, kDoub} {
		check(k, 1, 1e38)
		check(k, 1, 1e308)
		check(k, -3, 1.7e308)
		check(k, 0x1p-126, 3)
		check(k, 1, 0)
		for range 20000 {
			check(k, any64(rnd, k), any64(rnd, k))
		}
	}
}

// any64 returns a number of random bits.
func any64(rnd *rand.Rand, k kind) float64 { return toFloat(rnd.Uint64(), k) }

// TestFarBuffer: a pointer beyond 48 bits does not become one of a buffer without a word.
func TestFarBuffer(t *testing.T) {
	w, decode := newTestWave(t)
	cut := decode("s_and_b32 s1, s7, 0xffff", 0x07, 0xff, 0x01, 0x86, 0xff, 0xff, 0x00, 0x00)
	move := decode("s_mov_b64 s[20:21], s[0:1]", 0x00, 0x01, 0x94, 0xbe)
	load := decode("buffer_load_dword v3, v9, s[20:23], 0 offen", 0x00, 0x10, 0x50, 0xe0, 0x09, 0x03, 0x05,
		0x80)
	w.g.run.Memory, w.g.run.m = NewMemory(), &Module{Object: &gcn.Object{}}
	at := w.g.run.Memory.Alloc(make([]byte, 64))
	w.define(9, ^uint64(0), ^uint64(0))
	for _, far := range []uint32{0, 3} {
		w.setS(0, uint32(at))
		w.setS(7, uint32(at>>32)|far<<16)
		w.setS(22, 64)
		w.setS(23, 0)
		cut.run(w)
		move.run(w)
		if got := faults(func() { load.run(w) }); got != (far != 0) {
			t.Errorf("a buffer at %#x: a fault is %v", at|uint64(far)<<48, got)
		}
	}
}
