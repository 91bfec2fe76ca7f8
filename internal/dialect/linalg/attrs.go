package linalg

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// choice is an attribute that is one of several words, `#linalg.name<word>`.
type choice struct {
	def   *ir.AttrTypeDef
	words []string
}

func newChoice(name, doc string, words ...string) *choice {
	c := &choice{words: words}
	c.def = Dialect.NewAttr(ir.AttrTypeDef{
		Name:  name,
		Doc:   doc,
		Print: func(p *ir.Printer, a *ir.DialectAttr) { p.Text("<" + a.Params[0].(string) + ">") },
		Parse: c.parse,
	})
	return c
}

func (c *choice) parse(p *ir.Parser) (ir.Attr, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	pos := p.Pos()
	word, ok := p.Keyword()
	if !ok {
		return nil, false
	}
	if !slices.Contains(c.words, word) {
		return nil, p.Errorf(pos, "no %s is called %s", c.def.Name, word)
	}
	return c.def.Get(word), p.Literal(">")
}

func (c *choice) kind() *ir.AttrKind {
	return &ir.AttrKind{Desc: c.def.Name, Ok: func(a ir.Attr) bool { return c.word(a) != "" }}
}

func (c *choice) word(a ir.Attr) string {
	if d, ok := a.(*ir.DialectAttr); ok && d.Def == c.def {
		return d.Params[0].(string)
	}
	return ""
}

var (
	iteratorType    = newChoice("iterator_type", "What a loop of a nest is.", Parallel, Reduction, Window)
	typeFn          = newChoice("type_fn", "How elements are converted.", "cast_signed", "cast_unsigned")
	elementwiseKind = newChoice("elementwise_kind", "A function that linalg.elementwise applies.",
		"exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt", "square",
		"tanh", "erf", "add", "sub", "mul", "div", "div_unsigned", "max_signed", "min_signed", "max_unsigned",
		"min_unsigned", "powf", "select")
)

// What a loop of a nest is: independent, a reduction, or a window that slides over an input.
const (
	Parallel  = "parallel"
	Reduction = "reduction"
	Window    = "window"
)

// IteratorTypes is the attribute of a list of loops.
func IteratorTypes(words ...string) *ir.ArrayAttr {
	list := make([]ir.Attr, len(words))
	for i, w := range words {
		list[i] = iteratorType.def.Get(w)
	}
	return ir.Array(list...)
}

// Iterators are the kinds of an op's loops, from its iterator_types.
func Iterators(op *ir.Op) []string {
	list, _ := op.Attr("iterator_types").(*ir.ArrayAttr)
	if list == nil {
		return nil
	}
	out := make([]string, len(list.Elems))
	for i, a := range list.Elems {
		out[i] = iteratorType.word(a)
	}
	return out
}

// MapsAttr is the attribute of a list of affine maps.
func MapsAttr(maps ...*ir.AffineMap) *ir.ArrayAttr {
	list := make([]ir.Attr, len(maps))
	for i, m := range maps {
		list[i] = ir.AffineMapOf(m)
	}
	return ir.Array(list...)
}

// Maps are an op's affine maps, one for each operand, from its indexing_maps.
func Maps(op *ir.Op) []*ir.AffineMap {
	list, _ := op.Attr("indexing_maps").(*ir.ArrayAttr)
	if list == nil {
		return nil
	}
	out := make([]*ir.AffineMap, len(list.Elems))
	for i, a := range list.Elems {
		if m, ok := a.(*ir.AffineMapAttr); ok {
			out[i] = m.Map
		}
	}
	return out
}

// Inputs and Outputs are the operands of a structured op.
func Inputs(op *ir.Op) []*ir.Value  { return op.Group(0) }
func Outputs(op *ir.Op) []*ir.Value { return op.Group(1) }
