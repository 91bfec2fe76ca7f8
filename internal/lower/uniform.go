package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Some numbers are the same in all programs of a launch, as tl.cdiv(M, BLOCK) is. The host computes them
// (Options.Uniform), and the kernel takes them as one more parameter at its end, a block of words: the driver
// takes longer for many parameters than for a large one. It divides by such a number without a division: see
// package uniform.

// uniforms is what the host computes for a kernel.
type uniforms struct {
	builder *uniform.Builder
	steps   map[*ir.Value]uniformStep
	loads   map[int]string // names of words, by their places
}

// uniformStep is the step that computes a number, which must be known to be one, and what it would cost a
// GPU.
type uniformStep struct {
	number uint8
	is     bool
	cost   int // in instructions, about
}

// Costs of computing numbers on a GPU. Less than dearNumber is not worth a parameter.
const (
	divisionCost      = 20
	constDivisionCost = 3
	dearNumber        = 4
)

var uniformOps = map[*ir.OpDef]uniform.Op{
	arith.AddI: uniform.Add, arith.SubI: uniform.Sub, arith.MulI: uniform.Mul, arith.DivSI: uniform.Div,
	arith.RemSI: uniform.Rem, arith.DivUI: uniform.DivU, arith.RemUI: uniform.RemU,
	arith.MinSI: uniform.Min, arith.MaxSI: uniform.Max, arith.ExtSI: uniform.Extend,
	arith.TruncI: uniform.Extend, arith.ExtUI: uniform.ExtendU,
}

func newUniforms(most int) *uniforms {
	if most <= 0 {
		return nil
	}
	return &uniforms{builder: uniform.NewBuilder(most), steps: map[*ir.Value]uniformStep{},
		loads: map[int]string{}}
}

// uniform returns the step that computes v, if v is a number that the host can compute.
func (l *lowering) uniform(v *ir.Value) uniformStep {
	u := l.uniforms
	if u == nil {
		return uniformStep{}
	}
	s, known := u.steps[v]
	if !known {
		s = l.findUniform(v)
		u.steps[v] = s
	}
	return s
}

func (l *lowering) findUniform(v *ir.Value) uniformStep {
	wide := v.Type == ir.Type(ir.I64)
	if !wide && v.Type != ir.Type(ir.I32) {
		return uniformStep{}
	}
	if n, ok := arith.IntOf(v); ok {
		return l.uniforms.step(uniform.Step{Op: uniform.Number, Wide: wide, N: n}, 0)
	}
	op := v.Def()
	if op == nil {
		if v.Block() != l.fn.Body(0) {
			return uniformStep{}
		}
		return l.uniforms.step(uniform.Step{Op: uniform.Arg, Wide: wide, N: int64(v.Index())}, 0)
	}
	if op.Def == tt.GetNumPrograms && l.ctas <= 1 {
		return l.uniforms.step(uniform.Step{Op: uniform.Programs, N: op.IntOr("axis", 0)}, 0)
	}
	return l.uniformOp(op, wide)
}

// uniformOp returns the step of an operation on numbers that the host can compute.
func (l *lowering) uniformOp(op *ir.Op, wide bool) uniformStep {
	code, ok := uniformOps[op.Def]
	if !ok || wide && (code == uniform.DivU || code == uniform.RemU) {
		return uniformStep{}
	}
	s, cost := uniform.Step{Op: code, Wide: wide}, 1
	for i, to := range []*uint8{&s.X, &s.Y}[:op.NumOperands()] {
		x := l.uniform(op.Operand(i))
		if !x.is {
			return uniformStep{}
		}
		*to = x.number
		cost += x.cost
	}
	if _, divides := divisions[op.Def]; divides {
		cost += divisionCost
		if _, ok := arith.IntOf(op.Operand(1)); ok {
			cost += constDivisionCost - divisionCost
		}
	}
	return l.uniforms.step(s, cost)
}

func (u *uniforms) step(s uniform.Step, cost int) uniformStep {
	n, ok := u.builder.Step(s)
	return uniformStep{n, ok, cost}
}

// uniformWords returns the words of a number in some form, nil if there is no room for them.
func (l *lowering) uniformWords(s uniformStep, kind uniform.Kind) []string {
	u := l.uniforms
	places, ok := u.builder.Output(uniform.Output{Kind: kind, Step: s.number})
	if !ok {
		return nil
	}
	var names []string
	for i, at := range places {
		if u.loads[at] == "" {
			u.loads[at] = l.atEntry(func() string {
				p := l.val("getelementptr i8, ptr %%host, i64 %d", at)
				return l.val("load i%d, ptr %s", kind.Widths()[i], p)
			})
		}
		names = append(names, u.loads[at])
	}
	return names
}

// takeUniform has the host compute the result of an operation if that is worth it, and reports whether it is.
func (l *lowering) takeUniform(op *ir.Op) bool {
	if l.uniforms == nil || op.NumResults() != 1 {
		return false
	}
	if _, ok := uniformOps[op.Def]; !ok {
		return false
	}
	v := op.Result(0)
	s := l.uniform(v)
	if !s.is || s.cost < dearNumber || !slices.ContainsFunc(slices.Collect(v.Users()), l.needsNumber(v)) {
		return false
	}
	kind := uniform.Plain
	if v.Type == ir.Type(ir.I64) {
		kind = uniform.PlainWide
	}
	w := l.uniformWords(s, kind)
	if w == nil {
		return false
	}
	l.setOne(v, w[0])
	return true
}

// needsNumber returns a function that reports whether a user of v needs it itself: the host computes other
// numbers of it, and divisors have a form of their own.
func (l *lowering) needsNumber(v *ir.Value) func(user *ir.Op) bool {
	return func(user *ir.Op) bool {
		d, divides := divisions[user.Def]
		if divides && user.Operand(0) != v && l.divisorKind(user, d) != uniform.Plain {
			return false
		}
		return user.NumResults() != 1 || !l.uniform(user.Result(0)).is
	}
}

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
	words   []string
	natural bool // dividends are not negative
	cast    bool // those of 64 bits have 31
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
	if _, known := arith.IntOf(by); known || !s.is || u.kind == uniform.Plain {
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

// divide divides numbers.
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

// wide divides numbers of 64 bits, in 32 if they and the divisor have no more.
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

// either returns values that are computed in one of two ways.
func (l *lowering) either(typ, cond string, yes, no func() []string) []string {
	first, second, join := l.label("first"), l.label("second"), l.label("joined")
	l.condBr(cond, first, second)
	var phis []*phi
	l.begin(first)
	a := yes()
	from := l.block
	l.br(join)
	l.begin(second)
	b := no()
	other := l.block
	l.br(join)
	l.begin(join)
	out := make([]string, len(a))
	for i := range a {
		p := l.phi(typ)
		p.from(a[i], from)
		p.from(b[i], other)
		phis, out[i] = append(phis, p), p.name
	}
	l.patch(phis...)
	return out
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
		// LLVM would know that of its own remainders
		l.call("void", "llvm.assume", "i1 "+l.val("icmp sgt %s %s, -1", typ, v))
	}
	return v, true
}

// lowerUniform divides all elements of a tensor by a number that the host has prepared, at once: only a
// division of 64 bits is worth that. It reports whether it is one.
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
