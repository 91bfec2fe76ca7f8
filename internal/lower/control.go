package lower

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
)

// lowerFor emits a loop, or two of which one runs.
func lowerFor(l *lowering, op *ir.Op) {
	if list := l.doubts(op); len(list) > 0 {
		l.forTwice(op, list)
		return
	}
	l.loop(op)
}

// loop emits a loop that tests at its head.
//
//	before:  br head
//	head:    iv = phi [lo, before], [next, latch]; args = phi …; br iv < hi, body, exit
//	body:    …; next = iv + step; br head
//
// If next may pass the end of its type, and wrap around to where it is less than hi again, the body compares
// iv with hi - step instead (loopEnd).
func (l *lowering) loop(op *ir.Op) {
	lo, step := l.scalar(op.Operand(0)), l.scalar(op.Operand(2))
	inits := op.Operands()[3:]
	body := op.Body(0)
	iv := body.Arg(0)
	typ := llvmType(iv.Type)
	end := l.loopEnd(op, typ, lo, &step)
	head, inside, exit := l.label("for"), l.label("body"), l.label("done")

	yields := body.Terminator().Operands()
	cs := l.carry(body.Args()[1:], yields)
	first, before := l.incoming(cs, inits), l.writer.block
	l.br(head)
	l.begin(head)
	ivPhi := l.phi(typ)
	l.setOne(iv, ivPhi.name)
	ivPhi.from(lo, before)
	end.open(l, before)
	l.openCarried(cs, first, before)
	l.condBr(end.goesOn(l, ivPhi.name), inside, exit)

	l.begin(inside)
	l.block_(body)
	next := l.val("add %s %s, %s", typ, ivPhi.name, step)
	ivPhi.from(next, l.writer.block)
	end.close(l, ivPhi.name)
	l.closeCarried(cs, l.incoming(cs, yields))
	l.br(head)
	l.patch(ivPhi)

	l.begin(exit)
	for i, r := range op.Results() {
		l.vals[r] = l.vals[body.Arg(i+1)]
	}
}

// loopEnd is how the head of a loop knows whether another iteration follows: the counter is less than hi.
//
// Where the counter may wrap around, the iteration before tells: its counter was less than hi - step, a
// number that is computed once and does not wrap around. Kernels with products, whose loops of this kind are
// those of persistent programs over tiles, count the iterations that are left instead: the division before
// the first costs them little, and with the comparison an H200 computes causal attention 2% slower.
type loopEnd struct {
	typ, less, hi string
	some          string // the first value of phi; "" if the counter cannot wrap around
	last          string // hi - step; "" if iterations are counted
	phi           *phi   // whether another iteration follows, or how many
}

// loopEnd returns the end of a loop. A step that is not positive has no meaning; where the counter may wrap
// around, the loop ends nevertheless.
func (l *lowering) loopEnd(op *ir.Op, typ, lo string, step *string) *loopEnd {
	e := &loopEnd{typ: typ, less: "slt", hi: l.end(op)}
	unsigned := op.HasAttr("unsignedCmp")
	if unsigned {
		e.less = "ult"
	}
	if !mayWrap(op) {
		return e
	}
	if multiplies(l.fn) {
		e.some = l.iterations(typ, e.less, lo, e.hi, *step)
		return e
	}
	e.some = l.val("icmp %s %s %s, %s", e.less, typ, lo, e.hi)
	if unsigned {
		*step = l.most("u", typ, *step, "1")
		e.last = l.val("sub %s %s, %s", typ, l.most("u", typ, e.hi, *step), *step)
		return e
	}
	*step = l.most("s", typ, *step, "1")
	least := l.val("add %s %s, %d", typ, *step, math.MinInt32)
	e.last = l.val("sub %s %s, %s", typ, l.most("s", typ, e.hi, least), *step)
	return e
}

// most returns the larger of two integers, which are signed or unsigned ("s", "u").
func (l *lowering) most(kind, typ, x, y string) string {
	return l.call(typ, "llvm."+kind+"max."+typ, typ+" "+x, typ+" "+y)
}

// multiplies reports whether an op has products of matrices inside.
func multiplies(outer *ir.Op) (found bool) {
	outer.Walk(func(op *ir.Op) bool {
		found = found || strings.HasSuffix(op.Def.Name, "dot")
		return !found
	})
	return found
}

// open begins the head.
func (e *loopEnd) open(l *lowering, before string) {
	if e.some == "" {
		return
	}
	typ := "i1"
	if e.last == "" {
		typ = e.typ
	}
	e.phi = l.phi(typ)
	e.phi.from(e.some, before)
}

// goesOn returns whether another iteration follows.
func (e *loopEnd) goesOn(l *lowering, iv string) string {
	switch {
	case e.phi == nil:
		return l.val("icmp %s %s %s, %s", e.less, e.typ, iv, e.hi)
	case e.last == "":
		return l.val("icmp ne %s %s, 0", e.typ, e.phi.name)
	}
	return e.phi.name
}

