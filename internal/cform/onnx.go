package cform

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

var (
	//go:embed onnx_types.c.txt
	onnxTypesText string
	//go:embed onnx.c.txt
	onnxText string
)

// Bounds of an operator: MAX_VALUES and MAX_TENSORS of the C source.
const (
	maxValues  = 128
	maxTensors = 64
)

// operators writes the tables of the operators: for each choice of types, one for the CPU, one for CUDA
// and one for HIP.
func (w *writer) operators() error {
	t := table{name: w.prefix + "_operators", ctype: "operator", exported: true}
	var all []rule.Served
	for _, o := range w.options.Operators {
		served := rule.Served{OperatorText: o.Text}
		if len(o.Values) > maxValues || len(o.Inputs)+len(o.Outputs) > maxTensors {
			return fmt.Errorf("operator %s has more than %d tensors, or more than %d dimensions and "+
				"attributes",
				o.Name, maxTensors, maxValues)
		}
		for _, types := range o.Combinations() {
			rows, err := w.operator(o, types)
			if err != nil {
				return fmt.Errorf("operator %s: %w", o.Name, err)
			}
			t.rows = append(t.rows, rows...)
			served.Kernels = append(served.Kernels, w.group(o.GroupFor(types)).kernels(types))
		}
		all = append(all, served)
	}
	last := []cell{ref(""), ref("")}
	for range 4 {
		last = append(last, number(0))
	}
	t.rows = append(t.rows, append(last, ref(""), ref(""), ref(""), ref(""), number(0)))
	w.tables = append(w.tables, t)
	return w.describeOperators(all)
}

// operator writes the tables of an operator with element types and returns its rows.
func (w *writer) operator(o *rule.Operator, types map[string]string) (rows [][]cell, err error) {
	name := o.GroupFor(types)
	g := w.group(name)
	switch {
	case g == nil:
		return nil, fmt.Errorf("there is no group %q with a rule for each variant (when)", name)
	case !g.grid:
		return nil, fmt.Errorf("group %q has no rule for the grid", name)
	}
	id := fmt.Sprintf("%s_%s", cName(o.Name), g.id)
	operands, err := w.operands(o, g, types)
	if err != nil {
		return nil, err
	}
	tensors, err := w.tensors(o, types, id)
	if err != nil {
		return nil, err
	}
	attributes := table{name: "attributes_" + id, ctype: "attribute_of"}
	for _, a := range o.Attributes {
		attributes.rows = append(attributes.rows,
			[]cell{a.Name, number(a.Float), w.rule(a.Default, o.Values)})
	}
	operands.name = "operands_" + id
	w.tables = append(w.tables, attributes, operands)
	for at := range places {
		if !g.has(at) {
			continue
		}
		rows = append(rows, []cell{o.Name, o.Domain, number(len(o.Inputs)), number(len(o.Outputs)),
			number(len(o.Attributes)), number(len(o.Values)), ref(tensors), ref(attributes.name),
			ref(g.symbol), ref(operands.name), number(int(at))})
	}
	return rows, nil
}

// has reports whether a group has code for a place.
func (g *grouped) has(at place) bool {
	return slices.ContainsFunc(g.variants, func(v *variant) bool { return v.on[at] })
}

// tensors writes the tables of an operator's tensors and returns their name.
func (w *writer) tensors(o *rule.Operator, types map[string]string, id string) (string, error) {
	out := table{name: "tensors_" + id, ctype: "tensor"}
	var bound []string
	for i, x := range slices.Concat(o.Inputs, o.Outputs) {
		element, ok := dtype.Parse(elementOf(x.Type, types))
		if !ok || element.ONNX() == 0 {
			return "", fmt.Errorf("%s: ONNX has no type %s", x.Name, x.Type)
		}
		dims := table{name: fmt.Sprintf("dims_%s_%d", id, i), ctype: "dim"}
		for _, d := range x.Dims {
			fresh := i < len(o.Inputs) && d.Name != "" && !slices.Contains(bound, d.Name)
			if fresh {
				bound = append(bound, d.Name)
			}
			dims.rows = append(dims.rows, []cell{number(d.Star), number(fresh),
				number(slices.Index(o.Values, d.Name)), w.rule(d.Rule, o.Values)})
		}
		like := -1
		if _, ok := types[x.Type]; ok {
			like = slices.IndexFunc(o.Inputs, func(y rule.Tensor) bool { return y.Type == x.Type })
		}
		w.tables = append(w.tables, dims)
		out.rows = append(out.rows, []cell{x.Name, number(element.ONNX()), number(like), number(len(x.Dims)),
			ref(dims.name)})
	}
	w.tables = append(w.tables, out)
	return out.name, nil
}

// elementOf returns the element type that a type's name stands for.
func elementOf(name string, types map[string]string) string {
	if t, ok := types[name]; ok {
		return t
	}
	return name
}

// operands returns the table that says what each argument and size of a group is.
func (w *writer) operands(o *rule.Operator, g *grouped, types map[string]string) (t table, err error) {
	t = table{ctype: "operand"}
	for _, a := range g.variants[0].saved.Args {
		var row []cell
		if a.Pointer {
			row, err = tensorOperand(o, a, types)
		} else {
			row, err = w.numberOperand(o, a.Name)
		}
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row)
	}
	for _, name := range g.sizes {
		row, err := w.numberOperand(o, name)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// tensorOperand returns the row of an argument that is a tensor.
func tensorOperand(o *rule.Operator, a code.SavedArg, types map[string]string) ([]cell, error) {
	name := a.Name
	if other, ok := o.Tensors[name]; ok {
		name = other
	}
	at := o.Tensor(name)
	if at < 0 {
		return nil, fmt.Errorf("the kernel's argument %s is none of the tensors: arguments.%s = \"TENSOR\" "+
			"says which",
			a.Name, a.Name)
	}
	x := slices.Concat(o.Inputs, o.Outputs)[at]
	have, _ := dtype.Parse(elementOf(x.Type, types))
	if want, ok := dtype.Parse(a.Type); !ok || want != have {
		return nil, fmt.Errorf("%s has elements of %s, and the kernel's %s is *%s", x.Name,
			elementOf(x.Type, types), a.Name, a.Type)
	}
	return []cell{number(at), ref("")}, nil
}

// numberOperand returns the row of an argument that is a number, or of a size.
func (w *writer) numberOperand(o *rule.Operator, name string) ([]cell, error) {
	r, ok := o.Arguments[name]
	if !ok && slices.Contains(o.Values, name) {
		r, ok = rule.Rule{{Op: rule.Load, Name: name}}, true
	}
	if !ok {
		return nil, fmt.Errorf("%s is no dimension and no attribute: arguments.%s = \"RULE\" says what it is",
			name, name)
	}
	return []cell{number(-1), w.rule(r, o.Values)}, nil
}

var errNoOperators = errors.New("the tables describe no operators: [[operators]] of a manifest does " +
	"(docs/ONNXRUNTIME.md)")
