package programs

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// The loop over programs counts in rounds: base is the round times the number of persistent programs. In a
// round, each of them does one of the launch's programs. Every other round is counted from its end: where
// later programs have less work, two rounds together then give all the same amount.

// persist makes the loop over programs.
func (p *persistent) persist() {
	p.grid = takeGrid(p.fn)
	b := ir.At(p.enter)
	p.countRounds(b)
	for _, op := range p.whole {
		op.Slot(pipeline.FillSlots[op.Def]).Def().SetAttr(ttg.GuardedAttr, ir.Unit)
	}
	for _, w := range p.waits {
		w.Slot(0).Def().SetAttr(ttg.GuardedAttr, ir.Unit)
	}
	zero := arith.ConstInt(b, 0, ir.I32)
	p.copyWhole(b, zero, zero)
	at := p.seek(b, zero, zero)
	for i := range p.ahead {
		p.fill(b, at, arith.ConstInt(b, i, ir.I32))
		at = p.advance(b, at)
	}
	b.After(p.enter)
	p.overPrograms(b, zero, at)
	for _, op := range slices.Backward(slices.Concat(p.first, p.whole)) {
		op.Erase()
	}
	for _, id := range p.ids {
		if id != nil {
			id.Def().Erase()
		}
	}
}

// takeGrid adds three parameters to a kernel: the grid of the launch, of which the persistent blocks do
// the work.
func takeGrid(fn *ir.Op) (grid [3]*ir.Value) {
	for axis := range grid {
		grid[axis] = funclike.AddArg(fn, ir.I32, fn.Loc)
	}
	for _, op := range ttgir.OpsOf(fn, tt.GetNumPrograms) {
		op.ReplaceWith(grid[op.IntOr("axis", 0)])
	}
	return grid
}

// countRounds computes the number of persistent programs, the number of the launch's last program, and where
// the rounds of this program stop.
func (p *persistent) countRounds(b *ir.Builder) {
	axis := ir.A("axis", ir.I32Attr(0))
	one := arith.ConstInt(b, 1, ir.I32)
	me := b.ValA(tt.GetProgramID, ir.I32, []ir.NamedAttr{axis})
	p.programs = b.ValA(tt.GetNumPrograms, ir.I32, []ir.NamedAttr{axis})
	all := b.Val(arith.MulI, ir.I32, b.Val(arith.MulI, ir.I32, p.grid[0], p.grid[1]), p.grid[2])
	p.last = b.Val(arith.SubI, ir.I32, all, one)
	p.me = [2]*ir.Value{me, b.Val(arith.SubI, ir.I32, b.Val(arith.SubI, ir.I32, p.programs, one), me)}
	rounds := b.Val(arith.DivUI, ir.I32, all, p.programs)
	full := b.Val(arith.MulI, ir.I32, rounds, p.programs)
	rest := b.Val(arith.SubI, ir.I32, all, full)
	odd := b.Val(arith.AndI, ir.I32, rounds, one)
	more := ttgir.Compare(b, arith.SLT, p.inRound(b, odd), rest)
	p.stop = b.Val(arith.Select, ir.I32, more, b.Val(arith.AddI, ir.I32, full, p.programs), full)
}

// inRound returns this program's place in a round; odd is 1 in every other round, else 0.
func (p *persistent) inRound(b *ir.Builder, odd *ir.Value) *ir.Value {
	back := ttgir.Compare(b, arith.NE, odd, arith.ConstInt(b, 0, ir.I32))
	return b.Val(arith.Select, ir.I32, back, p.me[1], p.me[0])
}

