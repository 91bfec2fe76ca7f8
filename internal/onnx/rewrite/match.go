package rewrite

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/rule"
)

// graph is a model's graph with what patterns ask of it.
type graph struct {
	model     *onnx.Model
	makers    map[string]*onnx.Node   // value → the node that makes it
	users     map[string][]*onnx.Node // value → the nodes that use it
	outputs   map[string]bool
	values    map[string]onnx.Value // types and shapes, as far as they are known
	overrides map[string]bool       // initializers that a caller may replace
}

func newGraph(m *onnx.Model) *graph {
	g := &graph{model: m, makers: map[string]*onnx.Node{}, users: map[string][]*onnx.Node{},
		outputs: map[string]bool{}, values: map[string]onnx.Value{}, overrides: map[string]bool{}}
	for _, n := range m.Graph.Nodes {
		for _, x := range n.Outputs {
			g.makers[x] = n
		}
		for _, x := range slices.Concat(n.Inputs, n.Inner) {
			g.users[x] = append(g.users[x], n)
		}
	}
	for _, v := range m.Graph.Outputs {
		g.outputs[v.Name] = true
	}
	for _, v := range slices.Concat(m.Graph.Values, m.Graph.Outputs, m.Graph.Inputs) {
		g.values[v.Name] = v
	}
	for name, t := range m.Graph.Initializers {
		v := onnx.Value{Name: name, Element: t.Element, Dims: []onnx.Dim{}}
		for _, d := range t.Dims {
			v.Dims = append(v.Dims, onnx.Dim{Size: d})
		}
		g.values[name] = v
	}
	const overridable = 4 // since this version of the format, initializers that are inputs are defaults
	if m.IR >= overridable {
		for _, v := range m.Graph.Inputs {
			g.overrides[v.Name] = true
		}
	}
	return g
}

// constant returns the tensor that a value always is, or nil.
func (g *graph) constant(name string) *onnx.Tensor {
	if t := g.model.Graph.Initializers[name]; t != nil && !g.overrides[name] {
		return t
	}
	if n := g.makers[name]; n != nil && n.Op == "Constant" && n.Domain == "" {
		if a := n.Attribute("value"); a != nil {
			t, _ := a.Value.(*onnx.Tensor)
			return t
		}
	}
	return nil
}

// rank returns the number of dimensions of a value, or -1.
func (g *graph) rank(name string) int {
	v, ok := g.values[name]
	if !ok || v.Dims == nil {
		return -1
	}
	return len(v.Dims)
}

// match is a place in a graph that fits a pattern.
type match struct {
	inputs     map[string]string  // the operator's inputs → values of the graph
	attributes map[string]float64 // attributes of the operator that the graph says
	nodes      []*onnx.Node       // that the operator does the work of; the first makes the result
}

func (m *match) copy() *match {
	return &match{maps.Clone(m.inputs), maps.Clone(m.attributes), slices.Clone(m.nodes)}
}

// find matches a pattern against the node that makes a value.
func (g *graph) find(p *rule.Pattern, n *onnx.Node) *match {
	m := &match{inputs: map[string]string{}, attributes: map[string]float64{}}
	return g.node(p, n, m)
}

// value matches a pattern against a value. It returns what is known then, or nil.
func (g *graph) value(p *rule.Pattern, name string, m *match) *match {
	switch {
	case p.Op != "":
		if n := g.makers[name]; n != nil {
			return g.node(p, n, m)
		}
		return nil
	case p.Input != "":
		if have, ok := m.inputs[p.Input]; ok && have != name {
			return nil
		}
		m.inputs[p.Input] = name
		return m
	}
	v, ok := g.scalar(name)
	switch {
	case !ok:
		return nil
	case p.Constant != nil:
		if !near(v, *p.Constant, g.values[name].Element) {
			return nil
		}
		return m
	}
	return m.attribute(p.Attribute, v)
}

// attribute gives an attribute of the operator its value.
func (m *match) attribute(name string, v float64) *match {
	if have, ok := m.attributes[name]; ok && have != v {
		return nil
	}
	m.attributes[name] = v
	return m
}

