package pipeline

import (
	"errors"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// FuseNestedLoops makes one loop of a loop with tl.range(flatten=True), or with warp_specialize=True, and the
// loop of products inside: then the pipeline does not run dry between two tiles, and the copies for the next
// tile run while this one is stored. The ops before the inner loop run in its first iteration, those behind
// it in its last. Accumulators that begin with zeros need none: the
// first product of a tile does not add. With n
// iterations of the outer loop and m of the inner:
//
//	for i in a..b step s {                 for t in 0..n*m {
//	  x = before(i)                          j = last j was m-1 ? 0 : last j + 1
//	  y = for j in 0..m (acc = 0)      =>    i, x = if j == 0 { i+s, before(i+s) } else { as they were }
//	    { acc + body(x, j) }                 acc = acc * (j != 0) + body(x, j)
//	  behind(x, y)                           if j == m-1 { behind(x, acc) }
//	}                                      }
//
// It does so only for loops whose inner loop has the same number of iterations each time; where that is zero,
// at run time, the outer loop runs alone.
var FuseNestedLoops = pass.Pass{
	Name: "tritongpu-fuse-nested-loops",
	Doc:  "make one loop of nested ones that ask for it",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			if !loop.HasAttr(FlattenAttr) && !loop.HasAttr(specializeAttr) {
				continue
			}
			loop.SetAttr(FlattenAttr, nil)
			ctx.At(loop)
			if f := newFusion(loop); f != nil {
				f.fuse()
			} else if loop.HasAttr(ttg.ProgramsAttr) { // without this attribute, the loops may stay nested
				return errors.New("the loop over programs cannot be one with the loop of products inside")
			}
		}
		return nil
	},
}

const FlattenAttr = "tt.flatten"

// fusion is a pair of nested loops that become one.
type fusion struct {
	outer, inner   *ir.Op
	before, behind []*ir.Op
	sunk           []*ir.Op    // ops before the inner loop that become part of its body, in order
	values         []*ir.Value // results of before that the inner loop or later ops use
	// for each value that the inner loop carries, the product that adds to it, or nil
	products []*ir.Op
}

// newFusion returns the fusion of a loop with the only loop inside it, or nil if there is none or if it does
// not pay: ops before the inner loop must have no effects and pass on no tensors of more than one dimension,
// which would take up registers.
func newFusion(outer *ir.Op) *fusion {
	f := &fusion{outer: outer}
	for op := range ttgir.Body(outer) {
		switch {
		case op.Def == scf.For && f.inner == nil:
			f.inner = op
		case op.Def == scf.For || op.Def == scf.While:
			return nil
		case f.inner == nil:
			f.before = append(f.before, op)
		default:
			f.behind = append(f.behind, op)
		}
	}
	if f.inner == nil || !f.isSimple() || !f.findAccumulators() {
		return nil
	}
	f.sink()
	for _, op := range f.before {
		if op.Effects() != 0 {
			return nil
		}
		for _, v := range op.Results() {
			if !f.usedLater(v) {
				continue
			}
			if t := ttgir.TensorOf(v); t != nil && len(t.Shape) > 1 {
				return nil
			}
			f.values = append(f.values, v)
		}
	}
	return f
}

// sink moves ops that only the inner loop needs from before it into its body, if their results have several
// dimensions: pointers and masks of a tile are made anew from its rows and columns.
func (f *fusion) sink() {
	for _, op := range slices.Backward(f.before) {
		if op.Effects() != 0 || len(op.Regions()) > 0 || op.NumResults() != 1 {
			continue
		}
		v := op.Result(0)
		if t := ttgir.TensorOf(v); t == nil || len(t.Shape) < 2 || !f.onlyInside(v) {
			continue
		}
		f.sunk = append(f.sunk, op)
	}
	slices.Reverse(f.sunk)
	f.before = slices.DeleteFunc(f.before, func(op *ir.Op) bool { return slices.Contains(f.sunk, op) })
}

