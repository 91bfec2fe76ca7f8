package codegen

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The middle layer writes unstructured accesses as loops over elements:
//
//	for i:  if mask[i]:  buffer[i] = memory[offsets[i]]
//
// The rounds are independent, so the innermost loop is written with vectors here: a gather or a scatter under
// a mask.

// vectorLoop writes such a loop with vectors and reports whether op is one.
func (g *gen) vectorLoop(op *ir.Op) bool {
	if g.opts.Check || g.lanes > 1 || g.nest != nil || op.NumResults() > 0 {
		return false
	}
	step, ok := arith.IntOf(scf.Step(op))
	x := &scattered{widest: 4}
	if !ok || step != 1 || scf.IV(op).Type != ir.Index || !x.block(op.Body(0)) || x.loads == x.stores {
		return false
	}
	n := g.opts.VectorBytes / x.widest
	if n < 2 {
		return false
	}
	lo, hi := g.scalar(scf.LowerBound(op)).s, g.scalar(scf.UpperBound(op)).s
	g.loop(lo, hi, int64(n), func(i string) {
		g.push()
		g.lanes = n
		g.memo, g.splats = map[memoKey]val{}, map[string]string{}
		at := index{base: i, lanes: counting(n), align: 1}
		g.bind(scf.IV(op), val{s: i, t: ir.Index, n: n, idx: &at})
		mask := g.within(at, "0", hi)
		g.maskedBlock(op.Body(0), &mask)
		g.memo, g.splats = nil, nil
		g.lanes = 1
		g.pop()
	})
	return true
}

// scattered counts the accesses of a loop to memory that is not scratch: loads alone or stores alone are
// allowed.
type scattered struct{ loads, stores, widest int }

// block reports whether all operations of a block can be done for several lanes at once.
func (x *scattered) block(b *ir.Block) bool {
	for op := range b.Ops() {
		switch {
		case op.Def == memref.Load:
			if isScratch(op.Operand(0)) || single(op.Operand(0)) == nil {
				return false
			}
			x.loads = 1
			x.widest = max(x.widest, int(elemSize(op.Result(0).Type)))
		case op.Def == memref.Store:
			if !isScratch(op.Operand(1)) {
				if single(op.Operand(1)) == nil {
					return false
				}
				x.stores = 1
			}
			x.widest = max(x.widest, int(elemSize(op.Operand(0).Type)))
		case op.Def == scf.If:
			if op.NumResults() > 0 || !op.Region(1).Empty() && op.Body(1).First() != op.Body(1).Last() ||
				!x.block(op.Body(0)) {
				return false
			}
		case op.Def == scf.Yield, op.Def == tensor.Extract, op.Def == memref.ReinterpretCast,
			op.Def == memref.Cast, op.Def == arith.Constant:
		case op.Def == funcd.Call && isMemoryAt(op):
		case op.Def.Has(ir.Elementwise) && op.NumResults() == 1 && !isMemRef(op.Result(0).Type):
		default:
			return false
		}
	}
	return true
}

// single returns the operation that makes a view of one element, or nil.
func single(v *ir.Value) *ir.Op {
	op := v.DefBy(memref.ReinterpretCast)
	if shape := ir.ShapeOf(v.Type); op == nil || len(shape) != 1 || shape[0] != 1 {
		return nil
	}
	return op
}

// maskedBlock writes the operations of a block for the lanes of a mask.
func (g *gen) maskedBlock(b *ir.Block, mask *val) {
	for op := range b.Ops() {
		if g.err != nil {
			return
		}
		switch op.Def {
		case scf.Yield, memref.ReinterpretCast, memref.Cast, funcd.Call:
		case scf.If:
			g.maskedBlock(op.Body(0), g.both(mask, g.scalar(op.Operand(0))))
		case memref.Load:
			w, p := g.scatteredPlace(op.Operand(0))
			v := g.loadAt(w, p, mask, g.zero(w.elem))
			g.bind(op.Result(0), v)
		case memref.Store:
			g.maskedStore(op, mask)
		default:
			g.regionOp(op, nil)
		}
	}
}

func (g *gen) maskedStore(op *ir.Op, mask *val) {
	v := g.scalar(op.Operand(0))
	if single(op.Operand(1)) != nil && !isScratch(op.Operand(1)) {
		w, p := g.scatteredPlace(op.Operand(1))
		g.storeAt(w, p, v, mask)
		return
	}
	idx := make([]index, op.NumOperands()-2)
	for i, x := range op.Operands()[2:] {
		idx[i] = g.indexOf(g.scalar(x))
	}
	g.store(g.viewOf(op.Operand(1)), idx, v, mask)
}

// scatteredPlace returns the places of one-element views, one for each lane.
func (g *gen) scatteredPlace(v *ir.Value) (*view, index) {
	op := single(v)
	elem := ir.ElemOf(v.Type)
	w := &view{ptr: "null", elem: elem, offset: "0", sizes: []string{"1"}, strides: []string{"1"}}
	if addr := addressOf(op.Operand(0)); addr != nil {
		if a := g.scalar(addr); a.n > 1 { // an address for each lane, divisible by the element's size
			return w, index{vec: g.op("udiv <%d x i64> %s, %s", a.n, a.s,
				g.splat("i64", itoa(elemSize(elem)), a.n))}
		}
	}
	w.ptr = g.pointer(op.Operand(0))
	off := at(g.entryConst(op))
	if vs := op.Group(1); len(vs) == 1 {
		off = g.indexOf(g.scalar(vs[0]))
	}
	return w, off
}

// entryConst returns the constant offset of a view that has no other.
func (g *gen) entryConst(op *ir.Op) string {
	return itoa(op.Attr("static_offsets").(*ir.DenseArrayAttr).Values[0])
}

// addressOf returns the address that a buffer was made of, or nil.
func addressOf(v *ir.Value) *ir.Value {
	if c := v.DefBy(memref.Cast); c != nil {
		v = c.Operand(0)
	}
	if c := v.DefBy(funcd.Call); c != nil && isMemoryAt(c) {
		return c.Operand(0)
	}
	return nil
}

// indexOf returns a value as an index.
func (g *gen) indexOf(v val) index {
	switch {
	case v.idx != nil:
		return *v.idx
	case v.n == 1:
		return at(v.s)
	}
	return index{vec: v.s}
}
