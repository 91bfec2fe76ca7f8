package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/ir"
)

// view describes memory as a block of elements: the address of element (i, j, …). It exists only at compile
// time.
type view struct {
	ptr     string
	elem    ir.Type
	offset  string // in elements
	sizes   []string
	strides []string
	scratch bool // scratch memory, where reading a little beyond the end is harmless
}

// block returns the view of a whole row-major buffer.
func block(ptr string, elem ir.Type, shape []int64) *view {
	v := &view{ptr: ptr, elem: elem, offset: "0", scratch: true, sizes: make([]string, len(shape)),
		strides: make([]string, len(shape))}
	step := int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		v.sizes[d], v.strides[d] = itoa(shape[d]), itoa(step)
		step *= shape[d]
	}
	return v
}

// newBuffer allocates scratch memory for a block.
func (g *gen) newBuffer(elem ir.Type, shape []int64) *view {
	size := elemSize(elem)
	for _, n := range shape {
		size *= n
	}
	off := g.arena
	g.arena += (size + 127) / 64 * 64 // room for a vector that reads beyond the end
	name := fmt.Sprintf("%%b%d", off)
	g.prologue = append(g.prologue, fmt.Sprintf("  %s = getelementptr inbounds i8, ptr %%scratch, i64 %d",
		name, off))
	return block(name, elem, shape)
}

// pointer returns the address that an unranked memref stands for.
func (g *gen) pointer(v *ir.Value) string {
	if x, ok := g.lookup(v); ok {
		return x.s
	}
	op := v.Def()
	if op == nil {
		g.failValue(v, "a buffer that is not known")
		return "null"
	}
	switch op.Def {
	case memref.Cast:
		src := op.Operand(0)
		if t := src.Type.(*ir.MemRefType); t.Unranked {
			return g.pointer(src)
		}
		if w := g.viewOf(src); w != nil {
			return g.inherit(g.address(w, "0"), w.ptr)
		}
	case funcd.Call: // memory_at
		p := g.op("inttoptr i64 %s to ptr", g.scalar(op.Operand(0)).s)
		if g.opts.Check {
			g.inherit(p, g.derivedFrom(op.Operand(0)))
		}
		g.bind(v, val{s: p, t: v.Type, n: 1})
		return p
	case arith.Select:
		c, a, b := g.scalar(op.Operand(0)), g.pointer(op.Operand(1)), g.pointer(op.Operand(2))
		p := g.op("select i1 %s, ptr %s, ptr %s", c.s, a, b)
		g.inheritEither(p, c.s, a, b)
		g.bind(v, val{s: p, t: v.Type, n: 1})
		return p
	}
	g.fail(op, "a buffer made by %s is not supported", op.Name())
	return "null"
}

// viewOf returns the view of a ranked memref.
func (g *gen) viewOf(v *ir.Value) *view {
	if w := g.lookupView(v); w != nil {
		return w
	}
	op := v.Def()
	var w *view
	t := v.Type.(*ir.MemRefType)
	switch {
	case op == nil:
		g.failValue(v, "a buffer that is not known")
		return block("null", t.Elem, nil)
	case op.Def == memref.ReinterpretCast:
		w = &view{ptr: g.pointer(op.Operand(0)), elem: t.Elem, offset: g.entries(op, 1, "static_offsets")[0],
			sizes: g.entries(op, 2, "static_sizes"), strides: g.entries(op, 3, "static_strides")}
	case op.Def == memref.SubView:
		w = g.subview(g.viewOf(op.Operand(0)), g.entries(op, 1, "static_offsets"),
			g.entries(op, 2, "static_sizes"), t)
	case op.Def == memref.Alloc:
		w = g.newBuffer(t.Elem, t.Shape)
		g.bindTop(v, w) // one buffer for all uses
		return w
	case op.Def == memref.GetGlobal:
		name := op.Attr("name").(*ir.SymbolRefAttr).Root
		w = block("@"+name, t.Elem, t.Shape)
		g.needGlobal(name)
	case op.Def == memref.Cast:
		if src := op.Operand(0).Type.(*ir.MemRefType); !src.Unranked {
			w = g.viewOf(op.Operand(0))
		}
	case op.Def == funcd.Call:
		p := g.op("inttoptr i64 %s to ptr", g.scalar(op.Operand(0)).s)
		if g.opts.Check {
			g.inherit(p, g.derivedFrom(op.Operand(0)))
		}
		w = block(p, t.Elem, []int64{1})
		w.scratch = false
	}
	if w == nil {
		g.fail(op, "a buffer made by %s is not supported", op.Name())
		w = block("null", t.Elem, nil)
	}
	g.bindView(v, w)
	return w
}

