package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// reduction is a linalg.reduce with its inputs and initial values.
type reduction struct {
	op     *ir.Op
	ins    []*ir.Value
	dim    int
	inits  []*ir.Value // values to combine the result with; nil for none
	start  []val       // neutral elements to start with; nil to start with the first elements
	region *ir.Block
	slots  [][]string // accumulators, for each copy of the body and each input
	// variable that is true once the accumulators hold a value, if there is no neutral element
	begun string
	lanes int
}

// reductionOf returns the reduction of a linalg.reduce. The middle layer slices off the first elements where
// there is no neutral one; here it is over the whole again.
func reductionOf(op *ir.Op) *reduction {
	dims := op.Attr("dimensions").(*ir.DenseArrayAttr).Values
	r := &reduction{op: op, dim: int(dims[0]), ins: op.Group(0), inits: op.Group(1), region: op.Body(0)}
	if len(dims) != 1 {
		return nil
	}
	if whole := r.wholes(); whole != nil {
		r.ins, r.inits = whole, nil
		return r
	}
	if c := r.neutral(); c != nil {
		r.start, r.inits = []val{*c}, nil
	}
	return r
}

// neutrals lists the operations that have a neutral element.
var neutrals = []*ir.OpDef{
	arith.AddF, arith.MulF, arith.MaximumF, arith.MinimumF, arith.MaxNumF, arith.MinNumF, arith.AddI,
	arith.MulI, arith.OrI, arith.XOrI, arith.AndI, arith.MaxUI, arith.MinUI, arith.MaxSI, arith.MinSI,
}

// neutral returns the constant that a reduction by one operation starts with, which the middle layer chose to
// be neutral.
func (r *reduction) neutral() *val {
	body := r.region
	if len(r.ins) != 1 || body.First() == nil || body.First().Next() != body.Last() ||
		!slices.Contains(neutrals, body.First().Def) {
		return nil
	}
	fill := r.inits[0].DefBy(linalg.Fill)
	if fill == nil {
		return nil
	}
	a := arith.ValueOf(fill.Operand(0))
	if a == nil {
		return nil
	}
	c, ok := constant(a)
	if !ok {
		return nil
	}
	return &c
}

// wholes returns the tensors of which the inputs are all but the first plane and the inits the first plane,
// or nil.
func (r *reduction) wholes() []*ir.Value {
	var out []*ir.Value
	for i, v := range r.ins {
		rest, first := v.DefBy(tensor.ExtractSlice), r.inits[i].DefBy(tensor.ExtractSlice)
		if rest == nil || first == nil || rest.Operand(0) != first.Operand(0) {
			return nil
		}
		src := rest.Operand(0)
		shape := ir.ShapeOf(src.Type)
		for d, n := range shape {
			begin, size := int64(0), n
			if d == r.dim {
				begin, size = 1, n-1
			}
			if !entryIs(rest, 1, "static_offsets", d, begin) || !entryIs(rest, 2, "static_sizes", d, size) ||
				!entryIs(first, 1, "static_offsets", d, 0) {
				return nil
			}
		}
		out = append(out, src)
	}
	return out
}

func entryIs(op *ir.Op, slot int, attr string, d int, want int64) bool {
	return indexlist.Of(op, slot, attr)[d].IsConst(want)
}

// shape returns the shape of the loops.
func (r *reduction) shape() []int64 { return ir.ShapeOf(r.ins[0].Type) }

// left returns the shape of the results.
func (r *reduction) left() []int64 { return slices.Delete(slices.Clone(r.shape()), r.dim, r.dim+1) }

// startReductions initializes the accumulators of all reductions of a nest.
func (g *gen) startReductions(n *nest) {
	for _, root := range n.roots {
		r := root.red
		if r == nil {
			continue
		}
		r.lanes = n.lanes
		if r.slots == nil {
			for range n.unroll {
				var list []string
				for _, v := range r.ins {
					list = append(list, g.slot(vector(elemType(ir.ElemOf(v.Type)), n.lanes)))
				}
				r.slots = append(r.slots, list)
			}
			if r.start == nil {
				r.begun = g.slot("i1")
			}
		}
		if r.start == nil {
			g.do("store i1 false, ptr %s", r.begun)
		}
		for _, list := range r.slots {
			for i, s := range list {
				t := ir.ElemOf(r.ins[i].Type)
				v := g.zero(t)
				if r.start != nil {
					v = r.start[i]
				}
				g.do("store %s %s, ptr %s", vector(elemType(t), n.lanes),
					g.splat(elemType(t), v.s, n.lanes), s)
			}
		}
	}
}

