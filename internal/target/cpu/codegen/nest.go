package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/ir"
)

// rootKind is why elements of a tensor are computed.
type rootKind int

const (
	toMemory rootKind = iota // they are stored
	toBuffer                 // several formulas read them
	toReduce                 // they are combined along a dimension
)

// root is the end of formulas: what makes a loop nest necessary.
type root struct {
	kind  rootKind
	op    *ir.Op
	v     *ir.Value   // what is computed; of a reduction, the first input
	shape []int64     // of the loops
	red   *reduction  // of toReduce
	slice *slice      // of toMemory: the part of v that is stored, or nil for all
	dest  *ir.Value   // of toMemory: the view
	into  *view       // of toBuffer: the buffer, where it is not the tensor's own
	deps  *dependence // see plan.go
	pos   int
}

// nest is a loop nest in which roots of one shape are computed together: outer loops over single dimensions, and an inner one over
// vectors. With along >= 0, a loop over that dimension is the innermost, and the vectors are of the dimensions left.
type nest struct {
	roots  []*root
	shape  []int64
	along  int // dimension of a reduction that is looped over inside; -1 for none
	split  int // dimensions before this one have loops of their own
	lanes  int
	unroll int

	streams bool // long rows go from memory to memory: what comes soon is asked for ahead

	iv     string          // of the inner loop, while it is written
	outer  map[string]bool // of the others
	full   bool            // all lanes are inside all bounds
	bounds []bound         // met in the loop that masks
}

// bound is a part of a dimension that a load or store is limited to.
type bound struct {
	iv    string // of an outer loop; "" for the inner one
	lo, n string
	of    *ir.Value // n in the middle layer's terms
}

// covered reports whether the loop is one in which an index is known to be inside [lo, lo+n). Where masks are written, it remembers
// the bound, so that there can be such a loop.
func (n *nest) covered(x index, lo, size string, of *ir.Value) bool {
	iv, ok := n.loopOf(x)
	if !ok {
		return false
	}
	b := bound{iv, lo, size, of}
	if n.full {
		return true
	}
	if !slices.Contains(n.bounds, b) {
		n.bounds = append(n.bounds, b)
	}
	return false
}

// loopOf is the loop whose index x is: "" for the inner one.
func (n *nest) loopOf(x index) (iv string, ok bool) {
	switch {
	case x.vec == "" && x.base == n.iv && (isIota(x.lanes) || x.lanes == nil && n.lanes == 1):
		return "", true
	case x.uniform() && (n.outer[x.base] || isConst(x.base)):
		return x.base, true
	}
	return "", false
}

// emitNest writes the loops of a nest.
func (g *gen) emitNest(n *nest) {
	g.push()
	defer g.pop()
	n.outer = map[string]bool{}
	n.iv = ""
	n.bounds = nil
	saved := g.nest
	defer func() { g.nest = saved }()
	g.nest = n
	for _, r := range n.roots {
		if r.kind == toBuffer && r.into == nil {
			g.fresh[r.v] = true
		}
	}
	loops := n.shape
	if n.along >= 0 {
		loops = slices.Delete(slices.Clone(n.shape), n.along, n.along+1)
	}
	g.outerLoops(n, loops, 0, nil)
	for _, r := range n.roots {
		if r.kind == toBuffer && r.into == nil {
			delete(g.fresh, r.v)
		}
	}
}

// outerLoops writes loops over the dimensions that have loops of their own, and the inner loop in them.
func (g *gen) outerLoops(n *nest, loops []int64, d int, at_ []index) {
	if d == n.split {
		g.innerLoop(n, loops, at_)
		return
	}
	if d == 0 && n.split > 2 { // one loop over all
		size := int64(1)
		for _, s := range loops[:n.split] {
			size *= s
		}
		g.loop("0", itoa(size), 1, func(i string) {
			g.scoped(func() {
				at := g.unravel(at(i), loops[:n.split])
				for _, x := range at {
					n.outer[x.base] = true
				}
				g.innerLoop(n, loops, at)
			})
		})
		return
	}
	if loops[d] == 1 {
		g.outerLoops(n, loops, d+1, append(slices.Clone(at_), at("0")))
		return
	}
	g.loop("0", itoa(loops[d]), 1, func(i string) {
		g.scoped(func() {
			n.outer[i] = true
			g.outerLoops(n, loops, d+1, append(slices.Clone(at_), at(i)))
		})
	})
}

