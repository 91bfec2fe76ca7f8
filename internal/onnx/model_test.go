package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/onnx/onnxtest"
)

// sample is a model with fields that this package does not know.
func sample() *onnxtest.Model {
	return &onnxtest.Model{
		Opset:  17,
		Inputs: []onnxtest.Value{{Name: "x", Dims: []any{"batch", 4, nil}}},
		Nodes: []onnxtest.Node{
			{Op: "Add", Inputs: []string{"x", "one"}, Outputs: []string{"a"}},
			{Op: "Softmax", Inputs: []string{"a"}, Outputs: []string{"y"},
				Attributes: map[string]any{"axis": -1, "scale": 0.25, "how": "so", "list": []int{1, -2}},
				Extra:      onnxtest.Field(9, []byte("metadata"))},
		},
		Outputs: []onnxtest.Value{{Name: "y", Dims: []any{"batch", 4, nil}}},
		Constants: []onnxtest.Constant{{Name: "one", Data: []float64{1}},
			{Name: "far", Dims: []int{2}, File: "weights/far.bin"}},
		Graph: onnxtest.Field(99, []byte("of the graph")),
		Extra: append(onnxtest.Field(14, []byte("of the model")), onnxtest.Number(77, 5)...),
	}
}

func TestUnchanged(t *testing.T) {
	data := sample().Bytes()
	m, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Bytes()
	if err != nil || !bytes.Equal(out, data) {
		t.Errorf("%v\n%q\n%q", err, out, data)
	}
	if m.Opsets[""] != 17 || m.IR != 8 {
		t.Error(m.Opsets, m.IR)
	}
	if d := m.Graph.Inputs[0].Dims; !slices.Equal(d, []Dim{{-1, "batch"}, {4, ""}, {-1, ""}}) {
		t.Error(d)
	}
	n := m.Graph.Nodes[1]
	for name, want := range map[string]any{"axis": int64(-1), "scale": 0.25, "how": "so"} {
		if a := n.Attribute(name); a == nil || a.Value != want {
			t.Errorf("%s is %v", name, a)
		}
	}
	if list, _ := n.Attribute("list").Value.([]int64); !slices.Equal(list, []int64{1, -2}) {
		t.Error(list)
	}
	if one, ok := m.Graph.Initializers["one"].Numbers(); !ok || !slices.Equal(one, []float64{1}) {
		t.Error(one, ok)
	}
}

// TestReplace: a node that is replaced keeps its name and its unknown fields, and nothing else changes.
func TestReplace(t *testing.T) {
	m, err := Parse(sample().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	m.Graph.Nodes[1].Replace(Replacement{Op: "Soft", Domain: "nereid", Inputs: []string{"x"},
		Outputs: []string{"y"}, Attributes: map[string]any{"n": int64(3), "eps": 0.5}})
	m.Graph.Nodes[0].Remove()
	m.Graph.DropInitializer("one")
	m.AddOpset("nereid", 1)
	m.AddOpset("nereid", 1)
	out, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"metadata", "of the graph", "of the model", "make_y", "weights/far.bin"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is lost", want)
		}
	}
	again, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	n := again.Graph.Nodes
	if len(n) != 1 || n[0].Op != "Soft" || n[0].Domain != "nereid" || n[0].Name != "make_y" ||
		n[0].Attribute("n").Value != int64(3) || n[0].Attribute("eps").Value != 0.5 {
		t.Errorf("%+v", n[0])
	}
	if again.Opsets["nereid"] != 1 || again.Graph.Initializers["one"] != nil {
		t.Error(again.Opsets, again.Graph.Initializers)
	}
}

// TestExternal: files of external data come along into another folder, and names that leave the folder do
// not.
func TestExternal(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	weights := []byte("12345678")
	if err := os.MkdirAll(filepath.Join(from, "weights"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "weights/far.bin"), weights, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Parse(sample().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, put := range []func(string, string) error{Copy, Link} {
		dir := filepath.Join(to, "new")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := m.Write(filepath.Join(dir, "m.onnx"), from, put); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "weights/far.bin")); !bytes.Equal(got, weights) {
			t.Error(got, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	outside := sample()
	outside.Constants[1].File = "../far.bin"
	if m, err = Parse(outside.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(filepath.Join(to, "m.onnx"), from, Copy); err == nil {
		t.Error("external data outside of the model's folder was taken")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample().Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := m.Bytes(); err != nil {
			t.Error(err)
		}
		for _, x := range m.Graph.Initializers {
			x.Numbers()
		}
	})
}
