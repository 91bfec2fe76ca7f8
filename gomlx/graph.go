package gomlx

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/sets"
	"github.com/pkg/errors"
)

// node is an operation of a graph. Nodes of several results have outs, and one node of opPart for each.
type node struct {
	fn     *Function
	id     int // its place in the function
	op     compute.OpType
	shape  shapes.Shape
	outs   []shapes.Shape
	inputs []*node
	attr   any // of the operation; comparable when printed
	subs   []*Function
	data   []byte // of a constant
	again  replay
}

// replay makes an operation again in another function, with sizes in the place of names: see specialize.go.
type replay func(f *Function, in []compute.Value, at shapes.AxisBindings) ([]compute.Value, error)

// Operations beside those of package compute.
const (
	opPart    compute.OpType = -1 - iota // one result of a node that has several; attr: which
	opCapture                            // a value of the function around; attr: its place among them
	opReduce                             // a reduction; attr: reduceAttr
	opPatches                            // windows of a tensor; attr: patchesAttr
)

// Builder implements compute.Builder.
type Builder struct {
	notimplemented.Builder
	b        *Backend
	name     string
	main     *Function
	names    sets.Set[string]    // of dynamic axes
	bindings shapes.AxisBindings // their sizes, in a builder that specializes
	compiled bool
}

func newBuilder(b *Backend, name string, at shapes.AxisBindings) *Builder {
	x := &Builder{b: b, name: name, names: sets.Make[string](), bindings: at}
	x.main = x.function(compute.MainName, nil)
	return x
}

func (x *Builder) function(name string, parent *Function) *Function {
	return &Function{Function: notimplemented.Function{ErrFn: func(op compute.OpType) error {
		return missing("%s", op)
	}}, builder: x, name: name, parent: parent, known: map[string]*node{}}
}

// Name implements compute.Builder.
func (x *Builder) Name() string { return x.name }

// Main implements compute.Builder.
func (x *Builder) Main() compute.Function { return x.main }

// NewFunction implements compute.Builder.
func (x *Builder) NewFunction(name string) (compute.Function, error) {
	if x.compiled || name == "" || name == compute.MainName {
		return nil, errors.Errorf("a function %q cannot be added to %q", name, x.name)
	}
	return x.function(name, nil), nil
}

// OpShape implements compute.Builder.
func (x *Builder) OpShape(v compute.Value) (shapes.Shape, error) {
	n, ok := v.(*node)
	if !ok || n.fn.builder != x {
		return shapes.Invalid(), errors.Errorf("%T is no value of %q", v, x.name)
	}
	return n.shape, nil
}

// DeviceAssignment implements compute.Builder.
func (x *Builder) DeviceAssignment(devices ...compute.DeviceNum) error {
	if len(devices) != 1 || devices[0] != 0 {
		return missing("devices %v", devices)
	}
	return nil
}

// Compile implements compute.Builder.
func (x *Builder) Compile() (compute.Executable, error) {
	if !x.main.returned {
		return nil, errors.Errorf("the main function of %q has not returned", x.name)
	}
	x.compiled = true
	return newExecutable(x)
}

// Function implements compute.Function.
type Function struct {
	notimplemented.Function
	builder  *Builder
	name     string
	parent   *Function
	nodes    []*node
	params   []*node
	names    []string // of parameters
	captures []*node  // values of the parent
	captured []*node  // the nodes that stand for them
	outputs  []*node
	returned bool
	known    map[string]*node // nodes without effects, by what they compute
}

var _ compute.Function = (*Function)(nil)

// Name implements compute.Function.
func (f *Function) Name() string { return f.name }

// Builder implements compute.Function.
func (f *Function) Builder() compute.Builder { return f.builder }

// Parent implements compute.Function.
func (f *Function) Parent() compute.Function {
	if f.parent == nil {
		return nil
	}
	return f.parent
}

// Closure implements compute.Function.
func (f *Function) Closure() (compute.Function, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	return f.builder.function("", f), nil
}

func (f *Function) open() error {
	if f.builder.compiled || f.returned {
		return errors.Errorf("function %q of %q is complete: nothing can be added", f.name, f.builder.name)
	}
	return nil
}

// Shape implements compute.Function.
func (f *Function) Shape(v compute.Value) (shapes.Shape, error) { return f.builder.OpShape(v) }

// add appends a node, or returns an earlier one that computes the same.
func (f *Function) add(n *node) *node {
	n.fn, n.id = f, len(f.nodes)
	key := n.key()
	if key != "" {
		if old := f.known[key]; old != nil {
			return old
		}
		f.known[key] = n
	}
	f.nodes = append(f.nodes, n)
	return n
}

// key returns what a node computes, or "" if two alike are different.
func (n *node) key() string {
	switch n.op {
	case compute.OpTypeParameter, opCapture, opPart, compute.OpTypeOptimizationBarrier:
		return ""
	case compute.OpTypeConstant:
		if len(n.data) > 64 {
			return ""
		}
	}
	if n.subs != nil {
		return ""
	}
	key := fmt.Sprintf("%d %v %v %v %x", n.op, n.shape, n.outs, n.attr, n.data)
	for _, in := range n.inputs {
		key += fmt.Sprintf(" %d", in.id)
	}
	return key
}

