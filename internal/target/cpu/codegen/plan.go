package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// planner decides, for a block, which tensors are formulas and which are buffers, and which roots share a
// nest.
//
// It starts with the buffers that are unavoidable, makes nests, and looks for problems: a load whose memory a
// store may change before it is read, a formula that would be computed in two nests. These become buffers
// too, and it starts again until nothing changes.
type planner struct {
	g      *gen
	b      *ir.Block
	pos    map[*ir.Op]int
	ops    []*ir.Op
	last   []*root            // roots that the terminator needs
	skip   map[*ir.Op]bool    // operations absorbed by loads
	forced map[*ir.Value]bool // tensors of this block that become buffers
	events []event            // accesses to memory, in order
	start  map[*ir.Value]int  // position from which each value exists
	nests  []*nest
	at     map[*nest]int // position of a nest
}

// event is an operation, other than a root, that accesses memory.
type event struct {
	pos          int
	reads, write bool
}

// dependence lists what a root needs.
type dependence struct {
	same    map[*ir.Value]bool // tensors read at the computed index
	apart   map[*ir.Value]bool // tensors read elsewhere
	loads   []*ir.Op
	moved   map[*ir.Op]bool // loads that are read elsewhere
	need    int             // position behind which everything exists
	regions bool
	size    int64 // size of the largest element
	cost    int
}

func newDependence() *dependence {
	return &dependence{same: map[*ir.Value]bool{}, apart: map[*ir.Value]bool{}, moved: map[*ir.Op]bool{},
		need: -1}
}

func (g *gen) plan(b *ir.Block, last []*root) *planner {
	p := &planner{g: g, b: b, pos: map[*ir.Op]int{}, last: last, skip: map[*ir.Op]bool{},
		forced: map[*ir.Value]bool{}}
	for op := range b.Ops() {
		p.pos[op] = len(p.ops)
		p.ops = append(p.ops, op)
	}
	for _, r := range last {
		r.pos = len(p.ops)
	}
	for _, op := range p.ops {
		if op.Def == bufferization.ToTensor {
			if l := g.loadOf(op); l != nil {
				for _, o := range l.absorb {
					p.skip[o] = true
				}
			}
		}
	}
	p.findWraps()
	for _, op := range p.ops {
		p.event(op)
		p.force(op)
	}
	for range len(p.ops) + 2 { // each round makes a buffer of at least one tensor
		p.cluster()
		if !p.improve() {
			break
		}
	}
	return p
}

// touches reports whether an operation reads or writes memory that is not scratch.
func touches(op *ir.Op) (reads, writes bool) {
	switch op.Def {
	case memref.Load:
		return !isScratch(op.Operand(0)), false
	case memref.Store:
		return false, !isScratch(op.Operand(1))
	case memref.Copy:
		return !isScratch(op.Operand(0)), !isScratch(op.Operand(1))
	case memref.AtomicRMW, memref.GenericAtomicRMW, cf.Assert:
		return true, true
	case bufferization.MaterializeInDestination:
		return false, !isScratch(op.Operand(1))
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				x, y := touches(o)
				reads, writes = reads || x, writes || y
			}
		}
	}
	return reads, writes
}

// isScratch reports whether a view is of a buffer that the kernel made.
func isScratch(v *ir.Value) bool {
	for op := v.Def(); op != nil; op = v.Def() {
		if op.Def == memref.Alloc || op.Def == memref.GetGlobal {
			return true
		}
		if op.Def != memref.SubView && op.Def != memref.ReinterpretCast && op.Def != memref.Cast {
			return false
		}
		v = op.Operand(0)
	}
	return false
}

func (p *planner) event(op *ir.Op) {
	if p.skip[op] || p.isStore(op) {
		return
	}
	r, w := touches(op)
	if op.Def == tensor.Extract || isControl(op) || isProduct(op) {
		r = true // they may compute formulas of this block that contain loads
	}
	if r || w {
		p.events = append(p.events, event{p.pos[op], r, w})
	}
}

func (p *planner) isStore(op *ir.Op) bool {
	return op.Def == bufferization.MaterializeInDestination && !p.skip[op]
}