// numbers returns the numbers of the program that is done in a round; behind the last round, those of the
// last program. Kernels whose longest programs come first along the first axis do the longest first of a
// section along the others, small enough for what its programs read to stay in the L2 cache.
func (p *persistent) numbers(b *ir.Builder, base, odd *ir.Value) (ids [3]*ir.Value) {
	div := func(x, y *ir.Value) (quotient, rest *ir.Value) {
		quotient = b.Val(arith.DivUI, ir.I32, x, y)
		return quotient, b.Val(arith.SubI, ir.I32, x, b.Val(arith.MulI, ir.I32, quotient, y))
	}
	t := b.Val(arith.AddI, ir.I32, base, p.inRound(b, odd))
	t = b.Val(arith.MinSI, ir.I32, t, p.last)
	var others *ir.Value
	if p.longest {
		one := arith.ConstInt(b, 1, ir.I32)
		count := b.Val(arith.MulI, ir.I32, p.grid[1], p.grid[2])
		parts := arith.ConstInt(b, int64(rules.Get(ttgir.Ruled(p.fn), rules.SectionShare)), ir.I32)
		share := b.Val(arith.DivUI, ir.I32, p.programs, parts)
		size := b.Val(arith.MinSI, ir.I32, count, b.Val(arith.MaxSI, ir.I32, share, one))
		size = b.Val(arith.Select, ir.I32, p.even(b), one, size)
		section, rest := div(t, b.Val(arith.MulI, ir.I32, size, p.grid[0]))
		begin := b.Val(arith.MulI, ir.I32, section, size)
		here := b.Val(arith.MinSI, ir.I32, size, b.Val(arith.SubI, ir.I32, count, begin))
		ids[0], others = div(rest, here)
		others = b.Val(arith.AddI, ir.I32, begin, others)
	} else {
		others, ids[0] = div(t, p.grid[0])
	}
	ids[2], ids[1] = div(others, p.grid[1])
	return ids
}

// even reports whether two rounds, one forward and one backward, give all persistent programs the same amount
// of work without renumbering the launch's programs: the number of programs along the first axis divides two
// rounds.
func (p *persistent) even(b *ir.Builder) *ir.Value {
	two := b.Val(arith.MulI, ir.I32, p.programs, arith.ConstInt(b, 2, ir.I32))
	rest := b.Val(arith.RemUI, ir.I32, two, p.grid[0])
	return ttgir.Compare(b, arith.EQ, rest, arith.ConstInt(b, 0, ir.I32))
}

// cursor is a place in the sequence of all blocks of this program's rounds.
type cursor struct {
	base, odd *ir.Value // the round's first program, and whether the round goes backward
	n, end    *ir.Value // the program loop's induction variable and its upper bound
	ids       [3]*ir.Value
}

// values returns the parts of a cursor, set sets them.
func (c cursor) values() []*ir.Value {
	return []*ir.Value{c.base, c.odd, c.n, c.end, c.ids[0], c.ids[1], c.ids[2]}
}

func cursorOf(v []*ir.Value) cursor {
	return cursor{base: v[0], odd: v[1], n: v[2], end: v[3], ids: [3]*ir.Value{v[4], v[5], v[6]}}
}

// cursorParts is the number of values of a cursor.
const cursorParts = 7

// compute computes a scalar of the kernel for another program and iteration.
func (p *persistent) compute(b *ir.Builder, v *ir.Value, m *ir.Mapping) *ir.Value {
	if w, ok := m.Values[v]; ok {
		return w
	}
	op := v.Def()
	if op == nil || !p.varies[v] && !op.Block().IsInside(p.loop) {
		return v
	}
	for _, x := range op.Operands() {
		p.compute(b, x, m)
	}
	b.Insert(op.Clone(m))
	return m.Get(v)
}

// mapped returns a mapping from the ids of the present program to those of another.
func (p *persistent) mapped(ids [3]*ir.Value) *ir.Mapping {
	m := ir.NewMapping()
	for axis, id := range p.ids {
		if id != nil {
			m.Map(id, ids[axis])
		}
	}
	return m
}

// seek returns the first block of the first program from a round on that has blocks.
func (p *persistent) seek(b *ir.Builder, base, odd *ir.Value) cursor {
	types := slices.Repeat([]ir.Type{ir.I32}, cursorParts)
	while := scf.NewWhile(b, []*ir.Value{base, odd}, types)
	in := ir.NewBuilder(while.Body(0))
	in.Loc = p.loop.Loc
	c := cursor{base: while.Body(0).Arg(0), odd: while.Body(0).Arg(1)}
	c.ids = p.numbers(in, c.base, c.odd)
	m := p.mapped(c.ids)
	c.n, c.end = p.compute(in, scf.LowerBound(p.loop), m), p.compute(in, scf.UpperBound(p.loop), m)
	empty := in.Val(arith.AndI, ir.I1, ttgir.Compare(in, arith.SLT, c.base, p.stop),
		ttgir.Compare(in, arith.SGE, c.n, c.end))
	in.Op(scf.Condition, append([]*ir.Value{empty}, c.values()...), nil)
	in = ir.NewBuilder(while.Body(1))
	in.Loc = p.loop.Loc
	scf.MakeYield(in, p.nextRound(in, while.Body(1).Arg(0), while.Body(1).Arg(1))...)
	return cursorOf(while.Results())
}

