package args

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Params holds a kernel's parameters for launches.
type Params struct {
	List     []signature.Param
	Rules    []Rule // by parameter
	Runtime  []Rule // rules of the parameters that are no constexprs
	defaults []any  // default of each parameter; nil if an argument is required
	tuples   tuples
}

// tuples says how items of tuples are specialized: annotations of the parameter do not apply to them, the
// rules of the device do.
type tuples struct {
	rule  Rule
	param signature.Param
}

func newTuples(p signature.Param) tuples { return tuples{newRule(p), p} }

// Rule says how the arguments of a parameter are specialized. It is small because a launch reads all of them.
type Rule struct {
	IntRule
	Elem      dtype.Type // scalar type of the annotation, if Fixed
	Constexpr bool
	Fixed     bool
	Float     bool // the annotation makes any number a float
}

// NewParams returns the parameters of a kernel.
func NewParams(list []signature.Param) *Params {
	p := &Params{List: list, tuples: newTuples(signature.Param{})}
	for _, x := range list {
		r := newRule(x)
		p.Rules = append(p.Rules, r)
		p.defaults = append(p.defaults, defaultOf(x))
		if !x.Constexpr {
			p.Runtime = append(p.Runtime, r)
		}
	}
	return p
}

// Loose returns the parameters without the specialization that do_not_specialize forbids: any value of their
// type takes the same code.
func (p *Params) Loose() *Params {
	list := slices.Clone(p.List)
	for i := range list {
		list[i].NoAlign = list[i].NoAlign || list[i].NoSpecialize
	}
	return NewParams(list)
}

// Without returns the parameters without the specialization that a device does not want, nor the one that
// do_not_specialize forbids.
func (p *Params) Without(l device.Loose) *Params {
	list := slices.Clone(p.Loose().List)
	for i := range list {
		list[i].NoSpecialize = list[i].NoSpecialize || l.Ones
		list[i].AnyNumber = l.Numbers
		list[i].AnyAddress = l.Pointers
	}
	out := NewParams(list)
	out.tuples = newTuples(signature.Param{NoSpecialize: l.Ones, AnyNumber: l.Numbers,
		AnyAddress: l.Pointers})
	return out
}

// newRule returns how a parameter is specialized. One under do_not_specialize has code for any value and code
// for those that are divisible by 16, never code for 1; Loose takes that back.
func newRule(p signature.Param) Rule {
	r := Rule{Constexpr: p.Constexpr, IntRule: IntRule{One: ClassInt32}}
	if !p.NoSpecialize && p.Type == "" {
		r.One = ClassOne
	}
	if !p.NoAlign && !p.AnyNumber {
		r.Align = ClassDiv16
	}
	if t, ok := dtype.Parse(p.Type); ok {
		r.Elem, r.Fixed, r.Float = t, true, t.IsFloat()
	}
	return r
}

// defaultOf returns a parameter's default: a Go number if the device receives it, else ItsDefault.
func defaultOf(p signature.Param) any {
	switch {
	case p.Default == nil:
		return nil
	case p.Constexpr:
		return ItsDefault{}
	}
	switch v := p.Default.Plain().(type) {
	case int64, float64, bool:
		return v
	}
	return ItsDefault{}
}

// Index returns the position of a parameter, or -1.
func (p *Params) Index(name string) int {
	for i := range p.List {
		if p.List[i].Name == name {
			return i
		}
	}
	return -1
}

// names returns the names of the parameters, for messages.
func (p *Params) names() string {
	names := make([]string, len(p.List))
	for i, x := range p.List {
		names[i] = x.Name
	}
	return strings.Join(names, ", ")
}
