package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// A program divides by a number that the host knows without a division: the host prepares the divisor, in
// words with which a multiplication and a shift do the same (uniform.Kind).

// divisorKind returns the form of the divisor of an operation, Plain if it must divide.
func (l *lowering) divisorKind(op *ir.Op, d division) uniform.Kind {
	switch t := ir.ElemOf(op.Result(0).Type); {
	case t == ir.Type(ir.I32) && d.unsigned:
		return uniform.Unsigned
	case t == ir.Type(ir.I32):
		return uniform.Signed
	case t == ir.Type(ir.I64) && !d.unsigned:
		return uniform.SignedWide
	}
	return uniform.Plain
}

// divisor is a number by which the host has prepared to divide.
type divisor struct {
	division
	kind    uniform.Kind
	words   []string // words of the kind
	natural bool     // dividends are not negative
	cast    bool     // dividends of 64 bits have no more than 31, and the divisor has 32
}

// uniformDivisor returns the divisor of an operation if the host can prepare it.
func (d division) uniformDivisor(l *lowering, op *ir.Op) (u divisor, ok bool) {
	by := throughShapes(op.Operand(1))
	u = divisor{division: d, kind: l.divisorKind(op, d), natural: l.isNatural(op.Operand(0))}
	u.cast = u.kind == uniform.SignedWide && u.natural && isWidened(op.Operand(0)) && isWidened(by)
	if u.cast {
		by, u.kind = by.Def().Operand(0), uniform.Signed
	}
	s := l.uniform(by)
	if _, known := arith.IntOf(by); known || !s.known || u.kind == uniform.Plain {
		return u, false
	}
	u.words = l.uniformWords(s, u.kind)
	return u, u.words != nil
}

// isWidened reports whether the elements of v had 32 bits before they had 64.
func isWidened(v *ir.Value) bool {
	ext := throughShapes(v).DefBy(arith.ExtSI)
	return ext != nil && ir.ElemOf(ext.Operand(0).Type) == ir.Type(ir.I32)
}

func (l *lowering) isNatural(v *ir.Value) bool { return l.opts.Natural != nil && l.opts.Natural(v) }

// divide returns the quotients of numbers, or the remainders.
func (u *divisor) divide(l *lowering, ns []string) []string {
	switch {
	case u.cast:
		return u.each(ns, func(n string) string {
			return l.val("sext i32 %s to i64", u.signed(l, "i32", l.val("trunc i64 %s to i32", n)))
		})
	case u.kind == uniform.SignedWide:
		return u.wide(l, ns)
	case u.kind == uniform.Unsigned:
		return u.each(ns, func(n string) string { return u.unsigned32(l, n) })
	}
	return u.each(ns, func(n string) string { return u.signed(l, "i32", n) })
}

func (u *divisor) each(ns []string, f func(string) string) (out []string) {
	for _, n := range ns {
		out = append(out, f(n))
	}
	return out
}

// wide divides numbers of 64 bits. If all of them and the divisor turn out to need no more than 32, it takes
// the narrow words, with which a GPU multiplies in a quarter of the instructions or less.
func (u *divisor) wide(l *lowering, ns []string) []string {
	all := ns[0]
	for _, n := range ns[1:] {
		all = l.val("or i64 %s, %s", all, n)
	}
	few := l.val("icmp ult i64 %s, 2147483648", all)
	few = l.val("and i1 %s, %s", few, l.val("icmp ne i32 %s, 0", u.words[uniform.Narrow]))
	narrow := divisor{division: u.division, kind: uniform.Signed, natural: true, words: []string{
		u.words[uniform.NarrowFactor], u.words[uniform.NarrowShift],
		l.val("trunc i64 %s to i32", u.words[uniform.Size]),
		l.val("trunc i64 %s to i32", u.words[uniform.Sign]),
	}}
	return l.either("i64", few, func() []string {
		narrow.cast = true
		return narrow.divide(l, ns)
	}, func() []string {
		return u.each(ns, func(n string) string { return u.signed(l, "i64", n) })
	})
}

// signed divides a number with a sign. LLVM must not see what the result is a sum or a product of: it would
// regroup the sums and products that it is part of, those of neighbours, too.
func (u *divisor) signed(l *lowering, typ, n string) string {
	q := l.signedQuotient(typ, n, u.words, u.natural)
	by, less := u.words[uniform.Sign], "0"
	if u.remainder {
		by = u.words[uniform.Size]
	}
	q = l.val("mul %s %s, %s", typ, q, by)
	if u.remainder {
		q, less = n, q
	}
	if typ == "i32" {
		return l.vendor.difference(l, q, less)
	}
	return l.val("sub %s %s, %s", typ, q, less)
}

// signedQuotient divides n by the size of a divisor.
func (l *lowering) signedQuotient(typ, n string, w []string, natural bool) string {
	shift := w[uniform.Shift]
	if typ == "i64" {
		shift = l.val("zext i32 %s to i64", shift)
	}
	high := l.vendor.mulHigh(l, typ, n, w[uniform.Factor])
	q := l.val("ashr %s %s, %s", typ, l.val("add %s %s, %s", typ, high, n), shift)
	if natural {
		return q
	}
	return l.val("add %s %s, %s", typ, q, l.val("lshr %s %s, %d", typ, n, intBits(typ)-1))
}

// unsigned32 divides a number of 32 bits without a sign.
func (u *divisor) unsigned32(l *lowering, n string) string {
	p := l.vendor.wideProduct(l, n, u.words[uniform.Factor])
	p = l.val("add nuw i64 %s, %s", p, u.words[uniform.Addend])
	p = l.val("trunc i64 %s to i32", l.val("lshr i64 %s, 32", p))
	q := l.val("lshr i32 %s, %s", p, u.words[uniform.Shift])
	if u.remainder {
		return l.val("sub i32 %s, %s", n, l.val("mul i32 %s, %s", q, u.words[uniform.Size]))
	}
	return q
}

// byUniform divides n by a number that the host has prepared; ok is false if it has not.
func (d division) byUniform(l *lowering, op *ir.Op, typ, n string) (v string, ok bool) {
	u, ok := d.uniformDivisor(l, op)
	if !ok {
		return "", false
	}
	v = u.divide(l, []string{n})[0]
	if _, tensor := op.Result(0).Type.(*ir.TensorType); !tensor && d.remainder && u.natural {
		// LLVM knows it of its own remainders, and narrows what is computed of them.
		l.call("void", "llvm.assume", "i1 "+l.val("icmp sgt %s %s, -1", typ, v))
	}
	return v, true
}

// lowerUniform divides all elements of a tensor of 64-bit numbers by a number that the host has prepared, and
// reports whether it did. The elements share the branch of wide; those of 32 bits are left to byUniform.
func (d division) lowerUniform(l *lowering, op *ir.Op) bool {
	u, ok := d.uniformDivisor(l, op)
	if !ok || u.kind != uniform.SignedWide {
		return false
	}
	var ns []string
	places := map[string]int{}
	at := make([]int, l.numRegs(op, op.Result(0).Type))
	for r := range at {
		n := l.elementArgs(op, r)[0]
		if _, known := places[n]; !known {
			places[n] = len(ns)
			ns = append(ns, n)
		}
		at[r] = places[n]
	}
	vs := u.divide(l, ns)
	regs := make([]string, len(at))
	for r := range regs {
		regs[r] = vs[at[r]]
	}
	l.set(op.Result(0), regs)
	return true
}
