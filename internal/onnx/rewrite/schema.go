package rewrite

import "github.com/nereid-lang/nereid/internal/onnx"

// schema is what a pattern must know of an operator of ONNX.
type schema struct {
	defaults map[string]any // of attributes: int64, float64 or string
	commutes bool           // its two operands may change places
	operands map[string]int // attributes of early versions that later ones take as inputs, from 0
	axes     bool           // axis and axes count dimensions of the first input, from either end
}

// reduction is the schema of operators that reduce axes.
var reduction = schema{axes: true, operands: map[string]int{"axes": 1},
	defaults: map[string]any{"keepdims": int64(1), "noop_with_empty_axes": int64(0)}}

// normalization has the attributes of layer norms.
var normalization = schema{axes: true,
	defaults: map[string]any{"axis": int64(-1), "epsilon": 1e-5, "stash_type": int64(1)}}

// schemas lists operators that have more to say than the number of their inputs.
var schemas = map[string]schema{
	"Add":                   {commutes: true},
	"Mul":                   {commutes: true},
	"Max":                   {commutes: true},
	"Min":                   {commutes: true},
	"Gelu":                  {defaults: map[string]any{"approximate": "none"}},
	"Elu":                   {defaults: map[string]any{"alpha": 1.0}},
	"LeakyRelu":             {defaults: map[string]any{"alpha": 0.01}},
	"HardSigmoid":           {defaults: map[string]any{"alpha": 0.2, "beta": 0.5}},
	"InstanceNormalization": {defaults: map[string]any{"epsilon": 1e-5}},
	"GroupNormalization":    {defaults: map[string]any{"epsilon": 1e-5, "stash_type": int64(1)}},
	"LayerNormalization":    normalization,
	"RMSNormalization":      normalization,
	"Softmax":               {axes: true, defaults: map[string]any{"axis": int64(-1)}},
	"LogSoftmax":            {axes: true, defaults: map[string]any{"axis": int64(-1)}},
	"ReduceMean":            reduction,
	"ReduceSum":             reduction,
	"ReduceMax":             reduction,
	"ReduceMin":             reduction,
	"Gemm": {defaults: map[string]any{"alpha": 1.0, "beta": 1.0, "transA": int64(0),
		"transB": int64(0)}},
	"Squeeze":   {axes: true, operands: map[string]int{"axes": 1}},
	"Unsqueeze": {axes: true, operands: map[string]int{"axes": 1}},
}

// schemaOf returns the schema of a node's operator for a version of ONNX's operators.
func schemaOf(n *onnx.Node, opset int64) schema {
	s := schemas[n.Op]
	if (n.Op == "Softmax" || n.Op == "LogSoftmax") && opset < 13 {
		// Before version 13 the operator made a matrix of its input, cut at axis. For the last axis that is
		// the same as today.
		s.defaults = map[string]any{"axis": int64(1)}
	}
	return s
}
