package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// This file gives loops and branches the offsets, strides and conditions that descriptions in and after them
// are made of, behind what they carry already.

// flow extends a loop or branch and rewrites what is in it.
func (d *describer) flow(op *ir.Op) {
	f := d.flows[op]
	switch {
	case f == nil:
	case op.Def == scf.For:
		d.forLoop(op, f)
		return
	case op.Def == scf.While:
		d.whileLoop(op, f)
		return
	case op.Def == scf.If:
		d.branch(op, f)
		return
	}
}

func (d *describer) forLoop(op *ir.Op, f *flow) {
	body := op.Body(0)
	d.b = ir.At(op)
	op.SetOperands(append(op.Operands(), d.carried(f.args, scf.Inits(op))...), nil)
	d.bind(f.args, inside, func(v *ir.Value) *ir.Value { return body.AddArg(v.Type, op.Loc) },
		op.Operands()[3+len(f.args):])
	results := d.extended(op, op.Operands()[3+len(f.args):])
	d.block(body)
	d.yield(body.Last(), 0, f.args)
	d.bindValues(f.args, after, results)
}

func (d *describer) whileLoop(op *ir.Op, f *flow) {
	before, then := op.Body(0), op.Body(1)
	d.b = ir.At(op)
	inits := d.carried(f.args, op.Operands()[:len(f.args)])
	op.SetOperands(append(op.Operands(), inits...), nil)
	d.bind(f.args, inside, func(v *ir.Value) *ir.Value { return before.AddArg(v.Type, op.Loc) }, inits)
	d.block(before)
	end := before.Last()
	d.yield(end, 1, f.results)
	handed := end.Operands()[1+len(f.results):]
	d.bind(f.results, inside, func(v *ir.Value) *ir.Value { return then.AddArg(v.Type, op.Loc) }, handed)
	results := d.extended(op, handed)
	d.block(then)
	d.yield(then.Last(), 0, f.args)
	d.bindValues(f.results, after, results)
}

func (d *describer) branch(op *ir.Op, f *flow) {
	var yields []*ir.Op
	for i, r := range op.Regions() {
		if !r.Empty() {
			d.block(op.Body(i))
			yields = append(yields, op.Body(i).Last())
		}
	}
	if len(f.results) == 0 {
		return
	}
	for _, y := range yields {
		d.yield(y, 0, f.results)
	}
	d.bindValues(f.results, after, d.extended(op, yields[0].Operands()[len(f.results):]))
}

// yield hands over what is carried, behind the operands of a terminator that begin with skip others.
func (d *describer) yield(end *ir.Op, skip int, ks []*carry) {
	d.b = ir.At(end)
	vs := d.carried(ks, end.Operands()[skip:skip+len(ks)])
	end.SetOperands(append(end.Operands(), vs...), nil)
}

// extended adds results of the types of vs to an operation.
func (d *describer) extended(op *ir.Op, vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = op.AddResult(v.Type)
	}
	return out
}

// carried returns the scalars that carry values where the builder stands.
func (d *describer) carried(ks []*carry, vs []*ir.Value) []*ir.Value {
	var out []*ir.Value
	for i, k := range ks {
		if d.needs[k] {
			out = append(out, d.parts(k, d.descs[vs[i]])...)
		}
	}
	return out
}

// parts returns the parts of a description that are carried.
func (d *describer) parts(k *carry, x desc) []*ir.Value {
	var out []*ir.Value
	if k.src && !k.abs {
		elem := ir.ElemOf(k.typ)
		if x.undefined() {
			out = append(out, d.b.Val(ub.Poison, elem))
		} else {
			out = append(out, d.base(x.source(), elem))
		}
	}
	if k.data {
		return out
	}
	es, cs := x.exprs(), x.conds()
	for i, on := range k.parts {
		switch {
		case !on:
		case x.undefined():
			out = append(out, d.index(0))
		default:
			out = append(out, d.expr(es[i]))
		}
	}
	for i, on := range k.conds {
		switch {
		case !on:
		case x.undefined():
			out = append(out, arith.Const(d.b, ir.BoolAttr(false)))
		default:
			out = append(out, d.cond(cs[i]))
		}
	}
	return out
}

// bind makes a place for each of the values that are carried, and says what it stands for.
func (d *describer) bind(ks []*carry, at func(*carry) *symbols, place func(*ir.Value) *ir.Value,
	vs []*ir.Value) {
	places := make([]*ir.Value, len(vs))
	for i, v := range vs {
		places[i] = place(v)
	}
	d.bindValues(ks, at, places)
}

// bindValues says what the values that are carried stand for.
func (d *describer) bindValues(ks []*carry, at func(*carry) *symbols, vs []*ir.Value) {
	for _, k := range ks {
		if !d.needs[k] {
			continue
		}
		plain := *k
		plain.data = false // data is carried as it was
		if k.data {
			plain.parts, plain.conds = nil, nil
		}
		vs = d.converter.bind(&plain, at(k), nil, vs)
	}
}