// accumulate computes the inputs of a reduction and returns a function that adds them to the accumulators.
func (g *gen) accumulate(root *root, idx []index, u int) func() {
	r := root.red
	ins := make([]val, len(r.ins))
	for i, v := range r.ins {
		ins[i] = g.widen(g.elem(v, idx), g.lanes)
	}
	return func() {
		accs := g.accumulators(r, u, g.lanes)
		out := g.combine(r, ins, accs)
		if r.start == nil {
			begun := val{s: g.op("load i1, ptr %s", r.begun), t: ir.I1, n: 1}
			for i := range out {
				out[i] = g.choose(begun, out[i], ins[i])
			}
			g.do("store i1 true, ptr %s", r.begun)
		}
		for i, v := range out {
			g.do("store %s %s, ptr %s", v.typ(), v.s, r.slots[u][i])
		}
	}
}

func (g *gen) accumulators(r *reduction, u, lanes int) []val {
	out := make([]val, len(r.ins))
	for i, v := range r.ins {
		t := ir.ElemOf(v.Type)
		out[i] = val{s: g.op("load %s, ptr %s", vector(elemType(t), lanes), r.slots[u][i]), t: t, n: lanes}
	}
	return out
}

// combine applies the region of a reduction to vectors.
func (g *gen) combine(r *reduction, ins, accs []val) []val {
	defer g.lining(r.op)()
	g.push()
	defer g.pop()
	memo := g.memo
	g.memo = nil
	defer func() { g.memo = memo }()
	for i, v := range append(slices.Clone(ins), accs...) {
		g.bind(r.region.Arg(i), v)
	}
	g.region(r.region, nil)
	var out []val
	for _, v := range r.region.Last().Operands() {
		out = append(out, g.widen(g.scalar(v), g.lanes))
	}
	return out
}

// joinReductions combines the accumulators of all copies of the body in the first ones.
func (g *gen) joinReductions(n *nest) {
	g.lanes = n.lanes
	for _, root := range n.roots {
		if r := root.red; r != nil {
			for u := 1; u < len(r.slots); u++ {
				for i, v := range g.combine(r, g.accumulators(r, u, n.lanes), g.accumulators(r, 0, n.lanes)) {
					g.do("store %s %s, ptr %s", v.typ(), v.s, r.slots[0][i])
				}
			}
		}
	}
	g.lanes = 1
}

// finishReductions combines the lanes of accumulators and stores the results.
func (g *gen) finishReductions(n *nest, outer []index) {
	for _, root := range n.roots {
		r := root.red
		if r == nil {
			continue
		}
		accs := g.accumulators(r, 0, n.lanes)
		for lanes := n.lanes; lanes > 1; lanes /= 2 {
			g.lanes = lanes / 2
			lo, hi := make([]val, len(accs)), make([]val, len(accs))
			for i, v := range accs {
				lo[i], hi[i] = g.half(v, 0), g.half(v, lanes/2)
			}
			accs = g.combine(r, hi, lo)
		}
		g.lanes = 1
		g.finish(r, accs, outer)
	}
}

// half returns the half of a vector that begins at lane from.
func (g *gen) half(v val, from int) val {
	n := v.n / 2
	if n == 1 {
		return val{s: g.op("extractelement %s %s, i64 %d", v.typ(), v.s, from), t: v.t, n: 1}
	}
	pick := counting(n)
	for i := range pick {
		pick[i] += int64(from)
	}
	return val{s: g.op("shufflevector %s %s, %s poison, <%d x i32> %s", v.typ(), v.s, v.typ(), n,
		constVector("i32", pick)), t: v.t, n: n}
}

// finishVectors stores the results of reductions in which each lane is a result.
func (g *gen) finishVectors(n *nest, at []index) {
	for _, root := range n.roots {
		if r := root.red; r != nil {
			g.finish(r, g.accumulators(r, 0, n.lanes), at)
		}
	}
}

// finish combines results with the initial values and stores them.
func (g *gen) finish(r *reduction, accs []val, at []index) {
	if r.inits != nil {
		inits := make([]val, len(r.inits))
		for i, v := range r.inits {
			inits[i] = g.widen(g.elem(v, at), g.lanes)
		}
		accs = g.combine(r, accs, inits)
	}
	for i, v := range r.op.Results() {
		if len(r.left()) == 0 {
			g.scopes[len(g.scopes)-2].vals[v] = accs[i] // the scope around the nest
			continue
		}
		g.store(g.lookupView(v), at, accs[i], nil)
	}
}
