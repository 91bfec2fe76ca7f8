package rewrite

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/onnx/onnxtest"
	"github.com/nereid-lang/nereid/internal/onnx/ort"
	"github.com/nereid-lang/nereid/internal/rule"
)

// operator makes an operator of float32 whose one variant takes launches that fulfil when.
func operator(t *testing.T, text rule.OperatorText, when string) *Operator {
	t.Helper()
	text.Group = "group"
	o, key, err := rule.CompileOperator(text)
	if err != nil {
		t.Fatal(key, err)
	}
	k := rule.Kernels{Group: "group", CPU: true, When: []rule.Rule{nil}, Sizes: o.Values}
	if when != "" {
		if k.When[0], err = rule.Compile(when, nil, o.Values); err != nil {
			t.Fatal(err)
		}
	}
	return &Operator{o, []rule.Kernels{k}}
}

var softmax = rule.OperatorText{Name: "Soft", Inputs: []string{"x: fp32[*rows, n]"},
	Outputs: []string{"y: fp32[*rows, n]"}, Serves: []string{"Softmax(x, axis=-1)"}}

var gelu = rule.OperatorText{Name: "Gelu", Inputs: []string{"x: fp32[*n]"}, Outputs: []string{"y: fp32[*n]"},
	Serves: []string{"Mul(Mul(x, Add(Erf(Div(x, 1.4142135)), 1)), 0.5)"}}

var norm = rule.OperatorText{Name: "Norm", Inputs: []string{"x: fp32[*rows, n]", "w: fp32[n]", "b: fp32[n]"},
	Outputs: []string{"y: fp32[*rows, n]", "mean: fp32[*rows]"}, Attributes: []string{"eps: float"},
	Serves: []string{"LayerNormalization(x, w, b, axis=-1, epsilon=eps)",
		"Add(Mul(Div(Sub(x, ReduceMean(x, axes=[-1])), Sqrt(Add(ReduceMean(Pow(Sub(x, ReduceMean(x, " +
			"axes=[-1])), 2), axes=[-1]), eps))), w), b)"}}

func node(op, out string, in ...string) onnxtest.Node {
	return onnxtest.Node{Op: op, Inputs: in, Outputs: []string{out}}
}

func with(n onnxtest.Node, attributes map[string]any) onnxtest.Node {
	n.Attributes = attributes
	return n
}

func scalar(name string, v float64) onnxtest.Constant {
	return onnxtest.Constant{Name: name, Data: []float64{v}}
}

