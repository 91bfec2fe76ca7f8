package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/ir"
)

// rootKind says why elements of a tensor are computed.
type rootKind int

const (
	toMemory rootKind = iota // they are stored
	toBuffer                 // several formulas read them
	toReduce                 // they are combined along a dimension
)

// root is the end of formulas: it makes a loop nest necessary.
type root struct {
	kind  rootKind
	op    *ir.Op
	v     *ir.Value   // the computed tensor; of a reduction, the first input
	shape []int64     // shape of the loops
	red   *reduction  // for toReduce
	slice *slice      // for toMemory: the part of v that is stored, nil for all
	dest  *ir.Value   // for toMemory: the view
	into  *view       // for toBuffer: the buffer, if it is not the tensor's own
	deps  *dependence // see plan.go
	pos   int
}

// nest is a loop nest that computes roots of one shape together: outer loops over single dimensions, and an
// inner loop over vectors. With along >= 0 a loop over that dimension is innermost, and the vectors are of
// the other dimensions.
type nest struct {
	roots  []*root
	shape  []int64
	along  int // dimension of a reduction that is looped over inside; -1 for none
	split  int // dimensions before this one have loops of their own
	lanes  int
	unroll int

	streams bool // long rows go from memory to memory, so memory is prefetched

	iv     string          // counter of the inner loop, while it is written
	outer  map[string]bool // counters of the other loops
	full   bool            // all lanes are inside all bounds
	bounds []bound         // bounds found in the masked loop

	depth  int                     // scopes around the nest
	counts map[[2]*ir.Value]string // see countBelow
	before string                  // code that computes them
}

// bound is the part of a dimension that a load or store is limited to.
type bound struct {
	iv    string // counter of an outer loop; "" for the inner one
	lo, n string
	of    *ir.Value // n as a value of the middle layer
}

// covered reports whether an index is known to be inside [lo, lo+n) because n.full is set. Otherwise it
// records the bound, so that the loop without masks can be limited to it.
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

// loopOf returns the counter of the loop whose index x is: "" for the inner one.
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
	defer g.lining(n.roots[0].op)()
	g.push()
	defer g.pop()
	n.outer = map[string]bool{}
	n.iv = ""
	n.bounds = nil
	n.depth, n.counts, n.before = len(g.scopes)-1, map[[2]*ir.Value]string{}, ""
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

// outerLoops writes loops over the dimensions that have loops of their own, with the inner loop in them.
func (g *gen) outerLoops(n *nest, loops []int64, d int, at_ []index) {
	if d == n.split {
		g.innerLoop(n, loops, at_)
		return
	}
	if d == 0 && n.split > 2 { // a single loop over all of them
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

// innerLoop writes the loop over vectors: first without masks as far as all bounds allow, then with masks.
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
	if size == step { // a single vector needs no loop
		n.iv = "0"
		n.full = false
		g.body(n, loops, outer, "0", 0)
		g.finishReductions(n, outer)
		return
	}
	// The masked loop is written first, to find the bounds.
	from, to := g.temp(), g.temp()
	n.full = false
	masked := g.capture(func() {
		g.loop(from, to, step, func(i string) {
			n.iv = i
			g.body(n, loops, outer, i, 0)
		})
	})
	g.text.WriteString(n.before)
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
		g.text.WriteString("  " + from + " = add i64 " + end + ", 0\n  " + to + " = add i64 " +
			g.upper(n, size) + ", 0\n")
		g.text.WriteString(masked)
	} else {
		g.joinReductions(n)
	}
	g.finishReductions(n, outer)
}

// limit returns the end of the loop without masks.
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

// upper returns the end of the inner loop: that of the last store if there is nothing else to do.
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

// alongLoop writes a loop over vectors of the dimensions that a reduction leaves, with the loop along the
// reduced dimension in it.
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

// vectorIndex returns the indices of the lanes of the vector at i of the inner loop.
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

// body writes the work for one vector; u selects the accumulators.
func (g *gen) body(n *nest, loops []int64, outer []index, i string, u int) {
	g.lanes = n.lanes
	g.roots(n, g.vectorIndex(n, loops, outer, i), u)
	g.lanes = 1
}

// roots computes all values before it stores any: another root may load from where one stores.
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

// rootValue computes a root and returns a function that stores or accumulates it.
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

// sliceIndex returns the index into the whole tensor of which a part is stored. The loops run over the kept
// dimensions, by the indices of the whole.
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

// sliceView returns the view indexed as the whole tensor, and the mask of the part.
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
