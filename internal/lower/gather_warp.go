package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/rules"
)

// warpGather is a gather that takes all elements of a warp from the warp itself. The lane and the register
// that hold an element are linear in its coordinates: one part comes from the place of the index, the other
// from the value of the index.
type warpGather struct {
	l *lowering
	// maps the place of an index to the lane and register of the source's element 0 along the axis
	place layout.Layout
	lanes []int // which lane each bit of an index leads to
	regs  []int // and which register
}

// newWarpGather returns how op gathers within warps. It fails if elements come from other warps, or if the
// way through shared memory is shorter.
func (l *lowering) newWarpGather(op *ir.Op) (g warpGather, ok bool) {
	from, to := l.layout(op, op.Operand(0).Type), l.layout(op, op.Operand(1).Type)
	axis := int(op.IntOr("axis", 0))
	inv := from.PseudoInvert()
	g.l = l
	for i := range inv.InBits(layout.TensorDim(axis)) {
		at := placeOf(inv, inv.Basis(layout.TensorDim(axis), i))
		if at.warp != 0 {
			return g, false
		}
		g.lanes, g.regs = append(g.lanes, at.lane), append(g.regs, at.reg)
	}
	if g.place, ok = placeBesideAxis(from, to, inv, axis); !ok {
		return g, false
	}
	results, sources := to.InSize(layout.Register), from.InSize(layout.Register)
	more := results*len(g.candidates(0)) - 2*(results+sources)
	return g, rules.Holds(l.rules, rules.GatherExchanges, more)
}

// threadPlace is a register of a thread.
type threadPlace struct{ reg, lane, warp int }

// placeOf reads a place off the outputs of inv.
func placeOf(inv layout.Layout, out []int) (p threadPlace) {
	for i, name := range inv.OutNames() {
		switch name {
		case layout.Register:
			p.reg = out[i]
		case layout.Lane:
			p.lane = out[i]
		case layout.Warp:
			p.warp = out[i]
		}
	}
	return p
}

// placeBesideAxis maps places of to to the registers and lanes of from that hold the element with the same
// coordinates, the one along the axis being 0. It fails if that element lies in another warp. inv inverts
// from.
func placeBesideAxis(from, to, inv layout.Layout, axis int) (layout.Layout, bool) {
	beside := func(coords []int) []int {
		coords[axis] = 0
		return coords
	}
	var ins []layout.Bases
	for _, in := range []string{layout.Register, layout.Lane, layout.Warp} {
		b := layout.Bases{Name: in}
		for i := range to.InBits(in) {
			coords := beside(to.Basis(in, i))
			if in == layout.Warp { // the own warp holds it if both layouts spread warps alike
				if !sameCoords(from, i, coords) {
					return layout.Layout{}, false
				}
				b.Vectors = append(b.Vectors, []int{0, 0})
				continue
			}
			at := placeOf(inv, inv.Apply(coords...))
			if at.warp != 0 {
				return layout.Layout{}, false
			}
			b.Vectors = append(b.Vectors, []int{at.reg, at.lane})
		}
		ins = append(ins, b)
	}
	outs := []layout.Dim{{Name: layout.Register, Size: from.InSize(layout.Register)},
		{Name: layout.Lane, Size: from.InSize(layout.Lane)}}
	ll, err := layout.New(ins, outs)
	return ll, err == nil
}

// sameCoords reports whether bit i of the warp's number leads to coords.
func sameCoords(from layout.Layout, i int, coords []int) bool {
	if i >= from.InBits(layout.Warp) {
		return false
	}
	for d, c := range from.Basis(layout.Warp, i) {
		if c != coords[d] {
			return false
		}
	}
	return true
}

// candidates returns the registers in which the element for index register r may lie, whatever the lane and
// the index.
func (g warpGather) candidates(r int) []int {
	first := 0
	for i := range g.place.InBits(layout.Register) {
		if r>>i&1 != 0 {
			first ^= g.place.BasisAlong(layout.Register, i, layout.Register)
		}
	}
	images := g.regs
	for i := range g.place.InBits(layout.Lane) {
		images = append(images[:len(images):len(images)], g.place.BasisAlong(layout.Lane, i, layout.Register))
	}
	out, seen := []int{first}, map[int]bool{first: true}
	for _, b := range images {
		for _, x := range out {
			if y := x ^ b; !seen[y] {
				seen[y] = true
				out = append(out, y)
			}
		}
	}
	return out
}

// fetch is what the index registers that lead to one lane need: registers of the source, and whose they are.
type fetch struct {
	lane, at string
	sources  []int
	users    []int
}

// fetches groups the index registers by the lane that they lead to.
func (g warpGather) fetches(op *ir.Op) (out []*fetch) {
	type key struct {
		index string
		lane  int
	}
	known := map[key]*fetch{}
	for r, v := range g.l.regs(op.Operand(1)) {
		k := key{v, g.place.Apply(r, 0, 0)[1]}
		f := known[k]
		if f == nil {
			at := g.l.toI32(v, ir.ElemOf(op.Operand(1).Type))
			f = &fetch{at: at, lane: g.l.image(g.l.coordinate(g.place, r, layout.Lane), at, g.lanes)}
			known[k] = f
			out = append(out, f)
		}
		f.users = append(f.users, r)
		for _, c := range g.candidates(r) {
			if !slices.Contains(f.sources, c) {
				f.sources = append(f.sources, c)
			}
		}
	}
	return out
}

// lower emits the exchange. Lanes that need different registers of their sources exchange all of them and
// select.
func (g warpGather) lower(op *ir.Op) []string {
	l, src := g.l, g.l.regs(op.Operand(0))
	elem := ir.ElemOf(op.Operand(0).Type)
	out := make([]string, len(l.regs(op.Operand(1))))
	for _, f := range g.fetches(op) {
		slices.Sort(f.sources)
		regs := make([]string, len(f.sources))
		for i, c := range f.sources {
			regs[i] = src[c]
		}
		got := map[int]string{}
		for i, v := range l.shuffleAll(regs, elem, f.lane) {
			got[f.sources[i]] = v
		}
		for _, r := range f.users {
			out[r] = g.choose(r, f.at, got, llvmType(elem))
		}
	}
	return out
}

// choose returns the register for index register r, whose index is at, among those that were fetched.
func (g warpGather) choose(r int, at string, got map[int]string, typ string) string {
	candidates := g.candidates(r)
	v := got[candidates[0]]
	if len(candidates) == 1 {
		return v
	}
	l := g.l
	reg := l.image(l.coordinate(g.place, r, layout.Register), at, g.regs)
	for _, c := range candidates[1:] {
		is := l.val("icmp eq i32 %s, %d", reg, c)
		v = l.val("select i1 %[1]s, %[2]s %[3]s, %[2]s %[4]s", is, typ, got[c], v)
	}
	return v
}

// image adds the image of x under a linear map to start. images has the image of each bit.
func (l *lowering) image(start, x string, images []int) string {
	for _, field := range l.fieldsOf(x, images) {
		start = l.xor(start, field)
	}
	return start
}
