package codegen

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// formulas computes elements of a tensor at the indices of the lanes. The result of any other operation is a
// buffer.
var formulas map[*ir.OpDef]func(g *gen, op *ir.Op, result int, idx []index) val

func init() {
	formulas = map[*ir.OpDef]func(g *gen, op *ir.Op, result int, idx []index) val{
		linalg.Fill: func(g *gen, op *ir.Op, _ int, _ []index) val {
			return g.scalar(op.Operand(0))
		},
		linalg.Generic:   evalGeneric,
		linalg.Broadcast: evalBroadcast,
		linalg.Transpose: evalTranspose,
		tensor.Empty: func(g *gen, op *ir.Op, _ int, _ []index) val {
			return g.zero(ir.ElemOf(op.Result(0).Type))
		},
		tensor.CollapseShape: evalCollapse,
		tensor.ExpandShape:   evalExpand,
		tensor.ExtractSlice:  evalSlice,
		tensor.InsertSlice:   evalInsert,
		tensor.FromElements:  evalElements,
		tensor.Splat: func(g *gen, op *ir.Op, _ int, _ []index) val {
			return g.scalar(op.Operand(0))
		},
		bufferization.ToTensor: evalLoad,
		arith.Constant:         evalConstant,
	}
}

// isFormula reports whether a tensor can be computed element by element.
func (g *gen) isFormula(v *ir.Value) bool {
	op := v.Def()
	switch {
	case op == nil:
		return false
	case op.Def == bufferization.ToTensor:
		return g.loadOf(op) != nil
	case op.Def == linalg.Generic:
		return isTensorOp(op)
	}
	return formulas[op.Def] != nil || op.Def.Has(ir.Elementwise)
}

// isTensorOp reports whether a structured operation has tensor results and no reduction.
func isTensorOp(op *ir.Op) bool {
	for _, kind := range linalg.Iterators(op) {
		if kind != linalg.Parallel {
			return false
		}
	}
	return op.NumResults() > 0
}

// elem returns the elements of v at idx, computed once in a loop body.
func (g *gen) elem(v *ir.Value, idx []index) val {
	key := memoKey{v, indexKey(idx)}
	if x, ok := g.memo[key]; ok {
		return x
	}
	x := g.compute(v, idx)
	if g.memo != nil {
		g.memo[key] = x
	}
	return x
}

type memoKey struct {
	v  *ir.Value
	at string
}

func indexKey(idx []index) string {
	parts := make([]string, len(idx))
	for i, x := range idx {
		parts[i] = x.key()
	}
	return strings.Join(parts, ";")
}

func (g *gen) compute(v *ir.Value, idx []index) val {
	if x, ok := g.lookup(v); ok { // a tensor of one element that is a scalar
		return x
	}
	if w := g.lookupView(v); w != nil && !g.fresh[v] {
		if g.holdsAt(v, idx) {
			return val{s: "true", t: ir.I1, n: 1}
		}
		return g.load(w, idx, nil, val{})
	}
	op := v.Def()
	if op == nil {
		g.failValue(v, "a tensor that is not known")
		return g.zero(ir.ElemOf(v.Type))
	}
	defer g.writing(op)()
	if f := formulas[op.Def]; f != nil {
		return f(g, op, v.Index(), idx)
	}
	if op.Def.Has(ir.Elementwise) {
		return g.evalElementwise(op, idx)[v.Index()]
	}
	g.fail(op, "not supported on the CPU")
	return g.zero(ir.ElemOf(v.Type))
}

// evalElementwise computes an arith or math operation on tensors.
func (g *gen) evalElementwise(op *ir.Op, idx []index) []val {
	args := make([]val, op.NumOperands())
	for i, x := range op.Operands() {
		if _, ok := x.Type.(*ir.TensorType); ok {
			args[i] = g.elem(x, idx)
		} else {
			args[i] = g.scalar(x)
		}
	}
	return g.elementwise(op, args)
}

