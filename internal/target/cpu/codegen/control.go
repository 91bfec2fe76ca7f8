package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

func isControl(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.While || op.Def == scf.If }

// carried says where a loop or branch keeps a value: a variable for a scalar, a buffer for a tensor.
type carried struct {
	slot string
	view *view
	t    ir.Type

	lo, size string // variables with the bounds of a pointer, in checked code
}

func (g *gen) carriedFor(types []ir.Type) []carried {
	out := make([]carried, len(types))
	for i, t := range types {
		out[i].t = t
		if tt, ok := t.(*ir.TensorType); ok {
			out[i].view = g.newBuffer(tt.Elem, tt.Shape)
		} else {
			out[i].slot = g.slot(elemType(t))
			if g.opts.Check && isMemRef(t) {
				out[i].lo, out[i].size = g.slot("i64"), g.slot("i64")
			}
		}
	}
	return out
}

func typesOf(vs []*ir.Value) []ir.Type {
	out := make([]ir.Type, len(vs))
	for i, v := range vs {
		out[i] = v.Type
	}
	return out
}

// put stores scalars to their variables. All are computed before the first is stored, because they may depend
// on the old values.
func (g *gen) put(cs []carried, vs []*ir.Value) {
	vals := make([]val, len(vs))
	for i, v := range vs {
		if cs[i].view == nil {
			vals[i] = g.plain(g.scalar(v), 1)
		}
	}
	for i, x := range vals {
		if cs[i].view == nil {
			g.do("store %s %s, ptr %s", elemType(cs[i].t), x.s, cs[i].slot)
			g.putOwner(cs[i], x.s)
		}
	}
}

// get binds values to the variables and buffers that hold them.
func (g *gen) get(cs []carried, vs []*ir.Value) {
	for i, v := range vs {
		if cs[i].view != nil {
			g.bindView(v, cs[i].view)
			continue
		}
		x := val{s: g.op("load %s, ptr %s", elemType(cs[i].t), cs[i].slot), t: v.Type, n: 1}
		g.getOwner(cs[i], x.s)
		g.bind(v, x)
	}
}

// fillBuffers computes tensors into their buffers, as the only roots of a plan.
func (g *gen) fillBuffers(cs []carried, vs []*ir.Value) {
	empty := ir.NewBlock()
	roots := g.carryRoots(cs, vs, nil)
	if len(roots) == 0 {
		return
	}
	p := g.plan(empty, roots)
	for _, n := range p.nests {
		g.startNest(p, n)
	}
}

// carryRoots returns roots for the tensors that a terminator passes on. args are the values that the buffers
// hold until then, or nil. A tensor that is already in its buffer needs no root.
func (g *gen) carryRoots(cs []carried, vs []*ir.Value, args []*ir.Value) []*root {
	var roots []*root
	for i, v := range vs {
		if cs[i].view == nil || args != nil && args[i] == v {
			continue
		}
		if w := g.lookupView(v); w == cs[i].view && w != nil || g.dest[v] == cs[i].view {
			continue // it is in its buffer, or will be
		}
		roots = append(roots, &root{kind: toBuffer, v: v, shape: ir.ShapeOf(v.Type), into: cs[i].view})
	}
	return roots
}

// yieldBlock writes a block whose terminator passes vs on to cs, which hold args until then. A buffer that is
// still read is written by a copy at the end.
func (g *gen) yieldBlock(b *ir.Block, cs []carried, vs, args []*ir.Value) {
	g.products(b, cs, vs, args)
	roots := g.carryRoots(cs, vs, args)
	safe := g.inPlace(b, roots, cs, args)
	var copies []func()
	for i, r := range roots {
		if safe[i] {
			continue
		}
		to, from := r.into, g.newBuffer(ir.ElemOf(r.v.Type), r.shape)
		r.into = from
		copies = append(copies, func() { g.copyBlock(to, from, r.shape) })
	}
	g.block(b, roots)
	if g.err != nil {
		return
	}
	for _, f := range copies {
		f()
	}
	g.put(cs, vs)
}