// onlyInside reports whether v is used in the inner loop and by sunk ops alone.
func (f *fusion) onlyInside(v *ir.Value) bool {
	for u := range v.Users() {
		if a := ttgir.AncestorIn(f.outer.Body(0), u); a != f.inner && !slices.Contains(f.sunk, a) {
			return false
		}
	}
	return true
}

// isSimple reports whether the inner loop has no loop inside and bounds from outside of the outer loop, and
// both count in i32.
func (f *fusion) isSimple() bool {
	for op := range ttgir.Body(f.inner) {
		if op.Def == scf.For || op.Def == scf.While {
			return false
		}
	}
	for _, v := range f.inner.Operands()[:3] {
		if v.Block().IsInside(f.outer) {
			return false
		}
	}
	return scf.IV(f.outer).Type == ir.Type(ir.I32) && scf.IV(f.inner).Type == ir.Type(ir.I32)
}

// findAccumulators finds the accumulators that the inner loop carries, and the product that adds to each. A
// tensor must begin with zeros and accumulate one product; scalars may be anything.
func (f *fusion) findAccumulators() bool {
	found := false
	for i, arg := range scf.IterArgs(f.inner) {
		init := scf.Inits(f.inner)[i]
		if ttgir.TensorOf(arg) == nil {
			f.products = append(f.products, nil)
			continue
		}
		if !arg.HasOneUse() || !ttgir.IsZero(init) {
			return false
		}
		var dot *ir.Op
		for u := range arg.Uses() {
			if u.Owner().Def == ttng.WarpGroupDot && u.Index() == 2 && u.Owner().Parent() == f.inner {
				dot = u.Owner()
			}
		}
		if dot == nil {
			return false
		}
		found = true
		f.products = append(f.products, dot)
	}
	return found
}

// usedLater reports whether v is used in the inner loop or behind it.
func (f *fusion) usedLater(v *ir.Value) bool {
	for u := range v.Users() {
		a := ttgir.AncestorIn(f.outer.Body(0), u)
		if a == nil || a == f.inner || !a.Before(f.inner) || slices.Contains(f.sunk, a) {
			return true
		}
	}
	return false
}

// fuse replaces the outer loop by a branch: the outer loop without the inner one if that has no iterations,
// else the fused loop.
func (f *fusion) fuse() {
	b := ir.At(f.outer)
	lo, hi, step := f.inner.Operand(0), f.inner.Operand(1), f.inner.Operand(2)
	branch := scf.NewIf(b, ttgir.Compare(b, arith.SGE, lo, hi), f.outer.ResultTypes(), true)
	for i, r := range branch.Results() {
		r.Name = f.outer.Result(i).Name
	}

	b.ToEnd(branch.Body(0))
	f.emitAlone(b)
	b.ToEnd(branch.Body(1))
	f.emitFused(b, countOf(b, lo, hi, step))
	f.outer.ReplaceWith(branch.Results()...)
}

// emitAlone emits the outer loop without the inner one, whose results are its first values.
func (f *fusion) emitAlone(b *ir.Builder) {
	o := f.outer
	loop := scf.NewFor(b, o.Operand(0), o.Operand(1), o.Operand(2), scf.Inits(o))
	m := ir.NewMapping()
	for i, a := range o.Body(0).Args() {
		m.Map(a, loop.Body(0).Arg(i))
	}
	in := ir.NewBuilder(loop.Body(0))
	in.Loc = o.Loc
	for op := range o.Body(0).Ops() {
		if op == f.inner {
			for i, r := range op.Results() {
				m.Map(r, m.Get(scf.Inits(op)[i]))
			}
			continue
		}
		in.Insert(op.Clone(m))
	}
	scf.MakeYield(b, loop.Results()...)
}

