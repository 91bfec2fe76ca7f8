package lower

import "github.com/nereid-lang/nereid/internal/ir"

// shuffleXor returns the value of v in the lane whose number differs in bits.
func (l *lowering) shuffleXor(v string, t ir.Type, bits int) string {
	return l.byWords(v, t, func(w string) string { return l.vendor.shuffleXor(l, w, bits) })
}

// shuffleIdx returns the value of v in lane, which may differ from thread to thread.
func (l *lowering) shuffleIdx(v string, t ir.Type, lane string) string {
	return l.byWords(v, t, func(w string) string { return l.vendor.shuffleIdx(l, w, lane) })
}

// shuffleAll fetches registers from one lane. Elements smaller than a word travel together.
func (l *lowering) shuffleAll(regs []string, t ir.Type, lane string) (out []string) {
	per := max(1, 32/newAccess(t, 1).bits)
	for len(regs) > 0 {
		n := min(per, len(regs))
		if n < per {
			n = 1
		}
		if n == 1 {
			out = append(out, l.shuffleIdx(regs[0], t, lane))
		} else {
			a := newAccess(t, n)
			word := l.vendor.shuffleIdx(l, l.pack(a, regs[:n])[0], lane)
			out = append(out, l.unpack(a, []string{word})...)
		}
		regs = regs[n:]
	}
	return out
}

// byWords applies f to the 32-bit words of a value.
func (l *lowering) byWords(v string, t ir.Type, f func(string) string) string {
	a := newAccess(t, 1)
	switch {
	case a.bits == 64:
		w := l.bitcast(l.toMem(a, v), a.memElem(), "i64")
		lo := l.val("trunc i64 %s to i32", w)
		hi := l.val("trunc i64 %s to i32", l.val("lshr i64 %s, 32", w))
		x := l.val("zext i32 %s to i64", f(lo))
		y := l.val("shl i64 %s, 32", l.val("zext i32 %s to i64", f(hi)))
		return l.fromMem(a, l.bitcast(l.val("or disjoint i64 %s, %s", x, y), "i64", a.memElem()))
	case a.bits == 32:
		return l.bitcast(f(l.bitcast(v, a.memElem(), "i32")), "i32", a.memElem())
	}
	small := "i" + itoa(a.bits)
	w := l.bitcast(l.toMem(a, v), a.memElem(), small)
	r := l.val("trunc i32 %s to %s", f(l.val("zext %s %s to i32", small, w)), small)
	return l.fromMem(a, l.bitcast(r, small, a.memElem()))
}
