package gcnsim

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// newTestWave returns a wave of gfx942 with all lanes on, in which nothing is written, and a function that
// decodes an instruction and checks its text.
func newTestWave(t *testing.T) (*wave, func(text string, code ...byte) step) {
	t.Helper()
	set, err := gcn.SetOf("gfx942")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{lanes: lanes, vectors: vectors}
	w := &wave{p: p, mode: modeKeep, v: make([][lanes]uint32, vectors), vOK: make([]uint64, vectors)}
	for i := range w.sUndef {
		w.sUndef[i] = ^uint32(0)
	}
	w.g = &group{run: &run{Launch: &Launch{}, accesses: newShadow("global address", sameGlobal)}}
	w.setPair(gcn.Exec, ^uint64(0))
	return w, func(text string, code ...byte) step {
		t.Helper()
		in, err := set.Decode(code, 0)
		if err != nil || in.String() != text {
			t.Fatalf("%v, %v, expected %s", in, err, text)
		}
		p.steps = append(p.steps, p.prepare(in))
		return p.steps[len(p.steps)-1]
	}
}

// TestMaskOfExec: in a mask that nothing wrote, exec decides the bits of the lanes that are on.
func TestMaskOfExec(t *testing.T) {
	for _, c := range []struct {
		text string
		code []byte
	}{
		{"s_andn2_b64 s[4:5], s[6:7], exec", []byte{0x06, 0x7e, 0x84, 0x89}},
		{"s_orn2_b64 s[4:5], s[6:7], exec", []byte{0x06, 0x7e, 0x84, 0x8a}},
	} {
		w, decode := newTestWave(t)
		const on = 0xffff
		w.setPair(gcn.Exec, on)
		s := decode(c.text, c.code...)
		s.run(w)
		want := ^uint64(on)
		if s.in.Base == "s_orn2_b64" {
			want = on
		}
		if _, undef := w.mask(4); undef != want {
			t.Errorf("%s: bits %#x are unknown, expected %#x", c.text, undef, want)
		}
	}
}

// TestSpilledMask: a word that is kept in a lane of a vector register comes back with its unknown bits.
func TestSpilledMask(t *testing.T) {
	w, decode := newTestWave(t)
	write := decode("v_writelane_b32 v3, s6, 5", 0x03, 0x00, 0x8a, 0xd2, 0x06, 0x0a, 0x01, 0x00)
	read := decode("v_readlane_b32 s8, v3, 5", 0x08, 0x00, 0x89, 0xd2, 0x03, 0x0b, 0x01, 0x00)
	w.setS(6, 42)
	w.sUndef[6] = 0xff00
	write.run(w)
	read.run(w)
	if w.s[8] != 42 || w.sUndef[8] != 0xff00 {
		t.Errorf("s8 is %d, of which bits %#x are unknown; expected 42, 0xff00", w.s[8], w.sUndef[8])
	}
	w.define(3, 1<<5, 0) // by another value that is not known
	if read.run(w); w.sUndef[8] != ^uint32(0) {
		t.Errorf("bits %#x are unknown after another write, expected all", w.sUndef[8])
	}
}

// TestLoadsInOrder: a load may write a register behind another of its queue, since loads end in order; it may
// not read it.
func TestLoadsInOrder(t *testing.T) {
	load := []byte{0x00, 0x10, 0x50, 0xe0, 0x09, 0x03, 0x05, 0x80}
	loadOfItself := []byte{0x00, 0x10, 0x50, 0xe0, 0x03, 0x03, 0x05, 0x80}
	store := []byte{0x00, 0x10, 0x70, 0xe0, 0x09, 0x03, 0x05, 0x80}
	for _, c := range []struct {
		text  string
		code  []byte
		fault bool
	}{
		{"buffer_load_dword v3, v9, s[20:23], 0 offen", load, false},
		{"buffer_load_dword v3, v3, s[20:23], 0 offen", loadOfItself, true},
		{"buffer_store_dword v3, v9, s[20:23], 0 offen", store, true},
	} {
		w, decode := newTestWave(t)
		s := decode(c.text, c.code...)
		w.issue(w.begin([]int{sgprs + 2, sgprs + 3}, nil), &w.vm)
		if got := faults(func() { w.checkBusy(&s) }); got != c.fault {
			t.Errorf("%s while v[2:3] is loaded: a fault is %v, expected %v", c.text, got, c.fault)
		}
	}
}

