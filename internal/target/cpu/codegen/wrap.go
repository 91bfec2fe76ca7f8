package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// wrapInfo is the load of a matrix that may wrap around in memory (`% M`): a loop that copies one piece for
// each turn. There is nearly always a single turn, and then a matrix product can read the matrix in place.
type wrapInfo struct {
	alloc, loop, copy, dst *ir.Op
	presets                []*ir.Op // operations that fill the buffer with zeros before
	absorb                 []*ir.Op
}

// wrapOf returns such a load if only a matrix product of the same block reads it, else nil.
func (g *gen) wrapOf(op *ir.Op) *wrapInfo {
	v := op.Result(0)
	alloc := op.Operand(0).DefBy(memref.Alloc)
	if alloc == nil || !v.HasOneUse() || gemmElems[ir.ElemOf(v.Type)] == "" || len(ir.ShapeOf(v.Type)) != 2 {
		return nil
	}
	for u := range v.Uses() {
		if !isProduct(u.Owner()) || u.Index() > 1 || u.Owner().Block() != op.Block() {
			return nil
		}
	}
	w := &wrapInfo{alloc: alloc, absorb: []*ir.Op{alloc, op}}
	l := &loadInfo{}
	for u := range alloc.Result(0).Uses() {
		user := u.Owner()
		switch {
		case user == op:
		case user.Def == linalg.Fill && user.NumResults() == 0 && isZeroValue(user.Operand(0)) &&
			l.preset(op, user):
			w.presets = append(w.presets, l.absorb[0])
		case user.Def == memref.SubView && w.dst == nil && user.Result(0).HasOneUse() &&
			len(ir.ShapeOf(user.Result(0).Type)) == 2:
			w.dst = user
		default:
			return nil
		}
	}
	if w.dst == nil || len(w.presets) > 1 || !w.findLoop(op.Block()) {
		return nil
	}
	w.absorb = append(append(w.absorb, w.loop), l.absorb...)
	return w
}

// findLoop finds the copy and the loop around it.
func (w *wrapInfo) findLoop(b *ir.Block) bool {
	for u := range w.dst.Result(0).Users() {
		w.copy = u
	}
	if w.copy.Def != memref.Copy || w.copy.Operand(1) != w.dst.Result(0) {
		return false
	}
	w.loop = w.copy.Block().Parent()
	if w.loop == nil || w.loop.Def != scf.For || w.loop.Block() != b || w.loop.NumResults() > 0 {
		return false
	}
	lo, ok1 := arith.IntOf(scf.LowerBound(w.loop))
	step, ok2 := arith.IntOf(scf.Step(w.loop))
	return ok1 && ok2 && lo == 0 && step == 1 && onlyViews(w.loop.Body(0), w.copy)
}

// findWraps finds the loads of a block that its matrix products read in place.
func (p *planner) findWraps() {
	for _, op := range p.ops {
		if op.Def != bufferization.ToTensor || p.skip[op] {
			continue
		}
		w := p.g.wrapOf(op)
		if w == nil {
			continue
		}
		var product *ir.Op
		for u := range op.Result(0).Users() {
			product = u
		}
		if slices.ContainsFunc(p.ops[p.pos[w.loop]+1:p.pos[product]], func(o *ir.Op) bool {
			_, writes := touches(o)
			return writes
		}) {
			continue
		}
		p.g.wraps[op.Result(0)] = w
		for _, o := range w.absorb {
			p.skip[o] = true
		}
	}
}

// wrapped returns the matrix in place if there is a single turn, else a copy of it.
func (g *gen) wrapped(v *ir.Value, w *wrapInfo) factor {
	shape := ir.ShapeOf(v.Type)
	buf := g.viewOf(w.alloc.Result(0))
	var vals [2][5]string // pointer, strides, rows, columns: in place, and copied
	vals[1] = [5]string{buf.ptr, itoa(shape[1]), "1", itoa(shape[0]), itoa(shape[1])}
	turns := g.scalar(scf.UpperBound(w.loop))
	cond := g.op("icmp eq %s %s, 1", turns.typ(), turns.s)
	turn := val{s: "0", t: scf.IV(w.loop).Type, n: 1}
	g.scoped(func() {
		g.bind(scf.IV(w.loop), turn)
		src := g.viewOf(w.copy.Operand(0))
		sizes := g.entries(w.dst, 2, "static_sizes")
		for _, off := range g.entries(w.dst, 1, "static_offsets") {
			if off != "0" {
				cond = g.op("and i1 %s, %s", cond, g.op("icmp eq i64 %s, 0", off))
			}
		}
		vals[0] = [5]string{g.address(src, "0"), src.strides[0], src.strides[1], sizes[0], sizes[1]}
	})
	constant := g.constantMemory(w.copy.Operand(0))
	if constant == "true" {
		constant = cond // a copy is of this program alone
	}
	types := [5]string{"ptr", "i64", "i64", "i64", "i64"}
	var slots, out [5]string
	for i, t := range types {
		slots[i] = g.slot(t)
	}
	put := func(k int) {
		for i, t := range types {
			g.do("store %s %s, ptr %s", t, vals[k][i], slots[i])
		}
	}
	yes, no, done := g.label("inplace"), g.label("copied"), g.label("factor")
	g.do("br i1 %s, label %%%s, label %%%s", cond, yes, no)
	g.begin(yes)
	put(0)
	g.do("br label %%%s", done)
	g.begin(no)
	g.scoped(func() {
		for _, o := range append(slices.Clone(w.presets), w.loop) {
			g.op1(o)
		}
	})
	put(1)
	g.fall(done)
	for i, t := range types {
		out[i] = g.op("load %s, ptr %s", t, slots[i])
	}
	m := &view{ptr: out[0], elem: buf.elem, offset: "0", sizes: out[3:], strides: out[1:3]}
	return factor{w: m, rows: out[3], cols: out[4], constant: constant}
}
