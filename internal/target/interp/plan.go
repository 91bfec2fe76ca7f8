package interp

import (
	"cmp"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// planner decides, before a function is lowered, which operations run at all, which merely rename a value,
// which need to run only once for all programs, and which register each value gets. Values whose lives do not
// overlap share registers, so that a kernel's working set stays in the cache.
//
// Positions count operations in the order of the text, an operation with regions having one before and one
// after them; twice that, so that a result that may overwrite its operand is placed between two.
type planner struct {
	c             *compiler
	op            *ir.Op
	err           error
	invariantArgs bool // the arguments are the same for all programs

	live      map[*ir.Op]bool
	done      map[*ir.Op]bool // nothing to execute: constants and renamings
	hoisted   map[*ir.Op]bool // executed once for all programs
	pinned    map[*ir.Value]bool
	invariant map[*ir.Value]bool
	alias     map[*ir.Value]*ir.Value
	uni       map[*ir.Value]bool

	first, last map[*ir.Op]int
	pos         int
	spans       map[*ir.Value]*span
	hoistBytes  int
}

// span is the part of the code in which a value is needed.
type span struct {
	v          *ir.Value
	start, end int
	seq        int // order of definition
}

func newPlanner(c *compiler, op *ir.Op) *planner {
	return &planner{c: c, op: op, live: map[*ir.Op]bool{}, done: map[*ir.Op]bool{},
		hoisted: map[*ir.Op]bool{}, pinned: map[*ir.Value]bool{}, invariant: map[*ir.Value]bool{},
		alias: map[*ir.Value]*ir.Value{}, uni: map[*ir.Value]bool{}, first: map[*ir.Op]int{},
		last: map[*ir.Op]int{}, spans: map[*ir.Value]*span{}}
}

func (p *planner) run() {
	p.markLive()
	p.number(p.op)
	p.define(p.op)
	if p.err != nil {
		return
	}
	p.uses(p.op)
	p.assign()
}

func (p *planner) fail(op *ir.Op, err error) {
	if p.err == nil {
		p.err = errorAt(op, "%v", err)
	}
}

// ownRegion reports whether the regions of an op are compiled as functions of their own.
func ownRegion(op *ir.Op) bool { return regionOps[op.Def] }

// markLive finds the live operations: operations with effects, and their operands' definitions.
func (p *planner) markLive() {
	var work []*ir.Op
	need := func(op *ir.Op) {
		if op != nil && !p.live[op] {
			p.live[op] = true
			work = append(work, op)
		}
	}
	p.op.Walk(func(op *ir.Op) bool {
		pure := op.Effects() == 0 && !op.Def.Unregistered
		if op == p.op || p.c.traced || !op.Def.Has(ir.Terminator) && !pure {
			need(op)
		}
		return true
	})
	for len(work) > 0 {
		op := work[len(work)-1]
		work = work[:len(work)-1]
		if op != p.op { // what p.op itself takes is computed around it
			need(op.Parent())
			for _, v := range op.Operands() {
				need(v.Def())
			}
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				need(b.Terminator())
			}
		}
	}
}

// number gives the operations their positions.
func (p *planner) number(op *ir.Op) {
	p.first[op] = p.pos
	p.pos++
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				if p.live[o] {
					p.number(o)
				}
			}
		}
	}
	p.last[op] = p.pos
	if op.Regions() != nil {
		p.pos++
	}
}

// root returns the value whose register holds v.
func (p *planner) root(v *ir.Value) *ir.Value {
	for {
		r, ok := p.alias[v]
		if !ok {
			return v
		}
		v = r
	}
}

// define begins the spans of all values below op, or finds that a value is another's.
func (p *planner) define(op *ir.Op) {
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for _, a := range b.Args() {
				p.begin(a, 2*p.first[op])
				if op == p.op {
					p.pinned[a] = true
					p.invariant[a] = p.invariantArgs
				}
			}
			for o := range b.Ops() {
				if !p.live[o] {
					continue
				}
				if !ownRegion(o) {
					p.define(o)
				}
				p.results(o)
			}
		}
	}
}