// innerLoop writes the loop over vectors: first one without masks as far as all bounds allow, then one with masks.
func (g *gen) innerLoop(n *nest, loops []int64, outer []index) {
	size := int64(1)
	for _, s := range loops[n.split:] {
		size *= s
	}
	if n.along >= 0 {
		g.alongLoop(n, loops, outer, size)
		return
	}
	g.startReductions(n)
	step := int64(n.lanes)
	if size == step { // no loop
		n.iv = "0"
		n.full = false
		g.body(n, loops, outer, "0", 0)
		g.finishReductions(n, outer)
		return
	}
	// The loop with masks is written first, to learn the bounds.
	from, to := g.temp(), g.temp()
	n.full = false
	masked := g.capture(func() {
		g.loop(from, to, step, func(i string) {
			n.iv = i
			g.body(n, loops, outer, i, 0)
		})
	})
	limit := g.limit(n, size)
	wide := step * int64(n.unroll)
	end := g.op("and i64 %s, %d", limit, -wide)
	if limit == itoa(size) && size%wide == 0 {
		end = limit
	}
	n.full = true
	g.loop("0", end, wide, func(i string) {
		for u := range n.unroll {
			n.iv = i
			if u > 0 {
				n.iv = g.op("add i64 %s, %d", i, int64(u)*step)
			}
			g.body(n, loops, outer, n.iv, u)
		}
	})
	n.full = false
	if end != itoa(size) {
		g.joinReductions(n)
		g.text.WriteString("  " + from + " = add i64 " + end + ", 0\n  " + to + " = add i64 " + g.upper(n, size) + ", 0\n")
		g.text.WriteString(masked)
	} else {
		g.joinReductions(n)
	}
	g.finishReductions(n, outer)
}

// limit is how far the inner loop can go without masks.
func (g *gen) limit(n *nest, size int64) string {
	limit := itoa(size)
	for _, b := range n.bounds {
		if b.iv == "" {
			to := b.n
			if b.lo != "0" {
				to = g.op("select i1 %s, i64 %s, i64 0", g.op("icmp eq i64 %s, 0", b.lo), b.n)
			}
			limit = g.min(limit, to)
		}
	}
	for _, b := range n.bounds {
		if b.iv != "" {
			in := g.op("icmp ult i64 %s, %s", g.sub(b.iv, b.lo), b.n)
			limit = g.op("select i1 %s, i64 %s, i64 0", in, limit)
		}
	}
	return limit
}

// upper is where the inner loop ends: where the last store does, if there is nothing else to do.
func (g *gen) upper(n *nest, size int64) string {
	upper := ""
	for _, r := range n.roots {
		if r.kind != toMemory || r.slice == nil || n.split != len(n.shape)-1 {
			return itoa(size)
		}
		last := len(r.slice.kept) - 1
		if last < 0 {
			return itoa(size)
		}
		d := r.slice.kept[last]
		end := g.add(g.entry(r.slice.offs[d]), g.entry(r.slice.sizes[d]))
		if upper == "" {
			upper = end
		} else {
			upper = g.op("select i1 %s, i64 %s, i64 %s", g.op("icmp sgt i64 %s, %s", upper, end), upper, end)
		}
	}
	return upper
}

