package rewrite

import (
	"fmt"
	"math"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/rule"
)

// answer says whether an operator can take the place of a match.
type answer struct {
	fits    bool
	known   bool   // fits is certain; else it depends on sizes that the model does not say
	why     string // not, or what is not known
	kernels *rule.Kernels
}

// kernelsFor finds the kernels of an operator for the element types of a match.
func (o *Operator) kernelsFor(m *match, values map[string]onnx.Value) (*rule.Kernels, string) {
	why := ""
	for i := range o.Kernels {
		if why = o.typed(&o.Kernels[i], m, values); why == "" {
			return &o.Kernels[i], ""
		}
	}
	return nil, why
}

// typed returns why kernels do not take the element types of a match, or "".
func (o *Operator) typed(k *rule.Kernels, m *match, values map[string]onnx.Value) string {
	for _, x := range o.Inputs {
		name := x.Type
		if t, ok := k.Types[name]; ok {
			name = t
		}
		v := values[m.inputs[x.Name]]
		want, _ := dtype.Parse(name)
		if v.Element == 0 {
			return fmt.Sprintf("the type of %s is not known", m.inputs[x.Name])
		}
		if v.Element != want.ONNX() {
			have, _ := dtype.OfONNX(v.Element)
			return fmt.Sprintf("%s has elements of %s, and %s takes %s", m.inputs[x.Name], have, o.Name, want)
		}
	}
	return ""
}

// binding gives the names of an operator's dimensions their values.
type binding struct {
	values map[string]float64 // NaN is not known
	dims   map[string]onnx.Dim
	stars  map[string][]onnx.Dim
	known  bool
	why    string
}

// judge decides whether an operator takes the shapes of a match.
func (o *Operator) judge(k *rule.Kernels, m *match, values map[string]onnx.Value) answer {
	b := &binding{values: map[string]float64{}, dims: map[string]onnx.Dim{}, stars: map[string][]onnx.Dim{},
		known: true}
	for name, v := range m.attributes {
		b.values[name] = v
	}
	for _, x := range o.Inputs {
		v := values[m.inputs[x.Name]]
		if v.Dims == nil {
			b.unknown("the shape of %s is not known", m.inputs[x.Name])
			continue
		}
		if why := b.input(x, v); why != "" {
			return answer{known: true, why: why}
		}
	}
	for _, a := range o.Attributes {
		if _, ok := b.values[a.Name]; !ok && a.Default != nil {
			b.values[a.Name] = a.Default.EvalKnown(b.values)
		}
	}
	fits, known := k.Fits(o.Operator, b.values)
	switch {
	case !fits:
		return answer{known: true, why: fmt.Sprintf("no variant of %s takes these sizes", k.Group)}
	case !known:
		b.unknown("which variants of %s take the sizes is not known", k.Group)
	}
	return answer{fits: true, known: b.known, why: b.why, kernels: k}
}

func (b *binding) unknown(format string, args ...any) {
	if b.known {
		b.known, b.why = false, fmt.Sprintf(format, args...)
	}
}

// input binds the dimensions of an input, or returns why they do not fit.
func (b *binding) input(x rule.Tensor, v onnx.Value) string {
	fixed, star := len(x.Dims), false
	for _, d := range x.Dims {
		star = star || d.Star
	}
	if star {
		fixed--
	}
	if len(v.Dims) < fixed || !star && len(v.Dims) != fixed {
		return fmt.Sprintf("%s has %d dimensions, and %s has %d", v.Name, len(v.Dims), x.Name, fixed)
	}
	at := 0
	for _, d := range x.Dims {
		count := 1
		if d.Star {
			count = len(v.Dims) - fixed
		}
		part := v.Dims[at : at+count]
		at += count
		ok := true
		if d.Star {
			ok = b.star(d.Name, part, v.Name)
		} else {
			ok = b.dim(d, part[0], v.Name)
		}
		if !ok {
			return fmt.Sprintf("the shape of %s does not fit that of %s", v.Name, x.Name)
		}
	}
	return ""
}

// star binds dimensions of any number, or compares them.
func (b *binding) star(name string, dims []onnx.Dim, value string) bool {
	have, bound := b.stars[name]
	if !bound {
		b.stars[name] = dims
		product := 1.0
		for _, d := range dims {
			product *= size(d)
		}
		b.values[name] = product
		return true
	}
	if len(have) != len(dims) {
		return false
	}
	for i := range dims {
		if !b.same(have[i], dims[i], value) {
			return false
		}
	}
	return true
}

// dim binds a dimension, or compares it.
func (b *binding) dim(d rule.Dim, have onnx.Dim, value string) bool {
	if _, bound := b.values[d.Name]; d.Name != "" && !bound {
		b.values[d.Name], b.dims[d.Name] = size(have), have
		return true
	}
	if d.Name != "" {
		if other, ok := b.dims[d.Name]; ok {
			return b.same(other, have, value)
		}
	}
	want := d.Rule.EvalKnown(b.values)
	if math.IsNaN(want) {
		b.unknown("a dimension of %s is not known", value)
		return true
	}
	return b.same(onnx.Dim{Size: int64(want)}, have, value)
}

// same compares dimensions. Those that have no size are the same if they have one name.
func (b *binding) same(x, y onnx.Dim, value string) bool {
	switch {
	case x.Size >= 0 && y.Size >= 0:
		return x.Size == y.Size
	case x.Name == "" || x.Name != y.Name:
		b.unknown("a dimension of %s is not known", value)
	}
	return true
}

func size(d onnx.Dim) float64 {
	if d.Size < 0 {
		return math.NaN()
	}
	return float64(d.Size)
}
