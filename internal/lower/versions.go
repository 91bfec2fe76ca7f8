package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Whether the threads of a block must meet between two accesses may depend on the arguments: not, if a stride
// is so large that the accesses of two iterations are apart. A barrier that is skipped still costs: the
// assembler neither unrolls a loop that has one nor moves anything over it. Such a loop is therefore emitted
// twice, without those barriers for the launches that do not need them.

// doubts returns the conditions under which a loop needs no barrier that depends on the arguments; none if it
// is to be emitted once, because it has other barriers too.
func (l *lowering) doubts(loop *ir.Op) (list []address.Condition) {
	if l.sure {
		return nil
	}
	n := 0
	for op := range loop.Ops() {
		if n++; op != loop && l.alloc.barriers.who[op] >= theBlock {
			return nil
		}
		for _, c := range l.doubtsBefore(op) {
			if op != loop && !slices.ContainsFunc(list, c.Equal) {
				list = append(list, c)
			}
		}
	}
	if len(list) > 0 && !rules.Holds(l.rules, rules.LargestTwice, n) {
		return nil
	}
	return list
}

// doubtsBefore returns the conditions under which op needs no barrier before it, none if it needs none or one
// always.
func (l *lowering) doubtsBefore(op *ir.Op) []address.Condition {
	if l.alloc.barriers.who[op] >= theBlock {
		return nil
	}
	return l.alloc.barriers.unless[op]
}

// forTwice emits a loop with the barriers that depend on the arguments, for launches in which a condition of
// the list fails, and without.
func (l *lowering) forTwice(op *ir.Op, list []address.Condition) {
	fails := l.atEntry(func() string { return l.anyFails(list) })
	near, apart, end := l.label("near"), l.label("apart"), l.label("joined")
	l.condBr(fails, near, apart)
	ways := [2][]string{}
	var from [2]string
	for i, label := range []string{near, apart} {
		l.begin(label)
		l.sure = label == apart
		l.loop(op)
		for _, r := range op.Results() {
			ways[i] = append(ways[i], l.regs(r)...)
		}
		from[i] = l.block
		l.br(end)
	}
	l.sure = false
	l.begin(end)
	var ps []*phi
	for _, r := range op.Results() {
		ps = append(ps, l.openPhis(r)...)
	}
	for i, p := range ps {
		p.from(ways[0][i], from[0])
		p.from(ways[1][i], from[1])
	}
	l.patch(ps...)
}
