package layouts

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// propagation moves layouts forward. Anchors are ops whose layout was chosen for them. Each passes its layout
// to everything computed from its results; where several arrive, pick chooses one; then all values get the
// chosen layout, and conversions go where an op still needs another.
type propagation struct {
	layouts map[*ir.Value][]ir.Attr // candidates, in the order found
	order   []*ir.Value             // keys of layouts, in the order found
	before  map[*ir.Value]ir.Attr   // layout of a value before its change
	cvts    map[conversion]*ir.Value
}

type conversion struct {
	v   *ir.Value
	enc ir.Attr
}

func propagateLayouts(fn *ir.Op) {
	p := &propagation{layouts: map[*ir.Value][]ir.Attr{}, before: map[*ir.Value]ir.Attr{},
		cvts: map[conversion]*ir.Value{}}
	p.findAnchors(fn)
	p.spread()
	p.pick()
	p.rewrite(fn)
}

func (p *propagation) findAnchors(fn *ir.Op) {
	for _, a := range fn.Body(0).Args() {
		p.add(a, ttgir.EncodingOf(a))
	}
	for op := range fn.Ops() {
		if isAnchor(op) {
			for _, r := range op.Results() {
				p.add(r, ttgir.EncodingOf(r))
			}
		}
	}
}

// add records a candidate and reports whether it is new.
func (p *propagation) add(v *ir.Value, enc ir.Attr) bool {
	if enc == nil || ttgir.TensorOf(v) == nil || slices.Contains(p.layouts[v], enc) {
		return false
	}
	if _, seen := p.layouts[v]; !seen {
		p.order = append(p.order, v)
	}
	p.layouts[v] = append(p.layouts[v], enc)
	return true
}

// spread passes candidates on until nothing changes.
func (p *propagation) spread() {
	stack := slices.Clone(p.order)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for u := range v.Uses() {
			for _, to := range flowsTo(u) {
				changed := false
				for _, enc := range p.layouts[v] {
					if u.Owner().Def != ttg.ConvertLayout {
						enc = inferDst(u.Owner(), enc)
					}
					changed = p.add(to, enc) || changed
				}
				if changed {
					stack = append(stack, to)
				}
			}
		}
	}
}

// toResults returns all results: their layouts follow from any operand's.
func toResults(op *ir.Op, _ int) []*ir.Value { return op.Results() }

// toSameResult returns result i, for ops that pass each operand on as a result.
func toSameResult(op *ir.Op, i int) []*ir.Value { return op.Results()[i : i+1] }

func forFlow(op *ir.Op, i int) []*ir.Value {
	if i < 3 {
		return nil
	}
	return []*ir.Value{scf.IterArgs(op)[i-3], op.Result(i - 3)}
}

func whileFlow(op *ir.Op, i int) []*ir.Value { return []*ir.Value{op.Body(0).Arg(i)} }

func conditionFlow(op *ir.Op, i int) []*ir.Value {
	if i == 0 {
		return nil
	}
	loop := op.Parent()
	return []*ir.Value{loop.Body(1).Arg(i - 1), loop.Result(i - 1)}
}

// gatherFlow propagates the layout of the indices to the result.
func gatherFlow(op *ir.Op, i int) []*ir.Value {
	if i != 1 || efficient(op) {
		return nil
	}
	return op.Results()
}

// yieldsTo returns the values that operand i of a yield becomes.
func yieldsTo(yield *ir.Op, i int) []*ir.Value {
	switch parent := yield.Parent(); parent.Def {
	case scf.For:
		return []*ir.Value{parent.Result(i), scf.IterArgs(parent)[i]}
	case scf.If:
		return []*ir.Value{parent.Result(i)}
	case scf.While:
		return []*ir.Value{parent.Body(0).Arg(i)}
	}
	return nil
}

