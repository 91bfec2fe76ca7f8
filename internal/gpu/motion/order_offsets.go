package motion

import (
	"cmp"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// OrderOffsets adds those offsets of a pointer first that many elements have in common:
//
//	%q = tt.addptr %p, %column           %q = tt.addptr %p, %row
//	%r = tt.addptr %q, %row         =>   %r = tt.addptr %q, %column
//
// Here %p and %row are the same for all elements of a row, so one addition of 64 bits serves the row, and one
// is left for each element instead of two. LLVM keeps the order of the program. Where the pointer differs for
// each element from the start, the offsets of a row are summed before it is added to.
var OrderOffsets = pass.Pass{
	Name: "nereid-gpu-order-offsets",
	Doc:  "add the offsets first that elements have in common",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		of := spread{}
		for _, op := range ttgir.OpsOf(m.Op, tt.AddPtr) {
			if c := chainTo(op, of); c != nil {
				ctx.At(op)
				c.rewrite()
			}
		}
		return nil
	},
}

// axes is a set of dimensions of a tensor along which its elements differ, a bit for each.
type axes uint

func (a axes) holds(b axes) bool { return a&b == b }

// spread knows the dimensions along which values differ, as far as their operations show.
type spread map[*ir.Value]axes

func (s spread) axes(v *ir.Value) axes {
	a, known := s[v]
	if !known {
		a = s.find(v)
		s[v] = a
	}
	return a
}

func (s spread) find(v *ir.Value) (some axes) {
	t := ttgir.TensorOf(v)
	if t == nil {
		return 0
	}
	op := v.Def()
	switch {
	case op == nil:
	case op.Def == tt.Splat, op.Def == arith.Constant && arith.Uniform(arith.ValueOf(v)) != nil:
		return 0
	case op.Def == tt.Broadcast, op.Def == ttg.ConvertLayout, op.Def == tt.AddPtr, op.Def.Has(ir.Elementwise):
		for _, x := range op.Operands() {
			some |= s.axes(x)
		}
		return some
	}
	for i, n := range t.Shape {
		if n > 1 {
			some |= 1 << i
		}
	}
	return some
}

// chain is a pointer plus several offsets.
type chain struct {
	of     spread
	all    axes        // the axes along which its pointers differ
	last   *ir.Op      // the last addition
	base   *ir.Value   // the pointer to which the offsets are added
	terms  []*ir.Value // the offsets, first to last, without constants
	fixed  []*ir.Value // constant offsets: instructions add them for free if they come last
	before int         // additions for each element
}

// chainTo returns the additions that end with op; nil if it is not the last one, or if there is one alone.
func chainTo(op *ir.Op, of spread) *chain {
	if ttgir.TensorOf(op.Result(0)) == nil || isLink(op) {
		return nil
	}
	c := &chain{of: of, all: of.axes(op.Result(0)), last: op}
	for {
		if len(op.Attrs()) > 0 {
			return nil
		}
		if o := op.Operand(1); o.DefBy(arith.Constant) != nil {
			c.fixed = append(c.fixed, o)
		} else {
			c.terms = append(c.terms, o)
			if of.axes(op.Result(0)) == c.all {
				c.before++
			}
		}
		c.base = op.Operand(0)
		if op = c.base.DefBy(tt.AddPtr); op == nil || !isLink(op) {
			break
		}
	}
	slices.Reverse(c.terms)
	slices.Reverse(c.fixed)
	if c.before < 2 || c.all == 0 {
		return nil
	}
	return c
}

// isLink reports whether the only use of a pointer is that an addition offsets it further.
func isLink(op *ir.Op) bool {
	if !op.Result(0).HasOneUse() {
		return false
	}
	for u := range op.Result(0).Uses() {
		next := u.Owner()
		return next.Def == tt.AddPtr && next.Operand(0) == op.Result(0) && next.Block() == op.Block()
	}
	return false
}

// together is a group of offsets that vary along the same dimensions, or along some of them.
type together struct {
	axes  axes
	terms []*ir.Value
}

// groups returns the offsets in groups, each to be added to the pointer at once, those first that elements
// have in common. An offset that differs for each element stands alone.
func (c *chain) groups() []together {
	terms := slices.Clone(c.terms)
	size := func(a axes) int64 {
		n := int64(1)
		for i, d := range ttgir.TensorOf(c.last.Result(0)).Shape {
			if a&(1<<i) != 0 {
				n *= d
			}
		}
		return n
	}
	slices.SortStableFunc(terms, func(v, w *ir.Value) int {
		return cmp.Compare(size(c.of.axes(w)), size(c.of.axes(v)))
	})
	var groups []together
	for _, v := range terms { // from those with the most elements down
		a := c.of.axes(v)
		i := slices.IndexFunc(groups, func(g together) bool { return g.axes != c.all && g.axes.holds(a) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, together{axes: a})
		}
		groups[i].terms = append(groups[i].terms, v)
	}
	slices.Reverse(groups)
	return groups
}

// rewrite adds the offsets in a better order if there is one.
func (c *chain) rewrite() {
	at := c.of.axes(c.base)
	var early, late []*ir.Value // offsets added to the pointer one by one, and those added up first
	var groups []together
	for _, g := range c.groups() {
		if at != c.all && (at.holds(g.axes) || at == 0 && g.axes != c.all) {
			early = append(early, g.terms...)
			at |= g.axes
		} else {
			groups = append(groups, g)
		}
	}
	if len(groups) >= c.before {
		return
	}
	b := ir.At(c.last)
	for _, g := range groups {
		late = append(late, total(b, g.terms))
	}
	p := c.base
	for _, o := range slices.Concat(early, late, c.fixed) {
		p = b.Val(tt.AddPtr, p.Type, p, o)
	}
	c.last.Result(0).ReplaceAllUses(p)
	for op := c.last; op != nil && !op.Result(0).HasUses(); {
		next := op.Operand(0).DefBy(tt.AddPtr)
		op.Erase()
		op = next
	}
}

// total returns the sum of offsets, which has 64 bits if there are several.
func total(b *ir.Builder, terms []*ir.Value) *ir.Value {
	if len(terms) == 1 {
		return terms[0]
	}
	wide := ir.WithElem(terms[0].Type, ir.I64)
	widened := func(v *ir.Value) *ir.Value {
		if ir.BitWidth(ir.ElemOf(v.Type)) == 64 {
			return v
		}
		return b.Val(arith.ExtSI, wide, v)
	}
	s := widened(terms[0])
	for _, v := range terms[1:] {
		s = b.Val(arith.AddI, wide, s, widened(v))
	}
	return s
}
