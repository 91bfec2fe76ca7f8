package interp

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// maxLanes is the number of elements that a function over lanes works on at once.
const maxLanes = 1024

// scalarFunc is the region of a reduction, scan or map: a function of scalars, compiled to work on many lanes
// at once where it has neither branches nor effects, and otherwise run for each.
type scalarFunc struct {
	fn       *function
	lanes    bool
	captures []pair // what the region uses from outside: dst in fn's frame, src in the frame of its op
}

// scalarFunc compiles the region of an op.
func (c *compiler) scalarFunc(op *ir.Op) *scalarFunc {
	r := op.Region(0)
	if r.Empty() || r.First().Terminator() == nil {
		c.errorf(op, "the region is empty")
		return nil
	}
	s := &scalarFunc{lanes: c.vectorises(r, 0)}
	in := c.compiler(op, op.Name())
	in.lanes = s.lanes
	in.plan = newPlanner(in, op)
	for _, v := range captured(op) {
		outer := c.full(v)
		inner := value{layout: outer.layout, reg: in.newReg(outer.kind, outer.n, false), uni: s.lanes}
		in.vals[v], in.plan.uni[v] = inner, s.lanes
		s.captures = append(s.captures, pair{inner, outer})
	}
	in.compileRegion(r)
	if c.err == nil {
		c.err = in.err
	}
	s.fn = in.fn
	return s
}

// laneFunc returns a function of the module, compiled to work on lanes.
func (c *compiler) laneFunc(op *ir.Op) *function {
	if fn, ok := c.moduleCompiler.lanes[op]; ok {
		return fn
	}
	in := c.compiler(op, op.Text("sym_name"))
	c.moduleCompiler.lanes[op] = in.fn
	in.lanes = true
	in.plan = newPlanner(in, op)
	in.compileRegion(op.Region(0))
	if c.err == nil {
		c.err = in.err
	}
	return in.fn
}

// compileRegion compiles a region as a function whose results stay where they were computed.
func (c *compiler) compileRegion(r *ir.Region) {
	c.plan.run()
	if c.err = c.plan.err; c.err == nil {
		c.fn.params = c.values(r.First().Args())
		if c.lanes {
			c.fn.body.blocks = []block{{code: c.straight(r.First(), func(t *ir.Op) {
				c.fn.results = c.values(t.Operands())
			})}}
		} else {
			c.fn.body = *c.region(r, func(t *ir.Op) {
				if c.fn.results == nil {
					for _, v := range t.Operands() {
						c.fn.results = append(c.fn.results, c.pinned(v.Type))
					}
				}
				c.move(c.fn.results, t.Operands(), nil)
			})
		}
	}
	c.finish()
}

// captured returns the values that the regions of an op use from outside.
func captured(op *ir.Op) []*ir.Value {
	var vs []*ir.Value
	seen := map[*ir.Value]bool{}
	for o := range op.Ops() {
		if o == op {
			continue
		}
		for _, v := range o.Operands() {
			inside := v.Block() != nil && v.Block().Parent() != nil &&
				(v.Block().Parent() == op || v.Block().Parent().IsInside(op))
			if !inside && !seen[v] {
				seen[v] = true
				vs = append(vs, v)
			}
		}
	}
	return vs
}

// vectorises reports whether a region is one block of elementwise operations on scalars, or calls of such
// functions.
func (c *compiler) vectorises(r *ir.Region, depth int) bool {
	if r.First() != r.Last() || depth > 8 {
		return false
	}
	for op := range r.First().Ops() {
		switch {
		case op.Def.Has(ir.Terminator):
		case op.Def == tt.Call || op.Def == funcd.Call:
			ref, _ := op.Attr("callee").(*ir.SymbolRefAttr)
			if ref == nil {
				return false
			}
			target := c.m.Lookup(ref.Root)
			if target == nil || !isFunc(target) || target.Region(0).Empty() ||
				!c.vectorises(target.Region(0), depth+1) {
				return false
			}
		case len(op.Regions()) > 0 || !op.Def.Has(ir.Elementwise) && !op.Def.Has(ir.ConstantLike):
			return false
		}
		for _, v := range append(op.Operands(), op.Results()...) {
			if l, err := layoutOf(v.Type); err != nil || l.n != 1 || l.kind == kObj || l.kind == kNone {
				return false
			}
		}
	}
	return true
}

// lowerLaneCall calls a function over lanes: the arguments are lent, the results copied.
func (c *compiler) lowerLaneCall(op, target *ir.Op) step {
	fn := c.laneFunc(target)
	args, results := c.ins(op), c.values(op.Results())
	return func(f *frame) {
		g := f.w.frame(fn)
		g.setLanes(f.lanes)
		for i, p := range fn.params {
			g.regs[p.reg] = f.regs[args[i].reg]
		}
		g.exec(fn.body.blocks[0].code)
		for i, r := range fn.results {
			copyOut(f.bytes(results[i].reg, r.kind), g, r)
		}
		f.w.release(g)
	}
}

// copyOut copies a register, repeating a single element.
func copyOut(d []byte, f *frame, v value) {
	s := f.bytes(v.reg, v.kind)
	if len(s) < len(d) {
		n := copy(d, s)
		for ; n < len(d); n *= 2 {
			copy(d[n:], d[:n])
		}
		return
	}
	copy(d, s)
}

// open returns a frame for the function, with the captured values in place; the worker's release frees it.
func (s *scalarFunc) open(f *frame) *frame {
	g := f.w.frame(s.fn)
	for _, p := range s.captures {
		transfer(g, p.dst, f, p.src)
	}
	return g
}

// apply computes n lanes. args are rows of n elements, one for each parameter; out get the results.
func (s *scalarFunc) apply(g *frame, n int, args []unsafe.Pointer, out [][]byte) {
	if s.lanes {
		g.setLanes(n)
		for i, p := range s.fn.params {
			g.regs[p.reg] = register{args[i], n}
		}
		g.w.worked(n * len(s.fn.body.blocks[0].code))
		g.exec(s.fn.body.blocks[0].code)
		for i, r := range s.fn.results {
			copyOut(out[i], g, r)
		}
		return
	}
	for lane := range n {
		for i, p := range s.fn.params {
			size := p.kind.bytes()
			copy(g.bytes(p.reg, p.kind), unsafe.Slice((*byte)(unsafe.Add(args[i], lane*size)), size))
		}
		g.run(&s.fn.body)
		for i, r := range s.fn.results {
			size := r.kind.bytes()
			copy(out[i][lane*size:(lane+1)*size], g.bytes(r.reg, r.kind))
		}
	}
}
