package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Indices are divided by sizes: row = i / n, column = i % n. A thread often holds a run of indices that
// counts up from a multiple of its length, and the size is a multiple of that length too. Then one division
// serves the run: with i = 48, 49, 50, 51 and n = 16, the quotient is 3 in all of it, and the remainders
// count up from 48 % 16.
//
// If the first dividend a is negative and the divisor d divides it, the others have other quotients, because
// quotients are rounded towards zero: -48, -47, -46, -45 divided by 16 are -3, -2, -2, -2. So with
// q = a / d and r = a % d, the others have
//
//	quotient q, remainder r + i                     if a >= 0 or r != 0
//	quotient q + sign(d), remainder r + i - |d|     if a < 0 and r == 0
//
// No other multiple of d lies between the run's first and last element: it would be a multiple of the length.

// division is an integer division.
type division struct {
	name                string // LLVM's instruction
	remainder, unsigned bool
}

var divisions = map[*ir.OpDef]division{
	arith.DivSI: {"sdiv", false, false}, arith.DivUI: {"udiv", false, true},
	arith.RemSI: {"srem", true, false}, arith.RemUI: {"urem", true, true},
}

// lower lowers a division, once for each run of dividends.
func (d division) lower(l *lowering, op *ir.Op) {
	a, by := op.Operand(0), op.Operand(1)
	run := l.runOf(op, a, by, l.divisorOf(by))
	if run == nil {
		if !d.lowerUniform(l, op) {
			elementwise(d.element)(l, op)
		}
		return
	}
	positive := d.unsigned || l.opts.NotNegative(a)
	regs := make([]string, len(run.first))
	known := map[string]divided{} // by operands
	equal := l.firstEqual(op.Result(0))
	for r, first := range run.first {
		if equal != nil {
			first = equal[first]
		}
		args := l.elementArgs(op, first)
		key := args[0] + " " + args[1]
		q, ok := known[key]
		if !ok {
			q = d.divide(l, op, args, positive)
			known[key] = q
		}
		switch {
		case run.place[r] == 0:
			regs[r] = q.first
		case d.remainder:
			regs[r] = l.val("add %s %s, %d", q.typ, q.others, run.place[r])
		default:
			regs[r] = q.others
		}
	}
	l.set(op.Result(0), regs)
}

// element divides one element by another.
func (d division) element(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	typ := llvmType(t)
	if v, ok := d.byUniform(l, op, typ, a[0]); ok {
		return v
	}
	if v, ok := d.byBounded(l, op, typ, a); ok {
		return v
	}
	return l.val("%s %s %s, %s", d.name, typ, a[0], l.divisor(op, typ, a[1]))
}

// byBounded divides by the smaller of a number and a constant, which is mostly the constant: the number of
// rows in a group of blocks, min(rows - first, GROUP), is less only in the last group. Programs of the other
// groups multiply. Divisions in loops are left alone: there, the branch would cost more than its
// instructions. ok is false for other divisors.
func (d division) byBounded(l *lowering, op *ir.Op, typ string, a []string) (v string, ok bool) {
	least := op.Operand(1).DefBy(arith.MinSI)
	scalar := op.Result(0).Type == ir.Type(ir.I32) || op.Result(0).Type == ir.Type(ir.I64)
	if least == nil || !scalar || d.unsigned || op.Block() != l.fn.Body(0) {
		return "", false
	}
	most, ok := arith.IntOf(least.Operand(1))
	if !ok {
		most, ok = arith.IntOf(least.Operand(0))
	}
	if !ok || most <= 0 {
		return "", false
	}
	key := a[0] + " " + a[1]
	q := l.quotients[key]
	if q == "" {
		q = l.boundedQuotient(typ, a[0], a[1], most)
		l.quotients[key] = q
	}
	if !d.remainder {
		return q, true
	}
	return l.val("sub %s %s, %s", typ, a[0], l.val("mul %s %s, %s", typ, q, a[1])), true
}

