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
	// the register bits of the tensor in the order in which instructions count: the element of a word, the
	// matrix, the instruction
	order []int
}

// register returns the tensor's register that comes as number n of the instructions.
func (m matrixRead) register(n int) (r int) {
	for i, bit := range m.order {
		r |= n >> i & 1 << bit
	}
	return r
}

// matrices returns how to read b with ldmatrix. cvt maps (register, lane, warp) to places in b; ok is false
// if it does not fit the instruction.
func (v nvidia) matrices(b smem, cvt layout.Layout) (matrixRead, bool) {
	width := bitsOf(b.elem)
	if !v.chip.LoadMatrix || width > 32 || width < 8 || b.pad != nil || b.start != "0" || !b.aligned ||
		cvt.InBits(layout.Lane) != 5 {
		return matrixRead{}, false
	}
	w := bits.Len(uint(32/width)) - 1 // register bits that count the elements of a word
	if cvt.InBits(layout.Register) < w {
		return matrixRead{}, false
	}
	lanes, warps := offsetsOf(cvt, layout.Lane), offsetsOf(cvt, layout.Warp)
	order := wordFirst(offsetsOf(cvt, layout.Register), w)
	regs := make([]int, len(order))
	for i, bit := range order {
		regs[i] = cvt.BasisAlong(layout.Register, bit, layout.Offset)
	}
	word := slices.Concat(regs[:w], lanes[:2])
	if countUp(word) && apart(4<<w, lanes[2:], regs[w:], warps) {
		return newMatrixRead(false, lanes[2:], regs[w:], warps, cvt, order), true
	}
	if width == 16 && countUp(lanes[2:]) && apart(8, word, regs[w:], warps) {
		return newMatrixRead(true, word, regs[w:], warps, cvt, order), true
	}
	return matrixRead{}, false
}

// wordFirst returns the register bits, those at offsets 1 to 1<<w first if all of them are there.
func wordFirst(offsets []int, w int) (order []int) {
	for i := range w {
		if at := slices.Index(offsets, 1<<i); at >= 0 {
			order = append(order, at)
		}
	}
	if len(order) < w {
		order = nil
	}
	for i := range offsets {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

// newMatrixRead returns the read for rows at offsets ofRow. regs and warps are the offsets of matrices, by
// register and warp bits.
func newMatrixRead(trans bool, ofRow, regs, warps []int, cvt layout.Layout, order []int) matrixRead {
	n := min(2, len(regs))
	at := append(slices.Clone(ofRow), regs[:n]...)
	for len(at) < 5 {
		at = append(at, 0)
	}
	return matrixRead{trans, 1 << n, placesLayout(regs[n:], at, warps, cvt.OutSize(layout.Offset)), order}
}

// loadMatrices reads a tensor's registers with ldmatrix.
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
	out := make([]string, cvt.InSize(layout.Register))
	n := 0
	for k := range m.rows.InSize(layout.Register) {
		got := l.asm(ret, code, constraints, true, "ptr addrspace(3) "+p.at(k))
		for i := range m.matrices {
			word := got
			if m.matrices > 1 {
				word = l.val("extractvalue %s %s, %d", ret, got, i)
			}
			for _, elem := range l.unpack(a, []string{word}) {
				out[m.register(n)] = elem
				n++
			}
		}
	}
	return out, true
}

// storeMatrices stores elements of 16 or 32 bits with stmatrix, the inverse of ldmatrix.
func (v nvidia) storeMatrices(l *lowering, b smem, cvt layout.Layout, regs []string) bool {
	m, ok := v.matrices(b, cvt)
	if !ok || bitsOf(b.elem) < 16 {
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
	elems := 32 / bitsOf(b.elem)
	p, a := l.pointers(b, m.rows), newAccess(b.elem, elems)
	n := 0
	for k := range m.rows.InSize(layout.Register) {
		args := []string{"ptr addrspace(3) " + p.at(k)}
		for range m.matrices {
			word := make([]string, elems)
			for i := range word {
				word[i] = regs[m.register(n)]
				n++
			}
			args = append(args, "i32 "+l.pack(a, word)[0])
		}
		l.asm("void", code, "r"+strings.Repeat(",r", m.matrices), true, args...)
	}
	return true
}

// rowFinder returns matrixRow on machines with stmatrix.
func (v nvidia) rowFinder() rowFinder {
	if !v.chip.StoreMatrix {
		return nil
	}
	return matrixRow
}

// matrixRow finds a row of 16 bytes of 16-bit or 32-bit elements. Layout a holds it spread over lanes as
// ldmatrix does.
func matrixRow(a, b layout.Layout, elemBits int) (row, rows []int) {
	regs, lanes := flatBases(a, layout.Register), flatBases(a, layout.Lane)
	other := flatBases(b, layout.Register)
	if len(lanes) != 5 || len(spanned(lanes).vectors) < 5 {
		return nil, nil
	}
	has := func(list []int) bool {
		return !slices.ContainsFunc(list, func(v int) bool { return !slices.Contains(other, v) })
	}
	if elemBits == 32 && has(lanes[:2]) {
		return lanes[:2], lanes[2:]
	}
	if elemBits != 16 || len(regs) == 0 {
		return nil, nil
	}
	word := func(reg int) []int { return []int{reg, lanes[0], lanes[1]} }
	apart := func(reg int) bool { return !spanned(lanes).has(reg) }
	switch first := regs[0]; {
	case has(word(first)) && apart(first):
		return word(first), lanes[2:]
	case has(lanes[2:]) && apart(first):
		return lanes[2:], word(first)
	}
	for _, reg := range regs[1:] {
		if has(word(reg)) && apart(reg) {
			return word(reg), lanes[2:]
		}
	}
	return nil, nil
}