func evalConstant(g *gen, op *ir.Op, _ int, idx []index) val {
	if u := arith.Uniform(op.Attr("value")); u != nil {
		v, _ := constant(u)
		return v
	}
	return g.load(g.constantBlock(op), idx, nil, val{})
}

// evalGeneric computes the region of a linalg.generic for some of its iterations.
func evalGeneric(g *gen, op *ir.Op, result int, idx []index) val {
	maps := linalg.Maps(op)
	body := op.Body(0)
	g.push()
	defer g.pop()
	for i, x := range op.Operands() {
		arg := body.Arg(i)
		if !arg.HasUses() {
			continue
		}
		if _, shaped := x.Type.(*ir.TensorType); !shaped {
			g.bind(arg, g.scalar(x))
			continue
		}
		g.bind(arg, g.elem(x, g.mapped(maps[i], idx)))
	}
	g.region(body, idx)
	outs := body.Last().Operands()
	for i, v := range op.Results() {
		if i != result && g.memo != nil {
			g.memo[memoKey{v, indexKey(idx)}] = g.scalar(outs[i])
		}
	}
	return g.scalar(outs[result])
}

// mapped applies an affine map to indices.
func (g *gen) mapped(m *ir.AffineMap, idx []index) []index {
	out := make([]index, len(m.Results))
	for i, e := range m.Results {
		out[i] = g.affine(e, idx)
	}
	return out
}

func (g *gen) affine(e *ir.AffineExpr, idx []index) index {
	switch e.Kind {
	case ir.AffineDim:
		return idx[e.N]
	case ir.AffineConst:
		return at(itoa(e.N))
	case ir.AffineAdd:
		return g.plus(g.affine(e.L, idx), g.affine(e.R, idx))
	case ir.AffineMul:
		if e.R.Kind == ir.AffineConst {
			return g.scaled(g.affine(e.L, idx), e.R.N)
		}
	}
	g.failf("an affine map that is not supported")
	return at("0")
}

// region computes the operations of a region of scalars, except the last. idx are the values of linalg.index.
func (g *gen) region(b *ir.Block, idx []index) {
	for op := b.First(); op != nil && op != b.Last() && g.err == nil; op = op.Next() {
		g.regionOp(op, idx)
	}
}

func (g *gen) regionOp(op *ir.Op, idx []index) {
	switch op.Def {
	case linalg.Index:
		x := idx[op.IntOr("dim", 0)]
		g.bind(op.Result(0), val{s: x.base, t: ir.Index, n: lanesOf(x, g.lanes), idx: &x})
		return
	case tensor.Extract:
		g.bind(op.Result(0), g.extract(op))
		return
	case scf.If:
		if g.lanes > 1 {
			g.bothWays(op, idx)
			return
		}
	case arith.CmpI:
		if g.holds(op, idx) {
			g.bind(op.Result(0), val{s: "true", t: ir.I1, n: 1})
			return
		}
	}
	if isControl(op) || !op.Def.Has(ir.Elementwise) && op.Def != funcd.Call && op.Def != arith.Constant {
		g.op1(op)
		return
	}
	args := make([]val, op.NumOperands())
	for i, x := range op.Operands() {
		args[i] = g.scalar(x)
	}
	for i, v := range g.elementwise(op, args) {
		g.bind(op.Result(i), v)
	}
}

func lanesOf(x index, n int) int {
	if x.uniform() {
		return 1
	}
	return n
}

// extract reads an element of a tensor at indices that are values.
func (g *gen) extract(op *ir.Op) val {
	t := op.Operand(0)
	idx := make([]index, op.NumOperands()-1)
	for i, x := range op.Operands()[1:] {
		idx[i] = g.indexOf(g.scalar(x))
	}
	return g.elem(t, idx)
}

