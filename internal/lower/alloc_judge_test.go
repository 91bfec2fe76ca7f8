package lower

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The judge of places in shared memory. It knows nothing of the numbers by which alloc.go reads lifetimes: it
// makes a graph of all paths through a function, computes which memory descriptors are alive at each
// operation, and wants the buffers behind them apart.

// pathNode is a place in a function: an operation, the beginning of a block, or the end of an operation with
// regions.
type pathNode struct {
	op   *ir.Op      // whose operands are used here; nil for the others
	defs []*ir.Value // defined here
	next []int
	live map[*ir.Value]bool // before the node
	busy map[*ir.Value]bool // read here by operations that have begun earlier
}

// paths is the graph of a function.
type paths struct {
	nodes []*pathNode
	at    map[*ir.Op]int // nodes of operations
	end   map[*ir.Op]int // where they have ended
	begin map[*ir.Block]int
	into  map[*ir.Value][]*ir.Value // what a value may be another name of
}

func pathsOf(fn *ir.Op) *paths {
	p := &paths{at: map[*ir.Op]int{}, end: map[*ir.Op]int{}, begin: map[*ir.Block]int{},
		into: map[*ir.Value][]*ir.Value{}}
	for op := range fn.Ops() {
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				p.begin[b] = p.add(&pathNode{defs: b.Args()})
			}
		}
		p.at[op] = p.add(&pathNode{op: op})
		p.end[op] = p.at[op]
		if op != fn && flows(op) {
			p.end[op] = p.add(&pathNode{})
		}
		p.nodes[p.end[op]].defs = op.Results()
	}
	for op := range fn.Ops() {
		p.join(op, fn)
	}
	return p
}

// flows reports whether the operations inside op run one by one; those of a reduction are part of it.
func flows(op *ir.Op) bool { return op.Def == scf.For || op.Def == scf.While || op.Def == scf.If }

func (p *paths) add(n *pathNode) int {
	n.live, n.busy = map[*ir.Value]bool{}, map[*ir.Value]bool{}
	p.nodes = append(p.nodes, n)
	return len(p.nodes) - 1
}

func (p *paths) edge(from, to int) { p.nodes[from].next = append(p.nodes[from].next, to) }

// pass goes from node from to a place where values are known as names.
func (p *paths) pass(from, to int, values, names []*ir.Value) {
	p.edge(from, to)
	for i, v := range values {
		p.into[names[i]] = append(p.into[names[i]], v)
	}
}

// join adds what follows op.
func (p *paths) join(op, fn *ir.Op) {
	at, end := p.at[op], p.end[op]
	if b := op.Block(); b != nil && b.First() == op && op != fn {
		p.edge(p.begin[b], at)
	}
	switch {
	case op == fn:
		p.edge(at, p.begin[op.Body(0)])
		return
	case op.Def == scf.For:
		body, inits := op.Body(0), op.Operands()[3:]
		p.pass(at, p.begin[body], inits, body.Args()[1:])
		p.pass(at, end, inits, op.Results())
	case op.Def == scf.While:
		p.pass(at, p.begin[op.Body(0)], op.Operands(), op.Body(0).Args())
	case op.Def == scf.If:
		for _, r := range op.Regions() {
			if !r.Empty() {
				p.edge(at, p.begin[r.First()])
			}
		}
		if op.Region(1).Empty() {
			p.edge(at, end)
		}
	}
	for k, to := range op.Successors() {
		values := op.Operands()
		if len(op.Successors()) > 1 {
			values = op.Group(k + 1)
		}
		p.pass(at, p.begin[to], values, to.Args())
	}
	if next := op.Next(); next != nil {
		p.edge(end, p.at[next])
	} else if parent := op.Parent(); parent != fn && flows(parent) {
		p.leave(op, parent)
	}
	for _, r := range op.Results() {
		if !flows(op) && ttg.IsMemDesc(r.Type) && op.Def != ttg.LocalAlloc {
			p.into[r] = append(p.into[r], op.Operands()...)
		}
	}
}

// leave adds what follows the terminator of a region of parent.
func (p *paths) leave(op, parent *ir.Op) {
	at, end, values := p.at[op], p.end[parent], op.Operands()
	switch {
	case parent.Def == scf.For:
		p.pass(at, p.begin[parent.Body(0)], values, parent.Body(0).Args()[1:])
		p.pass(at, end, values, parent.Results())
	case parent.Def == scf.While && op.Def == scf.Condition:
		p.pass(at, p.begin[parent.Body(1)], values[1:], parent.Body(1).Args())
		p.pass(at, end, values[1:], parent.Results())
	case parent.Def == scf.While:
		p.pass(at, p.begin[parent.Body(0)], values, parent.Body(0).Args())
	default:
		p.pass(at, end, values, parent.Results())
	}
}