func (p *planner) begin(v *ir.Value, at int) {
	p.spans[v] = &span{v, at, at, len(p.spans)}
}

// results begins the spans of an operation's results.
func (p *planner) results(op *ir.Op) {
	if p.carried(op) || p.renamed(op) {
		return
	}
	at := 2 * p.first[op]
	if op.Def.Has(ir.Elementwise) && len(op.Regions()) == 0 && op.NumResults() == 1 {
		at++ // element i of the result needs only elements i of the operands: it may take their place
	}
	fixed := p.constant(op) || p.hoist(op)
	for _, r := range op.Results() {
		p.uni[r] = p.uniform(r, op)
		p.pinned[r] = fixed
		p.invariant[r] = fixed
		p.begin(r, at)
	}
}

// carried joins the results of a loop to the values it carries, and the results of a wait to its
// operands: they live in the same registers.
func (p *planner) carried(op *ir.Op) bool {
	args := carriedArgs(op)
	if op.Def == ttng.WarpGroupDotWait {
		args = op.Operands()
		p.done[op] = true
	}
	if args == nil {
		return false
	}
	for i, r := range op.Results() {
		p.alias[r] = args[i]
		p.uni[r] = p.uni[args[i]]
		p.invariant[r] = p.invariant[args[i]]
	}
	return true
}

// renamed finds operations that only give a register another type.
func (p *planner) renamed(op *ir.Op) bool {
	same, ok := renames[op.Def]
	if !ok {
		return false
	}
	r := op.Result(0)
	src := op.Operand(0)
	from, err1 := layoutOf(src.Type)
	to, err2 := layoutOf(r.Type)
	if err1 != nil || err2 != nil {
		return false // begin reports it
	}
	uni := p.uni[src] || from.n == 1
	if !same(op, from, to, uni) {
		return false
	}
	p.done[op] = true
	p.alias[r] = src
	p.invariant[r] = p.invariant[src]
	p.uni[r] = uni && to.n > 1 || p.c.lanes && p.uni[src]
	return true
}

// constant finds operations without operands whose value is computed when a frame is made.
func (p *planner) constant(op *ir.Op) bool {
	init, ok := constants[op.Def]
	if !ok {
		return false
	}
	p.done[op] = true
	p.c.fn.inits = append(p.c.fn.inits, func(f *frame) { init(f, p.c.vals[op.Result(0)], op) })
	return true
}

// maxHoist bounds the memory of a frame that values kept for all programs take.
const maxHoist = 4 << 20

// hoist finds operations at the start of a kernel that no program changes: arithmetic on arguments and
// constants.
func (p *planner) hoist(op *ir.Op) bool {
	if p.c.traced {
		return false
	}
	if op.Block() != p.op.Body(0) || p.c.lanes || op.NumResults() != 1 || !hoistable(op) {
		return false
	}
	if op.Def == tt.GetNumPrograms && !p.invariantArgs { // frames of other functions outlive a run
		return false
	}
	for _, v := range op.Operands() {
		if !p.invariant[p.root(v)] {
			return false
		}
	}
	l, err := layoutOf(op.Result(0).Type)
	if err != nil || p.hoistBytes+l.n*l.kind.bytes() > maxHoist {
		return false
	}
	p.hoistBytes += l.n * l.kind.bytes()
	p.hoisted[op] = true
	return true
}

func hoistable(op *ir.Op) bool {
	return op.Def.Has(ir.Elementwise) && op.Effects() == 0 && len(op.Regions()) == 0 || hoistables[op.Def]
}

// uniform reports whether all elements of a result are known to be equal: then its register holds one. In a
// function over lanes, whether all lanes have the same value.
func (p *planner) uniform(v *ir.Value, op *ir.Op) bool {
	if l, err := layoutOf(v.Type); err != nil || l.n == 1 && !p.c.lanes || l.kind == kObj {
		return false
	}
	if op.Def.Has(ir.ConstantLike) {
		d, ok := op.Attr("value").(*ir.DenseAttr)
		return !ok || d.Splat
	}
	if op.NumOperands() == 0 || !op.Def.Has(ir.Elementwise) {
		return false
	}
	for _, o := range op.Operands() {
		l, _ := layoutOf(o.Type)
		if !p.uni[o] && (l.n > 1 || p.c.lanes) {
			return false
		}
	}
	return true
}

