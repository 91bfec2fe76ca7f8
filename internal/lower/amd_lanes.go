package lower

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/layout"
)

// isRDNA reports whether the chip is one of RDNA.
func (v amd) isRDNA() bool { return v.chip.RDNA > 0 }

// Codes of data-parallel movement, where an ALU instruction's operand comes from another lane of its row of
// 16.
const (
	dppRotate8    = 0x128 // row_ror:8
	dppHalfMirror = 0x141 // the other end of 8 lanes
	dppXor        = 0x160 // row_xmask, on RDNA alone
)

// quadPerms has the codes of movement within four lanes, by the xor of the lanes' numbers.
var quadPerms = map[int]int{1: 0xB1, 2: 0x4E, 3: 0x1B}

// shuffleXor exchanges words within 16 lanes by ALU instructions, as far as there are any, others through the
// crossbar of shared memory.
func (v amd) shuffleXor(l *lowering, word string, xor int) string {
	switch {
	case quadPerms[xor] != 0:
		return v.moved(l, word, quadPerms[xor])
	case xor < 16 && v.isRDNA():
		return v.moved(l, word, dppXor|xor)
	case xor == 8:
		return v.moved(l, word, dppRotate8)
	case xor < 8: // 4 to 7: the mirror is an exchange by 7
		w := v.moved(l, word, dppHalfMirror)
		if rest := xor ^ 7; rest != 0 {
			w = v.moved(l, w, quadPerms[rest])
		}
		return w
	case xor == 16 && v.isRDNA():
		const low, high = 0x76543210, 0xFEDCBA98 // each from its own place of the other row
		return l.call("i32", "llvm.amdgcn.permlanex16.i32", "i32 poison", "i32 "+word,
			"i32 "+itoa(low), "i32 "+itoa(high-1<<32), "i1 false", "i1 false")
	case v.chip.PermLaneSwap && (xor == 16 || xor == 32):
		return v.swappedRows(l, word, xor)
	case xor < 32: // within a half of 32 lanes, the pattern is part of the instruction
		const keepAll = 0x1F
		return l.call("i32", "llvm.amdgcn.ds.swizzle", "i32 "+word, "i32 "+itoa(xor<<10|keepAll))
	}
	return v.shuffleIdx(l, word, l.xor(l.ids.lane, itoa(xor)))
}

// moved returns the word of another lane of the row.
func (v amd) moved(l *lowering, word string, code int) string {
	return l.call("i32", "llvm.amdgcn.update.dpp.i32", "i32 "+word, "i32 "+word,
		"i32 "+itoa(code), "i32 15", "i32 15", "i1 true")
}

// swappedRows exchanges words between rows of n lanes, 16 or 32: the instruction swaps the odd rows of one
// register with the even rows of another.
func (v amd) swappedRows(l *lowering, word string, n int) string {
	const pair = "{ i32, i32 }"
	got := l.call(pair, "llvm.amdgcn.permlane"+itoa(n)+".swap", "i32 "+word, "i32 "+word, "i1 false",
		"i1 false")
	even, odd := l.val("extractvalue %s %s, 0", pair, got), l.val("extractvalue %s %s, 1", pair, got)
	return l.val("select i1 %s, i32 %s, i32 %s", l.laneHas(bits.Len(uint(n))-1), even, odd)
}

func (amd) shuffleIdx(l *lowering, word, lane string) string {
	return l.call("i32", "llvm.amdgcn.ds.bpermute", "i32 "+l.mul(lane, 4), "i32 "+word)
}

// loadMatrices reads operands that lie across k with the transposing reads of CDNA4.
func (v amd) loadMatrices(l *lowering, b smem, cvt layout.Layout) ([]string, bool) {
	if !v.chip.TransposingReads || b.pad != nil || b.start != "0" || !b.aligned {
		return nil, false
	}
	rows, ok := transposingRead(cvt, bitsOf(b.elem))
	if !ok {
		return nil, false
	}
	name, typ := "llvm.amdgcn.ds.read.tr16.b64.v4i16", "<4 x i16>"
	if bitsOf(b.elem) == 8 {
		name, typ = "llvm.amdgcn.ds.read.tr8.b64.v2i32", "<2 x i32>"
	}
	var out []string
	p, a := l.pointers(b, rows), newAccess(b.elem, 64/bitsOf(b.elem))
	for k := range rows.InSize(layout.Register) {
		words := l.bitcast(l.call(typ, name, "ptr addrspace(3) "+p.at(k)), typ, "<2 x i32>")
		out = append(out, l.unpack(a, l.elements("<2 x i32>", words, 2))...)
	}
	return out, true
}

// transposingRead returns the places of the 8 bytes that each lane gives to a transposing read; registers
// count instructions. Groups of 16 lanes read n rows of 16 elements, n = 4 of 16 bits or 8 of 8 bits, and row
// r is that of lanes 16/n·r on. Lane i receives column i: as element r, that of row r.
func transposingRead(cvt layout.Layout, width int) (layout.Layout, bool) {
	if width != 16 && width != 8 {
		return layout.Layout{}, false
	}
	n := 64 / width
	w := bits.Len(uint(n)) - 1
	regs, lanes := offsetsOf(cvt, layout.Register), offsetsOf(cvt, layout.Lane)
	warps := offsetsOf(cvt, layout.Warp)
	if len(regs) < w || len(lanes) != 6 || !countUp(lanes[:w]) || !apart(n, lanes[w:], regs, warps) {
		return layout.Layout{}, false
	}
	at := slices.Concat(lanes[w:4], regs[:w], lanes[4:])
	return placesLayout(regs[w:], at, warps, cvt.OutSize(layout.Offset)), true
}