// compute finds what is alive before each node, and what is still read there.
func (p *paths) compute(l *lowering) {
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(p.nodes) {
			before := len(n.live)
			for _, next := range n.next {
				maps.Copy(n.live, p.nodes[next].live)
			}
			for _, d := range n.defs {
				delete(n.live, d)
			}
			for _, v := range uses(n.op) {
				n.live[v] = true
			}
			changed = changed || len(n.live) != before
		}
	}
	for _, n := range p.nodes {
		if n.op == nil || l.effects(n.op).until == nil || l.effects(n.op).until(n.op) == nil {
			continue
		}
		p.run(n, l.effects(n.op).until(n.op), uses(n.op), map[*pathNode]bool{})
	}
}

// run notes on every path from n that values are read, up to a wait for all.
func (p *paths) run(n *pathNode, wait *ir.OpDef, values []*ir.Value, seen map[*pathNode]bool) {
	for _, next := range n.next {
		to := p.nodes[next]
		if seen[to] {
			continue
		}
		seen[to] = true
		for _, v := range values {
			to.busy[v] = true
		}
		if to.op == nil || to.op.Def != wait || to.op.IntOr("pendings", 0) != 0 {
			p.run(to, wait, values, seen)
		}
	}
}

func uses(op *ir.Op) (list []*ir.Value) {
	if op == nil {
		return nil
	}
	for _, v := range op.Operands() {
		if ttg.IsMemDesc(v.Type) {
			list = append(list, v)
		}
	}
	return list
}

// buffers returns the allocations that v may be a part of.
func (p *paths) buffers(v *ir.Value, seen map[*ir.Value]bool, out map[*ir.Op]bool) {
	if seen[v] || !ttg.IsMemDesc(v.Type) {
		return
	}
	seen[v] = true
	if op := v.Def(); op != nil && op.Def == ttg.LocalAlloc {
		out[op] = true
	}
	for _, from := range p.into[v] {
		p.buffers(from, seen, out)
	}
}

// judgePlaces returns two buffers that are in use at one time and overlap, or a buffer beyond the frame.
func judgePlaces(l *lowering, a *allocation, base int) (checked int, err error) {
	p := pathsOf(l.fn)
	p.compute(l)
	for _, n := range p.nodes {
		used := map[*ir.Op]bool{}
		for _, set := range []map[*ir.Value]bool{n.live, n.busy} {
			for v := range set {
				p.buffers(v, map[*ir.Value]bool{}, used)
			}
		}
		if n.op != nil && len(a.buffers[n.op]) > 0 {
			used[n.op] = true
		}
		var list []interval
		for op := range used {
			list = append(list, a.buffers[op]...)
		}
		slices.SortFunc(list, func(x, y interval) int { return x.lo - y.lo })
		for i, x := range list {
			if x.lo < base || x.hi > base+a.size || i > 0 && list[i-1].hi > x.lo {
				return checked, fmt.Errorf("%s at %v: %v are in use in [%d, %d)", l.fn.Text("sym_name"), n.op,
					list, base, base+a.size)
			}
		}
		checked += len(list)
		for _, v := range uses(n.op) { // the swizzle of wgmma repeats every 1024 bytes, counted from 0
			read := map[*ir.Op]bool{}
			p.buffers(v, map[*ir.Value]bool{}, read)
			for op := range read {
				if at := a.buffers[op][0].lo; n.op.Def == ttng.WarpGroupDot && at%1024 != 0 {
					return checked, fmt.Errorf("%v reads a buffer at byte %d", n.op, at)
				}
			}
		}
	}
	return checked, nil
}

// judgeModule judges the places of all functions that a kernel reaches, whose memory begins at base.
func judgeModule(t testing.TB, m *ir.Module, kernel string, opts Options, base int) (checked int) {
	t.Helper()
	g := newProgram(m, opts)
	order := g.callOrder(m.Lookup(kernel))
	g.frames[order[0]] = &frame{base: base}
	for _, fn := range order {
		g.place(fn)
	}
	for _, fn := range order {
		base := g.frames[fn].base
		l := g.newLowering(fn)
		n, err := judgePlaces(l, placeBuffers(l, memRoots(fn), base), base)
		if err != nil {
			t.Errorf("%v\n%s", err, fn)
		}
		for op := range fn.Ops() {
			if op.Attr("callee") != nil && g.frames[g.callee(op)].base < base+g.frames[fn].size {
				t.Errorf("%v: the callee's memory begins within the caller's", op)
			}
		}
		checked += n
	}
	return checked
}