// products makes matrix products add directly to the buffers of a loop, if nothing else reads their contents.
func (g *gen) products(b *ir.Block, cs []carried, vs, args []*ir.Value) {
	for i, v := range vs {
		if cs[i].view == nil || args == nil || !isProduct(v.Def()) || v.Def().Block() != b || !v.HasOneUse() {
			continue
		}
		init := v.Def().Operand(2)
		ok := true
		for x := args[i]; ok && x != init; { // follow the chain of readers, each in the same place
			ok = x.HasOneUse()
			for u := range x.Users() {
				ok = ok && u.Def == linalg.Generic && u.Block() == b && u.NumResults() == 1
				if ok {
					x = u.Result(0)
				}
			}
		}
		p := &planner{g: g, b: b, pos: map[*ir.Op]int{}, skip: map[*ir.Op]bool{},
			forced: map[*ir.Value]bool{}}
		if ok && init.HasOneUse() && !p.weigh(init).apart[args[i]] {
			g.dest[v] = cs[i].view
		}
	}
}

func isProduct(op *ir.Op) bool {
	return op != nil && (op.Def == linalg.Matmul || op.Def == linalg.BatchMatmul)
}

// inPlace reports, for each root, whether it may overwrite the value in its buffer: nothing else reads it,
// and the root reads it only at the index that it writes.
func (g *gen) inPlace(b *ir.Block, roots []*root, cs []carried, args []*ir.Value) []bool {
	out := make([]bool, len(roots))
	if args == nil {
		for i := range out {
			out[i] = true
		}
		return out
	}
	p := &planner{g: g, b: b, pos: map[*ir.Op]int{}, skip: map[*ir.Op]bool{}, forced: map[*ir.Value]bool{}}
	deps := make([]*dependence, len(roots))
	for i, r := range roots {
		deps[i] = p.depends(r)
	}
	holds := func(w *view) *ir.Value {
		for i, c := range cs {
			if c.view == w {
				return args[i]
			}
		}
		return nil
	}
	for i, r := range roots {
		arg := holds(r.into)
		ok := !deps[i].apart[arg]
		for j, d := range deps {
			if j != i && (d.apart[arg] || d.same[arg]) {
				ok = false
			}
		}
		out[i] = ok
	}
	return out
}

