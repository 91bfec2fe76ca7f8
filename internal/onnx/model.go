package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of the fields of onnx.proto that this package reads or writes.
const (
	modelIR, modelGraph, modelOpset = 1, 7, 8

	opsetDomain, opsetVersion = 1, 2

	graphNode, graphInitializer, graphInput, graphOutput, graphValue, graphSparse = 1, 5, 11, 12, 13, 15

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain, nodeOverload = 1, 2, 3, 4, 5, 7, 8

	attrName, attrF, attrI, attrS, attrT, attrG, attrInts, attrGraphs, attrType = 1, 2, 3, 4, 5, 6, 8, 11, 20
	attrFloat, attrInt                                                          = 1, 2 // AttributeProto.type

	valueName, valueType, typeTensor, tensorElem, tensorShape, shapeDim = 1, 2, 1, 1, 2, 1
	dimValue, dimParam                                                  = 1, 2
)

// Model is a model.
type Model struct {
	IR      int64            // version of the format
	Opsets  map[string]int64 // version of each domain's operators; "" is ONNX's own
	Graph   *Graph
	message message
}

// Graph is the graph of a model. Graphs inside of nodes are not taken apart.
type Graph struct {
	Nodes        []*Node
	Inputs       []Value
	Outputs      []Value
	Values       []Value // with a type, beside inputs and outputs
	Initializers map[string]*Tensor
	message      message
	nodes        map[int]*Node // by the place of their record
	dropped      map[string]bool
	outputs      []string // further ones
}

// Value is a named value with its type, as far as the model says it.
type Value struct {
	Name    string
	Element int   // TensorProto.DataType; 0 is unknown, or no tensor
	Dims    []Dim // nil is unknown
}

// Dim is a dimension: a size, a name, or neither if it is unknown.
type Dim struct {
	Size int64 // -1 is unknown
	Name string
}

// Node is a node of a graph.
type Node struct {
	Name, Op, Domain string
	Inputs, Outputs  []string
	Attributes       []Attribute
	Inner            []string // values that graphs inside of the node may take from outside
	message          message
	removed          bool
}

// Attribute is an attribute of a node.
type Attribute struct {
	Name    string
	Value   any // int64, float64, string, []int64 or *Tensor; nil for other kinds
	message message
}

// Parse reads a model. It refers to data.
func Parse(data []byte) (*Model, error) {
	m := &Model{Opsets: map[string]int64{}}
	var err error
	if m.message, err = parse(data); err != nil {
		return nil, err
	}
	m.IR = int64(m.message.number(modelIR))
	for _, b := range m.message.all(modelOpset) {
		o, err := parse(b)
		if err != nil {
			return nil, err
		}
		domain := string(o.bytes(opsetDomain))
		if domain == "ai.onnx" {
			domain = ""
		}
		m.Opsets[domain] = int64(o.number(opsetVersion))
	}
	graphs := m.message.all(modelGraph)
	if len(graphs) != 1 {
		return nil, fmt.Errorf("it is no model: it has %d graphs", len(graphs))
	}
	m.Graph, err = parseGraph(graphs[0], 0)
	return m, err
}

// maxDepth bounds graphs inside of nodes of graphs, as protobuf's own readers bound messages.
const maxDepth = 50