// emitFused emits the fused loop, of which m is the number of iterations of the inner one.
func (f *fusion) emitFused(b *ir.Builder, m *ir.Value) {
	o, inner := f.outer, f.inner
	zero, one := arith.ConstInt(b, 0, ir.I32), arith.ConstInt(b, 1, ir.I32)
	last := b.Val(arith.SubI, ir.I32, m, one)
	wide := func(v *ir.Value) *ir.Value { return b.Val(arith.ExtSI, ir.I64, v) }
	n := countOf(b, o.Operand(0), o.Operand(1), o.Operand(2))
	n = b.Val(arith.Select, ir.I32, ttgir.Compare(b, arith.SLT, o.Operand(0), o.Operand(1)), n, zero)
	total := b.Val(arith.MulI, ir.I64, wide(n), wide(m))

	// Carried: the inner count, the outer counter, values of before, and what both loops carry.
	inits := []*ir.Value{last, b.Val(arith.SubI, ir.I32, o.Operand(0), o.Operand(2))}
	for _, v := range f.values {
		inits = append(inits, constantLike(b, v.Type))
	}
	firstOuter := len(inits)
	inits = append(inits, scf.Inits(o)...)
	firstInner := len(inits)
	for _, v := range scf.Inits(inner) {
		if v.Block().IsInside(o) { // a value of before: it is chosen in the first iteration
			v = constantLike(b, v.Type)
		}
		inits = append(inits, v)
	}
	loop := scf.NewFor(b, arith.ConstInt(b, 0, ir.I64), total, arith.ConstInt(b, 1, ir.I64), inits)
	f.copyAttrs(loop)
	args := scf.IterArgs(loop)

	in := ir.NewBuilder(loop.Body(0))
	in.Loc = o.Loc
	j := in.Val(arith.Select, ir.I32, ttgir.Compare(in, arith.EQ, args[0], last), zero,
		in.Val(arith.AddI, ir.I32, args[0], one))
	first := ttgir.Compare(in, arith.EQ, j, zero)
	now := ir.NewMapping()
	for i, a := range scf.IterArgs(o) {
		now.Map(a, args[firstOuter+i])
	}
	chosen := f.emitBefore(in, first, args[1], args[2:firstOuter], now)
	results := f.emitBody(in, j, first, args[firstInner:], now)
	outs := f.emitBehind(in, ttgir.Compare(in, arith.EQ, j, last), args[firstOuter:firstInner], now)
	scf.MakeYield(in, slices.Concat([]*ir.Value{j}, chosen, outs, results)...)

	scf.MakeYield(b, loop.Results()[firstOuter:firstInner]...)
}

// emitBefore runs the ops before the inner loop if first is true. It maps the outer counter and the values of
// these ops, and returns them.
func (f *fusion) emitBefore(b *ir.Builder, first, counter *ir.Value, old []*ir.Value,
	now *ir.Mapping) []*ir.Value {
	types := []ir.Type{ir.I32}
	for _, v := range f.values {
		types = append(types, v.Type)
	}
	branch := scf.NewIf(b, first, types, true)
	in := ir.NewBuilder(branch.Body(0))
	in.Loc = f.outer.Loc
	next := in.Val(arith.AddI, ir.I32, counter, scf.Step(f.outer))
	inside := ir.NewMapping()
	for from, to := range now.Values {
		inside.Map(from, to)
	}
	inside.Map(scf.IV(f.outer), next)
	for _, op := range f.before {
		in.Insert(op.Clone(inside))
	}
	out := []*ir.Value{next}
	for _, v := range f.values {
		out = append(out, inside.Get(v))
	}
	scf.MakeYield(in, out...)
	scf.MakeYield(ir.NewBuilder(branch.Body(1)), append([]*ir.Value{counter}, old...)...)
	now.Map(scf.IV(f.outer), branch.Result(0))
	for i, v := range f.values {
		now.Map(v, branch.Result(1+i))
		branch.Result(1 + i).Name = v.Name
	}
	return branch.Results()
}