// outcome rewrites a model without ONNX Runtime and returns the operators of its nodes, and why nodes
// stayed.
func outcome(t *testing.T, m onnxtest.Model, operators ...*Operator) (ops, why string, _ *onnx.Model) {
	t.Helper()
	model, err := onnx.Parse(m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Rewrite(t.TempDir()+"/m.onnx", model, Options{Libraries: []*Library{{Operators: operators}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Decisions {
		if !d.Taken {
			why += d.Why
		}
	}
	data, err := model.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if model, err = onnx.Parse(data); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range model.Graph.Nodes {
		names = append(names, n.Op)
	}
	return strings.Join(names, " "), why, model
}

func in(dims ...any) []onnxtest.Value { return []onnxtest.Value{{Name: "x", Dims: dims}} }

func TestSoftmax(t *testing.T) {
	out := []onnxtest.Value{{Name: "y"}}
	for _, test := range []struct {
		name       string
		opset      int
		dims       []any
		attributes map[string]any
		when       string
		ops, why   string
	}{
		{"default", 13, []any{"batch", 8}, nil, "", "Soft", ""},
		{"last", 13, []any{"batch", 8}, map[string]any{"axis": 1}, "", "Soft", ""},
		{"first", 13, []any{"batch", 8}, map[string]any{"axis": 0}, "", "Softmax", ""},
		{"early", 11, []any{"batch", 8}, nil, "", "Soft", ""},
		{"early, flat", 11, []any{"batch", 3, 8}, nil, "", "Softmax", ""},
		{"unknown attribute", 13, []any{"batch", 8}, map[string]any{"odd": 1}, "", "Softmax", ""},
		{"fits", 13, []any{"batch", 8}, nil, "n <= 8", "Soft", ""},
		{"too large", 13, []any{"batch", 9}, nil, "n <= 8", "Softmax",
			"no variant of group takes these sizes"},
		{"not known", 13, []any{"batch", "n"}, nil, "n <= 8", "Softmax",
			"which variants of group take the sizes is not known"},
	} {
		m := onnxtest.Model{Opset: test.opset, Inputs: in(test.dims...), Outputs: out,
			Nodes: []onnxtest.Node{with(node("Softmax", "y", "x"), test.attributes)}}
		ops, why, _ := outcome(t, m, operator(t, softmax, test.when))
		if ops != test.ops || why != test.why {
			t.Errorf("%s: %s (%s), want %s (%s)", test.name, ops, why, test.ops, test.why)
		}
	}
	m := onnxtest.Model{Opset: 13, Inputs: []onnxtest.Value{{Name: "x", Dims: []any{8}, Typed: true}},
		Outputs: out, Nodes: []onnxtest.Node{node("Softmax", "y", "x")}}
	if ops, why, _ := outcome(t, m, operator(t, softmax, "")); ops != "Softmax" ||
		why != "x has elements of i64, and Soft takes fp32" {
		t.Error(ops, why)
	}
}

// geluModel writes Gelu out; operands stand in either order.
func geluModel(half float64, outputs ...string) onnxtest.Model {
	m := onnxtest.Model{Opset: 17, Inputs: in("batch", 8),
		Constants: []onnxtest.Constant{scalar("root", math.Sqrt2), scalar("one", 1), scalar("half", half)},
		Nodes: []onnxtest.Node{node("Div", "d", "x", "root"), node("Erf", "e", "d"),
			node("Add", "s", "one", "e"), node("Mul", "p", "x", "s"), node("Mul", "y", "half", "p")}}
	for _, name := range outputs {
		m.Outputs = append(m.Outputs, onnxtest.Value{Name: name})
	}
	return m
}

func TestFusion(t *testing.T) {
	ops, why, m := outcome(t, geluModel(0.5, "y"), operator(t, gelu, ""))
	if ops != "Gelu" || why != "" || len(m.Graph.Initializers) != 0 || m.Opsets["nereid"] != 1 {
		t.Error(ops, why, m.Graph.Initializers, m.Opsets)
	}
	if ops, _, _ = outcome(t, geluModel(0.25, "y"), operator(t, gelu, "")); ops != "Div Erf Add Mul Mul" {
		t.Error("another constant:", ops)
	}
	ops, why, _ = outcome(t, geluModel(0.5, "y", "s"), operator(t, gelu, ""))
	if ops != "Div Erf Add Mul Mul" || why != "s is used outside of the pattern as well" {
		t.Error("a value that is an output:", ops, why)
	}
	shared := geluModel(0.5, "y")
	shared.Nodes = append(shared.Nodes, node("Mul", "z", "e", "half"))
	shared.Outputs = append(shared.Outputs, onnxtest.Value{Name: "z"})
	if ops, why, _ = outcome(t, shared, operator(t, gelu, "")); !strings.HasPrefix(ops, "Div") ||
		why != "e is used outside of the pattern as well" {
		t.Error("a value with another user:", ops, why)
	}
}

func TestLayerNorm(t *testing.T) {
	weights := []onnxtest.Constant{{Name: "w", Dims: []int{8}, Data: make([]float64, 8)},
		{Name: "b", Dims: []int{8}, Data: make([]float64, 8)}}
	axes := map[string]any{"axes": []int{-1}}
	early := onnxtest.Model{Opset: 12, Inputs: in("batch", 8), Outputs: []onnxtest.Value{{Name: "y"}},
		Constants: append([]onnxtest.Constant{scalar("two", 2), scalar("eps", 0.125)}, weights...),
		Nodes: []onnxtest.Node{with(node("ReduceMean", "mean", "x"), axes), node("Sub", "d", "x", "mean"),
			node("Pow", "square", "d", "two"), with(node("ReduceMean", "var", "square"), axes),
			node("Add", "more", "var", "eps"), node("Sqrt", "root", "more"), node("Div", "unit", "d", "root"),
			node("Mul", "scaled", "unit", "w"), node("Add", "y", "scaled", "b")}}
	late := early // axes are an input since version 18
	late.Opset = 18
	last := onnxtest.Constant{Name: "axes", Dims: []int{1}, Data: []float64{-1}, Ints: true}
	late.Constants = append([]onnxtest.Constant{last}, early.Constants...)
	late.Nodes = slices.Clone(early.Nodes)
	late.Nodes[0], late.Nodes[3] = node("ReduceMean", "mean", "x", "axes"),
		node("ReduceMean", "var", "square", "axes")
	whole := onnxtest.Model{Opset: 17, Inputs: in("batch", 8), Outputs: early.Outputs, Constants: weights,
		Nodes: []onnxtest.Node{with(node("LayerNormalization", "y", "x", "w", "b"),
			map[string]any{"epsilon": 0.125})}}
	for _, m := range []onnxtest.Model{early, late, whole} {
		ops, why, got := outcome(t, m, operator(t, norm, ""))
		if ops != "Norm" || why != "" {
			t.Error(m.Opset, ops, why)
			continue
		}
		n := got.Graph.Nodes[0]
		if !slices.Equal(n.Inputs, []string{"x", "w", "b"}) ||
			!slices.Equal(n.Outputs, []string{"y", "y_mean"}) || n.Attribute("eps").Value != 0.125 {
			t.Errorf("%+v", n)
		}
	}
	narrow := whole
	narrow.Constants = []onnxtest.Constant{{Name: "w", Dims: []int{1}, Data: []float64{1}}, weights[1]}
	if ops, why, _ := outcome(t, narrow, operator(t, norm, "")); ops != "LayerNormalization" ||
		why != "the shape of w does not fit that of w" {
		t.Error("a weight that is broadcast:", ops, why)
	}
}

// TestLargest: of patterns that share nodes the larger one is taken.
func TestLargest(t *testing.T) {
	both := rule.OperatorText{Name: "SoftGelu", Inputs: gelu.Inputs, Outputs: gelu.Outputs,
		Serves: []string{"Softmax(Mul(Mul(x, Add(Erf(Div(x, 1.4142135)), 1)), 0.5))"}}
	m := geluModel(0.5)
	m.Nodes = append(m.Nodes, node("Softmax", "z", "y"))
	m.Outputs = []onnxtest.Value{{Name: "z"}}
	ops, _, _ := outcome(t, m, operator(t, softmax, ""), operator(t, gelu, ""), operator(t, both, ""))
	if ops != "SoftGelu" {
		t.Error(ops)
	}
}

func TestCompare(t *testing.T) {
	tensor := func(values ...float64) *ort.Tensor {
		c := onnxtest.Constant{Data: values}
		return &ort.Tensor{Element: dtype.Float32, Dims: []int64{int64(len(values))}, Data: c.Raw()}
	}
	for _, test := range []struct {
		was, is *ort.Tensor
		wrong   int
	}{
		{tensor(1, 2, 3), tensor(1, 2, 3), 0},
		{tensor(1, 2, 3), tensor(1, 2, 3.0001), 0},
		{tensor(1, 2, 3), tensor(1, 42, 42), 2},
		{tensor(1, 2, 1e-9), tensor(1, 2, 2e-9), 0},
		{tensor(1, math.NaN()), tensor(1, math.NaN()), 0},
		{tensor(1, math.NaN()), tensor(1, 1), 1},
		{tensor(1, 1), tensor(1, math.Inf(1)), 1},
		{tensor(1, 1), tensor(1), 1},
		{tensor(0, 0), tensor(0, 1e-3), 1},
	} {
		if d := compare("y", test.was, test.is); d.Wrong != test.wrong {
			t.Errorf("%v, %v: %+v", elements(test.was), elements(test.is), d)
		}
	}
}