func parseGraph(data []byte, depth int) (*Graph, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("graphs are nested more than %d deep", maxDepth)
	}
	g := &Graph{Initializers: map[string]*Tensor{}, nodes: map[int]*Node{}, dropped: map[string]bool{}}
	var err error
	if g.message, err = parse(data); err != nil {
		return nil, err
	}
	for i := range g.message {
		if err := g.read(i, depth); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// read reads one record of a graph.
func (g *Graph) read(i, depth int) (err error) {
	r := &g.message[i]
	var v Value
	switch r.num {
	case graphNode:
		if g.nodes[i], err = parseNode(r.value, depth); err == nil {
			g.Nodes = append(g.Nodes, g.nodes[i])
		}
	case graphInitializer:
		var t *Tensor
		if t, err = parseTensor(r.value); err == nil {
			g.Initializers[t.Name] = t
		}
	case graphInput:
		v, err = parseValue(r.value)
		g.Inputs = append(g.Inputs, v)
	case graphOutput:
		v, err = parseValue(r.value)
		g.Outputs = append(g.Outputs, v)
	case graphValue:
		v, err = parseValue(r.value)
		g.Values = append(g.Values, v)
	}
	return err
}

func parseNode(data []byte, depth int) (*Node, error) {
	m, err := parse(data)
	if err != nil {
		return nil, err
	}
	n := &Node{Name: string(m.bytes(nodeName)), Op: string(m.bytes(nodeOp)),
		Domain: string(m.bytes(nodeDomain)), Inputs: m.texts(nodeInput), Outputs: m.texts(nodeOutput),
		message: m}
	if n.Domain == "ai.onnx" {
		n.Domain = ""
	}
	for _, b := range m.all(nodeAttribute) {
		a, err := parseAttribute(b)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Name, err)
		}
		n.Attributes = append(n.Attributes, a)
		for _, inner := range append(a.message.all(attrG), a.message.all(attrGraphs)...) {
			if n.Inner, err = captured(n.Inner, inner, depth+1); err != nil {
				return nil, fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
	}
	return n, nil
}

// captured appends the names that a graph inside of a node mentions: its own values are among them, which
// makes the list too long and never too short.
func captured(names []string, data []byte, depth int) ([]string, error) {
	g, err := parseGraph(data, depth)
	if err != nil {
		return names, err
	}
	for _, n := range g.Nodes {
		names = append(append(names, n.Inputs...), n.Inner...)
	}
	for _, v := range g.Outputs {
		names = append(names, v.Name)
	}
	return names, nil
}

func parseAttribute(data []byte) (a Attribute, err error) {
	if a.message, err = parse(data); err != nil {
		return a, err
	}
	m := a.message
	a.Name = string(m.bytes(attrName))
	switch {
	case m.has(attrI):
		a.Value = int64(m.number(attrI))
	case m.has(attrF):
		a.Value = float64(math.Float32frombits(uint32(m.number(attrF))))
	case m.has(attrS):
		a.Value = string(m.bytes(attrS))
	case m.has(attrT):
		a.Value, err = parseTensor(m.bytes(attrT))
	case m.has(attrInts):
		var list []uint64
		list, err = m.numbers(attrInts, protowire.VarintType)
		ints := make([]int64, len(list))
		for i, v := range list {
			ints[i] = int64(v)
		}
		a.Value = ints
	case m.number(attrType) == attrInt: // proto3 leaves a zero out
		a.Value = int64(0)
	case m.number(attrType) == attrFloat:
		a.Value = 0.0
	}
	return a, err
}

func parseValue(data []byte) (v Value, err error) {
	m, err := parse(data)
	if err != nil {
		return v, err
	}
	v.Name = string(m.bytes(valueName))
	typ, err := parse(m.bytes(valueType))
	if err != nil {
		return v, err
	}
	tensor, err := parse(typ.bytes(typeTensor))
	if err != nil || !tensor.has(tensorElem) {
		return v, err
	}
	v.Element = int(tensor.number(tensorElem))
	if !tensor.has(tensorShape) {
		return v, nil
	}
	shape, err := parse(tensor.bytes(tensorShape))
	v.Dims = []Dim{}
	for _, b := range shape.all(shapeDim) {
		d, err := parse(b)
		if err != nil {
			return v, err
		}
		dim := Dim{Size: -1, Name: string(d.bytes(dimParam))}
		if d.has(dimValue) {
			dim.Size = int64(d.number(dimValue))
		}
		v.Dims = append(v.Dims, dim)
	}
	return v, err
}

// Attribute returns the attribute of a name, or nil.
func (n *Node) Attribute(name string) *Attribute {
	i := slices.IndexFunc(n.Attributes, func(a Attribute) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &n.Attributes[i]
}

// Remove takes the node out of its graph.
func (n *Node) Remove() { n.removed = true }

// Removed reports whether the node was taken out of its graph.
func (n *Node) Removed() bool { return n.removed }

// Replacement is what a node becomes.
type Replacement struct {
	Op, Domain      string
	Inputs, Outputs []string
	Attributes      map[string]any // int64 or float64
}

// Replace makes the node another one. Its name, its documentation and fields that are not known stay.
func (n *Node) Replace(r Replacement) {
	var out []byte
	for _, x := range r.Inputs {
		out = append(out, textField(nodeInput, x)...)
	}
	for _, x := range r.Outputs {
		out = append(out, textField(nodeOutput, x)...)
	}
	out = append(append(out, textField(nodeOp, r.Op)...), textField(nodeDomain, r.Domain)...)
	names := make([]string, 0, len(r.Attributes))
	for name := range r.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, bytesField(nodeAttribute, attribute(name, r.Attributes[name]))...)
	}
	for i := range n.message {
		switch f := &n.message[i]; f.num {
		case nodeInput, nodeOutput, nodeOp, nodeDomain, nodeAttribute, nodeOverload:
		default:
			out = append(out, f.raw...)
		}
	}
	m, err := parse(out)
	if err != nil {
		panic(err) // we wrote it
	}
	n.message, n.Op, n.Domain, n.Inputs, n.Outputs, n.Attributes = m, r.Op, r.Domain, r.Inputs, r.Outputs, nil
}

