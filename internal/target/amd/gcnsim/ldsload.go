package gcnsim

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simcount"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// ldsLoad is a load from global memory to LDS: each lane's word goes to M0 + the instruction's offset + four
// times the lane's number. It is counted by vmcnt.
type ldsLoad struct {
	*memory
	offset uint64
}

// toLDS returns a load's function that writes LDS instead of registers.
func (m *memory) toLDS(in *gcn.Inst) func(*wave) {
	if m.store || m.isAtomic || m.bytes > 4 || m.d16 {
		return nil
	}
	m.dst, m.results = -1, nil
	return (&ldsLoad{m, uint64(in.Offset())}).run
}

func (m *ldsLoad) run(w *wave) {
	exec := w.exec()
	m.check(w, exec)
	w.needScalars(gcn.M0, 1, "an LDS address")
	t := w.begin(nil, m.end)
	t.exec, t.parts, t.toLDS = exec, 1, true
	for e := exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		t.mem[1][lane] = nil
		if addr, ok := m.addr(w, lane); ok {
			t.how, t.bytes = reads, m.bytes
			t.mem[1][lane] = m.find(w, t, lane, addr, nil)
			if y := w.g.run.tally; y != nil {
				y.rows = append(y.rows, simcount.Row{Addr: addr, N: m.bytes})
			}
		}
		t.how, t.bytes = writes, 4
		simmem.Store(t.data[0][lane][:], m.value(t, lane), 4)
		t.addr[0][lane] = uint64(w.s[gcn.M0]&0xffff) + m.offset + 4*uint64(lane)
		t.mem[0][lane] = w.shared(t, 0, lane, 4)
	}
	if y := w.g.run.tally; y != nil { // of which issue sees the addresses of LDS alone
		y.moved(w, false)
	}
	w.toLDS++
	w.issue(t, &w.vm)
}

// value returns a lane's word: 0 where the load is outside of its buffer.
func (m *ldsLoad) value(t *transfer, lane int) uint64 {
	b := t.mem[1][lane]
	if b == nil {
		return 0
	}
	v := simmem.Load(b, m.bytes)
	if m.signed {
		shift := 64 - 8*m.bytes
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}

func (m *ldsLoad) end(w *wave, t *transfer) {
	for e := t.exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		simmem.Store(t.mem[0][lane], m.value(t, lane), 4)
		w.g.run.lds.define(t.addr[0][lane], 4, true)
	}
}
