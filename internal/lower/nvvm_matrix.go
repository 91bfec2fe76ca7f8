package lower

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/layout"
)

// ldmatrix reads up to four matrices of 8 rows of 16 bytes: lane 8m+r gives the address of row r of matrix m,
// and lane 4r+c receives word c of row r of each matrix. With .trans, for 16-bit elements, it receives
// elements r of rows 2c and 2c+1. Operands of mma have this layout.

// matrixRead describes how ldmatrix reads a buffer.
type matrixRead struct {
	trans    bool
	matrices int // matrices that an instruction reads
	// maps (register, lane, warp) to the row that the lane addresses; register counts instructions
	rows layout.Layout
}

// matrices returns how to read b with ldmatrix. cvt maps (register, lane, warp) to places in b; ok is false
// if it does not fit the instruction.
func (v nvidia) matrices(b smem, cvt layout.Layout) (matrixRead, bool) {
	width := bitsOf(b.elem)
	if v.capability < 75 || width > 32 || width < 8 || b.pad != nil || b.start != "0" || !b.aligned ||
		cvt.InBits(layout.Lane) != 5 {
		return matrixRead{}, false
	}
	w := bits.Len(uint(32/width)) - 1 // the lowest w bits of a register's number count the elements of a word
	if cvt.InBits(layout.Register) < w {
		return matrixRead{}, false
	}
	regs, lanes, warps := offsetsOf(cvt, layout.Register), offsetsOf(cvt, layout.Lane),
		offsetsOf(cvt, layout.Warp)
	word := slices.Concat(regs[:w], lanes[:2])
	if countUp(word) && apart(4<<w, lanes[2:], regs[w:], warps) {
		return newMatrixRead(false, lanes[2:], regs[w:], warps, cvt), true
	}
	if width == 16 && countUp(lanes[2:]) && apart(8, word, regs[w:], warps) {
		return newMatrixRead(true, word, regs[w:], warps, cvt), true
	}
	return matrixRead{}, false
}

// newMatrixRead returns the read for rows at offsets ofRow. regs and warps are the offsets of matrices, by
// register and warp bits.
func newMatrixRead(trans bool, ofRow, regs, warps []int, cvt layout.Layout) matrixRead {
	n := min(2, len(regs))
	at := append(slices.Clone(ofRow), regs[:n]...)
	for len(at) < 5 {
		at = append(at, 0)
	}
	return matrixRead{trans, 1 << n, placesLayout(regs[n:], at, warps, cvt.OutSize(layout.Offset))}
}

// loadMatrices reads a tensor's registers with ldmatrix. The lowest bits of a register's number are the
// element in a word, the next ones the matrix.
func (v nvidia) loadMatrices(l *lowering, b smem, cvt layout.Layout) ([]string, bool) {
	m, ok := v.matrices(b, cvt)
	if !ok {
		return nil, false
	}
	var outs []string
	for i := range m.matrices {
		outs = append(outs, fmt.Sprintf("$%d", i))
	}
	trans := ""
	if m.trans {
		trans = ".trans"
	}
	code := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 { %s }, [ $%d + 0 ];", m.matrices, trans,
		strings.Join(outs, ", "), m.matrices)
	constraints := strings.Repeat("=r,", m.matrices) + "r"
	ret := structOf(slices.Repeat([]string{"i32"}, m.matrices))
	p, a := l.pointers(b, m.rows), newAccess(b.elem, 32/bitsOf(b.elem))
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
	return out, true
}

// storeMatrices stores 16-bit elements with stmatrix, the inverse of ldmatrix.
func (v nvidia) storeMatrices(l *lowering, b smem, cvt layout.Layout, regs []string) bool {
	m, ok := v.matrices(b, cvt)
	if !ok || bitsOf(b.elem) != 16 {
		return false
	}
	trans := ""
	if m.trans {
		trans = ".trans"
	}
	var ins []string
	for i := range m.matrices {
		ins = append(ins, fmt.Sprintf("$%d", i+1))
	}
	code := fmt.Sprintf("stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [ $0 + 0 ], { %s };", m.matrices, trans,
		strings.Join(ins, ", "))
	p, a := l.pointers(b, m.rows), newAccess(b.elem, 2)
	for k := range m.rows.InSize(layout.Register) {
		args := []string{"ptr addrspace(3) " + p.at(k)}
		for i := range m.matrices {
			at := 2 * (k*m.matrices + i)
			args = append(args, "i32 "+l.pack(a, regs[at:at+2])[0])
		}
		l.asm("void", code, "r"+strings.Repeat(",r", m.matrices), true, args...)
	}
	return true
}

// rowFinder returns matrixRow on machines with stmatrix.
func (v nvidia) rowFinder() rowFinder {
	if v.capability < 90 {
		return nil
	}
	return matrixRow
}

// matrixRow finds a row of eight 16-bit elements. Layout a holds it spread over lanes as ldmatrix does.
func matrixRow(a, b layout.Layout, elemBits int) (row, rows []int) {
	regs, lanes, other := flatBases(a, layout.Register), flatBases(a, layout.Lane),
		flatBases(b, layout.Register)
	if elemBits != 16 || len(regs) == 0 || len(lanes) != 5 || !a.IsInjective() || !b.IsInjective() {
		return nil, nil
	}
	word := []int{regs[0], lanes[0], lanes[1]}
	has := func(list []int) bool {
		return !slices.ContainsFunc(list, func(v int) bool { return !slices.Contains(other, v) })
	}
	switch {
	case has(word):
		return word, lanes[2:]
	case has(lanes[2:]):
		return lanes[2:], word
	}
	return nil, nil
}