func attribute(name string, value any) []byte {
	out := textField(attrName, name)
	switch v := value.(type) {
	case float64:
		return append(append(out, floatField(attrF, float32(v))...), numberField(attrType, attrFloat)...)
	case int64:
		return append(append(out, numberField(attrI, uint64(v))...), numberField(attrType, attrInt)...)
	}
	panic(fmt.Sprintf("no attribute of type %T", value))
}

// DropInitializer takes an initializer out of the graph.
func (g *Graph) DropInitializer(name string) { g.dropped[name] = true }

// AddOutput makes a value of the graph one of its outputs. A reader of the model infers its type.
func (g *Graph) AddOutput(name string) { g.outputs = append(g.outputs, name) }

// ClearOutputs takes back what AddOutput did.
func (g *Graph) ClearOutputs() { g.outputs = nil }

// AddOpset declares a domain of operators, unless the model does.
func (m *Model) AddOpset(domain string, version int64) {
	if _, ok := m.Opsets[domain]; ok {
		return
	}
	m.Opsets[domain] = version
	raw := bytesField(modelOpset,
		append(textField(opsetDomain, domain), numberField(opsetVersion, uint64(version))...))
	m.message = append(m.message, record{num: modelOpset, typ: protowire.BytesType, raw: raw})
}

// Bytes returns the model as it is now.
func (m *Model) Bytes() ([]byte, error) {
	var out []byte
	for i := range m.message {
		if r := &m.message[i]; r.num == modelGraph {
			out = append(out, bytesField(modelGraph, m.Graph.bytes())...)
		} else {
			out = append(out, r.raw...)
		}
	}
	if len(out) > math.MaxInt32 {
		return nil, errors.New("the model has more than 2 GiB, and protobuf has no larger messages")
	}
	return out, nil
}

func (g *Graph) bytes() (out []byte) {
	for i := range g.message {
		r := &g.message[i]
		switch n := g.nodes[i]; {
		case n != nil && n.removed:
		case n != nil:
			out = append(out, bytesField(graphNode, n.bytes())...)
		case r.num == graphInitializer && len(g.dropped) > 0 && g.isDropped(r.value):
		default:
			out = append(out, r.raw...)
		}
	}
	for _, name := range g.outputs {
		out = append(out, bytesField(graphOutput, textField(valueName, name))...)
	}
	return out
}

func (g *Graph) isDropped(initializer []byte) bool {
	m, err := parse(initializer)
	return err == nil && g.dropped[string(m.bytes(tensorName))]
}

func (n *Node) bytes() (out []byte) {
	for i := range n.message {
		out = append(out, n.message[i].raw...)
	}
	return out
}