// faults reports whether f stops the wave.
func faults(f func()) (stopped bool) {
	defer func() { stopped = recover() != nil }()
	f()
	return false
}

// TestMove64: of a pair of which one word is known, one word of the copy is.
func TestMove64(t *testing.T) {
	w, decode := newTestWave(t)
	s := decode("v_mov_b64_e32 v[14:15], s[36:37]", 0x24, 0x70, 0x1c, 0x7e)
	w.setS(36, 7)
	s.run(w)
	if w.v[14][63] != 7 || w.vOK[14] != ^uint64(0) || w.vOK[15] != 0 {
		t.Errorf("v14 is %d, known in lanes %x, v15 in %x", w.v[14][63], w.vOK[14], w.vOK[15])
	}
}

// TestMad64: the low word of a product and a sum is known if the sum's low word is.
func TestMad64(t *testing.T) {
	w, decode := newTestWave(t)
	s := decode("v_mad_u64_u32 v[2:3], s[0:1], v1, 3, s[2:3]", 0x02, 0x00, 0xe8, 0xd1, 0x01, 0x07, 0x09, 0x00)
	w.setS(2, 7)
	w.define(1, ^uint64(0), ^uint64(0))
	s.run(w)
	if w.v[2][63] != 7 || w.vOK[2] != ^uint64(0) || w.vOK[3] != 0 {
		t.Errorf("v2 is %d, known in lanes %x, v3 in %x", w.v[2][63], w.vOK[2], w.vOK[3])
	}
	w.sUndef[2] = 1
	if s.run(w); w.vOK[2] != 0 {
		t.Error("v2 is known, though a bit of s2 is not")
	}
}

// TestField: of the source of s_bfe, the bits outside of the field need no value.
func TestField(t *testing.T) {
	w, decode := newTestWave(t)
	s := decode("s_bfe_i64 s[10:11], s[4:5], 0x100000", 0x04, 0xff, 0x0a, 0x94, 0x00, 0x00, 0x10, 0x00)
	w.setS(4, 0xffff)
	if s.run(w); w.pair(10) != ^uint64(0) || w.sUndef[10]|w.sUndef[11] != 0 {
		t.Errorf("s[10:11] is %#x, of which bits %#x, %#x are unknown", w.pair(10), w.sUndef[10],
			w.sUndef[11])
	}
	w.sUndef[4] = 1
	if s.run(w); w.sUndef[11] == 0 {
		t.Error("s11 is known, though a bit of the field is not")
	}
}

// TestSpilledUnknown: a register that nothing wrote may go to scratch memory, and comes back as unknown.
func TestSpilledUnknown(t *testing.T) {
	w, decode := newTestWave(t)
	w.p.kernel = &gcn.Kernel{Scratch: 16}
	w.scratch, w.unknown = make([]byte, 16*lanes), map[place]bool{}
	spill := decode("scratch_store_dwordx2 off, v[2:3], off", 0x00, 0x40, 0x74, 0xdc, 0x00, 0x02, 0x7f, 0x00)
	fill := decode("scratch_load_dwordx2 v[4:5], off, off", 0x00, 0x40, 0x54, 0xdc, 0x00, 0x00, 0x7f, 0x04)
	w.define(2, ^uint64(0), ^uint64(0))
	w.v[2][9] = 7
	spill.run(w)
	fill.run(w)
	if w.v[4][9] != 7 || w.vOK[4] != ^uint64(0) || w.vOK[5] != 0 {
		t.Errorf("v4 is %d, known in lanes %x, v5 in %x", w.v[4][9], w.vOK[4], w.vOK[5])
	}
	w.define(3, ^uint64(0), ^uint64(0))
	spill.run(w)
	if fill.run(w); w.vOK[5] != ^uint64(0) {
		t.Errorf("v5 is known in lanes %x after another store, expected all", w.vOK[5])
	}
}