// emitBody emits the body of the inner loop and returns what it hands to the next iteration.
func (f *fusion) emitBody(b *ir.Builder, j, first *ir.Value, args []*ir.Value, now *ir.Mapping) []*ir.Value {
	lo, step := f.inner.Operand(0), f.inner.Operand(2)
	now.Map(scf.IV(f.inner), plus(b, lo, times(b, j, step)))
	for i, a := range scf.IterArgs(f.inner) {
		v := args[i]
		if f.products[i] == nil {
			v = b.Val(arith.Select, v.Type, first, now.Get(scf.Inits(f.inner)[i]), v)
		}
		now.Map(a, v)
	}
	for _, op := range f.sunk {
		b.Insert(op.Clone(now))
	}
	for op := range ttgir.Body(f.inner) {
		c := b.Insert(op.Clone(now))
		if slices.Contains(f.products, op) {
			adds := ir.At(c).Val(arith.XOrI, ir.I1, first, arith.Const(ir.At(c), ir.BoolAttr(true)))
			if old := c.Slot(3); old != nil {
				adds = ir.At(c).Val(arith.AndI, ir.I1, adds, old)
			}
			c.SetGroup(3, []*ir.Value{adds})
		}
	}
	var out []*ir.Value
	for i, v := range f.inner.Body(0).Last().Operands() {
		out = append(out, now.Get(v))
		now.Map(f.inner.Result(i), now.Get(v))
	}
	return out
}

// emitBehind runs the ops behind the inner loop if last is true, and returns what the outer loop carries.
func (f *fusion) emitBehind(b *ir.Builder, last *ir.Value, old []*ir.Value, now *ir.Mapping) []*ir.Value {
	branch := scf.NewIf(b, last, f.outer.ResultTypes(), true)
	in := ir.NewBuilder(branch.Body(0))
	for _, op := range f.behind {
		in.Insert(op.Clone(now))
	}
	in.Loc = f.outer.Loc
	var out []*ir.Value
	for _, v := range f.outer.Body(0).Last().Operands() {
		out = append(out, now.Get(v))
	}
	scf.MakeYield(in, out...)
	scf.MakeYield(ir.NewBuilder(branch.Body(1)), old...)
	return branch.Results()
}

// copyAttrs gives the fused loop the attributes of both loops; those of the inner one come first.
func (f *fusion) copyAttrs(loop *ir.Op) {
	for _, from := range []*ir.Op{f.outer, f.inner} {
		for _, a := range from.Attrs() {
			loop.SetAttr(a.Name, a.Attr)
		}
	}
}

// countOf returns the number of iterations of a loop that is known to have at least one.
func countOf(b *ir.Builder, lo, hi, step *ir.Value) *ir.Value {
	n := b.Val(arith.SubI, ir.I32, hi, lo)
	if s, ok := arith.IntOf(step); ok && s == 1 {
		return n
	}
	less := b.Val(arith.SubI, ir.I32, n, arith.ConstInt(b, 1, ir.I32))
	return b.Val(arith.AddI, ir.I32, b.Val(arith.DivSI, ir.I32, less, step), arith.ConstInt(b, 1, ir.I32))
}

func plus(b *ir.Builder, x, y *ir.Value) *ir.Value {
	if n, ok := arith.IntOf(x); ok && n == 0 {
		return y
	}
	return b.Val(arith.AddI, x.Type, x, y)
}

func times(b *ir.Builder, x, y *ir.Value) *ir.Value {
	if n, ok := arith.IntOf(y); ok && n == 1 {
		return x
	}
	return b.Val(arith.MulI, x.Type, x, y)
}

// constantLike returns a value of type t that is never used.
func constantLike(b *ir.Builder, t ir.Type) *ir.Value {
	switch t.(type) {
	case *ir.DialectType, *ir.TensorType: // of which nothing contradicts what is known of later values
		return b.Val(ub.Poison, t)
	}
	return arith.Const(b, constfold.Zero(t))
}