// force finds the tensors that must be buffers because of their users.
func (p *planner) force(op *ir.Op) {
	for _, v := range op.Results() {
		if _, ok := v.Type.(*ir.TensorType); !ok || !p.g.isFormula(v) || isPart(v) {
			continue
		}
		for u := range v.Uses() {
			if p.needsBuffer(v, u) || p.neededThrough(v, u.Owner()) {
				p.forced[v] = true
			}
		}
	}
}

// isPart reports whether a tensor is a part whose size is known only at run time. It is never a buffer: a
// store of it computes the whole.
func isPart(v *ir.Value) bool {
	return v.DefBy(tensor.ExtractSlice) != nil && slices.Contains(ir.ShapeOf(v.Type), ir.Dynamic)
}

// neededThrough reports whether a tensor must be a buffer because of a slice of it that is used in an inner
// block: a store of a part, and a reduction that begins with the first plane, compute the whole tensor there
// (storeRoot, reduction.wholes).
func (p *planner) neededThrough(v *ir.Value, slice *ir.Op) bool {
	if slice.Def != tensor.ExtractSlice || slice.Block() != p.b {
		return false
	}
	for u := range slice.Result(0).Uses() {
		switch user := u.Owner(); {
		case user.Def == tensor.ExtractSlice && p.neededThrough(v, user):
			return true
		case user.Block() == p.b:
		case user.Def == bufferization.MaterializeInDestination || user.Def == linalg.Reduce:
			if p.needsBuffer(v, u) {
				return true
			}
		}
	}
	return false
}

func (p *planner) needsBuffer(v *ir.Value, u *ir.Use) bool {
	user := u.Owner()
	switch user.Def {
	case linalg.Matmul, linalg.BatchMatmul:
		if u.Index() < 2 && (!p.g.direct(v) || p.written(v, user)) {
			return true
		}
		if u.Index() < 2 {
			return false
		}
	case tensor.Extract:
		if user.Block() == p.b {
			d := p.weigh(v)
			return d.cost > 24 || p.changed(d, user)
		}
		return !p.trivial(v)
	case linalg.Reduce:
		if r := reductionOf(user); r == nil {
			return true
		}
	}
	if user.Block() == p.b {
		// Initial values of loops and products are computed where those are written, which may be behind
		// stores that follow the load.
		return (isControl(user) || user.Def == linalg.Matmul || user.Def == linalg.BatchMatmul) &&
			len(p.weigh(v).loads) > 0
	}
	// A use inside a loop would compute the formula in each round.
	if p.inLoop(user) {
		return !p.trivial(v)
	}
	d := p.weigh(v)
	return d.cost > 8 || p.changed(d, user)
}

// changed reports whether memory may change between a formula's loads and a use of it, or inside the
// operation of this block that contains the use.
func (p *planner) changed(d *dependence, user *ir.Op) bool {
	to := p.pos[p.outermost(user)]
	for _, l := range d.loads {
		if l.Block() != p.b {
			continue
		}
		for i := p.pos[p.g.loadOf(l).copy] + 1; i <= to; i++ {
			if _, w := touches(p.ops[i]); w && !p.skip[p.ops[i]] {
				return true
			}
		}
	}
	return false
}

// written reports whether memory may change between the load of a matrix and the product that reads it.
func (p *planner) written(v *ir.Value, product *ir.Op) bool {
	d := p.weigh(v)
	return len(d.loads) != 1 || d.loads[0].Block() != p.b || p.changed(d, product)
}

// trivial reports whether a tensor costs almost nothing to compute again.
func (p *planner) trivial(v *ir.Value) bool {
	d := p.weigh(v)
	return len(d.loads) == 0 && d.cost <= 3
}

// inLoop reports whether an operation is in a loop inside the block.
func (p *planner) inLoop(op *ir.Op) bool {
	for b := op.Block(); b != p.b && b != nil && b.Parent() != nil; b = b.Parent().Block() {
		if d := b.Parent().Def; d == scf.For || d == scf.While {
			return true
		}
	}
	return false
}

// outermost returns the operation of the block that contains op.
func (p *planner) outermost(op *ir.Op) *ir.Op {
	for op.Block() != p.b && op.Block() != nil && op.Block().Parent() != nil {
		op = op.Block().Parent()
	}
	return op
}