// pick leaves one candidate for each value: a tensor core's layout before others, except where memory is
// accessed.
func (p *propagation) pick() {
	for _, v := range p.order {
		list := p.layouts[v]
		access := v.Def() != nil && MemAccessPtr(v.Def()) != nil
		best := list[0]
		for _, e := range list {
			_, blocked := ttg.As[ttg.Blocked](e)
			if access && blocked || !access && ttg.IsMma(e) {
				best = e
				break
			}
		}
		p.layouts[v] = []ir.Attr{best}
	}
	// The result of a loop and its argument have the same layout.
	for _, v := range p.order {
		if op := v.Def(); op != nil && op.Def == scf.For {
			p.layouts[scf.IterArgs(op)[v.Index()]] = p.layouts[v]
		}
	}
}

// rewrite gives every value its layout and every op the operands it needs.
func (p *propagation) rewrite(fn *ir.Op) {
	for _, v := range p.order {
		if enc := p.layouts[v][0]; enc != ttgir.EncodingOf(v) {
			p.before[v] = ttgir.EncodingOf(v)
			ttgir.SetEncoding(v, enc)
		}
	}
	var ops []*ir.Op
	for op := range fn.Ops() {
		ops = append(ops, op)
	}
	for _, op := range ops {
		p.fixOperands(op)
	}
}

// fixOperands converts the operands of op that do not have the layout it needs.
func (p *propagation) fixOperands(op *ir.Op) {
	if f := Facts[op.Def].fix; f != nil {
		f(p, op)
		return
	}
	if op.NumResults() > 0 && p.before[op.Result(0)] != nil {
		p.setAll(op, p.operandLayout(op))
		return
	}
	for i, v := range op.Operands() {
		if enc := p.before[v]; enc != nil {
			p.set(op, i, enc)
		}
	}
}

// asValues gives operand from+i the layout of value i that the op passes it on to.
func asValues(from int, to func(op *ir.Op) []*ir.Value) func(p *propagation, op *ir.Op) {
	return func(p *propagation, op *ir.Op) {
		for i, v := range to(op) {
			p.set(op, from+i, ttgir.EncodingOf(v))
		}
	}
}

func whileArgs(op *ir.Op) []*ir.Value { return op.Body(0).Args() }

func parentResults(op *ir.Op) []*ir.Value { return op.Parent().Results() }

// anyOperands demands nothing, for ops that take operands in any layout.
func anyOperands(*propagation, *ir.Op) {}

func fixYield(p *propagation, op *ir.Op) {
	for i := range op.NumOperands() {
		if to := yieldsTo(op, i); to != nil {
			p.set(op, i, ttgir.EncodingOf(to[len(to)-1]))
		}
	}
}

// fixReduce gives all operands the same layout. A reduction to a scalar takes any.
func fixReduce(p *propagation, op *ir.Op) {
	if ttgir.TensorOf(op.Result(0)) != nil {
		p.setAll(op, p.operandLayout(op))
		return
	}
	p.setAll(op, ttgir.EncodingOf(op.Operand(0)))
}

// fixGather gives the indices the result's layout. The source may have any.
func fixGather(p *propagation, op *ir.Op) {
	if op.HasAttr("efficient_layout") {
		p.set(op, 0, p.before[op.Operand(0)])
	}
	p.set(op, 1, ttgir.EncodingOf(op.Result(0)))
}

// operandLayout returns the layout that op's operands need for its results, preferring one that an operand
// already has.
func (p *propagation) operandLayout(op *ir.Op) ir.Attr {
	want := ttgir.EncodingOf(op.Result(0))
	for _, v := range op.Operands() {
		if enc := ttgir.EncodingOf(v); enc != nil && inferDst(op, enc) == want {
			return enc
		}
	}
	return inferSrc(op, want)
}

func (p *propagation) setAll(op *ir.Op, enc ir.Attr) {
	for i := range op.NumOperands() {
		p.set(op, i, enc)
	}
}

// set converts operand i to enc. All users share a conversion.
func (p *propagation) set(op *ir.Op, i int, enc ir.Attr) {
	v := op.Operand(i)
	if enc == nil || ttgir.TensorOf(v) == nil || ttgir.EncodingOf(v) == enc {
		return
	}
	key := conversion{v, enc}
	if p.cvts[key] == nil {
		p.cvts[key] = ttgir.Convert(ttgir.AfterValue(v), v, enc)
	}
	op.SetOperand(i, p.cvts[key])
}
