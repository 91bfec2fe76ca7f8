package middle

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// carry says how one value goes through a loop or out of a branch: as it is, or as those parts of its
// description that change on the way. The others are known without it.
type carry struct {
	typ   ir.Type
	from  func() []*ir.Value // the values that may come in
	data  bool               // carried as it is: a scalar, or a tensor whose elements are data
	src   bool               // the source is carried
	parts []bool             // which exprs are
	conds []bool             // which conditions are
	in    *symbols           // inside the loop; nil for a branch
	out   *symbols           // after the loop or branch; nil for the first region of a while
	elem  ir.Type            // element type of the carried source
	abs   bool               // pointers are carried as absolute addresses
	loose bool               // some description on the way is
}

// symbols are the carried parts as they can be used in one block.
type symbols struct {
	block *ir.Block
	src   *source
	parts []*symbol
	conds []*symbol
}

// flow is how values go through one loop or branch.
type flow struct {
	args    []*carry // arguments of a for; of the first region of a while
	results []*carry // results of a while or if; those of a for are its args
}

// flowOf returns the flow of op, kept from one visit to the next.
func (a *analysis) flowOf(op *ir.Op, args, results []*ir.Value, in, out *ir.Block,
	inResults *ir.Block) *flow {
	if f := a.flows[op]; f != nil {
		return f
	}
	f := &flow{}
	for i, v := range args {
		c := newCarry(v.Type, in, out)
		c.from = func() []*ir.Value { return incoming(op, i) }
		f.args = append(f.args, c)
	}
	for i, v := range results {
		c := newCarry(v.Type, inResults, op.Block())
		c.from = func() []*ir.Value { return outgoing(op, i) }
		f.results = append(f.results, c)
	}
	a.flows[op] = f
	return f
}

// incoming returns the values that argument i of a loop may have: the initial one and the one yielded.
func incoming(op *ir.Op, i int) []*ir.Value {
	if op.Def == scf.For {
		return []*ir.Value{scf.Inits(op)[i], op.Body(0).Last().Operand(i)}
	}
	return []*ir.Value{op.Operand(i), op.Body(1).Last().Operand(i)}
}

// outgoing returns the values that result i of a while or if may have.
func outgoing(op *ir.Op, i int) []*ir.Value {
	if op.Def == scf.While {
		return []*ir.Value{op.Body(0).Last().Operand(1 + i)}
	}
	return []*ir.Value{op.Body(0).Last().Operand(i), op.Body(1).Last().Operand(i)}
}

func newCarry(t ir.Type, in, out *ir.Block) *carry {
	c := &carry{typ: t, data: !described(t)}
	if in != nil {
		c.in = &symbols{block: in}
	}
	if out != nil {
		c.out = &symbols{block: out}
	}
	return c
}

// merge takes note of the descriptions that a value may have, and reports whether that changed how it is
// carried. Parts that depend on what is inside op are carried when sealed: they cannot be used where the
// value goes.
func (a *analysis) merge(c *carry, op *ir.Op, ds []desc, sealed bool) bool {
	if !described(c.typ) {
		return false
	}
	defined := ds[:0:0]
	for _, d := range ds {
		if !d.undefined() {
			defined = append(defined, d)
		}
	}
	if len(defined) == 0 {
		return false
	}
	before := c.key()
	if !sealed && len(defined) < len(ds) || !oneForm(defined, op, sealed) {
		c.data = true
	}
	for _, d := range defined {
		if s, ok := d.(*state); ok {
			c.loose = c.loose || s.loose
		}
	}
	c.mergeSource(defined, op, sealed)
	if !c.data {
		c.mergeParts(defined, op, sealed)
	}
	return before != c.key()
}

func (c *carry) key() string { return fmt.Sprint(c.data, c.src, c.abs, c.loose, c.parts, c.conds) }

func oneForm(ds []desc, op *ir.Op, sealed bool) bool {
	for _, d := range ds {
		if s, ok := d.(*state); ok && s.opaque || !ds[0].sameForm(d) {
			return false
		}
	}
	for _, v := range ds[0].tensors() {
		if sealed && v.Block().IsInside(op) {
			return false
		}
	}
	return true
}

func (c *carry) mergeSource(ds []desc, op *ir.Op, sealed bool) {
	if !tt.IsPtrLike(c.typ) {
		return
	}
	for _, d := range ds {
		c.abs = c.abs || d.source() == nil
	}
	if c.abs {
		return
	}
	src := ds[0].source()
	c.elem = src.elem
	for _, d := range ds {
		s := d.source()
		c.src = c.src || s != src || sealed && s.inside(op)
		if s.elem != src.elem {
			pointee, _, _ := tt.AsPtr(ir.ElemOf(c.typ))
			c.elem = memoryElem(pointee)
		}
	}
}