// bothWays computes both sides of a branch and selects by lane. Regions of scalars have no effects, so
// computing both is safe.
func (g *gen) bothWays(op *ir.Op, idx []index) {
	c := g.scalar(op.Operand(0))
	var sides [2][]val
	for i, r := range op.Regions() {
		if r.Empty() {
			return
		}
		g.push()
		g.region(r.First(), idx)
		for _, v := range r.First().Last().Operands() {
			sides[i] = append(sides[i], g.plain(g.scalar(v), g.lanes))
		}
		g.pop()
	}
	for i, v := range op.Results() {
		g.bind(v, g.choose(c, sides[0][i], sides[1][i]))
	}
}

func evalBroadcast(g *gen, op *ir.Op, _ int, idx []index) val {
	return g.elem(op.Operand(0), unbroadcast(op, idx))
}

// unbroadcast returns the indices into the operand of a linalg.broadcast.
func unbroadcast(op *ir.Op, idx []index) (in []index) {
	added := op.Attr("dimensions").(*ir.DenseArrayAttr).Values
	for d, x := range idx {
		if !contains(added, int64(d)) {
			in = append(in, x)
		}
	}
	return in
}

func contains(list []int64, x int64) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func evalTranspose(g *gen, op *ir.Op, _ int, idx []index) val {
	perm := op.Attr("permutation").(*ir.DenseArrayAttr).Values
	in := make([]index, len(idx))
	for i, p := range perm {
		in[p] = idx[i]
	}
	return g.elem(op.Operand(0), in)
}

// reassociation returns the groups of dimensions of a collapse_shape or expand_shape.
func reassociation(op *ir.Op) [][]int {
	list, _ := op.Attr("reassociation").(*ir.ArrayAttr)
	if list == nil {
		return nil
	}
	var out [][]int
	for _, a := range list.Elems {
		var group []int
		for _, d := range a.(*ir.ArrayAttr).Elems {
			group = append(group, int(d.(*ir.IntegerAttr).Value))
		}
		out = append(out, group)
	}
	return out
}

func evalCollapse(g *gen, op *ir.Op, _ int, idx []index) val {
	return g.elem(op.Operand(0), g.uncollapsed(op, idx))
}

// uncollapsed returns the indices into the operand of a collapse_shape.
func (g *gen) uncollapsed(op *ir.Op, idx []index) []index {
	shape := ir.ShapeOf(op.Operand(0).Type)
	in := make([]index, len(shape))
	for d := range in {
		in[d] = at("0")
	}
	for i, group := range reassociation(op) {
		part := make([]int64, len(group))
		for j, d := range group {
			part[j] = shape[d]
		}
		for j, x := range g.unravel(idx[i], part) {
			in[group[j]] = x
		}
	}
	return in
}

func evalExpand(g *gen, op *ir.Op, _ int, idx []index) val {
	shape := ir.ShapeOf(op.Result(0).Type)
	var in []index
	for _, group := range reassociation(op) {
		part, places := make([]int64, len(group)), make([]index, len(group))
		for j, d := range group {
			part[j], places[j] = shape[d], idx[d]
		}
		in = append(in, g.linear(places, part))
	}
	return g.elem(op.Operand(0), in)
}

// slice is the part of a tensor that an extract_slice or insert_slice accesses.
type slice struct {
	offs, sizes []indexlist.Entry
	kept        []int // dimensions of the tensor that the part has
}

func sliceOf(op *ir.Op, slot int, part ir.Type) slice {
	s := slice{offs: indexlist.Of(op, slot, "static_offsets"),
		sizes: indexlist.Of(op, slot+1, "static_sizes")}
	names := make([]string, len(s.sizes))
	for i, e := range s.sizes {
		names[i] = "%"
		if e.Value == nil {
			names[i] = itoa(e.Const)
		}
	}
	s.kept = keptDims(names, ir.ShapeOf(part))
	return s
}