// copyBlock copies a buffer.
func (g *gen) copyBlock(to, from *view, shape []int64) {
	size := elemSize(to.elem)
	for _, n := range shape {
		size *= n
	}
	g.decls["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
	g.do("call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %s, i64 %d, i1 false)", to.ptr, from.ptr, size)
}

func emitFor(g *gen, op *ir.Op) {
	if g.vectorLoop(op) {
		return
	}
	inits, args := scf.Inits(op), scf.IterArgs(op)
	cs := g.carriedFor(typesOf(inits))
	g.put(cs, inits)
	now, late := g.lateZeros(op, cs)
	g.fillBuffers(now, inits)
	lo, hi, step := g.scalar(scf.LowerBound(op)), g.scalar(scf.UpperBound(op)), g.scalar(scf.Step(op))
	t := elemType(lo.t)
	iv := g.slot(t)
	head, body, done := g.label("for"), g.label("do"), g.label("end")
	g.do("store %s %s, ptr %s", t, lo.s, iv)
	g.fall(head)
	i := g.op("load %s, ptr %s", t, iv)
	less := "slt"
	if op.HasAttr("unsignedCmp") {
		less = "ult"
	}
	g.do("br i1 %s, label %%%s, label %%%s", g.op("icmp %s %s %s, %s", less, t, i, hi.s), body, done)
	g.begin(body)
	defer g.polling(rounds(op))()
	x := val{s: i, t: lo.t, n: 1}
	defer g.inLoop(&round{iv: x, lo: lo})()
	g.scoped(func() {
		g.bind(scf.IV(op), x)
		g.get(cs, args)
		g.yieldBlock(op.Body(0), cs, op.Body(0).Terminator().Operands(), args)
	})
	g.do("store %s %s, ptr %s", t, g.op("add %s %s, %s", t, i, step.s), iv)
	if step.s == "1" {
		g.do("br label %%%s", head)
	} else { // the sum may wrap around; what is left of the way to hi does not
		left := g.op("sub %s %s, %s", t, hi.s, i)
		g.do("br i1 %s, label %%%s, label %%%s", g.op("icmp ugt %s %s, %s", t, left, step.s), head, done)
	}
	g.begin(done)
	if late != nil { // no round was the first
		none := g.op("icmp eq %s %s, %s", t, g.op("load %s, ptr %s", t, iv), lo.s)
		g.when(none, func() { g.scoped(func() { g.fillBuffers(late, inits) }) })
	}
	g.get(cs, op.Results())
}

// lateZeros finds the accumulators of a loop that begin as zero and that only a matrix product reads. The
// product of the first round does not read them, so they are not filled before the loop. now has the buffers
// to fill before it, late those to fill behind it if it has no rounds, or is nil.
func (g *gen) lateZeros(op *ir.Op, cs []carried) (now, late []carried) {
	body, inits := op.Body(0), scf.Inits(op)
	now = slices.Clone(cs)
	yields := body.Terminator().Operands()
	for i, a := range scf.IterArgs(op) {
		v := yields[i]
		if cs[i].view == nil || !isProduct(v.Def()) || v.Def().Block() != body || !v.HasOneUse() ||
			v.Def().Operand(2) != a || !a.HasOneUse() || !isZeroValue(inits[i]) {
			continue
		}
		x, y := ir.ElemOf(v.Def().Operand(0).Type), ir.ElemOf(v.Def().Operand(1).Type)
		if !hasKernel(x, y, ir.ElemOf(v.Type)) {
			continue
		}
		if late == nil {
			late = make([]carried, len(cs))
		}
		now[i], late[i] = carried{}, cs[i]
		g.late[a], g.dest[v] = true, cs[i].view
	}
	return now, late
}

func emitIf(g *gen, op *ir.Op) {
	c := g.scalar(op.Operand(0))
	cs := g.carriedFor(op.ResultTypes())
	yes, no, done := g.label("then"), g.label("else"), g.label("endif")
	g.do("br i1 %s, label %%%s, label %%%s", c.s, yes, no)
	for i, r := range op.Regions() {
		g.begin([]string{yes, no}[i])
		if !r.Empty() {
			b := r.First()
			g.scoped(func() {
				var vs []*ir.Value
				if t := b.Terminator(); t != nil {
					vs = t.Operands()
				}
				g.yieldBlock(b, cs, vs, nil)
			})
		}
		g.do("br label %%%s", done)
	}
	g.begin(done)
	g.get(cs, op.Results())
}

func emitWhile(g *gen, op *ir.Op) {
	before, after := op.Body(0), op.Body(1)
	cs := g.carriedFor(typesOf(op.Operands()))
	out := g.carriedFor(op.ResultTypes())
	g.put(cs, op.Operands())
	g.fillBuffers(cs, op.Operands())
	head, body, done := g.label("while"), g.label("do"), g.label("end")
	g.fall(head)
	g.push()
	g.get(cs, before.Args())
	end := before.Terminator().Operands()
	g.yieldBlock(before, out, end[1:], nil)
	if g.err != nil {
		return
	}
	c := g.scalar(end[0])
	g.pop()
	g.do("br i1 %s, label %%%s, label %%%s", c.s, body, done)
	g.begin(body)
	defer g.polling(0)()
	g.scoped(func() {
		g.get(out, after.Args())
		g.yieldBlock(after, cs, after.Terminator().Operands(), nil)
	})
	g.do("br label %%%s", head)
	g.begin(done)
	g.get(out, op.Results())
}
