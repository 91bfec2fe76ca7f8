package target

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/backend"
)

// EmitTTGIR returns a kernel at the TTGIR stage, in pretty form, as a C file. Layouts say which thread of a
// GPU has an element; C has one thread for a program, so a tensor is an array and a layout means nothing.
func EmitTTGIR(k *backend.Kernel) (string, error) {
	return emit(k, "tt.func", ttgirHandlers(), (*emitter).launchArguments)
}

// launchArguments declares the arguments of a function that has those of the launch alone.
func (e *emitter) launchArguments(k *backend.Kernel, b *Block) error {
	if len(b.Args) != len(k.Params) {
		return fmt.Errorf("the function has %d arguments, the launch %d", len(b.Args), len(k.Params))
	}
	for i, v := range b.Args {
		if err := e.argument(v, i); err != nil {
			return fmt.Errorf("argument %s: %w", v.Name, err)
		}
	}
	return nil
}

// argument declares an argument of the launch: a number, or an address as one.
func (e *emitter) argument(v *Value, word int) error {
	c, err := ctype(v.Type.Elem)
	if err != nil || v.Type.Kind != Scalar {
		return fmt.Errorf("expected a number or an address: %w", err)
	}
	o := &operand{typ: v.Type, c: e.name("a")}
	e.line("%s %s;", c, o.c)
	e.line("memcpy(&%s, &words[%d], sizeof %s);", o.c, word, o.c)
	e.values[v] = o
	return nil
}

// ttgirHandlers returns how operations on tensors with layouts are written, apart from those on elements.
func ttgirHandlers() map[string]handler {
	return map[string]handler{
		"arith.constant": {(*emitter).constant, 0, 1},
		"arith.bitcast":  {(*emitter).bitcast, 1, 1},
		"arith.cmpi":     {compare(cmpi), 2, 1},
		"arith.cmpf":     {compare(cmpf), 2, 1},

		"scf.for":   {(*emitter).forLoop, 3, -1},
		"scf.if":    {(*emitter).ifElse, 1, -1},
		"scf.while": {(*emitter).whileLoop, 0, -1},

		"tt.get_program_id":   {ofProgram("pid"), 0, 1},
		"tt.get_num_programs": {ofProgram("grid"), 0, 1},
		"tt.make_range":       {(*emitter).makeRange, 0, 1},
		"tt.splat":            {(*emitter).splat, 1, 1},
		"tt.expand_dims":      {(*emitter).expandDims, 1, 1},
		"tt.broadcast":        {(*emitter).repeat, 1, 1},
		"tt.trans":            {(*emitter).permute, 1, 1},
		"tt.reshape":          {(*emitter).reshape, 1, 1},
		"ttg.convert_layout":  {(*emitter).same, 1, 1},
		"tt.addptr":           {(*emitter).addPointer, 2, 1},
		"tt.load":             {(*emitter).loadPointer, 1, 1},
		"tt.store":            {(*emitter).storePointer, 2, 0},
		"tt.reduce":           {(*emitter).fold, 1, -1},
	}
}

// each writes an operation on tensors, element by element: of each operand, write sees one.
func (e *emitter) each(op *Op, write func(*Op) error) error {
	var shape Type
	for _, v := range slices.Concat(op.Results, op.Operands) {
		if v.Type.Kind == Tensor {
			shape = v.Type
			break
		}
	}
	var out *operand
	if len(op.Results) == 1 {
		var err error
		if out, err = e.slot(op.Results[0].Type); err != nil {
			return err
		}
	}
	sizes, _ := rowMajor(shape.Shape)
	vars := e.loops(sizes)
	one := &Op{Name: op.Name, Attrs: op.Attrs, Line: op.Line}
	for _, v := range op.Operands {
		x := &Value{v.Name, Type{Elem: v.Type.Elem}}
		o := e.values[v]
		if v.Type.Kind == Tensor {
			if len(o.sizes) != len(vars) {
				return fmt.Errorf("an operand of %d dimensions among those of %d", len(o.sizes), len(vars))
			}
			o = &operand{typ: x.Type, c: o.at(vars)}
		}
		e.values[x] = o
		one.Operands = append(one.Operands, x)
	}
	if out != nil {
		one.Results = []*Value{{Type: Type{Elem: op.Results[0].Type.Elem}}}
	}
	if err := write(one); err != nil {
		return err
	}
	if out != nil {
		e.line("%s = %s;", out.at(vars), e.values[one.Results[0]].c)
		e.values[op.Results[0]] = out
	}
	for range vars {
		e.close()
	}
	return nil
}