// close ends the body.
func (e *loopEnd) close(l *lowering, iv string) {
	if e.phi == nil {
		return
	}
	next := ""
	if e.last == "" {
		next = l.val("add %s %s, -1", e.typ, e.phi.name)
	} else {
		next = l.val("icmp %s %s %s, %s", e.less, e.typ, iv, e.last)
	}
	e.phi.from(next, l.writer.block)
	l.patch(e.phi)
}

// iterations returns how many iterations a loop has. They are fewer than the type has numbers, since the
// step is not 1. A step that is not positive has no meaning: only the division by 0 is avoided.
func (l *lowering) iterations(typ, less, lo, hi, step string) string {
	by := l.most("u", typ, step, "1")
	way := l.val("add %s %s, -1", typ, l.val("sub %s %s, %s", typ, hi, lo))
	all := l.val("add %s %s, 1", typ, l.val("udiv %s %s, %s", typ, way, by))
	some := l.val("icmp %s %s %s, %s", less, typ, lo, hi)
	return l.val("select i1 %s, %s %s, %s 0", some, typ, all, typ)
}

// longStep is a step that no tile has. Loops with constant steps below it, and bounds that are not known,
// keep the comparison that Triton has: their counters pass the end of their type only if the bound is within
// a step of it (docs/DIVERGENCES.md).
const longStep = 1 << 16

// mayWrap reports whether the counter of a loop may pass the end of its type, which has 32 bits, before the
// loop ends.
func mayWrap(op *ir.Op) bool {
	if op.Operand(0).Type != ir.I32 {
		return false
	}
	step, ok := arith.IntOf(op.Operand(2))
	if !ok {
		return true
	}
	hi, ok := arith.IntOf(op.Operand(1))
	if !ok {
		return step >= longStep
	}
	if op.HasAttr("unsignedCmp") {
		return int64(uint32(hi)) > math.MaxUint32-(step-1)
	}
	return hi > math.MaxInt32-(step-1)
}

// end returns the upper bound of a loop. If that is the end of a part of a whole number of parts, as in
// range(4*p, min(4*p+4, 32)), a loop that is entered covers the part, and the bound says so: LLVM sees how
// many iterations there are, which it does not see by the minimum.
func (l *lowering) end(op *ir.Op) string {
	lo, hi := op.Operand(0), op.Operand(1)
	whole, part, ok := wholeParts(lo, hi)
	if !ok || op.HasAttr("unsignedCmp") {
		return l.scalar(hi)
	}
	typ, first := llvmType(hi.Type), l.scalar(lo)
	return l.val("select i1 %s, %s %s, %s %s", l.val("icmp slt %s %s, %d", typ, first, whole),
		typ, l.val("add %s %s, %d", typ, first, part), typ, first)
}

// wholeParts reports that hi is the minimum of lo + part and whole, both of which are multiples of part, as
// lo is. Parts are powers of two: products that wrap around are multiples of those as well.
func wholeParts(lo, hi *ir.Value) (whole, part int64, ok bool) {
	least := hi.DefBy(arith.MinSI)
	if least == nil {
		return 0, 0, false
	}
	next, part := arith.PlusConstant(least.Operand(0))
	whole, ok = arith.IntOf(least.Operand(1))
	product := lo.DefBy(arith.MulI)
	if !ok || next != lo || product == nil || part <= 0 || part&(part-1) != 0 {
		return 0, 0, false
	}
	by, ok := arith.IntOf(product.Operand(1))
	return whole, part, ok && by%part == 0 && whole%part == 0
}

// lowerWhile emits a loop whose head is the condition region.
func lowerWhile(l *lowering, op *ir.Op) {
	cond, body := op.Body(0), op.Body(1)
	head, inside, exit := l.label("while"), l.label("body"), l.label("done")
	term, yields := cond.Terminator(), body.Terminator().Operands()
	cs := l.carry(cond.Args(), throughWhile(op))
	first, before := l.incoming(cs, op.Operands()), l.writer.block
	l.br(head)
	l.begin(head)
	l.openCarried(cs, first, before)
	l.block_(cond)
	for i, v := range term.Operands()[1:] {
		l.vals[body.Arg(i)] = l.vals[v]
		l.vals[op.Result(i)] = l.vals[v]
	}
	l.condBr(l.scalar(term.Operand(0)), inside, exit)
	l.begin(inside)
	l.block_(body)
	l.closeCarried(cs, l.incoming(cs, yields))
	l.br(head)
	l.begin(exit)
}

// throughWhile returns the values that the next test of a while takes: for an argument of the body, the value
// that the test passes to it.
func throughWhile(op *ir.Op) []*ir.Value {
	passed := op.Body(0).Terminator().Operands()[1:]
	out := slices.Clone(op.Body(1).Terminator().Operands())
	for i, v := range out {
		if at := slices.Index(op.Body(1).Args(), v); at >= 0 {
			out[i] = passed[at]
		}
	}
	return out
}