func evalSlice(g *gen, op *ir.Op, _ int, idx []index) val {
	s := sliceOf(op, 1, op.Result(0).Type)
	in := make([]index, len(s.offs))
	for d, e := range s.offs {
		in[d] = at(g.entry(e))
	}
	for i, d := range s.kept {
		in[d] = g.plus(idx[i], in[d])
	}
	return g.elem(op.Operand(0), in)
}

// evalInsert takes each element from the part or from the tensor around it. Both are computed; sizes are
// powers of two or the part begins at zero, so the index into the part can be kept inside it.
func evalInsert(g *gen, op *ir.Op, _ int, idx []index) val {
	src, dst := op.Operand(0), op.Operand(1)
	s := sliceOf(op, 2, src.Type)
	shape := ir.ShapeOf(dst.Type)
	var in []index
	var inside *val
	for d, e := range s.offs {
		size := s.sizes[d].Const
		x := idx[d]
		if e.IsConst(0) && size == shape[d] {
			in = append(in, x)
			continue
		}
		rel := g.plus(x, at(itoa(-e.Const)))
		c := g.insideOf(rel, size)
		if inside == nil {
			inside = &c
		} else {
			both := g.binary("and", ir.I1, *inside, c)
			inside = &both
		}
		in = append(in, g.clamped(rel, size))
	}
	var kept []index
	for _, d := range s.kept {
		kept = append(kept, in[d])
	}
	v := g.elem(src, kept)
	if inside == nil {
		return v
	}
	return g.choose(*inside, v, g.elem(dst, idx))
}

// insideOf returns the condition 0 <= x < size.
func (g *gen) insideOf(x index, size int64) val {
	if x.uniform() {
		return val{s: g.op("icmp ult i64 %s, %d", x.base, size), t: ir.I1, n: 1}
	}
	n := g.lanes
	return val{s: g.op("icmp ult <%d x i64> %s, %s", n, g.vecOf(x, n), g.splat("i64", itoa(size), n)),
		t: ir.I1, n: n}
}

// clamped returns an index in [0, size) that equals x if x is in that range.
func (g *gen) clamped(x index, size int64) index {
	if size == 1 {
		return at("0")
	}
	if x.vec == "" && size&(size-1) == 0 && (x.lanes == nil || x.span() < x.align && size%x.align == 0) {
		return index{base: g.op("and i64 %s, %d", x.base, size-1), lanes: x.lanes, align: x.align}
	}
	n := g.lanes
	if x.uniform() {
		in := g.op("icmp ult i64 %s, %d", x.base, size)
		return at(g.op("select i1 %s, i64 %s, i64 0", in, x.base))
	}
	v := g.vecOf(x, n)
	in := g.op("icmp ult <%d x i64> %s, %s", n, v, g.splat("i64", itoa(size), n))
	return index{vec: g.op("select <%d x i1> %s, <%d x i64> %s, <%d x i64> zeroinitializer", n, in, n, v, n)}
}

func evalElements(g *gen, op *ir.Op, _ int, idx []index) val {
	if op.NumOperands() == 1 {
		return g.scalar(op.Operand(0))
	}
	lin := g.linear(idx, ir.ShapeOf(op.Result(0).Type))
	v := g.scalar(op.Operand(0))
	for i := 1; i < op.NumOperands(); i++ {
		var c val
		if lin.uniform() {
			c = val{s: g.op("icmp eq i64 %s, %d", lin.base, i), t: ir.I1, n: 1}
		} else {
			c = val{s: g.op("icmp eq <%d x i64> %s, %s", g.lanes, g.vecOf(lin, g.lanes),
				g.splat("i64", itoa(int64(i)), g.lanes)), t: ir.I1, n: g.lanes}
		}
		v = g.choose(c, g.scalar(op.Operand(i)), v)
	}
	return v
}