// scalar returns the value of a constant of one element that adds no dimension to what it is combined with.
func (g *graph) scalar(name string) (float64, bool) {
	t := g.constant(name)
	if t == nil || t.Elements() != 1 || len(t.Dims) > 1 {
		return 0, false
	}
	list, ok := t.Numbers()
	if !ok || len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// near compares a constant with that of a pattern, which may have been written with fewer digits.
func near(v, want float64, element int) bool {
	tolerance := 1e-6
	if t, ok := dtype.OfONNX(element); ok && t.IsFloat() && t.Size() < 4 {
		tolerance = t.Row().Tolerance
	}
	return math.Abs(v-want) <= tolerance*math.Abs(want)
}

// node matches the pattern of a node. Operands that may change places are tried both ways.
func (g *graph) node(p *rule.Pattern, n *onnx.Node, m *match) *match {
	if n.Op != p.Op || n.Domain != "" || !g.alone(n) {
		return nil
	}
	s := schemaOf(n, g.model.Opsets[""])
	m = m.copy()
	if !slices.Contains(m.nodes, n) {
		m.nodes = append(m.nodes, n)
	}
	if m = g.attributes(p, n, s, m); m == nil {
		return nil
	}
	inputs := operands(n, s, p)
	if len(inputs) != len(p.Args) {
		return nil
	}
	if out := g.args(p, inputs, m.copy()); out != nil || !s.commutes || len(inputs) != 2 {
		return out
	}
	return g.args(p, []string{inputs[1], inputs[0]}, m)
}

// alone reports whether a node makes one value that anybody uses: its first output.
func (g *graph) alone(n *onnx.Node) bool {
	for i, x := range n.Outputs {
		if i > 0 && x != "" && (len(g.users[x]) > 0 || g.outputs[x]) {
			return false
		}
	}
	return len(n.Outputs) > 0 && len(n.Inner) == 0
}

// operands returns a node's inputs without those that a pattern names as attributes, and without optional
// ones that are left out behind the last.
func operands(n *onnx.Node, s schema, p *rule.Pattern) []string {
	inputs := slices.Clone(n.Inputs)
	for name, at := range s.operands {
		if _, ok := p.Keywords[name]; ok && at < len(inputs) {
			inputs = slices.Delete(inputs, at, at+1)
		}
	}
	for len(inputs) > 0 && inputs[len(inputs)-1] == "" {
		inputs = inputs[:len(inputs)-1]
	}
	return inputs
}

func (g *graph) args(p *rule.Pattern, inputs []string, m *match) *match {
	for i, x := range inputs {
		if x == "" {
			return nil
		}
		if m = g.value(&p.Args[i], x, m); m == nil {
			return nil
		}
	}
	return m
}

// attributes compares a node's attributes with those of a pattern; what the pattern does not name must
// have its default.
func (g *graph) attributes(p *rule.Pattern, n *onnx.Node, s schema, m *match) *match {
	for _, a := range n.Attributes {
		if _, ok := p.Keywords[a.Name]; ok {
			continue
		}
		if want, ok := s.defaults[a.Name]; !ok || !sameAttribute(a.Value, want) {
			return nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Keywords)) {
		have, ok := g.given(n, s, name)
		if !ok {
			return nil
		}
		want := p.Keywords[name]
		switch list := numbers(have); {
		case want.Attribute != "" && len(list) == 1:
			if m = m.attribute(want.Attribute, list[0]); m == nil {
				return nil
			}
		case want.Attribute == "" && list == nil:
			if have != want.Text {
				return nil
			}
		case want.Attribute != "" || !g.equal(n, s, name, list, want):
			return nil
		}
	}
	return m
}

// sameAttribute compares an attribute with a default, which a file has as a float32.
func sameAttribute(v, want any) bool {
	if a, ok := v.(float64); ok {
		b, ok := want.(float64)
		return ok && float32(a) == float32(b)
	}
	return v == want
}

// given returns what an attribute of a node is: as the node has it, as an input of the node, or by default.
func (g *graph) given(n *onnx.Node, s schema, name string) (any, bool) {
	if a := n.Attribute(name); a != nil {
		return a.Value, a.Value != nil
	}
	if at, ok := s.operands[name]; ok && at < len(n.Inputs) && n.Inputs[at] != "" {
		t := g.constant(n.Inputs[at])
		if t == nil {
			return nil, false
		}
		list, ok := t.Numbers()
		ints := make([]int64, len(list))
		for i, v := range list {
			ints[i] = int64(v)
		}
		return ints, ok
	}
	v, ok := s.defaults[name]
	return v, ok
}

// numbers returns the numbers that an attribute is, or nil for a text.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case int64:
		return []float64{float64(v)}
	case float64:
		return []float64{v}
	case []int64:
		out := make([]float64, len(v))
		for i, x := range v {
			out[i] = float64(x)
		}
		return out
	}
	return nil
}

// equal compares an attribute with that of a pattern. Axes count from either end.
func (g *graph) equal(n *onnx.Node, s schema, name string, have []float64, want rule.Equals) bool {
	if len(have) != len(want.Numbers) {
		return false
	}
	rank := -1
	if s.axes && (name == "axis" || name == "axes") {
		rank = g.rank(n.Inputs[0])
	}
	for i := range have {
		a, b := have[i], want.Numbers[i]
		if rank >= 0 {
			a, b = fromFront(a, rank), fromFront(b, rank)
		}
		if a != b && float32(a) != float32(b) {
			return false
		}
	}
	return true
}

func fromFront(axis float64, rank int) float64 {
	if axis < 0 {
		return axis + float64(rank)
	}
	return axis
}

// shared returns a value inside of a match that something else uses as well, or "": the operator does not
// make it.
func (g *graph) shared(m *match) string {
	for _, n := range m.nodes[1:] {
		value := n.Outputs[0]
		if g.outputs[value] {
			return value
		}
		for _, user := range g.users[value] {
			if !slices.Contains(m.nodes, user) {
				return value
			}
		}
	}
	return ""
}

// where names a node for messages.
func where(n *onnx.Node) string {
	if n.Name != "" {
		return n.Name
	}
	return fmt.Sprintf("the %s that makes %s", n.Op, n.Outputs[0])
}
