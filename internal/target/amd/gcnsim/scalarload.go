package gcnsim

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// buildScalarLoad builds s_load_* and s_buffer_load_*, and the instructions for caches, which do nothing
// here.
func buildScalarLoad(_ *program, in *gcn.Inst) func(*wave) {
	switch {
	case strings.HasPrefix(in.Base, "s_dcache"), in.Base == "s_gl1_inv":
		return func(*wave) {}
	case in.Base == "s_memtime" || in.Base == "s_memrealtime":
		return func(w *wave) {
			w.setPair(in.Args[0].Code, uint64(w.count))
			w.issue(&w.lgkm, access{regs: registersOf(in.Args[0]), scalar: true})
		}
	case !strings.HasPrefix(in.Base, "s_load_") && !strings.HasPrefix(in.Base, "s_buffer_load_"):
		return nil
	}
	dst, base, offset := in.Args[0], in.Args[1].Code, newSource(in, in.Args[2], kInt)
	if in.Args[2].File == gcn.Number {
		offset.value = uint64(int64(int32(in.Args[2].Value)))
	}
	extra := in.ScalarOffset()
	return func(w *wave) {
		off, _ := offset.uniform(w)
		if extra >= 0 {
			off += uint64(w.s[extra])
		}
		w.scalarLoad(dst, base, off, strings.HasPrefix(in.Base, "s_buffer"))
	}
}

func (w *wave) scalarLoad(dst gcn.Operand, base int, off uint64, buffer bool) {
	w.needScalars(base, 2, "an address")
	addr, limit := w.pair(base), ^uint64(0)
	if buffer {
		w.needScalars(base+2, 1, "an address")
		addr, limit = addr&(1<<48-1), uint64(w.s[base+2])
	}
	if addr += off; addr%4 != 0 {
		w.fail(-1, "the address %#x of a scalar load is not a multiple of 4", addr)
	}
	for i := range dst.N {
		v := uint32(0)
		if at := off + uint64(4*i); !buffer || at+4 <= limit {
			v = uint32(simmem.Load(w.global(-1, addr+uint64(4*i), 4, "load"), 4))
		}
		w.setS(dst.Code+i, v)
	}
	w.issue(&w.lgkm, access{regs: registersOf(dst), scalar: true})
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
