package codegen

import (
	"cmp"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A nest computes its roots a vector at a time: the values of all roots, then their stores, then the next
// vector. The kernel means all of one root, then all of the next. Both leave the same in memory if no vector
// loads or stores an element that an earlier vector of the nest has stored. That holds for two accesses
//
//   - that have no element in common, or
//   - that put each index at the same address and no two indices at the same one, if the load is read at the
//     index that is stored: then their common elements lie in one vector. A load that is read elsewhere, such
//     as transposed, must have no element in common.
//
// Memory of different arguments is assumed to be disjoint, and Code.Apart lists the pairs. A launch whose
// arguments overlap uses code made with Options.Overlap, which assumes nothing.

// place says where a load or a store puts the elements of its block.
type place struct {
	// the memref.reinterpret_cast of the whole block, or nil if the places of its elements are unknown
	view *ir.Op
	base *ir.Value // the pointer, nil if unknown
	all  *ir.Value // the accessed view, a part or the whole
}

// loadPlace returns the place of a load.
func loadPlace(l *loadInfo) place {
	if l.part {
		return placeOf(l.src, l.lo)
	}
	return placeOf(l.src, nil)
}

// storePlace returns the place of a store's root.
func storePlace(r *root) place {
	if r.slice == nil {
		return placeOf(r.dest, nil)
	}
	if len(r.slice.kept) != len(r.slice.offs) {
		return place{base: baseOf(r.dest), all: r.dest}
	}
	return placeOf(r.dest, r.slice.offs)
}

// placeOf returns the place of a view in which the block begins at offs; nil offs means a view of the whole
// block.
func placeOf(v *ir.Value, offs []indexlist.Entry) place {
	p := place{base: baseOf(v), all: v}
	if offs != nil {
		part := v.DefBy(memref.SubView)
		if part == nil || !slices.Equal(indexlist.Of(part, 1, "static_offsets"), offs) {
			return p
		}
		v = part.Operand(0)
	}
	p.view = v.DefBy(memref.ReinterpretCast)
	return p
}

// baseOf returns the pointer that a view was made of, or nil.
func baseOf(v *ir.Value) *ir.Value {
	for v.DefBy(memref.SubView) != nil {
		v = v.Def().Operand(0)
	}
	if op := v.DefBy(memref.ReinterpretCast); op != nil {
		return op.Operand(0)
	}
	return nil
}

// isArgument reports whether a pointer is an unchanged argument of the kernel. A computed pointer may point
// anywhere.
func (g *gen) isArgument(v *ir.Value) bool {
	return v != nil && v.Def() == nil && v.Block() == g.fn.Body(0)
}

// conflict reports whether a store in a nest may overwrite elements that a load of the same nest still has to
// read.
func (p *planner) conflict(load *ir.Op, reader, store *root) bool {
	l := loadPlace(p.g.loadOf(load))
	s := storePlace(store)
	if reader.deps.moved[load] {
		return !p.apart(l, s)
	}
	return !p.ordered(l, s)
}

// ordered reports whether the common elements of two accesses have the same index in both.
func (p *planner) ordered(a, b place) bool {
	if p.apart(a, b) {
		return true
	}
	if a.view == nil || b.view == nil {
		return false
	}
	return a.base == b.base && sameView(a.view, b.view) && injective(a.view)
}

// apart reports whether two accesses have no element in common.
func (p *planner) apart(a, b place) bool {
	if a.base == nil || b.base == nil {
		return false
	}
	if a.base != b.base {
		return !p.g.opts.Overlap && p.g.isArgument(a.base) && p.g.isArgument(b.base)
	}
	x, y := baseView(a.all), baseView(b.all)
	return x != nil && y != nil && disjoint(x, y)
}

// relies records the pairs of arguments that a nest assumes to be apart: each argument that it stores through
// with each other that it accesses.
func (p *planner) relies(n *nest) {
	for _, x := range n.roots {
		if x.kind != toMemory {
			continue
		}
		s := storePlace(x)
		for _, r := range n.roots {
			for _, l := range r.deps.loads {
				p.g.reliesOn(s, loadPlace(p.g.loadOf(l)), !r.deps.moved[l])
			}
			if r != x && r.kind == toMemory {
				p.g.reliesOn(s, storePlace(r), true)
			}
		}
	}
}

// reliesOn records that two accesses must be apart if they go through different arguments. With inPlace both
// access the same index; then the arguments may also be equal.
func (g *gen) reliesOn(a, b place, inPlace bool) {
	if a.base == b.base || !g.isArgument(a.base) || !g.isArgument(b.base) {
		return
	}
	equal := inPlace && a.view != nil && b.view != nil && sameView(a.view, b.view) && injective(a.view) &&
		injective(b.view) &&
		elemSize(ir.ElemOf(a.view.Result(0).Type)) == elemSize(ir.ElemOf(b.view.Result(0).Type))
	i, j := a.base.Index(), b.base.Index()
	pair := [2]int{min(i, j), max(i, j)}
	if was, ok := g.apart[pair]; ok {
		equal = equal && was
	}
	g.apart[pair] = equal
}

// Apart is a pair of arguments, by position, whose memory must not overlap for the code to be right.
type Apart struct {
	A, B    int
	OrEqual bool // they may also be the same pointer
}

// pairs returns the recorded pairs, sorted.
func (g *gen) pairs() []Apart {
	var out []Apart
	for pair, equal := range g.apart {
		out = append(out, Apart{A: pair[0], B: pair[1], OrEqual: equal})
	}
	slices.SortFunc(out, func(x, y Apart) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out
}

// baseView returns the view that subviews were taken of, or nil.
func baseView(v *ir.Value) *ir.Op {
	for v.DefBy(memref.SubView) != nil {
		v = v.Def().Operand(0)
	}
	return v.DefBy(memref.ReinterpretCast)
}

// sameView reports whether two views of a pointer put each element at the same address.
func sameView(x, y *ir.Op) bool {
	return slices.Equal(indexlist.Of(x, 1, "static_offsets"), indexlist.Of(y, 1, "static_offsets")) &&
		slices.Equal(indexlist.Of(x, 3, "static_strides"), indexlist.Of(y, 3, "static_strides"))
}

// injective reports whether a view is known to put no two elements at the same address: each stride is larger
// than the reach of all smaller ones.
func injective(op *ir.Op) bool {
	type dim struct{ size, stride int64 }
	var dims []dim
	sizes, strides := indexlist.Of(op, 2, "static_sizes"), indexlist.Of(op, 3, "static_strides")
	for d := range sizes {
		if sizes[d].IsConst(1) {
			continue
		}
		if sizes[d].Value != nil || strides[d].Value != nil {
			return false
		}
		dims = append(dims, dim{sizes[d].Const, max(strides[d].Const, -strides[d].Const)})
	}
	slices.SortFunc(dims, func(a, b dim) int { return cmp.Compare(a.stride, b.stride) })
	far := int64(1)
	for _, d := range dims {
		if d.stride < far {
			return false
		}
		far += (d.size - 1) * d.stride
	}
	return true
}

// disjoint reports whether two views of a pointer are known to have no element in common.
func disjoint(x, y *ir.Op) bool {
	a, ok1 := reach(x)
	b, ok2 := reach(y)
	if !ok1 || !ok2 {
		return false
	}
	v, i := offsetOf(indexlist.Of(x, 1, "static_offsets")[0])
	w, j := offsetOf(indexlist.Of(y, 1, "static_offsets")[0])
	return v == w && (i+a <= j || j+b <= i)
}

// reach returns the number of elements from the first to the last of a view with constant strides.
func reach(op *ir.Op) (int64, bool) {
	sizes, strides := indexlist.Of(op, 2, "static_sizes"), indexlist.Of(op, 3, "static_strides")
	n := int64(1)
	for d := range sizes {
		if sizes[d].Value != nil || strides[d].Value != nil || strides[d].Const < 0 {
			return 0, false
		}
		n += (sizes[d].Const - 1) * strides[d].Const
	}
	return n, true
}

// offsetOf returns an offset as a value plus a constant.
func offsetOf(e indexlist.Entry) (*ir.Value, int64) {
	if e.Value == nil {
		return nil, e.Const
	}
	if op := e.Value.DefBy(arith.AddI); op != nil {
		for i := range 2 {
			if k, ok := arith.IntOf(op.Operand(i)); ok {
				v, c := offsetOf(indexlist.Entry{Value: op.Operand(1 - i)})
				return v, c + k
			}
		}
	}
	if k, ok := arith.IntOf(e.Value); ok {
		return nil, k
	}
	return e.Value, 0
}
