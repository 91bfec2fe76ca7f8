package gcnsim

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// buildFlat builds accesses to global memory, to scratch, and those that find out by their address.
func buildFlat(p *program, in *gcn.Inst) func(*wave) {
	if in.Encoding() == "SCRATCH" && strings.Contains(in.Base, "lds") {
		return nil
	}
	m := p.newMemory(in, "data", "vdst")
	if m == nil {
		return nil
	}
	run := m.run
	if strings.Contains(in.Base, "_load_lds_") {
		run = m.toLDS(in)
	}
	m.find = m.findGlobal
	switch in.Encoding() {
	case "SCRATCH":
		m.find, m.private = m.findScratch, true
		m.scratchAddress(in)
		return m.run
	case "FLAT":
		m.find, m.flat = m.findFlat, true
	}
	m.globalAddress(in)
	return run
}

// globalAddress sets the address: 64 bits of VGPRs, or of SGPRs with 32 bits of a VGPR.
func (m *memory) globalAddress(in *gcn.Inst) {
	a, _ := in.Arg("addr")
	reg, off := vectorOf(a), uint64(in.Offset())
	base, ok := in.Arg("saddr")
	if !ok || base.File == gcn.Off {
		m.check = func(w *wave, exec uint64) { w.needVector(reg, 2, exec, "an address") }
		m.addr = func(w *wave, lane int) (uint64, bool) { return w.value(reg, lane, 8) + off, true }
		return
	}
	s := base.Code
	m.check = func(w *wave, exec uint64) {
		w.needVector(reg, 1, exec, "an address")
		w.needScalars(s, 2, "an address")
	}
	m.addr = func(w *wave, lane int) (uint64, bool) { return w.pair(s) + uint64(w.v[reg][lane]) + off, true }
}

// scratchAddress sets the address within the scratch memory of a lane.
func (m *memory) scratchAddress(in *gcn.Inst) {
	off := uint64(in.Offset())
	reg, s := -1, -1
	if a, ok := in.Arg("addr"); ok && in.ScratchAddress() {
		reg = vectorOf(a)
	}
	if a, ok := in.Arg("saddr"); ok && a.File == gcn.Scalar {
		s = a.Code
	}
	m.check = func(w *wave, exec uint64) {
		if reg >= 0 {
			w.needVector(reg, 1, exec, "an address")
		}
		if s >= 0 {
			w.needScalars(s, 1, "an address")
		}
	}
	m.addr = func(w *wave, lane int) (uint64, bool) {
		a := off
		if reg >= 0 {
			a += uint64(w.v[reg][lane])
		}
		if s >= 0 {
			a += uint64(w.s[s])
		}
		return uint64(uint32(a)), true
	}
}

// findGlobal returns bytes of global memory, which need no alignment: amdhsa runs kernels in the unaligned
// access mode.
func (m *memory) findGlobal(w *wave, t *transfer, lane int, addr uint64, data []byte) []byte {
	b := w.global(lane, addr, t.bytes, t.what())
	t.space[lane] = inGlobal
	if s := w.shadowOf(inGlobal); s != nil {
		s.touch(w, lane, addr, t.bytes, t.how, data)
		if w.p.apart && t.how == reads && !m.fresh {
			w.checkCached(lane, addr, t.bytes)
		}
	}
	return b
}

func (m *memory) findScratch(w *wave, t *transfer, lane int, addr uint64, _ []byte) []byte {
	size := uint64(w.p.kernel.Scratch)
	if addr+uint64(t.bytes) > size {
		w.fail(lane, "%s of %d bytes at %#x of scratch memory, which has %d bytes", t.what(), t.bytes, addr,
			size)
	}
	t.space[lane] = inScratch
	return w.scratch[uint64(lane)*size+addr:][:t.bytes]
}

// findFlat finds out by the address which memory is meant.
func (m *memory) findFlat(w *wave, t *transfer, lane int, addr uint64, data []byte) []byte {
	within := addr & (windowSize - 1)
	switch addr >> 32 {
	case sharedBase >> 32:
		t.addr[0][lane] = within
		return w.shared(t, 0, lane, 1)
	case privateBase >> 32:
		t.addr[0][lane] = within
		return m.findScratch(w, t, lane, within, data)
	}
	return m.findGlobal(w, t, lane, addr, data)
}

// buildBuffer builds accesses through buffer descriptors.
func buildBuffer(p *program, in *gcn.Inst) func(*wave) {
	switch in.Base {
	case "buffer_wbl2", "buffer_inv", "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_invl2":
		return func(w *wave) {
			w.fresh = w.g.run.epoch
			w.issue(w.begin(nil, nil), &w.vm)
		}
	}
	m := p.newMemory(in, "vdata", "vdata")
	if m == nil || in.Field("idxen") != 0 {
		return nil
	}
	run := m.run
	if in.Field("lds") != 0 {
		run = m.toLDS(in)
	}
	rsrc, _ := in.Arg("srsrc")
	soff, _ := in.Arg("soffset")
	offset, base := newSource(in, soff, kInt), rsrc.Code
	vaddr, _ := in.Arg("vaddr")
	reg, imm := -1, uint64(in.Offset())
	if in.Field("offen") != 0 {
		reg = vectorOf(vaddr)
	}
	m.check = func(w *wave, exec uint64) {
		w.needScalars(base, 4, "a buffer descriptor")
		w.needWhole(base)
		if reg >= 0 {
			w.needVector(reg, 1, exec, "an address")
		}
	}
	m.find = m.findGlobal
	m.addr = func(w *wave, lane int) (uint64, bool) {
		off := imm
		if reg >= 0 {
			off += uint64(w.v[reg][lane])
		}
		s, _ := offset.uniform(w)
		if stride := w.s[base+1] >> 16 & 0x3fff; stride != 0 {
			w.fail(lane, "a buffer descriptor with a stride of %d: only those without are known", stride)
		}
		return w.pair(base)&baseMask + off + s, off+uint64(m.bytes)+s <= uint64(w.s[base+2])
	}
	return run
}
