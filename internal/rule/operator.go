package rule

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Operator is an operator on tensors, made of a group of kernels: what ONNX Runtime must know of it.
type Operator struct {
	Text            OperatorText
	Name, Domain    string
	Group           string              // the kernels; {T} stands for the name of type T
	Types           map[string][]string // types that have names, with the element types that they may be
	Inputs, Outputs []Tensor
	Attributes      []Attribute
	Tensors         map[string]string // arguments that are tensors → names of tensors
	Arguments       map[string]Rule   // other arguments, and sizes of the group
	Values          []string          // names that rules load: dimensions of the inputs, then attributes
	Serves          []Pattern         // what of models it can take the place of
}

// Tensor is an input or an output: "x: T[*rows, n]".
type Tensor struct {
	Name, Type string
	Dims       []Dim
}

// Dim is a dimension of a tensor, or with Star any number of them, whose name stands for their product. In an
// input, a name that is new is bound; a rule must be equal to the dimension.
type Dim struct {
	Name string // "" for a rule that is more than a name
	Star bool
	Rule Rule
}

// Attribute is a number that the model gives: "eps: float = 1e-5".
type Attribute struct {
	Name    string
	Float   bool
	Default Rule // nil if the model must give it; may use dimensions
}

// OperatorText is Operator as a manifest has it.
type OperatorText struct {
	Name       string              `toml:"name" json:"name"`
	Domain     *string             `toml:"domain" json:"domain,omitempty"`
	Group      string              `toml:"group" json:"group"`
	Types      map[string][]string `toml:"types" json:"types,omitempty"`
	Inputs     []string            `toml:"inputs" json:"inputs"`
	Outputs    []string            `toml:"outputs" json:"outputs"`
	Attributes []string            `toml:"attributes" json:"attributes,omitempty"`
	Arguments  map[string]string   `toml:"arguments" json:"arguments,omitempty"`
	Serves     []string            `toml:"serves" json:"serves,omitempty"`
}

// OperatorKeys lists the keys of an operator in a manifest.
var OperatorKeys = []string{"name", "domain", "group", "types", "inputs", "outputs", "attributes",
	"arguments", "serves"}

// DefaultDomain is the domain of operators that name none.
const DefaultDomain = "nereid"

var (
	word       = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	tensorText = regexp.MustCompile(`^\s*(\w+)\s*:\s*(\w+)\s*\[(.*)\]\s*$`)
	attrText   = regexp.MustCompile(`^\s*(\w+)\s*:\s*(int|float)\s*(?:=\s*(.+))?$`)
)

// CompileOperator reads an operator. key is the place of an error.
func CompileOperator(t OperatorText) (o *Operator, key string, err error) {
	o = &Operator{Text: t, Name: t.Name, Domain: DefaultDomain, Group: t.Group, Types: t.Types,
		Tensors: map[string]string{}, Arguments: map[string]Rule{}}
	if t.Domain != nil {
		o.Domain = *t.Domain
	}
	if err := DomainError(o.Domain); err != nil {
		return o, "domain", err
	}
	switch {
	case !word.MatchString(t.Name):
		return o, "name", fmt.Errorf("an operator cannot be called %q: expected letters, digits and _",
			t.Name)
	case t.Group == "":
		return o, "group", errors.New("group is missing: it says which kernels compute the operator")
	case len(t.Inputs) == 0 || len(t.Outputs) == 0:
		return o, "inputs", errors.New(`an operator has inputs and outputs, as in ["x: T[*rows, n]"]`)
	}
	for _, part := range []struct {
		key  string
		read func(OperatorText) error
	}{{"inputs", o.readInputs}, {"attributes", o.readAttributes}, {"outputs", o.readOutputs},
		{"arguments", o.readArguments}, {"serves", o.readServes}} {
		if err := part.read(t); err != nil {
			return o, part.key, err
		}
	}
	return o, "", nil
}

func (o *Operator) readInputs(t OperatorText) error {
	for _, text := range t.Inputs {
		x, err := o.tensor(text, func(d *Dim, text string) error { return o.bind(d, text) })
		if err != nil {
			return err
		}
		o.Inputs = append(o.Inputs, x)
	}
	return nil
}

