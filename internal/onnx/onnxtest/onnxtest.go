// Package onnxtest makes small models for tests.
//
// In: nodes, inputs, outputs and constants as Go values. Out: the bytes of a model in ONNX's format.
package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Model is a model.
type Model struct {
	Opset           int
	Inputs, Outputs []Value // of float32
	Nodes           []Node
	Constants       []Constant
	Graph, Extra    []byte // further fields of the graph and of the model
}

// Value is a value: an int is the size of a dimension, a string its name, nil neither.
type Value struct {
	Name  string
	Dims  []any
	Typed bool // as an integer: int64
}

// Node is a node.
type Node struct {
	Op              string
	Inputs, Outputs []string
	Attributes      map[string]any // int, float64, string or []int
	Extra           []byte         // further fields
}

// Constant is an initializer of float32, or of int64.
type Constant struct {
	Name string
	Dims []int
	Data []float64
	Ints bool
	File string // the data lies in it
}

// Field returns a field of bytes.
func Field(num protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), data)
}

// Number returns a field that is a number.
func Number(num protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), uint64(v))
}

// Bytes returns the model in ONNX's format.
func (m *Model) Bytes() []byte {
	var g []byte
	for _, n := range m.Nodes {
		g = append(g, Field(1, n.bytes())...)
	}
	g = append(g, Field(2, []byte("graph"))...)
	for _, c := range m.Constants {
		g = append(g, Field(5, c.bytes())...)
	}
	for _, v := range m.Inputs {
		g = append(g, Field(11, v.bytes())...)
	}
	for _, v := range m.Outputs {
		g = append(g, Field(12, v.bytes())...)
	}
	g = append(g, m.Graph...)
	out := append(Number(1, 8), Field(8, append(Field(1, nil), Number(2, m.Opset)...))...)
	return append(append(out, Field(7, g)...), m.Extra...)
}

func (n *Node) bytes() (out []byte) {
	for _, x := range n.Inputs {
		out = append(out, Field(1, []byte(x))...)
	}
	for _, x := range n.Outputs {
		out = append(out, Field(2, []byte(x))...)
	}
	out = append(append(out, Field(3, []byte("make_"+n.Outputs[0]))...), Field(4, []byte(n.Op))...)
	names := make([]string, 0, len(n.Attributes))
	for name := range n.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, Field(5, attribute(name, n.Attributes[name]))...)
	}
	return append(out, n.Extra...)
}

func attribute(name string, value any) []byte {
	out := Field(1, []byte(name))
	switch v := value.(type) {
	case int:
		return append(append(out, Number(3, v)...), Number(20, 2)...)
	case float64:
		out = protowire.AppendTag(out, 2, protowire.Fixed32Type)
		return append(protowire.AppendFixed32(out, math.Float32bits(float32(v))), Number(20, 1)...)
	case string:
		return append(append(out, Field(4, []byte(v))...), Number(20, 3)...)
	case []int:
		for _, x := range v {
			out = append(out, Number(8, x)...)
		}
		return append(out, Number(20, 7)...)
	}
	panic(fmt.Sprintf("no attribute of type %T", value))
}

func (v *Value) bytes() []byte {
	out := Field(1, []byte(v.Name))
	var shape []byte
	for _, d := range v.Dims {
		var dim []byte
		switch d := d.(type) {
		case int:
			dim = Number(1, d)
		case string:
			dim = Field(2, []byte(d))
		}
		shape = append(shape, Field(1, dim)...)
	}
	element := 1
	if v.Typed {
		element = 7
	}
	tensor := append(Number(1, element), Field(2, shape)...)
	return append(out, Field(2, Field(1, tensor))...)
}

func (c *Constant) bytes() (out []byte) {
	for _, d := range c.Dims {
		out = append(out, Number(1, d)...)
	}
	element := 1
	if c.Ints {
		element = 7
	}
	out = append(append(out, Number(2, element)...), Field(8, []byte(c.Name))...)
	if c.File != "" {
		location := append(Field(1, []byte("location")), Field(2, []byte(c.File))...)
		return append(append(out, Field(13, location)...), Number(14, 1)...)
	}
	return append(out, Field(9, c.Raw())...)
}

// Raw returns the data as a file has it.
func (c *Constant) Raw() (raw []byte) {
	for _, v := range c.Data {
		if c.Ints {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(v)))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	return raw
}
