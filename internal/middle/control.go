package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// flowOps are loops, branches and returns.
var flowOps = table{
	scf.For:      convertFor,
	scf.While:    convertWhile,
	scf.If:       convertIf,
	tt.Return:    func(c *converter, op *ir.Op) { c.b.Op(funcd.Return, c.valsOf(op.Operands()), nil) },
	funcd.Return: func(c *converter, op *ir.Op) { c.b.Op(funcd.Return, c.valsOf(op.Operands()), nil) },
	scf.Yield:    func(c *converter, op *ir.Op) {}, // its loop or branch asks for the values

	scf.Condition: func(c *converter, op *ir.Op) {},
}

// outgoing returns the values that carry v: itself, or its parts that change.
func (c *converter) outgoing(k *carry, v *ir.Value) []*ir.Value {
	var out []*ir.Value
	d := c.descs[v]
	if k.data {
		out = append(out, c.dataOf(k, v, d))
	}
	if d == nil {
		return out
	}
	if k.src && !k.abs {
		if d.undefined() {
			c.fail(errAt(v.Def(), "a pointer that is not defined on all ways is not supported"))
			return out
		}
		out = append(out, c.withElem(d.source(), k.elem))
	}
	if k.data {
		return out
	}
	es, cs := d.exprs(), d.conds()
	for i, on := range k.parts {
		switch {
		case !on:
		case d.undefined():
			out = append(out, c.index(0))
		default:
			out = append(out, c.expr(es[i]))
		}
	}
	for i, on := range k.conds {
		switch {
		case !on:
		case d.undefined():
			out = append(out, arith.Const(c.b, ir.BoolAttr(false)))
		default:
			out = append(out, c.cond(cs[i]))
		}
	}
	return out
}

// dataOf returns the data that carries v.
func (c *converter) dataOf(k *carry, v *ir.Value, d desc) *ir.Value {
	if tt.IsPtrLike(v.Type) && k.abs {
		return c.absolute(v)
	}
	return c.val(v)
}

// types returns the types of the values that carry a value.
func (k *carry) types() []ir.Type {
	var out []ir.Type
	if k.data {
		out = append(out, dataType(k.typ))
	}
	if k.src && !k.abs {
		out = append(out, ir.UnrankedMemRef(k.elem, nil))
	}
	if k.data {
		return out
	}
	for _, on := range k.parts {
		if on {
			out = append(out, ir.Index)
		}
	}
	for _, on := range k.conds {
		if on {
			out = append(out, ir.I1)
		}
	}
	return out
}

// bind says that the next values of vs are what carries v where the symbols belong, and returns the others.
func (c *converter) bind(k *carry, at *symbols, v *ir.Value, vs []*ir.Value) []*ir.Value {
	next := func() *ir.Value { x := vs[0]; vs = vs[1:]; return x }
	if k.data {
		x := next()
		if x.Name == "" {
			x.Name = v.Name
		}
		c.vals[v] = x
	}
	if k.src && !k.abs {
		x := next()
		if at.src != nil {
			c.syms[at.src.sym] = x
		}
	}
	if k.data {
		return vs
	}
	for i, on := range k.parts {
		if on {
			x := next()
			if i < len(at.parts) && at.parts[i] != nil {
				c.syms[at.parts[i]] = x
			}
		}
	}
	for i, on := range k.conds {
		if on {
			x := next()
			if i < len(at.conds) && at.conds[i] != nil {
				c.syms[at.conds[i]] = x
			}
		}
	}
	return vs
}

// compute computes the elements of v, an argument or result that has been bound, where they are needed.
func (c *converter) compute(v *ir.Value) {
	if c.needed[v] && c.vals[v] == nil && c.fromDesc(v) {
		c.setVal(v, c.elements(v))
	}
}

// conversion is a loop or branch being converted: which of its values are carried, and how.
type conversion struct {
	carries []*carry
	on      []bool
}

func (c *converter) conversion(ks []*carry) conversion {
	x := conversion{carries: ks}
	for _, k := range ks {
		x.on = append(x.on, c.inner > 0 || c.seen[k]) // what nobody needs is not carried
	}
	return x
}