// loadInfo is a load in the form of the middle layer: a buffer that is filled, then partly copied from
// memory, then read.
type loadInfo struct {
	src    *ir.Value         // view of the whole block, or of the part
	part   bool              // src is the part: its offsets are in it already
	lo, n  []indexlist.Entry // the part that is copied; nil for all
	other  *ir.Value         // value outside the part, a scalar or a tensor; nil if the part is all
	when   *ir.Value         // condition of the copy; nil for always
	copy   *ir.Op            // where memory is read: the copy, or the branch around it
	absorb []*ir.Op          // operations that need not be written
}

// loadOf returns the load that op ends, or nil if the buffer has other uses.
func (g *gen) loadOf(op *ir.Op) *loadInfo {
	if l, ok := g.loads[op]; ok {
		return l
	}
	l := findLoad(op)
	g.loads[op] = l
	return l
}

func findLoad(op *ir.Op) *loadInfo {
	alloc := op.Operand(0).DefBy(memref.Alloc)
	if alloc == nil {
		return nil
	}
	l := &loadInfo{absorb: []*ir.Op{alloc, op}}
	readers := 0
	var dst *ir.Op // subview that is the copy's destination
	var copies []*ir.Op
	for u := range alloc.Result(0).Uses() {
		user := u.Owner()
		switch {
		case user.Def == bufferization.ToTensor:
			readers++
		case user.Def == linalg.Fill && user.NumResults() == 0:
			if l.other != nil || !l.preset(op, user) {
				return nil
			}
			l.other = user.Operand(0)
		case user.Def == bufferization.MaterializeInDestination && u.Index() == 1:
			if l.other != nil || !l.preset(op, user) {
				return nil
			}
			l.other = user.Operand(0)
		case user.Def == memref.Copy && u.Index() == 1:
			copies = append(copies, user)
		case user.Def == memref.SubView && dst == nil && user.Result(0).HasOneUse():
			dst = user
			for c := range user.Result(0).Users() {
				if c.Def != memref.Copy || c.Operand(1) != user.Result(0) {
					return nil
				}
				copies = append(copies, c)
			}
		default:
			return nil
		}
	}
	if readers != 1 || len(copies) != 1 {
		return nil
	}
	c := copies[0]
	l.copy = c
	if c.Block() != op.Block() {
		p := c.Block().Parent()
		if p.Def != scf.If || p.Block() != op.Block() || p.NumResults() > 0 || !onlyViews(p.Body(0), c) ||
			!p.Region(1).Empty() && p.Body(1).First() != p.Body(1).Last() {
			return nil
		}
		l.when, l.copy = p.Operand(0), p
		if l.other == nil {
			return nil
		}
	}
	l.absorb = append(l.absorb, l.copy)
	l.src = c.Operand(0)
	if dst != nil {
		l.lo, l.n = indexlist.Of(dst, 1, "static_offsets"), indexlist.Of(dst, 2, "static_sizes")
		if len(ir.ShapeOf(dst.Result(0).Type)) != len(l.lo) {
			return nil
		}
		l.part = true
		l.absorb = append(l.absorb, dst)
	}
	return l
}

// onlyViews reports whether a block contains only a copy and the operations that make its views.
func onlyViews(b *ir.Block, c *ir.Op) bool {
	for op := range b.Ops() {
		if op != c && op != b.Last() && op.Def != memref.SubView && op.Def != memref.ReinterpretCast &&
			op.Def != memref.Cast && !op.Def.Has(ir.Pure) {
			return false
		}
	}
	return true
}

// preset absorbs the operation that fills the buffer before the copy, alone or in a branch of its own. It
// reports whether it could.
func (l *loadInfo) preset(op, fill *ir.Op) bool {
	if fill.Block() == op.Block() {
		l.absorb = append(l.absorb, fill)
		return true
	}
	p := fill.Block().Parent()
	if p.Def != scf.If || p.Block() != op.Block() || p.NumResults() > 0 {
		return false
	}
	for o := range p.Body(0).Ops() {
		if o != fill && o.Def != scf.Yield && !o.Def.Has(ir.Pure) {
			return false
		}
	}
	if !p.Region(1).Empty() && p.Body(1).First() != p.Body(1).Last() {
		return false
	}
	l.absorb = append(l.absorb, p, fill)
	return true
}