// weigh returns the needs of a tensor's formula.
func (p *planner) weigh(v *ir.Value) *dependence {
	d := newDependence()
	w := walker{p: p, d: d, seen: map[*ir.Value]sight{}, top: v}
	w.tensor(v, true)
	return d
}

// cluster makes roots and distributes them over nests.
func (p *planner) cluster() {
	p.nests, p.start, p.at = nil, map[*ir.Value]int{}, map[*nest]int{}
	for _, op := range p.ops {
		for _, r := range p.rootsOf(op) {
			r.pos = p.pos[op]
			p.place(r)
		}
	}
	for _, r := range p.last {
		p.place(r)
	}
}

// rootsOf returns the roots of an operation.
func (p *planner) rootsOf(op *ir.Op) []*root {
	if p.skip[op] && op.Def != bufferization.ToTensor {
		return nil
	}
	var out []*root
	for _, v := range op.Results() {
		if p.forced[v] {
			out = append(out, &root{kind: toBuffer, op: op, v: v, shape: ir.ShapeOf(v.Type)})
		}
	}
	switch {
	case p.isStore(op):
		out = append(out, storeRoot(op))
	case op.Def == linalg.Reduce:
		if r := reductionOf(op); r != nil {
			out = append(out, &root{kind: toReduce, op: op, v: r.ins[0], shape: r.shape(), red: r})
		}
	}
	return out
}

// storeRoot returns the root of a store. The loops for a part run over the whole tensor, without the
// dimensions that the part leaves out.
func storeRoot(op *ir.Op) *root {
	r := &root{kind: toMemory, op: op, v: op.Operand(0), shape: ir.ShapeOf(op.Operand(0).Type),
		dest: op.Operand(1)}
	if s := r.v.DefBy(tensor.ExtractSlice); s != nil && slices.Contains(r.shape, ir.Dynamic) {
		part := sliceOf(s, 1, r.v.Type)
		r.slice, r.v = &part, s.Operand(0)
		whole := ir.ShapeOf(r.v.Type)
		r.shape = nil
		for _, d := range part.kept {
			r.shape = append(r.shape, whole[d])
		}
	}
	return r
}

// place adds a root to a nest that it can share, or to a new one.
func (p *planner) place(r *root) {
	r.deps = p.depends(r)
	for i := len(p.nests) - 1; i >= 0 && i >= len(p.nests)-4; i-- {
		n := p.nests[i]
		if p.canJoin(n, r) {
			n.roots = append(n.roots, r)
			p.results(r, p.at[n])
			return
		}
	}
	n := &nest{roots: []*root{r}, shape: r.shape, along: -1}
	if r.red != nil {
		n.along = alongOf(r.red)
	}
	p.nests = append(p.nests, n)
	p.at[n] = r.pos
	p.results(r, r.pos)
}

// alongOf returns the dimension of a reduction that is looped over inside, or -1 for a reduction along the
// last dimension that is long enough for vectors, which are combined at the end.
func alongOf(r *reduction) int {
	s := r.shape()
	if r.dim == len(s)-1 && s[r.dim] >= 8 {
		return -1
	}
	return r.dim
}

// results records the position from which a root's results exist.
func (p *planner) results(r *root, at int) {
	switch {
	case r.kind == toBuffer && r.into == nil:
		p.start[r.v] = at
	case r.kind == toReduce:
		for _, v := range r.op.Results() {
			p.start[v] = at
		}
	}
}

// depends returns the needs of a root. With dependsOn, capture is called for each scalar and view.
func (p *planner) depends(r *root) *dependence { return p.dependsOn(r, nil) }

func (p *planner) dependsOn(r *root, capture func(v *ir.Value)) *dependence {
	d := newDependence()
	w := walker{p: p, d: d, seen: map[*ir.Value]sight{}, capture: capture}
	if r.kind == toBuffer && r.into == nil {
		w.top = r.v
	}
	switch {
	case r.red != nil:
		for _, v := range r.red.ins {
			w.tensor(v, true)
		}
		for _, v := range r.red.inits {
			w.tensor(v, false)
		}
		w.region(r.red.region)
	case r.slice != nil:
		w.tensor(r.v, len(r.slice.kept) == len(r.slice.offs))
		for _, e := range slices.Concat(r.slice.offs, r.slice.sizes) {
			if e.Value != nil {
				w.captured(e.Value)
			}
		}
	default:
		w.tensor(r.v, true)
	}
	if r.dest != nil {
		w.captured(r.dest)
	}
	return d
}