// entries returns offsets, sizes or strides as operands.
func (g *gen) entries(op *ir.Op, slot int, attr string) []string {
	list := indexlist.Of(op, slot, attr)
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = g.entry(e)
	}
	return out
}

func (g *gen) entry(e indexlist.Entry) string {
	if e.Value == nil {
		return itoa(e.Const)
	}
	return g.scalar(e.Value).s
}

// subview returns a part of a view. Dimensions of one element that the type lacks are dropped.
func (g *gen) subview(w *view, offs, sizes []string, t *ir.MemRefType) *view {
	out := &view{ptr: w.ptr, elem: w.elem, offset: w.offset, scratch: w.scratch}
	for d := range offs {
		out.offset = g.add(out.offset, g.mul(offs[d], w.strides[d]))
	}
	for _, d := range keptDims(sizes, t.Shape) {
		out.sizes, out.strides = append(out.sizes, sizes[d]), append(out.strides, w.strides[d])
	}
	return out
}

// keptDims returns the dimensions of a part that its type has, in order. Dropped dimensions have one element.
func keptDims(sizes []string, shape []int64) []int {
	var kept []int
	drop := len(sizes) - len(shape)
	next := 0
	for d, s := range sizes {
		fits := next < len(shape) && (shape[next] == ir.Dynamic && !isConst(s) || s == itoa(shape[next]))
		if drop > 0 && s == "1" && !(fits && remaining(sizes[d+1:], shape[next+1:])) {
			drop--
			continue
		}
		kept = append(kept, d)
		next++
	}
	return kept
}

// remaining reports whether the rest of a part's sizes matches the rest of its type's, with only ones
// dropped.
func remaining(sizes []string, shape []int64) bool {
	i := 0
	for _, s := range sizes {
		if i < len(shape) && (shape[i] == ir.Dynamic && !isConst(s) || s == itoa(shape[i])) {
			i++
		} else if s != "1" {
			return false
		}
	}
	return i == len(shape)
}

// address returns the address of element off.
func (g *gen) address(w *view, off string) string {
	off = g.add(w.offset, off)
	if off == "0" {
		return w.ptr
	}
	return g.op("getelementptr %s, ptr %s, i64 %s", memType(w.elem), w.ptr, off)
}

// place returns the offsets of the lanes of an access, in elements from the pointer.
func (g *gen) place(w *view, idx []index) index {
	sum := index{base: w.offset, align: 1}
	for d, x := range idx {
		switch k, ok := number(w.strides[d]); {
		case x.uniform():
			sum = g.plus(sum, index{base: g.mul(x.base, w.strides[d]), align: 1})
		case ok && x.vec == "":
			lanes := make([]int64, len(x.lanes))
			for i, l := range x.lanes {
				lanes[i] = l * k
			}
			sum = g.plus(sum, index{base: g.mul(x.base, w.strides[d]), lanes: lanes, align: 1})
		default:
			n := g.lanes
			sum = g.plus(sum, index{vec: g.op("mul <%d x i64> %s, %s", n, g.vecOf(x, n),
				g.splat("i64", w.strides[d], n))})
		}
	}
	return sum.simple()
}

// load reads elements. Where the mask, if any, is false, the result is other.
func (g *gen) load(w *view, idx []index, mask *val, other val) val {
	p := g.place(w, idx)
	g.guard("load", w, p, mask)
	v := g.loadAt(w, p, mask, other)
	if w.elem == ir.Type(ir.I1) {
		return g.cast("trunc", val{s: v.s, t: ir.I8, n: v.n}, ir.I1)
	}
	return v
}

func (g *gen) gep(w *view, off string) string {
	if off == "0" {
		return w.ptr
	}
	return g.op("getelementptr %s, ptr %s, i64 %s", memType(w.elem), w.ptr, off)
}

// ahead is the prefetch distance in bytes: far enough for memory that is in no cache, near enough for it to
// stay there until it is used.
const ahead = 2048

