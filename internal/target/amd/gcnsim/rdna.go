package gcnsim

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// buildDual builds two instructions that read their sources before either writes.
func buildDual(p *program, in *gcn.Inst) func(*wave) {
	if len(in.Dual) != 2 {
		return nil
	}
	x, y := p.half(in.Dual[0]), p.half(in.Dual[1])
	if x == nil || y == nil {
		return nil
	}
	dst := vectorOf(in.Dual[0].Args[0])
	return func(w *wave) {
		old, oldOK := w.v[dst], w.vOK[dst]
		x(w)
		made, madeOK := w.v[dst], w.vOK[dst]
		w.v[dst], w.vOK[dst] = old, oldOK
		y(w)
		w.v[dst], w.vOK[dst] = made, madeOK
	}
}

// half builds one of two instructions.
func (p *program) half(in *gcn.Inst) func(*wave) {
	if b := special[in.Base]; b != nil {
		return b(p, in)
	}
	return buildVector(p, in)
}

// buildWaitStores builds s_waitcnt_vscnt.
func buildWaitStores(_ *program, in *gcn.Inst) func(*wave) {
	n := int(in.Args[1].Value)
	return func(w *wave) { w.wait(&w.stores, n) }
}

// buildPermLane builds v_permlane16_b32, which picks lanes of a row of 16, and v_permlanex16_b32, which picks
// those of the row beside it. Two sources hold the picks, four bits for each lane.
func buildPermLane(_ *program, in *gcn.Inst) func(*wave) {
	src, lo, hi := newSource(in, in.Args[1], kInt), newSource(in, in.Args[2], kInt),
		newSource(in, in.Args[3], kInt)
	dst := newDestination(in, kInt)
	other := 0
	if in.Base == "v_permlanex16_b32" {
		other = 16
	}
	off, zero := in.OpSel()&1 != 0, in.OpSel()&2 != 0
	return func(w *wave) {
		known := src.fetch(w, &w.buf[0])
		first, _ := lo.uniform(w)
		second, _ := hi.uniform(w)
		picks := first&0xffffffff | second<<32
		exec := w.exec()
		write, ok := exec, uint64(0)
		for m := exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			from := i&^15 ^ other | int(picks>>(4*(i&15))&15)
			switch valid := off || exec>>from&1 != 0; {
			case valid:
				w.buf[3][i] = w.buf[0][from]
				ok |= (known >> from & 1) << i
			case zero:
				w.buf[3][i] = 0
				ok |= 1 << i
			default:
				write &^= 1 << i
			}
		}
		dst.store(w, &w.buf[3], write, ok)
	}
}