// nextRound returns the round that follows a round.
func (p *persistent) nextRound(b *ir.Builder, base, odd *ir.Value) []*ir.Value {
	return []*ir.Value{b.Val(arith.AddI, ir.I32, base, p.programs),
		b.Val(arith.XOrI, ir.I32, odd, arith.ConstInt(b, 1, ir.I32))}
}

// advance returns the cursor of the next iteration, which may be the first of a later program.
func (p *persistent) advance(b *ir.Builder, c cursor) cursor {
	n := b.Val(arith.AddI, ir.I32, c.n, arith.ConstInt(b, p.step, ir.I32))
	types := slices.Repeat([]ir.Type{ir.I32}, cursorParts)
	branch := scf.NewIf(b, ttgir.Compare(b, arith.SGE, n, c.end), types, true)
	in := ir.NewBuilder(branch.Body(0))
	in.Loc = p.loop.Loc
	round := p.nextRound(in, c.base, c.odd)
	scf.MakeYield(in, p.seek(in, round[0], round[1]).values()...)
	in = ir.NewBuilder(branch.Body(1))
	in.Loc = p.loop.Loc
	same := c
	same.n = n
	scf.MakeYield(in, same.values()...)
	return cursorOf(branch.Results())
}

// fill starts the copies of a cursor's iteration into slots.
func (p *persistent) fill(b *ir.Builder, c cursor, slot *ir.Value) {
	m := p.mapped(c.ids)
	m.Map(scf.IV(p.loop), b.Val(arith.SubI, ir.I32, c.n, arith.ConstInt(b, p.ahead*p.step, ir.I32)))
	m.Map(p.slot, slot)
	m.Map(p.more, ttgir.Compare(b, arith.SLT, c.base, p.stop))
	p.cloneCopies(b, p.fills, m)
}

// copyWhole copies the operands from before the loop, for the program of a round.
func (p *persistent) copyWhole(b *ir.Builder, base, odd *ir.Value) {
	if len(p.whole) == 0 {
		return
	}
	m := p.mapped(p.numbers(b, base, odd))
	cond, _ := pipeline.Condition(p.whole[0])
	m.Map(cond, ttgir.Compare(b, arith.SLT, base, p.stop))
	p.cloneCopies(b, p.whole, m)
}

// cloneCopies clones copies, with what they need.
func (p *persistent) cloneCopies(b *ir.Builder, ops []*ir.Op, m *ir.Mapping) {
	for _, op := range ops {
		for _, v := range op.Operands() {
			p.compute(b, v, m)
		}
		b.Insert(op.Clone(m))
	}
}

// overPrograms makes the loop over programs, and moves into it what each does.
func (p *persistent) overPrograms(b *ir.Builder, zero *ir.Value, at cursor) {
	inits := at.values()
	for _, i := range p.rings {
		inits = append(inits, scf.Inits(p.loop)[i])
	}
	inits = append(inits, zero)
	outer := scf.NewFor(b, zero, p.stop, p.programs, inits)
	outer.SetAttr(ttg.ProgramsAttr, ir.Unit)
	args := scf.IterArgs(outer)
	base, odd := scf.IV(outer), args[len(args)-1]

	in := ir.NewBuilder(outer.Body(0))
	in.Loc = p.loop.Loc
	ids := p.numbers(in, base, odd)
	p.carryOn(args)
	p.fillOn(cursorOf(args), base, odd)
	for _, op := range p.tile {
		if op.Def == ttg.ConvertLayout {
			op.SetAttr(ttg.ByLanesAttr, ir.Unit)
		}
		op.MoveToEnd(outer.Body(0))
	}
	in.ToEnd(outer.Body(0))
	next := append([]*ir.Value{}, p.loop.Results()[p.loop.NumResults()-cursorParts:]...)
	one := arith.ConstInt(in, 1, ir.I32)
	for _, i := range p.rings {
		v := p.loop.Result(i)
		if i == p.parity {
			v = in.Val(arith.XOrI, ir.I32, v, one)
		}
		next = append(next, v)
	}
	scf.MakeYield(in, append(next, in.Val(arith.XOrI, ir.I32, odd, one))...)
	for _, w := range p.waits {
		w.SetOperand(1, odd)
	}
	p.turn.SetOperand(1, scf.Inits(p.loop)[p.parity])
	p.skipEmpty(base, odd)
	p.passEarly()
	for axis, id := range p.ids {
		if id != nil {
			id.ReplaceUsesIf(ids[axis], func(u *ir.Use) bool { return u.Owner().Block().IsInside(outer) })
		}
	}
}

