package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// control is the attribute of an operation that calls functions: how it is made again with other ones.
type control struct {
	again func(f *Function, in []compute.Value, subs []*Function) ([]compute.Value, error)
	axis  int   // of Sort
	first []int // where the captured values of each function begin among the operands
}

// calls adds an operation that calls functions; what they capture are operands, too.
func (f *Function) calls(op compute.OpType, in []*node, outs []shapes.Shape, c control, subs ...*Function) (
	[]compute.Value, error) {
	for _, s := range subs {
		c.first = append(c.first, len(in))
		for _, n := range s.captures {
			x, err := f.local(n)
			if err != nil {
				return nil, errors.WithMessagef(err, "%s: a captured value", op)
			}
			in = append(in, x)
		}
	}
	return f.parts(&node{op: op, inputs: in, outs: outs, attr: c, subs: subs}), nil
}

// sub checks a function that an operation calls.
func (f *Function) sub(op string, g compute.Function) (*Function, error) {
	s, ok := g.(*Function)
	if !ok || s == nil || s.builder != f.builder || !s.returned {
		return nil, errors.Errorf("%s: a function that is not of this builder, or has not returned", op)
	}
	return s, nil
}

func shapesOf(list []*node) (out []shapes.Shape) {
	for _, n := range list {
		out = append(out, n.shape)
	}
	return out
}

// sameShapes returns an error unless two lists of nodes have the same shapes.
func sameShapes(op, what string, a, b []shapes.Shape) error {
	if len(a) != len(b) {
		return errors.Errorf("%s: %d %s, not %d", op, len(a), what, len(b))
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return errors.Errorf("%s: %s %d: the shape is %s, not %s", op, what, i, a[i], b[i])
		}
	}
	return nil
}

// Call implements compute.Function.
func (f *Function) Call(g compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	s, err := f.sub("Call", g)
	if err != nil {
		return nil, err
	}
	in, err := f.values("Call", inputs...)
	if err != nil {
		return nil, err
	}
	if err := sameShapes("Call", "operands", shapesOf(in), shapesOf(s.params)); err != nil {
		return nil, err
	}
	return f.calls(compute.OpTypeCall, in, shapesOf(s.outputs), control{
		again: func(f *Function, in []compute.Value, subs []*Function) ([]compute.Value, error) {
			return f.Call(subs[0], in[:len(s.params)]...)
		}}, s)
}

// If implements compute.Function.
func (f *Function) If(pred compute.Value, onTrue, onFalse compute.Function) ([]compute.Value, error) {
	a, err := f.sub("If", onTrue)
	if err != nil {
		return nil, err
	}
	b, err := f.sub("If", onFalse)
	if err != nil {
		return nil, err
	}
	in, err := f.values("If", pred)
	if err != nil {
		return nil, err
	}
	if !in[0].shape.IsScalar() || in[0].shape.DType != dtypes.Bool || len(a.params)+len(b.params) > 0 {
		return nil, errors.Errorf("If: a condition of %s, branches of %d and %d parameters", in[0].shape,
			len(a.params), len(b.params))
	}
	if err := sameShapes("If", "results", shapesOf(a.outputs), shapesOf(b.outputs)); err != nil {
		return nil, err
	}
	return f.calls(compute.OpTypeIf, in, shapesOf(a.outputs), control{
		again: func(f *Function, in []compute.Value, subs []*Function) ([]compute.Value, error) {
			return f.If(in[0], subs[0], subs[1])
		}}, a, b)
}

// While implements compute.Function.
func (f *Function) While(cond, body compute.Function, state ...compute.Value) ([]compute.Value, error) {
	c, err := f.sub("While", cond)
	if err != nil {
		return nil, err
	}
	b, err := f.sub("While", body)
	if err != nil {
		return nil, err
	}
	in, err := f.values("While", state...)
	if err != nil {
		return nil, err
	}
	list := shapesOf(in)
	for _, x := range [][]shapes.Shape{shapesOf(c.params), shapesOf(b.params), shapesOf(b.outputs)} {
		if err := sameShapes("While", "values of the state", x, list); err != nil {
			return nil, err
		}
	}
	if len(c.outputs) != 1 || !c.outputs[0].shape.IsScalar() || c.outputs[0].shape.DType != dtypes.Bool {
		return nil, errors.Errorf("While: the condition returns %v, not one bool", shapesOf(c.outputs))
	}
	return f.calls(compute.OpTypeWhile, in, list, control{
		again: func(f *Function, in []compute.Value, subs []*Function) ([]compute.Value, error) {
			return f.While(subs[0], subs[1], in[:len(list)]...)
		}}, c, b)
}

// callee is a function as a step calls it.
type callee struct {
	program *program
	values  []int // slots of captured values
}

// callees compiles the functions of a node.
func (l *lowering) callees(n *node) ([]callee, error) {
	c := n.attr.(control)
	list := make([]callee, len(n.subs))
	for i, s := range n.subs {
		p, err := l.b.compile(s)
		if err != nil {
			return nil, err
		}
		list[i].program = p
		for j := range s.captures {
			list[i].values = append(list[i].values, l.slotOf[n.inputs[c.first[i]+j]])
		}
	}
	return list, nil
}