// values checks values and returns their nodes in this function: values of functions around it are
// captured.
func (f *Function) values(op string, list ...compute.Value) ([]*node, error) {
	if err := f.open(); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	nodes := make([]*node, len(list))
	for i, v := range list {
		n, ok := v.(*node)
		if !ok || n == nil {
			return nil, errors.Errorf("%s: operand %d is a %T, no value of backend %q", op, i, v, Name)
		}
		var err error
		if nodes[i], err = f.local(n); err != nil {
			return nil, errors.WithMessagef(err, "%s: operand %d", op, i)
		}
	}
	return nodes, nil
}

// local returns the node that stands for a node of this function or of one around it.
func (f *Function) local(n *node) (*node, error) {
	if n.fn == f {
		return n, nil
	}
	if f.parent == nil {
		return nil, errors.New("it is of another function")
	}
	n, err := f.parent.local(n)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(f.captures, n); i >= 0 {
		return f.captured[i], nil
	}
	c := f.add(&node{op: opCapture, shape: n.shape, attr: len(f.captures)})
	f.captures, f.captured = append(f.captures, n), append(f.captured, c)
	return c, nil
}

// parts adds a node of several results and returns one node for each.
func (f *Function) parts(n *node) []compute.Value {
	old := len(f.nodes)
	n = f.add(n)
	if n.id < old { // the same was computed before
		list := make([]compute.Value, len(n.outs))
		for i := range list {
			list[i] = f.nodes[n.id+1+i]
		}
		return list
	}
	list := make([]compute.Value, len(n.outs))
	for i, s := range n.outs {
		list[i] = f.add(&node{op: opPart, shape: s, inputs: []*node{n}, attr: i})
	}
	return list
}

// Parameter implements compute.Function.
func (f *Function) Parameter(name string, shape shapes.Shape,
	sharding *compute.ShardingSpec) (compute.Value, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	if _, ok := stored[shape.DType]; !ok {
		return nil, missing("a parameter of %s", shape.DType)
	}
	if sharding != nil {
		return nil, missing("a parameter in shards")
	}
	for i, d := range shape.Dimensions {
		if d == shapes.DynamicDim && shape.AxisNames != nil && shape.AxisNames[i] != "" {
			f.builder.names.Insert(shape.AxisNames[i])
		}
	}
	n := f.add(&node{op: compute.OpTypeParameter, shape: shape, attr: len(f.params)})
	f.params, f.names = append(f.params, n), append(f.names, name)
	return n, nil
}

// Constant implements compute.Function.
func (f *Function) Constant(flat any, dims ...int) (compute.Value, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	shape, err := flatShape(flat, dims)
	if err != nil {
		return nil, errors.WithMessage(err, "Constant")
	}
	data, err := flatBytes(flat, shape)
	if err != nil {
		return nil, errors.WithMessage(err, "Constant")
	}
	return f.constant(shape, slices.Clone(data)), nil
}

func (f *Function) constant(shape shapes.Shape, data []byte) *node {
	return f.add(&node{op: compute.OpTypeConstant, shape: shape, data: data,
		again: func(f *Function, _ []compute.Value, _ shapes.AxisBindings) ([]compute.Value, error) {
			return []compute.Value{f.constant(shape, data)}, nil
		}})
}

// scalar returns a number as a constant of a type.
func (f *Function) scalar(dt dtypes.DType, v float64) *node {
	bits := stored[dt].Encode(v)
	data := make([]byte, stored[dt].Size())
	for i := range data {
		data[i] = byte(bits >> (8 * i))
	}
	return f.constant(shapes.Make(dt), data)
}

// Return implements compute.Function.
func (f *Function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	if len(outputs) == 0 || len(shardings) != 0 {
		return errors.Errorf("Return of %q: %d outputs, %d shardings", f.name, len(outputs), len(shardings))
	}
	nodes, err := f.values("Return", outputs...)
	if err != nil {
		return err
	}
	f.outputs, f.returned = nodes, true
	return nil
}

// AllReduce implements compute.CollectiveOps: with one device, each group has one member.
func (f *Function) AllReduce(operands []compute.Value, _ compute.ReduceOpType,
	groups [][]int) ([]compute.Value, error) {
	for _, g := range groups {
		if len(g) > 1 {
			return nil, missing("AllReduce over the devices %v", g)
		}
	}
	nodes, err := f.values("AllReduce", operands...)
	if err != nil {
		return nil, err
	}
	out := make([]compute.Value, len(nodes))
	for i, n := range nodes {
		out[i] = n
	}
	return out, nil
}

// flatShape returns the shape of a flat slice with dimensions.
func flatShape(flat any, dims []int) (shapes.Shape, error) {
	t := reflect.TypeOf(flat)
	if t == nil || t.Kind() != reflect.Slice {
		return shapes.Invalid(), errors.Errorf("%T is no flat slice", flat)
	}
	dt := dtypes.FromGoType(t.Elem())
	if _, ok := stored[dt]; !ok {
		return shapes.Invalid(), missing("elements of %s", t.Elem())
	}
	return shapes.Make(dt, dims...), nil
}