// lowerIf emits both branches and joins their results in phis.
func lowerIf(l *lowering, op *ir.Op) {
	yes, no, join := l.label("then"), l.label("else"), l.label("endif")
	l.condBr(l.scalar(op.Operand(0)), yes, no)
	type arm struct {
		block string
		vals  []*ir.Value
	}
	var arms []arm
	for i, label := range []string{yes, no} {
		l.begin(label)
		var vals []*ir.Value
		if len(op.Regions()) > i && !op.Region(i).Empty() {
			b := op.Body(i)
			l.block_(b)
			if t := b.Terminator(); t != nil {
				vals = t.Operands()
			}
		}
		arms = append(arms, arm{l.writer.block, vals})
		l.br(join)
	}
	l.begin(join)
	for i, r := range op.Results() {
		ps := l.openPhis(r)
		for _, a := range arms {
			for j, reg := range l.regs(a.vals[i]) {
				ps[j].from(reg, a.block)
			}
		}
		l.patch(ps...)
	}
}

// either returns the values of yes if cond holds, else those of no: as many, of type typ.
func (l *lowering) either(typ, cond string, yes, no func() []string) []string {
	first, second, join := l.label("first"), l.label("second"), l.label("joined")
	l.condBr(cond, first, second)
	way := func(label string, f func() []string) (vs []string, from string) {
		l.begin(label)
		vs = f()
		from = l.block
		l.br(join)
		return vs, from
	}
	a, fromA := way(first, yes)
	b, fromB := way(second, no)
	l.begin(join)
	var phis []*phi
	out := make([]string, len(a))
	for i := range a {
		p := l.phi(typ)
		p.from(a[i], fromA)
		p.from(b[i], fromB)
		phis, out[i] = append(phis, p), p.name
	}
	l.patch(phis...)
	return out
}

func lowerBr(l *lowering, op *ir.Op) {
	to := op.Successors()[0]
	l.into(to, op.Operands())
	l.br(l.labels[to])
}

func lowerCondBr(l *lowering, op *ir.Op) {
	to := op.Successors()
	l.into(to[0], op.Group(1))
	l.into(to[1], op.Group(2))
	l.condBr(l.scalar(op.Operand(0)), l.labels[to[0]], l.labels[to[1]])
}

// into passes vs to b's arguments along the edge from the current block. If b has not been lowered yet, the
// edge waits until its phis exist.
func (l *lowering) into(b *ir.Block, vs []*ir.Value) {
	e := edge{from: l.writer.block}
	for _, v := range vs {
		e.regs = append(e.regs, l.regs(v)...)
	}
	if ps, ok := l.phis[b]; ok || len(b.Args()) == 0 {
		for i, r := range e.regs {
			ps[i].from(r, e.from)
		}
		return
	}
	l.waiting[b] = append(l.waiting[b], e)
}

// edge is a branch to a block that has not been lowered yet, with the values of its arguments.
type edge struct {
	from string
	regs []string
}

func lowerProgramID(l *lowering, op *ir.Op) {
	l.setOne(op.Result(0), l.vendor.programID(l, int(op.IntOr("axis", 0))))
}

func lowerNumPrograms(l *lowering, op *ir.Op) {
	l.setOne(op.Result(0), l.vendor.numPrograms(l, int(op.IntOr("axis", 0))))
}

func lowerPoison(l *lowering, op *ir.Op) {
	n := l.numRegs(op, op.Result(0).Type)
	regs := make([]string, n)
	for i := range regs {
		regs[i] = "poison"
	}
	l.set(op.Result(0), regs)
}

func lowerUnreachable(l *lowering, _ *ir.Op) {
	l.do("unreachable")
	l.ended = true
}

// lowerConstant emits no instruction: constants are written into operands.
func lowerConstant(l *lowering, op *ir.Op) {
	t := op.Result(0).Type
	switch a := op.Attr("value").(type) {
	case *ir.DenseAttr:
		if !a.Splat {
			l.fail(op, "a constant with several values")
		}
		text := l.ringConstant(a.Bits(0), ir.ElemOf(t))
		regs := make([]string, l.numRegs(op, t))
		for i := range regs {
			regs[i] = text
		}
		l.set(op.Result(0), regs)
	case *ir.IntegerAttr:
		l.setOne(op.Result(0), literal(uint64(a.Value), t))
	case *ir.FloatAttr:
		l.setOne(op.Result(0), l.ringConstant(a.Bits, t))
	default:
		l.fail(op, "a constant of this kind")
	}
}

// literal returns a constant of type t in LLVM's syntax.
func literal(bits uint64, t ir.Type) string {
	switch e := t.(type) {
	case *ir.FloatType:
		switch llvmType(e) {
		case "float", "double":
			return fmt.Sprintf("0x%016X", doubleBits(e, bits))
		case "half":
			return fmt.Sprintf("0xH%04X", bits&0xffff)
		case "bfloat":
			return fmt.Sprintf("0xR%04X", bits&0xffff)
		}
		return fmt.Sprint(int8(bits))
	case *ir.IntegerType:
		if e.Width == 1 {
			if bits&1 != 0 {
				return "true"
			}
			return "false"
		}
	}
	return fmt.Sprint(int64(bits))
}