// run calls a function with operands, and what it captures.
func (c callee) run(p *program, operands []*nereid.Tensor, donated []*memory) ([]*memory, error) {
	in := slices.Clone(operands)
	for _, s := range c.values {
		in = append(in, p.vals[s])
	}
	return c.program.run(in, donated, p.depth+1)
}

// madeSlots returns the slots of a node's results, which a call makes.
func (l *lowering) madeSlots(n *node, kind blockKind) []int {
	slots := make([]int, len(n.outs))
	for i, s := range n.outs {
		slots[i] = l.newSlot(kind, s)
		l.slotOf[n.fn.nodes[n.id+1+i]] = slots[i]
		l.inMemory[n.fn.nodes[n.id+1+i]] = true
	}
	return slots
}

// slotsOf returns the slots of a node's operands.
func (l *lowering) slotsOf(list []*node) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = l.slotOf[n]
	}
	return out
}

// setMade gives a slot the memory that a call has made.
func (p *program) setMade(s int, m *memory) {
	p.made[p.slots[s].block] = m
	p.share(s, m.view(p.slots[s].dt, p.slots[s].dims))
}

func (p *program) tensors(slots []int) []*nereid.Tensor {
	out := make([]*nereid.Tensor, len(slots))
	for i, s := range slots {
		out[i] = p.vals[s]
	}
	return out
}

// runInto runs the function, and makes its results the values of some slots.
func (c callee) runInto(p *program, operands []*nereid.Tensor, outs []int) error {
	made, err := c.run(p, operands, nil)
	if err != nil {
		return err
	}
	for i, m := range made {
		p.setMade(outs[i], m)
	}
	return nil
}

func lowerCall(l *lowering, n *node) error {
	list, err := l.callees(n)
	if err != nil {
		return err
	}
	operands := l.slotsOf(n.inputs[:len(n.subs[0].params)])
	outs := l.madeSlots(n, madeBlock)
	l.step(stepFunc(func(p *program) error {
		return list[0].runInto(p, p.tensors(operands), outs)
	}), append(l.slotsOf(n.inputs), outs...)...)
	return nil
}

func lowerIf(l *lowering, n *node) error {
	list, err := l.callees(n)
	if err != nil {
		return err
	}
	pred := l.slotOf[n.inputs[0]]
	outs := l.madeSlots(n, madeBlock)
	l.step(stepFunc(func(p *program) error {
		branch := list[1]
		yes, err := p.b.truth(p.vals[pred])
		if err != nil {
			return err
		}
		if yes {
			branch = list[0]
		}
		return branch.runInto(p, nil, outs)
	}), append(l.slotsOf(n.inputs), outs...)...)
	return nil
}

// truth returns a bool of the device.
func (b *Backend) truth(t *nereid.Tensor) (bool, error) {
	var one [1]byte
	err := t.CopyBytesTo(one[:])
	return one[0] != 0, errors.Wrapf(err, "backend %q", Name)
}

func lowerWhile(l *lowering, n *node) error {
	list, err := l.callees(n)
	if err != nil {
		return err
	}
	start := l.slotsOf(n.inputs[:len(n.outs)])
	outs := l.madeSlots(n, madeBlock)
	l.step(stepFunc(func(p *program) error {
		state, err := loop(p, list[0], list[1], start, outs)
		for i, m := range state {
			if m != nil {
				p.setMade(outs[i], m)
			}
		}
		return err
	}), append(l.slotsOf(n.inputs), outs...)...)
	return nil
}

// loop runs a loop from the values of some slots. The state that it returns is the caller's.
func loop(p *program, cond, body callee, start, outs []int) ([]*memory, error) {
	values := p.tensors(start)
	state := make([]*memory, len(start))
	for {
		yes, err := p.holds(cond, values)
		if err != nil || !yes {
			return p.owned(state, values, outs, err)
		}
		next, err := body.run(p, values, state)
		for _, m := range state { // what the body has not used again
			if m != nil {
				p.b.pool.put(m)
			}
		}
		state = next
		if err != nil {
			return nil, err
		}
		for i, m := range state {
			values[i] = m.view(p.slots[outs[i]].dt, p.slots[outs[i]].dims)
		}
	}
}

// holds returns whether the condition of a loop does.
func (p *program) holds(cond callee, values []*nereid.Tensor) (bool, error) {
	made, err := cond.run(p, values, nil)
	if err != nil {
		return false, err
	}
	defer p.b.pool.put(made[0])
	return p.b.truth(made[0].t)
}

// owned returns a state of which every part is the caller's: values that no turn of the loop made are
// copied.
func (p *program) owned(state []*memory, values []*nereid.Tensor, outs []int, err error) ([]*memory,
	error) {
	if err != nil {
		return state, err
	}
	for i, m := range state {
		if m != nil {
			continue
		}
		x := p.slots[outs[i]]
		bytes := bytesOf(x.dt, product(x.dims))
		if state[i], err = p.b.pool.get(bytes); err != nil {
			return state, err
		}
		if bytes == 0 {
			continue
		}
		if err := p.b.copyBytes(state[i].t, values[i], bytes); err != nil {
			return state, err
		}
	}
	return state, nil
}

func lowerBarrier(l *lowering, n *node) error {
	for i, in := range n.inputs {
		l.slotOf[n.fn.nodes[n.id+1+i]] = l.slotIn(l.slots[l.slotOf[in]].block, in.shape)
		l.inMemory[n.fn.nodes[n.id+1+i]] = true
	}
	return nil
}