// maxRoots bounds the size of a loop's body.
const maxRoots = 6

// canJoin reports whether a root can be computed in a nest, which may be before its own position.
func (p *planner) canJoin(n *nest, r *root) bool {
	at := p.at[n]
	// the terminator's buffers may still be read before the end of the block
	if r.into != nil && at < len(p.ops) {
		return false
	}
	if len(n.roots) >= maxRoots || !slices.Equal(n.shape, r.shape) || r.red != nil &&
		alongOf(r.red) != n.along || n.roots[0].deps.regions != r.deps.regions {
		return false
	}
	made := map[*ir.Value]bool{} // buffers that this nest fills
	for _, m := range n.roots {
		if m.kind == toBuffer && m.into == nil {
			made[m.v] = true
		}
		if m.red != nil {
			for _, v := range m.op.Results() {
				if r.deps.same[v] || r.deps.apart[v] {
					return false
				}
			}
		}
	}
	for v := range r.deps.apart {
		if made[v] {
			return false
		}
	}
	if !p.readyAt(r, at, made) {
		return false
	}
	return p.memoryAllows(n, r, at)
}

// readyAt reports whether all needs of a root exist before a position, except those that the nest computes
// itself.
func (p *planner) readyAt(r *root, at int, made map[*ir.Value]bool) bool {
	if r.deps.need < at {
		return true
	}
	// Needs at the position itself must be buffers of the nest.
	saved := map[*ir.Value]int{}
	for v := range made {
		if s, ok := p.start[v]; ok {
			saved[v] = s
			p.start[v] = -1
		}
	}
	d := p.depends(r)
	for v, s := range saved {
		p.start[v] = s
	}
	return d.need < at
}

// memoryAllows reports whether a root may access memory at the position of the nest.
func (p *planner) memoryAllows(n *nest, r *root, at int) bool {
	reads, writes := len(r.deps.loads) > 0, r.kind == toMemory
	if writes && isScratch(r.dest) {
		return false
	}
	for _, e := range p.events {
		if e.pos >= at && e.pos < r.pos && (writes || reads && e.write) {
			return false
		}
	}
	for _, m := range p.nests {
		if m == n {
			continue
		}
		for _, x := range m.roots {
			between := p.at[m] > at && p.at[m] < r.pos
			if between && (x.kind == toMemory && (reads || writes) || writes && len(x.deps.loads) > 0) {
				return false
			}
		}
	}
	for _, x := range n.roots {
		if x.kind == toMemory {
			for _, l := range r.deps.loads {
				if p.pos[p.g.loadOf(l).copy] > x.pos || p.conflict(l, r, x) {
					return false
				}
			}
			if writes && !p.ordered(storePlace(x), storePlace(r)) {
				return false
			}
		}
		if writes {
			for _, l := range x.deps.loads {
				if p.conflict(l, x, r) {
					return false
				}
			}
		}
	}
	return true
}

// improve turns formulas into buffers where that is better and reports whether it found any.
func (p *planner) improve() bool {
	changed := false
	mark := func(v *ir.Value) {
		if v.Def() != nil && v.Def().Block() == p.b && p.g.isFormula(v) && !p.forced[v] {
			p.forced[v], changed = true, true
		}
	}
	uses := map[*ir.Value]map[*nest]bool{}
	for _, n := range p.nests {
		for _, r := range n.roots {
			for _, l := range r.deps.loads {
				if p.stale(l, n, r) {
					mark(l.Result(0))
				}
			}
			p.visit(r, func(v *ir.Value, same bool) {
				if uses[v] == nil {
					uses[v] = map[*nest]bool{}
				}
				uses[v][n] = true
				if !same && v.Def() != nil && v.Def().Block() == p.b && p.repeated(v, r) {
					mark(v)
				}
			})
		}
	}
	for _, op := range p.ops { // in order, so that the result is deterministic
		if isProduct(op) && !p.skip[op] {
			p.startOf(op, mark)
		}
		for _, v := range op.Results() {
			if len(uses[v]) > 1 && p.g.isFormula(v) && !p.forced[v] && p.weigh(v).cost >= 10 {
				mark(v)
			}
		}
	}
	return changed
}

