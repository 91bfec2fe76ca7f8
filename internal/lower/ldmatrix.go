package lower

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/layout"
)

// ldmatrix reads matrices of 8 rows of 8 elements of 16 bits, four at once: lane 8m+r has the address of row r of matrix m, and lane
// 4r+c gets elements 2c and 2c+1 of row r of each; with .trans, elements r of rows 2c and 2c+1. That is what operands of mma want.

// matrixRead is how ldmatrix reads a buffer.
type matrixRead struct {
	trans    bool
	matrices int           // at once
	rows     layout.Layout // (register, lane, warp) to the row that the lane names; register counts instructions
}

// matrices tells how to read a buffer with ldmatrix, where cvt, which maps (register, lane, warp) to places in it, allows.
func (l *lowering) matrices(b smem, cvt layout.Layout) (matrixRead, bool) {
	base, fixed := constant(b.base)
	if l.opts.Capability < 75 || bitsOf(b.elem) != 16 || b.pad != nil || b.start != "0" || !fixed || base%16 != 0 || cvt.InBits(layout.Register) == 0 || cvt.InBits(layout.Lane) != 5 {
		return matrixRead{}, false
	}
	regs, lanes, warps := offsetsOf(cvt, layout.Register), offsetsOf(cvt, layout.Lane), offsetsOf(cvt, layout.Warp)
	for _, m := range []struct {
		trans        bool
		inRow, ofRow []int
	}{
		{false, []int{regs[0], lanes[0], lanes[1]}, lanes[2:]},
		{true, lanes[2:], []int{regs[0], lanes[0], lanes[1]}},
	} {
		apart := true
		for _, offsets := range [][]int{m.ofRow, regs[1:], warps} {
			for _, o := range offsets {
				apart = apart && o%8 == 0
			}
		}
		if !apart || m.inRow[0] != 1 || m.inRow[1] != 2 || m.inRow[2] != 4 {
			continue
		}
		n := min(2, len(regs)-1)
		at := append(append([]int{}, m.ofRow...), regs[1:1+n]...)
		for len(at) < 5 {
			at = append(at, 0)
		}
		return matrixRead{m.trans, 1 << n, placesLayout(regs[1+n:], at, warps, cvt.OutSize(layout.Offset))}, true
	}
	return matrixRead{}, false
}

// offsetsOf are the places that the bits of an input stand for.
func offsetsOf(cvt layout.Layout, name string) []int {
	out := make([]int, cvt.InBits(name))
	for i := range out {
		out[i] = cvt.BasisAlong(name, i, layout.Offset)
	}
	return out
}

// placesLayout maps registers, lanes and warps to places in a buffer.
func placesLayout(regs, lanes, warps []int, size int) layout.Layout {
	vectors := func(offsets []int) [][]int {
		out := make([][]int, len(offsets))
		for i, o := range offsets {
			out[i] = []int{o}
		}
		return out
	}
	return layout.Must(layout.New([]layout.Bases{{Name: layout.Register, Vectors: vectors(regs)}, {Name: layout.Lane, Vectors: vectors(lanes)}, {Name: layout.Warp, Vectors: vectors(warps)}},
		[]layout.Dim{{Name: layout.Offset, Size: size}}))
}

// loadMatrices reads a tensor's registers: bit 0 of a register's number is the half of a word, the next are the matrix.
func (l *lowering) loadMatrices(b smem, m matrixRead) []string {
	var outs []string
	for i := range m.matrices {
		outs = append(outs, fmt.Sprintf("$%d", i))
	}
	trans := ""
	if m.trans {
		trans = ".trans"
	}
	code := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 { %s }, [ $%d + 0 ];", m.matrices, trans, strings.Join(outs, ", "), m.matrices)
	constraints := strings.Repeat("=r,", m.matrices) + "r"
	ret := "i32"
	if m.matrices > 1 {
		ret = "{ " + strings.TrimSuffix(strings.Repeat("i32, ", m.matrices), ", ") + " }"
	}
	p, a := l.pointers(b, m.rows), newAccess(b.elem, 2)
	var out []string
	for k := range m.rows.InSize(layout.Register) {
		got := l.asm(ret, code, constraints, true, "ptr addrspace(3) "+p.at(k))
		for i := range m.matrices {
			word := got
			if m.matrices > 1 {
				word = l.val("extractvalue %s %s, %d", ret, got, i)
			}
			out = append(out, l.unpack(a, []string{word})...)
		}
	}
	return out
}
