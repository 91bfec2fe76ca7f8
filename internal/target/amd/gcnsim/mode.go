package gcnsim

import "github.com/nereid-lang/nereid/internal/target/amd/gcn"

// Bits of a wave's mode, as in the hardware register MODE: which denormals are kept.
const (
	modeKeep32   = 3 << 4
	modeKeep1664 = 3 << 6
	modeKeep     = modeKeep32 | modeKeep1664
)

func modeOf(flush32, flush16 bool) uint32 {
	m := uint32(modeKeep)
	if flush32 {
		m &^= modeKeep32
	}
	if flush16 {
		m &^= modeKeep1664
	}
	return m
}

// flushAll turns denormals into 0 where the mode says so.
func flushAll(buf *[lanes]uint64, k kind, mode uint32) {
	for i := range buf {
		buf[i] = flush(buf[i], k, mode)
	}
}

func flush(v uint64, k kind, mode uint32) uint64 {
	switch {
	case k == kFloat && mode&modeKeep32 == 0 && v&0x7f800000 == 0:
		return v & 0x80000000
	case k == kHalf && mode&modeKeep1664 == 0 && v&0x7c00 == 0:
		return v & 0x8000
	case k == kDoub && mode&modeKeep1664 == 0 && v&0x7ff0000000000000 == 0:
		return v & (1 << 63)
	}
	return v
}

// modeRegister is the number of the hardware register MODE.
const modeRegister = 1

// setMode runs s_setreg for the part of MODE that says which denormals are kept; other registers and parts
// have no effect on the simulator.
func setMode(w *wave, spec uint32, v uint32) {
	id, off, n := spec&63, spec>>6&31, spec>>11+1
	if id != modeRegister {
		return
	}
	mask := uint32((1<<n - 1) << off)
	w.mode = (w.mode&^mask | v<<off&mask) & modeKeep
}

func buildSetReg(_ *program, in *gcn.Inst) func(*wave) {
	imm, _ := in.Arg("simm16")
	if lit, ok := in.Arg("literal"); ok {
		return func(w *wave) { setMode(w, imm.Value, lit.Value) }
	}
	src := newSource(in, in.Args[1], kInt)
	return func(w *wave) {
		v, _ := src.uniform(w)
		setMode(w, imm.Value, uint32(v))
	}
}

func buildGetReg(_ *program, in *gcn.Inst) func(*wave) {
	dst, imm := in.Args[0], in.Args[1].Value
	return func(w *wave) {
		v := uint32(0)
		if imm&63 == modeRegister {
			v = w.mode
		}
		w.setS(dst.Code, v>>(imm>>6&31)&uint32(1<<(imm>>11+1)-1))
	}
}
