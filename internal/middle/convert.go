package middle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// converter writes one function. The first error stops it.
type converter struct {
	*uses
	opts  Options
	ctx   *pass.Context
	m     *ir.Module
	b     *ir.Builder
	vals  map[*ir.Value]*ir.Value // scalars and tensors of the input, as they are in the output
	syms  map[*symbol]*ir.Value
	srcs  map[*source]*ir.Value
	grid  [6]*ir.Value // the trailing arguments
	inner int          // depth of regions that are functions of scalars: all in them is converted
	here  bool         // the function is rewritten where it stands: values are what they were
	err   error
}

// table says how operations are converted: a pattern looks at its own operation and asks the analyses for the
// rest.
type table map[*ir.OpDef]func(c *converter, op *ir.Op)

// patterns joins the tables of all families.
var patterns = table{}

func init() {
	for _, t := range []table{memoryOps, atomicOps, elementwiseOps, shapeOps, reduceOps, dotOps, flowOps,
		programOps, pickOps, describedOps} {
		maps.Copy(patterns, t)
	}
}

// Handles reports whether there is a way from an operation to linalg.
func Handles(def *ir.OpDef) bool { return patterns[def] != nil || def.Has(ir.Elementwise) }

func (c *converter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *converter) failAt(op *ir.Op, format string, args ...any) { c.fail(errAt(op, format, args...)) }

func (c *converter) block(b *ir.Block) {
	for op := range b.Ops() {
		if c.err != nil {
			return
		}
		c.ctx.At(op)
		c.b.Loc = op.Loc
		if c.live(op) {
			c.op(op)
		}
	}
}

// live reports whether an operation has to be converted.
func (c *converter) live(op *ir.Op) bool {
	return c.inner > 0 || isFlow(op.Def) || hasEffect(op) ||
		slices.ContainsFunc(op.Results(), func(v *ir.Value) bool {
			return c.needed[v]
		})
}

func (c *converter) op(op *ir.Op) {
	if !isFlow(op.Def) && op.NumResults() == 1 && tt.IsPtr(op.Result(0).Type) && !c.isRoot(op.Result(0)) &&
		!hasEffect(op) {
		return // described, so there is nothing to compute
	}
	if !isFlow(op.Def) && op.NumResults() == 1 && c.inner == 0 && c.fromDesc(op.Result(0)) &&
		!hasEffect(op) && !tt.IsPtr(op.Result(0).Type) {
		c.setVal(op.Result(0), c.elements(op.Result(0)))
		return
	}
	f := patterns[op.Def]
	if f == nil && op.Def.Has(ir.Elementwise) {
		f = (*converter).elementwise
	}
	if f == nil && slices.Contains(passing, op.Def.Dialect) {
		f = (*converter).pass
	}
	if f == nil {
		c.failAt(op, "cannot be converted to linalg")
		return
	}
	f(c, op)
}

// isRoot reports whether a scalar pointer begins a source.
func (c *converter) isRoot(v *ir.Value) bool {
	src := c.sources[v]
	return src != nil && src.root == v
}

// set records what a value of the input has become.
func (c *converter) setVal(v, to *ir.Value) {
	if to.Name == "" && to.Def() != nil {
		to.Name = v.Name
	}
	c.vals[v] = to
}

// val returns what a scalar, or a tensor that is needed as data, has become.
func (c *converter) val(v *ir.Value) *ir.Value {
	if w := c.vals[v]; w != nil {
		return w
	}
	if c.here {
		return v
	}
	what := "an argument"
	if v.Def() != nil {
		what = v.Def().Name()
	}
	panic(fmt.Sprintf("the value of %s is used but was not converted", what))
}

func (c *converter) valsOf(vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = c.val(v)
	}
	return out
}

// sym returns the value that a symbol stands for.
func (c *converter) sym(s *symbol) *ir.Value {
	v := c.syms[s]
	if v == nil {
		panic("a part that a loop carries is used outside it")
	}
	return v
}

// clone copies an operation whose operands are scalars of the output.
func (c *converter) clone(op *ir.Op, args []*ir.Value, results []ir.Type) []*ir.Value {
	return c.b.Create(ir.State{Def: op.Def, Operands: args, Results: results, Attrs: op.Attrs(),
		Segments: op.Segments()}).Results()
}

// uniform returns the element of a tensor whose elements are all equal.
func (c *converter) uniform(v *ir.Value) (*ir.Value, bool) {
	x, ok := c.uniformOf(v)
	if !ok {
		return nil, false
	}
	elem := dataElem(ir.ElemOf(v.Type))
	switch {
	case x.attr != nil:
		return c.scalarConst(x.attr), true
	case x.v != nil:
		return c.val(x.v), true
	}
	return c.scalar(x.e, elem), true
}