func (o *Operator) readOutputs(t OperatorText) error {
	for _, text := range t.Outputs {
		x, err := o.tensor(text, func(d *Dim, text string) (err error) {
			if d.Star && !slices.ContainsFunc(o.Inputs, func(x Tensor) bool { return x.star() == text }) {
				return fmt.Errorf("no input has *%s", text)
			}
			d.Rule, err = Compile(text, nil, o.Values)
			return err
		})
		if err != nil {
			return err
		}
		o.Outputs = append(o.Outputs, x)
	}
	return nil
}

// star returns the name of the tensor's dimensions of any number, or "".
func (x *Tensor) star() string {
	for _, d := range x.Dims {
		if d.Star {
			return d.Name
		}
	}
	return ""
}

// tensor reads a tensor; dim completes its dimensions.
func (o *Operator) tensor(text string, dim func(*Dim, string) error) (x Tensor, err error) {
	m := tensorText.FindStringSubmatch(text)
	if m == nil {
		return x, fmt.Errorf(`%q is no tensor: expected "x: T[*rows, n]"`, text)
	}
	x.Name, x.Type = m[1], m[2]
	for _, other := range slices.Concat(o.Inputs, o.Outputs) {
		if other.Name == x.Name {
			return x, fmt.Errorf("a second tensor is called %s", x.Name)
		}
	}
	for _, part := range splitDims(m[3]) {
		d := Dim{Star: strings.HasPrefix(part, "*")}
		part = strings.TrimSpace(strings.TrimPrefix(part, "*"))
		if word.MatchString(part) {
			d.Name = part
		}
		if d.Star && (x.star() != "" || d.Name == "") {
			return x, fmt.Errorf("%q: one * with a name is allowed", text)
		}
		if err := dim(&d, part); err != nil {
			return x, fmt.Errorf("%q: %w", text, err)
		}
		x.Dims = append(x.Dims, d)
	}
	return x, nil
}

// splitDims cuts a list at the commas outside of parentheses.
func splitDims(text string) (out []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out, from = append(out, strings.TrimSpace(text[from:i])), i+1
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// bind makes the name of an input's dimension known, or compiles the rule that it must equal.
func (o *Operator) bind(d *Dim, text string) (err error) {
	if d.Name != "" && !slices.Contains(o.Values, d.Name) {
		o.Values = append(o.Values, d.Name)
		return nil
	}
	d.Rule, err = Compile(text, nil, o.Values)
	return err
}

func (o *Operator) readAttributes(t OperatorText) error {
	dims := slices.Clone(o.Values)
	for _, text := range t.Attributes {
		m := attrText.FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf(`%q is no attribute: expected "eps: float = 1e-5" or "axis: int"`, text)
		}
		if slices.Contains(o.Values, m[1]) {
			return fmt.Errorf("%s is there twice", m[1])
		}
		a := Attribute{Name: m[1], Float: m[2] == "float"}
		if m[3] != "" {
			var err error
			if a.Default, err = Compile(m[3], nil, dims); err != nil {
				return err
			}
		}
		o.Attributes, o.Values = append(o.Attributes, a), append(o.Values, a.Name)
	}
	return nil
}

func (o *Operator) readArguments(t OperatorText) error {
	for _, arg := range slices.Sorted(maps.Keys(t.Arguments)) {
		text := strings.TrimSpace(t.Arguments[arg])
		if o.Tensor(text) >= 0 {
			o.Tensors[arg] = text
			continue
		}
		r, err := Compile(text, nil, o.Values)
		if err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
		o.Arguments[arg] = r
	}
	return nil
}

// Tensor returns the position of a tensor among the inputs and the outputs behind them, or -1.
func (o *Operator) Tensor(name string) int {
	return slices.IndexFunc(slices.Concat(o.Inputs, o.Outputs), func(x Tensor) bool { return x.Name == name })
}

// Combinations returns every choice of element types for the types that have names.
func (o *Operator) Combinations() []map[string]string {
	out := []map[string]string{{}}
	for _, name := range slices.Sorted(maps.Keys(o.Types)) {
		var next []map[string]string
		for _, c := range out {
			for _, t := range o.Types[name] {
				more := maps.Clone(c)
				more[name] = t
				next = append(next, more)
			}
		}
		out = next
	}
	return out
}

// GroupFor returns the name of the group for a choice of element types.
func (o *Operator) GroupFor(types map[string]string) string {
	name := o.Group
	for t, element := range types {
		name = strings.ReplaceAll(name, "{"+t+"}", element)
	}
	return name
}
