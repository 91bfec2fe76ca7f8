package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The text of a pipeline, as mlir-opt reads it:
//
//	pipeline  := element {"," element}
//	element   := name [options] | anchor "(" pipeline ")"
//	options   := "{" {key ["=" value]} "}"
//
// An anchor is an operation whose body the passes in parentheses run over, one operation at a time:
// builtin.module(canonicalize,func.func(cse)). The outermost builtin.module may be left out.

// Parse returns the pipeline of a text, of passes in a list.
func Parse(list []Pass, text string) ([]Pass, error) {
	p := &pipelineText{list: list, rest: text}
	passes, err := p.pipeline()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("unexpected %q in the pipeline %q", p.rest, text)
	}
	if err != nil {
		return nil, err
	}
	return passes, nil
}

type pipelineText struct {
	list  []Pass
	rest  string
	depth int
}

// take cuts a mark off the rest, if it begins with it.
func (p *pipelineText) take(mark string) bool {
	p.rest = strings.TrimSpace(p.rest)
	rest, ok := strings.CutPrefix(p.rest, mark)
	if ok {
		p.rest = strings.TrimSpace(rest)
	}
	return ok
}

// until cuts the rest at the first of the marks and returns what was before it.
func (p *pipelineText) until(marks string) string {
	n := strings.IndexAny(p.rest, marks)
	if n < 0 {
		n = len(p.rest)
	}
	word := strings.TrimSpace(p.rest[:n])
	p.rest = p.rest[n:]
	return word
}

const maxNesting = 64

func (p *pipelineText) pipeline() (passes []Pass, err error) {
	if p.depth++; p.depth > maxNesting {
		return nil, fmt.Errorf("the pipeline is nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	for {
		name := p.until(",(){}")
		switch {
		case p.take("("):
			inner, err := p.pipeline()
			if err != nil {
				return nil, err
			}
			if !p.take(")") {
				return nil, fmt.Errorf("the pipeline of %q lacks a )", name)
			}
			if passes, err = p.anchored(passes, name, inner); err != nil {
				return nil, err
			}
		case name != "":
			x, err := p.named(name)
			if err != nil {
				return nil, err
			}
			passes = append(passes, x)
		}
		if !p.take(",") {
			return passes, nil
		}
	}
}

// named returns the pass of a name, with its options.
func (p *pipelineText) named(name string) (Pass, error) {
	x, ok := Lookup(p.list, name)
	if !ok {
		return Pass{}, noPass(p.list, name)
	}
	if !p.take("{") {
		return x, nil
	}
	text := p.until("}")
	if !p.take("}") {
		return Pass{}, fmt.Errorf("the options of %s lack a }", name)
	}
	return x.With(text)
}

// noPass says that a pass does not exist, and which do.
func noPass(list []Pass, name string) error {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = x.Name
	}
	slices.Sort(names)
	near := ""
	if n := diag.Nearest(name, names); n != "" {
		near = " (did you mean " + n + "?)"
	}
	return fmt.Errorf("no pass is called %q%s; there are: %s", name, near, strings.Join(names, ", "))
}

// With returns the pass with options as MLIR writes them: "key=value key2", separated by spaces.
func (x Pass) With(text string) (Pass, error) {
	options := map[string]string{}
	for _, word := range strings.Fields(text) {
		key, value, given := strings.Cut(word, "=")
		if !given {
			value = "true"
		}
		options[key] = value
	}
	if len(options) == 0 {
		return x, nil
	}
	if x.Configure == nil {
		return Pass{}, fmt.Errorf("%s takes no options, but has %q", x.Name, text)
	}
	return x.Configure(options)
}

// anchored appends passes over the operations of a name inside of the module. Those of the module itself are
// appended as they are.
func (p *pipelineText) anchored(passes []Pass, anchor string, inner []Pass) ([]Pass, error) {
	if anchor == ir.ModuleOp.FullName() && p.depth == 1 {
		return append(passes, inner...), nil
	}
	def := ir.LookupOp(anchor)
	if anchor != "any" && def == nil {
		return nil, fmt.Errorf("%q is no operation that passes could run over", anchor)
	}
	if def != nil && !def.Has(ir.Isolated) {
		return nil, fmt.Errorf("passes cannot run over %s, whose body uses values from around it", anchor)
	}
	return append(passes, Pass{
		Name: anchor + "(" + Names(inner) + ")",
		Doc:  "run passes over each " + anchor,
		Run:  func(ctx *Context, m *ir.Module) error { return runInside(ctx, m, def, inner) },
	}), nil
}

// runInside runs passes over each operation of a kind (nil: any that is isolated) in the module's body, each
// taken into a module of its own meanwhile, unless it is one.
func runInside(ctx *Context, m *ir.Module, def *ir.OpDef, passes []Pass) error {
	var ops []*ir.Op
	for op := range m.Block().Ops() {
		if op.Def == def || def == nil && op.Def.Has(ir.Isolated) {
			ops = append(ops, op)
		}
	}
	for _, op := range ops {
		if err := runOver(ctx, m, op, passes); err != nil {
			return err
		}
	}
	return nil
}

func runOver(ctx *Context, m *ir.Module, op *ir.Op, passes []Pass) error {
	next := op.Next()
	op.Remove()
	single, own := &ir.Module{Op: op}, op.Def == ir.ModuleOp
	if !own {
		single = ir.NewModule(op.Loc)
		single.Block().Append(op)
	}
	var err error
	for _, x := range passes {
		if err = ctx.guard(x, single); err != nil {
			break
		}
	}
	back := []*ir.Op{op}
	if !own { // a pass may have put another operation in its place, or several
		back = slices.Collect(single.Block().Ops())
	}
	b := ir.NewBuilder(m.Block())
	if next != nil {
		b = ir.At(next)
	}
	for _, o := range back {
		if !own {
			o.Remove()
		}
		b.Insert(o)
	}
	return err
}