// startOf marks the tensors that would be computed many times to fill the buffer of a product.
func (p *planner) startOf(product *ir.Op, mark func(v *ir.Value)) {
	init := product.Operand(2)
	r := &root{kind: toBuffer, v: init, shape: ir.ShapeOf(init.Type)}
	p.visit(r, func(v *ir.Value, same bool) {
		if !same && v.Def() != nil && v.Def().Block() == p.b && p.repeated(v, r) {
			mark(v)
		}
	})
}

// visit calls f for each tensor that a root computes or reads.
func (p *planner) visit(r *root, f func(v *ir.Value, same bool)) {
	w := walker{p: p, d: newDependence(), seen: map[*ir.Value]sight{}, visit: f}
	if r.kind == toBuffer && r.into == nil {
		w.top = r.v
	}
	if r.red != nil {
		for _, v := range r.red.ins {
			w.tensor(v, true)
		}
		return
	}
	w.tensor(r.v, true)
}

// repeated reports whether a tensor that is read at other indices than its own would be computed many times
// at some cost.
func (p *planner) repeated(v *ir.Value, r *root) bool {
	if !p.g.isFormula(v) {
		return false
	}
	d := p.weigh(v)
	n, m := int64(1), int64(1)
	for _, s := range r.shape {
		n *= s
	}
	for _, s := range ir.ShapeOf(v.Type) {
		m *= s
	}
	if n > m {
		return d.cost > 3 || d.cost > 0 && len(d.loads) == 0
	}
	return d.cost > 8 || len(d.loads) > 0 && d.cost > 2
}

// stale reports whether memory may change between a load and the nest that reads it, or inside the nest.
func (p *planner) stale(load *ir.Op, n *nest, r *root) bool {
	if load.Block() != p.b {
		return false
	}
	from, to := p.pos[p.g.loadOf(load).copy], p.at[n]
	for _, e := range p.events {
		if e.write && e.pos > from && e.pos < to {
			return true
		}
	}
	for _, m := range p.nests {
		for _, x := range m.roots {
			if x.kind != toMemory || isScratch(x.dest) {
				continue
			}
			if m == n && p.conflict(load, r, x) || m != n && p.at[m] > from && p.at[m] < to {
				return true
			}
			if m != n && p.at[m] == to && p.before(m, n) && to > from {
				return true
			}
		}
	}
	return false
}

// before reports whether nest a is written before nest b at the same position.
func (p *planner) before(a, b *nest) bool {
	return slices.Index(p.nests, a) < slices.Index(p.nests, b)
}

// shapeNest chooses the vectors and loops of a nest.
func (p *planner) shapeNest(n *nest) {
	size, cost, regions := int64(1), 0, false
	reduces := false
	for _, r := range n.roots {
		size = max(size, r.deps.size)
		cost += r.deps.cost
		regions = regions || r.deps.regions
		reduces = reduces || r.red != nil
	}
	loops := n.shape
	if n.along >= 0 {
		loops = slices.Delete(slices.Clone(n.shape), n.along, n.along+1)
	}
	want := max(1, int64(p.g.opts.VectorBytes)/max(size, 2))
	if regions {
		want = 1
	}
	n.split = max(0, len(loops)-1)
	inner := int64(1)
	if len(loops) > 0 {
		inner = loops[n.split]
	}
	for n.along < 0 && !reduces && inner < want && n.split > 0 || n.along >= 0 && inner < want &&
		n.split > 0 {
		n.split--
		inner *= loops[n.split]
	}
	lanes := int64(1)
	for lanes*2 <= want && inner%(lanes*2) == 0 {
		lanes *= 2
	}
	n.lanes = int(lanes)
	n.unroll = 1
	if reduces && n.along < 0 && cost <= 8 && p.neutral(n) && inner >= 8*lanes {
		n.unroll = 4
	}
	n.streams = !reduces && n.along < 0 && n.split == 0 && inner*size >= 2*ahead
}

// neutral reports whether all reductions of a nest can have several accumulators.
func (p *planner) neutral(n *nest) bool {
	for _, r := range n.roots {
		if r.red != nil && r.red.start == nil {
			return false
		}
	}
	return true
}
