package gcnsim

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// buildScalarLoad builds s_load_* and s_buffer_load_*, and the instructions for caches, which do nothing
// here.
func buildScalarLoad(_ *program, in *gcn.Inst) func(*wave) {
	if strings.HasPrefix(in.Base, "s_dcache") || in.Base == "s_gl1_inv" {
		return func(*wave) {}
	}
	dst, regs := in.Args[0], registersOf(in.Args[0])
	switch {
	case in.Base == "s_memtime" || in.Base == "s_memrealtime":
		return func(w *wave) {
			t := w.begin(regs, func(w *wave, _ *transfer) { w.setPair(dst.Code, uint64(w.count)) })
			t.anyOrder = true
			w.issue(t, &w.lgkm)
		}
	case !strings.HasPrefix(in.Base, "s_load_") && !strings.HasPrefix(in.Base, "s_buffer_load_"):
		return nil
	}
	base, offset := in.Args[1].Code, newSource(in, in.Args[2], kInt)
	if in.Args[2].File == gcn.Number {
		offset.value = uint64(int64(int32(in.Args[2].Value)))
	}
	extra := in.ScalarOffset()
	end := func(w *wave, t *transfer) { w.endScalarLoad(t, dst) }
	return func(w *wave) {
		off, _ := offset.uniform(w)
		if extra >= 0 {
			off += uint64(w.s[extra])
		}
		t := w.begin(regs, end)
		t.anyOrder = true
		w.scalarLoad(t, dst.N, base, off, strings.HasPrefix(in.Base, "s_buffer"))
		w.issue(t, &w.lgkm)
	}
}

// scalarLoad finds the words that a scalar load reads.
func (w *wave) scalarLoad(t *transfer, n, base int, off uint64, buffer bool) {
	w.needScalars(base, 2, "an address")
	addr, limit := w.pair(base), ^uint64(0)
	if buffer {
		w.needScalars(base+2, 1, "an address")
		w.needWhole(base)
		addr, limit = addr&baseMask, uint64(w.s[base+2])
	}
	if addr += off; addr%4 != 0 {
		w.fail(-1, "the address %#x of a scalar load is not a multiple of 4", addr)
	}
	t.scalar, t.how, t.parts, t.bytes, t.exec = true, reads, 1, 4, 1<<n-1
	for i := range n {
		at := addr + uint64(4*i)
		t.mem[0][i], t.addr[0][i], t.space[i] = nil, at, inGlobal
		if end := off + uint64(4*i) + 4; !buffer || end <= limit {
			t.mem[0][i] = w.global(-1, at, 4, "load")
			w.checkScalar(at)
			if s := w.shadowOf(inGlobal); s != nil {
				s.touch(w, -1, at, 4, reads, nil)
			}
		}
	}
}

func (w *wave) endScalarLoad(t *transfer, dst gcn.Operand) {
	for i := range dst.N {
		v := uint32(0)
		if b := t.mem[0][i]; b != nil {
			v = uint32(simmem.Load(b, 4))
		}
		w.setS(dst.Code+i, v)
	}
}

// needScalars stops the wave where SGPRs are used that nothing wrote.
func (w *wave) needScalars(first, n int, what string) {
	if w.g.run.NoUndef {
		return
	}
	for i := range n {
		if w.sUndef[first+i] != 0 {
			w.fail(-1, "%s depends on s%d, which nothing wrote", what, first+i)
		}
	}
}

// baseMask takes the base address of a buffer descriptor's first two words; the stride and others follow.
const baseMask = 1<<48 - 1

// needWhole stops the wave where the base address of a buffer descriptor is what an and with 0xffff left of
// an address that does not fit its 48 bits. A GPU would access memory at another address.
func (w *wave) needWhole(base int) {
	if high := w.sCut[base+1]; high != 0 {
		w.fail(-1, "the address %#x of a buffer does not fit the 48 bits that a descriptor has for it",
			w.pair(base)&baseMask|uint64(high)<<32)
	}
}

// buildCut builds s_and_b32, which notes the bits that an and with 0xffff takes off a word: compilers make
// the second word of a buffer descriptor so.
func buildCut(p *program, in *gcn.Inst) func(*wave) {
	run, dst, src := buildScalar(p, in), in.Args[0].Code, in.Args[1]
	if a := in.Args[1]; a.File == gcn.Literal && a.Value == 0xffff {
		src = in.Args[2]
	} else if b := in.Args[2]; b.File != gcn.Literal || b.Value != 0xffff {
		return run
	}
	from := newSource(in, src, kInt)
	return func(w *wave) {
		v, _ := from.uniform(w)
		run(w)
		w.sCut[dst] = uint32(v) &^ 0xffff
	}
}

// buildCopyCut builds s_mov, which copies what buildCut notes.
func buildCopyCut(p *program, in *gcn.Inst) func(*wave) {
	run, dst, src := buildScalar(p, in), in.Args[0], in.Args[1]
	if run == nil || src.File != gcn.Scalar || src.Code+src.N > sgprs || dst.Code+dst.N > sgprs {
		return run
	}
	to, from, n := dst.Code, src.Code, dst.N
	return func(w *wave) {
		cut := [2]uint32{w.sCut[from], w.sCut[from+n-1]}
		run(w)
		w.sCut[to], w.sCut[to+n-1] = cut[0], cut[1]
	}
}
