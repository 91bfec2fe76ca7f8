package pass

import (
	"hash/maphash"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// LoopAwareCSE is CSE that also sees that two values carried around a loop are always equal: they start
// equal, and each iteration does the same to both.
//
//	scf.for … iter_args(%a = %x, %b = %x) {          scf.for … iter_args(%a = %x) {
//	  %c = arith.addi %a, %n                   =>      %c = arith.addi %a, %n
//	  %d = arith.addi %b, %n                           scf.yield %c
//	  scf.yield %c, %d
var LoopAwareCSE = Pass{
	Name: "triton-loop-aware-cse",
	Doc:  "merge operations that compute the same, and values that a loop carries twice",
	Run: func(ctx *Context, m *ir.Module) error {
		runCSE(ctx, m.Op)
		m.Op.WalkPost(func(op *ir.Op) {
			if op.Def == scf.For {
				ctx.At(op)
				mergeIterArgs(ctx, op)
			}
		})
		runCSE(ctx, m.Op)
		Greedy(ctx, m.Op, loopPatterns, GreedyOptions{})
		return nil
	},
}

var loopPatterns = NewPatterns(forPatterns)

// mergeIterArgs finds the equal iteration arguments of a loop and lets the first of each class stand for all.
func mergeIterArgs(ctx *Context, loop *ir.Op) {
	n := numbering{loop: loop, body: loop.Body(0)}
	class := n.classes()
	first := map[int]int{}
	args, yield := scf.IterArgs(loop), loop.Body(0).Last()
	for j, c := range class {
		i, seen := first[c]
		if !seen {
			first[c] = j
			continue
		}
		if !ctx.Rewrite() {
			return
		}
		args[j].ReplaceAllUses(args[i])
		yield.SetOperand(j, args[j]) // the canonicalizer takes it out
		loop.Result(j).ReplaceAllUses(loop.Result(i))
	}
}

// numbering gives the values of a loop's body numbers such that equal numbers mean equal values, given which
// iteration arguments are taken to be equal.
type numbering struct {
	loop   *ir.Op
	body   *ir.Block
	number map[*ir.Value]int
	table  map[uint64][]*ir.Op
}

// classes groups the iteration arguments: at first all that start equal, then, until nothing changes, apart
// where an iteration makes them differ. What is left is equal by induction.
func (n *numbering) classes() []int {
	inits := scf.Inits(n.loop)
	class := make([]int, len(inits))
	ids := map[*ir.Value]int{}
	for i, v := range inits {
		if _, ok := ids[v]; !ok {
			ids[v] = len(ids)
		}
		class[i] = ids[v]
	}
	for count := len(ids); count < len(inits); {
		n.assign(class)
		type pair struct{ class, yield int }
		split := map[pair]int{}
		for i := range class {
			p := pair{class[i], n.of(n.body.Last().Operand(i))}
			if _, ok := split[p]; !ok {
				split[p] = len(split)
			}
			class[i] = split[p]
		}
		if len(split) == count {
			break
		}
		count = len(split)
	}
	return class
}

// assign numbers the body's values.
func (n *numbering) assign(class []int) {
	n.number = map[*ir.Value]int{}
	n.table = map[uint64][]*ir.Op{}
	for i, a := range n.body.Args()[1:] {
		n.number[a] = -1 - class[i] // numbers below zero are those of classes
	}
	for op := range n.body.Ops() {
		if op == n.body.Last() || len(op.Regions()) > 0 || op.Effects() != 0 {
			continue
		}
		h := n.hash(op)
		if old := n.find(h, op); old != nil {
			for i, r := range op.Results() {
				n.number[r] = n.of(old.Result(i))
			}
			continue
		}
		n.table[h] = append(n.table[h], op)
	}
}

// of returns a value's number; a value met for the first time differs from all others.
func (n *numbering) of(v *ir.Value) int {
	k, ok := n.number[v]
	if !ok {
		k = len(n.number)
		n.number[v] = k
	}
	return k
}

func (n *numbering) hash(op *ir.Op) uint64 {
	h := mix(0, maphash.Comparable(seed, op.Def))
	sum := uint64(0)
	for i := range op.NumOperands() {
		sum += maphash.Comparable(seed, n.of(op.Operand(i)))
	}
	return mix(h, sum)
}

func (n *numbering) find(h uint64, op *ir.Op) *ir.Op {
	e := equivalence{equal: func(a, b *ir.Value) bool { return n.of(a) == n.of(b) }}
	for _, o := range n.table[h] {
		if e.op(o, op) {
			return o
		}
	}
	return nil
}
