package target

import (
	"fmt"
	"slices"
)

// region returns the only block of a region.
func (op *Op) region(i int) (*Block, error) {
	if i >= len(op.Regions) || len(op.Regions[i]) != 1 {
		return nil, fmt.Errorf("expected one block in region %d", i)
	}
	return op.Regions[i][0], nil
}

// carried declares variables, and slots for tensors, that code assigns more than once.
func (e *emitter) carried(values []*Value) (list []*operand, err error) {
	for _, v := range values {
		if v.Type.Kind == Memref {
			return nil, fmt.Errorf("a memref that changes its place: only numbers and tensors are carried")
		}
		if v.Type.Kind == Tensor {
			o, err := e.slot(v.Type)
			if err != nil {
				return nil, err
			}
			list = append(list, o)
			continue
		}
		c, err := ctype(v.Type.Elem)
		if err != nil {
			return nil, err
		}
		o := &operand{typ: v.Type, c: e.name("c")}
		e.line("%s %s;", c, o.c)
		list = append(list, o)
	}
	return list, nil
}

// assign gives carried operands their next values, all at once: a value that lives in one of them is
// saved before any changes.
func (e *emitter) assign(to []*operand, values []*Value) error {
	if len(to) != len(values) {
		return fmt.Errorf("%d values for %d places", len(values), len(to))
	}
	from := make([]*operand, len(values))
	for i, v := range values {
		from[i] = e.values[v]
		if err := e.save(to, i, from); err != nil {
			return err
		}
	}
	for i, o := range from {
		switch {
		case o.typ.Kind == Scalar:
			e.line("%s = %s;", to[i].c, o.c)
		case o != to[i]:
			if err := e.copy(to[i], o); err != nil {
				return err
			}
		}
	}
	return nil
}

// save replaces from[i] by a copy where assigning could change it.
func (e *emitter) save(to []*operand, i int, from []*operand) error {
	o := from[i]
	if o == to[i] {
		return nil
	}
	if o.typ.Kind == Scalar {
		if !slices.ContainsFunc(to, func(t *operand) bool { return t.c == o.c }) {
			return nil
		}
		c, err := ctype(o.typ.Elem)
		kept := &operand{typ: o.typ, c: e.name("t")}
		e.line("%s %s = %s;", c, kept.c, o.c)
		from[i] = kept
		return err
	}
	if !slices.ContainsFunc(to, func(t *operand) bool { return t.slot != "" && t.slot == o.slot }) {
		return nil
	}
	kept, err := e.slot(o.typ)
	if err != nil {
		return err
	}
	from[i] = kept
	return e.copy(kept, o)
}

func (e *emitter) bind(values []*Value, to []*operand) error {
	if len(values) != len(to) {
		return fmt.Errorf("%d block arguments for %d values", len(values), len(to))
	}
	for i, v := range values {
		e.values[v] = to[i]
	}
	return nil
}

// forLoop counts in 64 bits, so that the last step cannot wrap around.
func (e *emitter) forLoop(op *Op) error {
	b, err := op.region(0)
	if err != nil {
		return err
	}
	if len(b.Args) == 0 {
		return fmt.Errorf("expected a variable that counts")
	}
	carry, err := e.carried(op.Results)
	if err != nil {
		return err
	}
	if err := e.assign(carry, op.Operands[3:]); err != nil {
		return err
	}
	n := e.name("n")
	e.open("for (int64_t %s = %s; %s < %s; %s += %s)", n, e.values[op.Operands[0]].c, n,
		e.values[op.Operands[1]].c,
		n, e.values[op.Operands[2]].c)
	if err := e.declare(b.Args[0], n); err != nil {
		return err
	}
	if err := e.bind(b.Args[1:], carry); err != nil {
		return err
	}
	yield, err := e.block(b)
	if err != nil {
		return err
	}
	if err := e.assign(carry, yield.Operands); err != nil {
		return err
	}
	e.close()
	return e.bind(op.Results, carry)
}

func (e *emitter) ifElse(op *Op) error {
	results, err := e.carried(op.Results)
	if err != nil {
		return err
	}
	for i, r := range op.Regions {
		if len(r) == 0 {
			continue // there is no else
		}
		if i == 0 {
			e.open("if (%s)", e.values[op.Operands[0]].c)
		} else {
			e.open("else")
		}
		b, err := op.region(i)
		if err != nil {
			return err
		}
		yield, err := e.block(b)
		if err != nil {
			return err
		}
		if err := e.assign(results, yield.Operands); err != nil {
			return err
		}
		e.close()
	}
	return e.bind(op.Results, results)
}

// whileLoop runs the region before, which ends with a condition, and the region after, in turn.
func (e *emitter) whileLoop(op *Op) error {
	before, err := op.region(0)
	if err != nil {
		return err
	}
	after, err := op.region(1)
	if err != nil {
		return err
	}
	args, err := e.carried(before.Args)
	if err != nil {
		return err
	}
	results, err := e.carried(op.Results)
	if err != nil {
		return err
	}
	if err := e.assign(args, op.Operands); err != nil {
		return err
	}
	e.open("for (;;)")
	if err := e.bind(before.Args, args); err != nil {
		return err
	}
	condition, err := e.block(before)
	if err != nil {
		return err
	}
	if len(condition.Operands) == 0 {
		return fmt.Errorf("expected scf.condition, found %s", condition.Name)
	}
	if err := e.assign(results, condition.Operands[1:]); err != nil {
		return err
	}
	e.line("if (!%s) break;", e.values[condition.Operands[0]].c)
	if err := e.bind(after.Args, results); err != nil {
		return err
	}
	yield, err := e.block(after)
	if err != nil {
		return err
	}
	if err := e.assign(args, yield.Operands); err != nil {
		return err
	}
	e.close()
	return e.bind(op.Results, results)
}
