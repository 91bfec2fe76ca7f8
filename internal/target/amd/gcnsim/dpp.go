package gcnsim

import "github.com/nereid-lang/nereid/internal/target/amd/gcn"

// dpp is data-parallel movement: the first source of a lane is that of another lane.
type dpp struct {
	from  [lanes]int // the lane that each lane reads, -1 for none
	write uint64     // lanes that row_mask and bank_mask let write
	off   bool       // lanes that are off are read too
	zero  bool       // a lane without a source reads 0; otherwise it does not write
}

func newDPP(in *gcn.Inst) *dpp {
	d := &dpp{zero: in.Field("bound_ctrl") != 0, off: in.Field("fi") != 0}
	rows, banks, ctrl := in.Field("row_mask"), in.Field("bank_mask"), int(in.Field("dpp_ctrl"))
	for i := range lanes {
		if rows>>(i/16)&1 != 0 && banks>>(i/4%4)&1 != 0 {
			d.write |= 1 << i
		}
		d.from[i] = dppSource(ctrl, i)
	}
	return d
}

// dppSource returns the lane that a lane reads, -1 where the pattern leaves its row or the wave.
func dppSource(ctrl, i int) int {
	row, at, n := i&^15, i&15, ctrl&15
	inRow := func(to int) int {
		if to < 0 || to > 15 {
			return -1
		}
		return row | to
	}
	switch {
	case ctrl < 0x100: // quad_perm
		return i&^3 | ctrl>>(2*(i&3))&3
	case ctrl < 0x110: // row_shl
		return inRow(at + n)
	case ctrl < 0x120: // row_shr
		return inRow(at - n)
	case ctrl < 0x130: // row_ror
		return row | (at-n)&15
	case ctrl >= 0x150 && ctrl < 0x160: // row_newbcast
		return row | n
	case ctrl >= 0x160 && ctrl < 0x170: // row_xmask
		return row | at ^ n
	}
	return dppWave(ctrl, i)
}

// dppWave returns the sources of the patterns that have no number.
func dppWave(ctrl, i int) int {
	switch ctrl {
	case 0x130: // wave_shl
		return (i+2)%(lanes+1) - 1
	case 0x134: // wave_rol
		return (i + 1) % lanes
	case 0x138: // wave_shr
		return i - 1
	case 0x13c: // wave_ror
		return (i + lanes - 1) % lanes
	case 0x140: // row_mirror
		return i ^ 15
	case 0x141: // row_half_mirror
		return i ^ 7
	case 0x142: // row_bcast:15, the last lane of each row to the next
		return i&^15 - 1
	case 0x143: // row_bcast:31, lane 31 to the upper half
		if i < 32 {
			return -1
		}
		return 31
	}
	return -1
}

// apply moves the source in buf; ok are the lanes that hold values. It returns the lanes that write, and ok
// for them.
func (d *dpp) apply(w *wave, buf *[lanes]uint64, exec, ok uint64) (write, defined uint64) {
	in := *buf
	write = exec & d.write
	for i, from := range d.from {
		here := uint64(1) << i
		valid := from >= 0 && (exec>>from&1 != 0 || d.off)
		switch {
		case valid:
			buf[i] = in[from]
			if ok>>from&1 != 0 {
				defined |= here
			}
		case d.zero:
			buf[i] = 0
			defined |= here
		default:
			write &^= here
		}
	}
	return write, defined
}