func (x conversion) types() []ir.Type {
	var out []ir.Type
	for i, k := range x.carries {
		if x.on[i] {
			out = append(out, k.types()...)
		}
	}
	return out
}

func (x conversion) outgoing(c *converter, vs []*ir.Value) []*ir.Value {
	var out []*ir.Value
	for i, k := range x.carries {
		if x.on[i] {
			out = append(out, c.outgoing(k, vs[i])...)
		}
	}
	return out
}

// bind binds what is carried to the values of the input that it stands for.
func (x conversion) bind(c *converter, at func(*carry) *symbols, old, vs []*ir.Value) {
	for i, k := range x.carries {
		if x.on[i] {
			vs = c.bind(k, at(k), old[i], vs)
		}
	}
	for _, v := range old {
		c.compute(v)
	}
}

func inside(k *carry) *symbols { return k.in }
func after(k *carry) *symbols  { return k.out }

// plain returns the flow of an operation that the analyses did not visit: everything is carried as it is.
func plain(vs []*ir.Value) []*carry {
	out := make([]*carry, len(vs))
	for i, v := range vs {
		out[i] = &carry{typ: v.Type, data: true, in: &symbols{}, out: &symbols{}}
	}
	return out
}

func convertFor(c *converter, op *ir.Op) {
	args, inits := scf.IterArgs(op), scf.Inits(op)
	ks := plain(args)
	if f := c.flows[op]; f != nil {
		ks = f.args
	}
	x := c.conversion(ks)
	bounds := c.valsOf(op.Operands()[:3])
	loop := scf.NewFor(c.b, bounds[0], bounds[1], bounds[2], x.outgoing(c, inits))
	if op.HasAttr("unsignedCmp") {
		loop.SetAttr("unsignedCmp", ir.Unit)
	}
	c.within(loop.Body(0), func() {
		iv := scf.IV(loop)
		iv.Name = scf.IV(op).Name
		c.vals[scf.IV(op)] = iv
		x.bind(c, inside, args, scf.IterArgs(loop))
		c.block(op.Body(0))
		if c.err == nil {
			scf.MakeYield(c.b, x.outgoing(c, op.Body(0).Last().Operands())...)
		}
	})
	if c.err == nil {
		x.bind(c, after, op.Results(), loop.Results())
	}
}

func convertWhile(c *converter, op *ir.Op) {
	before, then := op.Body(0), op.Body(1)
	ks, rs := plain(before.Args()), plain(op.Results())
	if f := c.flows[op]; f != nil {
		ks, rs = f.args, f.results
	}
	x := c.conversion(ks)
	y := c.conversion(rs)
	loop := scf.NewWhile(c.b, x.outgoing(c, op.Operands()), y.types())
	c.within(loop.Body(0), func() {
		x.bind(c, inside, before.Args(), loop.Body(0).Args())
		c.block(before)
		if c.err == nil {
			end := before.Last().Operands()
			c.b.Op(scf.Condition, append([]*ir.Value{c.val(end[0])}, y.outgoing(c, end[1:])...), nil)
		}
	})
	if c.err != nil {
		return
	}
	c.within(loop.Body(1), func() {
		y.bind(c, inside, then.Args(), loop.Body(1).Args())
		c.block(then)
		if c.err == nil {
			scf.MakeYield(c.b, x.outgoing(c, then.Last().Operands())...)
		}
	})
	if c.err == nil {
		y.bind(c, after, op.Results(), loop.Results())
	}
}

func convertIf(c *converter, op *ir.Op) {
	ks := plain(op.Results())
	if f := c.flows[op]; f != nil {
		ks = f.results
	}
	x := c.conversion(ks)
	branch := scf.NewIf(c.b, c.val(op.Operand(0)), x.types(), !op.Region(1).Empty())
	for i, r := range op.Regions() {
		if r.Empty() {
			continue
		}
		c.within(branch.Body(i), func() {
			c.block(op.Body(i))
			if c.err == nil {
				scf.MakeYield(c.b, x.outgoing(c, op.Body(i).Last().Operands())...)
			}
		})
	}
	if c.err == nil {
		x.bind(c, after, op.Results(), branch.Results())
	}
}
