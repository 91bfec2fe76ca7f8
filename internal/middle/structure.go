package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// structure gives a function whose blocks branch to one another, as those with early returns do, one block
// with scf.if in it.
//
//	cf.cond_br %c, ^out, ^go              scf.if %c {
//	^out: tt.return               =>      } else {
//	^go:  tt.store … tt.return              tt.store …
//	                                      }
//	                                      tt.return
//
// Each block is written once. Where two branches come together, but only some of their ways do, a flag says
// which was taken. The same goes for the regions in it that are functions of scalars.
func structure(fn *ir.Op) error {
	for op := range fn.Ops() {
		if ret := returns[op.Def]; ret != nil && len(op.Regions()) > 0 {
			if err := structureRegion(op, ret); err != nil {
				return err
			}
		}
	}
	return nil
}

// returns are the operations whose region is a function, and what it returns with.
var returns = map[*ir.OpDef]*ir.OpDef{
	tt.Func: tt.Return, funcd.Func: funcd.Return, tt.Reduce: tt.ReduceReturn, tt.Scan: tt.ScanReturn,
	tt.MapElementwise: tt.MapElementwiseReturn,
}

func structureRegion(op *ir.Op, ret *ir.OpDef) error {
	body := op.Region(0)
	if body.Empty() || body.First() == body.Last() {
		return nil
	}
	s := &structurer{region: body, ret: ret, post: map[*ir.Block]*ir.Block{}}
	for b := range body.Blocks() {
		if t := b.Last(); t == nil || t.Def != cf.Br && t.Def != cf.CondBr && t.Def != ret {
			return errAt(op, "a block of %s %s ends in something other than a branch or return", op.Name(),
				op.Text("sym_name"))
		}
	}
	if !s.sort(body.First(), map[*ir.Block]bool{}, map[*ir.Block]bool{}) {
		return errAt(op, "%s %s has a loop of branches between blocks", op.Name(), op.Text("sym_name"))
	}
	slices.Reverse(s.order)
	s.joinReturns()
	s.postDominators()
	s.rebuild()
	return nil
}

type structurer struct {
	region *ir.Region
	ret    *ir.OpDef   // what returns
	order  []*ir.Block // each before those it branches to
	exit   *ir.Block   // the only one that returns
	post   map[*ir.Block]*ir.Block
	m      *ir.Mapping
	b      *ir.Builder
}

// sort puts the blocks that can be reached in order, last ones first, and reports whether there is no loop.
func (s *structurer) sort(b *ir.Block, open, done map[*ir.Block]bool) bool {
	if open[b] {
		return false
	}
	if done[b] {
		return true
	}
	open[b] = true
	for _, next := range b.Successors() {
		if !s.sort(next, open, done) {
			return false
		}
	}
	open[b], done[b] = false, true
	s.order = append(s.order, b)
	return true
}

// joinReturns makes all returns branches to one block that returns.
func (s *structurer) joinReturns() {
	s.exit = ir.NewBlock()
	for _, b := range s.order {
		ret := b.Last()
		if ret.Def != s.ret {
			continue
		}
		if s.exit.Empty() {
			for _, v := range ret.Operands() {
				s.exit.AddArg(v.Type, nil)
			}
			ir.NewBuilder(s.exit).Create(ir.State{Def: s.ret, Loc: ret.Loc, Operands: s.exit.Args()})
			s.region.Append(s.exit)
		}
		ir.At(ret).Create(ir.State{Def: cf.Br, Operands: ret.Operands(), Successors: []*ir.Block{s.exit}})
		ret.Erase()
	}
	s.order = append(s.order, s.exit)
}

// postDominators finds, for each block, the nearest one that all ways from it lead to.
func (s *structurer) postDominators() {
	place := map[*ir.Block]int{}
	for i, b := range s.order {
		place[b] = i
	}
	for i := len(s.order) - 2; i >= 0; i-- {
		b := s.order[i]
		next := b.Successors()
		p := next[0]
		for _, q := range next[1:] {
			for p != q {
				if place[p] < place[q] {
					p = s.post[p]
				} else {
					q = s.post[q]
				}
			}
		}
		s.post[b] = p
	}
}

// rebuild writes all blocks into a new one that takes their place.
func (s *structurer) rebuild() {
	entry := s.region.First()
	nb := ir.NewBlock()
	s.m = ir.NewMapping()
	for _, a := range entry.Args() {
		na := nb.AddArg(a.Type, a.Loc)
		na.Name = a.Name
		s.m.Map(a, na)
	}
	s.b = ir.NewBuilder(nb)
	vs := s.from(entry, []*ir.Block{s.exit})
	s.b.Create(ir.State{Def: s.ret, Loc: s.exit.Last().Loc, Operands: vs})
	for b := range s.region.Blocks() {
		for op := range b.Ops() {
			op.DropAllReferences()
		}
	}
	for b := range s.region.Blocks() {
		b.Remove()
	}
	s.region.Append(nb)
}