func (c *carry) mergeParts(ds []desc, op *ir.Op, sealed bool) {
	es, cs := ds[0].exprs(), ds[0].conds()
	if len(c.parts) != len(es) || len(c.conds) != len(cs) {
		c.parts, c.conds = make([]bool, len(es)), make([]bool, len(cs))
	}
	for _, d := range ds {
		for i, e := range d.exprs() {
			c.parts[i] = c.parts[i] || !e.equal(es[i]) || sealed && e.inside(op)
		}
		for i, k := range d.conds() {
			c.conds[i] = c.conds[i] || k.key() != cs[i].key() || sealed && k.inside(op)
		}
	}
}

// describe returns the description of v, which is a carried value where the symbols belong, given one that it
// had on the way in.
func (a *analysis) describe(c *carry, at *symbols, v *ir.Value, ds []desc) desc {
	first := ds[0]
	for _, d := range ds {
		if first.undefined() {
			first = d
		}
	}
	if first.undefined() && !c.data {
		return first
	}
	src := first.source()
	switch {
	case c.abs:
		src = nil
	case c.src:
		if at.src == nil {
			at.src = &source{sym: &symbol{at.block, c}}
		}
		at.src.elem = c.elem
		src = at.src
	}
	if c.data {
		if ir.ElemOf(v.Type) == ir.I1 {
			return selfMask(v)
		}
		return a.sharing(a.selfState(v, src))
	}
	es, cs := first.exprs(), first.conds()
	cs = slices.Clone(cs)
	for i := range es {
		if i < len(c.parts) && c.parts[i] {
			es[i] = a.symbol(part(&at.parts, i, at.block, c))
		}
	}
	for i := range cs {
		if i < len(c.conds) && c.conds[i] {
			cs[i] = cond{sym: part(&at.conds, i, at.block, c)}
		}
	}
	d := first.rebuild(es, cs, src)
	if s, ok := d.(*state); ok {
		s.loose = s.loose || c.loose
	}
	return d
}

// part returns symbol i of a list, which grows as needed.
func part(list *[]*symbol, i int, b *ir.Block, c *carry) *symbol {
	for len(*list) <= i {
		*list = append(*list, nil)
	}
	if (*list)[i] == nil {
		(*list)[i] = &symbol{b, c}
	}
	return (*list)[i]
}

// set describes v, a value that c carries, when values of its type have descriptions.
func (a *analysis) set(c *carry, at *symbols, v *ir.Value, ds []desc) {
	if described(v.Type) {
		a.descs[v] = a.describe(c, at, v, ds)
	}
}

func (a *analysis) descsOf(vs ...*ir.Value) []desc {
	out := make([]desc, len(vs))
	for i, v := range vs {
		out[i] = a.descs[v]
	}
	return out
}

// forLoop describes what a loop carries: at first as if nothing changed, then with what changed carried,
// until no more does.
func (a *analysis) forLoop(op *ir.Op) {
	args, inits := scf.IterArgs(op), scf.Inits(op)
	f := a.flowOf(op, args, nil, op.Body(0), op.Block(), nil)
	for changed := true; changed; {
		for i, v := range args {
			a.set(f.args[i], f.args[i].in, v, a.descsOf(inits[i]))
		}
		a.block(op.Body(0))
		changed = false
		for i, y := range op.Body(0).Last().Operands() {
			changed = a.merge(f.args[i], op, a.descsOf(inits[i], y), false) || changed
		}
	}
	for i, v := range op.Results() {
		a.set(f.args[i], f.args[i].out, v, a.descsOf(inits[i]))
	}
}

// whileLoop does the same for both regions: the first carries what comes in and what the second yields, the
// second and the results what the first hands on.
func (a *analysis) whileLoop(op *ir.Op) {
	before, after := op.Body(0), op.Body(1)
	f := a.flowOf(op, before.Args(), op.Results(), before, nil, after)
	inits := op.Operands()
	for changed := true; changed; {
		for i, v := range before.Args() {
			a.set(f.args[i], f.args[i].in, v, a.descsOf(inits[i]))
		}
		a.block(before)
		handed := before.Last().Operands()[1:]
		changed = false
		for i, v := range after.Args() {
			changed = a.merge(f.results[i], op, a.descsOf(handed[i]), true) || changed
			a.set(f.results[i], f.results[i].in, v, a.descsOf(handed[i]))
		}
		a.block(after)
		for i, y := range after.Last().Operands() {
			changed = a.merge(f.args[i], op, a.descsOf(inits[i], y), false) || changed
		}
	}
	for i, v := range op.Results() {
		a.set(f.results[i], f.results[i].out, v, a.descsOf(before.Last().Operands()[1+i]))
	}
}

// branch describes the results by what both regions yield.
func (a *analysis) branch(op *ir.Op) {
	f := a.flowOf(op, nil, op.Results(), nil, nil, nil)
	var yields [][]*ir.Value
	for i, r := range op.Regions() {
		if !r.Empty() {
			a.block(op.Body(i))
			yields = append(yields, op.Body(i).Last().Operands())
		}
	}
	for i, v := range op.Results() {
		ds := a.descsOf(yields[0][i], yields[1][i])
		a.merge(f.results[i], op, ds, true)
		a.set(f.results[i], f.results[i].out, v, ds)
	}
}
