package codegen

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Kernels add up blocks in a loop and then the elements of the sum, so that the threads of a GPU exchange
// data only once:
//
//	acc = zeros;  for …: acc = acc + f;  s = reduce(acc)
//
// Here that would move a whole block through memory in each round, whereas
//
//	s = 0;  for …: s = s + reduce(f)
//
// moves none: f is reduced where it is computed. The same holds for other operations whose order does not
// matter.

// foldSums rewrites such loops of a function.
func foldSums(fn *ir.Op) {
	var loops []*ir.Op
	for op := range fn.Ops() {
		if op.Def == scf.For {
			loops = append(loops, op)
		}
	}
	for _, loop := range loops {
		for i := range loop.NumResults() {
			if s := sumOf(loop, i); s != nil {
				s.fold()
			}
		}
	}
}

// sum is a block that a loop adds up and that is reduced after it.
type sum struct {
	loop    *ir.Op
	at      int       // index among the loop's results
	combine *ir.OpDef // operation of the loop and of the reduction
	add     *ir.Op    // the linalg.generic that adds
	term    *ir.Value // tensor that is added
	reduce  *ir.Op
	fill    *ir.Op // initial value of the reduction
}

// sumOf returns the sum that a result of a loop is, or nil.
func sumOf(loop *ir.Op, at int) *sum {
	s := &sum{loop: loop, at: at}
	result, body := loop.Result(at), loop.Body(0)
	arg := body.Arg(1 + at)
	if s.reduce = onlyUser(result); s.reduce == nil || s.reduce.Def != linalg.Reduce ||
		s.reduce.Block() != loop.Block() || len(s.reduce.Group(0)) != 1 {
		return nil
	}
	r := reductionOf(s.reduce)
	if r == nil || r.start == nil || s.reduce.Group(0)[0] != result {
		return nil
	}
	s.combine, s.fill = s.reduce.Body(0).First().Def, s.reduce.Group(1)[0].DefBy(linalg.Fill)
	begin := loop.Operand(3 + at).DefBy(linalg.Fill)
	if begin == nil || !isNeutral(s.combine, begin.Operand(0)) || !isNeutral(s.combine, s.fill.Operand(0)) ||
		!early(s.fill) {
		return nil
	}
	s.add = onlyUser(arg)
	last := body.Last().Operand(at)
	if s.add == nil || s.add.Def != linalg.Generic || s.add.Block() != body || last != s.add.Result(0) ||
		onlyUser(last) != body.Last() {
		return nil
	}
	if s.term = s.other(arg); s.term == nil || s.term.Type != result.Type {
		return nil
	}
	if ir.ShapeOf(s.reduce.Result(0).Type) == nil || len(ir.ShapeOf(s.reduce.Result(0).Type)) == 0 {
		for u := range s.reduce.Result(0).Uses() {
			if u.Owner().Def != tensor.Extract {
				return nil
			}
		}
	}
	return s
}

// other returns the operand that the generic adds to arg, or nil if it does anything else.
func (s *sum) other(arg *ir.Value) *ir.Value {
	body, ins := s.add.Body(0), s.add.Group(0)
	if len(ins) != 2 || ins[0] == ins[1] || s.add.NumResults() != 1 {
		return nil
	}
	for _, m := range linalg.Maps(s.add) {
		if !m.IsIdentity() {
			return nil
		}
	}
	op := body.First()
	if op.Def != s.combine || op.Next() != body.Last() || body.Last().Operand(0) != op.Result(0) {
		return nil
	}
	x, y := op.Operand(0), op.Operand(1)
	if !(x == body.Arg(0) && y == body.Arg(1)) && !(x == body.Arg(1) && y == body.Arg(0)) {
		return nil
	}
	if ins[0] == arg {
		return ins[1]
	}
	return ins[0]
}

// onlyUser returns the operation that uses a value if there is only one use, else nil.
func onlyUser(v *ir.Value) *ir.Op {
	var user *ir.Op
	for u := range v.Uses() {
		if user != nil {
			return nil
		}
		user = u.Owner()
	}
	return user
}