// boundedQuotient divides n by a number that is most likely most.
func (l *lowering) boundedQuotient(typ, n, by string, most int64) string {
	return l.either(typ, l.val("icmp eq %s %s, %d", typ, by, most),
		func() []string { return []string{l.constQuotient(typ, n, most)} },
		func() []string { return []string{l.val("sdiv %s %s, %s", typ, n, by)} })[0]
}

// constQuotient divides by a constant without a division in LLVM's eyes: beside one by a number, LLVM would
// join the two to one division by the number or the constant.
func (l *lowering) constQuotient(typ, n string, by int64) string {
	kind := uniform.Signed
	if typ == "i64" {
		kind = uniform.SignedWide
	}
	var words []string
	for i, w := range kind.Words(by)[:uniform.Shift+1] {
		if kind.Widths()[i] == 32 {
			w = uint64(int32(w))
		}
		words = append(words, fmt.Sprint(int64(w)))
	}
	return l.signedQuotient(typ, n, words, false)
}

// divided is the result of dividing a run: of its first element, and the quotient of the others or what their
// remainders count up from.
type divided struct{ typ, first, others string }

func (d division) divide(l *lowering, op *ir.Op, args []string, positive bool) divided {
	t := ir.ElemOf(op.Result(0).Type)
	typ := llvmType(t)
	out := divided{typ: typ, first: d.element(l, op, t, args)}
	out.others = out.first
	if positive {
		return out
	}
	r := out.first
	if !d.remainder {
		r = divisions[arith.RemSI].element(l, op, t, args)
	}
	negative := l.val("icmp slt %s %s, 0", typ, args[0])
	next := l.val("and i1 %s, %s", negative, l.val("icmp eq %s %s, 0", typ, r))
	by := ""
	if d.remainder {
		by = l.val("sub %s 0, %s", typ, l.call(typ, "llvm.abs."+typ, typ+" "+args[1], "i1 false"))
	} else {
		by = l.val("or %s %s, 1", typ, l.val("ashr %s %s, %d", typ, args[1], intBits(typ)-1))
	}
	step := l.val("select i1 %s, %s %s, %s 0", next, typ, by, typ)
	out.others = l.val("add %s %s, %s", typ, out.first, step)
	return out
}

// divisorOf returns a number that divides all elements of v.
func (l *lowering) divisorOf(v *ir.Value) int64 {
	if l.opts.Divisor == nil {
		return 1
	}
	return l.opts.Divisor(v)
}

// divisor returns v, an element of op's second operand, as the divisor of an LLVM instruction. GPUs divide by
// zero without a trap, and kernels do so behind a loop's last iteration, whose addresses pipelines and
// requests ahead compute. To LLVM that is undefined: it concludes that v is never zero, and that a loop which
// ends where it is never ends. So v is joined with a zero that LLVM does not know.
func (l *lowering) divisor(op *ir.Op, typ, v string) string {
	if !speculates(op) {
		return v
	}
	return l.val("or %s %s, %s", typ, v, l.hiddenZero(typ))
}

// speculates reports whether a pass may have made op divide by a number that the source does not divide by:
// one that changes in a loop around op, or one in a branch.
func speculates(op *ir.Op) bool {
	by := throughShapes(op.Operand(1))
	if by.DefBy(arith.Constant) != nil {
		return false
	}
	for p := op.Parent(); p.Def != tt.Func; p = p.Parent() {
		if p.Def == scf.If || by.Block().IsInside(p) {
			return true
		}
	}
	return false
}

// hiddenZero returns a zero of an integer type that LLVM takes for zero or one: numbers joined with it keep
// the signs that LLVM knows.
func (l *lowering) hiddenZero(typ string) string {
	if l.ids.zeros[typ] == "" {
		l.ids.zeros[typ] = l.atEntry(func() string {
			z := l.val("and i32 %s, 1", l.vendor.hiddenZero(l))
			switch n := intBits(typ); {
			case n < 32:
				return l.val("trunc i32 %s to %s", z, typ)
			case n > 32:
				return l.val("zext i32 %s to %s", z, typ)
			}
			return z
		})
	}
	return l.ids.zeros[typ]
}