// alongLoop writes a loop over vectors of the dimensions that a reduction leaves, and in it the loop along the one it reduces.
func (g *gen) alongLoop(n *nest, loops []int64, outer []index, size int64) {
	run := func(i string) {
		g.startReductions(n)
		inner := g.vectorIndex(n, loops, outer, i)
		g.loop("0", itoa(n.shape[n.along]), 1, func(k string) {
			n.iv = i
			n.outer[k] = true
			idx := slices.Insert(slices.Clone(inner), n.along, at(k))
			g.roots(n, idx, 0)
		})
		g.finishVectors(n, inner)
	}
	n.full = false
	if size == int64(n.lanes) {
		g.lanes = n.lanes
		run("0")
		g.lanes = 1
		return
	}
	g.loop("0", itoa(size), int64(n.lanes), func(i string) {
		g.scoped(func() {
			g.lanes = n.lanes
			run(i)
			g.lanes = 1
		})
	})
}

// vectorIndex is where the lanes of the vector at i of the inner loop are.
func (g *gen) vectorIndex(n *nest, loops []int64, outer []index, i string) []index {
	x := index{base: i, align: int64(n.lanes)}
	if i == "0" {
		x.align = 1 << 40
	}
	if n.lanes > 1 {
		x.lanes = counting(n.lanes)
	}
	return append(slices.Clone(outer), g.unravel(x, loops[n.split:])...)
}

// body writes what is done for one vector; u says which accumulators it adds to.
func (g *gen) body(n *nest, loops []int64, outer []index, i string, u int) {
	g.lanes = n.lanes
	g.roots(n, g.vectorIndex(n, loops, outer, i), u)
	g.lanes = 1
}

// roots computes all values before it stores any: what is stored may lie where another root loads.
func (g *gen) roots(n *nest, idx []index, u int) {
	g.push()
	g.memo, g.splats = map[memoKey]val{}, map[string]string{}
	var effects []func()
	for _, r := range n.roots {
		effects = append(effects, g.rootValue(r, idx, u))
	}
	for _, f := range effects {
		f()
	}
	g.memo, g.splats = nil, nil
	g.pop()
}

// rootValue computes a root and returns what is to be done with it.
func (g *gen) rootValue(r *root, idx []index, u int) func() {
	if r.kind == toReduce {
		return g.accumulate(r, idx, u)
	}
	at_ := idx
	if r.kind == toMemory && r.slice != nil {
		at_ = g.sliceIndex(r, idx)
	}
	v := g.elem(r.v, at_)
	if r.kind == toBuffer {
		w := r.into
		if w == nil {
			w = g.lookupView(r.v)
		}
		return func() { g.store(w, idx, v, nil) }
	}
	w := g.viewOf(r.dest)
	var mask *val
	if r.slice != nil {
		w, mask = g.sliceView(r, w, idx)
	}
	return func() {
		defer g.writing(r.op)()
		g.store(w, idx, v, mask)
	}
}

// sliceIndex is the index into the whole tensor of which a part is stored: the loops are over the dimensions that are left, in the
// whole's own terms.
func (g *gen) sliceIndex(r *root, idx []index) []index {
	out := make([]index, len(r.slice.offs))
	for d, e := range r.slice.offs {
		out[d] = at(g.entry(e))
	}
	for i, d := range r.slice.kept {
		out[d] = idx[i]
	}
	return out
}

// sliceView is the view in terms of the whole tensor, and the mask of the part.
func (g *gen) sliceView(r *root, w *view, idx []index) (*view, *val) {
	var lo []indexlist.Entry
	var mask *val
	for i, d := range r.slice.kept {
		off, size := r.slice.offs[d], r.slice.sizes[d]
		lo = append(lo, off)
		if off.IsConst(0) && size.IsConst(r.shape[i]) {
			continue
		}
		o, s := g.entry(off), g.entry(size)
		if !g.nest.covered(idx[i], o, s, size.Value) {
			mask = g.both(mask, g.within(idx[i], o, s))
		}
	}
	return g.whole(w, lo), mask
}