// from writes what happens from block b on until one of the stops is reached. It returns a flag for each stop
// but the last, true for the one that was reached, then the arguments of all stops.
func (s *structurer) from(b *ir.Block, stops []*ir.Block) []*ir.Value {
	for {
		for op := range b.Ops() {
			if op != b.Last() {
				s.b.Insert(op.Clone(s.m))
			}
		}
		t := b.Last()
		s.b.Loc = t.Loc
		if t.Def == cf.CondBr {
			join := s.post[b]
			if slices.Contains(stops, join) {
				return s.branch(t, stops)
			}
			s.bind(join, s.branch(t, []*ir.Block{join}))
			b = join
			continue
		}
		next := t.Successors()[0]
		args := s.mapped(t.Operands())
		if slices.Contains(stops, next) {
			return s.arrived(next, args, stops)
		}
		s.bind(next, args)
		b = next
	}
}

// branch writes both ways of a conditional branch until one of the stops.
func (s *structurer) branch(t *ir.Op, stops []*ir.Block) []*ir.Value {
	shared := s.shared(t, stops)
	if shared == nil {
		return s.both(t, stops)
	}
	vs := s.both(t, append([]*ir.Block{shared}, stops...))
	n := len(stops) - 1
	there, flags := vs[0], vs[1:1+n]
	args, rest := vs[1+n:1+n+len(shared.Args())], vs[1+n+len(shared.Args()):]
	passed := slices.Concat(flags, rest)
	op := scf.NewIf(s.b, there, typesOf(passed), true)
	s.within(op.Body(0), func() []*ir.Value {
		s.bind(shared, args)
		return s.from(shared, stops)
	})
	s.within(op.Body(1), func() []*ir.Value { return passed })
	return slices.Clone(op.Results())
}

// shared returns the first block that both ways can come to before any stop, or nil.
func (s *structurer) shared(t *ir.Op, stops []*ir.Block) *ir.Block {
	x, y := s.before(t.Successors()[0], stops), s.before(t.Successors()[1], stops)
	for _, b := range s.order {
		if x[b] && y[b] {
			return b
		}
	}
	return nil
}

// before returns the blocks that can be reached without passing a stop.
func (s *structurer) before(b *ir.Block, stops []*ir.Block) map[*ir.Block]bool {
	out := map[*ir.Block]bool{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		if out[b] || slices.Contains(stops, b) {
			return
		}
		out[b] = true
		for _, next := range b.Successors() {
			visit(next)
		}
	}
	visit(b)
	return out
}

// both makes the scf.if of a conditional branch.
func (s *structurer) both(t *ir.Op, stops []*ir.Block) []*ir.Value {
	op := scf.NewIf(s.b, s.m.Get(t.Operand(0)), typesAt(stops), true)
	for i, next := range t.Successors() {
		args := s.mapped(t.Group(1 + i))
		s.within(op.Body(i), func() []*ir.Value {
			if slices.Contains(stops, next) {
				return s.arrived(next, args, stops)
			}
			s.bind(next, args)
			return s.from(next, stops)
		})
	}
	return slices.Clone(op.Results())
}

// within builds a region that yields what f returns.
func (s *structurer) within(b *ir.Block, f func() []*ir.Value) {
	p := s.b.Point()
	s.b.ToEnd(b)
	scf.MakeYield(s.b, f()...)
	s.b.SetPoint(p)
}

// arrived returns the result of from at a stop.
func (s *structurer) arrived(at *ir.Block, args []*ir.Value, stops []*ir.Block) []*ir.Value {
	var flags, all []*ir.Value
	for i, b := range stops {
		if i < len(stops)-1 {
			flags = append(flags, arith.Const(s.b, ir.BoolAttr(b == at)))
		}
		if b == at {
			all = append(all, args...)
			continue
		}
		for _, a := range b.Args() {
			all = append(all, s.b.Val(ub.Poison, a.Type))
		}
	}
	return append(flags, all...)
}

func (s *structurer) bind(b *ir.Block, vs []*ir.Value) {
	for i, a := range b.Args() {
		s.m.Map(a, vs[i])
	}
}

func (s *structurer) mapped(vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = s.m.Get(v)
	}
	return out
}

func typesAt(stops []*ir.Block) []ir.Type {
	var out []ir.Type
	for range stops[1:] {
		out = append(out, ir.I1)
	}
	for _, b := range stops {
		out = append(out, typesOf(b.Args())...)
	}
	return out
}

func typesOf(vs []*ir.Value) []ir.Type {
	out := make([]ir.Type, len(vs))
	for i, v := range vs {
		out[i] = v.Type
	}
	return out
}