// early reports whether a fill can be moved anywhere: it fills a new tensor with a constant.
func early(fill *ir.Op) bool {
	return fill.Operand(0).DefBy(arith.Constant) != nil && fill.Operand(1).DefBy(tensor.Empty) != nil &&
		fill.Operand(1).Def().NumOperands() == 0
}

// isNeutral reports whether a constant is neutral under an operation. The sign of a zero sum is ignored.
func isNeutral(op *ir.OpDef, v *ir.Value) bool {
	switch a := arith.ValueOf(v).(type) {
	case *ir.FloatAttr:
		switch x := a.Value(); op {
		case arith.AddF:
			return x == 0
		case arith.MaxNumF, arith.MaximumF:
			return math.IsInf(x, -1)
		case arith.MinNumF, arith.MinimumF:
			return math.IsInf(x, 1)
		}
	case *ir.IntegerAttr:
		switch op {
		case arith.AddI, arith.OrI, arith.XOrI:
			return a.Value == 0
		}
	}
	return false
}

// fold moves the reduction into the loop.
func (s *sum) fold() {
	// move the fill to where the loop can use it
	for _, op := range []*ir.Op{s.fill.Operand(0).Def(), s.fill.Operand(1).Def(), s.fill} {
		if op.Block() == s.loop.Block() && s.loop.Before(op) {
			op.MoveBefore(s.loop)
		}
	}
	result, arg, end := s.loop.Result(s.at), s.loop.Body(0).Arg(1+s.at), s.loop.Body(0).Last()
	reduced := s.reduce.Result(0)
	t := reduced.Type.(*ir.TensorType)
	if t.Rank() > 0 {
		reduced.ReplaceAllUses(result)
		result.Type, arg.Type = t, t
		s.loop.SetOperand(3+s.at, s.fill.Result(0))
	} else {
		var extracts []*ir.Op
		for u := range reduced.Uses() {
			extracts = append(extracts, u.Owner())
		}
		for _, e := range extracts {
			e.Result(0).ReplaceAllUses(result)
			e.Erase()
		}
		result.Type, arg.Type = t.Elem, t.Elem
		s.loop.SetOperand(3+s.at, s.fill.Operand(0))
	}
	s.reduce.MoveBefore(end)
	s.reduce.SetOperand(0, s.term)
	b := ir.At(end)
	b.Loc = s.reduce.Loc
	if t.Rank() > 0 {
		end.SetOperand(s.at, s.sumOfBlocks(b, arg, reduced, t))
	} else {
		end.SetOperand(s.at, b.Val(s.combine, t.Elem, arg, b.Val(tensor.Extract, t.Elem, reduced)))
	}
	s.add.Erase()
}

// sumOfBlocks combines two blocks element by element.
func (s *sum) sumOfBlocks(b *ir.Builder, x, y *ir.Value, t *ir.TensorType) *ir.Value {
	body := ir.NewBlock()
	for range 3 {
		body.AddArg(t.Elem, nil)
	}
	id := ir.IdentityMap(t.Rank())
	words := make([]string, t.Rank())
	for i := range words {
		words[i] = linalg.Parallel
	}
	op := b.Create(ir.State{
		Def: linalg.Generic, Operands: []*ir.Value{x, y, b.Val(tensor.Empty, t)}, Segments: []int{2, 1},
		Results: []ir.Type{t}, Attrs: []ir.NamedAttr{ir.A("indexing_maps", linalg.MapsAttr(id, id, id)),
			ir.A("iterator_types", linalg.IteratorTypes(words...))},
		Regions: []*ir.Region{ir.NewRegion(body)},
	})
	inner := ir.NewBuilder(body)
	inner.Op(linalg.Yield, []*ir.Value{inner.Val(s.combine, t.Elem, body.Arg(0), body.Arg(1))}, nil)
	return op.Result(0)
}