// carryOn makes slot indices and parities go on from those at the end of the program before.
func (p *persistent) carryOn(args []*ir.Value) {
	for k, i := range p.rings {
		p.loop.SetOperand(3+i, args[cursorParts+k])
	}
}

// fillOn replaces the copies of the loop by those at the cursor; those of the operands from before the loop,
// for the next program, are behind its last product.
func (p *persistent) fillOn(c cursor, base, odd *ir.Value) {
	var parts []*ir.Value
	for _, v := range c.values() {
		parts = append(parts, ttgir.Carry(p.loop, v))
	}
	c = cursorOf(parts)
	b := ir.At(p.few)
	types := slices.Repeat([]ir.Type{ir.I32}, cursorParts)
	few := scf.NewIf(b, p.few.Operand(0), types, true)
	in := ir.NewBuilder(few.Body(0))
	in.Loc = p.loop.Loc
	wait := p.few.Body(0).First()
	wait.Remove()
	in.Insert(wait)
	after := in.Val(arith.AddI, ir.I32, scf.IV(p.loop), arith.ConstInt(in, p.step, ir.I32))
	last := scf.NewIf(in, ttgir.Compare(in, arith.SGE, after, scf.UpperBound(p.loop)), nil, false)
	p.copyNext(last, base, odd)
	p.fill(in, c, p.slot)
	scf.MakeYield(in, p.advance(in, c).values()...)
	scf.MakeYield(ir.NewBuilder(few.Body(1)), parts...)
	yield := p.loop.Body(0).Last()
	for i, r := range few.Results() {
		yield.SetOperand(yield.NumOperands()-cursorParts+i, r)
	}
	p.few.Erase()
	p.few = few
}

// copyNext copies, in a branch, the operands from before the loop for the next program.
func (p *persistent) copyNext(branch *ir.Op, base, odd *ir.Value) {
	in := ir.NewBuilder(branch.Body(0))
	in.Loc = p.loop.Loc
	round := p.nextRound(in, base, odd)
	p.copyWhole(in, round[0], round[1])
	scf.MakeYield(in)
}

// passEarly ends a program's last turn as soon as its products are started, before the copies for later
// programs: the other group waits for the turn.
func (p *persistent) passEarly() {
	lower, upper := scf.LowerBound(p.loop), scf.UpperBound(p.loop)
	b := ir.At(p.passed)
	p.passed.SetGroup(1, []*ir.Value{ttgir.Compare(b, arith.SGE, lower, upper)})
	var product *ir.Op
	for op := range p.loop.Body(0).Ops() {
		if op.Def == ttng.WarpGroupDot {
			product = op
		}
	}
	b = ir.At(product)
	b.After(product)
	after := b.Val(arith.AddI, ir.I32, scf.IV(p.loop), arith.ConstInt(b, p.step, ir.I32))
	last := ttgir.Compare(b, arith.SGE, after, upper)
	b.Groups(ttng.ArriveBarrier, [][]*ir.Value{{p.passed.Slot(0)}, {last}}, nil, p.passed.Attrs()...)
}

// skipEmpty lets a program without blocks copy the operands of the next, when all warps have waited for its
// own.
func (p *persistent) skipEmpty(base, odd *ir.Value) {
	if len(p.whole) == 0 {
		return
	}
	b := ir.At(p.passed)
	b.After(p.passed)
	lower, upper := scf.LowerBound(p.loop), scf.UpperBound(p.loop)
	empty := scf.NewIf(b, ttgir.Compare(b, arith.SGE, lower, upper), nil, false)
	in := ir.NewBuilder(empty.Body(0))
	in.Loc = p.loop.Loc
	in.Op(ttg.LocalBarrier, nil, nil)
	round := p.nextRound(in, base, odd)
	p.copyWhole(in, round[0], round[1])
	scf.MakeYield(in)
}