// uses ends the span of every value at its last use.
func (p *planner) uses(op *ir.Op) {
	for o := range op.Ops() {
		if o == p.op || !p.live[o] {
			continue
		}
		for _, v := range o.Operands() {
			if s := p.spans[p.root(v)]; s != nil {
				p.use(s, o)
			}
		}
	}
}

// use extends a span to an operation. A value used in a region below its own, which may be a loop, is needed
// until the region's end; a value used in another block of its own region, in the whole region.
func (p *planner) use(s *span, o *ir.Op) {
	home := s.v.Block()
	if loop := home.Parent(); s.v.IsArg() && loop != p.op {
		if o.IsInside(loop) {
			return // an argument lives as long as its op anyway
		}
		home = loop.Block() // it is the result of a loop that is used
	}
	for o.Block().Region() != home.Region() {
		if o = o.Parent(); o == nil || o.Block() == nil {
			return
		}
	}
	if o.Block() != home {
		parent := home.Parent()
		s.start, s.end = min(s.start, 2*p.first[parent]), max(s.end, 2*p.last[parent])
		return
	}
	end := 2 * p.first[o]
	if len(o.Regions()) > 0 {
		end = 2 * p.last[o]
	}
	s.end = max(s.end, end)
}

// assign gives every value its register.
func (p *planner) assign() {
	list := make([]*span, 0, len(p.spans))
	for v, s := range p.spans {
		if v.IsArg() { // what a loop carries is needed throughout
			s.end = max(s.end, 2*p.last[v.Block().Parent()])
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.seq, b.seq))
	})
	pool := registerPool{free: map[int][]reg{}}
	for _, s := range list {
		pool.expire(s.start)
		p.place(s, &pool)
	}
	for v := range p.alias {
		p.rename(v)
	}
}

func (p *planner) place(s *span, pool *registerPool) {
	l, err := layoutOf(s.v.Type)
	if err != nil {
		op := s.v.Def()
		if op == nil {
			op = s.v.Block().Parent()
		}
		p.fail(op, err)
		return
	}
	x := value{layout: l, uni: p.uni[s.v]}
	lanes := p.c.lanes && !x.uni
	switch {
	case l.kind == kObj || l.kind == kNone || p.pinned[s.v]:
		x.reg = p.c.newReg(l.kind, x.regLen(), lanes)
	default:
		x.reg = pool.take(p.c, l.kind, x.regLen(), lanes, s.end)
	}
	p.c.vals[s.v] = x
}

func (p *planner) rename(v *ir.Value) {
	l, err := layoutOf(v.Type)
	root := p.root(v)
	x := p.c.vals[root]
	if err != nil {
		return
	}
	p.c.vals[v] = value{layout: l, reg: x.reg, uni: x.uni && (l.n > 1 || p.c.lanes) || l.n > 1 &&
		x.regLen() == 1 && !p.c.lanes}
}

// registerPool lends registers out for as long as their values live. Registers are shared only among rows of
// the same number of elements of the same size.
type registerPool struct {
	free   map[int][]reg
	active []lease
}

type lease struct {
	reg reg
	key int
	end int
}

func (p *registerPool) take(c *compiler, k kind, n int, lanes bool, end int) reg {
	key := n*16 + k.bytes()
	if lanes {
		key = -key
	}
	if n == 1 && !lanes {
		key, k = 0, kI64 // scalars of all kinds
	}
	var r reg
	if f := p.free[key]; len(f) > 0 {
		r = f[len(f)-1]
		p.free[key] = f[:len(f)-1]
	} else {
		r = c.newReg(k, n, lanes)
	}
	p.active = append(p.active, lease{r, key, end})
	return r
}

// expire takes back the registers of values that are not needed at a position.
func (p *registerPool) expire(at int) {
	p.active = slices.DeleteFunc(p.active, func(l lease) bool {
		if l.end >= at {
			return false
		}
		p.free[l.key] = append(p.free[l.key], l.reg)
		return true
	})
}