// onTensors reports whether an operation has a tensor that each can take apart.
func onTensors(op *Op) bool {
	return slices.ContainsFunc(slices.Concat(op.Results, op.Operands), func(v *Value) bool {
		return v.Type.Kind == Tensor
	})
}

// ofProgram writes a number of the program or of the grid along an axis.
func ofProgram(of string) func(*emitter, *Op) error {
	return func(e *emitter, op *Op) error {
		axis, err := op.integer("axis")
		if err != nil || axis < 0 || axis > 2 {
			return fmt.Errorf("no such axis: %s", op.Attrs["axis"])
		}
		e.values[op.Results[0]] = &operand{typ: op.Results[0].Type, c: fmt.Sprintf("%s[%d]", of, axis)}
		return nil
	}
}

func (e *emitter) makeRange(op *Op) error {
	start, err := op.integer("start")
	if err != nil {
		return err
	}
	o, err := e.slot(op.Results[0].Type)
	if err != nil {
		return err
	}
	vars := e.loops(o.sizes)
	if len(vars) != 1 {
		return fmt.Errorf("expected one dimension")
	}
	e.line("%s = %s;", o.at(vars), plus(vars[0], fmt.Sprint(start)))
	e.close()
	e.values[op.Results[0]] = o
	return nil
}

func (e *emitter) splat(op *Op) error { return e.filled(op.Results[0], e.values[op.Operands[0]].c) }

// same passes a value on.
func (e *emitter) same(op *Op) error {
	e.values[op.Results[0]] = e.values[op.Operands[0]]
	return nil
}

// seen makes the result another view of the operand's elements.
func (e *emitter) seen(op *Op, change func(o *operand) error) error {
	o := *e.values[op.Operands[0]]
	o.typ, o.whole = op.Results[0].Type, false
	o.sizes, o.strides = slices.Clone(o.sizes), slices.Clone(o.strides)
	if err := change(&o); err != nil {
		return err
	}
	if len(o.sizes) != len(o.typ.Shape) {
		return fmt.Errorf("the result has %d dimensions, expected %d", len(o.typ.Shape), len(o.sizes))
	}
	e.values[op.Results[0]] = &o
	return nil
}

// expandDims adds a dimension of one element.
func (e *emitter) expandDims(op *Op) error {
	axis, err := op.integer("axis")
	if err != nil {
		return err
	}
	return e.seen(op, func(o *operand) error {
		if axis < 0 || int(axis) > len(o.sizes) {
			return fmt.Errorf("no dimension %d", axis)
		}
		o.sizes = slices.Insert(o.sizes, int(axis), "1")
		o.strides = slices.Insert(o.strides, int(axis), "0")
		return nil
	})
}

// repeat reads the only element of a dimension for all of it.
func (e *emitter) repeat(op *Op) error {
	return e.seen(op, func(o *operand) error {
		want, _ := rowMajor(o.typ.Shape)
		for i := range min(len(want), len(o.sizes)) {
			if o.sizes[i] == "1" {
				o.strides[i] = "0"
			}
		}
		if len(want) == len(o.sizes) {
			o.sizes = want
		}
		return nil
	})
}