// prefetch prefetches memory ahead of an address, for reading or writing, in loops that pass over much memory
// once. The processor does so too but stops at page boundaries.
func (g *gen) prefetch(w *view, at string, write int) {
	if g.nest == nil || !g.nest.streams || !g.nest.full || w.scratch {
		return
	}
	g.fetchLine(g.op("getelementptr i8, ptr %s, i64 %d", at, ahead), write)
}

func (g *gen) fetchLine(at string, write int) {
	g.decls["llvm.prefetch.p0"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
	g.do("call void @llvm.prefetch.p0(ptr %s, i32 %d, i32 3, i32 1)", at, write)
}

// rowsAhead is the distance in rows at which the memory of stores is fetched.
const rowsAhead = 2

// fetchRow fetches the memory of a later row of a block that is stored row by row. The rows of a block are
// short and far apart, so the processor does not see the next one coming, and stores wait for their lines.
func (g *gen) fetchRow(w *view, p index, mask *val) {
	n := g.nest
	if n == nil || !n.full || n.streams || w.scratch || mask != nil || !isIota(p.lanes) ||
		n.split == 0 || n.split != len(w.strides)-1 || n.shape[n.split-1] <= rowsAhead {
		return
	}
	at := g.gep(w, g.add(p.base, g.mul(w.strides[n.split-1], itoa(rowsAhead))))
	g.fetchLine(at, 1)
}

func (g *gen) loadAt(w *view, p index, mask *val, other val) val {
	n, elem, size := g.lanes, memType(w.elem), elemSize(w.elem)
	vt := vector(elem, n)
	switch {
	case p.uniform() && (mask == nil || mask.n == 1):
		return g.loadOne(w, p.base, mask, other)
	case isIota(p.lanes) && mask == nil:
		at := g.gep(w, p.base)
		g.prefetch(w, at, 0)
		return val{s: g.op("load %s, ptr %s, align %d%s", vt, at, size, g.tag(w)), t: w.elem, n: n}
	case isIota(p.lanes):
		m, o := g.widen(*mask, n), g.widen(other, n)
		name := fmt.Sprintf("llvm.masked.load.%s.p0", suffix(elem, n))
		g.decls[name] = fmt.Sprintf("declare %s @%s(ptr, i32, <%d x i1>, %s)", vt, name, n, vt)
		return val{s: g.op("call %s @%s(ptr %s, i32 %d, <%d x i1> %s, %s %s)", vt, name, g.gep(w, p.base),
			size, n, m.s, vt, o.s), t: w.elem, n: n}
	case p.vec == "" && mask == nil && w.scratch:
		if v, ok := g.loadShuffled(w, p); ok {
			return v
		}
	}
	ptrs := g.pointers(w, p)
	m := "<" + strings.TrimSuffix(strings.Repeat("i1 true, ", n), ", ") + ">"
	o := "poison"
	if mask != nil {
		m, o = g.widen(*mask, n).s, g.widen(other, n).s
	}
	name := fmt.Sprintf("llvm.masked.gather.%s.v%dp0", suffix(elem, n), n)
	g.decls[name] = fmt.Sprintf("declare %s @%s(<%d x ptr>, i32, <%d x i1>, %s)", vt, name, n, n, vt)
	return val{s: g.op("call %s @%s(<%d x ptr> %s, i32 %d, <%d x i1> %s, %s %s)", vt, name, n, ptrs, size, n,
		m, vt, o), t: w.elem, n: n}
}

// pointers returns the addresses of all lanes.
func (g *gen) pointers(w *view, p index) string {
	n := g.lanes
	if p.vec != "" {
		return g.op("getelementptr %s, ptr %s, <%d x i64> %s", memType(w.elem), w.ptr, n, p.vec)
	}
	base := g.gep(w, p.base)
	lanes := p.lanes
	if lanes == nil {
		lanes = make([]int64, n)
	}
	return g.op("getelementptr %s, ptr %s, <%d x i64> %s", memType(w.elem), base, n,
		constVector("i64", lanes))
}

// loadOne reads a scalar. If the mask is false, it reads a safe address instead.
func (g *gen) loadOne(w *view, off string, mask *val, other val) val {
	elem := memType(w.elem)
	p := g.gep(w, off)
	if mask == nil {
		return val{s: g.op("load %s, ptr %s, align %d%s", elem, p, elemSize(w.elem), g.tag(w)),
			t: w.elem, n: 1}
	}
	safe := g.op("select i1 %s, ptr %s, ptr %%nowhere", mask.s, p)
	v := val{s: g.op("load %s, ptr %s, align %d", elem, safe, elemSize(w.elem)), t: w.elem, n: 1}
	o := g.plain(other, 1)
	if o.n > 1 {
		return g.choose(*mask, v, o)
	}
	return val{s: g.op("select i1 %s, %s %s, %s %s", mask.s, elem, v.s, elem, o.s), t: w.elem, n: 1}
}

// loadShuffled reads adjacent elements and selects the lanes. It reads the elements between too, so only
// scratch memory qualifies.
func (g *gen) loadShuffled(w *view, p index) (val, bool) {
	lo, hi := slices.Min(p.lanes), slices.Max(p.lanes)
	span := hi - lo + 1
	if span > 4*int64(g.lanes) {
		return val{}, false
	}
	r := int64(1)
	for r < span {
		r *= 2
	}
	elem := memType(w.elem)
	vt := vector(elem, int(r))
	s := g.op("load %s, ptr %s, align %d", vt, g.gep(w, g.add(p.base, itoa(lo))), elemSize(w.elem))
	if r == 1 {
		return val{s: s, t: w.elem, n: 1}, true
	}
	pick := make([]int64, len(p.lanes))
	for i, l := range p.lanes {
		pick[i] = l - lo
	}
	s = g.op("shufflevector %s %s, %s poison, <%d x i32> %s", vt, s, vt, g.lanes, constVector("i32", pick))
	return val{s: s, t: w.elem, n: g.lanes}, true
}

// store writes elements where the mask, if any, is true.
func (g *gen) store(w *view, idx []index, v val, mask *val) {
	p := g.place(w, idx)
	g.guard("store", w, p, mask)
	g.fetchRow(w, p, mask)
	g.storeAt(w, p, v, mask)
}

func (g *gen) storeAt(w *view, p index, v val, mask *val) {
	n, elem, size := g.lanes, memType(w.elem), elemSize(w.elem)
	v = g.plain(v, n)
	if w.elem == ir.Type(ir.I1) {
		v = g.cast("zext", v, ir.I8)
	}
	vt := vector(elem, n)
	switch {
	case n == 1 && mask != nil:
		g.when(mask.s, func() { g.do("store %s %s, ptr %s, align %d", elem, v.s, g.gep(w, p.base), size) })
		return
	case n == 1:
		g.do("store %s %s, ptr %s, align %d%s", elem, v.s, g.gep(w, p.base), size, g.tag(w))
		return
	case isIota(p.lanes) && mask == nil:
		at := g.gep(w, p.base)
		g.prefetch(w, at, 1)
		g.do("store %s %s, ptr %s, align %d%s", vt, g.widen(v, n).s, at, size, g.tag(w))
		return
	case isIota(p.lanes):
		name := fmt.Sprintf("llvm.masked.store.%s.p0", suffix(elem, n))
		g.decls[name] = fmt.Sprintf("declare void @%s(%s, ptr, i32, <%d x i1>)", name, vt, n)
		g.do("call void @%s(%s %s, ptr %s, i32 %d, <%d x i1> %s)", name, vt, g.widen(v, n).s,
			g.gep(w, p.base), size, n, g.widen(*mask, n).s)
		return
	}
	m := "<" + strings.TrimSuffix(strings.Repeat("i1 true, ", n), ", ") + ">"
	if mask != nil {
		m = g.widen(*mask, n).s
	}
	name := fmt.Sprintf("llvm.masked.scatter.%s.v%dp0", suffix(elem, n), n)
	g.decls[name] = fmt.Sprintf("declare void @%s(%s, <%d x ptr>, i32, <%d x i1>)", name, vt, n, n)
	g.do("call void @%s(%s %s, <%d x ptr> %s, i32 %d, <%d x i1> %s)", name, vt, g.widen(v, n).s, n,
		g.pointers(w, p), size, n, m)
}

// tag returns alias metadata of an access: scratch memory overlaps no other.
func (g *gen) tag(w *view) string {
	if w.scratch {
		return ", !alias.scope !0, !noalias !1"
	}
	return ", !alias.scope !1, !noalias !0"
}
