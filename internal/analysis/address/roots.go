// Package address says where the pointers of a program point: to which argument, and to which of its
// elements.
//
// Roots are the arguments that a pointer may be computed from. Two pointers with different roots are taken to
// be apart, as arguments are.
//
// A Form is a pointer, or an index, as a sum: of numbers that are the same for all elements (Uniform), and of
// a stride times the coordinate for each dimension of the tensor. In bytes, of fp32,
//
//	x + row*stride + tl.arange(0, 64)        Uniform = x + 4*row*stride,  Strides = [4]
//
// Numbers that nothing is known of are symbols, and products of symbols stay products. What a loop carries
// and increments is its first value and the number of the iteration times the increment, so that pointers
// that advance and pointers computed from the loop's variable are alike. Relate compares the places of two
// accesses.
package address

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Analysis answers questions about the values of a module. It is made for a module that does not change
// meanwhile.
type Analysis struct {
	calls  map[string][]*ir.Op // by name of the function
	roots  map[*ir.Value][]*ir.Value
	raw    map[*ir.Value]*Form // before loops are resolved; nil for what has no form
	forms  map[*ir.Value]*Form
	spans  map[*ir.Value][]span
	ids    map[Symbol]int
	syms   []Symbol
	placed map[Symbol]*carried
	root   *ir.Op
	places map[*ir.Value]int // order of values, made when first needed
}

// New prepares to analyse a module, or the module around an operation.
func New(at *ir.Op) *Analysis {
	for at.Parent() != nil {
		at = at.Parent()
	}
	a := &Analysis{
		calls: map[string][]*ir.Op{}, roots: map[*ir.Value][]*ir.Value{}, raw: map[*ir.Value]*Form{},
		forms: map[*ir.Value]*Form{},
		spans: map[*ir.Value][]span{}, ids: map[Symbol]int{}, placed: map[Symbol]*carried{},
		root: at,
	}
	for op := range at.Ops() {
		if op.Def == tt.Call {
			if callee, ok := op.Attr("callee").(*ir.SymbolRefAttr); ok {
				a.calls[callee.Root] = append(a.calls[callee.Root], op)
			}
		}
	}
	return a
}

// Roots returns the arguments of kernels, and allocations, that a pointer may be computed from. Among them is
// nil if it may come from elsewhere, such as from memory: those pointers count as one argument.
func (a *Analysis) Roots(v *ir.Value) []*ir.Value {
	if r, ok := a.roots[v]; ok {
		return r
	}
	w := rootWalk{a: a, seen: map[*ir.Value]bool{}}
	w.visit(v)
	a.roots[v] = w.found
	return w.found
}

// Calls returns the calls of a function.
func (a *Analysis) Calls(fn *ir.Op) []*ir.Op { return a.calls[fn.Text("sym_name")] }

// MayAlias reports whether two pointers may have a root in common.
func (a *Analysis) MayAlias(p, q *ir.Value) bool {
	other := a.Roots(q)
	return slices.ContainsFunc(a.Roots(p), func(r *ir.Value) bool { return slices.Contains(other, r) })
}

// rootWalk goes from a pointer to the values that it is computed from.
type rootWalk struct {
	a     *Analysis
	seen  map[*ir.Value]bool
	found []*ir.Value
}

func (w *rootWalk) add(v *ir.Value) {
	if !slices.Contains(w.found, v) {
		w.found = append(w.found, v)
	}
}

func (w *rootWalk) all(vs ...*ir.Value) {
	for _, v := range vs {
		w.visit(v)
	}
}

func (w *rootWalk) visit(v *ir.Value) {
	if w.seen[v] {
		return
	}
	w.seen[v] = true
	op := v.Def()
	if op == nil {
		w.argument(v)
		return
	}
	if op.Def.Has(ir.View) {
		w.visit(op.Operand(0))
		return
	}
	switch op.Def {
	case tt.MakeTensorDesc, tt.AddPtr, tt.Splat, tt.Unsplat, tt.Bitcast, tt.Split, tt.Gather:
		w.visit(op.Operand(0))
	case arith.Select:
		w.all(op.Operands()[1:]...)
	case tt.Join, tt.Cat:
		w.all(op.Operands()...)
	case scf.If:
		for _, r := range op.Regions() {
			if !r.Empty() {
				w.visit(r.First().Terminator().Operand(v.Index()))
			}
		}
	case scf.For:
		w.all(scf.Inits(op)[v.Index()], op.Body(0).Terminator().Operand(v.Index()))
	case scf.While:
		w.visit(op.Body(0).Terminator().Operand(v.Index() + 1))
	case ttg.GlobalScratchAlloc:
		w.add(v)
	case ttng.ReinterpretTensorDesc:
		w.tensorMap(op.Operand(0))
	case tt.IntToPtr:
		w.integer(op.Operand(0))
	case tt.Call:
		w.add(nil)
		for _, o := range op.Operands() {
			if tt.IsPtr(ir.ElemOf(o.Type)) || tt.DescBlock(o.Type) != nil {
				w.visit(o)
			}
		}
	default:
		w.add(nil)
	}
}

// tensorMap visits the tensors whose maps are written to memory at p.
func (w *rootWalk) tensorMap(p *ir.Value) {
	found := false
	for u := range p.Users() {
		if u.Def == ttng.TensormapCreate {
			found = true
			w.visit(u.Slot(1))
		}
	}
	if !found {
		w.add(nil)
	}
}

// argument visits an argument of a block: of a function, or a value that a loop or a branch hands on.
func (w *rootWalk) argument(v *ir.Value) {
	b := v.Block()
	parent := b.Parent()
	switch {
	case parent == nil:
		w.add(nil)
	case parent.Def == scf.For && v.Index() > 0:
		w.all(scf.Inits(parent)[v.Index()-1], parent.Body(0).Terminator().Operand(v.Index()-1))
	case parent.Def == scf.While && b == parent.Body(0):
		w.all(parent.Operand(v.Index()), parent.Body(1).Terminator().Operand(v.Index()))
	case parent.Def == scf.While:
		w.visit(parent.Body(0).Terminator().Operand(v.Index() + 1))
	case parent.Def == tt.Func && b == parent.Region(0).First():
		calls := w.a.calls[parent.Text("sym_name")]
		for _, c := range calls {
			w.visit(c.Operand(v.Index()))
		}
		if len(calls) == 0 {
			w.add(v)
		}
	default: // blocks that are branched to: whatever comes there
		w.branches(b, v.Index())
	}
}

// branches visits the values that the branches to a block hand to its argument.
func (w *rootWalk) branches(to *ir.Block, i int) {
	found := false
	for b := range to.Region().Blocks() {
		t := b.Terminator()
		if t == nil {
			continue
		}
		for k, s := range t.Successors() {
			if s != to {
				continue
			}
			args := t.Operands()
			if len(t.Successors()) > 1 {
				args = t.Group(1 + k)
			}
			w.visit(args[i])
			found = true
		}
	}
	if !found {
		w.add(nil)
	}
}

// integer looks for the pointers that an integer was made of.
func (w *rootWalk) integer(v *ir.Value) {
	seen, found := map[*ir.Value]bool{}, false
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		op := v.Def()
		if seen[v] || op == nil {
			return
		}
		seen[v] = true
		if op.Def == tt.PtrToInt {
			found = true
			w.visit(op.Operand(0))
			return
		}
		if op.Def == tt.Load {
			return
		}
		for _, o := range op.Operands() {
			visit(o)
		}
	}
	visit(v)
	if !found {
		w.add(nil)
	}
}