// permute puts dimension order[i] of its operand at place i.
func (e *emitter) permute(op *Op) error {
	order, err := op.ints("order")
	if err != nil {
		return err
	}
	return e.seen(op, func(o *operand) error {
		sizes, strides := o.sizes, o.strides
		o.sizes, o.strides = nil, nil
		for _, d := range order {
			if d < 0 || int(d) >= len(sizes) {
				return fmt.Errorf("no dimension %d", d)
			}
			o.sizes, o.strides = append(o.sizes, sizes[d]), append(o.strides, strides[d])
		}
		return nil
	})
}

// addPointer moves addresses by a number of elements.
func (e *emitter) addPointer(op *Op) error {
	c, err := ctype(pointee(op.Operands[0].Type.Elem))
	if err != nil {
		return err
	}
	return e.pointers(op, fmt.Sprintf("$a + (uint64_t)((int64_t)$b * (int64_t)sizeof(%s))", c))
}

// loadPointer reads what addresses point to; hidden lanes get another value, or 0.
func (e *emitter) loadPointer(op *Op) error {
	template := "*($T *)(uintptr_t)$a"
	switch len(op.Operands) {
	case 2:
		template = "$b ? " + template + " : ($T)0"
	case 3:
		template = "$b ? " + template + " : $c"
	}
	return e.pointers(op, template)
}

// pointers writes a template on numbers or, element by element, on tensors.
func (e *emitter) pointers(op *Op, template string) error {
	write := func(one *Op) error { return e.scalar(one, template) }
	if onTensors(op) {
		return e.each(op, write)
	}
	return write(op)
}

// storePointer writes what addresses point to.
func (e *emitter) storePointer(op *Op) error {
	c, err := ctype(op.Operands[1].Type.Elem)
	if err != nil {
		return err
	}
	write := func(one *Op) error {
		to := fmt.Sprintf("*(%s *)(uintptr_t)%s = %s;", c, e.values[one.Operands[0]].c,
			e.values[one.Operands[1]].c)
		if len(one.Operands) > 2 {
			to = fmt.Sprintf("if (%s) %s", e.values[one.Operands[2]].c, to)
		}
		e.line("%s", to)
		return nil
	}
	if onTensors(op) {
		return e.each(op, write)
	}
	return write(op)
}

// fold reduces tensors along an axis, all of them at once, in the order of their elements.
func (e *emitter) fold(op *Op) error {
	axis, err := op.integer("axis")
	if err != nil {
		return err
	}
	b, err := op.region(0)
	if err != nil {
		return err
	}
	n := len(op.Operands)
	shape := op.Operands[0].Type.Shape
	if len(b.Args) != 2*n || len(op.Results) != n || axis < 0 || int(axis) >= len(shape) {
		return fmt.Errorf("expected an axis of its operands, and two values of each in its block")
	}
	results, err := e.carried(op.Results)
	if err != nil {
		return err
	}
	sizes, _ := rowMajor(shape)
	place := e.loops(slices.Delete(slices.Clone(sizes), int(axis), int(axis)+1))
	along := func(i string) []string { return slices.Insert(slices.Clone(place), int(axis), i) }
	sums, err := e.carried(b.Args[:n])
	if err != nil {
		return err
	}
	for i, v := range op.Operands {
		e.line("%s = %s;", sums[i].c, e.values[v].at(along("0")))
	}
	x := e.name("i")
	e.open("for (int64_t %s = 1; %s < %s; %s++)", x, x, sizes[axis], x)
	for i, v := range op.Operands {
		e.values[b.Args[i]] = sums[i]
		if err := e.declare(b.Args[n+i], e.values[v].at(along(x))); err != nil {
			return err
		}
	}
	end, err := e.block(b)
	if err != nil {
		return err
	}
	if err := e.assign(sums, end.Operands); err != nil {
		return err
	}
	e.close()
	for i, r := range results {
		to := r.c
		if r.typ.Kind == Tensor {
			to = r.at(place)
		}
		e.line("%s = %s;", to, sums[i].c)
		e.values[op.Results[i]] = r
	}
	for range place {
		e.close()
	}
	return nil
}