// evalLoad reads a block's elements from memory, or other outside the part that is there.
func evalLoad(g *gen, op *ir.Op, _ int, idx []index) val {
	l := g.loadOf(op)
	if l == nil {
		g.fail(op, "a buffer that is read before it is written")
		return g.zero(ir.ElemOf(op.Result(0).Type))
	}
	w := g.viewOf(l.src)
	if l.part { // indices count from the beginning of the part
		w = g.whole(w, l.lo)
	}
	var mask *val
	if l.n != nil {
		mask = g.bounded(l, idx, ir.ShapeOf(op.Result(0).Type))
	}
	if l.when != nil {
		mask = g.both(mask, g.scalar(l.when))
	}
	if mask == nil {
		return g.load(w, idx, nil, val{})
	}
	other := g.zero(w.elem)
	if l.other != nil {
		if _, ok := l.other.Type.(*ir.TensorType); ok {
			other = g.elem(l.other, idx)
		} else {
			other = g.scalar(l.other)
		}
	}
	return g.load(w, idx, mask, other)
}

// whole returns the view in which index zero is that of the block, given the view of a part that begins at
// lo.
func (g *gen) whole(w *view, lo []indexlist.Entry) *view {
	out := *w
	for d, e := range lo {
		if !e.IsConst(0) {
			out.offset = g.sub(out.offset, g.mul(g.entry(e), w.strides[d]))
		}
	}
	return &out
}

func (g *gen) both(mask *val, c val) *val {
	if mask == nil {
		return &c
	}
	v := g.binary("and", ir.I1, *mask, c)
	return &v
}

// bounded returns the mask of a part, or nil if the loop guarantees that all lanes are inside.
func (g *gen) bounded(l *loadInfo, idx []index, shape []int64) *val {
	var mask *val
	for d, x := range idx {
		if l.lo[d].IsConst(0) && l.n[d].IsConst(shape[d]) {
			continue
		}
		lo, n := g.entry(l.lo[d]), g.entry(l.n[d])
		if g.nest != nil && g.nest.covered(x, lo, n, l.n[d].Value) {
			continue
		}
		mask = g.both(mask, g.within(x, lo, n))
	}
	return mask
}

// within returns the condition lo <= x < lo + n.
func (g *gen) within(x index, lo, n string) val {
	rel := g.plus(x, at(g.sub("0", lo)))
	if rel.uniform() {
		return val{s: g.op("icmp ult i64 %s, %s", rel.base, n), t: ir.I1, n: 1}
	}
	if rel.vec == "" { // in 32 bits, which hold any distance within a block and the clamped bound
		left := g.sub(n, rel.base)
		c := g.op("call i64 @llvm.smin.i64(i64 %s, i64 %d)", left, 1<<30)
		c = g.op("call i64 @llvm.smax.i64(i64 %s, i64 %d)", c, -(1 << 30))
		g.decls["llvm.smin.i64"] = "declare i64 @llvm.smin.i64(i64, i64)"
		g.decls["llvm.smax.i64"] = "declare i64 @llvm.smax.i64(i64, i64)"
		c = g.op("trunc i64 %s to i32", c)
		k := g.lanes
		up := g.op("icmp sgt <%d x i32> %s, %s", k, g.splat("i32", c, k), constVector("i32", rel.lanes))
		if lo == "0" {
			return val{s: up, t: ir.I1, n: k}
		}
	}
	k := g.lanes
	return val{s: g.op("icmp ult <%d x i64> %s, %s", k, g.vecOf(rel, k), g.splat("i64", n, k)),
		t: ir.I1, n: k}
}
