package rule

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// Pattern is a value of a model that an operator can compute, as an expression over ONNX's own operators:
// "Add(MatMul(a, b), bias)". Exactly one of Op, Input, Attribute and Constant says what it is.
type Pattern struct {
	Op        string            // the operator of the node that makes the value
	Args      []Pattern         // its inputs
	Keywords  map[string]Equals // what its attributes must be; others must have their defaults
	Input     string            // an input of the operator
	Attribute string            // an attribute of the operator: its value is a constant of one element
	Constant  *float64          // a constant of one element that has this value
}

// Equals is what an attribute of a node must be: a number, numbers, a text, or an attribute of the
// operator, to which it gives its value.
type Equals struct {
	Numbers   []float64
	List      bool // Numbers is a list, also if it has one element
	Text      string
	Attribute string
}

// Size returns the number of nodes of a pattern.
func (p *Pattern) Size() int {
	if p.Op == "" {
		return 0
	}
	n := 1
	for i := range p.Args {
		n += p.Args[i].Size()
	}
	return n
}

// maxNodes bounds the nodes of a pattern.
const maxNodes = 64

// readServes reads the patterns of nodes that the operator can take the place of.
func (o *Operator) readServes(t OperatorText) error {
	for _, text := range t.Serves {
		x, err := python.ParseExpr(diag.NewFileSet(), "pattern", []byte(text))
		if err != nil {
			return fmt.Errorf("%q is no pattern: %s", text, message(err))
		}
		used := map[string]bool{}
		p, err := o.pattern(x, used)
		if err == nil {
			err = o.complete(&p, used)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		o.Serves = append(o.Serves, p)
	}
	return nil
}

// complete returns an error for a pattern that leaves something of the operator unknown.
func (o *Operator) complete(p *Pattern, used map[string]bool) error {
	switch {
	case p.Op == "":
		return errors.New("a pattern begins with an operator of ONNX: Softmax(x, axis=-1)")
	case p.Size() > maxNodes:
		return fmt.Errorf("a pattern has %d nodes at most", maxNodes)
	}
	for _, x := range o.Inputs {
		if !used[x.Name] {
			return fmt.Errorf("the input %s is not in it", x.Name)
		}
	}
	for _, a := range o.Attributes {
		if a.Default == nil && !used[a.Name] {
			return fmt.Errorf("the attribute %s is not in it and has no default", a.Name)
		}
	}
	return nil
}

// pattern makes a pattern of an expression, and notes the names that it uses.
func (o *Operator) pattern(x python.Expr, used map[string]bool) (p Pattern, err error) {
	switch x := x.(type) {
	case *python.Name:
		used[x.ID] = true
		switch {
		case slices.ContainsFunc(o.Inputs, func(t Tensor) bool { return t.Name == x.ID }):
			p.Input = x.ID
		case o.attribute(x.ID):
			p.Attribute = x.ID
		default:
			return p, fmt.Errorf("%s is no input and no attribute", x.ID)
		}
		return p, nil
	case *python.Call:
		return o.node(x, used)
	}
	v, err := numberOf(x)
	if err != nil {
		return p, errors.New("a pattern has calls of ONNX's operators, inputs, attributes and numbers alone")
	}
	p.Constant = &v
	return p, nil
}

func (o *Operator) attribute(name string) bool {
	return slices.ContainsFunc(o.Attributes, func(a Attribute) bool { return a.Name == name })
}

// node makes the pattern of a node.
func (o *Operator) node(x *python.Call, used map[string]bool) (p Pattern, err error) {
	name, ok := x.Func.(*python.Name)
	if !ok {
		return p, errors.New("an operator of ONNX is called by its name")
	}
	p.Op, p.Keywords = name.ID, map[string]Equals{}
	for _, a := range x.Args {
		arg, err := o.pattern(a, used)
		if err != nil {
			return p, err
		}
		p.Args = append(p.Args, arg)
	}
	for _, k := range x.Keywords {
		if p.Keywords[k.Arg], err = o.equals(k.Value, used); err != nil || k.Arg == "" {
			return p, errors.Join(fmt.Errorf("the attribute %s of %s", k.Arg, p.Op), err)
		}
	}
	if len(p.Args) == 0 {
		return p, fmt.Errorf("%s has no inputs", p.Op)
	}
	return p, nil
}

// equals reads the value of an attribute of a node.
func (o *Operator) equals(x python.Expr, used map[string]bool) (e Equals, err error) {
	switch x := x.(type) {
	case *python.Name:
		if !o.attribute(x.ID) {
			return e, fmt.Errorf("%s is no attribute of the operator", x.ID)
		}
		used[x.ID] = true
		return Equals{Attribute: x.ID}, nil
	case *python.List:
		e.List = true
		for _, item := range x.Elts {
			v, err := numberOf(item)
			if err != nil {
				return e, err
			}
			e.Numbers = append(e.Numbers, v)
		}
		return e, nil
	case *python.Constant:
		if text, ok := x.Value.(string); ok {
			return Equals{Text: text}, nil
		}
	}
	v, err := numberOf(x)
	return Equals{Numbers: []float64{v}}, err
}

// numberOf returns the value of a number, or of its negation.
func numberOf(x python.Expr) (float64, error) {
	switch x := x.(type) {
	case *python.Constant:
		switch v := x.Value.(type) {
		case float64:
			return v, nil
		case *big.Int:
			f, _ := new(big.Float).SetInt(v).Float64()
			return f, nil
		}
	case *python.UnaryOp:
		if v, err := numberOf(x.Operand); err == nil && x.Op == python.USub {
			return -v, nil
		}
	}
	return 0, errors.New("expected a number, a list of numbers, a text or an attribute")
}

// DomainError returns why operators of a domain would never run, or nil: ONNX Runtime keeps its own
// operators for these domains, whatever a library registers.
func DomainError(domain string) error {
	switch {
	case domain == "":
		return fmt.Errorf(`domain = "" is ONNX's own, and ONNX Runtime takes no operators for it from `+
			`libraries: use another, such as %q; nereid onnx rewrite puts them in the place of ONNX's nodes`,
			DefaultDomain)
	case domain == "ai.onnx" || strings.HasPrefix(domain, "ai.onnx.") || domain == "com.microsoft" ||
		strings.HasPrefix(domain, "com.microsoft."):
		return fmt.Errorf("domain = %q belongs to ONNX or ONNX Runtime: use another, such as %q", domain,
			DefaultDomain)
	}
	return nil
}

// Library describes a library's operators to programs that put them into models.
type Library struct {
	Version   int      `json:"version"` // of this description
	Operators []Served `json:"operators"`
}

// LibraryVersion is the version of descriptions.
const LibraryVersion = 1

// LibrarySection is the section of a shared library that holds its description.
const LibrarySection = ".nereid.operators"

// Served is an operator, with the kernels for each choice of its types.
type Served struct {
	OperatorText
	Kernels []Kernels `json:"kernels"`
}

// Kernels is the group of kernels for a choice of types.
type Kernels struct {
	Types map[string]string `json:"types,omitempty"`
	Group string            `json:"group"`
	CPU   bool              `json:"cpu,omitempty"` // there is code for CPUs
	GPU   []string          `json:"gpu,omitempty"` // there is code for these GPUs: "cuda", "hip"
	Sizes []string          `json:"sizes,omitempty"`
	Args  []string          `json:"args"`
	When  []Rule            `json:"when"` // of each variant: what launches must fulfil; nil always holds
}

// Fits reports whether a variant exists for values of the operator's dimensions and attributes. Values
// that are not known are NaN; known is false if the answer depends on them.
func (k *Kernels) Fits(o *Operator, values map[string]float64) (fits, known bool) {
	args := map[string]float64{}
	for _, name := range slices.Concat(k.Args, k.Sizes) {
		if r, ok := o.Arguments[name]; ok {
			args[name] = r.EvalKnown(values)
		} else if v, ok := values[name]; ok {
			args[name] = v
		}
	}
	known = true
	for _, when := range k.When {
		if len(when) == 0 {
			return true, true
		}
		v := when.EvalKnown(args)
		switch {
		case v != v:
			known = false
		case v != 0:
			return true, true
		}
	}
	return !known, known
}

// EvalKnown is Eval for values that may be missing or NaN, which is unknown: so is then the result.
func (r Rule) EvalKnown(values map[string]float64) float64 {
	for _, name := range r.Names() {
		if v, ok := values[name]; !ok || v != v {
			return nan
		}
	}
	return r.Eval(values)
}
