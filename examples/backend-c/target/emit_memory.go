package target

import (
	"fmt"
	"slices"
)

// alloc makes room. What tensor.empty returns is never read, but some operations ask for its shape.
func (e *emitter) alloc(op *Op) error {
	o, err := e.slot(op.Results[0].Type)
	e.values[op.Results[0]] = o
	return err
}

// view is what offsets, sizes and strides of an operation select.
type view struct{ offsets, sizes, strides []string }

// view reads offsets, sizes and strides: numbers in attributes, and operands where these say Dynamic.
func (e *emitter) view(op *Op, groups [][]*Value) (v view, err error) {
	for i, name := range []string{"static_offsets", "static_sizes", "static_strides"} {
		numbers, err := op.ints(name)
		if err != nil {
			return v, err
		}
		dynamic := groups[i]
		var list []string
		for _, n := range numbers {
			switch {
			case n != Dynamic:
				list = append(list, fmt.Sprint(n))
			case len(dynamic) == 0:
				return v, fmt.Errorf("%s has more unknown numbers than operands", name)
			default:
				list = append(list, e.values[dynamic[0]].c)
				dynamic = dynamic[1:]
			}
		}
		*[]*[]string{&v.offsets, &v.sizes, &v.strides}[i] = list
	}
	if len(v.sizes) != len(v.strides) {
		return v, fmt.Errorf("%d sizes and %d strides", len(v.sizes), len(v.strides))
	}
	return v, nil
}

// reinterpret lays a shape over an address.
func (e *emitter) reinterpret(op *Op) error {
	groups, err := op.segments(4)
	if err != nil {
		return err
	}
	v, err := e.view(op, groups[1:])
	if err != nil {
		return err
	}
	if len(groups[0]) != 1 || len(v.offsets) != 1 {
		return fmt.Errorf("expected one source and one offset")
	}
	src := e.values[groups[0][0]]
	return e.pointer(op.Results[0], src, v.offsets[0], v.sizes, v.strides)
}

// pointer declares the address of a view and makes it the operand of v.
func (e *emitter) pointer(v *Value, src *operand, offset string, sizes, strides []string) error {
	t, err := ctype(v.Type.Elem)
	if err != nil {
		return err
	}
	o := &operand{typ: v.Type, c: src.c, sizes: sizes, strides: strides, slot: src.slot}
	if offset != "0" {
		o.c = e.name("p")
		e.line("%s *%s = %s + %s;", t, o.c, src.c, offset)
	}
	e.values[v] = o
	return nil
}

// slice is memref.subview and tensor.extract_slice: a view of its operand.
func (e *emitter) slice(op *Op) error {
	groups, err := op.segments(4)
	if err != nil {
		return err
	}
	v, err := e.view(op, groups[1:])
	if err != nil {
		return err
	}
	if len(groups[0]) != 1 {
		return fmt.Errorf("expected one source")
	}
	return e.sliced(op.Results[0], e.values[groups[0][0]], v)
}

func (e *emitter) sliced(result *Value, src *operand, v view) error {
	if len(v.offsets) != len(src.strides) || len(v.sizes) != len(src.strides) {
		return fmt.Errorf("a slice of %d dimensions of a tensor of %d", len(v.sizes), len(src.strides))
	}
	offset := "0"
	strides := make([]string, len(v.sizes))
	for i, s := range src.strides {
		offset = plus(offset, times(v.offsets[i], s))
		strides[i] = times(v.strides[i], s)
	}
	sizes := slices.Clone(v.sizes)
	// A result of fewer dimensions lacks some of size 1.
	for i := len(sizes) - 1; i >= 0 && len(sizes) > len(result.Type.Shape); i-- {
		if sizes[i] == "1" && (i >= len(result.Type.Shape) || result.Type.Shape[i] != 1) {
			sizes, strides = slices.Delete(sizes, i, i+1), slices.Delete(strides, i, i+1)
		}
	}
	if len(sizes) != len(result.Type.Shape) {
		return fmt.Errorf("cannot tell which dimensions the result lacks")
	}
	return e.pointer(result, src, offset, sizes, strides)
}

// insertSlice is a copy of a tensor with a part replaced.
func (e *emitter) insertSlice(op *Op) error {
	groups, err := op.segments(5)
	if err != nil {
		return err
	}
	v, err := e.view(op, groups[2:])
	if err != nil {
		return err
	}
	if len(groups[0]) != 1 || len(groups[1]) != 1 {
		return fmt.Errorf("expected one source and one destination")
	}
	o, err := e.slot(op.Results[0].Type)
	if err != nil {
		return err
	}
	e.values[op.Results[0]] = o
	if err := e.copy(o, e.values[groups[1][0]]); err != nil {
		return err
	}
	part := &Value{Type: groups[0][0].Type}
	if err := e.sliced(part, o, v); err != nil {
		return err
	}
	return e.copy(e.values[part], e.values[groups[0][0]])
}

// cast keeps the operand: only its type says more or less.
func (e *emitter) cast(op *Op) error {
	src := *e.values[op.Operands[0]]
	src.typ = op.Results[0].Type
	e.values[op.Results[0]] = &src
	return nil
}

// element returns the element that the operands after a tensor select.
func (e *emitter) element(operands []*Value) (string, error) {
	src := e.values[operands[0]]
	if len(operands)-1 != len(src.strides) {
		return "", fmt.Errorf("%d indices for %d dimensions", len(operands)-1, len(src.strides))
	}
	var place []string
	for _, v := range operands[1:] {
		place = append(place, e.values[v].c)
	}
	return src.at(place), nil
}

func (e *emitter) load(op *Op) error {
	c, err := e.element(op.Operands)
	if err != nil {
		return err
	}
	return e.declare(op.Results[0], c)
}

func (e *emitter) store(op *Op) error {
	c, err := e.element(op.Operands[1:])
	if err != nil {
		return err
	}
	e.line("%s = %s;", c, e.values[op.Operands[0]].c)
	return nil
}

// copyInto is memref.copy and bufferization.materialize_in_destination: from the first operand into the
// second.
func (e *emitter) copyInto(op *Op) error {
	return e.copy(e.values[op.Operands[1]], e.values[op.Operands[0]])
}

// toTensor makes a value of memory: the kernel's own as it is, since nobody writes it afterwards; the
// caller's as a copy.
func (e *emitter) toTensor(op *Op) error {
	src := e.values[op.Operands[0]]
	if src.slot != "" {
		return e.cast(op)
	}
	o, err := e.slot(op.Results[0].Type)
	if err != nil {
		return err
	}
	e.values[op.Results[0]] = o
	return e.copy(o, src)
}

// reshape is tensor.expand_shape and tensor.collapse_shape: the same elements in another shape, copied
// first where they do not lie one behind the other.
func (e *emitter) reshape(op *Op) error {
	src := e.values[op.Operands[0]]
	t := op.Results[0].Type
	if !t.Static() {
		return fmt.Errorf("a shape that is not known when the kernel is compiled")
	}
	if !src.whole {
		o, err := e.slot(src.typ)
		if err != nil {
			return err
		}
		if err := e.copy(o, src); err != nil {
			return err
		}
		src = o
	}
	o := &operand{typ: t, c: src.c, slot: src.slot, whole: true}
	o.sizes, o.strides = rowMajor(t.Shape)
	e.values[op.Results[0]] = o
	return nil
}
